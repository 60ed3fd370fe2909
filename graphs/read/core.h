/* core.h -- what the graph readers share: limits, whole-file input, where an error is. */
#ifndef TGS_READ_CORE_H
#define TGS_READ_CORE_H
#include "tgsched/plugin.h"

#define TGS_I_READ_MOST 100000000 /* tasks, or data, of one file; a larger claim is refused */

/* the line of text, counted from 1, on which the position `at` lies */
int64_t tgs_i_read_line(const char *text, const char *at);
/* "path: out of memory" */
tgs_status tgs_i_read_no_memory(const tgs_source *s, tgs_error *err);
/* text after blanks and comments (from # to the end of the line; c_style: C's too), within size */
const char *tgs_i_read_skip(const char *text, size_t size, bool c_style);
/* a value "-" is NaN, else a finite number that is not negative */
bool tgs_i_read_amount(const char *text, double *out);

/* ---- JSON (json.c; only where jansson is) */
struct json_t;
/* the whole file; *root is the caller's (json_decref), and so is *text */
tgs_status tgs_i_read_json(struct json_t **root, char **text, tgs_source *s, tgs_error *err);
/* jansson keeps no positions.  The line on which the value at a path such as "nodes[3].parents[0]"
 * begins, or what is there of the path; text is well-formed. */
int64_t tgs_i_json_line(const char *text, const char *path);
/* the elements of an array one after the other: next gives the line of each, in linear time */
typedef struct tgs_i_json_walk {
    const char *at;
    int64_t line;
} tgs_i_json_walk;
void tgs_i_json_walk_open(tgs_i_json_walk *w, const char *text, const char *path);
int64_t tgs_i_json_walk_next(tgs_i_json_walk *w);

/* ---- workflows: jobs that read and write files (workflow.c)
 * A job depends on those that it is declared to come after.  A file is one datum; it goes from the
 * job that writes it to all that read it, or from where inputs are.  When several jobs write it,
 * each makes a version of its own, and a reader gets those of the jobs it depends on, else the
 * first. */
typedef struct tgs_i_workflow tgs_i_workflow;
tgs_status tgs_i_workflow_new(tgs_i_workflow **f, tgs_source *s, tgs_builder *b, tgs_error *err);
/* the job's size of the file counts when it writes it, or when nobody does; NaN: it says nothing */
tgs_status tgs_i_workflow_use(tgs_i_workflow *f, int32_t job, const char *file, tgs_mode mode,
                              double bytes);
/* a file that is there from the start, whether anybody reads it or not */
tgs_status tgs_i_workflow_source(tgs_i_workflow *f, const char *file, double bytes);
tgs_status tgs_i_workflow_after(tgs_i_workflow *f, int32_t before, int32_t after);
/* all is known: adds accesses and dependencies */
typedef enum tgs_i_workflow_files {
    TGS_I_FILES_ALL,      /* a file that nobody declared is a dependency all the same; told */
    TGS_I_FILES_DECLARED, /* it is none, and does not travel; told */
    TGS_I_FILES_ONLY      /* files are what says who comes after whom */
} tgs_i_workflow_files;
tgs_status tgs_i_workflow_finish(tgs_i_workflow *f, tgs_i_workflow_files files);
void tgs_i_workflow_free(tgs_i_workflow *f);
/* rows of a parameter table */
/* clang-format off */
#define TGS_I_WORKFLOW_PARAMS                                                                      \
    {"files", "all", TGS_PARAM_TEXT, 0, 0,                                                         \
     "all: whoever reads a file waits for the job that writes it; declared: only when it is "      \
     "declared to come after that"}
/* clang-format on */
tgs_status tgs_i_workflow_mode(const tgs_args *a, tgs_i_workflow_files *files, tgs_error *err);

/* ---- words of line-oriented formats */
/* the next word of a record, or NULL at its end (or at a comment) */
char *tgs_i_read_word(char **cursor);
/* refuses what is left of a record */
tgs_status tgs_i_read_end(const tgs_source *s, char **cursor, tgs_error *err);
/* the next cell of a line of comma-separated values, without blanks around it and without its
 * quotes; cut in place; NULL at the end of the line */
char *tgs_i_read_cell(char **cursor);
/* the rest of a record as key=value fields: value[i], NULL on entry, is that of key[i], a list that
 * ends with NULL; unknown and repeated keys are refused */
tgs_status tgs_i_read_fields(const tgs_source *s, char **cursor, const char *const *key,
                             char **value, tgs_error *err);
/* the value of a field as tgs_i_read_amount takes it; text NULL leaves *out */
tgs_status tgs_i_read_field(const tgs_source *s, const char *key, const char *text, double *out,
                            tgs_error *err);
#endif
