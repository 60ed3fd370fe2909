/* t_readers.c -- each graph format: a good file, by value; published files, by their figures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "readers.h"

/* ---- tg ---------------------------------------------------------------------------------------
 */

static void tg_tasks(void **state)
{
    tgs_graph *g = graph_of(data_path("graphs/all.tg"), NULL);
    const tgs_graph_view *v = &g->v;
    const int32_t load = task(g, "load"), mul = task(g, "mul tiply"), home = task(g, "@home");
    const tgs_constraint *c;

    (void)state;
    assert_int_equal(v->tasks, 4);
    assert_int_equal(v->kinds, 2);
    assert_string_equal(v->kind_name[0], "cpu");
    assert_string_equal(v->kind_name[1], "gpu");
    assert_true(v->task[load].work == 0.5 && isnan(v->task[load].flops));
    assert_int_equal(v->task[load].phase, TGS_PHASE_COMMUNICATION);
    assert_int_equal(v->task[load].codelet, -1);
    assert_string_equal(v->codelet_name[v->task[mul].codelet], "gemm");
    assert_true(isnan(v->task[mul].work));
    assert_true(time_on(g, mul, 0) == 4e-3 && isnan(time_on(g, mul, 1)));
    assert_true(isnan(time_on(g, 2, 0)) && time_on(g, 2, 1) == 2);
    assert_true(v->task[mul].flops == 24 && v->task[mul].bytes == 160);
    assert_int_equal(v->task[mul].phase, TGS_PHASE_FORWARD);
    assert_string_equal(tgs_text(v, v->task[mul].attrs), "alpha=0.5 transB=1");
    assert_int_equal(v->task[2].name, 0);
    c = &v->constraint[v->task[2].constraint];
    assert_true(c->kinds == 3 && c->group == 3 && c->job == 2);
    assert_true(c->priority == -1.5 && c->release == 0.25 && c->deadline == 9);
    assert_string_equal(tgs_text(v, c->trust), "me");
    c = &v->constraint[v->task[home].constraint];
    assert_string_equal(tgs_text(v, c->processor), "gpu0");
    assert_string_equal(tgs_text(v, c->memory), "ram");
    assert_int_equal(v->task[load].constraint, -1);
    tgs_graph_free(g);
}

static void tg_data(void **state)
{
    tgs_graph *g = graph_of(data_path("graphs/all.tg"), "tg");
    const tgs_graph_view *v = &g->v;
    const tgs_datum_extra *x = &v->extra[v->datum[0].extra];
    const int32_t *at = &v->access_at[2];

    (void)state;
    assert_int_equal(v->data, 4);
    assert_string_equal(tgs_datum_name(v, 0, TGS_ROOM), "A");
    assert_true(v->datum[0].bytes == 48);
    assert_int_equal(x->dtype, TGS_F32);
    assert_int_equal(x->class_, TGS_CLASS_PARAMETER);
    assert_int_equal(x->rank, 2);
    assert_int_equal(v->dim[x->dims], 3);
    assert_int_equal(v->dim[x->dims + 1], 4);
    assert_int_equal(x->persistent, 1);
    assert_string_equal(tgs_text(v, x->home), "ram");
    assert_string_equal(tgs_text(v, x->init), "random:7:0.5");
    x = &v->extra[v->datum[1].extra];
    assert_true(v->datum[1].bytes == 100 && x->rank == -1);
    assert_string_equal(tgs_text(v, x->init), "file:16:a b=c.bin");
    x = &v->extra[v->datum[2].extra];
    assert_true(v->datum[2].name == 0 && v->datum[2].bytes == 8 && x->rank == 0);
    assert_int_equal(v->datum[3].extra, -1); /* the edge's */
    assert_true(v->datum[3].bytes == 1e6);
    /* @2: the edge, A in place, and the result of the task before */
    assert_int_equal(at[1] - at[0], 3);
    assert_true(v->access[at[0]].datum == 3 && v->access[at[0]].mode == TGS_R);
    assert_true(v->access[at[0] + 1].datum == 0 && v->access[at[0] + 1].mode == TGS_RW);
    assert_true(v->access[at[0] + 2].datum == 2 && v->access[at[0] + 2].mode == TGS_R);
    assert_true(carried(g, "load", "mul tiply") == 100);
    assert_true(carried(g, "load", "@home") == -1);
    tgs_graph_free(g);
}

/* the form of the published graphs in examples/ */
static void tg_published_form(void **state)
{
    static const char text[] = "tgsched.graph/1\nkinds P1 P2 P3\ntask T1 time=14,16,9\n"
                               "task T2 time=13,19,18\n\nedge T1 T2 18 # bytes\n";
    tgs_graph *g;

    (void)state;
    assert_int_equal(graph_from_text(&g, "tg", text, sizeof text - 1, NULL), TGS_OK);
    assert_true(time_on(g, 0, 2) == 9 && time_on(g, 1, 1) == 19);
    assert_true(carried(g, "T1", "T2") == 18);
    tgs_graph_free(g);
}

/* a line of a megabyte is a line like any other */
static void tg_long_line(void **state)
{
    const size_t size = 1 << 20;
    char *text = malloc(size + 64);
    tgs_graph *g;

    (void)state;
    strcpy(text, "tgsched.graph/1\ntask ");
    memset(text + strlen(text), 'x', size);
    text[size] = 0;
    strcat(text, " work=1\n");
    assert_int_equal(graph_from_text(&g, "tg", text, strlen(text), NULL), TGS_OK);
    assert_int_equal(strlen(tgs_graph_task_name(g, 0)), size - strlen("tgsched.graph/1\ntask "));
    tgs_graph_free(g);
    free(text);
}

/* ---- stg --------------------------------------------------------------------------------------
 */

static void stg_plain(void **state)
{
    tgs_graph *g = graph_of(data_path("graphs/plain.stg"), NULL);

    (void)state;
    assert_int_equal(tgs_graph_tasks(g), 8); /* with the two dummies */
    assert_int_equal(tgs_graph_edges(g), 11);
    assert_int_equal(tgs_graph_data(g), 0);
    assert_true(g->v.task[task(g, "5")].work == 3.5 && g->v.task[task(g, "0")].work == 0);
    assert_true(carried(g, "3", "5") == -1 && carried(g, "6", "7") == -1);
    tgs_graph_free(g);
}

static void stg_costs(void **state)
{
    static const char inline_pairs[] = "2\n0 0 0\n1 4 1 0 0\n2 5 1 1 2.5\n3 0 1 2 0\n";
    tgs_graph *g = graph_of(data_path("graphs/costs.stg"), NULL);

    (void)state;
    assert_int_equal(tgs_graph_tasks(g), 4); /* no dummies */
    assert_int_equal(tgs_graph_edges(g), 4);
    assert_true(carried(g, "1", "3") == 2.5 && carried(g, "2", "3") == 0);
    tgs_graph_free(g);
    assert_int_equal(graph_from_text(&g, "stg", inline_pairs, sizeof inline_pairs - 1, NULL), 0);
    assert_true(carried(g, "1", "2") == 2.5);
    tgs_graph_free(g);
}

/* the prototype set: two numbers first, tasks from 1, an exit but no entry */
static void stg_prototype(void **state)
{
    static const char text[] = "3 2\n1 14 0\n2 20 1 1\n3 5 1 1\n4 0 2 2 3\n";
    tgs_graph *g;

    (void)state;
    assert_int_equal(graph_from_text(&g, "stg", text, sizeof text - 1, NULL), TGS_OK);
    assert_int_equal(tgs_graph_tasks(g), 4);
    assert_true(g->v.task[task(g, "2")].work == 20 && carried(g, "3", "4") == -1);
    tgs_graph_free(g);
}

/* ---- dot, dnn-partitioning ---------------------------------------------------------------------
 */

static void dot_sizes(void **state)
{
    tgs_graph *g;

    (void)state;
    if (!have("dot"))
        return;
    g = graph_of(data_path("graphs/sizes.dot"), NULL);
    assert_int_equal(tgs_graph_tasks(g), 5);
    assert_true(g->v.task[task(g, "b")].flops == 5e9 && isnan(g->v.task[task(g, "b")].work));
    assert_true(g->v.task[task(g, "c d")].work == 0.25);
    assert_true(g->v.task[task(g, "root")].work == 0 && g->v.task[task(g, "end")].flops == 0);
    assert_true(carried(g, "root", "a") == 2e8 && carried(g, "a", "c d") == 5e8);
    assert_true(carried(g, "b", "c d") == -1 && carried(g, "c d", "end") == 0);
    tgs_graph_free(g);
    g = graph_of(data_path("graphs/sizes.dot"), "dot:rate=2e9");
    assert_true(g->v.task[task(g, "b")].work == 2.5 && g->v.task[task(g, "c d")].work == 0.25);
    tgs_graph_free(g);
}

static void dnn_layers(void **state)
{
    tgs_graph *g;
    int32_t a, b, c;

    (void)state;
    if (!have("dnn-partitioning"))
        return;
    g = graph_of(data_path("graphs/layers.json"), NULL);
    a = task(g, "7"), b = task(g, "3"), c = task(g, "5");
    assert_int_equal(tgs_graph_tasks(g), 3);
    assert_int_equal(tgs_graph_data(g), 2); /* one output, one transfer per place */
    assert_int_equal(tgs_graph_edges(g), 3);
    assert_string_equal(g->v.kind_name[1], "fpga");
    assert_true(time_on(g, a, 0) == 10 * 1e-3 && time_on(g, a, 1) == 1 * 1e-3);
    assert_true(time_on(g, b, 0) == 2.5 * 1e-3 && isnan(time_on(g, b, 1)));
    assert_true(g->v.constraint[g->v.task[b].constraint].kinds == 1); /* only on a CPU */
    assert_int_equal(g->v.constraint[g->v.task[a].constraint].group, 4);
    assert_int_equal(g->v.constraint[g->v.task[c].constraint].group, 4);
    assert_int_equal(g->v.task[c].phase, TGS_PHASE_BACKWARD);
    assert_true(g->v.task[a].bytes == 64 && g->v.task[c].bytes == 0);
    assert_true(carried(g, "7", "3") == 4e-3 && carried(g, "7", "5") == 4e-3);
    tgs_graph_free(g);
    g = graph_of(data_path("graphs/layers.json"), "dnn-partitioning:accelerator=gpu:bandwidth=1e9");
    assert_string_equal(g->v.kind_name[1], "gpu");
    assert_true(carried(g, "3", "5") == 0.5 * 1e-3 * 1e9);
    tgs_graph_free(g);
    g = graph_of(data_path("dnn-partitioning/bert24_inference.json"), NULL);
    assert_int_equal(tgs_graph_tasks(g), 32);
    assert_int_equal(tgs_graph_edges(g), 55);
    tgs_graph_free(g);
}

static void formats_are_recognised(void **state)
{
    static const char *const file[][2] = {{"graphs/all.tg", "tg"},
                                          {"graphs/plain.stg", "stg"},
                                          {"graphs/costs.stg", "stg"},
                                          {"graphs/sizes.dot", "dot"},
                                          {"graphs/layers.json", "dnn-partitioning"},
                                          {"graphs/diamond.wf.json", "wfformat"},
                                          {"graphs/diamond.wf13.json", "wfformat"},
                                          {"graphs/diamond.dax", "dax"},
                                          {"graphs/diamond.hdag", "hyperdag"},
                                          {"graphs/four.rgpos", "rgpos"},
                                          {"graphs/two.tgff", "tgff"},
                                          {"graphs/small_task_connectivity.csv", "heft"},
                                          {"graphs/small_2proc_task_exe_time.csv", "heft"},
                                          {"graphs/small_rec.tasks.csv", "starvz"},
                                          {"graphs/mapreduce.yaml", "dslab"}};

    (void)state;
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        const char *format, *yields, *path = data_path(file[i][0]);
        char text[4096], copy[] = "t_readers.XXXXXX"; /* the content alone must do */
        const tgs_plugin *p;
        FILE *from, *to;
        size_t size;

        if (tgs_i_find(&p, "reader", file[i][1], NULL))
            continue;
        assert_int_equal(tgs_identify(path, &format, &yields, NULL), TGS_OK);
        assert_string_equal(format, file[i][1]);
        assert_string_equal(yields, "graph");
        from = fopen(path, "rb");
        size = fread(text, 1, sizeof text, from);
        fclose(from);
        to = fdopen(mkstemp(copy), "wb");
        fwrite(text, 1, size, to);
        fclose(to);
        assert_int_equal(tgs_identify(copy, &format, &yields, NULL), TGS_OK);
        assert_string_equal(format, file[i][1]);
        remove(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tg_tasks),          cmocka_unit_test(tg_data),
        cmocka_unit_test(tg_published_form), cmocka_unit_test(tg_long_line),
        cmocka_unit_test(stg_plain),         cmocka_unit_test(stg_costs),
        cmocka_unit_test(stg_prototype),     cmocka_unit_test(dot_sizes),
        cmocka_unit_test(dnn_layers),        cmocka_unit_test(formats_are_recognised),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
