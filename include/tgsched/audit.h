/* audit.h -- the part of tgsched.h that compares a run with its plan: what held up each task, where
 * the run lost time, which bytes need not have moved.  Include tgsched.h. */
#ifndef TGSCHED_AUDIT_H
#define TGSCHED_AUDIT_H
#include "tgsched.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct tgs_audit tgs_audit;

/* Audits one step of a run (step -1: the last) against the schedule it executed.  The plan is the
 * schedule as simulated on pb.  TGS_EINVAL when the trace is of another graph or machine, or lacks
 * a task.  O((tasks + edges + accesses + transfers) log), plus two simulations. */
tgs_status tgs_audit_new(tgs_audit **out, const tgs_problem *pb, const tgs_schedule *s,
                         const tgs_trace *run, int32_t step, tgs_error *err);
void tgs_audit_free(tgs_audit *a);

/* seconds: as planned, as simulated with the measured times, as measured */
typedef struct tgs_audit_makespans {
    double planned, resimulated, measured;
} tgs_audit_makespans;
void tgs_audit_makespan(const tgs_audit *a, tgs_audit_makespans *out);

/* what was there last of all that a task waited for */
typedef enum tgs_held {
    TGS_HELD_NOT,       /* it waited for nothing */
    TGS_HELD_PROCESSOR, /* the task before it on its processor */
    TGS_HELD_TASK,      /* a predecessor whose result needed no transfer */
    TGS_HELD_LINK       /* the transfer of a datum */
} tgs_held;
const char *tgs_held_name(tgs_held h); /* "nothing", "processor", "task", "link" */

/* one execution; times are seconds since its step began */
typedef struct tgs_audit_task {
    int32_t task, processor, planned_processor;
    double planned_start, planned_end, start, end;
    tgs_held held;
    int32_t by;     /* the task, or for a link the datum; -1 */
    double ready;   /* when that was there; what is left until start is the worker's own delay */
    int32_t critical; /* 1: on the critical chain of the run */
} tgs_audit_task;
int32_t tgs_audit_tasks(const tgs_audit *a); /* executions, in the order of their starts */
void tgs_audit_task_at(const tgs_audit *a, int32_t i, tgs_audit_task *out);
/* the critical chain: indices for tgs_audit_task_at, in the order of time */
const int32_t *tgs_audit_chain(const tgs_audit *a, int32_t *count);

/* Where the run lost time: along its critical chain, measured less planned seconds.  They add up:
 * measured makespan - planned makespan = slower + links + waits - ahead. */
typedef struct tgs_audit_loss {
    double slower; /* tasks took longer */
    double links;  /* data arrived later after it was made: slower or busy links */
    double waits;  /* workers began late although everything was there */
    double ahead;  /* the last task of the run was planned to end so long before the last one */
} tgs_audit_loss;
void tgs_audit_losses(const tgs_audit *a, tgs_audit_loss *out);

/* Bytes.  Necessary is the least that this placement allows: every version once to every memory
 * that reads it and does not hold it. */
typedef struct tgs_audit_bytes {
    double necessary, moved;
    double redundant; /* fetched again although it had been there */
    double relayed, written_back;
} tgs_audit_bytes;
void tgs_audit_moved(const tgs_audit *a, tgs_audit_bytes *out);
/* a datum that went to a memory more often than necessary */
typedef struct tgs_audit_again {
    int32_t datum, memory;
    int32_t necessary, transfers, reloads; /* reloads: of the transfers, after an eviction */
    double redundant;                      /* bytes */
} tgs_audit_again;
int32_t tgs_audit_agains(const tgs_audit *a); /* largest first */
void tgs_audit_again_at(const tgs_audit *a, int32_t i, tgs_audit_again *out);
/* lines about a run, such as what an audit has found, that reports show as they are; call it before
 * anyone else has t */
tgs_status tgs_trace_remark(tgs_trace *t, const char *lines, tgs_error *err);

#ifdef __cplusplus
}
#endif
#endif
