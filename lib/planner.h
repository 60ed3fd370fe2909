/* planner.h -- what is known while a planner plans, and what it proposes. */
#ifndef TGS_I_PLANNER_H
#define TGS_I_PLANNER_H
#include "internal.h"
#include "pool.h"
#include "tgsched/planner.h"

typedef struct tgs_i_layers tgs_i_layers; /* plannerlayers.c */

typedef struct tgs_planning {
    const tgs_plan_input *in;
    const char *training;
    tgs_platform roomy;     /* the platform, its memories without a limit; borrows all but those */
    tgs_platform *measured; /* owned: the platform with measured links, NULL */
    tgs_memory *memory;     /* of roomy */
    const tgs_platform_view *p; /* with its limits, and with measured links */
    tgs_i_layers *layers;       /* a list of those that were asked for */
    double *peak;               /* [memories] of the last evaluation */
    int32_t depth;              /* planners that have called each other */
    struct tgs_lp **program;    /* what is asked for instead of a plan; NULL: a plan is */
} tgs_planning;
tgs_status tgs_i_planning_open(tgs_planning *pl, const tgs_plan_input *in, tgs_error *err);
void tgs_i_planning_close(tgs_planning *pl);
/* in the order they run; *out NULL: the forward pass alone */
tgs_status tgs_i_planning_strategy(tgs_strategy **out, const tgs_planning *pl, const char *more,
                                   tgs_error *err);
void tgs_i_layers_free(tgs_i_layers *l); /* and those behind it */
/* samples that a model is bound to; 1 when its first input has no such dimension */
int64_t tgs_i_planning_bound(const tgs_model *m);

/* nearest.c: TGS_EINFEASIBLE for a strategy that was evaluated and does not fit; the text says how
 * many bytes are missing in which memory, and with which change of the strategy it would fit */
tgs_status tgs_i_planning_refuse(const tgs_planner_ctx *c, const char *who, const char *strategy,
                                 const tgs_evaluation *e, tgs_error *err);

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
