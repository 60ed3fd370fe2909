/* rotaryembedding_bwd.c -- gradient of rotaryembedding: pairs turned back. */
#ifdef real
static tgs_status FN(rotaryembedding_bwd_run)(const tgs_call *c)
{
    const int64_t *dim = c->buffer[0].dims, half = dim[3] / 2;
    const bool interleaved = tgs_attr_int(c->attrs, "interleaved", 0) != 0;
    const real *dy = c->buffer[0].data, *cosine = c->buffer[1].data, *sine = c->buffer[2].data;
    real *dx = c->buffer[3].data;

    for (int64_t row = 0; row < dim[0] * dim[1] * dim[2]; row++)
        for (int64_t i = 0; i < half; i++) {
            const int64_t a = row * dim[3] + (interleaved ? 2 * i : i);
            const int64_t b = interleaved ? a + 1 : a + half, t = row % dim[2] * half + i;

            dx[a] = dy[a] * cosine[t] + dy[b] * sine[t];
            dx[b] = dy[b] * cosine[t] - dy[a] * sine[t];
        }
    return TGS_OK;
}
#else
#define BODY "rotaryembedding_bwd.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_call ends = {.buffer = (tgs_buffer[]){c->buffer[0], c->buffer[3]}, .buffers = 2};
    const tgs_status status = tgs_i_check_type(c, 0, 4, err);

    if (status)
        return status;
    if (c->buffer[0].rank != 4 || !c->buffer[0].dims || c->buffer[0].dims[3] % 2)
        return tgs_fail(err, TGS_EINVAL,
                        "the gradient is not [batch, heads, seq, size], size even");
    for (int32_t i = 1; i < 3; i++)
        if (c->buffer[i].rank != 2 || !c->buffer[i].dims
            || c->buffer[i].dims[0] != c->buffer[0].dims[2]
            || c->buffer[i].dims[1] != c->buffer[0].dims[3] / 2)
            return tgs_fail(err, TGS_EINVAL, "buffer %d is not [seq, size / 2]", (int)i);
    return tgs_i_check_alike(&ends, 0, 2, err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("rotaryembedding_bwd", rotaryembedding_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_rotaryembedding_bwd = {
    .base = {TGS_PLUGIN_ABI, "rotaryembedding_bwd", "gradient of rotaryembedding", NULL, NULL},
    .buffers = "R dY, R C, R S, W dX",
    .attrs = "interleaved",
    .kernel = kernels,
    .check = check,
};
#endif
