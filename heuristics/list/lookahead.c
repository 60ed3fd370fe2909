/* lookahead.c -- HEFT that looks at the successors before it chooses a processor.
 *
 * L. F. Bittencourt, R. Sakellariou, E. R. M. Madeira, "DAG scheduling using a lookahead variant of
 * the heterogeneous earliest finish time algorithm", PDP 2010.
 *
 * Tasks in HEFT's order.  A task is put on each processor in turn, then its successors by HEFT's
 * rule behind it, in the order of their ranks, counting only what they read from tasks that have a
 * place; it goes where the latest of them ends first, ties by its own finish time.
 *
 * What is tried lies in a list over the timelines, so nothing has to be taken back from them:
 * O(p (p + predecessors * memories + successors)) for each successor.  Of many successors only the
 * first by rank are looked at (children). */
#include <stdlib.h>
#include <string.h>
#include "core.h"

typedef struct trial {
    double start, end;
    int32_t proc, task;
} trial;

typedef struct ahead {
    tgs_i_list list;
    const int32_t *order; /* HEFT's */
    int32_t *position;    /* [n] its inverse */
    int32_t *child;       /* [n] positions of the successors looked at */
    bool *placed;         /* [n] for good, or on trial */
    trial *trial;         /* [1 + children] */
    double *ready;        /* [memories] of a successor */
    int32_t children, most, trials;
} ahead;

static int ascending(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

/* each successor once, by rank */
static void find_children(ahead *x, int32_t task)
{
    const tgs_graph_view *g = x->list.v->g;
    int32_t n = 0, kept = 0;

    for (int32_t k = g->succ_at[task]; k < g->succ_at[task + 1]; k++)
        if (!x->placed[g->succ[k]]) {
            x->placed[g->succ[k]] = true; /* seen */
            x->child[n++] = x->position[g->succ[k]];
        }
    qsort(x->child, (size_t)n, sizeof *x->child, ascending);
    for (int32_t i = 0; i < n; i++) {
        x->placed[x->order[x->child[i]]] = false;
        kept += i < x->most;
    }
    x->children = kept;
}

static double largest(double a, double b)
{
    return a > b ? a : b;
}

/* arrival of a version of datum that is in from at time end, in every memory */
static void arrive(ahead *x, double end, int32_t datum, int32_t from)
{
    for (int32_t a = 0; a < x->list.v->memories; a++)
        x->ready[a] = largest(x->ready[a], end + tgs_c(x->list.v, datum, from, a));
}

/* as far as its predecessors have a place */
static void child_ready(ahead *x, int32_t task)
{
    const tgs_view *v = x->list.v;
    const tgs_graph_view *g = v->g;
    const int32_t c = g->task[task].constraint;

    for (int32_t a = 0; a < v->memories; a++)
        x->ready[a] = c >= 0 ? g->constraint[c].release : 0;
    for (int32_t k = g->pred_at[task]; k < g->pred_at[task + 1]; k++) {
        const tgs_i_done *u = &x->list.done[g->pred[k]];

        if (x->placed[g->pred[k]])
            arrive(x, u->end, g->pred_datum[k], u->memory);
    }
    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1]; i++) {
        const int32_t d = (int32_t)g->access[i].datum;

        if ((g->access[i].mode & TGS_R) && g->access[i].version < 0 && v->home[d] >= 0)
            arrive(x, 0, d, v->home[d]);
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

    x->trial[x->trials++] = (trial){start, end, proc, task};
    x->list.done[task] = (tgs_i_done){end, proc, v->p->proc[proc].memory};
    x->placed[task] = true;
}

/* by HEFT's rule; the finish time, INFINITY where it may run nowhere */
static double put_child(ahead *x, int32_t task)
{
    const tgs_view *v = x->list.v;
    double best = INFINITY, at = 0;
    int32_t proc = -1;

    child_ready(x, task);
    for (int32_t p = 0; p < v->m; p++) {
        const double ready = x->ready[v->p->proc[p].memory], w = tgs_w(v, task, p);
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
    double latest = start + tgs_w(x->list.v, task, proc);

    put(x, task, proc, start);
    if (x->children)
        latest = 0;
    for (int32_t i = 0; i < x->children; i++)
        latest = largest(latest, put_child(x, x->order[x->child[i]]));
    while (x->trials)
        x->placed[x->trial[--x->trials].task] = false;
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
    status = tgs_i_list_place(&x->list, task, proc, at, err);
    x->placed[task] = true;
    return status;
}

static tgs_status place_all(ahead *x, const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    tgs_status status =
        tgs_i_list_open(&x->list, c, plan, &(tgs_i_rule){.key = TGS_I_EFT, .insert = true}, err);

    for (int32_t i = 0; i < c->v->n; i++)
        x->position[x->order[i]] = i;
    for (int32_t i = 0; i < c->v->n && !status; i++)
        status = place(x, x->order[i], err);
    tgs_i_list_close(&x->list);
    return status;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const size_t n = (size_t)c->v->n;
    const int64_t most = tgs_arg_int(c->args, "children");
    double *wbar = tgs_mem_alloc(n, sizeof *wbar), *rank_u = tgs_mem_alloc(n, sizeof *rank_u);
    int32_t *order = tgs_mem_alloc(n, sizeof *order);
    ahead x = {.order = order, .most = most < c->v->n ? (int32_t)most : c->v->n};
    tgs_status status = TGS_OK;

    x.position = tgs_mem_alloc(n, sizeof *x.position);
    x.child = tgs_mem_alloc(n, sizeof *x.child);
    x.placed = tgs_mem_alloc(n, sizeof *x.placed);
    x.trial = tgs_mem_alloc((size_t)x.most + 1, sizeof *x.trial);
    x.ready = tgs_mem_alloc((size_t)c->v->memories, sizeof *x.ready);
    if (!wbar || !rank_u || !order || !x.position || !x.child || !x.placed || !x.trial || !x.ready)
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
    tgs_mem_free(x.placed);
    tgs_mem_free(x.trial);
    tgs_mem_free(x.ready);
    return status;
}

static const tgs_param params[] = {
    {"children", "1000", TGS_PARAM_INT, 0, 1e9, "successors looked at, at most; 0: HEFT"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_lookahead = {
    .base = {TGS_PLUGIN_ABI, "lookahead",
             "HEFT, on the processor from where the successors end first",
             "Bittencourt, Sakellariou, Madeira, PDP 2010", params},
    .run = run,
};
