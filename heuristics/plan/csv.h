/* csv.h -- tables of others as planners read them: a line of column names, then rows; commas, no
 * quotes. */
#ifndef TGS_PLAN_CSV_H
#define TGS_PLAN_CSV_H
#include "tgsched/plugin.h"

typedef struct tgs_i_csv {
    const char *path;
    int32_t columns, rows; /* columns: those that were asked for */
    char *text;            /* every field, each with a NUL behind it */
    int64_t *at;           /* [row * columns + column] offset into text */
    int64_t *line;         /* [row] */
    int64_t text_size, text_room, at_room, line_room;
} tgs_i_csv;

/* names: those of the columns that are needed, with commas; others may stand among them.  What is
 * missing, or a row that has more or fewer fields than the first line, is TGS_EPARSE. */
tgs_status tgs_i_csv_read(tgs_i_csv *x, tgs_source *s, const char *names, tgs_error *err);
void tgs_i_csv_close(tgs_i_csv *x);
static inline const char *tgs_i_csv_text(const tgs_i_csv *x, int32_t row, int32_t column)
{
    return x->text + x->at[(int64_t)row * x->columns + column];
}
/* a finite number >= least; a whole one in [0, most] */
tgs_status tgs_i_csv_real(const tgs_i_csv *x, int32_t row, int32_t column, double least,
                          double *out, tgs_error *err);
tgs_status tgs_i_csv_count(const tgs_i_csv *x, int32_t row, int32_t column, int64_t most,
                           int64_t *out, tgs_error *err);
tgs_status tgs_i_csv_fail(const tgs_i_csv *x, int32_t row, tgs_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#endif
