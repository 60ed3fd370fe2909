/* maxpool_bwd.c -- dy goes to the first of the largest values of its window, in row-major order. */
#ifdef real
/* the input position that gave y, or -1 */
static int64_t FN(winner)(const tgs_i_window *g, const tgs_i_patch *p, const real *x, real y)
{
    for (int64_t a = p->lo[0]; a < p->hi[0]; a++)
        for (int64_t b = p->lo[1]; b < p->hi[1]; b++) {
            const int64_t i = p->base[0] + a * g->dilation[0], j = p->base[1] + b * g->dilation[1];
            const int64_t row = (i * g->in[1] + j) * g->in[2] + p->base[2];

            for (int64_t k = p->lo[2]; k < p->hi[2]; k++)
                if (x[row + k * g->dilation[2]] == y)
                    return row + k * g->dilation[2];
        }
    return -1;
}

/* from a row of the output */
static void FN(maxpool_bwd_row)(const tgs_i_window *g, tgs_i_patch *p, const real *x, const real *y,
                                const real *dy, real *dx)
{
    for (int64_t o = 0; o < g->out[2]; o++) {
        int64_t at;

        tgs_i_patch_move(g, p, 2, o, false);
        at = FN(winner)(g, p, x, y[o]);
        if (at >= 0)
            dx[at] += dy[o];
    }
}

static tgs_status FN(maxpool_bwd_run)(const tgs_call *c)
{
    const real *x = c->buffer[0].data, *y = c->buffer[1].data, *dy = c->buffer[2].data;
    real *dx = c->buffer[3].data;
    tgs_i_window g;
    const tgs_status status = tgs_i_window_new(&g, c, &c->buffer[0], NULL, &c->buffer[1], NULL);
    tgs_i_patch p;

    if (status)
        return status;
    memset(dx, 0, (size_t)(g.batch * g.in_channels * g.in_size) * sizeof *dx);
    for (int64_t row = 0; row < g.batch * g.in_channels * g.out[0] * g.out[1]; row++) {
        const int64_t plane = row / g.out[1] / g.out[0];

        tgs_i_patch_move(&g, &p, 0, row / g.out[1] % g.out[0], false);
        tgs_i_patch_move(&g, &p, 1, row % g.out[1], false);
        FN(maxpool_bwd_row)
        (&g, &p, x + plane * g.in_size, y + row * g.out[2], dy + row * g.out[2],
         dx + plane * g.in_size);
    }
    return TGS_OK;
}
#else
#define BODY "maxpool_bwd.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_buffer in[2] = {c->buffer[0], c->buffer[3]}, out[2] = {c->buffer[1], c->buffer[2]};
    tgs_status status = tgs_i_check_type(c, 0, 4, err);
    tgs_i_window g;

    if (!status)
        status = tgs_i_check_alike(&(tgs_call){.buffer = in, .buffers = 2}, 0, 2, err);
    if (!status)
        status = tgs_i_check_alike(&(tgs_call){.buffer = out, .buffers = 2}, 0, 2, err);
    return status ? status : tgs_i_window_new(&g, c, &c->buffer[0], NULL, &c->buffer[1], err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("maxpool_bwd", maxpool_bwd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_maxpool_bwd = {
    .base = {TGS_PLUGIN_ABI, "maxpool_bwd", "gradient of maxpool", NULL, NULL},
    .buffers = "R X, R Y, R dY, W dX",
    .attrs = "kernel strides pads dilations",
    .kernel = kernels,
    .check = check,
};
#endif
