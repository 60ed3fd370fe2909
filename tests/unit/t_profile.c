/* t_profile.c -- layer profiles as models: their times and sizes add up to those of the files, in a
 * forward pass, a training step and its micro-batches; what is wrong is refused with its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include "nets.h"

/* Sums of the files.  PipeDream and DAPPLE: milliseconds; Astra-sim: cycles of a nanosecond. */
static const struct facts {
    const char *file, *format;
    int32_t layers; /* with the one that joins several ends */
    double forward, backward, activations, parameters;
} facts[] = {
    {"pipedream-vgg16.txt", "pipedream", 41, 0.251874, 0.438633, 14759219204, 553430176},
    {"pipedream-gnmt.txt", "pipedream", 49, 0.033533, 0.055883, 409159680, 775063808},
    {"dapple-vgg19.txt", "pipedream", 26, 0.05141, 0.0962, 1981128000, 548047022},
    {"astra-resnet50.txt", "astra", 54, 380038e-9, 715276e-9, 0, 102011648},
};

static tgs_model *open_profile(const char *file)
{
    const char *source = getenv("TGS_SRCDIR");
    char path[1000];
    tgs_model *m;
    tgs_error err = {TGS_OK, ""};

    snprintf(path, sizeof path, "%s/tests/data/profiles/%s", source ? source : ".", file);
    if (tgs_model_read(&m, path, NULL, NULL, &err))
        fail_msg("%s", err.text);
    return m;
}

static double work_of(const tgs_graph *g, tgs_phase phase)
{
    double sum = 0;

    for (int32_t i = 0; i < g->v.tasks; i++)
        if (g->v.task[i].phase == (int32_t)phase && !isnan(g->v.task[i].work))
            sum += g->v.task[i].work;
    return sum;
}

static double size_of(const tgs_graph *g, tgs_class class_)
{
    tgs_sums *s;
    tgs_sum x;
    double bytes = 0;

    assert_int_equal(tgs_graph_sum(&s, g, TGS_SUM_CLASS, NULL), TGS_OK);
    for (int32_t i = 0; i < tgs_sums_count(s); i++) {
        tgs_sums_at(s, i, &x);
        if (!strcmp(x.name, tgs_class_name(class_)))
            bytes = x.bytes;
    }
    tgs_sums_free(s);
    return bytes;
}

static void assert_near(double x, double wanted, const char *file, const char *what)
{
    if (fabs(x - wanted) > 1e-9 * (1 + fabs(wanted)))
        fail_msg("%s: %s %.17g, not %.17g", file, what, x, wanted);
}

static void times_and_sizes_are_those_of_the_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        const struct facts *f = &facts[i];
        tgs_model *m = open_profile(f->file);
        tgs_graph *forward = lowered(m, NULL), *step = lowered(m, "train sgd");
        tgs_graph *pieces = lowered(m, "train sgd; micro-batches 3");
        const double end = f->layers == 49 ? 4 : 0; /* what the joining layer makes */

        assert_int_equal(tgs_graph_tasks(forward), f->layers);
        assert_near(work_of(forward, TGS_PHASE_FORWARD), f->forward, f->file, "forward");
        assert_near(size_of(forward, TGS_CLASS_ACTIVATION), f->activations + end, f->file,
                    "activations");
        assert_near(work_of(step, TGS_PHASE_FORWARD), f->forward, f->file, "forward");
        assert_near(work_of(step, TGS_PHASE_BACKWARD), f->backward, f->file, "backward");
        assert_near(size_of(step, TGS_CLASS_PARAMETER), f->parameters, f->file, "parameters");
        assert_near(work_of(pieces, TGS_PHASE_FORWARD), 3 * f->forward, f->file, "forward");
        assert_near(work_of(pieces, TGS_PHASE_BACKWARD), 3 * f->backward, f->file, "backward");
        tgs_graph_free(forward);
        tgs_graph_free(step);
        tgs_graph_free(pieces);
        tgs_model_free(m);
    }
}

static void write_text(char path[40], const char *text)
{
    const int file = mkstemp(strcpy(path, "/tmp/t_profile.XXXXXX"));

    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
}

static bool there(const char *reader)
{
    for (int32_t i = 0; tgs_plugin_name("reader", i); i++)
        if (!strcmp(tgs_plugin_name("reader", i), reader))
            return true;
    return false;
}

#define LAYER(name, f)                                                                           \
    name " -- X -- forward_compute_time=" f ", backward_compute_time=1, activation_size=8.000, " \
         "parameter_size=0.000\n"

static void what_is_wrong_is_refused_with_its_line(void **state)
{
    static const struct wrong {
        const char *format, *text, *what;
    } wrong[] = {
        {"pipedream", LAYER("a", "1") "b -- X\n", ":2: not 'NAME"},
        {"pipedream", LAYER("a", "nan"), ":1: forward_compute_time=nan"},
        {"pipedream", LAYER("a", "-1"), ":1: forward_compute_time=-1"},
        {"pipedream", LAYER("a", "[1; x]"), ":1: forward_compute_time=[1; x]"},
        {"pipedream", LAYER("a", "[1; 2"), ":1: forward_compute_time=[1"},
        {"pipedream", LAYER("a", "1") LAYER("a", "1"), ":2: 'a' is there already"},
        {"pipedream", LAYER("a", "1") "\ta -- b\n", ":2: there is no layer 'b'"},
        {"pipedream", LAYER("a", "1") "\ta\n", ":2: not an edge"},
        {"pipedream", LAYER("a", "1") LAYER("b", "1") "\ta -- b\n\tb -- a\n", "cycle"},
        {"pipedream", "a -- X -- forward_compute_time=1\n",
         ":1: 'backward_compute_time=' is missing"},
        {"pipedream", "\n", "no layers"},
        {"piper", "{\"nodes\": []}", "no arrays `nodes` and `edges`"},
        {"piper", "{\"nodes\": [{\"id\": 1}], \"edges\": []}", "nodes[0]: no configuration"},
        {"piper", "{\"nodes\": [], \"edges\": [{}]}", "edges[0]: sourceId or destId"},
        {"piper", "{\n\"nodes\": x", ":2: "},
        {"galvatron", "{\"layernum[2]_bsz1\": 7}", "one number of layers alone"},
        {"galvatron", "{\"layernum[2]_bsz1\": -7}", "layernum[2]_bsz1 is not"},
        {"galvatron", "{\"layernum[2]_bsz1\": 7, \"layernum[4]_bsz1\": 5}", "take less time"},
        {"galvatron", "{}", "of this batch"},
        {"astra", "DATA\n", "ends before its layers"},
        {"astra", "DATA\nmany\n", ":2: 'many' is not a number of layers"},
        {"astra", "DATA\n2\nc -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 8 5\n", "1 layers of 2"},
        {"astra", "DATA\n1\nc -1 5 NONE 0 5 NONE 0 5\n", ":3: a layer has 12 fields"},
        {"astra", "DATA\n1\nc -1 inf NONE 0 5 NONE 0 5 ALLREDUCE 8 5\n", ":3: time inf"},
        {"astra", "DATA\n1\nc -1 5 NONE -2 5 NONE 0 5 ALLREDUCE 8 5\n", ":3: size -2"},
    };
    char path[40];

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        tgs_model *m = NULL;
        tgs_error err = {TGS_OK, ""};

        if (!there(wrong[i].format))
            continue;
        write_text(path, wrong[i].text);
        if (!tgs_model_read(&m, path, wrong[i].format, NULL, &err) || m
            || !strstr(err.text, wrong[i].what))
            fail_msg("%d: '%s', not '%s'", (int)i, err.text, wrong[i].what);
        unlink(path);
    }
}

/* ---- JSON, where jansson is */
static tgs_graph *step_of(const char *text, const char *bind, const char *format)
{
    tgs_model *m;
    tgs_graph *g;
    tgs_error err = {TGS_OK, ""};
    char path[40];

    write_text(path, text);
    if (tgs_model_read(&m, path, format, bind, &err))
        fail_msg("%s", err.text);
    g = lowered(m, "train sgd");
    tgs_model_free(m);
    unlink(path);
    return g;
}

static void piper_has_sizes_by_edge(void **state)
{
    static const char text[] =
        "{\"maxDevices\": 2, \"nodes\": [\n"
        " {\"id\": 7, \"name\": \"a\", \"TMPCs\": {\"2\": [{\"timePerSample\": 9, "
        "\"parameterSize\": 9}],\n"
        "  \"1\": [{\"timePerSample\": 0.3, \"parameterSize\": 100}, {\"timePerSample\": 5, "
        "\"parameterSize\": 5}]}},\n"
        " {\"id\": 3, \"name\": \"b\", \"TMPCs\": {\"1\": [{\"timePerSample\": 0.6, "
        "\"parameterSize\": 0}]}},\n"
        " {\"id\": 4, \"name\": \"b\", \"TMPCs\": {\"1\": [{\"timePerSample\": 0.9, "
        "\"parameterSize\": 0}]}}],\n"
        "\"edges\": [{\"sourceId\": 7, \"destId\": 3, \"communicationCost\": 40},\n"
        " {\"sourceId\": 7, \"destId\": 4, \"communicationCost\": 60},\n"
        " {\"sourceId\": 3, \"destId\": 4, \"communicationCost\": 40}]}";
    tgs_graph *g;

    (void)state;
    if (!there("piper"))
        skip();
    g = step_of(text, NULL, NULL);
    assert_near(work_of(g, TGS_PHASE_FORWARD), 0.6, "piper", "forward");
    assert_near(work_of(g, TGS_PHASE_BACKWARD), 1.2, "piper", "backward");
    assert_near(size_of(g, TGS_CLASS_PARAMETER), 100, "piper", "parameters");
    assert_near(size_of(g, TGS_CLASS_ACTIVATION), 40 + 60 + 40, "piper", "activations");
    tgs_graph_free(g);
}

static void galvatron_is_a_chain(void **state)
{
    static const char text[] = "{\n \"layernum[2]_bsz1\": 7, \"layernum[4]_bsz1\": 11,\n"
                               " \"layertype_0\": 2.5, \"layernum[3]_bsz1\": 100,\n"
                               " \"layernum[2]_bsz8\": 40, \"layernum[4]_bsz8\": 70}";
    tgs_graph *g;

    (void)state;
    if (!there("galvatron"))
        skip();
    g = step_of(text, NULL, NULL); /* 2 ms a layer, 3 ms besides */
    assert_near(work_of(g, TGS_PHASE_FORWARD), 0.011, "galvatron", "forward");
    assert_near(work_of(g, TGS_PHASE_BACKWARD), 0.022, "galvatron", "backward");
    tgs_graph_free(g);
    g = step_of(text, "batch=8,layers=10", NULL); /* 15 and 10 */
    assert_near(work_of(g, TGS_PHASE_FORWARD), 0.160, "galvatron", "forward");
    tgs_graph_free(g);
}

/* ---- times for a model that was not measured */
static tgs_graph *timed(const tgs_model *m, const char *strategy, const char *text,
                        int32_t *covered, const char *unmatched)
{
    tgs_strategy *s;
    tgs_times *t;
    tgs_graph *g;
    tgs_error err = {TGS_OK, ""};
    const char *name;
    char path[40];

    write_text(path, text);
    assert_int_equal(tgs_strategy_parse(&s, strategy, NULL), TGS_OK);
    if (tgs_times_read(&t, path, &err) || tgs_model_lower_timed(&g, m, s, t, covered, &err))
        fail_msg("%s", err.text);
    assert_int_equal(tgs_times_unmatched(t, m, 0, &name), unmatched ? TGS_OK : TGS_ENOTFOUND);
    if (unmatched) {
        assert_string_equal(name, unmatched);
        assert_int_equal(tgs_times_unmatched(t, m, 1, &name), TGS_ENOTFOUND);
    }
    tgs_times_free(t);
    tgs_strategy_free(s);
    unlink(path);
    return g;
}

static double time_on(const tgs_graph *g, const char *task, const char *kind)
{
    const int32_t i = tgs_graph_find_task(g, task);

    assert_true(i >= 0);
    for (int32_t k = 0; k < g->v.kinds && kind; k++)
        if (!strcmp(g->v.kind_name[k], kind))
            return g->v.time[(int64_t)i * g->v.kinds + k];
    return kind ? NAN : g->v.task[i].work;
}

static bool is_json(const char *text)
{
    return *text == '{' || *text == '[';
}

static void measured_times_reach_their_tasks(void **state)
{
    static const char *const texts[] = {
        "node,kind,forward_ms,backward_s,bytes\n"
        "fc1,,2,0.006,77\nfc1,gpu,1,,\nrelu1,gpu,0.5,0.00025,\n\"no,such\",,1,1,\n",
        "[{\"node\": \"fc1\", \"forward_ms\": 2, \"backward_s\": 0.006, \"bytes\": 77},"
        " {\"node\": \"fc1\", \"kind\": \"gpu\", \"forward_us\": 1000},"
        " {\"node\": \"relu1\", \"kind\": \"gpu\", \"forward_ms\": 0.5, \"backward_ms\": 0.25},"
        " {\"node\": \"no,such\", \"forward_s\": 1}]",
    };
    tgs_model *m;

    (void)state;
    assert_int_equal(tgs_model_read(&m, "zoo:mlp:layers=1:batch=4:inputs=3:hidden=5:classes=2",
                                    NULL, NULL, NULL),
                     TGS_OK);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int32_t covered;
        tgs_graph *g;
        double backward = 0;

        if (is_json(texts[i]) && !there("piper"))
            continue; /* a build without jansson */
        g = timed(m, "train sgd; micro-batches 2", texts[i], &covered, "no,such");
        assert_int_equal(covered, 2);
        assert_near(time_on(g, "fc1@m1", NULL), 0.002, texts[i], "fc1");
        assert_near(time_on(g, "fc1@m0", "gpu"), 0.001, texts[i], "fc1 on gpu");
        assert_near(g->v.task[tgs_graph_find_task(g, "fc1@m0")].bytes, 77, texts[i], "bytes");
        assert_true(isnan(time_on(g, "relu1@m0", NULL)));
        assert_near(time_on(g, "relu1@m0", "gpu"), 0.0005, texts[i], "relu1");
        assert_near(time_on(g, "relu1.bwd@m0", "gpu"), 0.00025, texts[i], "relu1.bwd");
        assert_true(isnan(time_on(g, "out@m0", NULL)) && isnan(time_on(g, "out@m0", "gpu")));
        for (int32_t t = 0; t < g->v.tasks; t++) /* its parts share what was measured */
            if (!strncmp(tgs_graph_task_name(g, t), "fc1.bwd", 7))
                backward += g->v.task[t].work;
        assert_near(backward, 2 * 0.006, texts[i], "fc1.bwd");
        tgs_graph_free(g);
    }
    tgs_model_free(m);
}

static void ranges_of_torch_profiler_are_times(void **state)
{
    static const char text[] =
        "{\"schemaVersion\": 1, \"traceEvents\": [\n"
        "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"ts\": 1, \"dur\": 9},\n"
        "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#1\", \"dur\": "
        "99},\n"
        "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"fc1\", \"ts\": 1, \"dur\": "
        "10},\n"
        "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"fc1\", \"ts\": 50, \"dur\": "
        "30},\n"
        "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"fc1.backward\", \"dur\": 50},\n"
        "{\"ph\": \"X\", \"cat\": \"gpu_user_annotation\", \"name\": \"fc1\", \"dur\": 5},\n"
        "{\"ph\": \"i\", \"name\": \"marker\"}]}";
    int32_t covered;
    tgs_model *m;
    tgs_graph *g;

    (void)state;
    if (!there("piper"))
        skip(); /* a build without jansson */
    assert_int_equal(tgs_model_read(&m, "zoo:mlp:layers=1", NULL, NULL, NULL), TGS_OK);
    g = timed(m, "train sgd", text, &covered, NULL);
    assert_int_equal(covered, 1);
    assert_near(time_on(g, "fc1", "cpu"), 20e-6, "trace", "fc1");
    assert_near(time_on(g, "fc1", "cuda"), 5e-6, "trace", "fc1 on cuda");
    tgs_graph_free(g);
    tgs_model_free(m);
}

static void wrong_times_are_refused_with_their_line(void **state)
{
    static const char *const wrong[][2] = {
        {"", "an empty file"},
        {"node,forward_s\n", "no times"},
        {"node,speed\nx,1\n", ":1: column 'speed'"},
        {"kind,forward_s\nx,1\n", ":1: no column `node`"},
        {"node,forward_s,forward_ms\nx,1,1\n", ":1: column 'forward_ms'"},
        {"node,forward_s\nx,1\nx,2\n", ":3: node 'x' is there twice"},
        {"node,forward_s\nx,-1\n", ":2: -1 is not"},
        {"node,forward_s\nx,inf\n", ":2: inf is not"},
        {"node,forward_s\nx\n", ":2: not 2 fields"},
        {"node,forward_s\n\"x,1\n", ":2: not 2 fields"},
        {"node,forward_s\n,1\n", ":2: a node without a name"},
        {"{\"x\": 1}", "'x' is no object"},
        {"{\"x\": {\"forward_s\": -1}}", "forward_s is not"},
        {"[{\"forward_s\": 1}]", "without `node`"},
        {"{\n\"x\": ", ":2: "},
        {"{\"traceEvents\": []}", "without ranges"},
    };
    char path[40];

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        tgs_times *t = NULL;
        tgs_error err = {TGS_OK, ""};

        if (is_json(wrong[i][0]) && !there("piper"))
            continue; /* a build without jansson */
        write_text(path, wrong[i][0]);
        if (!tgs_times_read(&t, path, &err) || t || !strstr(err.text, wrong[i][1]))
            fail_msg("%d: '%s', not '%s'", (int)i, err.text, wrong[i][1]);
        unlink(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_and_sizes_are_those_of_the_file),
        cmocka_unit_test(what_is_wrong_is_refused_with_its_line),
        cmocka_unit_test(piper_has_sizes_by_edge),
        cmocka_unit_test(galvatron_is_a_chain),
        cmocka_unit_test(measured_times_reach_their_tasks),
        cmocka_unit_test(ranges_of_torch_profiler_are_times),
        cmocka_unit_test(wrong_times_are_refused_with_their_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
