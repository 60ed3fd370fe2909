/* t_threads.c -- graphs are read, generated and written by several threads at once; libcgraph's one
 * parser per process must not show. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "graphtext.h"

enum { THREADS = 4, ROUNDS = 25 };

static const char *const file[] = {"all.tg", "plain.stg", "sizes.dot", "layers.json"};
enum { FILES = sizeof file / sizeof *file };

typedef struct work {
    char path[FILES][4096]; /* "" where the reader is not built */
    uint64_t expected[FILES], generated;
    pthread_barrier_t start;
} work;

static bool same_again(const work *w)
{
    bool good = true;
    tgs_graph *g;
    tgs_error err;
    char *text;
    size_t size;

    for (int32_t f = 0; f < FILES; f++) {
        if (!*w->path[f])
            continue;
        good &= !tgs_graph_read(&g, w->path[f], NULL, &err)
                && tgs_graph_fingerprint(g) == w->expected[f]
                && !graph_to_text(&text, &size, g, "tg", &err);
        if (!good)
            return false;
        free(text);
        tgs_graph_free(g);
    }
    /* an error of one thread is not another's */
    if (*w->path[2])
        good &= graph_from_text(&g, "dot", "digraph {\n\na -> -> b }", 22, &err) == TGS_EPARSE
                && !strncmp(err.text, "text:3: ", 8);
    good &= !tgs_graph_generate(&g, "layered:n=200", 9, &err)
            && tgs_graph_fingerprint(g) == w->generated;
    tgs_graph_free(g);
    return good;
}

static void *run(void *argument)
{
    work *w = argument;
    int32_t good = 0;

    pthread_barrier_wait(&w->start);
    while (good < ROUNDS && same_again(w))
        good++;
    return good == ROUNDS ? w : NULL;
}

static void together(void **state)
{
    static work w;
    const char *root = getenv("TGS_SRCDIR");
    pthread_t thread[THREADS];
    tgs_graph *g;

    (void)state;
    for (int32_t f = 0; f < FILES; f++) {
        const char *format, *yields;

        snprintf(w.path[f], sizeof w.path[f], "%s/tests/data/graphs/%s", root ? root : ".",
                 file[f]);
        if (tgs_identify(w.path[f], &format, &yields, NULL)) {
            *w.path[f] = 0;
            continue;
        }
        assert_int_equal(tgs_graph_read(&g, w.path[f], NULL, NULL), TGS_OK);
        w.expected[f] = tgs_graph_fingerprint(g);
        tgs_graph_free(g);
    }
    assert_int_equal(tgs_graph_generate(&g, "layered:n=200", 9, NULL), TGS_OK);
    w.generated = tgs_graph_fingerprint(g);
    tgs_graph_free(g);
    pthread_barrier_init(&w.start, NULL, THREADS);
    for (int32_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run, &w), 0);
    for (int32_t i = 0; i < THREADS; i++) {
        void *good;

        pthread_join(thread[i], &good);
        assert_non_null(good);
    }
    pthread_barrier_destroy(&w.start);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(together)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
