/* plan.h -- how to parallelise a training step, or place models: ask a planner, read its answer.
 *
 *   model(s), platform --tgs_planner_make--> tgs_proposal --tgs_proposal_write--> s.tgy
 *
 * A part of tgsched.h, under its rules. */
#ifndef TGSCHED_PLAN_H
#define TGSCHED_PLAN_H
#include "tgsched.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef enum tgs_objective { /* of a simulated step; what is smaller is better */
    TGS_OBJECTIVE_TIME,
    TGS_OBJECTIVE_ENERGY, /* joules: the platform must tell power and energy per byte */
    TGS_OBJECTIVE_EDP     /* joules x seconds */
} tgs_objective;

typedef struct tgs_plan_input { /* all zero, but for what is there; borrowed during the call */
    const tgs_model *const *model; /* [models] */
    int32_t models;
    const tgs_graph *graph;       /* for planners that place a graph */
    const char *file;             /* for planners that read a file of their own */
    const tgs_platform *platform;
    const tgs_costs *costs;       /* NULL: as for tgs_problem_new */
    /* directives of every strategy; NULL: "train sgd", "": the forward pass alone */
    const char *training;
    int64_t batch;                /* samples of a step; 0: what the first model is bound to */
    uint64_t seed;
    const tgs_watch *watch;       /* NULL: nobody watches */
    tgs_objective objective;      /* by which planners decide between strategies */
} tgs_plan_input;

/* of a strategy, lowered, scheduled and simulated with contention, in the steady state: parameters
 * are where they are updated */
typedef struct tgs_evaluation {
    double step;    /* seconds of a step */
    double bound;   /* seconds: no schedule of this graph is shorter */
    double moved;   /* bytes over links */
    double energy;  /* joules; NaN when the platform does not say */
    double missing; /* bytes by which the fullest memory is exceeded; 0: it fits */
    int32_t memory; /* which one is the fullest */
    int32_t tasks;
    const double *peak; /* [memories] bytes; of the proposal, or valid until the next evaluation */
    const char *heuristic; /* whose schedule it is: heft's, or message-driven's where that is better
                              and the strategy leaves the order to what arrives first */
    int32_t simulated; /* of the tasks: fewer where replicas that are alike were simulated once */
} tgs_evaluation;

/* what an evaluation comes to: seconds, joules or their product; NaN: the platform does not say */
double tgs_evaluation_worth(const tgs_evaluation *e, tgs_objective objective);

typedef struct tgs_proposal tgs_proposal;
/* planner: a name of tgs_plugin_name("planner", i) with its parameters.  What it proposes has been
 * lowered, scheduled, checked and simulated.  TGS_EINFEASIBLE: nothing that fits in memory was
 * found; the text says how many bytes are missing, and where. */
tgs_status tgs_planner_make(tgs_proposal **out, const tgs_plan_input *in, const char *planner,
                            tgs_error *err);
typedef struct tgs_plan_answer { /* of one of several planners */
    const char *planner;    /* its spec: given, and borrowed */
    tgs_proposal *proposal; /* the caller frees it; NULL: it has none */
    tgs_error why;          /* why not */
    double seconds;         /* that it took, beside the others */
} tgs_plan_answer;
/* each answers as tgs_planner_make would, several at a time where there are threads
 * (OMP_NUM_THREADS), with what the others find out; those that ask others (auto) come last.  Only
 * TGS_ENOMEM, or an input that is wrong for all, is a failure: then there are no proposals.
 * Watched, it is told the share of planners that are done. */
tgs_status tgs_planners_make(tgs_plan_answer *answer, int32_t count, const tgs_plan_input *in,
                             tgs_error *err);
/* TGS_ENOTAPPLICABLE, with the reason, when the planner does not plan for such an input */
tgs_status tgs_planner_check(const tgs_plan_input *in, const char *planner, tgs_error *err);
/* the linear or integer program that a planner (place-ip) would solve, as a CPLEX LP file */
tgs_status tgs_planner_program_write(const tgs_plan_input *in, const char *planner,
                                     const char *path, tgs_error *err);
/* ids of the published systems that a planner is: "T0 S7"; "" none, NULL: no such planner */
const char *tgs_planner_systems(const char *planner);
/* any strategy, as its planners' are evaluated: text of a .tgy file without its first line; peak
 * [memories] may be NULL */
tgs_status tgs_strategy_evaluate(tgs_evaluation *out, double *peak, const tgs_plan_input *in,
                                 const char *strategy, tgs_error *err);

/* TGS_EINFEASIBLE: it needs more memory than there is; the text says how many bytes are missing, in
 * which memory, and the nearest change (micro-batches, recompute, shard, offload; else fewer
 * samples) with which it fits */
tgs_status tgs_strategy_fits(const tgs_plan_input *in, const char *strategy, tgs_error *err);

const char *tgs_proposal_planner(const tgs_proposal *p);  /* its spec */
const char *tgs_proposal_strategy(const tgs_proposal *p); /* without the training; "" none */
/* the whole strategy as a .tgy file; TGS_ENOTAPPLICABLE when it has none */
tgs_status tgs_proposal_write(const tgs_proposal *p, const char *path, tgs_error *err);
/* what came of its strategy; false: it has none */
int tgs_proposal_evaluation(const tgs_proposal *p, tgs_evaluation *out);
double tgs_proposal_value(const tgs_proposal *p, const char *figure); /* NaN: there is none */
/* the i-th figure, row and note; false past the last */
int tgs_proposal_figure_at(const tgs_proposal *p, int32_t i, const char **name, double *value);
typedef struct tgs_proposal_line { /* what was decided of an item, and what it costs */
    const char *item, *choice;
    double seconds, bytes; /* NaN: no such figure */
} tgs_proposal_line;
int tgs_proposal_row_at(const tgs_proposal *p, int32_t i, tgs_proposal_line *out);
const char *tgs_proposal_note_at(const tgs_proposal *p, int32_t i);
/* of a graph: where a task was placed, -1 nowhere */
int32_t tgs_proposal_place_of(const tgs_proposal *p, int32_t task);
void tgs_proposal_free(tgs_proposal *p);

#ifdef __cplusplus
}
#endif
#endif
