/* words.h -- lines and words of the native files that the core reads: .tgp, .tgc, .tgs and .tgt. */
#ifndef TGS_WORDS_H
#define TGS_WORDS_H
#include "hash.h"
#include "internal.h"

/* the next line that holds more than a comment, its first word, and what follows it; 1, 0 at the
 * end, or a status */
int tgs_i_record_next(tgs_source *s, char **word, char **rest, tgs_error *err);
/* the first line is `tgsched.KIND/1` */
tgs_status tgs_i_record_format(tgs_source *s, const char *format, tgs_error *err);
/* the record `end` has been read (ended), or not; nothing more may follow */
tgs_status tgs_i_record_last(tgs_source *s, bool ended, tgs_error *err);
/* the next word is a finite number */
tgs_status tgs_i_word_real(const tgs_source *s, char **rest, const char *what, double *out,
                           tgs_error *err);
/* nothing follows */
tgs_status tgs_i_record_end(const tgs_source *s, char *rest, tgs_error *err);

typedef struct tgs_i_index { /* names of one kind of thing */
    const char *what;        /* "task" */
    const tgs_i_arena *arena;
    tgs_i_names names;
    int32_t count; /* @0 .. @(count - 1) are theirs too */
} tgs_i_index;
/* the next word is a name (decoded in place) or @INDEX of what there is */
tgs_status tgs_i_word_name(const tgs_source *s, char **rest, const tgs_i_index *x, int32_t *out,
                           tgs_error *err);
/* the same for a text that is there already, as in key=NAME */
tgs_status tgs_i_text_name(const tgs_source *s, char *text, const tgs_i_index *x, int32_t *out,
                           tgs_error *err);

typedef struct tgs_i_plan_names { /* of what a plan speaks about */
    tgs_i_arena tasks, procs;
    tgs_i_index task, proc;
} tgs_i_plan_names;
/* x is to be freed, whatever this returns */
tgs_status tgs_i_plan_names_of(tgs_i_plan_names *x, const tgs_view *v, tgs_error *err);
void tgs_i_plan_names_free(tgs_i_plan_names *x);
#endif
