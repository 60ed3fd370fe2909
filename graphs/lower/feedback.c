/* feedback.c -- direct feedback alignment: the error of the output goes to every layer at once,
 * through fixed random matrices, instead of back through the layers behind it.
 *
 * Y. Li, A. Pedram, "CATERPILLAR: coarse grain reconfigurable architecture for accelerating the
 * training of deep neural networks", ASAP 2017, after A. Nokland, NIPS 2016.  The backward pass is
 * a fork where it was a chain.  The mathematics is another. */
#include <string.h>
#include "core.h"

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    int32_t *block;
    tgs_status status;

    if (strcmp(tgs_arg_text(a, "kind"), "direct"))
        return tgs_fail(err, TGS_EINVAL, "feedback: no kind '%s' (there is: direct)",
                        tgs_arg_text(a, "kind"));
    if (l->loss_tensor < 0)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "feedback: there is no loss");
    block = tgs_mem_alloc((size_t)l->m->ops, sizeof *block);
    if (!block)
        return tgs_fail(err, TGS_ENOMEM, "feedback: out of memory");
    tgs_i_layers(l, block);
    status = tgs_i_decouple(l, block, TGS_I_DIRECT, "feedback", err);
    if (!status)
        status = tgs_low_note(l, "feedback changes the mathematics: layers learn from the error of "
                                 "the output through fixed random matrices");
    tgs_mem_free(block);
    return status;
}

static const tgs_param params[] = {
    {"kind", "direct", TGS_PARAM_TEXT, 0, 0, "direct: from the output to every layer"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_feedback = {
    .base = {TGS_PLUGIN_ABI, "feedback", "the error of the output sent to every layer at once",
             "Li, Pedram, CATERPILLAR, ASAP 2017; Nokland, NIPS 2016", params},
    .stage = 33,
    .needs = "train",
    .apply = apply,
};
