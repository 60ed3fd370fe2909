/* cholesky.c -- the tiled Cholesky factorisation A = L L^T, right-looking, lower tiles in place.
 *
 * With n tiles per side: n potrf, n(n-1)/2 trsm, n(n-1)/2 syrk and n(n-1)(n-2)/6 gemm tasks.  Flops
 * are exact counts, so that the sum is that of the whole matrix of N rows: N^3/3 + N^2/2 + N/6. */
#include "core.h"

enum { POTRF, TRSM, SYRK, GEMM };

static tgs_status factor(tgs_i_tiles *t)
{
    const int64_t n = t->n;
    tgs_status status = TGS_OK;

    for (int64_t k = 0; k < n && !status; k++) {
        status = tgs_i_tiles_task(t, POTRF, (int64_t[3]){k, -1}, (int64_t[3][2]){{-1}}, k, k);
        for (int64_t i = k + 1; i < n && !status; i++)
            status = tgs_i_tiles_task(t, TRSM, (int64_t[3]){k, i, -1},
                                      (int64_t[3][2]){{k, k}, {-1}}, i, k);
        for (int64_t i = k + 1; i < n && !status; i++) {
            status = tgs_i_tiles_task(t, SYRK, (int64_t[3]){k, i, -1},
                                      (int64_t[3][2]){{i, k}, {-1}}, i, i);
            for (int64_t j = k + 1; j < i && !status; j++)
                status = tgs_i_tiles_task(t, GEMM, (int64_t[3]){k, i, j},
                                          (int64_t[3][2]){{i, k}, {j, k}, {-1}}, i, j);
        }
    }
    return status ? tgs_i_gen_status(&t->gen) : TGS_OK;
}

static tgs_status make(const tgs_args *a, tgs_rng *r, tgs_builder *b, tgs_error *err)
{
    tgs_i_tiles t;
    tgs_status status = tgs_i_tiles_open(&t, a, r, b, err);
    const double m = (double)t.rows;
    const tgs_i_kernel kernel[] = {
        [POTRF] = {"potrf", "uplo=L", m * (m + 1) * (2 * m + 1) / 6},
        [TRSM] = {"trsm", "alpha=1 diag=N side=R trans=T uplo=L", m * m * m},
        [SYRK] = {"syrk", "alpha=-1 beta=1 trans=N uplo=L", m * m * (m + 1)},
        [GEMM] = {"gemm", "alpha=-1 beta=1 transA=N transB=T", 2 * m * m * m},
        {NULL, NULL, 0},
    };

    if (!status)
        status = tgs_i_tiles_matrix(&t, kernel, true);
    if (!status)
        status = factor(&t);
    tgs_i_tiles_close(&t);
    return status;
}

static const tgs_param params[] = {TGS_I_GEN_TILES, {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL}};

const tgs_generator tgs_generator_cholesky = {
    .base = {TGS_PLUGIN_ABI, "cholesky", "tiled Cholesky factorisation",
             "Buttari, Langou, Kurzak, Dongarra (2009), A class of parallel tiled linear algebra "
             "algorithms for multicore architectures, Parallel Computing 35(1)",
             params},
    .make = make,
};
