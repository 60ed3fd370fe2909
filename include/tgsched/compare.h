/* compare.h -- the part of tgsched.h about what heuristics and schedules are worth, and why.
 * Include tgsched.h. */
#ifndef TGSCHED_COMPARE_H
#define TGSCHED_COMPARE_H
#include <stdbool.h>
#include "tgsched.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- comparing heuristics -------------------------------------------------------------------- */
typedef struct tgs_standing { /* of a heuristic over many instances */
    int32_t solved;           /* instances that it has a schedule for */
    int32_t wins, ties;       /* instances where none is better: alone, and together with others */
    double mean_to_bound;     /* geometric mean of makespan / bound, where a bound is known; NaN */
    double mean_to_best;      /* and of makespan / the best makespan; NaN when nothing is solved */
    double worst_to_best;
} tgs_standing;
/* value[instance * methods + method]: makespans, NaN where there is none; noise (may be NULL), of
 * the same shape: two makespans closer than that are a tie; bound (may be NULL): [instances], NaN
 * unknown; out: [methods] */
tgs_status tgs_standings(tgs_standing *out, const double *value, const double *noise,
                         const double *bound, int32_t instances, int32_t methods, tgs_error *err);
typedef struct tgs_ratio {
    double median, low, high;
} tgs_ratio;
/* of a[i] / b[i], measurements made together, n >= 1: the median, and the interval that holds 95 %
 * of the medians of resamples (bootstrap; 4000, always the same).  TGS_EINVAL: a value that is not
 * positive. */
tgs_status tgs_ratio_of(tgs_ratio *out, const double *a, const double *b, int32_t n,
                        tgs_error *err);
/* Dolan and More's performance profile: ratio gets, ascending, a method's makespan over the best on
 * each instance that anyone solved, INFINITY where it did not; returns how many.  The profile at
 * tau is the part of them that is at most tau. */
int32_t tgs_profile(double *ratio, const double *value, int32_t instances, int32_t methods,
                    int32_t method);

/* ---- why a schedule is as it is -------------------------------------------------------------- */
typedef enum tgs_cause { /* of the start of a task */
    TGS_CAUSE_NOTHING,   /* it starts at 0 */
    TGS_CAUSE_PROCESSOR, /* the task before it on its processor */
    TGS_CAUSE_DATA,      /* what it reads was not there before */
    TGS_CAUSE_ORDER,     /* a task that it follows without data */
    TGS_CAUSE_RELEASE,   /* its release time */
    TGS_CAUSE_MEMORY,    /* there was no room for what it writes */
    TGS_CAUSE_CHOICE     /* it could have started before: the schedule lets it wait */
} tgs_cause;
const char *tgs_cause_name(tgs_cause c); /* "nothing", "processor", ... */
typedef struct tgs_reason {
    int32_t task, processor;
    double start, end;
    tgs_cause cause;
    int32_t by;       /* the task that held it up, or would have next; -1 none */
    int32_t datum;    /* of cause DATA; -1 */
    int32_t from, to; /* of DATA: the memories it was sent between, -1 when it was not sent */
    double needs;     /* when all it reads was there and all it follows had ended */
    double free;      /* when its processor was */
    double release;
    double sending; /* of DATA: seconds that transfers took */
    double waiting; /* from the latest of needs, free and release to start */
    double idle;    /* of its processor before it */
} tgs_reason;
typedef struct tgs_need { /* one of the things a task waited for */
    int32_t by;           /* who wrote it; -1: it is an initial value */
    int32_t datum;        /* -1: only order */
    int32_t from, to;     /* memories; the same when it was not sent */
    double ready, arrival; /* when its writer had ended, when it was there */
} tgs_need;
typedef struct tgs_option { /* the task on some processor, everything else as it is */
    int32_t processor;
    int32_t allowed;          /* 0: it may not run there; then the rest says nothing */
    double needs, start, end; /* the earliest, in a gap if there is one */
    int32_t by;               /* who would hold it up: needs or processor; -1 none */
    double late;              /* by how much its latest successor would be late; 0 none */
} tgs_option;
typedef struct tgs_chain_sums { /* of the makespan, along the critical chain; seconds */
    double compute, communication;
    double waiting; /* of transfers for links */
    double idle;    /* for release times, memory, or by choice */
} tgs_chain_sums;
/* What the problem of s was made of, as lines of text that mean something to the caller (of the
 * command: the graph, then its options); kept in its file.  Call it before anyone else has s. */
tgs_status tgs_schedule_annotate(tgs_schedule *s, const char *origin, tgs_error *err);
/* those lines of a file, for which there is no problem yet; "": it has none, as a .csv always.
 * Free *out with tgs_text_free. */
tgs_status tgs_schedule_origin(char **out, const char *path, tgs_error *err);
/* Why each task is where and when it is, by the times of the plan.  It borrows s and pb.  The
 * schedule must have passed tgs_schedule_check. */
typedef struct tgs_explain tgs_explain;
tgs_status tgs_explain_new(tgs_explain **out, const tgs_schedule *s, const tgs_problem *pb,
                           tgs_error *err);
void tgs_explain_free(tgs_explain *x);
void tgs_explain_reason(const tgs_explain *x, int32_t task, tgs_reason *out);
int32_t tgs_explain_needs(const tgs_explain *x, int32_t task);
void tgs_explain_need(const tgs_explain *x, int32_t task, int32_t i, tgs_need *out);
void tgs_explain_option(const tgs_explain *x, int32_t task, int32_t processor, tgs_option *out);
/* the critical chain: from a task that nothing held up to the one that ends last, each held up by
 * the one before it; sums may be NULL */
int32_t tgs_explain_chain(const tgs_explain *x, tgs_chain_sums *sums);
void tgs_explain_link(const tgs_explain *x, int32_t i, tgs_reason *out);

/* ---- the worst case of a heuristic ----------------------------------------------------------- */
typedef struct tgs_duel {
    const char *a, *b;          /* heuristics, as in tgs_schedule_make */
    const char *link_model;     /* NULL: latbw.  Under fifo and share schedules are simulated */
    int32_t tasks, processors;  /* at most; 0: 10 and 3 */
    int64_t evals;              /* instances tried, those of shrinking apart; 0: 10000 */
    uint64_t seed;
    bool (*stop)(void *user);   /* NULL: never; the result then depends on when */
    void (*progress)(void *user, double done, double ratio); /* or NULL */
    void *user;
} tgs_duel;
/* Searches for the instance on which the makespan of a is the largest multiple of that of b:
 * annealing over task times on unrelated processors, edges and their bytes, links, and the
 * capacities of memories.  Then makes it smaller while that ratio stays within 1 %.  Instances that
 * either cannot schedule do not count.  Times and bytes are whole numbers. */
tgs_status tgs_adversary(tgs_graph **graph, tgs_platform **platform, double *ratio,
                         const tgs_duel *duel, tgs_error *err);

#ifdef __cplusplus
}
#endif
#endif
