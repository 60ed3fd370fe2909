/* timesort.h -- order by time in linear time. */
#ifndef TGS_TIMESORT_H
#define TGS_TIMESORT_H
#include "tgsched/plugin.h"

/* order[] becomes the indices 0 .. n - 1 by ascending time, ties by index; no time is NaN */
tgs_status tgs_i_time_order(const double *time, int32_t n, int32_t *order);
#endif
