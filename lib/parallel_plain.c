/* parallel_plain.c -- independent work one after the other, where there is no OpenMP. */
#include "internal.h"

void tgs_parallel(int32_t count, void (*work)(void *user, int32_t i), void *user)
{
    for (int32_t i = 0; i < count; i++)
        work(user, i);
}
