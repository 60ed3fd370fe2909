/* measured.h -- the tables of `tgsched run`: predicted beside measured, of the last step. */
#ifndef TGS_TOOL_MEASURED_H
#define TGS_TOOL_MEASURED_H
#include "records.h"

typedef struct traces {
    const tgs_trace *plan;        /* simulated with the predicted times */
    const tgs_trace *resimulated; /* the same placement with the measured times */
    const tgs_trace *measured;
    const tgs_trace *policy; /* the same graph left to a policy; NULL */
    const char *backend, *policy_name;
    double bound; /* NaN none */
} traces;

void makespan_table(table *t, const traces *x);
int worker_table(table *t, const traces *x);
int link_table(table *t, const traces *x);
int datum_table(table *t, const traces *x, int32_t most); /* the largest, by bytes measured */
int synthetic_table(table *t, const traces *x, const tgs_graph *g); /* a row a codelet */
#endif
