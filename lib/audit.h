/* audit.h -- an audit, between audit.c (times), auditheld.c and auditbytes.c. */
#ifndef TGS_AUDIT_H
#define TGS_AUDIT_H
#include "internal.h"

typedef struct tgs_i_step_runs { /* one step of a trace: [at, end) of its executions, transfers */
    const tgs_trace_view *t;
    double start, end;
    int32_t ran_at, ran_end, moved_at, moved_end;
} tgs_i_step_runs;

struct tgs_audit {
    tgs_audit_makespans makespan;
    tgs_audit_loss loss;
    tgs_audit_bytes bytes;
    tgs_audit_task *task; /* [tasks] */
    int32_t *chain;
    tgs_audit_again *again;
    int32_t tasks, chained, agains;
};

/* transfers of a step by (datum, to, end): those of datum d are order[at[d]] .. order[at[d+1]-1] */
typedef struct tgs_i_arrivals {
    int32_t *at, *order;
} tgs_i_arrivals;
tgs_status tgs_i_arrivals_of(tgs_i_arrivals *out, const tgs_i_step_runs *s);
void tgs_i_arrivals_free(tgs_i_arrivals *x);

/* ---- auditheld.c ---- */
typedef struct tgs_i_runs { /* the executions of each task, in the order of time: CSR */
    int32_t *at, *run;
} tgs_i_runs;

typedef struct tgs_i_examiner {
    const tgs_view *v;
    tgs_i_step_runs s;
    tgs_i_runs by_task;
    tgs_i_arrivals arrival;
    int32_t *before; /* [executions of the step] the one before it on its processor; -1 */
    int32_t *held;   /* [executions of the step] the execution that held it up; -1 */
    double near;     /* seconds by which measured times may contradict each other */
} tgs_i_examiner;
tgs_status tgs_i_runs_of(tgs_i_runs *x, const tgs_i_step_runs *s);
void tgs_i_runs_free(tgs_i_runs *x);
tgs_status tgs_i_examiner_open(tgs_i_examiner *x, const tgs_view *v, const tgs_i_step_runs *s);
void tgs_i_examiner_close(tgs_i_examiner *x);

typedef struct tgs_i_holder {
    tgs_held held;
    int32_t by, run; /* run: the execution behind it; -1 none */
    double ready;
} tgs_i_holder;

tgs_i_holder tgs_i_examine(const tgs_i_examiner *x, int32_t i);

/* auditbytes.c: fills bytes and again */
tgs_status tgs_i_audit_bytes(tgs_audit *a, const tgs_problem *pb, const tgs_i_step_runs *s,
                             const tgs_i_arrivals *x, bool first, tgs_error *err);
#endif
