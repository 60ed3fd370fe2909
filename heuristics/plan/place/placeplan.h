/* placeplan.h -- what the planners of device placement have in common. */
#ifndef TGS_PLAN_PLACEPLAN_H
#define TGS_PLAN_PLACEPLAN_H
#include "place.h"
#include "tgsched/planner.h"

typedef struct tgs_i_placing {
    tgs_i_place x;
    tgs_i_place_answer a; /* of the classes */
    double bound;         /* no placement has a smaller largest load; NAN: not looked for */
} tgs_i_placing;

/* the instance of c's graph, with the parameter `host` */
tgs_status tgs_i_placing_open(tgs_i_placing *p, const tgs_planner_ctx *c, tgs_i_place_what what,
                              tgs_error *err);
void tgs_i_placing_close(tgs_i_placing *p);
/* DPL, by the parameter `orders`.  TGS_EINFEASIBLE, with what is missing, when nothing fits. */
tgs_status tgs_i_placing_dpl(tgs_i_placing *p, const tgs_planner_ctx *c, tgs_error *err);
/* TGS_EINFEASIBLE: nothing fits.  Told is what is missing, and the nearest memories that suffice:
 * fits says of devices whether a placement is found on them. */
typedef tgs_status tgs_i_placing_fits(void *user, const tgs_i_place_devices *d, bool *good);
tgs_status tgs_i_placing_refuse(const tgs_i_placing *p, tgs_i_placing_fits *fits, void *user,
                                tgs_error *err);
/* the bound */
tgs_status tgs_i_placing_bound(tgs_i_placing *p, tgs_error *err);
/* places, rows, figures (load_s, load_bound_s, load_gap, samples_per_s, latency_s,
 * makespan_s); node: the
 * devices of the nodes, NULL those of the answer */
tgs_status tgs_i_placing_tell(tgs_i_placing *p, const tgs_planner_ctx *c, const int32_t *node,
                              tgs_proposal *out, tgs_error *err);

#define TGS_I_PLACING_HOST                                                                     \
    {                                                                                          \
        "host", "cpu", TGS_PARAM_TEXT, 0, 0,                                                   \
            "the kind whose processors compute in the host's memory: what they read costs no " \
            "transfer"                                                                         \
    }
#define TGS_I_PLACING_ORDERS(n)                                                              \
    {                                                                                        \
        "orders", n, TGS_PARAM_INT, 1, 1000, "depth-first topological orders that are tried" \
    }
#endif
