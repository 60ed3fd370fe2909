/* flowtell.c -- into a trace: what happened when executions and transfers take place at given
 * times. */
#include "flow.h"

static tgs_status tell_usage(const tgs_i_flow *f, const tgs_i_times *t, tgs_trace_log *log)
{
    tgs_used *used = NULL;
    int64_t count = 0;
    tgs_status status = tgs_i_flow_usage(f, t, &used, &count);

    for (int64_t i = 0; i < count && !status; i++)
        status = tgs_log_used(log, &used[i]);
    tgs_mem_free(used);
    return status;
}

tgs_status tgs_i_flow_tell(const tgs_i_flow *f, const tgs_i_times *t, tgs_trace_log *log)
{
    const tgs_schedule_view *s = f->s;
    double makespan = 0;
    tgs_status status = TGS_OK;

    for (int32_t p = 0; p < s->places && !status; p++) {
        const tgs_ran r = {.task = s->place[p].task,
                           .proc = s->place[p].proc,
                           .start = t->start[p],
                           .end = t->end[p]};

        makespan = r.end > makespan ? r.end : makespan;
        status = tgs_log_ran(log, &r);
    }
    for (int32_t h = 0; h < f->hops && !status; h++) {
        const tgs_i_hop *hop = &f->hop[h];
        const int32_t datum = tgs_i_flow_datum(f, hop->version);
        const tgs_moved m = {.datum = datum,
                             .from = hop->from,
                             .to = hop->to,
                             .why = hop->why,
                             .bytes = f->v->g->datum[datum].bytes,
                             .start = t->hop_start[h],
                             .end = t->hop_end[h]};

        status = tgs_log_moved(log, &m);
    }
    if (!status)
        status = tell_usage(f, t, log);
    return status ? status : tgs_log_step(log, 0, makespan);
}
