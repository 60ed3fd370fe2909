/* starpu_core.h -- what the files of the module "starpu" share.
 *
 *   starpu_run.c       the backend's five calls
 *   starpu_describe.c  its data, tasks and codelets
 *   starpu_validate.c  everything that would make StarPU hang is refused before the first submit
 *   starpu_plan.c      submission order, transfer tasks, what is dead after which task
 *   starpu_orders.c    the same of schedules that list their transfers and evictions
 *   starpu_machine.c   the one StarPU of the process, its workers and memories
 *   starpu_idle.c      scheduling policies that yield when idle
 *   starpu_data.c      the data interface
 *   starpu_device.c    copies of OpenCL devices, and what is done when one fails
 *   starpu_owners.c    whose an address is
 *   starpu_handles.c   the data of a run: what a step begins with, reading, the end
 *   starpu_log.c       the log of every copy and allocation
 *   starpu_kernel.c    what a worker does: kernels, synthetic work
 *   starpu_prepare.c   before time 0: prepare and warm-up
 *   starpu_step.c      submit, wait, watch
 *   starpu_trace.c     the log against the bus counters, the plan and into the trace
 *   starpu_pool.c      tasks that any of several processors may take
 *   starpu_priorities.c  what a policy of StarPU's own is told of urgency
 *   starpu_probe.c, starpu_calibrate.c, starpu_adapt.c */
#ifndef TGS_STARPU_CORE_H
#define TGS_STARPU_CORE_H
#define CL_TARGET_OPENCL_VERSION 120 /* before StarPU, which would choose 1.0 */
#include <stdatomic.h>
#ifdef TGS_STARPU_TAP /* a file of the preloaded library */
#include "starpu_tap_weak.h"
#endif
#include <starpu.h>
#include <starpu_scheduler.h>
#include "starpu_compat.h"
#include "tgsched/plugin.h"

enum { SPU_CPU, SPU_OPENCL, SPU_CUDA, SPU_ARCHS };

/* ---- the log: one entry per copy and per change of what is allocated ------------------------ */
typedef struct spu_event {
    int32_t datum;    /* -1: not of the run (a warm-up, a calibration) */
    int16_t from, to; /* StarPU's memory nodes; from -1: allocated on to; to -1: freed on from */
    double bytes;
    double start;       /* us, starpu_timing_now */
    _Atomic double end; /* 0 while the copy is under way */
    void *event;        /* cl_event of an asynchronous copy, to be released; or NULL */
    void *told;         /* likewise: what StarPU waits for instead */
} spu_event;

void tgs_i_spu_log_space(int from, int to, double bytes);
/* NULL when there is no room left: then tgs_i_spu_log_lost() is true */
spu_event *tgs_i_spu_log_copy(int32_t datum, unsigned from, unsigned to, double bytes);
bool tgs_i_spu_log_lost(void);
int64_t tgs_i_spu_log_count(void);
spu_event *tgs_i_spu_log_at(int64_t i);
/* only when nothing is under way */
void tgs_i_spu_log_clear(void);
void tgs_i_spu_log_reset(void); /* StarPU was started: nothing is allocated */
/* bytes per memory when the log was last emptied, and what an entry changes in them */
void tgs_i_spu_log_start(double *used);
void tgs_i_spu_log_used(const spu_event *e, double *used);
/* waits for the ends of copies (they are signalled by the drivers a little after StarPU knows) and
 * compares sums and counts per pair of memories with StarPU's bus counters, which it resets */
tgs_status tgs_i_spu_log_settle(tgs_error *err);

/* ---- whose an address is: a map from pointers to indices ------------------------------------- */
typedef struct spu_owner {
    const void *address; /* NULL: free */
    int32_t datum;
} spu_owner;
typedef struct spu_owners { /* all zero: empty */
    spu_owner *slot;
    int64_t slots, used;
} spu_owners;
/* makes room for more _put; the only one that can fail */
tgs_status tgs_i_spu_owners_reserve(spu_owners *o, int64_t more);
void tgs_i_spu_owners_put(spu_owners *o, const void *address, int32_t datum);
void tgs_i_spu_owners_remove(spu_owners *o, const void *address);
int32_t tgs_i_spu_owners_get(const spu_owners *o, const void *address); /* -1: nobody's */
void tgs_i_spu_owners_free(spu_owners *o);

/* ---- the data interface --------------------------------------------------------------------- */
typedef struct spu_buffer {
    uintptr_t ptr; /* an address, or a cl_mem */
    size_t bytes;
    int32_t datum; /* to be read at registration only: StarPU copies whole structures about */
} spu_buffer;

/* ---- devices that fail: nothing is asked of any device of this process any more ------------- */
typedef struct spu_loss {
    int32_t datum; /* whose copy failed, -1: not a copy */
    int node;      /* StarPU's memory node of the device */
    int error;     /* OpenCL's */
} spu_loss;
const spu_loss *tgs_i_spu_loss(void);    /* NULL: none */
bool tgs_i_spu_on_device(unsigned node); /* the memory of an OpenCL device */
bool tgs_i_spu_lost(unsigned node);      /* that device cannot be used; asks it */
void tgs_i_spu_lose(unsigned node, int error);
#ifdef STARPU_USE_OPENCL
/* as a copy method; e may be NULL, event NULL: it has ended on return */
int tgs_i_spu_copy_opencl(spu_event *e, int32_t datum, const spu_buffer *a, unsigned from,
                          const spu_buffer *b, unsigned to, cl_event *event);
#endif
extern struct starpu_data_interface_ops tgs_i_spu_ops;
/* home -1: StarPU allocates where it is first written */
tgs_status tgs_i_spu_register(starpu_data_handle_t *h, int home, void *ptr, double bytes,
                              int32_t datum, tgs_error *err);
void tgs_i_spu_unregister(starpu_data_handle_t h, bool keep);
#ifdef STARPU_USE_CUDA
int tgs_i_spu_copy_cuda(void *from, unsigned from_node, void *to, unsigned to_node,
                        starpu_cudaStream_t stream);
#endif

/* ---- the one StarPU of the process ---------------------------------------------------------- */
enum { SPU_DEVICES = 64 };
typedef struct spu_want { /* a configuration */
    int count[SPU_ARCHS];
    char policy[48];                       /* "" for ours */
    int32_t limit[SPU_ARCHS][SPU_DEVICES]; /* MiB of a device's memory, 0: all it has */
} spu_want;
typedef struct spu_machine {
    int workers, nodes;
    unsigned order[STARPU_NMAXWORKERS]; /* last order number given to a worker */
} spu_machine;
/* takes StarPU for one run (or measurement), started as wanted; paused.  Release with _give. */
tgs_status tgs_i_spu_take(spu_machine **out, const spu_want *want, tgs_error *err);
void tgs_i_spu_give(void);
/* StarPU has stalled: it cannot be used again in this process */
void tgs_i_spu_poison(void);
/* workers and device threads share the cores: who waits must yield */
bool tgs_i_spu_crowded(const spu_want *want);
int tgs_i_spu_arch(const char *arch); /* SPU_*, or -1 */
/* our policy, or one of StarPU's by name that yields when idle; NULL: no such policy */
struct starpu_sched_policy *tgs_i_spu_policy(const char *name, bool yield);
/* what those policies do: a worker has found nothing to do; it has had a task */
void tgs_i_spu_idle(void);
void tgs_i_spu_worked(void);
/* Who keeps tasks without a worker of their own under our policy (false: it does not know this
 * one), and hands them to workers; NULL: nobody.  Called by workers at any time. */
typedef bool (*spu_keep)(struct starpu_task *task);
typedef struct starpu_task *(*spu_take)(int worker);
void tgs_i_spu_serve(spu_keep keep, spu_take take);

/* ---- a run ---------------------------------------------------------------------------------- */
typedef struct spu_datum {
    starpu_data_handle_t handle; /* NULL: not registered yet */
    void *bound;                 /* the caller's memory, or NULL */
    void *own;                   /* home memory of ours, or NULL */
    bool read_first, written, persistent;
    bool fresh; /* begins the next step from bound or its initial value, persistent or not */
    bool valid; /* has a value that can be read */
} spu_datum;

typedef struct spu_task {
    struct spu_run *run;
    tgs_buffer *buffer;
    int32_t buffers, task;
    const char *attrs;
    const tgs_kernel *kernel[SPU_ARCHS];
    int32_t pool; /* whose processors may all take it, -1: only the planned one */
    int32_t next; /* the one planned behind it on its processor, -1: none that is certain */
} spu_task;

/* What a worker notes of a task.  Nobody resets it, since the note would then have to come back to
 * the worker's cache at every step: it is of this step when it has the run's round. */
typedef struct spu_stamp {
    double start, end;            /* us */
    _Atomic int32_t begun, ended; /* the rounds in which it last did; what is above, and below, is
                                   * written before */
    int32_t proc;                 /* where */
    int16_t flags;                /* TGS_RAN_* */
    bool idle;                    /* a failure let it return at once */
} spu_stamp;

typedef struct spu_move {           /* a task that moves data, submitted after a position */
    int32_t datum, version, memory; /* evict: from that memory; else to it */
    int32_t after;                  /* position in the sequence, -1 before everything */
    int32_t wait;                   /* the task it waits for besides the producer, -1 none */
    int32_t behind;                 /* the move it waits for, an earlier one, -1 none */
    bool evict;
    bool awaited; /* another one is behind it */
} spu_move;

typedef struct spu_plan {
    int32_t *sequence; /* [n] tasks in submission order */
    int32_t *position; /* [n] its inverse */
    int32_t *turn;     /* [n] 1-based place in its processor's order */
    int32_t moves;
    spu_move *move;
    int32_t *move_at, *by_anchor; /* CSR by after + 1 */
    int32_t *dead_at, *dead;      /* data to drop after a position; CSR by position */
    int32_t *before_at, *before;  /* tasks that StarPU is told to wait for; CSR by task */
    bool *awaited;                /* [n] a task or move is told to wait for it */
} spu_plan;

typedef struct spu_run {
    const tgs_view *v;
    const tgs_schedule_view *s;
    const tgs_codelets *codelets;
    spu_want want;
    int32_t host; /* the platform's memory that is main memory here */
    bool placed, warm;
    bool bound; /* placed, and every processor keeps its planned order */
    int32_t window;
    double scale;    /* of predicted times, where they are waited for */
    double patience; /* seconds without progress before the run is given up */
    spu_machine *machine;
    const char **name;  /* [task] */
    int32_t *worker_of; /* [proc] StarPU worker */
    int32_t proc_of[STARPU_NMAXWORKERS];
    int32_t *pool_of; /* [proc] the first of those alike, -1: it keeps its order */
    int32_t memory_of[STARPU_MAXNODES]; /* platform memory of a StarPU node, -1 none */
    int32_t *node_of;                   /* [memory] StarPU node, -1 none */
    spu_plan plan;
    spu_datum *datum;
    spu_task *task;
    spu_stamp *stamp;             /* [n] */
    int32_t round;                /* of tasks that are run: a step, or what is tried before it */
    tgs_buffer *buffer;           /* of all tasks */
    int32_t *first, firsts;       /* data that a step reads before it writes them */
    starpu_data_handle_t *handle; /* of all their accesses */
    const void **used;            /* bound: their interface structures where the task runs */
    void **prepared;              /* bound: [task]; else [task * procs + proc] */
    bool *ready;                  /* likewise: prepare was called and succeeded */
    bool *skip;                   /* [n] not to be prepared: not measured */
    /* [n], [moves] of a step: those that are awaited stay until its end; StarPU destroys the others
     * when they have ended */
    struct starpu_task **compute, **transfer;
    int32_t *where;    /* [n] unplaced: the StarPU architectures a task may run on */
    int32_t *priority; /* [n] unplaced: 0 where the policy has none */
    struct starpu_codelet codelet, move_codelet[STARPU_MAXNODES], evict_codelet;
    struct starpu_perfmodel model;
    int32_t steps;
    double base;          /* us: when the first step began */
    _Atomic double began; /* us: when this one did */
    double home; /* bytes of initial values in main memory; StarPU's allocations are in the log */
    tgs_trace_log *log;      /* of the last step: close adds the final write-back */
    _Atomic int32_t failed;  /* 1 + the task whose kernel failed first; SPU_CANCELED, SPU_STALLED */
    _Atomic int32_t failure; /* its status */
    _Atomic int64_t done;    /* tasks and transfers completed in this step */
    int64_t target;
    pthread_mutex_t lock;
    pthread_cond_t finished;
    bool broken, stalled;
    bool (*canceled)(const void *user); /* of the job; NULL: never */
    const void *user;
} spu_run;

static inline bool tgs_i_spu_begun(const spu_run *r, int32_t t)
{
    return atomic_load_explicit(&r->stamp[t].begun, memory_order_acquire) == r->round;
}

static inline bool tgs_i_spu_ended(const spu_run *r, int32_t t)
{
    return atomic_load_explicit(&r->stamp[t].ended, memory_order_acquire) == r->round;
}

/* it has ended, and has done what it was to do */
static inline bool tgs_i_spu_ran(const spu_run *r, int32_t t)
{
    return tgs_i_spu_ended(r, t) && !r->stamp[t].idle;
}

enum { SPU_CANCELED = INT32_MAX, SPU_STALLED = INT32_MAX - 1, SPU_LOST = INT32_MAX - 2 };
/* no task that begins from now on does anything */
bool tgs_i_spu_given_up(spu_run *r);

/* placed: there is a schedule; bound: and every processor keeps its order */
tgs_status tgs_i_spu_run_new(spu_run **out, const tgs_view *v, const tgs_codelets *c, bool placed,
                             bool bound, tgs_error *err);
void tgs_i_spu_run_free(spu_run *r);
tgs_status tgs_i_spu_open(void **run, const tgs_job *job, tgs_error *err);
tgs_status tgs_i_spu_bind(void *run, int32_t datum, void *ptr, tgs_error *err);
tgs_status tgs_i_spu_step(void *run, tgs_trace_log *log, tgs_error *err);
tgs_status tgs_i_spu_read(void *run, int32_t datum, void *to, tgs_error *err);
tgs_status tgs_i_spu_close(void *run, tgs_error *err);
tgs_status tgs_i_spu_calibrate(const tgs_view *v, const tgs_codelets *c, int32_t repeat,
                               tgs_costs *into, tgs_error *err);

/* validate.c: before StarPU is there (schedule, platform, kernels), and with it (memory) */
tgs_status tgs_i_spu_check_platform(const tgs_platform_view *p, spu_want *want, int32_t *host,
                                    tgs_error *err);
tgs_status tgs_i_spu_check_schedule(const tgs_view *v, const tgs_schedule_view *s, tgs_error *err);
tgs_status tgs_i_spu_check_kernels(const spu_run *r, tgs_error *err);
tgs_status tgs_i_spu_check_conflicts(const spu_run *r, tgs_error *err);
tgs_status tgs_i_spu_check_memory(const spu_run *r, tgs_error *err);
/* the sum over distinct data of a task, bytes */
double tgs_i_spu_working_set(const tgs_graph_view *g, int32_t task);

/* plan.c */
tgs_status tgs_i_spu_plan_order(spu_run *r, tgs_error *err); /* or TGS_ECYCLE naming a task */
tgs_status tgs_i_spu_plan_moves(spu_run *r, tgs_error *err);
tgs_status tgs_i_spu_plan_dead(spu_run *r, tgs_error *err);
tgs_status tgs_i_spu_plan_waits(spu_run *r, tgs_error *err); /* after the moves */
/* orders.c: the transfers, evictions and invalidations that the schedule lists itself */
tgs_status tgs_i_spu_plan_orders(spu_run *r, tgs_error *err);
/* plan.c: items by key, in their order; a negative key leaves an item out */
tgs_status tgs_i_spu_group(const int32_t *key, int32_t items, int32_t keys, int32_t **at,
                           int32_t **list);
void tgs_i_spu_plan_free(spu_plan *p);

/* machine.c: processors to workers by (type, device number) */
tgs_status tgs_i_spu_map(spu_run *r, tgs_error *err);
/* bytes of a StarPU memory, INFINITY when unlimited */
double tgs_i_spu_capacity(unsigned node);

/* STARPU_CPU and so on: where workers of a processor's architecture are */
int32_t tgs_i_spu_where(const spu_run *r, int32_t proc);

/* handles.c: what a step begins with; a value copied out; everything unregistered */
tgs_status tgs_i_spu_begin(spu_run *r, tgs_error *err);
tgs_status tgs_i_spu_fetch(spu_run *r, int32_t datum, void *to, tgs_error *err);
void tgs_i_spu_drop(spu_run *r);

/* pool.c: which tasks are whose; and with StarPU, around a run */
void tgs_i_spu_pools_plan(spu_run *r);
tgs_status tgs_i_spu_pools_open(spu_run *r, tgs_error *err);
void tgs_i_spu_pools_close(void);

/* priorities.c: with StarPU, whose policy says which it knows */
tgs_status tgs_i_spu_priorities(spu_run *r, tgs_error *err);

/* kernel.c */
void tgs_i_spu_codelet_init(struct starpu_codelet *c);
/* the first failure of a run is kept; tasks that start later return at once: the graph drains */
void tgs_i_spu_fail(spu_task *t, tgs_status status);
/* where what prepare stored is kept */
void **tgs_i_spu_prepared(const spu_run *r, int32_t task, int32_t proc);
tgs_call tgs_i_spu_call(const spu_task *t, const tgs_kernel *k, int32_t proc, void *queue);

/* prepare.c */
tgs_status tgs_i_spu_kernels_open(spu_run *r, tgs_error *err);
void tgs_i_spu_kernels_close(spu_run *r);
/* execute a task alone on a processor, on data of its own, times times; seconds may be NULL */
tgs_status tgs_i_spu_try(spu_run *r, int32_t task, int32_t proc, int32_t times, double *seconds,
                         tgs_error *err);

/* step.c */
void tgs_i_spu_completed(spu_run *r); /* a task or transfer of this step */
/* the buffers of a task; handle: one per access */
tgs_status tgs_i_spu_fill_task(struct starpu_task *t, spu_task *of,
                               const starpu_data_handle_t *handle, tgs_error *err);
tgs_status tgs_i_spu_submit_and_wait(spu_run *r, double *start, tgs_error *err);

/* trace.c */
tgs_status tgs_i_spu_trace_step(spu_run *r, double start, tgs_error *err);
tgs_status tgs_i_spu_trace_rest(spu_run *r, tgs_error *err);
/* of a step that has failed: what has run, and been copied as far as that is known */
void tgs_i_spu_trace_part(spu_run *r, double start);

/* a name for messages: the datum's or task's, or "#index" */
const char *tgs_i_spu_task_name(const tgs_graph_view *g, int32_t task, char *room, size_t size);
const char *tgs_i_spu_datum_name(const tgs_graph_view *g, int32_t datum, char *room, size_t size);
#endif
