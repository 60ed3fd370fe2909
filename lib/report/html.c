/* html.c -- one page that needs nothing else: the trace as data, and page.html to draw it. */
#include <string.h>
#include "core.h"

enum { MOST_EVENTS = 200000 }; /* of earlier steps; the last step is always there */

static void put_names(FILE *to, const char *key, const char *const *name, int32_t count)
{
    fprintf(to, "\"%s\": [", key);
    for (int32_t i = 0; i < count; i++) {
        if (i)
            putc(',', to);
        tgs_json_text(to, name[i] ? name[i] : "");
    }
    fputs("],\n", to);
}

static tgs_status put_codelets(FILE *to, const tgs_trace_view *t)
{
    tgs_i_palette p;
    const tgs_status status = tgs_i_palette_of(&p, t, NULL);

    if (status)
        return status;
    fputs("\"codelet\": [", to);
    for (int32_t i = 0; i < t->tasks; i++)
        fprintf(to, "%s%d", i ? "," : "", p.codelet[i]);
    fputs("],\n", to);
    put_names(to, "codelets", p.name, p.names);
    tgs_i_palette_free(&p);
    return TGS_OK;
}

/* seconds with 9 digits: a picture, not a measurement */
static tgs_status put_step(FILE *to, const tgs_i_step *s)
{
    const tgs_trace_view *t = s->t;
    int32_t *chain, count;
    const tgs_status status = tgs_i_chain_of(&chain, &count, s, NULL);

    if (status)
        return status;
    fprintf(to, "{\"index\": %d, \"length\": %.9g, \"ran\": [", s->index, s->end - s->start);
    for (int32_t i = s->ran_at; i < s->ran_end; i++) {
        const tgs_ran *r = &t->ran[i];

        fprintf(to, "%s%d,%d,%.9g,%.9g,%d", i > s->ran_at ? "," : "", r->task, r->proc,
                r->start - s->start, r->end - s->start, (r->flags & TGS_RAN_SYNTHETIC) != 0);
    }
    fputs("],\n\"moved\": [", to);
    for (int32_t i = s->moved_at; i < s->moved_end; i++) {
        const tgs_moved *m = &t->moved[i];

        fprintf(to, "%s%d,%d,%d,%.17g,%.9g,%.9g,%d", i > s->moved_at ? "," : "", m->datum, m->from,
                m->to, m->bytes, m->start - s->start, m->end - s->start, m->why);
    }
    fputs("],\n\"used\": [", to);
    for (int32_t i = s->used_at; i < s->used_end; i++)
        fprintf(to, "%s%d,%.9g,%.17g", i > s->used_at ? "," : "", t->used[i].memory,
                t->used[i].time - s->start, t->used[i].bytes);
    fputs("],\n\"chain\": [", to);
    for (int32_t i = 0; i < count; i++)
        fprintf(to, "%s%d", i ? "," : "", chain[i] - s->ran_at);
    fputs("]}", to);
    tgs_mem_free(chain);
    return TGS_OK;
}

static tgs_status put_trace(FILE *to, const tgs_trace_view *t)
{
    tgs_status status = TGS_OK;
    tgs_i_step s;
    int32_t first = t->steps - 1, events = 0;

    for (; first > 0; first--) {
        tgs_i_step_of(&s, t, first - 1);
        events += s.ran_end - s.ran_at + s.moved_end - s.moved_at + s.used_end - s.used_at;
        if (events > MOST_EVENTS)
            break;
    }
    fputs("{\"origin\": ", to);
    tgs_json_text(to, t->origin);
    fputs(", \"steps\": [\n", to);
    for (int32_t i = first; i < t->steps && !status; i++) {
        if (i > first)
            fputs(",\n", to);
        tgs_i_step_of(&s, t, i);
        status = put_step(to, &s);
    }
    fputs("]}", to);
    return status;
}

static tgs_status put_data(FILE *to, const tgs_trace_view *t, const tgs_trace_view *other)
{
    const double bound = other && isnan(t->lower_bound) ? other->lower_bound : t->lower_bound;
    tgs_status status;

    fputs("const D = {\"title\": ", to);
    tgs_json_text(to, t->title);
    fputs(",\n", to);
    if (!isnan(bound))
        fprintf(to, "\"bound\": %.17g,\n", bound);
    if (t->remarks) {
        fputs("\"remarks\": ", to);
        tgs_json_text(to, t->remarks);
        fputs(",\n", to);
    }
    put_names(to, "tasks", t->task_name, t->tasks);
    put_names(to, "data", t->datum_name, t->data);
    put_names(to, "memories", t->memory_name, t->memories);
    fputs("\"phase\": [", to);
    for (int32_t i = 0; i < t->tasks; i++)
        fprintf(to, "%s%d", i ? "," : "", t->task_phase[i]);
    fputs("],\n", to);
    status = put_codelets(to, t);
    fputs("\"procs\": [", to);
    for (int32_t p = 0; p < t->procs; p++) {
        fprintf(to, "%s{\"name\": ", p ? "," : "");
        tgs_json_text(to, t->proc_name[p]);
        fputs(", \"kind\": ", to);
        tgs_json_text(to, t->proc_kind[p]);
        fprintf(to, ", \"memory\": %d}", t->proc_memory[p]);
    }
    fputs("],\n\"traces\": [", to);
    if (!status && other) { /* the plan is drawn above the run */
        status = put_trace(to, other);
        fputs(",\n", to);
    }
    if (!status)
        status = put_trace(to, t);
    fputs("]};\n", to);
    return status;
}

static tgs_status write_html(const tgs_trace_view *t, const tgs_trace_view *other, FILE *to,
                             tgs_error *err)
{
    tgs_status status = tgs_i_comparable(t, other, err);

    if (status)
        return status;
    for (const char *const *line = tgs_i_report_page; *line && !status; line++)
        if (strcmp(*line, "@DATA@\n"))
            fputs(*line, to);
        else
            status = put_data(to, t, other);
    return status ? tgs_fail(err, status, "out of memory") : TGS_OK;
}

const tgs_report_plugin tgs_report_html = {
    .base = {TGS_PLUGIN_ABI, "html", "a page with a Gantt chart to explore in a browser", NULL,
             NULL},
    .suffix = ".html",
    .write = write_html,
};
