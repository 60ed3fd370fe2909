/* core.h -- cluster scheduling: tasks are gathered in clusters as if there were a processor for
 * each of them, clusters are merged onto the processors that there are, tasks are ordered by rank.
 *
 * A clustering sees one time per task, wbar, and one per edge, cbar, which is zero inside a
 * cluster: the model of the papers, with equal processors.  What comes after it sees the machine.
 *
 * Ties: equal tasks go by canonical topological position, equal clusters by the position of their
 * first task, equal processors by index. */
#ifndef TGS_CLUSTER_CORE_H
#define TGS_CLUSTER_CORE_H
#include "tgsched/plugin.h"

typedef struct tgs_i_clustering {
    const tgs_ctx *c;
    const tgs_view *v;
    const double *wbar; /* [n] mean time */
    double unit;        /* seconds: 2^-36 of the longest path */
    const double *w;    /* [n] wbar in whole units, so that sums are exact and ties are ties */
    int32_t *of;        /* [n] the result: the cluster of each task, a number below n */
    bool levels; /* set: on equal processors the order stays that of the levels before clustering */
} tgs_i_clustering;

/* cbar in whole units */
static inline double tgs_i_cluster_c(const tgs_i_clustering *k, int32_t datum)
{
    return datum < 0 ? 0 : nearbyint(tgs_cbar(k->v, datum) / k->unit);
}
/* level[n]: w + max over successors of (c + level) */
void tgs_i_cluster_levels(const tgs_i_clustering *k, double *level);

/* fills of; all tasks are in clusters of their own before */
typedef tgs_status tgs_i_cluster_rule(tgs_i_clustering *k, tgs_error *err);

/* the whole of a heuristic: clusters by the rule, merges as the parameter merge says, orders */
tgs_status tgs_i_cluster_run(const tgs_ctx *c, tgs_plan *plan, tgs_i_cluster_rule *rule,
                             tgs_error *err);
#define TGS_I_CLUSTER_PARAMS                                                                \
    {                                                                                       \
        "merge", "glb", TGS_PARAM_TEXT, 0, 0,                                               \
            "clusters to processors: glb (by start), lpt (by work), comm (with their data)" \
    }

/* seconds: not before this, whatever the predecessors */
double tgs_i_cluster_release(const tgs_view *v, int32_t task);

/* ---- merge.c ------------------------------------------------------------------------------- */
typedef enum tgs_i_merge { TGS_I_MERGE_GLB, TGS_I_MERGE_LPT, TGS_I_MERGE_COMM } tgs_i_merge;

/* proc[n]: the processor of each task, that of its cluster */
tgs_status tgs_i_cluster_merge(const tgs_i_clustering *k, tgs_i_merge merge, int32_t *proc,
                               tgs_error *err);
#endif
