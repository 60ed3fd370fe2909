/* core.h -- the linear program behind the mixed bounds and HLP: tasks divided between the kinds of
 * processors, so that the work fits and no chain of tasks takes too long. */
#ifndef TGS_BOUNDS_CORE_H
#define TGS_BOUNDS_CORE_H
#include "tgsched/lp.h"
#include "tgsched/plugin.h"

typedef struct tgs_i_mix {
    const tgs_view *v;
    tgs_lp *lp;
    double unit;        /* seconds that are 1 in the program */
    int32_t kinds;      /* that have processors */
    double *work;       /* [task * kinds + kind] at speed 1, in the unit; INFINITY: not allowed */
    double *shortest;   /* [task * kinds + kind] on the fastest processor it may use, in the unit */
    double *speed;      /* [kinds] of all processors of the kind */
    int32_t *column;    /* [task * kinds + kind] of x, or -1 */
    int32_t *base;      /* [n] the kind that gets what x leaves of the task */
    int32_t *real_kind; /* [kinds] in the platform */
    int32_t makespan;   /* column T, of [low, high] in the unit */
    double low, high;
    /* communication: kinds of one cluster share memories, and move data for nothing */
    int32_t clusters, ways;
    int32_t *cluster;        /* [kinds] */
    int32_t *memory_cluster; /* [memories] -1: no processor */
    double (*way)[2];        /* [ways] latency and seconds per byte between clusters */
    int32_t *crossing;       /* [edges, by predecessor] column d, or -1 */
    /* of the last solution, or of the first guess */
    double *share;        /* [task * kinds + kind] */
    double *time, *begin; /* [n] */
    double *head, *tail;  /* [n] longest way to its start, and from its end */
    int32_t *came, *goes; /* [n] the edge by which, or -1 */
    int32_t *entry;       /* scratch of a row */
    double *coefficient;
    int32_t entries;
    double constant;                     /* of the row being written */
    const struct tgs_i_windows *windows; /* NULL: no rows for intervals */
    double least;                        /* seconds: no schedule is shorter */
} tgs_i_mix;

/* communication: with the cost of moving between clusters.  TGS_ENOTAPPLICABLE without a solver. */
tgs_status tgs_i_mix_open(tgs_i_mix *x, const tgs_view *v, bool communication, tgs_error *err);
void tgs_i_mix_close(tgs_i_mix *x);
/* Solves, and adds the longest chains that are too long, until there is none or rounds are over;
 * the bound, in seconds, holds after each round.  share is of the last one. */
tgs_status tgs_i_mix_solve(tgs_i_mix *x, const tgs_ctx *c, int64_t rounds, double *bound,
                           tgs_error *err);

typedef struct tgs_i_mix_parts { /* of the program */
    bool communication, intervals;
} tgs_i_mix_parts;
/* the bound of a graph of at most argument size, after at most argument rounds; with intervals,
 * those that argument effort allows */
tgs_status tgs_i_mix_bound(const tgs_ctx *c, const tgs_i_mix_parts *parts, double *bound,
                           tgs_error *err);

/* ---- mixchain.c -------------------------------------------------------------------------------
 */
/* the longest chain when tasks are divided by share; fills time, begin, head, tail, came, goes */
double tgs_i_mix_longest(tgs_i_mix *x);
/* a row for the longest chain through a task */
tgs_status tgs_i_mix_chain(tgs_i_mix *x, int32_t task, bool *covered);
/* Of the row being written, "constant + terms >= 0": a term; factor times the sum over kinds of
 * value(task, kind) x(task, kind), where the base gets what the others leave; its end. */
void tgs_i_mix_term(tgs_i_mix *x, double coefficient, int32_t column);
void tgs_i_mix_divided(tgs_i_mix *x, double factor, int32_t task, const double *value);
void tgs_i_mix_row(tgs_i_mix *x);
/* of all that v receives over pred edge e from elsewhere, in the unit */
double tgs_i_mix_cost(const tgs_i_mix *x, int32_t edge);

/* ---- mixspan.c ---------------------------------------------------------------------------------
 */
/* rows for the intervals and tasks that need more than makespan (in the unit); *added grows */
tgs_status tgs_i_mix_span(tgs_i_mix *x, double makespan, int32_t *added);
#endif
