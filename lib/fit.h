/* fit.h -- a schedule made to fit the memories: which copies of data are where, what is free from
 * when, and what leaves.  For fit.c and fitroom.c. */
#ifndef TGS_FIT_H
#define TGS_FIT_H
#include "internal.h"

typedef struct tgs_i_spot { /* a version in a memory, as far as the tasks so far are concerned */
    int32_t version, memory;
    int32_t next;        /* of the version, -1 none */
    int32_t use;         /* position of its next reader in this memory, INT32_MAX none */
    int32_t slot;        /* in the memory's list; -1: takes nothing there, or has left */
    int32_t pinned;      /* 1 + the position of the task that needs it now */
    double there, until; /* until: the end of its last use so far */
    bool left;
} tgs_i_spot;

typedef struct tgs_i_free { /* bytes that are free from a time on */
    double time, bytes;
} tgs_i_free;

typedef struct tgs_i_room { /* a memory */
    bool limited;
    double total;     /* bytes that are free at some time */
    tgs_i_free *heap; /* by time */
    int64_t frees, free_room;
    int32_t *spot; /* what is there, in no order */
    int64_t spots, spot_room;
} tgs_i_room;

typedef struct tgs_i_fitting {
    const tgs_view *v;
    const tgs_schedule_view *s;
    tgs_plan *plan;
    tgs_error *err;
    tgs_i_room *room; /* [memories] */
    tgs_i_spot *spot;
    int64_t spots, spot_room;
    int32_t *head;              /* [versions] first spot, -1 none */
    int32_t *read_at, *read;    /* CSR by version: positions of its readers, ascending */
    int32_t *done;              /* [versions] readers that are placed */
    bool *stays;                /* [versions] the last one of a persistent datum */
    bool *lasts;                /* [versions] nothing overwrites it */
    int32_t *sequence;          /* [n] */
    double *end;                /* [n] */
    double *idle;               /* [procs] from when */
    int32_t versions, position; /* of the task that is being placed */
    int32_t task;
} tgs_i_fitting;

static inline int32_t tgs_i_fit_datum(const tgs_i_fitting *f, int32_t version)
{
    return version < f->v->g->accesses ? (int32_t)f->v->g->access[version].datum
                                       : version - f->v->g->accesses;
}

/* ---- fitroom.c ------------------------------------------------------------------------------ */
/* what a version takes in a memory: nothing at home, where its place is kept */
double tgs_i_fit_bytes(const tgs_i_fitting *f, int32_t version, int32_t memory);
tgs_status tgs_i_fit_give(tgs_i_fitting *f, int32_t memory, double time, double bytes);
/* bytes of a memory; *time: from when they are free.  Others leave when it has not enough: clean:
 * only what is elsewhere, too.  TGS_EINFEASIBLE: it has not, whoever leaves. */
tgs_status tgs_i_fit_take(tgs_i_fitting *f, int32_t memory, double bytes, bool clean, double *time);
/* the copy of a version in a memory, -1 none */
int32_t tgs_i_fit_find(const tgs_i_fitting *f, int32_t version, int32_t memory);
/* a new one, whose bytes are taken already; its index, or a status */
int32_t tgs_i_fit_add(tgs_i_fitting *f, int32_t version, int32_t memory, double there);
/* its last use has been: it takes nothing from then on */
tgs_status tgs_i_fit_leave(tgs_i_fitting *f, int32_t spot);
/* the same, but its bytes are not given back: something else has them */
void tgs_i_fit_forget(tgs_i_fitting *f, int32_t spot);
/* the next reader in its memory */
void tgs_i_fit_look(tgs_i_fitting *f, int32_t spot);
/* copies a version to a memory, along the route from a copy; the new copy, or a status */
int32_t tgs_i_fit_send(tgs_i_fitting *f, int32_t from, int32_t memory, bool clean);
tgs_status tgs_i_fit_drop(tgs_i_fitting *f, int32_t version, int32_t memory, double time);
#endif
