/* qr.c -- the tiled QR factorisation with a flat tree, in place, with the reflectors' T in a second
 * matrix.
 *
 * With n tiles per side: n geqrt, n(n-1)/2 unmqr, n(n-1)/2 tsqrt and n(n-1)(2n-1)/6 tsmqr tasks.
 * Flops are the leading terms 4/3, 2, 2 and 4 times m^3 for tiles of m rows, so that their sum is
 * 4/3 N^3 of the whole matrix of N rows. */
#include "core.h"

enum { GEQRT, UNMQR, TSQRT, TSMQR };

/* row k: what the reflectors of tile (i, k) do to the tiles to its right */
static tgs_status update(tgs_i_tiles *t, int64_t k, int64_t i)
{
    const int64_t n = t->n;
    tgs_status status = TGS_OK;

    for (int64_t j = k + 1; j < n && !status; j++) {
        const int64_t read[3][2] = {{i, k}, {n + i, k}, {-1}};

        if (i == k) {
            status = tgs_i_tiles_task(t, UNMQR, (int64_t[3]){k, j, -1}, read, k, j);
            continue;
        }
        status = tgs_i_tiles_task(t, TSMQR, (int64_t[3]){k, i, j}, read, k, j);
        if (!status)
            status = tgs_i_tiles_touch(t, i, j, TGS_RW);
    }
    return status;
}

static tgs_status factor(tgs_i_tiles *t)
{
    const int64_t n = t->n;
    tgs_status status = TGS_OK;

    for (int64_t k = 0; k < n && !status; k++)
        for (int64_t i = k; i < n && !status; i++) {
            status = i == k ? tgs_i_tiles_task(t, GEQRT, (int64_t[3]){k, -1}, (int64_t[3][2]){{-1}},
                                               k, k)
                            : tgs_i_tiles_task(t, TSQRT, (int64_t[3]){k, i, -1},
                                               (int64_t[3][2]){{-1}}, k, k);
            if (!status && i > k)
                status = tgs_i_tiles_touch(t, i, k, TGS_RW);
            if (!status)
                status = tgs_i_tiles_touch(t, n + i, k, TGS_W);
            if (!status)
                status = update(t, k, i);
        }
    return status ? tgs_i_gen_status(&t->gen) : TGS_OK;
}

static tgs_status make(const tgs_args *a, tgs_rng *r, tgs_builder *b, tgs_error *err)
{
    tgs_i_tiles t;
    tgs_status status = tgs_i_tiles_open(&t, a, r, b, err);
    const double m = (double)t.rows;
    const tgs_i_kernel kernel[] = {
        [GEQRT] = {"geqrt", "", m * m * m * 4 / 3},
        [UNMQR] = {"unmqr", "side=L trans=T", 2 * m * m * m},
        [TSQRT] = {"tsqrt", "", 2 * m * m * m},
        [TSMQR] = {"tsmqr", "side=L trans=T", 4 * m * m * m},
        {NULL, NULL, 0},
    };

    if (!status)
        status = tgs_i_tiles_matrices(&t, kernel, 2);
    if (!status)
        status = factor(&t);
    tgs_i_tiles_close(&t);
    return status;
}

static const tgs_param params[] = {TGS_I_GEN_TILES, {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL}};

const tgs_generator tgs_generator_qr = {
    .base = {TGS_PLUGIN_ABI, "qr", "tiled QR factorisation",
             "Buttari, Langou, Kurzak, Dongarra (2009), A class of parallel tiled linear algebra "
             "algorithms for multicore architectures, Parallel Computing 35(1)",
             params},
    .make = make,
};
