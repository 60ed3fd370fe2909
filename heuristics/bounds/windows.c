/* windows.c -- when tasks can run (windows.h): heads and tails by the paths of paths.h. */
#include <float.h>
#include <stdlib.h>
#include "windows.h"

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* ---- times -------------------------------------------------------------------------------------
 */
static tgs_status allocate(tgs_i_windows *x, const tgs_i_rates *rates)
{
    const size_t nk = (size_t)rates->n * (size_t)rates->k;

    *x = (tgs_i_windows){.n = rates->n, .k = rates->k};
    x->work = tgs_mem_alloc(nk, sizeof *x->work);
    x->head = tgs_mem_alloc(nk, sizeof *x->head);
    x->tail = tgs_mem_alloc(nk, sizeof *x->tail);
    x->fastest = tgs_mem_alloc((size_t)x->k, sizeof *x->fastest);
    x->slowest = tgs_mem_alloc((size_t)x->k, sizeof *x->slowest);
    if (!x->work || !x->head || !x->tail || !x->fastest || !x->slowest)
        return TGS_ENOMEM;
    for (size_t i = 0; i < nk; i++)
        x->work[i] = x->head[i] = x->tail[i] = INFINITY;
    return TGS_OK;
}

static void find_speeds(const tgs_view *v, const tgs_i_rates *rates, tgs_i_windows *x)
{
    for (int32_t t = 0; t < x->k; t++) {
        x->slowest[t] = INFINITY;
        for (int32_t p = 0; p < v->m; p++) {
            const double speed = v->p->proc[p].speed;

            if (v->p->proc[p].kind != rates->kind[t])
                continue;
            x->fastest[t] = larger(x->fastest[t], speed);
            x->slowest[t] = speed < x->slowest[t] ? speed : x->slowest[t];
        }
    }
}

/* Of each kind the best of its memories.  A start is an end less the time of the task: rounded down
 * by what rounding may have added. */
static void find_windows(const tgs_view *v, const tgs_i_moves *moves, const int32_t *column,
                         const double *ends, const double *rests, double *w, tgs_i_windows *x)
{
    for (int32_t j = 0; j < v->n; j++) {
        tgs_i_moves_times(v, moves, j, w);
        for (int32_t i = 0; i < moves->procs; i++) {
            const int32_t p = moves->proc[i], kind = v->p->proc[p].kind;
            const int32_t a = moves->row[v->p->proc[p].memory];
            const int64_t from = (int64_t)j * moves->rows + a,
                          to = (int64_t)j * x->k + column[kind];
            double head;

            if (!tgs_allowed(v, j, p))
                continue;
            head = larger(0, ends[from] - w[a] - 4 * DBL_EPSILON * ends[from]);
            x->work[to] = v->time[(int64_t)j * v->kinds + kind];
            x->head[to] = head < x->head[to] ? head : x->head[to];
            x->tail[to] = rests[from] < x->tail[to] ? rests[from] : x->tail[to];
        }
    }
    for (int64_t i = 0; i < (int64_t)x->n * x->k; i++)
        if (x->work[i] < INFINITY && !(x->head[i] + x->tail[i] < INFINITY))
            x->head[i] = x->tail[i] = 0; /* data cannot go there; it is not for us to say so */
}

/* the longest path behind each task of least times, whatever data cost: the same in every row */
static void plain_tails(const tgs_view *v, const tgs_i_moves *moves, double *w, double *rests)
{
    const tgs_graph_view *g = v->g;
    const int64_t rows = moves->rows;

    for (int32_t i = v->n - 1; i >= 0; i--) {
        const int32_t j = g->topo[i];
        double least = INFINITY;

        tgs_i_moves_times(v, moves, j, w);
        for (int32_t a = 0; a < rows; a++)
            least = w[a] < least ? w[a] : least;
        for (int32_t e = g->pred_at[j]; e < g->pred_at[j + 1]; e++)
            for (int32_t a = 0; a < rows; a++)
                rests[g->pred[e] * rows + a] =
                    larger(rests[g->pred[e] * rows + a], rests[j * rows] + least);
    }
}

static tgs_status find_paths(const tgs_view *v, const tgs_i_moves *moves, const int32_t *column,
                             bool duplication, tgs_i_windows *x)
{
    const size_t size = (size_t)v->n * (size_t)moves->rows;
    double *ends = tgs_mem_alloc(size, sizeof *ends);
    double *behind = tgs_mem_alloc(duplication ? 1 : size, sizeof *behind);
    double *rests = tgs_mem_alloc(size, sizeof *rests);
    double *w = tgs_mem_alloc((size_t)moves->rows, sizeof *w);
    const tgs_status status = ends && behind && rests && w ? TGS_OK : TGS_ENOMEM;

    if (!status) {
        tgs_i_moves_forward(v, moves, ends, w);
        if (duplication)
            plain_tails(v, moves, w, rests);
        else
            tgs_i_moves_backward(v, moves, behind, w, rests);
        find_windows(v, moves, column, ends, rests, w, x);
    }
    tgs_mem_free(ends);
    tgs_mem_free(behind);
    tgs_mem_free(rests);
    tgs_mem_free(w);
    return status;
}

/* ---- intervals ---------------------------------------------------------------------------------
 */
static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* all different values of windows, ascending from 0 */
static tgs_status find_every(const double *of, int64_t count, double **out, int32_t *outs)
{
    double *all = tgs_mem_alloc((size_t)count + 1, sizeof *all); /* with 0 */
    int64_t n = 0;

    *out = all;
    *outs = 0;
    if (!all)
        return TGS_ENOMEM;
    all[n++] = 0;
    for (int64_t i = 0; i < count; i++)
        if (of[i] < INFINITY)
            all[n++] = of[i];
    qsort(all, (size_t)n, sizeof *all, by_value);
    for (int64_t i = 0; i < n && *outs < INT32_MAX; i++)
        if (!i || all[i] > all[*outs - 1] * (1 + 1e-9))
            all[(*outs)++] = all[i];
    return TGS_OK;
}

/* evenly among them, the first and the last included */
static tgs_status find_some(const double *every, int32_t count, int32_t most, double **out,
                            int32_t *outs)
{
    *outs = count < most ? count : most;
    *out = tgs_mem_alloc((size_t)*outs, sizeof **out);
    for (int32_t i = 0; i < *outs && *out; i++)
        (*out)[i] = every[tgs_i_windows_place(i, *outs, count)];
    return *out ? TGS_OK : TGS_ENOMEM;
}

static void find_least(tgs_i_windows *x)
{
    for (int32_t j = 0; j < x->n; j++) {
        double least = INFINITY;

        for (int32_t t = 0; t < x->k; t++) {
            const int64_t i = (int64_t)j * x->k + t;
            const double through = x->head[i] + x->work[i] / x->fastest[t] + x->tail[i];

            least = through < least ? through : least;
        }
        x->least = larger(x->least, least);
    }
    x->least *= 1 - 8 * DBL_EPSILON;
}

tgs_status tgs_i_windows_open(tgs_i_windows *x, const tgs_view *v, const tgs_i_rates *rates,
                              bool duplication, int32_t most, tgs_error *err)
{
    const int64_t nk = (int64_t)rates->n * rates->k;
    int32_t *column = tgs_mem_alloc((size_t)v->kinds, sizeof *column);
    tgs_i_moves moves;
    tgs_status status = allocate(x, rates);

    if (!column)
        status = TGS_ENOMEM;
    if (!status)
        status = tgs_i_moves_open(v, &moves, err);
    if (!status) {
        for (int32_t t = 0; t < rates->k; t++)
            column[rates->kind[t]] = t;
        find_speeds(v, rates, x);
        status = find_paths(v, &moves, column, duplication, x);
        tgs_i_moves_close(&moves);
    }
    tgs_mem_free(column);
    if (!status)
        status = find_every(x->head, nk, &x->every_from, &x->every_froms);
    if (!status)
        status = find_every(x->tail, nk, &x->every_until, &x->every_untils);
    if (!status)
        status = find_some(x->every_from, x->every_froms, most, &x->from, &x->froms);
    if (!status)
        status = find_some(x->every_until, x->every_untils, most, &x->until, &x->untils);
    if (status) {
        tgs_i_windows_close(x);
        return tgs_fail(err, status, "out of memory for the windows of %d tasks", v->n);
    }
    find_least(x);
    return TGS_OK;
}

void tgs_i_windows_close(tgs_i_windows *x)
{
    tgs_mem_free(x->work);
    tgs_mem_free(x->head);
    tgs_mem_free(x->tail);
    tgs_mem_free(x->fastest);
    tgs_mem_free(x->slowest);
    tgs_mem_free(x->from);
    tgs_mem_free(x->until);
    tgs_mem_free(x->every_from);
    tgs_mem_free(x->every_until);
    *x = (tgs_i_windows){.n = 0};
}
