/* core.c -- executions, and which of them are needed in the end. */
#include <string.h>
#include "core.h"

/* ---- what may be copied ---------------------------------------------------------------------- */
/* [data] the task that writes a datum last, -1 nobody: the writers of a datum follow each other */
static void find_last_writers(const tgs_graph_view *g, int32_t *last)
{
    memset(last, -1, (size_t)g->data * sizeof *last);
    for (int32_t t = 0; t < g->tasks; t++)
        for (int32_t i = g->access_at[t]; i < g->access_at[t + 1]; i++) {
            const int32_t d = (int32_t)g->access[i].datum;

            if ((g->access[i].mode & TGS_W)
                && (last[d] < 0 || g->topo_pos[t] > g->topo_pos[last[d]]))
                last[d] = t;
        }
}

/* writer[access]: the task of each */
static bool may_copy(const tgs_view *v, int32_t task, const int32_t *last, const int32_t *writer)
{
    const tgs_graph_view *g = v->g;
    const int32_t c = g->task[task].constraint;

    if (c >= 0 && g->constraint[c].group >= 0)
        return false;
    for (int32_t e = g->succ_at[task]; e < g->succ_at[task + 1]; e++)
        if (g->succ_datum[e] < 0)
            return false;
    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1]; i++) {
        const tgs_access *a = &g->access[i];
        const int32_t of = a->mode & TGS_W ? task : a->version < 0 ? -1 : writer[a->version];

        if (a->mode == TGS_RW || last[a->datum] != of)
            return false;
    }
    return true;
}

static tgs_status find_may(tgs_i_copies *x, tgs_error *err)
{
    const tgs_graph_view *g = x->list.v->g;
    int32_t *last = tgs_mem_alloc((size_t)g->data, sizeof *last);
    int32_t *writer = tgs_mem_alloc((size_t)g->accesses, sizeof *writer);
    tgs_status status = TGS_OK;

    if (last && writer) {
        find_last_writers(g, last);
        for (int32_t t = 0; t < g->tasks; t++)
            for (int32_t i = g->access_at[t]; i < g->access_at[t + 1]; i++)
                writer[i] = t;
        for (int32_t t = 0; t < g->tasks; t++)
            x->may[t] = may_copy(x->list.v, t, last, writer);
    } else {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d data", g->data);
    }
    tgs_mem_free(last);
    tgs_mem_free(writer);
    return status;
}

tgs_status tgs_i_copies_open(tgs_i_copies *x, const tgs_ctx *c, tgs_plan *plan, bool insert,
                             tgs_error *err)
{
    const size_t n = (size_t)c->v->n;
    tgs_status status;

    *x = (tgs_i_copies){.may = tgs_mem_alloc(n, sizeof *x->may),
                        .first = tgs_mem_alloc(n, sizeof *x->first)};
    status = x->may && x->first
                 ? tgs_i_list_open(&x->list, c, plan,
                                   &(tgs_i_rule){.key = TGS_I_EFT, .insert = insert}, err)
                 : tgs_fail(err, TGS_ENOMEM, "out of memory to copy %d tasks", c->v->n);
    if (!status) {
        memset(x->first, -1, n * sizeof *x->first);
        for (int32_t t = 0; t < c->v->n; t++)
            x->list.done[t].proc = -1;
        status = find_may(x, err);
    }
    if (status)
        tgs_i_copies_close(x);
    return status;
}

void tgs_i_copies_close(tgs_i_copies *x)
{
    if (x->list.v)
        tgs_i_list_close(&x->list);
    tgs_mem_free(x->may);
    tgs_mem_free(x->first);
    tgs_mem_free(x->copy);
    *x = (tgs_i_copies){.may = NULL};
}

/* ---- executions ------------------------------------------------------------------------------ */
int32_t tgs_i_copies_next(const tgs_i_copies *x, int32_t task, int32_t k, tgs_i_copy *out)
{
    if (k == 0) {
        const tgs_i_done *d = &x->list.done[task];

        *out = (tgs_i_copy){x->list.plan->start[task], d->end, task, d->proc, -1};
        if (d->proc < 0)
            return -1;
        return x->first[task] < 0 ? -1 : x->first[task] + 1;
    }
    *out = x->copy[k - 1];
    return out->next < 0 ? -1 : out->next + 1;
}

double tgs_i_copies_arrival(const tgs_i_copies *x, int32_t u, int32_t datum, int32_t memory)
{
    const tgs_view *v = x->list.v;
    double t = x->list.done[u].end + tgs_c(v, datum, x->list.done[u].memory, memory);

    for (int32_t k = x->first[u]; k >= 0; k = x->copy[k].next) {
        const double y =
            x->copy[k].end + tgs_c(v, datum, v->p->proc[x->copy[k].proc].memory, memory);

        t = y < t ? y : t;
    }
    return t;
}

double tgs_i_copies_initial(const tgs_i_copies *x, int32_t task, int32_t memory)
{
    const tgs_view *v = x->list.v;
    const tgs_graph_view *g = v->g;
    const int32_t c = g->task[task].constraint;
    double ready = c < 0 ? 0 : g->constraint[c].release;

    for (int32_t i = g->access_at[task]; x->list.initial && i < g->access_at[task + 1]; i++) {
        const int32_t d = (int32_t)g->access[i].datum;

        if ((g->access[i].mode & TGS_R) && g->access[i].version < 0 && v->home[d] >= 0)
            ready = fmax(ready, tgs_c(v, d, v->home[d], memory));
    }
    return ready;
}

double tgs_i_copies_ready(const tgs_i_copies *x, int32_t task, int32_t memory)
{
    const tgs_graph_view *g = x->list.v->g;
    double ready = tgs_i_copies_initial(x, task, memory);

    for (int32_t e = g->pred_at[task]; e < g->pred_at[task + 1]; e++)
        ready = fmax(ready, tgs_i_copies_arrival(x, g->pred[e], g->pred_datum[e], memory));
    return ready;
}

bool tgs_i_copies_on(const tgs_i_copies *x, int32_t task, int32_t proc)
{
    if (x->list.done[task].proc == proc)
        return true;
    for (int32_t k = x->first[task]; k >= 0; k = x->copy[k].next)
        if (x->copy[k].proc == proc)
            return true;
    return false;
}

tgs_status tgs_i_copies_place(tgs_i_copies *x, int32_t task, int32_t proc, double start,
                              tgs_error *err)
{
    double end;

    if (x->list.done[task].proc < 0)
        return tgs_i_list_place(&x->list, task, proc, start, err);
    end = start + tgs_w(x->list.v, task, proc);
    if (x->count == INT32_MAX || tgs_mem_grow(&x->copy, &x->room, x->count + 1, sizeof *x->copy)
        || tgs_i_timeline_book(&x->list.line[proc], start, end))
        return tgs_fail(err, TGS_ENOMEM, "out of memory for copies");
    x->copy[x->count] = (tgs_i_copy){start, end, task, proc, x->first[task]};
    x->first[task] = (int32_t)x->count++;
    return TGS_OK;
}

/* ---- what is needed in the end ----------------------------------------------------------------
 */
/* the execution from which the data of an edge arrive first: 0 the first, else a copy + 1 */
static int32_t supplier(const tgs_i_copies *x, int32_t u, int32_t datum, int32_t memory)
{
    const tgs_view *v = x->list.v;
    double best = INFINITY;
    int32_t which = 0;

    for (int32_t k = 0; k >= 0;) {
        const int32_t now = k;
        tgs_i_copy e;
        double t;

        k = tgs_i_copies_next(x, u, now, &e);
        t = e.end + tgs_c(v, datum, v->p->proc[e.proc].memory, memory);
        if (t < best) {
            best = t;
            which = now;
        }
    }
    return which;
}

/* needed: [n] of the first executions, then of the copies */
static void need_inputs(const tgs_i_copies *x, int32_t task, int32_t proc, bool *needed)
{
    const tgs_graph_view *g = x->list.v->g;
    const int32_t memory = x->list.v->p->proc[proc].memory;

    for (int32_t e = g->pred_at[task]; e < g->pred_at[task + 1]; e++) {
        const int32_t u = g->pred[e];
        const int32_t which = x->first[u] < 0 ? 0 : supplier(x, u, g->pred_datum[e], memory);

        needed[which ? x->list.v->n + which - 1 : u] = true;
    }
}

/* the execution of a task that ends first; with needed, of those */
static int32_t earliest(const tgs_i_copies *x, int32_t task, const bool *needed, tgs_i_copy *out)
{
    int32_t which = -1;

    for (int32_t k = 0; k >= 0;) {
        const int32_t now = k;
        tgs_i_copy e;

        k = tgs_i_copies_next(x, task, now, &e);
        if (needed && !needed[now ? x->list.v->n + now - 1 : task])
            continue;
        if (which < 0 || e.end < out->end) {
            *out = e;
            which = now;
        }
    }
    return which;
}

static void find_needed(const tgs_i_copies *x, bool *needed)
{
    const tgs_graph_view *g = x->list.v->g;

    for (int32_t i = g->tasks - 1; i >= 0; i--) {
        const int32_t t = g->topo[i];
        tgs_i_copy e;

        if (earliest(x, t, needed, &e) < 0) { /* nobody reads from it */
            const int32_t which = earliest(x, t, NULL, &e);

            needed[which ? g->tasks + which - 1 : t] = true;
        }
        if (needed[t])
            need_inputs(x, t, x->list.done[t].proc, needed);
        for (int32_t k = x->first[t]; k >= 0; k = x->copy[k].next)
            if (needed[g->tasks + k])
                need_inputs(x, t, x->copy[k].proc, needed);
    }
}

static tgs_status write_plan(const tgs_i_copies *x, const bool *needed)
{
    tgs_plan *plan = x->list.plan;
    tgs_status status = TGS_OK;

    for (int32_t t = 0; t < x->list.v->n && !status; t++) {
        const double start = plan->start[t];
        tgs_i_copy e = {0, 0, t, -1, -1};
        const int32_t which = earliest(x, t, needed, &e);

        if (which > 0 && needed[t])
            status = tgs_plan_copy(plan, t, plan->proc[t], start);
        for (int32_t k = x->first[t]; k >= 0 && !status; k = x->copy[k].next)
            if (needed[x->list.v->n + k] && k != which - 1)
                status = tgs_plan_copy(plan, t, x->copy[k].proc, x->copy[k].start);
        plan->proc[t] = e.proc;
        plan->start[t] = e.start;
    }
    return status;
}

tgs_status tgs_i_copies_finish(tgs_i_copies *x, tgs_error *err)
{
    const size_t all = (size_t)x->list.v->n + (size_t)x->count;
    bool *needed = tgs_mem_alloc(all, sizeof *needed);
    tgs_status status = needed ? TGS_OK : TGS_ENOMEM;

    if (!status) {
        find_needed(x, needed);
        status = write_plan(x, needed);
    }
    tgs_mem_free(needed);
    return status ? tgs_fail(err, status, "out of memory for copies") : TGS_OK;
}
