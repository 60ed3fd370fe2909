/* rounds.h -- run --policy LIST: one graph under several policies, by turns. */
#ifndef TGS_TOOL_ROUNDS_H
#define TGS_TOOL_ROUNDS_H
#include "common.h"

/* does --policy name more than a StarPU policy to put beside a run? */
bool rounds_wanted(const options *o);
int rounds_run(const command *self, const options *o);
#endif
