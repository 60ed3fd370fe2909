/* starpu_validate.c -- what StarPU would answer with a hang or an abort is refused here, by name:
 * an order that contradicts the dependencies (plan.c finds the cycle), a gap or a repetition in a
 * processor's order, conflicting accesses that nothing orders, a task without an implementation
 * where it is placed, an unknown processor, memories StarPU has not got, a task that does not fit.
 */
#include <math.h>
#include <string.h>
#include "starpu_core.h"

const char *tgs_i_spu_task_name(const tgs_graph_view *g, int32_t task, char *room, size_t size)
{
    char own[TGS_NAME_ROOM];
    const char *name = tgs_task_name(g, task, own);

    if (*name && name != own)
        return name;
    if (*name)
        snprintf(room, size, "%s", name);
    else
        snprintf(room, size, "#%d", task);
    return room;
}

const char *tgs_i_spu_datum_name(const tgs_graph_view *g, int32_t datum, char *room, size_t size)
{
    char own[TGS_NAME_ROOM];
    const char *name = tgs_datum_name(g, datum, own);

    if (*name && name != own)
        return name;
    if (*name)
        snprintf(room, size, "%s", name);
    else
        snprintf(room, size, "#%d", datum);
    return room;
}

/* StarPU's limits are whole; what is planned keeps to the bytes */
static int32_t mebibytes(double bytes)
{
    const double m = ceil(bytes / 1048576);

    return m < 1 ? 1 : m < INT32_MAX ? (int32_t)m : 0;
}

/* One main memory that all CPU processors share, and a memory of its own for every other one. */
tgs_status tgs_i_spu_check_platform(const tgs_platform_view *p, spu_want *want, int32_t *host,
                                    tgs_error *err)
{
    int32_t idle = -1; /* the only memory without a processor */
    int idles = 0;

    memset(want->count, 0, sizeof want->count);
    memset(want->limit, 0, sizeof want->limit);
    *host = -1;
    for (int32_t m = 0; m < p->memories; m++) {
        const char *first = NULL;
        bool cpus = false;

        for (int32_t i = 0; i < p->procs; i++) {
            const int a = tgs_i_spu_arch(p->kind[p->proc[i].kind].arch);

            if (p->proc[i].memory != m)
                continue;
            if (a < 0)
                return tgs_fail(err, TGS_EBACKEND,
                                "processor %s: StarPU has no workers of architecture '%s'",
                                p->proc[i].name, p->kind[p->proc[i].kind].arch);
            if (want->count[a] < SPU_DEVICES && a != SPU_CPU && p->memory[m].capacity < INFINITY)
                want->limit[a][want->count[a]] = mebibytes(p->memory[m].capacity);
            want->count[a]++;
            if (first && !(cpus && a == SPU_CPU))
                return tgs_fail(err, TGS_EBACKEND,
                                "processors %s and %s share memory %s; in StarPU only CPUs do",
                                first, p->proc[i].name, p->memory[m].name);
            if (a == SPU_CPU && *host >= 0 && *host != m)
                return tgs_fail(err, TGS_EBACKEND,
                                "processor %s has memory %s, other CPUs have %s; StarPU's CPUs "
                                "share one memory",
                                p->proc[i].name, p->memory[m].name, p->memory[*host].name);
            first = p->proc[i].name;
            cpus = a == SPU_CPU;
            if (cpus)
                *host = m;
        }
        if (!first && idles++ == 0)
            idle = m;
    }
    if (*host < 0 && idles == 1)
        *host = idle;
    if (*host < 0)
        return tgs_fail(err, TGS_EBACKEND,
                        "the platform has no main memory: StarPU needs one, that "
                        "of the CPUs or the only one without processors");
    if (idles > (*host == idle))
        return tgs_fail(err, TGS_EBACKEND, "memory %s has no processor; StarPU has no such memory",
                        p->memory[idle].name);
    return TGS_OK;
}

/* every task once, on a processor there is, once in that processor's order */
tgs_status tgs_i_spu_check_schedule(const tgs_view *v, const tgs_schedule_view *s, tgs_error *err)
{
    char name[TGS_NAME_ROOM];
    bool *seen;
    tgs_status status = TGS_OK;

    if (s->tasks != v->n || s->places < s->tasks || s->procs != v->m)
        return tgs_fail(err, TGS_EINVAL, "the schedule is of another problem");
    if (s->places != s->tasks)
        return tgs_fail(err, TGS_ENOTAPPLICABLE,
                        "the schedule runs copies of task %s; the starpu backend runs each task "
                        "once",
                        tgs_i_spu_task_name(v->g, s->place[s->tasks].task, name, sizeof name));
    seen = tgs_mem_alloc((size_t)v->n, sizeof *seen);
    if (!seen)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (int32_t t = 0; t < v->n && !status; t++)
        if (s->place[t].task != t || s->place[t].proc < 0 || s->place[t].proc >= v->m
            || !isfinite(s->place[t].start))
            status = tgs_fail(err, TGS_EINVAL, "task %s has no processor of the platform",
                              tgs_i_spu_task_name(v->g, t, name, sizeof name));
    for (int32_t p = 0; p < v->m && !status; p++)
        for (int32_t k = s->order_at[p]; k < s->order_at[p + 1] && !status; k++) {
            const int32_t t = s->order[k];

            if (t < 0 || t >= v->n)
                status = tgs_fail(err, TGS_EINVAL, "the order of processor %s names no task",
                                  v->p->proc[p].name);
            else if (seen[t])
                status = tgs_fail(err, TGS_EINVAL, "task %s is twice in the order",
                                  tgs_i_spu_task_name(v->g, t, name, sizeof name));
            else if (s->place[t].proc != p)
                status = tgs_fail(err, TGS_EINVAL, "task %s is in the order of another processor",
                                  tgs_i_spu_task_name(v->g, t, name, sizeof name));
            else
                seen[t] = true;
        }
    for (int32_t t = 0; t < v->n && !status; t++)
        if (!seen[t])
            status = tgs_fail(err, TGS_EINVAL, "task %s is missing in the order of its processor",
                              tgs_i_spu_task_name(v->g, t, name, sizeof name));
    tgs_mem_free(seen);
    return status;
}

/* A kernel somewhere but none where the task is placed: StarPU would refuse the task when the
 * tasks before it are already waiting for it. */
tgs_status tgs_i_spu_check_kernels(const spu_run *r, tgs_error *err)
{
    const tgs_platform_view *p = r->v->p;
    char name[TGS_NAME_ROOM];

    for (int32_t t = 0; t < r->v->n; t++) {
        const spu_task *task = &r->task[t];
        bool any = false, here = !r->placed;

        for (int a = 0; a < SPU_ARCHS; a++)
            any |= task->kernel[a] != NULL;
        for (int32_t i = 0; i < p->procs && any && !r->placed; i++)
            here |= task->kernel[tgs_i_spu_arch(p->kind[p->proc[i].kind].arch)] != NULL;
        if (r->placed) {
            const int32_t proc = r->s->place[t].proc;
            const double w = tgs_w(r->v, t, proc);

            here = task->kernel[tgs_i_spu_arch(p->kind[p->proc[proc].kind].arch)] != NULL;
            if (!any && !(w < INFINITY))
                return tgs_fail(err, TGS_EINVAL, "task %s may not run on processor %s",
                                tgs_i_spu_task_name(r->v->g, t, name, sizeof name),
                                p->proc[proc].name);
        }
        if (any && !here)
            return tgs_fail(
                err, TGS_EINVAL,
                "task %s: codelet %s has no kernel for %s, where it is placed (%s)",
                tgs_i_spu_task_name(r->v->g, t, name, sizeof name), tgs_task_codelet(r->v->g, t),
                r->placed ? p->kind[p->proc[r->s->place[t].proc].kind].arch : "any kind",
                r->placed ? p->proc[r->s->place[t].proc].name : "unplaced");
    }
    return TGS_OK;
}

typedef struct search {
    int32_t *queue;
    int64_t *mark, round; /* [tasks] the round a task was last seen in */
} search;

/* is there a path from a to b in the dependencies and the processors' orders?  Only tasks between
 * them in the sequence can be on it. */
static bool path(const spu_run *r, int32_t a, int32_t b, search *s)
{
    const tgs_graph_view *g = r->v->g;
    const spu_plan *plan = &r->plan;
    int32_t tail = 0;

    for (int32_t k = g->succ_at[a]; k < g->succ_at[a + 1]; k++)
        if (g->succ[k] == b)
            return true;
    if (plan->position[a] > plan->position[b])
        return false;
    s->queue[tail++] = a;
    s->mark[a] = ++s->round;
    for (int32_t head = 0; head < tail; head++) {
        const int32_t t = s->queue[head], proc = r->s->place[t].proc;
        int32_t next;

        for (int32_t k = g->succ_at[t]; k <= g->succ_at[t + 1]; k++) {
            if (k < g->succ_at[t + 1])
                next = g->succ[k];
            else if (r->placed && r->s->order_at[proc] + plan->turn[t] < r->s->order_at[proc + 1])
                next = r->s->order[r->s->order_at[proc] + plan->turn[t]];
            else
                break;
            if (next == b)
                return true;
            if (s->mark[next] != s->round && plan->position[next] < plan->position[b]) {
                s->mark[next] = s->round;
                s->queue[tail++] = next;
            }
        }
    }
    return false;
}

static tgs_status refuse_conflict(const spu_run *r, int32_t a, int32_t b, int32_t datum,
                                  tgs_error *err)
{
    char one[TGS_NAME_ROOM], two[TGS_NAME_ROOM], name[TGS_NAME_ROOM];

    return tgs_fail(err, TGS_EINVAL, "tasks %s and %s both access datum %s and nothing orders them",
                    tgs_i_spu_task_name(r->v->g, a, one, sizeof one),
                    tgs_i_spu_task_name(r->v->g, b, two, sizeof two),
                    tgs_i_spu_datum_name(r->v->g, datum, name, sizeof name));
}

/* Every two conflicting accesses are ordered by the graph and the processors' orders: a write after
 * the last write and after each read since, a read after the last write, in submission order. */
tgs_status tgs_i_spu_check_conflicts(const spu_run *r, tgs_error *err)
{
    const tgs_graph_view *g = r->v->g;
    const int32_t n = g->tasks;
    int32_t *writer = tgs_mem_alloc((size_t)g->data, sizeof *writer);
    int32_t *reader = tgs_mem_alloc((size_t)g->data, sizeof *reader);     /* last: head of a list */
    int32_t *before = tgs_mem_alloc((size_t)g->accesses, sizeof *before); /* the list: access */
    int32_t *owner = tgs_mem_alloc((size_t)g->accesses, sizeof *owner);
    search s = {tgs_mem_alloc((size_t)n, sizeof *s.queue), tgs_mem_alloc((size_t)n, sizeof *s.mark),
                0};
    tgs_status status = TGS_OK;

    if (!writer || !reader || !before || !owner || !s.queue || !s.mark) {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
        goto done;
    }
    for (int32_t d = 0; d < g->data; d++)
        writer[d] = reader[d] = -1;
    for (int32_t i = 0; i < n && !status; i++) {
        const int32_t t = r->plan.sequence[i];

        for (int32_t k = g->access_at[t]; k < g->access_at[t + 1] && !status; k++) {
            const int32_t d = g->access[k].datum;

            owner[k] = t;
            if (writer[d] >= 0 && writer[d] != t && !path(r, writer[d], t, &s))
                status = refuse_conflict(r, writer[d], t, d, err);
            if (!(g->access[k].mode & TGS_W)) {
                before[k] = reader[d];
                reader[d] = k;
                continue;
            }
            for (int32_t e = reader[d]; e >= 0 && !status; e = before[e])
                if (owner[e] != t && !path(r, owner[e], t, &s))
                    status = refuse_conflict(r, owner[e], t, d, err);
            reader[d] = -1;
            writer[d] = t;
        }
    }
done:
    tgs_mem_free(writer);
    tgs_mem_free(reader);
    tgs_mem_free(before);
    tgs_mem_free(owner);
    tgs_mem_free(s.queue);
    tgs_mem_free(s.mark);
    return status;
}

double tgs_i_spu_working_set(const tgs_graph_view *g, int32_t task)
{
    double sum = 0;

    for (int32_t k = g->access_at[task]; k < g->access_at[task + 1]; k++) {
        bool again = false;

        for (int32_t j = g->access_at[task]; j < k; j++)
            again |= g->access[j].datum == g->access[k].datum;
        if (!again)
            sum += fmax(1, ceil(g->datum[g->access[k].datum].bytes));
    }
    return sum;
}

/* a task whose data do not fit together where it runs waits for ever */
tgs_status tgs_i_spu_check_memory(const spu_run *r, tgs_error *err)
{
    const tgs_view *v = r->v;
    char name[TGS_NAME_ROOM];

    for (int32_t t = 0; t < v->n; t++)
        for (int32_t m = 0; m < v->memories; m++) {
            const double need = tgs_i_spu_working_set(v->g, t);
            const double room =
                fmin(v->p->memory[m].capacity, tgs_i_spu_capacity((unsigned)r->node_of[m]));

            /* unplaced, StarPU may choose any */
            if ((!r->placed || v->p->proc[r->s->place[t].proc].memory == m) && need > room)
                return tgs_fail(err, TGS_EINFEASIBLE,
                                "task %s needs %.0f bytes at once, memory %s has %.0f",
                                tgs_i_spu_task_name(v->g, t, name, sizeof name), need,
                                v->p->memory[m].name, room);
        }
    return TGS_OK;
}
