/* rows.c -- rows of the integer program of disjunctive.c: their parts, and those of dependencies.
 */
#include <stdio.h>
#include "disjunctive.h"

void tgs_i_disjunctive_term(tgs_i_disjunctive *x, double coefficient, int32_t column)
{
    x->column[x->count] = column;
    x->coefficient[x->count++] = coefficient;
}

void tgs_i_disjunctive_row(tgs_i_disjunctive *x, double low, double high)
{
    tgs_lp_row(x->lp, NULL, low, high, x->count, x->column, x->coefficient);
    x->count = 0;
}

int32_t tgs_i_disjunctive_on(const tgs_i_disjunctive *x, int32_t task, int32_t proc)
{
    return x->on[(int64_t)task * x->v->m + proc];
}

double tgs_i_disjunctive_time(const tgs_i_disjunctive *x, int32_t task, int32_t proc)
{
    return x->at->w[(int64_t)task * x->v->m + proc] / x->unit;
}

void tgs_i_disjunctive_in(tgs_i_disjunctive *x, double factor, int32_t task, int32_t memory)
{
    for (int32_t p = 0; p < x->v->m; p++) {
        const int32_t column = tgs_i_disjunctive_on(x, task, p);

        if (x->v->p->proc[p].memory == memory && column >= 0)
            tgs_i_disjunctive_term(x, factor, column);
    }
}

void tgs_i_disjunctive_end(tgs_i_disjunctive *x, double factor, int32_t task)
{
    tgs_i_disjunctive_term(x, factor, x->start[task]);
    for (int32_t p = 0; p < x->v->m; p++) {
        const int32_t column = tgs_i_disjunctive_on(x, task, p);

        if (column >= 0)
            tgs_i_disjunctive_term(x, factor * tgs_i_disjunctive_time(x, task, p), column);
    }
}

/* ---- dependencies ------------------------------------------------------------------------------
 */
typedef struct dependency { /* all that v receives from u: its predecessors [from, to) */
    int32_t u, v, from, to;
} dependency;

static bool may_be_in(const tgs_i_disjunctive *x, int32_t task, int32_t memory)
{
    for (int32_t p = 0; p < x->v->m; p++)
        if (x->v->p->proc[p].memory == memory && tgs_i_disjunctive_on(x, task, p) >= 0)
            return true;
    return false;
}

/* until the last of it is there */
static double cost(const tgs_i_disjunctive *x, const dependency *e, int32_t a, int32_t b)
{
    double most = 0;

    for (int32_t k = e->from; k < e->to; k++)
        most = fmax(most, tgs_c(x->v, x->v->g->pred_datum[k], a, b));
    return most / x->unit;
}

/* the cost between any two memories that the tasks may be in; NaN: it differs, or is infinite */
static double same_cost(const tgs_i_disjunctive *x, const dependency *e)
{
    double same = -1;

    for (int32_t a = 0; a < x->v->memories; a++)
        for (int32_t b = 0; b < x->v->memories; b++) {
            double c;

            if (a == b || !may_be_in(x, e->u, a) || !may_be_in(x, e->v, b))
                continue;
            c = cost(x, e, a, b);
            if (!(c < INFINITY) || (same >= 0 && c != same))
                return NAN;
            same = c;
        }
    return same > 0 ? same : 0;
}

/* a column, or -1 without memory, which the program remembers */
static int32_t crossing(tgs_i_disjunctive *x, const dependency *e, int32_t from, int32_t to)
{
    char name[64];
    int32_t column;

    if (to < 0)
        snprintf(name, sizeof name, "d%d_%d_%d", (int)e->u, (int)e->v, (int)from);
    else
        snprintf(name, sizeof name, "z%d_%d_%d_%d", (int)e->u, (int)e->v, (int)from, (int)to);
    column = tgs_lp_column(x->lp, name, 0, 1, 0, false);
    if (column < 0 || tgs_mem_grow(&x->cross, &x->cross_room, x->crossings + 1, sizeof *x->cross))
        return -1;
    if (!x->crossings)
        x->crossing = column;
    x->cross[x->crossings++] = (tgs_i_crossing){e->u, e->v, from, to};
    return column;
}

/* S(v) - end(u) - c sum over a of d(a) >= 0 */
static tgs_status uniform_delay(tgs_i_disjunctive *x, const dependency *e, double c, int32_t *d)
{
    for (int32_t a = 0; a < x->v->memories; a++) {
        d[a] = -1;
        if (!(c > 0) || !may_be_in(x, e->u, a))
            continue;
        d[a] = crossing(x, e, a, -1);
        if (d[a] < 0)
            return TGS_ENOMEM;
        tgs_i_disjunctive_term(x, 1, d[a]);
        tgs_i_disjunctive_in(x, -1, e->u, a);
        tgs_i_disjunctive_in(x, 1, e->v, a);
        tgs_i_disjunctive_row(x, 0, INFINITY);
    }
    tgs_i_disjunctive_term(x, 1, x->start[e->v]);
    tgs_i_disjunctive_end(x, -1, e->u);
    for (int32_t a = 0; a < x->v->memories; a++)
        if (d[a] >= 0)
            tgs_i_disjunctive_term(x, -c, d[a]);
    tgs_i_disjunctive_row(x, 0, INFINITY);
    return TGS_OK;
}

/* sum over b of z(a, b) = X(u, a), and sum over a of z(a, b) = X(v, b) */
static void split(tgs_i_disjunctive *x, const dependency *e, const int32_t *z)
{
    const int32_t M = x->v->memories;

    for (int32_t a = 0; a < M; a++)
        for (int32_t side = 0; side < 2; side++) {
            for (int32_t b = 0; b < M; b++) {
                const int32_t column = side ? z[b * M + a] : z[a * M + b];

                if (column >= 0)
                    tgs_i_disjunctive_term(x, 1, column);
            }
            tgs_i_disjunctive_in(x, -1, side ? e->v : e->u, a);
            tgs_i_disjunctive_row(x, 0, 0);
        }
}

/* S(v) - end(u) - sum of c(a, b) z(a, b) >= 0 */
static tgs_status general_delay(tgs_i_disjunctive *x, const dependency *e, int32_t *z)
{
    const int32_t M = x->v->memories;

    for (int32_t a = 0; a < M; a++)
        for (int32_t b = 0; b < M; b++) {
            z[a * M + b] = -1;
            if (!may_be_in(x, e->u, a) || !may_be_in(x, e->v, b) || !(cost(x, e, a, b) < INFINITY))
                continue;
            z[a * M + b] = crossing(x, e, a, b);
            if (z[a * M + b] < 0)
                return TGS_ENOMEM;
        }
    split(x, e, z);
    tgs_i_disjunctive_term(x, 1, x->start[e->v]);
    tgs_i_disjunctive_end(x, -1, e->u);
    for (int32_t a = 0; a < M; a++)
        for (int32_t b = 0; b < M; b++)
            if (z[a * M + b] >= 0)
                tgs_i_disjunctive_term(x, -cost(x, e, a, b), z[a * M + b]);
    tgs_i_disjunctive_row(x, 0, INFINITY);
    return TGS_OK;
}

tgs_status tgs_i_disjunctive_delays(tgs_i_disjunctive *x)
{
    const tgs_graph_view *g = x->v->g;
    const size_t M = (size_t)x->v->memories;
    int32_t *z = tgs_mem_alloc(M * M, sizeof *z);
    tgs_status status = z ? TGS_OK : TGS_ENOMEM;

    for (int32_t v = 0; v < x->v->n; v++) {
        dependency e = {.v = v, .to = g->pred_at[v]};

        while (e.to < g->pred_at[v + 1] && !status) {
            double c;

            e.from = e.to;
            e.u = g->pred[e.from];
            while (e.to < g->pred_at[v + 1] && g->pred[e.to] == e.u)
                e.to++;
            c = same_cost(x, &e);
            status = isnan(c) ? general_delay(x, &e, z) : uniform_delay(x, &e, c, z);
        }
    }
    tgs_mem_free(z);
    return status;
}
