/* versions.c -- weight stashing: every micro-batch updates the weights for itself, and one that is
 * under way keeps, for its backward pass, the version that its forward pass has read.
 *
 * In stage s of n of a pipeline in the order 1f1b, n - s updates are still under way when a forward
 * pass begins: it reads w(t - (n - s)) (PipeDream, section 3.3; with delay=n-1 for all stages, its
 * vertical sync).  Where both passes of a stage run at once, as in continuous propagation (Li,
 * Pedram, CATERPILLAR, ASAP 2017), it is 2 (n - s), which is lag=2.  The gradients are those of
 * older weights: the mathematics is another. */
#include "core.h"

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    const int32_t delay = (int32_t)tgs_arg_int(a, "delay"), lag = (int32_t)tgs_arg_int(a, "lag");
    const int32_t stages = l->stages > 0 ? l->stages : 0;
    int32_t *late, most = 0;
    tgs_status status;

    if (delay < 0 && !stages)
        return tgs_fail(err, TGS_EINVAL, "versions: without a pipeline it needs delay=");
    late = tgs_mem_alloc((size_t)stages + 1, sizeof *late);
    if (!late)
        return tgs_fail(err, TGS_ENOMEM, "versions: out of memory");
    for (int32_t s = 0; s <= stages; s++) {
        late[s] = delay >= 0 ? delay : s ? lag * (stages - s) : 0;
        most = late[s] > most ? late[s] : most;
    }
    status = tgs_i_stash(l, &(tgs_i_stale){"versions", 1, late, false}, err);
    if (!status && most)
        status = tgs_low_note(l,
                              "versions changes the mathematics: each micro-batch has an update of "
                              "its own, and weights may miss the last %d of them",
                              (int)most);
    else if (!status)
        status = tgs_low_note(l, "versions: each micro-batch is a step with an update of its own");
    tgs_mem_free(late);
    return status;
}

static const tgs_param params[] = {
    {"delay", "-1", TGS_PARAM_INT, -1, 1e6,
     "updates that the weights of a micro-batch may miss; -1: the stages behind its own"},
    {"lag", "1", TGS_PARAM_INT, 1, 1000, "updates for each of these stages"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_versions = {
    .base = {TGS_PLUGIN_ABI, "versions",
             "an update after every micro-batch, with versions of the weights for those under way",
             "Narayanan et al., PipeDream, SOSP 2019", params},
    .stage = 47,
    .needs = "train",
    .apply = apply,
    .apart = true,
};
