/* core.h -- a schedule under construction in which tasks may run more than once, each time with
 * buffers of its own; a reader takes the copy whose data arrive first.
 *
 * A task may be copied when it updates nothing in place (RW), when nobody later overwrites what it
 * reads or writes, when no task waits for it without data, and when it is in no group: then another
 * execution, whenever it runs, is in nobody's way.  Of any other task there is one execution. */
#ifndef TGS_DUPLICATION_CORE_H
#define TGS_DUPLICATION_CORE_H
#include "tgsched/plugin.h"
#include "../list/core.h"

typedef struct tgs_i_copy { /* a further execution */
    double start, end;
    int32_t task, proc, next; /* next: of the same task, -1 none */
} tgs_i_copy;

typedef struct tgs_i_copies {
    tgs_i_list list; /* with the first execution of each task */
    bool *may;       /* [n] may be copied */
    int32_t *first;  /* [n] its latest copy, -1 none */
    tgs_i_copy *copy;
    int64_t count, room;
} tgs_i_copies;

tgs_status tgs_i_copies_open(tgs_i_copies *x, const tgs_ctx *c, tgs_plan *plan, bool insert,
                             tgs_error *err);
void tgs_i_copies_close(tgs_i_copies *x);
/* Execution k = 0, 1, ... of a placed task: returns what to ask with next, -1 after the last.
 * Begin with 0. */
int32_t tgs_i_copies_next(const tgs_i_copies *x, int32_t task, int32_t k, tgs_i_copy *out);
/* when the data of an edge from u are in a memory, from the execution where that is first */
double tgs_i_copies_arrival(const tgs_i_copies *x, int32_t u, int32_t datum, int32_t memory);
/* release and initial data of a task in a memory */
double tgs_i_copies_initial(const tgs_i_copies *x, int32_t task, int32_t memory);
/* when all that a task reads is in a memory */
double tgs_i_copies_ready(const tgs_i_copies *x, int32_t task, int32_t memory);
/* does the task run there already? */
bool tgs_i_copies_on(const tgs_i_copies *x, int32_t task, int32_t proc);
/* the first execution, or another one */
tgs_status tgs_i_copies_place(tgs_i_copies *x, int32_t task, int32_t proc, double start,
                              tgs_error *err);
/* writes the plan, without executions that nobody reads from */
tgs_status tgs_i_copies_finish(tgs_i_copies *x, tgs_error *err);

/* ---- critical.c ---------------------------------------------------------------------------- */
/* HCPT; with copies HCPFD */
tgs_status tgs_i_critical_parents(const tgs_ctx *c, tgs_plan *plan, bool copies, tgs_error *err);
#endif
