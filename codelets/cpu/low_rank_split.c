/* low_rank_split.c -- x = low + rest, where low, as a matrix of rows of the last dimension, has the
 * share of its rank (at least 1): the sum of so many u v', each found by two steps of power
 * iteration on what is left, from its longest row. */
#ifdef real
/* v = the row of x that is longest, at length 1; false when they are all zero */
static bool FN(longest_row)(const real *x, int64_t rows, int64_t columns, real *v)
{
    real best = 0;
    int64_t at = -1;

    for (int64_t i = 0; i < rows; i++) {
        real sum = 0;

        for (int64_t j = 0; j < columns; j++)
            sum += x[i * columns + j] * x[i * columns + j];
        if (sum > best) {
            best = sum;
            at = i;
        }
    }
    for (int64_t j = 0; j < columns && at >= 0; j++)
        v[j] = x[at * columns + j] / LIBM(sqrt)(best);
    return at >= 0;
}

/* u = x v, and, when next is not NULL, next = x' u at length 1 */
static void FN(multiply)(const real *x, int64_t rows, int64_t columns, const real *v, real *u,
                         real *next)
{
    real length = 0;

    for (int64_t i = 0; i < rows; i++) {
        u[i] = 0;
        for (int64_t j = 0; j < columns; j++)
            u[i] += x[i * columns + j] * v[j];
    }
    if (!next)
        return;
    memset(next, 0, (size_t)columns * sizeof *next);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            next[j] += x[i * columns + j] * u[i];
    for (int64_t j = 0; j < columns; j++)
        length += next[j] * next[j];
    for (int64_t j = 0; j < columns; j++)
        next[j] /= length > 0 ? LIBM(sqrt)(length) : 1;
}

static tgs_status FN(low_rank_split_run)(const tgs_call *c)
{
    const tgs_i_shape s = tgs_i_shape_of(&c->buffer[0]);
    const int64_t columns = s.rank ? s.dim[s.rank - 1] : 1, rows = columns ? s.count / columns : 0;
    const double share = tgs_attr_real(c->attrs, "share", 0.1);
    const int64_t least = rows < columns ? rows : columns;
    const int64_t rank =
        (int64_t)(share * (double)least) > 1 ? (int64_t)(share * (double)least) : 1;
    const real *x = c->buffer[0].data;
    real *low = c->buffer[1].data, *rest = c->buffer[2].data;
    real *u = tgs_mem_alloc((size_t)rows, sizeof *u),
         *v = tgs_mem_alloc((size_t)columns, sizeof *v);
    real *w = tgs_mem_alloc((size_t)columns, sizeof *w);
    const bool room = u && v && w;

    memcpy(rest, x, (size_t)s.count * sizeof *x);
    for (int64_t k = 0; room && k < rank; k++) {
        if (!FN(longest_row)(rest, rows, columns, v))
            break;
        FN(multiply)(rest, rows, columns, v, u, w);
        FN(multiply)(rest, rows, columns, w, u, v);
        FN(multiply)(rest, rows, columns, v, u, NULL);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++)
                rest[i * columns + j] -= u[i] * v[j];
    }
    for (int64_t i = 0; i < s.count; i++)
        low[i] = x[i] - rest[i];
    tgs_mem_free(u);
    tgs_mem_free(v);
    tgs_mem_free(w);
    return room ? TGS_OK : TGS_ENOMEM;
}
#else
#define BODY "low_rank_split.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_status status = tgs_i_check_elementwise(c, err);

    return status ? status : tgs_i_check_number(c, "share", err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("low_rank_split", low_rank_split_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_low_rank_split = {
    .base = {TGS_PLUGIN_ABI, "low_rank_split", "a part of low rank, and the rest", NULL, NULL},
    .buffers = "R X, W L, W R",
    .attrs = "share",
    .kernel = kernels,
    .check = check,
};
#endif
