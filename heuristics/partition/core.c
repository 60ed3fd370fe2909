/* core.c -- what the parts are, and the schedule of a partition.
 *
 * Placing is O(n log n + e memories + n q log gaps), q the processors of a part. */
#include <string.h>
#include "core.h"
#include "../list/core.h"

/* ---- parts ---------------------------------------------------------------------------------- */
/* counted, filled in, and the memories without processors left out */
static void list_processors(tgs_i_split *s, bool processors)
{
    const tgs_view *v = s->v;
    const int32_t most = processors ? v->m : v->memories;

    for (int32_t p = 0; p < v->m; p++)
        s->at[(processors ? p : v->p->proc[p].memory) + 2]++;
    for (int32_t a = 0; a < most; a++)
        s->at[a + 2] += s->at[a + 1];
    for (int32_t p = 0; p < v->m; p++)
        s->proc[s->at[(processors ? p : v->p->proc[p].memory) + 1]++] = p;
    for (int32_t a = 0; a < most; a++)
        if (s->at[a] < s->at[a + 1]) {
            s->memory[s->parts] = v->p->proc[s->proc[s->at[a]]].memory;
            s->at[s->parts++] = s->at[a];
        }
    s->at[s->parts] = v->m;
}

/* The speed of a processor: the mean times of the tasks it may run over its own times for them. A
 * kind's times are added up once, so this is O(n kinds + m). */
static tgs_status find_speeds(tgs_i_split *s, tgs_error *err)
{
    const tgs_view *v = s->v;
    double *mean = tgs_mem_alloc((size_t)v->kinds, sizeof *mean);
    double *own = tgs_mem_alloc((size_t)v->kinds, sizeof *own);

    for (int32_t j = 0; mean && own && j < v->n; j++)
        for (int32_t k = 0; k < v->kinds; k++) {
            const double w = v->time[(int64_t)j * v->kinds + k];

            if (w < INFINITY) {
                mean[k] += s->wbar[j];
                own[k] += w;
            }
        }
    for (int32_t a = 0; mean && own && a < s->parts; a++)
        for (int32_t i = s->at[a]; i < s->at[a + 1]; i++) {
            const tgs_proc *p = &v->p->proc[s->proc[i]];

            s->speed[a] += own[p->kind] > 0 ? mean[p->kind] / own[p->kind] * p->speed : 0;
        }
    tgs_mem_free(mean);
    tgs_mem_free(own);
    return mean && own ? TGS_OK : tgs_fail(err, TGS_ENOMEM, "out of memory for %d kinds", v->kinds);
}

tgs_status tgs_i_split_open(tgs_i_split *s, const tgs_ctx *c, tgs_error *err)
{
    const tgs_view *v = c->v;
    int32_t processors = 0;
    tgs_status status = tgs_i_choice(c, "parts", TGS_I_SPLIT_PARTS, &processors, err);

    *s = (tgs_i_split){.v = v};
    if (status)
        return status;
    s->at = tgs_mem_alloc((size_t)v->m + (size_t)v->memories + 2, sizeof *s->at);
    s->proc = tgs_mem_alloc((size_t)v->m, sizeof *s->proc);
    s->memory = tgs_mem_alloc((size_t)v->m, sizeof *s->memory);
    s->speed = tgs_mem_alloc((size_t)v->m, sizeof *s->speed);
    s->wbar = tgs_mem_alloc((size_t)v->n, sizeof *s->wbar);
    if (s->at && s->proc && s->memory && s->speed && s->wbar)
        status = tgs_i_weights(v, TGS_I_MEAN, s->wbar, err);
    else
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the parts of %d processors", v->m);
    if (!status) {
        list_processors(s, processors);
        status = find_speeds(s, err);
    }
    if (status)
        tgs_i_split_close(s);
    return status;
}

void tgs_i_split_close(tgs_i_split *s)
{
    tgs_mem_free(s->at);
    tgs_mem_free(s->proc);
    tgs_mem_free(s->memory);
    tgs_mem_free(s->speed);
    tgs_mem_free(s->wbar);
    *s = (tgs_i_split){.v = NULL};
}

/* ---- placing -------------------------------------------------------------------------------- */
static double time_in(const tgs_i_split *s, int32_t task, int32_t part)
{
    double best = INFINITY;

    for (int32_t i = s->at[part]; i < s->at[part + 1]; i++)
        best = fmin(best, tgs_w(s->v, task, s->proc[i]));
    return best;
}

bool tgs_i_split_may(const tgs_i_split *s, int32_t task, int32_t part)
{
    return time_in(s, task, part) < INFINITY;
}

static void rank_tasks(const tgs_i_split *s, const int32_t *part, double *rank)
{
    const tgs_view *v = s->v;
    const tgs_graph_view *g = v->g;

    for (int32_t i = v->n - 1; i >= 0; i--) {
        const int32_t j = g->topo[i];
        const double w = time_in(s, j, part[j]);
        double most = 0;

        for (int32_t k = g->succ_at[j]; k < g->succ_at[j + 1]; k++) {
            const int32_t x = g->succ[k], from = s->memory[part[j]], to = s->memory[part[x]];
            const double cost = tgs_c(v, g->succ_datum[k], from, to);

            /* where there is no route, tasks go elsewhere than their parts say */
            most = fmax(most, rank[x] + (cost < INFINITY ? cost : tgs_cbar(v, g->succ_datum[k])));
        }
        rank[j] = most + (w < INFINITY ? w : s->wbar[j]);
    }
}

/* the processor of a part on which a task ends first; -1 if there is none */
static int32_t best_in(const tgs_i_split *s, const tgs_i_list *l, int32_t task, int32_t part,
                       double *start)
{
    double best = INFINITY;
    int32_t proc = -1;

    for (int32_t i = s->at[part]; i < s->at[part + 1]; i++) {
        const int32_t p = s->proc[i];
        const double w = tgs_w(s->v, task, p), ready = l->ready[s->memory[part]];

        if (ready + w < best && tgs_i_list_may(l, task, p)) {
            const double x = tgs_i_timeline_find(&l->line[p], ready, w);

            if (x + w < best) {
                best = x + w;
                *start = x;
                proc = p;
            }
        }
    }
    return proc;
}

static tgs_status place_all(const tgs_i_split *s, tgs_i_list *l, const int32_t *part,
                            const int32_t *order, tgs_error *err)
{
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < s->v->n && !status; i++) {
        const int32_t j = order[i];
        tgs_i_pick any;
        double start = 0;
        int32_t proc;

        tgs_i_list_ready(l, j, l->ready);
        proc = best_in(s, l, j, part[j], &start);
        if (proc < 0) {
            tgs_i_list_pick(l, j, l->ready, false, &any);
            proc = any.proc;
            start = any.start;
        }
        status = tgs_i_list_place(l, j, proc, start, err);
    }
    return status;
}

tgs_status tgs_i_split_place(const tgs_i_split *s, const tgs_ctx *c, tgs_plan *plan,
                             const int32_t *part, tgs_error *err)
{
    const tgs_view *v = s->v;
    double *rank = tgs_mem_alloc((size_t)v->n, sizeof *rank);
    int32_t *order = tgs_mem_alloc((size_t)v->n, sizeof *order);
    const tgs_i_rule rule = {.key = TGS_I_EFT, .insert = true};
    tgs_i_list l = {.v = NULL};
    tgs_status status = TGS_OK;

    if (!rank || !order)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the ranks of %d tasks", v->n);
    if (!status) {
        rank_tasks(s, part, rank);
        status = tgs_i_sort(v, rank, NULL, order, err);
    }
    tgs_mem_free(rank);
    if (!status)
        status = tgs_i_list_open(&l, c, plan, &rule, err);
    if (!status) {
        status = place_all(s, &l, part, order, err);
        tgs_i_list_close(&l);
    }
    tgs_mem_free(order);
    return status;
}
