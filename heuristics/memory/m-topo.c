/* m-topo.c -- m-TOPO: memories are filled one after the other in topological order.
 *
 * B. Jeon, L. Cai, C. Shetty, P. Srivastava, J. Jiang, X. Ke, Y. Meng, C. Xie, I. Gupta, "Baechi:
 * fast device placement of machine learning graphs", SoCC 2020.
 *
 * What a task takes for good is what it writes and the initial data that it is the first to read. A
 * memory gets tasks until it holds an equal share of all bytes and the largest task more, or is
 * full; then the next one does.  Tasks run as early as they can on the processors of their memory;
 * where they may not, or the capacity says no at that time, on others (core.h). O((n processors +
 * edges) log n). */
#include "core.h"

/* bytes that each task takes; seen[data]: somebody has read the initial version */
static void find_bytes(const tgs_view *v, double *bytes, bool *seen)
{
    const tgs_graph_view *g = v->g;

    for (int32_t k = 0; k < v->n; k++) {
        const int32_t j = g->topo[k];

        for (int32_t i = g->access_at[j]; i < g->access_at[j + 1]; i++) {
            const int32_t d = (int32_t)g->access[i].datum;
            const bool first = g->access[i].version < 0 && g->access[i].mode & TGS_R && !seen[d];

            seen[d] |= first;
            bytes[j] += first || g->access[i].mode == TGS_W ? g->datum[d].bytes : 0;
        }
    }
}

static bool has_processor(const tgs_view *v, int32_t task, int32_t memory)
{
    for (int32_t p = 0; p < v->m; p++)
        if (v->p->proc[p].memory == memory && (task < 0 || tgs_allowed(v, task, p)))
            return true;
    return false;
}

/* [memories] with a processor, in their order; how many */
static int32_t list_memories(const tgs_view *v, int32_t *list)
{
    int32_t n = 0;

    for (int32_t a = 0; a < v->memories; a++)
        if (has_processor(v, -1, a))
            list[n++] = a;
    return n;
}

static void fill(const tgs_view *v, const double *bytes, const int32_t *list, int32_t count,
                 int32_t *memory)
{
    double all = 0, largest = 0, used = 0;
    int32_t at = 0;

    for (int32_t j = 0; j < v->n; j++) {
        all += bytes[j];
        largest = fmax(largest, bytes[j]);
    }
    for (int32_t k = 0; k < v->n; k++) {
        const int32_t j = v->g->topo[k];
        const double most = fmin(all / count + largest, v->p->memory[list[at]].capacity);

        if (used + bytes[j] > most && at + 1 < count) {
            at++;
            used = 0;
        }
        memory[j] = list[at];
        used += bytes[j];
    }
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const tgs_view *v = c->v;
    double *bytes = tgs_mem_alloc((size_t)v->n, sizeof *bytes), *level = NULL;
    bool *seen = tgs_mem_alloc((size_t)v->g->data, sizeof *seen);
    int32_t *memory = tgs_mem_alloc((size_t)v->n, sizeof *memory);
    int32_t *list = tgs_mem_alloc((size_t)v->memories, sizeof *list);
    const tgs_i_room_rule rule = {.finish = true, .memory = memory};
    tgs_status status = TGS_OK;

    if (!bytes || !seen || !memory || !list)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory to fill memories with %d tasks", v->n);
    if (!status)
        status = tgs_i_rooms_levels(v, true, &level, err);
    if (!status) {
        find_bytes(v, bytes, seen);
        fill(v, bytes, list, list_memories(v, list), memory);
        for (int32_t k = 0; k < v->n; k++) /* the topological order is the priority */
            bytes[v->g->topo[k]] = v->n - k;
        status = tgs_i_rooms_run(c, plan, &rule, bytes, level, true, err);
    }
    tgs_mem_free(bytes);
    tgs_mem_free(level);
    tgs_mem_free(seen);
    tgs_mem_free(memory);
    tgs_mem_free(list);
    return status;
}

const tgs_heuristic tgs_heuristic_m_topo = {
    .base = {TGS_PLUGIN_ABI, "m-topo", "memories are filled one by one in topological order",
             "Jeon et al., SoCC 2020 (Baechi)", NULL},
    .run = run,
};
