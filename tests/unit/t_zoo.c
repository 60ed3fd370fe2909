/* t_zoo.c -- the networks of the zoo have the parameters and products that were published, and
 * every one of them lowers to a training step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "nets.h"

/* Of one sample.  Image networks: torchvision's tables of its models ("num_params" and "GFLOPS",
 * which counts a multiply-add once).  Others: where their row says. */
static const struct published {
    const char *spec;
    double parameters, multiply_adds; /* 0: not published */
} published[] = {
    {"zoo:lenet5:batch=1", 61706, 416520}, /* by hand: 117600 + 240000 + 48000 + 10080 + 840 */
    {"zoo:alexnet:batch=1", 61100840, 0.714e9},
    {"zoo:vgg16:batch=1", 138357544, 15.470e9},
    {"zoo:vgg19:batch=1", 143667240, 19.632e9},
    {"zoo:resnet18:batch=1", 11689512, 1.814e9},
    {"zoo:resnet34:batch=1", 21797672, 3.664e9},
    {"zoo:resnet50:batch=1", 25557032, 4.089e9},
    {"zoo:resnet101:batch=1", 44549160, 7.801e9},
    {"zoo:resnet152:batch=1", 60192808, 11.514e9},
    /* 27161264 with the auxiliary classifier's 3326696 */
    {"zoo:inception-v3:batch=1", 23834568, 5.713e9},
    {"zoo:densenet121:batch=1", 7978856, 2.834e9},
    {"zoo:densenet169:batch=1", 14149480, 3.36e9},
    {"zoo:densenet201:batch=1", 20013928, 4.291e9},
    {"zoo:mobilenet-v2:batch=1", 3504872, 0.301e9},
    /* 22.5e9 flops at 128 tokens: Jiao et al., TinyBERT, 2020, table 1 */
    {"zoo:bert-base:batch=1:seq=128", 109482240, 11.25e9},
    {"zoo:bert-large:batch=1:seq=128", 335141888, 0},
    /* model cards of the weights */
    {"zoo:gpt2:batch=1:seq=128", 124439808, 0},
    {"zoo:gpt2-medium:batch=1:seq=128", 354823168, 0},
    {"zoo:gpt2-large:batch=1:seq=128", 774030080, 0},
    {"zoo:gpt2-xl:batch=1:seq=128", 1557611200, 0},
    {"zoo:llama-7b:seq=16", 6738415616, 0},
    {"zoo:llama-13b:seq=16", 13015864320, 0},
    {"zoo:llama2-70b:seq=16", 68976648192, 0},
    {"zoo:llama3-8b:seq=16", 8030261248, 0},
    {"zoo:tinyllama:seq=16", 1100048384, 0},
    {"zoo:mistral-7b:seq=16", 7241732096, 0},
    {"zoo:mixtral-8x7b:seq=16", 46702792704, 0},
    /* the medium model, with two bias vectors as cuDNN has them */
    {"zoo:lstm:batch=1", 19780400, 0},
    /* MLPerf training v0.6 logs */
    {"zoo:gnmt:batch=1", 160671297, 0},
    {"zoo:dlrm:batch=1", 540201232 + 155984 + 320001, 0}, /* 33762577 rows of 16 */
    {"zoo:gcn", 23063, 0},
    {"zoo:graphsage", 2 * 1433 * 16 + 16 + 2 * 16 * 7 + 7, 0},
    {"zoo:unet", 31037698, 0},
    /* 14022016 binary weights; scale and shift of 3850 channels */
    {"zoo:bnn:batch=1", 14022016 + 2 * 3850, 0},
    {"zoo:mlp:batch=1", 784 * 512 + 512 + 512 * 512 + 512 + 5120 + 10,
     784 * 512 + 512 * 512 + 5120},
    {"zoo:ensemble:members=3:of=lenet5:batch=1", 3 * 61706, 3 * 416520},
    /* a layer: 8 matrices of 8 x 8 (two in each of 3 mixtures, one for the gates: 7), and the
     * radial layers 8 x 64, 64 x 64, 64 x 40 */
    {"zoo:nequip:channels=8:layers=2", 4 * 8 + 2 * (7 * 64 + 512 + 4096 + 2560) + 8, 0},
};

static tgs_model *open_zoo(const char *spec)
{
    tgs_model *m;
    tgs_error err = {TGS_OK, ""};

    if (tgs_model_read(&m, spec, NULL, NULL, &err))
        fail_msg("%s: %s", spec, err.text);
    return m;
}

static double products(const tgs_graph *g)
{
    static const char *const names[] = {"conv", "convtranspose", "gemm", "matmul", "lstm"};
    const tgs_graph_view *v = &g->v;
    double flops = 0;

    for (int32_t i = 0; i < v->tasks; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (!strcmp(tgs_task_codelet(v, i), names[k]))
                flops += v->task[i].flops;
    return flops;
}

static void parameters_and_products_are_the_published_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        const struct published *p = &published[i];
        tgs_model *m = open_zoo(p->spec);
        tgs_model_stats s;
        tgs_graph *g;

        assert_int_equal(tgs_model_measure(m, &s, NULL), TGS_OK);
        if (s.parameters != p->parameters)
            fail_msg("%s: %.0f parameters, not %.0f", p->spec, s.parameters, p->parameters);
        if (p->multiply_adds > 0) {
            double flops;

            g = lowered(m, NULL);
            flops = products(g);
            if (fabs(flops / (2 * p->multiply_adds) - 1) > 0.01)
                fail_msg("%s: %.6g multiply-adds, not %.6g", p->spec, flops / 2, p->multiply_adds);
            tgs_graph_free(g);
        }
        tgs_model_free(m);
    }
}

/* a small one of every network, by the names that the families declare */
static void every_network_trains(void **state)
{
    int32_t networks = 0;

    (void)state;
    for (int32_t i = 0; tgs_plugin_name("zoo", i); i++) {
        const tgs_plugin *p;
        char names[200], *cursor = names, *name;

        assert_int_equal(tgs_i_find(&p, "zoo", tgs_plugin_name("zoo", i), NULL), TGS_OK);
        snprintf(names, sizeof names, "%s", ((const tgs_zoo *)p)->names);
        while ((name = tgs_word(&cursor))) {
            char spec[120];
            tgs_model *m;
            tgs_graph *g;
            tgs_graph_stats s;
            bool layers = false, seq = false, batch = false;

            for (const tgs_param *q = p->params; q && q->key; q++) {
                layers |= !strcmp(q->key, "layers");
                seq |= !strcmp(q->key, "seq");
                batch |= !strcmp(q->key, "batch");
            }
            snprintf(spec, sizeof spec, "zoo:%s%s%s%s", name, batch ? ":batch=2" : "",
                     layers ? ":layers=2" : "", seq ? ":seq=8" : "");
            m = open_zoo(spec);
            g = lowered(m, "train sgd; micro-batches 2");
            assert_int_equal(tgs_graph_measure(g, &s, NULL), TGS_OK);
            assert_true(s.parameters > 0);
            assert_true(s.tasks > 6);
            if (strcmp(name, p->name)
                && !strstr(p->summary, name)) /* `tgsched list zoo` shows it */
                fail_msg("%s: not in its family's summary", name);
            tgs_graph_free(g);
            tgs_model_free(m);
            networks++;
        }
    }
    assert_true(networks >= 40);
}

static void refused(const char *spec, const char *bind, const char *what)
{
    tgs_model *m = NULL;
    tgs_error err = {TGS_OK, ""};

    if (!tgs_model_read(&m, spec, NULL, bind, &err) || m || !strstr(err.text, what))
        fail_msg("%s: '%s', not '%s'", spec, err.text, what);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    refused("zoo:resnet51", NULL, "no network 'resnet51' in the zoo (there are: mlp lenet5");
    refused("zoo:", NULL, "no network ''");
    refused("zoo:mlp:batch=0", NULL, "batch");
    refused("zoo:mlp:depth=3", NULL, "depth");
    refused("zoo:mlp", "batch=2", "nothing to bind");
    refused("zoo:unet:side=100", NULL, "multiple of 16");
    refused("zoo:llama:heads=7", NULL, "do not divide");
    refused("zoo:ensemble:of=nothing", NULL, "no network 'nothing'");
    refused("zoo:ensemble:of=ensemble", NULL, "no network to average");
}

/* members read one input; growing one network grows nothing else */
static void sizes_follow_their_parameters(void **state)
{
    tgs_model *m = open_zoo("zoo:ensemble:members=3:of=mlp:batch=5");
    tgs_model_stats small, large;

    (void)state;
    assert_int_equal(tgs_model_look(m)->inputs, 1);
    tgs_model_free(m);
    m = open_zoo("zoo:gpt2:batch=1:seq=64:layers=2");
    tgs_model_measure(m, &small, NULL);
    tgs_model_free(m);
    m = open_zoo("zoo:gpt2:batch=3:seq=64:layers=4");
    tgs_model_measure(m, &large, NULL);
    tgs_model_free(m);
    /* a layer of GPT-2: 12 width^2 + 13 width */
    assert_true(large.parameters - small.parameters == 2 * (12 * 768.0 * 768 + 13 * 768));
    assert_true(large.flops_forward > 3 * small.flops_forward);
}

/* numbers that no file holds come out as they are: which tokens a token sees, the couplings of
 * nequip */
static void constants_have_their_values(void **state)
{
    tgs_model *m = open_zoo("zoo:gpt2:batch=1:seq=3:layers=1");
    tgs_graph *g = lowered(m, NULL);
    const int32_t mask = tgs_graph_find_datum(g, "causal.mask");
    uint8_t seen[9];

    (void)state;
    assert_true(mask >= 0);
    assert_int_equal(tgs_datum_fill(&g->v, mask, seen, NULL), TGS_OK);
    assert_memory_equal(seen, ((const uint8_t[]){1, 0, 0, 1, 1, 0, 1, 1, 1}), 9);
    tgs_graph_free(g);
    tgs_model_free(m);
    m = open_zoo("zoo:nequip:layers=1");
    g = lowered(m, NULL);
    {
        const int32_t d = tgs_graph_find_datum(g, "couplings.table");
        float table[4][5][4][4];
        double squares = 0;

        assert_true(d >= 0);
        assert_int_equal(tgs_datum_fill(&g->v, d, table, NULL), TGS_OK);
        assert_true(table[0][0][0][0] == 1 && table[2][4][3][1] > 0.7F
                    && table[1][4][3][2] < -0.7F);
        for (size_t i = 0; i < sizeof table / sizeof(float); i++)
            squares += pow((double)((float *)table)[i], 2);
        assert_true(fabs(squares - (1 + 3 * (1.0 / 3 + 1 + 1 + 2 * 0.5))) < 1e-6);
    }
    tgs_graph_free(g);
    tgs_model_free(m);
}

static void values_are_numbers(void **state)
{
    static const char *const bad[] = {"values:", "values:1,", "values:,1", "values:1;2",
                                      "values:x"};
    static const int64_t two[] = {2};
    tgs_builder *b;
    tgs_graph *g;
    float x[2];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(tgs_builder_new(&b, NULL), TGS_OK);
        assert_int_equal(tgs_builder_datum_set(b, tgs_builder_datum(b, "x", 8), "init", bad[i]),
                         TGS_EINVAL);
        tgs_builder_free(b);
    }
    for (int count = 1; count <= 3; count++) { /* as many as there are elements, no other number */
        static const char *const text[] = {"", "values:7", "values:1.5,-2", "values:1,2,3"};

        assert_int_equal(tgs_builder_new(&b, NULL), TGS_OK);
        tgs_builder_datum_shape(b, tgs_builder_datum(b, "x", 8), TGS_F32, 1, two);
        tgs_builder_datum_set(b, 0, "init", text[count]);
        assert_int_equal(tgs_builder_finish(&g, b, NULL), TGS_OK);
        assert_int_equal(tgs_datum_fill(&g->v, 0, x, NULL), count == 2 ? TGS_OK : TGS_EINVAL);
        assert_true(count != 2 || (x[0] == 1.5F && x[1] == -2));
        tgs_graph_free(g);
    }
}

/* a part begins with the values that the whole has there */
static void parts_begin_like_the_whole(void **state)
{
    static const char *const bad[] = {"part:",
                                      "part:4:0",
                                      "part:4:0:",
                                      "part:4,5:0:zero",
                                      "part:4:5:zero",
                                      "part:-4:0:zero",
                                      "part:4:0:bound",
                                      "part:4:0:part:4:0:zero",
                                      "part:1,1,1,1,1,1,1,1,1:0,0,0,0,0,0,0,0,0:zero"};
    static const int64_t all[] = {3, 4, 5}, some[] = {2, 3, 4}, other[] = {2, 3, 6};
    float whole[3][4][5], part[2][3][6];
    tgs_builder *b;
    tgs_graph *g;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(tgs_builder_new(&b, NULL), TGS_OK);
        assert_int_equal(tgs_builder_datum_set(b, tgs_builder_datum(b, "x", 8), "init", bad[i]),
                         TGS_EINVAL);
        tgs_builder_free(b);
    }
    assert_int_equal(tgs_builder_new(&b, NULL), TGS_OK);
    tgs_builder_datum_shape(b, tgs_builder_datum(b, "x", 0), TGS_F32, 3, all);
    tgs_builder_datum_set(b, 0, "init", "random:7:0.5");
    tgs_builder_datum_shape(b, tgs_builder_datum(b, "y", 0), TGS_F32, 3, some);
    tgs_builder_datum_set(b, 1, "init", "part:3,4,5:1,1,1:random:7:0.5");
    tgs_builder_datum_shape(b, tgs_builder_datum(b, "z", 0), TGS_F32, 3, other);
    tgs_builder_datum_set(b, 2, "init", "part:3,4,5:1,1,0:random:7:0.5");
    assert_int_equal(tgs_builder_finish(&g, b, NULL), TGS_OK);
    assert_int_equal(tgs_datum_fill(&g->v, 0, whole, NULL), TGS_OK);
    assert_int_equal(tgs_datum_fill(&g->v, 1, part, NULL), TGS_OK);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++)
                assert_true(((float *)part)[(i * 3 + j) * 4 + k] == whole[i + 1][j + 1][k + 1]);
    assert_int_equal(tgs_datum_fill(&g->v, 2, part, NULL), TGS_EINVAL); /* 6 do not fit in 5 */
    tgs_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_and_products_are_the_published_ones),
        cmocka_unit_test(every_network_trains),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(sizes_follow_their_parameters),
        cmocka_unit_test(constants_have_their_values),
        cmocka_unit_test(values_are_numbers),
        cmocka_unit_test(parts_begin_like_the_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
