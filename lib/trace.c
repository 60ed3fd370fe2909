/* trace.c -- a finished trace: what it owns, and the questions users ask of it. */
#include "internal.h"

void tgs_trace_free(tgs_trace *t)
{
    if (!t)
        return;
    /* the view is const for readers; this struct owns what it shows */
    const void *owned[] = {t->v.ran,        t->v.moved,     t->v.used,         t->v.step_start,
                           t->v.step_end,   t->v.task_name, t->v.task_codelet, t->v.datum_name,
                           t->v.proc_name,  t->v.proc_kind, t->v.memory_name,  t->v.proc_memory,
                           t->v.task_phase, t->v.edge_at,   t->v.edge,         t->names,
                           t->title,        t->remarks};

    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        tgs_mem_free((void *)owned[i]);
    tgs_mem_free(t);
}

tgs_status tgs_trace_annotate(tgs_trace *t, const char *title, double lower_bound, tgs_error *err)
{
    char *copy = tgs_mem_text(title);

    if (!copy)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    tgs_mem_free(t->title);
    t->v.title = t->title = copy;
    t->v.lower_bound = lower_bound;
    return TGS_OK;
}

tgs_status tgs_trace_remark(tgs_trace *t, const char *lines, tgs_error *err)
{
    char *copy = tgs_mem_text(lines);

    if (!copy)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    tgs_mem_free(t->remarks);
    t->v.remarks = t->remarks = copy;
    return TGS_OK;
}

double tgs_trace_makespan(const tgs_trace *t)
{
    const int32_t last = t->v.steps - 1;

    return last < 0 ? 0 : t->v.step_end[last] - t->v.step_start[last];
}

double tgs_trace_bytes_moved(const tgs_trace *t)
{
    double sum = 0;

    for (int32_t i = 0; i < t->v.moveds; i++)
        sum += t->v.moved[i].bytes;
    return sum;
}

int32_t tgs_trace_steps(const tgs_trace *t)
{
    return t->v.steps;
}

double tgs_trace_busy(const tgs_trace *t, int32_t processor)
{
    double sum = 0;

    for (int32_t i = 0; i < t->v.rans; i++)
        if (t->v.ran[i].step == t->v.steps - 1 && t->v.ran[i].proc == processor)
            sum += t->v.ran[i].end - t->v.ran[i].start;
    return sum;
}

double tgs_trace_link_bytes(const tgs_trace *t, int32_t from, int32_t to)
{
    double sum = 0;

    for (int32_t i = 0; i < t->v.moveds; i++)
        if (t->v.moved[i].from == from && t->v.moved[i].to == to)
            sum += t->v.moved[i].bytes;
    return sum;
}

double tgs_trace_peak(const tgs_trace *t, int32_t memory)
{
    double peak = 0;

    for (int32_t i = 0; i < t->v.useds; i++)
        if (t->v.used[i].memory == memory && t->v.used[i].bytes > peak)
            peak = t->v.used[i].bytes;
    return peak;
}
