/* sums.h -- tables of what a graph adds up to. */
#ifndef TGS_TOOL_SUMS_H
#define TGS_TOOL_SUMS_H
#include "common.h"
#include "table.h"

/* a row for each phase, codelet, layer or class; the largest first unless it is by layer or phase.
 * Returns an exit code; the table is to be freed whatever it is. */
int sum_table(table *t, const tgs_graph *g, tgs_sum_by by);
/* a record, then tables: people, JSON ("tgsched.NAME/1"), CSV (the record alone) */
int print_sums(const table *record, const table *t, int tables, const char *name, const options *o,
               FILE *to);
#endif
