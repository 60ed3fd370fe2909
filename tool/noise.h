/* noise.h -- compare --noise: which heuristic is best, as long as the costs are only known within
 * their error. */
#ifndef TGS_TOOL_NOISE_H
#define TGS_TOOL_NOISE_H
#include "common.h"

int noise_run(const command *self, const options *o);
#endif
