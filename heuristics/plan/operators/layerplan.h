/* layerplan.h -- what the planners of implementations per layer have in common. */
#ifndef TGS_PLAN_LAYERPLAN_H
#define TGS_PLAN_LAYERPLAN_H
#include "layers.h"
#include "tgsched/planner.h"

/* an implementation for each layer, and what the layers take then, changes of the side included */
typedef tgs_status tgs_i_layer_rule(const tgs_i_layer_times *x, double change, int32_t *choice,
                                    double *cost);
/* A planner's whole work: the table of c's file, for each batch the rule, and the batch that takes
 * least; by the parameters network, host, mixed, batch and change. */
tgs_status tgs_i_layer_plan(const tgs_planner_ctx *c, tgs_i_layer_rule *rule, tgs_proposal *out,
                            tgs_error *err);

#define TGS_I_LAYER_PARAMS                                                                        \
    {"network", "", TGS_PARAM_TEXT, 0, 0, "rows of this one; empty: the only one there is"},      \
        {"batch", "0", TGS_PARAM_INT, 0, INT32_MAX, "of this batch; 0: of the best one"},         \
        {"change",                                                                                \
         "0",                                                                                     \
         TGS_PARAM_REAL,                                                                          \
         0,                                                                                       \
         1e300,                                                                                   \
         "seconds of every change between the host and the rest; before and after all layers it " \
         "is the host's turn"},                                                                   \
        {"host", "cpu", TGS_PARAM_TEXT, 0, 0, "the implementation on the host"},                  \
        {"mixed", "automatic", TGS_PARAM_TEXT, 0, 0, "rows of mixed runs: no choice, but told"},  \
        {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
#endif
