/* shared.c -- what all chains of a search read: when tasks may start anywhere, groups, a bound. */
#include <stdlib.h>
#include "core.h"
#include "../list/core.h"

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* does the task read a version that nobody writes? */
static bool reads_initial(const tgs_view *v, int32_t task)
{
    const tgs_graph_view *g = v->g;

    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1]; i++)
        if (g->access[i].mode & TGS_R && g->access[i].version < 0
            && v->home[g->access[i].datum] >= 0)
            return true;
    return false;
}

static void find_arrival(tgs_i_search *x, int32_t task)
{
    const tgs_view *v = x->v;
    const tgs_graph_view *g = v->g;
    const int32_t k = g->task[task].constraint;
    double *row = x->arrive + (int64_t)x->late[task] * v->memories;

    for (int32_t a = 0; a < v->memories && k >= 0; a++)
        row[a] = g->constraint[k].release;
    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1]; i++) {
        const int32_t d = (int32_t)g->access[i].datum, home = v->home[d];

        if (!(g->access[i].mode & TGS_R) || g->access[i].version >= 0 || home < 0)
            continue;
        for (int32_t a = 0; a < v->memories; a++)
            row[a] = larger(row[a], tgs_c(v, d, home, a));
    }
}

static tgs_status find_arrivals(tgs_i_search *x, tgs_error *err)
{
    const tgs_view *v = x->v;
    const tgs_graph_view *g = v->g;
    int32_t count = 0;

    for (int32_t j = 0; j < v->n; j++) {
        const int32_t k = g->task[j].constraint;
        const bool late = (k >= 0 && g->constraint[k].release > 0) || reads_initial(v, j);

        x->late[j] = late ? count++ : -1;
    }
    x->arrive = tgs_mem_alloc((size_t)count * (size_t)v->memories, sizeof *x->arrive);
    if (!x->arrive)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for when data arrive");
    for (int32_t j = 0; j < v->n; j++)
        if (x->late[j] >= 0)
            find_arrival(x, j);
    return TGS_OK;
}

static int by_group(const void *a, const void *b)
{
    const tgs_i_rank *x = a, *y = b;

    if (x->positive != y->positive)
        return x->positive < y->positive ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

static tgs_status find_leaders(tgs_i_search *x, tgs_error *err)
{
    const tgs_graph_view *g = x->v->g;
    tgs_i_rank *member = tgs_mem_alloc((size_t)x->v->n, sizeof *member);
    int32_t count = 0;

    if (!member)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for groups");
    for (int32_t j = 0; j < x->v->n; j++) {
        const int32_t k = g->task[j].constraint;

        x->leader[j] = -1;
        if (k >= 0 && g->constraint[k].group >= 0)
            member[count++] = (tgs_i_rank){.positive = g->constraint[k].group, .position = j};
    }
    if (count)
        qsort(member, (size_t)count, sizeof *member, by_group);
    for (int32_t i = 0; i < count; i++) {
        const bool first = !i || member[i].positive != member[i - 1].positive;

        x->leader[member[i].position] =
            first ? member[i].position : x->leader[member[i - 1].position];
    }
    tgs_mem_free(member);
    return TGS_OK;
}

/* a search that reaches it need not go on: the longest path, and the work, of shortest times */
static tgs_status find_bound(tgs_i_search *x, tgs_error *err)
{
    const tgs_view *v = x->v;
    const tgs_graph_view *g = v->g;
    double *end = tgs_mem_alloc((size_t)v->n, sizeof *end), work = 0;

    if (!end)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for a bound");
    for (int32_t i = 0; i < v->n; i++) {
        const int32_t j = g->topo[i], k = g->task[j].constraint;
        double start = k >= 0 ? g->constraint[k].release : 0, least = INFINITY;

        for (int32_t p = 0; p < v->m; p++)
            least = tgs_w(v, j, p) < least ? tgs_w(v, j, p) : least;
        for (int32_t e = g->pred_at[j]; e < g->pred_at[j + 1]; e++)
            start = larger(start, end[g->pred[e]]);
        end[j] = start + least;
        work += least;
        x->bound = larger(x->bound, end[j]);
    }
    x->bound = larger(x->bound, v->m ? work / v->m : 0);
    tgs_mem_free(end);
    return TGS_OK;
}

tgs_status tgs_i_search_open(tgs_i_search *x, tgs_error *err)
{
    const tgs_view *v = x->v;
    const size_t n = (size_t)v->n;
    tgs_status status;

    x->contends = tgs_i_links_contend(v);
    x->late = tgs_mem_alloc(n, sizeof *x->late);
    x->leader = tgs_mem_alloc(n, sizeof *x->leader);
    x->links = tgs_mem_alloc(n, sizeof *x->links);
    if (!x->late || !x->leader || !x->links)
        return tgs_fail(err, TGS_ENOMEM, "out of memory to search schedules of %d tasks", v->n);
    for (int32_t j = 0; j < v->n; j++)
        x->links[j] = v->g->pred_at[j + 1] - v->g->pred_at[j];
    status = find_arrivals(x, err);
    if (!status)
        status = find_leaders(x, err);
    return status ? status : find_bound(x, err);
}

void tgs_i_search_close(tgs_i_search *x)
{
    for (int32_t i = 0; i < x->seeds; i++)
        tgs_i_solution_close(&x->seed[i]);
    tgs_mem_free(x->seed);
    tgs_mem_free(x->late);
    tgs_mem_free(x->arrive);
    tgs_mem_free(x->leader);
    tgs_mem_free(x->links);
}
