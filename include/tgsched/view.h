/* view.h -- the read-only arrays behind the opaque types of tgsched.h, as plug-ins see them.
 *
 * Offsets are CSR: the successors of task t are succ[succ_at[t]] .. succ[succ_at[t + 1] - 1].
 * Nothing here may be written through a view; everything lives as long as its object. */
#ifndef TGSCHED_VIEW_H
#define TGSCHED_VIEW_H
#include <math.h>
#include <stdbool.h>
#include "tgsched.h"

/* ---- graph -------------------------------------------------------------------------------- */
typedef struct tgs_task {
    double work;   /* seconds at speed 1 where the kind has no time of its own; NaN unknown */
    double flops;  /* NaN unknown */
    double bytes;  /* touched; NaN unknown */
    int32_t name;  /* offset into names; 0 anonymous; the whole name is tgs_task_name */
    int32_t attrs; /* offset into names: canonical attributes */
    int32_t codelet;    /* index into codelet_name; -1 none */
    int32_t constraint; /* index into constraint, which tasks may share; -1 none */
    int32_t phase;      /* tgs_phase */
    int32_t mark;       /* offset into names of what comes after the name of a copy; 0 nothing */
} tgs_task;

typedef struct tgs_constraint {
    uint64_t kinds;    /* bit k: kind_name[k] is allowed; all bits set when unconstrained */
    double priority;   /* 0 by default; larger is more urgent; a hint */
    double release;    /* may not start before; 0 by default */
    double deadline;   /* must have ended by; INFINITY by default */
    int32_t group;     /* tasks of one group share a memory; -1 none */
    int32_t processor; /* offset into names of the only allowed processor; 0 any */
    int32_t memory;    /* offset into names of the only allowed memory; 0 any */
    int32_t trust;     /* offset into names */
    int32_t job;       /* 0 by default */
} tgs_constraint;

typedef struct tgs_datum {
    double bytes;
    int32_t name;  /* offset into names; 0 anonymous (an edge); see tgs_datum_name */
    int32_t extra; /* index into extra; -1: class other, no shape, no home, no initial value */
} tgs_datum;

typedef struct tgs_datum_extra {
    int32_t datum;
    uint8_t dtype, class_; /* tgs_dtype, tgs_class */
    bool persistent;
    int32_t rank, dims;    /* dims: offset into dim; rank -1 when there is no shape */
    int32_t home;          /* offset into names of a memory; 0: the platform's first memory */
    int32_t init;          /* offset into names of the init text; 0 none */
    int32_t mark;          /* as in tgs_task */
} tgs_datum_extra;

/* One access of a task, in the order of the builder's calls (the codelet's buffer order).
 * version: index of the access (a W or RW) whose value an R or RW sees, -1 for the initial value;
 * for a W -1.  Access i, when it writes, creates version i. */
typedef struct tgs_access {
    uint32_t datum : 30, mode : 2; /* tgs_mode */
    int32_t version;
} tgs_access;

typedef struct tgs_graph_view {
    int32_t tasks, edges, data, accesses, kinds, codelets, constraints, extras;
    const tgs_task *task;
    const double *time; /* [task * kinds + kind], NaN where not given; NULL if kinds == 0 */
    const char *const *kind_name; /* kinds that the graph has times or masks for */
    const int32_t *succ_at, *succ, *succ_datum; /* datum -1: order only, nothing moves */
    const int32_t *pred_at, *pred, *pred_datum; /* ascending predecessor */
    const int32_t *access_at;
    const tgs_access *access;
    const int32_t *topo;     /* canonical topological order: Kahn with a min-heap on task id */
    const int32_t *topo_pos; /* its inverse */
    const tgs_datum *datum;
    const tgs_datum_extra *extra;
    const tgs_constraint *constraint;
    const int64_t *dim;
    const char *names;
    const char *const *codelet_name;
} tgs_graph_view;

static inline const char *tgs_text(const tgs_graph_view *g, int32_t offset)
{
    return g->names + offset;
}

/* the dtype that chooses a task's kernel and its samples: of its first access; F32 without shape */
static inline tgs_dtype tgs_task_dtype(const tgs_graph_view *g, int32_t task)
{
    const int32_t i = g->access_at[task];
    const int32_t x = i < g->access_at[task + 1] ? g->datum[g->access[i].datum].extra : -1;

    return x >= 0 && g->extra[x].rank >= 0 ? (tgs_dtype)g->extra[x].dtype : TGS_F32;
}

/* ---- platform ------------------------------------------------------------------------------ */
typedef struct tgs_kind {
    const char *name;
    const char *arch;        /* which kernels run there: "cpu", "opencl", "cuda" */
    double flops, bandwidth; /* peak flop/s and byte/s per processor of speed 1; NaN unknown */
    double overhead;         /* seconds added to every task */
    double power_idle, power_busy; /* watts; NaN unknown */
    double least; /* seconds, besides overhead, of a task too small to fill the processor */
} tgs_kind;

typedef struct tgs_proc {
    const char *name;
    int32_t kind, memory;
    double speed; /* a task takes time / speed */
} tgs_proc;

typedef struct tgs_memory {
    const char *name;
    const char *trust; /* "" when none */
    double capacity;   /* bytes; INFINITY unlimited */
    int32_t node;
} tgs_memory;

typedef struct tgs_link { /* directed */
    int32_t from, to;
    int32_t bus;              /* shared by the links that name it; -1 none */
    double latency, bandwidth; /* seconds; byte/s */
    double energy;            /* joule per byte; NaN unknown */
} tgs_link;

typedef struct tgs_bus {
    const char *name;
    double bandwidth;
} tgs_bus;

typedef struct tgs_platform_view {
    int32_t kinds, procs, memories, links, buses, nodes;
    const tgs_kind *kind;
    const tgs_proc *proc;
    const tgs_memory *memory;
    const tgs_link *link;
    const tgs_bus *bus;
    /* [from * memories + to]: seconds and seconds per byte over the chosen route (each hop in full
     * before the next), 0 on the diagonal; where there is no route lat is INFINITY and inv 0, so
     * that no size gives NaN */
    const double *lat, *inv;
    /* never more than any chain of copies costs, whatever the size: for lower bounds */
    const double *relay_lat, *relay_inv;
    const int32_t *route_at, *route; /* CSR: links of the route, in order */
} tgs_platform_view;

/* ---- problem ------------------------------------------------------------------------------- */
/* Everything a heuristic, bound, checker or simulator knows. */
typedef struct tgs_view {
    const tgs_graph_view *g;
    const tgs_platform_view *p;
    int32_t n, m;            /* tasks, processors */
    int32_t kinds, memories; /* of the platform */
    const double *time;      /* [task * kinds + kind] seconds at speed 1; INFINITY: not allowed */
    const tgs_overhead *overhead; /* [kind] of the runtime, part of time; NULL: none was measured */
    /* [memory * memories + memory] under the link model: c = lat + bytes * inv; "zero" has zeros */
    const double *lat, *inv, *relay_lat, *relay_inv;
    double mean_lat, mean_inv; /* over ordered pairs of distinct processors: HEFT's cbar */
    /* NULL when no task is pinned: else [task] index of the only allowed processor, or -1 */
    const int32_t *pin_proc;
    /* NULL when unrestricted: else [task * mem_words ...] mask over memories (bit i % 64 of word
     * i / 64: memory i): see tgs_memory_allowed */
    const uint64_t *mem_mask;
    const int32_t *home; /* [datum] memory of the initial version, -1: none (not read first) */
    const char *link_model;
    bool homogeneous; /* one kind, one speed, uniform links between distinct processors */
    int32_t mem_words; /* of a mask over memories: 1 for up to 64 */
} tgs_view;

/* may the task be in that memory, as far as masks say? */
static inline bool tgs_memory_allowed(const tgs_view *v, int32_t task, int32_t memory)
{
    return !v->mem_mask
           || (v->mem_mask[(int64_t)task * v->mem_words + memory / 64] >> memory % 64 & 1);
}

static inline bool tgs_allowed(const tgs_view *v, int32_t task, int32_t proc)
{
    if (v->pin_proc && v->pin_proc[task] >= 0 && v->pin_proc[task] != proc)
        return false;
    if (!tgs_memory_allowed(v, task, v->p->proc[proc].memory))
        return false;
    return v->time[(int64_t)task * v->kinds + v->p->proc[proc].kind] < INFINITY;
}

/* w(task, proc), seconds; INFINITY where not allowed */
static inline double tgs_w(const tgs_view *v, int32_t task, int32_t proc)
{
    const tgs_proc *p = &v->p->proc[proc];

    if ((v->pin_proc || v->mem_mask) && !tgs_allowed(v, task, proc))
        return INFINITY;
    return v->time[(int64_t)task * v->kinds + p->kind] / p->speed;
}

/* the part of w(task, proc) in which the runtime, not the task, holds the processor */
static inline double tgs_task_overhead(const tgs_view *v, int32_t task, int32_t proc)
{
    const tgs_overhead *o = v->overhead ? &v->overhead[v->p->proc[proc].kind] : NULL;
    const int32_t accesses = v->g->access_at[task + 1] - v->g->access_at[task];

    return o ? (o->task + accesses * o->access) / v->p->proc[proc].speed : 0;
}

/* c(datum, from memory, to memory), seconds; datum -1 (order only) is free */
static inline double tgs_c(const tgs_view *v, int32_t datum, int32_t from, int32_t to)
{
    if (datum < 0 || from == to)
        return 0;
    return v->lat[from * v->memories + to]
           + v->g->datum[datum].bytes * v->inv[from * v->memories + to];
}

static inline double tgs_cbar(const tgs_view *v, int32_t datum)
{
    return datum < 0 ? 0 : v->mean_lat + v->g->datum[datum].bytes * v->mean_inv;
}

/* ---- schedule ------------------------------------------------------------------------------ */
typedef struct tgs_place { /* one execution of a task */
    int32_t task, proc;
    double start, end;
} tgs_place;

typedef struct tgs_move { /* a planned transfer of the version a task of the plan reads */
    int32_t datum, version; /* version as in tgs_access; -1 initial */
    int32_t from, to;       /* memories joined by a link */
    double start, end;
} tgs_move;

typedef struct tgs_drop { /* an order to give up a version: one of its copies, or all of them */
    int32_t datum, version; /* as in tgs_move */
    int32_t memory; /* an eviction: another copy stays; -1, an invalidation: none does */
    double time;    /* who uses it later has it brought again */
} tgs_drop;

typedef struct tgs_schedule_view {
    int32_t tasks, places, procs, moves, drops;
    const tgs_place *place; /* [0, tasks): one per task, by task; then the copies, by task */
    const int32_t *order_at, *order; /* CSR by processor: indices into place, in starting order */
    const tgs_move *move;           /* explicit transfers; when none, each version goes from its
                                       producer's memory to each memory that reads it */
    const tgs_drop *drop;           /* by time; evictions only where moves are listed */
    bool timed;                     /* keep planned idle time when played */
    const char *heuristic;          /* the spec it came from */
    double makespan;
} tgs_schedule_view;

/* ---- trace --------------------------------------------------------------------------------- */
typedef enum tgs_why {
    TGS_WHY_DEMAND, TGS_WHY_PREFETCH, TGS_WHY_RELAY, TGS_WHY_WRITEBACK, TGS_WHY_RELOAD
} tgs_why;

typedef struct tgs_ran {
    int32_t task, proc, step;
    int32_t flags; /* TGS_RAN_* */
    double start, end;
} tgs_ran;
#define TGS_RAN_SYNTHETIC 1 /* no kernel: occupied the worker for the predicted time */

typedef struct tgs_moved {
    int32_t datum, from, to, step;
    int32_t why; /* tgs_why */
    double bytes, start, end;
} tgs_moved;

typedef struct tgs_used { /* occupancy of a memory from this moment on */
    int32_t memory, step;
    double time, bytes;
} tgs_used;

typedef struct tgs_trace_view {
    int32_t tasks, data, procs, memories, steps;
    int32_t rans, moveds, useds;
    const tgs_ran *ran;     /* by step, start, task */
    const tgs_moved *moved; /* by step, start, datum */
    const tgs_used *used;   /* by step, time */
    const double *step_start, *step_end; /* [steps] seconds since the first step began */
    const char *const *task_name, *const *task_codelet, *const *datum_name;
    const char *const *proc_name, *const *memory_name, *const *proc_kind;
    const int32_t *proc_memory;
    const int32_t *task_phase; /* tgs_phase */
    const int32_t *edge_at, *edge; /* CSR successors: the critical chain is drawn from it */
    const char *origin;     /* "simulated latbw", "starpu", "serial", "planned" */
    const char *title;      /* graph, platform, heuristic in one line */
    double lower_bound;     /* seconds; NaN unknown */
    const char *remarks;    /* what was found out about it, in lines; NULL nothing */
} tgs_trace_view;
#endif
