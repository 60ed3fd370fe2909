/* dot.c -- writes DOT for people and for Graphviz: a box per task in the colour of its phase, an
 * arrow per dependency.  size and work are as the DOT reader takes them. */
#include <inttypes.h>
#include "core.h"

static const char *const color[] = {/* by tgs_phase; light, so that black text is readable */
                                    [TGS_PHASE_OTHER] = "#eeeeee",
                                    [TGS_PHASE_FORWARD] = "#c6dbef",
                                    [TGS_PHASE_BACKWARD] = "#fdd0a2",
                                    [TGS_PHASE_UPDATE] = "#c7e9c0",
                                    [TGS_PHASE_COMMUNICATION] = "#dadaeb"};

static void put_quoted(FILE *to, const char *text)
{
    putc('"', to);
    for (; *text; text++)
        if (*text == '\n')
            fputs("\\n", to);
        else {
            if (*text == '"' || *text == '\\')
                putc('\\', to);
            putc(*text, to);
        }
    putc('"', to);
}

static void put_node(const tgs_graph_view *g, const char *at, int32_t t, FILE *to)
{
    if (g->task[t].name)
        put_quoted(to, tgs_task_name(g, t, TGS_ROOM));
    else
        fprintf(to, "\"%s%" PRId32 "\"", at, t);
}

static void put_number(FILE *to, const char *key, double x)
{
    if (isnan(x))
        return;
    fprintf(to, ", %s=\"", key);
    tgs_i_write_real(to, x);
    putc('"', to);
}

static void put_task(const tgs_graph_view *g, const char *at, int32_t t, FILE *to)
{
    const tgs_task *x = &g->task[t];

    fputs("  ", to);
    put_node(g, at, t, to);
    fprintf(to, " [fillcolor=\"%s\"", color[x->phase]);
    if (x->codelet >= 0) {
        fputs(", tooltip=", to);
        put_quoted(to, g->codelet_name[x->codelet]);
    }
    put_number(to, "size", x->flops);
    put_number(to, "work", x->work);
    for (int32_t k = 0; g->time && k < g->kinds; k++) {
        fputs(k ? "," : ", time=\"", to);
        tgs_i_write_real(to, g->time[(int64_t)t * g->kinds + k]);
    }
    fputs(g->time ? "\"];\n" : "];\n", to);
}

static void put_edge(const tgs_graph_view *g, const char *at, int32_t from, int32_t e, FILE *to)
{
    const int32_t d = g->succ_datum[e];

    fputs("  ", to);
    put_node(g, at, from, to);
    fputs(" -> ", to);
    put_node(g, at, g->succ[e], to);
    if (d < 0) {
        fputs(" [style=dashed];\n", to);
        return;
    }
    fputs(" [size=\"", to);
    tgs_i_write_real(to, g->datum[d].bytes);
    putc('"', to);
    if (g->datum[d].name) {
        fputs(", label=", to);
        put_quoted(to, tgs_datum_name(g, d, TGS_ROOM));
    }
    fputs("];\n", to);
}

static tgs_status write_dot(const tgs_graph_view *g, const tgs_args *a, FILE *to, tgs_error *err)
{
    char *at;
    const tgs_status status = tgs_i_write_at(&at, g, err);

    (void)a;
    if (status)
        return status;
    fputs("digraph tasks {\n  node [shape=box, style=filled];\n", to);
    for (int32_t t = 0; t < g->tasks; t++)
        put_task(g, at, t, to);
    for (int32_t t = 0; t < g->tasks; t++)
        for (int32_t e = g->succ_at[t]; e < g->succ_at[t + 1]; e++)
            put_edge(g, at, t, e, to);
    fputs("}\n", to);
    tgs_mem_free(at);
    return TGS_OK;
}

const tgs_writer tgs_writer_dot = {
    .base = {TGS_PLUGIN_ABI, "dot", "Graphviz DOT, a box per task, coloured by phase", NULL, NULL},
    .suffixes = ".dot .gv",
    /* what is shown and not read back, such as phases as colours, does not count */
    .holds =
        TGS_HOLDS_NAMES | TGS_HOLDS_WORK | TGS_HOLDS_FLOPS | TGS_HOLDS_ORDERS | TGS_HOLDS_NO_DATA,
    .write = write_dot,
};
