/* parallel_omp.c -- independent work in the threads of OpenMP; the only file that knows them. */
#include <omp.h>
#include "internal.h"

void tgs_parallel(int32_t count, void (*work)(void *user, int32_t i), void *user)
{
    /* a loop within a loop, or with one thread, needs none of what OpenMP allocates (and ends the
     * process when it cannot) */
    if (count < 2 || omp_get_max_threads() < 2 || omp_in_parallel()) {
        for (int32_t i = 0; i < count; i++)
            work(user, i);
        return;
    }
#pragma omp parallel for schedule(dynamic, 1)
    for (int32_t i = 0; i < count; i++)
        work(user, i);
}
