/* plugin.h -- what a plug-in of any kind sees: descriptors, and the services of the library.
 *
 * A plug-in is one file that defines one const descriptor, named tgs_KIND_NAME with '-' written
 * '_', and one line in its folder's Makefile.inc.  A heuristic outside the tree is a shared object
 * that exports `const tgs_heuristic tgs_heuristic_NAME` for NAME.so, built against this header. */
#ifndef TGSCHED_PLUGIN_H
#define TGSCHED_PLUGIN_H
#include <stddef.h>
#include "tgsched.h"
#include "tgsched/view.h"
#ifdef __cplusplus
extern "C" {
#endif

#define TGS_PLUGIN_ABI 3 /* bumped when anything here or in view.h changes */

/* ---- descriptors --------------------------------------------------------------------------- */
typedef enum tgs_param_type { TGS_PARAM_INT, TGS_PARAM_REAL, TGS_PARAM_TEXT } tgs_param_type;
typedef struct tgs_param {
    const char *key, *value; /* value: the default, as text */
    tgs_param_type type;
    double min, max; /* of INT and REAL, inclusive */
    const char *meaning;
} tgs_param;

typedef struct tgs_plugin { /* the first member of every descriptor */
    int32_t abi;             /* TGS_PLUGIN_ABI */
    const char *name, *summary;
    const char *citation;    /* NULL when there is none */
    const tgs_param *params; /* ends with a NULL key; NULL when there are none */
} tgs_plugin;

/* values of a spec, checked against the descriptor; asking for an undeclared key is a bug */
typedef struct tgs_args tgs_args;
double tgs_arg_real(const tgs_args *a, const char *key);
int64_t tgs_arg_int(const tgs_args *a, const char *key);
const char *tgs_arg_text(const tgs_args *a, const char *key);
bool tgs_arg_given(const tgs_args *a, const char *key);

/* ---- services ------------------------------------------------------------------------------ */
/* fills err (may be NULL) and returns s; the text is a printf format */
tgs_status tgs_fail(tgs_error *err, tgs_status s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "what: the system's words" for an errno: TGS_ENOMEM when that is what it says, else TGS_EIO */
tgs_status tgs_fail_system(tgs_error *err, int reason, const char *what);

void *tgs_mem_alloc(size_t count, size_t size); /* zeroed; count 0 gives a valid pointer */
void *tgs_mem_resize(void *p, size_t count, size_t size); /* grown part is not zeroed */
char *tgs_mem_text(const char *s);                         /* a copy */
void tgs_mem_free(void *p);                                /* NULL is fine */
/* grow *p (elements of size) so that it holds at least need; *room is its capacity */
tgs_status tgs_mem_grow(void *p, int64_t *room, int64_t need, size_t size);

typedef struct tgs_rng { uint64_t s[4]; } tgs_rng; /* the only randomness; same on every machine */
void tgs_rng_seed(tgs_rng *r, uint64_t seed);
uint64_t tgs_rng_next(tgs_rng *r);
double tgs_rng_real(tgs_rng *r);                            /* uniform in [0, 1) */
int64_t tgs_rng_int(tgs_rng *r, int64_t low, int64_t high); /* uniform in [low, high] */

/* attributes "key=value key=value": a value copied into text (cut to size), or a default */
bool tgs_attr_text(const char *attrs, const char *key, char *text, size_t size);
double tgs_attr_real(const char *attrs, const char *key, double def);
int64_t tgs_attr_int(const char *attrs, const char *key, int64_t def);
/* a comma list of integers: returns how many, at most max are written */
int32_t tgs_attr_ints(const char *attrs, const char *key, int64_t *out, int32_t max);

const char *tgs_phase_name(tgs_phase p); /* "forward", ...; "other" for what is none */
const char *tgs_class_name(tgs_class c); /* "parameter", ...; "other" for what is none */

/* a line-oriented source that counts lines; reading through it gives `file:line:` errors */
typedef struct tgs_source {
    FILE *file;
    const char *path;
    int64_t line;
    char *text; /* the current line, without its end; owned by the source */
    size_t room;
    bool cut; /* the current line has no end: it is the last, or what is left of it */
} tgs_source;
/* 1: a line is in text (comments from '#' on are kept); 0: end of file; negative: a status */
int tgs_source_next(tgs_source *s, tgs_error *err);
/* the rest of the file as one text with a NUL behind it, which the caller frees; a NUL byte in it,
 * or more than 1 GiB, is refused */
tgs_status tgs_source_all(tgs_source *s, char **text, size_t *size, tgs_error *err);
tgs_status tgs_source_fail(const tgs_source *s, tgs_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4))); /* TGS_EPARSE, "path:line: ..." */
/* the builder's first failure as `path:line: ...` (TGS_EPARSE, or TGS_ENOMEM); TGS_OK if none */
tgs_status tgs_source_built(const tgs_source *s, const tgs_builder *b, tgs_error *err);
/* the builder's first failure, and its text */
tgs_status tgs_builder_status(const tgs_builder *b, const char **text);
/* fixes the order of the kinds, before any time is given */
tgs_status tgs_builder_kind(tgs_builder *b, const char *kind);
/* for readers: task stands on this line of its file, which is named when there is a cycle */
tgs_status tgs_builder_line(tgs_builder *b, int32_t task, int64_t line);
/* adds a sentence to what the user is told of the graph: what the file says and tasks do not */
void tgs_builder_note(tgs_builder *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
tgs_status tgs_builder_datum_bytes(tgs_builder *b, int32_t datum, double bytes);
/* strict numbers: the whole text is a finite number (for _count a whole one in [0, max]) */
bool tgs_parse_real(const char *text, double *out);
bool tgs_parse_count(const char *text, int64_t max, int64_t *out);
/* the next blank-separated word of *cursor, cut in place; NULL at the end */
char *tgs_word(char **cursor);
/* the next key=value or key="quoted value" of *cursor, cut in place, quoted values decoded; *key is
 * NULL at the end of the line or at a '#' */
tgs_status tgs_source_field(const tgs_source *s, char **cursor, char **key, char **value,
                            tgs_error *err);
/* names in native files: bytes outside [!-~], '%', '=', '#', '"' and a first '@' are written %XX */
void tgs_name_put(FILE *to, const char *name);
bool tgs_name_take(char *text); /* decoded in place; false: not a name */
void tgs_quote_put(FILE *to, const char *text); /* "text" for tgs_source_field */

/* a symbol of one of the library's modules ("starpu", "onnx"), opened when first asked for;
 * TGS_EBACKEND: the module is not there, TGS_EIO: it is of another build than the library */
tgs_status tgs_module_symbol(const char *module, const char *symbol, void **out, tgs_error *err);

/* Calls work(user, i) for every i in [0, count), several at a time where there are threads (OpenMP;
 * OMP_NUM_THREADS limits them).  Each call writes what is its own, so that the result is the same
 * whatever the number of threads; what fails is kept in user.  A loop within one runs in order. */
void tgs_parallel(int32_t count, void (*work)(void *user, int32_t i), void *user);

double tgs_exp(double x); /* the same bits on every machine, for decisions */
double tgs_log(double x);

/* ---- graphs: readers, writers, generators -------------------------------------------------- */
typedef struct tgs_model_builder tgs_model_builder; /* tgsched/model.h */
typedef enum tgs_yield { TGS_YIELD_GRAPH, TGS_YIELD_MODEL } tgs_yield;

typedef struct tgs_reader {
    tgs_plugin base;
    tgs_yield yields;
    const char *suffixes; /* ".tg .tgz" */
    /* how sure the content is of this format: 0 no, 1 by suffix at most, 2 sure */
    int (*sniff)(const char *head, size_t size);
    tgs_status (*read)(tgs_source *s, const tgs_args *a, tgs_builder *b, tgs_error *err);
    tgs_status (*read_model)(tgs_source *s, const char *bind, tgs_model_builder *b, tgs_error *err);
} tgs_reader;

/* what a format can hold of a graph, besides tasks, dependencies and bytes that travel */
typedef enum tgs_holds {
    TGS_HOLDS_NAMES = 1,       /* of tasks */
    TGS_HOLDS_WORK = 2,        /* seconds of a task on a processor of speed 1 */
    TGS_HOLDS_TIMES = 4,       /* seconds per kind */
    TGS_HOLDS_FLOPS = 8,
    TGS_HOLDS_TOUCHED = 16,    /* the bytes a task touches */
    TGS_HOLDS_CODELETS = 32,
    TGS_HOLDS_ATTRS = 64,
    TGS_HOLDS_PHASES = 128,
    TGS_HOLDS_CONSTRAINTS = 256,
    TGS_HOLDS_SHARING = 512,   /* that several tasks read one datum */
    TGS_HOLDS_DATA_NAMES = 1024,
    TGS_HOLDS_DESCRIPTIONS = 2048, /* of data: type, shape, class, home, initial value */
    TGS_HOLDS_IN_PLACE = 4096, /* that a task works in place, or writes what was there */
    TGS_HOLDS_ORDERS = 8192,   /* that nothing, not even 0 bytes, goes along some dependencies, */
    TGS_HOLDS_NO_DATA = 32768, /* or along any */
    TGS_HOLDS_OUTSIDE = 16384, /* data that nobody writes, or nobody reads */
    TGS_HOLDS_ALL = 65535
} tgs_holds;

typedef struct tgs_writer {
    tgs_plugin base;
    const char *suffixes;
    uint32_t holds; /* tgs_holds */
    tgs_status (*write)(const tgs_graph_view *g, const tgs_args *a, FILE *to, tgs_error *err);
} tgs_writer;

typedef struct tgs_generator {
    tgs_plugin base;
    tgs_status (*make)(const tgs_args *a, tgs_rng *r, tgs_builder *b, tgs_error *err);
} tgs_generator;

/* ---- costs and links ----------------------------------------------------------------------- */
typedef struct tgs_costs_view {
    int32_t samples, links, overheads;
    const tgs_sample *sample;
    const tgs_link_sample *link;
    const tgs_overhead *overhead;
} tgs_costs_view;

typedef enum tgs_price_from { /* where a time came from */
    TGS_FROM_NOTHING, TGS_FROM_TABLE, TGS_FROM_ROOFLINE, TGS_FROM_MEASURED, TGS_FROM_EXTRAPOLATED,
    TGS_FROM_HINT, TGS_FROM_INTERPOLATED
} tgs_price_from;
typedef struct tgs_cost_model {
    tgs_plugin base;
    /* fill time[task * p->kinds + kind] where it is NaN, as far as the model knows (INFINITY where
     * the task may not run is already there); from, of the same shape, says where it came from */
    tgs_status (*price)(const tgs_costs_view *c, const tgs_graph_view *g,
                        const tgs_platform_view *p, double *time, uint8_t *from, tgs_error *err);
    /* what is missing when task has no time on kind, in words */
    void (*missing)(const tgs_graph_view *g, const tgs_platform_view *p, int32_t task,
                    int32_t kind, char *text, size_t size);
} tgs_cost_model;

/* A link model in the simulator.  A transfer uses one link; relays are several transfers.  Calls
 * come in the order of time; transfers are numbered from 0. */
typedef struct tgs_link_model {
    tgs_plugin base;
    bool free; /* all communication costs nothing, in planning too; link is -1 then */
    tgs_status (*open)(void **state, const tgs_platform_view *p, tgs_error *err);
    tgs_status (*start)(void *state, int32_t transfer, int32_t link, double bytes, double now);
    /* when finish must be called; INFINITY when nothing is under way */
    double (*next)(void *state);
    /* at next(): the transfer that completes, and when the link took it up; -1: none does yet */
    int32_t (*finish)(void *state, double now, double *began);
    void (*close)(void *state);
} tgs_link_model;

/* ---- heuristics and bounds ----------------------------------------------------------------- */
typedef struct tgs_plan { /* filled by a heuristic */
    int32_t *proc;  /* [n] */
    double *start;  /* [n] seconds */
    bool timed;     /* keep idle time when played */
    double lower_bound; /* proven on the way, NaN if none */
    char note[160]; /* what was proven, for the report; "" if nothing */
    struct tgs_plan_copies *copies; /* of tgs_plan_copy; NULL at first */
    struct tgs_plan_cases *cases;   /* of tgs_plan_case; NULL at first */
    struct tgs_plan_moves *moves;   /* of tgs_plan_move; NULL at first */
    struct tgs_plan_drops *drops;   /* of tgs_plan_drop; NULL at first */
} tgs_plan;
/* a case and what was proved of it, for tgs_schedule_case; copied */
tgs_status tgs_plan_case(tgs_plan *plan, const tgs_case *k);
/* another copy of a task (only tasks without RW accesses may have several) */
tgs_status tgs_plan_copy(tgs_plan *plan, int32_t task, int32_t proc, double start);
/* A transfer.  A plan that lists one lists all: a version is then where it was made, at home, and
 * where moves bring it.  Moves of one version are listed after those that bring it to their source.
 * The schedule has them by start, then in this order. */
tgs_status tgs_plan_move(tgs_plan *plan, const tgs_move *move);
/* A version leaves a memory before its last use there (it is brought back by another move), or all
 * of them after its last use.  Homes stay. */
tgs_status tgs_plan_drop(tgs_plan *plan, const tgs_drop *drop);

typedef struct tgs_ctx { /* of one call of a heuristic or bound */
    const tgs_view *v;
    const tgs_args *args;
    tgs_rng *rng;
    /* true: return the best so far.  A heuristic with a parameter `seconds` gets a stop that says
     * so after that time (0: never); the library adds to the note that it did. */
    bool (*stop)(void *user);
    void (*progress)(void *user, double done); /* in [0, 1] */
    void *user; /* stop and progress may be called from any thread */
    int32_t depth; /* 0 when nobody's heuristic called this one */
    /* for tgs_plan_check and tgs_plan_play; NULL, and these are TGS_ENOTAPPLICABLE: in bounds, and
     * where a heuristic has been given a view of its caller's making */
    const struct tgs_problem *problem;
} tgs_ctx;

struct tgs_lp;
typedef struct tgs_heuristic {
    tgs_plugin base;
    tgs_status (*run)(const tgs_ctx *c, tgs_plan *plan, tgs_error *err);
    /* NULL, or the linear program (tgsched/lp.h) that it solves, not solved; the caller frees it */
    tgs_status (*program)(const tgs_ctx *c, struct tgs_lp **out, tgs_error *err);
} tgs_heuristic;

/* Runs another heuristic, by its spec, on the same view, with c's stop and progress.  A plan of
 * one's own: open, make, read, free.  Making again begins afresh. */
tgs_status tgs_plan_open(tgs_plan **out, const tgs_view *v, tgs_error *err);
void tgs_plan_free(tgs_plan *plan); /* NULL is fine */
/* The schedule is not checked (what c returns in the end is).  TGS_EINVAL when heuristics call each
 * other more than TGS_PLAN_DEPTH deep. */
tgs_status tgs_plan_make(const tgs_ctx *c, const char *spec, uint64_t seed, tgs_plan *plan,
                         tgs_error *err);
#define TGS_PLAN_DEPTH 8
/* what the checker says: TGS_EINFEASIBLE when the plan breaks a constraint that a heuristic need
 * not look at (capacities, deadlines, ...), TGS_ECHECK when it is no schedule at all */
tgs_status tgs_plan_check(const tgs_ctx *c, const tgs_plan *plan, tgs_error *err);
/* What tgs_simulate makes of the plan, under the link model of the problem: order and places are
 * the plan's, times are not.  start [n] may be NULL; copies count for the makespan alone. */
tgs_status tgs_plan_play(const tgs_ctx *c, const tgs_plan *plan, double *start, double *makespan,
                         tgs_error *err);
/* seconds: the latest end of the places of a plan; INFINITY when a task is on no processor */
double tgs_plan_makespan(const tgs_view *v, const tgs_plan *plan);
/* the other copies of a plan; where their ends should be is no time */
const struct tgs_place *tgs_plan_copies(const tgs_plan *plan, int32_t *count);
const struct tgs_move *tgs_plan_moves(const tgs_plan *plan, int32_t *count);
const struct tgs_drop *tgs_plan_drops(const tgs_plan *plan, int32_t *count);
/* plan gets what other holds: places, copies, moves, drops, note, bound */
tgs_status tgs_plan_assign(const tgs_view *v, tgs_plan *plan, const tgs_plan *other);

typedef struct tgs_bound_plugin {
    tgs_plugin base;
    const char *model; /* what it is valid for, in words: "no duplication, any link model" */
    bool duplication;  /* also valid when tasks may be duplicated */
    tgs_status (*run)(const tgs_ctx *c, double *bound, tgs_error *err); /* or TGS_ENOTAPPLICABLE */
} tgs_bound_plugin;

/* ---- execution ----------------------------------------------------------------------------- */
typedef struct tgs_kernels { /* of a file in codelets/ */
    tgs_plugin base; /* name: the codelet */
    const char *buffers; /* "R A, R B, [R C], W Y": [] optional, "R X..." one or more */
    const char *attrs;   /* "transA transB alpha beta"; "" none */
    const tgs_kernel *kernel; /* ends with a NULL codelet */
    /* shapes, dtypes and attributes fit each other (modes were checked against buffers); data is
     * NULL.  A run asks it about every task before anything runs, so kernels need not.  Only the
     * cpu file of a codelet has one. */
    tgs_status (*check)(const tgs_call *call, tgs_error *err);
} tgs_kernels;
/* the best kernel for an architecture and dtype, or NULL; of equal ranks the one added last */
const tgs_kernel *tgs_kernel_find(const tgs_codelets *c, const char *codelet, const char *arch,
                                  tgs_dtype dtype);
/* the kernel of a task on an architecture, or NULL: then it runs synthetically, since a run is only
 * opened when the placed architecture has a kernel or none has */
const tgs_kernel *tgs_task_kernel(const tgs_codelets *c, const tgs_graph_view *g, int32_t task,
                                  const char *arch);
/* one buffer per access, in their order, data NULL; a datum without a shape is f32, dims NULL */
void tgs_task_buffers(const tgs_graph_view *g, int32_t task, tgs_buffer *buffer);
const char *tgs_task_codelet(const tgs_graph_view *g, int32_t task); /* "" none */
/* The name of a task or datum, "" when it has none; that of a copy is put together in room. */
#define TGS_NAME_ROOM 1200
#define TGS_ROOM      ((char[TGS_NAME_ROOM]){""}) /* room until the end of the block */
const char *tgs_task_name(const tgs_graph_view *g, int32_t task, char room[TGS_NAME_ROOM]);
const char *tgs_datum_name(const tgs_graph_view *g, int32_t datum, char room[TGS_NAME_ROOM]);
/* all of them, in one piece to be freed by tgs_mem_free, before g; NULL: out of memory */
const char **tgs_task_names(const tgs_graph_view *g);

typedef struct tgs_job { /* what a backend executes */
    const tgs_view *v;
    const tgs_schedule_view *s;
    const tgs_codelets *codelets;
    const tgs_args *args;
    /* true: begin no more tasks, and fail the step with TGS_ECANCELED; from any thread */
    bool (*canceled)(const void *user);
    const void *user;
} tgs_job;

typedef struct tgs_trace_log tgs_trace_log; /* a trace being written; one thread */
tgs_status tgs_log_ran(tgs_trace_log *l, const tgs_ran *r);
tgs_status tgs_log_moved(tgs_trace_log *l, const tgs_moved *m);
tgs_status tgs_log_used(tgs_trace_log *l, const tgs_used *u);
tgs_status tgs_log_step(tgs_trace_log *l, double start, double end); /* closes a step */

/* Where work is real.  lib/exec/run.c has checked before open: the schedule, the codelets (their
 * buffers, shapes and kernels for the placed architecture), and before the first step: every datum
 * read before it is written has an initial value or is bound.  Of each step:
 * - a datum that is not persistent begins from its bound memory, read again at every step, or from
 *   its initial value (tgs_datum_fill);
 * - a persistent one so begins the first step, and the step after each bind; any other step where
 *   the last one left it.
 * Logged times are seconds since the first step began.  A step that fails logs what has run, as far
 * as it can, and closes the step in the log; after it only close follows. */
typedef struct tgs_backend {
    tgs_plugin base;
    const char *arch; /* every task runs kernels of this architecture; NULL: its processor's */
    /* validates what is its own: processors that exist, memory; nothing has run when it fails.
     * Calls prepare of each kernel, with data NULL. */
    tgs_status (*open)(void **run, const tgs_job *job, tgs_error *err);
    /* ptr is the caller's and outlives the run, or until it is bound elsewhere */
    tgs_status (*bind)(void *run, int32_t datum, void *ptr, tgs_error *err);
    tgs_status (*step)(void *run, tgs_trace_log *log, tgs_error *err);
    /* after a step: the last value (never asked before the first step) */
    tgs_status (*read)(void *run, int32_t datum, void *to, tgs_error *err);
    /* the same of an F32 datum that the backend keeps in double; NULL: it keeps none */
    tgs_status (*read_f64)(void *run, int32_t datum, double *to, tgs_error *err);
    /* writes the last value of written data to where they are bound (unless a step has failed), and
     * frees, whatever it returns */
    tgs_status (*close)(void *run, tgs_error *err);
    /* time kernels and links into costs, repeat times each; NULL: cannot.  v has no schedule and no
     * prices: its times are 0 where a task may run, else INFINITY. */
    tgs_status (*calibrate)(const tgs_view *v, const tgs_codelets *c, int32_t repeat,
                            tgs_costs *into, tgs_error *err);
    /* it runs tasks of several processors at once: their times are measured so too */
    bool at_once;
} tgs_backend;
/* the tasks worth measuring: the first of each codelet, attributes and shapes, in task order;
 * task has room for all tasks of g; returns how many */
tgs_status tgs_measure_tasks(const tgs_graph_view *g, int32_t *task, int32_t *count);
/* fills min, median, spread, count and rejected of s from n > 0 times, which it sorts, and
 * everything else from the task; the caller sets kind */
void tgs_measure_sample(const tgs_graph_view *g, int32_t task, double *seconds, int32_t n,
                        tgs_sample *s);
/* those five alone.  Rejected: more than 5 standard deviations (1.4826 times the spread), and 2 %,
 * above the median of all. */
void tgs_measure_times(double *seconds, int32_t n, tgs_sample *s);
/* values to measure with: the initial value, else uniform in [0, 1) (0 for integers) */
tgs_status tgs_measure_fill(const tgs_graph_view *g, int32_t datum, void *to, tgs_error *err);
tgs_status tgs_costs_add(tgs_costs *c, const tgs_sample *s);          /* copied */
tgs_status tgs_costs_add_link(tgs_costs *c, const tgs_link_sample *s); /* copied */
tgs_status tgs_costs_add_overhead(tgs_costs *c, const tgs_overhead *o); /* copied */
/* something was not measured as it should have been: copied behind what was said before */
tgs_status tgs_costs_add_remark(tgs_costs *c, const char *text);
/* the initial value of a datum (init zero, constant, random, file) into to; TGS_ENOTAPPLICABLE
 * when it must be bound or has none.  Values are those of its dtype, F32 when it has no shape. */
tgs_status tgs_datum_fill(const tgs_graph_view *g, int32_t datum, void *to, tgs_error *err);

/* ---- reports ------------------------------------------------------------------------------- */
typedef struct tgs_report_plugin {
    tgs_plugin base;
    const char *suffix; /* ".html" */
    tgs_status (*write)(const tgs_trace_view *t, const tgs_trace_view *other, FILE *to,
                        tgs_error *err);
} tgs_report_plugin;

#ifdef __cplusplus
}
#endif
#endif
