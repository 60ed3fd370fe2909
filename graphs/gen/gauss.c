/* gauss.c -- Gaussian elimination of a matrix of n columns: in step k a pivot, then the update of
 * each column right of it.
 *
 * (n^2 + n - 2) / 2 tasks and n (n - 1) - 1 edges. */
#include "core.h"

static tgs_status make(const tgs_args *a, tgs_rng *r, tgs_builder *b, tgs_error *err)
{
    const int64_t n = tgs_arg_int(a, "n");
    int32_t pivot = 0, before = -1; /* before: the pivot of the step before */
    tgs_i_gen g;
    tgs_status status = tgs_i_gen_open(&g, a, r, b, err);

    for (int64_t k = 0; k + 1 < n && !status; k++) {
        pivot = tgs_i_gen_task(&g, "pivot", k, g.work);
        if (k > 0) /* the first column that the step before has updated */
            tgs_i_gen_edge(&g, before + 1, pivot);
        for (int64_t j = k + 1; j < n && !status; j++) {
            const int32_t task = tgs_i_gen_task(&g, "update", k * n + j, g.work);

            tgs_i_gen_edge(&g, pivot, task);
            if (k > 0)
                tgs_i_gen_edge(&g, before + (int32_t)(j - k) + 1, task);
            status = tgs_i_gen_status(&g);
        }
        before = pivot;
    }
    tgs_i_gen_close(&g);
    return status;
}

static const tgs_param params[] = {
    {"n", "10", TGS_PARAM_INT, 2, 10000, "columns of the matrix"},
    TGS_I_GEN_COSTS,
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_generator tgs_generator_gauss = {
    .base = {TGS_PLUGIN_ABI, "gauss", "Gaussian elimination, column by column",
             "Topcuoglu, Hariri, Wu (2002), Performance-effective and low-complexity task "
             "scheduling for heterogeneous computing, IEEE TPDS 13(3)",
             params},
    .make = make,
};
