/* blockplan.c -- a schedule of one block between two positions, in two ways; the better is kept.
 *
 * Branches.  The components that are left of a block without its cuts run each on one processor,
 * one task after the other, and are jobs of a fork-join in class form: p the sum of the times, r
 * and q as late and as long as the heads and tails of the tasks make them.  The scheme of fj-eptas
 * solves it.  Where no edge joins inner tasks this is the block itself.
 * Tasks.  By how long what follows them takes at least, each to the processor where it and that
 * end first: PEFT (H. Arabnejad, J. G. Barbosa, IEEE TPDS 25(3), 2014) towards a position. */
#include "chain.h"
#include "scheme.h"

/* ---- branches ------------------------------------------------------------------------------ */
typedef struct branches {
    int32_t n;
    int32_t *up, *of;  /* [tasks] union-find; branch of each task */
    double *p, *r, *q; /* [branch * classes + class] */
} branches;

static int32_t root(int32_t *up, int32_t i)
{
    while (up[i] != i)
        i = up[i] = up[up[i]];
    return i;
}

static void find_branches(const tgs_i_block *x, branches *b)
{
    const tgs_graph_view *g = x->c->v->g;

    for (int32_t i = 0; i < x->n; i++) {
        const int32_t j = g->topo[x->first + i];

        b->up[i] = i;
        for (int32_t k = g->pred_at[j]; k < g->pred_at[j + 1]; k++) {
            const int32_t u = g->topo_pos[g->pred[k]] - x->first;
            const int32_t a = u < 0 ? i : root(b->up, u), c = root(b->up, i);

            b->up[a > c ? a : c] = a < c ? a : c; /* the root is the first of its component */
        }
    }
    for (int32_t i = 0; i < x->n; i++) {
        const int32_t first = root(b->up, i);

        b->of[i] = first == i ? b->n++ : b->of[first];
    }
}

/* in canonical order: r(branch) >= head - what of the branch came before, and backwards */
static void fill_branches(const tgs_i_block *x, branches *b)
{
    const int32_t G = x->form.classes;

    for (int32_t i = 0; i < x->n; i++)
        for (int32_t g = 0; g < G; g++) {
            const int64_t from = (int64_t)i * G + g, to = (int64_t)b->of[i] * G + g;

            b->r[to] = fmax(b->r[to], x->r[from] - b->p[to]);
            b->p[to] += x->p[from];
        }
    for (int64_t k = 0; k < (int64_t)b->n * G; k++)
        b->p[k] = 0;
    for (int32_t i = x->n - 1; i >= 0; i--)
        for (int32_t g = 0; g < G; g++) {
            const int64_t from = (int64_t)i * G + g, to = (int64_t)b->of[i] * G + g;

            b->q[to] = fmax(b->q[to], x->q[from] - b->p[to]);
            b->p[to] += x->p[from];
        }
    for (int64_t k = 0; k < (int64_t)b->n * G; k++)
        if (!(b->p[k] < INFINITY))
            b->r[k] = b->q[k] = 0;
}

/* proc[n] and key[n]: the processor of each task and its start; *end is L of the branches */
static tgs_status plan_branches(const tgs_i_block *x, const branches *b, int64_t work,
                                int32_t *proc, double *key, double *end)
{
    const tgs_i_fj_form form = {b->n, x->form.classes, x->at, b->p, b->r, b->q};
    const tgs_i_fj_effort effort = {.eps = 0.005, .nodes = work / 20, .work = work};
    tgs_i_fj_answer a;
    tgs_status status = tgs_i_fj_answer_new(&a, b->n);
    bool possible = true;

    for (int32_t k = 0; k < b->n && possible; k++) {
        const int32_t g = tgs_i_fj_quickest(&form, k);

        possible = b->p[(int64_t)k * form.classes + g] < INFINITY;
    }
    if (!status && possible)
        status = tgs_i_fj_scheme(&form, &effort, INFINITY, &a);
    *end = x->since + a.L;
    for (int32_t i = 0; i < x->n && !status && a.L < INFINITY; i++) {
        double *start = &a.start[b->of[i]]; /* of the next task of the branch */

        proc[i] = x->proc[a.machine[b->of[i]]];
        key[i] = x->since + *start;
        *start += tgs_w(x->c->v, x->c->v->g->topo[x->first + i], proc[i]);
    }
    tgs_i_fj_answer_free(&a);
    return status;
}

static tgs_status by_branches(const tgs_i_block *x, int64_t work, int32_t *proc, double *key,
                              double *end)
{
    const size_t n = (size_t)x->n, size = n * (size_t)x->form.classes;
    branches b = {0,   tgs_mem_alloc(n, sizeof *b.up), tgs_mem_alloc(n, sizeof *b.of), NULL, NULL,
                  NULL};
    tgs_status status = TGS_OK;

    b.p = tgs_mem_alloc(size, sizeof *b.p);
    b.r = tgs_mem_alloc(size, sizeof *b.r);
    b.q = tgs_mem_alloc(size, sizeof *b.q);
    *end = INFINITY;
    if (b.up && b.of && b.p && b.r && b.q) {
        find_branches(x, &b);
        fill_branches(x, &b);
        if (b.n > 1 || x->n == 1)
            status = plan_branches(x, &b, work, proc, key, end);
    } else {
        status = TGS_ENOMEM;
    }
    tgs_mem_free(b.up);
    tgs_mem_free(b.of);
    tgs_mem_free(b.p);
    tgs_mem_free(b.r);
    tgs_mem_free(b.q);
    return status;
}

/* ---- tasks --------------------------------------------------------------------------------- */
typedef struct tasks {
    const tgs_i_block *x;
    int32_t *order, *proc; /* [n] */
    double *end, *start;   /* [n] */
    double *key;           /* [n] */
    double *free;          /* [m] */
    double *ready;         /* [memories] */
} tasks;

/* when the data of inner task i are in each memory */
static void find_ready(const tasks *t, int32_t i)
{
    const tgs_i_block *x = t->x;
    const tgs_view *v = x->c->v;
    const tgs_graph_view *g = v->g;
    const int32_t j = g->topo[x->first + i];

    for (int32_t a = 0; a < v->memories; a++)
        t->ready[a] = fmax(x->since, tgs_i_chain_alone(v, j, a));
    for (int32_t k = g->pred_at[j]; k < g->pred_at[j + 1]; k++) {
        const int32_t u = g->topo_pos[g->pred[k]] - x->first;
        const int32_t from = u >= 0 ? v->p->proc[t->proc[u]].memory : x->from;

        for (int32_t a = 0; a < v->memories && u >= -1 && from >= 0; a++)
            t->ready[a] = fmax(t->ready[a], (u >= 0 ? t->end[u] : x->since)
                                                + tgs_c(v, g->pred_datum[k], from, a));
    }
}

static double place_task(const tasks *t, int32_t i)
{
    const tgs_i_block *x = t->x;
    const tgs_view *v = x->c->v;
    double least = INFINITY;

    t->proc[i] = -1;
    find_ready(t, i);
    for (int32_t g = 0; g < x->form.classes; g++) {
        const int64_t k = (int64_t)i * x->form.classes + g;

        for (int32_t y = x->at[g]; y < x->at[g + 1] && x->p[k] < INFINITY; y++) {
            const int32_t p = x->proc[y];
            const double start = fmax(t->free[p], t->ready[v->p->proc[p].memory]);
            const double through = start + x->p[k] + x->q[k];

            if (through < least || (through == least && p < t->proc[i])) {
                least = through;
                t->proc[i] = p;
                t->start[i] = start;
                t->end[i] = start + x->p[k];
            }
        }
    }
    if (t->proc[i] >= 0)
        t->free[t->proc[i]] = t->end[i];
    return least;
}

/* the longest way from task i first; along every way it does not grow, so with ties by index the
 * order is topological */
static tgs_status sort_tasks(const tasks *t)
{
    const tgs_i_block *x = t->x;

    for (int32_t i = 0; i < x->n; i++) {
        double least = INFINITY;

        for (int32_t q = 0; q < x->places; q++) {
            const int64_t k = (int64_t)i * x->places + q;

            least = fmin(least, x->w[k] + x->tail[k]);
        }
        t->key[i] = -least;
    }
    for (int32_t i = x->n - 1; i >= 0; i--) { /* rounding may have broken that */
        const tgs_graph_view *g = x->c->v->g;
        const int32_t j = g->topo[x->first + i];

        for (int32_t k = g->succ_at[j]; k < g->succ_at[j + 1]; k++) {
            const int32_t s = g->topo_pos[g->succ[k]] - x->first;

            if (s < x->n)
                t->key[i] = fmin(t->key[i], t->key[s]);
        }
    }
    return tgs_i_fj_sort(t->key, x->n, t->order, NULL);
}

static tgs_status by_tasks(const tgs_i_block *x, int32_t *proc, double *start, double *end)
{
    const tgs_view *v = x->c->v;
    const size_t n = (size_t)x->n;
    tasks t = {x, tgs_mem_alloc(n, sizeof *t.order), proc, NULL, start, NULL, NULL, NULL};
    tgs_status status = TGS_ENOMEM;

    t.end = tgs_mem_alloc(n, sizeof *t.end);
    t.key = tgs_mem_alloc(n, sizeof *t.key);
    t.free = tgs_mem_alloc((size_t)v->m, sizeof *t.free);
    t.ready = tgs_mem_alloc((size_t)v->memories, sizeof *t.ready);
    *end = x->through;
    if (t.order && t.end && t.key && t.free && t.ready)
        status = sort_tasks(&t);
    for (int32_t i = 0; i < x->n && !status && *end < INFINITY; i++)
        *end = fmax(*end, place_task(&t, t.order[i]));
    tgs_mem_free(t.order);
    tgs_mem_free(t.end);
    tgs_mem_free(t.key);
    tgs_mem_free(t.free);
    tgs_mem_free(t.ready);
    return status;
}

tgs_status tgs_i_block_plan(void *user, tgs_i_block *x, double *value, tgs_error *err)
{
    tgs_i_block_planner *planner = user;
    double tasks, branches = INFINITY, *start;
    int32_t *other;
    tgs_status status;

    *value = x->through;
    if (!x->n || !(x->through < INFINITY))
        return TGS_OK;
    other = tgs_mem_alloc((size_t)x->n, sizeof *other);
    start = tgs_mem_alloc((size_t)x->n, sizeof *start);
    status = other && start ? by_tasks(x, planner->proc + x->first, planner->key + x->first, &tasks)
                            : TGS_ENOMEM;
    if (!status)
        status = by_branches(x, planner->work, other, start, &branches);
    if (!status)
        *value = fmax(x->through, fmin(tasks, branches));
    for (int32_t i = 0; i < x->n && !status && branches < tasks; i++) {
        planner->proc[x->first + i] = other[i];
        planner->key[x->first + i] = start[i];
    }
    tgs_mem_free(other);
    tgs_mem_free(start);
    return status ? tgs_fail(err, status, "out of memory to plan a block of %d tasks", x->n)
                  : TGS_OK;
}

/* ---- a chain ------------------------------------------------------------------------------- */
/* the processor of the memory where task takes least time, ties by index; -1: none may run it */
static int32_t fastest(const tgs_view *v, int32_t task, int32_t memory)
{
    double least = INFINITY;
    int32_t best = -1;

    for (int32_t p = 0; p < v->m; p++)
        if (v->p->proc[p].memory == memory && tgs_w(v, task, p) < least) {
            least = tgs_w(v, task, p);
            best = p;
        }
    return best;
}

/* the blocks again, from cut to cut, now that the positions are known */
static tgs_status lay_chain(const tgs_i_chain *x, tgs_i_block_planner *planner,
                            const int32_t *memory, tgs_error *err)
{
    const tgs_view *v = x->v;
    double since = 0;
    tgs_status status = TGS_OK;

    for (int32_t b = 0; b <= x->cuts && !status; b++) {
        const int32_t from = b ? memory[b - 1] : TGS_I_NOWHERE;
        const int32_t to = b < x->cuts ? memory[b] : TGS_I_NOWHERE;
        tgs_i_block block;
        double start = 0;

        status = tgs_i_block_open(&block, x, b, from, to, since, err);
        if (!status)
            status = tgs_i_block_plan(planner, &block, &start, err);
        tgs_i_block_close(&block);
        if (b < x->cuts && !status) {
            const int32_t cut = v->g->topo[x->cut[b]], p = fastest(v, cut, to);

            planner->proc[x->cut[b]] = p;
            planner->key[x->cut[b]] = fmax(start, tgs_i_chain_alone(v, cut, to));
            since = planner->key[x->cut[b]] + tgs_w(v, cut, p);
        }
    }
    return status;
}

tgs_status tgs_i_chain_plan(const tgs_ctx *c, const tgs_i_chain *x, int64_t work, int32_t *proc,
                            double *key, bool *possible, tgs_error *err)
{
    const size_t n = (size_t)x->v->n;
    tgs_i_block_planner planner = {work, tgs_mem_alloc(n, sizeof *planner.proc),
                                   tgs_mem_alloc(n, sizeof *planner.key)};
    int32_t *memory = tgs_mem_alloc((size_t)x->cuts, sizeof *memory);
    double least;
    tgs_status status = TGS_OK;

    *possible = false;
    if (!planner.proc || !planner.key || !memory)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory to plan %d tasks", x->v->n);
    if (!status && !x->coarse)
        status = tgs_i_chain_positions(c, x, tgs_i_block_plan, &planner, memory, &least, err);
    if (!status && !x->coarse && least < INFINITY) {
        *possible = true;
        status = lay_chain(x, &planner, memory, err);
    }
    for (int32_t i = 0; i < x->v->n && !status && *possible; i++) {
        proc[x->v->g->topo[i]] = planner.proc[i];
        key[x->v->g->topo[i]] = planner.key[i];
        *possible = planner.proc[i] >= 0;
    }
    tgs_mem_free(planner.proc);
    tgs_mem_free(planner.key);
    tgs_mem_free(memory);
    return status;
}
