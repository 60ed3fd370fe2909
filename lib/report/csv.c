/* csv.c -- a trace in full, a line an event (RFC 4180). */
#include <string.h>
#include "core.h"

static void put_text(FILE *to, const char *text)
{
    const bool quote = strpbrk(text, ",\"\r\n") != NULL;

    if (quote)
        putc('"', to);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', to);
        putc(*text, to);
    }
    fputs(quote ? "\"," : ",", to);
}

static void put_rows(FILE *to, const tgs_trace_view *t, const char *which)
{
    char room[16];

    for (int32_t i = 0; i < t->rans; i++) {
        const tgs_ran *r = &t->ran[i];

        fprintf(to, "%s,task,%d,", which, r->step);
        put_text(to, tgs_i_report_task(t, r->task, room));
        put_text(to, t->task_codelet[r->task]);
        put_text(to, t->proc_name[r->proc]);
        fprintf(to, ",,%.17g,%.17g,%s\n", r->start, r->end,
                r->flags & TGS_RAN_SYNTHETIC ? "synthetic" : "");
    }
    for (int32_t i = 0; i < t->moveds; i++) {
        const tgs_moved *m = &t->moved[i];

        fprintf(to, "%s,transfer,%d,", which, m->step);
        put_text(to, tgs_i_report_datum(t, m->datum, room));
        putc(',', to);
        put_text(to, t->memory_name[m->from]);
        put_text(to, t->memory_name[m->to]);
        fprintf(to, "%.17g,%.17g,%.17g,%s\n", m->bytes, m->start, m->end, tgs_i_why(m->why));
    }
    for (int32_t i = 0; i < t->useds; i++) {
        const tgs_used *u = &t->used[i];

        fprintf(to, "%s,memory,%d,,,", which, u->step);
        put_text(to, t->memory_name[u->memory]);
        fprintf(to, ",%.17g,%.17g,,\n", u->bytes, u->time);
    }
}

static tgs_status write_csv(const tgs_trace_view *t, const tgs_trace_view *other, FILE *to,
                            tgs_error *err)
{
    (void)err;
    fputs("trace,event,step,name,codelet,where,to,bytes,start_s,end_s,note\n", to);
    put_rows(to, t, "trace");
    if (other)
        put_rows(to, other, "beside");
    return TGS_OK;
}

const tgs_report_plugin tgs_report_csv = {
    .base = {TGS_PLUGIN_ABI, "csv", "everything a trace holds, a line an event", NULL, NULL},
    .suffix = ".csv",
    .write = write_csv,
};
