/* where.c -- x where the condition holds, else y; of any dtype, with numpy broadcasting. */
#include "core.h"

/* offsets of the rows of three operands: one walk holds two of them */
static tgs_status walks(const tgs_call *c, tgs_i_walk *both, tgs_i_walk *flag)
{
    const tgs_i_shape k = tgs_i_shape_of(&c->buffer[0]), a = tgs_i_shape_of(&c->buffer[1]);
    const tgs_i_shape b = tgs_i_shape_of(&c->buffer[2]), y = tgs_i_shape_of(&c->buffer[3]);

    return tgs_i_walk_new(both, &y, &a, &b) && tgs_i_walk_new(flag, &y, &k, NULL) ? TGS_OK
                                                                                  : TGS_EINVAL;
}

static int64_t offset(const tgs_i_walk *w, int64_t i, int64_t *b)
{
    const int64_t n = w->dim[w->rank - 1];
    int64_t a;

    tgs_i_walk_row(w, i / n, &a, b);
    *b += i % n * w->b[w->rank - 1];
    return a + i % n * w->a[w->rank - 1];
}

static tgs_status where_run(const tgs_call *c)
{
    const size_t size = (size_t)tgs_dtype_size(c->buffer[1].dtype);
    const int64_t count = tgs_i_shape_of(&c->buffer[3]).count;
    tgs_i_walk both, flag;
    const tgs_status status = walks(c, &both, &flag);

    for (int64_t i = 0; i < count && !status; i++) {
        int64_t a, b, unused;
        const int64_t at = offset(&flag, i, &unused);
        const bool first = ((const uint8_t *)c->buffer[0].data)[at] != 0;

        a = offset(&both, i, &b);
        memcpy((char *)c->buffer[3].data + (size_t)i * size,
               (const char *)c->buffer[first ? 1 : 2].data + (size_t)(first ? a : b) * size, size);
    }
    return status;
}

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    tgs_i_walk both, flag;

    if (c->buffer[0].dtype != TGS_BOOL)
        return tgs_fail(err, TGS_EINVAL, "the condition is %s, not bool",
                        tgs_dtype_name(c->buffer[0].dtype));
    if (c->buffer[1].dtype != c->buffer[2].dtype || c->buffer[1].dtype != c->buffer[3].dtype)
        return tgs_fail(err, TGS_EINVAL, "inputs and output are of one type");
    return walks(c, &both, &flag)
               ? tgs_fail(err, TGS_EINVAL, "the inputs do not broadcast to the output's shape")
               : TGS_OK;
}

static const tgs_kernel kernels[] = {
    {"where", "cpu", TGS_BYTES, "plain", 0, where_run, NULL, NULL, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cpu_where = {
    .base = {TGS_PLUGIN_ABI, "where", "a choice, element by element", NULL, NULL},
    .buffers = "R C, R A, R B, W Y",
    .attrs = "",
    .kernel = kernels,
    .check = check,
};
