/* levels.c -- the numbers by which list heuristics rank tasks.  Each is O(n + e), with a factor of
 * the processors or memories where it depends on them. */
#include <string.h>
#include "core.h"

/* the times of a task on the types of processors that may run it */
typedef struct times {
    int32_t *type, *first; /* [m]: of each processor, and one of each type */
    int32_t *all, *count;  /* [m]: processors of each type, and those that may run the task */
    double *w;             /* [m] on each type */
    int32_t types;
} times;

static bool times_open(times *x, const tgs_view *v)
{
    const size_t m = (size_t)v->m;

    x->type = tgs_mem_alloc(m, sizeof *x->type);
    x->first = tgs_mem_alloc(m, sizeof *x->first);
    x->all = tgs_mem_alloc(m, sizeof *x->all);
    x->count = tgs_mem_alloc(m, sizeof *x->count);
    x->w = tgs_mem_alloc(m, sizeof *x->w);
    if (!x->type || !x->first || !x->all || !x->count || !x->w)
        return false;
    x->types = tgs_i_types(v, x->type, x->first);
    for (int32_t p = 0; p < v->m; p++)
        x->all[x->type[p]]++;
    return true;
}

static void times_close(times *x)
{
    tgs_mem_free(x->type);
    tgs_mem_free(x->first);
    tgs_mem_free(x->all);
    tgs_mem_free(x->count);
    tgs_mem_free(x->w);
}

/* returns how many processors may run the task */
static int32_t look_at(times *x, const tgs_view *v, int32_t task)
{
    const bool free = !v->mem_mask && !(v->pin_proc && v->pin_proc[task] >= 0);
    int32_t n = 0;

    for (int32_t t = 0; t < x->types; t++) {
        const tgs_proc *p = &v->p->proc[x->first[t]];

        x->w[t] = v->time[(int64_t)task * v->kinds + p->kind] / p->speed;
        x->count[t] = free && x->w[t] < INFINITY ? x->all[t] : 0;
        n += x->count[t];
    }
    for (int32_t p = 0; p < v->m && !free; p++) {
        const bool may = tgs_allowed(v, task, p);

        x->count[x->type[p]] += may;
        n += may;
    }
    return n;
}

/* the middle one of n times, or the mean of both; types are few, and n of them have counts */
static double median(const times *x, int32_t n)
{
    double middle[2] = {0, 0};

    for (int32_t t = 0; t < x->types; t++) {
        int32_t before = 0, same = 0;

        for (int32_t s = 0; s < x->types; s++) {
            before += x->w[s] < x->w[t] ? x->count[s] : 0;
            same += x->w[s] == x->w[t] ? x->count[s] : 0;
        }
        for (int32_t k = 0; k < 2; k++) {
            const int32_t rank = (n - 1 + k) / 2;

            if (x->count[t] && before <= rank && rank < before + same)
                middle[k] = x->w[t];
        }
    }
    return (middle[0] + middle[1]) / 2;
}

static double combine(const times *x, int32_t n, tgs_i_mean mean)
{
    double least = INFINITY, most = 0, sum = 0;

    for (int32_t t = 0; t < x->types; t++)
        if (x->count[t]) {
            sum += x->count[t] * x->w[t];
            least = x->w[t] < least ? x->w[t] : least;
            most = x->w[t] > most ? x->w[t] : most;
        }
    switch (mean) {
    case TGS_I_MEDIAN:
        return median(x, n);
    case TGS_I_MIN:
        return least;
    case TGS_I_MAX:
        return most;
    case TGS_I_MEAN:
        break;
    }
    return sum / n;
}

tgs_status tgs_i_weights(const tgs_view *v, tgs_i_mean mean, double *wbar, tgs_error *err)
{
    times x = {.types = 0};
    tgs_status status = TGS_OK;

    if (!times_open(&x, v))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d processors", v->m);
    for (int32_t j = 0; j < v->n && !status; j++) {
        const int32_t n = look_at(&x, v, j);

        if (n)
            wbar[j] = combine(&x, n, mean);
        else
            status = tgs_fail(err, TGS_EINFEASIBLE, "no processor may run task %d '%s'", j,
                              tgs_task_name(v->g, j, TGS_ROOM));
    }
    times_close(&x);
    return status;
}

void tgs_i_rank_up(const tgs_view *v, const double *wbar, bool communication, double *rank_u)
{
    const tgs_graph_view *g = v->g;

    for (int32_t i = v->n - 1; i >= 0; i--) {
        const int32_t j = g->topo[i];
        double most = 0;

        for (int32_t k = g->succ_at[j]; k < g->succ_at[j + 1]; k++) {
            const double x =
                rank_u[g->succ[k]] + (communication ? tgs_cbar(v, g->succ_datum[k]) : 0);

            most = x > most ? x : most;
        }
        rank_u[j] = wbar[j] + most;
    }
}

void tgs_i_rank_down(const tgs_view *v, const double *wbar, double *rank_d)
{
    const tgs_graph_view *g = v->g;

    for (int32_t i = 0; i < v->n; i++) {
        const int32_t j = g->topo[i];
        double most = 0;

        for (int32_t k = g->pred_at[j]; k < g->pred_at[j + 1]; k++) {
            const int32_t u = g->pred[k];
            const double x = rank_d[u] + wbar[u] + tgs_cbar(v, g->pred_datum[k]);

            most = x > most ? x : most;
        }
        rank_d[j] = most;
    }
}

/* OCT(j, p) = max over successors v of min over q of (OCT(v, q) + w(v, q) + (q == p ? 0 : cbar)).
 * Processors of one memory exchange nothing, so p and q are memories here, w the least in each. */
tgs_status tgs_i_oct(const tgs_view *v, double *oct, tgs_error *err)
{
    const tgs_graph_view *g = v->g;
    const int32_t M = v->memories;
    double *path =
        tgs_mem_alloc((size_t)v->n * (size_t)(M + 1), sizeof *path); /* OCT + w; minimum */

    if (!path)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for the optimistic cost table");
    for (int32_t i = v->n - 1; i >= 0; i--) {
        const int32_t j = g->topo[i];
        double *row = oct + (int64_t)j * M, *own = path + (int64_t)j * (M + 1);

        memset(row, 0, (size_t)M * sizeof *row);
        for (int32_t k = g->succ_at[j]; k < g->succ_at[j + 1]; k++) {
            const double *next = path + (int64_t)g->succ[k] * (M + 1);
            const double away = next[M] + tgs_cbar(v, g->succ_datum[k]);

            for (int32_t a = 0; a < M; a++) {
                const double x = next[a] < away ? next[a] : away;

                row[a] = x > row[a] ? x : row[a];
            }
        }
        for (int32_t a = 0; a <= M; a++)
            own[a] = INFINITY;
        for (int32_t p = 0; p < v->m; p++) {
            const int32_t a = v->p->proc[p].memory;
            const double x = row[a] + tgs_w(v, j, p);

            own[a] = x < own[a] ? x : own[a];
            own[M] = x < own[M] ? x : own[M];
        }
    }
    tgs_mem_free(path);
    return TGS_OK;
}

/* ---- critical path ------------------------------------------------------------------------- */
static int32_t better(const tgs_view *v, const double *priority, int32_t best, int32_t j)
{
    if (best < 0 || priority[j] > priority[best])
        return j;
    return priority[j] == priority[best] && v->g->topo_pos[j] < v->g->topo_pos[best] ? j : best;
}

void tgs_i_critical_path(const tgs_view *v, const double *priority, int32_t *path)
{
    const tgs_graph_view *g = v->g;
    int32_t j = -1;

    for (int32_t i = 0; i < v->n; i++) {
        path[i] = -1;
        if (g->pred_at[i] == g->pred_at[i + 1])
            j = better(v, priority, j, i);
    }
    while (j >= 0) {
        int32_t next = -1;

        path[j] = 0;
        for (int32_t k = g->succ_at[j]; k < g->succ_at[j + 1]; k++)
            next = better(v, priority, next, g->succ[k]);
        j = next;
    }
}

/* p_CP = argmin over p of (path tasks that may not run there, sum of w(j, p) over the others) */
int32_t tgs_i_path_processor(const tgs_view *v, const int32_t *path)
{
    int32_t best = 0, best_misfits = INT32_MAX;
    double best_sum = INFINITY;

    for (int32_t p = 0; p < v->m; p++) {
        int32_t misfits = 0;
        double sum = 0;

        for (int32_t j = 0; j < v->n; j++) {
            if (path[j] < 0)
                continue;
            if (tgs_allowed(v, j, p))
                sum += tgs_w(v, j, p);
            else
                misfits++;
        }
        if (misfits < best_misfits || (misfits == best_misfits && sum < best_sum)) {
            best = p;
            best_misfits = misfits;
            best_sum = sum;
        }
    }
    return best;
}

#define GRID 68719476736.0 /* 2^36 */

void tgs_i_snap(double *x, int32_t n)
{
    double most = 0;

    for (int32_t i = 0; i < n; i++)
        most = fabs(x[i]) > most ? fabs(x[i]) : most;
    for (int32_t i = 0; i < n && most > 0; i++)
        x[i] = nearbyint(x[i] / most * GRID);
}

/* A stable radix sort of the snapped levels, 37 bits in four passes.  It begins in canonical order,
 * which settles the ties, and sorts by the less important level first. */
#define DIGIT  10
#define DIGITS 4

typedef struct item {
    uint64_t key;
    int32_t task;
} item;

/* leaves the result in a */
static void sort_by(const double *level, item *a, item *b, int32_t n)
{
    double most = 0;

    for (int32_t i = 0; i < n; i++)
        most = level[i] > most ? level[i] : most;
    for (int32_t i = 0; i < n; i++) /* largest first */
        a[i].key = (uint64_t)(GRID - (most > 0 ? nearbyint(level[a[i].task] / most * GRID) : 0));
    for (int32_t d = 0; d < DIGITS; d++) {
        int32_t at[(1 << DIGIT) + 1] = {0};
        item *swap = a;

        for (int32_t i = 0; i < n; i++)
            at[(a[i].key >> d * DIGIT & ((1 << DIGIT) - 1)) + 1]++;
        for (int32_t i = 0; i < 1 << DIGIT; i++)
            at[i + 1] += at[i];
        for (int32_t i = 0; i < n; i++)
            b[at[a[i].key >> d * DIGIT & ((1 << DIGIT) - 1)]++] = a[i];
        a = b;
        b = swap;
    }
}

tgs_status tgs_i_sort(const tgs_view *v, const double *level, const double *second, int32_t *order,
                      tgs_error *err)
{
    const int32_t n = v->n;
    item *a = tgs_mem_alloc((size_t)n, sizeof *a), *b = tgs_mem_alloc((size_t)n, sizeof *b);
    tgs_status status = TGS_OK;

    if (a && b) {
        for (int32_t i = 0; i < n; i++)
            a[i].task = v->g->topo[i];
        if (second)
            sort_by(second, a, b, n);
        sort_by(level, a, b, n);
        for (int32_t i = 0; i < n; i++)
            order[i] = a[i].task;
    } else {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory to sort %d tasks", n);
    }
    tgs_mem_free(a);
    tgs_mem_free(b);
    return status;
}
