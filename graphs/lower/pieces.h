/* pieces.h -- operators split: a task becomes tasks on boxes of its data, and the data that pass
 * between them stay in pieces for as long as the next task can take them so.
 *
 * The dims of what a task touches have labels: dims of one label are walked together (labels.c).
 * Cutting labels gives the pieces of a task, its cells; a dim whose label is cut is cut at the same
 * places.  A cell writes its boxes of the outputs; where a cut label is missing from an output, its
 * cells make summands, which are joined (cells.c).  What is asked for in another form than it has
 * is sliced where it is and put together where it is needed (pieces.c). */
#ifndef TGS_LOWER_PIECES_H
#define TGS_LOWER_PIECES_H
#include "tgsched/model.h"

enum {          /* labels */
       TGS_I_M, /* of a product op(A)[m,k] op(B)[k,n] */
       TGS_I_N,
       TGS_I_K,
       TGS_I_FIRST, /* those of other dims */
       TGS_I_LABELS = TGS_I_FIRST + TGS_MODEL_RANK,
       TGS_I_TOUCHED = 16 /* a task with more accesses stays whole */
};

typedef struct tgs_i_cut { /* of an extent: [at[k], at[k + 1]) for k < parts; parts 0 or 1: whole */
    int32_t parts;
    const int64_t *at; /* the lowering owns it */
} tgs_i_cut;

typedef struct tgs_i_labels {
    int64_t extent[TGS_I_LABELS];                /* 0: the label does not occur */
    bool fixed[TGS_I_LABELS];                    /* it cannot be cut */
    int8_t of[TGS_I_TOUCHED][TGS_MODEL_RANK];    /* the label of a dim, -1: walked whole */
    int64_t unit[TGS_I_TOUCHED][TGS_MODEL_RANK]; /* of the label's extent, in one step of the dim */
    int32_t addend; /* access that is added once to a sum over TGS_I_K: only its first cell reads
                       it; -1 none */
} tgs_i_labels;
/* false: the task is not known, and runs whole */
bool tgs_i_labels_of(tgs_i_labels *out, const tgs_lowering *l, const tgs_low_task *t);

typedef struct tgs_i_box {
    int64_t lo[TGS_MODEL_RANK], hi[TGS_MODEL_RANK];
} tgs_i_box;
typedef struct tgs_i_piece {
    tgs_i_box box;
    int32_t datum, shard;
    int32_t use;  /* of a copy that is sent: by what it is asked for (tgs_i_want); 0 others */
    int32_t next; /* of the same datum, -1 */
} tgs_i_piece;
typedef struct tgs_i_record { /* of a datum */
    tgs_i_cut axis[TGS_MODEL_RANK];
    int32_t cells;     /* pieces that it now consists of, row by row; 0: it is whole */
    int32_t groups;    /* whole sets of cells: one each, of replicated data; else 1 */
    tgs_i_piece *cell; /* [groups * cells] */
    int32_t other;     /* first of the pieces made of those, -1 */
    bool touched;      /* its whole has been used, or it was written */
} tgs_i_record;

typedef struct tgs_i_split { /* one walk over the tasks of a lowering */
    tgs_lowering *l;
    tgs_i_record *record; /* [data before] */
    tgs_i_piece *piece;   /* those made of others */
    int64_t pieces, piece_room;
    int32_t data;             /* before */
    int32_t per_group;        /* shards; 0: there is one group */
    const tgs_low_task *task; /* which is being split: whose phase and operator helpers get */
    int32_t *named;           /* [shards + 1] the last task of this shard that has its plain name */
    int32_t walked;           /* tasks so far */
    bool failed;              /* a plan ran out of memory */
    int8_t *role;             /* [data before] tgs_i_role of what products.c has seen */
} tgs_i_split;

/* ---- pieces.c ------------------------------------------------------------------------------- */
typedef struct tgs_i_want {
    int32_t shard; /* where it is needed */
    int32_t use;   /* not 0: what is elsewhere is sent anew for each number */
} tgs_i_want;
tgs_i_box tgs_i_box_of(const tgs_low_datum *d); /* all of it */
bool tgs_i_box_equal(const tgs_i_box *a, const tgs_i_box *b, int32_t rank);
double tgs_i_box_elements(const tgs_i_box *b, int32_t rank);
/* a datum for a box of d, or a status; tail of its name */
int32_t tgs_i_piece_new(tgs_i_split *s, int32_t d, const tgs_i_box *b, int32_t shard,
                        const char *tail);
/* the datum that holds a box of d, or a status; may add tasks, whose names begin like d's */
int32_t tgs_i_piece_get(tgs_i_split *s, int32_t d, const tgs_i_box *b, tgs_i_want want);
/* the part of datum from, which holds box `own`, that is box b: a task of a shard */
int32_t tgs_i_piece_slice(tgs_i_split *s, int32_t from, const tgs_i_box *own, const tgs_i_box *b,
                          int32_t shard);
/* a task of the one that is being split, named after the datum it makes and a tail; its accesses
 * are yet to be added */
tgs_status tgs_i_helper(tgs_i_split *s, const char *codelet, int32_t to, const char *tail,
                        const char *attrs, int32_t shard, double flops);
/* stored datum `to` is the box of d that begins at from, and begins with what d has there */
tgs_status tgs_i_piece_store(tgs_lowering *l, int32_t d, const int64_t *from, int32_t to);
/* to, a copy of from, on a shard */
tgs_status tgs_i_piece_copy(tgs_i_split *s, int32_t from, int32_t to, int32_t shard);
/* d consists of these cells from now on; cell is taken over */
void tgs_i_record_set(tgs_i_split *s, int32_t d, const tgs_i_cut *axis, tgs_i_piece *cell,
                      int32_t cells, int32_t groups);
void tgs_i_record_forget(tgs_i_split *s, int32_t d); /* what was made of it: it was written */
/* a stored datum of which nothing has been used: it may be stored in pieces */
bool tgs_i_record_free(const tgs_i_split *s, int32_t d);
const tgs_i_cut *tgs_i_even(tgs_lowering *l, tgs_i_cut *out, int64_t extent, int32_t parts);

/* How outputs, and what is stored in pieces, lie.  A cell of a datum is on a shard of its own, or,
 * where the label `missing` is cut and the datum has it not, is cut further along an axis, a part
 * for each cell of that label. */
typedef struct tgs_i_layout {
    int32_t missing; /* -1: summands are joined in one datum */
    int32_t axis;
} tgs_i_layout;
typedef struct tgs_i_expansion {
    tgs_i_labels labels;
    tgs_i_cut cut[TGS_I_LABELS];
    /* the shard of the cell of these indices by label; 0: none */
    int32_t (*shard)(const struct tgs_i_expansion *x, const int32_t *index);
    /* of access a; NULL: joined */
    tgs_i_layout (*layout)(const struct tgs_i_expansion *x, int32_t a);
    /* where a cell of access a is kept, index -1 for labels that it has not; NULL: with its task */
    int32_t (*home)(const struct tgs_i_expansion *x, int32_t a, const int32_t *index,
                    int32_t group);
    int32_t groups; /* copies of each stored cell; 0 one */
    int32_t use;    /* of tgs_i_want */
    bool spread;    /* what is whole is brought home in pieces before it is used */
    const void *user;
} tgs_i_expansion;

/* ---- grids.c -------------------------------------------------------------------------------- */
typedef struct tgs_i_grid { /* how an access is cut */
    tgs_i_cut axis[TGS_MODEL_RANK];
    int32_t cells;
    int32_t axis_further, further; /* this axis is cut on, in so many parts for each; -1 none */
    int32_t missing;               /* whose label those belong to */
} tgs_i_grid;
bool tgs_i_label_cut(const tgs_i_expansion *x, int32_t label);
/* as the labels cut access a, which touches datum d; *partial: a label that is cut is missing */
tgs_status tgs_i_grid_base(tgs_lowering *l, const tgs_i_expansion *x, int32_t a, int32_t d,
                           tgs_i_grid *g, bool *partial);
/* as it is kept: cut further by a label that it has not, where there is enough */
tgs_status tgs_i_grid_kept(tgs_lowering *l, const tgs_i_expansion *x, int32_t a, int32_t d,
                           const tgs_i_grid *base, tgs_i_grid *g);
/* box and label indices (-1: none) of a cell */
tgs_i_box tgs_i_grid_place(const tgs_lowering *l, const tgs_i_expansion *x, int32_t a, int32_t d,
                           const tgs_i_grid *g, int32_t cell, int32_t *index);
/* the box that the task's cell touches, and which cell of its base grid that is */
tgs_i_box tgs_i_grid_box(const tgs_lowering *l, const tgs_i_expansion *x, int32_t a, int32_t d,
                         const tgs_i_grid *base, const int32_t *index, int32_t *cell);

/* ---- cells.c -------------------------------------------------------------------------------- */
/* adds the tasks instead of t */
tgs_status tgs_i_cells_make(tgs_i_split *s, const tgs_low_task *t, tgs_i_expansion *x,
                            tgs_error *err);

/* ---- walk.c --------------------------------------------------------------------------------- */
/* Rewrites all tasks in their order.  plan: fills x and returns true when t is to be split so;
 * what it leaves follows the pieces of its data where it can, and else runs whole. */
typedef struct tgs_i_walker {
    bool (*plan)(tgs_i_split *s, const tgs_low_task *t, tgs_i_expansion *x, void *user);
    void *user;
    int32_t shards, per_group;
} tgs_i_walker;
tgs_status tgs_i_walk_tasks(tgs_lowering *l, const tgs_i_walker *w, tgs_error *err);

/* what came before another task does so with all that took its place: those in [first[i],
 * first[i + 1]) that of task i */
tgs_status tgs_i_keep_orders(tgs_lowering *l, const int32_t *first);

/* ---- products.c ----------------------------------------------------------------------------- */
/* Y[M,N] = X[M,K] W[K,N] of one operator, in its forward and backward tasks: each touches two of
 * the three letters in each datum, the gradients like what they are of */
enum { TGS_I_LM, TGS_I_LN, TGS_I_LK, TGS_I_LETTERS };
typedef enum tgs_i_role { TGS_I_NO_ROLE, TGS_I_X, TGS_I_W, TGS_I_Y, TGS_I_C } tgs_i_role;
typedef struct tgs_i_product_task {
    tgs_i_role role[TGS_I_TOUCHED];
    int32_t label[TGS_I_LETTERS]; /* of a letter, -1: it does not occur */
} tgs_i_product_task;
/* fills labels; batch: M is the first dim of X rather than the one before K; false: t is no product
 * of its operator */
bool tgs_i_product_of(tgs_i_split *s, const tgs_low_task *t, bool batch, tgs_i_labels *labels,
                      tgs_i_product_task *out);
/* extents by letter, M as batch says */
void tgs_i_product_extents(const tgs_lowering *l, int32_t op, bool batch, int64_t *extent);

/* ops: names with commas between them, written as in native files (%2C); "": the default.  in [ops]
 */
tgs_status tgs_i_choose_ops(const tgs_lowering *l, const char *directive, const char *names,
                            bool *in, tgs_error *err);
/* a Gemm or MatMul; its second operand has two dims */
bool tgs_i_is_product(const tgs_lowering *l, int32_t op);
#endif
