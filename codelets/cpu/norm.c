/* norm.c -- the statistics of a row that is normalised. */
#ifdef real
void FN(tgs_i_statistics)(const real *x, int64_t size, bool centred, real epsilon, real *mean,
                          real *inverse)
{
    real sum = 0, squares = 0;

    for (int64_t i = 0; i < size && centred; i++)
        sum += x[i];
    *mean = size ? sum / (real)size : 0;
    for (int64_t i = 0; i < size; i++)
        squares += (x[i] - *mean) * (x[i] - *mean);
    *inverse = 1 / LIBM(sqrt)((size ? squares / (real)size : 0) + epsilon);
}
#else
#define BODY "norm.c"
#include "core.h"
#endif
