/* tgsched.h -- schedule task graphs on machines whose processors differ, and run the schedule.
 *
 *   ONNX file ---> tgs_model --lower--> tgs_graph ----+
 *   graph file, gen:SPEC, builder ----> tgs_graph ----+-> tgs_problem -> tgs_schedule -> tgs_trace
 *   platform file, one line, host ----> tgs_platform -+                    (simulated or executed)
 *
 * Errors.    A function that can fail returns tgs_status: 0 on success, negative on failure.  Its
 *            last argument is an optional tgs_error the caller owns; pass NULL to ignore the text.
 *            On failure *out is NULL and inputs are unchanged.
 * Ownership. What comes back through `out` is the caller's: free it with the type's _free, which
 *            accepts NULL.  A problem borrows its graph and platform, a run its problem, schedule
 *            and codelets; they must outlive it.  A schedule and a trace own all they hold.  A
 *            const char * result lives as long as the object it came from.
 * Threads.   No global mutable state.  A finished object is immutable: any number of threads may
 *            read it.  A builder and a run belong to one thread.
 * Units.     Time is double seconds, size is double bytes, work is double flops (a multiply-add is
 *            2), an index is a 0-based int32_t.
 * Specs.     A plug-in is named `name:key=value:key=value`, for example "peft" or
 *            "layered:n=1000:ccr=0.5"; unknown keys and values out of bounds are refused. */
#ifndef TGSCHED_H
#define TGSCHED_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#ifdef __cplusplus
extern "C" {
#endif

#define TGS_API_VERSION 0x000100 /* (major<<16)+(minor<<8)+patch; bumped when this file changes */
unsigned tgs_api_version(void); /* what the library was built as */

#define TGS_STATUS_MAP(X)                                                                          \
    X(OK, 0, "success")                                                                            \
    X(ENOMEM, -1, "out of memory")                                                                 \
    X(EINVAL, -2, "invalid argument")                                                              \
    X(EIO, -3, "input or output failed")                                                           \
    X(EPARSE, -4, "malformed input")                                                               \
    X(ECYCLE, -5, "the graph has a cycle")                                                         \
    X(ENOTFOUND, -6, "no such name")                                                               \
    X(EINFEASIBLE, -7, "no feasible schedule")                                                     \
    X(ECHECK, -8, "schedule violates a constraint")                                                \
    X(EBACKEND, -9, "backend failed")                                                              \
    X(ENOTAPPLICABLE, -10, "not applicable to this input")                                         \
    X(ECANCELED, -11, "canceled")
typedef enum tgs_status {
#define X(name, value, text) TGS_##name = value,
    TGS_STATUS_MAP(X)
#undef X
} tgs_status;
typedef struct tgs_error {
    tgs_status status;
    char text[480]; /* "file:line: what is wrong", never empty when status is not 0 */
} tgs_error;
const char *tgs_status_text(tgs_status s);

typedef struct tgs_model tgs_model;       /* a DNN: operators, shapes, parameters        */
typedef struct tgs_strategy tgs_strategy; /* how a training step is parallelised          */
typedef struct tgs_graph tgs_graph;       /* tasks, data, who reads and writes what       */
typedef struct tgs_builder tgs_builder;   /* a graph being written                        */
typedef struct tgs_platform tgs_platform; /* processors, memories, links                  */
typedef struct tgs_costs tgs_costs;       /* where task times come from                   */
typedef struct tgs_problem tgs_problem;   /* graph x platform with every cost             */
typedef struct tgs_schedule tgs_schedule; /* for each task a processor and a time         */
typedef struct tgs_codelets tgs_codelets; /* a set of kernels by name                     */
typedef struct tgs_run tgs_run;           /* a schedule being executed                    */
typedef struct tgs_trace tgs_trace;       /* what happened, simulated or real             */

/* ---- tier 1: build a graph -------------------------------------------------------------------
 * After a builder's first failure every later call returns that status and _finish reports its
 * text.  _task and _datum return the new index (>= 0) or a status.  Names may be NULL; two tasks,
 * or two data, of one name are refused.  _finish always consumes b, whatever it returns.
 *
 * Dependencies follow from the order of the _access calls on each datum, as in StarPU's sequential
 * consistency: a read waits for the last write and receives its data; a write waits for the last
 * write and the reads since, without data. */
typedef enum tgs_mode { TGS_R = 1, TGS_W = 2, TGS_RW = 3 } tgs_mode;
typedef enum tgs_phase {
    TGS_PHASE_OTHER,
    TGS_PHASE_FORWARD,
    TGS_PHASE_BACKWARD,
    TGS_PHASE_UPDATE,
    TGS_PHASE_COMMUNICATION
} tgs_phase;
typedef enum tgs_class {
    TGS_CLASS_OTHER, TGS_CLASS_PARAMETER, TGS_CLASS_GRADIENT, TGS_CLASS_ACTIVATION,
    TGS_CLASS_STATE, TGS_CLASS_INPUT
} tgs_class;
typedef enum tgs_dtype {
    TGS_BYTES, TGS_F32, TGS_F64, TGS_F16, TGS_BF16, TGS_I8, TGS_U8, TGS_I32, TGS_I64, TGS_BOOL,
    TGS_I16, TGS_U16, TGS_U32, TGS_U64, TGS_F8, TGS_C64, TGS_C128, TGS_TEXT /* the last one */
} tgs_dtype;
double tgs_dtype_size(tgs_dtype t);      /* bytes per element; 1 for TGS_BYTES */
const char *tgs_dtype_name(tgs_dtype t); /* "f32", ... */

tgs_status tgs_builder_new(tgs_builder **out, tgs_error *err);
/* work: seconds on a processor of speed 1 whose kind has no time of its own; NaN if unknown */
int32_t tgs_builder_task(tgs_builder *b, const char *name, const char *codelet, double work);
tgs_status tgs_builder_task_time(tgs_builder *b, int32_t task, const char *kind, double seconds);
tgs_status tgs_builder_task_cost(tgs_builder *b, int32_t task, double flops, double bytes);
tgs_status tgs_builder_task_phase(tgs_builder *b, int32_t task, tgs_phase phase);
/* the codelet's attributes, "key=value key=value"; stored sorted by key */
tgs_status tgs_builder_task_attrs(tgs_builder *b, int32_t task, const char *attrs);
/* key is one of: kinds (comma list of allowed kinds), group (colocation: one memory), processor,
 * memory, priority, release, deadline, trust, job */
tgs_status tgs_builder_task_constrain(tgs_builder *b, int32_t task, const char *key,
                                      const char *value);
int32_t tgs_builder_datum(tgs_builder *b, const char *name, double bytes);
/* sets the bytes of the datum to those of the shape */
tgs_status tgs_builder_datum_shape(tgs_builder *b, int32_t datum, tgs_dtype dtype, int32_t rank,
                                   const int64_t *dims);
tgs_status tgs_builder_datum_class(tgs_builder *b, int32_t datum, tgs_class c);
/* key is one of: home (memory name), persistent (1|0), init (zero | constant:V |
 * values:V,V,... | random:SEED:SCALE, uniform in [-SCALE,SCALE] | file:OFFSET:PATH | bound |
 * part:DIMS:FROM:INIT, the box from FROM on of a tensor of DIMS: "part:4,6:0,3:random:7:0.5" |
 * join:COUNT:LENGTH:INIT..., equal parts of the elements) */
tgs_status tgs_builder_datum_set(tgs_builder *b, int32_t datum, const char *key, const char *value);
tgs_status tgs_builder_access(tgs_builder *b, int32_t task, int32_t datum, tgs_mode mode);
tgs_status tgs_builder_edge(tgs_builder *b, int32_t from, int32_t to, double bytes);
tgs_status tgs_builder_after(tgs_builder *b, int32_t before, int32_t after);
int32_t tgs_builder_find_task(const tgs_builder *b, const char *name);  /* or TGS_ENOTFOUND */
int32_t tgs_builder_find_datum(const tgs_builder *b, const char *name); /* or TGS_ENOTFOUND */
tgs_status tgs_builder_finish(tgs_graph **out, tgs_builder *b, tgs_error *err);
void tgs_builder_free(tgs_builder *b);

/* ---- graphs: read, generate, write, ask ---------------------------------------------------- */
/* format NULL: by suffix, then by content */
tgs_status tgs_graph_read(tgs_graph **out, const char *path, const char *format, tgs_error *err);
tgs_status tgs_graph_generate(tgs_graph **out, const char *spec, uint64_t seed, tgs_error *err);
/* path "-" is standard output; a file appears whole or not at all; format NULL: by suffix */
tgs_status tgs_graph_write(const tgs_graph *g, const char *path, const char *format,
                           tgs_error *err);
/* what that file does not hold of g, in words, cut to size; "": it holds everything */
tgs_status tgs_graph_lost(char *text, size_t size, const tgs_graph *g, const char *path,
                          const char *format, tgs_error *err);
void tgs_graph_free(tgs_graph *g);
int32_t tgs_graph_tasks(const tgs_graph *g);
int32_t tgs_graph_edges(const tgs_graph *g); /* dependencies, counted once per datum carried */
int32_t tgs_graph_data(const tgs_graph *g);
/* "" when anonymous, or when there is no memory for the names of copies; it lasts as long as g */
const char *tgs_graph_task_name(const tgs_graph *g, int32_t task);
const char *tgs_graph_task_codelet(const tgs_graph *g, int32_t task); /* "" when there is none */
const char *tgs_graph_datum_name(const tgs_graph *g, int32_t datum);
int32_t tgs_graph_find_task(const tgs_graph *g, const char *name); /* O(tasks); or TGS_ENOTFOUND */
int32_t tgs_graph_find_datum(const tgs_graph *g, const char *name);
double tgs_graph_datum_bytes(const tgs_graph *g, int32_t datum);
/* what its reader has to say of it, for the user: "" mostly */
const char *tgs_graph_note(const tgs_graph *g);
uint64_t tgs_graph_fingerprint(const tgs_graph *g); /* equal for equal graphs, on every machine */
typedef struct tgs_graph_stats {
    int32_t tasks, edges, data, sources, sinks;
    int32_t depth, width; /* levels, and tasks in the fullest level */
    double work;          /* sum of table times (mean over kinds), seconds; NaN if any is unknown */
    double flops, bytes;  /* sums over tasks, over data */
    double edge_bytes;    /* sum over dependencies of the bytes they carry */
    double critical_path; /* longest path of table times, no communication; NaN if unknown */
    double parameters;    /* elements in data of class parameter */
} tgs_graph_stats;
tgs_status tgs_graph_measure(const tgs_graph *g, tgs_graph_stats *out, tgs_error *err);

/* ---- models: read an ONNX file and lower its training step --------------------------------- */
/* bind: "batch=8,seq=128" or NULL, for symbolic dimensions */
tgs_status tgs_model_read(tgs_model **out, const char *path, const char *format, const char *bind,
                          tgs_error *err);
/* the same model at another batch (its first input's samples); times of a profile grow with it.
 * TGS_ENOTAPPLICABLE names the node that stands in the way. */
tgs_status tgs_model_rebatch(tgs_model **out, const tgs_model *m, int64_t batch, tgs_error *err);
void tgs_model_free(tgs_model *m);
typedef struct tgs_model_stats {
    int32_t layers, tensors; /* operators that compute, tensors of any class */
    double parameters;       /* trainable elements */
    double flops_forward;    /* of one step at the bound batch size */
    double batch;            /* samples of the first input; 0: none says */
    int32_t opaque;          /* operators outside the table, of which only sizes are known */
    double bytes_forward;    /* that its tasks touch, each of their data once */
} tgs_model_stats;
tgs_status tgs_model_measure(const tgs_model *m, tgs_model_stats *out, tgs_error *err);
const char *tgs_model_note(const tgs_model *m); /* what is opaque or a guess; NULL: nothing */
/* the i-th of its opaque operators; TGS_ENOTFOUND past the last */
tgs_status tgs_model_opaque(const tgs_model *m, int32_t i, const char **name, const char **type);
/* text: directives separated by newlines or ';', e.g. "train sgd lr=0.1; micro-batches 8" */
tgs_status tgs_strategy_parse(tgs_strategy **out, const char *text, tgs_error *err);
tgs_status tgs_strategy_read(tgs_strategy **out, const char *path, tgs_error *err);
void tgs_strategy_free(tgs_strategy *s);
/* strategy NULL: the forward pass only */
tgs_status tgs_model_lower(tgs_graph **out, const tgs_model *m, const tgs_strategy *s,
                           tgs_error *err);

/* ---- tier 2: platform, costs, problem ------------------------------------------------------ */
tgs_status tgs_platform_read(tgs_platform **out, const char *path, tgs_error *err);
/* items `kind:count[xSPEED][@GiB][/own]` and `link:bandwidth,latency`:
 * "cpu:4 gpu:2@8 link:12e9,1e-5" */
tgs_status tgs_platform_parse(tgs_platform **out, const char *spec, tgs_error *err);
tgs_status tgs_platform_host(tgs_platform **out, tgs_error *err); /* this machine */
/* any of the three: "host", a file that exists, else a spec; or "starpu:DIR/HOST", a machine as
 * StarPU has measured it, with its costs */
tgs_status tgs_platform_open(tgs_platform **out, const char *text, tgs_error *err);
/* a new platform in which a memory, or that of a processor, holds at most so many bytes */
tgs_status tgs_platform_limit(tgs_platform **out, const tgs_platform *p, const char *memory,
                              double bytes, tgs_error *err);
tgs_status tgs_platform_write(const tgs_platform *p, const char *path, tgs_error *err);
void tgs_platform_free(tgs_platform *p);
int32_t tgs_platform_processors(const tgs_platform *p);
const char *tgs_platform_processor_name(const tgs_platform *p, int32_t processor);
int32_t tgs_platform_processor_kind(const tgs_platform *p, int32_t processor);
int32_t tgs_platform_processor_memory(const tgs_platform *p, int32_t processor);
int32_t tgs_platform_kinds(const tgs_platform *p);
const char *tgs_platform_kind_name(const tgs_platform *p, int32_t kind);
const char *tgs_platform_kind_arch(const tgs_platform *p, int32_t kind); /* "cpu", "opencl", ... */
int32_t tgs_platform_memories(const tgs_platform *p);
const char *tgs_platform_memory_name(const tgs_platform *p, int32_t memory);
double tgs_platform_memory_capacity(const tgs_platform *p, int32_t memory); /* or INFINITY */
typedef struct tgs_link_info { /* directed */
    int32_t from, to;          /* memories */
    double latency, bandwidth; /* seconds; byte/s */
} tgs_link_info;
int32_t tgs_platform_links(const tgs_platform *p);
void tgs_platform_link(const tgs_platform *p, int32_t link, tgs_link_info *out);
uint64_t tgs_platform_fingerprint(const tgs_platform *p);

/* "table" (times in the graph), "roofline", "auto" (table, roofline where there is none), or the
 * path of a .tgc file of measured times, or "starpu:DIR/HOST" */
tgs_status tgs_costs_open(tgs_costs **out, const char *text, tgs_error *err);
tgs_status tgs_costs_write(const tgs_costs *c, const char *path, tgs_error *err);
void tgs_costs_free(tgs_costs *c);
#include "tgsched/costs.h" /* what measured costs hold, and several of them together */

/* costs NULL: those that came with the platform (starpu:DIR/HOST), else "auto"; link_model: "latbw"
 * (also NULL), "zero", "fifo", "share" */
tgs_status tgs_problem_new(tgs_problem **out, const tgs_graph *g, const tgs_platform *p,
                           const tgs_costs *costs, const char *link_model, tgs_error *err);
/* The same for a graph whose tasks run the kernels of codelets, which must outlive the problem: a
 * task may not run on kinds whose architecture has no kernel for its codelet (one that has no
 * kernel at all stays free: it runs synthetically), and times that were neither measured nor given
 * with the graph come from what the kernels say of their cost, before a roofline of the task.
 * TGS_EINVAL: a cost that is negative or infinite. */
tgs_status tgs_problem_new_for(tgs_problem **out, const tgs_graph *g, const tgs_platform *p,
                               const tgs_costs *costs, const char *link_model,
                               const tgs_codelets *codelets, tgs_error *err);
/* a new problem with the task times of costs (or NULL) and then the mean measured times of trace,
 * without the first of several steps, which warms up */
tgs_status tgs_problem_reprice(tgs_problem **out, const tgs_problem *pb, const tgs_costs *costs,
                               const tgs_trace *trace, tgs_error *err);
/* a new problem in which a task may not run on kinds whose architecture has no kernel for its
 * codelet (tasks whose codelet has no kernel at all stay free: they run synthetically) */
tgs_status tgs_problem_restrict(tgs_problem **out, const tgs_problem *pb, const tgs_codelets *c,
                                tgs_error *err);
/* how many (task, kind) times came from the table, a roofline, a measurement of that size, an
 * extrapolation, what a kernel says of itself, an interpolation between measured sizes */
typedef struct tgs_price_info {
    int32_t table, roofline, measured, extrapolated, hinted, interpolated;
} tgs_price_info;
void tgs_problem_prices(const tgs_problem *pb, tgs_price_info *out);
typedef struct tgs_problem_stats {
    double mean_time; /* seconds of a task, mean over tasks and the processors it may run on */
    double mean_comm; /* seconds of an edge between two processors, mean over edges and pairs */
    double ccr;       /* sum over edges of that / sum over tasks of this; NaN without tasks */
    double critical_path; /* longest path of mean times, without communication */
} tgs_problem_stats;
tgs_status tgs_problem_measure(const tgs_problem *pb, tgs_problem_stats *out, tgs_error *err);
/* equal for the same graph and platform with the same times, link costs and limits */
uint64_t tgs_problem_fingerprint(const tgs_problem *pb);
void tgs_problem_free(tgs_problem *pb);

/* ---- schedule, check, bound ---------------------------------------------------------------- */
/* heuristic: a name of tgs_plugin_name("heuristic", i), "./mine.so" or "exec:COMMAND".  The result
 * has passed tgs_schedule_check; TGS_EINFEASIBLE when the heuristic found nothing feasible. */
tgs_status tgs_schedule_make(tgs_schedule **out, const tgs_problem *pb, const char *heuristic,
                             uint64_t seed, tgs_error *err);
/* To watch a search: progress tells the part done, in [0, 1]; when stop says so, the heuristic
 * ends with the best it has.  Either may be NULL; never called by two threads at a time. */
typedef struct tgs_watch {
    int (*stop)(void *user); /* nonzero: stop */
    void (*progress)(void *user, double done);
    void *user;
} tgs_watch;
tgs_status tgs_schedule_make_with(tgs_schedule **out, const tgs_problem *pb, const char *heuristic,
                                  uint64_t seed, const tgs_watch *watch, tgs_error *err);
/* a .tgs file; or a .csv file of any tool, whose first line names its columns: task and processor
 * (names or indices), start, and perhaps end */
/* the integer program that a heuristic ("milp") would solve, in CPLEX LP format, for other solvers;
 * TGS_ENOTAPPLICABLE when it solves none.  path "-" is standard output. */
tgs_status tgs_program_write(const tgs_problem *pb, const char *heuristic, uint64_t seed,
                             const char *path, tgs_error *err);
tgs_status tgs_schedule_read(tgs_schedule **out, const char *path, const tgs_problem *pb,
                             tgs_error *err);
tgs_status tgs_schedule_write(const tgs_schedule *s, const tgs_problem *pb, const char *path,
                              tgs_error *err);
tgs_status tgs_schedule_check(const tgs_schedule *s, const tgs_problem *pb, tgs_error *err);
double tgs_schedule_makespan(const tgs_schedule *s);
const char *tgs_schedule_heuristic(const tgs_schedule *s); /* the spec it came from */
const char *tgs_schedule_note(const tgs_schedule *s);      /* what was proven; "" nothing */
/* a bound on every makespan that the heuristic proved on the way, seconds; NaN: none */
double tgs_schedule_lower_bound(const tgs_schedule *s);
/* The cases that the heuristic told apart, and what it proved of each: of a fork-join graph, where
 * the source and the sink run.  They are not in files. */
typedef struct tgs_case {
    const char *what;    /* "source in ram, sink in gpu0" */
    double lower;        /* seconds: no schedule of the case is shorter */
    double upper;        /* the best schedule found; INFINITY: none better than in another case */
    const char *bound;   /* what lower is by */
    const char *theorem; /* why upper cannot be improved; "": nothing was proved */
    int32_t skipped;     /* 1: not solved, since lower is too large already */
} tgs_case;
int32_t tgs_schedule_cases(const tgs_schedule *s);
void tgs_schedule_case(const tgs_schedule *s, int32_t i, tgs_case *out);
int32_t tgs_schedule_processor(const tgs_schedule *s, int32_t task);
double tgs_schedule_start(const tgs_schedule *s, int32_t task);
double tgs_schedule_end(const tgs_schedule *s, int32_t task);
double tgs_schedule_bytes_moved(const tgs_schedule *s, const tgs_problem *pb);
/* largest planned occupancy of a memory, bytes */
double tgs_schedule_peak(const tgs_schedule *s, const tgs_problem *pb, int32_t memory);
/* of every memory, at once; NaN when it cannot be told */
tgs_status tgs_schedule_peaks(double *peak, const tgs_schedule *s, const tgs_problem *pb);
void tgs_schedule_free(tgs_schedule *s);
/* the largest bound that is valid for pb; which (may be NULL) names it */
tgs_status tgs_bound_best(double *out, const char **which, const tgs_problem *pb, tgs_error *err);
/* the largest that holds for s: when s runs tasks more than once, of those that allow for it */
tgs_status tgs_schedule_bound(double *out, const char **which, const tgs_schedule *s,
                              const tgs_problem *pb, tgs_error *err);
int32_t tgs_schedule_copies(const tgs_schedule *s); /* executions beyond one for each task */
const char *tgs_bound_model(const char *bound); /* what it is valid for, in words; NULL: no bound */
/* one bound by name; TGS_ENOTAPPLICABLE when its model does not cover pb */
tgs_status tgs_bound(double *out, const tgs_problem *pb, const char *bound, tgs_error *err);

/* ---- tier 3: simulate, execute, report ----------------------------------------------------- */
tgs_status tgs_simulate(tgs_trace **out, const tgs_problem *pb, const tgs_schedule *s,
                        tgs_error *err);

#include "tgsched/run.h" /* own kernels, and everything about a run on real data */

double tgs_trace_makespan(const tgs_trace *t); /* of the last step */
double tgs_trace_bytes_moved(const tgs_trace *t);
int32_t tgs_trace_steps(const tgs_trace *t);
double tgs_trace_step(const tgs_trace *t, int32_t step); /* its makespan */
double tgs_trace_busy(const tgs_trace *t, int32_t processor);            /* seconds, last step */
double tgs_trace_link_bytes(const tgs_trace *t, int32_t from, int32_t to); /* between memories */
double tgs_trace_peak(const tgs_trace *t, int32_t memory);               /* bytes */
const char *tgs_trace_origin(const tgs_trace *t); /* "simulated latbw", "starpu", ... */
int32_t tgs_trace_processors(const tgs_trace *t);
const char *tgs_trace_processor_name(const tgs_trace *t, int32_t processor);
int32_t tgs_trace_memories(const tgs_trace *t);
const char *tgs_trace_memory_name(const tgs_trace *t, int32_t memory);
int32_t tgs_trace_data(const tgs_trace *t);
const char *tgs_trace_datum_name(const tgs_trace *t, int32_t datum);
/* every execution of a task and every transfer, of all steps; seconds since the first step began */
typedef struct tgs_execution {
    int32_t task, processor, step;
    int32_t synthetic; /* 1: there was no kernel; it occupied the processor for the planned time */
    double start, end;
} tgs_execution;
typedef struct tgs_transfer {
    int32_t datum, from, to, step; /* from and to are memories */
    double bytes, start, end;
} tgs_transfer;
int32_t tgs_trace_executions(const tgs_trace *t);
void tgs_trace_execution(const tgs_trace *t, int32_t i, tgs_execution *out);
int32_t tgs_trace_transfers(const tgs_trace *t);
void tgs_trace_transfer(const tgs_trace *t, int32_t i, tgs_transfer *out);
/* the line that reports print first, and the bound they compare with (NaN: none); call it before
 * anyone else has t */
tgs_status tgs_trace_annotate(tgs_trace *t, const char *title, double lower_bound, tgs_error *err);
tgs_status tgs_trace_read(tgs_trace **out, const char *path, tgs_error *err);
tgs_status tgs_trace_write(const tgs_trace *t, const char *path, tgs_error *err);
/* format: a name of tgs_plugin_name("report", i); other (may be NULL) is shown beside t, e.g. the
 * plan beside the run; path "-" is standard output */
tgs_status tgs_report(const tgs_trace *t, const tgs_trace *other, const char *format,
                      const char *path, tgs_error *err);
void tgs_trace_free(tgs_trace *t);

#include "tgsched/audit.h" /* a run beside its plan */
#include "tgsched/capture.h" /* StarPU applications, captured and replayed */

/* ---- what is compiled in ------------------------------------------------------------------- */
/* kind is "heuristic", "reader", ...; NULL past the end */
const char *tgs_plugin_kind(int32_t i);
const char *tgs_plugin_name(const char *kind, int32_t i);
const char *tgs_plugin_summary(const char *kind, int32_t i);
const char *tgs_plugin_citation(const char *kind, int32_t i); /* "" when there is none */
/* parameter j of plug-in i: key, default, meaning; returns 0, or TGS_ENOTFOUND past the end */
tgs_status tgs_plugin_param(const char *kind, int32_t i, int32_t j, const char **key,
                            const char **value, const char **meaning);
/* ---- small services for programs that print results ----------------------------------------- */
/* a file that appears whole or not at all; path "-" is standard output */
tgs_status tgs_file_write(const char *path, const char *text, size_t size, tgs_error *err);
void tgs_json_text(FILE *to, const char *text); /* a JSON string, with its quotes; always UTF-8 */
/* what this machine offers and why a device is missing: lines of text, "ok: ...", "missing: ...";
 * free *out with tgs_text_free */
tgs_status tgs_doctor(char **out, tgs_error *err);
void tgs_text_free(char *text);
/* format of a file by suffix and content, and what it yields ("graph", "model", "platform", ...) */
tgs_status tgs_identify(const char *path, const char **format, const char **yields, tgs_error *err);
/* what a reader's format yields: "graph" or "model" */
tgs_status tgs_format_yields(const char *format, const char **yields, tgs_error *err);
#ifdef __cplusplus
}
#endif
#include "tgsched/plan.h"    /* planners, and what they propose */
#include "tgsched/times.h"   /* times measured elsewhere, and sums over a graph */
#include "tgsched/compare.h" /* what heuristics and schedules are worth, and why */
#endif
