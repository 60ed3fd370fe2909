/* lpsolve.c -- solving linear programs: what is asked of the solver, and what is believed of its
 * answer.  One solve runs at a time. */
#include <pthread.h>
#include <stdatomic.h>
#include "internal.h"
#include "lp.h"

static const double tolerance = 1e-6; /* of a start, relative to its terms */

/* CBC keeps state of its own; the second of the library's two locks */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool busy;

bool tgs_i_lp_busy(void)
{
    return atomic_load(&busy);
}

static void begin(void)
{
    pthread_mutex_lock(&one_at_a_time);
    atomic_store(&busy, true);
}

static void end(void)
{
    atomic_store(&busy, false);
    pthread_mutex_unlock(&one_at_a_time);
}

double tgs_i_lp_violation(const tgs_lp *lp, const double *value)
{
    double worst = 0;

    for (int32_t j = 0; j < lp->columns; j++) {
        const double off = fmax(lp->low[j] - value[j], value[j] - lp->high[j]);

        if (!(fabs(value[j]) < INFINITY))
            return INFINITY;
        worst = fmax(worst, off / (1 + fabs(value[j])));
    }
    for (int32_t r = 0; r < lp->rows; r++) {
        double sum = 0, largest = 0;

        for (int32_t i = lp->row_at[r]; i < lp->row_at[r + 1]; i++) {
            const double term = lp->coefficient[i] * value[lp->column[i]];

            sum += term;
            largest = fmax(largest, fabs(term));
        }
        worst = fmax(worst, fmax(lp->row_low[r] - sum, sum - lp->row_high[r]) / (1 + largest));
    }
    return worst;
}

/* the first failure of the writing, or room for the answer */
static tgs_status prepare(tgs_lp *lp, tgs_lp_answer *answer, tgs_error *err)
{
    void *value, *dual, *basis;

    *answer = (tgs_lp_answer){TGS_LP_UNKNOWN, NAN, -INFINITY, 0};
    lp->answered = lp->priced = 0;
    if (lp->status)
        return tgs_lp_status(lp, err);
    value = tgs_mem_resize(lp->value, (size_t)lp->columns, sizeof *lp->value);
    if (value)
        lp->value = value;
    dual = tgs_mem_resize(lp->dual, (size_t)lp->rows, sizeof *lp->dual);
    if (dual)
        lp->dual = dual;
    basis = tgs_mem_resize(lp->basis, (size_t)lp->columns + (size_t)lp->rows, 1);
    if (basis)
        lp->basis = basis;
    return value && dual && basis ? TGS_OK : tgs_fail(err, TGS_ENOMEM, "out of memory");
}

/* bounds that cross, which the solver need not be asked about */
static bool is_empty(const tgs_lp *lp)
{
    for (int32_t j = 0; j < lp->columns; j++)
        if (lp->low[j] > lp->high[j] || (lp->integer[j] && ceil(lp->low[j]) > lp->high[j]))
            return true;
    for (int32_t r = 0; r < lp->rows; r++)
        if (lp->row_low[r] > lp->row_high[r])
            return true;
    return false;
}

static void found(tgs_lp *lp, tgs_lp_answer *answer)
{
    if (answer->end == TGS_LP_OPTIMAL || answer->end == TGS_LP_FEASIBLE)
        lp->answered = lp->columns;
    else
        answer->value = NAN;
    if (answer->end == TGS_LP_INFEASIBLE)
        answer->bound = INFINITY;
    if (answer->end == TGS_LP_UNBOUNDED)
        answer->bound = -INFINITY;
}

tgs_status tgs_lp_relax(tgs_lp *lp, tgs_lp_answer *answer, tgs_error *err)
{
    tgs_i_lp_relaxing *relax;
    tgs_i_lp_solving *solve;
    tgs_status status = prepare(lp, answer, err);

    if (status)
        return status;
    begin();
    status = tgs_i_lp_module(&relax, &solve, err);
    if (!status && is_empty(lp))
        answer->end = TGS_LP_INFEASIBLE;
    else if (!status)
        status = relax(lp, answer, err);
    end();
    if (status)
        return status;
    found(lp, answer);
    if (lp->answered == lp->columns && answer->end == TGS_LP_OPTIMAL) {
        lp->priced = lp->rows;
        lp->basis_columns = lp->columns;
        lp->basis_rows = lp->rows;
    }
    return TGS_OK;
}

/* a start is a solution: whole where it must be, and in its bounds and rows */
static tgs_status check_start(const tgs_lp *lp, const double *start, tgs_error *err)
{
    for (int32_t j = 0; j < lp->columns; j++)
        if (lp->integer[j] && start[j] != floor(start[j]))
            return tgs_fail(err, TGS_EINVAL, "linear program: column %d of the start is not whole",
                            j);
    if (!(tgs_i_lp_violation(lp, start) <= tolerance))
        return tgs_fail(err, TGS_EINVAL, "linear program: the start is no solution");
    return TGS_OK;
}

tgs_status tgs_lp_solve(tgs_lp *lp, const tgs_lp_limits *limits, tgs_lp_answer *answer,
                        tgs_error *err)
{
    static const tgs_lp_limits none;
    tgs_i_lp_relaxing *relax;
    tgs_i_lp_solving *solve;
    tgs_status status = prepare(lp, answer, err);

    limits = limits ? limits : &none;
    if (!status && limits->start)
        status = check_start(lp, limits->start, err);
    if (status)
        return status;
    begin();
    status = tgs_i_lp_module(&relax, &solve, err);
    if (!status && is_empty(lp))
        answer->end = TGS_LP_INFEASIBLE;
    else if (!status)
        status = solve(lp, limits, answer, err);
    end();
    if (!status)
        found(lp, answer);
    return status;
}
