/* placeip.h -- device placement as an integer program. */
#ifndef TGS_PLAN_PLACEIP_H
#define TGS_PLAN_PLACEIP_H
#include "place.h"
#include "tgsched/lp.h"

typedef struct tgs_i_place_ip {
    tgs_lp *lp;
    double unit;            /* seconds */
    int32_t t, x, moves, z; /* first columns: T, x[v,d], in and out [i,d], z[v,d] */
} tgs_i_place_ip;
/* low: no placement has a smaller largest load; unit: one has no larger one */
tgs_status tgs_i_place_ip_open(tgs_i_place_ip *ip, const tgs_i_place_graph *g,
                               const tgs_i_place_devices *d, bool contiguous, double low,
                               double unit, tgs_error *err);
void tgs_i_place_ip_close(tgs_i_place_ip *ip);
/* a placement as values of the columns, and back */
tgs_status tgs_i_place_ip_put(const tgs_i_place_ip *ip, const tgs_i_place_graph *g,
                              const tgs_i_place_devices *d, const int32_t *device, double largest,
                              double *value);
void tgs_i_place_ip_take(const tgs_i_place_ip *ip, const tgs_i_place_graph *g,
                         const tgs_i_place_devices *d, int32_t *device);
#endif
