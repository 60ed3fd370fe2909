/* micro-batches.c -- the batch in pieces, one after the other on the same weights, their gradients
 * accumulated (Huang et al., GPipe, NeurIPS 2019).
 *
 * Pieces are as large as the batch that the model is bound to, unless sizes are given, or one size
 * that as many pieces as needed have, the last one less (Piao et al., micro-batch streaming, 2022).
 * Each sample weighs the same in the loss, whatever the size of its piece, so that the gradient is
 * that of all pieces in one batch. */
#include "core.h"

typedef struct pieces {
    int32_t count;
    int64_t *size; /* NULL: all of the bound batch */
} pieces;

static tgs_status no_memory(tgs_error *err)
{
    return tgs_fail(err, TGS_ENOMEM, "micro-batches: out of memory");
}

static tgs_status refuse(tgs_error *err, const char *text)
{
    return tgs_fail(err, TGS_EINVAL, "micro-batches: %s", text);
}

/* pieces of one size, as many as the samples need */
static tgs_status by_size(pieces *p, const tgs_lowering *l, int64_t size, tgs_error *err)
{
    const int64_t all = l->share ? l->share : tgs_low_batch(l), count = (all + size - 1) / size;

    if (all < 1)
        return tgs_fail(err, TGS_ENOTAPPLICABLE,
                        "micro-batches: no input says along which axis samples run");
    if (p->count > 1)
        return refuse(err, "their number follows from size=; give one of them");
    if (count > 100000)
        return refuse(err, "more than 100000 pieces");
    p->count = (int32_t)count;
    p->size = tgs_mem_alloc((size_t)count, sizeof *p->size);
    if (!p->size)
        return no_memory(err);
    for (int32_t k = 0; k < p->count; k++)
        p->size[k] = k < p->count - 1 ? size : all - size * (count - 1);
    return TGS_OK;
}

static tgs_status find_pieces(pieces *p, const tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    const char *sizes = tgs_arg_text(a, "sizes");
    const int64_t size = tgs_arg_int(a, "size");

    p->count = (int32_t)tgs_arg_int(a, "count");
    if (*sizes && (size || l->share))
        return refuse(err, size ? "sizes= and size= exclude each other"
                                : "sizes= and the shares of replicas exclude each other");
    if (size)
        return by_size(p, l, size, err);
    if (!*sizes && !l->share)
        return TGS_OK;
    if (l->share && l->share < p->count)
        return tgs_fail(err, TGS_EINVAL, "micro-batches: a share of %lld samples in %d pieces",
                        (long long)l->share, (int)p->count);
    p->size = tgs_mem_alloc((size_t)p->count, sizeof *p->size);
    if (!p->size)
        return no_memory(err);
    if (*sizes)
        return tgs_i_amounts("micro-batches", sizes, p->count, p->size, err);
    tgs_i_divide(l->share, p->count, p->size);
    return TGS_OK;
}

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    pieces p = {0, NULL};
    tgs_status status = find_pieces(&p, l, a, err);

    if (!status && p.count == 1 && p.size && p.size[0] != tgs_low_batch(l))
        status = refuse(err, "one piece of another size is a batch of that size: use 'batch'");
    if (!status)
        status = tgs_low_copy_joined(l, TGS_COPY_BATCHES, p.count, p.size,
                                     &(tgs_joining){.fan = l->fan}, err);
    tgs_mem_free(p.size);
    return status;
}

static const tgs_param params[] = {
    {"count", "1", TGS_PARAM_INT, 1, 100000, "how many"},
    {"sizes", "", TGS_PARAM_TEXT, 0, 0, "samples of each: 4,4,2; by default the bound batch each"},
    {"size", "0", TGS_PARAM_INT, 0, INT32_MAX,
     "samples of each but the last, which together are the bound batch"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_micro_batches = {
    .base = {TGS_PLUGIN_ABI, "micro-batches", "the batch in pieces whose gradients accumulate",
             "Huang et al., GPipe, NeurIPS 2019", params},
    .stage = 40,
    .apply = apply,
};
