/* check.c -- the oracle: does a schedule keep every rule?  It takes nothing from the code that
 * makes or plays schedules, and reads the constraints in the graph rather than what was derived
 * from them. O(tasks + accesses + edges, times the copies of a task), plus a sort of the moves, and
 * of what is in the memories where one is limited (checkmem.c).
 *
 * Times are compared with a relative slack of 1e-9: planners add in another order than we do. */
#include <string.h>
#include "check.h"

double tgs_i_check_slack(double time)
{
    return isfinite(time) ? 1e-9 * fabs(time) : 0;
}

const char *tgs_i_check_task(const tgs_i_check_call *c, int32_t task, char room[TGS_NAME_ROOM])
{
    const tgs_graph_view *g = c->v->g;

    if (g->task[task].name)
        return tgs_task_name(g, task, room);
    snprintf(room, TGS_NAME_ROOM, "@%d", (int)task);
    return room;
}

const char *tgs_i_check_datum(const tgs_i_check_call *c, int32_t datum, char room[TGS_NAME_ROOM])
{
    const tgs_graph_view *g = c->v->g;

    if (g->datum[datum].name)
        return tgs_datum_name(g, datum, room);
    snprintf(room, TGS_NAME_ROOM, "@%d", (int)datum);
    return room;
}

/* the first copy of a task, or where it would stand: copies are sorted by task */
static int32_t first_copy(const tgs_schedule_view *s, int32_t task)
{
    int32_t low = s->tasks, high = s->places;

    while (low < high) {
        const int32_t middle = low + (high - low) / 2;

        if (s->place[middle].task < task)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int32_t tgs_i_check_place(const tgs_i_check_call *c, int32_t task, int32_t k)
{
    int32_t p;

    if (k == 0)
        return task;
    if (c->s->places == c->s->tasks)
        return -1;
    p = first_copy(c->s, task) + k - 1;
    return p < c->s->places && c->s->place[p].task == task ? p : -1;
}

const tgs_constraint *tgs_i_check_constraint(const tgs_i_check_call *c, int32_t task)
{
    const int32_t i = c->v->g->task[task].constraint;

    return i < 0 ? NULL : &c->v->g->constraint[i];
}

/* ---- is it a schedule of this problem at all? ----------------------------------------------- */
static tgs_status check_shape(const tgs_i_check_call *c)
{
    const tgs_schedule_view *s = c->s;
    char room[TGS_NAME_ROOM];

    if (s->tasks != c->v->n || s->procs != c->v->m || s->places < s->tasks)
        return tgs_fail(c->err, TGS_ECHECK,
                        "a schedule of %d tasks on %d processors for %d tasks on %d processors",
                        (int)s->tasks, (int)s->procs, (int)c->v->n, (int)c->v->m);
    for (int32_t p = 0; p < s->places; p++) {
        const tgs_place *x = &s->place[p];

        if (p < s->tasks ? x->task != p
                         : x->task < 0 || x->task >= s->tasks
                               || (p > s->tasks && x->task < s->place[p - 1].task))
            return tgs_fail(c->err, TGS_ECHECK, "execution %d is of task number %d", (int)p,
                            (int)x->task);
        if (x->proc < 0 || x->proc >= s->procs)
            return tgs_fail(c->err, TGS_ECHECK, "task '%s' is on processor number %d",
                            tgs_i_check_task(c, x->task, room), (int)x->proc);
        if (!isfinite(x->start) || x->start < 0)
            return tgs_fail(c->err, TGS_ECHECK, "task '%s' runs from %.17g to %.17g",
                            tgs_i_check_task(c, x->task, room), x->start, x->end);
    }
    return TGS_OK;
}

static tgs_status check_copies(const tgs_i_check_call *c)
{
    const tgs_graph_view *g = c->v->g;
    char room[TGS_NAME_ROOM];

    for (int32_t p = c->s->tasks; p < c->s->places; p++) {
        const int32_t t = c->s->place[p].task;

        for (int32_t i = g->access_at[t]; i < g->access_at[t + 1]; i++)
            if (g->access[i].mode == TGS_RW)
                return tgs_fail(c->err, TGS_ECHECK, "task '%s' has copies although it updates '%s'",
                                tgs_i_check_task(c, t, room),
                                tgs_i_check_datum(c, (int32_t)g->access[i].datum, TGS_ROOM));
    }
    return TGS_OK;
}

/* ---- where and how long --------------------------------------------------------------------- */
static bool kind_allowed(const tgs_i_check_call *c, const tgs_constraint *x, const char *kind)
{
    if (x->kinds == UINT64_MAX)
        return true;
    for (int32_t k = 0; k < c->v->g->kinds && k < 64; k++)
        if (x->kinds >> k & 1 && !strcmp(c->v->g->kind_name[k], kind))
            return true;
    return false;
}

static tgs_status check_where(const tgs_i_check_call *c, int32_t place)
{
    const tgs_place *p = &c->s->place[place];
    const tgs_proc *proc = &c->v->p->proc[p->proc];
    const tgs_constraint *x = tgs_i_check_constraint(c, p->task);
    const char *memory = c->v->p->memory[proc->memory].name;
    const double w = tgs_w(c->v, p->task, p->proc);
    char room[TGS_NAME_ROOM];
    const char *task = tgs_i_check_task(c, p->task, room);

    if (x && x->processor && strcmp(tgs_text(c->v->g, x->processor), proc->name) != 0)
        return tgs_fail(c->err, TGS_ECHECK, "task '%s' is on '%s' but pinned to '%s'", task,
                        proc->name, tgs_text(c->v->g, x->processor));
    if (x && x->memory && strcmp(tgs_text(c->v->g, x->memory), memory) != 0)
        return tgs_fail(c->err, TGS_ECHECK, "task '%s' is in memory '%s' but pinned to '%s'", task,
                        memory, tgs_text(c->v->g, x->memory));
    if (!(w < INFINITY) || (x && !kind_allowed(c, x, c->v->p->kind[proc->kind].name)))
        return tgs_fail(c->err, TGS_ECHECK, "task '%s' may not run on '%s'", task, proc->name);
    if (!isfinite(p->end) || fabs(p->start + w - p->end) > tgs_i_check_slack(p->end))
        return tgs_fail(c->err, TGS_ECHECK,
                        "task '%s' takes %.17g on '%s' but runs from %.17g to %.17g", task, w,
                        proc->name, p->start, p->end);
    if (x && p->start < x->release - tgs_i_check_slack(x->release))
        return tgs_fail(c->err, TGS_ECHECK,
                        "task '%s' starts at %.17g, before its release at %.17g", task, p->start,
                        x->release);
    return TGS_OK;
}

/* every execution once in the order of its processor, none before the previous has ended */
static tgs_status check_order(const tgs_i_check_call *c, bool *seen)
{
    const tgs_schedule_view *s = c->s;
    char room[TGS_NAME_ROOM], other[TGS_NAME_ROOM];

    if (s->order_at[0] != 0 || s->order_at[s->procs] != s->places)
        return tgs_fail(c->err, TGS_ECHECK, "the order does not hold every execution");
    for (int32_t q = 0; q < s->procs; q++)
        for (int32_t i = s->order_at[q]; i < s->order_at[q + 1]; i++) {
            const int32_t p = s->order[i];
            const tgs_place *x, *before;

            if (p < 0 || p >= s->places || seen[p] || s->place[p].proc != q)
                return tgs_fail(c->err, TGS_ECHECK, "the order on '%s' names execution %d",
                                c->v->p->proc[q].name, (int)p);
            seen[p] = true;
            if (i == s->order_at[q])
                continue;
            x = &s->place[p];
            before = &s->place[s->order[i - 1]];
            if (x->start < before->end - tgs_i_check_slack(before->end))
                return tgs_fail(c->err, TGS_ECHECK,
                                "on '%s' task '%s' starts at %.17g, before '%s' ends at %.17g",
                                c->v->p->proc[q].name, tgs_i_check_task(c, x->task, room), x->start,
                                tgs_i_check_task(c, before->task, other), before->end);
        }
    return TGS_OK;
}

/* ---- when ----------------------------------------------------------------------------------- */
/* Must every execution of u end before v starts?  When nothing is carried; and, which only matters
 * when u has copies, when v overwrites what u accesses besides reading from it. */
static bool follows(const tgs_i_check_call *c, int32_t u, int32_t v, int32_t datum)
{
    const tgs_graph_view *g = c->v->g;

    if (datum < 0)
        return true;
    if (tgs_i_check_place(c, u, 1) < 0)
        return false;
    for (int32_t i = g->access_at[v]; i < g->access_at[v + 1]; i++)
        for (int32_t j = g->access_at[u]; j < g->access_at[u + 1]; j++)
            if (g->access[i].mode & TGS_W && g->access[i].datum == g->access[j].datum)
                return true;
    return false;
}

static tgs_status check_after(const tgs_i_check_call *c, int32_t place)
{
    const tgs_graph_view *g = c->v->g;
    const tgs_place *p = &c->s->place[place];
    char room[TGS_NAME_ROOM], other[TGS_NAME_ROOM];

    for (int32_t e = g->pred_at[p->task]; e < g->pred_at[p->task + 1]; e++) {
        if (!follows(c, g->pred[e], p->task, g->pred_datum[e]))
            continue;
        for (int32_t k = 0, u; (u = tgs_i_check_place(c, g->pred[e], k)) >= 0; k++)
            if (p->start < c->s->place[u].end - tgs_i_check_slack(c->s->place[u].end))
                return tgs_fail(c->err, TGS_ECHECK,
                                "task '%s' starts at %.17g, before '%s', which it follows, ends at "
                                "%.17g",
                                tgs_i_check_task(c, p->task, room), p->start,
                                tgs_i_check_task(c, g->pred[e], other), c->s->place[u].end);
    }
    return TGS_OK;
}

/* when a version is in a memory without explicit moves, and from where (a place; -1 home) */
double tgs_i_check_arrival(const tgs_i_check_call *c, int32_t datum, int32_t version,
                           int32_t memory, int32_t *from)
{
    double best = INFINITY;

    *from = -1;
    if (version < 0)
        return c->v->home[datum] < 0 ? INFINITY : tgs_c(c->v, datum, c->v->home[datum], memory);
    for (int32_t k = 0, u; (u = tgs_i_check_place(c, c->writer[version], k)) >= 0; k++) {
        const tgs_place *x = &c->s->place[u];
        const double t = x->end + tgs_c(c->v, datum, c->v->p->proc[x->proc].memory, memory);

        if (t < best) {
            best = t;
            *from = u;
        }
    }
    return best;
}

static tgs_status check_reads(const tgs_i_check_call *c, int32_t place)
{
    const tgs_graph_view *g = c->v->g;
    const tgs_place *p = &c->s->place[place];
    const int32_t memory = c->v->p->proc[p->proc].memory;
    char room[TGS_NAME_ROOM], other[TGS_NAME_ROOM];

    for (int32_t i = g->access_at[p->task]; i < g->access_at[p->task + 1]; i++) {
        const int32_t datum = (int32_t)g->access[i].datum, version = g->access[i].version;
        int32_t from = -1;
        double t;

        if (!(g->access[i].mode & TGS_R))
            continue;
        t = c->s->moves ? tgs_i_check_moved(c, datum, version, memory, c->s->moves)
                        : tgs_i_check_arrival(c, datum, version, memory, &from);
        if (p->start >= t - tgs_i_check_slack(t)) {
            if (!tgs_i_check_left(c, datum, version, memory, p->start, p->end, &t))
                continue;
            return tgs_fail(c->err, TGS_ECHECK,
                            "task '%s' reads '%s', which has been dropped from '%s' at %.17g",
                            tgs_i_check_task(c, p->task, room), tgs_i_check_datum(c, datum, other),
                            c->v->p->memory[memory].name, t);
        }
        if (t == INFINITY)
            return tgs_fail(c->err, TGS_ECHECK, "task '%s' reads '%s', which never reaches '%s'",
                            tgs_i_check_task(c, p->task, room), tgs_i_check_datum(c, datum, other),
                            c->v->p->memory[memory].name);
        return tgs_fail(c->err, TGS_ECHECK,
                        "task '%s' starts at %.17g on '%s', before '%s' arrives at %.17g (%s '%s')",
                        tgs_i_check_task(c, p->task, room), p->start, c->v->p->proc[p->proc].name,
                        tgs_i_check_datum(c, datum, other), t,
                        version < 0 ? "initially in" : "written by",
                        version < 0 ? c->v->p->memory[c->v->home[datum]].name
                                    : tgs_i_check_task(c, c->writer[version], TGS_ROOM));
    }
    return TGS_OK;
}

static tgs_status check_deadlines(const tgs_i_check_call *c)
{
    char room[TGS_NAME_ROOM];

    for (int32_t p = 0; p < c->s->places; p++) {
        const tgs_place *x = &c->s->place[p];
        const tgs_constraint *k = tgs_i_check_constraint(c, x->task);

        if (k && x->end > k->deadline + tgs_i_check_slack(k->deadline))
            return tgs_fail(c->err, TGS_ECHECK, "task '%s' ends at %.17g, after its deadline %.17g",
                            tgs_i_check_task(c, x->task, room), x->end, k->deadline);
    }
    return TGS_OK;
}

/* ---- all of it ------------------------------------------------------------------------------ */
static tgs_status check_rules(tgs_i_check_call *c)
{
    bool *seen = tgs_mem_alloc((size_t)c->s->places, sizeof *seen);
    tgs_status status = seen ? check_copies(c) : tgs_fail(c->err, TGS_ENOMEM, "out of memory");

    for (int32_t p = 0; p < c->s->places && !status; p++)
        status = check_where(c, p);
    if (!status)
        status = check_order(c, seen);
    if (!status)
        status = tgs_i_check_groups(c);
    if (!status && c->s->drops)
        status = tgs_i_check_sort_drops(c);
    if (!status && c->s->moves)
        status = tgs_i_check_moves(c);
    if (!status && c->s->drops)
        status = tgs_i_check_drops(c);
    for (int32_t p = 0; p < c->s->places && !status; p++) {
        status = check_after(c, p);
        if (!status)
            status = check_reads(c, p);
    }
    tgs_mem_free(seen);
    return status;
}

tgs_status tgs_i_check(const tgs_schedule *s, const tgs_problem *pb, bool *feasibility,
                       tgs_error *err)
{
    const tgs_graph_view *g = pb->v.g;
    tgs_i_check_call c = {.v = &pb->v, .s = &s->v, .err = err, .zero = pb->link->free};
    tgs_status status;

    if (feasibility)
        *feasibility = false;
    if (s->graph != tgs_graph_fingerprint(pb->graph) || s->platform != pb->platform->fingerprint)
        return tgs_fail(err, TGS_ECHECK, "the schedule is for another %s",
                        s->graph != tgs_graph_fingerprint(pb->graph) ? "graph" : "platform");
    status = check_shape(&c);
    if (status)
        return status;
    c.writer = tgs_mem_alloc((size_t)g->accesses, sizeof *c.writer);
    if (!c.writer)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (int32_t t = 0; t < g->tasks; t++)
        for (int32_t i = g->access_at[t]; i < g->access_at[t + 1]; i++)
            c.writer[i] = t;
    status = check_rules(&c);
    if (!status) {
        status = check_deadlines(&c);
        if (!status)
            status = tgs_i_check_capacity(&c);
        if (feasibility)
            *feasibility = status == TGS_ECHECK;
    }
    tgs_mem_free(c.writer);
    tgs_mem_free(c.move);
    tgs_mem_free(c.drop);
    return status;
}

tgs_status tgs_schedule_check(const tgs_schedule *s, const tgs_problem *pb, tgs_error *err)
{
    return tgs_i_check(s, pb, NULL, err);
}
