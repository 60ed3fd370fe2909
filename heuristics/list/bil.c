/* bil.c -- BIL, best imaginary level.
 *
 * H. Oh, S. Ha, "A static scheduling heuristic for heterogeneous processors", Euro-Par 1996.
 *
 *     BIL(j, p)  = w(j, p) + max over v of min(BIL(v, p), min over q != p of BIL(v, q) + c(j, v))
 *     BIM(j, p)  = TF(p) + BIL(j, p)
 *     BIM*(j, p) = BIM(j, p) + w(j, p) max(k / p - 1, 0)
 *
 * where TF is the time at which a processor is free, and k the number of ready tasks.  Of the ready
 * tasks the one whose min(k, p)-th smallest BIM is largest, on equal terms the (k-1)-th and so on;
 * it goes to the processor of the least BIM*, and is appended.  O(n W p log p), W the width of the
 * ready list, and O(e memories).
 *
 * Departures: the second term of BIL is PEFT's OCT, where processors of one memory exchange nothing
 * and c is the mean; of equal BIM* the first processor is taken (the paper compares what the other
 * ready tasks would have there). */
#include <stdlib.h>
#include "core.h"

typedef struct bil {
    tgs_i_list list;
    tgs_i_ready ready; /* what waits; its heap holds nothing */
    const double *oct;
    int32_t *task; /* [n] the ready ones */
    int32_t tasks;
    double *best, *own; /* [m] BIMs, ascending */
} bil;

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double bim(const bil *x, int32_t task, int32_t p)
{
    const tgs_view *v = x->list.v;

    if (!tgs_i_list_may(&x->list, task, p))
        return INFINITY;
    return x->list.line[p].free + tgs_w(v, task, p)
           + x->oct[(int64_t)task * v->memories + v->p->proc[p].memory];
}

/* ascending; the number of those that are finite */
static int32_t list_bims(const bil *x, int32_t task, double *to)
{
    int32_t finite = 0;

    for (int32_t p = 0; p < x->list.v->m; p++) {
        to[finite] = bim(x, task, p);
        finite += to[finite] < INFINITY;
    }
    qsort(to, (size_t)finite, sizeof *to, ascending);
    return finite;
}

/* the first order statistics that differ, from the min(k, p)-th down */
static bool before(const double *a, int32_t na, const double *b, int32_t nb, int32_t k)
{
    for (; k > 0; k--) {
        const double x = k <= na ? a[k - 1] : INFINITY, y = k <= nb ? b[k - 1] : INFINITY;

        if (x != y)
            return x > y;
    }
    return false;
}

/* takes it out of the ready list; ties by position */
static int32_t take(bil *x)
{
    const int32_t *position = x->list.v->g->topo_pos;
    const int32_t k = x->tasks < x->list.v->m ? x->tasks : x->list.v->m;
    int32_t at = 0, n = list_bims(x, x->task[0], x->best), task;

    for (int32_t i = 1; i < x->tasks; i++) {
        const int32_t own = list_bims(x, x->task[i], x->own);

        if (before(x->best, n, x->own, own, k))
            continue;
        if (before(x->own, own, x->best, n, k) || position[x->task[i]] < position[x->task[at]]) {
            double *swap = x->best;

            x->best = x->own;
            x->own = swap;
            n = own;
            at = i;
        }
    }
    task = x->task[at];
    x->task[at] = x->task[--x->tasks];
    return task;
}

static tgs_status place(bil *x, int32_t task, int32_t ready, tgs_error *err)
{
    const tgs_view *v = x->list.v;
    const double crowd = (double)ready / v->m - 1;
    double least = INFINITY, start = 0;
    int32_t proc = -1;

    tgs_i_list_ready(&x->list, task, x->list.ready);
    for (int32_t p = 0; p < v->m; p++) {
        const double arrival = x->list.ready[v->p->proc[p].memory];
        double y = bim(x, task, p);

        if (!(arrival < INFINITY) || !(y < INFINITY))
            continue;
        y += tgs_w(v, task, p) * (crowd > 0 ? crowd : 0);
        if (y < least) {
            least = y;
            proc = p;
            start = arrival > x->list.line[p].free ? arrival : x->list.line[p].free;
        }
    }
    return tgs_i_list_place(&x->list, task, proc, start, err);
}

static tgs_status place_all(bil *x, tgs_error *err)
{
    tgs_status status = TGS_OK;

    for (int32_t j; (j = tgs_i_ready_pop(&x->ready)) >= 0;)
        x->task[x->tasks++] = j;
    while (x->tasks && !status) {
        const int32_t ready = x->tasks, task = take(x);

        status = place(x, task, ready, err);
        tgs_i_ready_release(&x->ready, task);
        for (int32_t j; (j = tgs_i_ready_pop(&x->ready)) >= 0;)
            x->task[x->tasks++] = j;
    }
    return status;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const tgs_view *v = c->v;
    double *oct = tgs_mem_alloc((size_t)v->n * (size_t)v->memories, sizeof *oct);
    bil x = {.oct = oct};
    tgs_status status = TGS_OK;

    x.task = tgs_mem_alloc((size_t)v->n, sizeof *x.task);
    x.best = tgs_mem_alloc((size_t)v->m, sizeof *x.best);
    x.own = tgs_mem_alloc((size_t)v->m, sizeof *x.own);
    if (!oct || !x.task || !x.best || !x.own)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the levels of %d tasks", v->n);
    if (!status)
        status = tgs_i_oct(v, oct, err);
    if (!status)
        status = tgs_i_ready_open(&x.ready, v, NULL, err);
    if (!status)
        status = tgs_i_list_open(&x.list, c, plan, &(tgs_i_rule){.key = TGS_I_EFT}, err);
    if (!status)
        status = place_all(&x, err);
    tgs_i_list_close(&x.list);
    tgs_i_ready_close(&x.ready);
    tgs_mem_free(oct);
    tgs_mem_free(x.task);
    tgs_mem_free(x.best);
    tgs_mem_free(x.own);
    return status;
}

const tgs_heuristic tgs_heuristic_bil = {
    .base = {TGS_PLUGIN_ABI, "bil", "best imaginary levels and their order statistics",
             "Oh, Ha, Euro-Par 1996", NULL},
    .run = run,
};
