/* gemm.c -- the tiled product C += A B, tile by tile in place: n^3 tasks, chains of n on each tile
 * of C, n^2 (n - 1) edges between tasks.  Flops are 2 N^3 of the whole matrix of N rows. */
#include "core.h"

static tgs_status multiply(tgs_i_tiles *t)
{
    const int64_t n = t->n;
    tgs_status status = TGS_OK;

    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t k = 0; k < n && !status; k++)
                status = tgs_i_tiles_task(t, 0, (int64_t[3]){i, j, k},
                                          (int64_t[3][2]){{i, k}, {n + k, j}, {-1}}, 2 * n + i, j);
    return status ? tgs_i_gen_status(&t->gen) : TGS_OK;
}

static tgs_status make(const tgs_args *a, tgs_rng *r, tgs_builder *b, tgs_error *err)
{
    tgs_i_tiles t;
    tgs_status status = tgs_i_tiles_open(&t, a, r, b, err);
    const double m = (double)t.rows;
    const tgs_i_kernel kernel[] = {
        {"gemm", "alpha=1 beta=1 transA=N transB=N", 2 * m * m * m},
        {NULL, NULL, 0},
    };

    if (!status)
        status = tgs_i_tiles_matrices(&t, kernel, 3);
    if (!status)
        status = multiply(&t);
    tgs_i_tiles_close(&t);
    return status;
}

static const tgs_param params[] = {TGS_I_GEN_TILES, {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL}};

const tgs_generator tgs_generator_gemm = {
    .base = {TGS_PLUGIN_ABI, "gemm", "tiled product of two matrices", NULL, params},
    .make = make,
};
