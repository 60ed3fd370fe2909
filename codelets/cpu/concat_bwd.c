/* concat_bwd.c -- gradient of concat, to one of its inputs: the part of dY from offset on. */
#ifdef real
static tgs_status FN(concat_bwd_run)(const tgs_call *c)
{
    const int64_t offset = tgs_attr_int(c->attrs, "offset", 0);
    const int64_t count = tgs_i_shape_of(&c->buffer[1]).count;
    const real *dy = c->buffer[0].data;
    real *dx = c->buffer[1].data;
    tgs_i_axis a;
    const tgs_status status = tgs_i_axis_new(&a, c, NULL);

    for (int64_t i = 0; !status && i < a.outer; i++)
        memcpy(dx + i * (count / a.outer), dy + (i * a.size + offset) * a.inner,
               (size_t)(count / a.outer) * sizeof *dx);
    return status;
}
#else
#define BODY "concat_bwd.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const int64_t offset = tgs_attr_int(c->attrs, "offset", 0);
    int64_t part;
    tgs_i_axis a;
    tgs_status status = tgs_i_check_beside(c, 0, &part, err);

    if (!status)
        status = tgs_i_axis_new(&a, c, err);
    if (!status && (offset < 0 || offset > a.size - part))
        return tgs_fail(err, TGS_EINVAL, "offset=%lld and %lld more do not lie in %lld",
                        (long long)offset, (long long)part, (long long)a.size);
    return status;
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("concat_bwd", concat_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_concat_bwd = {
    .base = {TGS_PLUGIN_ABI, "concat_bwd", "gradient of concat, to one input", NULL, NULL},
    .buffers = "R dY, W dX",
    .attrs = "axis offset",
    .kernel = kernels,
    .check = check,
};
#endif
