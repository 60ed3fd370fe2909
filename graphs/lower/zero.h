/* zero.h -- what is sharded over replicas, between shard.c and zerofind.c, which find it, and
 * zero.c and zerosum.c, which write the tasks. */
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
    int32_t merged;    /* the sum, as it was, of all gradients that are summed in one message with
                          this one; -1 alone */
    int32_t *gradient; /* [replicas] the sum of each part at its owner, -1 none yet */
} tgs_i_owned;

typedef struct tgs_i_zero {
    tgs_lowering *l;
    int32_t level; /* 1: optimizer state, 2: and gradients, 3: and parameters */
    int32_t replicas, batches;
    bool layered;
    bool ring; /* each part is summed from replica to replica, up to its owner */
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
/* zerosum.c: the gradient of each part at its owner, of this parameter and those merged with it,
 * unless they are there */
tgs_status tgs_i_zero_sum(tgs_i_zero *z, const tgs_i_owned *o, const tgs_low_task *update);
/* updates and gathers of one parameter, after all that was there before */
tgs_status tgs_i_zero_update(tgs_i_zero *z, const tgs_i_owned *o, const tgs_low_task *update);
/* pieces and copies of the parameter */
tgs_status tgs_i_zero_store(tgs_i_zero *z, tgs_i_owned *o);

/* ---- between zero.c and zerosum.c ---- */
/* part k of a datum like this one, called after it with this tail; or a status */
int32_t tgs_i_zero_part(tgs_i_zero *z, const tgs_i_owned *o, int32_t like, int32_t k,
                        const char *tail);
/* part k of a datum, sliced by a task like t; or a status */
int32_t tgs_i_zero_slice(tgs_i_zero *z, const tgs_i_owned *o, int32_t from, int32_t k,
                         const tgs_low_task *t);
/* a task like t whose name is that of the datum it makes; its accesses are yet to be added */
tgs_status tgs_i_zero_begin(tgs_i_zero *z, const tgs_low_task *t, const char *codelet, int32_t to,
                            const char *tail, const char *attrs);
/* and one that reads one datum and makes another */
tgs_status tgs_i_zero_convert(tgs_i_zero *z, const tgs_low_task *t, const char *codelet,
                              int32_t from, int32_t to, const char *tail, const char *attrs);
/* the stage of what runs where a replica is, of all replicas' */
int32_t tgs_i_zero_stage(const tgs_i_zero *z, const tgs_low_task *t, int32_t replica);

/* ---- zerofind.c: the gradients whose sum a datum is ---- */
typedef struct tgs_i_finding {
    tgs_i_zero *z;
    int32_t *first, *next, *task; /* who writes a datum: [data] access, -1; [accesses] of each */
    bool *joined;                 /* [data] a task that is taken away wrote it */
    bool *term;                   /* [data] it is one of the gradients */
    int32_t *of, *many; /* [data] of a message's sum: the first of its terms, -1, and how many */
} tgs_i_finding;
/* close also after a failure */
tgs_status tgs_i_finding_open(tgs_i_finding *f, tgs_i_zero *z);
void tgs_i_finding_close(tgs_i_finding *f);
/* The terms of what the update of o reads, after those of z; the sums that join them are dropped,
 * and what packs them into messages and unpacks these.  TGS_ENOTAPPLICABLE: it is more than such a
 * sum. */
tgs_status tgs_i_find_terms(tgs_i_finding *f, tgs_i_owned *o, int32_t gradient);
/* drops what makes it for another replica, which has a sum of its own */
void tgs_i_drop_sum(tgs_i_finding *f, int32_t gradient);
#endif
