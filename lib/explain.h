/* explain.h -- what explain.c and explainwhy.c share: a schedule with its flow and planned times.
 */
#ifndef TGS_EXPLAIN_H
#define TGS_EXPLAIN_H
#include "flow.h"

struct tgs_explain {
    const tgs_problem *pb;
    const tgs_schedule_view *s;
    tgs_i_flow *flow;
    tgs_i_times t;
    tgs_used *used; /* planned occupancy, by time */
    int64_t useds;
    int32_t *need_at, *need; /* CSR by task: an access that reads, or -1 - the edge it follows */
    int32_t *before;         /* [places] the one before it on its processor, -1 none */
    int32_t *chain;          /* places, in order of time */
    int32_t chain_count;
};

/* One thing a place waits for: arrival >= 0, or the end of `place`. */
typedef struct tgs_i_need {
    int32_t version; /* -1: only order */
    int32_t arrival; /* index into flow.arrival of what is read; -1: only order */
    int32_t place;   /* the execution it comes from; -1: an initial value */
    double ready, there;
} tgs_i_need;
/* the latest of them, the first in order of equals; false: it needs nothing */
bool tgs_i_explain_last(const tgs_explain *x, int32_t task, int32_t memory, tgs_i_need *out);
double tgs_i_explain_release(const tgs_explain *x, int32_t task);
/* of an execution; *by gets the one that held it up, -1 none */
void tgs_i_explain_why(const tgs_explain *x, int32_t place, tgs_reason *out, int32_t *by);
static inline double tgs_i_explain_slack(double time)
{
    return 1e-9 * fabs(time);
}
#endif
