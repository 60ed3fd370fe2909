/* lookahead.c -- HEFT that looks at the successors before it chooses a processor.
 *
 * L. F. Bittencourt, R. Sakellariou, E. R. M. Madeira, "DAG scheduling using a lookahead variant of
 * the heterogeneous earliest finish time algorithm", PDP 2010.
 *
 * Tasks in HEFT's order.  A task is put on each processor in turn, then its successors by HEFT's
 * rule behind it, in the order of their ranks, counting only what they read from tasks that have a
 * place; it goes where the latest of them ends first, ties by its own finish time.  Beyond the
 * paper, depth=k looks at everything that k edges lead to, in the order of ranks.
 *
 * What is tried lies in a list over the timelines, so nothing has to be taken back from them.  For
 * each edge (j, s): O(p (p log n + out-degree of s * memories)), and what meets in that list.  Of
 * many successors only the first by rank are looked at (children). */
#include <stdlib.h>
#include <string.h>
#include "core.h"

typedef struct trial {
    double start, end;
    int32_t proc;
} trial;

typedef struct ahead {
    tgs_i_list list;
    const int32_t *order; /* HEFT's */
    int32_t *position;    /* [n] its inverse */
    int32_t *child;       /* [n] the successors looked at, then their positions */
    int32_t *slot;        /* [n] its place in child, or -1 */
    double *arrive;       /* [task * memories + memory] of what is placed for good */
    double *row;          /* [place in child * memories + memory] and what is on trial */
    trial *trial;         /* [1 + children] */
    int32_t children, most, trials, depth;
} ahead;

static int ascending(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

/* each successor once, by rank; those of depth d follow those of depth d - 1 until they are sorted
 */
static void find_children(ahead *x, int32_t task)
{
    const tgs_graph_view *g = x->list.v->g;
    int32_t n = 0, from = -1;

    for (int32_t depth = 0, to = 0; depth < x->depth && from < to; depth++, to = n)
        for (; from < to; from++) {
            const int32_t u = from < 0 ? task : x->child[from];

            for (int32_t k = g->succ_at[u]; k < g->succ_at[u + 1]; k++)
                if (x->slot[g->succ[k]] < 0) {
                    x->slot[g->succ[k]] = 0; /* seen */
                    x->child[n++] = g->succ[k];
                }
        }
    for (int32_t i = 0; i < n; i++)
        x->child[i] = x->position[x->child[i]];
    qsort(x->child, (size_t)n, sizeof *x->child, ascending);
    for (int32_t i = 0; i < n; i++)
        x->slot[x->order[x->child[i]]] = i < x->most ? i : -1;
    x->children = n < x->most ? n : x->most;
}

static double largest(double a, double b)
{
    return a > b ? a : b;
}

/* release times and initial data */
static void find_arrivals(ahead *x, const tgs_view *v)
{
    const tgs_graph_view *g = v->g;

    for (int32_t j = 0; j < v->n; j++) {
        const int32_t c = g->task[j].constraint;
        double *row = x->arrive + (int64_t)j * v->memories;

        for (int32_t a = 0; a < v->memories && c >= 0; a++)
            row[a] = g->constraint[c].release;
        for (int32_t i = g->access_at[j]; i < g->access_at[j + 1]; i++) {
            const int32_t d = (int32_t)g->access[i].datum, home = v->home[d];

            if (!(g->access[i].mode & TGS_R) || g->access[i].version >= 0 || home < 0)
                continue;
            for (int32_t a = 0; a < v->memories; a++)
                row[a] = largest(row[a], tgs_c(v, d, home, a));
        }
    }
}

/* A task that ends in a memory tells its successors: those looked at when it is on trial, else
 * all. */
static void tell(ahead *x, int32_t task, double end, int32_t memory, bool on_trial)
{
    const tgs_view *v = x->list.v;
    const tgs_graph_view *g = v->g;
    const int64_t M = v->memories;

    for (int32_t k = g->succ_at[task]; k < g->succ_at[task + 1]; k++) {
        const int32_t t = g->succ[k];
        double *row = on_trial ? x->row : x->arrive + t * M;

        if (on_trial && x->slot[t] < 0)
            continue;
        if (on_trial)
            row += x->slot[t] * M;
        for (int32_t a = 0; a < M; a++)
            row[a] = largest(row[a], end + tgs_c(v, g->succ_datum[k], memory, a));
    }
}

/* the earliest start on a processor, beside what is on trial there: whatever would start before the
 * end of a trial that is in its way would meet it too */
static double find(const ahead *x, int32_t proc, double ready, double w)
{
    const tgs_i_timeline *line = &x->list.line[proc];
    double start = tgs_i_timeline_find(line, ready, w);

    for (int32_t i = 0; i < x->trials; i++)
        if (x->trial[i].proc == proc && start < x->trial[i].end && start + w > x->trial[i].start) {
            start = tgs_i_timeline_find(line, x->trial[i].end, w);
            i = -1;
        }
    return start;
}

static void put(ahead *x, int32_t task, int32_t proc, double start)
{
    const tgs_view *v = x->list.v;
    const double end = start + tgs_w(v, task, proc);

    x->trial[x->trials++] = (trial){start, end, proc};
    tell(x, task, end, v->p->proc[proc].memory, true);
}

/* by HEFT's rule; the finish time, INFINITY where it may run nowhere */
static double put_child(ahead *x, int32_t task)
{
    const tgs_view *v = x->list.v;
    const double *row = x->row + (int64_t)x->slot[task] * v->memories;
    double best = INFINITY, at = 0;
    int32_t proc = -1;

    for (int32_t p = 0; p < v->m; p++) {
        const double ready = row[v->p->proc[p].memory], w = tgs_w(v, task, p);
        double start;

        if (!tgs_i_list_may(&x->list, task, p) || ready + w >= best)
            continue;
        start = find(x, p, ready, w);
        if (start + w < best) {
            best = start + w;
            at = start;
            proc = p;
        }
    }
    if (proc >= 0)
        put(x, task, proc, at);
    return best;
}

/* the end of the latest successor, or of the task itself when it has none */
static double look(ahead *x, int32_t task, int32_t proc, double start)
{
    const int64_t M = x->list.v->memories;
    double latest = start + tgs_w(x->list.v, task, proc);

    for (int32_t i = 0; i < x->children; i++)
        memcpy(x->row + i * M, x->arrive + x->order[x->child[i]] * M, (size_t)M * sizeof *x->row);
    put(x, task, proc, start);
    if (x->children)
        latest = 0;
    for (int32_t i = 0; i < x->children; i++)
        latest = largest(latest, put_child(x, x->order[x->child[i]]));
    x->trials = 0;
    return latest;
}

static tgs_status place(ahead *x, int32_t task, tgs_error *err)
{
    const tgs_view *v = x->list.v;
    double best = INFINITY, best_end = INFINITY, at = 0;
    int32_t proc = -1;
    tgs_status status;

    tgs_i_list_ready(&x->list, task, x->list.ready);
    find_children(x, task);
    for (int32_t p = 0; p < v->m; p++) {
        const double ready = x->list.ready[v->p->proc[p].memory], w = tgs_w(v, task, p);
        double start, latest;

        if (!tgs_i_list_may(&x->list, task, p) || !(ready < INFINITY))
            continue;
        start = tgs_i_timeline_find(&x->list.line[p], ready, w);
        latest = look(x, task, p, start);
        if (proc < 0 || latest < best || (latest == best && start + w < best_end)) {
            best = latest;
            best_end = start + w;
            at = start;
            proc = p;
        }
    }
    for (int32_t i = 0; i < x->children; i++)
        x->slot[x->order[x->child[i]]] = -1;
    status = tgs_i_list_place(&x->list, task, proc, at, err);
    if (!status)
        tell(x, task, best_end, v->p->proc[proc].memory, false);
    return status;
}

static tgs_status place_all(ahead *x, const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    tgs_status status =
        tgs_i_list_open(&x->list, c, plan, &(tgs_i_rule){.key = TGS_I_EFT, .insert = true}, err);

    for (int32_t i = 0; i < c->v->n; i++)
        x->position[x->order[i]] = i;
    memset(x->slot, -1, (size_t)c->v->n * sizeof *x->slot);
    find_arrivals(x, c->v);
    for (int32_t i = 0; i < c->v->n && !status; i++)
        status = place(x, x->order[i], err);
    tgs_i_list_close(&x->list);
    return status;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const size_t n = (size_t)c->v->n, M = (size_t)c->v->memories;
    const int64_t most = tgs_arg_int(c->args, "children");
    double *wbar = tgs_mem_alloc(n, sizeof *wbar), *rank_u = tgs_mem_alloc(n, sizeof *rank_u);
    int32_t *order = tgs_mem_alloc(n, sizeof *order);
    ahead x = {.order = order,
               .depth = (int32_t)tgs_arg_int(c->args, "depth"),
               .most = most < c->v->n ? (int32_t)most : c->v->n};
    tgs_status status = TGS_OK;

    x.position = tgs_mem_alloc(n, sizeof *x.position);
    x.child = tgs_mem_alloc(n, sizeof *x.child);
    x.slot = tgs_mem_alloc(n, sizeof *x.slot);
    x.arrive = tgs_mem_alloc(n * M, sizeof *x.arrive);
    x.row = tgs_mem_alloc((size_t)x.most * M, sizeof *x.row);
    x.trial = tgs_mem_alloc((size_t)x.most + 1, sizeof *x.trial);
    if (!wbar || !rank_u || !order || !x.position || !x.child || !x.slot || !x.arrive || !x.row
        || !x.trial)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the ranks of %d tasks", c->v->n);
    if (!status)
        status = tgs_i_weights(c->v, TGS_I_MEAN, wbar, err);
    if (!status) {
        tgs_i_rank_up(c->v, wbar, true, rank_u);
        status = tgs_i_sort(c->v, rank_u, NULL, order, err);
    }
    if (!status)
        status = place_all(&x, c, plan, err);
    tgs_mem_free(wbar);
    tgs_mem_free(rank_u);
    tgs_mem_free(order);
    tgs_mem_free(x.position);
    tgs_mem_free(x.child);
    tgs_mem_free(x.slot);
    tgs_mem_free(x.arrive);
    tgs_mem_free(x.row);
    tgs_mem_free(x.trial);
    return status;
}

static const tgs_param params[] = {
    {"depth", "1", TGS_PARAM_INT, 0, 1000, "edges looked ahead; 0: HEFT"},
    {"children", "1000", TGS_PARAM_INT, 0, 1e9, "successors looked at, at most; 0: HEFT"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_lookahead = {
    .base = {TGS_PLUGIN_ABI, "lookahead",
             "HEFT, on the processor from where the successors end first",
             "Bittencourt, Sakellariou, Madeira, PDP 2010", params},
    .run = run,
};
