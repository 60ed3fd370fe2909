/* dot-layers.c -- DOT for pictures, which Graphviz lays out in seconds: a cluster per layer, in it
 * a box per phase, and arrows for what flows between them.  A small graph has a box per task
 * instead.
 *
 * Rows follow one another from top to bottom, in the order of the tasks: what flows against that is
 * drawn upwards, and does not pull a layer's phases apart. */
#include <inttypes.h>
#include "core.h"
#include "tgsched/layers.h"

enum { MOST_FLOWS = 300, LINES = 16 };

static const char *const color[TGS_PHASES] = {/* light, so that black text is readable */
                                              [TGS_PHASE_OTHER] = "#eeeeee",
                                              [TGS_PHASE_FORWARD] = "#c6dbef",
                                              [TGS_PHASE_BACKWARD] = "#fdd0a2",
                                              [TGS_PHASE_UPDATE] = "#c7e9c0",
                                              [TGS_PHASE_COMMUNICATION] = "#dadaeb"};

typedef struct picture {
    const tgs_graph_view *g;
    tgs_layers in;
    int32_t *next, *first; /* tasks of a row, -1 ends; NULL: a box per phase */
    FILE *to;
} picture;

static void put_text(FILE *to, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putc('\\', to);
        putc((unsigned char)*text < ' ' ? ' ' : *text, to);
    }
}

static void put_box(const picture *p, int32_t box)
{
    const tgs_layer_box *b = &p->in.box[box];
    const tgs_phase phase = (tgs_phase)(box % TGS_PHASES);
    const bool high = p->in.rows > LINES; /* then rows are lines */
    char amount[40];

    tgs_amount_text(amount, sizeof amount, b->flops, "flop");
    fprintf(p->to, "    b%" PRId32 " [label=\"%s%s%" PRId32 " task%s%s%s\", fillcolor=\"%s\"];\n",
            box, tgs_phase_name(phase), high ? ": " : "\\n", b->tasks, b->tasks > 1 ? "s" : "",
            b->flops > 0 ? ", " : "", b->flops > 0 ? amount : "", color[phase]);
}

static void put_task(const picture *p, int32_t t)
{
    const tgs_task *x = &p->g->task[t];
    char amount[40], room[TGS_NAME_ROOM];

    fprintf(p->to, "    t%" PRId32 " [label=\"", t);
    put_text(p->to, tgs_i_write_name(p->g, t, room));
    if (x->flops > 0) {
        tgs_amount_text(amount, sizeof amount, x->flops, "flop");
        fprintf(p->to, "\\n%s", amount);
    }
    fprintf(p->to, "\", fillcolor=\"%s\"];\n", color[x->phase]);
}

static void put_row(const picture *p, int32_t row)
{
    fprintf(p->to, "  subgraph cluster_%" PRId32 " {\n    label=\"", row);
    put_text(p->to, p->in.name[row]);
    fputs("\";\n", p->to);
    if (p->first)
        for (int32_t t = p->first[row]; t >= 0; t = p->next[t])
            put_task(p, t);
    for (int32_t k = 0; k < TGS_PHASES && !p->first; k++)
        if (p->in.box[row * TGS_PHASES + k].tasks)
            put_box(p, row * TGS_PHASES + k);
    fputs("  }\n", p->to);
}

/* rows: 0 when both ends are in one and need not be below each other */
static void put_arrow(const picture *p, int32_t from, int32_t to, int32_t rows, double bytes,
                      double most)
{
    const char kind = p->first ? 't' : 'b';
    char amount[40];

    tgs_amount_text(amount, sizeof amount, bytes, "B");
    fprintf(p->to, "  %c%" PRId32 " -> %c%" PRId32 " [penwidth=%.2f, tooltip=\"%s\"%s];\n", kind,
            rows < 0 ? to : from, kind, rows < 0 ? from : to,
            0.6 + 3.4 * (most > 0 ? sqrt(bytes / most) : 0), amount,
            rows < 0    ? ", dir=back"
            : rows == 0 ? ", constraint=false"
                        : "");
}

static void put_tasks_arrows(const picture *p)
{
    const tgs_graph_view *g = p->g;
    double most = 0;

    for (int32_t e = 0; e < g->edges; e++)
        if (g->succ_datum[e] >= 0 && g->datum[g->succ_datum[e]].bytes > most)
            most = g->datum[g->succ_datum[e]].bytes;
    for (int32_t t = 0; t < g->tasks; t++)
        for (int32_t e = g->succ_at[t]; e < g->succ_at[t + 1]; e++) {
            const int32_t to = g->succ[e], rows = p->in.row[to] - p->in.row[t];
            const bool below = rows == 0 && g->task[to].phase == g->task[t].phase;

            put_arrow(p, t, to, below ? 1 : rows,
                      g->succ_datum[e] < 0 ? 0 : g->datum[g->succ_datum[e]].bytes, most);
        }
}

static void put_flows(const picture *p)
{
    for (int64_t i = 0; i < p->in.flows && i < MOST_FLOWS; i++) {
        const tgs_layer_flow *f = &p->in.flow[i];

        put_arrow(p, f->from, f->to, f->to / TGS_PHASES - f->from / TGS_PHASES, f->bytes,
                  p->in.flow[0].bytes);
    }
}

static tgs_status list_tasks(picture *p)
{
    p->next = tgs_mem_alloc((size_t)p->g->tasks, sizeof *p->next);
    p->first = tgs_mem_alloc((size_t)p->in.rows, sizeof *p->first);
    if (!p->next || !p->first)
        return TGS_ENOMEM;
    for (int32_t r = 0; r < p->in.rows; r++)
        p->first[r] = -1;
    for (int32_t t = p->g->tasks - 1; t >= 0; t--) {
        p->next[t] = p->first[p->in.row[t]];
        p->first[p->in.row[t]] = t;
    }
    return TGS_OK;
}

static void put_all(const picture *p)
{
    fprintf(p->to,
            "digraph layers {\n  labelloc=t;\n  fontname=\"sans-serif\";\n  fontsize=16;\n  "
            "label=\"%" PRId32 " tasks in %" PRId32 " layers",
            p->g->tasks, p->in.layers);
    if (!p->first && p->in.flows > MOST_FLOWS)
        fprintf(p->to, "\\nthe %d largest of %" PRId64 " flows", MOST_FLOWS, p->in.flows);
    fputs("\";\n  ranksep=0.25;\n  nodesep=0.2;\n  node [shape=box, style=\"rounded,filled\", "
          "color=\"#888888\", fontname=\"sans-serif\", fontsize=12, margin=\"0.1,0.05\"];\n"
          "  edge [color=\"#55555599\", arrowsize=0.6];\n",
          p->to);
    fputs("  graph [labeljust=l, style=rounded, color=\"#bbbbbb\"];\n", p->to);
    for (int32_t r = 0; r < p->in.rows; r++)
        put_row(p, r);
    if (p->first)
        put_tasks_arrows(p);
    else
        put_flows(p);
    fputs("}\n", p->to);
}

static tgs_status write_layers(const tgs_graph_view *g, const tgs_args *a, FILE *to, tgs_error *err)
{
    picture p = {.g = g, .to = to};
    tgs_status status = tgs_layers_find(&p.in, g, (int32_t)tgs_arg_int(a, "rows"));

    if (!status && g->tasks <= tgs_arg_int(a, "tasks"))
        status = list_tasks(&p);
    if (!status)
        put_all(&p);
    tgs_layers_free(&p.in);
    tgs_mem_free(p.next);
    tgs_mem_free(p.first);
    return status ? tgs_fail(err, status, "dot-layers: out of memory") : TGS_OK;
}

static const tgs_param params[] = {
    {"tasks", "60", TGS_PARAM_INT, 0, 1000, "a graph of at most so many has a box for each"},
    {"rows", "32", TGS_PARAM_INT, 1, 1000, "most clusters; beyond, layers that follow are joined"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_writer tgs_writer_dot_layers = {
    .base = {TGS_PLUGIN_ABI, "dot-layers",
             "Graphviz DOT for pictures: a cluster per layer, a box per phase", NULL, params},
    .suffixes = "",
    .holds = 0,
    .write = write_layers,
};
