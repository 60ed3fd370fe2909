/* est.h -- EasyScale's jobs: equal logical workers (threads, "EST") that share unlike GPUs.
 *
 *   gpu TYPE speed=P [count=N]      N GPUs that run P threads' steps a second each
 *   job NAME threads=M              the parallelism the job was designed for; one job */
#ifndef TGS_PLAN_EST_H
#define TGS_PLAN_EST_H
#include "tgsched/planner.h"
#include "../instance.h"

typedef struct tgs_i_est { /* of one file */
    tgs_i_instance *file;
    int64_t threads;
    int32_t types, gpus;
    const char **name; /* [types] */
    double *speed;     /* [types] */
    int32_t *count;    /* [types] */
    int32_t *type;     /* [gpus]: the type of each, types in their order */
    int64_t *on;       /* [gpus]: threads there; for the planner to fill */
} tgs_i_est;
tgs_status tgs_i_est_open(tgs_i_est *x, const tgs_planner_ctx *c, tgs_error *err);
void tgs_i_est_close(tgs_i_est *x);
/* Rows per GPU, with the threads it has: they are numbered through in the order of the GPUs, and
 * gradients are reduced in the order of the threads whatever the GPUs.  speed: steps of a thread
 * that the job does in a second; waste: the part of the GPUs' speed that idles. */
tgs_status tgs_i_est_tell(const tgs_i_est *x, double speed, double waste, tgs_proposal *out);
#endif
