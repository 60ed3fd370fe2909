/* core.h -- tasks are first given a kind of processors, then listed on the processors of that kind.
 *
 * Kinds are split one from the others at a time: a task takes a on the processors of one kind, b on
 * the others (the least of theirs).  Speeds within a kind count with their mean. */
#ifndef TGS_TYPES_CORE_H
#define TGS_TYPES_CORE_H
#include "tgsched/plugin.h"

typedef struct tgs_i_split { /* of n tasks between m processors (a) and k others (b) */
    const double *a, *b;     /* [n] INFINITY: not there, never both */
    const int32_t *order;    /* [n] by a / b descending: what gains most from the others first */
    int32_t n;
    double m, k;
    double *scratch; /* [2 n] */
    bool *right;     /* [n] the result: a task is for the others */
    int32_t last;    /* the task to be placed last of those on its side, -1 none */
    double bound;    /* 0 at first: of independent tasks no schedule is shorter */
} tgs_i_split;
typedef void tgs_i_splitter(tgs_i_split *s);

/* splits, and lists the tasks: independent ones by time, the longest first, others by rank, each on
 * the processor of its kind where it ends first */
tgs_status tgs_i_types_run(const tgs_ctx *c, tgs_plan *plan, tgs_i_splitter *split, tgs_error *err);
/* Lists tasks in a topological order on processors of their kinds: kind[n] (where none of that kind
 * can take a task, elsewhere). */
tgs_status tgs_i_types_list(const tgs_ctx *c, tgs_plan *plan, const int32_t *order,
                            const int32_t *kind, tgs_error *err);
#endif
