/* results.h -- the results of a comparison: a row for each heuristic, instance and seed, in memory
 * and in a CSV file that grows by whole rows, so that a run that was killed can be continued. */
#ifndef TGS_TOOL_RESULTS_H
#define TGS_TOOL_RESULTS_H
#include "common.h"

enum { GANTT_PARTS = 100000 };

typedef struct outcome {
    const char *graph, *platform, *costs, *link, *heuristic; /* as they were named */
    uint64_t seed;
    uint64_t problem; /* fingerprint; 0: there was no problem to be solved */
    double tasks, processors;
    double makespan, bound, proven; /* proven: a bound by the heuristic; NaN: none */
    double bytes, peak, extrapolated, seconds;
    const char *bound_by, *note; /* note: what was proven, or why there is no schedule */
    char *owned;                 /* what texts lie in that nobody else has */
    double *peaks;               /* [memories] bytes; NULL in what was read */
    int32_t *gantt; /* NULL, or processor, start, length of each task, in parts of the makespan */
    bool done, foreign; /* foreign: in the file, but of another experiment */
} outcome;
void outcome_free(outcome *x);
void outcome_blank(outcome *x); /* every figure unknown */
/* by graph, platform, costs, link, heuristic and seed */
int outcome_order(const outcome *a, const outcome *b);

typedef struct outcomes {
    outcome *row;
    int64_t count, room;
} outcomes;
/* NULL when there is no memory */
outcome *outcomes_add(outcomes *x);
void outcomes_free(outcomes *x);

/* adds the rows of a file; a last line that was cut off is passed over, and *whole (may be NULL)
 * gets the size up to it */
int results_read(outcomes *x, const char *path, int64_t *whole);
void results_put_header(FILE *to);
void results_put(FILE *to, const outcome *x);
void results_put_json(FILE *to, const outcome *x); /* {...} */

/* the file of a run: opened, created or continued (what it holds is added to x), and locked */
typedef struct journal {
    int fd; /* -1: none */
    const char *path;
} journal;
int journal_open(journal *j, const char *path, outcomes *x);
/* from any thread that holds the caller's lock; false: errno says why not */
bool journal_add(const journal *j, const outcome *x);
/* the whole file anew, in the order of rows, if code is 0 */
int journal_close(journal *j, const outcomes *x, int code);
#endif
