/* t_varlen.c -- causal attention cut into chunks: what ranks have to do adds up, and is shared as
 * the rule says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "internal.h"

static tgs_graph *generated(const char *spec)
{
    tgs_graph *g;
    tgs_error err;

    if (tgs_graph_generate(&g, spec, 1, &err))
        fail_msg("%s: %s", spec, err.text);
    return g;
}

/* seconds of the tasks called so, of one rank */
static double seconds(const tgs_graph *g, const char *what, int rank)
{
    double sum = 0;
    char name[40];

    snprintf(name, sizeof name, "%s_%d", what, rank);
    for (int32_t t = 0; t < g->v.tasks; t++) {
        const char *text = tgs_text(&g->v, g->v.task[t].name);
        const size_t size = strlen(name);

        if (!strncmp(text, name, size) && (!text[size] || text[size] == '_'))
            sum += g->v.task[t].work;
    }
    return sum;
}

static double bytes_of_keys(const tgs_graph *g)
{
    double sum = 0;

    for (int32_t t = 0; t < g->v.tasks; t++)
        for (int32_t e = g->v.succ_at[t]; e < g->v.succ_at[t + 1]; e++)
            if (!strncmp(tgs_text(&g->v, g->v.task[t].name), "keys_", 5) && g->v.succ_datum[e] >= 0)
                sum += g->v.datum[g->v.succ_datum[e]].bytes;
    return sum;
}

/* a query of each token sees all keys before it: L^2 / 2 pairs, however they are cut */
static void all_pairs_are_somewhere(void **state)
{
    static const char *const rules[] = {"balanced", "contiguous", "unequal"};
    static const double share[][4] = {
        {1 / 4., 1 / 4., 1 / 4., 1 / 4.},
        {4 / 64., 12 / 64., 20 / 64., 28 / 64.},
        {1 / 4., 1 / 4., 1 / 4., 1 / 4.},
    };

    (void)state;
    for (int i = 0; i < 3; i++) {
        char spec[100];
        tgs_graph *g;

        snprintf(spec, sizeof spec, "varlen:lengths=10000:ranks=4:pair=2:chunks=%s", rules[i]);
        g = generated(spec);
        for (int r = 0; r < 4; r++) {
            const double work = seconds(g, "attend", r) / (2 * 1e4 * 1e4 / 2);

            if (fabs(work - share[i][r]) > 1e-4) /* whole tokens */
                fail_msg("%s: rank %d has %g", rules[i], r, work);
        }
        assert_true(fabs(seconds(g, "attend", 0) + seconds(g, "attend", 1) + seconds(g, "attend", 2)
                         + seconds(g, "attend", 3) - 1e8)
                    < 1e-3);
        tgs_graph_free(g);
    }
}

/* 9 tokens: 2 of 3 parts of 81 / 2 pairs end at 9 sqrt(2 / 3) = 7.35, that is after 7 tokens */
static void pieces_by_speed(void **state)
{
    tgs_graph *g = generated("varlen:lengths=9:ranks=2:local=0:pair=1:token=1:token_bytes=10:"
                             "chunks=unequal:speeds=2+1");

    (void)state;
    assert_true(seconds(g, "attend", 0) == 49 / 2.);
    assert_true(seconds(g, "attend", 1) == (81 - 49) / 2.);
    assert_true(bytes_of_keys(g) == 70);       /* what the first has goes on */
    assert_true(seconds(g, "linear", 0) == 6); /* and tokens are shared 2 to 1 after it */
    assert_true(seconds(g, "linear", 1) == 3);
    tgs_graph_free(g);
    /* short ones go to who is done first: 8, 8 and 8 pairs of work to speeds 2 and 1 */
    g = generated("varlen:lengths=4+4+4:ranks=2:pair=1:speeds=2+1");
    assert_true(seconds(g, "attend", 0) == 16);
    assert_true(seconds(g, "attend", 1) == 8);
    tgs_graph_free(g);
}

static void wrong_speeds_are_refused(void **state)
{
    static const char *const wrong[] = {
        "varlen:ranks=3:speeds=2+1",   "varlen:ranks=2:speeds=2+1+1", "varlen:ranks=2:speeds=0+1",
        "varlen:ranks=2:speeds=2+1.5", "varlen:chunks=unlike",        "varlen:ranks=2:speeds=a",
    };
    tgs_error err;
    tgs_graph *g;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(tgs_graph_generate(&g, wrong[i], 1, &err), TGS_EINVAL);
        assert_null(g);
        assert_non_null(strstr(err.text, "varlen"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs_are_somewhere),
        cmocka_unit_test(pieces_by_speed),
        cmocka_unit_test(wrong_speeds_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
