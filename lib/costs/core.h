/* core.h -- what the cost models share. */
#ifndef TGS_COSTS_CORE_H
#define TGS_COSTS_CORE_H
#include "tgsched/plugin.h"

/* max(flops / peak, bytes / bandwidth, least) + overhead, seconds on a processor of speed 1.  NaN
 * when the work is unknown altogether, or is known and the kind's rate for it is not; a quantity
 * that is unknown on its own leaves the other to decide. */
static inline double tgs_costs_roofline(const tgs_kind *k, double flops, double bytes)
{
    const double compute = flops > 0 ? flops / k->flops : 0;
    const double traffic = bytes > 0 ? bytes / k->bandwidth : 0;

    if ((isnan(flops) && isnan(bytes)) || isnan(compute) || isnan(traffic))
        return NAN;
    return fmax(compute > traffic ? compute : traffic, k->least) + k->overhead;
}
#endif
