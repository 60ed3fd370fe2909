/* map-reduce.c -- rounds of maps and reduces: a splitter feeds the maps, every map every reduce,
 * and all reduces a collector, which is the next round's splitter.
 *
 * 1 + rounds (maps + reduces + 1) tasks, rounds (maps + maps reduces + reduces) edges. */
#include "core.h"

static tgs_status make(const tgs_args *a, tgs_rng *r, tgs_builder *b, tgs_error *err)
{
    const int64_t maps = tgs_arg_int(a, "maps"), reduces = tgs_arg_int(a, "reduces");
    const int64_t rounds = tgs_arg_int(a, "rounds");
    tgs_i_gen g;
    tgs_status status = tgs_i_gen_open(&g, a, r, b, err);
    int32_t split = 0;

    if (!status)
        status = tgs_i_gen_limit(&g, "map-reduce", (double)rounds * (double)(maps + reduces + 1),
                                 (double)rounds * (double)(maps + maps * reduces + reduces));
    if (!status)
        split = tgs_i_gen_task(&g, "split", -1, g.work);
    for (int64_t k = 0; k < rounds && !status; k++) {
        for (int64_t i = 0; i < maps && !status; i++) {
            tgs_i_gen_edge(&g, split, tgs_i_gen_task(&g, "map", k * maps + i, g.work));
            status = tgs_i_gen_status(&g);
        }
        for (int64_t i = 0; i < reduces && !status; i++) {
            const int32_t task = tgs_i_gen_task(&g, "reduce", k * reduces + i, g.work);

            for (int64_t m = 0; m < maps && !status; m++)
                status = tgs_i_gen_edge(&g, split + 1 + (int32_t)m, task);
        }
        if (!status) {
            const int32_t task = tgs_i_gen_task(&g, "collect", k, g.work);

            for (int64_t i = 0; i < reduces && !status; i++)
                status = tgs_i_gen_edge(&g, task - 1 - (int32_t)i, task);
            split = task;
        }
    }
    if (tgs_builder_status(b, NULL))
        status = tgs_i_gen_status(&g);
    tgs_i_gen_close(&g);
    return status;
}

static const tgs_param params[] = {
    {"maps", "8", TGS_PARAM_INT, 1, 100000, "maps of a round"},
    {"reduces", "4", TGS_PARAM_INT, 1, 1000, "reduces of a round"},
    {"rounds", "1", TGS_PARAM_INT, 1, 1000, "rounds"},
    TGS_I_GEN_COSTS,
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_generator tgs_generator_map_reduce = {
    .base = {TGS_PLUGIN_ABI, "map-reduce", "rounds of maps and reduces",
             "Dean, Ghemawat (2004), MapReduce: simplified data processing on large clusters, OSDI",
             params},
    .make = make,
};
