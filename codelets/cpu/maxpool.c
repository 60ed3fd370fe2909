/* maxpool.c -- the largest value under each window; padding never wins. */
#ifdef real
static real FN(largest)(const tgs_i_window *g, const tgs_i_patch *p, const real *x)
{
    real top = -INFINITY;

    for (int64_t a = p->lo[0]; a < p->hi[0]; a++)
        for (int64_t b = p->lo[1]; b < p->hi[1]; b++) {
            const int64_t i = p->base[0] + a * g->dilation[0], j = p->base[1] + b * g->dilation[1];
            const real *row = x + (i * g->in[1] + j) * g->in[2] + p->base[2];

            for (int64_t k = p->lo[2]; k < p->hi[2]; k++) {
                const real value = row[k * g->dilation[2]];

                top = value > top ? value : top;
            }
        }
    return top;
}

/* a row of the output */
static void FN(maxpool_row)(const tgs_i_window *g, tgs_i_patch *p, const real *x, real *y)
{
    for (int64_t o = 0; o < g->out[2]; o++) {
        tgs_i_patch_move(g, p, 2, o, false);
        y[o] = FN(largest)(g, p, x);
    }
}

static tgs_status FN(maxpool_run)(const tgs_call *c)
{
    const real *x = c->buffer[0].data;
    real *y = c->buffer[1].data;
    tgs_i_window g;
    const tgs_status status = tgs_i_window_new(&g, c, &c->buffer[0], NULL, &c->buffer[1], NULL);
    tgs_i_patch p;

    if (status)
        return status;
    for (int64_t row = 0; row < g.batch * g.in_channels * g.out[0] * g.out[1]; row++) {
        const int64_t plane = row / g.out[1] / g.out[0];

        tgs_i_patch_move(&g, &p, 0, row / g.out[1] % g.out[0], false);
        tgs_i_patch_move(&g, &p, 1, row % g.out[1], false);
        FN(maxpool_row)(&g, &p, x + plane * g.in_size, y + row * g.out[2]);
    }
    return TGS_OK;
}
#else
#define BODY "maxpool.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_status status = tgs_i_check_type(c, 0, 2, err);
    tgs_i_window g;

    return status ? status : tgs_i_window_new(&g, c, &c->buffer[0], NULL, &c->buffer[1], err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("maxpool", maxpool_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_maxpool = {
    .base = {TGS_PLUGIN_ABI, "maxpool", "largest value of each window", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "kernel strides pads dilations",
    .kernel = kernels,
    .check = check,
};
#endif
