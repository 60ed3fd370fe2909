/* tds.c -- TDS, task duplication based scheduling.
 *
 * S. Darbha, D. P. Agrawal, "Optimal scheduling algorithm for distributed-memory machines", IEEE
 * TPDS 9(1), 1998.
 *
 * f(j), the favourite predecessor, is the one whose data would come last; est(j) is the earliest
 * start beside it, ect = est + w, lact and last are the latest end and start that do not make the
 * schedule longer.  From the task nearest to the exit that is in no cluster yet a cluster follows
 * the favourites up to an entry; where the favourite is taken already it runs again, unless there
 * is time to have its data sent: then the cluster goes on with a predecessor that is not taken.
 * Optimal for a join whose favourite takes as long as the other data need.
 *
 * The paper has equal processors without end.  Here clusters go, the most work first, where load
 * and work are least, and a task that is there already is not put there again; tasks are ordered by
 * rank, and executions that come too late for their readers are left out.
 *
 * O(n log n + e + c (in-degree + p + log n)) for c executions: at most `copies` for each task, as
 * many paths through a deep graph would be quadratic. */
#include <stdlib.h>
#include <string.h>
#include "core.h"

typedef struct member {       /* of a cluster; then of the tasks of a processor */
    int32_t task, proc, next; /* next: of the same task, -1 none */
} member;

typedef struct item { /* a cluster */
    double work;
    int32_t from, to; /* in member */
    int32_t number;
} item;

typedef struct tds {
    tgs_i_copies x;
    const tgs_view *v;
    const tgs_graph_view *g;
    double *wbar, *rank;
    double *ect, *lact;
    int32_t *favourite; /* [n] -1 none */
    int32_t *order;     /* by level ascending, then by rank */
    bool *taken;        /* [n] */
    member *member;
    int64_t members, room, most;
    item *cluster;
    int32_t clusters;
    int32_t *first;      /* [n] its members that have a processor, -1 none */
    double *load, *work; /* [m], [kinds] */
} tds;

/* ---- times as if there were a processor for every path ----------------------------------------
 */
static void find_earliest(tds *d)
{
    const tgs_graph_view *g = d->g;

    for (int32_t i = 0; i < g->tasks; i++) {
        const int32_t j = g->topo[i], c = g->task[j].constraint;
        double start = c < 0 ? 0 : g->constraint[c].release, latest = -1;
        int32_t f = -1;

        for (int32_t e = g->pred_at[j]; e < g->pred_at[j + 1]; e++) {
            const int32_t u = g->pred[e];
            const double t = d->ect[u] + tgs_cbar(d->v, g->pred_datum[e]);

            if (t > latest || (t == latest && g->topo_pos[u] < g->topo_pos[f])) {
                latest = t;
                f = u;
            }
        }
        for (int32_t e = g->pred_at[j]; e < g->pred_at[j + 1]; e++) {
            const int32_t u = g->pred[e];
            const double c_uj = u == f ? 0 : tgs_cbar(d->v, g->pred_datum[e]);

            start = fmax(start, d->ect[u] + c_uj);
        }
        d->favourite[j] = f;
        d->ect[j] = start + d->wbar[j];
    }
}

static void find_latest(tds *d)
{
    const tgs_graph_view *g = d->g;
    double end = 0;

    for (int32_t j = 0; j < g->tasks; j++)
        end = fmax(end, d->ect[j]);
    for (int32_t i = g->tasks - 1; i >= 0; i--) {
        const int32_t u = g->topo[i];
        double latest = end;

        for (int32_t e = g->succ_at[u]; e < g->succ_at[u + 1]; e++) {
            const int32_t s = g->succ[e];
            const double c = d->favourite[s] == u ? 0 : tgs_cbar(d->v, g->succ_datum[e]);

            latest = fmin(latest, d->lact[s] - d->wbar[s] - c);
        }
        d->lact[u] = latest;
    }
}

/* ---- clusters -------------------------------------------------------------------------------- */
/* can the data of u be sent to x, so that u need not run again beside it? */
static bool can_wait(const tds *d, int32_t u, int32_t x)
{
    const tgs_graph_view *g = d->g;
    double c = 0;

    for (int32_t e = g->pred_at[x]; e < g->pred_at[x + 1]; e++)
        if (g->pred[e] == u)
            c = fmax(c, tgs_cbar(d->v, g->pred_datum[e]));
    return d->lact[x] - d->wbar[x] - d->lact[u] >= c;
}

/* of the predecessors in no cluster the one whose data would come last, or -1 */
static int32_t not_taken(const tds *d, int32_t x)
{
    const tgs_graph_view *g = d->g;
    double latest = -1;
    int32_t best = -1;

    for (int32_t e = g->pred_at[x]; e < g->pred_at[x + 1]; e++) {
        const int32_t u = g->pred[e];
        const double t = d->ect[u] + tgs_cbar(d->v, g->pred_datum[e]);

        if (!d->taken[u] && t > latest) {
            latest = t;
            best = u;
        }
    }
    return best;
}

static tgs_status add(tds *d, int32_t task)
{
    if (tgs_mem_grow(&d->member, &d->room, d->members + 1, sizeof *d->member))
        return TGS_ENOMEM;
    d->member[d->members++] = (member){task, -1, -1};
    d->taken[task] = true;
    d->cluster[d->clusters].work += d->wbar[task];
    return TGS_OK;
}

static tgs_status grow(tds *d, int32_t seed)
{
    tgs_status status;

    d->cluster[d->clusters] = (item){.from = (int32_t)d->members, .number = d->clusters};
    status = add(d, seed);
    for (int32_t x = seed; d->favourite[x] >= 0 && !status;) {
        int32_t y = d->favourite[x];

        if (d->taken[y] && can_wait(d, y, x)) {
            const int32_t other = not_taken(d, x);

            y = other < 0 ? y : other;
        }
        if (d->taken[y] && (!d->x.may[y] || d->members >= d->most))
            break;
        status = add(d, y);
        x = y;
    }
    d->cluster[d->clusters++].to = (int32_t)d->members;
    return status;
}

/* ---- onto the processors ----------------------------------------------------------------------
 */
static bool is_there(const tds *d, int32_t task, int32_t proc)
{
    for (int32_t k = d->first[task]; k >= 0; k = d->member[k].next)
        if (d->member[k].proc == proc)
            return true;
    return false;
}

static int by_work(const void *p, const void *q)
{
    const item *a = p, *b = q;

    if (a->work != b->work)
        return a->work > b->work ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* a cluster with a pinned task goes where that has to be */
static int32_t choose(const tds *d, const item *c)
{
    const tgs_view *v = d->v;
    double best = INFINITY;
    int32_t proc = 0;

    memset(d->work, 0, (size_t)v->kinds * sizeof *d->work);
    for (int32_t i = c->from; i < c->to; i++) {
        const int32_t j = d->member[i].task;

        if (v->pin_proc && v->pin_proc[j] >= 0)
            return v->pin_proc[j];
        for (int32_t q = 0; q < v->kinds; q++) {
            const double w = v->time[(int64_t)j * v->kinds + q];

            d->work[q] += w < INFINITY ? w : d->wbar[j];
        }
    }
    for (int32_t p = 0; p < v->m; p++) {
        const double key = d->load[p] + d->work[v->p->proc[p].kind] / v->p->proc[p].speed;

        if (key < best) {
            best = key;
            proc = p;
        }
    }
    return proc;
}

static void merge(tds *d)
{
    qsort(d->cluster, (size_t)d->clusters, sizeof *d->cluster, by_work);
    for (int32_t i = 0; i < d->clusters; i++) {
        const item *c = &d->cluster[i];
        const int32_t p = choose(d, c);

        for (int32_t k = c->from; k < c->to; k++) {
            member *x = &d->member[k];

            if (!tgs_allowed(d->v, x->task, p) || is_there(d, x->task, p))
                continue;
            x->proc = p;
            x->next = d->first[x->task];
            d->first[x->task] = k;
            d->load[p] += tgs_w(d->v, x->task, p);
        }
    }
}

/* ---- in time ----------------------------------------------------------------------------------
 */
typedef struct slot {
    double start, end;
    int32_t proc;
} slot;

/* where and when the task would run: proc -1 where it cannot */
static slot find_slot(const tds *d, int32_t task, int32_t proc)
{
    const double ready = tgs_i_copies_ready(&d->x, task, d->v->p->proc[proc].memory);
    const double w = tgs_w(d->v, task, proc);
    slot s = {0, INFINITY, -1};

    if (!(ready < INFINITY) || !tgs_i_list_may(&d->x.list, task, proc))
        return s;
    s.start = tgs_i_timeline_find(&d->x.list.line[proc], ready, w);
    s.end = s.start + w;
    s.proc = proc;
    return s;
}

/* is the copy there before what another execution sends? */
static bool is_early(const tds *d, int32_t task, const slot *s)
{
    const int32_t memory = d->v->p->proc[s->proc].memory;

    for (int32_t e = d->g->succ_at[task]; e < d->g->succ_at[task + 1]; e++)
        if (s->end < tgs_i_copies_arrival(&d->x, task, d->g->succ_datum[e], memory))
            return true;
    return false;
}

/* first where its clusters let it end first, or when it may run on none of their processors where
 * it ends first at all; then on those of the others where that is of use */
static tgs_status place(tds *d, int32_t task, tgs_error *err)
{
    slot best = {0, INFINITY, -1};
    tgs_status status;

    for (int32_t k = d->first[task]; k >= 0; k = d->member[k].next) {
        const slot s = find_slot(d, task, d->member[k].proc);

        if (s.end < best.end || (s.end == best.end && s.proc < best.proc))
            best = s;
    }
    if (best.proc < 0) {
        tgs_i_pick pick;

        for (int32_t a = 0; a < d->v->memories; a++)
            d->x.list.ready[a] = tgs_i_copies_ready(&d->x, task, a);
        tgs_i_list_pick(&d->x.list, task, d->x.list.ready, false, &pick);
        best.proc = pick.proc;
        best.start = pick.start;
    }
    status = tgs_i_copies_place(&d->x, task, best.proc, best.start, err);
    for (int32_t k = d->first[task]; k >= 0 && !status; k = d->member[k].next) {
        const slot s = find_slot(d, task, d->member[k].proc);

        if (s.proc >= 0 && s.proc != best.proc && is_early(d, task, &s))
            status = tgs_i_copies_place(&d->x, task, s.proc, s.start, err);
    }
    return status;
}

/* ---- all of it --------------------------------------------------------------------------------
 */
static tgs_status cluster(tds *d, tgs_error *err)
{
    const int32_t n = d->v->n;
    tgs_status status;

    find_earliest(d);
    find_latest(d);
    tgs_i_rank_up(d->v, d->wbar, false, d->rank);
    status = tgs_i_sort(d->v, d->rank, NULL, d->order, err);
    for (int32_t i = n - 1; i >= 0 && !status; i--) /* the nearest to the exit first */
        if (!d->taken[d->order[i]] && grow(d, d->order[i]))
            status = tgs_fail(err, TGS_ENOMEM, "out of memory for clusters");
    return status;
}

static tgs_status schedule(tds *d, tgs_error *err)
{
    tgs_status status = cluster(d, err);

    if (!status) {
        merge(d);
        tgs_i_rank_up(d->v, d->wbar, true, d->rank);
        status = tgs_i_sort(d->v, d->rank, NULL, d->order, err);
    }
    for (int32_t i = 0; i < d->v->n && !status; i++)
        status = place(d, d->order[i], err);
    return status ? status : tgs_i_copies_finish(&d->x, err);
}

static bool allocate(tds *d)
{
    const size_t n = (size_t)d->v->n;

    d->wbar = tgs_mem_alloc(n, sizeof *d->wbar);
    d->rank = tgs_mem_alloc(n, sizeof *d->rank);
    d->ect = tgs_mem_alloc(n, sizeof *d->ect);
    d->lact = tgs_mem_alloc(n, sizeof *d->lact);
    d->favourite = tgs_mem_alloc(n, sizeof *d->favourite);
    d->order = tgs_mem_alloc(n, sizeof *d->order);
    d->taken = tgs_mem_alloc(n, sizeof *d->taken);
    d->cluster = tgs_mem_alloc(n, sizeof *d->cluster);
    d->first = tgs_mem_alloc(n, sizeof *d->first);
    d->load = tgs_mem_alloc((size_t)d->v->m, sizeof *d->load);
    d->work = tgs_mem_alloc((size_t)d->v->kinds, sizeof *d->work);
    if (d->first)
        memset(d->first, -1, n * sizeof *d->first);
    return d->wbar && d->rank && d->ect && d->lact && d->favourite && d->order && d->taken
           && d->cluster && d->first && d->load && d->work;
}

static void release(tds *d)
{
    tgs_i_copies_close(&d->x);
    tgs_mem_free(d->wbar);
    tgs_mem_free(d->rank);
    tgs_mem_free(d->ect);
    tgs_mem_free(d->lact);
    tgs_mem_free(d->favourite);
    tgs_mem_free(d->order);
    tgs_mem_free(d->taken);
    tgs_mem_free(d->cluster);
    tgs_mem_free(d->first);
    tgs_mem_free(d->load);
    tgs_mem_free(d->work);
    tgs_mem_free(d->member);
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const int64_t copies = tgs_arg_int(c->args, "copies");
    tds d = {.v = c->v, .g = c->v->g, .most = copies * c->v->n};
    tgs_status status = TGS_OK;

    if (d.most > INT32_MAX - c->v->n)
        d.most = INT32_MAX - c->v->n;
    if (!allocate(&d))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the clusters of %d tasks", c->v->n);
    if (!status)
        status = tgs_i_copies_open(&d.x, c, plan, true, err);
    if (!status)
        status = tgs_i_weights(c->v, TGS_I_MEAN, d.wbar, err);
    if (!status)
        status = schedule(&d, err);
    release(&d);
    return status;
}

static const tgs_param params[] = {
    {"copies", "10", TGS_PARAM_INT, 1, 1e6, "executions per task, at most, on average"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_tds = {
    .base = {TGS_PLUGIN_ABI, "tds",
             "a cluster follows the predecessors whose data come last, which run again in each",
             "Darbha, Agrawal, IEEE TPDS 9(1), 1998", params},
    .run = run,
};
