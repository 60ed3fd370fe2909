/* mixchain.c -- chains of tasks that are divided between kinds: which are longest, and their rows.
 *
 *     T >= begin(first) + sum over the chain of sum over t of p(j,t) x(j,t) + sum of c(u,v) d(u,v)
 *     d(u,v) >= X(u,a) - X(v,a)    each cluster a, X(j,a) being the sum of x(j,t) over its kinds
 *
 * begin is the release time, or the arrival of initial data: c (1 - X(j, cluster of its home)). */
#include "core.h"

double tgs_i_mix_cost(const tgs_i_mix *x, int32_t edge)
{
    const int32_t d = x->v->g->pred_datum[edge];
    double least = INFINITY;

    if (d < 0 || x->clusters < 2)
        return 0;
    for (int32_t i = 0; i < x->ways; i++)
        least = fmin(least, x->way[i][0] + x->v->g->datum[d].bytes * x->way[i][1]);
    return least < INFINITY ? least / x->unit : 0;
}

/* X(task, cluster) */
static double inside(const tgs_i_mix *x, int32_t task, int32_t cluster)
{
    double sum = 0;

    for (int32_t t = 0; t < x->kinds; t++)
        if (x->cluster[t] == cluster)
            sum += x->share[(int64_t)task * x->kinds + t];
    return sum;
}

/* what is moved of the datum of an edge to task, at least: the greatest X(u,a) - X(v,a) */
static double moved(const tgs_i_mix *x, int32_t u, int32_t v)
{
    double most = 0;

    for (int32_t a = 0; a < x->clusters; a++)
        most = fmax(most, inside(x, u, a) - inside(x, v, a));
    return most;
}

static double delay(const tgs_i_mix *x, int32_t edge, int32_t task)
{
    const double c = tgs_i_mix_cost(x, edge);

    return c > 0 ? c * moved(x, x->v->g->pred[edge], task) : 0;
}

/* the initial datum of a task that arrives last when the task is as it is; -1 none matters.
 * *late: what it costs away from its home's cluster */
static int32_t last_initial(const tgs_i_mix *x, int32_t task, double *late)
{
    const tgs_graph_view *g = x->v->g;
    double latest = 0;
    int32_t last = -1;

    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1]; i++) {
        const tgs_access *y = &g->access[i];
        const int32_t home = x->v->home[y->datum];
        const int32_t cluster = home < 0 ? -1 : x->memory_cluster[home];
        double least = INFINITY;

        if (!(y->mode & TGS_R) || y->version >= 0 || cluster < 0 || x->clusters < 2)
            continue;
        for (int32_t k = 0; k < x->ways; k++)
            least = fmin(least, x->way[k][0] + g->datum[y->datum].bytes * x->way[k][1]);
        if (least < INFINITY && least * (1 - inside(x, task, cluster)) > latest) {
            latest = least * (1 - inside(x, task, cluster));
            *late = least / x->unit;
            last = (int32_t)y->datum;
        }
    }
    return last;
}

static double release(const tgs_i_mix *x, int32_t task)
{
    const int32_t k = x->v->g->task[task].constraint;

    return k < 0 ? 0 : x->v->g->constraint[k].release / x->unit;
}

double tgs_i_mix_longest(tgs_i_mix *x)
{
    const tgs_graph_view *g = x->v->g;
    double longest = 0;

    for (int32_t i = 0; i < x->v->n; i++) {
        const int32_t j = g->topo[i];
        double late = 0;
        const int32_t d = last_initial(x, j, &late);

        x->time[j] = 0;
        for (int32_t t = 0; t < x->kinds; t++) {
            const int64_t at = (int64_t)j * x->kinds + t;

            x->time[j] += x->share[at] > 0 ? x->share[at] * x->shortest[at] : 0;
        }
        x->begin[j] = release(x, j);
        if (d >= 0)
            x->begin[j] =
                fmax(x->begin[j], late * (1 - inside(x, j, x->memory_cluster[x->v->home[d]])));
        x->head[j] = x->begin[j];
        x->came[j] = -1;
        for (int32_t e = g->pred_at[j]; e < g->pred_at[j + 1]; e++) {
            const int32_t u = g->pred[e];
            const double y = x->head[u] + x->time[u] + delay(x, e, j);

            if (y > x->head[j]) {
                x->head[j] = y;
                x->came[j] = e;
            }
        }
        longest = fmax(longest, x->head[j] + x->time[j]);
        x->tail[j] = 0;
        x->goes[j] = -1;
    }
    for (int32_t i = x->v->n - 1; i >= 0; i--) {
        const int32_t j = g->topo[i];

        for (int32_t e = g->pred_at[j]; e < g->pred_at[j + 1]; e++) {
            const int32_t u = g->pred[e];
            const double y = x->tail[j] + x->time[j] + delay(x, e, j);

            if (y > x->tail[u]) {
                x->tail[u] = y;
                x->goes[u] = j;
            }
        }
    }
    return longest;
}

/* ---- rows --------------------------------------------------------------------------------------
 */
void tgs_i_mix_term(tgs_i_mix *x, double coefficient, int32_t column)
{
    x->entry[x->entries] = column;
    x->coefficient[x->entries++] = coefficient;
}

void tgs_i_mix_divided(tgs_i_mix *x, double factor, int32_t task, const double *value)
{
    const double base = value[x->base[task]];

    x->constant += factor * base;
    for (int32_t t = 0; t < x->kinds; t++) {
        const int32_t column = x->column[(int64_t)task * x->kinds + t];

        if (column >= 0)
            tgs_i_mix_term(x, factor * (value[t] - base), column);
    }
}

/* factor times X(task, cluster) */
static void in_cluster(tgs_i_mix *x, double factor, int32_t task, int32_t cluster)
{
    if (x->cluster[x->base[task]] == cluster)
        x->constant += factor;
    for (int32_t t = 0; t < x->kinds; t++) {
        const int32_t column = x->column[(int64_t)task * x->kinds + t];
        const double value = (x->cluster[t] == cluster) - (x->cluster[x->base[task]] == cluster);

        if (column >= 0 && value != 0)
            tgs_i_mix_term(x, factor * value, column);
    }
}

void tgs_i_mix_row(tgs_i_mix *x)
{
    tgs_lp_row(x->lp, NULL, -x->constant, INFINITY, x->entries, x->entry, x->coefficient);
    x->constant = 0;
    x->entries = 0;
}

/* the column d of an edge, with its rows; the row being written must be empty */
static int32_t crossing(tgs_i_mix *x, int32_t edge, int32_t task)
{
    if (x->crossing[edge] >= 0)
        return x->crossing[edge];
    x->crossing[edge] = tgs_lp_column(x->lp, NULL, 0, 1, 0, false);
    for (int32_t a = 0; a < x->clusters; a++) {
        tgs_i_mix_term(x, 1, x->crossing[edge]);
        in_cluster(x, -1, x->v->g->pred[edge], a);
        in_cluster(x, 1, task, a);
        tgs_i_mix_row(x);
    }
    return x->crossing[edge];
}

/* the edge by which the longest way goes on from u to v */
static int32_t edge_between(const tgs_i_mix *x, int32_t u, int32_t v)
{
    const tgs_graph_view *g = x->v->g;
    int32_t best = -1;

    for (int32_t e = g->pred_at[v]; e < g->pred_at[v + 1]; e++)
        if (g->pred[e] == u && (best < 0 || tgs_i_mix_cost(x, e) > tgs_i_mix_cost(x, best)))
            best = e;
    return best;
}

/* the rows of columns d of a chain are written before the row of the chain */
static void cross_all(tgs_i_mix *x, int32_t first)
{
    for (int32_t u = first; x->goes[u] >= 0; u = x->goes[u]) {
        const int32_t e = edge_between(x, u, x->goes[u]);

        if (tgs_i_mix_cost(x, e) > 0)
            crossing(x, e, x->goes[u]);
    }
}

tgs_status tgs_i_mix_chain(tgs_i_mix *x, int32_t task, bool *covered)
{
    int32_t first = task, d;
    double late = 0;

    while (x->came[first] >= 0) { /* so that goes leads from the first to the last */
        const int32_t u = x->v->g->pred[x->came[first]];

        x->goes[u] = first;
        first = u;
    }
    cross_all(x, first);
    tgs_i_mix_term(x, 1, x->makespan);
    d = last_initial(x, first, &late);
    if (d >= 0 && x->begin[first] > release(x, first)) {
        x->constant -= late;
        in_cluster(x, late, first, x->memory_cluster[x->v->home[d]]);
    } else {
        x->constant -= x->begin[first];
    }
    for (int32_t u = first; u >= 0; u = x->goes[u]) {
        covered[u] = true;
        tgs_i_mix_divided(x, -1, u, x->shortest + (int64_t)u * x->kinds);
        if (x->goes[u] >= 0) {
            const int32_t e = edge_between(x, u, x->goes[u]);

            if (tgs_i_mix_cost(x, e) > 0)
                tgs_i_mix_term(x, -tgs_i_mix_cost(x, e), x->crossing[e]);
        }
    }
    tgs_i_mix_row(x);
    return tgs_lp_status(x->lp, NULL);
}
