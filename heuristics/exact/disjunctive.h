/* disjunctive.h -- the schedules of a problem as an integer program: where each task runs, when it
 * starts, and the order of each two tasks that could meet on a processor. */
#ifndef TGS_EXACT_DISJUNCTIVE_H
#define TGS_EXACT_DISJUNCTIVE_H
#include "core.h"
#include "tgsched/lp.h"

typedef struct tgs_i_crossing { /* a column for data from u to v on their way between memories */
    int32_t u, v, from, to;     /* to -1: to any other memory than from */
} tgs_i_crossing;

typedef struct tgs_i_disjunctive {
    const tgs_view *v;
    const tgs_i_partial *at; /* of which nothing is placed: times, tails, symmetry */
    tgs_lp *lp;
    double unit;          /* seconds that are 1 in the program */
    double horizon;       /* no schedule that counts is longer, in the unit */
    double *head;         /* [task * memories + memory] earliest start there, in the unit */
    double *first, *last; /* [n] earliest start, latest end of a task anywhere */
    double *deadline;     /* [n] INFINITY: none */
    int32_t makespan;     /* columns: T, */
    int32_t *start;       /* [n] S, */
    int32_t *on;          /* [task * m + proc] x, or -1, */
    int32_t *before;      /* [task * n + task] o, or -1: the first ends before the second starts, */
    int32_t crossings, crossing; /* and from crossing on what is in cross */
    tgs_i_crossing *cross;
    int64_t cross_room;
    uint64_t *reaches; /* [n] rows of words: bits of descendants */
    int64_t words;
    int32_t *column; /* of the row being written */
    double *coefficient;
    int32_t count;
} tgs_i_disjunctive;

/* longest: a schedule of that makespan is known, seconds; INFINITY: none is.  TGS_ENOTAPPLICABLE
 * when the program would have more than about rows rows. */
tgs_status tgs_i_disjunctive_open(tgs_i_disjunctive *x, const tgs_i_partial *at, double longest,
                                  int64_t rows, tgs_error *err);
void tgs_i_disjunctive_close(tgs_i_disjunctive *x);

/* ---- rows.c: what the rows are made of --------------------------------------------------------
 */
void tgs_i_disjunctive_term(tgs_i_disjunctive *x, double coefficient, int32_t column);
void tgs_i_disjunctive_row(tgs_i_disjunctive *x, double low, double high);
int32_t tgs_i_disjunctive_on(const tgs_i_disjunctive *x, int32_t task, int32_t proc);
double tgs_i_disjunctive_time(const tgs_i_disjunctive *x, int32_t task, int32_t proc);
/* factor times: X(task, memory), and the end of a task */
void tgs_i_disjunctive_in(tgs_i_disjunctive *x, double factor, int32_t task, int32_t memory);
void tgs_i_disjunctive_end(tgs_i_disjunctive *x, double factor, int32_t task);
/* the rows of all dependencies */
tgs_status tgs_i_disjunctive_delays(tgs_i_disjunctive *x);

/* ---- pairs.c: what is first, and what can be exchanged -----------------------------------------
 */
void tgs_i_disjunctive_descend(tgs_i_disjunctive *x); /* fills reaches */
/* could tasks i and j, in either order, be on one processor? */
bool tgs_i_disjunctive_meet(const tgs_i_disjunctive *x, int32_t i, int32_t j);
void tgs_i_disjunctive_symmetry(tgs_i_disjunctive *x);
void tgs_i_disjunctive_pairs(tgs_i_disjunctive *x);

/* ---- solution.c: between schedules and solutions ----------------------------------------------
 */
/* the solution [columns] that a schedule is, after exchanging what the program takes for the same;
 * the plan's processors are exchanged, too */
tgs_status tgs_i_disjunctive_put(const tgs_i_disjunctive *x, tgs_plan *plan, double *solution,
                                 tgs_error *err);
/* the schedule that the last solution is, with every task as early as its orders allow */
tgs_status tgs_i_disjunctive_take(const tgs_i_disjunctive *x, tgs_plan *plan, tgs_error *err);
#endif
