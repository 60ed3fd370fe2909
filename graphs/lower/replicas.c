/* replicas.c -- data parallelism: replicas of the step on inputs of their own that share the
 * parameters; a tree of sums joins their gradients before the update.
 *
 * With shares each replica has so many samples, which its micro-batches divide, the first ones
 * having one more where they do not come out even.  Each sample weighs the same in the loss. */
#include "core.h"

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    const int32_t count = (int32_t)tgs_arg_int(a, "count"), fan = (int32_t)tgs_arg_int(a, "tree");
    const char *shares = tgs_arg_text(a, "shares");
    int64_t *share;
    tgs_status status;

    if (!*shares)
        return tgs_low_copy(l, TGS_COPY_REPLICAS, count, fan, err);
    if (count < 2)
        return tgs_fail(err, TGS_EINVAL, "replicas: one replica has no share: use 'batch'");
    share = tgs_mem_alloc((size_t)count, sizeof *share);
    if (!share)
        return tgs_fail(err, TGS_ENOMEM, "replicas: out of memory");
    status = tgs_i_amounts("replicas", shares, count, share, err);
    if (!status)
        status = tgs_low_copy_sized(l, TGS_COPY_REPLICAS, count, share, fan, err);
    tgs_mem_free(share);
    return status;
}

static const tgs_param params[] = {
    {"count", "1", TGS_PARAM_INT, 1, 100000, "how many"},
    {"tree", "2", TGS_PARAM_INT, 2, 1024, "children of a node of the reduction tree"},
    {"shares", "", TGS_PARAM_TEXT, 0, 0,
     "samples of each, which its micro-batches divide: 40,24; by default as the model is bound"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_replicas = {
    .base = {TGS_PLUGIN_ABI, "replicas",
             "data-parallel replicas and the reduction of their gradients", NULL, params},
    .stage = 50,
    .apply = apply,
};
