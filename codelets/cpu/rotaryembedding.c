/* rotaryembedding.c -- pairs of x [batch, heads, seq, size] turned by angles of their positions:
 * (a, b) to (a cos - b sin, a sin + b cos); a pair is i and i + size / 2, or (interleaved) 2 i and
 * 2 i + 1. */
#ifdef real
static tgs_status FN(rotaryembedding_run)(const tgs_call *c)
{
    const int64_t *dim = c->buffer[0].dims, half = dim[3] / 2;
    const bool interleaved = tgs_attr_int(c->attrs, "interleaved", 0) != 0;
    const real *x = c->buffer[0].data, *cosine = c->buffer[1].data, *sine = c->buffer[2].data;
    real *y = c->buffer[3].data;

    for (int64_t row = 0; row < dim[0] * dim[1] * dim[2]; row++)
        for (int64_t i = 0; i < half; i++) {
            const int64_t a = row * dim[3] + (interleaved ? 2 * i : i);
            const int64_t b = interleaved ? a + 1 : a + half, t = row % dim[2] * half + i;

            y[a] = x[a] * cosine[t] - x[b] * sine[t];
            y[b] = x[a] * sine[t] + x[b] * cosine[t];
        }
    return TGS_OK;
}
#else
#define BODY "rotaryembedding.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_call ends = {.buffer = (tgs_buffer[]){c->buffer[0], c->buffer[3]}, .buffers = 2};
    const tgs_status status = tgs_i_check_type(c, 0, 4, err);

    if (status)
        return status;
    if (c->buffer[0].rank != 4 || !c->buffer[0].dims || c->buffer[0].dims[3] % 2)
        return tgs_fail(err, TGS_EINVAL, "the input is not [batch, heads, seq, size], size even");
    for (int32_t i = 1; i < 3; i++)
        if (c->buffer[i].rank != 2 || !c->buffer[i].dims
            || c->buffer[i].dims[0] != c->buffer[0].dims[2]
            || c->buffer[i].dims[1] != c->buffer[0].dims[3] / 2)
            return tgs_fail(err, TGS_EINVAL, "buffer %d is not [seq, size / 2]", (int)i);
    return tgs_i_check_alike(&ends, 0, 2, err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("rotaryembedding", rotaryembedding_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_rotaryembedding = {
    .base = {TGS_PLUGIN_ABI, "rotaryembedding", "pairs turned by their positions", NULL, NULL},
    .buffers = "R X, R C, R S, W Y",
    .attrs = "interleaved",
    .kernel = kernels,
    .check = check,
};
#endif
