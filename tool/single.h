/* single.h -- a comparison on one problem: its table has the peak of every memory. */
#ifndef TGS_TOOL_SINGLE_H
#define TGS_TOOL_SINGLE_H
#include "study.h"

/* sort: the column whose values order the rows */
int single_print(const study *s, const char *sort, const options *o, FILE *to);
#endif
