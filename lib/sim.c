/* sim.c -- discrete-event simulation of a schedule: mapping, order on each processor and the
 * sources of transfers are the schedule's, every time is computed anew.
 *
 * An execution starts when the one before it on its processor has ended, everything it reads has
 * arrived and everything it must follow has ended; where overheads of the runtime were measured it
 * starts that much later.  Events are ordered by time; at one time
 * executions end before transfers, each by index.  O((tasks + edges + transfers) log). */
#include <string.h>
#include "gate.h"
#include "tgsched/heap.h"

typedef struct sim {
    const tgs_problem *pb;
    const tgs_view *v;
    const tgs_schedule_view *s;
    tgs_i_flow *f;
    tgs_i_times t;
    tgs_i_gate *gate; /* NULL: there is always room */
    bool *asked;      /* [hops] it waits for room; NULL without a gate */
    int32_t *need;    /* [places] what it still waits for */
    int32_t *behind;  /* [places] the next one on its processor, -1 none */
    bool *ended;      /* [places] */
    tgs_heap event;   /* ends of executions; [places + h]: a timed move may start */
    void *link;       /* state of the link model */
    double now;
    tgs_error *err;
} sim;

static tgs_status no_memory(const sim *x)
{
    return tgs_fail(x->err, TGS_ENOMEM, "out of memory");
}

static const char *label(const tgs_graph_view *g, int32_t task, char room[TGS_NAME_ROOM])
{
    if (g->task[task].name)
        return tgs_task_name(g, task, room);
    snprintf(room, TGS_NAME_ROOM, "@%d", (int)task);
    return room;
}

/* ---- setting up ----------------------------------------------------------------------------- */
static int32_t executions(const tgs_i_flow *f, int32_t task)
{
    return 1 + (f->copy_at ? f->copy_at[task + 1] - f->copy_at[task] : 0);
}

static void count_needs(sim *x)
{
    const tgs_graph_view *g = x->v->g;
    const tgs_schedule_view *s = x->s;

    for (int32_t p = 0; p < s->places; p++) {
        const int32_t t = s->place[p].task;

        for (int32_t e = g->pred_at[t]; e < g->pred_at[t + 1]; e++)
            if (tgs_i_flow_follows(x->f, g->pred[e], t, g->pred_datum[e]))
                x->need[p] += executions(x->f, g->pred[e]);
        x->behind[p] = -1;
    }
    for (int32_t q = 0; q < x->v->m; q++)
        for (int32_t i = s->order_at[q] + 1; i < s->order_at[q + 1]; i++) {
            x->behind[s->order[i - 1]] = s->order[i];
            x->need[s->order[i]]++;
        }
    for (int32_t i = 0; i < x->f->arrivals; i++) {
        const tgs_i_arrival *a = &x->f->arrival[i];

        for (int32_t r = 0; r < a->readers && (a->hop >= 0 || a->place >= 0); r++)
            x->need[x->f->reader[a->reader + r]]++;
        if (a->place >= 0 && tgs_i_gate_closed(x->gate, i))
            x->need[a->place]++;
    }
}

static tgs_status prepare(sim *x)
{
    const tgs_schedule_view *s = x->s;
    size_t events = (size_t)x->v->m;
    tgs_status status = tgs_i_flow_new(&x->f, x->pb, s, x->err);

    if (status)
        return status;
    if (s->moves && s->timed)
        events += (size_t)x->f->hops;
    x->need = tgs_mem_alloc((size_t)s->places, sizeof *x->need);
    x->behind = tgs_mem_alloc((size_t)s->places, sizeof *x->behind);
    x->ended = tgs_mem_alloc((size_t)s->places, sizeof *x->ended);
    x->event.item = tgs_mem_alloc(events, sizeof *x->event.item);
    if (!x->need || !x->behind || !x->ended || !x->event.item || tgs_i_times_new(&x->t, x->f))
        return no_memory(x);
    if (tgs_i_gate_new(&x->gate, x->f))
        return no_memory(x);
    x->asked = x->gate ? tgs_mem_alloc((size_t)x->f->hops, sizeof *x->asked) : NULL;
    if (x->gate && !x->asked)
        return no_memory(x);
    count_needs(x);
    return x->pb->link->open(&x->link, x->v->p, x->err);
}

static void clean(sim *x)
{
    if (x->link)
        x->pb->link->close(x->link);
    tgs_i_times_free(&x->t);
    tgs_i_gate_free(x->gate);
    tgs_mem_free(x->asked);
    tgs_mem_free(x->event.item);
    tgs_mem_free(x->ended);
    tgs_mem_free(x->behind);
    tgs_mem_free(x->need);
    tgs_i_flow_free(x->f);
}

/* ---- playing -------------------------------------------------------------------------------- */
/* late: what the runtime takes until the processor notices that it may begin */
static tgs_status start(sim *x, int32_t place, double late)
{
    const tgs_place *p = &x->s->place[place];
    const int32_t constraint = x->v->g->task[p->task].constraint;
    const double w = tgs_w(x->v, p->task, p->proc);
    double at = x->now + late;
    char room[TGS_NAME_ROOM];

    if (!(w < INFINITY))
        return tgs_fail(x->err, TGS_ECHECK, "task '%s' may not run on '%s'",
                        label(x->v->g, p->task, room), x->v->p->proc[p->proc].name);
    if (constraint >= 0 && x->v->g->constraint[constraint].release > at)
        at = x->v->g->constraint[constraint].release;
    if (x->s->timed && p->start > at)
        at = p->start;
    x->t.start[place] = at;
    x->t.end[place] = at + w;
    tgs_heap_push(&x->event, at + w, place);
    return TGS_OK;
}

/* something that an execution waited for is there; from: the processor that it comes from, -1 from
 * a link.  A processor that has been waiting for another one is told so, which takes a while. */
static tgs_status release(sim *x, int32_t place, int32_t from)
{
    const int32_t proc = x->s->place[place].proc;
    const tgs_overhead *o = x->v->overhead;

    if (--x->need[place])
        return TGS_OK;
    return start(x, place, o && from != proc ? o[x->v->p->proc[proc].kind].handover : 0);
}

static tgs_status transfer(sim *x, int32_t hop)
{
    const tgs_i_hop *h = &x->f->hop[hop];
    const double bytes = x->v->g->datum[tgs_i_flow_datum(x->f, h->version)].bytes;

    if (tgs_i_gate_closed(x->gate, h->arrival)) {
        x->asked[hop] = true;
        return TGS_OK;
    }
    if (x->pb->link->start(x->link, hop, h->link, bytes, x->now))
        return no_memory(x);
    return TGS_OK;
}

/* queue what an event sets off; a move of a timed schedule waits for its planned start */
static tgs_status set_off(sim *x, int32_t cause)
{
    const tgs_i_flow *f = x->f;
    tgs_status status = TGS_OK;

    for (int32_t i = f->queue_at[cause]; i < f->queue_at[cause + 1] && !status; i++) {
        const int32_t h = f->queue[i];

        if (x->s->moves && x->s->timed && x->s->move[h].start > x->now)
            tgs_heap_push(&x->event, x->s->move[h].start, x->s->places + h);
        else
            status = transfer(x, h);
    }
    return status;
}

static tgs_status arrive(sim *x, int32_t arrival, int32_t from)
{
    const tgs_i_arrival *a = &x->f->arrival[arrival];
    tgs_status status = TGS_OK;

    for (int32_t r = 0; r < a->readers && !status; r++)
        status = release(x, x->f->reader[a->reader + r], from);
    return status;
}

/* what waited for room has it now */
static tgs_status let_in(sim *x)
{
    tgs_status status = TGS_OK;

    for (int32_t a; !status && (a = tgs_i_gate_opened(x->gate)) >= 0;) {
        const tgs_i_arrival *r = &x->f->arrival[a];

        if (r->hop < 0)
            status = release(x, r->place, -1);
        else if (x->asked[r->hop])
            status = transfer(x, r->hop);
    }
    return status;
}

static tgs_status end_place(sim *x, int32_t place)
{
    const tgs_graph_view *g = x->v->g;
    const tgs_i_flow *f = x->f;
    const int32_t t = x->s->place[place].task, proc = x->s->place[place].proc;
    tgs_status status = x->behind[place] < 0 ? TGS_OK : release(x, x->behind[place], proc);

    x->ended[place] = true;
    for (int32_t e = g->succ_at[t]; e < g->succ_at[t + 1] && !status; e++)
        if (tgs_i_flow_follows(f, t, g->succ[e], g->succ_datum[e]))
            for (int32_t k = 0, p; (p = tgs_i_flow_place(f, g->succ[e], k)) >= 0 && !status; k++)
                status = release(x, p, proc);
    for (int32_t i = g->access_at[t]; i < g->access_at[t + 1]; i++)
        if (g->access[i].mode & TGS_W)
            for (int32_t a = f->arrival_at[i]; a < f->arrival_at[i + 1] && !status; a++)
                if (f->arrival[a].place == place)
                    status = arrive(x, a, proc);
    if (x->gate)
        tgs_i_gate_ended_place(x->gate, place);
    if (!status)
        status = set_off(x, place);
    return status ? status : let_in(x);
}

static tgs_status end_hop(sim *x, int32_t hop, double began)
{
    const int32_t arrival = x->f->hop[hop].arrival;
    tgs_status status;

    x->t.hop_start[hop] = began;
    x->t.hop_end[hop] = x->now;
    status = arrival < 0 ? TGS_OK : arrive(x, arrival, -1);
    if (x->gate)
        tgs_i_gate_ended_hop(x->gate, hop);
    if (!status)
        status = set_off(x, x->s->places + 1 + hop);
    return status ? status : let_in(x);
}

static tgs_status play(sim *x)
{
    const tgs_link_model *link = x->pb->link;
    const tgs_overhead *o = x->v->overhead;
    tgs_status status = TGS_OK;

    for (int32_t p = 0; p < x->s->places && !status; p++)
        if (!x->need[p])
            status = start(x, p, o ? o[x->v->p->proc[x->s->place[p].proc].kind].start : 0);
    if (!status)
        status = set_off(x, x->s->places);
    while (!status) {
        const double own = x->event.size ? x->event.item[0].key : INFINITY;
        const double other = link->next(x->link);

        x->now = own <= other ? own : other;
        if (x->now == INFINITY)
            break;
        if (own <= other) {
            const int32_t id = tgs_heap_pop(&x->event).id;

            status = id < x->s->places ? end_place(x, id) : transfer(x, id - x->s->places);
        } else {
            double began;
            const int32_t hop = link->finish(x->link, other, &began);

            status = hop < 0 ? TGS_OK : end_hop(x, hop, began);
        }
    }
    return status;
}

/* the schedule is played, or its order contradicts the dependencies: then name a stuck task */
static tgs_status check_ended(const sim *x)
{
    const tgs_graph_view *g = x->v->g;
    char room[TGS_NAME_ROOM], other[TGS_NAME_ROOM];

    for (int32_t q = 0; q < x->v->m; q++)
        for (int32_t i = x->s->order_at[q]; i < x->s->order_at[q + 1]; i++) {
            const tgs_place *p = &x->s->place[x->s->order[i]];

            if (x->ended[x->s->order[i]])
                continue;
            for (int32_t e = g->pred_at[p->task]; e < g->pred_at[p->task + 1]; e++)
                for (int32_t k = 0, u; (u = tgs_i_flow_place(x->f, g->pred[e], k)) >= 0; k++)
                    if (!x->ended[u])
                        return tgs_fail(
                            x->err, TGS_ECHECK,
                            "the order cannot be played: task '%s', next on '%s', waits "
                            "for task '%s' on '%s'",
                            label(g, p->task, room), x->v->p->proc[q].name,
                            label(g, g->pred[e], other), x->v->p->proc[x->s->place[u].proc].name);
            return tgs_fail(x->err, TGS_ECHECK,
                            "the order cannot be played: task '%s', next on '%s', waits for a "
                            "transfer that never happens",
                            label(g, p->task, room), x->v->p->proc[q].name);
        }
    return TGS_OK;
}

tgs_status tgs_i_sim_play(const tgs_problem *pb, const tgs_schedule_view *s, double *start,
                          double *makespan, tgs_error *err)
{
    sim x = {.pb = pb, .v = &pb->v, .s = s, .err = err};
    tgs_status status = prepare(&x);

    if (!status)
        status = play(&x);
    if (!status)
        status = check_ended(&x);
    *makespan = 0;
    for (int32_t p = 0; p < s->places && !status; p++) {
        start[p] = x.t.start[p];
        *makespan = x.t.end[p] > *makespan ? x.t.end[p] : *makespan;
    }
    clean(&x);
    return status;
}

/* ---- telling -------------------------------------------------------------------------------- */
static void describe(const sim *x, char *origin, char *title, size_t size)
{
    snprintf(origin, size, "simulated %s", x->v->link_model);
    snprintf(title, size, "%s: %d tasks on %d processors", x->s->heuristic, (int)x->v->n,
             (int)x->v->m);
}

tgs_status tgs_simulate(tgs_trace **out, const tgs_problem *pb, const tgs_schedule *s,
                        tgs_error *err)
{
    sim x = {.pb = pb, .v = &pb->v, .s = &s->v, .err = err};
    tgs_trace_log *log = NULL;
    char origin[200], title[200];
    tgs_status status;

    *out = NULL;
    if (s->v.tasks != pb->v.n || s->v.procs != pb->v.m)
        return tgs_fail(err, TGS_EINVAL, "the schedule is of another problem");
    status = prepare(&x);
    if (!status)
        status = play(&x);
    if (!status)
        status = check_ended(&x);
    if (!status) {
        describe(&x, origin, title, sizeof origin);
        status = tgs_i_log_new(&log, pb, origin, title, err);
    }
    if (!status) {
        tgs_i_log_bound(log, s->lower_bound);
        status = tgs_i_flow_tell(x.f, &x.t, log);
        if (status)
            tgs_fail(err, status, "out of memory");
    }
    clean(&x);
    if (!status)
        return tgs_i_log_finish(out, log, err);
    tgs_i_log_free(log);
    return status;
}
