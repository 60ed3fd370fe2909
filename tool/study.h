/* study.h -- an experiment: every heuristic on every instance with every seed, on all cores.
 *
 * A group is a graph on a platform under a link model: one problem.  A generated graph is another
 * one for each seed; for a graph from a file the seeds only go to the heuristics. */
#ifndef TGS_TOOL_STUDY_H
#define TGS_TOOL_STUDY_H
#include "results.h"

typedef struct group {
    const char *graph, *platform, *link;
    int32_t machine; /* index into study.machine */
    uint64_t seed;   /* the first */
    int32_t seeds;   /* how many of them are cells of this group */
    int64_t cell;    /* the first; seeds * heuristics of them, seeds of a heuristic together */
    char *names;     /* of tasks and processors, as JSON, for the page; NULL */
} group;

typedef struct study {
    const command *self;
    const options *o;
    char *text; /* what the lists below lie in */
    const char **link, **heuristic;
    int32_t links, heuristics;
    tgs_platform **machine;
    int32_t machines;
    tgs_costs *costs;
    group *group;
    int32_t groups;
    outcomes cells;   /* of the groups in order; then what else the file holds */
    int64_t count;    /* of the groups */
    int32_t memories; /* of the largest machine */
    journal journal;
    bool drawn; /* keep for each cell what its Gantt chart needs */
} study;

/* the file of results: an --output that ends in .csv; NULL: there is none */
const char *results_file(const options *o);
/* what the options ask for, checked as far as can be without reading a graph */
int study_open(study *s, const command *self, const options *o);
/* run what is not done yet; every cell of this shard is done then */
int study_run(study *s);
int study_close(study *s, int code); /* writes the file of results when code is 0 */

/* study_known.c.  mine[cell]: it is of the shard that the options name */
int study_shard(const study *s, bool *mine);
/* opens the file of results; before[cell]: the row of old with the names of a cell that is mine, or
 * -1; the others of old become foreign */
int study_resume(study *s, outcomes *old, const bool *mine, int64_t *before);
/* the foreign rows of old go behind the cells */
int study_keep(study *s, outcomes *old);

/* what outcome.gantt holds; NULL: no memory */
int32_t *gantt_of(const tgs_schedule *s, int32_t tasks);
#endif
