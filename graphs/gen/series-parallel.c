/* series-parallel.c -- random two-terminal series-parallel graphs of n tasks.
 *
 * An edge from source to sink; then n - 2 times a random edge u -> v either becomes u -> x -> v
 * (series) or gets u -> x -> v beside it (parallel).  n - 1 to 2n - 3 edges. */
#include "core.h"

typedef struct arc {
    int32_t from, to;
} arc;

static tgs_status grow(tgs_i_gen *g, arc *e, int64_t n, double series)
{
    int64_t arcs = 1;
    tgs_status status = TGS_OK;

    tgs_i_gen_task(g, "t", 0, g->work);
    tgs_i_gen_task(g, "t", 1, g->work);
    e[0] = (arc){0, 1};
    for (int64_t i = 2; i < n && !status; i++) {
        const int64_t k = tgs_rng_int(g->rng, 0, arcs - 1);
        const int32_t x = tgs_i_gen_task(g, "t", i, g->work);
        const arc old = e[k];

        if (tgs_rng_real(g->rng) < series)
            e[k] = (arc){old.from, x};
        else
            e[arcs++] = (arc){old.from, x};
        e[arcs++] = (arc){x, old.to};
        status = tgs_i_gen_status(g);
    }
    for (int64_t k = 0; k < arcs && !status; k++)
        status = tgs_i_gen_edge(g, e[k].from, e[k].to);
    return status ? tgs_i_gen_status(g) : TGS_OK;
}

static tgs_status make(const tgs_args *a, tgs_rng *r, tgs_builder *b, tgs_error *err)
{
    const int64_t n = tgs_arg_int(a, "n");
    tgs_i_gen g;
    tgs_status status = tgs_i_gen_open(&g, a, r, b, err);
    arc *e = tgs_mem_alloc((size_t)(2 * n), sizeof *e);

    if (!status && !e)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (!status)
        status = grow(&g, e, n, tgs_arg_real(a, "series"));
    tgs_mem_free(e);
    tgs_i_gen_close(&g);
    return status;
}

static const tgs_param params[] = {
    {"n", "100", TGS_PARAM_INT, 2, TGS_I_GEN_MOST, "tasks"},
    {"series", "0.5", TGS_PARAM_REAL, 0, 1, "part of the steps that are in series"},
    TGS_I_GEN_COSTS,
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_generator tgs_generator_series_parallel = {
    .base = {TGS_PLUGIN_ABI, "series-parallel", "random series-parallel graphs",
             "Valdes, Tarjan, Lawler (1982), The recognition of series parallel digraphs, SIAM "
             "Journal on Computing 11(2)",
             params},
    .make = make,
};
