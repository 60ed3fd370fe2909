/* decouple.h -- a backward pass cut into blocks, between decouple.c and signal.c. */
#ifndef TGS_LOWER_DECOUPLE_H
#define TGS_LOWER_DECOUPLE_H
#include "core.h"

typedef struct tgs_i_decoupling {
    tgs_lowering *l;
    const int32_t *block;
    tgs_i_signal signal;
    const char *who;
    int64_t tasks, data; /* before any was added */
    int32_t *writer;     /* [data] the task that wrote it last, -1 */
    int32_t *tensor;     /* [data] that it is the whole gradient of, -1 */
    int32_t *stand_in;   /* [data of gradients] -1 none yet; of TGS_I_LAST */
    int32_t *signals;    /* [tensors] its stand-in, -1 none yet; of the others */
    int32_t *instead;    /* [tensors] of which gradient */
    int32_t *of_task;    /* [tasks] its block, 0 none */
} tgs_i_decoupling;

/* what stands in for a gradient of a tensor: a datum, or a status (TGS_ENOTAPPLICABLE: the tensor
 * has other rows than the output) */
int32_t tgs_i_signal_for(tgs_i_decoupling *d, int32_t gradient, int32_t tensor);
/* at the end of the step: what the next one reads of it */
tgs_status tgs_i_signal_keep(tgs_i_decoupling *d);
#endif
