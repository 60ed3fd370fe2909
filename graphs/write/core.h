/* core.h -- what the graph writers share. */
#ifndef TGS_WRITE_CORE_H
#define TGS_WRITE_CORE_H
#include "tgsched/plugin.h"

/* the shortest decimal that reads back as x; "-" for NaN */
void tgs_i_write_real(FILE *to, double x);
#endif
