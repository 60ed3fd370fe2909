/* json.c -- a trace in full, as JSON: sums of the last step, then every event of every step. */
#include "core.h"

static void put_summary(FILE *to, const tgs_i_step *s, const tgs_i_sums *x)
{
    const tgs_trace_view *t = s->t;
    bool first = true;

    fprintf(to, "\"makespan_s\": %.17g, \"bytes_moved\": %.17g, \"synthetic_tasks\": %d",
            s->end - s->start, x->bytes, x->synthetic);
    if (!isnan(t->lower_bound))
        fprintf(to, ", \"lower_bound_s\": %.17g", t->lower_bound);
    fputs(",\n \"workers\": [", to);
    for (int32_t p = 0; p < t->procs; p++) {
        fprintf(to, "%s\n  {\"name\": ", p ? "," : "");
        tgs_json_text(to, t->proc_name[p]);
        fputs(", \"kind\": ", to);
        tgs_json_text(to, t->proc_kind[p]);
        fputs(", \"memory\": ", to);
        tgs_json_text(to, t->memory_name[t->proc_memory[p]]);
        fprintf(to, ", \"tasks\": %d, \"busy_s\": %.17g, \"idle_s\": %.17g}", x->tasks[p],
                x->busy[p], s->end - s->start - x->busy[p]);
    }
    fputs("],\n \"links\": [", to);
    for (int32_t i = 0; i < t->memories * t->memories; i++) {
        if (!x->link_count[i])
            continue;
        fprintf(to, "%s\n  {\"from\": ", first ? "" : ",");
        first = false;
        tgs_json_text(to, t->memory_name[i / t->memories]);
        fputs(", \"to\": ", to);
        tgs_json_text(to, t->memory_name[i % t->memories]);
        fprintf(to, ", \"transfers\": %d, \"bytes\": %.17g, \"time_s\": %.17g}", x->link_count[i],
                x->link_bytes[i], x->link_time[i]);
    }
    fputs("],\n \"memories\": [", to);
    for (int32_t m = 0; m < t->memories; m++) {
        fprintf(to, "%s\n  {\"name\": ", m ? "," : "");
        tgs_json_text(to, t->memory_name[m]);
        fprintf(to, ", \"peak_bytes\": %.17g}", x->peak[m]);
    }
    fputs("]", to);
}

static void put_events(FILE *to, const tgs_trace_view *t)
{
    char room[16];

    fputs(",\n \"tasks\": [", to);
    for (int32_t i = 0; i < t->rans; i++) {
        const tgs_ran *r = &t->ran[i];

        fprintf(to, "%s\n  {\"task\": ", i ? "," : "");
        tgs_json_text(to, tgs_i_report_task(t, r->task, room));
        fputs(", \"codelet\": ", to);
        tgs_json_text(to, t->task_codelet[r->task]);
        fprintf(to, ", \"phase\": \"%s\", \"processor\": ", tgs_i_phase(t->task_phase[r->task]));
        tgs_json_text(to, t->proc_name[r->proc]);
        fprintf(to, ", \"step\": %d, \"start_s\": %.17g, \"end_s\": %.17g%s}", r->step, r->start,
                r->end, r->flags & TGS_RAN_SYNTHETIC ? ", \"synthetic\": true" : "");
    }
    fputs("],\n \"transfers\": [", to);
    for (int32_t i = 0; i < t->moveds; i++) {
        const tgs_moved *m = &t->moved[i];

        fprintf(to, "%s\n  {\"datum\": ", i ? "," : "");
        tgs_json_text(to, tgs_i_report_datum(t, m->datum, room));
        fputs(", \"from\": ", to);
        tgs_json_text(to, t->memory_name[m->from]);
        fputs(", \"to\": ", to);
        tgs_json_text(to, t->memory_name[m->to]);
        fprintf(to,
                ", \"bytes\": %.17g, \"why\": \"%s\", \"step\": %d, \"start_s\": %.17g, "
                "\"end_s\": %.17g}",
                m->bytes, tgs_i_why(m->why), m->step, m->start, m->end);
    }
    fputs("],\n \"memory_use\": [", to);
    for (int32_t i = 0; i < t->useds; i++) {
        const tgs_used *u = &t->used[i];

        fprintf(to, "%s\n  {\"memory\": ", i ? "," : "");
        tgs_json_text(to, t->memory_name[u->memory]);
        fprintf(to, ", \"step\": %d, \"time_s\": %.17g, \"bytes\": %.17g}", u->step, u->time,
                u->bytes);
    }
    putc(']', to);
}

static tgs_status put_trace(FILE *to, const tgs_trace_view *t, tgs_error *err)
{
    tgs_i_sums x;
    tgs_i_step s;
    tgs_status status;

    tgs_i_step_last(&s, t);
    status = tgs_i_sums_of(&x, &s, err);
    if (status)
        return status;
    fputs("\"origin\": ", to);
    tgs_json_text(to, t->origin);
    fputs(", \"title\": ", to);
    tgs_json_text(to, t->title);
    if (t->remarks) {
        fputs(", \"remarks\": ", to);
        tgs_json_text(to, t->remarks);
    }
    fprintf(to, ", \"steps\": %d,\n ", t->steps);
    put_summary(to, &s, &x);
    put_events(to, t);
    tgs_i_sums_free(&x);
    return TGS_OK;
}

static tgs_status write_json(const tgs_trace_view *t, const tgs_trace_view *other, FILE *to,
                             tgs_error *err)
{
    tgs_status status;

    fputs("{\"format\": \"tgsched.report/1\", ", to);
    status = put_trace(to, t, err);
    if (!status && other) {
        fputs(",\n\"beside\": {", to);
        status = put_trace(to, other, err);
        putc('}', to);
    }
    fputs("}\n", to);
    return status;
}

const tgs_report_plugin tgs_report_json = {
    .base = {TGS_PLUGIN_ABI, "json", "everything a trace holds, with sums", NULL, NULL},
    .suffix = ".json",
    .write = write_json,
};
