/* svg.c -- the Gantt chart of the last step as a picture; with a second trace a lane of each per
 * processor.  Every box has a title that viewers show on hover. */
#include <string.h>
#include "core.h"

enum { LEFT = 150, CHART = 1100, RIGHT = 30, TOP = 64, LANE = 22, GAP = 6, LEGEND = 34 };

typedef struct picture {
    FILE *to;
    const tgs_i_step *step[2]; /* drawn from the top; [1] NULL when there is one trace */
    double length;             /* seconds of the axis */
    tgs_i_palette palette;
    int bottom; /* of the lanes */
} picture;

static void put_xml(FILE *to, const char *text, int most)
{
    tgs_i_put_text(to, text, most, TGS_I_XML);
}

static double x_of(const picture *p, double seconds)
{
    return LEFT + (p->length > 0 ? seconds / p->length * CHART : 0);
}

static void put_axis(const picture *p)
{
    double scale;
    const char *unit = tgs_i_axis_unit(p->length, &scale);
    const double step = tgs_i_axis_step(p->length * scale, 12);

    for (int i = 0; i * step <= p->length * scale * (1 + 1e-9); i++) {
        const double x = x_of(p, i * step / scale);

        fprintf(p->to,
                "<path d='M%.1f %dV%d' stroke='#dde2e7'/>"
                "<text x='%.1f' y='%d' text-anchor='middle'>%.6g</text>\n",
                x, TOP - 4, p->bottom, x, TOP - 9, i * step);
    }
    fprintf(p->to, "<text x='%d' y='%d' text-anchor='end'>time, %s</text>\n", LEFT - 12, TOP - 9,
            unit);
}

/* boxes thinner than a third of a pixel are drawn only where nothing is yet */
/* The name in its box.  Layers share how their names begin: of one too long its end is shown, from
 * a
 * '.' or '/' on; nothing when that does not fit either. */
static void put_label(const picture *p, const char *name, double x, double width, int y)
{
    const double fits = (width - 4) / 7.4;
    const char *end = name;

    while (end && (double)strlen(end) + (end > name) >= fits)
        end = strpbrk(end, "./") ? strpbrk(end, "./") + 1 : NULL;
    if (!end || !*end)
        return;
    fprintf(p->to, "<text x='%.2f' y='%d' text-anchor='middle'>%s", x + width / 2, y,
            end > name ? "&#8230;" : "");
    put_xml(p->to, end, 200);
    fputs("</text>", p->to);
}

static void put_lane(const picture *p, const tgs_i_step *s, int32_t proc, int y, int height)
{
    double drawn = 0;

    for (int32_t i = s->ran_at; i < s->ran_end; i++) {
        const tgs_ran *r = &s->t->ran[i];
        const double x = x_of(p, r->start - s->start);
        const double width = x_of(p, r->end - s->start) - x;
        char room[16], text[32];
        const char *name = tgs_i_report_task(s->t, r->task, room);

        if (r->proc != proc || (width < 0.33 && x + width < drawn + 0.33))
            continue;
        drawn = x + width;
        fprintf(p->to, "<g><title>");
        put_xml(p->to, name, 200);
        fputs(" (", p->to);
        put_xml(p->to, s->t->task_codelet[r->task], 60);
        fprintf(p->to, "%s)", r->flags & TGS_RAN_SYNTHETIC ? ", synthetic" : "");
        fprintf(p->to, " %s", tgs_i_seconds(text, r->start - s->start));
        fprintf(p->to, " to %s</title><rect x='%.2f' y='%d' width='%.2f' height='%d' fill='%s'%s/>",
                tgs_i_seconds(text, r->end - s->start), x, y, width < 0.33 ? 0.33 : width, height,
                tgs_i_fill(&p->palette, s->t, r->task),
                width > 3 ? " stroke='#57606a' stroke-width='.6'" : "");
        put_label(p, name, x, width, y + height / 2 + 4);
        fputs("</g>\n", p->to);
    }
}

static void put_lanes(const picture *p)
{
    const tgs_trace_view *t = p->step[0]->t;
    const int lanes = p->step[1] ? 2 : 1;
    int y = TOP;

    for (int32_t i = 0; i < t->procs; i++) {
        fprintf(p->to, "<text x='14' y='%d' font-weight='600'>", y + 15);
        put_xml(p->to, t->proc_name[i], 14);
        fputs("</text>\n", p->to);
        for (int l = 0; l < lanes; l++) {
            if (lanes == 2)
                fprintf(p->to, "<text x='%d' y='%d' text-anchor='end' class='dim'>%s</text>\n",
                        LEFT - 12, y + 15, l ? "run" : "plan");
            fprintf(p->to, "<rect x='%d' y='%d' width='%d' height='%d' fill='#f6f8fa'/>\n", LEFT, y,
                    CHART, LANE - 2);
            if (i < p->step[l]->t->procs)
                put_lane(p, p->step[l], i, y, LANE - 2);
            y += LANE;
        }
        y += GAP;
    }
}

static void put_key(const picture *p, int32_t task, const char *name, int *x)
{
    const int width = 40 + 7 * (int)strlen(name);

    if (*x + width > LEFT + CHART)
        return;
    fprintf(p->to, "<rect x='%d' y='%d' width='14' height='14' fill='%s'/><text x='%d' y='%d'>", *x,
            p->bottom + 12, tgs_i_fill(&p->palette, p->step[0]->t, task), *x + 19, p->bottom + 23);
    put_xml(p->to, name, 60);
    fputs("</text>\n", p->to);
    *x += width;
}

/* a key per phase or codelet, by its first task */
static void put_legend(const picture *p)
{
    const tgs_trace_view *t = p->step[0]->t;
    const int32_t keys = p->palette.by_phase ? 5 : p->palette.names;
    int x = LEFT;

    for (int32_t k = 0; k < keys && k < 8; k++)
        for (int32_t i = 0; i < t->tasks; i++)
            if ((p->palette.by_phase ? t->task_phase[i] : p->palette.codelet[i]) == k) {
                const char *name = p->palette.by_phase ? tgs_i_phase(k) : p->palette.name[k];

                if (*name)
                    put_key(p, i, name, &x);
                break;
            }
}

static void put_head(const picture *p)
{
    const tgs_i_step *s = p->step[1] ? p->step[1] : p->step[0];
    const double bound = isnan(s->t->lower_bound) ? p->step[0]->t->lower_bound : s->t->lower_bound;
    char text[32];

    fprintf(p->to, "<text x='%d' y='22' font-size='15' font-weight='600'>", LEFT);
    put_xml(p->to, s->t->title, 120);
    fprintf(p->to, "</text>\n<text x='%d' y='40'>", LEFT);
    if (p->step[1])
        fprintf(p->to, "planned %s, ", tgs_i_seconds(text, p->step[0]->end - p->step[0]->start));
    put_xml(p->to, s->t->origin, 60);
    fprintf(p->to, " %s", tgs_i_seconds(text, s->end - s->start));
    if (!isnan(bound))
        fprintf(p->to, ", lower bound %s", tgs_i_seconds(text, bound));
    fputs("</text>\n", p->to);
}

static tgs_status write_svg(const tgs_trace_view *t, const tgs_trace_view *other, FILE *to,
                            tgs_error *err)
{
    const int lanes = other ? 2 : 1;
    tgs_i_step s, o;
    picture p = {.to = to};
    const tgs_status status = tgs_i_palette_of(&p.palette, t, err);

    if (status)
        return status;
    tgs_i_step_last(&s, t);
    p.length = s.end - s.start;
    p.step[0] = &s;
    if (other) {
        tgs_i_step_last(&o, other);
        p.length = fmax(p.length, o.end - o.start);
        p.step[0] = &o;
        p.step[1] = &s;
    }
    p.bottom = TOP + p.step[0]->t->procs * (lanes * LANE + GAP);
    fprintf(to,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' "
            "font-family='system-ui, sans-serif' font-size='12' fill='#1b1f24'>\n"
            "<style>.dim{fill:#57606a}</style>\n"
            "<rect width='100%%' height='100%%' fill='white'/>\n",
            LEFT + CHART + RIGHT, p.bottom + LEGEND);
    put_head(&p);
    put_axis(&p);
    put_lanes(&p);
    put_legend(&p);
    fputs("</svg>\n", to);
    tgs_i_palette_free(&p.palette);
    return TGS_OK;
}

const tgs_report_plugin tgs_report_svg = {
    .base = {TGS_PLUGIN_ABI, "svg", "a Gantt chart as a picture", NULL, NULL},
    .suffix = ".svg",
    .write = write_svg,
};
