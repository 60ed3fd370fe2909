/* core.h -- the list-scheduling core: levels, timelines, and the loops that the algorithms of this
 * folder share.  An algorithm is a priority, a set of candidate processors, a selection key, and
 * append or insert.
 *
 * Where data is.  A version that has reached a memory stays there, so the data ready time of a task
 * depends on the memory only, not on the processor, and a datum that several tasks of one memory
 * read is paid for once:
 *
 *     DRT(j, M) = max over what j reads of (end of the producer + c(datum, its memory, M))
 *
 * Initial data come from their home at time 0.
 *
 * Ties. Levels are snapped to a grid of 2^-36 of their largest value and then compared exactly;
 * equal tasks go by canonical topological position, equal processors by index. */
#ifndef TGS_LIST_CORE_H
#define TGS_LIST_CORE_H
#include "tgsched/plugin.h"
#include "tgsched/heap.h"

/* a hint that what lies there is wanted soon; any address will do */
#ifdef __GNUC__
#define TGS_I_FETCH(where) __builtin_prefetch(where)
/* of a function that does nothing else: gcc takes it for one without effect and drops its calls */
#define TGS_I_FETCHES static inline __attribute__((always_inline))
#else
#define TGS_I_FETCH(where) ((void)(where))
#define TGS_I_FETCHES      static inline
#endif

enum { TGS_I_AHEAD = 8 }; /* tasks between one fetch and what needs it */

/* ---- levels.c ------------------------------------------------------------------------------ */
typedef enum tgs_i_mean { TGS_I_MEAN, TGS_I_MEDIAN, TGS_I_MIN, TGS_I_MAX } tgs_i_mean;
#define TGS_I_MEANS "mean|median|min|max"

/* wbar[n]: one time per task, over the processors that may run it */
tgs_status tgs_i_weights(const tgs_view *v, tgs_i_mean mean, double *wbar, tgs_error *err);
/* rank_u(j) = wbar(j) + max over successors of (cbar + rank_u), the b-level; without communication
 * the static level SL */
void tgs_i_rank_up(const tgs_view *v, const double *wbar, bool communication, double *rank_u);
/* rank_d(j) = max over predecessors of (rank_d + wbar + cbar), the t-level */
void tgs_i_rank_down(const tgs_view *v, const double *wbar, double *rank_d);
/* PEFT's optimistic cost table, [task * memories + memory]: it depends on the memory alone */
tgs_status tgs_i_oct(const tgs_view *v, double *oct, tgs_error *err);
/* x as whole multiples of 2^-36 of its largest value */
void tgs_i_snap(double *x, int32_t n);
/* order[n]: the tasks by snapped level, largest first, then by snapped second (NULL none), then by
 * canonical position; O(n) */
tgs_status tgs_i_sort(const tgs_view *v, const double *level, const double *second, int32_t *order,
                      tgs_error *err);

/* path[n] is set to 0 for the tasks of one critical path of a snapped priority rank_u + rank_d and
 * to -1 for the others: from the first task of the highest priority, each time to the successor of
 * the highest */
void tgs_i_critical_path(const tgs_view *v, const double *priority, int32_t *path);
/* the processor that may run most of the tasks of such a path, and of those the one that runs them
 * fastest */
int32_t tgs_i_path_processor(const tgs_view *v, const int32_t *path);

/* ---- timeline.c ---------------------------------------------------------------------------- */
/* The idle time of a processor: what lies behind its last task, and the gaps before that, in a
 * treap by starting time with the longest gap below each node: O(log gaps) for each operation. Gaps
 * shorter than any task are of no use and are not kept. */
typedef struct tgs_i_gap {
    double from, to, longest;
    int32_t left, right;
    uint32_t priority;
} tgs_i_gap;
typedef struct tgs_i_timeline {
    double free;  /* the end of the last task */
    double least; /* no task here is shorter */
    tgs_i_gap *gap;
    int64_t room;
    int32_t root, used, spare; /* spare: a list, through left, of nodes given back */
} tgs_i_timeline;

void tgs_i_timeline_open(tgs_i_timeline *l, double least);
void tgs_i_timeline_close(tgs_i_timeline *l);
/* the earliest start >= ready of something that takes w, in a gap or behind the last task */
double tgs_i_timeline_find(const tgs_i_timeline *l, double ready, double w);
/* occupies [start, end), where start came from find; on failure the line is unchanged */
tgs_status tgs_i_timeline_book(tgs_i_timeline *l, double start, double end);

/* ---- core.c -------------------------------------------------------------------------------- */
typedef enum tgs_i_key {             /* what the chosen processor minimises */
                         TGS_I_EFT,  /* earliest finish time, plus bias */
                         TGS_I_EST,  /* earliest start time */
                         TGS_I_EXEC, /* execution time */
                         TGS_I_FREE  /* the time at which the processor is free */
} tgs_i_key;

typedef struct tgs_i_rule { /* how a processor is chosen for a task */
    tgs_i_key key;
    bool insert;        /* into gaps; else behind the processor's last task */
    const double *bias; /* [task * memories + memory], or NULL */
    const int32_t
        *prefer; /* [task] the processor it goes to where that is possible, or -1; or NULL */
    bool links;  /* static orders: messages are booked on links */
} tgs_i_rule;

typedef struct tgs_i_pick {      /* the best processor for a task at this moment */
    double start, key, next_key; /* next_key: of the second best, INFINITY if there is none */
    int32_t proc, next_proc;     /* -1: none */
} tgs_i_pick;

typedef struct tgs_i_done { /* where a task went */
    double end;
    int32_t proc, memory;
} tgs_i_done;

typedef struct tgs_i_list { /* a schedule under construction */
    const tgs_ctx *c;
    const tgs_view *v;
    tgs_plan *plan;
    tgs_i_rule rule;
    tgs_i_done *done;     /* [n] */
    tgs_i_timeline *line; /* [m] */
    double *ready;        /* [memories] scratch: DRT of the task being looked at */
    bool initial;         /* some task reads an initial version */
    int32_t groups;
    int32_t *group;        /* [groups] their numbers, ascending */
    int32_t *group_memory; /* [groups] memory of the members placed so far, -1 none yet */
    int32_t placed;
} tgs_i_list;

tgs_status tgs_i_list_open(tgs_i_list *s, const tgs_ctx *c, tgs_plan *plan, const tgs_i_rule *rule,
                           tgs_error *err);
void tgs_i_list_close(tgs_i_list *s);
/* Tasks that will be placed some steps from now: in the order in which one thing tells where the
 * next is, what there is of far is asked for, the predecessors of mid, and what the first messages
 * of near need. */
TGS_I_FETCHES void tgs_i_list_fetch(const tgs_i_list *s, int64_t far, int64_t mid, int64_t near)
{
    const tgs_graph_view *g = s->v->g;
    const int32_t from = g->pred_at[near], all = g->pred_at[near + 1] - from;

    TGS_I_FETCH(&g->pred_at[far]);
    TGS_I_FETCH(&g->succ_at[far]);
    TGS_I_FETCH(&g->access_at[far]);
    TGS_I_FETCH(&g->task[far]);
    TGS_I_FETCH(&s->v->time[mid * s->v->kinds]);
    TGS_I_FETCH(&s->done[mid]);
    if (g->pred_at[mid] < g->pred_at[mid + 1]) {
        TGS_I_FETCH(&g->pred[g->pred_at[mid]]);
        TGS_I_FETCH(&g->pred_datum[g->pred_at[mid]]);
    }
    for (int32_t k = from; k < from + (all < 4 ? all : 4); k++) {
        TGS_I_FETCH(&s->done[g->pred[k]]);
        if (g->pred_datum[k] >= 0)
            TGS_I_FETCH(&g->datum[g->pred_datum[k]]);
    }
}
/* DRT of a task whose predecessors are placed, for every memory, with its release time */
void tgs_i_list_ready(const tgs_i_list *s, int32_t task, double *ready);
/* the same for one memory; O(predecessors) */
double tgs_i_list_arrival(const tgs_i_list *s, int32_t task, int32_t memory);
/* may task go to proc now (kinds, pins, and the memory of its group)? */
bool tgs_i_list_may(const tgs_i_list *s, int32_t task, int32_t proc);
/* the best processor by the rule; second: fill next_key and next_proc too */
void tgs_i_list_pick(const tgs_i_list *s, int32_t task, const double *ready, bool second,
                     tgs_i_pick *out);
/* the group of a task, if it has one, will be in this memory; placing does it too */
void tgs_i_list_settle(tgs_i_list *s, int32_t task, int32_t memory);
/* proc -1, from a pick that found none, is TGS_EINFEASIBLE */
tgs_status tgs_i_list_place(tgs_i_list *s, int32_t task, int32_t proc, double start,
                            tgs_error *err);

/* ---- sequence.c ---------------------------------------------------------------------------- */
/* Tasks that follow each other on a processor, run[i] before run[i + 1]; some of run[] lie under a
 * root, -1 for none.  O(log) each. */
typedef struct tgs_i_run {
    double ready, w;    /* the caller's */
    double sum, forced; /* of what lies below: all w; max of ready + all w from that task on */
    int32_t left, right;
} tgs_i_run;
int32_t tgs_i_run_insert(tgs_i_run *run, int32_t root, int32_t i); /* the new root, as below */
int32_t tgs_i_run_erase(tgs_i_run *run, int32_t root, int32_t i);  /* i lies there */
/* when the last of them ends on a processor that is free at a time; and with r as run[i] too */
double tgs_i_run_end(const tgs_i_run *run, int32_t root, double free);
double tgs_i_run_end_with(const tgs_i_run *run, int32_t root, double free, int32_t i, tgs_i_run r);
/* the first after i, which need not lie there; -1 none */
int32_t tgs_i_run_next(const tgs_i_run *run, int32_t root, int32_t i);

/* ---- idle.c -------------------------------------------------------------------------------- */
/* The processors of a schedule without gaps by how soon they are idle, then by index: a tournament.
 * Processors of one type have the same kind and speed. */
typedef struct tgs_i_idle {
    const tgs_i_list *s;
    int32_t types, size; /* size: leaves, a power of 2 */
    int32_t *leaf;       /* [m] */
    int32_t *at;         /* [types * memories + 1] CSR: the leaves of a type in a memory */
    int32_t *best;       /* [2 * size] the processor that is idle first below a node, -1 none */
} tgs_i_idle;
/* type[m]: numbered in the order of their first processors, first[m]; returns how many */
int32_t tgs_i_types(const tgs_view *v, int32_t *type, int32_t *first);
tgs_status tgs_i_idle_open(tgs_i_idle *x, const tgs_i_list *s, tgs_error *err);
void tgs_i_idle_close(tgs_i_idle *x);
/* something was placed on proc; O(log m) */
void tgs_i_idle_renew(tgs_i_idle *x, int32_t proc);
/* the one that is idle first: of all, of a type, of a type in a memory; -1 none; O(log m) */
int32_t tgs_i_idle_any(const tgs_i_idle *x);
int32_t tgs_i_idle_first(const tgs_i_idle *x, int32_t type, int32_t memory); /* memory -1: any */
/* when the last message of a task arrives if it must travel, and the memory that it comes from, -1
 * where nothing does: the task's enabling memory */
double tgs_i_idle_message(const tgs_i_list *s, int32_t task, int32_t *memory);
/* Where a task ends first: of the processors that are idle first, one of each type, anywhere and in
 * one memory (-1: none).  Where it may run on none of these, all are looked at. */
void tgs_i_idle_pick(const tgs_i_idle *x, int32_t task, int32_t memory, tgs_i_pick *out);

/* ---- links.c ------------------------------------------------------------------------------- */
/* the messages of a schedule under construction, booked on links and buses */
struct tgs_i_links;
/* does the link model of v let messages wait for each other? */
bool tgs_i_links_contend(const tgs_view *v);
tgs_status tgs_i_links_open(struct tgs_i_links **out, const tgs_i_list *s, tgs_error *err);
void tgs_i_links_close(struct tgs_i_links *l); /* NULL is fine */
/* what tgs_i_list_ready fills, when the task's messages wait for those that are booked */
tgs_status tgs_i_links_ready(struct tgs_i_links *l, int32_t task, double *ready, tgs_error *err);
/* before the task is placed in a memory: books its messages for good */
tgs_status tgs_i_links_book(struct tgs_i_links *l, int32_t task, int32_t memory, tgs_error *err);

/* ---- loops.c ------------------------------------------------------------------------------- */
/* the tasks whose predecessors are placed, by priority (snapped, highest first), then position */
typedef struct tgs_i_ready {
    const tgs_graph_view *g;
    double *level;  /* [n] snapped */
    int32_t *waits; /* [n] predecessors not yet placed, an edge counted once per datum */
    tgs_heap heap;
} tgs_i_ready;
/* holds the tasks without predecessors; priority NULL: by position alone */
tgs_status tgs_i_ready_open(tgs_i_ready *r, const tgs_view *v, const double *priority,
                            tgs_error *err);
void tgs_i_ready_close(tgs_i_ready *r);
int32_t tgs_i_ready_pop(tgs_i_ready *r); /* -1: empty */
void tgs_i_ready_push(tgs_i_ready *r, int32_t task);
/* task is placed: what waited for it alone becomes ready */
void tgs_i_ready_release(tgs_i_ready *r, int32_t task);

/* in a topological order */
tgs_status tgs_i_list_static(const tgs_ctx *c, tgs_plan *plan, const tgs_i_rule *rule,
                             const int32_t *order, tgs_error *err);
/* by non-increasing upward rank, which is topological even with weights of zero, since ties go by
 * canonical position */
tgs_status tgs_i_list_by_rank_up(const tgs_ctx *c, tgs_plan *plan, const tgs_i_rule *rule,
                                 tgs_i_mean mean, tgs_error *err);
/* of the ready tasks the one of the highest priority (snapped) */
tgs_status tgs_i_list_by_priority(const tgs_ctx *c, tgs_plan *plan, const tgs_i_rule *rule,
                                  const double *priority, tgs_error *err);

/* of the ready tasks the one whose best processor has the highest score; ties by tie[task]
 * (snapped, larger first), then by position */
typedef struct tgs_i_pairs {
    double (*score)(const struct tgs_i_pairs *pairs, int32_t task, const tgs_i_pick *best);
    const double *level; /* for score: a number per task, or NULL */
    const double *tie;   /* or NULL */
    int slope;   /* -1: score is a number of the task less the key; 1: the key; 0: neither */
    bool second; /* score looks at the second best processor */
    bool batch;  /* a ready set is emptied before new tasks enter it */
} tgs_i_pairs;
tgs_status tgs_i_list_by_pairs(const tgs_ctx *c, tgs_plan *plan, const tgs_i_rule *rule,
                               const tgs_i_pairs *pairs, tgs_error *err);

/* ---- twobest.c ----------------------------------------------------------------------------- */
typedef struct tgs_i_two { /* the processors that are idle first */
    int32_t types;         /* 0: nothing is looked up by them */
    int32_t *of, *first;   /* [m]; [types] a processor of each */
    double *free;          /* [2 * types] when the first two of each are idle */
    double idle;           /* when the first of all is */
} tgs_i_two;
/* types stays 0 unless rule looks at the second best and nothing but times tells processors apart
 */
tgs_status tgs_i_two_open(tgs_i_two *x, const tgs_i_list *s, const tgs_i_pairs *rule);
void tgs_i_two_close(tgs_i_two *x);
void tgs_i_two_renew(tgs_i_two *x, const tgs_i_list *s); /* something was placed; O(m) */
/* the two least keys that tgs_i_list_pick would find; processors are not told */
void tgs_i_two_pick(const tgs_i_two *x, const tgs_view *v, int32_t task, tgs_i_pick *out);

/* ---- landed.c ------------------------------------------------------------------------------ */
typedef struct tgs_i_set { /* of whole numbers, bit by bit; above each word a bit that says it has
                              some */
    uint64_t *word;
    int32_t at[8], levels;
} tgs_i_set;

#define TGS_I_LAND_TYPES 16 /* with more types nothing lands */

/* landtree.c: runs of equal tasks by their times on each type */
typedef struct tgs_i_land_tree {
    int32_t runs, depth, inner, width; /* inner: nodes that are not leaves; width: of a leaf */
    int32_t *run;                      /* [runs] its first place in the order of type 0 */
    int32_t *of;                       /* [n] run of a task */
    int32_t *leaf, *item;              /* [runs] node of each; runs by leaf */
    int32_t *from, *to, *count;        /* [nodes] items of a leaf; tasks that are there */
    double *most;                      /* [node * types + type] their largest times */
} tgs_i_land_tree;

/* ready tasks whose data lie everywhere before any processor is idle, for loops of pairs */
typedef struct tgs_i_landed {
    const tgs_i_list *s;
    const tgs_i_pairs *pairs;
    const double *tie; /* [n] snapped */
    int32_t types;     /* 0: none may land */
    int32_t *type;     /* [m] */
    int32_t *first;    /* [types] a processor of each */
    double *free;      /* [types] when the first of a type is idle */
    bool by_tree;      /* the score is the key: tree finds the best */
    tgs_i_land_tree tree;
    int32_t *order, *place,
        *run;       /* [type * n + ...] tasks, their places, where the next run begins */
    tgs_i_set *set; /* [types] places of what has landed */
    double scale;   /* no time and no score at time 0 is larger */
} tgs_i_landed;
tgs_status tgs_i_landed_open(tgs_i_landed *x, const tgs_i_list *s, const tgs_i_pairs *pairs,
                             const double *tie, tgs_error *err);
void tgs_i_landed_close(tgs_i_landed *x);
/* may it ever land: it is bound to no processor, memory or group */
bool tgs_i_landed_may(const tgs_i_landed *x, int32_t task);
void tgs_i_landed_add(tgs_i_landed *x, int32_t task);
void tgs_i_landed_remove(tgs_i_landed *x, int32_t task);
/* something was placed on proc; when the first of all processors is idle, -1 where none may land */
double tgs_i_landed_renew(tgs_i_landed *x, int32_t proc);
/* the task of the best score, ties by tie and position; -1 none */
int32_t tgs_i_landed_best(const tgs_i_landed *x, double *most);
/* a task of score own instead of the best so far, if it is better */
void tgs_i_landed_consider(const tgs_i_landed *x, int32_t task, double own, int32_t *best,
                           double *most);
int32_t tgs_i_set_next(const tgs_i_set *s, int32_t i); /* the first member >= i, -1 none */

/* ---- landtree.c ---------------------------------------------------------------------------- */
tgs_status tgs_i_land_tree_open(tgs_i_landed *x); /* order and run of type 0 are known */
void tgs_i_land_tree_close(tgs_i_land_tree *tree);
/* the set of type 0 has got (by 1) or lost (-1) a task */
void tgs_i_land_tree_change(tgs_i_landed *x, int32_t task, int32_t by);
void tgs_i_land_tree_best(const tgs_i_landed *x, int32_t *best, double *most);

/* the index of the value of a text parameter in "first|second|..." */
tgs_status tgs_i_choice(const tgs_ctx *c, const char *key, const char *choices, int32_t *out,
                        tgs_error *err);
#endif
