/* dag.h -- acyclic partitions: parts that are numbered so that every edge goes from a part to the
 * same or a later one, found by multilevel recursive bisection.
 *
 * J. Herrmann, M. Y. Özkaya, B. Uçar, K. Kaya, Ü. V. Çatalyürek, "Multilevel algorithms for
 * acyclic partitioning of directed acyclic graphs", SIAM J. Sci. Comput. 41(4), 2019.
 *
 * The vertices of every graph here are numbered topologically: edges go from smaller to larger
 * numbers.  Side 0 of a bisection holds all predecessors of what it holds.  The cost of the edges
 * between the sides is then the sum, over side 0, of what leaves a vertex less what enters it; so
 * the gain of a move never changes, only whether the move is allowed. */
#ifndef TGS_PARTITION_DAG_H
#define TGS_PARTITION_DAG_H
#include "tgsched/plugin.h"

/* ---- dag.c ---------------------------------------------------------------------------------- */
typedef struct tgs_i_arc { /* an edge, seen from one of its ends */
    int32_t to;
    double cost;
} tgs_i_arc;

typedef struct tgs_i_dag {
    int32_t n;
    int32_t *out_at, *in_at; /* CSR, [n + 1] */
    tgs_i_arc *out, *in;
    double *weight; /* [n] */
} tgs_i_dag;

/* room for n vertices and arcs edges; false: out of memory, and nothing to free */
bool tgs_i_dag_open(tgs_i_dag *d, int32_t n, int64_t arcs);
void tgs_i_dag_close(tgs_i_dag *d);
/* fills `in` from `out` */
void tgs_i_dag_turn(tgs_i_dag *d);
double tgs_i_dag_weight(const tgs_i_dag *d);
/* The graph of the clusters, [n] in [0, clusters), with loops left out and equal edges added up;
 * cluster becomes the number in it.  The clusters must form no cycle. */
bool tgs_i_dag_contract(const tgs_i_dag *d, int32_t clusters, int32_t *cluster, tgs_i_dag *out);
/* the graph of the vertices of one side; number[n]: their numbers in it, -1 of the others */
bool tgs_i_dag_side(const tgs_i_dag *d, const uint8_t *side, uint8_t which, int32_t *number,
                    tgs_i_dag *out);

/* ---- coarsen.c ------------------------------------------------------------------------------ */
/* how clusters are formed: of edges that leave an even level, or an odd one, or of vertices of one
 * level that have a neighbour in common */
typedef enum tgs_i_pairing { TGS_I_EVEN, TGS_I_ODD, TGS_I_SIBLINGS, TGS_I_PAIRINGS } tgs_i_pairing;
/* clusters of at most two vertices and the given weight; how many, or -1: out of memory */
int32_t tgs_i_dag_pair(const tgs_i_dag *d, tgs_i_pairing pairing, double limit, int32_t *cluster);

/* ---- bisect.c ------------------------------------------------------------------------------- */
typedef struct tgs_i_sides { /* of a bisection */
    double most[2];          /* the heaviest that each side may be */
    double target;           /* of side 0 */
} tgs_i_sides;
/* side[n] of each vertex */
bool tgs_i_dag_bisect(const tgs_i_dag *d, const tgs_i_sides *s, uint8_t *side);

/* ---- refine.c ------------------------------------------------------------------------------- */
/* Fiduccia-Mattheyses: moves single vertices while that makes the sides fit or the cut cheaper */
bool tgs_i_dag_refine(const tgs_i_dag *d, const tgs_i_sides *s, uint8_t *side);

/* ---- kway.c --------------------------------------------------------------------------------- */
/* Part of each vertex: [n] in [0, parts), never smaller than a predecessor's.  A part is as heavy
 * as its share says (share[parts], in any unit), with imbalance more, or one vertex more.  The cut
 * is at most that of blocks of the numbering. */
bool tgs_i_dag_parts(const tgs_i_dag *d, int32_t parts, const double *share, double imbalance,
                     int32_t *part);
double tgs_i_dag_cut(const tgs_i_dag *d, const int32_t *part);
#endif
