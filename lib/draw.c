/* draw.c -- a picture of a graph for people, from 10 to 10,000 tasks: a row per layer, a column per
 * phase, and arcs for what flows between them.  Layers beyond what fits are joined with their
 * neighbours, so that the picture keeps its size. */
#include <stdlib.h>
#include <string.h>
#include "tgsched/layers.h"
#include "internal.h"

enum {
    ROWS = 48,
    COLUMNS = 5,
    WIDE = 190,
    HIGH = 26,
    GAP = 70,
    TOP = 64,
    LETTER = 7, /* how wide one is, of names and of the title */
    TITLE_LETTER = 9,
    TITLE = 120,
    MOST_FLOWS = 400
};

static const char *const color[COLUMNS] = {"#c6dbef", "#fdd0a2", "#c7e9c0", "#dadaeb", "#eeeeee"};
static const tgs_phase phases[COLUMNS] = {TGS_PHASE_FORWARD, TGS_PHASE_BACKWARD, TGS_PHASE_UPDATE,
                                          TGS_PHASE_COMMUNICATION, TGS_PHASE_OTHER};

typedef struct drawing {
    tgs_layers in;
    FILE *to;
    int32_t tasks;
    int left;                    /* where the first column begins: right of the longest name */
    int32_t x[COLUMNS], columns; /* where a column is; -1: nothing is in it */
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

static const tgs_layer_box *box_of(const drawing *d, int32_t row, int32_t column)
{
    return &d->in.box[row * TGS_PHASES + (int32_t)phases[column]];
}

static int32_t column_of(int32_t box)
{
    int32_t column = 0;

    while (phases[column] != (tgs_phase)(box % TGS_PHASES))
        column++;
    return column;
}

/* only columns with something in them take room */
static void place_columns(drawing *d)
{
    size_t longest = 0;

    for (int32_t r = 0; r < d->in.rows; r++)
        longest = strlen(d->in.name[r]) > longest ? strlen(d->in.name[r]) : longest;
    d->left = 30 + LETTER * (int)longest;
    for (int32_t c = 0; c < COLUMNS; c++) {
        bool any = false;

        for (int32_t r = 0; r < d->in.rows; r++)
            any |= box_of(d, r, c)->tasks > 0;
        d->x[c] = any ? d->left + d->columns++ * (WIDE + GAP) : -1;
    }
}

static double middle(int32_t row)
{
    return TOP + row * (HIGH + 8) + HIGH / 2.0;
}

static void put_flow(const drawing *d, const tgs_layer_flow *f, double most)
{
    const int32_t r1 = f->from / TGS_PHASES, r2 = f->to / TGS_PHASES;
    const int32_t c1 = column_of(f->from), c2 = column_of(f->to);
    const double y1 = middle(r1), y2 = middle(r2);
    const double width = 0.6 + 3.4 * sqrt(most > 0 ? f->bytes / most : 0);
    double x1 = d->x[c1], x2 = d->x[c2];
    char amount[40];

    if (c1 == c2) { /* beside the column, the further out the longer */
        const double out = 14 + 40 * (double)abs(r2 - r1) / ROWS;
        const double side = c1 == 1 ? x1 : x1 + WIDE, bow = c1 == 1 ? side - out : side + out;

        fprintf(d->to, "<path d='M%.0f %.0fC%.0f %.0f %.0f %.0f %.0f %.0f'", side, y1, bow, y1, bow,
                y2, side, y2);
    } else {
        x1 += c2 > c1 ? WIDE : 0;
        x2 += c2 > c1 ? 0 : WIDE;
        fprintf(d->to, "<path d='M%.0f %.0fL%.0f %.0f'", x1, y1, x2, y2);
    }
    tgs_amount_text(amount, sizeof amount, f->bytes, "B");
    fprintf(d->to, " stroke-width='%.2f' marker-end='url(#to)'><title>%s</title></path>\n", width,
            amount);
}

static void put_flows(const drawing *d)
{
    const int64_t count = d->in.flows < MOST_FLOWS ? d->in.flows : MOST_FLOWS;

    /* of one size, whatever the line's: thin ones have a direction, too */
    fputs("<marker id='to' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' markerHeight='7' "
          "markerUnits='userSpaceOnUse' orient='auto'><path d='M0 0L8 4L0 8z' fill='#555'/>"
          "</marker>\n<g fill='none' stroke='#555' stroke-opacity='.45'>\n",
          d->to);
    for (int64_t i = 0; i < count; i++)
        put_flow(d, &d->in.flow[i], d->in.flow[0].bytes);
    fputs("</g>\n", d->to);
}

/* what the picture is of, at its foot */
static void put_key(const drawing *d, int y)
{
    fprintf(d->to, "<text x='10' y='%d' fill='#555'>", y);
    if (d->in.flows > MOST_FLOWS)
        fprintf(d->to, "arrows: the %d largest of %lld flows", MOST_FLOWS, (long long)d->in.flows);
    else if (d->in.flows)
        fputs("arrows: data that flow, the wider the more", d->to);
    fputs("</text>\n", d->to);
}

static void put_row(const drawing *d, int32_t row)
{
    const int y = TOP + row * (HIGH + 8);
    char amount[40];

    fprintf(d->to, "<text x='10' y='%d'>", y + 17);
    put_text(d->to, d->in.name[row], SIZE_MAX);
    fputs("</text>\n", d->to);
    for (int32_t c = 0; c < COLUMNS; c++) {
        const tgs_layer_box *b = box_of(d, row, c);

        if (!b->tasks)
            continue;
        tgs_amount_text(amount, sizeof amount, b->flops, "flop");
        fprintf(d->to,
                "<rect x='%d' y='%d' width='%d' height='%d' rx='4' fill='%s' stroke='#888'/>"
                "<text x='%d' y='%d'>%d task%s%s%s</text>\n",
                d->x[c], y, WIDE, HIGH, color[c], d->x[c] + 8, y + 17, (int)b->tasks,
                b->tasks > 1 ? "s" : "", b->flops > 0 ? ", " : "", b->flops > 0 ? amount : "");
    }
}

static void put_all(drawing *d, const char *title)
{
    const int height = TOP + d->in.rows * (HIGH + 8) + 30;
    const int named = 40 + (int)(strnlen(title, TITLE) + 30) * TITLE_LETTER;
    int width = d->left + d->columns * (WIDE + GAP);

    width = width > named ? width : named;
    fprintf(d->to,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
            "font-family='sans-serif' font-size='12'>\n<rect width='100%%' height='100%%' "
            "fill='white'/>\n<text x='10' y='22' font-size='16'>",
            width, height, width, height);
    put_text(d->to, title, TITLE);
    fprintf(d->to, ": %d tasks in %d layers</text>\n", (int)d->tasks, (int)d->in.layers);
    for (int32_t c = 0; c < COLUMNS; c++)
        if (d->x[c] >= 0)
            fprintf(d->to, "<text x='%d' y='%d' font-weight='bold'>%s</text>\n", d->x[c], TOP - 12,
                    tgs_phase_name(phases[c]));
    put_flows(d);
    for (int32_t r = 0; r < d->in.rows; r++)
        put_row(d, r);
    put_key(d, height - 12);
    fputs("</svg>\n", d->to);
}

tgs_status tgs_graph_draw(const tgs_graph *g, const char *title, const char *path, tgs_error *err)
{
    drawing d = {.tasks = g->v.tasks};
    tgs_i_output o;
    tgs_status status = tgs_layers_find(&d.in, &g->v, ROWS);

    if (status)
        tgs_fail(err, status, "out of memory");
    else
        status = tgs_i_output_open(&o, path, err);
    if (!status) {
        place_columns(&d);
        d.to = o.file;
        put_all(&d, title);
        status = tgs_i_output_close(&o, TGS_OK, err);
    }
    tgs_layers_free(&d.in);
    return status;
}
