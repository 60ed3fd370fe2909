/* allocate.c -- tasks to kinds by a linear program, rounded.
 *
 * S. Kedad-Sidhoum, F. Monna, D. Trystram, "Scheduling tasks with precedence constraints on hybrid
 * multi-core machines", IPDPSW 2015.
 *
 * x(j,t) minimises the longest of the work of each kind and of every chain; a task goes to the kind
 * that has the largest share of it (ties: the smaller kind).  With Q kinds that share is at least
 * 1/Q, so no time in the program grows by more than Q, and a list schedule of the tasks on their
 * kinds takes at most Q (Q + 1) times the bound: 6 for CPUs and GPUs.  That is without
 * communication, for equal processors of a kind, and when every chain has been added. */
#include <stdio.h>
#include <string.h>
#include "../bounds/core.h"
#include "hlp.h"

const tgs_param tgs_i_hlp_params[] = {
    {"size", "100000", TGS_PARAM_INT, 1, 1e9, "tasks times kinds, and dependencies, at most"},
    {"rounds", "100", TGS_PARAM_INT, 0, 1e9, "times that chains are added, at most"},
    {"comm", "1", TGS_PARAM_INT, 0, 1,
     "1: moves between kinds are in the program; 0: as published"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

static bool is_grouped(const tgs_view *v, int32_t task)
{
    const int32_t k = v->g->task[task].constraint;

    return k >= 0 && v->g->constraint[k].group >= 0;
}

/* time of the view: INFINITY but on the kind that has most of the task */
static void keep_largest(const tgs_i_mix *x, double *time)
{
    const tgs_view *v = x->v;

    for (int32_t j = 0; j < v->n; j++) {
        const double *share = x->share + (int64_t)j * x->kinds;
        int32_t best = 0;

        if (is_grouped(v, j))
            continue;
        for (int32_t t = 1; t < x->kinds; t++)
            if (share[t] > share[best])
                best = t;
        for (int32_t t = 0; t < v->kinds; t++)
            if (t != x->real_kind[best])
                time[(int64_t)j * v->kinds + t] = INFINITY;
    }
}

static tgs_status check_size(const tgs_ctx *c, tgs_error *err)
{
    const int64_t most = tgs_arg_int(c->args, "size");
    const int64_t size = (int64_t)c->v->n * c->v->kinds + c->v->g->edges;

    if (size > most)
        return tgs_fail(err, TGS_ENOTAPPLICABLE,
                        "tasks times kinds and dependencies are %lld, more than the %lld of size",
                        (long long)size, (long long)most);
    return TGS_OK;
}

tgs_status tgs_i_hlp_allocate(const tgs_ctx *c, tgs_view *view, double **time, double *bound,
                              tgs_error *err)
{
    const size_t size = (size_t)c->v->n * (size_t)c->v->kinds;
    tgs_i_mix x;
    tgs_status status = check_size(c, err);

    *time = NULL;
    if (!status)
        status = tgs_i_mix_open(&x, c->v, tgs_arg_int(c->args, "comm") != 0, err);
    if (status)
        return status;
    status = tgs_i_mix_solve(&x, c, tgs_arg_int(c->args, "rounds"), bound, err);
    if (!status) {
        *time = tgs_mem_alloc(size, sizeof **time);
        if (!*time)
            status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d tasks", c->v->n);
    }
    if (!status) {
        memcpy(*time, c->v->time, size * sizeof **time);
        keep_largest(&x, *time);
        *view = *c->v;
        view->time = *time;
        view->homogeneous = false;
    }
    tgs_i_mix_close(&x);
    return status;
}

void tgs_i_hlp_tell(tgs_plan *plan, const tgs_view *v, double bound)
{
    const double makespan = tgs_plan_makespan(v, plan);

    plan->lower_bound = bound;
    snprintf(plan->note, sizeof plan->note, "%.4g times the bound of the linear program",
             bound > 0 ? makespan / bound : 1);
}
