/* internal.h -- the structs behind the opaque types; only lib/ and tests/unit include it. */
#ifndef TGS_INTERNAL_H
#define TGS_INTERNAL_H
#include <locale.h>
#include <stdatomic.h>
#include "tgsched/model.h" /* and plugin.h */

#define TGS_I_NOTE 400 /* bytes of what a reader has to say of a graph */

struct tgs_graph {
    tgs_graph_view v; /* its arrays are owned by this struct; freed in graph.c */
    struct tgs_i_shelves *task_name, *datum_name; /* names.c: those that were asked for */
    _Atomic uint64_t fingerprint; /* ask tgs_graph_fingerprint; 0: nobody has done so yet */
    char note[TGS_I_NOTE];        /* of its reader, for the user */
};

/* names.c */
struct tgs_i_shelves *tgs_i_shelves_new(int32_t names);
void tgs_i_shelves_free(struct tgs_i_shelves *s); /* NULL is fine */

struct tgs_platform {
    tgs_platform_view v;
    uint64_t fingerprint;
    char *names;      /* all names, one block */
    tgs_costs *costs; /* owned: times that came with it; NULL none */
};

struct tgs_costs {
    tgs_costs_view v;
    const tgs_cost_model *model;
    int64_t sample_room, link_room, overhead_room;
    char *remark; /* what was not measured as it should be, in one line; NULL nothing */
};

struct tgs_problem {
    tgs_view v;
    const tgs_graph *graph;
    const tgs_platform *platform;
    const tgs_link_model *link;
    const tgs_codelets *codelets; /* whose kernels price tasks; NULL none */
    tgs_platform *measured; /* owned: the platform with measured links; NULL: none were given */
    uint8_t *from;          /* [task * kinds + kind] tgs_price_from */
    double *time, *zero;    /* zero: every link cost under a free link model, else NULL */
    tgs_overhead *overhead; /* [kinds], or NULL */
    int32_t *pin_proc, *home;
    uint64_t *mem_mask;
};

struct tgs_schedule {
    tgs_schedule_view v;          /* its arrays are owned */
    uint64_t graph, platform;     /* fingerprints */
    double lower_bound;           /* proven by the heuristic on the way; NaN if none */
    struct tgs_plan_cases *cases; /* NULL none */
    char *origin;                 /* NULL none; see tgs_schedule_annotate */
    char note[160];
};
/* cases.c */
void tgs_i_cases_free(struct tgs_plan_cases *c); /* NULL is fine */
tgs_status tgs_i_cases_copy(struct tgs_plan_cases **out, const struct tgs_plan_cases *from);

struct tgs_codelets {
    tgs_kernel *kernel; /* by codelet, arch, and then as they were added; names are owned */
    int64_t kernels, room;
};

struct tgs_trace {
    tgs_trace_view v; /* its arrays are owned; built by trace.c */
    char *names;
    char *title; /* NULL: it is in names */
    char *remarks;
};

/* registry.c: every plug-in of a kind, from the generated tables */
typedef struct tgs_i_kind {
    const char *name;                /* "heuristic" */
    const tgs_plugin *const *plugin; /* ends with NULL */
} tgs_i_kind;
extern const tgs_i_kind tgs_i_kinds[]; /* generated; ends with a NULL name */
extern const char tgs_i_stamp[];       /* generated: of which build the library is (module.c) */

/* find "name" of a kind; TGS_ENOTFOUND lists the names there are */
tgs_status tgs_i_find(const tgs_plugin **out, const char *kind, const char *name, tgs_error *err);
/* split "name:key=value:..." , find the plug-in, check its arguments */
tgs_status tgs_i_resolve(const tgs_plugin **out, tgs_args **args, const char *kind,
                         const char *spec, tgs_error *err);
/* arguments "key=value:key=value" (or NULL) for a descriptor known already */
tgs_status tgs_i_args_new(tgs_args **out, const tgs_plugin *p, const char *text, tgs_error *err);
void tgs_i_args_free(tgs_args *a);

/* output.c: a file that appears whole or not at all; path "-" is standard output */
typedef struct tgs_i_output {
    FILE *file;
    char *path, *temporary; /* NULL for standard output; temporary also for devices and pipes */
    char *buffer;           /* ours, so that nothing is allocated while writing */
    bool nameless;          /* temporary does not exist yet */
    locale_t before;        /* numbers are written with a decimal point while it is open */
} tgs_i_output;
tgs_status tgs_i_output_open(tgs_i_output *o, const char *path, tgs_error *err);
/* status: of what was written so far; on failure the temporary is removed; returns the first error
 */
tgs_status tgs_i_output_close(tgs_i_output *o, tgs_status status, tgs_error *err);
/* write one JSON-quoted string */
#define tgs_i_put_json tgs_json_text

/* source.c */
tgs_status tgs_i_source_open(tgs_source *s, const char *path, tgs_error *err);
void tgs_i_source_close(tgs_source *s);

/* platform.c: p with the numbers of its links replaced where there is a sample between those
 * memories */
tgs_status tgs_i_platform_relink(tgs_platform **out, const tgs_platform *p,
                                 const tgs_link_sample *sample, int32_t samples, tgs_error *err);
/* costs.c: measured costs without a sample yet */
tgs_status tgs_i_costs_new(tgs_costs **out, tgs_error *err);

/* FNV-1a, for fingerprints */
#define TGS_I_HASH_START 1469598103934665603ull
uint64_t tgs_i_hash(uint64_t h, const void *p, size_t size);
uint64_t tgs_i_hash_text(uint64_t h, const char *s);
uint64_t tgs_i_hash_real(uint64_t h, double x); /* -0 as 0, every NaN alike */

/* schedule.c: a schedule from a finished plan; takes copies */
tgs_status tgs_i_schedule_build(tgs_schedule **out, const tgs_problem *pb, const tgs_plan *plan,
                                const char *heuristic, tgs_error *err);
/* fills the makespan and the order of each processor from the places; s->v has no order yet */
tgs_status tgs_i_schedule_order(tgs_schedule *s, const tgs_problem *pb, tgs_error *err);
/* by time, then by what they name */
void tgs_i_schedule_sort_drops(tgs_drop *drop, int32_t count);
/* schedcsv.c: a table of places from any tool */
tgs_status tgs_i_schedule_csv(tgs_schedule **out, const char *path, const tgs_problem *pb,
                              tgs_error *err);
/* builddata.c: the text behind "part:", DIMS:FROM:INIT, of a datum of this shape: INIT, or NULL if
 * it is none */
#define TGS_I_PART_RANK 8
const char *tgs_i_part_parse(const char *text, int32_t rank, const int64_t *dim, int64_t *whole,
                             int64_t *from);
/* sim.c: when each place starts, [places], and when the last one ends */
tgs_status tgs_i_sim_play(const tgs_problem *pb, const tgs_schedule_view *s, double *start,
                          double *makespan, tgs_error *err);

/* program.c: a linear program as a file */
struct tgs_lp;
tgs_status tgs_i_program_write(const struct tgs_lp *lp, const char *path, tgs_error *err);

/* plan.c: a plan with every task unplaced (processor -1, start NaN); free with tgs_i_plan_free */
tgs_status tgs_i_plan_new(tgs_plan *plan, int32_t tasks);
void tgs_i_plan_clear(tgs_plan *plan, int32_t tasks); /* as new */
void tgs_i_plan_free(tgs_plan *plan);
/* fit.c: the places of a schedule that needs more memory than there is, with times, moves and drops
 * by which it does not; TGS_EINFEASIBLE names the task and the bytes that are missing.  plan is
 * new.
 */
tgs_status tgs_i_fit(tgs_plan *plan, const tgs_problem *pb, const tgs_schedule_view *s,
                     tgs_error *err);
/* check.c: as tgs_schedule_check; feasibility (may be NULL) tells whether all that is violated is a
 * deadline or the capacity of a memory */
tgs_status tgs_i_check(const tgs_schedule *s, const tgs_problem *pb, bool *feasibility,
                       tgs_error *err);
/* external.c: heuristics from outside the tree, "DIR/NAME.so:key=value" (a spec whose first field
 * has a '/') and "exec:COMMAND" or "exec:timeout=SECONDS:COMMAND".  args are what its run is to be
 * given in tgs_ctx; both live until _close. */
typedef struct tgs_i_external tgs_i_external;
bool tgs_i_external_is(const char *spec);
tgs_status tgs_i_external_open(tgs_i_external **out, const tgs_heuristic **h, const tgs_args **args,
                               const char *spec, tgs_error *err);
void tgs_i_external_close(tgs_i_external *x);

/* trace.c: a log with every name of the problem; finish consumes it */
tgs_status tgs_i_log_new(tgs_trace_log **out, const tgs_problem *pb, const char *origin,
                         const char *title, tgs_error *err);
void tgs_i_log_bound(tgs_trace_log *l, double lower_bound);
/* tasks and data that are logged from now on are known as task[...] and datum[...] */
void tgs_i_log_rename(tgs_trace_log *l, const int32_t *task, const int32_t *datum);
int64_t tgs_i_log_steps(const tgs_trace_log *l); /* how many are closed */
tgs_status tgs_i_log_finish(tgs_trace **out, tgs_trace_log *l, tgs_error *err);
void tgs_i_log_free(tgs_trace_log *l);

/* bound.c: the largest bound that covers pb; duplication: only those that hold when tasks may have
 * copies.  TGS_ENOTAPPLICABLE when there is none. */
tgs_status tgs_i_bound_best(double *out, const char **which, const tgs_problem *pb,
                            bool duplication, tgs_error *err);

/* exec/job.c: the datum need not be bound */
bool tgs_i_has_initial(const tgs_graph_view *g, int32_t datum);
/* exec/measure.c: for each task the first one that is like it in all a kernel's time may depend on
 */
tgs_status tgs_i_measure_alike(const tgs_graph_view *g, int32_t *first);
/* codelets.c: a kernel of any architecture does this codelet on this dtype */
bool tgs_i_codelet_known(const tgs_codelets *c, const char *codelet, tgs_dtype dtype);

/* exec/signature.c: the tasks' accesses and shapes fit their codelets; arch as in tgs_backend */
tgs_status tgs_i_check_codelets(const tgs_job *job, const char *arch, tgs_error *err);
#endif
