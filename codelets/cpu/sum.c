/* sum.c -- y = x1 + x2 + ... + xk, in that order. */
#ifdef real
static tgs_status FN(sum_run)(const tgs_call *c)
{
    const int64_t n = tgs_i_shape_of(&c->buffer[0]).count;
    real *y = c->buffer[c->buffers - 1].data;

    memcpy(y, c->buffer[0].data, (size_t)n * sizeof *y);
    for (int32_t k = 1; k < c->buffers - 1; k++) {
        const real *x = c->buffer[k].data;

        for (int64_t i = 0; i < n; i++)
            y[i] += x[i];
    }
    return TGS_OK;
}
#else
#define BODY "sum.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("sum", sum_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_sum = {
    .base = {TGS_PLUGIN_ABI, "sum", "sum of tensors of one shape", NULL, NULL},
    .buffers = "R X..., W Y",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
