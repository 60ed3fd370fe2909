/* accumulate.c -- how the gradients of micro-batches are added up. */
#include <string.h>
#include "tgsched/model.h"

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    const char *shape = tgs_arg_text(a, "shape");

    if (strcmp(shape, "chain") && strcmp(shape, "tree"))
        return tgs_fail(err, TGS_EINVAL, "accumulate: no '%s' (there are: chain, tree)", shape);
    l->fan = *shape == 't' ? (int32_t)tgs_arg_int(a, "fan") : 0;
    return TGS_OK;
}

static const tgs_param params[] = {
    {"shape", "chain", TGS_PARAM_TEXT, 0, 0,
     "chain: in place, one after the other; tree: the fork-join shape"},
    {"fan", "2", TGS_PARAM_INT, 2, 1024, "children of a node of the tree"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_accumulate = {
    .base = {TGS_PLUGIN_ABI, "accumulate", "how the gradients of micro-batches are added up", NULL,
             params},
    .stage = 10,
    .apply = apply,
};
