/* lu.c -- the tiled LU factorisation without pivoting, right-looking, in place.
 *
 * With n tiles per side: n getrf, n(n-1) trsm and (n-1)n(2n-1)/6 gemm tasks.  Flops are exact
 * counts, so that the sum is that of the whole matrix of N rows: 2N^3/3 - N^2/2 - N/6. */
#include "core.h"

enum { GETRF, LOWER, UPPER, GEMM };

static tgs_status factor(tgs_i_tiles *t)
{
    const int64_t n = t->n;
    tgs_status status = TGS_OK;

    for (int64_t k = 0; k < n && !status; k++) {
        status = tgs_i_tiles_task(t, GETRF, (int64_t[3]){k, -1}, (int64_t[3][2]){{-1}}, k, k);
        for (int64_t j = k + 1; j < n && !status; j++) /* row k: L_kk U_kj = A_kj */
            status = tgs_i_tiles_task(t, LOWER, (int64_t[3]){k, k, j},
                                      (int64_t[3][2]){{k, k}, {-1}}, k, j);
        for (int64_t i = k + 1; i < n && !status; i++) /* column k: L_ik U_kk = A_ik */
            status = tgs_i_tiles_task(t, UPPER, (int64_t[3]){k, i, k},
                                      (int64_t[3][2]){{k, k}, {-1}}, i, k);
        for (int64_t i = k + 1; i < n; i++)
            for (int64_t j = k + 1; j < n && !status; j++)
                status = tgs_i_tiles_task(t, GEMM, (int64_t[3]){k, i, j},
                                          (int64_t[3][2]){{i, k}, {k, j}, {-1}}, i, j);
    }
    return status ? tgs_i_gen_status(&t->gen) : TGS_OK;
}

static tgs_status make(const tgs_args *a, tgs_rng *r, tgs_builder *b, tgs_error *err)
{
    tgs_i_tiles t;
    tgs_status status = tgs_i_tiles_open(&t, a, r, b, err);
    const double m = (double)t.rows;
    const tgs_i_kernel kernel[] = {
        [GETRF] = {"getrf", "pivot=0", m * (m - 1) * (4 * m + 1) / 6},
        [LOWER] = {"trsm", "alpha=1 diag=U side=L trans=N uplo=L", m * m * (m - 1)},
        [UPPER] = {"trsm", "alpha=1 diag=N side=R trans=N uplo=U", m * m * m},
        [GEMM] = {"gemm", "alpha=-1 beta=1 transA=N transB=N", 2 * m * m * m},
        {NULL, NULL, 0},
    };

    if (!status)
        status = tgs_i_tiles_matrix(&t, kernel, false);
    if (!status)
        status = factor(&t);
    tgs_i_tiles_close(&t);
    return status;
}

static const tgs_param params[] = {TGS_I_GEN_TILES, {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL}};

const tgs_generator tgs_generator_lu = {
    .base = {TGS_PLUGIN_ABI, "lu", "tiled LU factorisation without pivoting",
             "Buttari, Langou, Kurzak, Dongarra (2009), A class of parallel tiled linear algebra "
             "algorithms for multicore architectures, Parallel Computing 35(1)",
             params},
    .make = make,
};
