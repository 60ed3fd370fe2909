/* chain.h -- any graph as a chain: cut tasks, which are comparable with all others, and blocks of
 * inner tasks between them; and one block, seen from the memories of the cuts beside it, as a
 * fork-join in class form.
 *
 * Every task of a block runs after the cut before it and before the cut behind it, so lower bounds
 * of blocks add up.  In the form of a block every inner task is a job of its own: what precedes it
 * there is its head, what follows it is its tail, and other dependencies are dropped.  So what
 * bounds the form bounds the block, and where no edge joins inner tasks the form is the block. */
#ifndef TGS_FJ_CHAIN_H
#define TGS_FJ_CHAIN_H
#include "core.h"
#include "form.h"

/* like[memory]: the first memory that looks like it: exchanging the two is a symmetry of processors
 * and links; -1: no processor there.  Nothing looks like a memory with alone set (NULL: none). */
void tgs_i_fj_looks(const tgs_view *v, const bool *alone, int32_t *like);

typedef struct tgs_i_chain {
    const tgs_view *v;
    int32_t cuts;
    int32_t *cut; /* [cuts] their canonical positions, ascending */
    int32_t
        *block; /* [n] by position: inner tasks of block b lie before cut b; cuts have their own */
    int32_t looks;           /* of memories; 1 when positions are not told apart (coarse) */
    int32_t *look;           /* [memories] which look, -1: no processor there */
    int32_t *first, *second; /* [looks] a memory of the look, and another one (-1: none) */
    int32_t *members;        /* [looks] how many memories */
    bool coarse;             /* too many looks: no communication, every task as fast as it can be */
    double *w;               /* [n * looks] least time there, by task */
} tgs_i_chain;

tgs_status tgs_i_chain_open(tgs_i_chain *c, const tgs_view *v, tgs_error *err);
void tgs_i_chain_close(tgs_i_chain *c);
/* block b in [0, cuts] has the canonical positions [first, last) */
void tgs_i_chain_range(const tgs_i_chain *c, int32_t b, int32_t *first, int32_t *last);
/* no edge joins inner tasks of block b */
bool tgs_i_chain_atomic(const tgs_i_chain *c, int32_t b);
/* when task, alone, can start in a memory: release time and initial data */
double tgs_i_chain_alone(const tgs_view *v, int32_t task, int32_t memory);

/* ---- blockform.c --------------------------------------------------------------------------- */
#define TGS_I_NOWHERE (-1) /* there is no cut on this side of the block */

typedef struct tgs_i_place { /* memories that look alike from both cuts */
    int32_t memory, look, members;
} tgs_i_place;

typedef struct tgs_i_block {
    const tgs_i_chain *c;
    int32_t b, n, first; /* inner tasks are topo[first] .. topo[first + n - 1] */
    int32_t from, to;    /* memories of the cuts, or TGS_I_NOWHERE */
    double since;        /* end of the cut before, or 0 */
    int32_t places;
    tgs_i_place *place;
    double *head, *tail; /* [i * places + place]: earliest start; least time from its end to the
                            start of the cut behind (or to the end of all) */
    double *w;           /* [i * places + place] */
    double through;      /* least start of the cut behind that heads and tails allow */
    tgs_i_fj_form form;  /* r = head - since, q = tail */
    int32_t *at, *proc;  /* of the form: classes, and the processors behind its machines */
    int32_t *place_of;   /* [classes] */
    double *p, *r, *q;
} tgs_i_block;

tgs_status tgs_i_block_open(tgs_i_block *x, const tgs_i_chain *c, int32_t b, int32_t from,
                            int32_t to, double since, tgs_error *err);
void tgs_i_block_close(tgs_i_block *x);

/* ---- positions.c --------------------------------------------------------------------------- */
/* The least length of a chain over the positions of its cuts, by dynamic programming.  value: of
 * one block between positions, the start of the cut behind it (or the end of all). */
typedef tgs_status (*tgs_i_block_value)(void *user, tgs_i_block *x, double *value, tgs_error *err);
/* memory[cuts]: where each cut is in the minimum (NULL: not wanted); least INFINITY: nowhere */
tgs_status tgs_i_chain_positions(const tgs_ctx *c, const tgs_i_chain *x, tgs_i_block_value value,
                                 void *user, int32_t *memory, double *least, tgs_error *err);
/* a tgs_i_block_value, user the bound's effort (int64_t, jobs looked at per block): no schedule
 * without duplication is shorter */
tgs_status tgs_i_block_bound(void *user, tgs_i_block *x, double *value, tgs_error *err);

/* ---- blockplan.c --------------------------------------------------------------------------- */
typedef struct tgs_i_block_planner {
    int64_t work;  /* of the local search of a block */
    int32_t *proc; /* [n] by canonical position: where the tasks of the last block planned went */
    double *key;   /* [n] and when they would start */
} tgs_i_block_planner;
/* A tgs_i_block_value, user a planner: an estimate, since what reaches into the block from further
 * than its cuts is left out.  Not for coarse chains. */
tgs_status tgs_i_block_plan(void *user, tgs_i_block *x, double *value, tgs_error *err);
/* Cuts where the dynamic program puts them, blocks by tgs_i_block_plan: a processor for each task,
 * and when it would start.
 * *possible false: not this way (a coarse chain, or blocks that fit no position). */
tgs_status tgs_i_chain_plan(const tgs_ctx *c, const tgs_i_chain *x, int64_t work, int32_t *proc,
                            double *key, bool *possible, tgs_error *err);
/* ---- due.c --------------------------------------------------------------------------------- */
/* A block that is the whole graph, of independent tasks with release times and deadlines.  *late:
 * every schedule exceeds a deadline by so much at least; *met: all deadlines are met by proc and
 * key (starts), [n] by canonical position. */
tgs_status tgs_i_due(const tgs_i_block *x, int64_t work, int32_t *proc, double *key, bool *met,
                     double *late, tgs_error *err);
#endif
