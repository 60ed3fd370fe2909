/* zero.h -- what is sharded over replicas, between shard.c, which finds it, and zero.c, which
 * writes the tasks. */
#ifndef TGS_LOWER_ZERO_H
#define TGS_LOWER_ZERO_H
#include "pieces.h"

typedef struct tgs_i_term {        /* a gradient before it is summed */
    int32_t datum, replica, batch; /* batch 0 when the pieces of its replica are summed already */
} tgs_i_term;

typedef struct tgs_i_owned {   /* a parameter of which each replica owns a part */
    int32_t parameter, update; /* datum, task */
    int32_t axis;
    const int64_t *at; /* [replicas + 1] its cuts along the axis; a part may be empty */
    int32_t *piece;    /* [replicas] datum, -1: empty */
    int32_t *whole;    /* [replicas] stages 1 and 2: each replica's own */
    int32_t term;      /* the first of its terms */
    int32_t terms;
} tgs_i_owned;

typedef struct tgs_i_zero {
    tgs_lowering *l;
    int32_t level; /* 1: optimizer state, 2: and gradients, 3: and parameters */
    int32_t replicas, batches;
    bool layered;
    tgs_i_owned *owned;
    int64_t count, room;
    tgs_i_term *term;
    int64_t terms, term_room;
    int32_t *of;       /* [data before] index into owned, -1 */
    int32_t *gathered; /* [tgs_i_zero_slots] stage 3: a parameter for a pass at a replica, -1 */
    int32_t *sent;     /* and an owner's part for a pass */
} tgs_i_zero;

/* layered.c: in each pass all micro-batches of a layer before the next one */
tgs_status tgs_i_layered(tgs_lowering *l);
int64_t tgs_i_zero_slots(const tgs_i_zero *z);
/* the datum that a task reads instead of a parameter; may add tasks before it */
int32_t tgs_i_zero_read(tgs_i_zero *z, int32_t parameter, const tgs_low_task *t);
/* sums, updates and gathers of one parameter, after all that was there before */
tgs_status tgs_i_zero_update(tgs_i_zero *z, const tgs_i_owned *o, const tgs_low_task *update);
/* pieces and copies of the parameter */
tgs_status tgs_i_zero_store(tgs_i_zero *z, tgs_i_owned *o);
#endif
