/* metiscall.h -- between part.c and the module tgsched-part: a call in METIS's terms. */
#ifndef TGS_METISCALL_H
#define TGS_METISCALL_H
#include "internal.h"
#include "tgsched/part.h"

typedef struct tgs_i_metis_call {
    int32_t vertices, weights, parts, seed;
    int32_t *used;          /* [weights] which of the caller's weights */
    int32_t *at, *to;       /* CSR, each edge from both ends */
    int32_t *edge_weight;   /* like to */
    int32_t *vertex_weight; /* [vertex * weights + i] */
    float *share;           /* [part * weights + i], of each weight 1 in all */
    float *imbalance;       /* [weights] 1.05: a part may exceed its share by 5 % */
    int32_t *part;          /* [vertices] the answer */
} tgs_i_metis_call;

/* the module's only symbol, tgs_i_metis_kway */
typedef tgs_status tgs_i_metis(const tgs_i_metis_call *call, tgs_error *err);
#endif
