/* laxity.c -- minimum laxity first.
 *
 * A. K. Mok, "Fundamental design problems of distributed systems for the hard-real-time
 * environment", PhD thesis, MIT, 1983 (least laxity); for lists of tasks M. Vucha, A. Rajawat
 * (MLF).
 *
 * The laxity of a task at time t is d - t - c, c the time it takes: at any moment the ready tasks
 * are ordered by d - c.  In a graph a deadline holds for what comes before, too:
 *
 *     D(j) = min(deadline(j), min over successors v of (D(v) - wbar(v) - cbar(j, v)))
 *
 * where a task on whose way no deadline lies has the later of the critical path and the latest
 * deadline.  Of the ready tasks the one of the least D - wbar, ties by D, on the processor of its
 * earliest finish, into the earliest gap, so that one that is released late holds up nothing.
 * O(e (p + memories) + n p log n). */
#include "core.h"

static double deadline(const tgs_view *v, int32_t task)
{
    const int32_t i = v->g->task[task].constraint;

    return i < 0 ? INFINITY : v->g->constraint[i].deadline;
}

/* due[n] = D, latest[n] = horizon - (D - wbar): largest first is least laxity first */
static double find_due(const tgs_view *v, const double *wbar, double *due, double *latest)
{
    const tgs_graph_view *g = v->g;
    double horizon = 0;

    tgs_i_rank_up(v, wbar, true, due);
    for (int32_t j = 0; j < v->n; j++) {
        horizon = due[j] > horizon ? due[j] : horizon;
        if (deadline(v, j) < INFINITY && deadline(v, j) > horizon)
            horizon = deadline(v, j);
    }
    for (int32_t i = v->n - 1; i >= 0; i--) {
        const int32_t j = g->topo[i];

        due[j] = deadline(v, j) < horizon ? deadline(v, j) : horizon;
        for (int32_t k = g->succ_at[j]; k < g->succ_at[j + 1]; k++) {
            const int32_t s = g->succ[k];
            const double x = due[s] - wbar[s] - tgs_cbar(v, g->succ_datum[k]);

            due[j] = x < due[j] ? x : due[j];
        }
        latest[j] = horizon - (due[j] - wbar[j]);
    }
    return horizon;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const tgs_view *v = c->v;
    double *wbar = tgs_mem_alloc((size_t)v->n, sizeof *wbar);
    double *due = tgs_mem_alloc((size_t)v->n, sizeof *due);
    double *latest = tgs_mem_alloc((size_t)v->n, sizeof *latest);
    int32_t *order = tgs_mem_alloc((size_t)v->n, sizeof *order);
    tgs_status status = TGS_OK;

    if (!wbar || !due || !latest || !order)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the deadlines of %d tasks", v->n);
    if (!status)
        status = tgs_i_weights(v, TGS_I_MEAN, wbar, err);
    if (!status) {
        const double horizon = find_due(v, wbar, due, latest);

        for (int32_t j = 0; j < v->n; j++)
            due[j] = horizon - due[j];
        status = tgs_i_sort(v, latest, due, order, err);
    }
    for (int32_t i = 0; i < v->n && !status; i++)
        latest[order[i]] = v->n - i; /* the order, as a priority */
    if (!status)
        status = tgs_i_list_by_priority(c, plan, &(tgs_i_rule){.key = TGS_I_EFT, .insert = true},
                                        latest, err);
    tgs_mem_free(wbar);
    tgs_mem_free(due);
    tgs_mem_free(latest);
    tgs_mem_free(order);
    return status;
}

const tgs_heuristic tgs_heuristic_laxity = {
    .base = {TGS_PLUGIN_ABI, "laxity",
             "the ready task with least time to spare before its deadline",
             "Mok, PhD thesis, MIT, 1983", NULL},
    .run = run,
};
