/* core.h -- what several transforms need: the operators of a model cut into parts, the weights of
 * several steps in a row. */
#ifndef TGS_LOWER_CORE_H
#define TGS_LOWER_CORE_H
#include "tgsched/model.h"

/* seconds of each operator, forward and backward, where any were measured, else its flops */
void tgs_i_cut_weigh(const tgs_lowering *l, double *weight);

/* Parts that follow one another in the model's order of operators; part[ops], from 1.
 *
 * names: "a,b": the last operators of all parts but the last one.  A name that no operator has but
 * that begins the names of some, up to what is neither letter nor digit ("h3" of "h3.attn"), means
 * the last of these.  %XX stands for a byte, such as %2C for a comma.
 *
 * Without names, the largest part weighs as little as possible, and each is as near to an equal
 * share of what is left as that allows; none is empty while there are operators.  O(ops parts).
 *
 * who: the directive, for the message */
tgs_status tgs_i_cut(const tgs_lowering *l, int32_t parts, const char *names, const char *who,
                     int32_t *part, tgs_error *err);

/* "4,4,2": as many numbers of samples as wanted, each at least 1; who: the directive */
tgs_status tgs_i_amounts(const char *who, const char *list, int32_t count, int64_t *out,
                         tgs_error *err);
/* so many samples in count equal parts, the first ones larger by one */
void tgs_i_divide(int64_t samples, int32_t count, int64_t *out);

/* Each micro-batch becomes a minibatch with an update of its own, wave of them a wave.  The weights
 * after the updates of c waves, of all replicas, are a version, G(c), made by one update of a
 * wave's summed gradients.  Minibatch p of wave w = p / wave (from 0) reads in both its passes
 *
 *     G(c), where c = w - late when it is the last of its wave, else w - late - 1, at least 0
 *
 * and, with own, the updates c wave .. p - wave of its own replica added to that.  At the end the
 * parameters are the last version. */
typedef struct tgs_i_stale {
    const char *who; /* the directive, for messages */
    int32_t wave;
    const int32_t *late; /* by stage, from 1; [0]: without stages */
    bool own;
} tgs_i_stale;
tgs_status tgs_i_stash(tgs_lowering *l, const tgs_i_stale *rule, tgs_error *err);

/* The backward pass goes no further than the block that it began in: what the gradient of a block's
 * output was is now something else.  block: [ops], from 1, growing in the model's order. */
typedef enum tgs_i_signal {
    TGS_I_LOCAL, /* minus the output, by Hebb's rule */
    TGS_I_LAST,  /* what it was in the step before; zero in the first one */
    TGS_I_DIRECT /* the gradient of the loss, by a random matrix */
} tgs_i_signal;
tgs_status tgs_i_decouple(tgs_lowering *l, const int32_t *block, tgs_i_signal signal,
                          const char *who, tgs_error *err);
/* a block begins with each operator that has parameters; returns how many there are */
int32_t tgs_i_layers(const tgs_lowering *l, int32_t *block);
double tgs_i_elements(const tgs_low_datum *d);
/* ---- models of one architecture (twins.c) ---- */
typedef struct tgs_i_twins {
    const tgs_model_view *m;
    int32_t copies;
    bool same;       /* they are copies of the only one there is */
    int32_t *twin;   /* [copies * tensors] what stands in a copy for a tensor of the first, -1 */
    int32_t *output; /* of the first */
    int32_t outputs;
} tgs_i_twins;
/* copies 0: as many as there are models in m; else copies of the only one.  _free also after a
 * failure. */
tgs_status tgs_i_twins_find(tgs_i_twins *w, const tgs_model_view *m, int32_t copies,
                            tgs_error *err);
void tgs_i_twins_free(tgs_i_twins *w);

/* ---- one of two layouts for each node (layout.c) ---- */
typedef struct tgs_i_layout_arc {
    int32_t to, next, room;
} tgs_i_layout_arc;
typedef struct tgs_i_layout {
    int32_t nodes;
    const uint8_t *fixed; /* [nodes] 1: the first layout only, 2: the second only, 0: either */
    /* [uses] a value, and the node that makes it and one that uses it; those of a value are
     * together */
    const int32_t *value, *use;
    int64_t uses;
    bool *second;   /* [nodes] what was chosen */
    int32_t turned; /* values that are turned from one layout to the other: the fewest possible */
} tgs_i_layout;
tgs_status tgs_i_layout_choose(tgs_i_layout *l); /* or TGS_ENOMEM */

/* ---- one model that does what its twins do (fusemodels.c) ---- */
typedef struct tgs_i_form {
    int32_t rank;
    int64_t dim[TGS_MODEL_RANK + 1];
} tgs_i_form;
typedef struct tgs_i_fuse {
    const tgs_i_twins *w;
    const tgs_model_view *m;
    tgs_model_builder *b;
    int32_t *got[2];  /* [tensors] what there is of one, stacked and joined; -1 */
    tgs_i_form *form; /* [tensors] of weights that there are */
    bool *is_output;  /* [tensors] */
    bool *joined;     /* [ops + inputs + 1] the layout of what each makes */
    int32_t *user_at, *user;
    int64_t number; /* of the next tensor without a name */
    tgs_error *err;
} tgs_i_fuse;
tgs_status tgs_i_merge(const tgs_i_twins *w, tgs_model_builder *b, tgs_error *err);
/* indices of tensors in b, or a status: */
int32_t tgs_i_fuse_integers(tgs_i_fuse *f, int32_t n, const int64_t *value);
int32_t tgs_i_fuse_real(tgs_i_fuse *f, double value, tgs_dtype dtype);
int32_t tgs_i_fuse_named(tgs_i_fuse *f, int32_t t, const char *tail); /* after t */
int32_t tgs_i_fuse_value(tgs_i_fuse *f, int32_t t, bool joined);      /* turned when it must be */
int32_t tgs_i_fuse_new(tgs_i_fuse *f, int32_t t, bool joined);        /* made by an operator */
int32_t tgs_i_fuse_weights(tgs_i_fuse *f, const tgs_op *op, int32_t t, int32_t rank,
                           const int64_t *dim);
int32_t tgs_i_fuse_stacked(tgs_i_fuse *f, const tgs_op *op, int32_t t, int32_t rank);
int32_t tgs_i_fuse_op(tgs_i_fuse *f, const char *type, const char *attrs, int32_t inputs,
                      const int32_t *input, int32_t output);
int32_t tgs_i_fuse_reshape(tgs_i_fuse *f, int32_t x, int32_t rank, const int64_t *dim,
                           int32_t output);
bool tgs_i_fuse_computed(const tgs_i_fuse *f, int32_t t); /* else it is stored, or a constant */
bool tgs_i_fuse_needed(const tgs_i_fuse *f, const tgs_op *op); /* by the outputs */
tgs_status tgs_i_fuse_refuse(const tgs_i_fuse *f, const tgs_op *op, const char *why);
/* mergeops.c: 1: it works on stacked values only, 2: on joined ones, 0: on either */
uint8_t tgs_i_fuse_layouts(const tgs_i_fuse *f, const tgs_op *op);
/* one operator in the place of op and its twins */
tgs_status tgs_i_fuse_one(tgs_i_fuse *f, const tgs_op *op, bool joined);
#endif
