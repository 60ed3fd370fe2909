/* fleet.h -- a platform as places for replicas of a training step, with curves of time and memory.
 *
 * A place is a memory with its fastest processor.  Curves are measured (priced) at sizes of the
 * batch that double, and linear in between. */
#ifndef TGS_PLAN_FLEET_H
#define TGS_PLAN_FLEET_H
#include "tgsched/planner.h"
#include "../core.h"
#include "../step.h"

typedef struct tgs_i_fleet {
    int32_t places;
    const int32_t *memory;    /* [places] of the platform */
    double *time;             /* [place * (batch + 1) + b] seconds of both passes over b samples */
    double *saved;            /* [batch + 1] bytes that the forward pass of b samples keeps */
    double parameters, state; /* bytes of the model, and of the optimizer beside them */
    double largest;           /* bytes of the parameters of one layer */
    double update;            /* seconds of all updates, on the slowest place */
    int32_t layers;           /* that have parameters */
    int64_t batch;            /* of a step: the longest curve */
    double latency,
        inverse;    /* seconds, and seconds per byte, of the slowest route between places */
    double reserve; /* bytes of every place that are set aside */
    int32_t *owned; /* memory */
    const tgs_layers *first; /* of the smallest batch */
} tgs_i_fleet;
tgs_status tgs_i_fleet_open(tgs_i_fleet *f, const tgs_planner_ctx *c, tgs_error *err);
void tgs_i_fleet_close(tgs_i_fleet *f);
double tgs_i_fleet_capacity(const tgs_i_fleet *f, const tgs_planner_ctx *c, int32_t place);
/* the most samples whose activations fit in so many bytes */
int64_t tgs_i_fleet_samples(const tgs_i_fleet *f, double bytes);
/* seconds of volume collectives that each pass the parameters round a ring of n places: 2 for an
 * all-reduce, 3 for the two gathers and the scatter of sharded parameters */
double tgs_i_fleet_ring(const tgs_i_fleet *f, int32_t n, double volume);

/* The directives of replicas with these shares, each in so many micro-batches, in these places;
 * places without a share are left out.  more: a directive before `place`, "" none.  The caller
 * frees the text; NULL: out of memory. */
char *tgs_i_fleet_strategy(const tgs_i_fleet *f, const tgs_planner_ctx *c, const int64_t *share,
                           int64_t micro, const char *more);
/* Proposes what needs least where nothing is known to fit: equal shares of the places that can
 * compute, in as many micro-batches as are simulated to need least, sharded as ZeRO's stage says.
 * The library tells what is missing, and which setting near it fits. */
tgs_status tgs_i_fleet_least(const tgs_i_fleet *f, const tgs_planner_ctx *c, int32_t stage,
                             tgs_proposal *out, tgs_error *err);
#endif
