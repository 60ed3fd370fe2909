/* layers.h -- a graph as few boxes, for pictures: its tasks by layer, which their names tell, and
 * phase, and what flows between these. */
#ifndef TGSCHED_LAYERS_H
#define TGSCHED_LAYERS_H
#include "tgsched/plugin.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { TGS_PHASES = TGS_PHASE_COMMUNICATION + 1 };

typedef struct tgs_layer_box { /* the tasks of a row in a phase */
    int32_t tasks;
    double flops;
} tgs_layer_box;

typedef struct tgs_layer_flow { /* between two boxes */
    int32_t from, to;
    double bytes;
} tgs_layer_flow;

typedef struct tgs_layers {
    int32_t layers, rows; /* a row is a layer, or as many as follow one another as are needed */
    int64_t flows;
    int32_t *row;         /* [tasks] */
    char (*name)[64];     /* [rows] "layer0", "layer0 to layer1"; long ones without their middle */
    tgs_layer_box *box;   /* [rows * TGS_PHASES]: row * TGS_PHASES + phase */
    tgs_layer_flow *flow; /* the largest first */
} tgs_layers;
/* at most so many rows; _free also after a failure, which is TGS_ENOMEM */
tgs_status tgs_layers_find(tgs_layers *x, const tgs_graph_view *g, int32_t most);
void tgs_layers_free(tgs_layers *x);
/* "1.2 GB" of 1.2e9 and "B"; what snprintf returns */
int tgs_amount_text(char *to, size_t size, double x, const char *unit);

#ifdef __cplusplus
}
#endif
#endif
