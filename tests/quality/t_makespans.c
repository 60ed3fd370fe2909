/* t_makespans.c -- the makespan of every heuristic, and every bound, on a fixed matrix of graphs
 * and machines, against makespans.csv: a change of an algorithm is a diff of that file.
 *
 * What differs fails, and so does a row that nothing makes any more.  A heuristic, bound or
 * instance that has no rows yet is named but does not fail: `make quality-makespans` adds it (it
 * runs this program with the arguments `write FILE`).  Searches get a small budget
 * (fixture_heuristic); what enumerates nodes is tried on graphs of at most 20 tasks only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../fixture.h"
#include "tgsched/lp.h"

typedef struct instance {
    const char *graph, *platform; /* a file under the top, or a spec */
} instance;

#define EQUAL "cpu:4/own link:1,0"
#define MIXED "cpu:4 gpu:2/own link:1,0.1"
#define NODE  "cpu:4 gpu:2/own link:12e9,1e-5"

static const instance instances[] = {
    {"examples/topcuoglu.tg", "examples/topcuoglu.tgp"},
    {"examples/peft.tg", "examples/peft.tgp"},
    {"examples/kwok-ahmad.tg", EQUAL},
    {"tests/data/graphs/plain.stg", "cpu:3"},
    {"tests/data/graphs/costs.stg", EQUAL},
    {"tests/data/graphs/sizes.dot", EQUAL},
    {"tests/data/dnn-partitioning/bert24_inference.json", NODE},
    {"gen:chain:n=20", EQUAL},
    {"gen:independent:n=60:kinds=cpu+gpu", "cpu:4 gpu:2"},
    {"gen:independent:n=12:kinds=cpu+gpu:ccr=0", MIXED},
    {"gen:forkjoin:n=12:ccr=1", EQUAL},
    {"gen:forkjoin:n=60:ccr=0.3", "cpu:8/own link:1,0"},
    {"gen:forkjoin:n=16:stages=3:ccr=2:kinds=cpu+gpu", MIXED},
    {"gen:layered:n=16:ccr=1", EQUAL},
    {"gen:layered:n=60:ccr=0.1", EQUAL},
    {"gen:layered:n=60:ccr=10", EQUAL},
    {"gen:layered:n=60:ccr=0.1:kinds=cpu+gpu", MIXED},
    {"gen:layered:n=60:ccr=10:kinds=cpu+gpu", MIXED},
    {"gen:layered:n=60:width=20:degree=5:kinds=cpu+gpu", "cpu:2 cpu:2x2 gpu:1x0.5/own link:1,0"},
    {"gen:layered:n=40:bytes=1e9:kinds=cpu+gpu", "cpu:4 gpu:1@12 link:12e9,1e-5"},
    {"gen:cholesky:n=5:kinds=cpu+gpu", NODE},
    {"gen:cholesky:n=6", "cpu:8"},
    {"gen:lu:n=4:kinds=cpu+gpu", NODE},
};
#define INSTANCES ((int32_t)(sizeof instances / sizeof *instances))

/* ---- the matrix -------------------------------------------------------------------------------
 */
/* a row: "graph,platform,name", and what it came to */
typedef void (*row_fn)(const char *key, const char *value, void *to);

static const char *in_tree(const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", getenv("TGS_SRCDIR") ? getenv("TGS_SRCDIR") : ".", name);
    return path;
}

static tgs_status open_instance(const instance *x, fixture *f, tgs_error *err)
{
    char path[1024];
    tgs_status status;

    *f = (fixture){NULL, NULL, NULL};
    status = strncmp(x->graph, "gen:", 4) == 0
                 ? tgs_graph_generate(&f->g, x->graph + 4, 1, err)
                 : tgs_graph_read(&f->g, in_tree(x->graph, path, sizeof path), NULL, err);
    if (!status)
        status = tgs_platform_open(
            &f->p, strchr(x->platform, ':') ? x->platform : in_tree(x->platform, path, sizeof path),
            err);
    if (!status)
        status = tgs_problem_new(&f->pb, f->g, f->p, NULL, "latbw", err);
    return status;
}

static void give(const instance *x, const char *name, tgs_status status, double value, row_fn row,
                 void *to)
{
    char key[300], text[40];

    snprintf(key, sizeof key, "%s,%s,%s", x->graph, strchr(x->platform, ',') ? "" : x->platform,
             name);
    if (strchr(x->platform, ',')) /* no commas in a cell */
        snprintf(key, sizeof key, "%s,\"%s\",%s", x->graph, x->platform, name);
    if (status)
        snprintf(text, sizeof text, "%s",
                 status == TGS_EINFEASIBLE ? "infeasible" : "not applicable");
    else
        snprintf(text, sizeof text, "%.12g", value);
    row(key, text, to);
}

static void make_rows(const instance *x, const fixture *f, row_fn row, void *to)
{
    const char *spec;
    tgs_error err;

    for (int32_t i = 0; tgs_plugin_name("bound", i); i++) {
        char name[100];
        double bound = NAN;
        const tgs_status status = tgs_bound(&bound, f->pb, tgs_plugin_name("bound", i), &err);

        if (status && status != TGS_ENOTAPPLICABLE)
            fail_msg("%s on %s: %s", tgs_plugin_name("bound", i), x->graph, err.text);
        snprintf(name, sizeof name, "bound %s", tgs_plugin_name("bound", i));
        give(x, name, status, bound, row, to);
    }
    for (int32_t i = 0; (spec = fixture_heuristic(i)) != NULL; i++) {
        tgs_schedule *s;
        tgs_status status;

        if (strstr(spec, ":nodes=") && f->g->v.tasks > 20)
            continue;
        status = tgs_schedule_make(&s, f->pb, spec, 1, &err);
        if (status && status != TGS_ENOTAPPLICABLE && status != TGS_EINFEASIBLE)
            fail_msg("%s on %s: %s", spec, x->graph, err.text);
        give(x, spec, status, status ? NAN : tgs_schedule_makespan(s), row, to);
        tgs_schedule_free(s);
    }
}

/* ---- the file ---------------------------------------------------------------------------------
 */
typedef struct line {
    char *key, *value;
    bool met;
} line;

typedef struct table {
    line *line;
    int32_t lines, met, fresh, changed;
} table;

static int by_key(const void *a, const void *b)
{
    return strcmp(((const line *)a)->key, ((const line *)b)->key);
}

static void read_table(table *t, const char *path)
{
    FILE *from = fopen(path, "r");
    char text[600];

    *t = (table){.line = NULL};
    while (from && fgets(text, sizeof text, from)) {
        char *value = strrchr(text, ',');

        if (*text == '#' || !value || !strncmp(text, "graph,", 6))
            continue;
        *value++ = '\0';
        value[strcspn(value, "\n")] = '\0';
        t->line = realloc(t->line, ((size_t)t->lines + 1) * sizeof *t->line);
        assert_non_null(t->line);
        t->line[t->lines++] = (line){strdup(text), strdup(value), false};
    }
    if (!from)
        fail_msg("no %s", path);
    fclose(from);
    qsort(t->line, (size_t)t->lines, sizeof *t->line, by_key);
}

static void drop_table(table *t)
{
    for (int32_t i = 0; i < t->lines; i++) {
        free(t->line[i].key);
        free(t->line[i].value);
    }
    free(t->line);
}

static void check_row(const char *key, const char *value, void *to)
{
    table *t = to;
    line *known, wanted = {.key = (char *)key};

    known = t->lines ? bsearch(&wanted, t->line, (size_t)t->lines, sizeof *t->line, by_key) : NULL;
    if (!known) {
        printf("new: %s,%s\n", key, value);
        t->fresh++;
        return;
    }
    known->met = true;
    t->met++;
    if (strcmp(known->value, value) != 0) {
        printf("changed: %s: %s, was %s\n", key, value, known->value);
        t->changed++;
    }
}

/* rows of an instance that cannot be read here (no JSON) are not missed */
static void excuse(table *t, const instance *x)
{
    for (int32_t i = 0; i < t->lines; i++)
        t->line[i].met |= !strncmp(t->line[i].key, x->graph, strlen(x->graph));
}

static void makespans(void **state)
{
    char path[1024];
    int32_t gone = 0;
    table t;

    (void)state;
    read_table(&t, in_tree("tests/quality/makespans.csv", path, sizeof path));
    for (int32_t i = 0; i < INSTANCES; i++) {
        fixture f;
        tgs_error err;
        const tgs_status status = open_instance(&instances[i], &f, &err);

        if (!status)
            make_rows(&instances[i], &f, check_row, &t);
        else if (strstr(instances[i].graph, ".json") && status == TGS_ENOTFOUND)
            excuse(&t, &instances[i]);
        else
            fail_msg("%s: %s", instances[i].graph, err.text);
        fixture_close(&f);
    }
    for (int32_t i = 0; i < t.lines; i++)
        if (!t.line[i].met) {
            printf("gone: %s\n", t.line[i].key);
            gone++;
        }
    if (t.fresh)
        printf("%d rows are new: `make quality-makespans` adds them to makespans.csv\n", t.fresh);
    if (t.changed || gone)
        fail_msg("%d rows differ, %d are of nothing; if that is meant, `make quality-makespans` "
                 "rewrites makespans.csv",
                 t.changed, gone);
    assert_true(t.met >= 500);
    drop_table(&t);
}

static void write_row(const char *key, const char *value, void *to)
{
    fprintf(to, "%s,%s\n", key, value);
}

static void write_all(void **state)
{
    FILE *to = fopen(*state, "w");

    if (!to)
        fail_msg("cannot write %s", (const char *)*state);
    fprintf(to, "graph,platform,heuristic or bound,seconds\n");
    for (int32_t i = 0; i < INSTANCES; i++) {
        fixture f;
        tgs_error err;

        if (open_instance(&instances[i], &f, &err))
            fail_msg("%s: %s", instances[i].graph, err.text);
        make_rows(&instances[i], &f, write_row, to);
        fixture_close(&f);
    }
    assert_int_equal(fclose(to), 0);
}

/* whether the heuristics and readers of the optional parts are there */
static bool complete(void)
{
    bool metis = false, dot = false;

    for (int32_t i = 0; tgs_plugin_name("heuristic", i); i++)
        metis |= !strcmp(tgs_plugin_name("heuristic", i), "metis");
    for (int32_t i = 0; tgs_plugin_name("reader", i); i++)
        dot |= !strcmp(tgs_plugin_name("reader", i), "dot");
    return metis && dot && tgs_lp_available();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest check[] = {cmocka_unit_test(makespans)};
    const struct CMUnitTest rewrite[] = {cmocka_unit_test_prestate(write_all, argv[argc - 1])};

    if (!complete()) {
        print_message("the rows are those of a build with every optional part\n");
        return 77;
    }
    return argc == 3 && !strcmp(argv[1], "write") ? cmocka_run_group_tests(rewrite, NULL, NULL)
                                                  : cmocka_run_group_tests(check, NULL, NULL);
}
