/* instance.h -- the small files of planners whose input is not a model: tables of named rows.
 *
 *   tgsched.instance/1
 *   RECORD NAME key=value key=v1,v2,v3 ...        # comment
 *
 * A planner says which records it has, and of each which keys; the reader checks everything else
 * with `file:line:`.  A value is a number, a list of numbers, or the name of rows that stand
 * before; '-' is infinity where that is allowed: what cannot be done. */
#ifndef TGS_PLAN_INSTANCE_H
#define TGS_PLAN_INSTANCE_H
#include "tgsched/plugin.h"

typedef enum tgs_i_cells { TGS_I_REAL, TGS_I_WHOLE, TGS_I_ROW } tgs_i_cells;

typedef struct tgs_i_column {
    const char *key;
    tgs_i_cells type;
    bool list;       /* one value or more, else exactly one */
    double min, max; /* of numbers, inclusive; max INFINITY: '-' is allowed */
    double absent;   /* what absence means (of a list: no values); NAN: it must be given */
    int32_t table;   /* of TGS_I_ROW: whose rows it names */
} tgs_i_column;

typedef struct tgs_i_table {
    const char *record;
    int32_t least, most;        /* rows */
    const tgs_i_column *column; /* ends with a NULL key */
} tgs_i_table;

typedef struct tgs_i_instance tgs_i_instance;
/* table ends with a NULL record.  O(bytes). */
tgs_status tgs_i_instance_read(tgs_i_instance **out, tgs_source *s, const tgs_i_table *table,
                               tgs_error *err);
void tgs_i_instance_free(tgs_i_instance *x); /* NULL is fine */

int32_t tgs_i_rows(const tgs_i_instance *x, int32_t table);
const char *tgs_i_row_name(const tgs_i_instance *x, int32_t table, int32_t row);
bool tgs_i_given(const tgs_i_instance *x, int32_t table, int32_t row, int32_t column);
/* a number, or the index of the row that is named */
double tgs_i_real(const tgs_i_instance *x, int32_t table, int32_t row, int32_t column);
int32_t tgs_i_index(const tgs_i_instance *x, int32_t table, int32_t row, int32_t column);
/* values of a list; returns how many */
int32_t tgs_i_list(const tgs_i_instance *x, int32_t table, int32_t row, int32_t column,
                   const double **values);
/* TGS_EPARSE, "path:line: ..." of the row: what the planner finds wrong with it */
tgs_status tgs_i_row_fail(const tgs_i_instance *x, int32_t table, int32_t row, tgs_error *err,
                          const char *format, ...) __attribute__((format(printf, 5, 6)));
#endif
