/* micro-batches.c -- the batch in pieces, one after the other on the same weights, their gradients
 * accumulated.  The model's bound batch is the size of one piece. */
#include "tgsched/model.h"

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    return tgs_low_copy(l, TGS_COPY_BATCHES, (int32_t)tgs_arg_int(a, "count"), l->fan, err);
}

static const tgs_param params[] = {
    {"count", "1", TGS_PARAM_INT, 1, 100000, "how many"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_micro_batches = {
    .base = {TGS_PLUGIN_ABI, "micro-batches", "the batch in pieces whose gradients accumulate",
             "Huang et al., GPipe, NeurIPS 2019", params},
    .stage = 40,
    .apply = apply,
};
