/* check.h -- one call of the checker; for the check*.c only. */
#ifndef TGS_CHECK_H
#define TGS_CHECK_H
#include "internal.h"

typedef struct tgs_i_check_call {
    const tgs_view *v;
    const tgs_schedule_view *s;
    tgs_error *err;
    bool zero;       /* communication costs nothing */
    int32_t *writer; /* [accesses] the task of each access */
    int32_t *move;   /* moves by (datum, version, to, index); NULL without moves */
    int32_t *drop;   /* drops by (datum, version, index); NULL without drops */
} tgs_i_check_call;

/* check.c */
double tgs_i_check_slack(double time);
const char *tgs_i_check_task(const tgs_i_check_call *c, int32_t task, char room[TGS_NAME_ROOM]);
const char *tgs_i_check_datum(const tgs_i_check_call *c, int32_t datum, char room[TGS_NAME_ROOM]);
int32_t tgs_i_check_place(const tgs_i_check_call *c, int32_t task, int32_t k); /* -1: no more */
double tgs_i_check_arrival(const tgs_i_check_call *c, int32_t datum, int32_t version,
                           int32_t memory, int32_t *from);

const tgs_constraint *tgs_i_check_constraint(const tgs_i_check_call *c, int32_t task); /* or NULL */

/* checkgroup.c */
tgs_status tgs_i_check_groups(const tgs_i_check_call *c);

/* checkmove.c: the explicit transfers keep the rules; afterwards c->move is there */
tgs_status tgs_i_check_moves(tgs_i_check_call *c);
/* when a version is in a memory: made there, at home, or brought by one of the first `moves` moves
 */
double tgs_i_check_moved(const tgs_i_check_call *c, int32_t datum, int32_t version, int32_t memory,
                         int32_t moves);

/* the latest time until `before` from which a version is in a memory; -INFINITY: it has not come */
double tgs_i_check_latest(const tgs_i_check_call *c, int32_t datum, int32_t version, int32_t memory,
                          double before);

/* checkdrop.c: the orders to drop data keep the rules */
tgs_status tgs_i_check_sort_drops(tgs_i_check_call *c); /* before any of what follows */
tgs_status tgs_i_check_drops(const tgs_i_check_call *c);
/* whether a version that is in a memory at `from` has left it before `until`; *when: since then */
bool tgs_i_check_left(const tgs_i_check_call *c, int32_t datum, int32_t version, int32_t memory,
                      double from, double until, double *when);
/* how many orders to drop a version from a memory come before a time */
int32_t tgs_i_check_dropped(const tgs_i_check_call *c, int32_t datum, int32_t version,
                            int32_t memory, double before);

/* checkmem.c: [data] the last version of each persistent datum, -1 of others; NULL: no memory */
int32_t *tgs_i_check_last(const tgs_i_check_call *c);
/* no memory is fuller than it is large */
tgs_status tgs_i_check_capacity(const tgs_i_check_call *c);
#endif
