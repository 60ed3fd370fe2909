/* planner.h -- how to parallelise: what a planner is given, and what it proposes.
 *
 *   model(s) or graph or file, platform --planner--> tgs_proposal: a strategy, a placement, figures
 *
 * A planner is a plug-in like the others (plugin.h): one file that defines `const tgs_planner
 * tgs_planner_NAME` in a folder of heuristics/plan, and one line in that folder's Makefile.inc.  It
 * reads what it needs through the context, decides, and writes what it decided into the proposal.
 * It never lowers, schedules or simulates by itself: tgs_planner_evaluate does, the same way for
 * all of them. */
#ifndef TGSCHED_PLANNER_H
#define TGSCHED_PLANNER_H
#include "tgsched/model.h"
#include "tgsched/plan.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- a model as layers with times --------------------------------------------- */
typedef struct tgs_layer { /* an operator that computes */
    const char *name;
    int32_t op;        /* of the model */
    double parameters; /* bytes */
    double state;      /* bytes that the optimizer keeps beside them, and running statistics */
    double saved;      /* bytes that backward passes read; each datum is the first reader's */
    double output;     /* bytes that later layers read */
    const char *last;  /* the parameter whose gradient is ready after the others'; NULL none */
    /* of a product Y[rows, columns] = X[rows, inner] W[inner, columns], W a parameter; 0: none */
    double rows, columns, inner;
} tgs_layer;

typedef struct tgs_layer_edge {
    int32_t from, to; /* layers; from < to */
    double bytes;
} tgs_layer_edge;

typedef struct tgs_layers { /* of one size of micro-batch */
    int64_t batch;
    int32_t n, kinds, edges;
    const tgs_layer *layer;      /* [n] in topological order */
    const tgs_layer_edge *edge;  /* [edges] by from, then to */
    /* [layer * kinds + kind] seconds on a processor of speed 1; INFINITY: it may not run there */
    const double *forward, *backward, *update;
} tgs_layers;

/* ---- what a planner is given --------------------------------------------------------------- */
typedef enum tgs_planner_needs {
    TGS_PLANS_MODEL = 1,   /* a model: layers and evaluate may be called */
    TGS_PLANS_MODELS = 2,  /* several of them */
    TGS_PLANS_GRAPH = 4,   /* a graph with its costs: v */
    TGS_PLANS_FILE = 8,    /* a file of its own kind: source */
    TGS_PLANS_PLATFORM = 16, /* a platform: p */
    TGS_PLANS_WITH_OTHERS = 32 /* nothing; it asks other planners, which go before it */
} tgs_planner_needs;

typedef struct tgs_planner_ctx { /* of one call */
    const tgs_platform_view *p; /* NULL when not needed */
    const tgs_view *v;          /* of a graph; NULL when not needed */
    tgs_source *source;         /* NULL when not needed */
    int32_t models;
    int64_t batch;              /* samples of one step of model 0 */
    int64_t bound;              /* samples that model 0 was bound to: it has layers of that size */
    const tgs_args *args;
    tgs_rng *rng;
    bool (*stop)(void *user);   /* true: propose the best so far */
    void (*progress)(void *user, double done); /* in [0, 1] */
    void *user;
    struct tgs_planning *planning; /* of the services below */
} tgs_planner_ctx;

/* The layers of a model whose micro-batch has batch samples; owned by the library, computed once.
 * TGS_ENOTAPPLICABLE when the model cannot have that batch, with the node that says so. */
tgs_status tgs_planner_layers(const tgs_planner_ctx *c, int32_t model, int64_t batch,
                               const tgs_layers **out, tgs_error *err);

/* What becomes of a strategy (tgsched/plan.h): the text of a .tgy file without its first line, and
 * without `train` and `loss`, which the user has given.  A strategy that cannot be lowered for this
 * model is TGS_ENOTAPPLICABLE. */
tgs_status tgs_planner_evaluate(const tgs_planner_ctx *c, const char *strategy,
                                tgs_evaluation *out, tgs_error *err);

/* Several of them, some at a time where there are threads: out[i] and why[i] are strategy[i]'s, the
 * peaks are NULL.  Only TGS_ENOMEM is a failure of the whole. */
tgs_status tgs_planner_evaluate_each(const tgs_planner_ctx *c, const char *const *strategy,
                                     int32_t count, tgs_evaluation *out, tgs_error *why,
                                     tgs_error *err);

/* seconds, joules or their product: what the user wants less of (tgs_objective) */
double tgs_planner_worth(const tgs_planner_ctx *c, const tgs_evaluation *e);
/* is a better than b: less memory is missing, or as much and it is worth less?  Ties: no. */
bool tgs_planner_better(const tgs_planner_ctx *c, const tgs_evaluation *a, const tgs_evaluation *b);

/* ---- what it proposes ---------------------------------------------------------------------- */
/* adds a directive to the strategy: "pipeline 4 1f1b" */
tgs_status tgs_proposal_directive(tgs_proposal *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* a line of the answer: what was decided of item ("layer 3", "gpu0", "bert"), and what that costs;
 * NaN where there is no such figure */
tgs_status tgs_proposal_row(tgs_proposal *p, const char *item, const char *choice, double seconds,
                            double bytes);
/* a figure of the whole, whose name carries its unit: "step_s", "samples_per_s", "missing_bytes".
 * step_s is the planner's own estimate of a step: what is printed beside the simulated one. */
tgs_status tgs_proposal_figure(tgs_proposal *p, const char *name, double value);
/* a sentence for the user */
tgs_status tgs_proposal_note(tgs_proposal *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* of TGS_PLANS_GRAPH: where a task runs */
tgs_status tgs_proposal_place(tgs_proposal *p, int32_t task, int32_t processor);
/* what was proposed so far is read as users do: tgs_proposal_strategy, _value (tgsched/plan.h) */

struct tgs_lp;
typedef struct tgs_planner {
    tgs_plugin base;
    uint32_t needs;      /* tgs_planner_needs */
    const char *systems; /* ids of the published systems it is: "T0 S7"; "" none */
    /* TGS_EINFEASIBLE when nothing fits in memory: the text says how many bytes are missing and the
     * nearest setting that fits */
    tgs_status (*plan)(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err);
    /* NULL, or the linear program (tgsched/lp.h) that it solves, not solved; the caller frees it */
    tgs_status (*program)(const tgs_planner_ctx *c, struct tgs_lp **out, tgs_error *err);
} tgs_planner;

/* runs another planner, by its spec, on the same input */
tgs_status tgs_planner_call(const tgs_planner_ctx *c, const char *spec, tgs_proposal **out,
                            tgs_error *err);
/* several, some at a time where there are threads: out[i] is spec[i]'s proposal, or NULL and why[i]
 * says why; only TGS_ENOMEM is a failure of the whole, and leaves none */
tgs_status tgs_planners_call(const tgs_planner_ctx *c, const char *const *spec, int32_t count,
                             tgs_proposal **out, tgs_error *why, tgs_error *err);
/* an empty one, to try something; free it with tgs_proposal_free */
tgs_status tgs_proposal_open(tgs_proposal **out, const tgs_planner_ctx *c, tgs_error *err);
/* what other has decided becomes part of p: directives, rows, figures, notes, places */
tgs_status tgs_proposal_adopt(tgs_proposal *p, const tgs_proposal *other);

#ifdef __cplusplus
}
#endif
#endif
