/* step.h -- what planners of a training step share. */
#ifndef TGS_PLAN_STEP_H
#define TGS_PLAN_STEP_H
#include "tgsched/planner.h"

/* ---- sizes.c: micro-batches ------------------------------------------------------------------ */
/* The sizes that a micro-batch of the step may have for which model 0 has layers, ascending: with
 * `given` > 0 that one alone.  size has room for PLAN_SIZES; returns how many, or a status. */
#define PLAN_SIZES 32
int32_t tgs_i_plan_sizes(const tgs_planner_ctx *c, int64_t given, int64_t *size, tgs_error *err);
/* directives by which a step of c->batch samples runs as micro-batches of that size */
tgs_status tgs_i_plan_put_batches(const tgs_planner_ctx *c, int64_t size, char *text, size_t room);

/* ---- search/neighbours.c ---- */
typedef struct tgs_i_neighbours {
    char **text; /* [count] */
    int64_t count, room;
} tgs_i_neighbours;
/* text: a directive a line */
tgs_status tgs_i_neighbours_list(const tgs_planner_ctx *c, const char *text, tgs_i_neighbours *out,
                                 tgs_error *err);
void tgs_i_neighbours_free(tgs_i_neighbours *x);

/* ---- pipeline/flushed.c: pipelines that are empty at the end of every step ------------------- */
tgs_status tgs_i_plan_flushed(const tgs_planner_ctx *c, tgs_proposal *out, const char *order,
                              tgs_error *err);
extern const tgs_param tgs_i_plan_flushed_params[];

/* ---- pipeline/chain.c: a chain of layers over unlike devices ------------------------------------
 */
typedef struct tgs_i_chain {
    int32_t n, devices;
    const double *time;      /* [device * (n + 1) + i] seconds of the layers before i */
    const double *cut;       /* [n + 1] bytes that go from the layers before i to the others */
    const double *lat, *inv; /* [device * devices + device]; NULL: transfers are free */
    /* [n + 1] bytes of the layers before i: that stay, and of one micro-batch under way */
    const double *fixed, *saved;
    const double *capacity; /* [device] bytes; NULL: no limit, and neither of the two is read */
    const int32_t *flight;  /* [position] micro-batches under way; NULL: 1 */
    const int32_t *type;    /* [device] devices of one type are alike */
} tgs_i_chain;
double tgs_i_chain_stage(const tgs_i_chain *x, const int32_t *order, int32_t k, int32_t p,
                         int32_t i, int32_t j);
/* cut[k + 1]: stage p on device order[p] holds the layers cut[p] to cut[p + 1] - 1, at least one;
 * *longest is the longest stage's time, INFINITY when there is no such partition below bound */
tgs_status tgs_i_chain_cut(const tgs_i_chain *x, const int32_t *order, int32_t k, double bound,
                           int32_t *cut, double *longest);
/* device holds [i, j) with so many micro-batches under way */
bool tgs_i_chain_fits(const tgs_i_chain *x, int32_t device, double flight, int32_t i, int32_t j);
typedef struct tgs_i_chain_f { /* the longest stage of those before a cut, at its best */
    int32_t low, high;         /* where the cut can be */
    double *f;                 /* [high - low + 1]; INFINITY: not below the bound */
    int32_t *from;             /* the cut before it; -1 none */
} tgs_i_chain_f;
/* `to` behind position p from f before it, below the bound; to->low > f->low */
void tgs_i_chain_row(const tgs_i_chain *x, const int32_t *order, int32_t k, int32_t p, double bound,
                     const tgs_i_chain_f *f, tgs_i_chain_f *to);
/* pipeline/chainorder.c: the same for the best order of order[k]: of all when at most `most` are
 * different, else what a climb finds; order and cut say nothing where none is below bound */
tgs_status tgs_i_chain_order(const tgs_i_chain *x, int32_t k, int32_t *order, int32_t *cut,
                             int64_t most, double bound, double *longest);

/* ---- devices.c: the machine and the model as a pipeline sees them ------------------------------
 */
typedef struct tgs_i_devices { /* memories whose processor may run every layer, fast ones first */
    int32_t n;
    int32_t *memory, *proc, *type;
    double *lat, *inv; /* [device * n + device] */
    double *capacity;
} tgs_i_devices;
/* far: how much longer than the fastest a device may take, INFINITY any */
tgs_status tgs_i_devices_open(tgs_i_devices *d, const tgs_planner_ctx *c, const tgs_layers *l,
                              double far, tgs_error *err);
void tgs_i_devices_close(tgs_i_devices *d);
typedef struct tgs_i_chain_sums { /* what a chain borrows */
    double *time, *cut, *fixed, *saved;
} tgs_i_chain_sums;
/* versions: how often parameters are there, gradients counted */
tgs_status tgs_i_sums_open(tgs_i_chain_sums *s, tgs_i_chain *x, const tgs_planner_ctx *c,
                           const tgs_i_devices *d, const tgs_layers *l, double versions,
                           tgs_error *err);
void tgs_i_sums_close(tgs_i_chain_sums *s);
typedef struct tgs_i_text {
    char *text; /* owned; NULL nothing */
    int64_t used, room;
} tgs_i_text;
/* adds a name to a comma list, as directives have them */
tgs_status tgs_i_list_name(tgs_i_text *t, const char *name);

/* ---- collective.c: alpha-beta costs -----------------------------------------------------------
 */
typedef enum tgs_i_operation {
    TGS_I_ALL_REDUCE,
    TGS_I_ALL_GATHER,
    TGS_I_REDUCE_SCATTER,
    TGS_I_ALL_TO_ALL
} tgs_i_operation;
typedef enum tgs_i_shape { TGS_I_RING, TGS_I_TREE } tgs_i_shape;
double tgs_i_collective(tgs_i_operation what, tgs_i_shape how, int32_t p, double bytes,
                        double alpha, double beta);
double tgs_i_collective_grouped(tgs_i_operation what, int32_t inner, int32_t groups, double bytes,
                                double alpha_in, double beta_in, double alpha_out, double beta_out);

/* ---- reduction.c: gradients of many replicas ---- */
#define PLAN_REDUCTION 96
#define PLAN_FEW       32 /* replicas whose messages are tasks */
/* what `replicas` is told of how gradients are summed, after a space; "" as it is used to.  memory:
 * [replicas * places] */
void tgs_i_plan_reduction(const tgs_planner_ctx *c, const tgs_layers *l, int32_t replicas,
                          int32_t places, const int32_t *memory, char text[PLAN_REDUCTION]);

/* ---- replicas/merge.c: messages of several gradients --------------------------------------------
 */
/* joined[l]: layer l's gradient goes in one message with that of layer l - 1 */
double tgs_i_merge_time(int32_t n, const double *ready, const double *size, double alpha,
                        double beta, const bool *joined);
tgs_status tgs_i_merge_exact(int32_t n, const double *ready, const double *size, double alpha,
                             double beta, bool *joined, double *end);
void tgs_i_merge_greedy(int32_t n, const double *ready, const double *size, double alpha,
                        double beta, bool *joined);
typedef enum tgs_i_overlap { TGS_I_NAIVE, TGS_I_PREFETCH, TGS_I_WAIT_FREE } tgs_i_overlap;
typedef struct tgs_i_iteration { /* seconds */
    double read, copy, forward, backward, update;
    double exchange;  /* of all gradients, one after the other */
    double exchanged; /* when the last one has gone, since the backward pass began */
} tgs_i_iteration;
double tgs_i_ssgd(tgs_i_overlap overlap, const tgs_i_iteration *x);

/* ---- replicas/mergeplan.c --- */
tgs_status tgs_i_plan_merge(const tgs_planner_ctx *c, tgs_proposal *out, bool exact,
                            tgs_error *err);

/* ---- pipeline/workers.c: groups of devices ------------------------------------------------------
 */
typedef struct tgs_i_workers {
    int32_t count, size, devices;
    int32_t *device; /* [count * size] in the order of the stages */
    int32_t *cut;    /* [count * (size + 1)] */
    double *stage;   /* [count] the longest */
} tgs_i_workers;
tgs_status tgs_i_workers_open(tgs_i_workers *w, int32_t devices); /* room for so many */
void tgs_i_workers_close(tgs_i_workers *w);
/* each worker's order, cuts and longest stage; those that are alike have the same */
tgs_status tgs_i_workers_cut(const tgs_i_chain *x, tgs_i_workers *w);
/* pipeline/workersdeal.c: count, size and device, of workers of `size` devices, 0 any */
tgs_status tgs_i_workers_deal(tgs_i_workers *w, const tgs_i_chain *x, int32_t size, bool coupled);
/* both have room for as many devices */
void tgs_i_workers_assign(tgs_i_workers *to, const tgs_i_workers *from);
/* w has room for the chain's devices; policy np, ed, hd or best; size: devices of a worker of
 * `best`, 0 any; coupled: workers wait for each other */
tgs_status tgs_i_workers_make(tgs_i_workers *w, const tgs_i_chain *x, const int32_t *node,
                              const char *policy, int32_t size, bool coupled, tgs_error *err);
/* one cut for all of them: each position as slow as its slowest device */
tgs_status tgs_i_workers_alike(const tgs_i_chain *x, const tgs_i_workers *w, int32_t *cut,
                               double *longest);
/* micro-batches per second of all */
double tgs_i_workers_rate(const tgs_i_workers *w, bool coupled);

/* ---- operators/tensorcost.c: matrix products in parts, in 1 to 3 dimensions ---- */
typedef enum tgs_i_tensor { TGS_I_1D, TGS_I_2D, TGS_I_25D, TGS_I_3D, TGS_I_TENSORS } tgs_i_tensor;
typedef struct tgs_i_grid { /* of p = depth side^2 shards, or side^3 */
    tgs_i_tensor mode;
    int32_t p, side, depth; /* 1d: side is p; all but 2.5d: depth is 1 */
} tgs_i_grid;
/* false: p shards are no such grid; depth counts for 2.5d alone */
bool tgs_i_tensor_grid(tgs_i_grid *g, tgs_i_tensor mode, int32_t p, int32_t depth);
typedef struct tgs_i_product { /* Y[rows, columns] = X[rows, inner] W[inner, columns] */
    double rows, columns, inner;
    bool by_rows; /* 1d: W is cut along inner, as X comes from a product cut along its columns */
} tgs_i_product;
/* elements of one product that a shard receives in the forward and the backward pass, or (hops)
 * that pass one after the other where a broadcast is a ring of its receivers; and messages in a row
 */
double tgs_i_tensor_volume(const tgs_i_grid *g, const tgs_i_product *x, bool hops);
double tgs_i_tensor_messages(const tgs_i_grid *g);
/* is it large enough for the grid? */
bool tgs_i_tensor_fits(const tgs_i_grid *g, const tgs_i_product *x);

/* ---- pipeline/hetpipe.c: staleness of wave synchronous parallel ---------------------------------
 */
int64_t tgs_i_wave_staleness(int64_t flight, int64_t distance);
/* ---- pieces.c: a batch in pieces that fit -----------------------------------------------------
 */
/* samples of a piece of a batch: as many as fit beside what stays; 0: not even one */
int64_t tgs_i_piece(double memory, double stays, double item);
/* ---- pipeline/axonn.c ---------------------------------------------------------------------------
 */
/* bytes on the device of so many parameters: all 20 of each, or 4 and those of a bucket */
double tgs_i_axonn_bytes(double parameters, double bucket);
#endif
