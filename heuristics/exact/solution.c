/* solution.c -- a schedule as a solution of the integer program of disjunctive.c, and back. */
#include <string.h>
#include "disjunctive.h"

/* ---- a schedule as a solution ------------------------------------------------------------------
 */
static int32_t memory_of(const tgs_i_disjunctive *x, int32_t proc)
{
    return x->v->p->proc[proc].memory;
}

/* Of memories (or of processors) that are like each other, the one that an earlier task in
 * canonical order uses gets the smaller number.  used[j] is what task j uses; to[] says what each
 * becomes. */
static void rename_by_use(const tgs_i_disjunctive *x, const int32_t *like, int32_t count,
                          const int32_t *used, int32_t *to, bool *taken)
{
    memset(taken, 0, (size_t)count * sizeof *taken);
    for (int32_t i = 0; i < count; i++)
        to[i] = -1;
    for (int32_t i = 0; i < x->v->n; i++) {
        const int32_t old = used[x->v->g->topo[i]];

        for (int32_t k = 0; k < count && to[old] < 0; k++)
            if (like[k] == like[old] && !taken[k]) {
                to[old] = k;
                taken[k] = true;
            }
    }
}

/* processor number k of memory a is number k of the memory that a becomes */
static int32_t moved(const tgs_i_disjunctive *x, int32_t proc, const int32_t *to)
{
    const int32_t a = memory_of(x, proc), b = to[a];
    int32_t k = 0, p = 0;

    for (int32_t q = 0; q < proc; q++)
        k += memory_of(x, q) == a;
    for (; memory_of(x, p) != b || k-- > 0; p++)
        ;
    return p;
}

static tgs_status exchange(const tgs_i_disjunctive *x, tgs_plan *plan)
{
    const tgs_view *v = x->v;
    const size_t most = (size_t)(v->m > v->memories ? v->m : v->memories);
    int32_t *used = tgs_mem_alloc((size_t)v->n, sizeof *used);
    int32_t *to = tgs_mem_alloc(most, sizeof *to);
    bool *taken = tgs_mem_alloc(most, sizeof *taken);
    const tgs_status status = used && to && taken ? TGS_OK : TGS_ENOMEM;

    if (!status) {
        for (int32_t j = 0; j < v->n; j++)
            used[j] = memory_of(x, plan->proc[j]);
        rename_by_use(x, x->at->likeness, v->memories, used, to, taken);
        for (int32_t j = 0; j < v->n; j++)
            plan->proc[j] = moved(x, plan->proc[j], to);
        rename_by_use(x, x->at->twin, v->m, plan->proc, to, taken);
        for (int32_t j = 0; j < v->n; j++)
            plan->proc[j] = to[plan->proc[j]];
    }
    tgs_mem_free(used);
    tgs_mem_free(to);
    tgs_mem_free(taken);
    return status;
}

/* of two tasks of one processor: by start, then what takes no time, then canonical position */
static bool is_before(const tgs_i_disjunctive *x, const tgs_plan *plan, int32_t i, int32_t j)
{
    const bool long_i = tgs_i_disjunctive_time(x, i, plan->proc[i]) > 0;
    const bool long_j = tgs_i_disjunctive_time(x, j, plan->proc[j]) > 0;

    if (plan->start[i] != plan->start[j])
        return plan->start[i] < plan->start[j];
    return long_i != long_j ? long_j : x->v->g->topo_pos[i] < x->v->g->topo_pos[j];
}

tgs_status tgs_i_disjunctive_put(const tgs_i_disjunctive *x, tgs_plan *plan, double *solution,
                                 tgs_error *err)
{
    const int64_t n = x->v->n;
    double end = 0;

    if (exchange(x, plan))
        return tgs_fail(err, TGS_ENOMEM, "out of memory for a schedule of %d tasks", x->v->n);
    memset(solution, 0, (size_t)tgs_lp_columns(x->lp) * sizeof *solution);
    for (int32_t j = 0; j < n; j++) {
        const double start = plan->start[j] / x->unit;

        solution[x->start[j]] = start;
        solution[tgs_i_disjunctive_on(x, j, plan->proc[j])] = 1;
        end = fmax(end, start + tgs_i_disjunctive_time(x, j, plan->proc[j]));
    }
    solution[x->makespan] = end;
    for (int32_t i = 0; i < x->crossings; i++) {
        const tgs_i_crossing *c = &x->cross[i];
        const int32_t a = memory_of(x, plan->proc[c->u]), b = memory_of(x, plan->proc[c->v]);

        solution[x->crossing + i] = a == c->from && (c->to < 0 ? b != a : b == c->to);
    }
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++)
            if (x->before[i * n + j] >= 0 && plan->proc[i] == plan->proc[j])
                solution[x->before[i * n + j]] = is_before(x, plan, i, j);
    return TGS_OK;
}

/* ---- a solution as a schedule ------------------------------------------------------------------
 */
static bool is_placed(const tgs_plan *plan, int32_t task)
{
    return !isnan(plan->start[task]);
}

/* are the predecessors of a task placed, and (strictly) what is before it on its processor? */
static bool is_ready(const tgs_i_disjunctive *x, const tgs_plan *plan, int32_t task, bool strictly)
{
    const tgs_graph_view *g = x->v->g;
    const int64_t n = x->v->n;

    for (int32_t k = g->pred_at[task]; k < g->pred_at[task + 1]; k++)
        if (!is_placed(plan, g->pred[k]))
            return false;
    for (int64_t i = 0; i < n && strictly; i++)
        if (x->before[i * n + task] >= 0 && plan->proc[i] == plan->proc[task]
            && tgs_lp_value(x->lp, x->before[i * n + task]) > 0.5 && !is_placed(plan, (int32_t)i))
            return false;
    return true;
}

/* The next task.  Orders that go round in a circle are between tasks without length that start
 * together: then any order will do. */
static int32_t next(const tgs_i_disjunctive *x, const tgs_plan *plan)
{
    int32_t best = -1;

    for (int32_t strictly = 1; strictly >= 0 && best < 0; strictly--)
        for (int32_t i = 0; i < x->v->n; i++) {
            const int32_t j = x->v->g->topo[i];

            if (!is_placed(plan, j) && is_ready(x, plan, j, strictly)
                && (best < 0
                    || tgs_lp_value(x->lp, x->start[j]) < tgs_lp_value(x->lp, x->start[best])))
                best = j;
        }
    return best;
}

static int32_t chosen(const tgs_i_disjunctive *x, int32_t task)
{
    int32_t p = 0;

    while (tgs_i_disjunctive_on(x, task, p) < 0
           || tgs_lp_value(x->lp, tgs_i_disjunctive_on(x, task, p)) < 0.5)
        p++;
    return p;
}

tgs_status tgs_i_disjunctive_take(const tgs_i_disjunctive *x, tgs_plan *plan, tgs_error *err)
{
    const tgs_view *v = x->v;
    const tgs_graph_view *g = v->g;
    double *free_at = tgs_mem_alloc((size_t)v->m, sizeof *free_at);

    if (!free_at)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for a schedule of %d tasks", v->n);
    for (int32_t j = 0; j < v->n; j++) {
        plan->proc[j] = chosen(x, j);
        plan->start[j] = NAN;
    }
    for (int32_t i = 0; i < v->n; i++) {
        const int32_t j = next(x, plan), p = plan->proc[j], b = memory_of(x, p);
        double start = fmax(free_at[p], x->at->arrive[(int64_t)j * v->memories + b]);

        for (int32_t k = g->pred_at[j]; k < g->pred_at[j + 1]; k++) {
            const int32_t u = g->pred[k], q = plan->proc[u];

            start = fmax(start, plan->start[u] + tgs_w(v, u, q)
                                    + tgs_c(v, g->pred_datum[k], memory_of(x, q), b));
        }
        plan->start[j] = start;
        free_at[p] = start + tgs_w(v, j, p);
    }
    tgs_mem_free(free_at);
    return TGS_OK;
}
