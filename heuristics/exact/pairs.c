/* pairs.c -- rows of the integer program of disjunctive.c: which of two tasks is first, and what
 * can be exchanged. */
#include <stdio.h>
#include "disjunctive.h"

/* what the solver may be off by, in the unit */
static const double off = 1e-7;

/* the i-th task in canonical order may use what is like before only when one of those before it
 * uses before */
static void put_use(tgs_i_disjunctive *x, int32_t like, int32_t before, bool memory)
{
    const tgs_view *v = x->v;

    for (int32_t i = 0; i < v->n; i++) {
        const int32_t j = v->g->topo[i];

        for (int32_t k = 0; k <= i; k++) {
            const int32_t task = k < i ? v->g->topo[k] : j, at = k < i ? before : like;
            const double sign = k < i ? 1 : -1;

            if (memory)
                tgs_i_disjunctive_in(x, sign, task, at);
            else if (tgs_i_disjunctive_on(x, task, at) >= 0)
                tgs_i_disjunctive_term(x, sign, tgs_i_disjunctive_on(x, task, at));
        }
        tgs_i_disjunctive_row(x, 0, INFINITY);
    }
}

void tgs_i_disjunctive_symmetry(tgs_i_disjunctive *x)
{
    const tgs_view *v = x->v;

    for (int32_t p = 0; p < v->m; p++) {
        int32_t q = p - 1;

        while (q >= 0 && x->at->twin[q] != x->at->twin[p])
            q--;
        if (q >= 0)
            put_use(x, p, q, false);
    }
    for (int32_t a = 0; a < v->memories; a++) {
        int32_t b = a - 1;

        while (b >= 0 && x->at->likeness[b] != x->at->likeness[a])
            b--;
        if (b >= 0)
            put_use(x, a, b, true);
    }
}

/* ---- pairs that could meet on a processor ------------------------------------------------------
 */
static bool reaches(const tgs_i_disjunctive *x, int32_t i, int32_t j)
{
    return x->reaches[i * x->words + j / 64] >> (j % 64) & 1;
}

void tgs_i_disjunctive_descend(tgs_i_disjunctive *x)
{
    const tgs_graph_view *g = x->v->g;

    for (int32_t i = x->v->n - 1; i >= 0; i--) {
        const int32_t j = g->topo[i];

        for (int32_t k = g->succ_at[j]; k < g->succ_at[j + 1]; k++) {
            for (int64_t w = 0; w < x->words; w++)
                x->reaches[j * x->words + w] |= x->reaches[g->succ[k] * x->words + w];
            x->reaches[j * x->words + g->succ[k] / 64] |= (uint64_t)1 << (g->succ[k] % 64);
        }
    }
}

static void put_before(tgs_i_disjunctive *x, int32_t i, int32_t j)
{
    const double most = fmax(0, x->last[i] - x->first[j]);
    /* i starts at first[i] at the earliest and j ends at last[j] at the latest */
    const bool can = x->first[i] + (x->at->least[i] + x->at->least[j]) / x->unit
                     <= x->last[j] * (1 + 1e-9) + off;
    char name[64];

    snprintf(name, sizeof name, "o%d_%d", (int)i, (int)j);
    x->before[(int64_t)i * x->v->n + j] = tgs_lp_column(x->lp, name, 0, can, 0, true);
    if (!can)
        return;
    tgs_i_disjunctive_term(x, 1, x->start[j]);
    tgs_i_disjunctive_end(x, -1, i);
    tgs_i_disjunctive_term(x, -most, x->before[(int64_t)i * x->v->n + j]);
    tgs_i_disjunctive_row(x, -most, INFINITY);
}

bool tgs_i_disjunctive_meet(const tgs_i_disjunctive *x, int32_t i, int32_t j)
{
    if (reaches(x, i, j) || reaches(x, j, i))
        return false;
    for (int32_t p = 0; p < x->v->m; p++)
        if (tgs_i_disjunctive_on(x, i, p) >= 0 && tgs_i_disjunctive_on(x, j, p) >= 0)
            return true;
    return false;
}

void tgs_i_disjunctive_pairs(tgs_i_disjunctive *x)
{
    const int64_t n = x->v->n;

    for (int32_t i = 0; i < n; i++)
        for (int32_t j = i + 1; j < n; j++) {
            if (!tgs_i_disjunctive_meet(x, i, j))
                continue;
            put_before(x, i, j);
            put_before(x, j, i);
            tgs_i_disjunctive_term(x, 1, x->before[i * n + j]);
            tgs_i_disjunctive_term(x, 1, x->before[j * n + i]);
            tgs_i_disjunctive_row(x, 0, 1);
            for (int32_t p = 0; p < x->v->m; p++) {
                if (tgs_i_disjunctive_on(x, i, p) < 0 || tgs_i_disjunctive_on(x, j, p) < 0)
                    continue;
                tgs_i_disjunctive_term(x, 1, tgs_i_disjunctive_on(x, i, p));
                tgs_i_disjunctive_term(x, 1, tgs_i_disjunctive_on(x, j, p));
                tgs_i_disjunctive_term(x, -1, x->before[i * n + j]);
                tgs_i_disjunctive_term(x, -1, x->before[j * n + i]);
                tgs_i_disjunctive_row(x, -INFINITY, 1);
            }
        }
}
