/* t_shard.c -- replicas that own parts of what training stores: the weights after some steps are
 * those of plain replicas, in double on the serial backend; what each moves and stores is what
 * ZeRO's formulas say; and what the published systems do with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "nets.h"
#include "parts.h"

/* x [4,width] through `layers` products with biases; its first layer makes what the others see */
static tgs_model *chain_of(int layers, int64_t width, bool biases)
{
    net n = net_new();
    char text[60], name[20];

    net_input(&n, "x", DIMS(4, width));
    net_op(&n, "Tanh", "x", "t0", NULL);
    for (int i = 1; i <= layers; i++) {
        snprintf(name, sizeof name, "w%d", i);
        net_stored(&n, name, DIMS(width, width));
        snprintf(name, sizeof name, "b%d", i);
        if (biases)
            net_stored(&n, name, DIMS(width));
        snprintf(text, sizeof text, biases ? "t%d w%d b%d" : "t%d w%d", i - 1, i, i);
        snprintf(name, sizeof name, "h%d", i);
        net_op(&n, "Gemm", text, name, NULL);
        snprintf(text, sizeof text, "h%d", i);
        snprintf(name, sizeof name, "t%d", i);
        net_op(&n, "Tanh", text, name, NULL);
    }
    return net_model(&n, name);
}

static tgs_model *chain(void)
{
    return chain_of(3, 6, true);
}

/* a parameter that is used twice: its gradient is a sum in each micro-batch */
static tgs_model *tied(void)
{
    net n = net_new();

    net_input(&n, "x", DIMS(4, 6));
    net_stored(&n, "w", DIMS(6, 6));
    net_op(&n, "Gemm", "x w", "h", NULL);
    net_op(&n, "Tanh", "h", "t", NULL);
    net_op(&n, "Gemm", "t w", "y", "transB=1");
    return net_model(&n, "y");
}

static void the_mathematics_stays(void **state)
{
    static const char *const plain[] = {
        "train sgd lr=0.1; loss mse; replicas 3", "train momentum lr=0.1; loss mse; replicas 2",
        "train adam lr=0.01; loss mse; replicas 4 tree=3",
        "train sgd lr=0.1; loss mse; micro-batches 3; replicas 2",
        "train adam lr=0.01; loss mse; micro-batches 2; replicas 3; accumulate tree"};
    static const char *const more[] = {"shard 1",
                                       "shard 2",
                                       "shard 3",
                                       "shard 3 ops=h2",
                                       "shard 3 ops=h1,h3; shard 1 ops=h2",
                                       "shard 3 layered=1",
                                       "shard 2; recompute",
                                       "shard 3; tensor 1d 2",
                                       "shard 1; pipeline 2"};

    (void)state;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        for (size_t k = 0; k < sizeof more / sizeof *more; k++)
            same_weights(chain, plain[i], more[k]);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        for (int level = 1; level <= 3; level++)
            same_weights(tied, plain[i],
                         level == 1   ? "shard 1"
                         : level == 2 ? "shard 2"
                                      : "shard 3");
    same_weights(chain, plain[0], "shard 1 owners=2,1,1");
    same_weights(chain, plain[0], "shard 3 owners=4,0,1");
}

/* gradients that go round a ring, and those that share a message; both */
static void rings_and_messages_leave_it(void **state)
{
    static const char *const plain[] = {
        "train sgd lr=0.1; loss mse; replicas 3 reduce=ring",
        "train adam lr=0.01; loss mse; micro-batches 2; replicas 2 reduce=ring",
        "train momentum lr=0.1; loss mse; merge 2; replicas 2",
        "train sgd lr=0.1; loss mse; micro-batches 3; merge 1; replicas 4 tree=2",
        "train momentum lr=0.1; loss mse; micro-batches 2; merge 2; replicas 3 reduce=ring",
        "train sgd lr=0.1; loss mse; merge 3; replicas 3 shares=7,4,1 reduce=ring"};
    static const char *const more[] = {"shard 1", "shard 2", "shard 3", "shard 3 layered=1"};

    (void)state;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        for (size_t k = 0; k < sizeof more / sizeof *more; k++)
            same_weights(chain, plain[i], more[k]);
    same_weights(chain, plain[0], "shard 2 ops=h2");
    same_weights(chain, plain[0], "shard 3 owners=4,0,1");
    same_weights(chain, plain[2], "shard 1 owners=1,0");
    same_weights(tied, plain[1], "shard 3");
}

static int32_t group_of(const tgs_graph *g, int32_t t)
{
    const int32_t c = g->v.task[t].constraint;

    return c < 0 ? -1 : g->v.constraint[c].group;
}

static bool is_parameter_like(const tgs_graph *g, int32_t d)
{
    const tgs_datum_extra *x = &g->v.extra[g->v.datum[d].extra];

    return x->class_ == TGS_CLASS_PARAMETER || x->class_ == TGS_CLASS_GRADIENT;
}

/* elements of parameters and gradients that tasks of each rank read of what other ranks wrote, each
 * version once, and elements that it stores from step to step */
static void count(const tgs_graph *g, int32_t ranks, int64_t *received, int64_t *stored)
{
    int32_t *owner = calloc((size_t)g->v.data, sizeof *owner);
    bool *there = calloc((size_t)g->v.data * (size_t)ranks, sizeof *there);

    memset(received, 0, (size_t)ranks * sizeof *received);
    memset(stored, 0, (size_t)ranks * sizeof *stored);
    for (int32_t d = 0; d < g->v.data; d++)
        owner[d] = -1;
    for (int32_t t = 0; t < g->v.tasks; t++) /* what the last step left, its writer has */
        for (int32_t a = g->v.access_at[t]; a < g->v.access_at[t + 1]; a++)
            if (g->v.access[a].mode != TGS_R)
                owner[g->v.access[a].datum] = group_of(g, t);
    for (int32_t d = 0; d < g->v.data; d++)
        if (g->v.extra[g->v.datum[d].extra].persistent && owner[d] >= 0)
            stored[owner[d]] += (int64_t)(g->v.datum[d].bytes / 4);
    for (int32_t t = 0; t < g->v.tasks; t++)
        for (int32_t a = g->v.access_at[t]; a < g->v.access_at[t + 1]; a++) {
            const int32_t d = g->v.access[a].datum, own = group_of(g, t);

            if (g->v.access[a].mode != TGS_W && is_parameter_like(g, d) && owner[d] >= 0
                && owner[d] != own && !there[(int64_t)d * ranks + own]) {
                received[own] += (int64_t)(g->v.datum[d].bytes / 4);
                there[(int64_t)d * ranks + own] = true;
            }
            if (g->v.access[a].mode != TGS_R) {
                owner[d] = own;
                memset(&there[(int64_t)d * ranks], 0, (size_t)ranks * sizeof *there);
            }
        }
    free(owner);
    free(there);
}

/* S9: of P parameters on R replicas, stages 1 and 2 move 2 (R-1)/R P to each in a step and stage 3
 * moves 3 (R-1)/R P; with momentum they store P + P/R, and 2 P/R.  Of K micro-batches stage 2 sums
 * the gradients of each, and stage 3 gathers for each, but for once a pass when layered.  In the
 * backward pass nobody needs the parameters of the first of the L layers. */
static void volumes_and_memory_are_those_of_zero(void **state)
{
    enum { LAYERS = 3, WIDTH = 8, R = 4, P = LAYERS * WIDTH * WIDTH, K = 5 };
    const double pass = 2 - 1. / LAYERS; /* forward and backward */
    const struct form {
        const char *text;
        int batches;
        double received; /* over (R-1)/R P */
        int64_t stored;  /* over P / R */
    } forms[] = {{"shard 1", 1, 2, R + 1},
                 {"shard 2", 1, 2, R + 1},
                 {"shard 3", 1, pass + 1, 2},
                 {"shard 1", K, 2, R + 1},
                 {"shard 2", K, K + 1, R + 1},
                 {"shard 3", K, K * (pass + 1), 2},
                 {"shard 3 layered=1", K, pass + K, 2}};
    tgs_model *m = chain_of(LAYERS, WIDTH, false);

    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        int64_t received[R], stored[R];
        char strategy[200];
        tgs_graph *g;

        snprintf(strategy, sizeof strategy,
                 "train momentum; loss mse; micro-batches %d; replicas %d; %s", forms[i].batches, R,
                 forms[i].text);
        g = lowered(m, strategy);
        count(g, R, received, stored);
        for (int r = 0; r < R; r++)
            if (fabs((double)received[r] - forms[i].received * (R - 1) * P / R) > 1e-6
                || stored[r] != forms[i].stored * P / R)
                fail_msg("%s: replica %d receives %d and stores %d of %d", strategy, r,
                         (int)received[r], (int)stored[r], P);
        tgs_graph_free(g);
    }
    tgs_model_free(m);
}

/* of gradients over replicas */
static int sums(const tgs_graph *g)
{
    int n = 0;

    for (int32_t t = 0; t < g->v.tasks; t++)
        n += !strcmp(tgs_graph_task_codelet(g, t), "sum")
             && g->v.task[t].phase == TGS_PHASE_COMMUNICATION
             && strncmp(tgs_graph_task_name(g, t), "loss", 4);
    return n;
}

/* whatever way gradients go, as many bytes come to each replica; a part is summed in one task, or
 * in R - 1 around the ring, for each parameter, or for each group of them */
static void ways_differ_in_messages_alone(void **state)
{
    enum { LAYERS = 4, WIDTH = 8, R = 4, P = LAYERS * WIDTH * WIDTH };
    static const struct form {
        const char *text;
        int sums;
    } forms[] = {{"replicas 4; shard 1", R * LAYERS},
                 {"replicas 4 reduce=ring; shard 1", R * (R - 1) * LAYERS},
                 {"merge 2; replicas 4; shard 1", R * 2},
                 {"merge 1; replicas 4 reduce=ring; shard 1", R * (R - 1)},
                 {"merge 2; replicas 4 reduce=ring; shard 2", R * (R - 1) * 2}};
    tgs_model *m = chain_of(LAYERS, WIDTH, false);

    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        int64_t received[R], stored[R];
        char strategy[200];
        tgs_graph *g;

        snprintf(strategy, sizeof strategy, "train sgd; loss mse; %s", forms[i].text);
        g = lowered(m, strategy);
        count(g, R, received, stored);
        for (int r = 0; r < R; r++)
            if (received[r] != 2 * (R - 1) * P / R)
                fail_msg("%s: replica %d receives %d of %d", strategy, r, (int)received[r], P);
        if (sums(g) != forms[i].sums)
            fail_msg("%s: %d sums, not %d", strategy, sums(g), forms[i].sums);
        tgs_graph_free(g);
    }
    tgs_model_free(m);
}

static int gathers(const tgs_graph *g, const char *replica)
{
    int n = 0;

    for (int32_t t = 0; t < g->v.tasks; t++)
        n += strstr(tgs_graph_task_name(g, t), ".gather")
             && strstr(tgs_graph_task_name(g, t), replica);
    return n;
}

/* P3 of S19: L = 24 layers, l = 8 micro-batches: 2 l L = 384 gathers, 2 L = 48 layered; the state
 * of 54 units in free memories of 4 and 50 */
static void gathers_and_shares_of_p3(void **state)
{
    tgs_model *m = chain_of(24, 4, false), *wide = chain_of(1, 54, false);
    tgs_graph *g = lowered(m, "train sgd; loss mse; micro-batches 8; replicas 2; shard 3");
    int64_t received[2], stored[2];

    (void)state;
    assert_int_equal(gathers(g, "@r0"), 384 - 8); /* the input of the first layer has no gradient */
    assert_int_equal(gathers(g, "@r1"), 384 - 8);
    tgs_graph_free(g);
    g = lowered(m, "train sgd; loss mse; micro-batches 8; replicas 2; shard 3 layered=1");
    assert_int_equal(gathers(g, "@r1"), 48 - 1);
    tgs_graph_free(g);
    g = lowered(wide, "train sgd; loss mse; replicas 2; shard 3 owners=4,50");
    count(g, 2, received, stored);
    assert_int_equal(stored[0], 4 * 54);
    assert_int_equal(stored[1], 50 * 54);
    tgs_graph_free(g);
    tgs_model_free(m);
    tgs_model_free(wide);
}

/* T10: a choice for each operator: what is sharded costs 1.5 times as much to move and 1/R to store
 */
static void operators_choose_for_themselves(void **state)
{
    tgs_model *m = chain_of(2, 8, false);
    tgs_graph *g = lowered(m, "train sgd; loss mse; replicas 4; shard 3 ops=h2; shard 1 ops=h1");
    int64_t received[4], stored[4];

    (void)state;
    count(g, 4, received, stored);
    for (int r = 0; r < 4; r++) {
        assert_int_equal(received[r], (2 + 3) * 3 * 64 / 4);
        assert_int_equal(stored[r], 64 + 64 / 4);
    }
    tgs_graph_free(g);
    tgs_model_free(m);
}

static void what_is_wrong_is_said(void **state)
{
    static const refusal wrong[] = {
        {"train sgd; shard 1", "there are no replicas"},
        {"train sgd; replicas 2; shard 1 owners=1,2,3", "are not shares of 2 replicas"},
        {"train sgd; replicas 2; shard 1 owners=0,0", "are not shares of 2 replicas"},
        {"train sgd; replicas 2; shard 1 ops=none", "no operator 'none'"},
        {"train sgd; replicas 2; shard 1 ops=t1", "there is no parameter to shard"},
        {"train sgd; replicas 2 reduce=alpha-beta; shard 1", "sums nothing"},
        {"train sgd; merge 1; replicas 2; shard 1 ops=h1", "no replica has whole"},
        {"train sgd; replicas 2; micro-batches 2; pipeline 2; shard 3 layered=1", "exclude each"},
    };
    tgs_model *m = chain();

    (void)state;
    none_lowers(m, wrong, sizeof wrong / sizeof *wrong);
    tgs_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mathematics_stays),
        cmocka_unit_test(rings_and_messages_leave_it),
        cmocka_unit_test(ways_differ_in_messages_alone),
        cmocka_unit_test(volumes_and_memory_are_those_of_zero),
        cmocka_unit_test(gathers_and_shares_of_p3),
        cmocka_unit_test(operators_choose_for_themselves),
        cmocka_unit_test(what_is_wrong_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
