/* watch.h -- what heuristics are told while they run: the caller's watch, and limits in seconds. */
#ifndef TGS_WATCH_H
#define TGS_WATCH_H
#include <pthread.h>
#include <stdatomic.h>
#include "internal.h"

typedef struct tgs_i_guard { /* a caller's watch: one thread at a time; once stopped, stopped */
    tgs_watch watch;
    pthread_mutex_t lock;
    atomic_bool stopped;
    atomic_int told; /* of the progress, in ten thousandths */
} tgs_i_guard;

typedef struct tgs_i_limit { /* a stop after some seconds, on top of another context's */
    const tgs_ctx *outer;
    double seconds, end;
    atomic_bool reached;
} tgs_i_limit;

double tgs_i_seconds_now(void); /* of a clock that only goes forward; for no decision */
/* c's stop, progress and user become those of watch (NULL: nobody watches) */
void tgs_i_guard_open(tgs_i_guard *g, tgs_ctx *c, const tgs_watch *watch);
void tgs_i_guard_close(tgs_i_guard *g);
/* tells the progress again: what takes long is alive */
void tgs_i_guard_beat(tgs_i_guard *g);
/* inner's become those of outer, and stop after so many seconds from now */
void tgs_i_limit_open(tgs_i_limit *l, tgs_ctx *inner, const tgs_ctx *outer, double seconds);
/* adds to the note what keeps the result from being the same again; cut where there is no room */
void tgs_i_note_stop(tgs_plan *plan, const char *why);
#endif
