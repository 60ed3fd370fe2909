/* hbmct.c -- HBMCT, hybrid balanced minimum completion time.
 *
 * R. Sakellariou, H. Zhao, "A hybrid heuristic for DAG scheduling on heterogeneous systems", IPDPS
 * 2004.
 *
 * Tasks by non-increasing rank_u are cut into groups of independent ones: a task begins a new group
 * when one of its predecessors is in the present one.  Each group is balanced (BMCT): every task
 * goes to the processor that runs it fastest; then, again and again, a task leaves the processor
 * that ends last for the one that would end first with it, if both then end before that; tasks in
 * the order of their mean EST, until none can.  On a processor tasks follow each other in that
 * order. Appends.
 *
 * What a processor would end with is found in O(log group) (sequence.c).  A group makes at most its
 * size times p moves, O(p log group) each when the first task tried can go.
 *
 * Tasks of one memory (a colocation group of the graph) are groups of their own here. */
#include <stdlib.h>
#include "core.h"

typedef struct member {       /* a task of the group in hand; in the order of their mean EST */
    double mean;              /* over the processors that may run it */
    int32_t task, rank, proc; /* rank: place in the order of rank_u */
} member;

typedef struct hbmct {
    tgs_i_list list;
    const int32_t *order; /* by rank_u */
    int32_t *group;       /* [n] the group a task is in, -1 none yet */
    member *item;         /* [size] */
    tgs_i_run *run;       /* [size] the same on their processors */
    double *ready;        /* [place * memories + memory] */
    int64_t item_room, run_room, ready_room;
    int32_t *root; /* [m] */
    int32_t size;
} hbmct;

/* the data ready time and time of item i on a processor; false: it may not run there */
static bool terms(const hbmct *x, int32_t i, int32_t proc, tgs_i_run *r)
{
    const tgs_view *v = x->list.v;
    const double ready = x->ready[(int64_t)i * v->memories + v->p->proc[proc].memory];

    if (!(ready < INFINITY) || !tgs_i_list_may(&x->list, x->item[i].task, proc))
        return false;
    *r = (tgs_i_run){.ready = ready, .w = tgs_w(v, x->item[i].task, proc)};
    return true;
}

static double end_now(const hbmct *x, int32_t proc)
{
    return tgs_i_run_end(x->run, x->root[proc], x->list.line[proc].free);
}

static void put(hbmct *x, int32_t i, int32_t proc, tgs_i_run r)
{
    x->item[i].proc = proc;
    x->run[i] = r;
    x->root[proc] = tgs_i_run_insert(x->run, x->root[proc], i);
}

/* ---- BMCT ------------------------------------------------------------------------------------ */
/* of those that hold tasks of the group */
static int32_t last_to_end(const hbmct *x)
{
    double latest = -1;
    int32_t last = -1;

    for (int32_t p = 0; p < x->list.v->m; p++)
        if (x->root[p] >= 0 && end_now(x, p) > latest) {
            latest = end_now(x, p);
            last = p;
        }
    return last;
}

/* moves item i from the processor that ends last, if that and its new one then end before */
static bool move(hbmct *x, int32_t i, int32_t last)
{
    const double before = end_now(x, last);
    double least = before;
    int32_t to = -1;
    const tgs_i_run back = x->run[i];
    tgs_i_run r, best = back;
    bool moves;

    for (int32_t p = 0; p < x->list.v->m; p++) {
        double end;

        if (p == last || !terms(x, i, p, &r))
            continue;
        end = tgs_i_run_end_with(x->run, x->root[p], x->list.line[p].free, i, r);
        if (end < least) {
            least = end;
            best = r;
            to = p;
        }
    }
    if (to < 0)
        return false;
    x->root[last] = tgs_i_run_erase(x->run, x->root[last], i);
    moves = end_now(x, last) < before;
    if (moves)
        put(x, i, to, best);
    else
        put(x, i, last, back);
    return moves;
}

static void balance(hbmct *x)
{
    for (int64_t moves = (int64_t)x->size * x->list.v->m; moves > 0; moves--) {
        const int32_t last = last_to_end(x);
        int32_t i = tgs_i_run_next(x->run, x->root[last], -1);

        while (i >= 0 && !move(x, i, last))
            i = tgs_i_run_next(x->run, x->root[last], i);
        if (i < 0)
            return;
    }
}

/* where it runs, or with completion ends, first; -1: nowhere */
static int32_t first_choice(const hbmct *x, int32_t i, bool completion, tgs_i_run *r)
{
    double least = INFINITY;
    int32_t best = -1;

    for (int32_t p = 0; p < x->list.v->m; p++) {
        tgs_i_run t;
        double key;

        if (!terms(x, i, p, &t))
            continue;
        key = completion ? tgs_i_run_end_with(x->run, x->root[p], x->list.line[p].free, i, t) : t.w;
        if (key < least) {
            least = key;
            best = p;
            *r = t;
        }
    }
    return best;
}

/* ---- groups ---------------------------------------------------------------------------------- */
static double mean_start(const hbmct *x, int32_t task)
{
    const tgs_i_list *s = &x->list;
    double sum = 0;
    int32_t n = 0;

    tgs_i_list_ready(s, task, s->ready);
    for (int32_t p = 0; p < s->v->m; p++) {
        const double ready = s->ready[s->v->p->proc[p].memory];

        if (!(ready < INFINITY) || !tgs_i_list_may(s, task, p))
            continue;
        sum += ready > s->line[p].free ? ready : s->line[p].free;
        n++;
    }
    return n ? sum / n : 0;
}

static int by_mean(const void *a, const void *b)
{
    const member *x = a, *y = b;

    if (x->mean != y->mean)
        return x->mean < y->mean ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* the tasks of the order from first to last */
static tgs_status place_group(hbmct *x, int32_t first, int32_t last, bool completion,
                              tgs_error *err)
{
    const int64_t M = x->list.v->memories, size = last - first + 1;
    tgs_status status = TGS_OK;

    if (tgs_mem_grow(&x->item, &x->item_room, size, sizeof *x->item)
        || tgs_mem_grow(&x->run, &x->run_room, size, sizeof *x->run)
        || tgs_mem_grow(&x->ready, &x->ready_room, size * M, sizeof *x->ready))
        return tgs_fail(err, TGS_ENOMEM, "out of memory for a group of %d tasks", (int)size);
    x->size = (int32_t)size;
    for (int32_t i = 0; i < x->size; i++) {
        x->item[i] = (member){.task = x->order[first + i], .rank = i};
        x->item[i].mean = mean_start(x, x->item[i].task);
    }
    qsort(x->item, (size_t)size, sizeof *x->item, by_mean);
    for (int32_t i = 0; i < x->size && !status; i++) {
        tgs_i_run r = {.w = 0};
        int32_t proc;

        tgs_i_list_ready(&x->list, x->item[i].task, x->ready + i * M);
        proc = first_choice(x, i, completion, &r);
        if (proc < 0)
            status = tgs_i_list_place(&x->list, x->item[i].task, -1, 0, err);
        else
            put(x, i, proc, r);
    }
    if (!status)
        balance(x);
    for (int32_t p = 0; p < x->list.v->m; p++)
        x->root[p] = -1;
    for (int32_t i = 0; i < x->size && !status; i++) {
        const member *m = &x->item[i];
        const double free = x->list.line[m->proc].free, ready = x->run[i].ready;

        status = tgs_i_list_place(&x->list, m->task, m->proc, ready > free ? ready : free, err);
    }
    return status;
}

static bool colocated(const tgs_graph_view *g, int32_t task)
{
    const int32_t i = g->task[task].constraint;

    return i >= 0 && g->constraint[i].group >= 0;
}

/* does a task follow one of the group, or must either stay alone? */
static bool begins_group(const hbmct *x, int32_t task, int32_t last, int32_t group)
{
    const tgs_graph_view *g = x->list.v->g;

    if (colocated(g, task) || colocated(g, last))
        return true;
    for (int32_t k = g->pred_at[task]; k < g->pred_at[task + 1]; k++)
        if (x->group[g->pred[k]] == group)
            return true;
    return false;
}

static tgs_status place_all(hbmct *x, bool completion, tgs_error *err)
{
    const int32_t n = x->list.v->n;
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < n; i++)
        x->group[i] = -1;
    for (int32_t p = 0; p < x->list.v->m; p++)
        x->root[p] = -1;
    for (int32_t first = 0, last, group = 0; first < n && !status; first = last + 1, group++) {
        last = first;
        x->group[x->order[first]] = group;
        while (last + 1 < n && !begins_group(x, x->order[last + 1], x->order[last], group))
            x->group[x->order[++last]] = group;
        status = place_group(x, first, last, completion, err);
    }
    return status;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const tgs_view *v = c->v;
    double *wbar = tgs_mem_alloc((size_t)v->n, sizeof *wbar);
    double *rank_u = tgs_mem_alloc((size_t)v->n, sizeof *rank_u);
    int32_t *order = tgs_mem_alloc((size_t)v->n, sizeof *order);
    hbmct x = {.order = order};
    int32_t completion = 0;
    tgs_status status = tgs_i_choice(c, "begin", "exec|completion", &completion, err);

    x.group = tgs_mem_alloc((size_t)v->n, sizeof *x.group);
    x.root = tgs_mem_alloc((size_t)v->m, sizeof *x.root);
    if (!status && (!wbar || !rank_u || !order || !x.group || !x.root))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the ranks of %d tasks", v->n);
    if (!status)
        status = tgs_i_weights(v, TGS_I_MEAN, wbar, err);
    if (!status) {
        tgs_i_rank_up(v, wbar, true, rank_u);
        status = tgs_i_sort(v, rank_u, NULL, order, err);
    }
    if (!status)
        status = tgs_i_list_open(&x.list, c, plan, &(tgs_i_rule){.key = TGS_I_EFT}, err);
    if (!status)
        status = place_all(&x, completion, err);
    tgs_i_list_close(&x.list);
    tgs_mem_free(wbar);
    tgs_mem_free(rank_u);
    tgs_mem_free(order);
    tgs_mem_free(x.group);
    tgs_mem_free(x.root);
    tgs_mem_free(x.item);
    tgs_mem_free(x.run);
    tgs_mem_free(x.ready);
    return status;
}

static const tgs_param params[] = {
    {"begin", "exec", TGS_PARAM_TEXT, 0, 0,
     "each task of a group first goes where it runs (exec) or ends (completion) first"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_hbmct = {
    .base = {TGS_PLUGIN_ABI, "hbmct", "groups of independent tasks, balanced by moves",
             "Sakellariou, Zhao, IPDPS 2004", params},
    .run = run,
};
