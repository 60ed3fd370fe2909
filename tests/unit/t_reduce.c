/* t_reduce.c -- how gradients are summed: as time alone by the formula of a ring, and layer by
 * layer of all micro-batches; what each does to the step's order and times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "nets.h"
#include "parts.h"

enum { WIDTH = 6, LAYERS = 3 };

static tgs_model *chain(void)
{
    net n = net_new();

    net_input(&n, "x", DIMS(4, WIDTH));
    net_op(&n, "Tanh", "x", "t0", NULL);
    net_stored(&n, "w1", DIMS(WIDTH, WIDTH));
    net_stored(&n, "b1", DIMS(WIDTH));
    net_op(&n, "Gemm", "t0 w1 b1", "h1", NULL);
    net_op(&n, "Tanh", "h1", "t1", NULL);
    net_stored(&n, "w2", DIMS(WIDTH, WIDTH));
    net_op(&n, "Gemm", "t1 w2", "h2", NULL);
    net_stored(&n, "w3", DIMS(WIDTH, 2));
    net_op(&n, "Gemm", "h2 w3", "h3", NULL);
    return net_model(&n, "h3");
}

/* ---- alpha-beta -------------------------------------------------------------------------------
 */

static double ring(int32_t n, double bytes, double latency, double bandwidth)
{
    return 2. * (n - 1) * (latency + bytes / n / bandwidth);
}

static bool runs_before(const tgs_graph *g, int32_t u, int32_t v)
{
    for (int32_t e = g->v.succ_at[u]; e < g->v.succ_at[u + 1]; e++)
        if (g->v.succ[e] == v || runs_before(g, g->v.succ[e], v))
            return true;
    return false;
}

static bool is_codelet(const tgs_graph *g, int32_t t, const char *name)
{
    return !strcmp(tgs_graph_task_codelet(g, t), name);
}

/* the sums of every parameter take the formula's time, on each replica, after all of its gradients
 */
static void times_are_those_of_the_formula(void **state)
{
    static const struct {
        const char *reduce;
        double latency, bandwidth;
    } row[] = {{"latency=1 bandwidth=1e18", 1, 1e18},
               {"latency=0 bandwidth=8", 0, 8},
               {"latency=0.5 bandwidth=16", 0.5, 16},
               {"", 1e-5, 12e9}};
    static const double bytes[] = {4. * WIDTH * WIDTH, 4 * WIDTH, 4. * WIDTH * WIDTH, 8 * WIDTH};
    tgs_model *m = chain();

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int32_t n = 2; n <= 5; n += 3) {
            double wanted = 0, got = 0;
            char strategy[200];
            tgs_graph *g;

            snprintf(strategy, sizeof strategy, "train sgd; replicas %d reduce=alpha-beta %s",
                     (int)n, row[i].reduce);
            g = lowered(m, strategy);
            for (size_t k = 0; k < sizeof bytes / sizeof *bytes; k++)
                wanted += n * ring(n, bytes[k], row[i].latency, row[i].bandwidth);
            for (int32_t t = 0; t < g->v.tasks; t++)
                got += is_codelet(g, t, "allreduce") ? g->v.task[t].work : 0;
            if (fabs(got - wanted) > 1e-12 * wanted)
                fail_msg("%s: %.17g, not %.17g", strategy, got, wanted);
            tgs_graph_free(g);
        }
    tgs_model_free(m);
}

/* no replica goes on before all have their gradient, and nothing is sent between them */
static void everybody_waits_and_nothing_is_sent(void **state)
{
    tgs_model *m = chain();
    tgs_graph *g = lowered(m, "train sgd; replicas 3 reduce=alpha-beta");
    int32_t sums = 0;

    (void)state;
    for (int32_t t = 0; t < g->v.tasks; t++) {
        char name[64];

        if (!is_codelet(g, t, "allreduce"))
            continue;
        sums++;
        snprintf(name, sizeof name, "%s", tgs_graph_task_name(g, t));
        *strchr(name, '.') = 0; /* "w1.grad.allreduce@r0" */
        for (int32_t u = 0; u < g->v.tasks; u++)
            for (int32_t a = g->v.access_at[u]; a < g->v.access_at[u + 1]; a++) {
                char made[96];

                snprintf(made, sizeof made, "%s.grad@", name);
                if (g->v.access[a].mode != TGS_R
                    && !strncmp(tgs_datum_name(&g->v, (int32_t)g->v.access[a].datum, TGS_ROOM),
                                made, strlen(made)))
                    assert_true(runs_before(g, u, t));
            }
        assert_int_equal(g->v.access_at[t + 1] - g->v.access_at[t], 2);
    }
    assert_int_equal(sums, 3 * 4);
    tgs_graph_free(g);
    tgs_model_free(m);
}

static void it_is_said_that_nothing_is_summed(void **state)
{
    tgs_model *m = chain();
    tgs_graph *g = lowered(m, "train sgd; replicas 2 reduce=alpha-beta");

    (void)state;
    assert_non_null(strstr(tgs_graph_note(g), "nothing is summed"));
    tgs_graph_free(g);
    g = lowered(m, "train sgd; replicas 1 reduce=alpha-beta");
    assert_null(strstr(tgs_graph_note(g), "nothing is summed"));
    tgs_graph_free(g);
    tgs_model_free(m);
}

/* ---- layered ----------------------------------------------------------------------------------
 */

static void layers_leave_the_mathematics(void **state)
{
    static const char *const plain[] = {
        "train sgd lr=0.1; loss mse; micro-batches 3",
        "train adam lr=0.01; loss mse; micro-batches 2; replicas 2",
        "train momentum lr=0.1; loss mse; micro-batches 3; accumulate tree",
        "train sgd lr=0.1; loss mse; micro-batches 3 sizes=4,2,3",
        "train sgd lr=0.1; loss mse; micro-batches 3; merge 2; replicas 2 reduce=ring",
    };
    static const char *const more[] = {"layered", "layered; recompute", "layered; tensor 1d 2"};

    (void)state;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        for (size_t k = 0; k < sizeof more / sizeof *more; k++)
            same_weights(chain, plain[i], more[k]);
}

/* task "NAME@mK" */
static int32_t task_at(const tgs_graph *g, const char *name, int32_t batch)
{
    char text[80];
    int32_t t;

    snprintf(text, sizeof text, "%s@m%d", name, (int)batch);
    t = tgs_graph_find_task(g, text);
    if (t < 0)
        fail_msg("no task %s", text);
    return t;
}

static void all_pieces_of_a_layer_come_first(void **state)
{
    enum { PIECES = 3 };
    static const char *const layer[] = {"h1", "h2", "h3"};
    tgs_model *m = chain();
    tgs_graph *g = lowered(m, "train sgd; loss mse; micro-batches 3; layered");

    (void)state;
    for (int32_t i = 0; i + 1 < LAYERS; i++)
        for (int32_t b = 0; b < PIECES; b++)
            for (int32_t c = 0; c < PIECES; c++)
                assert_true(runs_before(g, task_at(g, layer[i], b), task_at(g, layer[i + 1], c)));
    tgs_graph_free(g);
    g = lowered(m, "train sgd; loss mse; micro-batches 3"); /* or else it says nothing */
    assert_false(runs_before(g, task_at(g, "h1", 2), task_at(g, "h2", 0)));
    tgs_graph_free(g);
    tgs_model_free(m);
}

static void what_cannot_be_is_refused(void **state)
{
    static const refusal wrong[] = {
        {"train sgd; layered", "there are no micro-batches"},
        {"train sgd; micro-batches 2; pipeline 2; layered", "exclude each other"},
        {"train sgd; replicas 2 reduce=alpha", "there are: tree, hierarchical, ring, alpha-beta"},
    };
    tgs_model *m = chain();

    (void)state;
    none_lowers(m, wrong, sizeof wrong / sizeof *wrong);
    tgs_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_those_of_the_formula),
        cmocka_unit_test(everybody_waits_and_nothing_is_sent),
        cmocka_unit_test(it_is_said_that_nothing_is_summed),
        cmocka_unit_test(layers_leave_the_mathematics),
        cmocka_unit_test(all_pieces_of_a_layer_come_first),
        cmocka_unit_test(what_cannot_be_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
