/* core.h -- search on the disjunctive graph: what a task waits for are its predecessors, with the
 * time that data take, and the task before it on its processor.
 *
 * head(j)  the earliest start of j: the longest path to it
 * tail(j)  the longest path from the end of j on
 *
 * The makespan is the largest head + time + tail; the tasks that attain it are critical.  A
 * datum costs what the view says between the memories of its producer and its reader, so a path
 * depends on the memories of its tasks alone, and a datum that several tasks read, several data
 * between two tasks and initial data are all covered.
 *
 * Delta evaluation.  When j is taken out (tgs_i_lift: one pass over the graph, half of it on
 * average), the longest path through j, put back anywhere, is known in constant time:
 *
 *     max(arrival of its data, end of the task before) + w(j, p) + max(tails behind it)
 *
 * and no other path is longer than without j, so that the estimate is the makespan itself.
 * [M. Mastrolilli, L. M. Gambardella, "Effective neighbourhood functions for the flexible job shop
 * problem", Journal of Scheduling 3, 2000, without communication]  Evaluations are counted: every
 * pass over the graph that makes a schedule or takes a task out is a decoding, every position
 * looked at an estimate.
 *
 * Where messages wait for each other on links (fifo, share) a schedule is worth what it takes when
 * it is played (played.c): heads are the times at which it is, and
 *
 * wait(j)  how much later j starts than its data and its processor would allow if messages did not
 *          wait
 *
 * is taken for part of the time of j, so that paths are still as long as the makespan.  Estimates
 * leave the waits as they are and are no longer exact: what a move is worth is known when the
 * schedule has been played. */
#ifndef TGS_SEARCH_CORE_H
#define TGS_SEARCH_CORE_H
#include <stdatomic.h>
#include "tgsched/plugin.h"

typedef struct tgs_i_solution {
    int32_t *proc, *before, *after; /* [n] where, and its neighbours there, or -1 */
    int32_t *first;                 /* [m] of each processor, or -1 */
    int32_t *order, *place;         /* [n] an order that keeps both kinds of arcs; its inverse */
    double *time;                   /* [n] on proc */
    double *head, *tail;            /* [n] */
    double *wait, *plan;            /* [n] where links contend, else NULL; plan: starts that give
                                       head when they are played */
    bool tails;                     /* they are known */
    double makespan;                /* INFINITY: data cannot go where they should */
} tgs_i_solution;

typedef struct tgs_i_search tgs_i_search; /* what chains share */
typedef struct tgs_i_chain tgs_i_chain;

typedef struct tgs_i_rank { /* of a task in order of time */
    double start;
    int32_t positive, position;
} tgs_i_rank;

typedef struct tgs_i_move { /* a task to a processor, behind another task there (-1: first) */
    int32_t task, proc, behind;
    double through;  /* the longest path through the task */
    double makespan; /* INFINITY: no move */
} tgs_i_move;

struct tgs_i_chain { /* one independent search */
    const tgs_i_search *search;
    const tgs_view *v;
    tgs_rng rng;
    int32_t index;
    int64_t decodes, estimates, limit;
    int64_t told;      /* evaluations that progress knows of */
    bool spent;        /* the budget is used up, the caller says stop, or nothing can be better */
    tgs_status status; /* not 0: playing a schedule has failed, and the chain is spent */
    tgs_error err;
    tgs_plan *plan;                  /* scratch, to be played; NULL where links do not contend */
    tgs_i_solution now, best, spare; /* spare: now before a group moved */
    /* now without the task that was lifted */
    int32_t lifted;
    double *rest_head, *rest_tail; /* [n] */
    double rest_makespan;
    double *in, *out; /* [memories] when its data arrive, what follows its end; NaN not asked */
    double last_in;   /* latest start of a predecessor, earliest end of a successor, in now */
    double first_out;
    int8_t *mark;           /* [n] 1 predecessor, 2 successor of the lifted task */
    int32_t *list;          /* [n] the critical tasks */
    bool *critical;         /* [n] */
    int32_t *waits, *queue; /* [n] scratch */
    int32_t *last;          /* [m] scratch */
    tgs_i_rank *rank;       /* [n] scratch */
};

struct tgs_i_search {
    const tgs_ctx *c;
    const tgs_view *v;
    int32_t *late;   /* [n] row of arrive, -1: it waits for neither release nor initial data */
    double *arrive;  /* [row * memories + memory] when these are there */
    int32_t *leader; /* [n] the first task of its group, or -1 */
    int32_t *links;  /* [n] predecessors, once per datum */
    double bound;    /* no makespan is less */
    bool contends;   /* messages wait for each other */
    tgs_i_solution *seed;
    int32_t seeds;
    int64_t limit;
    _Atomic int64_t *spent; /* by all chains, for progress */
};

static inline double tgs_i_arrival(const tgs_i_search *x, int32_t task, int32_t memory)
{
    const int32_t row = x->late[task];

    return row < 0 ? 0 : x->arrive[(int64_t)row * x->v->memories + memory];
}

/* what follows the start of a task at least, for what comes before it */
static inline double tgs_i_rest(const tgs_i_solution *s, int32_t task, double tail)
{
    return s->time[task] + tail + (s->wait ? s->wait[task] : 0);
}

/* ---- solution.c: one schedule. O(n + e) unless it says otherwise -------------------------------
 */
tgs_status tgs_i_solution_open(tgs_i_solution *s, const tgs_i_search *x, tgs_error *err);
void tgs_i_solution_close(tgs_i_solution *s);
void tgs_i_solution_copy(tgs_i_solution *to, const tgs_i_solution *from, const tgs_view *v);
/* everything else from proc and order, tasks appended to their processors in that order */
void tgs_i_decode(tgs_i_chain *x, tgs_i_solution *s);
/* heads and makespan, of order and the lists of the processors; counts one decoding */
void tgs_i_times(tgs_i_chain *x, tgs_i_solution *s);
void tgs_i_tails(const tgs_view *v, tgs_i_solution *s); /* unless they are known */
/* order: by start, those without length first; the schedule is the same.  O(n log n) */
void tgs_i_arrange(tgs_i_chain *x, tgs_i_solution *s);
/* list: the tasks on paths that are as long as the makespan; returns how many */
int32_t tgs_i_critical(tgs_i_chain *x, tgs_i_solution *s);
/* the places that task may take in the order without it: first <= place <= last */
void tgs_i_range(const tgs_view *v, const tgs_i_solution *s, int32_t task, int32_t *first,
                 int32_t *last);
/* task to a place of the order; to be decoded */
void tgs_i_put(tgs_i_solution *s, int32_t task, int32_t place);
/* task to proc; when a task of a group leaves its memory the others follow, each to its fastest
 * processor there; to be decoded.  false: one of them cannot, nothing has changed */
bool tgs_i_assign(const tgs_i_chain *x, tgs_i_solution *s, int32_t task, int32_t proc);

/* ---- played.c: schedules where links contend.  O((n + e + messages) log)
 * -------------------------
 */
/* heads, waits and makespan of a schedule whose heads are those without waiting */
void tgs_i_play_solution(tgs_i_chain *x, tgs_i_solution *s);
/* the same from starts [n] that a heuristic planned, if that is not longer */
void tgs_i_play_plan(tgs_i_chain *x, tgs_i_solution *s, const double *start);
/* plays what was played until the times that are planned are those that are played, while that is
 * not longer */
void tgs_i_settle(tgs_i_chain *x, tgs_i_solution *s);

/* ---- moves.c: moves of chain.now ---------------------------------------------------------------
 */
/* takes task out; what is lifted is put back by tgs_i_apply or forgotten by the next lift */
void tgs_i_lift(tgs_i_chain *x, int32_t task);
/* may the lifted task go to proc alone? (not out of the memory of its group) */
bool tgs_i_may(const tgs_i_chain *x, int32_t proc);
/* the best position on proc: what is left out is dominated.  Estimates only. */
tgs_i_move tgs_i_best_move(tgs_i_chain *x, int32_t proc);
/* any position on proc, each as probable as the others.  One estimate. */
tgs_i_move tgs_i_any_move(tgs_i_chain *x, int32_t proc);
/* does the move of the lifted task; false, and nothing has changed, when the arcs would make a
 * cycle, which takes tasks without length.  Where links contend spare is what now was. */
bool tgs_i_apply(tgs_i_chain *x, const tgs_i_move *move);
bool tgs_i_better(const tgs_i_move *a, const tgs_i_move *b);       /* makespan, then through */
bool tgs_i_improves(const tgs_i_chain *x, const tgs_i_move *move); /* fewer paths are critical */

/* ---- descent.c: what methods do with moves -----------------------------------------------------
 */
/* the best move of task to any processor; task -1 when it has none */
tgs_i_move tgs_i_best_of_task(tgs_i_chain *x, int32_t task);
/* task to proc, and when that is another memory its group with it; spare is what now was.  One
 * decoding.  false: impossible, nothing has changed */
bool tgs_i_move_group(tgs_i_chain *x, int32_t task, int32_t proc);
void tgs_i_move_back(tgs_i_chain *x); /* now is spare again */
/* improves now until no critical task has a better place, or the budget is used up */
void tgs_i_descend(tgs_i_chain *x);
/* moves so many tasks at random, half of them critical; goes to the best where that gives no
 * schedule.  One decoding */
void tgs_i_shake(tgs_i_chain *x, int32_t moves);

/* ---- shared.c: O(n m + e memories) -------------------------------------------------------------
 */
tgs_status tgs_i_search_open(tgs_i_search *x, tgs_error *err); /* x->v is set */
void tgs_i_search_close(tgs_i_search *x);

/* ---- chains.c: seeds, chains, the result -------------------------------------------------------
 */
#define TGS_I_SEARCH_PARAMS(evals)                                                               \
    {"evals", evals, TGS_PARAM_INT, 1, 1e12, "decodings and estimates, of all chains together"}, \
        {"seconds", "0", TGS_PARAM_REAL, 0, 1e9, "end after so long; 0: no limit"},              \
        {"chains", "1", TGS_PARAM_INT, 1, 4096, "independent searches that share the budget"},   \
    {                                                                                            \
        "seeds", "heft+peft+cpop+minmin+heteroprio", TGS_PARAM_TEXT, 0, 0,                       \
            "heuristics to begin from, joined by +"                                              \
    }

/* Runs chains of one method from the seeds; the best schedule goes to plan.  A chain begins with a
 * seed in now and best (chain i with seed i, best first), and leaves its best. */
typedef tgs_status (*tgs_i_method)(tgs_i_chain *x, tgs_error *err);
tgs_status tgs_i_search_run(const tgs_ctx *c, tgs_plan *plan, tgs_i_method method, tgs_error *err);
/* counts; tells progress and asks stop now and then */
void tgs_i_count(tgs_i_chain *x, int64_t decodes, int64_t estimates);
/* now is the best if it is shorter */
void tgs_i_keep(tgs_i_chain *x);
#endif
