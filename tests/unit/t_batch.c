/* t_batch.c -- a model at another batch is the model that was bound to it in the first place; and
 * what cannot be is refused by the name of its node. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "nets.h"
#include "steps.h"

static tgs_model *at_batch(const tgs_model *m, int64_t batch)
{
    tgs_model *out;
    tgs_error err = {TGS_OK, ""};

    if (tgs_model_rebatch(&out, m, batch, &err))
        fail_msg("%s", err.text);
    return out;
}

static void refused(const tgs_model *m, int64_t batch, tgs_status expected, const char *what)
{
    tgs_model *out = (tgs_model *)&expected;
    tgs_error err = {TGS_OK, ""};
    const tgs_status status = tgs_model_rebatch(&out, m, batch, &err);

    if (status != expected || out || !strstr(err.text, what))
        fail_msg("%d, '%s', not '%s'", (int)status, err.text, what);
}

static uint64_t fingerprint(const tgs_model *m, const char *strategy)
{
    tgs_graph *g = lowered(m, strategy);
    const uint64_t f = tgs_graph_fingerprint(g);

    tgs_graph_free(g);
    return f;
}

static tgs_model *zoo(const char *name, int batch, const char *rest)
{
    char spec[200];
    tgs_model *m;
    tgs_error err = {TGS_OK, ""};

    snprintf(spec, sizeof spec, "zoo:%s:batch=%d%s", name, batch, rest);
    if (tgs_model_read(&m, spec, NULL, NULL, &err))
        fail_msg("%s", err.text);
    return m;
}

static const struct network {
    const char *name, *rest;
    bool one; /* a batch of one leaves no doubt where it is */
} networks[] = {
    {"mlp", "", true},
    {"lenet5", "", true},
    {"resnet18", ":side=64", true},
    {"densenet121", ":side=64", true},
    {"mobilenet-v2", ":side=64", true},
    {"unet", ":side=64", true},
    {"bnn", "", true},
    {"lstm", ":seq=4", false},
    {"gnmt", ":layers=2:seq=4", false},
    {"bert-base", ":layers=2:seq=16", true},
    {"gpt2", ":layers=2:seq=16", true},
    {"llama", ":layers=2:seq=16", true},
    {"moe", ":layers=1:seq=64:capacity=1", true},
    {"dlrm", "", true},
    {"ensemble", ":members=2", true},
};

static void networks_follow_the_batch(void **state)
{
    static const int pairs[][2] = {{2, 6}, {6, 2}, {4, 3}, {3, 1}, {1, 5}, {2, 2}};

    (void)state;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
            const struct network *n = &networks[i];
            tgs_model *from, *to, *made;
            tgs_model_stats s, t;

            if (pairs[k][0] == 1 && !n->one)
                continue;
            from = zoo(n->name, pairs[k][0], n->rest);
            to = zoo(n->name, pairs[k][1], n->rest);
            made = at_batch(from, pairs[k][1]);
            if (fingerprint(made, "train sgd") != fingerprint(to, "train sgd"))
                fail_msg("%s from %d to %d", n->name, pairs[k][0], pairs[k][1]);
            assert_int_equal(tgs_model_measure(made, &s, NULL), TGS_OK);
            assert_int_equal(tgs_model_measure(to, &t, NULL), TGS_OK);
            assert_true(s.batch == pairs[k][1] && t.batch == s.batch);
            assert_true(s.parameters == t.parameters && s.flops_forward == t.flops_forward);
            tgs_model_free(from);
            tgs_model_free(to);
            tgs_model_free(made);
        }
}

/* the sequence comes first: nothing but the reader knows which axis holds the samples */
static void where_samples_run_is_told(void **state)
{
    tgs_model *m = zoo("lstm", 4, ":seq=8"), *n = at_batch(m, 2);
    tgs_model_stats s;

    (void)state;
    assert_int_equal(tgs_model_measure(m, &s, NULL), TGS_OK);
    assert_true(s.batch == 4);
    assert_dims(n, "tokens", DIMS(8, 2));
    tgs_model_free(m);
    tgs_model_free(n);
    m = zoo("lstm", 1, ":seq=8"); /* [8,1,h] to [8,h]: words of one sample, or of a longer text? */
    refused(m, 3, TGS_ENOTAPPLICABLE, "node 'rows' (Reshape): its constant shape does not say");
    tgs_model_free(m);
}

/* x [batch,6] in two shapes and back by constants */
static tgs_model *reshaped(int64_t batch, const int64_t *there, int64_t rank)
{
    net n = net_new();

    net_input(&n, "x", DIMS(batch, 6));
    net_integers(&n, "there", rank, there);
    net_integers(&n, "back", 2, (const int64_t[]){batch, 6});
    net_stored(&n, "w", DIMS(6, 3));
    net_op(&n, "Reshape", "x there", "t", NULL);
    net_op(&n, "Reshape", "t back", "u", NULL);
    net_op(&n, "MatMul", "u w", "y", NULL);
    return net_model(&n, "y");
}

static void constant_shapes_follow(void **state)
{
    static const struct form {
        int64_t shape[4], rank, wanted[5]; /* at 4 samples, and at 6 */
    } forms[] = {
        {{4, 2, 3}, 3, {6, 2, 3, -1}},
        {{4, -1, 3}, 3, {6, 2, 3, -1}}, /* not [4,3,3]: the samples stay apart */
        {{-1, 2, 3}, 3, {6, 2, 3, -1}},
        {{0, 2, 3}, 3, {6, 2, 3, -1}},
        {{8, 3}, 2, {12, 3, -1}},
        {{1, 4, 6}, 3, {1, 6, 6, -1}},
        {{2, 2, 6}, 3, {3, 2, 6, -1}}, /* samples come first, whatever they are joined with */
        {{24}, 1, {36, -1}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        tgs_model *m = reshaped(4, forms[i].shape, forms[i].rank), *n = at_batch(m, 6);

        assert_dims(n, "t", forms[i].wanted);
        assert_dims(n, "y", DIMS(6, 3));
        tgs_model_free(m);
        tgs_model_free(n);
    }
}

static void what_does_not_follow_is_refused(void **state)
{
    tgs_model *m = reshaped(4, (const int64_t[]){2, 12}, 2);
    net n;

    (void)state;
    refused(m, 3, TGS_ENOTAPPLICABLE, "node 't' (Reshape)"); /* pairs of samples of three */
    refused(m, 0, TGS_EINVAL, "a batch of 0 samples");
    tgs_model_free(m);
    n = net_new(); /* a constant as long as the batch */
    net_input(&n, "x", DIMS(4, 3));
    net_stored(&n, "c", DIMS(4, 3));
    net_op(&n, "Add", "x c", "y", NULL);
    m = net_model(&n, "y");
    refused(m, 3, TGS_ENOTAPPLICABLE, "node 'y' (Add)");
    tgs_model_free(m);
    n = net_new(); /* its mean over samples is one thing, its output another */
    net_input(&n, "x", DIMS(4, 3));
    net_integers(&n, "axes", 1, (const int64_t[]){0});
    net_op(&n, "ReduceSum", "x axes", "y", NULL);
    m = net_model(&n, "y");
    refused(m, 3, TGS_ENOTAPPLICABLE, "node 'y': no output follows");
    tgs_model_free(m);
    n = net_new(); /* samples against samples */
    net_input(&n, "x", DIMS(4, 3));
    net_op(&n, "Transpose", "x", "t", "perm=1,0");
    net_op(&n, "MatMul", "x t", "s", NULL);
    net_integers(&n, "flat", 1, (const int64_t[]){16});
    net_op(&n, "Reshape", "s flat", "y", NULL);
    m = net_model(&n, "y");
    refused(m, 3, TGS_ENOTAPPLICABLE, "node 'y' (Reshape)");
    tgs_model_free(m);
    n = net_new(); /* nothing to go by */
    net_stored(&n, "w", DIMS(4, 3));
    net_op(&n, "Relu", "w", "y", NULL);
    m = net_model(&n, "y");
    refused(m, 3, TGS_ENOTAPPLICABLE, "no input says");
    tgs_model_free(m);
}

static void a_profile_is_of_one_batch(void **state)
{
    static const int64_t bytes[] = {64};
    tgs_model_builder *b;
    tgs_model *m;
    int32_t in, out;

    (void)state;
    assert_int_equal(tgs_model_builder_new(&b, "profile", NULL), TGS_OK);
    in = tgs_model_tensor(b, "in");
    out = tgs_model_tensor(b, "out");
    tgs_model_shape(b, in, TGS_F32, 1, bytes);
    tgs_model_shape(b, out, TGS_BYTES, 1, bytes);
    tgs_model_input(b, in);
    tgs_model_operator(b, "layer", "tgsched.Layer", NULL, 1, &in, 1, &out);
    tgs_model_output(b, out);
    assert_int_equal(tgs_model_finish(&m, b, NULL), TGS_OK);
    refused(m, 3, TGS_ENOTAPPLICABLE, "layer 'layer' is known for one batch only");
    tgs_model_free(m);
}

/* seconds of operators grow as their batch does */
static void measured_times_grow(void **state)
{
    net n = net_new();
    tgs_model *m, *t;
    int32_t in, out;

    (void)state;
    net_input(&n, "x", DIMS(4, 3));
    in = tgs_model_tensor(n.b, "x");
    out = tgs_model_tensor(n.b, "y");
    tgs_model_time(n.b, tgs_model_operator(n.b, "y", "Relu", NULL, 1, &in, 1, &out), "gpu", 2, 8);
    m = net_model(&n, "y");
    t = at_batch(m, 6);
    assert_int_equal(t->v.times, 1);
    assert_true(t->v.time[0].forward == 3 && t->v.time[0].backward == 12);
    assert_string_equal(t->v.time[0].kind, "gpu");
    tgs_model_free(m);
    tgs_model_free(t);
}

static void a_strategy_may_ask_for_a_batch(void **state)
{
    tgs_model *m = mlp(), *n = at_batch(m, 10);

    (void)state;
    assert_dims(n, "h", DIMS(10, 5));
    assert_true(fingerprint(m, "batch 10; train sgd; micro-batches 3")
                == fingerprint(n, "train sgd; micro-batches 3"));
    assert_true(fingerprint(m, "batch 4; train sgd") == fingerprint(m, "train sgd"));
    tgs_model_free(m);
    tgs_model_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_follow_the_batch),
        cmocka_unit_test(where_samples_run_is_told),
        cmocka_unit_test(constant_shapes_follow),
        cmocka_unit_test(what_does_not_follow_is_refused),
        cmocka_unit_test(a_profile_is_of_one_batch),
        cmocka_unit_test(measured_times_grow),
        cmocka_unit_test(a_strategy_may_ask_for_a_batch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
