/* layers.c -- a graph as few boxes: its tasks by layer and phase, and what flows between them.
 * O(tasks + edges), but for the flows, of which there are few. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "internal.h"
#include "sums.h"
#include "tgsched/layers.h"

enum { MOST_ROWS = 1000, NAME = 200, ALONE = 44, PAIRED = 20 };

typedef struct finding {
    const tgs_graph_view *g;
    tgs_i_arena arena;
    tgs_i_names names;
    int32_t *name; /* [layers] in the arena */
    int64_t room;
    int32_t each;   /* layers of a row */
    double *flow;   /* [boxes * boxes] */
    int32_t *level; /* [tasks] or NULL */
} finding;

/* where a letter begins, at or after i */
static size_t letter(const char *text, size_t i)
{
    while (((unsigned char)text[i] & 0xc0) == 0x80)
        i++;
    return i;
}

/* text, without its middle when it is longer than that */
static int put_short(char *to, size_t size, const char *text, size_t most)
{
    const size_t length = strlen(text), half = most / 2 - 1;

    if (length <= most)
        return snprintf(to, size, "%s", text);
    return snprintf(to, size, "%.*s...%s", (int)letter(text, half), text,
                    text + letter(text, length - half));
}

/* "gemm_3_1" is one of gemm */
static void cut_number(char *text)
{
    size_t n = strcspn(text, "0123456789");

    while (n && strchr("_-.: ", text[n - 1]))
        n--;
    text[n] = 0;
}

typedef enum naming { BY_LAYER, BY_KIND, BY_LEVEL } naming;

/* how many tasks come before each on the longest way to it */
static tgs_status find_levels(finding *f)
{
    const tgs_graph_view *g = f->g;

    f->level = tgs_mem_alloc((size_t)g->tasks, sizeof *f->level);
    for (int32_t i = 0; f->level && i < g->tasks; i++)
        for (int32_t e = g->succ_at[g->topo[i]]; e < g->succ_at[g->topo[i] + 1]; e++)
            if (f->level[g->succ[e]] <= f->level[g->topo[i]])
                f->level[g->succ[e]] = f->level[g->topo[i]] + 1;
    return f->level ? TGS_OK : TGS_ENOMEM;
}

static tgs_status name_layers(tgs_layers *x, finding *f, naming how)
{
    tgs_i_names_free(&f->names);
    x->layers = 0;
    for (int32_t i = 0; i < f->g->tasks; i++) {
        char text[NAME];
        int32_t at, offset;

        tgs_i_layer_name(tgs_text(f->g, f->g->task[i].name), text, sizeof text);
        if (how == BY_KIND)
            cut_number(text);
        else if (how == BY_LEVEL)
            snprintf(text, sizeof text, "level %" PRId32, f->level[i]);
        if (!*text)
            strcpy(text, "(without a name)");
        at = tgs_i_names_get(&f->names, &f->arena, text);
        if (at < 0) {
            at = x->layers;
            offset = tgs_i_arena_add(&f->arena, text);
            if (offset < 0 || tgs_i_names_put(&f->names, &f->arena, offset, at)
                || tgs_mem_grow(&f->name, &f->room, at + 1, sizeof *f->name))
                return TGS_ENOMEM;
            f->name[x->layers++] = offset;
        }
        x->row[i] = at;
    }
    return TGS_OK;
}

/* Most tasks of a model are of a layer with others.  Where they are not, their names are those of
 * a kind of task and numbers; where there is one kind, only the dependencies tell them apart. */
static tgs_status find_layers(tgs_layers *x, finding *f, int32_t most)
{
    tgs_status status = name_layers(x, f, BY_LAYER);
    const bool grouped = x->layers > 1 && (x->layers <= most || x->layers < f->g->tasks / 2);

    if (!status && !grouped)
        status = name_layers(x, f, BY_KIND);
    if (!status && x->layers < 2)
        status = find_levels(f);
    return status || x->layers > 1 ? status : name_layers(x, f, BY_LEVEL);
}

/* neighbours go together until there are few enough rows */
static tgs_status make_rows(tgs_layers *x, finding *f, int32_t most)
{
    f->each = (x->layers + most - 1) / most;
    x->rows = f->each ? (x->layers + f->each - 1) / f->each : 0;
    x->name = tgs_mem_alloc((size_t)x->rows, sizeof *x->name);
    x->box = tgs_mem_alloc((size_t)x->rows * TGS_PHASES, sizeof *x->box);
    if (!x->name || !x->box)
        return TGS_ENOMEM;
    for (int32_t r = 0; r < x->rows; r++) {
        const int32_t first = r * f->each;
        const int32_t last = first + f->each > x->layers ? x->layers - 1 : first + f->each - 1;
        const size_t longest = last > first ? PAIRED : ALONE;
        char *to = x->name[r];
        const size_t size = sizeof x->name[r];
        int used = put_short(to, size, f->arena.text + f->name[first], longest);

        if (last > first) {
            used += snprintf(to + used, size - (size_t)used, " to ");
            put_short(to + used, size - (size_t)used, f->arena.text + f->name[last], longest);
        }
    }
    for (int32_t t = 0; t < f->g->tasks; t++)
        x->row[t] /= f->each;
    return TGS_OK;
}

static int32_t box_of(const tgs_layers *x, const tgs_graph_view *g, int32_t task)
{
    return x->row[task] * TGS_PHASES + g->task[task].phase;
}

static tgs_status add_up(tgs_layers *x, finding *f)
{
    const tgs_graph_view *g = f->g;
    const size_t boxes = (size_t)x->rows * TGS_PHASES;

    f->flow = tgs_mem_alloc(boxes * boxes, sizeof *f->flow);
    if (!f->flow)
        return TGS_ENOMEM;
    for (int32_t t = 0; t < g->tasks; t++) {
        const int32_t from = box_of(x, g, t);

        x->box[from].tasks++;
        x->box[from].flops += isnan(g->task[t].flops) ? 0 : g->task[t].flops;
        for (int32_t e = g->succ_at[t]; e < g->succ_at[t + 1]; e++) {
            const int32_t to = box_of(x, g, g->succ[e]);

            if (from != to && g->succ_datum[e] >= 0)
                f->flow[(size_t)from * boxes + (size_t)to] += g->datum[g->succ_datum[e]].bytes;
        }
    }
    return TGS_OK;
}

static int by_bytes(const void *a, const void *b)
{
    const tgs_layer_flow *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return x->from != y->from ? x->from - y->from : x->to - y->to;
}

static tgs_status list_flows(tgs_layers *x, const finding *f)
{
    const int32_t boxes = x->rows * TGS_PHASES;
    int64_t room = 0;

    for (int32_t i = 0; i < boxes; i++)
        for (int32_t j = 0; j < boxes; j++) {
            const double bytes = f->flow[(int64_t)i * boxes + j];

            if (!(bytes > 0))
                continue;
            if (tgs_mem_grow(&x->flow, &room, x->flows + 1, sizeof *x->flow))
                return TGS_ENOMEM;
            x->flow[x->flows++] = (tgs_layer_flow){i, j, bytes};
        }
    if (x->flows)
        qsort(x->flow, (size_t)x->flows, sizeof *x->flow, by_bytes);
    return TGS_OK;
}

tgs_status tgs_layers_find(tgs_layers *x, const tgs_graph_view *g, int32_t most)
{
    finding f = {.g = g};
    tgs_status status;

    memset(x, 0, sizeof *x);
    x->row = tgs_mem_alloc((size_t)g->tasks, sizeof *x->row);
    most = most < 1 ? 1 : most > MOST_ROWS ? MOST_ROWS : most;
    status = x->row ? find_layers(x, &f, most) : TGS_ENOMEM;
    if (!status)
        status = make_rows(x, &f, most);
    if (!status)
        status = add_up(x, &f);
    if (!status)
        status = list_flows(x, &f);
    tgs_i_arena_free(&f.arena);
    tgs_i_names_free(&f.names);
    tgs_mem_free(f.name);
    tgs_mem_free(f.flow);
    tgs_mem_free(f.level);
    return status;
}

void tgs_layers_free(tgs_layers *x)
{
    tgs_mem_free(x->row);
    tgs_mem_free(x->name);
    tgs_mem_free(x->box);
    tgs_mem_free(x->flow);
    memset(x, 0, sizeof *x);
}

int tgs_amount_text(char *to, size_t size, double x, const char *unit)
{
    static const char *const scale[] = {"", "k", "M", "G", "T", "P", "E"};
    int k = 0;

    for (; x >= 999.5 && k < 6; k++)
        x /= 1000;
    return snprintf(to, size, "%.3g %s%s", x, scale[k], unit);
}
