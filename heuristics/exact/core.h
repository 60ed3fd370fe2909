/* core.h -- partial schedules for exact search: what is placed, the earliest everything else can
 * start, and a lower bound on every completion.
 *
 * Tasks are appended to processors in the order of their keys (start, whether it takes time,
 * canonical position).  Every semi-active schedule has exactly one such order: a task of no length
 * is placed before what starts with it on the same processor, and before its successors.  So a
 * search over orders with growing keys meets every semi-active schedule once, and one of them is
 * optimal. */
#ifndef TGS_EXACT_CORE_H
#define TGS_EXACT_CORE_H
#include "tgsched/plugin.h"

typedef struct tgs_i_exact_key { /* of the task placed last */
    double start;
    int32_t positive; /* it takes time */
    int32_t position; /* in canonical order */
} tgs_i_exact_key;

typedef struct tgs_i_exact_step { /* what a placement changed, to take it back */
    int32_t task, proc;
    double free, makespan;
    tgs_i_exact_key last;
    int64_t saved;
} tgs_i_exact_step;

typedef struct tgs_i_partial {
    const tgs_view *v;
    /* fixed */
    double *w;         /* [task * m + proc] */
    double *tail;      /* [task * memories + memory] least time from the end of the task on */
    double *least;     /* [n] its shortest time */
    int32_t *leader;   /* [n] the first task of its group, or -1 */
    int32_t *twin;     /* [m] the first processor like it in its memory (itself when none is) */
    int32_t *likeness; /* [memories] the first memory that can be exchanged with it */
    /* of the partial schedule */
    double *free;           /* [m] */
    double *arrive;         /* [task * memories + memory] release, and data placed so far */
    double *start;          /* [n] */
    int32_t *proc;          /* [n] -1: not placed */
    int32_t *waits;         /* [n] predecessors not placed, once per datum */
    int32_t *group_memory;  /* [n] of a leader: memory of the members placed */
    int32_t *group_placed;  /* [n] of a leader: how many */
    int32_t *in_memory;     /* [memories] tasks placed there */
    tgs_i_exact_step *step; /* [n] */
    double *saved;          /* rows of arrive before they changed */
    int64_t saved_room, saved_size;
    int32_t placed;
    double makespan;
    tgs_i_exact_key last;
} tgs_i_partial;

/* ---- partial.c: O(n m + e memories) to open, O(m + out-degree * memories) to place ----------- */
tgs_status tgs_i_partial_open(tgs_i_partial *x, const tgs_view *v, tgs_error *err);
void tgs_i_partial_close(tgs_i_partial *x);
/* the start of a task whose predecessors are placed behind the last task of proc; INFINITY where it
 * may not go, or where its key would not grow */
double tgs_i_partial_start(const tgs_i_partial *x, int32_t task, int32_t proc);
/* start came from tgs_i_partial_start; on failure nothing has changed */
tgs_status tgs_i_partial_place(tgs_i_partial *x, int32_t task, int32_t proc, double start);
void tgs_i_partial_back(tgs_i_partial *x); /* takes the last placement back */
/* is no way over a third memory shorter than the way that data takes? */
bool tgs_i_partial_direct(const tgs_view *v);
/* no completion is shorter; may give up early once it is known to be at least limit */
double tgs_i_partial_bound(const tgs_i_partial *x, double limit);

/* ---- symmetry.c: what may be exchanged without changing anything ----------------------------- */
tgs_status tgs_i_partial_symmetry(tgs_i_partial *x, tgs_error *err);
/* another processor that is tried instead stands for this one at this moment */
bool tgs_i_partial_redundant(const tgs_i_partial *x, int32_t proc);
#endif
