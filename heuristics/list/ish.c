/* ish.c -- ISH, insertion scheduling heuristic.
 *
 * B. Kruatrachue, T. G. Lewis, "Duplication scheduling heuristics (DSH): a new precedence task
 * scheduler for parallel processor systems", technical report, Oregon State University, 1987; as in
 * Y.-K. Kwok, I. Ahmad, "Static scheduling algorithms for allocating directed task graphs to
 * multiprocessors", ACM Computing Surveys 31(4), 1999.
 *
 * HLFET (see hlfet.c); when a task begins later than its processor is idle, the hole before it is
 * filled with other ready tasks that fit and that can start no earlier on another processor, in the
 * order of their levels.
 *
 * Departure: of the ready tasks the first of the order are looked at for each hole (look), since
 * there may be as many holes as tasks, and as many ready tasks.
 * O(e memories + n (p + log n) look). */
#include "core.h"

typedef struct ish {
    tgs_i_list list;
    tgs_i_ready ready;
    int32_t *aside; /* [look] what does not go into the hole */
    int32_t look;
} ish;

/* may task start in the hole of proc that ends at end, and nowhere earlier? */
static bool fits(const ish *x, int32_t task, int32_t proc, double end, double *start)
{
    const tgs_view *v = x->list.v;
    tgs_i_pick best;

    if (!tgs_i_list_may(&x->list, task, proc))
        return false;
    *start = tgs_i_list_arrival(&x->list, task, v->p->proc[proc].memory);
    if (*start < x->list.line[proc].free)
        *start = x->list.line[proc].free;
    if (!(*start + tgs_w(v, task, proc) <= end))
        return false;
    tgs_i_list_ready(&x->list, task, x->list.ready);
    tgs_i_list_pick(&x->list, task, x->list.ready, false, &best);
    return *start + (x->list.rule.key == TGS_I_EFT ? tgs_w(v, task, proc) : 0) <= best.key;
}

/* What becomes ready by filling is looked at too. */
static tgs_status fill(ish *x, int32_t proc, double end, tgs_error *err)
{
    int32_t asides = 0, task;
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < x->look && x->list.line[proc].free < end && !status; i++) {
        double start;

        task = tgs_i_ready_pop(&x->ready);
        if (task < 0)
            break;
        if (fits(x, task, proc, end, &start))
            status = tgs_i_list_place(&x->list, task, proc, start, err);
        else
            x->aside[asides++] = task;
        if (!asides || x->aside[asides - 1] != task)
            tgs_i_ready_release(&x->ready, task);
    }
    while (asides)
        tgs_i_ready_push(&x->ready, x->aside[--asides]);
    return status;
}

static tgs_status place_all(ish *x, tgs_error *err)
{
    tgs_i_list *s = &x->list;
    tgs_status status = TGS_OK;

    for (int32_t j; !status && (j = tgs_i_ready_pop(&x->ready)) >= 0;) {
        tgs_i_pick best;

        tgs_i_list_ready(s, j, s->ready);
        tgs_i_list_pick(s, j, s->ready, false, &best);
        if (best.proc >= 0)
            status = fill(x, best.proc, best.start, err);
        if (!status)
            status = tgs_i_list_place(s, j, best.proc, best.start, err);
        tgs_i_ready_release(&x->ready, j);
    }
    return status;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const tgs_view *v = c->v;
    const int64_t look = tgs_arg_int(c->args, "look");
    double *wbar = tgs_mem_alloc((size_t)v->n, sizeof *wbar);
    double *level = tgs_mem_alloc((size_t)v->n, sizeof *level);
    ish x = {.look = look < v->n ? (int32_t)look : v->n};
    int32_t finish = 0;
    tgs_status status = TGS_OK;

    x.aside = tgs_mem_alloc((size_t)x.look, sizeof *x.aside);
    if (!wbar || !level || !x.aside)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the levels of %d tasks", v->n);
    if (!status)
        status = tgs_i_choice(c, "by", "start|finish", &finish, err);
    if (!status)
        status = tgs_i_weights(v, TGS_I_MEAN, wbar, err);
    if (!status) {
        tgs_i_rank_up(v, wbar, false, level);
        status = tgs_i_ready_open(&x.ready, v, level, err);
    }
    tgs_mem_free(wbar);
    tgs_mem_free(level);
    if (!status)
        status = tgs_i_list_open(&x.list, c, plan,
                                 &(tgs_i_rule){.key = finish ? TGS_I_EFT : TGS_I_EST}, err);
    if (!status)
        status = place_all(&x, err);
    tgs_i_list_close(&x.list);
    tgs_i_ready_close(&x.ready);
    tgs_mem_free(x.aside);
    return status;
}

static const tgs_param params[] = {
    {"by", "start", TGS_PARAM_TEXT, 0, 0, "start (the paper's) or finish"},
    {"look", "100", TGS_PARAM_INT, 0, 1e9, "ready tasks looked at for a hole, at most; 0: HLFET"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_ish = {
    .base = {TGS_PLUGIN_ABI, "ish", "largest static level, and what fits into the hole before it",
             "Kruatrachue, Lewis, 1987; Kwok, Ahmad, ACM Computing Surveys 31(4), 1999", params},
    .run = run,
};
