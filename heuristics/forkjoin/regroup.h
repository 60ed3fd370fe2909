/* regroup.h -- local search over the assignment of tasks, by the tasks that are critical. */
#ifndef TGS_FJ_REGROUP_H
#define TGS_FJ_REGROUP_H
#include "play.h"

/* Improves best, which must be a played layout or better; places about `work` tasks.
 * lower: nothing can be shorter. */
tgs_status tgs_i_regroup(const tgs_ctx *c, tgs_i_player *x, int64_t work, double lower,
                         tgs_i_layout *best, tgs_error *err);
#endif
