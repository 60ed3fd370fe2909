/* fuzz_model.c -- any bytes as a model, in every format that is one, and as a strategy: a model
 * whose steps lower to graphs that hold together, or a clear error, never a crash.
 *
 * The entry point is libFuzzer's, as in fuzz_read.c. */
#include <stdlib.h>
#include <string.h>
#include "internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const char *const fuzz_corpus[];
const char *const fuzz_corpus[] = {"tests/data/onnx",       "tests/data/onnx/control",
                                   "tests/data/profiles",   "tests/fuzz/profiles",
                                   "tests/fuzz/strategies", NULL};

static void insist(bool holds, const char *what, const tgs_error *err)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_model: %s: %s\n", what, err->text);
    abort();
}

static void refused(const void *made, tgs_status status, const tgs_error *err)
{
    insist(!made, "failed, but there is a result", err);
    insist(*err->text && err->status == status, "failed without a word", err);
    insist(!strchr(err->text, '\n'), "failed with more than one line", err);
}

static void lower(const tgs_model *m, const char *text)
{
    tgs_error err = {TGS_OK, ""};
    tgs_strategy *s = NULL;
    tgs_graph *g;
    tgs_graph_stats stats;
    tgs_status status = tgs_strategy_parse(&s, text, &err);

    insist(!status, "a good strategy was refused", &err);
    status = tgs_model_lower(&g, m, s, &err);
    if (status)
        refused(g, status, &err);
    else {
        insist(!tgs_graph_measure(g, &stats, &err), "a graph cannot be measured", &err);
        insist(stats.flops >= 0 && stats.bytes >= 0, "a cost that is none", &err);
    }
    tgs_graph_free(g);
    tgs_strategy_free(s);
}

static tgs_status read_model(tgs_model **out, const tgs_plugin *reader, const void *data,
                             size_t size, const char *bind, tgs_error *err)
{
    tgs_source s = {.path = "fuzz"};
    tgs_model_builder *b = NULL;
    tgs_status status = TGS_OK;

    *out = NULL;
    s.file = size ? fmemopen((void *)data, size, "r") : fopen("/dev/null", "r");
    insist(s.file, "no memory for a stream", err);
    status = tgs_model_builder_new(&b, "fuzz", err);
    if (!status)
        status = ((const tgs_reader *)reader)->read_model(&s, bind, b, err);
    if (!status) {
        status = tgs_model_finish(out, b, err);
        b = NULL;
    }
    tgs_model_builder_free(b);
    tgs_i_source_close(&s);
    return status;
}

static void as_model(const char *format, const uint8_t *data, size_t size, const char *bind)
{
    tgs_error err = {TGS_OK, ""};
    const tgs_plugin *reader;
    tgs_model *m;
    tgs_status status = tgs_i_find(&reader, "reader", format, &err);

    insist(!status, "a reader is not there", &err);
    if (((const tgs_reader *)reader)->yields != TGS_YIELD_MODEL)
        return;
    status = read_model(&m, reader, data, size, bind, &err);

    if (status)
        refused(m, status, &err);
    else {
        lower(m, "");
        lower(m, "train adam; micro-batches 2; replicas 2; accumulate tree");
        lower(m, "train sgd; recompute; micro-batches 2; pipeline 2");
    }
    tgs_model_free(m);
}

static void as_strategy(const uint8_t *data, size_t size)
{
    tgs_error err = {TGS_OK, ""};
    char *text = malloc(size + 1);
    tgs_strategy *s;
    tgs_status status;

    insist(text, "no memory", &err);
    memcpy(text, data, size);
    text[size] = 0;
    status = tgs_strategy_parse(&s, text, &err);
    if (status)
        refused(s, status, &err);
    tgs_strategy_free(s);
    free(text);
}

/* TGS_FUZZ_READER=piper fuzzes this reader only */
static bool is_chosen(const char *reader)
{
    const char *only = getenv("TGS_FUZZ_READER");

    return !only || !strcmp(only, reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int32_t i = 0; tgs_plugin_name("reader", i); i++) {
        const char *reader = tgs_plugin_name("reader", i);

        if (!is_chosen(reader))
            continue;
        as_model(reader, data, size, NULL);
        as_model(reader, data, size, "batch=2");
    }
    as_strategy(data, size);
    return 0;
}
