/* unlock.c -- blocks of layers whose backward passes do not wait for each other.
 *
 * S. B. Akintoye, L. Han, H. Lloyd, X. Zhang, D. Dancey, H. Chen, D. Zhang, "Layer-wise
 * partitioning and merging for efficient and scalable deep learning", FGCS 149, 2023: layers are
 * merged into blocks, the largest as small as possible, and what locks one block until the backward
 * pass of the next is done is cut.  Each block then learns from what the next one sent in the step
 * before (last), or from its own output alone (local, Hebb's rule, as G. Lagani et al., FastHebb,
 * 2022, have it), for which there is no backward chain at all.  The mathematics is another. */
#include <string.h>
#include "core.h"

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    const char *error = tgs_arg_text(a, "error"), *cuts = tgs_arg_text(a, "cuts");
    int32_t blocks = (int32_t)tgs_arg_int(a, "blocks");
    int32_t *block;
    tgs_status status = TGS_OK;

    if (strcmp(error, "last") && strcmp(error, "local"))
        return tgs_fail(err, TGS_EINVAL, "unlock: no error '%s' (there are: last, local)", error);
    block = tgs_mem_alloc((size_t)l->m->ops, sizeof *block);
    if (!block)
        return tgs_fail(err, TGS_ENOMEM, "unlock: out of memory");
    if (blocks)
        status = tgs_i_cut(l, blocks, cuts, "unlock", block, err);
    else
        blocks = tgs_i_layers(l, block);
    if (!status)
        status = tgs_i_decouple(l, block, !strcmp(error, "last") ? TGS_I_LAST : TGS_I_LOCAL,
                                "unlock", err);
    if (!status && blocks > 1)
        status = tgs_low_note(
            l,
            "unlock changes the mathematics: %d blocks learn from %s instead of "
            "the gradient of the next",
            (int)blocks, !strcmp(error, "last") ? "that of the step before" : "their own output");
    tgs_mem_free(block);
    return status;
}

static const tgs_param params[] = {
    {"blocks", "0", TGS_PARAM_INT, 0, 100000, "how many; 0: one for each layer with parameters"},
    {"error", "last", TGS_PARAM_TEXT, 0, 0, "last: of the step before; local: of its own output"},
    {"cuts", "", TGS_PARAM_TEXT, 0, 0, "comma list: the last operator of each block but the last"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_unlock = {
    .base = {TGS_PLUGIN_ABI, "unlock", "backward passes of blocks that do not wait for each other",
             "Akintoye et al., FGCS 149, 2023; Lagani et al., FastHebb, 2022", params},
    .stage = 32,
    .needs = "train",
    .apply = apply,
};
