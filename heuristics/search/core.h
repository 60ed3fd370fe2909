/* core.h -- schedules as (order, processor of each task), for searches: decoding, and moves.
 *
 * The order keeps the dependencies.  It is decoded by appending each task to its processor, which
 * reaches every semi-active schedule, so also an optimal one. */
#ifndef TGS_SEARCH_CORE_H
#define TGS_SEARCH_CORE_H
#include "tgsched/plugin.h"

typedef struct tgs_i_solution {
    int32_t *order, *place; /* of tasks; place is the inverse of order */
    int32_t *proc;
    double *start, *end;
    double makespan, spread; /* spread: sum of the squares of the processors' last ends */
} tgs_i_solution;

typedef struct tgs_i_rank { /* of a task in order of time */
    double start;
    int32_t positive, position;
} tgs_i_rank;

typedef struct tgs_i_decoder {
    const tgs_view *v;
    double *arrive;   /* [task * memories + memory] release and initial data */
    double *free;     /* [m] */
    int32_t *leader;  /* [n] the first task of its group, or -1 */
    int32_t *next;    /* [m] for marking */
    bool *critical;   /* [n] */
    tgs_i_rank *rank; /* [n] */
} tgs_i_decoder;

tgs_status tgs_i_decoder_open(tgs_i_decoder *x, const tgs_view *v, tgs_error *err);
void tgs_i_decoder_close(tgs_i_decoder *x);
tgs_status tgs_i_solution_open(tgs_i_solution *s, int32_t n, tgs_error *err);
void tgs_i_solution_close(tgs_i_solution *s);
/* times: starts and ends too; without, for a copy that is about to be changed and decoded */
void tgs_i_solution_copy(tgs_i_solution *to, const tgs_i_solution *from, int32_t n, bool times);

/* start, end, makespan, spread from order and proc: O(n + e).  The makespan is INFINITY where data
 * cannot go. */
void tgs_i_decode(tgs_i_decoder *x, tgs_i_solution *s);
/* The same schedule with its tasks in the order of their starts, those without length first: moves
 * then see what is possible in time, not what the order happens to be. */
void tgs_i_arrange(tgs_i_decoder *x, tgs_i_solution *s);
/* shorter, or as short with the work spread more evenly */
bool tgs_i_better(const tgs_i_solution *a, const tgs_i_solution *b);

/* the places that task may take in the order without it: first <= place <= last */
void tgs_i_range(const tgs_i_decoder *x, const tgs_i_solution *s, int32_t task, int32_t *first,
                 int32_t *last);
void tgs_i_put(tgs_i_solution *s, int32_t task, int32_t place);
/* When a task of a group leaves its memory, the others follow, each to its fastest processor there.
 * false: one of them cannot, or the task may not run on proc; nothing has changed. */
bool tgs_i_assign(const tgs_i_decoder *x, tgs_i_solution *s, int32_t task, int32_t proc);
/* list[n]: the tasks of all chains that leave no time between their parts and end with the
 * schedule; returns how many, at least one */
int32_t tgs_i_critical(tgs_i_decoder *x, const tgs_i_solution *s, int32_t *list);
#endif
