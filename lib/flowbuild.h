/* flowbuild.h -- a flow being derived; shared by flow.c, flowmove.c and flowqueue.c. */
#ifndef TGS_FLOWBUILD_H
#define TGS_FLOWBUILD_H
#include "flow.h"

typedef struct tgs_i_delivery { /* the readers of a version in one memory */
    double arrival;             /* planned */
    int32_t memory, source;     /* the execution it comes from; -1 home */
    int32_t reader, readers;
} tgs_i_delivery;

typedef struct tgs_i_flow_build {
    tgs_i_flow *f;
    const tgs_problem *pb;
    tgs_error *err;
    int32_t *read_at, *read;  /* CSR by version: the places that read it */
    int32_t *move_at, *move;  /* CSR by version: its explicit moves, in order */
    int32_t *drop_at, *drop;  /* CSR by version: the orders to drop it, by time */
    int32_t *slot;            /* [memories] arrival of the current version there; valid when */
    int32_t *stamp;           /* stamp == version */
    tgs_i_delivery *delivery; /* [memories] of the current version */
    int32_t *delivery_of;     /* [memories] */
    int32_t last_made;        /* arrival found last by made() */
} tgs_i_flow_build;

/* flow.c */
tgs_status tgs_i_flow_no_memory(tgs_i_flow_build *b);
tgs_status tgs_i_flow_no_home(tgs_i_flow_build *b, int32_t version);
/* the name of the datum of a version, or "@INDEX" in room */
const char *tgs_i_flow_label(const tgs_i_flow_build *b, int32_t version, char room[TGS_NAME_ROOM]);
/* group the readers of a version by memory into b->delivery; how many memories there are */
int32_t tgs_i_flow_group(tgs_i_flow_build *b, int32_t version);
/* the new arrival's index, or a status */
int32_t tgs_i_flow_add(tgs_i_flow_build *b, int32_t version, int32_t memory, int32_t hop,
                       int32_t place);
/* the arrival "made here by place" (-1: at home here) of a version, or a status */
int32_t tgs_i_flow_made(tgs_i_flow_build *b, int32_t version, int32_t place);
/* every execution that makes a version has an arrival, read or not: it occupies memory */
tgs_status tgs_i_flow_makers(tgs_i_flow_build *b, int32_t version);
/* the arrival that readers of the current version in a memory use, -1 none yet */
static inline int32_t tgs_i_flow_at(const tgs_i_flow_build *b, int32_t version, int32_t memory)
{
    return b->stamp[memory] == version ? b->slot[memory] : -1;
}
static inline void tgs_i_flow_put(tgs_i_flow_build *b, int32_t version, int32_t memory,
                                  int32_t arrival)
{
    b->stamp[memory] = version;
    b->slot[memory] = arrival;
}
void tgs_i_flow_attach(tgs_i_flow_build *b, int32_t arrival, const tgs_i_delivery *d);

/* flowmove.c: the explicit moves of a schedule, and the readers they serve */
tgs_status tgs_i_flow_moves(tgs_i_flow_build *b);
tgs_status tgs_i_flow_follow(tgs_i_flow_build *b, int32_t version);

/* flowqueue.c: the order in which hops are queued */
tgs_status tgs_i_flow_order(tgs_i_flow_build *b);
#endif
