/* t_facts.c -- published graphs, where they are at hand: their figures are those that a program of
 * its own computed from the files (facts.csv of each set); what is broken is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <cmocka.h>
#include "readers.h"

enum { COLUMNS = 24 };

typedef struct table { /* a facts.csv, a row at a time */
    char folder[4096], head[4096], row[4096];
    char *key[COLUMNS], *value[COLUMNS];
    FILE *from;
} table;

static void cut(char *row, char **field)
{
    row[strcspn(row, "\r\n")] = 0;
    for (int32_t i = 0; i < COLUMNS; i++)
        field[i] = row ? strsep(&row, ",") : NULL;
}

static bool open_table(table *t, const char *set)
{
    const char *root = getenv("TGS_SRCDIR");
    char path[8192];

    snprintf(t->folder, sizeof t->folder, "%s/../shared/data/%s", root ? root : ".", set);
    snprintf(path, sizeof path, "%s/facts.csv", t->folder);
    t->from = fopen(path, "r");
    if (!t->from || !fgets(t->head, sizeof t->head, t->from)) {
        print_message("the set %s is not at hand\n", set);
        skip();
        return false;
    }
    cut(t->head, t->key);
    return true;
}

static bool next_row(table *t)
{
    if (!fgets(t->row, sizeof t->row, t->from))
        return false;
    cut(t->row, t->value);
    return true;
}

static const char *text_of(const table *t, const char *key)
{
    for (int32_t i = 0; i < COLUMNS && t->key[i]; i++)
        if (!strcmp(t->key[i], key))
            return t->value[i] ? t->value[i] : "";
    return "";
}

static double fact(const table *t, const char *key)
{
    const char *text = text_of(t, key);

    return *text ? atof(text) : NAN;
}

static bool near(double x, double y)
{
    return fabs(x - y) <= 1e-6 * (1 + fabs(y)); /* they are rounded */
}

/* pairs of tasks, whatever number of data goes from one to the other */
static int32_t pairs(const tgs_graph *g)
{
    int32_t count = 0;

    for (int32_t t = 0; t < g->v.tasks; t++)
        for (int32_t e = g->v.pred_at[t]; e < g->v.pred_at[t + 1]; e++)
            count += e == g->v.pred_at[t] || g->v.pred[e] != g->v.pred[e - 1];
    return count;
}

/* what the facts count as work: dnn-partitioning has milliseconds on the accelerator, else on the
 * CPU */
static double work_of(const tgs_graph *g, int32_t t, bool dnn)
{
    if (!dnn)
        return g->v.task[t].work;
    return 1e3 * (isnan(time_on(g, t, 1)) ? time_on(g, t, 0) : time_on(g, t, 1));
}

static void compare(const table *t, const tgs_graph *g, bool dnn)
{
    tgs_graph_stats stats;
    double work = 0;

    assert_int_equal(tgs_graph_measure(g, &stats, NULL), TGS_OK);
    assert_true(stats.tasks == fact(t, "tasks"));
    assert_int_equal(pairs(g), (int)fact(t, "edges"));
    assert_true(stats.sources == fact(t, "sources") && stats.sinks == fact(t, "sinks"));
    assert_true(stats.depth == fact(t, "depth"));
    for (int32_t i = 0; i < g->v.tasks; i++)
        work += work_of(g, i, dnn);
    assert_true(near(work, fact(t, "total_work")));
    assert_true(dnn || near(stats.critical_path, fact(t, "critical_path")));
}

static void check_row(const table *t, const char *format)
{
    char path[8192];
    tgs_graph *g;
    tgs_error err = {TGS_OK, ""};
    tgs_status status;

    snprintf(path, sizeof path, "%s/%s", t->folder, text_of(t, "file"));
    status = tgs_graph_read(&g, path, format, &err);
    if (fact(t, "acyclic") == 0 || fact(t, "dangling_refs") > 0) {
        assert_int_equal(status, fact(t, "acyclic") == 0 ? TGS_ECYCLE : TGS_EPARSE);
        assert_true(!strncmp(err.text, path, strlen(path))
                    && atoi(err.text + strlen(path) + 1) > 1); /* file:line: */
        return;
    }
    if (status)
        fail_msg("%s", err.text);
    compare(t, g, !strncmp(format ? format : "", "dnn", 3));
    tgs_graph_free(g);
}

/* the rows of a set whose file has this suffix; reader: what reads it; format: NULL to find out */
static void check_set(const char *set, const char *suffix, const char *reader, const char *format,
                      int32_t least)
{
    int32_t rows = 0;
    table t;

    if (!have(reader) || !open_table(&t, set))
        return;
    while (next_row(&t)) {
        const char *file = text_of(&t, "file");

        if (strlen(file) < strlen(suffix) || strcmp(file + strlen(file) - strlen(suffix), suffix)
            || isnan(fact(&t, "edges")))
            continue;
        check_row(&t, format);
        rows++;
    }
    fclose(t.from);
    assert_true(rows >= least);
}

static void simgrid_dot(void **state)
{
    (void)state;
    check_set("simgrid-dags", ".dot", "dot", "dot:rate=1", 5);
}

static void simgrid_dax(void **state)
{
    (void)state;
    check_set("simgrid-dags", ".xml", "dax", NULL, 1);
}

static void daggen(void **state)
{
    (void)state;
    check_set("dslab-dags", ".dot", "dot", "dot:rate=1", 8);
}

static void wfformat_1_3(void **state)
{
    (void)state;
    check_set("dslab-dags", ".json", "wfformat", NULL, 1);
}

static void wfformat_1_5(void **state)
{
    (void)state;
    check_set("wfinstances", ".json", "wfformat", NULL, 31);
}

static void dax(void **state)
{
    (void)state;
    check_set("pegasus-dax", ".xml", "dax", NULL, 19);
}

static void hyperdag(void **state)
{
    (void)state;
    check_set("hyperdag", ".txt", "hyperdag", NULL, 34);
}

static void rgpos(void **state)
{
    (void)state;
    check_set("rgpos", ".txt", "rgpos", NULL, 6);
}

/* facts of the matrices: only how many tasks and edges, and two bounds */
static void heft(void **state)
{
    char path[8192];
    table t;

    (void)state;
    if (!open_table(&t, "heft-family"))
        return;
    while (next_row(&t)) {
        double shortest = 0;
        tgs_graph *g;

        snprintf(path, sizeof path, "%s/%s", t.folder, text_of(&t, "file"));
        g = graph_of(path, NULL);
        assert_int_equal(g->v.tasks, (int)fact(&t, "tasks"));
        assert_int_equal(pairs(g), (int)fact(&t, "edges"));
        assert_int_equal(g->v.kinds, (int)fact(&t, "processors"));
        for (int32_t i = 0; i < g->v.tasks; i++) {
            double least = INFINITY;

            for (int32_t k = 0; k < g->v.kinds; k++)
                least = fmin(least, time_on(g, i, k));
            shortest += least;
        }
        assert_true(fabs(shortest / g->v.kinds - fact(&t, "lower_bound_work")) < 1e-3);
        tgs_graph_free(g);
    }
    fclose(t.from);
}

/* totals that the set's README tells */
static void starvz(void **state)
{
    const char *root = getenv("TGS_SRCDIR");
    int32_t ran = 0;
    double work = 0;
    char path[8192];
    tgs_graph *g;
    table t;

    (void)state;
    if (!open_table(&t, "hyperdag")) /* is the data there at all? */
        return;
    fclose(t.from);
    snprintf(path, sizeof path, "%s/../shared/data/starvz-traces/lu/rec.tasks.csv",
             root ? root : ".");
    g = graph_of(path, NULL);
    for (int32_t i = 0; i < g->v.tasks; i++) {
        ran += g->v.task[i].phase != TGS_PHASE_COMMUNICATION;
        work += g->v.task[i].work;
    }
    assert_int_equal(ran, 268);
    assert_true(fabs(work - 10.6239) < 1e-4);
    tgs_graph_free(g);
}

static void dnn_partitioning(void **state)
{
    (void)state;
    check_set("dnn-partitioning", ".json", "dnn-partitioning", "dnn-partitioning", 5);
}

/* layers of a profile: pairs of them, degrees, chains; times are in this unit of seconds; without
 * the operator `profile.end` with which the reader joins several ends */
static void compare_layers(const table *t, const tgs_model_view *m, double unit)
{
    const size_t n = (size_t)m->ops;
    int32_t *reads = calloc(n, sizeof *reads), *read = calloc(n, sizeof *read);
    int32_t *depth = calloc(n, sizeof *depth), edges = 0, most_in = 0, most_out = 0, sources = 0,
            sinks = 0, deepest = 0, layers = 0;
    double *end = calloc(n, sizeof *end), *time = calloc(n, sizeof *time), work = 0, longest = 0;

    for (int32_t i = 0; i < m->times; i++)
        time[m->time[i].op] += (m->time[i].forward + m->time[i].backward) / unit;
    for (int32_t o = 0; o < m->ops; o++) {
        const int32_t i = m->order[o];
        const tgs_op *op = &m->op[i];

        if (!strcmp(op->name, "profile.end"))
            continue;
        for (int32_t k = 0; k < op->inputs; k++) {
            const int32_t from = op->input[k] < 0 ? -1 : m->tensor[op->input[k]].producer;
            bool again = from < 0;

            for (int32_t j = 0; j < k; j++)
                again |= op->input[j] >= 0 && m->tensor[op->input[j]].producer == from;
            if (again)
                continue;
            edges++;
            reads[i]++;
            read[from]++;
            depth[i] = depth[from] > depth[i] ? depth[from] : depth[i];
            end[i] = fmax(end[i], end[from]);
        }
        depth[i]++;
        end[i] += time[i];
        work += time[i];
        longest = fmax(longest, end[i]);
        deepest = depth[i] > deepest ? depth[i] : deepest;
    }
    for (int32_t i = 0; i < m->ops; i++) {
        if (!strcmp(m->op[i].name, "profile.end"))
            continue;
        layers++;
        sources += !reads[i];
        sinks += !read[i];
        most_in = reads[i] > most_in ? reads[i] : most_in;
        most_out = read[i] > most_out ? read[i] : most_out;
    }
    if (layers != fact(t, "tasks") || edges != fact(t, "edges") || sources != fact(t, "sources")
        || sinks != fact(t, "sinks") || most_in != fact(t, "max_in")
        || most_out != fact(t, "max_out") || deepest != fact(t, "depth")
        || !near(work, fact(t, "total_work")) || !near(longest, fact(t, "critical_path")))
        fail_msg("%s: %d layers, %d edges, %d sources, %d sinks, degrees %d and %d, depth %d, "
                 "%.9g of work, %.9g of it in a chain",
                 text_of(t, "file"), (int)layers, (int)edges, (int)sources, (int)sinks,
                 (int)most_in, (int)most_out, (int)deepest, work, longest);
    free(reads);
    free(read);
    free(depth);
    free(end);
    free(time);
}

/* the profiles of a set, whose facts are in this unit of seconds */
static void check_profiles(const char *set, const char *reader, double unit, int32_t least)
{
    int32_t rows = 0;
    table t;

    if (!have(reader) || !open_table(&t, set))
        return;
    for (; next_row(&t); rows++) {
        char path[8192];
        tgs_model *m;
        tgs_error err = {TGS_OK, ""};

        snprintf(path, sizeof path, "%s/%s", t.folder, text_of(&t, "file"));
        if (tgs_model_read(&m, path, NULL, NULL, &err))
            fail_msg("%s", err.text);
        compare_layers(&t, tgs_model_look(m), unit);
        tgs_model_free(m);
    }
    fclose(t.from);
    assert_true(rows >= least);
}

static void pipedream(void **state)
{
    (void)state;
    check_profiles("pipedream-profiles", "pipedream", 1e-3, 11);
}

static void dapple(void **state)
{
    (void)state;
    check_profiles("dapple-profiles", "pipedream", 1e-3, 8);
}

static void piper(void **state)
{
    (void)state;
    check_profiles("piper", "piper", 1, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simgrid_dot),
        cmocka_unit_test(simgrid_dax),
        cmocka_unit_test(daggen),
        cmocka_unit_test(wfformat_1_3),
        cmocka_unit_test(wfformat_1_5),
        cmocka_unit_test(dax),
        cmocka_unit_test(hyperdag),
        cmocka_unit_test(rgpos),
        cmocka_unit_test(heft),
        cmocka_unit_test(starvz),
        cmocka_unit_test(dnn_partitioning),
        cmocka_unit_test(pipedream),
        cmocka_unit_test(dapple),
        cmocka_unit_test(piper),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
