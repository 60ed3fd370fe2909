/* waves.c -- Wave Synchronous Parallel: replicas (virtual workers) that run ahead of each other by
 * a bounded number of waves of minibatches.
 *
 * J. H. Park et al., "HetPipe: enabling large DNN training on (whimpy) heterogeneous GPU clusters
 * through integration of pipelined model parallelism and data parallelism", USENIX ATC 2020.
 *
 * Nm minibatches, those that are under way in a worker, are a wave.  A worker adds its own updates
 * to its weights as they come, so that a minibatch may miss those of the s_local = Nm - 1 before
 * it; after a wave it pushes one update of it; and it may be D waves ahead of the slowest worker,
 * so that the updates of all may be missing of
 *
 *     s_global = (D + 1) (s_local + 1) + s_local - 1
 *
 * minibatches.  Weights are as old as the rule allows, whatever the machine, so that results
 * repeat. With Nm = 1 and D = 0 the step is a plain one after the other. */
#include "core.h"

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    const int32_t wave = (int32_t)tgs_arg_int(a, "size"), ahead = (int32_t)tgs_arg_int(a, "D");
    const int32_t stages = l->stages > 0 ? l->stages : 0;
    int32_t *late = tgs_mem_alloc((size_t)stages + 1, sizeof *late);
    tgs_status status;

    if (!late)
        return tgs_fail(err, TGS_ENOMEM, "waves: out of memory");
    for (int32_t s = 0; s <= stages; s++)
        late[s] = ahead;
    status = tgs_i_stash(l, &(tgs_i_stale){"waves", wave, late, true}, err);
    if (!status && (wave > 1 || ahead))
        status = tgs_low_note(l,
                              "waves changes the mathematics: weights may miss the last %lld "
                              "updates of their own worker and %lld of all (s_local, s_global)",
                              (long long)wave - 1, ((long long)ahead + 1) * wave + wave - 2);
    else if (!status)
        status = tgs_low_note(l, "waves: each micro-batch is a step with an update of its own");
    tgs_mem_free(late);
    return status;
}

static const tgs_param params[] = {
    {"size", "1", TGS_PARAM_INT, 1, 1e6, "Nm, the micro-batches of a wave"},
    {"D", "0", TGS_PARAM_INT, 0, 1e6, "waves that a replica may be ahead of the slowest"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_waves = {
    .base = {TGS_PLUGIN_ABI, "waves",
             "replicas that run ahead of each other by a bounded number of waves of minibatches",
             "Park et al., HetPipe, USENIX ATC 2020", params},
    .stage = 47,
    .needs = "train",
    .apply = apply,
    .apart = true,
};
