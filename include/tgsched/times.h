/* times.h -- times measured elsewhere by the names of operators, and what a graph adds up to.
 * Include tgsched.h. */
#ifndef TGSCHED_TIMES_H
#define TGSCHED_TIMES_H
#include "tgsched.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- measured times into a model ------------------------------------------------------------ */
typedef struct tgs_times tgs_times;
/* CSV (columns node, kind, forward_s, backward_s, bytes; or _ms, _us), the same as JSON, or the
 * JSON that torch.profiler exports; tgsched-model(5) */
tgs_status tgs_times_read(tgs_times **out, const char *path, tgs_error *err);
void tgs_times_free(tgs_times *t);
int32_t tgs_times_count(const tgs_times *t); /* entries: a name on a kind */
/* the i-th name of t that no operator of m has; TGS_ENOTFOUND past the last */
tgs_status tgs_times_unmatched(const tgs_times *t, const tgs_model *m, int32_t i,
                               const char **name);
/* tgs_model_lower, in which operators with a time in t take it (shared out among their tasks by
 * flops) and the others are left to the cost model; covered: how many operators have one, of those
 * that compute; or NULL */
tgs_status tgs_model_lower_timed(tgs_graph **out, const tgs_model *m, const tgs_strategy *s,
                                 const tgs_times *t, int32_t *covered, tgs_error *err);

/* ---- several models, and strategies for graphs ----------------------------------------------- */
/* One model that holds count others, which share nothing: the names in the i-th begin with "i.".
 * What is measured of their operators is kept. */
tgs_status tgs_model_union(tgs_model **out, const tgs_model *const *m, int32_t count,
                           tgs_error *err);
/* *g is replaced by what the strategy makes of it; TGS_EINVAL when a directive is about models */
tgs_status tgs_graph_transform(tgs_graph **g, const tgs_strategy *s, tgs_error *err);

/* ---- what a graph adds up to ---------------------------------------------------------------- */
typedef enum tgs_sum_by {
    TGS_SUM_PHASE,   /* of tasks */
    TGS_SUM_CODELET, /* of tasks */
    TGS_SUM_LAYER,   /* of tasks: what their names have before the last part that is theirs alone */
    TGS_SUM_CLASS    /* of data */
} tgs_sum_by;
typedef struct tgs_sum {
    const char *name;
    int32_t count;       /* tasks, or data */
    double flops, bytes; /* of data: flops 0, bytes their sizes */
} tgs_sum;
typedef struct tgs_sums tgs_sums;
/* groups in the order in which they first occur */
tgs_status tgs_graph_sum(tgs_sums **out, const tgs_graph *g, tgs_sum_by by, tgs_error *err);
int32_t tgs_sums_count(const tgs_sums *s);
void tgs_sums_at(const tgs_sums *s, int32_t i, tgs_sum *out);
void tgs_sums_free(tgs_sums *s);
/* a picture (SVG) of the layers, a row each, and their phases, a column each: tasks, flops, bytes,
 * and what flows between them */
tgs_status tgs_graph_draw(const tgs_graph *g, const char *title, const char *path, tgs_error *err);

#ifdef __cplusplus
}
#endif
#endif
