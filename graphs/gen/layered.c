/* layered.c -- layers of tasks; each task needs random tasks of the layer before its own.
 *
 * The number of edges is exactly degree * n, rounded, or as many as there are pairs of tasks in
 * neighbouring layers if that is less.  O(tasks + edges). */
#include "core.h"

typedef struct layers {
    tgs_i_gen g;
    int64_t n, width, edges; /* edges: still to be placed */
    int32_t *pool;           /* [width] the layer before, in random order */
} layers;

/* the next task's share of the edges: rounded at random, so that exactly all are placed */
static int64_t share(layers *l, int64_t tasks_left)
{
    const int64_t low = l->edges / tasks_left, rest = l->edges % tasks_left;

    return low + (tgs_rng_int(l->g.rng, 0, tasks_left - 1) < rest);
}

static tgs_status add_task(layers *l, int64_t i)
{
    const int32_t task = tgs_i_gen_task(&l->g, "t", i, l->g.work);
    const int64_t need = i < l->width ? 0 : share(l, l->n - i);

    for (int64_t k = 0; k < need; k++) { /* the first need of a shuffle */
        const int64_t other = tgs_rng_int(l->g.rng, k, l->width - 1);
        const int32_t from = l->pool[other];

        l->pool[other] = l->pool[k];
        l->pool[k] = from;
        tgs_i_gen_edge(&l->g, from, task);
    }
    l->edges -= need;
    return tgs_i_gen_status(&l->g);
}

static tgs_status make(const tgs_args *a, tgs_rng *r, tgs_builder *b, tgs_error *err)
{
    layers l = {.n = tgs_arg_int(a, "n"), .width = tgs_arg_int(a, "width")};
    const double wanted = nearbyint(tgs_arg_real(a, "degree") * (double)l.n);
    tgs_status status = tgs_i_gen_open(&l.g, a, r, b, err);
    double most;

    if (!l.width)
        l.width = (int64_t)sqrt((double)l.n);
    if (l.width > l.n)
        l.width = l.n;
    most = (double)(l.n - l.width) * (double)l.width;
    if (!status && (wanted < most ? wanted : most) > INT32_MAX / 2)
        status = tgs_fail(err, TGS_EINVAL, "layered: %g edges are too many", wanted);
    else
        l.edges = (int64_t)(wanted < most ? wanted : most);
    l.pool = tgs_mem_alloc((size_t)l.width, sizeof *l.pool);
    if (!status && !l.pool)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (int64_t i = 0; i < l.n && !status; i++) {
        if (i % l.width == 0)
            for (int64_t k = 0; k < l.width; k++)
                l.pool[k] = (int32_t)(i - l.width + k);
        status = add_task(&l, i);
    }
    tgs_mem_free(l.pool);
    tgs_i_gen_close(&l.g);
    return status;
}

static const tgs_param params[] = {
    {"n", "1000", TGS_PARAM_INT, 1, TGS_I_GEN_MOST, "tasks"},
    {"width", "0", TGS_PARAM_INT, 0, TGS_I_GEN_MOST, "tasks of a layer; 0: the square root of n"},
    {"degree", "3", TGS_PARAM_REAL, 1, TGS_I_GEN_MOST,
     "edges per task: degree * n, or all between neighbouring layers"},
    TGS_I_GEN_COSTS,
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_generator tgs_generator_layered = {
    .base = {TGS_PLUGIN_ABI, "layered", "layers with random edges from each to the next", NULL,
             params},
    .make = make,
};
