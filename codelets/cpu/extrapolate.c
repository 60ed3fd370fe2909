/* extrapolate.c -- w moves on by horizon times its change in this step; p is what each step leaves.
 * t, when it is there, counts the steps: only each every-th moves on. */
#ifdef real
static tgs_status FN(extrapolate_run)(const tgs_call *c)
{
    const int64_t n = tgs_i_shape_of(&c->buffer[0]).count;
    const int64_t every = tgs_attr_int(c->attrs, "every", 1);
    const real horizon = (real)tgs_attr_real(c->attrs, "horizon", 1);
    real *w = c->buffer[0].data, *p = c->buffer[1].data;
    real *t = c->buffers > 2 ? c->buffer[2].data : NULL;

    if (t)
        *t = (real)((int64_t)*t + 1 < every ? (int64_t)*t + 1 : 0);
    for (int64_t i = 0; i < n; i++) {
        const real now = w[i];

        if (!t || *t == 0)
            w[i] = now + horizon * (now - p[i]);
        p[i] = w[i];
    }
    return TGS_OK;
}
#else
#define BODY "extrapolate.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    tgs_status status = tgs_i_check_alike(c, 0, 2, err);

    if (!status && c->buffers > 2)
        status = tgs_i_check_scalar(c, 2, err);
    if (!status)
        status = tgs_i_check_number(c, "horizon", err);
    if (!status && tgs_attr_int(c->attrs, "every", 1) > 1 && c->buffers < 3)
        status = tgs_fail(err, TGS_EINVAL, "every=... needs a count of the steps");
    return status;
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("extrapolate", extrapolate_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_extrapolate = {
    .base = {TGS_PLUGIN_ABI, "extrapolate", "parameters move on as they did", NULL, NULL},
    .buffers = "RW W, RW P, [RW T]",
    .attrs = "every horizon",
    .kernel = kernels,
    .check = check,
};
#endif
