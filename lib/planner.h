/* planner.h -- what is known while a planner plans, and what it proposes. */
#ifndef TGS_I_PLANNER_H
#define TGS_I_PLANNER_H
#include <pthread.h>
#include "internal.h"
#include "pool.h"
#include "tgsched/planner.h"

#define TGS_I_SIMULATED 4e6 /* tasks of a step, about, that are simulated at most */

typedef struct tgs_i_layers tgs_i_layers;
struct tgs_i_layers { /* plannerlayers.c: what is behind those that planners read */
    tgs_layers v;
    int32_t model;
    tgs_layer *layer;
    tgs_layer_edge *edge;
    double *forward, *backward, *update;
    tgs_i_pool *names;
    tgs_i_layers *next;
};

/* plannershared.c: what planners on the same input know of each other's work, whoever asks first
 * and in whatever thread.  It is what they would find out by themselves, so that nothing depends on
 * it but the time that they take. */
typedef struct tgs_i_shared {
    pthread_mutex_t lock;
    tgs_i_layers *layers;        /* a list of those that were asked for */
    struct tgs_i_fate *fate;     /* what became of strategies */
    struct tgs_i_answer *answer; /* what planners answered */
} tgs_i_shared;
tgs_status tgs_i_shared_new(tgs_i_shared **out, tgs_error *err);
void tgs_i_shared_free(tgs_i_shared *s);

typedef struct tgs_planning {
    const tgs_plan_input *in;
    const char *training;
    tgs_platform roomy;     /* the platform, its memories without a limit; borrows all but those */
    tgs_platform *measured; /* owned: the platform with measured links, NULL */
    tgs_memory *memory;     /* of roomy */
    const tgs_platform_view *p; /* with its limits, and with measured links */
    tgs_i_shared *shared;       /* owned unless it has joined */
    bool joined;
    double *peak;              /* [memories] of the last evaluation */
    int32_t depth;             /* planners that have called each other */
    bool whole;                /* replicas that are alike are simulated, too: for tests */
    struct tgs_lp **program;   /* what is asked for instead of a plan; NULL: a plan is */
    struct tgs_i_guard *guard; /* of whoever watches; NULL: nobody can */
} tgs_planning;
tgs_status tgs_i_planning_open(tgs_planning *pl, const tgs_plan_input *in, tgs_error *err);
/* the same, of what others on the same input share */
tgs_status tgs_i_planning_join(tgs_planning *pl, const tgs_plan_input *in, tgs_i_shared *shared,
                               tgs_error *err);
void tgs_i_planning_close(tgs_planning *pl);
/* what came of a strategy before, with its peaks in pl->peak; false: nobody asked */
bool tgs_i_fate_known(tgs_planning *pl, const char *strategy, tgs_evaluation *out,
                      tgs_status *status, tgs_error *err);
/* keeps what came of it, or why nothing did */
tgs_status tgs_i_fate_keep(tgs_planning *pl, const char *strategy, const tgs_evaluation *e,
                           tgs_status status, tgs_error *err);
/* what a planner, by its spec, answered before; *out is the caller's; false: nobody asked */
bool tgs_i_answer_known(tgs_planning *pl, const char *spec, tgs_proposal **out, tgs_status *status,
                        tgs_error *err);
tgs_status tgs_i_answer_keep(tgs_planning *pl, const char *spec, const tgs_proposal *p,
                             tgs_status status, tgs_error *err);
/* planning.c: a planner's answer to a user, evaluated; the context of begin */
struct tgs_i_guard;
tgs_status tgs_i_planning_begin(tgs_planner_ctx *c, tgs_planning *pl, struct tgs_i_guard *guard,
                                const tgs_plan_input *in, tgs_error *err);
void tgs_i_planning_end(tgs_planning *pl, struct tgs_i_guard *guard);
tgs_status tgs_i_planner_suits(const tgs_plan_input *in, const tgs_planner *p, tgs_error *err);
/* asked twice, a planner answers once */
tgs_status tgs_i_planner_run(const tgs_planner_ctx *c, const char *spec, tgs_proposal **out,
                             tgs_error *err);
tgs_status tgs_i_planning_answer(const tgs_planner_ctx *c, const char *planner, tgs_proposal **out,
                                 tgs_error *err);
/* in the order they run; *out NULL: the forward pass alone */
tgs_status tgs_i_planning_strategy(tgs_strategy **out, const tgs_planning *pl, const char *more,
                                   tgs_error *err);
void tgs_i_layers_free(tgs_i_layers *l); /* and those behind it */
/* plannershared.c: those that are known, NULL none; with made, it becomes known, or is freed when
 * another thread was first */
const tgs_layers *tgs_i_layers_known(tgs_i_shared *s, int32_t model, int64_t batch,
                                     tgs_i_layers *made);
/* samples that a model is bound to; 1 when its first input has no such dimension */
int64_t tgs_i_planning_bound(const tgs_model *m);

/* nearest.c: TGS_EINFEASIBLE for a strategy that was evaluated and does not fit; the text says how
 * many bytes are missing in which memory, and with which change of the strategy it would fit */
tgs_status tgs_i_planning_refuse(const tgs_planner_ctx *c, const char *who, const char *strategy,
                                 const tgs_evaluation *e, tgs_error *err);

/* plannerfold.c: which replicas are simulated for which */
typedef struct tgs_i_fold {
    int32_t replicas, places; /* places of a replica: stages and shards */
    int32_t *memory;          /* [replicas * places]; NULL: the strategy does not say */
    int32_t *like;            /* [replicas] the one that is simulated for it */
    int32_t *stands;          /* [replicas] for how many it is simulated, 0: it is not */
    int32_t kept;             /* replicas that are simulated */
    bool modelled;            /* sums of gradients take alpha + beta * bytes */
} tgs_i_fold;
/* s becomes the strategy of the replicas that are kept; whole: all of them */
tgs_status tgs_i_fold_open(tgs_i_fold *f, const tgs_platform_view *p, tgs_strategy *s, bool whole,
                           tgs_error *err);
void tgs_i_fold_close(tgs_i_fold *f);
/* plannerislands.c: like, stands and kept; share: [replicas], NULL: all have as many */
tgs_status tgs_i_fold_islands(tgs_i_fold *f, const tgs_platform_view *p, const int64_t *share);
/* where a memory's samples come from: the first memory of its node */
int32_t tgs_i_planning_home(const tgs_platform_view *p, int32_t memory);

/* plannermachine.c: what a strategy is simulated on: the processors of the memories that it names,
 * and where sums are modelled, one beside them in each that carries those out and nothing else */
typedef struct tgs_i_machine {
    tgs_platform p; /* borrows all but the two */
    tgs_kind *kind;
    tgs_proc *proc;
    int32_t carrier; /* the kind of those, -1 none */
} tgs_i_machine;
tgs_status tgs_i_machine_open(tgs_i_machine *m, const tgs_platform *p, const tgs_i_fold *f,
                              tgs_error *err);
/* times and means as they are there */
void tgs_i_machine_price(const tgs_i_machine *m, const tgs_i_fold *f, tgs_problem *pb);
void tgs_i_machine_close(tgs_i_machine *m);
/* a trace of it as that of the whole p: tasks, bytes, joules, and peaks [memories] */
tgs_status tgs_i_machine_sum(const tgs_i_fold *f, const tgs_platform_view *p, const tgs_problem *pb,
                             const tgs_trace *t, double *peak, tgs_evaluation *out, tgs_error *err);

struct tgs_proposal {
    tgs_i_pool *pool;                       /* texts */
    const char *planner, *training, *model; /* model: its name, for people */
    char *strategy;                         /* directives, a line each */
    int64_t used, strategy_room;
    tgs_proposal_line *row;
    const char **figure_name, **note;
    double *figure;
    int32_t *place; /* [tasks] or NULL */
    int64_t rows, row_room, figures, figure_name_room, figure_room, notes, note_room;
    int32_t tasks; /* of the graph, 0 none */
    bool evaluated;
    tgs_evaluation evaluation; /* its peaks are owned */
};
tgs_status tgs_i_proposal_new(tgs_proposal **out, const char *planner, const char *training,
                              const char *model, int32_t tasks, tgs_error *err);
#endif
