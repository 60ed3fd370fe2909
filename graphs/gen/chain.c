/* chain.c -- n tasks, each of which needs the one before. */
#include "core.h"

static tgs_status make(const tgs_args *a, tgs_rng *r, tgs_builder *b, tgs_error *err)
{
    const int64_t n = tgs_arg_int(a, "n");
    tgs_i_gen g;
    tgs_status status = tgs_i_gen_open(&g, a, r, b, err);

    for (int64_t i = 0; i < n && !status; i++) {
        const int32_t task = tgs_i_gen_task(&g, "t", i, g.work);

        if (i > 0)
            tgs_i_gen_edge(&g, task - 1, task);
        status = tgs_i_gen_status(&g);
    }
    tgs_i_gen_close(&g);
    return status;
}

static const tgs_param params[] = {
    {"n", "100", TGS_PARAM_INT, 1, TGS_I_GEN_MOST, "tasks"},
    TGS_I_GEN_COSTS,
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_generator tgs_generator_chain = {
    .base = {TGS_PLUGIN_ABI, "chain", "tasks in a row", NULL, params},
    .make = make,
};
