/* fj-chain.c -- the chain bound: any graph is a chain of tasks that are comparable with all others
 * and of blocks between them; the bounds of its blocks add up, and the least sum over the positions
 * of the cuts is a bound (chain.h, positions.c).
 *
 * A block is bounded as a fork-join of its inner tasks, each with what must precede and follow it:
 * single tasks, work, pigeonholes, and for blocks up to `effort` jobs x classes x pairs of
 * looks the fluid test, since a block is bounded once for each pair. */
#include "chain.h"

static tgs_status run(const tgs_ctx *c, double *bound, tgs_error *err)
{
    int64_t effort = tgs_arg_int(c->args, "effort");
    tgs_i_chain x;
    tgs_status status = tgs_i_chain_open(&x, c->v, err);

    if (status)
        return status;
    if (x.looks > 1)
        effort /= (int64_t)x.looks * (x.looks + 1) / 2;
    status = tgs_i_chain_positions(c, &x, tgs_i_block_bound, &effort, NULL, bound, err);
    tgs_i_chain_close(&x);
    return status;
}

static const tgs_param params[] = {
    {"effort", "20000", TGS_PARAM_INT, 0, 1e9,
     "largest block, jobs x classes x pairs of looks of its ends, of the fluid test"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_bound_plugin tgs_bound_fj_chain = {
    .base = {TGS_PLUGIN_ABI, "fj-chain",
             "blocks between tasks comparable with all others, each bounded as a fork-join",
             "blocks: after Jansen, Sinnen, Wang, TCS 861 (2021) 66-79", params},
    .model = "any graph, platform and link model, without duplication",
    .duplication = false,
    .run = run,
};
