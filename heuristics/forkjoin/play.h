/* play.h -- schedules of any graph as assignments: a processor for each task is decoded by
 * the list core, and searched. */
#ifndef TGS_FJ_PLAY_H
#define TGS_FJ_PLAY_H
#include "../list/core.h"
#include "tgsched/heap.h"
#include "tgsched/plugin.h"

typedef struct tgs_i_layout { /* a schedule */
    int32_t *proc;            /* [n] */
    double *start, *end;      /* [n] */
    double *key;              /* [n] for TGS_I_KEY */
    double makespan, spread;  /* spread: sum of the squares of the processors' last ends */
    double late;              /* the most by which a deadline is exceeded; 0 none is */
} tgs_i_layout;

typedef enum tgs_i_urgency {              /* which task is placed next */
                             TGS_I_LEVEL, /* the one that starts the longest path, as assigned */
                             TGS_I_KEY    /* the one of the least key, as the start in a schedule at
                                             hand */
} tgs_i_urgency;

typedef struct tgs_i_player { /* room */
    const tgs_view *v;
    double *level;        /* [n] longest path from its start, as assigned, processors free */
    int32_t *waits;       /* [n] */
    int32_t *before;      /* [n] the task before it on its processor, -1 none */
    int32_t *order;       /* [n] */
    int32_t *last;        /* [m] */
    tgs_i_timeline *line; /* [m] */
    double *least;        /* [m] no task is shorter there */
    tgs_heap next;
    bool due;       /* some task has a deadline */
    int64_t placed; /* tasks, in all plays */
} tgs_i_player;

tgs_status tgs_i_layout_open(tgs_i_layout *s, int32_t n, tgs_error *err);
void tgs_i_layout_close(tgs_i_layout *s);
void tgs_i_layout_copy(tgs_i_layout *to, const tgs_i_layout *from, int32_t n);
/* less late, then shorter, then more evenly spread */
bool tgs_i_layout_better(const tgs_i_layout *a, const tgs_i_layout *b);

tgs_status tgs_i_player_open(tgs_i_player *x, const tgs_view *v, tgs_error *err);
void tgs_i_player_close(tgs_i_player *x);
/* From proc (and key): start, end, makespan, spread.  Each task goes into the earliest gap of its
 * processor that fits.  What will be longer than limit is given up: makespan INFINITY.
 * O(e + n log n). */
tgs_status tgs_i_play(tgs_i_player *x, tgs_i_layout *s, tgs_i_urgency urgency, double limit);
/* the tasks that the makespan (or, where deadlines are exceeded, the worst lateness) of a played
 * layout depends on, from the last one back: each starts
 * when the next one in the list ends, or its data arrive */
tgs_status tgs_i_critical_chain(tgs_i_player *x, const tgs_i_layout *s, int32_t *list,
                                int32_t *count);
#endif
