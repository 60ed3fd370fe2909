/* t_transforms.c -- pipelines and recomputation change where and when, not what: the weights after
 * some steps are those of the plain step, run in double on the serial backend; and what they are
 * for holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "chains.h"

static void the_mathematics_stays(void **state)
{
    static const char *const plain[] = {"train sgd lr=0.1; loss mse",
                                        "train sgd lr=0.1; loss mse; micro-batches 3"};
    static const struct form {
        int plain;
        const char *text;
    } forms[] = {{0, "recompute"},
                 {0, "recompute 3"},
                 {1, "recompute 6"},
                 {0, "pipeline 2"},
                 {1, "pipeline 3"},
                 {1, "pipeline 3 gpipe"},
                 {1, "pipeline 2; recompute 3"}};
    double wanted[2][LAYERS * WIDTH * WIDTH];

    (void)state;
    for (int i = 0; i < 2; i++)
        weights(plain[i], wanted[i]);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char strategy[200];

        snprintf(strategy, sizeof strategy, "%s; %s", plain[forms[i].plain], forms[i].text);
        assert_weights(strategy, wanted[forms[i].plain]);
    }
}

/* bytes of the activations that are alive at once when tasks run in the order of the graph */
static double peak(const tgs_graph *g)
{
    int32_t *last = calloc((size_t)g->v.data, sizeof *last);
    double now = 0, most = 0;

    for (int32_t t = 0; t < g->v.tasks; t++)
        for (int32_t a = g->v.access_at[t]; a < g->v.access_at[t + 1]; a++)
            last[g->v.access[a].datum] = t;
    for (int32_t t = 0; t < g->v.tasks; t++) {
        for (int32_t a = g->v.access_at[t]; a < g->v.access_at[t + 1]; a++) {
            const tgs_datum *d = &g->v.datum[g->v.access[a].datum];

            if (g->v.access[a].mode == TGS_W && g->v.extra[d->extra].class_ == TGS_CLASS_ACTIVATION)
                now += d->bytes;
        }
        most = fmax(most, now);
        for (int32_t a = g->v.access_at[t]; a < g->v.access_at[t + 1]; a++) {
            const tgs_datum *d = &g->v.datum[g->v.access[a].datum];

            if (last[g->v.access[a].datum] == t
                && g->v.extra[d->extra].class_ == TGS_CLASS_ACTIVATION)
                now -= d->bytes;
        }
    }
    free(last);
    return most;
}

static void recomputing_keeps_less(void **state)
{
    tgs_model *m = profile(64);
    tgs_graph *plain = lowered(m, "train sgd"), *less = lowered(m, "train sgd; recompute");
    double work = 0, more = 0;

    (void)state;
    assert_true(peak(plain) == 64); /* a byte a layer */
    assert_true(peak(less) <= 8 + 8 + 1);
    for (int32_t t = 0; t < plain->v.tasks; t++)
        work += isnan(plain->v.task[t].work) ? 0 : plain->v.task[t].work;
    for (int32_t t = 0; t < less->v.tasks; t++)
        more += isnan(less->v.task[t].work) ? 0 : less->v.task[t].work;
    assert_true(work == 64 * 3);
    /* of 7 segments of 8 layers, all layers but the last, whose activation is kept */
    assert_true(more == work + 7 * 7);
    tgs_graph_free(plain);
    tgs_graph_free(less);
    tgs_model_free(m);
}

/* (batches + stages - 1) (forward + backward) where moving costs nothing: GPipe, section 2.3 */
static void pipelines_take_what_the_formula_says(void **state)
{
    static const char *const orders[] = {"1f1b", "gpipe"};
    tgs_model *m = profile(4);

    (void)state;
    for (int batches = 1; batches <= 9; batches += 4)
        for (int k = 0; k < 2; k++) {
            char strategy[100];
            tgs_graph *g;

            snprintf(strategy, sizeof strategy, "train sgd; micro-batches %d; pipeline 4 %s",
                     batches, orders[k]);
            g = lowered(m, strategy);
            if (longest(g) != 3 * (batches + 3))
                fail_msg("%s: %g, not %d", strategy, longest(g), 3 * (batches + 3));
            tgs_graph_free(g);
        }
    tgs_model_free(m);
}

/* the tasks of a stage share a memory, wherever a heuristic puts it */
static void stages_stay_together(void **state)
{
    tgs_model *m = profile(4);
    tgs_graph *g = lowered(m, "train sgd; micro-batches 2; pipeline 2; replicas 2");

    (void)state;
    for (int32_t t = 0; t < g->v.tasks; t++) {
        const char *name = tgs_graph_task_name(g, t), *replica = strstr(name, "@r");
        const int32_t c = g->v.task[t].constraint;

        if (*name != 'l' || name[1] < '0' || name[1] > '3')
            continue;
        assert_true(c >= 0 && replica);
        assert_int_equal(g->v.constraint[c].group, 2 * (replica[2] - '0') + (name[1] - '0') / 2);
    }
    tgs_graph_free(g);
    tgs_model_free(m);
}

static void as_many_are_under_way_as_the_order_allows(void **state)
{
    tgs_model *m = profile(4);
    tgs_graph *g = lowered(m, "train sgd; micro-batches 8; pipeline 4 1f1b");

    (void)state;
    for (int layer = 0; layer < 4; layer++)
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                char forward[16], backward[24];

                snprintf(forward, sizeof forward, "l%d@m%d", layer, i);
                snprintf(backward, sizeof backward, "l%d.bwd@m%d", layer, j);
                if (comes_before(g, backward, forward) != (i - j >= 4 - layer))
                    fail_msg("%s and %s", backward, forward);
            }
    tgs_graph_free(g);
    g = lowered(m, "train sgd; micro-batches 8; pipeline 4 gpipe");
    assert_true(comes_before(g, "l0@m7", "l0.bwd@m0") && !comes_before(g, "l0.bwd@m0", "l0@m7"));
    tgs_graph_free(g);
    tgs_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mathematics_stays),
        cmocka_unit_test(recomputing_keeps_less),
        cmocka_unit_test(pipelines_take_what_the_formula_says),
        cmocka_unit_test(stages_stay_together),
        cmocka_unit_test(as_many_are_under_way_as_the_order_allows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
