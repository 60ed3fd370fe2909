/* ancestors.h -- the ancestors of a task that run again before it on a processor: which, and when.
 */
#ifndef TGS_DUPLICATION_ANCESTORS_H
#define TGS_DUPLICATION_ANCESTORS_H
#include "core.h"

typedef struct tgs_i_trial { /* an ancestor that runs again, before the task being looked at */
    double start, end;
    double key; /* when sorted */
    int32_t task, position;
} tgs_i_trial;

typedef struct tgs_i_visit { /* on the way through the ancestors */
    double arrival;
    int32_t task, position;
} tgs_i_visit;

typedef struct tgs_i_ancestors {
    tgs_i_copies x;
    const tgs_view *v;
    const tgs_graph_view *g;
    int32_t most;    /* ancestors looked at */
    int8_t *state;   /* [n] */
    double *arrival; /* [n] of what is seen: when its data are there without a copy */
    int32_t *slot;   /* [n] of what runs again: its trial, else -1 */
    int32_t *touched, touches;
    tgs_i_trial *trial; /* [n] what runs again, in its order */
    int32_t trials;
    tgs_i_visit *stack;
    int64_t depth, room;
    double tail; /* end of the trials */
} tgs_i_ancestors;

typedef struct tgs_i_option { /* a way to run a task */
    int32_t proc, prefix;     /* prefix: the processor of its critical parent, -1: no run-up */
    double end;
} tgs_i_option;

/* x is not opened */
tgs_status tgs_i_ancestors_open(tgs_i_ancestors *d, const tgs_view *v, int64_t most);
void tgs_i_ancestors_close(tgs_i_ancestors *d);
/* Fills trial[] and the start of the task behind them.  With a run-up first its parent runs, and
 * before that those of its ancestors that ran on prefix, in the order they had there; then other
 * ancestors, as far as that is of use: never so that the task starts later. */
tgs_status tgs_i_ancestors_look(tgs_i_ancestors *d, int32_t task, int32_t parent,
                                const tgs_i_option *o, double *start);
#endif
