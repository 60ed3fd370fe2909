/* aligned.c -- jobs of one length per class whose starts are multiples of it.
 *
 * Slot k of a class is from k p to (k + 1) p on each of its machines; job j may use it iff k p >= r
 * and (k + 1) p <= L - q.  Local classes admit every job.  With one other class the matching is
 * convex: slot by slot the waiting jobs that are due first, and what misses its due date must be
 * local.  With several it is a flow, from jobs to slots by the O(log) nodes of a tree over the
 * slots that make up a window. */
#include "core.h"
#include "even.h"
#include "maxflow.h"
#include "tgsched/heap.h"

enum { MOST_SWEEP = 30000, MOST_FLOW = 1000, MOST_SLOTS = 20000 };

typedef struct aligned {
    const tgs_i_fj_form *f;
    const double *r, *q;    /* of the form; exchanged in reversed time */
    bool *is_local;         /* [classes] */
    int32_t others, remote; /* classes that are not local, and the last of them */
    int32_t *order;         /* [n] by r of that class: for the sweep */
    tgs_heap waiting;
    int32_t *slot_class; /* [n] of the last feasible test; -1 local */
    int64_t *slot;       /* [n] */
    int32_t *by_slot;    /* [n] */
    double *key, *end;   /* [n], [machines] */
    tgs_heap_item *item; /* [machines] */
    tgs_i_maxflow flow;
    int32_t *base;  /* [classes + 1] tree nodes of each class */
    int64_t *least; /* [classes] first slot of any window */
    bool small;     /* the flow is small enough to be solved */
} aligned;

static int64_t first_slot(const aligned *x, int32_t j, int32_t g)
{
    const double k = x->r[(int64_t)j * x->f->classes + g] / x->f->p[g];

    return (int64_t)ceil(k - 1e-12 * (1 + k));
}

static int64_t last_slot(const aligned *x, int32_t j, int32_t g, double L)
{
    const double k = (L - x->q[(int64_t)j * x->f->classes + g]) / x->f->p[g];

    return k < 0 ? -1 : (int64_t)floor(k + 1e-12 * (1 + k)) - 1;
}

/* ---- one class that is not local --------------------------------------------------------------
 */
static bool sweep(aligned *x, double L)
{
    const tgs_i_fj_form *f = x->f;
    const int32_t g = x->remote, m = f->at[g + 1] - f->at[g];
    int32_t spare = tgs_i_fj_local_room(f, L), next = 0;
    int64_t k = 0;

    x->waiting.size = 0;
    while (next < f->n || x->waiting.size) {
        if (!x->waiting.size && first_slot(x, x->order[next], g) > k)
            k = first_slot(x, x->order[next], g);
        for (; next < f->n && first_slot(x, x->order[next], g) <= k; next++)
            tgs_heap_push(&x->waiting, (double)last_slot(x, x->order[next], g, L), x->order[next]);
        for (int32_t used = 0; used < m && x->waiting.size;) {
            const tgs_heap_item job = tgs_heap_pop(&x->waiting);
            const bool late = job.key < (double)k;

            x->slot_class[job.id] = late ? -1 : g;
            x->slot[job.id] = k;
            used += !late;
            spare -= late;
        }
        if (spare < 0)
            return false;
        k++;
    }
    return true;
}

/* ---- several ----------------------------------------------------------------------------------
 */
/* lays out the trees: class g has slots least .. least + leaves - 1; false: too many */
static bool lay_out(aligned *x, double L)
{
    const tgs_i_fj_form *f = x->f;

    x->base[0] = 3 + f->n; /* source, sink, local, jobs */
    for (int32_t g = 0; g < f->classes; g++) {
        int64_t low = INT64_MAX, high = -1;

        for (int32_t j = 0; j < f->n && !x->is_local[g]; j++) {
            const int64_t a = first_slot(x, j, g), b = last_slot(x, j, g, L);

            low = a <= b && a < low ? a : low;
            high = a <= b && b > high ? b : high;
        }
        if (high >= low && high - low >= MOST_SLOTS)
            return false;
        x->least[g] = low;
        x->base[g + 1] = x->base[g] + (high < low ? 0 : 2 * (int32_t)(high - low + 1));
    }
    return true;
}

static int32_t leaves(const aligned *x, int32_t g)
{
    return (x->base[g + 1] - x->base[g]) / 2;
}

static tgs_status add_window(aligned *x, int32_t j, int32_t g, double L)
{
    int64_t a = first_slot(x, j, g), b = last_slot(x, j, g, L) + 1;
    tgs_status status = TGS_OK;

    if (a >= b)
        return TGS_OK;
    a += leaves(x, g) - x->least[g];
    b += leaves(x, g) - x->least[g];
    for (; a < b && !status; a /= 2, b /= 2) {
        if (a & 1)
            status = tgs_i_maxflow_add(&x->flow, 3 + j, x->base[g] + (int32_t)a++, 1);
        if (b & 1 && !status)
            status = tgs_i_maxflow_add(&x->flow, 3 + j, x->base[g] + (int32_t)--b, 1);
    }
    return status;
}

static tgs_status build(aligned *x, double L)
{
    const tgs_i_fj_form *f = x->f;
    const double room = tgs_i_fj_local_room(f, L);
    tgs_status status = tgs_i_maxflow_reset(&x->flow, x->base[f->classes]);

    if (!status && room > 0)
        status = tgs_i_maxflow_add(&x->flow, 2, 1, room);
    for (int32_t g = 0; g < f->classes; g++)
        for (int32_t i = 1; i < 2 * leaves(x, g) && !status; i++) {
            const int32_t node = x->base[g] + i, child = 2 * i;

            if (i >= leaves(x, g))
                status = tgs_i_maxflow_add(&x->flow, node, 1, f->at[g + 1] - f->at[g]);
            for (int32_t c = child; c <= child + 1 && i < leaves(x, g) && !status; c++)
                status = tgs_i_maxflow_add(&x->flow, node, x->base[g] + c, f->n);
        }
    for (int32_t j = 0; j < f->n && !status; j++) {
        status = tgs_i_maxflow_add(&x->flow, 0, 3 + j, 1);
        if (!status && room > 0)
            status = tgs_i_maxflow_add(&x->flow, 3 + j, 2, 1);
        for (int32_t g = 0; g < f->classes && !status; g++)
            if (!x->is_local[g])
                status = add_window(x, j, g, L);
    }
    return status;
}

/* takes one unit along from a job to the leaf, or to local, where it ends */
static void follow(aligned *x, int32_t j)
{
    const tgs_i_fj_form *f = x->f;
    int32_t node = 3 + j, g = 0;

    for (int32_t a = x->flow.first[node]; a >= 0;) {
        /* arcs are in pairs, the second of which is the reverse and holds the flow */
        if (a % 2 || !(x->flow.arc[a ^ 1].rest > 0.5)) {
            a = x->flow.arc[a].next;
            continue;
        }
        if (x->flow.arc[a].to == 1)
            break;
        x->flow.arc[a ^ 1].rest -= 1;
        node = x->flow.arc[a].to;
        a = x->flow.first[node];
    }
    x->slot_class[j] = -1;
    if (node == 2)
        return;
    while (g + 1 < f->classes && node >= x->base[g + 1])
        g++;
    x->slot_class[j] = g;
    x->slot[j] = node - x->base[g] - leaves(x, g) + x->least[g];
}

static tgs_status solve_flow(aligned *x, double L, bool *feasible)
{
    tgs_status status = TGS_OK;

    x->small = lay_out(x, L);
    if (x->small)
        status = build(x, L);
    if (status || !x->small)
        return status;
    *feasible = tgs_i_maxflow_run(&x->flow, 0, 1, 0.5) > x->f->n - 0.5;
    for (int32_t j = 0; j < x->f->n && *feasible; j++)
        follow(x, j);
    return TGS_OK;
}

static tgs_status test(aligned *x, double L, bool *feasible)
{
    *feasible = false;
    if (x->others > 1)
        return solve_flow(x, L, feasible);
    *feasible = sweep(x, L);
    return TGS_OK;
}

/* ---- the answer -------------------------------------------------------------------------------
 */
/* slots in turn to the machine of their class that is free first; no job waits for its slot */
static tgs_status realise(aligned *x, tgs_i_fj_answer *a)
{
    const tgs_i_fj_form *f = x->f;
    const tgs_i_fj_local room = {x->end, x->item};
    int32_t local = 0;
    tgs_status status;

    for (int32_t j = 0; j < f->n; j++)
        x->key[j] = (double)x->slot[j];
    status = tgs_i_fj_sort(x->key, f->n, x->by_slot, NULL);
    a->L = 0;
    for (int32_t g = 0; g < f->classes && !status; g++) {
        tgs_heap free = {x->item, 0};

        for (int32_t i = f->at[g]; i < f->at[g + 1]; i++)
            tgs_heap_push(&free, 0, i);
        for (int32_t k = 0; k < f->n; k++) {
            const int32_t j = x->by_slot[k];
            const int64_t i = (int64_t)j * f->classes + g;
            tgs_heap_item m;

            if (x->slot_class[j] != g)
                continue;
            m = tgs_heap_pop(&free);
            a->machine[j] = m.id;
            a->start[j] = fmax(m.key, x->r[i]);
            a->L = fmax(a->L, a->start[j] + f->p[g] + x->q[i]);
            tgs_heap_push(&free, a->start[j] + f->p[g], m.id);
        }
    }
    for (int32_t k = 0; k < f->n && !status; k++)
        if (x->slot_class[x->by_slot[k]] < 0)
            x->by_slot[local++] = x->by_slot[k];
    if (!status)
        a->L = fmax(a->L, tgs_i_fj_fill_local(f, x->by_slot, local, &room, a));
    for (int32_t j = 0; j < f->n && x->r != f->r && !status; j++) {
        int32_t g = 0;

        while (a->machine[j] >= f->at[g + 1])
            g++;
        a->start[j] = fmax(0, a->L - a->start[j] - f->p[g]);
    }
    return status;
}

/* are all x at multiples of p? */
static bool at_multiples(const tgs_i_fj_form *f, const double *x)
{
    for (int32_t j = 0; j < f->n; j++)
        for (int32_t g = 0; g < f->classes; g++) {
            const double k = x[(int64_t)j * f->classes + g] / f->p[g];

            if (!(fabs(k - floor(k + 0.5)) <= 1e-12 * k))
                return false;
        }
    return true;
}

static tgs_status open_aligned(aligned *x)
{
    const size_t n = (size_t)x->f->n, G = (size_t)x->f->classes;
    const size_t m = (size_t)x->f->at[G];

    x->is_local = tgs_mem_alloc(G, sizeof *x->is_local);
    x->base = tgs_mem_alloc(G + 1, sizeof *x->base);
    x->least = tgs_mem_alloc(G, sizeof *x->least);
    x->order = tgs_mem_alloc(n, sizeof *x->order);
    x->by_slot = tgs_mem_alloc(n, sizeof *x->by_slot);
    x->slot_class = tgs_mem_alloc(n, sizeof *x->slot_class);
    x->slot = tgs_mem_alloc(n, sizeof *x->slot);
    x->key = tgs_mem_alloc(n, sizeof *x->key);
    x->waiting.item = tgs_mem_alloc(n, sizeof *x->waiting.item);
    x->end = tgs_mem_alloc(m, sizeof *x->end);
    x->item = tgs_mem_alloc(m, sizeof *x->item);
    if (!x->is_local || !x->base || !x->least || !x->order || !x->by_slot || !x->slot_class
        || !x->slot || !x->key || !x->waiting.item || !x->end || !x->item)
        return TGS_ENOMEM;
    for (size_t g = 0; g < G; g++) {
        x->is_local[g] = tgs_i_fj_is_local(x->f, (int32_t)g);
        if (!x->is_local[g]) {
            x->others++;
            x->remote = (int32_t)g;
        }
    }
    for (size_t j = 0; j < n; j++)
        x->key[j] = x->r[j * G + (size_t)x->remote];
    return tgs_i_fj_sort(x->key, x->f->n, x->order, NULL);
}

static void close_aligned(aligned *x)
{
    tgs_mem_free(x->is_local);
    tgs_mem_free(x->base);
    tgs_mem_free(x->least);
    tgs_mem_free(x->order);
    tgs_mem_free(x->by_slot);
    tgs_mem_free(x->slot_class);
    tgs_mem_free(x->slot);
    tgs_mem_free(x->key);
    tgs_mem_free(x->waiting.item);
    tgs_mem_free(x->end);
    tgs_mem_free(x->item);
    tgs_i_maxflow_free(&x->flow);
}

/* the last feasible test is the schedule; low: the largest L that is not */
static tgs_status bisect(aligned *x, double *low)
{
    double high, longest = 0;
    bool feasible = false;
    tgs_status status = tgs_i_fj_quick_bound(x->f, low);

    for (int32_t g = 0; g < x->f->classes; g++)
        longest = fmax(longest, x->f->p[g]);
    for (high = *low; !status && x->small; longest *= 2) {
        status = test(x, high, &feasible);
        if (feasible)
            break;
        *low = high;
        high += longest;
    }
    while (!status && x->small && high - *low > 1e-13 * high) {
        const double mid = *low + (high - *low) / 2;

        status = test(x, mid, &feasible);
        if (feasible)
            high = mid;
        else
            *low = mid;
    }
    if (!status && x->small && !feasible)
        status = test(x, high, &feasible);
    return status;
}

tgs_status tgs_i_fj_aligned(const tgs_i_fj_form *f, tgs_i_fj_answer *a, bool *known)
{
    const bool reversed = !at_multiples(f, f->r) && at_multiples(f, f->q);
    aligned x = {.f = f, .r = reversed ? f->q : f->r, .q = reversed ? f->r : f->q, .small = true};
    double low, most = 0;
    tgs_status status;

    *known = false;
    if (f->n > MOST_SWEEP)
        return TGS_OK;
    status = open_aligned(&x);
    if (status || (x.others > 1 && f->n > MOST_FLOW))
        goto done;
    status = bisect(&x, &low);
    if (!status && x.small)
        status = realise(&x, a);
    if (status || !x.small)
        goto done;
    for (int32_t g = 0; g < f->classes; g++)
        most = fmax(most, x.is_local[g] ? 0 : f->p[g]);
    a->lower = fmax(a->lower, low - most);
    *known = at_multiples(f, x.r);
    if (*known) {
        a->lower = a->L;
        a->theorem = "equal times, communication in multiples of them";
    }
done:
    close_aligned(&x);
    return status;
}
