/* even.c -- jobs of one length per class: what (e) and (g) share, and (e). */
#include "core.h"
#include "even.h"
#include "tgsched/heap.h"

bool tgs_i_fj_is_local(const tgs_i_fj_form *f, int32_t g)
{
    for (int32_t j = 0; j < f->n; j++)
        if (f->r[(int64_t)j * f->classes + g] != 0 || f->q[(int64_t)j * f->classes + g] != 0)
            return false;
    return true;
}

bool tgs_i_fj_is_even(const tgs_i_fj_form *f)
{
    bool local = true;

    for (int32_t g = 0; g < f->classes; g++) {
        if (!(f->p[g] > 0 && f->p[g] < INFINITY))
            return false;
        for (int32_t j = 1; j < f->n; j++)
            if (f->p[(int64_t)j * f->classes + g] != f->p[g])
                return false;
    }
    for (int32_t g = 0; g < f->classes; g++)
        local = local && tgs_i_fj_is_local(f, g);
    return !local;
}

int32_t tgs_i_fj_local_room(const tgs_i_fj_form *f, double L)
{
    double room = 0;

    for (int32_t g = 0; g < f->classes; g++)
        if (tgs_i_fj_is_local(f, g))
            room += (f->at[g + 1] - f->at[g]) * floor(L * (1 + 1e-12) / f->p[g]);
    return room < f->n ? (int32_t)room : f->n;
}

double tgs_i_fj_fill_local(const tgs_i_fj_form *f, const int32_t *job, int32_t count,
                           const tgs_i_fj_local *room, tgs_i_fj_answer *a)
{
    tgs_heap h = {room->item, 0};
    double L = 0;

    for (int32_t g = 0; g < f->classes; g++)
        for (int32_t i = f->at[g]; i < f->at[g + 1] && tgs_i_fj_is_local(f, g); i++) {
            room->end[i] = 0;
            tgs_heap_push(&h, f->p[g], i);
        }
    for (int32_t k = 0; k < count; k++) {
        const tgs_heap_item x = tgs_heap_pop(&h);
        const double p = x.key - room->end[x.id];

        a->machine[job[k]] = x.id;
        a->start[job[k]] = room->end[x.id];
        room->end[x.id] = L = x.key;
        tgs_heap_push(&h, x.key + p, x.id);
    }
    return L;
}

/* ---- (e) ------------------------------------------------------------------------------------- */
typedef struct nested {
    const tgs_i_fj_form *f;
    int32_t remote;       /* the class that is not local */
    int32_t *order;       /* smallest r and q first */
    double *p, *r, *q;    /* [n] of that class, in the order */
    double *start;        /* [n] of a test, in the order */
    int32_t *machine;     /* [n] */
    tgs_i_fj_local local; /* room */
    tgs_i_fj_answer *best;
    tgs_i_fj_answer trial;
} nested;

static void close_nested(nested *x)
{
    tgs_mem_free(x->order);
    tgs_mem_free(x->p);
    tgs_mem_free(x->r);
    tgs_mem_free(x->q);
    tgs_mem_free(x->start);
    tgs_mem_free(x->machine);
    tgs_mem_free(x->local.end);
    tgs_mem_free(x->local.item);
    tgs_i_fj_answer_free(&x->trial);
}

static tgs_status open_nested(nested *x)
{
    const tgs_i_fj_form *f = x->f;
    const size_t n = (size_t)f->n, m = (size_t)f->at[f->classes];
    tgs_status status = tgs_i_fj_answer_new(&x->trial, f->n);

    x->order = tgs_mem_alloc(n, sizeof *x->order);
    x->p = tgs_mem_alloc(n, sizeof *x->p);
    x->r = tgs_mem_alloc(n, sizeof *x->r);
    x->q = tgs_mem_alloc(n, sizeof *x->q);
    x->start = tgs_mem_alloc(n, sizeof *x->start);
    x->machine = tgs_mem_alloc(n, sizeof *x->machine);
    x->local.end = tgs_mem_alloc(m, sizeof *x->local.end);
    x->local.item = tgs_mem_alloc(m, sizeof *x->local.item);
    if (status || !x->order || !x->p || !x->r || !x->q || !x->start || !x->machine || !x->local.end
        || !x->local.item)
        return TGS_ENOMEM;
    for (size_t j = 0; j < n; j++) {
        const size_t i = j * (size_t)f->classes + (size_t)x->remote;

        x->p[j] = f->r[i] + f->q[i]; /* in a nested order it grows with both */
    }
    status = tgs_i_fj_sort(x->p, f->n, x->order, NULL);
    for (size_t k = 0; k < n && !status; k++) {
        const int64_t i = (int64_t)x->order[k] * f->classes + x->remote;

        x->p[k] = f->p[i];
        x->r[k] = f->r[i];
        x->q[k] = f->q[i];
    }
    return status;
}

static bool is_nested(const nested *x)
{
    for (int32_t k = 1; k < x->f->n; k++)
        if (x->r[k] < x->r[k - 1] || x->q[k] < x->q[k - 1])
            return false;
    return true;
}

/* a schedule with L, if there is one, becomes the best */
static tgs_status try_length(nested *x, double L, bool *feasible)
{
    const tgs_i_fj_form *f = x->f;
    const int32_t away = f->n - tgs_i_fj_local_room(f, L), first = f->at[x->remote];
    const tgs_i_fj_jobs jobs = {away, x->p, x->r, x->q};
    tgs_i_fj_answer *const a = &x->trial, swap = *x->best;
    tgs_status status =
        tgs_i_fj_windows(&jobs, f->at[x->remote + 1] - first, L, x->machine, x->start, feasible);

    if (status || !*feasible)
        return status;
    a->L = tgs_i_fj_fill_local(f, x->order + away, f->n - away, &x->local, a);
    for (int32_t k = 0; k < away; k++) {
        a->machine[x->order[k]] = first + x->machine[k];
        a->start[x->order[k]] = x->start[k];
        a->L = fmax(a->L, x->start[k] + x->p[k] + x->q[k]);
    }
    if (a->L < x->best->L) {
        x->best->L = a->L;
        x->best->machine = a->machine;
        x->best->start = a->start;
        a->machine = swap.machine;
        a->start = swap.start;
    }
    return TGS_OK;
}

/* the only class that is not local; -1: there are several */
static int32_t only_remote(const tgs_i_fj_form *f, bool *locals)
{
    int32_t remote = -1;

    *locals = false;
    for (int32_t g = 0; g < f->classes; g++) {
        if (tgs_i_fj_is_local(f, g)) {
            *locals = true;
            continue;
        }
        if (remote >= 0)
            return -1;
        remote = g;
    }
    return remote;
}

tgs_status tgs_i_fj_nested(const tgs_i_fj_form *f, tgs_i_fj_answer *a, bool *known)
{
    bool locals;
    nested x = {.f = f, .remote = only_remote(f, &locals), .best = a};
    double low = a->lower, high = a->L;
    tgs_status status;

    *known = false;
    if (x.remote < 0 || f->n > TGS_I_FJ_NESTED || !(high < INFINITY))
        return TGS_OK;
    status = open_nested(&x);
    if (!status && locals && !is_nested(&x))
        goto done;
    while (!status && high - low > 1e-13 * high) {
        const double mid = low + (high - low) / 2;
        bool feasible;

        status = try_length(&x, mid, &feasible);
        if (feasible)
            high = fmin(mid, a->L);
        else
            low = mid;
    }
    if (!status) {
        a->lower = a->L;
        a->theorem = locals ? "equal times and nested communication" : "equal times in windows";
        *known = true;
    }
done:
    close_nested(&x);
    return status;
}
