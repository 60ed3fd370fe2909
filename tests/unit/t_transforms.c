/* t_transforms.c -- pipelines and recomputation change where and when, not what: the weights after
 * some steps are those of the plain step, run in double on the serial backend; and what they are
 * for holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "nets.h"

enum { LAYERS = 6, WIDTH = 5, STEPS = 2 };

static tgs_model *chain(void)
{
    net n = net_new();
    char name[16], in[16], list[40];

    net_input(&n, "x", DIMS(4, WIDTH));
    strcpy(in, "x");
    for (int i = 0; i < LAYERS; i++) {
        snprintf(name, sizeof name, "w%d", i);
        net_stored(&n, name, DIMS(WIDTH, WIDTH));
        snprintf(list, sizeof list, "%s w%d", in, i);
        snprintf(name, sizeof name, "h%d", i);
        net_op(&n, "MatMul", list, name, NULL);
        snprintf(in, sizeof in, "t%d", i);
        net_op(&n, "Tanh", name, in, NULL);
    }
    return net_model(&n, in);
}

/* in double, so that nothing hides in the rounding */
static void weights(const char *strategy, double *out)
{
    tgs_model *m = chain();
    tgs_graph *g = lowered(m, strategy);
    tgs_platform *p;
    tgs_problem *pb;
    tgs_schedule *s;
    tgs_run *r;
    tgs_error err = {TGS_OK, ""};
    char name[16];

    assert_int_equal(tgs_platform_parse(&p, "cpu:3", &err), 0);
    if (tgs_problem_new(&pb, g, p, NULL, "latbw", &err)
        || tgs_schedule_make(&s, pb, "heft", 1, &err)
        || tgs_run_open(&r, pb, s, NULL, "serial:precision=f64", &err))
        fail_msg("%s: %s", strategy, err.text);
    for (int i = 0; i < STEPS; i++)
        if (tgs_run_step(r, &err))
            fail_msg("%s: %s", strategy, err.text);
    for (int i = 0; i < LAYERS; i++) {
        snprintf(name, sizeof name, "w%d", i);
        assert_int_equal(
            tgs_run_read_f64(r, tgs_graph_find_datum(g, name), out + i * WIDTH * WIDTH, &err), 0);
    }
    assert_int_equal(tgs_run_close(r, NULL, NULL), 0);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
    tgs_model_free(m);
}

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
    double wanted[2][LAYERS * WIDTH * WIDTH], got[LAYERS * WIDTH * WIDTH];

    (void)state;
    for (int i = 0; i < 2; i++)
        weights(plain[i], wanted[i]);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const double *w = wanted[forms[i].plain];
        double difference = 0, norm = 0;
        char strategy[200];

        snprintf(strategy, sizeof strategy, "%s; %s", plain[forms[i].plain], forms[i].text);
        weights(strategy, got);
        for (int k = 0; k < LAYERS * WIDTH * WIDTH; k++) {
            difference += (got[k] - w[k]) * (got[k] - w[k]);
            norm += w[k] * w[k];
        }
        if (!(norm > 0) || !(sqrt(difference) <= 1e-10 * sqrt(norm)))
            fail_msg("%s: off by %g of %g", strategy, sqrt(difference), sqrt(norm));
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

static tgs_model *profile(int layers)
{
    static const int64_t one[] = {1};
    tgs_model_builder *b;
    tgs_model *m;
    char name[16];
    int32_t in = -1;

    assert_int_equal(tgs_model_builder_new(&b, "profile", NULL), TGS_OK);
    for (int i = 0; i < layers; i++) {
        int32_t out, op;

        snprintf(name, sizeof name, "l%d", i);
        out = tgs_model_tensor(b, name);
        tgs_model_shape(b, out, TGS_BYTES, 1, one);
        op = tgs_model_operator(b, name, "tgsched.Layer", NULL, in >= 0, &in, 1, &out);
        tgs_model_time(b, op, NULL, 1, 2);
        in = out;
    }
    tgs_model_output(b, in);
    assert_int_equal(tgs_model_finish(&m, b, NULL), TGS_OK);
    return m;
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

/* seconds of the longest chain: with a block a task, and the blocks of a stage in a row, it is what
 * a pipeline takes whose stages have a processor each */
static double longest(const tgs_graph *g)
{
    double *end = calloc((size_t)g->v.tasks, sizeof *end), most = 0;

    for (int32_t i = 0; i < g->v.tasks; i++) {
        const int32_t t = g->v.topo[i];

        end[t] += isnan(g->v.task[t].work) ? 0 : g->v.task[t].work;
        most = fmax(most, end[t]);
        for (int32_t e = g->v.succ_at[t]; e < g->v.succ_at[t + 1]; e++)
            end[g->v.succ[e]] = fmax(end[g->v.succ[e]], end[t]);
    }
    free(end);
    return most;
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

static bool comes_before(const tgs_graph *g, const char *from, const char *to)
{
    const int32_t u = tgs_graph_find_task(g, from), v = tgs_graph_find_task(g, to);
    bool *seen = calloc((size_t)g->v.tasks, sizeof *seen), found;

    assert_true(u >= 0 && v >= 0);
    seen[u] = true;
    for (int32_t i = 0; i < g->v.tasks; i++)
        for (int32_t e = g->v.succ_at[g->v.topo[i]]; e < g->v.succ_at[g->v.topo[i] + 1]; e++)
            seen[g->v.succ[e]] |= seen[g->v.topo[i]];
    found = seen[v];
    free(seen);
    return found;
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

static void what_is_wrong_is_said(void **state)
{
    tgs_model *m = chain();
    tgs_strategy *s;
    tgs_graph *g;
    tgs_error err = {TGS_OK, ""};

    (void)state;
    assert_int_equal(tgs_strategy_parse(&s, "train sgd; pipeline 2 2f2b", NULL), TGS_OK);
    assert_int_equal(tgs_model_lower(&g, m, s, &err), TGS_EINVAL);
    assert_true(strstr(err.text, "no order '2f2b' (there are: 1f1b, gpipe)") && !g);
    tgs_strategy_free(s);
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
        cmocka_unit_test(what_is_wrong_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
