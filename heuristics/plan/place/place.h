/* place.h -- device placement: which device computes which node of a graph, when many samples pass
 * through one after the other (the largest load of a device is the time per sample) or one does
 * (its latency).
 *
 * Tarnawski, Phanishayee, Devanur, Mahajan, Nina Paravecino (2020), Efficient algorithms for device
 * placement of DNN graph operators, NeurIPS.  Load of a host processor: the times of its nodes.
 * Load of another device: these, and for each output of a node the time to move it between the
 * device and the host's memory, once where it is made if anybody else reads it, and once per other
 * device that reads it.  What is more general here: devices may be of several kinds (groups of
 * equal ones), and a node may have several outputs. */
#ifndef TGS_PLAN_PLACE_H
#define TGS_PLAN_PLACE_H
#include "tgsched/plugin.h"

/* ---- placegraph.c: the instance ------------------------------------------------------------- */
typedef struct tgs_i_place_devices {
    int32_t groups, devices;
    const int32_t *count; /* [groups] */
    const bool *host;     /* [groups] it computes in the host's memory: its transfers are free */
    const double *memory; /* [groups] bytes that the nodes of one device may hold */
    const int32_t *first; /* [groups + 1] its devices are [first[g], first[g + 1]) */
    const int32_t *group; /* [devices] */
    const int32_t *proc;  /* [devices] of the platform */
} tgs_i_place_devices;

/* nodes, or classes of them */
typedef struct tgs_i_place_graph {
    int32_t n, items, groups;
    double *time; /* [node * groups + group] seconds; INFINITY: not there */
    double *size; /* [node] bytes that it holds on a device which is not the host */
    int32_t *item_from, *item_at, *item_to; /* outputs: who makes it; CSR: who else reads it */
    double *item_cost;                      /* [item * groups + group] seconds to move it; host 0 */
    int32_t *use_at, *use;                  /* CSR: items that a node reads */
    int32_t *make_at, *make;                /* CSR: items that a node makes */
    int32_t *pred_at, *pred, *succ_at, *succ; /* CSR: what must come before (of classes: forward) */
} tgs_i_place_graph;

typedef struct tgs_i_place { /* an instance */
    tgs_i_place_devices d;
    tgs_i_place_graph node;
    bool *backward; /* [node.n] */
    int32_t *color; /* [node.n] nodes of one colour share a device; < colors */
    int32_t colors;
    tgs_i_place_graph class_; /* what is placed: no node of it needs to be split */
    int32_t *class_of;        /* [node.n] */
} tgs_i_place;

/* what is placed: for loads, see classes.c; or blocks that no path leaves and comes back to, all of
 * the graph in one piece */
typedef enum tgs_i_place_what { TGS_I_PLACE_CLASSES, TGS_I_PLACE_BLOCKS } tgs_i_place_what;
/* Of a priced graph.  Nodes of one group (tgs_constraint.group) have one colour; host is the name
 * of the kind whose processors are the host's.  A node's size is the bytes that its task touches.
 * TGS_ENOTAPPLICABLE when devices share a memory that is not the host's. */
tgs_status tgs_i_place_open(tgs_i_place *x, const tgs_view *v, tgs_i_place_what what,
                            const char *host, tgs_error *err);
void tgs_i_place_close(tgs_i_place *x);

/* ---- placecore.c: graphs of nodes ----------------------------------------------------------- */
typedef struct tgs_i_pair {
    int32_t from, to;
} tgs_i_pair;
/* sorts pairs by from, then to, and drops what comes again; returns how many are left */
int32_t tgs_i_pairs_unique(tgs_i_pair *pair, int32_t count);
/* CSR of pairs: at [n + 1], to [count], by from, in the order they are given in */
tgs_status tgs_i_pairs_rows(const tgs_i_pair *pair, int32_t count, int32_t n, bool turned,
                            int32_t **at, int32_t **to);
/* uses, makes of items that are there */
tgs_status tgs_i_place_index(tgs_i_place_graph *g);
tgs_status tgs_i_place_order(tgs_i_place_graph *g, const tgs_i_pair *pair, int32_t count);
void tgs_i_place_graph_free(tgs_i_place_graph *g);

/* ---- classes.c: what may not be separated becomes one class --------------------------------- */
tgs_status tgs_i_place_classes(tgs_i_place *x, bool fold); /* fills class_ and class_of */

/* ---- loads.c ---------------------------------------------------------------------------------
 * device [g->n]; load, held [devices].  Straight from the definition: what the algorithms below
 * count step by step is compared with it. */
tgs_status tgs_i_place_loads(const tgs_i_place_graph *g, const tgs_i_place_devices *d,
                             const int32_t *device, double *load, double *held);
double tgs_i_place_largest(const double *load, int32_t devices);
/* no placement has a smaller largest load: of the work on all devices together, and of each class
 */
tgs_status tgs_i_place_bound(const tgs_i_place_graph *g, const tgs_i_place_devices *d,
                             double *bound);
/* A larger one, placecut.c: of the least load that a device with some class can have, by minimum
 * cuts of at most most classes.  *bound is what is known, and grows. */
tgs_status tgs_i_place_cut_bound(const tgs_i_place_graph *g, const tgs_i_place_devices *d,
                                 int32_t most, double *bound);

/* Loads that are counted step by step: moving a class costs its items. */
typedef struct tgs_i_loads {
    const tgs_i_place_graph *g;
    const tgs_i_place_devices *d;
    int32_t *device;     /* [n] -1: nowhere yet */
    int32_t *readers;    /* [item * devices + device] */
    int32_t *spread;     /* [item] devices with a reader */
    double *load, *held; /* [devices] */
} tgs_i_loads;
tgs_status tgs_i_loads_open(tgs_i_loads *l, const tgs_i_place_graph *g,
                            const tgs_i_place_devices *d);
void tgs_i_loads_set(tgs_i_loads *l, const int32_t *device); /* afresh: rounding is forgotten */
void tgs_i_loads_move(tgs_i_loads *l, int32_t class_, int32_t device);
void tgs_i_loads_close(tgs_i_loads *l);

/* ---- ideals.c: the sets that hold all that comes before their members ----------------------- */
typedef struct tgs_i_ideals {
    int32_t n, words, count; /* by size; the first is empty, the last is all */
    uint64_t *set;           /* [ideal * words] */
    int64_t *next_at;        /* [count + 1] */
    int32_t *next, *added;   /* the ideals that have one member more, and which */
    int64_t room, next_room;
} tgs_i_ideals;
/* more than most: count is 0 (and the status TGS_OK) */
tgs_status tgs_i_ideals_open(tgs_i_ideals *x, int32_t n, const int32_t *pred_at,
                             const int32_t *pred, const int32_t *succ_at, const int32_t *succ,
                             int32_t most);
void tgs_i_ideals_close(tgs_i_ideals *x);
static inline bool tgs_i_ideal_has(const tgs_i_ideals *x, int32_t ideal, int32_t node)
{
    return x->set[(int64_t)ideal * x->words + node / 64] >> node % 64 & 1;
}

/* ---- placepieces.c: what the pieces of an order cost ------------------------------------------
 */
typedef struct tgs_i_pieces { /* [b, e] of the order, for one e after the other and all b */
    const tgs_i_place_graph *g;
    const tgs_i_place_devices *d;
    const int32_t *order;
    int32_t e;    /* -1 before the first */
    double *cost; /* [group * n + b] seconds of [b, e] on a device of the group; a host's: times */
    int32_t *low; /* [groups] pieces that begin before it do not fit: their costs are not kept up.
                     Whoever wants fewer may raise it */
    double *held; /* [b] bytes */
    struct tgs_i_piece_event *event;
    int32_t events, at;
} tgs_i_pieces;
/* when it fails too, it is to be closed */
tgs_status tgs_i_pieces_open(tgs_i_pieces *x, const tgs_i_place_graph *g,
                             const tgs_i_place_devices *d, const int32_t *order);
void tgs_i_pieces_next(tgs_i_pieces *x);
void tgs_i_pieces_close(tgs_i_pieces *x);

/* ---- placedp.c: the best contiguous placement ----------------------------------------------- */
typedef struct tgs_i_place_answer {
    double value;    /* the largest load; INFINITY: nothing fits */
    int32_t *device; /* [classes], the caller's */
    int64_t pairs;   /* of ideals that were looked at */
    bool stopped;    /* before the end: what is there is the best so far */
} tgs_i_place_answer;
/* Every device gets the difference of two ideals.  Only placements that are better than a->value
 * are looked for: when there is none, a is as before. */
tgs_status tgs_i_place_dp(const tgs_i_place_graph *g, const tgs_i_place_devices *d,
                          const tgs_i_ideals *x, tgs_i_place_answer *a, bool (*stop)(void *),
                          void *user);
/* prices of the groups, by how fast they are: see loads.c on bounds */
double tgs_i_place_price(const tgs_i_place_graph *g, int32_t group);
/* the least that a class takes of them */
double tgs_i_place_least(const tgs_i_place_graph *g, const double *price, int32_t c);
/* how many it keeps of every ideal, each of 13 bytes: more are TGS_ENOTAPPLICABLE */
enum { TGS_I_PLACE_STATES = 1 << 16 };
int64_t tgs_i_place_states(const tgs_i_place_devices *d);

/* The same, of depth-first topological orders, O(devices n^2) each: the paper's DPL.  orders of
 * them are tried. */
void tgs_i_place_depth_first(const tgs_i_place_graph *g, int32_t number, int32_t *order,
                             int32_t *scratch); /* [2 n] */
tgs_status tgs_i_place_dpl(const tgs_i_place_graph *g, const tgs_i_place_devices *d, int32_t orders,
                           tgs_i_place_answer *a, bool (*stop)(void *), void *user);

/* ---- latency.c --------------------------------------------------------------------------------
 * when one sample is through; INFINITY: pieces of devices would wait for each other */
tgs_status tgs_i_place_latency(const tgs_i_place_graph *g, const tgs_i_place_devices *d,
                               const int32_t *device, double *latency);

/* ---- placetimes.c -----------------------------------------------------------------------------
 * the makespan of one sample when every task is scheduled by itself on its processor [n] */
tgs_status tgs_i_place_makespan(const tgs_view *v, const int32_t *proc, double *makespan);

/* ---- latencydp.c: placements along a topological order of classes -----------------------------
 * device [g->n] gets it.  The paper's greedy rule: devices in turn are filled until the next class
 * does not fit; what is left is the host's. */
tgs_status tgs_i_place_fill(const tgs_i_place_graph *g, const tgs_i_place_devices *d,
                            const int32_t *order, int32_t *device);
/* The least serial time of cutting the order into pieces, each a class on the host or a run of
 * classes on a device of its own; INFINITY: there is no such way.  O(devices n^2). */
tgs_status tgs_i_place_segments(const tgs_i_place_graph *g, const tgs_i_place_devices *d,
                                const int32_t *order, int32_t *device, double *serial);

/* ---- placesearch.c: local search from a placement, a ------------------------------------------
 * evals: classes that are moved when moves are tried, in so many rounds, each from the best so far.
 * O(evals * edges of a class). */
tgs_status tgs_i_place_anneal(const tgs_i_place_graph *g, const tgs_i_place_devices *d,
                              int64_t evals, int32_t rounds, tgs_rng *rng, tgs_i_place_answer *a,
                              bool (*stop)(void *), void *user);
#endif
