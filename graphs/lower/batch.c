/* batch.c -- the model bound to another batch: the samples of one micro-batch of one replica. */
#include "tgsched/model.h"

static int64_t batch(const tgs_args *a)
{
    return tgs_arg_int(a, "size");
}

static const tgs_param params[] = {
    {"size", "1", TGS_PARAM_INT, 1, INT32_MAX, "samples of one micro-batch of one replica"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_batch = {
    .base = {TGS_PLUGIN_ABI, "batch", "the model bound to another batch", NULL, params},
    .stage = 0,
    .batch = batch,
};
