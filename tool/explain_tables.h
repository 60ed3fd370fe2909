/* explain_tables.h -- an explanation as tables: the critical chain, what a task waited for, and how
 * it would have been elsewhere.  Each is to be freed, whatever is returned: an exit code. */
#ifndef TGS_TOOL_EXPLAIN_TABLES_H
#define TGS_TOOL_EXPLAIN_TABLES_H
#include "common.h"
#include "table.h"

/* where the makespan went, as a record */
int sums_record(table *t, const input *in, const tgs_schedule *s, const tgs_explain *x,
                const char *path);
int chain_table(table *t, const input *in, const tgs_explain *x);
/* why a task is where and when it is, as a record */
int task_record(table *t, const input *in, const tgs_explain *x, int32_t task);
int needs_table(table *t, const input *in, const tgs_explain *x, int32_t task);
int options_table(table *t, const input *in, const tgs_schedule *s, const tgs_explain *x,
                  int32_t task);
#endif
