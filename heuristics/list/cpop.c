/* cpop.c -- CPOP, critical path on a processor.
 *
 * H. Topcuoglu, S. Hariri, M.-Y. Wu, "Performance-effective and low-complexity task scheduling for
 * heterogeneous computing", IEEE TPDS 13(3), 2002.
 *
 * Priority rank_u + rank_d; the tasks of one critical path go to the processor that runs the whole
 * path fastest, the others to that of their earliest finish time, into the earliest gap.
 * O(e (p + memories) + n p log n).
 *
 * Departures.  The paper steps along the path to a successor whose priority equals |CP|; here it is
 * the successor of the largest priority, which is the same one and needs no tolerance.  When no
 * processor may run the whole path, the one that may run most of it is taken, and a path task that
 * may not run there is treated like the others. */
#include "core.h"

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const tgs_view *v = c->v;
    double *wbar = tgs_mem_alloc((size_t)v->n, sizeof *wbar);
    double *priority = tgs_mem_alloc((size_t)v->n, sizeof *priority);
    double *rank_d = tgs_mem_alloc((size_t)v->n, sizeof *rank_d);
    int32_t *prefer = tgs_mem_alloc((size_t)v->n, sizeof *prefer);
    int32_t p_cp;
    tgs_status status = TGS_OK;

    if (!wbar || !priority || !rank_d || !prefer)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the ranks of %d tasks", v->n);
    if (!status)
        status = tgs_i_weights(v, TGS_I_MEAN, wbar, err);
    if (status)
        goto done;
    tgs_i_rank_up(v, wbar, true, priority);
    tgs_i_rank_down(v, wbar, rank_d);
    for (int32_t j = 0; j < v->n; j++)
        priority[j] += rank_d[j];
    tgs_i_snap(priority, v->n);
    tgs_i_critical_path(v, priority, prefer);
    p_cp = tgs_i_path_processor(v, prefer);
    for (int32_t j = 0; j < v->n; j++)
        prefer[j] = prefer[j] < 0 ? -1 : p_cp;
    status = tgs_i_list_by_priority(
        c, plan, &(tgs_i_rule){.key = TGS_I_EFT, .insert = true, .prefer = prefer}, priority, err);
done:
    tgs_mem_free(wbar);
    tgs_mem_free(priority);
    tgs_mem_free(rank_d);
    tgs_mem_free(prefer);
    return status;
}

const tgs_heuristic tgs_heuristic_cpop = {
    .base = {TGS_PLUGIN_ABI, "cpop", "critical path on one processor, the rest by earliest finish",
             "Topcuoglu, Hariri, Wu, IEEE TPDS 13(3), 2002", NULL},
    .run = run,
};
