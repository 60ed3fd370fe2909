/* trace.h -- a trace being written; for trace.c (logs), traceread.c and tracewrite.c. */
#ifndef TGS_TRACE_H
#define TGS_TRACE_H
#include "hash.h"
#include "internal.h"

typedef struct tgs_i_texts { /* offsets into the arena of a log */
    int32_t *at;
    int64_t count, room;
} tgs_i_texts;

struct tgs_trace_log {
    tgs_i_arena arena;
    tgs_i_texts task, codelet, datum, proc, kind, memory;
    int32_t *phase, *proc_memory; /* as many as task, proc */
    int64_t phase_room, proc_memory_room;
    int32_t *edge_at, *edge; /* CSR */
    double *step_start, *step_end;
    tgs_ran *ran;
    tgs_moved *moved;
    tgs_used *used;
    int64_t steps, rans, moveds, useds;
    int64_t start_room, end_room, ran_room, moved_room, used_room;
    int32_t origin, title; /* offsets */
    double lower_bound;
    const int32_t *task_of, *datum_of; /* NULL, or the names of what is logged; not owned */
};

/* a log that knows nothing yet */
tgs_status tgs_i_log_empty(tgs_trace_log **out, const char *origin, const char *title);
/* one more text of a kind */
tgs_status tgs_i_log_text(tgs_trace_log *l, tgs_i_texts *t, const char *text);
/* the names are complete; edges are taken over when finish succeeds in taking the log */
tgs_status tgs_i_log_task(tgs_trace_log *l, const char *name, const char *codelet, int32_t phase);
tgs_status tgs_i_log_proc(tgs_trace_log *l, const char *name, const char *kind, int32_t memory);
#endif
