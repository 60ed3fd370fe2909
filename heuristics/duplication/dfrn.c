/* dfrn.c -- DFRN, duplication first, reduction next.
 *
 * G.-L. Park, B. Shirazi, J. Marquis, "DFRN: a new approach for duplication based scheduling for
 * distributed memory multiprocessor systems", IPPS 1997.
 *
 * Tasks level by level, in a level the heavier first (HNF).  The critical parent is the one whose
 * data would arrive last from elsewhere.  A task may go
 *   - where its critical parent ended first,
 *   - to an unused processor, on which first the critical parent runs again with those of its
 *     ancestors that ran before it on its processor,
 *   - where it would end first without any copy;
 * on each of them first its other ancestors run again as far as they are not there, depth first, in
 * the order in which their data arrive last; then those copies are left out that end no earlier
 * than their data arrive, or later than the task could have started without any.  So copies never
 * delay a task where it is; it goes where it ends first.
 *
 * The paper's processors are equal and without end: then the schedule is at most as long as the
 * longest path with communication, and on out-trees as long as the one without.  Here one unused
 * processor of each kind is looked at, and when none is left the other two ways remain.
 *
 * Per task O(kinds * ancestors * in-degree * (copies + log)); of very many ancestors the first by
 * arrival are looked at (copies). */
#include "ancestors.h"

/* ---- where to -------------------------------------------------------------------------------- */
/* the parent whose data would arrive last from elsewhere, and where it ended first */
static int32_t critical_parent(const tgs_i_ancestors *d, int32_t task, int32_t *proc)
{
    const tgs_graph_view *g = d->g;
    double latest = -1;
    int32_t parent = -1;

    for (int32_t e = g->pred_at[task]; e < g->pred_at[task + 1]; e++) {
        tgs_i_copy first = {0, INFINITY, 0, -1, -1};

        for (int32_t k = 0; k >= 0;) {
            tgs_i_copy x;

            k = tgs_i_copies_next(&d->x, g->pred[e], k, &x);
            if (x.end < first.end)
                first = x;
        }
        if (first.end + tgs_cbar(d->v, g->pred_datum[e]) > latest) {
            latest = first.end + tgs_cbar(d->v, g->pred_datum[e]);
            parent = g->pred[e];
            *proc = first.proc;
        }
    }
    return parent;
}

/* the processor where the task ends first behind all that is there, without copies */
static int32_t plain(const tgs_i_ancestors *d, int32_t task, double *per_memory)
{
    const tgs_view *v = d->v;
    double best = INFINITY;
    int32_t proc = -1;

    for (int32_t a = 0; a < v->memories; a++)
        per_memory[a] = tgs_i_copies_ready(&d->x, task, a);
    for (int32_t p = 0; p < v->m; p++) {
        const double start = fmax(per_memory[v->p->proc[p].memory], d->x.list.line[p].free);
        const double end = start + tgs_w(v, task, p);

        if (end < best && tgs_i_list_may(&d->x.list, task, p)) {
            best = end;
            proc = p;
        }
    }
    return proc;
}

static tgs_status consider(tgs_i_ancestors *d, int32_t task, int32_t parent, tgs_i_option o,
                           tgs_i_option *best)
{
    double start;
    tgs_status status = TGS_OK;

    if (o.proc >= 0 && tgs_i_list_may(&d->x.list, task, o.proc)) {
        status = tgs_i_ancestors_look(d, task, parent, &o, &start);
        o.end = start + tgs_w(d->v, task, o.proc);
        if (o.end < best->end)
            *best = o;
    }
    return status;
}

static tgs_status place(tgs_i_ancestors *d, int32_t task, const int32_t *unused, tgs_error *err)
{
    int32_t prefix = -1;
    const int32_t parent = critical_parent(d, task, &prefix);
    const int32_t other = plain(d, task, d->x.list.ready);
    tgs_i_option best = {-1, -1, INFINITY};
    double start = 0;
    tgs_status status = TGS_OK;

    if (prefix >= 0)
        status = consider(d, task, parent, (tgs_i_option){prefix, -1, 0}, &best);
    if (other != prefix && !status)
        status = consider(d, task, parent, (tgs_i_option){other, -1, 0}, &best);
    for (int32_t k = 0; k < d->v->kinds && prefix >= 0 && !status; k++)
        status = consider(d, task, parent, (tgs_i_option){unused[k], prefix, 0}, &best);
    if (best.proc >= 0 && !status)
        status = tgs_i_ancestors_look(d, task, parent, &best, &start);
    if (status)
        return tgs_fail(err, status, "out of memory for the ancestors of task %d", task);
    for (int32_t i = 0; i < d->trials && best.proc >= 0 && !status; i++)
        status = tgs_i_copies_place(&d->x, d->trial[i].task, best.proc, d->trial[i].start, err);
    if (!status)
        status = tgs_i_copies_place(&d->x, task, best.proc, start, err);
    return status;
}

/* ---- all of them ----------------------------------------------------------------------------- */
/* [kinds] the first processor of each kind on which nothing runs, -1 none */
static void find_unused(const tgs_i_ancestors *d, int32_t *unused)
{
    for (int32_t k = 0; k < d->v->kinds; k++)
        while (unused[k] >= 0
               && (d->v->p->proc[unused[k]].kind != k || d->x.list.line[unused[k]].free > 0))
            unused[k] = unused[k] + 1 < d->v->m ? unused[k] + 1 : -1;
}

/* level by level, the heavier first; level is scratch */
static tgs_status find_order(const tgs_view *v, const double *wbar, double *level, int32_t *order,
                             tgs_error *err)
{
    const tgs_graph_view *g = v->g;

    for (int32_t i = 0; i < g->tasks; i++) {
        const int32_t j = g->topo[i];

        level[j] = v->n;
        for (int32_t e = g->pred_at[j]; e < g->pred_at[j + 1]; e++)
            level[j] = fmin(level[j], level[g->pred[e]] - 1);
    }
    return tgs_i_sort(v, level, wbar, order, err);
}

static tgs_status place_all(tgs_i_ancestors *d, const tgs_ctx *c, tgs_plan *plan,
                            const int32_t *order, int32_t *unused, tgs_error *err)
{
    tgs_status status = tgs_i_copies_open(&d->x, c, plan, false, err);

    for (int32_t i = 0; i < d->v->n && !status; i++) {
        find_unused(d, unused);
        status = place(d, order[i], unused, err);
    }
    if (!status)
        status = tgs_i_copies_finish(&d->x, err);
    tgs_i_copies_close(&d->x);
    return status;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const size_t n = (size_t)c->v->n;
    double *wbar = tgs_mem_alloc(n, sizeof *wbar), *level = tgs_mem_alloc(n, sizeof *level);
    int32_t *order = tgs_mem_alloc(n, sizeof *order);
    int32_t *unused = tgs_mem_alloc((size_t)c->v->kinds, sizeof *unused);
    tgs_i_ancestors d;
    tgs_status status = tgs_i_ancestors_open(&d, c->v, tgs_arg_int(c->args, "copies"));

    if (status || !wbar || !level || !order || !unused)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the levels of %d tasks", c->v->n);
    if (!status)
        status = tgs_i_weights(c->v, TGS_I_MEAN, wbar, err);
    if (!status)
        status = find_order(c->v, wbar, level, order, err);
    if (!status)
        status = place_all(&d, c, plan, order, unused, err);
    tgs_mem_free(wbar);
    tgs_mem_free(level);
    tgs_mem_free(order);
    tgs_mem_free(unused);
    tgs_i_ancestors_close(&d);
    return status;
}

static const tgs_param params[] = {
    {"copies", "1000", TGS_PARAM_INT, 0, 1e9, "ancestors of a task that may run again, at most"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_dfrn = {
    .base = {TGS_PLUGIN_ABI, "dfrn",
             "level by level; ancestors run again where that helps, then what did not help goes",
             "Park, Shirazi, Marquis, IPPS 1997", params},
    .run = run,
};
