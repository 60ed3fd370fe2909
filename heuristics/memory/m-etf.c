/* m-etf.c -- m-ETF: the ready task that can start first, where memory is left.
 *
 * B. Jeon, L. Cai, C. Shetty, P. Srivastava, J. Jiang, X. Ke, Y. Meng, C. Xie, I. Gupta, "Baechi:
 * fast device placement of machine learning graphs", SoCC 2020.
 *
 * What a task writes, and the initial data it reads, it takes from its memory for good; memories
 * with enough left come before others, which Baechi never takes.  Whatever is left, at no time a
 * memory holds more than it can (core.h).  O((n processors + edges) log n) times how often a task
 * is looked at. */
#include "budget.h"

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    tgs_i_budget b;
    tgs_status status = tgs_i_budget_open(&b, c->v, err);

    if (!status) {
        status = tgs_i_budget_run(&b, c, plan, err);
        tgs_i_budget_close(&b);
    }
    return status;
}

const tgs_heuristic tgs_heuristic_m_etf = {
    .base = {TGS_PLUGIN_ABI, "m-etf", "earliest task first where memory is left",
             "Jeon et al., SoCC 2020 (Baechi)", NULL},
    .run = run,
};
