/* records.h -- the figures of each kind of file, one record each; they return an exit code, and
 * the record is to be freed whatever they return. */
#ifndef TGS_TOOL_RECORDS_H
#define TGS_TOOL_RECORDS_H
#include "common.h"
#include "table.h"

/* pb may be NULL: then the graph is taken alone */
int graph_record(table *t, const char *path, const char *format, const tgs_graph *g,
                 const tgs_problem *pb);
int model_record(table *t, const char *path, const tgs_model *m);
int platform_record(table *t, const char *path, const tgs_platform *p);
/* its processors, memories and links; tables are to be freed */
enum { PLATFORM_PROCESSORS, PLATFORM_MEMORIES, PLATFORM_LINKS, PLATFORM_TABLES };
void platform_tables(table t[PLATFORM_TABLES], const tgs_platform *p);
int costs_record(table *t, const char *path, const tgs_costs *c);
int trace_record(table *t, const char *path, const tgs_trace *trace);
int schedule_record(table *t, const char *path, const input *in, const tgs_schedule *s);
int file_record(table *t, const char *path, const char *format, const char *yields);

/* the record as --json, --csv or lines; name makes the format "tgsched.NAME/1" */
int record_print(const table *t, const char *name, const options *o, FILE *to);
/* the same of all rows of one table */
int table_print(const table *t, const char *name, const options *o, FILE *to);
#endif
