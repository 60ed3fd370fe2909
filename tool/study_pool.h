/* study_pool.h -- what study_run.c and study_cell.c share: groups that are open, and what the
 * threads that work on them have in common. */
#ifndef TGS_TOOL_STUDY_POOL_H
#define TGS_TOOL_STUDY_POOL_H
#include <pthread.h>
#include "study.h"

typedef struct live { /* a group while it is worked on */
    pthread_mutex_t mutex;
    bool open;
    int code;     /* why it could not be opened */
    int64_t left; /* cells to be done */
    input in;
    tgs_status status; /* why there is no problem */
    tgs_error err;
    uint64_t problem;
    double bound;
    const char *bound_by;
} live;

typedef struct pool {
    study *s;
    live *live;       /* [groups] */
    outcomes old;     /* what the file held */
    int64_t *before;  /* [count] index into old, -1 none */
    const bool *mine; /* [count] of this shard */
    pthread_mutex_t mutex, opening;
    pthread_cond_t change;
    int64_t next, done, total, stale, drawn;
    int32_t group, working; /* group of the cell next; threads that run */
    int code;               /* the first failure */
} pool;

/* Each returns an exit code.  The caller holds the mutex of the group for the first, and no other
 * thread uses the group any more for the second. */
int group_enter(pool *x, group *g, live *l);
void group_leave(live *l);
/* the result of a cell; *known: it was in the file */
int cell_fill(pool *x, int64_t cell, const live *l, bool *known);
#endif
