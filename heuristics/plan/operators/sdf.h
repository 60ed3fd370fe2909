/* sdf.h -- synchronous dataflow: actors that consume and produce fixed numbers of tokens at every
 * firing, several firings to a call, on a host with several cores and one accelerator.
 *
 * Lin, Wu, Bhattacharyya (2018), Memory-constrained vectorization and scheduling of dataflow graphs
 * for hybrid CPU-GPU platforms, ACM TECS 17(2), name the problem (how many firings to a call, and
 * the schedule, within a total of memory); the method here is our own. */
#ifndef TGS_PLAN_SDF_H
#define TGS_PLAN_SDF_H
#include "tgsched/plugin.h"

enum { TGS_I_SDF_HOST, TGS_I_SDF_DEVICE, TGS_I_SDF_SIDES };

typedef struct tgs_i_sdf_actor {
    double start[TGS_I_SDF_SIDES], each[TGS_I_SDF_SIDES]; /* seconds of a call, of a firing in it;
                                                             INFINITY: not on that side */
    double bytes;                                         /* that a firing of a call works in */
    int64_t times; /* firings of one iteration: by tgs_i_sdf_repetitions */
} tgs_i_sdf_actor;

typedef struct tgs_i_sdf_channel {
    int32_t from, to;
    int64_t produce, consume, delay; /* tokens of a firing; tokens that are there at first */
    double bytes;                    /* of a token */
} tgs_i_sdf_channel;

typedef struct tgs_i_sdf {
    int32_t actors, channels, cores;
    tgs_i_sdf_actor *actor;
    const tgs_i_sdf_channel *channel;
    int64_t iterations; /* in which makespan */
    double change;      /* seconds that a call takes more when what it reads is on the other side */
} tgs_i_sdf;

/* the smallest whole numbers of firings after which every channel is as before; TGS_EINVAL when
 * there are none (rates do not balance) or they are too large, TGS_ECYCLE when a cycle has no
 * delays: *channel is where */
tgs_status tgs_i_sdf_repetitions(tgs_i_sdf *x, int32_t *channel);
/* tokens that the buffer of a channel must hold so that neither side waits for ever:
 * p + c - gcd(p, c), more by the delay */
int64_t tgs_i_sdf_buffer(int64_t produce, int64_t consume, int64_t delay);

typedef struct tgs_i_sdf_plan { /* of the caller */
    int64_t *block;             /* [actors] firings of a call: divides those of all iterations */
    int32_t *side;              /* [actors] */
    double makespan, memory;    /* what comes of it; INFINITY: it cannot */
} tgs_i_sdf_plan;
/* A list schedule of all calls, each actor's in order: what can begin first goes first, ties by the
 * actor.  Buffers are as small as they can be; where that blocks everything they grow.  O(calls *
 * (actors + channels)).  TGS_ENOTAPPLICABLE: more than 10^6 calls. */
tgs_status tgs_i_sdf_schedule(const tgs_i_sdf *x, tgs_i_sdf_plan *p);
#endif
