/* shares.h -- measured times of operators, shared out among the tasks that they became. */
#ifndef TGS_SHARES_H
#define TGS_SHARES_H
#include "tgsched/model.h"

typedef struct tgs_i_shares tgs_i_shares;
/* the times of the model, then those of a file (more, for the same operator and kind they count);
 * *out stays NULL when there are none */
tgs_status tgs_i_shares_new(tgs_i_shares **out, const tgs_lowering *l, const tgs_op_time *more,
                            int32_t count);
void tgs_i_shares_free(tgs_i_shares *s);
/* seconds of a task where its kind has none, NaN unknown; s may be NULL */
double tgs_i_shares_work(const tgs_i_shares *s, const tgs_low_task *t);
/* the bytes that it touches, def when they were not measured */
double tgs_i_shares_bytes(const tgs_i_shares *s, const tgs_low_task *t, double def);
/* its times by kind, into task of b */
tgs_status tgs_i_shares_set(const tgs_i_shares *s, const tgs_low_task *t, tgs_builder *b,
                            int32_t task);
#endif
