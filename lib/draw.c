/* draw.c -- a picture of a graph for people, from 10 to 10,000 tasks: a row per layer, a column per
 * phase, and arcs for what flows between them.  Layers beyond what fits are joined with their
 * neighbours, so that the picture keeps its size. */
#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "internal.h"
#include "sums.h"

enum {
    ROWS = 48,
    COLUMNS = 5,
    WIDE = 190,
    HIGH = 26,
    GAP = 70,
    TOP = 64,
    LEFT = 230,
    MOST_ARCS = 400
};

static const char *const color[COLUMNS] = {"#c6dbef", "#fdd0a2", "#c7e9c0", "#dadaeb", "#eeeeee"};
static const tgs_phase phases[COLUMNS] = {TGS_PHASE_FORWARD, TGS_PHASE_BACKWARD, TGS_PHASE_UPDATE,
                                          TGS_PHASE_COMMUNICATION, TGS_PHASE_OTHER};

typedef struct box {
    int32_t tasks;
    double flops;
} box;
typedef struct arc {
    int32_t from, to; /* boxes */
    double bytes;
} arc;

typedef struct drawing {
    const tgs_graph_view *g;
    FILE *to;
    tgs_i_arena arena;
    tgs_i_names names;
    int32_t layers, rows, each; /* each: layers of a row */
    int32_t *layer;             /* [tasks] */
    int32_t *name;              /* [layers] in the arena */
    int64_t name_room;
    int32_t x[COLUMNS], columns; /* where a column is; -1: nothing is in it */
    box box[ROWS * COLUMNS];
    double flow[ROWS * COLUMNS][ROWS * COLUMNS];
} drawing;

static void put_text(FILE *to, const char *text, size_t most)
{
    for (size_t i = 0; text[i] && i < most; i++)
        switch (text[i]) {
        case '&':
            fputs("&amp;", to);
            break;
        case '<':
            fputs("&lt;", to);
            break;
        case '>':
            fputs("&gt;", to);
            break;
        default:
            putc((unsigned char)text[i] < ' ' ? ' ' : text[i], to);
        }
    if (strlen(text) > most)
        fputs("...", to);
}

/* "1.2 G" */
static void put_amount(FILE *to, double x)
{
    static const char *const unit[] = {"", "k", "M", "G", "T", "P", "E"};
    int k = 0;

    for (; x >= 1000 && k < 6; k++)
        x /= 1000;
    fprintf(to, "%.3g%s%s", x, k ? " " : "", unit[k]);
}

static tgs_status find_layers(drawing *d)
{
    for (int32_t i = 0; i < d->g->tasks; i++) {
        char text[200];
        int32_t at, offset;

        tgs_i_layer_name(tgs_text(d->g, d->g->task[i].name), text, sizeof text);
        if (!*text)
            strcpy(text, "(without a name)");
        at = tgs_i_names_get(&d->names, &d->arena, text);
        if (at < 0) {
            at = d->layers;
            offset = tgs_i_arena_add(&d->arena, text);
            if (offset < 0 || tgs_i_names_put(&d->names, &d->arena, offset, at)
                || tgs_mem_grow(&d->name, &d->name_room, at + 1, sizeof *d->name))
                return TGS_ENOMEM;
            d->name[d->layers++] = offset;
        }
        d->layer[i] = at;
    }
    d->each = (d->layers + ROWS - 1) / ROWS;
    d->rows = d->each ? (d->layers + d->each - 1) / d->each : 0;
    return TGS_OK;
}

static int32_t box_of(const drawing *d, int32_t task)
{
    int32_t column = 0;

    while (column < COLUMNS - 1 && d->g->task[task].phase != (int32_t)phases[column])
        column++;
    return d->layer[task] / d->each * COLUMNS + column;
}

static void add_up(drawing *d)
{
    const tgs_graph_view *g = d->g;

    for (int32_t t = 0; t < g->tasks; t++) {
        const int32_t from = box_of(d, t);

        d->box[from].tasks++;
        d->box[from].flops += isnan(g->task[t].flops) ? 0 : g->task[t].flops;
        for (int32_t e = g->succ_at[t]; e < g->succ_at[t + 1]; e++) {
            const int32_t to = box_of(d, g->succ[e]);

            if (from != to && g->succ_datum[e] >= 0)
                d->flow[from][to] += g->datum[g->succ_datum[e]].bytes;
        }
    }
}

/* only columns with something in them take room */
static void place_columns(drawing *d)
{
    for (int32_t c = 0; c < COLUMNS; c++) {
        bool any = false;

        for (int32_t r = 0; r < d->rows; r++)
            any |= d->box[r * COLUMNS + c].tasks > 0;
        d->x[c] = any ? LEFT + d->columns++ * (WIDE + GAP) : -1;
    }
}

static int by_bytes(const void *a, const void *b)
{
    const arc *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return x->from != y->from ? x->from - y->from : x->to - y->to;
}

static void put_arc(const drawing *d, const arc *a, double most)
{
    FILE *to = d->to;
    const int32_t r1 = a->from / COLUMNS, r2 = a->to / COLUMNS;
    const int32_t c1 = a->from % COLUMNS, c2 = a->to % COLUMNS;
    const double y1 = TOP + r1 * (HIGH + 8) + HIGH / 2.0, y2 = TOP + r2 * (HIGH + 8) + HIGH / 2.0;
    double x1 = d->x[c1], x2 = d->x[c2], bow;
    const double width = 0.5 + 4 * sqrt(most > 0 ? a->bytes / most : 0);

    if (c1 == c2) { /* beside the column, the further out the longer */
        bow = 12 + 40 * (double)abs(r2 - r1) / ROWS;
        bow = c1 == 1 ? -bow : WIDE + bow;
        x1 += c1 == 1 ? 0 : WIDE;
        x2 = x1;
        bow += d->x[c1];
        fprintf(to, "<path d='M%.0f %.0fC%.0f %.0f %.0f %.0f %.0f %.0f'", x1, y1, bow, y1, bow, y2,
                x2, y2);
    } else {
        x1 += c2 > c1 ? WIDE : 0;
        x2 += c2 > c1 ? 0 : WIDE;
        fprintf(to, "<path d='M%.0f %.0fL%.0f %.0f'", x1, y1, x2, y2);
    }
    fprintf(to, " stroke-width='%.2f'><title>", width);
    put_amount(to, a->bytes);
    fputs("B</title></path>\n", to);
}

static tgs_status put_arcs(drawing *d)
{
    const int32_t boxes = d->rows * COLUMNS;
    arc *a = NULL;
    int64_t count = 0, room = 0;

    for (int32_t i = 0; i < boxes; i++)
        for (int32_t j = 0; j < boxes; j++)
            if (d->flow[i][j] > 0) {
                if (tgs_mem_grow(&a, &room, count + 1, sizeof *a)) {
                    tgs_mem_free(a);
                    return TGS_ENOMEM;
                }
                a[count++] = (arc){i, j, d->flow[i][j]};
            }
    if (count)
        qsort(a, (size_t)count, sizeof *a, by_bytes);
    fputs("<g fill='none' stroke='#555' stroke-opacity='.45'>\n", d->to);
    for (int64_t i = 0; i < count && i < MOST_ARCS; i++)
        put_arc(d, &a[i], a[0].bytes);
    fputs("</g>\n", d->to);
    if (count > MOST_ARCS)
        fprintf(d->to, "<text x='10' y='%d'>the %d largest of %lld flows are drawn</text>\n",
                TOP + d->rows * (HIGH + 8) + 16, MOST_ARCS, (long long)count);
    tgs_mem_free(a);
    return TGS_OK;
}

static void put_row(const drawing *d, int32_t row)
{
    const int32_t first = row * d->each;
    const int32_t last = first + d->each > d->layers ? d->layers - 1 : first + d->each - 1;
    const int y = TOP + row * (HIGH + 8);

    fprintf(d->to, "<text x='10' y='%d'>", y + 17);
    put_text(d->to, d->arena.text + d->name[first], last > first ? 12 : 28);
    if (last > first) {
        fputs(" to ", d->to);
        put_text(d->to, d->arena.text + d->name[last], 12);
    }
    fputs("</text>\n", d->to);
    for (int32_t c = 0; c < COLUMNS; c++) {
        const box *b = &d->box[row * COLUMNS + c];

        if (!b->tasks)
            continue;
        fprintf(d->to,
                "<rect x='%d' y='%d' width='%d' height='%d' rx='4' fill='%s' stroke='#888'/>"
                "<text x='%d' y='%d'>%d task%s",
                d->x[c], y, WIDE, HIGH, color[c], d->x[c] + 8, y + 17, (int)b->tasks,
                b->tasks > 1 ? "s" : "");
        if (b->flops > 0) {
            fputs(", ", d->to);
            put_amount(d->to, b->flops);
            fputs("flop", d->to);
        }
        fputs("</text>\n", d->to);
    }
}

static tgs_status put_all(drawing *d, const char *title)
{
    const int width = LEFT + d->columns * (WIDE + GAP), height = TOP + d->rows * (HIGH + 8) + 30;
    tgs_status status;

    fprintf(d->to,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
            "font-family='sans-serif' font-size='12'>\n<rect width='100%%' height='100%%' "
            "fill='white'/>\n<text x='10' y='22' font-size='16'>",
            width, height, width, height);
    put_text(d->to, title, 120);
    fprintf(d->to, ": %d tasks in %d layers</text>\n", (int)d->g->tasks, (int)d->layers);
    for (int32_t c = 0; c < COLUMNS; c++)
        if (d->x[c] >= 0)
            fprintf(d->to, "<text x='%d' y='%d' font-weight='bold'>%s</text>\n", d->x[c], TOP - 12,
                    tgs_phase_name(phases[c]));
    status = put_arcs(d);
    for (int32_t r = 0; r < d->rows; r++)
        put_row(d, r);
    fputs("</svg>\n", d->to);
    return status;
}

tgs_status tgs_graph_draw(const tgs_graph *g, const char *title, const char *path, tgs_error *err)
{
    drawing *d = tgs_mem_alloc(1, sizeof *d);
    tgs_i_output o;
    tgs_status status = TGS_ENOMEM;

    if (d) {
        d->g = &g->v;
        d->layer = tgs_mem_alloc((size_t)g->v.tasks, sizeof *d->layer);
        if (d->layer)
            status = find_layers(d);
    }
    if (status)
        tgs_fail(err, status, "out of memory");
    else {
        add_up(d);
        place_columns(d);
        status = tgs_i_output_open(&o, path, err);
        if (!status) {
            d->to = o.file;
            status = put_all(d, title);
            if (status)
                tgs_fail(err, status, "out of memory");
            status = tgs_i_output_close(&o, status, err);
        }
    }
    if (d) {
        tgs_i_arena_free(&d->arena);
        tgs_i_names_free(&d->names);
        tgs_mem_free(d->name);
        tgs_mem_free(d->layer);
    }
    tgs_mem_free(d);
    return status;
}
