/* t_layers.c -- a graph as few boxes, and the pictures made of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "internal.h"
#include "graphtext.h"
#include "tgsched/layers.h"

static tgs_builder *begin(void)
{
    tgs_builder *b;

    assert_int_equal(tgs_builder_new(&b, NULL), TGS_OK);
    return b;
}

static int32_t add(tgs_builder *b, const char *name, tgs_phase phase)
{
    const int32_t t = tgs_builder_task(b, name, NULL, 1);

    tgs_builder_task_cost(b, t, 10, NAN);
    tgs_builder_task_phase(b, t, phase);
    return t;
}

static tgs_graph *end(tgs_builder *b)
{
    tgs_graph *g;
    tgs_error err;

    if (tgs_builder_finish(&g, b, &err))
        fail_msg("%s", err.text);
    return g;
}

/* layers forward and back: a -> b -> c -> c.bwd -> b.bwd -> a.bwd, each in copies */
static tgs_graph *step(int layers, int copies)
{
    tgs_builder *b = begin();
    char name[40];

    for (int k = 0; k < copies; k++)
        for (int i = 0, last = -1; i < 2 * layers; i++) {
            const int layer = i < layers ? i : 2 * layers - 1 - i;
            const bool back = i >= layers;
            int32_t t;

            snprintf(name, sizeof name, "layer%d.fc%s@m%d", layer, back ? ".bwd" : "", k);
            t = add(b, name, back ? TGS_PHASE_BACKWARD : TGS_PHASE_FORWARD);
            if (last >= 0)
                tgs_builder_edge(b, last, t, 100 + layer);
            last = t;
        }
    return end(b);
}

static tgs_layers found(const tgs_graph *g, int32_t most)
{
    tgs_layers x;

    assert_int_equal(tgs_layers_find(&x, &g->v, most), TGS_OK);
    return x;
}

static int32_t all_tasks(const tgs_layers *x)
{
    int32_t sum = 0;

    for (int32_t i = 0; i < x->rows * TGS_PHASES; i++)
        sum += x->box[i].tasks;
    return sum;
}

static void tasks_by_layer_and_phase(void **state)
{
    tgs_graph *g = step(3, 4);
    tgs_layers x = found(g, 10);
    const tgs_layer_box *box = &x.box[1 * TGS_PHASES + TGS_PHASE_BACKWARD];

    (void)state;
    assert_int_equal(x.layers, 3);
    assert_int_equal(x.rows, 3);
    assert_string_equal(x.name[1], "layer1");
    assert_int_equal(all_tasks(&x), 24);
    assert_int_equal(box->tasks, 4);
    assert_true(box->flops == 40);
    assert_int_equal(x.flows, 5); /* two forward, two back, one from layer 2 to itself */
    for (int64_t i = 1; i < x.flows; i++)
        assert_true(x.flow[i - 1].bytes >= x.flow[i].bytes);
    assert_true(x.flow[0].bytes == 4 * 102); /* what layer 2 reads */
    tgs_layers_free(&x);

    x = found(g, 2); /* neighbours are joined */
    assert_int_equal(x.layers, 3);
    assert_int_equal(x.rows, 2);
    assert_string_equal(x.name[0], "layer0 to layer1");
    assert_string_equal(x.name[1], "layer2");
    assert_int_equal(all_tasks(&x), 24);
    tgs_layers_free(&x);
    tgs_graph_free(g);
}

/* gemm_0_1, gemm_0_2, ...: kinds of tasks; and where there is one kind, how far from the start */
static void names_without_layers(void **state)
{
    tgs_builder *b = begin();
    tgs_graph *g;
    tgs_layers x;
    char name[40];
    int32_t last = -1;

    (void)state;
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "%s_%d_%d", i % 3 ? "gemm" : "trsm", i / 10, i);
        add(b, name, TGS_PHASE_OTHER);
    }
    g = end(b);
    x = found(g, 40);
    assert_int_equal(x.rows, 2);
    assert_string_equal(x.name[0], "trsm");
    assert_string_equal(x.name[1], "gemm");
    assert_int_equal(x.box[TGS_PHASES + TGS_PHASE_OTHER].tasks, 200);
    tgs_layers_free(&x);
    tgs_graph_free(g);

    b = begin();
    for (int i = 0; i < 60; i++) {
        const int32_t t = add(b, NULL, TGS_PHASE_OTHER);

        if (i % 3 == 0 && last >= 0)
            tgs_builder_after(b, last, t);
        last = i % 3 ? last : t;
    }
    g = end(b);
    x = found(g, 10);
    assert_int_equal(x.layers, 20);
    assert_int_equal(x.rows, 10);
    assert_string_equal(x.name[9], "level 18 to level 19");
    assert_int_equal(x.box[TGS_PHASE_OTHER].tasks, 2 + 40); /* most wait for nothing */
    tgs_layers_free(&x);
    tgs_graph_free(g);
}

static void long_names_lose_their_middle(void **state)
{
    tgs_builder *b = begin();
    tgs_graph *g;
    tgs_layers x;
    char name[200] = "";

    (void)state;
    for (int i = 0; i < 60; i++) /* of two bytes each */
        strcat(name, "\xc3\xa4");
    add(b, name, TGS_PHASE_OTHER);
    add(b, "short", TGS_PHASE_OTHER);
    g = end(b);
    x = found(g, 10);
    assert_int_equal(x.rows, 2);
    assert_true(strlen(x.name[0]) <= 48);
    assert_non_null(strstr(x.name[0], "\xc3\xa4...\xc3\xa4"));
    tgs_layers_free(&x);
    x = found(g, 1);
    assert_non_null(strstr(x.name[0], " to short"));
    tgs_layers_free(&x);
    tgs_graph_free(g);

    g = end(begin()); /* nothing at all */
    x = found(g, 5);
    assert_int_equal(x.rows, 0);
    assert_int_equal(x.flows, 0);
    tgs_layers_free(&x);
    tgs_graph_free(g);
}

static void amounts(void **state)
{
    char text[40];

    (void)state;
    tgs_amount_text(text, sizeof text, 960, "flop");
    assert_string_equal(text, "960 flop");
    tgs_amount_text(text, sizeof text, 999.6, "B");
    assert_string_equal(text, "1 kB");
    tgs_amount_text(text, sizeof text, 1.234e12, "flop");
    assert_string_equal(text, "1.23 Tflop");
}

/* how often a word stands in a text */
static int32_t count(const char *text, const char *word)
{
    int32_t n = 0;

    for (; (text = strstr(text, word)); text += strlen(word))
        n++;
    return n;
}

/* from 10 to 10,000 tasks: a box each while they are few; then never more clusters, boxes and
 * arrows than a picture holds, and every task in one of them */
static void dot_of_any_size(void **state)
{
    static const struct {
        int layers, copies;
    } sizes[] = {{5, 1}, {10, 3}, {10, 4}, {25, 20}, {100, 50}, {5000, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        tgs_graph *g = step(sizes[i].layers, sizes[i].copies);
        const int32_t tasks = tgs_graph_tasks(g);
        int32_t boxes, told = 0;
        char *text;
        size_t size;

        assert_int_equal(graph_to_text(&text, &size, g, "dot-layers", NULL), TGS_OK);
        boxes = count(text, "fillcolor=");
        assert_true(count(text, "subgraph cluster_") <= 32);
        if (tasks <= 60) {
            assert_int_equal(boxes, tasks);
            assert_int_equal(count(text, " -> "), tgs_graph_edges(g));
        } else {
            assert_true(boxes <= 64);
            assert_true(count(text, " -> ") <= 300);
            for (const char *at = text; (at = strstr(at, "ward")); at++)
                told += atoi(at + 6); /* "forward: 20 tasks", or on two lines */
            assert_int_equal(told, tasks);
        }
        free(text);
        tgs_graph_free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_by_layer_and_phase),
        cmocka_unit_test(names_without_layers),
        cmocka_unit_test(long_names_lose_their_middle),
        cmocka_unit_test(amounts),
        cmocka_unit_test(dot_of_any_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
