/* pieces.c -- how many samples fit beside what stays in a memory (Piao et al., 2021). */
#include "step.h"

int64_t tgs_i_piece(double memory, double stays, double item)
{
    const double room = memory - stays;

    if (room < 0)
        return 0;
    return item > 0 && room / item < 0x1p62 ? (int64_t)(room / item) : INT64_MAX;
}

double tgs_i_axonn_bytes(double parameters, double bucket)
{
    const double weights = 2, gradients = 2, optimizer = 16; /* of half and single precision */

    if (!(bucket > 0) || bucket >= parameters)
        return parameters * (weights + gradients + optimizer);
    return parameters * (weights + gradients) + bucket * optimizer;
}
