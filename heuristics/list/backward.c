/* backward.c -- another heuristic on the graph turned round, from the last tasks to the first.
 *
 * After K. Y. Li, R. J. Willis, "An iterative scheduling technique for resource-constrained project
 * scheduling", European J. Operational Research 56(3), 1992.
 *
 * A list schedule is dense where it begins and runs dry where it ends: of a factorisation it does
 * the updates as soon as it can, and has nothing beside the last panels.  Turned round,
 * dependencies and the directions of links are reversed, so that what runs dry is the beginning,
 * which often has more that is ready; the updates then wait until somebody needs them.
 *
 * The tasks stay on the processors of that schedule.  They are placed forward again, in gaps too,
 * of the ready ones always the one that ends last in it, since release times and initial data are
 * unknown to it, and so are the accesses of tasks: a dependency brings its datum, no matter who
 * else reads it.  O(n log n + e + memories^2) and what the other heuristic takes. */
#include <stdio.h>
#include "core.h"

typedef struct mirror { /* a view of the problem, backward */
    tgs_view v;
    tgs_graph_view g;
    int32_t *topo, *topo_pos, *access_at, *home;
    tgs_constraint *constraint;
    double *link; /* lat, inv, relay_lat, relay_inv, each from and to exchanged */
} mirror;

static void turn_order(const tgs_graph_view *g, mirror *x)
{
    for (int32_t i = 0; i < g->tasks; i++) {
        x->topo[i] = g->topo[g->tasks - 1 - i];
        x->topo_pos[x->topo[i]] = i;
    }
}

static const double *turn_link(const double *link, int32_t memories, double *to)
{
    for (int32_t a = 0; a < memories; a++)
        for (int32_t b = 0; b < memories; b++)
            to[b * memories + a] = link[a * memories + b];
    return to;
}

/* no task has to wait for anything but dependencies */
static void drop_times(const tgs_view *v, mirror *x)
{
    for (int32_t i = 0; i < v->g->constraints; i++) {
        x->constraint[i] = v->g->constraint[i];
        x->constraint[i].release = 0;
        x->constraint[i].deadline = INFINITY;
    }
    for (int32_t d = 0; d < v->g->data; d++)
        x->home[d] = -1;
}

static void point(const tgs_view *v, mirror *x)
{
    const tgs_graph_view *g = v->g;
    const size_t size = (size_t)v->memories * (size_t)v->memories;

    x->g = *g;
    x->g.succ_at = g->pred_at;
    x->g.succ = g->pred;
    x->g.succ_datum = g->pred_datum;
    x->g.pred_at = g->succ_at;
    x->g.pred = g->succ;
    x->g.pred_datum = g->succ_datum;
    x->g.topo = x->topo;
    x->g.topo_pos = x->topo_pos;
    x->g.constraint = x->constraint;
    x->g.accesses = 0;
    x->g.access_at = x->access_at;
    x->v = *v;
    x->v.g = &x->g;
    x->v.home = x->home;
    x->v.lat = turn_link(v->lat, v->memories, x->link);
    x->v.inv = turn_link(v->inv, v->memories, x->link + size);
    x->v.relay_lat = turn_link(v->relay_lat, v->memories, x->link + 2 * size);
    x->v.relay_inv = turn_link(v->relay_inv, v->memories, x->link + 3 * size);
}

static tgs_status mirror_open(mirror *x, const tgs_view *v, tgs_error *err)
{
    const size_t n = (size_t)v->n, memories = (size_t)v->memories;

    x->topo = tgs_mem_alloc(n, sizeof *x->topo);
    x->topo_pos = tgs_mem_alloc(n, sizeof *x->topo_pos);
    x->access_at = tgs_mem_alloc(n + 1, sizeof *x->access_at);
    x->home = tgs_mem_alloc((size_t)v->g->data, sizeof *x->home);
    x->constraint = tgs_mem_alloc((size_t)v->g->constraints, sizeof *x->constraint);
    x->link = tgs_mem_alloc(4 * memories * memories, sizeof *x->link);
    if (!x->topo || !x->topo_pos || !x->access_at || !x->home || !x->constraint || !x->link)
        return tgs_fail(err, TGS_ENOMEM, "out of memory to turn %d tasks round", v->n);
    turn_order(v->g, x);
    drop_times(v, x);
    point(v, x);
    return TGS_OK;
}

static void mirror_close(mirror *x)
{
    tgs_mem_free(x->topo);
    tgs_mem_free(x->topo_pos);
    tgs_mem_free(x->access_at);
    tgs_mem_free(x->home);
    tgs_mem_free(x->constraint);
    tgs_mem_free(x->link);
}

/* the spec with ':' for '/', on the mirror; what it says of the problem holds of the mirror only */
static tgs_status make(const tgs_ctx *c, const mirror *x, tgs_plan *turned, tgs_error *err)
{
    char *spec = tgs_mem_text(tgs_arg_text(c->args, "of"));
    tgs_ctx inner = *c;
    tgs_status status;

    if (!spec)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (char *s = spec; *s; s++)
        *s = *s == '/' ? ':' : *s;
    inner.v = &x->v;
    inner.problem = NULL;
    status = tgs_plan_make(&inner, spec, tgs_rng_next(c->rng), turned, err);
    tgs_mem_free(spec);
    return status;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const tgs_view *v = c->v;
    double *end = tgs_mem_alloc((size_t)v->n, sizeof *end);
    tgs_plan *turned = NULL;
    mirror x = {.topo = NULL};
    tgs_status status = end ? mirror_open(&x, v, err) : tgs_fail(err, TGS_ENOMEM, "out of memory");

    if (!status)
        status = tgs_plan_open(&turned, v, err);
    if (!status)
        status = make(c, &x, turned, err);
    if (!status) {
        const tgs_i_rule rule = {.key = TGS_I_EST, .insert = true, .prefer = turned->proc};

        for (int32_t j = 0; j < v->n; j++)
            end[j] = turned->start[j] + tgs_w(v, j, turned->proc[j]);
        status = tgs_i_list_by_priority(c, plan, &rule, end, err);
        snprintf(plan->note, sizeof plan->note, "turned round %.6g s%s%.80s",
                 tgs_plan_makespan(&x.v, turned), *turned->note ? ": " : "", turned->note);
    }
    tgs_plan_free(turned);
    mirror_close(&x);
    tgs_mem_free(end);
    return status;
}

static const tgs_param params[] = {
    {"of", "heteroprio", TGS_PARAM_TEXT, 0, 0, "the heuristic, with / for : (ils/evals=1000)"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_backward = {
    .base = {TGS_PLUGIN_ABI, "backward", "another heuristic, from the last tasks to the first",
             "after Li, Willis, EJOR 56(3), 1992", params},
    .run = run,
};
