/* t_roundtrip.c -- random graphs with every feature: what is written reads back as an equal graph,
 * and writing that gives the same text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>
#include <cmocka.h>
#include "graphtext.h"

enum { GRAPHS = 600 };

static tgs_rng rng;

static int32_t below(int32_t n)
{
    return (int32_t)tgs_rng_int(&rng, 0, n - 1);
}

static bool chance(double p)
{
    return tgs_rng_real(&rng) < p;
}

/* numbers of every size, short and long, and 0 */
static double number(void)
{
    switch (below(4)) {
    case 0:
        return below(100);
    case 1:
        return tgs_rng_real(&rng);
    case 2:
        return ldexp(tgs_rng_real(&rng), below(400) - 200);
    default:
        return below(1000) / 8.0;
    }
}

/* a text of any bytes but NUL; unique through its number */
static const char *text(char *room, int32_t unique)
{
    int32_t n = chance(0.3) ? 1 + below(12) : 0, used = 0;

    while (n--)
        room[used++] = (char)(1 + below(255));
    sprintf(room + used, "%d", unique);
    return room;
}

/* a word for what must not hold blanks or commas */
static const char *word(char *room, int32_t unique)
{
    static const char some[] = "@%=#\"xyz:/.\x7f\xc3\xa4";
    int32_t n = below(6), used = 0;

    while (n--)
        room[used++] = some[below(sizeof some - 1)];
    sprintf(room + used, "%d", unique);
    return room;
}

static void constrain(tgs_builder *b, int32_t t, char kind[][40], int32_t kinds)
{
    char room[64], list[400] = "";

    if (kinds && chance(0.3)) {
        for (int32_t k = 0; k < kinds; k++)
            if (chance(0.5) || k == kinds - 1)
                sprintf(list + strlen(list), "%s%s", *list ? "," : "", kind[k]);
        assert_int_equal(tgs_builder_task_constrain(b, t, "kinds", list), TGS_OK);
    }
    static const char *const real[] = {"priority", "release", "deadline"};
    for (int32_t i = 0; i < 3; i++)
        if (chance(0.2)) {
            sprintf(room, "%.17g", number() * (i ? 1 : -1));
            assert_int_equal(tgs_builder_task_constrain(b, t, real[i], room), TGS_OK);
        }
    static const char *const whole[] = {"group", "job"};
    for (int32_t i = 0; i < 2; i++)
        if (chance(0.2)) {
            sprintf(room, "%d", below(5));
            assert_int_equal(tgs_builder_task_constrain(b, t, whole[i], room), TGS_OK);
        }
    static const char *const name[] = {"processor", "memory", "trust"};
    for (int32_t i = 0; i < 3; i++)
        if (chance(0.2))
            assert_int_equal(tgs_builder_task_constrain(b, t, name[i], text(room, i)), TGS_OK);
}

static void add_tasks(tgs_builder *b, int32_t n, char kind[][40], int32_t kinds)
{
    for (int32_t i = 0; i < n; i++) {
        char name[64], codelet[64], attrs[200];
        const int32_t t = tgs_builder_task(b, chance(0.8) ? text(name, i) : NULL,
                                           chance(0.5) ? text(codelet, below(3)) : NULL,
                                           chance(0.5) ? number() : NAN);

        assert_int_equal(t, i);
        for (int32_t k = 0; k < kinds; k++)
            if (chance(0.6))
                tgs_builder_task_time(b, t, kind[k], number());
        if (chance(0.5))
            tgs_builder_task_cost(b, t, chance(0.5) ? number() : NAN, chance(0.5) ? number() : NAN);
        if (chance(0.5))
            tgs_builder_task_phase(b, t, (tgs_phase)below(5));
        if (chance(0.3)) {
            char one[64], two[64];

            snprintf(attrs, sizeof attrs, "z%s=1 a=%s", word(one, 1), word(two, 2));
            assert_int_equal(tgs_builder_task_attrs(b, t, attrs), TGS_OK);
        }
        if (chance(0.4))
            constrain(b, t, kind, kinds);
    }
}

static void describe(tgs_builder *b, int32_t d)
{
    static const char *const init[] = {"zero", "bound", "constant:-2.5", "random:3:0.25",
                                       "file:8:a b%#\".bin"};
    int64_t dims[4];
    char room[64];

    if (chance(0.4)) {
        const int32_t rank = below(5);

        for (int32_t i = 0; i < rank; i++)
            dims[i] = below(30);
        assert_int_equal(tgs_builder_datum_shape(b, d, (tgs_dtype)below(10), rank, dims), TGS_OK);
    }
    if (chance(0.3))
        tgs_builder_datum_class(b, d, (tgs_class)below(6));
    if (chance(0.3))
        assert_int_equal(tgs_builder_datum_set(b, d, "init", init[below(5)]), TGS_OK);
    if (chance(0.2))
        assert_int_equal(tgs_builder_datum_set(b, d, "home", text(room, 1)), TGS_OK);
    if (chance(0.3))
        assert_int_equal(tgs_builder_datum_set(b, d, "persistent", chance(0.5) ? "1" : "0"),
                         TGS_OK);
}

/* Accesses come in the order of the calls, so that no order of the tasks' numbers is favoured: the
 * tasks are run through in a random order, and each touches what it likes. */
static void add_accesses(tgs_builder *b, int32_t n, int32_t *data, double edges)
{
    int32_t *order = calloc((size_t)n, sizeof *order), *used;
    const int32_t whole = *data;

    for (int32_t i = 0; i < n; i++) {
        const int32_t j = below(i + 1);

        order[i] = order[j];
        order[j] = i;
    }
    for (int32_t i = 0; i < n; i++) {
        const int32_t t = order[i];

        used = calloc((size_t)*data + 1, sizeof *used);
        for (int32_t k = whole ? below(5) : 0; k > 0; k--) {
            const int32_t d = below(chance(0.95) ? whole : *data); /* rarely one of an edge */
            const tgs_mode mode = (tgs_mode)(1 + below(3));

            if (used[d] && (used[d] != TGS_R || mode != TGS_R)) /* reading twice is allowed */
                continue;
            used[d] = mode;
            assert_int_equal(tgs_builder_access(b, t, d, mode), TGS_OK);
        }
        free(used);
        for (int32_t k = i ? below(4) : 0; k > 0; k--) {
            const int32_t from = order[below(i)];

            if (chance(edges)) {
                assert_int_equal(tgs_builder_edge(b, from, t, number()), TGS_OK);
                ++*data;
            } else
                assert_int_equal(tgs_builder_after(b, from, t), TGS_OK);
        }
    }
    free(order);
}

static tgs_graph *random_graph(void)
{
    const int32_t n = chance(0.05) ? 0 : 1 + below(30), whole = chance(0.6) ? below(20) : 0;
    const int32_t kinds = below(5);
    char kind[4][40], name[64];
    int32_t data = 0;
    tgs_builder *b;
    tgs_graph *g;
    tgs_error err = {TGS_OK, ""};

    assert_int_equal(tgs_builder_new(&b, NULL), TGS_OK);
    for (int32_t k = 0; k < kinds; k++)
        assert_int_equal(tgs_builder_kind(b, word(kind[k], k)), TGS_OK);
    add_tasks(b, n, kind, kinds);
    for (; data < whole; data++) {
        assert_int_equal(tgs_builder_datum(b, chance(0.7) ? text(name, data) : NULL, number()),
                         data);
        if (chance(0.6))
            describe(b, data);
    }
    if (n)
        add_accesses(b, n, &data, chance(0.3) ? 1 : 0.5);
    if (tgs_builder_finish(&g, b, &err))
        fail_msg("%s", err.text);
    return g;
}

static void written_and_read(void **state)
{
    int32_t edges_written = 0;

    (void)state;
    tgs_rng_seed(&rng, 20);
    for (int32_t i = 0; i < GRAPHS; i++) {
        tgs_graph *g = random_graph(), *back;
        tgs_error err = {TGS_OK, ""};
        char *first, *second;
        size_t size, again;

        assert_int_equal(graph_to_text(&first, &size, g, "tg", &err), TGS_OK);
        if (graph_from_text(&back, "tg", first, size, &err))
            fail_msg("graph %d: %s\n%s", i, err.text, first);
        if (tgs_graph_fingerprint(back) != tgs_graph_fingerprint(g))
            fail_msg("graph %d reads back differently:\n%s", i, first);
        assert_int_equal(graph_to_text(&second, &again, back, "tg", &err), TGS_OK);
        assert_int_equal(size, again);
        assert_memory_equal(first, second, size);
        edges_written += strstr(first, "\nedge ") != NULL;
        free(first);
        free(second);
        tgs_graph_free(back);
        tgs_graph_free(g);
    }
    assert_true(edges_written > GRAPHS / 10); /* both forms were met */
}

/* a fingerprint tells graphs apart: each small change of a text changes it */
static void changes_are_seen(void **state)
{
    static const char base[] =
        "tgsched.graph/1\nkinds x y\ntask a work=1 time=1,2 flops=3 bytes=4\n"
        "task b attrs=\"k=1\" codelet=c phase=update priority=1\n"
        "data d bytes=5 class=input init=zero persistent=1\n"
        "data e dtype=f32 shape=2,3 home=m\naccess a w d\naccess b r d\n"
        "access b rw e\nedge a b 7\n";
    static const char *const change[][2] = {
        {"work=1", "work=2"},         {"time=1,2", "time=1,3"},     {"flops=3", "flops=4"},
        {"bytes=4", "bytes=5"},       {"\"k=1\"", "\"k=2\""},       {"codelet=c", "codelet=d"},
        {"phase=update", ""},         {"priority=1", "priority=2"}, {"priority=1", "group=1"},
        {"bytes=5", "bytes=6"},       {"class=input", ""},          {"init=zero", "init=bound"},
        {"persistent=1", ""},         {"dtype=f32", "dtype=i32"},   {"shape=2,3", "shape=3,2"},
        {"home=m", "home=n"},         {"access b r d\n", ""},       {"b rw e", "b r e"},
        {"edge a b 7", "edge a b 8"}, {"edge a b 7", "after a b"},  {"task a", "task A"},
        {"kinds x y", "kinds y x"},
    };
    uint64_t seen[32];
    size_t count = 0;

    (void)state;
    for (size_t i = 0; i <= sizeof change / sizeof *change; i++) {
        char text[600] = "";
        const char *at = i ? strstr(base, change[i - 1][0]) : base;
        tgs_graph *g;
        tgs_error err = {TGS_OK, ""};

        if (i && !strcmp(change[i - 1][0], "task a")) { /* a's name, wherever it stands */
            strcpy(text, base);
            for (char *s = text; (s = strstr(s, " a ")); s++)
                s[1] = 'A';
        } else if (i)
            sprintf(text, "%.*s%s%s", (int)(at - base), base, change[i - 1][1],
                    at + strlen(change[i - 1][0]));
        else
            strcpy(text, base);
        if (graph_from_text(&g, "tg", text, strlen(text), &err))
            fail_msg("change %zu: %s", i, err.text);
        for (size_t k = 0; k < count; k++)
            if (seen[k] == tgs_graph_fingerprint(g))
                fail_msg("changes %zu and %zu are not told apart", k, i);
        seen[count++] = tgs_graph_fingerprint(g);
        tgs_graph_free(g);
    }
}

/* what the accesses imply is not written again as after records */
static void implied_orders(void **state)
{
    static const char text[] = "tgsched.graph/1\ntask a\ntask b\ntask c\ntask d\ntask e\n"
                               "data x bytes=1\naccess a w x\naccess b r x\naccess c w x\n"
                               "access d w x\nafter a e\nafter b c\nafter a b\n";
    tgs_graph *g;
    char *written;
    size_t size;

    (void)state;
    assert_int_equal(graph_from_text(&g, "tg", text, sizeof text - 1, NULL), TGS_OK);
    assert_int_equal(graph_to_text(&written, &size, g, "tg", NULL), TGS_OK);
    assert_non_null(strstr(written, "\nafter a e\n"));
    assert_non_null(strstr(written, " orders=1\n"));
    free(written);
    tgs_graph_free(g);
}

/* generated graphs through a file; through DOT, what DOT keeps */
static void generated(void **state)
{
    (void)state;
    for (int32_t i = 0; tgs_plugin_name("generator", i); i++) {
        char path[] = "t_roundtrip.XXXXXX.tg";
        tgs_graph *g, *back = NULL;
        tgs_error err = {TGS_OK, ""};

        close(mkstemps(path, 3));
        assert_int_equal(tgs_graph_generate(&g, tgs_plugin_name("generator", i), 3, &err), TGS_OK);
        if (tgs_graph_write(g, path, NULL, &err) || tgs_graph_read(&back, path, NULL, &err))
            fail_msg("%s", err.text);
        assert_true(tgs_graph_fingerprint(back) == tgs_graph_fingerprint(g));
        tgs_graph_free(back);
        remove(path);
        tgs_graph_free(g);
    }
}

static void through_dot(void **state)
{
    const tgs_plugin *p;

    (void)state;
    if (tgs_i_find(&p, "reader", "dot", NULL)) {
        print_message("this build does not read DOT\n");
        skip();
    }
    tgs_rng_seed(&rng, 21);
    for (int32_t i = 0; i < 50; i++) {
        tgs_graph *g, *back;
        tgs_error err = {TGS_OK, ""};
        char *text, spec[64];
        size_t size;

        snprintf(spec, sizeof spec, "layered:n=%d:width=%d", 2 + below(60), 1 + below(9));
        assert_int_equal(tgs_graph_generate(&g, spec, (uint64_t)i, NULL), TGS_OK);
        assert_int_equal(graph_to_text(&text, &size, g, "dot", NULL), TGS_OK);
        if (graph_from_text(&back, "dot", text, size, &err))
            fail_msg("%s\n%s", err.text, text);
        assert_int_equal(back->v.tasks, g->v.tasks);
        assert_int_equal(back->v.edges, g->v.edges);
        for (int32_t t = 0; t < g->v.tasks; t++) {
            assert_string_equal(tgs_graph_task_name(g, t), tgs_graph_task_name(back, t));
            assert_true(g->v.task[t].work == back->v.task[t].work);
        }
        for (int32_t e = 0; e < g->v.edges; e++) {
            assert_int_equal(g->v.pred[e], back->v.pred[e]);
            assert_true(g->v.datum[g->v.pred_datum[e]].bytes
                        == back->v.datum[back->v.pred_datum[e]].bytes);
        }
        free(text);
        tgs_graph_free(back);
        tgs_graph_free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_and_read), cmocka_unit_test(changes_are_seen),
        cmocka_unit_test(implied_orders),   cmocka_unit_test(generated),
        cmocka_unit_test(through_dot),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
