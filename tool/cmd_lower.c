/* cmd_lower.c -- tgsched lower: a model's training step (or forward pass) as a graph, and what is
 * in it. */
#include <stdlib.h>
#include "commands.h"
#include "common.h"
#include "records.h"
#include "sums.h"

#define AT(field) offsetof(options, field)
static const opt_row rows[] = {
    {"explain", 0, OPT_FLAG, NULL,
     "show the strategy, and the tasks, flops and bytes by phase, layer and codelet, the memory by "
     "class of data; the graph is only written with -o",
     AT(figures)},
    {"svg", 0, OPT_TEXT, "FILE",
     "draw the layers and phases of the graph, and what flows between them; layers beyond 48 are "
     "joined with their neighbours (a picture of any graph: --to dot-layers, tgsched-graph(5))",
     AT(picture)},
    {"json", 0, OPT_FLAG, NULL, "--explain as JSON", AT(json)},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0},
};
static const opt_group own = {NULL, rows};

static int add_strategy(table *t, const options *o)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    int code = EXIT_OK;

    if (!to || describe_strategy(o, to))
        code = fail(TGS_ENOMEM, NULL);
    if (to && fclose(to))
        code = fail(TGS_ENOMEM, NULL);
    if (!code)
        table_text(t, 0, "strategy", text);
    free(text);
    return code;
}

/* of a graph: what it came from, its size, its sums */
static int explain(const tgs_graph *g, const options *o)
{
    static const column columns[] = {
        {"model", "model", CELL_TEXT},  {"strategy", "strategy", CELL_TEXT},
        {"tasks", "tasks", CELL_COUNT}, {"edges", "edges", CELL_COUNT},
        {"data", "data", CELL_COUNT},   {"depth", "depth", CELL_COUNT},
        {"flops", "flops", CELL_REAL},  {"data_bytes", "data size", CELL_BYTES},
        {"note", "note", CELL_TEXT},
    };
    static const tgs_sum_by by[] = {TGS_SUM_PHASE, TGS_SUM_CLASS, TGS_SUM_CODELET, TGS_SUM_LAYER};
    enum { TABLES = sizeof by / sizeof *by };
    tgs_error err = {TGS_OK, ""};
    table record, t[TABLES] = {{0}};
    tgs_graph_stats s;
    const tgs_status status = tgs_graph_measure(g, &s, &err);
    int code = status ? fail(status, &err) : EXIT_OK;

    table_init(&record, "lower", columns, sizeof columns / sizeof *columns);
    table_row(&record);
    table_text(&record, 0, "model", o->operand[0]);
    if (!code) {
        table_real(&record, 0, "tasks", s.tasks);
        table_real(&record, 0, "edges", s.edges);
        table_real(&record, 0, "data", s.data);
        table_real(&record, 0, "depth", s.depth);
        table_real(&record, 0, "flops", s.flops);
        table_real(&record, 0, "data_bytes", s.bytes);
        code = add_strategy(&record, o);
        if (*tgs_graph_note(g))
            table_text(&record, 0, "note", tgs_graph_note(g));
    }
    for (int i = 0; i < TABLES && !code; i++)
        code = sum_table(&t[i], g, by[i]);
    if (!code)
        code = print_sums(&record, t, TABLES, "lower", o, stdout);
    for (int i = 0; i < TABLES; i++)
        table_free(&t[i]);
    table_free(&record);
    return code;
}

static int draw(const tgs_graph *g, const options *o)
{
    tgs_error err = {TGS_OK, ""};
    const tgs_status status = tgs_graph_draw(g, o->operand[0], o->picture, &err);

    return status ? fail_write(status, &err, o->picture) : EXIT_OK;
}

static int run(const command *self, const options *o)
{
    tgs_graph *g;
    int code;

    if (o->json && !o->figures)
        return misuse(self, "--json is for --explain: a graph is written in the format of --to");
    code = lower_model(&g, o->operand[0], self, o);
    if (code)
        return code;
    if (o->output || (!o->figures && !o->picture))
        code = write_graph(g, o);
    if (!code && o->picture)
        code = draw(g, o);
    if (!code && o->figures)
        code = explain(g, o);
    tgs_graph_free(g);
    return code;
}

const command cmd_lower = {
    "lower",
    "MODEL",
    "lower a model to a graph of tasks and data",
    "Lower MODEL to tasks and data: with --train a whole training step (forward, backward and "
    "update), otherwise its forward pass.",
    1,
    1,
    {&own, &write_options, &graph_options},
    run,
};
