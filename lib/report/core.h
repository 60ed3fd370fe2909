/* core.h -- what the reports share: one step of a trace, its sums, its critical chain, axes. */
#ifndef TGS_REPORT_CORE_H
#define TGS_REPORT_CORE_H
#include "tgsched/plugin.h"

/* One step of a trace: ranges of its arrays.  Times in the arrays count from the first step; those
 * of the step from start. */
typedef struct tgs_i_step {
    const tgs_trace_view *t;
    int32_t index;
    double start, end;
    int32_t ran_at, ran_end, moved_at, moved_end, used_at, used_end;
} tgs_i_step;
void tgs_i_step_of(tgs_i_step *out, const tgs_trace_view *t, int32_t index);
void tgs_i_step_last(tgs_i_step *out, const tgs_trace_view *t);

/* sums over a step */
typedef struct tgs_i_sums {
    double *busy;       /* [procs] seconds */
    int32_t *tasks;     /* [procs] */
    double *link_bytes; /* [memories * memories] from, to */
    double *link_time;  /* [memories * memories] seconds that transfers took, added up */
    int32_t *link_count;
    double *datum_bytes; /* [data] */
    double *peak;        /* [memories] bytes */
    double bytes;        /* moved */
    int32_t synthetic;   /* tasks */
} tgs_i_sums;
tgs_status tgs_i_sums_of(tgs_i_sums *out, const tgs_i_step *s, tgs_error *err);
void tgs_i_sums_free(tgs_i_sums *s);
/* the at most n data that moved most, largest first; returns how many */
int32_t tgs_i_largest(const double *bytes, int32_t count, int32_t *out, int32_t n);

/* The critical chain: from the task that ended last back to one that waited for nothing.  A task
 * was held up by the task before it on its processor when it started right after that one; else by
 * the predecessor in the graph whose data was there last, or by the processor if that ended later
 * still.  out: indices into t->ran, in time order; free it with tgs_mem_free. */
tgs_status tgs_i_chain_of(int32_t **out, int32_t *count, const tgs_i_step *s, tgs_error *err);

/* Axis marks: a step of 1, 2 or 5 times a power of ten so that at most n fit in length. */
double tgs_i_axis_step(double length, int32_t n);
const char *tgs_i_axis_unit(double length, double *per_second); /* "ms" and 1000 */
/* "1.25 ms", "3.1 MiB"; text has room for 32 */
const char *tgs_i_seconds(char *text, double seconds);
const char *tgs_i_bytes(char *text, double bytes);

const char *tgs_i_why(int32_t why);     /* "demand", ... */
const char *tgs_i_phase(int32_t phase); /* "forward", ... */
const char *tgs_i_report_task(const tgs_trace_view *t, int32_t task, char *room);   /* or "@5" */
const char *tgs_i_report_datum(const tgs_trace_view *t, int32_t datum, char *room); /* 16 bytes */

/* bytes of the well-formed UTF-8 character at s, or 0 (lib/json.c) */
int tgs_i_character(const unsigned char *s);
/* Text that comes from files, at most so many characters of it, without quotes around; what is no
 * UTF-8, or what a terminal would act on, is '?'.  Returns how many were written. */
typedef enum tgs_i_escape {
    TGS_I_PLAIN,
    TGS_I_XML,
    TGS_I_DOT, /* between double quotes */
    TGS_I_PAJE /* the same; the format has no way to write a double quote */
} tgs_i_escape;
int tgs_i_put_text(FILE *to, const char *text, int most, tgs_i_escape escape);
/* TGS_EINVAL when other (NULL: none) is not of the same graph and platform */
tgs_status tgs_i_comparable(const tgs_trace_view *t, const tgs_trace_view *other, tgs_error *err);

/* Colours: of the phase when there are tasks of more than one, else of the codelet. */
typedef struct tgs_i_palette {
    bool by_phase;
    int32_t *codelet;  /* [tasks] index into name */
    const char **name; /* the distinct codelets in order of appearance */
    int32_t names;
} tgs_i_palette;
tgs_status tgs_i_palette_of(tgs_i_palette *out, const tgs_trace_view *t, tgs_error *err);
void tgs_i_palette_free(tgs_i_palette *p);
const char *tgs_i_fill(const tgs_i_palette *p, const tgs_trace_view *t,
                       int32_t task); /* "#rrggbb" */

/* the page of html.c, line by line, made from page.html and its scripts; ends with NULL */
extern const char *const tgs_i_report_page[];
#endif
