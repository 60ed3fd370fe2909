/* planned.h -- what a planner proposes, printed. */
#ifndef TGS_TOOL_PLANNED_H
#define TGS_TOOL_PLANNED_H
#include "common.h"
#include "table.h"

/* what is planned: a view of the operands and options, for tgs_planner_make */
typedef struct planned {
    tgs_plan_input in;
    tgs_model *model[MAX_MANY];
    tgs_graph *graph;
    tgs_platform *platform;
    tgs_costs *costs;
    char *training;
    const char *title, *machine;
} planned;
int planned_open(planned *x, const command *c, const options *o);
void planned_close(planned *x);

/* the figures, decisions, memories and notes of a proposal */
int planned_print(const planned *x, const tgs_proposal *p, const options *o, FILE *to);
/* the directives of a proposal in one line; free it */
char *planned_strategy(const tgs_proposal *p);
#endif
