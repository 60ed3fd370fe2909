/* wba.c -- WBA, workflow-based allocation: a greedy randomised search.
 *
 * J. Blythe et al., "Task scheduling strategies for workflow-based applications in grids", CCGrid
 * 2005.
 *
 * A pass places ready tasks one at a time: of all pairs of a ready task and a processor, those
 * whose increase of the makespan so far is at most min + alpha (max - min) are candidates, and one
 * of them is drawn.  Appends.  The best of several passes is kept.  O(passes n W p), W the width of
 * the ready list. */
#include <string.h>
#include "core.h"

typedef struct wba {
    tgs_i_list list;
    tgs_i_ready ready; /* what waits; its heap is emptied into task */
    double *row;       /* [place in task * memories + memory] */
    int64_t row_room;
    int32_t *task; /* [n] the ready ones */
    int32_t tasks;
    double makespan;
} wba;

static tgs_status gather(wba *x, tgs_error *err)
{
    const int64_t M = x->list.v->memories;

    for (int32_t j; (j = tgs_i_ready_pop(&x->ready)) >= 0;) {
        if (tgs_mem_grow(&x->row, &x->row_room, (x->tasks + 1) * M, sizeof *x->row))
            return tgs_fail(err, TGS_ENOMEM, "out of memory for the ready list");
        x->task[x->tasks] = j;
        tgs_i_list_ready(&x->list, j, x->row + x->tasks++ * M);
    }
    return TGS_OK;
}

/* how much later everything ends with ready task i on p; INFINITY where it may not run */
static double increase(const wba *x, int32_t i, int32_t p, double *start)
{
    const tgs_view *v = x->list.v;
    const double arrival = x->row[(int64_t)i * v->memories + v->p->proc[p].memory];
    double end;

    *start = arrival > x->list.line[p].free ? arrival : x->list.line[p].free;
    if (!tgs_i_list_may(&x->list, x->task[i], p))
        return INFINITY;
    end = *start + tgs_w(v, x->task[i], p);
    return end > x->makespan ? end - x->makespan : 0;
}

/* draws among the pairs of at most this increase, each with the same chance */
static void draw(const wba *x, tgs_rng *rng, double most, int32_t *at, int32_t *proc, double *start)
{
    int64_t count = 0, chosen;

    for (int round = 0; round < 2; round++) { /* count them; go to the one */
        chosen = round ? tgs_rng_int(rng, 0, count - 1) : -1;
        for (int32_t i = 0; i < x->tasks; i++)
            for (int32_t p = 0; p < x->list.v->m; p++) {
                if (!(increase(x, i, p, start) <= most))
                    continue;
                count += !round;
                if (round && !chosen--) {
                    *at = i;
                    *proc = p;
                    return;
                }
            }
    }
}

static tgs_status step(wba *x, tgs_rng *rng, double alpha, tgs_error *err)
{
    const int64_t M = x->list.v->memories;
    double least = INFINITY, most = 0, start = 0, end;
    int32_t at = 0, proc = -1, task;
    tgs_status status;

    for (int32_t i = 0; i < x->tasks; i++)
        for (int32_t p = 0; p < x->list.v->m; p++) {
            const double inc = increase(x, i, p, &start);

            least = inc < least ? inc : least;
            most = inc > most && inc < INFINITY ? inc : most;
        }
    if (least < INFINITY)
        draw(x, rng, least + alpha * (most - least), &at, &proc, &start);
    task = x->task[at];
    status = tgs_i_list_place(&x->list, task, proc, start, err);
    if (status)
        return status;
    end = x->list.done[task].end;
    x->makespan = end > x->makespan ? end : x->makespan;
    x->task[at] = x->task[--x->tasks];
    memmove(x->row + at * M, x->row + x->tasks * M, (size_t)M * sizeof *x->row);
    tgs_i_ready_release(&x->ready, task);
    return gather(x, err);
}

static tgs_status pass(wba *x, const tgs_ctx *c, tgs_plan *plan, double alpha, tgs_error *err)
{
    tgs_status status = tgs_i_ready_open(&x->ready, c->v, NULL, err);

    if (!status)
        status = tgs_i_list_open(&x->list, c, plan, &(tgs_i_rule){.key = TGS_I_EFT}, err);
    x->makespan = 0;
    x->tasks = 0;
    if (!status)
        status = gather(x, err);
    while (x->tasks && !status)
        status = step(x, c->rng, alpha, err);
    tgs_i_list_close(&x->list);
    tgs_i_ready_close(&x->ready);
    return status;
}

/* Random choices can leave a group of tasks without a memory that fits all; another pass may not.
 */
static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const int64_t passes = tgs_arg_int(c->args, "passes");
    wba x = {.task = tgs_mem_alloc((size_t)c->v->n, sizeof *x.task)};
    double best = INFINITY;
    tgs_plan *other = NULL;
    tgs_status status = TGS_OK;

    if (!x.task)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the ready list");
    if (!status)
        status = tgs_plan_open(&other, c->v, err);
    for (int64_t i = 0; i < passes && !status; i++) {
        if (i && c->stop && c->stop(c->user))
            break;
        status = pass(&x, c, other, tgs_arg_real(c->args, "alpha"), err);
        if (status || (i && !(tgs_plan_makespan(c->v, other) < best)))
            continue;
        best = tgs_plan_makespan(c->v, other);
        status = tgs_plan_assign(c->v, plan, other);
    }
    tgs_plan_free(other);
    tgs_mem_free(x.task);
    tgs_mem_free(x.row);
    return status;
}

static const tgs_param params[] = {
    {"passes", "10", TGS_PARAM_INT, 1, 1e9, "schedules made, of which the best is kept"},
    {"alpha", "0.3", TGS_PARAM_REAL, 0, 1, "0: only the least increases; 1: any pair"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_wba = {
    .base = {TGS_PLUGIN_ABI, "wba", "random among the pairs that lengthen the schedule least",
             "Blythe et al., CCGrid 2005", params},
    .run = run,
};
