/* softmax.c -- y = exp(x - max x) / sum exp(x - max x) along an axis. */
#ifdef real
static tgs_status FN(softmax_run)(const tgs_call *c)
{
    tgs_i_axis a;
    const tgs_status status = tgs_i_axis_new(&a, c, NULL);

    if (status)
        return status;
    for (int64_t row = 0; row < a.outer * a.inner; row++) {
        const int64_t at = row / a.inner * a.size * a.inner + row % a.inner;
        const real *x = (const real *)c->buffer[0].data + at;
        real *y = (real *)c->buffer[1].data + at;
        real top = -INFINITY, total = 0;

        for (int64_t i = 0; i < a.size; i++)
            top = x[i * a.inner] > top ? x[i * a.inner] : top;
        for (int64_t i = 0; i < a.size; i++)
            total += y[i * a.inner] = LIBM(exp)(x[i * a.inner] - top);
        for (int64_t i = 0; i < a.size; i++)
            y[i * a.inner] /= total;
    }
    return TGS_OK;
}
#else
#define BODY "softmax.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("softmax", softmax_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_softmax = {
    .base = {TGS_PLUGIN_ABI, "softmax", "softmax along an axis", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "axis",
    .kernel = kernels,
    .check = tgs_i_check_axis,
};
#endif
