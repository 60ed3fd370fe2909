/* concat.c -- tensors side by side along an axis. */
#ifdef real
static tgs_status FN(concat_run)(const tgs_call *c)
{
    const int32_t last = c->buffers - 1;
    const int64_t count = tgs_i_shape_of(&c->buffer[last]).count;
    real *y = c->buffer[last].data;
    tgs_i_axis a;
    const tgs_status status = tgs_i_axis_new(&a, c, NULL);
    int64_t at = 0;

    for (int32_t k = 0; k < last && !status && a.outer; k++) {
        const int64_t size = tgs_i_shape_of(&c->buffer[k]).count / a.outer;
        const real *x = c->buffer[k].data;

        for (int64_t i = 0; i < a.outer; i++)
            memcpy(y + i * (count / a.outer) + at, x + i * size, (size_t)size * sizeof *y);
        at += size;
    }
    return status;
}
#else
#define BODY "concat.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    tgs_call last = *c;
    int64_t sum, size;
    tgs_status status = tgs_i_check_beside(c, c->buffers - 1, &sum, err);
    tgs_i_axis a;

    last.buffer = &c->buffer[c->buffers - 1];
    if (!status)
        status = tgs_i_axis_new(&a, &last, err);
    if (status)
        return status;
    size = a.size;
    return sum == size ? TGS_OK
                       : tgs_fail(err, TGS_EINVAL, "%lld side by side, but the output has %lld",
                                  (long long)sum, (long long)size);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("concat", concat_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_concat = {
    .base = {TGS_PLUGIN_ABI, "concat", "tensors side by side along an axis", NULL, NULL},
    .buffers = "R X..., W Y",
    .attrs = "axis",
    .kernel = kernels,
    .check = check,
};
#endif
