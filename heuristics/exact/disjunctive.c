/* disjunctive.c -- the integer program:
 *
 *     minimise T
 *     sum over p of x(j,p) = 1                                   each task runs somewhere
 *     S(j) >= sum over p of head(j,p) x(j,p)                     release, initial data, paths
 *     T >= S(j) + sum over p of (w(j,p) + tail(j,p)) x(j,p)
 *     T >= sum over j of w(j,p) x(j,p)                           each p
 *     S(v) >= S(u) + sum over p of w(u,p) x(u,p) + c(u,v)        each dependency
 *     x(i,p) + x(j,p) <= 1 + o(i,j) + o(j,i)                     i, j not ordered otherwise, each p
 *     S(j) >= S(i) + sum over p of w(i,p) x(i,p) - M (1 - o(i,j))
 *     o(i,j) + o(j,i) <= 1
 *
 * x and o are 0 or 1; head and tail are longest paths, M the latest end of i less the earliest
 * start of j.  c(u,v) is the cost between the memories of u and v, X(u,a) being the sum of x(u,p)
 * over the processors of a.  When it is the same between any two memories it is
 * c sum over a of d(a), d(a) >= X(u,a) - X(v,a); else sum of c(a,b) z(a,b), where the sums of z
 * over b and over a are X(u,a) and X(v,b).  Members of a group have the same X.  Of processors and
 * memories that can be exchanged a task may use one only when an earlier task uses the one before.
 *
 * After S. Venugopalan, O. Sinnen, "ILP formulations for optimal task scheduling with communication
 * delays on parallel systems", IEEE TPDS 26(1), 2015: there o is one variable for processors and
 * one for times.  O(n^2 m + e memories^2) rows. */
#include <stdio.h>
#include "disjunctive.h"

#define ROUNDING 1e-9

/* ---- heads and windows -------------------------------------------------------------------------
 */
/* the earliest start of every task in every memory, when its predecessors are where it likes best
 * and data takes the cheapest way */
static void find_heads(tgs_i_disjunctive *x)
{
    const tgs_view *v = x->v;
    const tgs_graph_view *g = v->g;
    const int64_t M = v->memories;

    for (int32_t i = 0; i < v->n; i++) {
        const int32_t j = g->topo[i];
        double *row = x->head + j * M;

        for (int64_t a = 0; a < M; a++)
            row[a] = x->at->arrive[j * M + a] / x->unit;
        for (int32_t k = g->pred_at[j]; k < g->pred_at[j + 1]; k++) {
            const int32_t u = g->pred[k], d = g->pred_datum[k];

            for (int64_t b = 0; b < M; b++) {
                double least = INFINITY;

                for (int32_t p = 0; p < v->m; p++) {
                    const int64_t a = v->p->proc[p].memory;
                    const double way =
                        d < 0 || a == b
                            ? 0
                            : v->relay_lat[a * M + b] + g->datum[d].bytes * v->relay_inv[a * M + b];

                    least = fmin(least, x->head[u * M + a] + tgs_i_disjunctive_time(x, u, p)
                                            + way / x->unit);
                }
                row[b] = fmax(row[b], least);
            }
        }
    }
}

/* how long a schedule without idle time that nothing asks for can get */
static double longest_of_all(const tgs_i_partial *at)
{
    const tgs_view *v = at->v;
    const tgs_graph_view *g = v->g;
    double sum = 0, begin = 0;

    for (int64_t j = 0; j < v->n; j++) {
        double most = 0;

        for (int32_t p = 0; p < v->m; p++)
            if (at->w[j * v->m + p] < INFINITY)
                most = fmax(most, at->w[j * v->m + p]);
        for (int32_t a = 0; a < v->memories; a++)
            if (at->arrive[j * v->memories + a] < INFINITY)
                begin = fmax(begin, at->arrive[j * v->memories + a]);
        sum += most;
    }
    for (int32_t k = 0; k < g->edges; k++) {
        double most = 0;

        for (int32_t a = 0; a < v->memories; a++)
            for (int32_t b = 0; b < v->memories; b++)
                if (tgs_c(v, g->succ_datum[k], a, b) < INFINITY)
                    most = fmax(most, tgs_c(v, g->succ_datum[k], a, b));
        sum += most;
    }
    return begin + sum;
}

/* is what a schedule with task on proc must take within the horizon? */
static bool fits(const tgs_i_disjunctive *x, int32_t task, int32_t proc)
{
    const int64_t at = (int64_t)task * x->v->memories + x->v->p->proc[proc].memory;
    const double end = x->head[at] + tgs_i_disjunctive_time(x, task, proc);

    return end + x->at->tail[at] / x->unit <= x->horizon * (1 + ROUNDING)
           && end <= x->deadline[task] * (1 + ROUNDING);
}

static void find_windows(tgs_i_disjunctive *x)
{
    const tgs_view *v = x->v;

    for (int32_t j = 0; j < v->n; j++) {
        const int32_t k = v->g->task[j].constraint;

        x->deadline[j] = k < 0 ? INFINITY : v->g->constraint[k].deadline / x->unit;
        x->first[j] = INFINITY;
        x->last[j] = 0;
        for (int32_t p = 0; p < v->m; p++) {
            const int64_t at = (int64_t)j * v->memories + v->p->proc[p].memory;

            if (!fits(x, j, p))
                continue;
            x->first[j] = fmin(x->first[j], x->head[at]);
            x->last[j] = fmax(x->last[j], x->horizon - x->at->tail[at] / x->unit);
        }
        x->first[j] = fmin(x->first[j], x->horizon); /* where nothing fits */
    }
}

/* ---- tasks and processors ----------------------------------------------------------------------
 */
static void put_columns(tgs_i_disjunctive *x, double least)
{
    const tgs_view *v = x->v;
    char name[64];

    x->makespan = tgs_lp_column(x->lp, "T", least, x->horizon, 1, false);
    for (int32_t j = 0; j < v->n; j++) {
        for (int32_t p = 0; p < v->m; p++) {
            snprintf(name, sizeof name, "x%d_%d", (int)j, (int)p);
            x->on[(int64_t)j * v->m + p] =
                fits(x, j, p) ? tgs_lp_column(x->lp, name, 0, 1, 0, true) : -1;
        }
        snprintf(name, sizeof name, "S%d", (int)j);
        x->start[j] = tgs_lp_column(x->lp, name, x->first[j], x->horizon, 0, false);
    }
}

/* factor times the sum over p of time(j, memory of p) x(j, p) */
static void of_memory(tgs_i_disjunctive *x, double factor, int32_t j, const double *time)
{
    for (int32_t p = 0; p < x->v->m; p++) {
        const int64_t at = (int64_t)j * x->v->memories + x->v->p->proc[p].memory;

        if (tgs_i_disjunctive_on(x, j, p) >= 0)
            tgs_i_disjunctive_term(x, factor * time[at], tgs_i_disjunctive_on(x, j, p));
    }
}

static void put_tasks(tgs_i_disjunctive *x)
{
    const tgs_view *v = x->v;

    for (int32_t j = 0; j < v->n; j++) {
        const int32_t leader = x->at->leader[j];

        for (int32_t a = 0; a < v->memories; a++)
            tgs_i_disjunctive_in(x, 1, j, a);
        tgs_i_disjunctive_row(x, 1, 1);
        tgs_i_disjunctive_term(x, 1, x->start[j]);
        of_memory(x, -1, j, x->head);
        tgs_i_disjunctive_row(x, 0, INFINITY);
        tgs_i_disjunctive_term(x, 1, x->makespan);
        tgs_i_disjunctive_end(x, -1, j);
        of_memory(x, -1 / x->unit, j, x->at->tail);
        tgs_i_disjunctive_row(x, 0, INFINITY);
        if (x->deadline[j] < INFINITY) {
            tgs_i_disjunctive_end(x, 1, j);
            tgs_i_disjunctive_row(x, -INFINITY, x->deadline[j]);
        }
        for (int32_t a = 0; leader >= 0 && leader != j && a < v->memories; a++) {
            tgs_i_disjunctive_in(x, 1, j, a);
            tgs_i_disjunctive_in(x, -1, leader, a);
            tgs_i_disjunctive_row(x, 0, 0);
        }
    }
}

static void put_processors(tgs_i_disjunctive *x)
{
    const tgs_view *v = x->v;

    for (int32_t p = 0; p < v->m; p++) {
        tgs_i_disjunctive_term(x, 1, x->makespan);
        for (int32_t j = 0; j < v->n; j++)
            if (tgs_i_disjunctive_on(x, j, p) >= 0)
                tgs_i_disjunctive_term(x, -tgs_i_disjunctive_time(x, j, p),
                                       tgs_i_disjunctive_on(x, j, p));
        tgs_i_disjunctive_row(x, 0, INFINITY);
    }
}

/* the next one above x; what the solver's tolerances are for are numbers up to 100 */
static double power_of_ten(double x)
{
    double unit = 1;

    while (unit < x)
        unit *= 10;
    while (x > 0 && unit / 10 >= x)
        unit /= 10;
    return unit;
}

/* ---- all of it ---------------------------------------------------------------------------------
 */
static bool allocate(tgs_i_disjunctive *x)
{
    const size_t n = (size_t)x->v->n, m = (size_t)x->v->m, M = (size_t)x->v->memories;
    const size_t terms = 2 * n * m + 2 * M * M + 4 * m + n + 8;

    x->head = tgs_mem_alloc(n * M, sizeof *x->head);
    x->first = tgs_mem_alloc(n, sizeof *x->first);
    x->last = tgs_mem_alloc(n, sizeof *x->last);
    x->deadline = tgs_mem_alloc(n, sizeof *x->deadline);
    x->start = tgs_mem_alloc(n, sizeof *x->start);
    x->on = tgs_mem_alloc(n * m, sizeof *x->on);
    x->before = tgs_mem_alloc(n * n, sizeof *x->before);
    x->words = ((int64_t)n + 63) / 64;
    x->reaches = tgs_mem_alloc(n * (size_t)x->words, sizeof *x->reaches);
    x->column = tgs_mem_alloc(terms, sizeof *x->column);
    x->coefficient = tgs_mem_alloc(terms, sizeof *x->coefficient);
    for (size_t i = 0; i < n * n && x->before; i++)
        x->before[i] = -1;
    return x->head && x->first && x->last && x->deadline && x->start && x->on && x->before
           && x->reaches && x->column && x->coefficient;
}

/* what is asked for before it is written; tasks that do not fit are counted */
static int64_t count_rows(const tgs_i_disjunctive *x)
{
    const tgs_view *v = x->v;
    int64_t rows = 4 * (int64_t)v->n + v->m + (int64_t)v->g->edges * (v->memories + 1);

    for (int32_t i = 0; i < v->n; i++)
        for (int32_t j = i + 1; j < v->n; j++)
            if (tgs_i_disjunctive_meet(x, i, j))
                rows += 3 + v->m;
    return rows;
}

static double least_makespan(const tgs_i_disjunctive *x)
{
    return fmin(tgs_i_partial_bound(x->at, INFINITY) / x->unit, x->horizon);
}

tgs_status tgs_i_disjunctive_open(tgs_i_disjunctive *x, const tgs_i_partial *at, double longest,
                                  int64_t rows, tgs_error *err)
{
    tgs_status status;

    longest = longest < INFINITY ? longest : longest_of_all(at);
    *x = (tgs_i_disjunctive){.v = at->v, .at = at, .unit = power_of_ten(longest / 100)};
    x->horizon = longest / x->unit;
    status = tgs_lp_new(&x->lp, err);
    if (!status && !allocate(x))
        status = TGS_ENOMEM;
    if (status)
        goto done;
    find_heads(x);
    find_windows(x);
    tgs_i_disjunctive_descend(x);
    put_columns(x, least_makespan(x));
    if (count_rows(x) > rows) {
        status = tgs_fail(err, TGS_ENOTAPPLICABLE,
                          "an integer program of %lld rows, more than the %lld that are allowed",
                          (long long)count_rows(x), (long long)rows);
        goto done;
    }
    put_tasks(x);
    put_processors(x);
    tgs_i_disjunctive_symmetry(x);
    status = tgs_i_disjunctive_delays(x);
    if (!status) {
        tgs_i_disjunctive_pairs(x);
        status = tgs_lp_status(x->lp, err);
    }
done:
    if (status == TGS_ENOMEM)
        tgs_fail(err, status, "out of memory for an integer program of %d tasks", at->v->n);
    if (status)
        tgs_i_disjunctive_close(x);
    return status;
}

void tgs_i_disjunctive_close(tgs_i_disjunctive *x)
{
    tgs_lp_free(x->lp);
    tgs_mem_free(x->head);
    tgs_mem_free(x->first);
    tgs_mem_free(x->last);
    tgs_mem_free(x->deadline);
    tgs_mem_free(x->start);
    tgs_mem_free(x->on);
    tgs_mem_free(x->before);
    tgs_mem_free(x->cross);
    tgs_mem_free(x->reaches);
    tgs_mem_free(x->column);
    tgs_mem_free(x->coefficient);
    *x = (tgs_i_disjunctive){.v = NULL};
}
