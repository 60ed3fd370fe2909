/* forkjoin.c -- one task forks into n, which join in one; and so on for several stages.
 *
 * 1 + stages (n + 1) tasks and 2 n stages edges; a join is the next stage's fork. */
#include "core.h"

static tgs_status stage(tgs_i_gen *g, int32_t fork, int64_t first, int64_t n, double ends,
                        int64_t number, int32_t *join)
{
    const int32_t task = fork + 1;
    tgs_status status = TGS_OK;

    for (int64_t i = 0; i < n && !status; i++) {
        tgs_i_gen_task(g, "t", first + i, g->work);
        tgs_i_gen_edge(g, fork, task + (int32_t)i);
        status = tgs_i_gen_status(g);
    }
    *join = tgs_i_gen_task(g, "join", number, ends);
    for (int64_t i = 0; i < n && !status; i++)
        status = tgs_i_gen_edge(g, task + (int32_t)i, *join);
    return tgs_i_gen_status(g);
}

static tgs_status make(const tgs_args *a, tgs_rng *r, tgs_builder *b, tgs_error *err)
{
    const int64_t n = tgs_arg_int(a, "n"), stages = tgs_arg_int(a, "stages");
    const double ends = tgs_arg_real(a, "ends");
    tgs_i_gen g;
    tgs_status status = tgs_i_gen_open(&g, a, r, b, err);
    int32_t fork = 0;

    if (!status && 1 + stages * (n + 1) > TGS_I_GEN_MOST)
        status = tgs_fail(err, TGS_EINVAL, "forkjoin: more than %d tasks", TGS_I_GEN_MOST);
    if (!status) {
        fork = tgs_i_gen_task(&g, "fork", -1, ends);
        status = tgs_i_gen_status(&g);
    }
    for (int64_t s = 0; s < stages && !status; s++)
        status = stage(&g, fork, s * n, n, ends, s, &fork);
    tgs_i_gen_close(&g);
    return status;
}

static const tgs_param params[] = {
    {"n", "100", TGS_PARAM_INT, 1, TGS_I_GEN_MOST, "parallel tasks of a stage"},
    {"stages", "1", TGS_PARAM_INT, 1, TGS_I_GEN_MOST, "stages"},
    {"ends", "0", TGS_PARAM_REAL, 0, 1e15, "mean time of the fork and of a join, seconds"},
    TGS_I_GEN_COSTS,
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_generator tgs_generator_forkjoin = {
    .base = {TGS_PLUGIN_ABI, "forkjoin", "a fork into parallel tasks that join, in stages", NULL,
             params},
    .make = make,
};
