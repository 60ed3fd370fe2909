/* core.h -- what the graph readers share: limits, whole-file input, where an error is. */
#ifndef TGS_READ_CORE_H
#define TGS_READ_CORE_H
#include "tgsched/plugin.h"

#define TGS_I_READ_MOST 100000000 /* tasks, or data, of one file; a larger claim is refused */

/* The rest of the file as one text with a NUL behind it, which the caller frees.  A NUL byte in the
 * file, or more than 1 GiB, is refused. */
tgs_status tgs_i_read_all(char **text, size_t *size, tgs_source *s, tgs_error *err);
/* the line of text, counted from 1, on which the position `at` lies */
int64_t tgs_i_read_line(const char *text, const char *at);
/* "path: out of memory" */
tgs_status tgs_i_read_no_memory(const tgs_source *s, tgs_error *err);
/* text after blanks and comments (from # to the end of the line; c_style: C's too), within size */
const char *tgs_i_read_skip(const char *text, size_t size, bool c_style);
/* a value "-" is NaN, else a finite number that is not negative */
bool tgs_i_read_amount(const char *text, double *out);

/* ---- words of line-oriented formats */
/* the next word of a record, or NULL at its end (or at a comment) */
char *tgs_i_read_word(char **cursor);
/* refuses what is left of a record */
tgs_status tgs_i_read_end(const tgs_source *s, char **cursor, tgs_error *err);
/* the rest of a record as key=value fields: value[i], NULL on entry, is that of key[i], a list that
 * ends with NULL; unknown and repeated keys are refused */
tgs_status tgs_i_read_fields(const tgs_source *s, char **cursor, const char *const *key,
                             char **value, tgs_error *err);
/* the value of a field as tgs_i_read_amount takes it; text NULL leaves *out */
tgs_status tgs_i_read_field(const tgs_source *s, const char *key, const char *text, double *out,
                            tgs_error *err);
#endif
