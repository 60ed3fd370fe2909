/* part.h -- k-way partitioning of graphs for plug-ins, done by METIS in the module tgsched-part.
 *
 * Vertices with several weights are spread over parts so that every part has its share of each
 * weight and the edges between parts cost little.  One call runs at a time in a process (a lock:
 * METIS draws from the C library's random numbers, which are seeded anew by each call), so that the
 * same graph gives the same parts. */
#ifndef TGSCHED_PART_H
#define TGSCHED_PART_H
#include "tgsched/plugin.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct tgs_part_edge { /* undirected; loops count for nothing, equal ones add up */
    int32_t a, b;
    double cost; /* >= 0, finite */
} tgs_part_edge;

typedef struct tgs_part_graph {
    int32_t vertices, weights, parts;
    int64_t edges;
    const double *weight;      /* [vertex * weights + i] >= 0, finite */
    const tgs_part_edge *edge; /* [edges] */
    const double *share;       /* [part * weights + i] >= 0: of weight i, in any unit; NULL equal */
    const double *slack;       /* [weights] a part may exceed its share by this: 0.05 is 5 % */
    uint64_t seed;
} tgs_part_graph;

/* whether the module with METIS is there; without it a call is TGS_ENOTAPPLICABLE */
bool tgs_part_available(void);

/* part[vertices], each in [0, parts); cut (NULL is fine) is the cost of the edges between parts.
 * The balance is the partitioner's aim and not promised: a vertex may be too heavy. */
tgs_status tgs_part_kway(const tgs_part_graph *g, int32_t *part, double *cut, tgs_error *err);

#ifdef __cplusplus
}
#endif
#endif
