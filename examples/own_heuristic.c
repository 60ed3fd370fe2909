/* own_heuristic.c -- a heuristic of your own, outside the tree.
 *
 *   cc -shared -fPIC $(pkg-config --cflags tgsched) own_heuristic.c -o own_heuristic.so
 *   tgsched schedule graph.tg -m 'cpu:4 gpu:1' -a ./own_heuristic.so
 *   tgsched schedule graph.tg -m 'cpu:4 gpu:1' -a ./own_heuristic.so:greedy=0
 *
 * It takes the tasks by height, and gives each to the processor where it ends first; with greedy=0
 * to the processor that runs it fastest.  The library checks what it returns: a mistake is told,
 * not run. */
#include "tgsched/plugin.h"

/* order: by height, the number of tasks on the longest chain that begins with a task, largest
 * first; a counting sort, which leaves equal ones in topological order.  count has a place more
 * than tasks. */
static void by_height(const tgs_graph_view *g, int32_t *height, int32_t *count, int32_t *order)
{
    for (int32_t i = g->tasks - 1; i >= 0; i--) {
        const int32_t j = g->topo[i];

        height[j] = 1;
        for (int32_t k = g->succ_at[j]; k < g->succ_at[j + 1]; k++)
            if (height[g->succ[k]] >= height[j])
                height[j] = height[g->succ[k]] + 1;
        count[g->tasks - height[j] + 1]++;
    }
    for (int32_t h = 1; h <= g->tasks; h++)
        count[h] += count[h - 1];
    for (int32_t i = 0; i < g->tasks; i++) {
        const int32_t j = g->topo[i];

        order[count[g->tasks - height[j]]++] = j;
    }
}

/* the time at which everything that task reads can be in memory */
static double ready_time(const tgs_view *v, const tgs_plan *plan, const double *end, int32_t task,
                         int32_t memory)
{
    const tgs_graph_view *g = v->g;
    double ready = 0;

    if (g->task[task].constraint >= 0)
        ready = g->constraint[g->task[task].constraint].release;
    for (int32_t k = g->pred_at[task]; k < g->pred_at[task + 1]; k++) {
        const int32_t u = g->pred[k], from = v->p->proc[plan->proc[u]].memory;

        ready = fmax(ready, end[u] + tgs_c(v, g->pred_datum[k], from, memory));
    }
    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1]; i++) {
        const tgs_access *a = &g->access[i];

        if ((a->mode & TGS_R) && a->version < 0 && v->home[a->datum] >= 0)
            ready = fmax(ready, tgs_c(v, a->datum, v->home[a->datum], memory));
    }
    return ready;
}

/* the best processor for task, whose predecessors are placed */
static tgs_status place(const tgs_view *v, tgs_plan *plan, double *end, double *busy, int32_t task,
                        bool greedy, tgs_error *err)
{
    double least = INFINITY;
    int32_t best = -1;

    for (int32_t p = 0; p < v->m; p++) {
        const double w = tgs_w(v, task, p);
        const double ready = ready_time(v, plan, end, task, v->p->proc[p].memory);
        const double start = fmax(ready, busy[p]), key = greedy ? start + w : w;

        if (w < INFINITY && start < INFINITY && key < least) {
            least = key;
            best = p;
            plan->start[task] = start;
        }
    }
    if (best < 0)
        return tgs_fail(err, TGS_EINFEASIBLE, "own_heuristic: task %d can run nowhere", task);
    plan->proc[task] = best;
    busy[best] = end[task] = plan->start[task] + tgs_w(v, task, best);
    return TGS_OK;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const tgs_view *v = c->v;
    int32_t *height = tgs_mem_alloc((size_t)v->n, sizeof *height);
    int32_t *count = tgs_mem_alloc((size_t)v->n + 1, sizeof *count);
    int32_t *order = tgs_mem_alloc((size_t)v->n, sizeof *order);
    double *end = tgs_mem_alloc((size_t)v->n, sizeof *end);
    double *busy = tgs_mem_alloc((size_t)v->m, sizeof *busy);
    tgs_status status = TGS_OK;

    if (height && count && order && end && busy)
        by_height(v->g, height, count, order);
    else
        status = tgs_fail(err, TGS_ENOMEM, "own_heuristic: out of memory");
    for (int32_t i = 0; i < v->n && !status; i++)
        status = place(v, plan, end, busy, order[i], tgs_arg_int(c->args, "greedy"), err);
    tgs_mem_free(height);
    tgs_mem_free(count);
    tgs_mem_free(order);
    tgs_mem_free(end);
    tgs_mem_free(busy);
    return status;
}

static const tgs_param params[] = {
    {"greedy", "1", TGS_PARAM_INT, 0, 1, "1: earliest end, 0: shortest time"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

/* tgs_heuristic_NAME for NAME.so */
const tgs_heuristic tgs_heuristic_own_heuristic = {
    .base = {TGS_PLUGIN_ABI, "own_heuristic", "highest tasks first, earliest end", NULL, params},
    .run = run,
};
