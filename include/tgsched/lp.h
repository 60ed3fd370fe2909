/* lp.h -- linear and mixed integer programs for plug-ins, solved by CBC in the module tgsched-lp.
 *
 * Minimise cost x subject to low <= row x <= high and low <= x <= high; any bound may be infinite.
 * One solve runs at a time in a process (a lock: CBC is not safe in threads), with one thread, so
 * that the same program gives the same answer unless a limit in seconds ends it. */
#ifndef TGSCHED_LP_H
#define TGSCHED_LP_H
#include "tgsched/plugin.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct tgs_lp tgs_lp;

/* No bound, cost or coefficient that is finite may be larger.  The solver looks no closer than 1e-9
 * where it can, 1e-7 where it cannot: scale a program so that its numbers are near 1. */
#define TGS_LP_LARGEST 1e15

/* whether this library was built with a solver; without one a solve is TGS_ENOTAPPLICABLE */
bool tgs_lp_available(void);

tgs_status tgs_lp_new(tgs_lp **out, tgs_error *err);
void tgs_lp_free(tgs_lp *lp); /* NULL is fine */

/* The index of the new column or row, counted from 0.  A failure (memory, NaN, a column that is not
 * there) is remembered, and returned by the solve.  name is only for tgs_lp_write: NULL gives x7,
 * r7; a name begins with a letter or '_', and has digits, '.', '[' and ']' too.  Equal columns of a
 * row are added up. */
int32_t tgs_lp_column(tgs_lp *lp, const char *name, double low, double high, double cost,
                      bool integer);
int32_t tgs_lp_row(tgs_lp *lp, const char *name, double low, double high, int32_t count,
                   const int32_t *column, const double *coefficient);
/* the first failure that is remembered: whoever uses the indices asks before */
tgs_status tgs_lp_status(const tgs_lp *lp, tgs_error *err);
int32_t tgs_lp_columns(const tgs_lp *lp);
int32_t tgs_lp_rows(const tgs_lp *lp);
/* new bounds: of a program that is solved again and again */
void tgs_lp_column_bounds(tgs_lp *lp, int32_t column, double low, double high);
void tgs_lp_row_bounds(tgs_lp *lp, int32_t row, double low, double high);

typedef enum tgs_lp_end {
    TGS_LP_OPTIMAL,
    TGS_LP_FEASIBLE,   /* a limit ended it; there is a solution */
    TGS_LP_INFEASIBLE,
    TGS_LP_UNBOUNDED,
    TGS_LP_UNKNOWN     /* a limit ended it, or the solver gave up; there is no solution */
} tgs_lp_end;

typedef struct tgs_lp_answer {
    tgs_lp_end end;
    double value;  /* of the solution; NaN when there is none */
    double bound;  /* the solver's bound, in floating point: see tgs_lp_safe_bound */
    int64_t nodes; /* of branch and bound */
} tgs_lp_answer;

typedef struct tgs_lp_limits { /* all zero: none */
    int64_t nodes;
    double seconds;
    double gap;          /* relative: good enough */
    const double *start; /* [columns] a solution to begin with; NULL none */
    /* asked now and then; true ends the solve as a limit does; NULL never */
    bool (*stop)(void *user);
    void *user;
} tgs_lp_limits;

/* the program with integer columns relaxed; gives values and duals */
tgs_status tgs_lp_relax(tgs_lp *lp, tgs_lp_answer *answer, tgs_error *err);
/* the program itself; gives values (each integer column exactly whole) */
tgs_status tgs_lp_solve(tgs_lp *lp, const tgs_lp_limits *limits, tgs_lp_answer *answer,
                        tgs_error *err);
double tgs_lp_value(const tgs_lp *lp, int32_t column); /* of the last solution */
double tgs_lp_dual(const tgs_lp *lp, int32_t row);     /* of the last relaxation */

/* A lower bound on the optimum that holds whatever the solver's rounding did: the Lagrangian of any
 * row prices, evaluated outward with the columns' bounds.  price NULL: the duals of the last
 * relaxation.  -INFINITY when a column without a finite bound has a reduced cost of the wrong sign;
 * so give columns finite bounds.  O(nonzeros).  To prove a system infeasible, minimise its
 * violation and see that this is positive.  [Neumaier & Shcherbina 2004] */
double tgs_lp_safe_bound(const tgs_lp *lp, const double *price);

/* a line of comment for tgs_lp_write, copied */
void tgs_lp_remark(tgs_lp *lp, const char *text);
/* the program in CPLEX LP format, which CBC, GLPK, HiGHS, SCIP and Gurobi read */
tgs_status tgs_lp_write(const tgs_lp *lp, FILE *to, tgs_error *err);

#ifdef __cplusplus
}
#endif
#endif
