/* stencil.c -- steps of a stencil: every point needs itself and its neighbours of the step before,
 * on a line (3 points) or a square (5 points) of side n.
 *
 * steps n tasks and (steps - 1) (3n - 2) edges on a line; steps n^2 and (steps - 1) (5n^2 - 4n) on
 * a square. */
#include "core.h"

static tgs_status add_point(tgs_i_gen *g, int64_t n, int64_t dims, int64_t step, int64_t i)
{
    static const int32_t move[5][2] = {{0, 0}, {0, -1}, {0, 1}, {-1, 0}, {1, 0}};
    const int64_t points = dims == 2 ? n * n : n, row = i / n, column = i % n;
    const int32_t task = tgs_i_gen_task(g, "p", step * points + i, g->work);

    for (int32_t k = 0; step > 0 && k < (dims == 2 ? 5 : 3); k++) {
        const int64_t r = row + move[k][0], c = column + move[k][1];

        if (c >= 0 && c < n && r >= 0 && r < points / n)
            tgs_i_gen_edge(g, (int32_t)((step - 1) * points + r * n + c), task);
    }
    return tgs_i_gen_status(g);
}

static tgs_status make(const tgs_args *a, tgs_rng *r, tgs_builder *b, tgs_error *err)
{
    const int64_t n = tgs_arg_int(a, "n"), steps = tgs_arg_int(a, "steps");
    const int64_t dims = tgs_arg_int(a, "dims"), points = dims == 2 ? n * n : n;
    tgs_i_gen g;
    tgs_status status = tgs_i_gen_open(&g, a, r, b, err);

    if (!status)
        status = tgs_i_gen_limit(&g, "stencil", (double)steps * (double)points,
                                 (double)steps * (double)points * (double)(2 * dims + 1));
    for (int64_t s = 0; s < steps; s++)
        for (int64_t i = 0; i < points && !status; i++)
            status = add_point(&g, n, dims, s, i);
    tgs_i_gen_close(&g);
    return status;
}

static const tgs_param params[] = {
    {"n", "10", TGS_PARAM_INT, 1, 1000000, "points of a side"},
    {"steps", "10", TGS_PARAM_INT, 1, 1000000, "steps"},
    {"dims", "1", TGS_PARAM_INT, 1, 2, "1: a line, 2: a square"},
    TGS_I_GEN_COSTS,
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_generator tgs_generator_stencil = {
    .base = {TGS_PLUGIN_ABI, "stencil", "steps of a stencil on a line or a square", NULL, params},
    .make = make,
};
