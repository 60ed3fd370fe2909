/* puzzle.h -- several networks at once on unlike processors: cuts, places and priorities.
 *
 *   processor NAME
 *   network NAME [period=SECONDS]
 *   layer NAME network=NETWORK times=t,t,... [handover=SECONDS]
 *   unit NAME first=LAYER last=LAYER times=t,t,...
 *
 * Networks are chains of layers, in the order of the file.  times: seconds on each processor, '-'
 * where it cannot run.  A unit is a run of layers that was timed as a whole; what was not is the
 * sum of its layers, times `fusion` when there are several.  handover: the delay of a layer's
 * output to another processor. */
#ifndef TGS_PLAN_PUZZLE_H
#define TGS_PLAN_PUZZLE_H
#include "tgsched/planner.h"
#include "../instance.h"

typedef struct tgs_i_net {
    int32_t layers, gene; /* gene: of its first layer among all layers */
    double period;        /* 0: not given */
    double *time;         /* [(first * layers + last) * processors + processor] */
    double *handover;     /* [layers] */
} tgs_i_net;

typedef struct tgs_i_piece { /* a subgraph of a plan */
    int32_t net, first, last, processor;
    int32_t priority; /* the smaller goes first */
    double time;
} tgs_i_piece;

typedef struct tgs_i_request { /* of a network, while the plan is played */
    double ready, due;
    int32_t net, next; /* next: piece; -1: it has ended */
} tgs_i_request;

typedef struct tgs_i_puzzle {
    tgs_i_instance *file;
    int32_t processors, nets, layers; /* layers: of all networks */
    tgs_i_net *net;
    int32_t *layer_row;     /* [layers] of the file, by gene */
    tgs_i_piece *piece;     /* [layers] of the plan that is looked at */
    int32_t *piece_at;      /* [nets + 1] */
    double *free;           /* [processors] */
    tgs_i_request *request; /* [nets * requests] */
    int32_t *rank;          /* [layers] of a gene in an order */
    int32_t requests;       /* per network, when they are periodic */
} tgs_i_puzzle;
tgs_status tgs_i_puzzle_open(tgs_i_puzzle *x, const tgs_planner_ctx *c, tgs_error *err);
void tgs_i_puzzle_close(tgs_i_puzzle *x);

/* A genome: cut bits (bit i: the layer ends a piece; the last of a network always does), processors
 * of the layers, and a permutation: priorities.  All are by gene.  A piece goes where most of its
 * layers say, ties to the first, of the processors that can run it; false: there is none. */
bool tgs_i_puzzle_cut(tgs_i_puzzle *x, const int32_t *cut, const int32_t *processor,
                      const int32_t *order);
/* of the pieces: when every network has run once, all having begun at once */
double tgs_i_puzzle_makespan(tgs_i_puzzle *x);
/* the load of the most loaded processor: requests that come so far apart can be sustained */
double tgs_i_puzzle_period(const tgs_i_puzzle *x);
/* the smallest multiple of the networks' periods in which every one of x->requests requests ends
 * before the next of its network; to 1 part in 10^6 */
double tgs_i_puzzle_multiplier(tgs_i_puzzle *x);
#endif
