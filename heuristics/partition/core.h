/* core.h -- partitions of the tasks and schedules that follow them.
 *
 * A part is a memory with its processors, since tasks of one memory exchange data for nothing, or a
 * single processor. */
#ifndef TGS_PARTITION_CORE_H
#define TGS_PARTITION_CORE_H
#include "tgsched/plugin.h"

/* ---- core.c -------------------------------------------------------------------------------- */
typedef struct tgs_i_split { /* the processors, by part */
    const tgs_view *v;
    int32_t parts;
    int32_t *at, *proc; /* CSR by part */
    int32_t *memory;    /* [parts] */
    double *wbar;       /* [n] mean time of each task */
    double *speed;      /* [parts] work of the graph (sum of wbar) per second */
} tgs_i_split;

#define TGS_I_SPLIT_PARTS "memories|processors"
/* the parameter `parts` of c says what a part is; memories without a processor are no parts */
tgs_status tgs_i_split_open(tgs_i_split *s, const tgs_ctx *c, tgs_error *err);
void tgs_i_split_close(tgs_i_split *s);
/* the processors of a part that may run a task come before others */
bool tgs_i_split_may(const tgs_i_split *s, int32_t task, int32_t part);
/* Tasks by non-increasing upward rank, where edges inside a part are free and others cost what they
 * cost between its memories; each on the processor of its part on which it ends first, or on any
 * one where its part has none for it. */
tgs_status tgs_i_split_place(const tgs_i_split *s, const tgs_ctx *c, tgs_plan *plan,
                             const int32_t *part, tgs_error *err);
#endif
