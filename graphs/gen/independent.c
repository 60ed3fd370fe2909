/* independent.c -- n tasks without dependencies. */
#include "core.h"

static tgs_status make(const tgs_args *a, tgs_rng *r, tgs_builder *b, tgs_error *err)
{
    const int64_t n = tgs_arg_int(a, "n");
    tgs_i_gen g;
    tgs_status status = tgs_i_gen_open(&g, a, r, b, err);

    for (int64_t i = 0; i < n && !status; i++)
        if (tgs_i_gen_task(&g, "t", i, g.work) < 0)
            status = tgs_i_gen_status(&g);
    tgs_i_gen_close(&g);
    return status;
}

static const tgs_param params[] = {
    {"n", "100", TGS_PARAM_INT, 1, TGS_I_GEN_MOST, "tasks"},
    TGS_I_GEN_COSTS,
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_generator tgs_generator_independent = {
    .base = {TGS_PLUGIN_ABI, "independent", "tasks without dependencies", NULL, params},
    .make = make,
};
