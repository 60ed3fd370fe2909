/* t_formats.c -- workflow files and other formats of the literature: by value, and what is refused
 * with file and line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <unistd.h>
#include <cmocka.h>
#include "readers.h"

static tgs_graph *graph_from(const char *format, const char *text)
{
    tgs_graph *g;
    tgs_error err = {TGS_OK, ""};

    if (graph_from_text(&g, format, text, strlen(text), &err))
        fail_msg("%s: %s", format, err.text);
    return g;
}

/* how many dependencies there are from u to v */
static int32_t times_joined(const tgs_graph *g, const char *u, const char *v)
{
    const int32_t from = task(g, u), to = task(g, v);
    int32_t count = 0;

    for (int32_t e = g->v.pred_at[to]; e < g->v.pred_at[to + 1]; e++)
        count += g->v.pred[e] == from;
    return count;
}

static const char *attrs_of(const tgs_graph *g, const char *name)
{
    return tgs_text(&g->v, g->v.task[task(g, name)].attrs);
}

/* a mark before UTF-8 is no part of the text, whether a reader takes lines or all of it */
static void found_by_content(const char *text)
{
    char path[] = "formatsXXXXXX";
    const int fd = mkstemp(path);
    tgs_graph *g;

    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    g = graph_of(path, NULL);
    assert_int_equal(g->v.tasks, 2);
    tgs_graph_free(g);
    unlink(path);
}

static void byte_order_mark(void **state)
{
    static const char *const text[][2] = {
        {"tg", "\xEF\xBB\xBFtgsched.graph/1\ntask a flops=1\ntask b flops=1\nedge a b 5\n"},
        {"wfformat", "\xEF\xBB\xBF{\"schemaVersion\": \"1.3\", \"workflow\": {\"tasks\": ["
                     "{\"name\": \"a\", \"runtime\": 1, \"parents\": [], \"files\": []}, "
                     "{\"name\": \"b\", \"runtime\": 1, \"parents\": [\"a\"], \"files\": []}]}}"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        if (have(text[i][0])) {
            tgs_graph *g = graph_from(text[i][0], text[i][1]);

            assert_int_equal(g->v.tasks, 2);
            assert_int_equal(tgs_graph_edges(g), 1);
            tgs_graph_free(g);
            found_by_content(text[i][1]);
        }
}

/* ---- WfFormat ----------------------------------------------------------------------------------
 */

static void wfformat_1_5(void **state)
{
    tgs_graph *g;

    (void)state;
    if (!have("wfformat"))
        return;
    g = graph_of(data_path("graphs/diamond.wf.json"), NULL);
    assert_int_equal(g->v.tasks, 4);
    assert_true(g->v.task[task(g, "right")].work == 4 && g->v.task[task(g, "join")].work == 1.5);
    assert_string_equal(tgs_graph_task_codelet(g, task(g, "left")), "work");
    assert_string_equal(attrs_of(g, "right"), "cores=8");
    assert_string_equal(attrs_of(g, "left"), "");
    assert_non_null(strstr(tgs_graph_note(g), "1 tasks ran on several cores"));
    assert_true(carried(g, "split_1", "left") == 2000 && carried(g, "split_1", "right") == 2000);
    assert_true(carried(g, "right", "join") == -1);   /* declared, and no file goes along */
    assert_true(carried(g, "split_1", "join") == 10); /* not declared, but there is a file */
    assert_non_null(strstr(tgs_graph_note(g), "1 dependencies are not declared"));
    assert_int_equal(g->v.data, 5); /* one datum a file, whoever reads it */
    assert_int_equal(tgs_graph_edges(g), 5);
    assert_true(tgs_graph_datum_bytes(g, tgs_graph_find_datum(g, "in/all.dat")) == 4000);
    tgs_graph_free(g);
    g = graph_of(data_path("graphs/diamond.wf.json"), "wfformat:files=declared");
    assert_int_equal(tgs_graph_edges(g), 4);
    assert_non_null(strstr(tgs_graph_note(g), "left out"));
    tgs_graph_free(g);
}

static void wfformat_1_3(void **state)
{
    tgs_graph *g;

    (void)state;
    if (!have("wfformat"))
        return;
    g = graph_of(data_path("graphs/diamond.wf13.json"), NULL);
    assert_int_equal(tgs_graph_edges(g), 4);
    assert_true(g->v.task[task(g, "ID4")].work == 1.5);
    assert_string_equal(tgs_graph_task_codelet(g, task(g, "ID2")), "work");
    assert_string_equal(attrs_of(g, "ID2"), "cores=2");
    assert_true(carried(g, "ID1", "ID2") == 2000); /* the writer's size */
    assert_true(carried(g, "ID1", "ID3") == -1);
    tgs_graph_free(g);
}

/* ---- DAX ---------------------------------------------------------------------------------------
 */

static void dax_files(void **state)
{
    tgs_graph *g;

    (void)state;
    if (!have("dax"))
        return;
    g = graph_of(data_path("graphs/diamond.dax"), NULL);
    assert_int_equal(g->v.tasks, 4);
    assert_int_equal(tgs_graph_edges(g), 4);
    assert_true(g->v.task[task(g, "ID3")].work == 4);
    assert_string_equal(tgs_graph_task_codelet(g, task(g, "ID1")), "split");
    assert_string_equal(attrs_of(g, "ID3"), "cores=4");
    assert_true(carried(g, "ID1", "ID2") == 2000 && carried(g, "ID1", "ID3") == 2000);
    assert_true(carried(g, "ID2", "ID4") == -1 && carried(g, "ID3", "ID4") == 500);
    assert_true(tgs_graph_find_datum(g, "r&d.dat") >= 0);
    assert_non_null(strstr(tgs_graph_note(g), "several processors"));
    tgs_graph_free(g);
}

#define JOB(id, uses)         "<job id='" id "' runtime='1'>" uses "</job>\n"
#define USE(file, link, size) "<uses file='" file "' link='" link "' size='" size "'/>"
#define AFTER(child, parent)  "<child ref='" child "'><parent ref='" parent "'/></child>\n"

/* several jobs write a file: a reader gets the version of those it is declared to come after */
static void dax_versions(void **state)
{
    static const char text[] = "<adag>\n" JOB("a", USE("log", "output", "1"))
        JOB("b", USE("log", "inout", "1")) JOB("c", USE("log", "input", "1"))
            JOB("d", USE("log", "input", "1") USE("log", "input", "1")) AFTER("b", "a")
                AFTER("c", "b") AFTER("c", "b") "</adag>";
    tgs_graph *g;

    (void)state;
    if (!have("dax"))
        return;
    g = graph_from("dax", text);
    assert_int_equal(g->v.data, 2); /* a's and b's */
    assert_int_equal(tgs_graph_edges(g), 3);
    assert_int_equal(times_joined(g, "a", "b"), 1);
    assert_int_equal(times_joined(g, "b", "c"), 1);
    assert_int_equal(times_joined(g, "a", "d"), 1); /* nobody says which: the first */
    tgs_graph_free(g);
}

/* ---- HyperDAG ----------------------------------------------------------------------------------
 */

static void hyperdag_shares(void **state)
{
    tgs_graph *g = graph_of(data_path("graphs/diamond.hdag"), NULL);

    (void)state;
    assert_int_equal(g->v.tasks, 4);
    assert_int_equal(g->v.data, 3);
    assert_int_equal(tgs_graph_edges(g), 4);
    assert_true(g->v.task[task(g, "0")].work == 1.5 && g->v.task[task(g, "3")].work == 4);
    assert_true(carried(g, "0", "1") == 20 && carried(g, "0", "2") == 20);
    assert_true(carried(g, "1", "3") == 1 && carried(g, "2", "3") == 7);
    tgs_graph_free(g);
}

/* ---- TGFF --------------------------------------------------------------------------------------
 */

static void tgff_tables(void **state)
{
    tgs_graph *g = graph_of(data_path("graphs/two.tgff"), NULL);
    const int32_t a = task(g, "t0_0"), b = task(g, "t0_1"), c = task(g, "t1_0");
    const tgs_constraint *k = g->v.constraint;

    (void)state;
    assert_int_equal(g->v.tasks, 3);
    assert_int_equal(tgs_graph_edges(g), 1);
    assert_string_equal(g->v.kind_name[0], "PE0");
    assert_string_equal(g->v.kind_name[1], "PE1");
    assert_true(time_on(g, a, 0) == 10 && time_on(g, a, 1) == 5); /* the first version */
    assert_true(time_on(g, b, 0) == 20 && isnan(time_on(g, b, 1)));
    assert_true(k[g->v.task[b].constraint].kinds == 1); /* not valid on PE1 */
    assert_true(k[g->v.task[b].constraint].deadline == 250);
    assert_int_equal(k[g->v.task[c].constraint].job, 1);
    assert_int_equal(g->v.task[a].constraint, -1);
    assert_true(carried(g, "t0_0", "t0_1") == 40);
    assert_non_null(strstr(tgs_graph_note(g), "periods"));
    tgs_graph_free(g);
}

/* ---- matrices ----------------------------------------------------------------------------------
 */

static void heft_matrices(void **state)
{
    char path[4096], spec[8200];
    tgs_graph *g = graph_of(data_path("graphs/small_2proc_task_exe_time.csv"), NULL);
    tgs_error err;

    (void)state;
    assert_int_equal(tgs_graph_edges(g), 3);
    assert_string_equal(g->v.kind_name[1], "P_1");
    assert_true(time_on(g, task(g, "c"), 1) == 13.5 && time_on(g, task(g, "a"), 0) == 14);
    assert_true(carried(g, "a", "c") == 12.5 && carried(g, "c", "b") == 4);
    tgs_graph_free(g);
    snprintf(path, sizeof path, "%s", data_path("graphs/small_task_connectivity.csv"));
    g = graph_of(path, NULL); /* the edges alone */
    assert_int_equal(g->v.kinds, 0);
    assert_int_equal(tgs_graph_edges(g), 3);
    tgs_graph_free(g);
    snprintf(spec, sizeof spec, "heft:connectivity=%s", path);
    if (!strchr(path, ':')) {
        g = graph_of(data_path("graphs/small_2proc_task_exe_time.csv"), spec);
        assert_int_equal(tgs_graph_edges(g), 3);
        tgs_graph_free(g);
    }
    assert_int_equal(graph_from_text(&g, "heft", "TP,P\nT,1\n", 9, &err), TGS_EPARSE);
    assert_non_null(strstr(err.text, "connectivity=FILE"));
    assert_int_equal(tgs_graph_read(&g, data_path("graphs/small_2proc_task_exe_time.csv"),
                                    "heft:connectivity=/nowhere.csv", &err),
                     TGS_EIO);
}

/* ---- StarVZ ------------------------------------------------------------------------------------
 */

static void starvz_accesses(void **state)
{
    tgs_graph *g = graph_of(data_path("graphs/small_rec.tasks.csv"), NULL);

    (void)state;
    assert_int_equal(g->v.tasks, 4); /* the hint is none */
    assert_true(fabs(g->v.task[task(g, "0_2")].work - 20.5e-3) < 1e-15);
    assert_true(g->v.task[task(g, "0_3")].work == 0);
    assert_int_equal(g->v.task[task(g, "0_3")].phase, TGS_PHASE_COMMUNICATION);
    assert_string_equal(tgs_graph_task_codelet(g, task(g, "0_2")), "dtrsm");
    assert_true(g->v.constraint[g->v.task[task(g, "0_2")].constraint].priority == 3);
    assert_true(carried(g, "0_1", "0_2") == 800); /* by SubmitOrder */
    assert_true(carried(g, "0_3", "0_2") == -1 && carried(g, "0_2", "1_1") == -1);
    assert_int_equal(tgs_graph_edges(g), 3);
    assert_int_equal(g->v.data, 3); /* a handle of each rank */
    tgs_graph_free(g);
}

/* ---- DSLab -------------------------------------------------------------------------------------
 */

static void dslab_units(void **state)
{
    tgs_graph *g;

    (void)state;
    if (!have("dslab"))
        return;
    g = graph_of(data_path("graphs/mapreduce.yaml"), NULL);
    assert_int_equal(g->v.tasks, 3);
    assert_int_equal(tgs_graph_edges(g), 2);
    assert_true(g->v.task[task(g, "map2")].flops == 120.5e9);
    assert_true(carried(g, "map1", "reduce") == 1.5e6 && carried(g, "map2", "reduce") == 20e6);
    assert_true(tgs_graph_datum_bytes(g, tgs_graph_find_datum(g, "chunk")) == 128e6);
    assert_string_equal(attrs_of(g, "reduce"), "cores=2");
    assert_non_null(strstr(tgs_graph_note(g), "1 tasks need several cores and 2 could use more"));
    tgs_graph_free(g);
}

/* an alias is a few bytes: a list of 200 files given to 200 tasks so is more than the text holds */
static void dslab_aliases(void **state)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    tgs_error err = {TGS_OK, ""};
    tgs_graph *g;

    (void)state;
    if (!have("dslab"))
        return;
    fputs("inputs: [{name: x}]\ntasks:\n- {name: a, flops: 1, inputs: &list [x", to);
    for (int32_t i = 1; i < 200; i++)
        fputs(",x", to);
    fputs("]}\n", to);
    for (int32_t i = 0; i < 200; i++)
        fprintf(to, "- {name: t%d, flops: 1, inputs: *list}\n", (int)i);
    fclose(to);
    assert_int_equal(graph_from_text(&g, "dslab", text, size, &err), TGS_EPARSE);
    assert_non_null(strstr(err.text, "aliases"));
    free(text);
}

/* ---- what is refused ---------------------------------------------------------------------------
 */

#define WF(tasks) "{\"schemaVersion\": \"1.4\", \"workflow\": {\"tasks\": [\n" tasks "\n]}}"
#define WF5(tasks, files, ran)                                                             \
    "{\"schemaVersion\": \"1.5\", \"workflow\": {\"specification\": {\"tasks\": [\n" tasks \
    "\n], \"files\": [\n" files "\n]}, \"execution\": {\"tasks\": [\n" ran "\n]}}}"

#define VZ "JobId,Name,StartTime,EndTime,Handles,Modes,Sizes,DependsOn\n"

static const struct bad {
    const char *format, *text, *where, *what;
    tgs_status status;
} table[] = {
    {"wfformat", "", "text:1: ", "", TGS_EPARSE},
    {"wfformat", "{\n\"schemaVersion\": \"1.5\",\n", "text:3: ", "", TGS_EPARSE},
    {"wfformat", "{\n\"schemaVersion\": \"1.0\", \"workflow\": {}}", "text:2: ", "1.3 to 1.6",
     TGS_EPARSE},
    {"wfformat", "{\"schemaVersion\": \"1.4\",\n\"workflow\": 3}", "text:2: ", "no list",
     TGS_EPARSE},
    {"wfformat", WF("{}"), "text:2: ", "neither an id nor a name", TGS_EPARSE},
    {"wfformat", WF("{\"name\": \"a\"},\n{\"name\": \"a\"}"), "text:3: ", "'a'", TGS_EPARSE},
    {"wfformat", WF("{\"name\": \"a\", \"runtime\": -1}"), "text:2: ", "runtime", TGS_EPARSE},
    {"wfformat", WF("{\"name\": \"a\", \"runtime\": NaN}"), "text:2: ", "NaN", TGS_EPARSE},
    {"wfformat", WF("{\"name\": \"a\", \"runtime\": 1e999}"), "text:2: ", "", TGS_EPARSE},
    {"wfformat", WF("{\"name\": \"a\", \"cores\": \"two\"}"), "text:2: ", "cores", TGS_EPARSE},
    {"wfformat", WF("{\"name\": \"a\"},\n{\"name\": \"b\",\n\"parents\": [\"a\",\n\"c\"]}"),
     "text:5: ", "no task 'c'", TGS_EPARSE},
    {"wfformat", WF("{\"name\": \"a\", \"children\": [\"a\"]}"), "text:2: ", "itself", TGS_EPARSE},
    {"wfformat",
     WF("{\"name\": \"a\", \"id\": \"1\"}, {\"name\": \"a\", \"id\": \"2\"},\n"
        "{\"name\": \"c\", \"parents\": [\"a\"]}"),
     "text:3: ", "no single task 'a'", TGS_EPARSE},
    {"wfformat", WF("{\"name\": \"a\",\n\"files\": [{\"name\": \"f\", \"link\": \"up\"}]}"),
     "text:3: ", "neither input nor output", TGS_EPARSE},
    {"wfformat",
     WF("{\"name\": \"a\",\n\"files\": [{\"name\": \"f\", \"link\": \"input\", \"size\": -1}]}"),
     "text:3: ", "size", TGS_EPARSE},
    {"wfformat",
     WF("{\"name\": \"a\", \"parents\": [\"b\"]},\n{\"name\": \"b\", \"parents\": [\"a\"]}"),
     "text:2: ", "cycle of 2 tasks", TGS_ECYCLE},
    {"wfformat", WF5("{\"id\": \"a\", \"inputFiles\": [\"f\"]}", "", ""),
     "text:2: ", "no such file", TGS_EPARSE},
    {"wfformat", WF5("{\"id\": \"a\"}", "{\"id\": \"f\"}", ""), "text:4: ", "sizeInBytes",
     TGS_EPARSE},
    {"wfformat", WF5("{\"id\": \"a\"}", "", "{\"id\": \"b\"}"), "text:6: ", "no such task",
     TGS_EPARSE},
    {"dax", "", "text:1: ", "", TGS_EPARSE},
    {"dax", "<adag>\n<job id='a' runtime='1'>\n", "text:3: ", "", TGS_EPARSE},
    {"dax", "<graph>\n</graph>", "text:1: ", "<graph>", TGS_EPARSE},
    {"dax", "<adag>\n<job runtime='1'/></adag>", "text:2: ", "no id", TGS_EPARSE},
    {"dax", "<adag>\n<job id='a' runtime='nan'/></adag>", "text:2: ", "'a'", TGS_EPARSE},
    {"dax", "<adag>\n<job id='a' runtime='-3'/></adag>", "text:2: ", "'a'", TGS_EPARSE},
    {"dax", "<adag>\n" JOB("a", "") JOB("a", "") "</adag>", "text:3: ", "'a'", TGS_EPARSE},
    {"dax", "<adag>\n" JOB("a", USE("f", "sideways", "1")) "</adag>", "text:2: ", "sideways",
     TGS_EPARSE},
    {"dax", "<adag>\n" JOB("a", USE("f", "input", "inf")) "</adag>", "text:2: ", "size",
     TGS_EPARSE},
    {"dax", "<adag>\n" JOB("a", "") AFTER("a", "b") "</adag>", "text:3: ", "parent 'b'",
     TGS_EPARSE},
    {"dax", "<adag>\n" JOB("a", "") AFTER("b", "a") "</adag>", "text:3: ", "child 'b'", TGS_EPARSE},
    {"dax", "<adag>\n" JOB("a", "") AFTER("a", "a") "</adag>", "text:3: ", "itself", TGS_EPARSE},
    {"dax", "<adag>\n" JOB("a", "") JOB("b", "") AFTER("a", "b") AFTER("b", "a") "</adag>",
     "text:2: ", "cycle of 2 tasks", TGS_ECYCLE},
    {"dax", "<adag>\n<parent ref='a'/></adag>", "text:2: ", "outside", TGS_EPARSE},
    {"dax", "<!DOCTYPE adag [\n<!ENTITY a 'b'>\n]><adag/>", "text:2: ", "entity", TGS_EPARSE},
    {"hyperdag", "", "text:1: ", "ends before", TGS_EPARSE},
    {"hyperdag", "% only a comment\n", "text:1: ", "ends before", TGS_EPARSE},
    {"hyperdag", "1 2\n", "text:1: ", "pins", TGS_EPARSE},
    {"hyperdag", "1 2 3 4\n", "text:1: ", "three numbers", TGS_EPARSE},
    {"hyperdag", "999999999 2 3\n", "text:1: ", "hyperedges", TGS_EPARSE},
    {"hyperdag", "1 2 2\n0\n0\n", "text:3: ", "nodes are there", TGS_EPARSE},
    {"hyperdag", "1 2 2\n0\n0\n0\n0 0\n0 1\n", "text:4: ", "node 0 is there twice", TGS_EPARSE},
    {"hyperdag", "1 2 2\n1\n0\n1\n0 0\n0 1\n", "text:2: ", "'1'", TGS_EPARSE},
    {"hyperdag", "1 2 2\n0\n0 -4\n1\n0 0\n0 1\n", "text:3: ", "'-4'", TGS_EPARSE},
    {"hyperdag", "1 2 2\n0\n0 nan\n1\n0 0\n0 1\n", "text:3: ", "'nan'", TGS_EPARSE},
    {"hyperdag", "1 2 2\n0\n0\n1\n0 0\n0 2\n", "text:6: ", "'2'", TGS_EPARSE},
    {"hyperdag", "1 2 2\n0\n0\n1\n0 0\n0 0\n", "text:6: ", "itself", TGS_EPARSE},
    {"hyperdag", "1 2 2\n0\n0\n1\n0 0\n0 1\n0 1\n", "text:7: ", "more lines", TGS_EPARSE},
    {"hyperdag", "2 2 4\n0\n1\n0\n1\n0 0\n0 1\n1 1\n1 0\n", "text:4: ", "cycle", TGS_ECYCLE},
    {"rgpos", "", "text:1: ", "counts", TGS_EPARSE},
    {"rgpos", "1 0\n", "text:1: ", "processors", TGS_EPARSE},
    {"rgpos", "2 1 1\n5 nan\n", "text:2: ", "'nan'", TGS_EPARSE},
    {"rgpos", "2 1 1\n5 -1\n", "text:2: ", "'-1'", TGS_EPARSE},
    {"rgpos", "2 1 1\n5\n", "text:2: ", "all its times", TGS_EPARSE},
    {"rgpos", "2 1 1\n5 1 1\n", "text:2: ", "more than the 2 times", TGS_EPARSE},
    {"rgpos", "2 1 1\n5 1\n0 2\n", "text:3: ", "'2'", TGS_EPARSE},
    {"rgpos", "2 1 1\n5 1\n0 0\n", "text:3: ", "itself", TGS_EPARSE},
    {"rgpos", "2 1 1\n5 1\n", "text:2: ", "all its edges", TGS_EPARSE},
    {"rgpos", "2 1 1\n5 1\n0 1\n0 1\n", "text:4: ", "more than the 1 edges", TGS_EPARSE},
    {"rgpos", "2 2 1\n5 1\n0 1\n1 0\n", "text:2: ", "cycle", TGS_ECYCLE},
    {"tgff", "", "text:1: ", "no @TASK_GRAPH", TGS_EPARSE},
    {"tgff", "@TASK_GRAPH 0 {\nTASK a TYPE 0\n", "text:2: ", "within a block", TGS_EPARSE},
    {"tgff", "@TASK_GRAPH 0 {\nTASK a TYPE x\n}\n", "text:2: ", "'x'", TGS_EPARSE},
    {"tgff", "@TASK_GRAPH 0 {\nTASK a TYPE 0\nARC b FROM a TO c TYPE 0\n}\n",
     "text:3: ", "no task 'c'", TGS_EPARSE},
    {"tgff", "@TASK_GRAPH 0 {\nTASK a TYPE 0\nARC b FROM a TO a TYPE 0\n}\n", "text:3: ", "itself",
     TGS_EPARSE},
    {"tgff", "@TASK_GRAPH 0 {\nTASK a TYPE 0\n}\n@P 0 {\n# type exec_time\n0 nan\n}\n",
     "text:6: ", "'nan'", TGS_EPARSE},
    {"tgff", "@TASK_GRAPH 0 {\nTASK a TYPE 0\n}\n@P 0 {\n# type exec_time\n1 2\n}\n",
     "text:2: ", "no processor has a time", TGS_EPARSE},
    {"tgff",
     "@TASK_GRAPH 0 {\nTASK a TYPE 0\nTASK b TYPE 0\nARC x FROM a TO b TYPE 0\n"
     "ARC y FROM b TO a TYPE 0\n}\n",
     "text:2: ", "cycle", TGS_ECYCLE},
    {"heft", "", "text:1: ", "headings", TGS_EPARSE},
    {"heft", "T,a,b\na,0,-1\nb,0,0\n", "text:2: ", "'-1'", TGS_EPARSE},
    {"heft", "T,a,b\na,0,nan\nb,0,0\n", "text:2: ", "'nan'", TGS_EPARSE},
    {"heft", "T,a,b\na,0,1\n", "text:2: ", "1 rows for 2 columns", TGS_EPARSE},
    {"heft", "T,a,b\na,0\nb,0,0\n", "text:2: ", "ends before column 'b'", TGS_EPARSE},
    {"heft", "T,a,b\na,0,1,1\nb,0,0\n", "text:2: ", "more cells", TGS_EPARSE},
    {"heft", "T,a,b\na,3,1\nb,0,0\n", "text:2: ", "itself", TGS_EPARSE},
    {"heft", "T,a,a\na,0,1\na,0,0\n", "text:1: ", "'a'", TGS_EPARSE},
    {"heft", "T,a,b\na,0,1\nb,1,0\n", "text:2: ", "cycle", TGS_ECYCLE},
    {"starvz", "", "text:1: ", "headings", TGS_EPARSE},
    {"starvz", "JobId,Name\n", "text:1: ", "no column StartTime", TGS_EPARSE},
    {"starvz", VZ "a,x,2,1,,,,\n", "text:2: ", "no interval", TGS_EPARSE},
    {"starvz", VZ "a,x,nan,1,,,,\n", "text:2: ", "no interval", TGS_EPARSE},
    {"starvz", VZ "a,x,0\n", "text:2: ", "3 cells under 8", TGS_EPARSE},
    {"starvz", VZ "a,x,0,1,h,Q,8,\n", "text:2: ", "mode is Q", TGS_EPARSE},
    {"starvz", VZ "a,x,0,1,h,R,-8,\n", "text:2: ", "'-8'", TGS_EPARSE},
    {"starvz", VZ "a,x,0,1,,,,b\n", "text:2: ", "no task 'b'", TGS_EPARSE},
    {"starvz", VZ "a,x,0,1,,,,b\nb,x,0,1,,,,a\n", "text:2: ", "cycle", TGS_ECYCLE},
    {"dslab", "", "text:1: ", "no list of tasks", TGS_EPARSE},
    {"dslab", "tasks:\n- name: [\n", "text:3: ", "", TGS_EPARSE},
    {"dslab", "tasks:\n- flops: 1\n", "text:2: ", "no name", TGS_EPARSE},
    {"dslab", "tasks:\n- name: a\n  flops: .nan\n", "text:3: ", "flops", TGS_EPARSE},
    {"dslab", "tasks:\n- name: a\n  flops: 1\n  inputs:\n  - x\n", "text:5: ", "no output",
     TGS_EPARSE},
    {"dslab",
     "tasks:\n- {name: a, flops: 1, inputs: [y], outputs: [{name: x}]}\n"
     "- {name: b, flops: 1, inputs: [x], outputs: [{name: y}]}\n",
     "text:2: ", "cycle", TGS_ECYCLE},
};

static void refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct bad *x = &table[i];
        tgs_error err = {TGS_OK, ""};
        const tgs_plugin *p;
        tgs_graph *g;

        if (tgs_i_find(&p, "reader", x->format, NULL))
            continue;
        if (graph_from_text(&g, x->format, x->text, strlen(x->text), &err) != x->status
            || strncmp(err.text, x->where, strlen(x->where)) || !strstr(err.text, x->what))
            fail_msg("row %zu, %s: '%s'", i, x->format, err.text);
        assert_null(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(byte_order_mark), cmocka_unit_test(wfformat_1_5),
        cmocka_unit_test(wfformat_1_3),    cmocka_unit_test(dax_files),
        cmocka_unit_test(dax_versions),    cmocka_unit_test(hyperdag_shares),
        cmocka_unit_test(tgff_tables),     cmocka_unit_test(heft_matrices),
        cmocka_unit_test(starvz_accesses), cmocka_unit_test(dslab_units),
        cmocka_unit_test(dslab_aliases),   cmocka_unit_test(refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
