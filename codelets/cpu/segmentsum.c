/* segmentsum.c -- rows summed by the number that comes with each. */
#ifdef real
static tgs_status FN(segmentsum_run)(const tgs_call *c)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[0]), y = tgs_i_shape_of(&c->buffer[2]);
    const int64_t row = x.dim[0] ? x.count / x.dim[0] : 0;
    const real *from = c->buffer[0].data;
    real *to = c->buffer[2].data;

    memset(to, 0, (size_t)y.count * sizeof *to);
    for (int64_t i = 0; i < x.dim[0]; i++, from += row) {
        const int64_t at = tgs_i_pick_at(&c->buffer[1], i, y.dim[0]);

        if (at < 0)
            return TGS_EINVAL;
        for (int64_t k = 0; k < row; k++)
            to[at * row + k] += from[k];
    }
    return TGS_OK;
}
#else
#define BODY "segmentsum.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[0]), number = tgs_i_shape_of(&c->buffer[1]);
    const tgs_i_shape y = tgs_i_shape_of(&c->buffer[2]);
    const tgs_call ends = {.buffer = (tgs_buffer[]){c->buffer[0], c->buffer[2]}, .buffers = 2};
    const tgs_status status = tgs_i_check_type(&ends, 0, 2, err);
    bool fits = x.rank >= 1 && y.rank == x.rank && number.count == x.dim[0];

    if (status)
        return status;
    for (int32_t k = 1; k < x.rank; k++)
        fits = fits && x.dim[k] == y.dim[k];
    if (!fits || (c->buffer[1].dtype != TGS_I64 && c->buffer[1].dtype != TGS_I32))
        return tgs_fail(err, TGS_EINVAL,
                        "not a number (i32 or i64) for each row, or the output "
                        "has other rows");
    return TGS_OK;
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("segmentsum", segmentsum_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_segmentsum = {
    .base = {TGS_PLUGIN_ABI, "segmentsum", "rows summed by number", NULL, NULL},
    .buffers = "R X, R I, W Y",
    .attrs = "segments",
    .kernel = kernels,
    .check = check,
};
#endif
