/* turns.h -- benches that compare runs by turns: every player has a process, and so a StarPU, of
 * its own, and a busy moment of the machine hits all of them. */
#ifndef TGS_BENCH_TURNS_H
#define TGS_BENCH_TURNS_H
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct player {
    pid_t pid;
    int to, from;
} player;

/* Player i of all, those before it have started: play runs in its process, which ends after it.
 * Returns when the player first waits for its turn. */
void turns_start(player *all, int i, void (*play)(const void *what, const player *self),
                 const void *what);
/* in a player: false when it is to tell its result */
bool turns_wait(const player *self);
void turns_tell(const player *self, const void *result, size_t size);
/* returns when the player has had its turn */
void turns_take(const player *p);
void turns_end(player *p, void *result, size_t size);
#endif
