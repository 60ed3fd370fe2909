/* flow.h -- what a schedule implies: which version is read in which memory, and the transfers that
 * bring it there.  Derived once; played in sim.c, summed up in usage.c and schedule.c. */
#ifndef TGS_FLOW_H
#define TGS_FLOW_H
#include "internal.h"

/* A version is numbered by the access that writes it; the initial value of datum d is number
 * accesses + d. */
typedef struct tgs_i_arrival { /* a version in a memory */
    int32_t version, memory;
    int32_t hop;             /* the hop that brings it; -1: it is made or at home here */
    int32_t place;           /* the execution that makes it here; -1: none does */
    int32_t reader, readers; /* range of flow.reader */
    double there, gone;      /* planned; gone: it is dropped then, INFINITY: it is not.  Only where
                                moves are listed */
} tgs_i_arrival;

typedef struct tgs_i_hop { /* one transfer over one link */
    int32_t version, from, to;
    int32_t link;    /* -1: a free link model needs none */
    int32_t source;  /* the arrival it copies */
    int32_t arrival; /* what it brings about; -1: the version was there before */
    int32_t why;     /* tgs_why */
} tgs_i_hop;

typedef struct tgs_i_flow {
    const tgs_view *v;
    const tgs_schedule_view *s;
    int32_t *copy_at;    /* CSR by task: its copies among the places; NULL without copies */
    int32_t *writer;     /* [accesses] the task of each access */
    int32_t *arrival_at; /* CSR by version */
    tgs_i_arrival *arrival;
    int32_t *reader; /* places */
    tgs_i_hop *hop;  /* with explicit moves, hop h is move h */
    int32_t versions, arrivals, hops;
    int64_t arrival_room, hop_room;
    /* hops in the order in which they are queued, CSR by what sets them off: [0, places) the end of
     * an execution, [places] the start of the run, [places + 1 + h] the end of hop h */
    int32_t *queue_at, *queue;
} tgs_i_flow;

/* TGS_ECHECK when a version cannot get to where it is read */
tgs_status tgs_i_flow_new(tgs_i_flow **out, const tgs_problem *pb, const tgs_schedule_view *s,
                          tgs_error *err);
void tgs_i_flow_free(tgs_i_flow *f);

static inline int32_t tgs_i_flow_datum(const tgs_i_flow *f, int32_t version)
{
    return version < f->v->g->accesses ? (int32_t)f->v->g->access[version].datum
                                       : version - f->v->g->accesses;
}

/* execution k = 0, 1, ... of a task; -1 past the last */
static inline int32_t tgs_i_flow_place(const tgs_i_flow *f, int32_t task, int32_t k)
{
    if (k == 0)
        return task;
    return f->copy_at && f->copy_at[task] + k <= f->copy_at[task + 1] ? f->copy_at[task] + k - 1
                                                                      : -1;
}

static inline int32_t tgs_i_flow_memory(const tgs_i_flow *f, int32_t place)
{
    return f->v->p->proc[f->s->place[place].proc].memory;
}

/* whether v waits for every execution of u, and not only for data: an order-only dependency; with
 * copies also when v overwrites what u accesses besides reading from it */
bool tgs_i_flow_follows(const tgs_i_flow *f, int32_t u, int32_t v, int32_t datum);

/* usage.c: occupancy of the memories when executions and hops happen at given times.  A version
 * occupies a memory from the start of its producer or transfer to the end of its last reader or
 * transfer there; RW is in place; the home of a datum that is read first stays occupied, and so
 * does the last version of a persistent datum until it is evicted.  Records come by (time, memory),
 * one per change. */
typedef struct tgs_i_times {
    double *start, *end;         /* [places] */
    double *hop_start, *hop_end; /* [hops] */
} tgs_i_times;
tgs_status tgs_i_times_new(tgs_i_times *t, const tgs_i_flow *f);
void tgs_i_times_free(tgs_i_times *t);
/* the times of the plan, hops without contention */
void tgs_i_times_planned(const tgs_i_flow *f, tgs_i_times *t);
/* [arrivals] from when to when each of them occupies its memory */
tgs_status tgs_i_flow_stays(const tgs_i_flow *f, const tgs_i_times *t, double *from, double *until);
/* flowtell.c: executions, transfers and occupancy, as one step */
tgs_status tgs_i_flow_tell(const tgs_i_flow *f, const tgs_i_times *t, tgs_trace_log *log);
tgs_status tgs_i_flow_usage(const tgs_i_flow *f, const tgs_i_times *t, tgs_used **out,
                            int64_t *count);
#endif
