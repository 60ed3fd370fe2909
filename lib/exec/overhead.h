/* overhead.h -- between run.c and overhead.c. */
#ifndef TGS_EXEC_OVERHEAD_H
#define TGS_EXEC_OVERHEAD_H
#include "internal.h"

/* adds the overhead of each kind of p's processors under a backend (a spec), measured repeat times
 */
tgs_status tgs_i_overhead_measure(tgs_costs *into, const tgs_platform *p, const char *backend,
                                  int32_t repeat, tgs_error *err);
#endif
