/* regroup.c -- iterated local search over assignments.
 *
 * What a schedule's makespan depends on is a chain of tasks, each of which waits for data of the
 * next one back, or for its processor.  A move takes a critical task, or a run of critical tasks
 * that share a processor, or a line of tasks that have nothing between them (a branch), to another
 * processor, or a critical task before those of its processor that it waits for; the assignment is
 * played again, and the first move that gives a better schedule is kept.  Where none does, a few
 * moves at random kick the search; after PATIENCE kicks without a better schedule it returns to the
 * best one.
 *
 * Of processors that are alike (kind, speed, memory) only the one with the least work is tried.
 * Tasks with a group stay where they are.  A play is O(e + n log n). */
#include <string.h>
#include "regroup.h"

#define PATIENCE 12

typedef struct search {
    const tgs_ctx *c;
    const tgs_view *v;
    tgs_i_player *player;
    tgs_i_layout now, trial;
    int32_t *critical, *order; /* [n] */
    int32_t *targets;          /* [m] one processor of each sort, the idlest */
    int32_t *sort;             /* [m] processors that are alike have one number */
    double *load;              /* [m] */
    int32_t *next; /* [n] the only successor of a task whose only predecessor it is; -1 */
    int32_t *line; /* [n] first task of its line */
    int32_t sorts;
    int64_t plays, first, work; /* first: what the player had placed before */
    double lower;
    tgs_status status;
} search;

static bool spent(search *x)
{
    const tgs_ctx *c = x->c;

    return x->status || x->player->placed - x->first >= x->work
           || (x->plays % 64 == 0 && c->stop && c->stop(c->user));
}

static void play(search *x, double limit)
{
    x->status = tgs_i_play(x->player, &x->trial, TGS_I_KEY, limit);
    if (++x->plays % 64 == 0 && x->c->progress)
        x->c->progress(x->c->user, (double)(x->player->placed - x->first) / (double)x->work);
}

/* ---- what is moved, and where to ------------------------------------------------------------ */
static void find_sorts(search *x)
{
    const tgs_platform_view *p = x->v->p;

    for (int32_t a = 0; a < p->procs; a++) {
        int32_t s = 0;

        for (; s < x->sorts; s++) {
            const tgs_proc *one = &p->proc[x->targets[s]], *other = &p->proc[a];

            if (one->kind == other->kind && one->memory == other->memory
                && one->speed == other->speed && !x->v->pin_proc)
                break;
        }
        x->sort[a] = s;
        if (s == x->sorts)
            x->targets[x->sorts++] = a;
    }
}

static void find_lines(search *x)
{
    const tgs_graph_view *g = x->v->g;

    for (int32_t i = 0; i < x->v->n; i++) {
        const int32_t j = g->topo[i];
        int32_t only = -1;
        bool alone = true;

        for (int32_t k = g->pred_at[j]; k < g->pred_at[j + 1]; k++) {
            alone = alone && (only < 0 || only == g->pred[k]);
            only = g->pred[k];
        }
        for (int32_t k = only < 0 ? 0 : g->succ_at[only]; only >= 0 && k < g->succ_at[only + 1];
             k++)
            alone = alone && g->succ[k] == j;
        x->next[j] = -1;
        x->line[j] = alone && only >= 0 ? x->line[only] : j;
        if (alone && only >= 0)
            x->next[only] = j;
    }
}

static void find_targets(search *x)
{
    memset(x->load, 0, (size_t)x->v->m * sizeof *x->load);
    for (int32_t j = 0; j < x->v->n; j++)
        x->load[x->now.proc[j]] += x->now.end[j] - x->now.start[j];
    for (int32_t s = 0; s < x->sorts; s++)
        x->targets[s] = -1;
    for (int32_t p = 0; p < x->v->m; p++) {
        int32_t *t = &x->targets[x->sort[p]];

        if (*t < 0 || x->load[p] < x->load[*t])
            *t = p;
    }
}

static bool movable(const search *x, int32_t task, int32_t proc)
{
    const int32_t k = x->v->g->task[task].constraint;

    return (k < 0 || x->v->g->constraint[k].group < 0) && tgs_allowed(x->v, task, proc);
}

/* of trial; false: it stays */
static bool put(search *x, int32_t task, int32_t proc)
{
    if (x->trial.proc[task] == proc || !movable(x, task, proc))
        return false;
    x->trial.proc[task] = proc;
    return true;
}

typedef enum move { ONE, RUN, LINE, AHEAD, MOVES } move;

/* moves critical task i of the chain of count (and what goes with it) in trial */
static bool apply(search *x, move what, int32_t i, int32_t count, int32_t proc)
{
    const int32_t task = x->critical[i], from = x->now.proc[task];
    bool moved = what != AHEAD && put(x, task, proc);

    switch (what) {
    case AHEAD: /* of those of its processor it waits for, as far as the chain goes */
        for (int32_t k = i + 1; k < count && x->now.proc[x->critical[k]] == from; k++) {
            moved = true;
            x->trial.key[task] = x->now.key[x->critical[k]];
            if (tgs_rng_int(x->c->rng, 0, 1))
                break;
        }
        x->trial.key[task] -= 1e-9 * x->now.makespan;
        break;
    case RUN:
        for (int32_t k = i + 1; k < count && x->now.proc[x->critical[k]] == from; k++)
            moved = put(x, x->critical[k], proc) || moved;
        break;
    case LINE:
        for (int32_t j = x->line[task]; j >= 0; j = x->next[j])
            moved = put(x, j, proc) || moved;
        break;
    default:
        break;
    }
    return moved;
}

/* ---- the search ---------------------------------------------------------------------------- */
static bool try_move(search *x, move what, int32_t i, int32_t count, int32_t proc)
{
    memcpy(x->trial.proc, x->now.proc, (size_t)x->v->n * sizeof *x->trial.proc);
    memcpy(x->trial.key, x->now.key, (size_t)x->v->n * sizeof *x->trial.key);
    if (!apply(x, what, i, count, proc))
        return false;
    play(x, x->now.late > 0 ? INFINITY : x->now.makespan);
    if (x->status || !tgs_i_layout_better(&x->trial, &x->now))
        return false;
    const tgs_i_layout swap = x->now;

    x->now = x->trial;
    x->trial = swap;
    memcpy(x->now.key, x->now.start, (size_t)x->v->n * sizeof *x->now.key);
    return true;
}

/* the critical tasks of now */
static int32_t chain(search *x)
{
    int32_t count = 0;
    x->status = tgs_i_critical_chain(x->player, &x->now, x->critical, &count);
    return count;
}

/* one better neighbour of now, looked for in random order */
static bool improve(search *x)
{
    const int32_t count = chain(x);
    tgs_rng *r = x->c->rng;

    if (x->status)
        return false;
    find_targets(x);
    for (int32_t i = 0; i < count; i++)
        x->order[i] = i;
    for (int32_t i = 0; i < count; i++) {
        const int32_t other = (int32_t)tgs_rng_int(r, i, count - 1), k = x->order[other];
        const int32_t turn = (int32_t)tgs_rng_int(r, 0, x->sorts - 1);

        x->order[other] = x->order[i];
        x->order[i] = k;
        for (int32_t t = 0; t < MOVES * x->sorts; t++) {
            const int32_t proc = x->targets[(t / MOVES + turn) % x->sorts];

            if (spent(x))
                return false;
            if (try_move(x, (move)(t % MOVES), k, count, proc))
                return true;
        }
    }
    return false;
}

/* one to three moves at random, mostly of critical tasks; whatever comes of it is now */
static void kick(search *x)
{
    tgs_rng *r = x->c->rng;
    const int32_t count = chain(x), moves = (int32_t)tgs_rng_int(r, 1, 3);

    if (x->status)
        return;
    find_targets(x);
    tgs_i_layout_copy(&x->trial, &x->now, x->v->n);
    for (int32_t i = 0; i < moves; i++)
        apply(x, (move)tgs_rng_int(r, 0, MOVES - 1), (int32_t)tgs_rng_int(r, 0, count - 1), count,
              x->targets[tgs_rng_int(r, 0, x->sorts - 1)]);
    play(x, INFINITY);
    if (!x->status && x->trial.makespan < INFINITY)
        tgs_i_layout_copy(&x->now, &x->trial, x->v->n);
    memcpy(x->now.key, x->now.start, (size_t)x->v->n * sizeof *x->now.key);
}

static void iterate(search *x, tgs_i_layout *best)
{
    int32_t failures = 0;

    tgs_i_layout_copy(&x->now, best, x->v->n);
    memcpy(x->now.key, x->now.start, (size_t)x->v->n * sizeof *x->now.key);
    x->status = tgs_i_play(x->player, &x->now, TGS_I_KEY, INFINITY);
    while (!spent(x) && (best->late > 0 || best->makespan > x->lower)) {
        while (improve(x))
            ;
        if (tgs_i_layout_better(&x->now, best)) {
            tgs_i_layout_copy(best, &x->now, x->v->n);
            failures = 0;
        } else if (++failures == PATIENCE) {
            tgs_i_layout_copy(&x->now, best, x->v->n);
            failures = 0;
        }
        kick(x);
    }
}

tgs_status tgs_i_regroup(const tgs_ctx *c, tgs_i_player *player, int64_t work, double lower,
                         tgs_i_layout *best, tgs_error *err)
{
    const tgs_view *v = c->v;
    const size_t n = (size_t)v->n, m = (size_t)v->m;
    search x = {
        .c = c, .v = v, .player = player, .first = player->placed, .work = work, .lower = lower};
    tgs_status status = tgs_i_layout_open(&x.now, v->n, err);

    if (!status)
        status = tgs_i_layout_open(&x.trial, v->n, err);
    x.critical = tgs_mem_alloc(n, 4 * sizeof *x.critical);
    x.targets = tgs_mem_alloc(m, 2 * sizeof *x.targets);
    x.load = tgs_mem_alloc(m, sizeof *x.load);
    if (!status && (!x.critical || !x.targets || !x.load))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory to search %d tasks", v->n);
    if (!status && v->n) {
        x.order = x.critical + n;
        x.next = x.order + n;
        x.line = x.next + n;
        x.sort = x.targets + m;
        find_sorts(&x);
        find_lines(&x);
        iterate(&x, best);
        if (x.status)
            status = tgs_fail(err, x.status, "out of memory to search %d tasks", v->n);
    }
    tgs_i_layout_close(&x.now);
    tgs_i_layout_close(&x.trial);
    tgs_mem_free(x.critical);
    tgs_mem_free(x.targets);
    tgs_mem_free(x.load);
    return status;
}
