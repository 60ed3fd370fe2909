/* adversary.h -- instances that the search of adversary.c walks over: few tasks on few unrelated
 * processors, each with a memory of its own. */
#ifndef TGS_ADVERSARY_H
#define TGS_ADVERSARY_H
#include "internal.h"

enum {
    TGS_I_ADVERSARY_TASKS = 64,
    TGS_I_ADVERSARY_PROCS = 16,
    TGS_I_ADVERSARY_WEIGHT = 100 /* of a time or an edge, at most */
};

typedef struct tgs_i_world {
    int32_t n, m;
    /* whole numbers: seconds, and bytes of edges i < j; -1: there is none */
    int32_t time[TGS_I_ADVERSARY_TASKS][TGS_I_ADVERSARY_PROCS];
    int32_t edge[TGS_I_ADVERSARY_TASKS][TGS_I_ADVERSARY_TASKS];
    /* byte/s of the links between i < j, both ways; bytes of a memory, 0: without limit */
    int32_t link[TGS_I_ADVERSARY_PROCS][TGS_I_ADVERSARY_PROCS];
    int32_t capacity[TGS_I_ADVERSARY_PROCS];
    int32_t bus; /* byte/s that all links share; 0: each has its own */
} tgs_i_world;

void tgs_i_world_random(tgs_i_world *w, int32_t tasks, int32_t processors, tgs_rng *r);
/* one change; at most tasks and processors */
void tgs_i_world_move(tgs_i_world *w, int32_t tasks, int32_t processors, tgs_rng *r);
void tgs_i_world_drop_task(tgs_i_world *w, int32_t task);
void tgs_i_world_drop_proc(tgs_i_world *w, int32_t proc);
tgs_status tgs_i_world_build(const tgs_i_world *w, tgs_graph **g, tgs_platform **p, tgs_error *err);

typedef struct tgs_i_search {
    const tgs_duel *duel;
    tgs_rng rng;
    tgs_error *err;
    int64_t evals; /* made */
} tgs_i_search;
/* of the makespans; -1 when either has no schedule */
tgs_status tgs_i_world_ratio(tgs_i_search *x, const tgs_i_world *w, double *ratio);
/* smaller, with a ratio of at least least */
tgs_status tgs_i_world_shrink(tgs_i_search *x, tgs_i_world *w, double *ratio, double least);
#endif
