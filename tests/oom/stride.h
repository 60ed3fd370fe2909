/* stride.h -- which allocations of a call fail, one at a time. */
#ifndef TESTS_OOM_STRIDE_H
#define TESTS_OOM_STRIDE_H
#include <stdint.h>
#include <stdlib.h>

/* All of them; with TGS_OOM_STRIDE=N in the environment, of those after the first hundred every
 * Nth: for builds that repeat what another has gone through. */
static inline int64_t oom_next(int64_t n)
{
    const char *stride = getenv("TGS_OOM_STRIDE");

    return n + (stride && n >= 100 && atoi(stride) > 1 ? atoi(stride) : 1);
}
#endif
