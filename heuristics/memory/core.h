/* core.h -- schedules that keep to the capacities of the memories.
 *
 * What occupies a memory (DESIGN, "Where data is"; lib/checkmem.c judges it):
 * - a version where it was made, from the start of its producer (RW: its end, the buffer is there
 *   already) until its last reader or transfer there has ended, or for ever when it stays;
 * - a copy from the start of its transfer to the end of its last reader or transfer there: one stay
 *   for each version and memory, so a copy that is used again was there all the while;
 * - initial data at home, for ever; every version of a datum whose home is the memory is in there.
 *
 * The plan lists its transfers, each as late as it can be for its reader.  A version keeps its
 * place where it was made, its anchor, until all its readers are placed; then what it does not need
 * is given back.  Occupancy over time is a staircase for each memory. */
#ifndef TGS_MEMORY_CORE_H
#define TGS_MEMORY_CORE_H
#include "tgsched/plugin.h"
#include "../list/core.h"

/* ---- stairs.c ------------------------------------------------------------------------------- */
/* bytes in use over time: steps in a treap by time; O(log steps) for each operation */
typedef struct tgs_i_step {
    double time, bytes; /* in use from time to the next step */
    double most, least; /* below this node */
    double add;         /* not yet passed on to the children */
    int32_t left, right;
    uint32_t priority;
} tgs_i_step;
typedef struct tgs_i_stairs {
    tgs_i_step *step;
    int64_t room;
    int32_t root, used;
} tgs_i_stairs;

tgs_status tgs_i_stairs_open(tgs_i_stairs *s, double bytes); /* from the beginning on */
void tgs_i_stairs_close(tgs_i_stairs *s);
/* bytes more in [from, until), which may be empty or infinite */
tgs_status tgs_i_stairs_add(tgs_i_stairs *s, double from, double until, double bytes);
/* the first time in [from, until) at which more than level is in use; INFINITY: never */
double tgs_i_stairs_above(tgs_i_stairs *s, double from, double until, double level);
/* the first time at or after from at which no more than level is in use; INFINITY: never */
double tgs_i_stairs_below(tgs_i_stairs *s, double from, double level);
double tgs_i_stairs_last(const tgs_i_stairs *s); /* in the end */

/* ---- state.c -------------------------------------------------------------------------------- */
typedef struct tgs_i_held { /* a copy of a version in another memory than its anchor */
    int32_t memory, next;   /* next: -1 the last */
    double there, until;    /* since when it can be read; the end of its stay */
} tgs_i_held;

typedef struct tgs_i_version {
    int32_t anchor;      /* memory; -1: not made yet */
    int32_t readers;     /* accesses of tasks that are not placed */
    int32_t held;        /* copies, a list; -1 none */
    bool stays;          /* for ever: the last version of what is persistent */
    double there, until; /* in the anchor: since when; the end of what needs it there so far */
} tgs_i_version;

typedef enum tgs_i_change {
    TGS_I_STEP,  /* at a time relative to the start of the task */
    TGS_I_BACK,  /* given back at a time of its own, but not before the task has ended */
    TGS_I_LONGER /* a stay that ends at a time of its own ends at a relative one, if that is later
                  */
} tgs_i_change;
typedef struct tgs_i_load { /* what a memory would hold more or less if a task were placed */
    tgs_i_change change;
    int32_t memory;
    double own, offset; /* time of its own; relative to the start, INFINITY: the end of the task */
    double bytes;
} tgs_i_load;
typedef struct tgs_i_moment { /* the same, for a start of the task */
    int32_t memory;
    double time, offset, bytes; /* offset: NAN when the time is its own */
} tgs_i_moment;

typedef struct tgs_i_rooms { /* a schedule under construction */
    const tgs_view *v;
    tgs_i_list list;         /* processors, groups, plan */
    tgs_i_stairs *stairs;    /* [memories] */
    double *capacity;        /* [memories] with a little slack for sums */
    int32_t *proc_at, *proc; /* CSR by memory */
    tgs_i_version *version;  /* [accesses + data], initial versions last */
    int32_t *writer;         /* [accesses] */
    tgs_i_held *held;
    int64_t held_room, helds;
    tgs_i_load *load; /* of the task being looked at */
    int64_t load_room, loads;
    tgs_i_moment *moment;
    int64_t moment_room, moments;
    int64_t given;       /* how often something was given back */
    const double *level; /* [n] priorities: what is least urgent is moved out of the way first */
} tgs_i_rooms;

tgs_status tgs_i_rooms_open(tgs_i_rooms *r, const tgs_ctx *c, tgs_plan *plan, bool insert,
                            tgs_error *err);
void tgs_i_rooms_close(tgs_i_rooms *r);
int32_t tgs_i_rooms_datum(const tgs_i_rooms *r, int32_t version);
/* the version that access i reads */
int32_t tgs_i_rooms_read(const tgs_i_rooms *r, int32_t access);
/* what a version takes in a memory: nothing at home */
double tgs_i_rooms_bytes(const tgs_i_rooms *r, int32_t version, int32_t memory);
/* the copy of a version in a memory, an index of held; -1: none */
int32_t tgs_i_rooms_find(const tgs_i_rooms *r, int32_t version, int32_t memory);

/* How a version gets from where it is to a memory: hops of the route, from the last memory on the
 * way that has it. */
typedef struct tgs_i_way {
    int32_t held;        /* index of the copy it starts from; -1: the anchor */
    int32_t from;        /* memory */
    const int32_t *link; /* links of the hops; NULL: one hop over no link */
    int32_t hops;
    double there;   /* when the version can leave */
    double seconds; /* of all hops; INFINITY: no route */
} tgs_i_way;
tgs_i_way tgs_i_rooms_way(const tgs_i_rooms *r, int32_t version, int32_t memory);
/* hop k of a way: where it goes, and how long it takes */
int32_t tgs_i_rooms_hop(const tgs_i_rooms *r, const tgs_i_way *w, int32_t datum, int32_t k,
                        int32_t memory, double *seconds);
/* moves a version over a way so that it is there at time `there`; it stays until `until` */
tgs_status tgs_i_rooms_move(tgs_i_rooms *r, int32_t version, int32_t memory, double there,
                            double until);
/* every reader is placed: gives back what the anchor does not need */
tgs_status tgs_i_rooms_release(tgs_i_rooms *r, int32_t version);
/* places a task where fit has said it can be */
tgs_status tgs_i_rooms_place(tgs_i_rooms *r, int32_t task, int32_t proc, double start,
                             tgs_error *err);

/* ---- fit.c ---------------------------------------------------------------------------------- */
/* When everything a task needs can be in a memory, INFINITY if never, and r->load: what it would
 * change there and on the way. */
tgs_status tgs_i_rooms_ready(tgs_i_rooms *r, int32_t task, int32_t memory, double *ready);
/* the earliest start from `start` on of the task, which takes w, at which r->load fits */
tgs_status tgs_i_rooms_fit(tgs_i_rooms *r, double w, double *start);

typedef struct tgs_i_room_rule { /* how a task is placed */
    bool finish;           /* on the processor where it ends first; else where it starts first */
    const int32_t *memory; /* [n] the memory it goes to where it fits there; NULL: any */
    /* more than the earliest start for a processor, or NULL: e.g. it waits for another task */
    double (*wait)(const struct tgs_i_room_rule *rule, const tgs_i_rooms *r, int32_t task,
                   int32_t proc, double start);
    /* whether a memory is to be taken before those that are not, or NULL */
    bool (*like)(const struct tgs_i_room_rule *rule, const tgs_i_rooms *r, int32_t task,
                 int32_t memory);
    void (*placed)(const struct tgs_i_room_rule *rule, int32_t task, int32_t proc); /* or NULL */
    void *user;
} tgs_i_room_rule;
typedef struct tgs_i_room_pick {
    double start, key; /* key: INFINITY when it fits nowhere */
    int32_t proc;
} tgs_i_room_pick;
tgs_status tgs_i_rooms_pick(tgs_i_rooms *r, const tgs_i_room_rule *rule, int32_t task,
                            tgs_i_room_pick *out, tgs_error *err);

/* ---- spill.c -------------------------------------------------------------------------------- */
/* The task fits nowhere: versions it does not read are moved to other memories so that it does.
 * *moved: whether that was possible. */
tgs_status tgs_i_rooms_spill(tgs_i_rooms *r, int32_t task, bool *moved, tgs_error *err);

/* ---- loop.c --------------------------------------------------------------------------------- */
/* The ready tasks by level, highest first; or (level NULL) the one whose key is least.  One that
 * fits nowhere waits until something is given back; when all do, versions are moved out of the way;
 * when that cannot be done the plan fails with TGS_EINFEASIBLE.  urgent[n]: levels of the readers
 * for that. */
tgs_status tgs_i_rooms_run(const tgs_ctx *c, tgs_plan *plan, const tgs_i_room_rule *rule,
                           const double *level, const double *urgent, bool insert, tgs_error *err);
/* levels[n]: upward ranks of mean times, with or without communication, snapped */
tgs_status tgs_i_rooms_levels(const tgs_view *v, bool communication, double **levels,
                              tgs_error *err);
#endif
