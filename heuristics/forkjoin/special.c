/* special.c -- fork-join cases with a polynomial algorithm. */
#include <string.h>
#include "core.h"
#include "even.h"
#include "form.h"
#include "tgsched/heap.h"

static double value(const double *x, const tgs_i_fj_form *f, int32_t j, int32_t g)
{
    return x[(int64_t)j * f->classes + g];
}

static int32_t machines(const tgs_i_fj_form *f, int32_t g)
{
    return f->at[g + 1] - f->at[g];
}

static void prove(tgs_i_fj_answer *a, const char *theorem, bool *known)
{
    a->lower = a->L;
    a->theorem = theorem;
    *known = true;
}

/* ---- (a) as many machines as jobs, beside one without communication -------------------------- */
/* the class of that machine; -1: not this case */
static int32_t lonely_class(const tgs_i_fj_form *f)
{
    int32_t local = -1;

    for (int32_t g = 0; g < f->classes; g++) {
        bool free = machines(f, g) == 1 && local < 0;

        for (int32_t j = 0; j < f->n && free; j++)
            free = value(f->r, f, j, g) == 0 && value(f->q, f, j, g) == 0
                   && value(f->p, f, j, g) < INFINITY;
        if (free)
            local = g;
        else if (machines(f, g) < f->n)
            return -1;
    }
    return f->classes > 1 ? local : -1;
}

static int32_t quickest_other(const tgs_i_fj_form *f, int32_t j, int32_t local)
{
    int32_t best = local == 0;

    for (int32_t g = best + 1; g < f->classes; g++)
        if (g != local && tgs_i_fj_through(f, j, g) < tgs_i_fj_through(f, j, best))
            best = g;
    return best;
}

/* L is reached iff the jobs that take longer than L elsewhere fit the one machine: a prefix by that
 * time, longest first. */
static tgs_status unlimited(const tgs_i_fj_form *f, int32_t local, tgs_i_fj_answer *a)
{
    const int32_t n = f->n;
    double *c = tgs_mem_alloc((size_t)n, sizeof *c), load = 0;
    int32_t *order = tgs_mem_alloc((size_t)n, sizeof *order), *used, prefix = 0;
    tgs_status status = TGS_ENOMEM;

    used = tgs_mem_alloc((size_t)f->classes, sizeof *used);
    if (!c || !order || !used)
        goto done;
    for (int32_t j = 0; j < n; j++)
        c[j] = -tgs_i_fj_through(f, j, quickest_other(f, j, local));
    status = tgs_i_fj_sort(c, n, order, NULL);
    if (status)
        goto done;
    for (int32_t k = 0; k <= n; k++) {
        const double L = fmax(load, k < n ? -c[order[k]] : 0);

        if (L < a->L) {
            a->L = L;
            prefix = k;
        }
        if (k < n)
            load += value(f->p, f, order[k], local);
    }
    load = 0;
    for (int32_t k = 0; k < n; k++) {
        const int32_t j = order[k], g = k < prefix ? local : quickest_other(f, j, local);

        a->machine[j] = f->at[g] + used[g];
        a->start[j] = k < prefix ? load : value(f->r, f, j, g);
        if (k < prefix)
            load += value(f->p, f, j, g);
        else
            used[g]++;
    }
done:
    tgs_mem_free(c);
    tgs_mem_free(order);
    tgs_mem_free(used);
    return status;
}

/* ---- (c) jobs that are alike ----------------------------------------------------------------- */
static bool alike(const tgs_i_fj_form *f)
{
    const size_t row = (size_t)f->classes * sizeof(double);

    for (int32_t j = 1; j < f->n; j++) {
        const int64_t x = (int64_t)j * f->classes;

        if (memcmp(f->p, f->p + x, row) != 0 || memcmp(f->r, f->r + x, row) != 0
            || memcmp(f->q, f->q + x, row) != 0)
            return false;
    }
    return true;
}

/* The k-th job on a machine of class g is through at r + k p + q: the n least such values. */
static tgs_status identical(const tgs_i_fj_form *f, tgs_i_fj_answer *a)
{
    const int32_t m = f->at[f->classes];
    tgs_heap h = {tgs_mem_alloc((size_t)m, sizeof *h.item), 0};
    double *end = tgs_mem_alloc((size_t)m, sizeof *end);
    int32_t *class_of = tgs_mem_alloc((size_t)m, sizeof *class_of);
    const bool room = h.item && end && class_of;

    for (int32_t g = 0; g < f->classes && room; g++)
        for (int32_t i = f->at[g]; i < f->at[g + 1] && f->p[g] < INFINITY; i++) {
            class_of[i] = g;
            end[i] = f->r[g];
            tgs_heap_push(&h, end[i] + f->p[g] + f->q[g], i);
        }
    for (int32_t j = 0; j < f->n && room && h.size; j++) {
        const tgs_heap_item x = tgs_heap_pop(&h);
        const int32_t g = class_of[x.id];

        a->machine[j] = x.id;
        a->start[j] = end[x.id];
        end[x.id] += f->p[g];
        a->L = x.key;
        tgs_heap_push(&h, end[x.id] + f->p[g] + f->q[g], x.id);
    }
    tgs_mem_free(h.item);
    tgs_mem_free(end);
    tgs_mem_free(class_of);
    return room ? TGS_OK : TGS_ENOMEM;
}

/* ---- (d) a fork with one p per class; a join is a fork in reversed time -----------------------
 */
typedef struct fork {
    const tgs_i_fj_form *f;
    const double *r; /* releases; q of a join */
    int32_t *order;  /* by release, which is the same order in every class */
    int32_t *slots;  /* [n + 1] how many slots admit exactly the first i jobs */
} fork;

static bool all_zero(const tgs_i_fj_form *f, const double *x)
{
    for (int64_t i = 0; i < (int64_t)f->n * f->classes; i++)
        if (x[i] != 0)
            return false;
    return true;
}

static bool nested(const fork *x)
{
    const tgs_i_fj_form *f = x->f;

    for (int32_t g = 0; g < f->classes; g++)
        for (int32_t i = 1; i < f->n; i++) {
            const int32_t j = x->order[i], before = x->order[i - 1];

            if (value(f->p, f, j, g) != value(f->p, f, before, g)
                || value(x->r, f, j, g) < value(x->r, f, before, g))
                return false;
        }
    return true;
}

/* how many jobs, a prefix of the order, may start at the time */
static int32_t admission(const fork *x, int32_t g, double start)
{
    int32_t low = 0, high = x->f->n;

    while (low < high) {
        const int32_t mid = low + (high - low) / 2;

        if (value(x->r, x->f, x->order[mid], g) <= start)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The slots of a machine end at L, L - p, ...; packed to the right they admit most.  Hall: at least
 * n - i slots admit the job of place i, for every i. */
static bool feasible(fork *x, double L)
{
    const tgs_i_fj_form *f = x->f;
    const int32_t n = f->n;
    int64_t have = 0;

    memset(x->slots, 0, ((size_t)n + 1) * sizeof *x->slots);
    for (int32_t g = 0; g < f->classes; g++)
        for (int32_t k = 1; k <= n && f->p[g] < INFINITY; k++) {
            const int32_t most = admission(x, g, L - k * f->p[g]);
            const int64_t all = (int64_t)x->slots[most] + machines(f, g);

            if (most == 0)
                break;
            x->slots[most] = all > n ? n : (int32_t)all;
        }
    for (int32_t i = n - 1; i >= 0; i--) {
        have += x->slots[i + 1];
        if (have < n - i)
            return false;
    }
    return true;
}

/* the last jobs to the slots that admit most; then each machine to the left */
static tgs_status realise(const fork *x, double L, tgs_i_fj_answer *a)
{
    const tgs_i_fj_form *f = x->f;
    const int32_t n = f->n, m = f->at[f->classes];
    tgs_heap h = {tgs_mem_alloc((size_t)m, sizeof *h.item), 0};
    int32_t *taken = tgs_mem_alloc((size_t)m, sizeof *taken);
    int32_t *class_of = tgs_mem_alloc((size_t)m, sizeof *class_of);
    double *end = tgs_mem_alloc((size_t)m, sizeof *end);
    tgs_status status = h.item && taken && class_of && end ? TGS_OK : TGS_ENOMEM;

    for (int32_t g = 0; g < f->classes && !status; g++)
        for (int32_t i = f->at[g]; i < f->at[g + 1] && f->p[g] < INFINITY; i++) {
            class_of[i] = g;
            taken[i] = 1;
            tgs_heap_push(&h, -admission(x, g, L - f->p[g]), i);
        }
    for (int32_t i = n - 1; i >= 0 && !status; i--) {
        const int32_t machine = tgs_heap_pop(&h).id, g = class_of[machine];

        a->machine[x->order[i]] = machine;
        tgs_heap_push(&h, -admission(x, g, L - ++taken[machine] * f->p[g]), machine);
    }
    a->L = 0;
    for (int32_t i = 0; i < n && !status; i++) {
        const int32_t j = x->order[i], g = class_of[a->machine[j]];

        a->start[j] = fmax(end[a->machine[j]], value(x->r, f, j, g));
        end[a->machine[j]] = a->start[j] + f->p[g];
        a->L = fmax(a->L, end[a->machine[j]]);
    }
    tgs_mem_free(h.item);
    tgs_mem_free(taken);
    tgs_mem_free(class_of);
    tgs_mem_free(end);
    return status;
}

/* the least L, to the precision of double; what is realised has one that is a sum of its data */
static tgs_status least(fork *x, tgs_i_fj_answer *a)
{
    double low = 0, high = 1e-300;
    tgs_status status;

    for (int32_t j = 0; j < x->f->n; j++)
        high = fmax(high, tgs_i_fj_through(x->f, j, tgs_i_fj_quickest(x->f, j)));
    while (!feasible(x, high)) {
        low = high;
        high *= 2;
    }
    while (high - low > 1e-14 * high) {
        const double mid = low + (high - low) / 2;

        if (feasible(x, mid))
            high = mid;
        else
            low = mid;
    }
    status = realise(x, high, a);
    return status;
}

static void reverse(const tgs_i_fj_form *f, tgs_i_fj_answer *a)
{
    for (int32_t j = 0; j < f->n; j++)
        for (int32_t g = 0; g < f->classes; g++)
            if (a->machine[j] >= f->at[g] && a->machine[j] < f->at[g + 1])
                a->start[j] = fmax(0, a->L - a->start[j] - f->p[g]);
}

static tgs_status try_fork(const tgs_i_fj_form *f, tgs_i_fj_answer *a, bool *known)
{
    const size_t n = (size_t)f->n;
    const bool forks = all_zero(f, f->q);
    fork x = {.f = f, .r = forks ? f->r : f->q};
    double *key;
    tgs_status status = TGS_ENOMEM;

    if (!forks && !all_zero(f, f->r))
        return TGS_OK;
    key = tgs_mem_alloc(n, sizeof *key);
    x.order = tgs_mem_alloc(n, sizeof *x.order);
    x.slots = tgs_mem_alloc(n + 1, sizeof *x.slots);
    if (!key || !x.order || !x.slots)
        goto done;
    for (int32_t j = 0; j < f->n; j++)
        for (int32_t g = 0; g < f->classes; g++)
            key[j] += value(x.r, f, j, g);
    status = tgs_i_fj_sort(key, f->n, x.order, NULL);
    if (status || !nested(&x))
        goto done;
    status = least(&x, a);
    if (status)
        goto done;
    if (!forks)
        reverse(f, a);
    prove(a, forks ? "a fork with one time per class" : "a join with one time per class", known);
done:
    tgs_mem_free(key);
    tgs_mem_free(x.order);
    tgs_mem_free(x.slots);
    return status;
}

/* does any class run every job?  (else the search for L would not end) */
static bool runnable(const tgs_i_fj_form *f)
{
    for (int32_t j = 0; j < f->n; j++)
        if (!(tgs_i_fj_through(f, j, tgs_i_fj_quickest(f, j)) < INFINITY))
            return false;
    return true;
}

tgs_status tgs_i_fj_special(const tgs_i_fj_form *f, tgs_i_fj_answer *a, bool *known)
{
    const int32_t local = lonely_class(f);
    tgs_status status;

    *known = false;
    if (!runnable(f))
        return TGS_OK;
    if (alike(f)) {
        status = identical(f, a);
        if (!status)
            prove(a, "jobs that are alike", known);
        return status;
    }
    if (local >= 0) {
        status = unlimited(f, local, a);
        if (!status)
            prove(a, "as many processors as jobs", known);
        return status;
    }
    status = try_fork(f, a, known);
    if (!status && !*known)
        status = tgs_i_fj_apart(f, a, known);
    if (status || *known || !tgs_i_fj_is_even(f))
        return status;
    status = tgs_i_fj_aligned(f, a, known);
    if (!status && !*known)
        status = tgs_i_fj_nested(f, a, known);
    return status;
}
