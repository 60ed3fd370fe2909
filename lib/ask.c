/* ask.c -- questions about finished objects that their views answer. */
#include <string.h>
#include "internal.h"

/* ---- graph */
const char *tgs_graph_task_codelet(const tgs_graph *g, int32_t task)
{
    const int32_t codelet = g->v.task[task].codelet;

    return codelet < 0 ? "" : g->v.codelet_name[codelet];
}

/* ---- bounds */
const char *tgs_bound_model(const char *bound)
{
    const tgs_plugin *p;

    return tgs_i_find(&p, "bound", bound, NULL) ? NULL : ((const tgs_bound_plugin *)p)->model;
}

/* ---- platform */
int32_t tgs_platform_processor_kind(const tgs_platform *p, int32_t processor)
{
    return p->v.proc[processor].kind;
}

int32_t tgs_platform_processor_memory(const tgs_platform *p, int32_t processor)
{
    return p->v.proc[processor].memory;
}

int32_t tgs_platform_kinds(const tgs_platform *p)
{
    return p->v.kinds;
}

const char *tgs_platform_kind_name(const tgs_platform *p, int32_t kind)
{
    return p->v.kind[kind].name;
}

const char *tgs_platform_kind_arch(const tgs_platform *p, int32_t kind)
{
    return p->v.kind[kind].arch;
}

int32_t tgs_platform_memories(const tgs_platform *p)
{
    return p->v.memories;
}

const char *tgs_platform_memory_name(const tgs_platform *p, int32_t memory)
{
    return p->v.memory[memory].name;
}

double tgs_platform_memory_capacity(const tgs_platform *p, int32_t memory)
{
    return p->v.memory[memory].capacity;
}

int32_t tgs_platform_links(const tgs_platform *p)
{
    return p->v.links;
}

void tgs_platform_link(const tgs_platform *p, int32_t link, tgs_link_info *out)
{
    const tgs_link *l = &p->v.link[link];

    *out = (tgs_link_info){l->from, l->to, l->latency, l->bandwidth};
}

/* ---- problem */
/* wbar of the literature: over the processors that may run the task */
static double mean_time(const tgs_view *v, int32_t task)
{
    double sum = 0;
    int32_t allowed = 0;

    for (int32_t p = 0; p < v->m; p++)
        if (tgs_allowed(v, task, p)) {
            sum += tgs_w(v, task, p);
            allowed++;
        }
    return allowed ? sum / allowed : 0;
}

tgs_status tgs_problem_measure(const tgs_problem *pb, tgs_problem_stats *out, tgs_error *err)
{
    const tgs_view *v = &pb->v;
    double *end = tgs_mem_alloc((size_t)v->n, sizeof *end), times = 0, comms = 0, longest = 0;

    *out = (tgs_problem_stats){NAN, NAN, NAN, NAN};
    if (!end)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (int32_t i = 0; i < v->n; i++) {
        const int32_t t = v->g->topo[i];
        const double w = mean_time(v, t);
        double start = 0;

        for (int32_t e = v->g->pred_at[t]; e < v->g->pred_at[t + 1]; e++) {
            comms += tgs_cbar(v, v->g->pred_datum[e]);
            start = fmax(start, end[v->g->pred[e]]);
        }
        times += w;
        longest = fmax(longest, end[t] = start + w);
    }
    if (v->n)
        *out = (tgs_problem_stats){times / v->n, v->g->edges ? comms / v->g->edges : 0,
                                   comms / times, longest};
    tgs_mem_free(end);
    return TGS_OK;
}

uint64_t tgs_problem_fingerprint(const tgs_problem *pb)
{
    const tgs_view *v = &pb->v;
    const int64_t times = (int64_t)v->n * v->kinds, pairs = (int64_t)v->memories * v->memories;
    const uint64_t graph = tgs_graph_fingerprint(pb->graph);
    uint64_t h = tgs_i_hash_text(TGS_I_HASH_START, v->link_model);

    h = tgs_i_hash(h, &graph, sizeof graph);
    h = tgs_i_hash(h, &pb->platform->fingerprint, sizeof pb->platform->fingerprint);
    for (int64_t i = 0; i < times; i++)
        h = tgs_i_hash_real(h, v->time[i]);
    for (int64_t i = 0; i < pairs; i++) /* measured links differ from the platform's */
        h = tgs_i_hash_real(tgs_i_hash_real(h, v->lat[i]), v->inv[i]);
    return h;
}

/* ---- schedule */
const char *tgs_schedule_heuristic(const tgs_schedule *s)
{
    return s->v.heuristic;
}

int32_t tgs_schedule_copies(const tgs_schedule *s)
{
    return s->v.places - s->v.tasks;
}

double tgs_schedule_lower_bound(const tgs_schedule *s)
{
    return s->lower_bound;
}

const char *tgs_schedule_note(const tgs_schedule *s)
{
    return s->note;
}

/* ---- trace */
const char *tgs_trace_origin(const tgs_trace *t)
{
    return t->v.origin;
}

double tgs_trace_step(const tgs_trace *t, int32_t step)
{
    return t->v.step_end[step] - t->v.step_start[step];
}

int32_t tgs_trace_processors(const tgs_trace *t)
{
    return t->v.procs;
}

const char *tgs_trace_processor_name(const tgs_trace *t, int32_t processor)
{
    return t->v.proc_name[processor];
}

int32_t tgs_trace_memories(const tgs_trace *t)
{
    return t->v.memories;
}

const char *tgs_trace_memory_name(const tgs_trace *t, int32_t memory)
{
    return t->v.memory_name[memory];
}

int32_t tgs_trace_data(const tgs_trace *t)
{
    return t->v.data;
}

const char *tgs_trace_datum_name(const tgs_trace *t, int32_t datum)
{
    return t->v.datum_name[datum];
}

int32_t tgs_trace_executions(const tgs_trace *t)
{
    return t->v.rans;
}

void tgs_trace_execution(const tgs_trace *t, int32_t i, tgs_execution *out)
{
    const tgs_ran *r = &t->v.ran[i];

    *out = (tgs_execution){.task = r->task,
                           .processor = r->proc,
                           .step = r->step,
                           .synthetic = (r->flags & TGS_RAN_SYNTHETIC) != 0,
                           .start = r->start,
                           .end = r->end};
}

int32_t tgs_trace_transfers(const tgs_trace *t)
{
    return t->v.moveds;
}

void tgs_trace_transfer(const tgs_trace *t, int32_t i, tgs_transfer *out)
{
    const tgs_moved *m = &t->v.moved[i];

    *out = (tgs_transfer){.datum = m->datum,
                          .from = m->from,
                          .to = m->to,
                          .step = m->step,
                          .bytes = m->bytes,
                          .start = m->start,
                          .end = m->end};
}
