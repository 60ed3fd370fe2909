/* epoch.c -- an epoch on data that the ranks have made themselves (block-random SGD, S15): each
 * rank makes blocks of data and visits blocks in random order, its own (shuffle=none) or those that
 * a uniform shuffle gives it (shuffle=uniform).  The tasks of a rank share a memory, so that what
 * the shuffle moves is what crosses it: in expectation 1 - 1/ranks of all, against nothing.
 *
 * ranks (1 + blocks) tasks; a chain of visits on each rank.  O(ranks blocks). */
#include <string.h>
#include "core.h"

typedef struct epoch {
    tgs_i_gen g;
    int64_t ranks, blocks; /* of a rank */
    int32_t *made;         /* [ranks] */
    int32_t *last;         /* [ranks] the visit before */
    int64_t *visits;       /* [ranks] */
} epoch;

static int32_t on_rank(epoch *x, const char *what, int64_t rank, int64_t number)
{
    char name[64], group[24];
    int32_t task;

    snprintf(name, sizeof name, "%s_%lld%s", what, (long long)rank, number < 0 ? "" : "_");
    task = tgs_i_gen_task(&x->g, name, number, x->g.work);
    snprintf(group, sizeof group, "%lld", (long long)rank);
    if (task >= 0)
        tgs_builder_task_constrain(x->g.b, task, "group", group);
    return task;
}

/* Fisher, Yates */
static void shuffle(tgs_rng *r, int64_t *list, int64_t n)
{
    for (int64_t i = n - 1; i > 0; i--) {
        const int64_t j = tgs_rng_int(r, 0, i), other = list[j];

        list[j] = list[i];
        list[i] = other;
    }
}

/* a block is visited on a rank, after what that rank has visited so far */
static void visit(epoch *x, int64_t rank, int32_t datum)
{
    const int32_t task = on_rank(x, "visit", rank, x->visits[rank]++);

    tgs_builder_access(x->g.b, task, datum, TGS_R);
    if (x->last[rank] >= 0)
        tgs_builder_after(x->g.b, x->last[rank], task);
    x->last[rank] = task;
}

/* data: [ranks * blocks] in the order of who made them */
static tgs_status visits(epoch *x, bool uniform, int64_t *order, int32_t *data)
{
    const int64_t all = x->ranks * x->blocks;

    for (int64_t i = 0; i < all; i++)
        order[i] = i;
    if (uniform)
        shuffle(x->g.rng, order, all);
    for (int64_t w = 0; w < x->ranks; w++) {
        if (!uniform)
            shuffle(x->g.rng, order + w * x->blocks, x->blocks);
        x->last[w] = -1;
    }
    for (int64_t i = 0; i < all && !tgs_builder_status(x->g.b, NULL); i++)
        visit(x, i / x->blocks, data[order[i]]);
    return tgs_i_gen_status(&x->g);
}

static tgs_status unfold(epoch *x, bool uniform)
{
    const int64_t all = x->ranks * x->blocks;
    int64_t *order = tgs_mem_alloc((size_t)all, sizeof *order);
    int32_t *data = tgs_mem_alloc((size_t)all, sizeof *data);
    tgs_status status = order && data ? TGS_OK : tgs_fail(x->g.err, TGS_ENOMEM, "out of memory");
    char name[48];

    for (int64_t w = 0; w < x->ranks && !status; w++)
        x->made[w] = on_rank(x, "make", w, -1);
    for (int64_t i = 0; i < all && !status && !tgs_builder_status(x->g.b, NULL); i++) {
        snprintf(name, sizeof name, "block_%lld_%lld", (long long)(i / x->blocks),
                 (long long)(i % x->blocks));
        data[i] = tgs_builder_datum(x->g.b, name, x->g.bytes);
        tgs_builder_access(x->g.b, x->made[i / x->blocks], data[i], TGS_W);
    }
    if (!status)
        status = visits(x, uniform, order, data);
    tgs_mem_free(order);
    tgs_mem_free(data);
    return status;
}

static tgs_status make(const tgs_args *a, tgs_rng *r, tgs_builder *b, tgs_error *err)
{
    const char *rule = tgs_arg_text(a, "shuffle");
    epoch x = {.ranks = tgs_arg_int(a, "ranks"), .blocks = tgs_arg_int(a, "blocks")};
    tgs_status status = tgs_i_gen_open(&x.g, a, r, b, err);

    if (!status && strcmp(rule, "none") && strcmp(rule, "uniform"))
        status =
            tgs_fail(err, TGS_EINVAL, "epoch: shuffle=%.40s: there are none and uniform", rule);
    if (!status)
        status = tgs_i_gen_limit(&x.g, "epoch", (double)x.ranks * (double)(x.blocks + 1),
                                 2 * (double)x.ranks * (double)x.blocks);
    if (!status) {
        x.made = tgs_mem_alloc((size_t)x.ranks, sizeof *x.made);
        x.last = tgs_mem_alloc((size_t)x.ranks, sizeof *x.last);
        x.visits = tgs_mem_alloc((size_t)x.ranks, sizeof *x.visits);
        status = x.made && x.last && x.visits ? unfold(&x, *rule == 'u')
                                              : tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    tgs_mem_free(x.made);
    tgs_mem_free(x.last);
    tgs_mem_free(x.visits);
    tgs_i_gen_close(&x.g);
    return status;
}

static const tgs_param params[] = {
    {"ranks", "4", TGS_PARAM_INT, 1, 100000, "ranks"},
    {"blocks", "8", TGS_PARAM_INT, 1, 1000000, "blocks that a rank makes, and visits"},
    {"shuffle", "none", TGS_PARAM_TEXT, 0, 0, "none: a rank visits its own blocks; uniform: any"},
    TGS_I_GEN_COSTS,
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_generator tgs_generator_epoch = {
    .base = {TGS_PLUGIN_ABI, "epoch", "an epoch on data that stay where they were made, or not",
             "Mohan et al., Block-random stochastic gradient descent, arXiv:1903.00091, 2019",
             params},
    .make = make,
};
