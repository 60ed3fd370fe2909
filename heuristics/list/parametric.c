/* parametric.c -- list schedulers by their parts.
 *
 * J. Coleman, R. V. Agrawal, E. Hirani, B. Krishnamachari, "Parameterized task graph scheduling
 * algorithm for comparing algorithmic components", 2024: 3 priorities, 3 ways to choose a
 * processor, and three switches make 72 schedulers.
 *
 * Of the ready tasks the one of the highest priority: upward is HEFT's rank, cpop rank_u + rank_d,
 * arbitrary the canonical order.  With sufferage the two first are looked at, and the one goes
 * first that loses more on its second best processor (ties: the first).  With pin the tasks of one
 * critical path of rank_u + rank_d go to the processor that runs it fastest.  So HEFT is
 * upward:select=eft, CPOP priority=cpop:pin=1, MCT priority=arbitrary:insert=0.
 * O(e (p + memories) + n p log n).
 *
 * Here critical paths, ranks and ties are those of the other algorithms of this folder: the paper
 * pins every task of the highest priority, and its ranks average over links to oneself. */
#include "core.h"

typedef struct parts {
    tgs_i_rule rule;
    int32_t priority, sufferage;
} parts;

static tgs_status read_parts(const tgs_ctx *c, parts *x, bool *pin, tgs_error *err)
{
    static const tgs_i_key key[] = {TGS_I_EFT, TGS_I_EST, TGS_I_EXEC};
    int32_t select = 0;
    tgs_status status = tgs_i_choice(c, "priority", "upward|cpop|arbitrary", &x->priority, err);

    if (!status)
        status = tgs_i_choice(c, "select", "eft|est|quickest", &select, err);
    x->rule = (tgs_i_rule){.key = key[select], .insert = tgs_arg_int(c->args, "insert")};
    x->sufferage = (int32_t)tgs_arg_int(c->args, "sufferage");
    *pin = tgs_arg_int(c->args, "pin");
    return status;
}

static void look(tgs_i_list *s, int32_t task, bool second, tgs_i_pick *best)
{
    tgs_i_list_ready(s, task, s->ready);
    tgs_i_list_pick(s, task, s->ready, second, best);
}

/* the next task and its place; with sufferage the other one of two goes back */
static int32_t choose(tgs_i_list *s, tgs_i_ready *ready, bool sufferage, tgs_i_pick *best)
{
    int32_t task = tgs_i_ready_pop(ready);
    const int32_t other = task >= 0 && sufferage ? tgs_i_ready_pop(ready) : -1;
    tgs_i_pick second;

    if (task < 0)
        return -1;
    look(s, task, other >= 0, best);
    if (other < 0)
        return task;
    look(s, other, true, &second);
    if (second.next_key - second.key > best->next_key - best->key) {
        *best = second;
        tgs_i_ready_push(ready, task);
        return other;
    }
    tgs_i_ready_push(ready, other);
    return task;
}

static tgs_status place_all(const tgs_ctx *c, tgs_plan *plan, const parts *x,
                            const double *priority, tgs_error *err)
{
    tgs_i_list s = {.v = NULL};
    tgs_i_pick best;
    tgs_i_ready ready;
    tgs_status status = tgs_i_ready_open(&ready, c->v, priority, err);

    if (!status)
        status = tgs_i_list_open(&s, c, plan, &x->rule, err);
    for (int32_t j; !status && (j = choose(&s, &ready, x->sufferage, &best)) >= 0;) {
        status = tgs_i_list_place(&s, j, best.proc, best.start, err);
        tgs_i_ready_release(&ready, j);
    }
    tgs_i_list_close(&s);
    tgs_i_ready_close(&ready);
    return status;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const tgs_view *v = c->v;
    double *wbar = tgs_mem_alloc((size_t)v->n, sizeof *wbar);
    double *up = tgs_mem_alloc((size_t)v->n, sizeof *up);
    double *both = tgs_mem_alloc((size_t)v->n, sizeof *both); /* rank_d, then rank_u + rank_d */
    int32_t *prefer = tgs_mem_alloc((size_t)v->n, sizeof *prefer);
    parts x;
    bool pin;
    tgs_status status = read_parts(c, &x, &pin, err);

    if (!status && (!wbar || !up || !both || !prefer))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the ranks of %d tasks", v->n);
    if (!status)
        status = tgs_i_weights(v, TGS_I_MEAN, wbar, err);
    if (!status) {
        tgs_i_rank_up(v, wbar, true, up);
        tgs_i_rank_down(v, wbar, both);
        for (int32_t j = 0; j < v->n; j++)
            both[j] += up[j];
        tgs_i_snap(both, v->n);
        if (pin) {
            tgs_i_critical_path(v, both, prefer);
            x.rule.prefer = prefer;
        }
        for (int32_t j = 0, p = pin ? tgs_i_path_processor(v, prefer) : 0; j < v->n; j++)
            prefer[j] = prefer[j] < 0 ? -1 : p;
        status = place_all(c, plan, &x, x.priority == 0 ? up : x.priority == 1 ? both : NULL, err);
    }
    tgs_mem_free(wbar);
    tgs_mem_free(up);
    tgs_mem_free(both);
    tgs_mem_free(prefer);
    return status;
}

static const tgs_param params[] = {
    {"priority", "upward", TGS_PARAM_TEXT, 0, 0, "of ready tasks: upward, cpop or arbitrary"},
    {"select", "eft", TGS_PARAM_TEXT, 0, 0,
     "a processor by earliest finish (eft), earliest start "
     "(est), or least time for the task (quickest)"},
    {"insert", "1", TGS_PARAM_INT, 0, 1, "into gaps; 0: behind the last task"},
    {"pin", "0", TGS_PARAM_INT, 0, 1, "a critical path to the processor that runs it fastest"},
    {"sufferage", "0", TGS_PARAM_INT, 0, 1, "of the first two the one that loses more elsewhere"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_parametric = {
    .base = {TGS_PLUGIN_ABI, "parametric",
             "72 list schedulers: priority, selection, gaps, pinning, "
             "sufferage",
             "Coleman, Agrawal, Hirani, Krishnamachari, 2024", params},
    .run = run,
};
