/* heteroprio.c -- HeteroPrio: each kind of processor takes what suits it best.
 *
 * E. Agullo et al., "Task-based FMM for heterogeneous architectures", Concurrency and Computation
 * 28(9), 2016 (the scheduler of StarPU); O. Beaumont, L. Eyraud-Dubois, S. Kumar, "Approximation
 * proofs of a fast and efficient list scheduling algorithm for task-based runtime systems on
 * multicores and GPUs", IPDPS 2017.
 *
 * The ready tasks are ordered by their acceleration factor p_j / q_j, the time on one kind over
 * that on the other; an idle processor takes from its kind's end, ties by rank_u.  When nothing is
 * ready for an idle processor it may spoliate: take over the task that would end last, of those
 * running on other kinds, which it ends earlier itself although it begins anew.
 *
 * With more kinds the factor of a task on a kind is its least time elsewhere over that there, and
 * each kind has its own order; for two these are the two ends.  Of several idle kinds the one whose
 * first task has the largest factor goes first, and of a kind the processor on which the task ends
 * first (data move, unlike in the paper).  A task runs as soon as it is taken, so an event is the
 * end of a task or a release.  O(k (n log n + e) + events * p). */
#include "core.h"

typedef struct prio {
    tgs_i_list list;
    const tgs_view *v;
    int32_t *waits; /* [n] */
    double *factor; /* [kind * n + task] in [0, 1] */
    int32_t *order; /* [kind * n] tasks by factor, then rank_u */
    int32_t *place; /* [kind * n + task] its inverse */
    tgs_heap
        *queue;    /* [kinds], then [m] for what is pinned: places; what is taken stays until met */
    int64_t *room; /* [kinds + m] */
    tgs_heap event; /* time; task, or n + task for its release */
    int64_t event_room;
    int32_t *running; /* [m] task, -1 idle */
    int32_t *idle;    /* [kinds] processors that are idle */
    bool *taken;      /* [n] */
    int32_t *aside;   /* [n] scratch: places that no idle processor may take */
    double now;
} prio;

static tgs_status no_memory(tgs_error *err)
{
    return tgs_fail(err, TGS_ENOMEM, "out of memory for the ready tasks");
}

static tgs_status push(tgs_heap *h, int64_t *room, double key, int32_t id)
{
    if (tgs_mem_grow(&h->item, room, (int64_t)h->size + 1, sizeof *h->item))
        return TGS_ENOMEM;
    tgs_heap_push(h, key, id);
    return TGS_OK;
}

/* f / (1 + f) of the factor f, which keeps its order and an infinite one finite */
static double factor_of(const tgs_view *v, int32_t task, int32_t kind)
{
    const double *time = v->time + (int64_t)task * v->kinds;
    double other = INFINITY;

    if (v->kinds == 1)
        return 0.5;
    for (int32_t k = 0; k < v->kinds; k++)
        if (k != kind && time[k] < other)
            other = time[k];
    if (!(time[kind] < INFINITY))
        return 0;
    if (!(other < INFINITY))
        return 1;
    return other + time[kind] > 0 ? other / (other + time[kind]) : 0.5;
}

static tgs_status find_orders(prio *x, tgs_error *err)
{
    const tgs_view *v = x->v;
    const int32_t n = v->n;
    double *wbar = tgs_mem_alloc((size_t)n, sizeof *wbar);
    double *rank_u = tgs_mem_alloc((size_t)n, sizeof *rank_u);
    tgs_status status = wbar && rank_u ? TGS_OK : no_memory(err);

    if (!status)
        status = tgs_i_weights(v, TGS_I_MEAN, wbar, err);
    if (!status)
        tgs_i_rank_up(v, wbar, true, rank_u);
    for (int32_t k = 0; k < v->kinds && !status; k++) {
        const int64_t at = (int64_t)k * n;

        for (int32_t j = 0; j < n; j++)
            x->factor[at + j] = factor_of(v, j, k);
        status = tgs_i_sort(v, x->factor + at, rank_u, x->order + at, err);
        for (int32_t i = 0; i < n && !status; i++)
            x->place[at + x->order[at + i]] = i;
    }
    tgs_mem_free(wbar);
    tgs_mem_free(rank_u);
    return status;
}

/* every predecessor has ended, and the task is released */
static tgs_status enter(prio *x, int32_t task)
{
    const int32_t pin = x->v->pin_proc ? x->v->pin_proc[task] : -1;

    if (pin >= 0) {
        const int32_t place = x->place[(int64_t)x->v->p->proc[pin].kind * x->v->n + task];
        const int32_t q = x->v->kinds + pin;

        return push(&x->queue[q], &x->room[q], place, place);
    }
    for (int32_t k = 0; k < x->v->kinds; k++) {
        const int32_t place = x->place[(int64_t)k * x->v->n + task];

        if (x->v->time[(int64_t)task * x->v->kinds + k] < INFINITY
            && push(&x->queue[k], &x->room[k], place, place))
            return TGS_ENOMEM;
    }
    return TGS_OK;
}

static tgs_status release(prio *x, int32_t task)
{
    const int32_t i = x->v->g->task[task].constraint;
    const double release = i < 0 ? 0 : x->v->g->constraint[i].release;

    if (release > x->now)
        return push(&x->event, &x->event_room, release, x->v->n + task);
    return enter(x, task);
}

static int32_t front(prio *x, int32_t queue, int32_t kind)
{
    tgs_heap *q = &x->queue[queue];
    const int32_t *order = x->order + (int64_t)kind * x->v->n;

    while (q->size && x->taken[order[q->item[0].id]])
        tgs_heap_pop(q);
    return q->size ? order[q->item[0].id] : -1;
}

/* the idle processor of a kind on which a task ends first; -1: it may run on none */
static int32_t best_idle(prio *x, int32_t task, int32_t kind, double *start)
{
    double end = INFINITY;
    int32_t best = -1;

    tgs_i_list_ready(&x->list, task, x->list.ready);
    for (int32_t p = 0; p < x->v->m; p++) {
        const double arrival = x->list.ready[x->v->p->proc[p].memory];
        const double from = arrival > x->now ? arrival : x->now;

        if (x->running[p] >= 0 || x->v->p->proc[p].kind != kind
            || !(from + tgs_w(x->v, task, p) < end) || !tgs_i_list_may(&x->list, task, p))
            continue;
        end = from + tgs_w(x->v, task, p);
        best = p;
        *start = from;
    }
    return best;
}

static tgs_status begin(prio *x, int32_t task, int32_t proc, double start, tgs_error *err)
{
    const tgs_status status = tgs_i_list_place(&x->list, task, proc, start, err);

    if (status)
        return status;
    x->taken[task] = true;
    x->running[proc] = task;
    x->idle[x->v->p->proc[proc].kind]--;
    return push(&x->event, &x->event_room, x->list.done[task].end, task) ? no_memory(err) : TGS_OK;
}

/* the first task of a kind's order that an idle processor of it may take; what none may take stays
 * in the queue */
static int32_t find_task(prio *x, int32_t kind, int32_t *proc, double *start)
{
    int32_t task, asides = 0;

    *proc = -1;
    while ((task = front(x, kind, kind)) >= 0 && (*proc = best_idle(x, task, kind, start)) < 0)
        x->aside[asides++] = tgs_heap_pop(&x->queue[kind]).id;
    while (asides) {
        const int32_t place = x->aside[--asides];

        tgs_heap_push(&x->queue[kind], place, place);
    }
    return *proc < 0 ? -1 : task;
}

/* What is pinned to an idle processor goes before all else. */
static tgs_status serve_pinned(prio *x, tgs_error *err)
{
    for (int32_t p = 0; p < x->v->m; p++) {
        const int32_t kind = x->v->p->proc[p].kind, task = front(x, x->v->kinds + p, kind);
        double ready;
        tgs_status status;

        if (task < 0 || x->running[p] >= 0)
            continue;
        ready = tgs_i_list_arrival(&x->list, task, x->v->p->proc[p].memory);
        if (!(ready < INFINITY) || !tgs_i_list_may(&x->list, task, p))
            return tgs_i_list_place(&x->list, task, -1, 0, err);
        status = begin(x, task, p, ready > x->now ? ready : x->now, err);
        if (status)
            return status;
    }
    return TGS_OK;
}

/* Gives the idle processors what is ready; a kind that finds nothing is done with until the next
 * event. */
static tgs_status serve(prio *x, bool *open, tgs_error *err)
{
    tgs_status status = x->v->pin_proc ? serve_pinned(x, err) : TGS_OK;

    for (int32_t k = 0; k < x->v->kinds; k++)
        open[k] = x->idle[k] > 0;
    while (!status) {
        int32_t kind = -1, task, proc;
        double most = -1, start = 0;

        for (int32_t k = 0; k < x->v->kinds; k++) {
            const int32_t first = open[k] ? front(x, k, k) : -1;

            if (first >= 0 && x->factor[(int64_t)k * x->v->n + first] > most) {
                most = x->factor[(int64_t)k * x->v->n + first];
                kind = k;
            }
        }
        if (kind < 0)
            return TGS_OK;
        task = find_task(x, kind, &proc, &start);
        status = task < 0 ? TGS_OK : begin(x, task, proc, start, err);
        open[kind] = task >= 0 && x->idle[kind];
    }
    return status;
}

/* one task of another kind's processor for the idle ones of a kind: false when none ends earlier */
static bool spoliate(prio *x, int32_t kind, tgs_status *status, tgs_error *err)
{
    double latest = x->now, start = 0, speed = 0;
    int32_t task = -1, proc = -1;

    for (int32_t p = 0; p < x->v->m; p++)
        if (x->v->p->proc[p].kind == kind && x->running[p] < 0)
            speed = fmax(speed, x->v->p->proc[p].speed);

    for (int32_t p = 0; p < x->v->m; p++) {
        const int32_t j = x->running[p];
        double from;
        int32_t q;

        if (j < 0 || x->v->p->proc[p].kind == kind || !(x->list.done[j].end > latest)
            || !(x->now + x->v->time[(int64_t)j * x->v->kinds + kind] / speed
                 < x->list.done[j].end))
            continue;
        q = best_idle(x, j, kind, &from);
        if (q < 0 || !(from + tgs_w(x->v, j, q) < x->list.done[j].end))
            continue;
        latest = x->list.done[j].end;
        task = j;
        proc = q;
        start = from;
    }
    if (task < 0)
        return false;
    x->list.line[x->list.done[task].proc].free = x->now;
    x->running[x->list.done[task].proc] = -1;
    x->idle[x->v->p->proc[x->list.done[task].proc].kind]++;
    *status = begin(x, task, proc, start, err);
    return !*status;
}

/* a task has ended, unless it was spoliated; or is released */
static tgs_status happen(prio *x, tgs_heap_item event)
{
    const tgs_graph_view *g = x->v->g;
    const int32_t task = event.id;
    int32_t proc;
    tgs_status status = TGS_OK;

    if (task >= x->v->n)
        return enter(x, task - x->v->n);
    proc = x->list.done[task].proc;
    if (x->list.done[task].end != event.key || x->running[proc] != task)
        return TGS_OK;
    x->running[proc] = -1;
    x->idle[x->v->p->proc[proc].kind]++;
    for (int32_t k = g->succ_at[task]; k < g->succ_at[task + 1] && !status; k++)
        if (!--x->waits[g->succ[k]])
            status = release(x, g->succ[k]);
    return status;
}

static tgs_status play(prio *x, bool *open, bool spoliation, tgs_error *err)
{
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < x->v->n && !status; i++)
        if (!x->waits[x->v->g->topo[i]])
            status = release(x, x->v->g->topo[i]);
    while (!status) {
        status = serve(x, open, err);
        for (int32_t k = 0; k < x->v->kinds && spoliation && !status; k++)
            while (x->idle[k] && spoliate(x, k, &status, err))
                ;
        if (status || !x->event.size)
            return status;
        x->now = x->event.item[0].key;
        while (x->event.size && x->event.item[0].key == x->now && !status)
            status = happen(x, tgs_heap_pop(&x->event));
        if (status)
            return no_memory(err);
    }
    return no_memory(err);
}

static tgs_status open_all(prio *x, const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const tgs_view *v = c->v;
    const size_t n = (size_t)v->n, kinds = (size_t)v->kinds, m = (size_t)v->m;
    tgs_status status;

    x->waits = tgs_mem_alloc(n, sizeof *x->waits);
    x->factor = tgs_mem_alloc(n * kinds, sizeof *x->factor);
    x->order = tgs_mem_alloc(n * kinds, sizeof *x->order);
    x->place = tgs_mem_alloc(n * kinds, sizeof *x->place);
    x->queue = tgs_mem_alloc(kinds + m, sizeof *x->queue);
    x->room = tgs_mem_alloc(kinds + m, sizeof *x->room);
    x->running = tgs_mem_alloc(m, sizeof *x->running);
    x->idle = tgs_mem_alloc(kinds, sizeof *x->idle);
    x->taken = tgs_mem_alloc(n, sizeof *x->taken);
    x->aside = tgs_mem_alloc(n, sizeof *x->aside);
    if (!x->waits || !x->factor || !x->order || !x->place || !x->queue || !x->room || !x->running
        || !x->idle || !x->taken || !x->aside)
        return no_memory(err);
    status = find_orders(x, err);
    if (!status)
        status = tgs_i_list_open(&x->list, c, plan, &(tgs_i_rule){.key = TGS_I_EFT}, err);
    for (int32_t j = 0; j < v->n; j++)
        x->waits[j] = v->g->pred_at[j + 1] - v->g->pred_at[j];
    for (int32_t p = 0; p < v->m; p++) {
        x->running[p] = -1;
        x->idle[v->p->proc[p].kind]++;
    }
    return status;
}

static void close_all(prio *x)
{
    for (int32_t i = 0; x->queue && i < x->v->kinds + x->v->m; i++)
        tgs_mem_free(x->queue[i].item);
    tgs_i_list_close(&x->list);
    tgs_mem_free(x->event.item);
    tgs_mem_free(x->waits);
    tgs_mem_free(x->factor);
    tgs_mem_free(x->order);
    tgs_mem_free(x->place);
    tgs_mem_free(x->queue);
    tgs_mem_free(x->room);
    tgs_mem_free(x->running);
    tgs_mem_free(x->idle);
    tgs_mem_free(x->taken);
    tgs_mem_free(x->aside);
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    prio x = {.v = c->v};
    bool *open = tgs_mem_alloc((size_t)c->v->kinds, sizeof *open);
    tgs_status status = open ? open_all(&x, c, plan, err) : no_memory(err);

    if (!status)
        status = play(&x, open, tgs_arg_int(c->args, "spoliate"), err);
    for (int32_t j = 0; j < c->v->n && !status; j++)
        if (!x.taken[j])
            status = tgs_i_list_place(&x.list, j, -1, 0, err); /* no processor was ever found */
    close_all(&x);
    tgs_mem_free(open);
    return status;
}

static const tgs_param params[] = {
    {"spoliate", "1", TGS_PARAM_INT, 0, 1, "take over what another kind runs and would end later"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_heteroprio = {
    .base = {TGS_PLUGIN_ABI, "heteroprio", "each kind takes what suits it best, by acceleration",
             "Agullo et al., CCPE 28(9), 2016; Beaumont, Eyraud-Dubois, Kumar, IPDPS 2017", params},
    .run = run,
};
