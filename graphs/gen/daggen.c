/* daggen.c -- random layers by daggen's parameters.
 *
 * fat       a layer has about n^fat tasks: 0 gives a chain, 1 independent tasks
 * regular   how alike the layers are: their sizes are uniform within 1 - regular of that
 * density   a task has 1 to 1 + density * (size of the layer above) parents
 * jump      which are in one of the jump layers above
 *
 * Exactly n tasks; with jump 1 the depth is the number of layers.  Unlike the program, the numbers
 * are ours, so that the same seed gives the same graph everywhere.  O(tasks + edges). */
#include "core.h"

typedef struct layers {
    tgs_i_gen g;
    int64_t n, jump;
    double density;
    int32_t *at; /* [layers + 1] the first task of each */
    int64_t room;
    int32_t count;
    int32_t *pool;    /* [n] 0, 1, 2, ...: shuffled in part, and then put back */
    int32_t *swapped; /* [n] */
    int32_t *want;    /* [jump + 1] parents of a task so many layers above */
} layers;

static tgs_status cut(layers *l, double fat, double regular)
{
    /* n^fat, the same on every machine */
    const double width = fmax(1, floor(tgs_exp(fat * tgs_log((double)l->n)) + 1e-9));

    for (int64_t used = 0; used < l->n;) {
        const double factor = 1 + (1 - regular) * (2 * tgs_rng_real(l->g.rng) - 1);
        int64_t size = (int64_t)fmax(1, nearbyint(width * factor));

        if (size > l->n - used)
            size = l->n - used;
        if (tgs_mem_grow(&l->at, &l->room, l->count + 2, sizeof *l->at))
            return tgs_fail(l->g.err, TGS_ENOMEM, "out of memory");
        l->at[l->count++] = (int32_t)used;
        used += size;
        l->at[l->count] = (int32_t)used;
    }
    return TGS_OK;
}

static void swap(int32_t *pool, int64_t i, int64_t j)
{
    const int32_t x = pool[i];

    pool[i] = pool[j];
    pool[j] = x;
}

/* distinct parents in a layer: the beginning of a shuffle, which is then undone */
static tgs_status add_parents(layers *l, int32_t layer, int32_t task, int64_t many)
{
    const int32_t from = l->at[layer], size = l->at[layer + 1] - from;
    tgs_status status = TGS_OK;

    many = many < size ? many : size;
    for (int64_t k = 0; k < many; k++) {
        l->swapped[k] = (int32_t)tgs_rng_int(l->g.rng, k, size - 1);
        swap(l->pool, k, l->swapped[k]);
        if (!status)
            status = tgs_i_gen_edge(&l->g, from + l->pool[k], task);
    }
    for (int64_t k = many; k-- > 0;)
        swap(l->pool, k, l->swapped[k]);
    return status;
}

static tgs_status add_task(layers *l, int32_t layer, int32_t index)
{
    const int32_t task = tgs_i_gen_task(&l->g, "t", index, l->g.work);
    const int64_t jump = l->jump < layer ? l->jump : layer;
    tgs_status status = tgs_i_gen_status(&l->g);

    if (status || !layer)
        return status;
    const int32_t above = l->at[layer] - l->at[layer - 1];
    const int64_t most = 1 + (int64_t)(l->density * above);
    const int64_t parents = tgs_rng_int(l->g.rng, 1, most < above ? most : above);

    for (int64_t k = 1; k < parents; k++)
        l->want[tgs_rng_int(l->g.rng, 1, jump)]++;
    l->want[1]++; /* one is in the layer above, or it would not be this layer */
    for (int32_t d = 1; d <= jump && !status; d++) {
        status = add_parents(l, layer - d, task, l->want[d]);
        l->want[d] = 0;
    }
    return status ? tgs_i_gen_status(&l->g) : TGS_OK;
}

static tgs_status open_layers(layers *l, const tgs_args *a, tgs_error *err)
{
    const tgs_status status = cut(l, tgs_arg_real(a, "fat"), tgs_arg_real(a, "regular"));

    if (status)
        return status;
    l->pool = tgs_mem_alloc((size_t)l->n, sizeof *l->pool);
    l->swapped = tgs_mem_alloc((size_t)l->n, sizeof *l->swapped);
    l->want = tgs_mem_alloc((size_t)l->jump + 1, sizeof *l->want);
    if (!l->pool || !l->swapped || !l->want)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (int64_t i = 0; i < l->n; i++)
        l->pool[i] = (int32_t)i;
    return TGS_OK;
}

static tgs_status make(const tgs_args *a, tgs_rng *r, tgs_builder *b, tgs_error *err)
{
    layers l = {.n = tgs_arg_int(a, "n"),
                .jump = tgs_arg_int(a, "jump"),
                .density = tgs_arg_real(a, "density")};
    tgs_status status = tgs_i_gen_open(&l.g, a, r, b, err);

    if (!status)
        status = open_layers(&l, a, err);
    for (int32_t layer = 0; layer < l.count && !status; layer++)
        for (int32_t i = l.at[layer]; i < l.at[layer + 1] && !status; i++)
            status = add_task(&l, layer, i);
    tgs_mem_free(l.at);
    tgs_mem_free(l.pool);
    tgs_mem_free(l.swapped);
    tgs_mem_free(l.want);
    tgs_i_gen_close(&l.g);
    return status;
}

static const tgs_param params[] = {
    {"n", "100", TGS_PARAM_INT, 1, TGS_I_GEN_MOST, "tasks"},
    {"fat", "0.5", TGS_PARAM_REAL, 0, 1, "a layer has about n^fat tasks"},
    {"regular", "0.9", TGS_PARAM_REAL, 0, 1, "how alike the layers are: 1 all of one size"},
    {"density", "0.5", TGS_PARAM_REAL, 0, 1, "part of the layer above that a task may need"},
    {"jump", "1", TGS_PARAM_INT, 1, 1000, "layers that an edge may go down"},
    TGS_I_GEN_COSTS,
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_generator tgs_generator_daggen = {
    .base = {TGS_PLUGIN_ABI, "daggen", "random layers by fat, regular, density and jump",
             "Suter, Hunold, daggen: a synthetic task graph generator", params},
    .make = make,
};
