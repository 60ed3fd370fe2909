/* t_onnx.c -- ONNX files: published models against published numbers, values and their places in
 * the file, binding, and damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "nets.h"
#include "onnxbytes.h"

static tgs_model *read_model(const char *path, const char *bind)
{
    tgs_model *m;
    tgs_error err = {TGS_OK, ""};

    if (tgs_model_read(&m, path, NULL, bind, &err))
        fail_msg("%s", err.text);
    return m;
}

static tgs_model *fixture(const char *name, const char *bind)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/tests/data/onnx/%s", getenv("TGS_SRCDIR"), name);
    return read_model(path, bind);
}

/* ---- published models ---- */

static void resnet50_has_the_published_numbers(void **state)
{
    tgs_model *m = fixture("light_resnet50.onnx", NULL);
    tgs_model_stats s;
    int32_t convolutions = 0;

    (void)state;
    assert_int_equal(tgs_model_measure(m, &s, NULL), 0);
    assert_true(s.parameters == 25557032); /* He et al.; 25.6 million with statistics */
    assert_true(s.flops_forward > 8.1e9 && s.flops_forward < 8.3e9); /* 4.1e9 multiply-adds */
    assert_true(s.batch == 1);
    for (int32_t i = 0; i < m->v.ops; i++)
        convolutions += !strcmp(m->v.op[i].type, "Conv");
    assert_int_equal(convolutions, 53);
    assert_dims(m, "gpu_0/softmax_1", DIMS(1, 1000));
    tgs_model_free(m);
}

static void resnet50_trains_in_micro_batches(void **state)
{
    tgs_model *m = fixture("light_resnet50.onnx", NULL);
    tgs_graph *one = lowered(m, "train sgd"), *g = lowered(m, "train sgd; micro-batches 8");
    tgs_graph_stats s, t;

    (void)state;
    assert_int_equal(tgs_graph_measure(one, &s, NULL), 0);
    assert_int_equal(tgs_graph_measure(g, &t, NULL), 0);
    assert_true(t.parameters == 25557032);
    /* 161 parameters are accumulated seven times each, and the loss */
    assert_int_equal(t.tasks, 8 * (s.tasks - 161) + 161 + 7 * (161 + 1));
    /* a backward pass costs about twice a forward pass */
    assert_true(s.flops > 2.9 * 8.2e9 && s.flops < 3.1 * 8.2e9);
    tgs_graph_free(one);
    tgs_graph_free(g);
    tgs_model_free(m);
}

static void mnist_starts_with_the_values_of_its_file(void **state)
{
    tgs_model *m = fixture("mnist-8.onnx", NULL);
    tgs_graph *g = lowered(m, "train sgd");
    const int32_t d = tgs_graph_find_datum(g, "Parameter6");
    float value[8], direct[8];
    const char *init = tensor_of(m, "Parameter6")->init;
    FILE *f;
    char *end;
    long at;

    (void)state;
    assert_memory_equal(init, "file:", 5);
    at = strtol(init + 5, &end, 10);
    f = fopen(end + 1, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, at, SEEK_SET), 0);
    assert_int_equal(fread(direct, sizeof *direct, 8, f), 8);
    fclose(f);
    assert_int_equal(tgs_datum_fill(&g->v, d, value, NULL), 0);
    assert_memory_equal(value, direct, sizeof value);
    for (int i = 0; i < 8; i++) /* the builder was told the same numbers by protobuf */
        assert_true((double)value[i] == tensor_of(m, "Parameter6")->real[i]);
    assert_memory_equal(tensor_of(m, "Parameter193_reshape1")->init, "file:", 5);
    tgs_graph_free(g);
    tgs_model_free(m);
}

static void symbolic_batches_are_bound(void **state)
{
    tgs_model *m = fixture("lenet.onnx", "batch=16");
    tgs_model_stats s;

    (void)state;
    assert_int_equal(tgs_model_measure(m, &s, NULL), 0);
    assert_true(s.parameters == 61706); /* LeCun et al. 1998, with a full C3 */
    assert_true(s.batch == 16);
    assert_dims(m, "flat", DIMS(16, 400));
    tgs_model_free(m);
    m = fixture("mlp.onnx", "x.0=3"); /* an input and an axis */
    assert_dims(m, "y", DIMS(3, 10));
    tgs_model_free(m);
}

/* ---- every published model that is there ---- */

static const struct known {
    const char *file, *bind;
    double parameters;
} known[] = {
    {"light/light_bvlc_alexnet.onnx", NULL, 60965224},
    {"light/light_vgg19.onnx", NULL, 143667240},
    {"light/light_squeezenet.onnx", NULL, 1235496},
    {"light/light_inception_v1.onnx", NULL, 6998552},
    /* 7978856 published, and a second scale and shift of each of 41824 normalised channels */
    {"light/light_densenet121.onnx", NULL, 7978856 + 2 * 41824},
    {"vision/mnist_pytorch.onnx", NULL, 784 * 64 + 64 * 64 + 64 * 10 + 4 * 64},
    {"small/conv_k2_maxpool_k2.onnx", "N=2", 5},
    {"small/tfl_helloworld.onnx", "N=2", 321},
};

static void published_models_lower_and_train(void **state)
{
    char path[4096];

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        tgs_model_stats s;
        tgs_model *m;

        snprintf(path, sizeof path, "%s/../shared/data/onnx-models/%s", getenv("TGS_SRCDIR"),
                 known[i].file);
        if (access(path, R_OK)) {
            print_message("no %s here: skipped\n", known[i].file);
            continue;
        }
        m = read_model(path, known[i].bind);
        assert_int_equal(tgs_model_measure(m, &s, NULL), 0);
        if (s.parameters != known[i].parameters)
            fail_msg("%s: %.0f parameters", known[i].file, s.parameters);
        tgs_graph_free(lowered(m, "train adam; micro-batches 2; replicas 2"));
        tgs_model_free(m);
    }
}

/* ---- written here ---- */

static bytes relu_graph(int type, int64_t dim)
{
    const int64_t dims[1] = {dim};
    bytes g = {.size = 0}, v = onnx_value("x", type, 1, dims), n = onnx_node("r", "Relu", "x", "y");

    put_message(&g, 1, &n);
    put_message(&g, 11, &v);
    v = onnx_value("y", type, 1, dims);
    put_message(&g, 12, &v);
    return g;
}

static void values_come_from_every_kind_of_field(void **state)
{
    const int64_t two[1] = {2}, shape[2] = {-1, 1};
    const float floats[2] = {1.5f, -2};
    const double doubles[2] = {0.25, 8};
    bytes g = {.size = 0}, t, v, n, m;
    const char *path;
    tgs_model *model;

    (void)state;
    t = onnx_tensor("f", ONNX_FLOAT, 1, two);
    put_data(&t, 4, floats, sizeof floats);
    put_message(&g, 5, &t);
    t = onnx_tensor("d", ONNX_DOUBLE, 1, two);
    put_data(&t, 9, doubles, sizeof doubles);
    put_message(&g, 5, &t);
    t = onnx_tensor("s", ONNX_INT64, 1, two);
    put_data(&t, 9, shape, sizeof shape);
    put_message(&g, 5, &t);
    v = onnx_value("x", ONNX_FLOAT, 1, two);
    put_message(&g, 11, &v);
    n = onnx_node("", "Reshape", "sum s", "y"); /* before what it reads */
    put_message(&g, 1, &n);
    n = onnx_node("", "Add", "x f", "sum");
    put_message(&g, 1, &n);
    v = onnx_value("y", ONNX_FLOAT, 1, two);
    put_message(&g, 12, &v);
    m = onnx_model(&g, 17);
    path = onnx_file(m.data, m.size);
    model = read_model(path, NULL);
    assert_true(tensor_of(model, "f")->real[1] == -2);
    assert_true(tensor_of(model, "d")->real[0] == 0.25);
    assert_int_equal(tensor_of(model, "d")->dtype, TGS_F64);
    assert_int_equal(tensor_of(model, "s")->value[0], -1);
    assert_dims(model, "y", DIMS(2, 1));
    assert_int_equal(tensor_of(model, "f")->role, TGS_ROLE_PARAMETER);
    tgs_model_free(model);
    unlink(path);
}

/* ---- damage ---- */

static void refused(const void *data, size_t size, const char *bind, const char *what)
{
    const char *path = onnx_file(data, size);
    tgs_model *m = (tgs_model *)&path;
    tgs_error err = {TGS_OK, ""};
    const tgs_status status = tgs_model_read(&m, path, NULL, bind, &err);

    if (status >= 0 || m || strncmp(err.text, path, strlen(path)) || !strstr(err.text, what)
        || strchr(err.text, '\n'))
        fail_msg("%d, '%s', not '%s'", (int)status, err.text, what);
    unlink(path);
}

static void damaged_files_are_refused(void **state)
{
    const bytes g = relu_graph(ONNX_FLOAT, 2), m = onnx_model(&g, 17);
    bytes huge = {.size = 0};

    (void)state;
    refused("", 0, NULL, "empty");
    refused("a text\n", 7, NULL, "damaged");
    refused("\x08\x08\x12\xff\xff\xff\xff\x0f", 8, NULL, "damaged"); /* a text of 2^32 bytes */
    refused("\x08\x08", 2, NULL, "without a graph");
    put_int(&huge, 1, 8);
    put_varint(&huge, 7 << 3 | 2);
    put_varint(&huge, UINT64_MAX); /* a graph of 2^64 bytes */
    refused(huge.data, huge.size, NULL, "damaged");
    for (size_t size = 1; size < m.size; size++) { /* cut anywhere: refused, or a lesser model */
        const char *path = onnx_file(m.data, size);
        tgs_model *model = NULL;
        tgs_error err = {TGS_OK, ""};

        assert_true(tgs_model_read(&model, path, NULL, NULL, &err) < 0);
        assert_null(model);
        assert_memory_equal(err.text, path, strlen(path));
        unlink(path);
    }
}

/* each byte of a good file changed in turn: a status and a message, or a model that lowers */
static void every_changed_byte_is_survived(void **state)
{
    const bytes g = relu_graph(ONNX_FLOAT, 2), m = onnx_model(&g, 17);
    int refusals = 0;

    (void)state;
    for (size_t i = 0; i < m.size; i++)
        for (int bit = 0; bit < 8; bit++) {
            bytes changed = m;
            const char *path;
            tgs_model *model;
            tgs_error err = {TGS_OK, ""};

            changed.data[i] ^= (unsigned char)(1 << bit);
            path = onnx_file(changed.data, changed.size);
            if (tgs_model_read(&model, path, "onnx", NULL, &err)) {
                assert_null(model);
                assert_true(*err.text);
                refusals++;
            } else {
                tgs_graph *graph;

                if (!tgs_model_lower(&graph, model, NULL, &err))
                    tgs_graph_free(graph);
                tgs_model_free(model);
            }
            unlink(path);
        }
    assert_true(refusals > 100);
}

static void models_that_cannot_be_held_are_refused(void **state)
{
    const int64_t two[1] = {2};
    bytes g = relu_graph(ONNX_FLOAT, -1), m = onnx_model(&g, 17), t, outside = {.size = 0};

    (void)state;
    refused(m.data, m.size, NULL, "input 'x': dimension 0 is open; bind it: --bind batch=8");
    refused(m.data, m.size, "seq=1", "dimension 0 is open");
    refused(m.data, m.size, "batch=2,seq=1", "--bind seq=1: no such dimension");
    refused(m.data, m.size, "batch=x", "open");
    g = relu_graph(ONNX_FLOAT, -2);
    m = onnx_model(&g, 17);
    refused(m.data, m.size, NULL, "--bind x.0=8");
    g = relu_graph(ONNX_STRING, 2);
    m = onnx_model(&g, 17);
    refused(m.data, m.size, NULL, "node 'r' (Relu): its input is text");
    g = relu_graph(ONNX_FLOAT, INT64_MAX);
    m = onnx_model(&g, 17);
    refused(m.data, m.size, NULL, "2^50");
    g = relu_graph(ONNX_FLOAT, 2);
    t = onnx_tensor("w", ONNX_FLOAT, 1, two);
    put_data(&t, 9, "1234", 4); /* one of two */
    put_message(&g, 5, &t);
    m = onnx_model(&g, 17);
    refused(m.data, m.size, NULL, "tensor 'w': its data do not fill its shape");
    g = relu_graph(ONNX_FLOAT, 2);
    t = onnx_tensor("w", ONNX_FLOAT, 1, two);
    put_int(&t, 14, 1); /* data_location: external */
    put_message(&g, 5, &t);
    m = onnx_model(&g, 17);
    refused(m.data, m.size, NULL, "tensor 'w' is in another file, and its place is not told");
    g = relu_graph(ONNX_FLOAT, 2);
    put_message(&g, 15, &outside); /* sparse_initializer */
    m = onnx_model(&g, 17);
    refused(m.data, m.size, NULL, "sparse");
}

/* a model that can be read, of which the user is told something */
static void noted(const void *data, size_t size, const char *what)
{
    const char *path = onnx_file(data, size);
    tgs_model *m = read_model(path, NULL);
    tgs_graph *g = lowered(m, NULL);

    if (!tgs_model_note(m) || !strstr(tgs_model_note(m), what))
        fail_msg("'%s', not '%s'", tgs_model_note(m) ? tgs_model_note(m) : "", what);
    tgs_graph_free(g);
    tgs_model_free(m);
    unlink(path);
}

static void names_are_shown_as_text(void **state)
{
    bytes g = relu_graph(ONNX_FLOAT, 2), m, n = onnx_node("bad\n\033[2J", "Frob", "x", "z");

    (void)state;
    put_message(&g, 1, &n);
    m = onnx_model(&g, 17);
    noted(m.data, m.size, "only the bytes are known of Frob ('bad??[2J')");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resnet50_has_the_published_numbers),
        cmocka_unit_test(resnet50_trains_in_micro_batches),
        cmocka_unit_test(mnist_starts_with_the_values_of_its_file),
        cmocka_unit_test(symbolic_batches_are_bound),
        cmocka_unit_test(published_models_lower_and_train),
        cmocka_unit_test(values_come_from_every_kind_of_field),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(every_changed_byte_is_survived),
        cmocka_unit_test(models_that_cannot_be_held_are_refused),
        cmocka_unit_test(names_are_shown_as_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
