/* averagepool_bwd.c -- each dy is spread evenly over its window. */
#ifdef real
static void FN(spread)(const tgs_i_window *g, const tgs_i_patch *p, real share, real *dx)
{
    for (int64_t a = p->lo[0]; a < p->hi[0]; a++)
        for (int64_t b = p->lo[1]; b < p->hi[1]; b++) {
            const int64_t i = p->base[0] + a * g->dilation[0], j = p->base[1] + b * g->dilation[1];
            real *row = dx + (i * g->in[1] + j) * g->in[2] + p->base[2];

            for (int64_t k = p->lo[2]; k < p->hi[2]; k++)
                row[k * g->dilation[2]] += share;
        }
}

/* from a row of the output */
static void FN(averagepool_bwd_row)(const tgs_i_window *g, tgs_i_patch *p, bool include_pad,
                                    const real *dy, real *dx)
{
    for (int64_t o = 0; o < g->out[2]; o++) {
        real size;

        tgs_i_patch_move(g, p, 2, o, include_pad);
        size = (real)(p->size[0] * p->size[1] * p->size[2]);
        if (size > 0)
            FN(spread)(g, p, dy[o] / size, dx);
    }
}

static tgs_status FN(averagepool_bwd_run)(const tgs_call *c)
{
    const bool include_pad = tgs_attr_int(c->attrs, "include_pad", 0) != 0;
    const real *dy = c->buffer[0].data;
    real *dx = c->buffer[1].data;
    tgs_i_window g;
    const tgs_status status = tgs_i_window_new(&g, c, &c->buffer[1], NULL, &c->buffer[0], NULL);
    tgs_i_patch p;

    if (status)
        return status;
    memset(dx, 0, (size_t)(g.batch * g.in_channels * g.in_size) * sizeof *dx);
    for (int64_t row = 0; row < g.batch * g.in_channels * g.out[0] * g.out[1]; row++) {
        const int64_t plane = row / g.out[1] / g.out[0];

        tgs_i_patch_move(&g, &p, 0, row / g.out[1] % g.out[0], include_pad);
        tgs_i_patch_move(&g, &p, 1, row % g.out[1], include_pad);
        FN(averagepool_bwd_row)(&g, &p, include_pad, dy + row * g.out[2], dx + plane * g.in_size);
    }
    return TGS_OK;
}
#else
#define BODY "averagepool_bwd.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_status status = tgs_i_check_type(c, 0, 2, err);
    tgs_i_window g;

    return status ? status : tgs_i_window_new(&g, c, &c->buffer[1], NULL, &c->buffer[0], err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("averagepool_bwd", averagepool_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_averagepool_bwd = {
    .base = {TGS_PLUGIN_ABI, "averagepool_bwd", "gradient of averagepool", NULL, NULL},
    .buffers = "R dY, W dX",
    .attrs = "kernel strides pads dilations include_pad",
    .kernel = kernels,
    .check = check,
};
#endif
