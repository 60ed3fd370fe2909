/* maxflow.h -- maximum flow with real capacities, by Dinic's algorithm. */
#ifndef TGS_FJ_MAXFLOW_H
#define TGS_FJ_MAXFLOW_H
#include "tgsched/plugin.h"

typedef struct tgs_i_maxflow_arc {
    int32_t to, next; /* next of the same node; -1 the last */
    double rest;      /* capacity left; arc ^ 1 is its reverse */
} tgs_i_maxflow_arc;

typedef struct tgs_i_maxflow {
    int32_t nodes;
    int64_t arcs, arc_room, node_room;
    tgs_i_maxflow_arc *arc;
    int32_t *first, *level, *at, *queue; /* [node_room] */
} tgs_i_maxflow;

/* of the nodes 0 .. nodes - 1, without arcs; the room of an earlier use is kept */
tgs_status tgs_i_maxflow_reset(tgs_i_maxflow *x, int32_t nodes);
void tgs_i_maxflow_free(tgs_i_maxflow *x);
tgs_status tgs_i_maxflow_add(tgs_i_maxflow *x, int32_t from, int32_t to, double capacity);
/* from source to sink; what is below `least` counts as nothing.  O(nodes^2 arcs), in practice a few
 * passes over the arcs. */
double tgs_i_maxflow_run(tgs_i_maxflow *x, int32_t source, int32_t sink, double least);
#endif
