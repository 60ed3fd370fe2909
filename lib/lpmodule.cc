/* lpmodule.cc -- the module tgsched-lp: linear programs solved by CLP, integer ones by CBC, through
 * the C++ interface, since the C one has no way to stop and lets exceptions through. */
#include <cmath>
#include <cstring>
#include <new>
#include <vector>
#include <CbcEventHandler.hpp>
#include <CbcModel.hpp>
#include <CbcStrategy.hpp>
#include <ClpSimplex.hpp>
#include <CoinError.hpp>
#include <CoinPackedMatrix.hpp>
#include <OsiClpSolverInterface.hpp>
#include "lp.h"

namespace
{

const double tight = 1e-9; /* of rows, reduced costs and whole numbers */

double number(double x) /* infinite bounds as COIN has them */
{
    return x == INFINITY ? COIN_DBL_MAX : x == -INFINITY ? -COIN_DBL_MAX : x;
}

std::vector<double> numbers(const double *x, int32_t count)
{
    std::vector<double> out(x, x + count);

    for (double &y : out)
        y = number(y);
    return out;
}

struct Program { /* as COIN wants it */
    CoinPackedMatrix matrix;
    std::vector<double> low, high, cost, row_low, row_high;

    explicit Program(const tgs_lp *lp)
        : matrix(false, lp->columns, lp->rows, lp->row_at[lp->rows], lp->coefficient, lp->column,
                 lp->row_at, nullptr),
          low(numbers(lp->low, lp->columns)), high(numbers(lp->high, lp->columns)),
          cost(numbers(lp->cost, lp->columns)), row_low(numbers(lp->row_low, lp->rows)),
          row_high(numbers(lp->row_high, lp->rows))
    {
    }
};

void load(ClpSimplex &model, const Program &p)
{
    model.setLogLevel(0);
    model.loadProblem(p.matrix, p.low.data(), p.high.data(), p.cost.data(), p.row_low.data(),
                      p.row_high.data());
    model.setPrimalTolerance(tight);
    model.setDualTolerance(tight);
}

/* the basis of the last relaxation, rows since then being slack */
void recall(ClpSimplex &model, const tgs_lp *lp)
{
    std::vector<unsigned char> status((size_t)lp->columns + (size_t)lp->rows);

    for (int32_t j = 0; j < lp->columns; j++)
        status[j] = j < lp->basis_columns ? lp->basis[j] : (unsigned char)ClpSimplex::atLowerBound;
    for (int32_t r = 0; r < lp->rows; r++)
        status[lp->columns + r] = r < lp->basis_rows ? lp->basis[lp->basis_columns + r]
                                                     : (unsigned char)ClpSimplex::basic;
    model.copyinStatus(status.data());
}

tgs_lp_end end_of(const ClpSimplex &model)
{
    switch (model.status()) {
    case 0:
        return TGS_LP_OPTIMAL;
    case 1:
        return TGS_LP_INFEASIBLE;
    case 2:
        return TGS_LP_UNBOUNDED;
    default:
        return TGS_LP_UNKNOWN;
    }
}

void relax(tgs_lp *lp, tgs_lp_answer *answer)
{
    const Program program(lp);
    ClpSimplex model;

    load(model, program);
    if (lp->basis_rows + lp->basis_columns > 0) {
        recall(model, lp);
        model.dual();
    } else {
        model.initialSolve();
    }
    if (model.status() == 2) /* which is said of infeasible programs too */
        model.primal();
    answer->end = end_of(model);
    if (answer->end != TGS_LP_OPTIMAL)
        return;
    answer->value = answer->bound = model.objectiveValue();
    std::memcpy(lp->value, model.primalColumnSolution(), (size_t)lp->columns * sizeof *lp->value);
    std::memcpy(lp->dual, model.dualRowSolution(), (size_t)lp->rows * sizeof *lp->dual);
    std::memcpy(lp->basis, model.statusArray(), (size_t)lp->columns + (size_t)lp->rows);
}

struct Stop : CbcEventHandler { /* asks the caller whenever CBC has something to tell */
    const tgs_lp_limits *limits;
    bool *stopped;

    Stop(const tgs_lp_limits *l, bool *s) : limits(l), stopped(s)
    {
    }
    CbcEventHandler *clone() const override
    {
        return new Stop(*this);
    }
    CbcAction event(CbcEvent) override
    {
        if (!*stopped && limits->stop && limits->stop(limits->user))
            *stopped = true;
        return *stopped ? stop : noAction;
    }
};

/* whole numbers are made so exactly, and the rest is optimised again for them */
bool settle(tgs_lp *lp, const Program &program, const double *found, tgs_lp_answer *answer)
{
    Program fixed(program);
    ClpSimplex model;

    for (int32_t j = 0; j < lp->columns; j++)
        if (lp->integer[j])
            fixed.low[j] = fixed.high[j] = std::nearbyint(found[j]);
    load(model, fixed);
    model.dual();
    if (model.status() != 0)
        return false;
    std::memcpy(lp->value, model.primalColumnSolution(), (size_t)lp->columns * sizeof *lp->value);
    for (int32_t j = 0; j < lp->columns; j++)
        if (lp->integer[j])
            lp->value[j] = fixed.low[j] + 0.0; /* not -0 */
    answer->value = model.objectiveValue();
    return true;
}

double cost_of(const tgs_lp *lp, const double *value)
{
    double sum = 0;

    for (int32_t j = 0; j < lp->columns; j++)
        sum += lp->cost[j] * value[j];
    return sum;
}

void set_up(CbcModel &model, const tgs_lp_limits *limits)
{
    CbcStrategyDefault strategy(1, 5, 0, 0);

    model.setLogLevel(0);
    model.messageHandler()->setLogLevel(0);
    model.solver()->messageHandler()->setLogLevel(0);
    model.setStrategy(strategy);
    model.setIntegerTolerance(tight);
    model.setCutoffIncrement(tight);
    model.setAllowableGap(tight);
    if (limits->gap > 0)
        model.setAllowableFractionGap(limits->gap);
    if (limits->nodes > 0)
        model.setMaximumNodes(limits->nodes < INT32_MAX ? (int)limits->nodes : INT32_MAX);
    if (limits->seconds > 0)
        model.setMaximumSeconds(limits->seconds);
}

void solve(tgs_lp *lp, const tgs_lp_limits *limits, tgs_lp_answer *answer)
{
    const Program program(lp);
    OsiClpSolverInterface solver;
    bool stopped = false;

    solver.messageHandler()->setLogLevel(0);
    solver.loadProblem(program.matrix, program.low.data(), program.high.data(), program.cost.data(),
                       program.row_low.data(), program.row_high.data());
    solver.setDblParam(OsiPrimalTolerance, tight);
    solver.setDblParam(OsiDualTolerance, tight);
    for (int32_t j = 0; j < lp->columns; j++)
        if (lp->integer[j])
            solver.setInteger(j);
    solver.initialSolve();
    if (solver.isProvenPrimalInfeasible()) {
        answer->end = TGS_LP_INFEASIBLE;
        return;
    }

    /* then so is the program itself if it has any solution: which is asked without costs */
    const bool unbounded = solver.isProvenDualInfeasible();

    if (unbounded) {
        solver.setObjective(std::vector<double>((size_t)lp->columns).data());
        solver.initialSolve();
    }

    CbcModel model(solver);
    Stop handler(limits, &stopped);
    const double start = limits->start ? cost_of(lp, limits->start) : INFINITY;

    set_up(model, limits);
    model.passInEventHandler(&handler);
    if (limits->start && !unbounded)
        model.setCutoff(start);
    model.branchAndBound();

    const double *best = model.bestSolution();
    const bool finished = !stopped && model.status() == 0;

    answer->nodes = model.getNodeCount();
    if (unbounded) {
        answer->end = best ? TGS_LP_UNBOUNDED : finished ? TGS_LP_INFEASIBLE : TGS_LP_UNKNOWN;
        return;
    }
    answer->bound = model.getBestPossibleObjValue();
    if (best && settle(lp, program, best, answer) && answer->value <= start) {
        answer->end = finished ? TGS_LP_OPTIMAL : TGS_LP_FEASIBLE;
    } else if (limits->start) { /* nothing better was found */
        std::memcpy(lp->value, limits->start, (size_t)lp->columns * sizeof *lp->value);
        answer->value = start;
        answer->end = finished ? TGS_LP_OPTIMAL : TGS_LP_FEASIBLE;
    } else if (!best && finished) {
        answer->end = TGS_LP_INFEASIBLE;
    }
    if (answer->end == TGS_LP_OPTIMAL && limits->gap <= 0)
        answer->bound = answer->value;
    if (answer->bound > answer->value)
        answer->bound = answer->value;
}

/* runs something that may throw */
template <typename Work> tgs_status guarded(tgs_error *err, Work work)
{
    try {
        work();
        return TGS_OK;
    } catch (const std::bad_alloc &) {
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    } catch (const CoinError &e) {
        return tgs_fail(err, TGS_EBACKEND, "CBC gave up: %s", e.message().c_str());
    } catch (...) {
        return tgs_fail(err, TGS_EBACKEND, "CBC gave up");
    }
}

} // namespace

tgs_status tgs_lp_cbc_relax(tgs_lp *lp, tgs_lp_answer *answer, tgs_error *err)
{
    return guarded(err, [&] { relax(lp, answer); });
}

tgs_status tgs_lp_cbc_solve(tgs_lp *lp, const tgs_lp_limits *limits, tgs_lp_answer *answer,
                            tgs_error *err)
{
    return guarded(err, [&] { solve(lp, limits, answer); });
}
