/* text.c -- figures for people, and a Gantt chart in characters. */
#include <string.h>
#include "core.h"

enum { CHART = 72, LARGEST = 10, NAMES = 18 }; /* columns of the chart and of names; rows */

static const char mark[] = "#FBUC"; /* by tgs_phase */

/* names come from files: what a terminal would act on is shown as '?' */
static void put_name(FILE *to, const char *name, int width)
{
    const int n = tgs_i_put_text(to, name, width, TGS_I_PLAIN);

    fprintf(to, "%*s", width - n, "");
}

static void put_cell(FILE *to, const char *text, int width)
{
    fprintf(to, "  %*s", width, text);
}

static void put_seconds(FILE *to, double seconds)
{
    char text[32];

    put_cell(to, tgs_i_seconds(text, seconds), 10);
}

static void put_bytes(FILE *to, double bytes)
{
    char text[32];

    put_cell(to, tgs_i_bytes(text, bytes), 10);
}

/* ---- the chart: one line per processor and trace */
static void draw_task(char *line, const tgs_i_step *s, const tgs_ran *r, double length)
{
    const tgs_trace_view *t = s->t;
    int from = (int)((r->start - s->start) / length * CHART);
    int to = (int)((r->end - s->start) / length * CHART + 0.5);
    char room[16];
    const char *name = tgs_i_report_task(t, r->task, room);
    const int32_t phase = t->task_phase[r->task];
    int size;

    from = from < 0 ? 0 : from >= CHART ? CHART - 1 : from;
    to = to <= from ? from + 1 : to > CHART ? CHART : to;
    memset(line + from, mark[phase >= 0 && phase < 5 ? phase : 0], (size_t)(to - from));
    if (to - from < 3)
        return;
    line[from] = '[';
    line[to - 1] = ']';
    size = (int)strlen(name);
    if (size <= to - from - 2) {
        memset(line + from + 1, ' ', (size_t)(to - from - 2));
        memcpy(line + from + 1 + (to - from - 2 - size) / 2, name, (size_t)size);
    }
}

static void draw_lane(FILE *to, const tgs_i_step *s, int32_t proc, const char *label, double length)
{
    char line[CHART + 1];

    memset(line, '.', CHART);
    line[CHART] = 0;
    for (int32_t i = s->ran_at; i < s->ran_end; i++)
        if (s->t->ran[i].proc == proc)
            draw_task(line, s, &s->t->ran[i], length);
    put_name(to, label, NAMES);
    putc(' ', to);
    put_name(to, line, CHART);
    putc('\n', to);
}

static void draw_axis(FILE *to, double length)
{
    char line[CHART + 16];
    double scale;
    const char *unit = tgs_i_axis_unit(length, &scale);
    const double step = tgs_i_axis_step(length * scale, 8);

    memset(line, ' ', sizeof line);
    for (int i = 0; i * step <= length * scale * (1 + 1e-9); i++) {
        char text[24];
        const int at = (int)(i * step / (length * scale) * CHART + 0.5);
        const int n = snprintf(text, sizeof text, "|%.6g", i * step);

        if (at + n <= CHART + 15)
            memcpy(line + at, text, (size_t)n);
    }
    line[CHART + 15] = 0;
    for (int n = CHART + 15; n > 0 && line[n - 1] == ' '; n--)
        line[n - 1] = 0;
    fprintf(to, "%*s %s %s\n", NAMES, "", line, unit);
}

static void draw(FILE *to, const tgs_i_step *s, const tgs_i_step *other)
{
    double length = s->end - s->start;

    if (other)
        length = fmax(length, other->end - other->start);
    if (!(length > 0))
        return;
    fputs("Gantt chart (F forward, B backward, U update, C communication, # other)\n", to);
    for (int32_t p = 0; p < s->t->procs; p++) {
        char label[64];

        if (!other || p >= other->t->procs) {
            draw_lane(to, s, p, s->t->proc_name[p], length);
            continue;
        }
        snprintf(label, sizeof label, "%.12s plan", s->t->proc_name[p]);
        draw_lane(to, other, p, label, length);
        snprintf(label, sizeof label, "%.12s run", s->t->proc_name[p]);
        draw_lane(to, s, p, label, length);
    }
    draw_axis(to, length);
}

/* ---- tables */
static void put_workers(FILE *to, const tgs_i_step *s, const tgs_i_sums *x, const tgs_i_step *o,
                        const tgs_i_sums *y)
{
    const double length = s->end - s->start;

    fprintf(to, "\n%-*s  %-8s  %6s  %10s  %10s  %6s", NAMES, "worker", "kind", "tasks", "busy",
            "idle", "busy %");
    fprintf(to, o ? "  %10s  %10s\n" : "\n", "busy plan", "idle plan");
    for (int32_t p = 0; p < s->t->procs; p++) {
        put_name(to, s->t->proc_name[p], NAMES);
        fputs("  ", to);
        put_name(to, s->t->proc_kind[p], 8);
        fprintf(to, "  %6d", x->tasks[p]);
        put_seconds(to, x->busy[p]);
        put_seconds(to, length - x->busy[p]);
        fprintf(to, "  %6.1f", length > 0 ? 100 * x->busy[p] / length : 0);
        if (o && p < o->t->procs) {
            put_seconds(to, y->busy[p]);
            put_seconds(to, o->end - o->start - y->busy[p]);
        }
        putc('\n', to);
    }
}

static void put_links(FILE *to, const tgs_trace_view *t, const tgs_i_sums *x, const tgs_i_sums *y)
{
    const int32_t links = t->memories * t->memories;
    bool any = false;

    for (int32_t i = 0; i < links; i++) {
        if (!x->link_count[i] && !(y && y->link_count[i]))
            continue;
        if (!any) {
            fprintf(to, "\n%-*s  %9s  %10s  %10s", 2 * NAMES + 4, "link", "transfers", "bytes",
                    "time");
            fprintf(to, y ? "  %10s\n" : "\n", "bytes plan");
        }
        any = true;
        put_name(to, t->memory_name[i / t->memories], NAMES);
        fputs(" -> ", to);
        put_name(to, t->memory_name[i % t->memories], NAMES);
        fprintf(to, "  %9d", x->link_count[i]);
        put_bytes(to, x->link_bytes[i]);
        put_seconds(to, x->link_time[i]);
        if (y)
            put_bytes(to, y->link_bytes[i]);
        putc('\n', to);
    }
    if (!any)
        fputs("\nno data moved between memories\n", to);
}

static void put_data(FILE *to, const tgs_trace_view *t, const tgs_i_sums *x, const tgs_i_sums *y)
{
    int32_t datum[LARGEST];
    const int32_t n = tgs_i_largest(x->datum_bytes, t->data, datum, LARGEST);

    if (n)
        fprintf(to, y ? "\n%-*s  %10s  %10s\n" : "\n%-*s  %10s\n", 2 * NAMES + 4, "data moved most",
                "bytes", "bytes plan");
    for (int32_t i = 0; i < n; i++) {
        char room[16];

        put_name(to, tgs_i_report_datum(t, datum[i], room), 2 * NAMES + 4);
        put_bytes(to, x->datum_bytes[datum[i]]);
        if (y)
            put_bytes(to, y->datum_bytes[datum[i]]);
        putc('\n', to);
    }
}

static void put_memories(FILE *to, const tgs_trace_view *t, const tgs_i_sums *x,
                         const tgs_i_sums *y)
{
    fprintf(to, y ? "\n%-*s  %10s  %10s\n" : "\n%-*s  %10s\n", 2 * NAMES + 4, "memory", "peak",
            "peak plan");
    for (int32_t m = 0; m < t->memories; m++) {
        put_name(to, t->memory_name[m], 2 * NAMES + 4);
        put_bytes(to, x->peak[m]);
        if (y)
            put_bytes(to, y->peak[m]);
        putc('\n', to);
    }
}

static void put_head(FILE *to, const tgs_i_step *s, const tgs_i_sums *x, const tgs_i_step *o)
{
    const tgs_trace_view *t = s->t;
    const double length = s->end - s->start;
    const bool others = o && isnan(t->lower_bound); /* the bound is of the plan's times */
    const double bound = others ? o->t->lower_bound : t->lower_bound;
    const double ratio = (others ? o->end - o->start : length) / bound;
    char text[32];

    fprintf(to, "%s\n", t->title);
    fprintf(to, "makespan     %s (%s", tgs_i_seconds(text, length), t->origin);
    if (t->steps > 1)
        fprintf(to, ", step %d of %d", s->index + 1, t->steps);
    fputs(")\n", to);
    if (o) {
        const double plan = o->end - o->start;

        fprintf(to, "planned      %s (%s)", tgs_i_seconds(text, plan), o->t->origin);
        if (plan > 0)
            fprintf(to, ", ratio %.4g", length / plan);
        putc('\n', to);
    }
    if (bound > 0)
        fprintf(to, "lower bound  %s, ratio %.4g\n", tgs_i_seconds(text, bound), ratio);
    fprintf(to, "bytes moved  %s in %d transfers\n", tgs_i_bytes(text, x->bytes),
            s->moved_end - s->moved_at);
    if (x->synthetic)
        fprintf(to,
                "synthetic    %d of %d tasks have no kernel and held their worker for the "
                "predicted time\n",
                x->synthetic, s->ran_end - s->ran_at);
}

static void put_chain(FILE *to, const tgs_i_step *s, const int32_t *chain, int32_t count)
{
    const tgs_ran *ran = s->t->ran;
    double busy = 0;
    char text[32], room[16];

    for (int32_t i = 0; i < count; i++)
        busy += ran[chain[i]].end - ran[chain[i]].start;
    fprintf(to, "\ncritical chain: %d tasks, %s of them computing\n ", count,
            tgs_i_seconds(text, busy));
    for (int32_t i = 0, width = 0; i < count; i++) {
        const char *name = tgs_i_report_task(s->t, ran[chain[i]].task, room);

        if (count > 40 && i == 20) {
            fputs("\n  ...\n ", to);
            i = count - 20;
            name = tgs_i_report_task(s->t, ran[chain[i]].task, room);
            width = 0;
        }
        width += (int)strlen(name) + 1;
        if (width > 90) {
            fputs("\n ", to);
            width = (int)strlen(name) + 1;
        }
        putc(' ', to);
        put_name(to, name, (int)strlen(name));
    }
    putc('\n', to);
}

static void put_remarks(FILE *to, const char *text)
{
    while (text && *text) {
        char line[512];
        const size_t size = strcspn(text, "\n");

        snprintf(line, sizeof line, "%.*s", (int)size, text);
        putc(' ', to);
        tgs_i_put_text(to, line, (int)sizeof line, TGS_I_PLAIN);
        putc('\n', to);
        text += size + (text[size] == '\n');
    }
}

static tgs_status write_text(const tgs_trace_view *t, const tgs_trace_view *other, FILE *to,
                             tgs_error *err)
{
    tgs_i_sums x = {0}, y = {0};
    tgs_i_step s, o;
    int32_t *chain = NULL, count = 0;
    const tgs_i_sums *plan = NULL;
    tgs_status status;

    tgs_i_step_last(&s, t);
    status = tgs_i_sums_of(&x, &s, err);
    if (!status && other) {
        tgs_i_step_last(&o, other);
        status = tgs_i_sums_of(&y, &o, err);
        /* bytes by link and datum compare only where both traces are of one problem */
        if (other->memories == t->memories && other->data == t->data)
            plan = &y;
    }
    if (!status)
        status = tgs_i_chain_of(&chain, &count, &s, err);
    if (!status) {
        put_head(to, &s, &x, other ? &o : NULL);
        putc('\n', to);
        draw(to, &s, other ? &o : NULL);
        put_workers(to, &s, &x, other ? &o : NULL, &y);
        put_links(to, t, &x, plan);
        put_data(to, t, &x, plan);
        put_memories(to, t, &x, plan);
        put_chain(to, &s, chain, count);
        put_remarks(to, t->remarks);
    }
    tgs_mem_free(chain);
    tgs_i_sums_free(&y);
    tgs_i_sums_free(&x);
    return status;
}

const tgs_report_plugin tgs_report_text = {
    .base = {TGS_PLUGIN_ABI, "text", "figures and a Gantt chart in characters", NULL, NULL},
    .suffix = ".txt",
    .write = write_text,
};
