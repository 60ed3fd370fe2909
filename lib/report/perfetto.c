/* perfetto.c -- Chrome's trace event format, which ui.perfetto.dev and chrome://tracing open.
 * A process per trace and purpose: workers, links, memories; times in microseconds. */
#include "core.h"

typedef struct events {
    FILE *to;
    bool first;
} events;

/* begins an event: the caller closes it with '}' */
static void event(events *e, const char *phase, int32_t process, int32_t thread, const char *name)
{
    fprintf(e->to, "%s\n{\"ph\": \"%s\", \"pid\": %d, \"tid\": %d, \"name\": ", e->first ? "" : ",",
            phase, process, thread);
    e->first = false;
    tgs_json_text(e->to, name);
}

static void name_it(events *e, const char *what, int32_t process, int32_t thread, const char *text)
{
    event(e, "M", process, thread, what);
    fputs(", \"args\": {\"name\": ", e->to);
    tgs_json_text(e->to, text);
    fputs("}}", e->to);
}

static void name_process(events *e, int32_t process, const char *origin, const char *what)
{
    char text[300];

    snprintf(text, sizeof text, "%s: %s", origin, what);
    name_it(e, "process_name", process, 0, text);
    event(e, "M", process, 0, "process_sort_index");
    fprintf(e->to, ", \"args\": {\"sort_index\": %d}}", process);
}

static void put_tasks(events *e, const tgs_trace_view *t, int32_t process)
{
    char room[16];

    name_process(e, process, t->origin, "workers");
    for (int32_t p = 0; p < t->procs; p++)
        name_it(e, "thread_name", process, p, t->proc_name[p]);
    for (int32_t i = 0; i < t->rans; i++) {
        const tgs_ran *r = &t->ran[i];

        event(e, "X", process, r->proc, tgs_i_report_task(t, r->task, room));
        fprintf(e->to, ", \"cat\": \"%s\", \"ts\": %.17g, \"dur\": %.17g, \"args\": {\"codelet\": ",
                tgs_i_phase(t->task_phase[r->task]), r->start * 1e6, (r->end - r->start) * 1e6);
        tgs_json_text(e->to, t->task_codelet[r->task]);
        fprintf(e->to, ", \"step\": %d, \"synthetic\": %s}}", r->step,
                r->flags & TGS_RAN_SYNTHETIC ? "true" : "false");
    }
}

static tgs_status put_transfers(events *e, const tgs_trace_view *t, int32_t process)
{
    bool *used = tgs_mem_alloc((size_t)t->memories * (size_t)t->memories, sizeof *used);
    char text[300], room[16];

    if (!used)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < t->moveds; i++)
        used[t->moved[i].from * t->memories + t->moved[i].to] = true;
    if (t->moveds)
        name_process(e, process, t->origin, "transfers");
    for (int32_t i = 0; i < t->memories * t->memories; i++)
        if (used[i]) {
            snprintf(text, sizeof text, "%s to %s", t->memory_name[i / t->memories],
                     t->memory_name[i % t->memories]);
            name_it(e, "thread_name", process, i, text);
        }
    tgs_mem_free(used);
    /* transfers of one link may overlap: asynchronous events, which the viewer stacks */
    for (int32_t i = 0; i < t->moveds; i++) {
        const tgs_moved *m = &t->moved[i];
        const int32_t link = m->from * t->memories + m->to;
        const char *name = tgs_i_report_datum(t, m->datum, room);

        snprintf(text, sizeof text, "%s to %s", t->memory_name[m->from], t->memory_name[m->to]);
        for (int end = 0; end < 2; end++) {
            event(e, end ? "e" : "b", process, link, name);
            fputs(", \"cat\": ", e->to);
            tgs_json_text(e->to, text);
            fprintf(e->to,
                    ", \"id\": %d, \"ts\": %.17g, \"args\": {\"bytes\": %.17g, \"why\": "
                    "\"%s\", \"step\": %d}}",
                    i, (end ? m->end : m->start) * 1e6, m->bytes, tgs_i_why(m->why), m->step);
        }
    }
    return TGS_OK;
}

static void put_memory(events *e, const tgs_trace_view *t, int32_t process)
{
    if (t->useds)
        name_process(e, process, t->origin, "memory");
    for (int32_t i = 0; i < t->useds; i++) {
        const tgs_used *u = &t->used[i];

        event(e, "C", process, 0, t->memory_name[u->memory]);
        fprintf(e->to, ", \"ts\": %.17g, \"args\": {\"bytes\": %.17g}}", u->time * 1e6, u->bytes);
    }
}

static tgs_status put_trace(events *e, const tgs_trace_view *t, int32_t process)
{
    tgs_status status;

    put_tasks(e, t, process);
    status = put_transfers(e, t, process + 1);
    put_memory(e, t, process + 2);
    return status;
}

static tgs_status write_perfetto(const tgs_trace_view *t, const tgs_trace_view *other, FILE *to,
                                 tgs_error *err)
{
    events e = {to, true};
    tgs_status status;

    fputs("{\"displayTimeUnit\": \"ms\", \"otherData\": {\"title\": ", to);
    tgs_json_text(to, t->title);
    fputs("}, \"traceEvents\": [", to);
    status = put_trace(&e, t, 1);
    if (!status && other)
        status = put_trace(&e, other, 11);
    fputs("\n]}\n", to);
    return status ? tgs_fail(err, status, "out of memory") : TGS_OK;
}

const tgs_report_plugin tgs_report_perfetto = {
    .base = {TGS_PLUGIN_ABI, "perfetto", "trace events for ui.perfetto.dev", NULL, NULL},
    .suffix = ".perfetto.json",
    .write = write_perfetto,
};
