/* replicas.c -- data parallelism: replicas of the step on inputs of their own that share the
 * parameters; a tree of sums joins their gradients before the update. */
#include "tgsched/model.h"

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    return tgs_low_copy(l, TGS_COPY_REPLICAS, (int32_t)tgs_arg_int(a, "count"),
                        (int32_t)tgs_arg_int(a, "tree"), err);
}

static const tgs_param params[] = {
    {"count", "1", TGS_PARAM_INT, 1, 100000, "how many"},
    {"tree", "2", TGS_PARAM_INT, 2, 1024, "children of a node of the reduction tree"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_replicas = {
    .base = {TGS_PLUGIN_ABI, "replicas",
             "data-parallel replicas and the reduction of their gradients", NULL, params},
    .stage = 50,
    .apply = apply,
};
