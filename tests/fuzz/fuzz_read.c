/* fuzz_read.c -- any bytes, given to every graph reader: a graph or a clear error, never a crash;
 * and a graph that was read is written and read back unchanged.
 *
 * The entry point is libFuzzer's: `clang -fsanitize=fuzzer,address fuzz_read.c -ltgsched` makes a
 * fuzzer of it; make check links driver.c instead. */
#include <stdlib.h>
#include "graphtext.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const char *const fuzz_corpus[];
const char *const fuzz_corpus[] = {"tests/fuzz/corpus", "tests/data/graphs", NULL};

static void insist(bool holds, const char *reader, const char *what, const tgs_error *err)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_read: reader %s: %s: %s\n", reader, what, err->text);
    abort();
}

static void round_trip(const tgs_graph *g, const char *reader)
{
    tgs_error err = {TGS_OK, ""};
    tgs_graph *back;
    char *text;
    size_t size;

    insist(!graph_to_text(&text, &size, g, "tg", &err), reader, "cannot be written", &err);
    insist(!graph_from_text(&back, "tg", text, size, &err), reader, "does not read back", &err);
    insist(tgs_graph_fingerprint(back) == tgs_graph_fingerprint(g), reader, "reads back otherwise",
           &err);
    tgs_graph_free(back);
    free(text);
    insist(!graph_to_text(&text, &size, g, "dot", &err), reader, "cannot be drawn", &err);
    free(text);
}

/* TGS_FUZZ_READER=dax fuzzes this reader only */
static bool is_chosen(const char *reader)
{
    const char *only = getenv("TGS_FUZZ_READER");

    return !only || !strcmp(only, reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int32_t i = 0; tgs_plugin_name("reader", i); i++) {
        const char *name = tgs_plugin_name("reader", i);
        const tgs_plugin *p;
        tgs_error err = {TGS_OK, ""};
        tgs_graph *g;
        tgs_status status;

        insist(!tgs_i_find(&p, "reader", name, &err), name, "is not found", &err);
        if (((const tgs_reader *)p)->yields != TGS_YIELD_GRAPH || !is_chosen(name))
            continue;
        status = graph_from_text(&g, name, (const char *)data, size, &err);
        if (!status) {
            round_trip(g, name);
            tgs_graph_free(g);
            continue;
        }
        insist(!g, name, "failed, but there is a graph", &err);
        insist(*err.text && err.status == status, name, "failed without a word", &err);
        insist(status == TGS_EPARSE || status == TGS_ECYCLE || status == TGS_EINVAL, name,
               "failed with another status", &err);
    }
    return 0;
}
