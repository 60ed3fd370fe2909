/* digest.h -- what many results say together: instances by heuristics, and their standings. */
#ifndef TGS_TOOL_DIGEST_H
#define TGS_TOOL_DIGEST_H
#include "results.h"

typedef struct instance { /* one problem */
    const outcome *first; /* its names are here */
    double bound;         /* the largest known that holds for all its rows; NaN */
    const char *bound_by;
    bool copies; /* some row runs tasks more than once */
    double best; /* the least mean makespan; NaN */
} instance;

typedef struct digest {
    outcomes *rows;
    instance *instance;
    const char **method; /* heuristics, in the order in which they came */
    int64_t *place;      /* [rows] instance * methods + method, -1 foreign */
    int32_t instances, methods;
    /* [instance * methods + method], over the seeds: mean makespan (NaN when a seed has none), its
     * standard deviation, how many there are, the first row (-1 none), seconds in all */
    double *value, *noise, *seconds;
    int32_t *seeds;
    int64_t *row;
    tgs_standing *standing;                /* [methods] */
    bool platforms, links, costs, several; /* differ among the instances; several: seeds do */
} digest;

/* rows of an instance stand together */
int digest_open(digest *d, outcomes *rows);
void digest_close(digest *d);
/* graph, and its seed when there are several of one name; free it */
char *digest_label(const digest *d, int32_t instance);

/* tables for people; the same as JSON members "instances", "summary", "profile" */
int digest_people(const digest *d, FILE *to);
int digest_json(const digest *d, FILE *to);
/* the page: names of tasks by instance may be NULL */
int digest_html(const digest *d, const char *title, const char *const *names, FILE *to);
#endif
