/* softmax_bwd.c -- dx = y (dy - sum y dy) along an axis. */
#ifdef real
static tgs_status FN(softmax_bwd_run)(const tgs_call *c)
{
    tgs_i_axis a;
    const tgs_status status = tgs_i_axis_new(&a, c, NULL);

    if (status)
        return status;
    for (int64_t row = 0; row < a.outer * a.inner; row++) {
        const int64_t at = row / a.inner * a.size * a.inner + row % a.inner;
        const real *y = (const real *)c->buffer[0].data + at;
        const real *dy = (const real *)c->buffer[1].data + at;
        real *dx = (real *)c->buffer[2].data + at;
        real dot = 0;

        for (int64_t i = 0; i < a.size; i++)
            dot += y[i * a.inner] * dy[i * a.inner];
        for (int64_t i = 0; i < a.size; i++)
            dx[i * a.inner] = y[i * a.inner] * (dy[i * a.inner] - dot);
    }
    return TGS_OK;
}
#else
#define BODY "softmax_bwd.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("softmax_bwd", softmax_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_softmax_bwd = {
    .base = {TGS_PLUGIN_ABI, "softmax_bwd", "gradient of softmax", NULL, NULL},
    .buffers = "R Y, R dY, W dX",
    .attrs = "axis",
    .kernel = kernels,
    .check = tgs_i_check_axis,
};
#endif
