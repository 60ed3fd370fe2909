/* alloc.h -- models to serve on devices that differ: the allocation matrix.
 *
 *   device NAME memory=BYTES [fallback=1]        fallback: only for what fits nowhere else
 *   model NAME
 *   option NAME model=MODEL memory=BYTES [batch=N] [rates=r,r,...]
 *
 * An option is a model with a batch size; its rates are samples a second on each device, '-' where
 * it cannot run (default: 1 everywhere).  An entry of the matrix is the option of a model that a
 * device serves, or none; several entries in a column are copies, several in a row share. */
#ifndef TGS_PLAN_ALLOC_H
#define TGS_PLAN_ALLOC_H
#include "tgsched/planner.h"
#include "../instance.h"

typedef struct tgs_i_alloc {
    tgs_i_instance *file;
    int32_t devices, models, options;
    double slowdown;       /* of all models on a device, for each further one */
    const double *memory;  /* [devices] */
    const double *need;    /* [options] bytes */
    const double *rate;    /* [option * devices + device]; 0: cannot run */
    const bool *fallback;  /* [devices] */
    const int32_t *first;  /* [models + 1] into sorted */
    const int32_t *sorted; /* [options] by model, then memory, then index */
    double *room;          /* owned, all of the above lies there */
} tgs_i_alloc;
tgs_status tgs_i_alloc_open(tgs_i_alloc *x, const tgs_planner_ctx *c, tgs_error *err);
void tgs_i_alloc_close(tgs_i_alloc *x);

typedef struct tgs_i_served { /* by a matrix entry[device * models + model]: option, -1 none */
    int32_t stranded;         /* models that run on fallback devices only */
    int32_t missing;          /* models that run nowhere */
    double slowest;           /* samples a second of the slowest model: of the ensemble */
    double all;               /* of all models together */
} tgs_i_served;
tgs_i_served tgs_i_alloc_judge(const tgs_i_alloc *x, const int32_t *entry);
/* fewer that run nowhere, then fewer stranded, then a faster slowest, then more together */
bool tgs_i_alloc_better(const tgs_i_served *a, const tgs_i_served *b);
/* bytes that are left on a device */
double tgs_i_alloc_left(const tgs_i_alloc *x, const int32_t *entry, int32_t device);
bool tgs_i_alloc_placed(const tgs_i_alloc *x, const int32_t *entry, int32_t model);
/* bytes of the smallest option that the device can run; INFINITY: it can run none */
double tgs_i_alloc_least(const tgs_i_alloc *x, int32_t model, int32_t device);

/* worst fit, largest first; TGS_EINFEASIBLE when a model fits nowhere */
tgs_status tgs_i_alloc_wfd(const tgs_i_alloc *x, int32_t *entry, tgs_error *err);
/* the best of `sample` random changes of one entry, until none is better or evals are spent */
void tgs_i_alloc_greedy(const tgs_i_alloc *x, const tgs_planner_ctx *c, int64_t evals,
                        int64_t sample, int32_t *entry);
/* the best matrix; false: nodes were spent first */
bool tgs_i_alloc_exact(const tgs_i_alloc *x, const tgs_planner_ctx *c, int64_t nodes,
                       int32_t *entry, int32_t *work);
#endif
