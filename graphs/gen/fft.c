/* fft.c -- the fast Fourier transform of n points: a binary tree of calls, then log2 n levels of
 * butterflies.
 *
 * 2n - 1 + n log2 n tasks; 2n - 2 edges of the tree and 2 n log2 n of the butterflies. */
#include "core.h"

static tgs_status make(const tgs_args *a, tgs_rng *r, tgs_builder *b, tgs_error *err)
{
    const int64_t n = tgs_arg_int(a, "n");
    tgs_i_gen g;
    tgs_status status = tgs_i_gen_open(&g, a, r, b, err);

    if (!status && n & (n - 1))
        status = tgs_fail(err, TGS_EINVAL, "fft: n=%lld is no power of 2", (long long)n);
    for (int64_t i = 0; i < 2 * n - 1 && !status;
         i++) { /* as a heap: the calls of i are 2i + 1, 2i + 2 */
        const int32_t task = tgs_i_gen_task(&g, "call", i, g.work);

        if (i > 0)
            tgs_i_gen_edge(&g, task - (int32_t)(i - (i - 1) / 2), task);
        status = tgs_i_gen_status(&g);
    }
    for (int64_t step = 1, level = 0; step < n && !status; step *= 2, level++)
        for (int64_t i = 0; i < n && !status; i++) {
            const int32_t task = tgs_i_gen_task(&g, "butterfly", level * n + i, g.work);
            const int32_t below = task - (int32_t)(n + i); /* the first point of the level before */

            tgs_i_gen_edge(&g, below + (int32_t)i, task);
            tgs_i_gen_edge(&g, below + (int32_t)(i ^ step), task);
            status = tgs_i_gen_status(&g);
        }
    tgs_i_gen_close(&g);
    return status;
}

static const tgs_param params[] = {
    {"n", "16", TGS_PARAM_INT, 1, 1 << 20, "points, a power of 2"},
    TGS_I_GEN_COSTS,
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_generator tgs_generator_fft = {
    .base = {TGS_PLUGIN_ABI, "fft", "recursive calls and butterflies of a fast Fourier transform",
             "Topcuoglu, Hariri, Wu (2002), Performance-effective and low-complexity task "
             "scheduling for heterogeneous computing, IEEE TPDS 13(3)",
             params},
    .make = make,
};
