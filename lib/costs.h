/* costs.h -- the parts of measured costs; between costs.c and costs_file.c. */
#ifndef TGS_COSTS_H
#define TGS_COSTS_H
#include "internal.h"

/* what is wrong with a sample, in words, or NULL */
const char *tgs_i_sample_fault(const tgs_sample *s);
const char *tgs_i_link_sample_fault(const tgs_link_sample *s);
const char *tgs_i_overhead_fault(const tgs_overhead *o);
bool tgs_i_costs_empty(const tgs_costs *c); /* no measurement of anything */
tgs_status tgs_i_costs_load(tgs_costs **out, tgs_source *s, tgs_error *err);
#endif
