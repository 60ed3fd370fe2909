/* t_oom_model.c -- memory runs out while a model is built and lowered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "oom.h"
#include "modelimpl.h"

/* x -> Conv -> BatchNormalization -> Relu, and added to the Conv -> Reshape by a folded shape ->
 * MatMul -> y; whatever fails is remembered until the end */
static tgs_status build(tgs_model **out)
{
    static const int64_t image[] = {2, 1, 4, 4}, kernel[] = {2, 1, 3, 3}, two[] = {2}, one[] = {1};
    static const int64_t matrix[] = {32, 3}, zero[] = {0}, rest[] = {-1};
    static const struct {
        const char *type, *attrs;
        int32_t in[5], count, out;
    } ops[] = {
        {"Conv", "pads=1,1,1,1", {0, 1}, 2, 8},
        {"BatchNormalization", "", {8, 2, 2, 3, 3}, 5, 9},
        {"Relu", "", {9}, 1, 10},
        {"Add", "", {10, 8}, 2, 11},
        {"Shape", "", {0}, 1, 12},
        {"Gather", "", {12, 4}, 2, 13},
        {"Concat", "axis=0", {13, 5}, 2, 14},
        {"Reshape", "", {11, 14}, 2, 15},
        {"MatMul", "", {15, 6}, 2, 7},
    };
    tgs_model_builder *b;
    char name[16];
    tgs_status status = tgs_model_builder_new(&b, "net", NULL);

    *out = NULL;
    if (status)
        return status;
    for (int32_t i = 0; i < 16; i++) {
        snprintf(name, sizeof name, "t%d", (int)i);
        tgs_model_tensor(b, name);
    }
    tgs_model_shape(b, 0, TGS_F32, 4, image);
    tgs_model_shape(b, 1, TGS_F32, 4, kernel);
    tgs_model_shape(b, 2, TGS_F32, 1, two);
    tgs_model_shape(b, 3, TGS_F32, 1, two);
    tgs_model_shape(b, 4, TGS_I64, 1, one);
    tgs_model_shape(b, 5, TGS_I64, 1, one);
    tgs_model_shape(b, 6, TGS_F32, 2, matrix);
    tgs_model_integers(b, 4, zero);
    tgs_model_integers(b, 5, rest);
    tgs_model_input(b, 0);
    for (int32_t i = 1; i < 7; i++)
        tgs_model_stored(b, i, i == 2 ? "constant:1" : NULL);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        tgs_model_operator(b, NULL, ops[i].type, ops[i].attrs, ops[i].count, ops[i].in, 1,
                           &ops[i].out);
    tgs_model_output(b, 7);
    return tgs_model_finish(out, b, NULL);
}

static tgs_status make_model(const void *data)
{
    tgs_model *m;
    tgs_model_stats s;
    tgs_status status = build(&m);

    (void)data;
    if (!status)
        status = tgs_model_measure(m, &s, NULL);
    tgs_model_free(m);
    return status;
}

typedef struct lowering {
    const tgs_model *m;
    const char *strategy;
} lowering;

static tgs_status lower(const void *data)
{
    const lowering *l = data;
    tgs_strategy *s;
    tgs_graph *g = NULL;
    tgs_error err = {TGS_OK, ""};
    tgs_status status = tgs_strategy_parse(&s, l->strategy, &err);

    if (!status)
        status = tgs_model_lower(&g, l->m, s, &err);
    assert_int_equal(g != NULL, !status);
    assert_true(!status || *err.text);
    tgs_graph_free(g);
    tgs_strategy_free(s);
    return status;
}

static void building_a_model(void **state)
{
    (void)state;
    oom_every("model", make_model, NULL);
}

static void lowering_a_step(void **state)
{
    static const char *const strategies[] = {
        "",
        "train sgd",
        "train adam; micro-batches 2",
        "train momentum; loss mse; replicas 3",
        "train sgd; micro-batches 3; accumulate tree; replicas 2",
        "train sgd; recompute 2; micro-batches 2; pipeline 2; replicas 2",
        "train sgd; micro-batches 2; pipeline 2 cuts=t9; place a,b",
        "train sgd; micro-batches 2; waves 2 D=1; replicas 2",
        "train sgd; micro-batches 2; pipeline 2; versions",
        "batch 3; train sgd",
        "train sgd; micro-batches 2; replicas 2 shares=5,3",
        "train sgd; replicas 2 reduce=ring",
        "train sgd; replicas 2 reduce=alpha-beta",
        "train sgd; micro-batches 2; layered",
        "train sgd; merge 2; replicas 2",
        "train sgd; unlock 2",
        "train sgd; loss sum; unlock 2 local",
        "train sgd; feedback direct",
        "train adam; tensor 1d 2",
        "train sgd; tensor 2d 4",
        "train sgd; tensor 3d 8; recompute 2",
        "train sgd; micro-batches 2; replicas 2; shard 3 layered=1",
        "train sgd; merge 2; replicas 2 reduce=ring; shard 2",
        "train adam; replicas 2; shard 1 owners=2,1; offload optimizer",
        "train sgd; offload activations",
    };
    tgs_model *m;

    (void)state;
    assert_int_equal(build(&m), TGS_OK);
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
        const lowering l = {m, strategies[i]};

        oom_every(strategies[i], lower, &l);
    }
    tgs_model_free(m);
}

static tgs_status read_network(const void *spec)
{
    tgs_model *m;
    tgs_error err = {TGS_OK, ""};
    const tgs_status status = tgs_model_read(&m, spec, NULL, NULL, &err);

    assert_int_equal(m != NULL, !status);
    assert_true(!status || *err.text);
    tgs_model_free(m);
    return status;
}

/* one of every family that has a small one: what a failed call returns goes on as an input */
static void reading_a_network(void **state)
{
    static const char *const specs[] = {"zoo:mlp",
                                        "zoo:lenet5",
                                        "zoo:gnmt:layers=2:seq=2",
                                        "zoo:bert-base:layers=1:seq=4",
                                        "zoo:gpt2:layers=1:seq=4",
                                        "zoo:moe:layers=1:seq=4",
                                        "zoo:gcn",
                                        "zoo:nequip:layers=1",
                                        "zoo:ensemble:members=2"};

    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        oom_every(specs[i], read_network, specs[i]);
}

static tgs_status lower_timed(const void *data)
{
    const tgs_model *m = data;
    tgs_times *t;
    tgs_graph *g = NULL;
    tgs_sums *sums = NULL;
    tgs_status status = tgs_times_read(&t, "times.tmp.csv", NULL);

    if (!status)
        status = tgs_model_lower_timed(&g, m, NULL, t, NULL, NULL);
    if (!status)
        status = tgs_graph_sum(&sums, g, TGS_SUM_LAYER, NULL);
    if (!status)
        status = tgs_graph_draw(g, "net", "times.tmp.svg", NULL);
    tgs_sums_free(sums);
    tgs_graph_free(g);
    tgs_times_free(t);
    return status;
}

static void profiles_and_times(void **state)
{
    const char *source = getenv("TGS_SRCDIR");
    FILE *file = fopen("times.tmp.csv", "w");
    char path[1000];
    tgs_model *m;

    (void)state;
    assert_true(file && fputs("node,kind,forward_s\nt8,,1\nt9,gpu,2\nt9,cpu,3\n", file) >= 0);
    fclose(file);
    assert_int_equal(build(&m), TGS_OK);
    oom_every("times", lower_timed, m);
    tgs_model_free(m);
    remove("times.tmp.csv");
    remove("times.tmp.svg");
    snprintf(path, sizeof path, "%s/tests/data/profiles/pipedream-gnmt.txt", source ? source : ".");
    oom_every("pipedream", read_network, path);
    snprintf(path, sizeof path, "%s/tests/data/profiles/astra-resnet50.txt", source ? source : ".");
    oom_every("astra", read_network, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(building_a_model),
        cmocka_unit_test(lowering_a_step),
        cmocka_unit_test(reading_a_network),
        cmocka_unit_test(profiles_and_times),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
