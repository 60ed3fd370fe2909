/* t_offload.c -- what waits in host memory: the weights after some steps stay what they are, in
 * double on the serial backend; no more state is out at once than the ring of buckets holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "nets.h"
#include "parts.h"

enum { LAYERS = 8, WIDTH = 6, STATE = 2 * 4 * WIDTH * WIDTH }; /* bytes of a layer's moments */

static tgs_model *chain(void)
{
    net n = net_new();
    char text[40], name[16];

    net_input(&n, "x", DIMS(4, WIDTH));
    for (int i = 1; i <= LAYERS; i++) {
        snprintf(name, sizeof name, "w%d", i);
        net_stored(&n, name, DIMS(WIDTH, WIDTH));
        snprintf(text, sizeof text, i > 1 ? "t%d w%d" : "x w1", i - 1, i);
        snprintf(name, sizeof name, "h%d", i);
        net_op(&n, "MatMul", text, name, NULL);
        snprintf(text, sizeof text, "h%d", i);
        snprintf(name, sizeof name, "t%d", i);
        net_op(&n, "Tanh", text, name, NULL);
    }
    return net_model(&n, name);
}

static void the_mathematics_stays(void **state)
{
    static const char *const plain[] = {
        "train adam lr=0.01; loss mse",
        "train momentum lr=0.1; loss mse; micro-batches 2; replicas 2",
        "train adam lr=0.01; loss mse; micro-batches 3; pipeline 2"};
    static const char *const more[] = {
        "offload optimizer",
        "offload optimizer bucket=1000 ring=2",
        "offload activations",
        "offload activations bucket=50; offload optimizer",
        "offload activations; recompute",
    };

    (void)state;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        for (size_t k = 0; k < sizeof more / sizeof *more; k++)
            same_weights(chain, plain[i], more[k]);
    same_weights(chain, plain[1], "shard 2; offload optimizer");
    same_weights(chain, plain[0], "tensor 1d 2; offload optimizer");
}

static bool in_host(const tgs_graph *g, int32_t t)
{
    const int32_t c = g->v.task[t].constraint;

    return c >= 0 && g->v.constraint[c].memory > 0
           && !strcmp(tgs_text(&g->v, g->v.constraint[c].memory), "ram");
}

/* [v * n + u]: u comes before v */
static bool *precedence(const tgs_graph *g)
{
    const int32_t n = g->v.tasks;
    bool *before = calloc((size_t)n * (size_t)n, sizeof *before);

    for (int32_t i = 0; i < n; i++) {
        const int32_t u = g->v.topo[i];

        for (int32_t e = g->v.succ_at[u]; e < g->v.succ_at[u + 1]; e++) {
            bool *to = &before[(int64_t)g->v.succ[e] * n];

            to[u] = true;
            for (int32_t k = 0; k < n; k++)
                to[k] |= before[(int64_t)u * n + k];
        }
    }
    return before;
}

/* all buffers of layer i ("w3.momentum.out") are taken back before one of layer j is given out */
static bool apart(const tgs_graph *g, const bool *before, int i, int j)
{
    bool all = true;

    for (int32_t u = 0; u < g->v.tasks; u++)
        for (int32_t v = 0; v < g->v.tasks; v++) {
            const char *back = tgs_graph_task_name(g, u), *out = tgs_graph_task_name(g, v);

            if (back[0] == 'w' && back[1] == '0' + i && strstr(back, ".back") && out[0] == 'w'
                && out[1] == '0' + j && strstr(out, ".out") && !strstr(out, ".back"))
                all &= before[(int64_t)v * g->v.tasks + u];
        }
    return all;
}

/* the most layers whose state is out at once in any order that the dependencies leave */
static int most_out(const tgs_graph *g)
{
    bool *before = precedence(g), exclude[LAYERS][LAYERS];
    int most = 0;

    for (int i = 0; i < LAYERS; i++)
        for (int j = 0; j < LAYERS; j++)
            exclude[i][j] = i != j && apart(g, before, i + 1, j + 1);
    for (int set = 0; set < 1 << LAYERS; set++) {
        int count = 0;

        for (int i = 0; i < LAYERS; i++)
            for (int j = 0; j <= i && count >= 0; j++)
                if (set >> i & 1 && set >> j & 1)
                    count = exclude[i][j] || exclude[j][i] ? -1 : count + (i == j);
        most = count > most ? count : most;
    }
    free(before);
    return most;
}

/* P5 of S7: device memory of the state is what the ring of buckets holds, not that of all
 * parameters; the host's tasks alone touch the state itself */
static void buckets_bound_what_is_out(void **state)
{
    static const struct form {
        const char *text;
        int out; /* layers */
    } forms[] = {{"offload optimizer", 1},
                 {"offload optimizer ring=3", 3},
                 {"offload optimizer bucket=600", 2},
                 {"offload optimizer bucket=600 ring=2", 4},
                 {"offload optimizer bucket=1e9", LAYERS}};
    tgs_model *m = chain();

    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char strategy[200];
        tgs_graph *g;
        double moved = 0;

        snprintf(strategy, sizeof strategy, "train adam; loss mse; %s", forms[i].text);
        g = lowered(m, strategy);
        for (int32_t t = 0; t < g->v.tasks; t++)
            for (int32_t a = g->v.access_at[t]; a < g->v.access_at[t + 1]; a++) {
                const tgs_datum *d = &g->v.datum[g->v.access[a].datum];

                if (g->v.extra[d->extra].class_ != TGS_CLASS_STATE)
                    continue;
                if (g->v.extra[d->extra].persistent) {
                    assert_true(in_host(g, t));
                    moved += d->bytes;
                }
            }
        assert_true(moved == 2 * LAYERS * (STATE + 4)); /* out and back; adam counts its steps */
        if (most_out(g) != forms[i].out)
            fail_msg("%s: state of %d layers is out, not %d", strategy, most_out(g), forms[i].out);
        tgs_graph_free(g);
    }
    tgs_model_free(m);
}

/* no task of the backward pass reads what the forward pass left, but the host's copy of it */
static void activations_wait_in_the_host(void **state)
{
    tgs_model *m = chain();
    tgs_graph *g = lowered(m, "train sgd; loss mse; offload activations");
    int32_t copies = 0;

    (void)state;
    for (int32_t t = 0; t < g->v.tasks; t++) {
        copies += in_host(g, t);
        for (int32_t a = g->v.access_at[t]; a < g->v.access_at[t + 1]; a++) {
            const tgs_datum *d = &g->v.datum[g->v.access[a].datum];

            if (g->v.task[t].phase == TGS_PHASE_BACKWARD && g->v.access[a].mode == TGS_R
                && g->v.extra[d->extra].class_ == TGS_CLASS_ACTIVATION)
                assert_non_null(strstr(tgs_text(&g->v, d->name), ".out"));
        }
    }
    assert_int_equal(copies, LAYERS); /* of each layer what tanh made */
    tgs_graph_free(g);
    tgs_model_free(m);
}

/* a strategy that places everything leaves the host what is the host's */
static void place_leaves_the_host_alone(void **state)
{
    tgs_model *m = chain();
    tgs_graph *g =
        lowered(m, "train momentum; loss mse; replicas 2; shard 1; offload optimizer; place a,b");
    int32_t copies = 0;

    (void)state;
    for (int32_t t = 0; t < g->v.tasks; t++)
        copies += in_host(g, t);
    assert_int_equal(copies, 2 * 2 * LAYERS); /* out and back, of two owners */
    tgs_graph_free(g);
    tgs_model_free(m);
}

static void what_is_wrong_is_said(void **state)
{
    static const refusal wrong[] = {
        {"train sgd; offload optimizer", "the optimizer has no state"},
        {"train adam; offload parameters", "no 'parameters' (there are: optimizer, activations)"},
        {"train adam; offload activations bucket=1e6", "no activation is as large"},
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
        cmocka_unit_test(buckets_bound_what_is_out),
        cmocka_unit_test(activations_wait_in_the_host),
        cmocka_unit_test(place_leaves_the_host_alone),
        cmocka_unit_test(what_is_wrong_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
