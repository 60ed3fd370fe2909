/* tracewrite.c -- writes .tgt, the text form of a trace; see tgsched-schedule(5). */
#include "internal.h"

static const char *const why_name[] = {"demand", "prefetch", "relay", "write-back", "reload"};

static void put_name(FILE *to, const char *name, int32_t index)
{
    if (*name)
        tgs_name_put(to, name);
    else
        fprintf(to, "@%d", (int)index);
}

static void put_header(FILE *to, const tgs_trace_view *v)
{
    fputs("tgsched.trace/1\ntrace origin=", to);
    tgs_quote_put(to, v->origin);
    fputs(" title=", to);
    tgs_quote_put(to, v->title);
    if (!isnan(v->lower_bound))
        fprintf(to, " bound=%.17g", v->lower_bound);
    putc('\n', to);
    for (int32_t m = 0; m < v->memories; m++) {
        fputs("memory ", to);
        put_name(to, v->memory_name[m], m);
        putc('\n', to);
    }
    for (int32_t q = 0; q < v->procs; q++) {
        fputs("processor ", to);
        put_name(to, v->proc_name[q], q);
        fputs(" kind=", to);
        tgs_quote_put(to, v->proc_kind[q]);
        fputs(" memory=", to);
        put_name(to, v->memory_name[v->proc_memory[q]], v->proc_memory[q]);
        putc('\n', to);
    }
}

static void put_graph(FILE *to, const tgs_trace_view *v)
{
    for (int32_t t = 0; t < v->tasks; t++) {
        fputs("task ", to);
        put_name(to, v->task_name[t], t);
        if (*v->task_codelet[t]) {
            fputs(" codelet=", to);
            tgs_quote_put(to, v->task_codelet[t]);
        }
        if (v->task_phase[t] != TGS_PHASE_OTHER)
            fprintf(to, " phase=%s", tgs_phase_name((tgs_phase)v->task_phase[t]));
        putc('\n', to);
    }
    for (int32_t d = 0; d < v->data; d++) {
        fputs("datum ", to);
        put_name(to, v->datum_name[d], d);
        putc('\n', to);
    }
    for (int32_t t = 0; t < v->tasks; t++)
        for (int32_t e = v->edge_at[t]; e < v->edge_at[t + 1]; e++) {
            fputs("edge ", to);
            put_name(to, v->task_name[t], t);
            putc(' ', to);
            put_name(to, v->task_name[v->edge[e]], v->edge[e]);
            putc('\n', to);
        }
}

static void put_step(FILE *to, int32_t step)
{
    if (step)
        fprintf(to, " step=%d", (int)step);
}

static void put_events(FILE *to, const tgs_trace_view *v)
{
    for (int32_t k = 0; k < v->steps; k++)
        fprintf(to, "step %.17g %.17g\n", v->step_start[k], v->step_end[k]);
    for (int32_t i = 0; i < v->rans; i++) {
        const tgs_ran *r = &v->ran[i];

        fputs("ran ", to);
        put_name(to, v->task_name[r->task], r->task);
        putc(' ', to);
        put_name(to, v->proc_name[r->proc], r->proc);
        fprintf(to, " %.17g %.17g", r->start, r->end);
        put_step(to, r->step);
        fputs(r->flags & TGS_RAN_SYNTHETIC ? " synthetic=1\n" : "\n", to);
    }
    for (int32_t i = 0; i < v->moveds; i++) {
        const tgs_moved *m = &v->moved[i];

        fputs("move ", to);
        put_name(to, v->datum_name[m->datum], m->datum);
        putc(' ', to);
        put_name(to, v->memory_name[m->from], m->from);
        putc(' ', to);
        put_name(to, v->memory_name[m->to], m->to);
        fprintf(to, " %.17g %.17g %.17g why=%s", m->bytes, m->start, m->end, why_name[m->why]);
        put_step(to, m->step);
        putc('\n', to);
    }
    for (int32_t i = 0; i < v->useds; i++) {
        const tgs_used *u = &v->used[i];

        fputs("use ", to);
        put_name(to, v->memory_name[u->memory], u->memory);
        fprintf(to, " %.17g %.17g", u->time, u->bytes);
        put_step(to, u->step);
        putc('\n', to);
    }
}

tgs_status tgs_trace_write(const tgs_trace *t, const char *path, tgs_error *err)
{
    tgs_i_output o;
    tgs_status status = tgs_i_output_open(&o, path, err);

    if (status)
        return status;
    put_header(o.file, &t->v);
    put_graph(o.file, &t->v);
    put_events(o.file, &t->v);
    fputs("end\n", o.file);
    return tgs_i_output_close(&o, TGS_OK, err);
}
