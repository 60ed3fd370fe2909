/* modelimpl.h -- a model and its builder, between the files of lib/ that make them. */
#ifndef TGS_MODELIMPL_H
#define TGS_MODELIMPL_H
#include "hash.h"
#include "internal.h"
#include "pool.h"

struct tgs_model {
    tgs_model_view v; /* its arrays are those below */
    tgs_i_pool *pool; /* texts, dims, values, operands */
    tgs_tensor *tensor;
    tgs_op *op;
    int32_t *order, *input, *output;
    tgs_op_time *time;
    int64_t time_room;
};

enum { /* what a builder was told of a tensor */
       TGS_I_IS_INPUT = 1,
       TGS_I_IS_OUTPUT = 2,
       TGS_I_IS_STORED = 4,
       TGS_I_IS_BUNDLE = 8, /* it stands for several tensors */
       TGS_I_IS_GUESS = 16  /* its shape, or that of something it was made of, is a guess */
};

typedef struct tgs_i_hint { /* what a file says of a tensor; rank -1: nothing */
    tgs_dtype dtype;
    bool typed;
    int32_t rank;
    const int64_t *dim; /* -1: not said */
} tgs_i_hint;

struct tgs_model_builder {
    tgs_status status; /* the first failure */
    char text[sizeof((tgs_error *)0)->text];
    tgs_model *m;
    uint8_t *told; /* [tensors] TGS_I_IS_* */
    tgs_i_arena arena;
    tgs_i_names tensors, ops;
    int64_t tensor_room, told_room, op_room, input_room, output_room;
    struct tgs_i_rebatch *again; /* modelbatch.c: what it is built from once more; NULL */
    tgs_i_hint *hint;            /* [tensors] */
    uint8_t *deferred;           /* [ops] TGS_I_OP_* */
    int64_t hint_room, deferred_room;
    tgs_expander expander;
    int32_t expanding; /* the operator whose outputs others are about to make; -1 none */
    struct tgs_i_remarks *remarks; /* modelopaque.c; NULL: none yet */
};

enum { TGS_I_OP_DEFERRED = 1, TGS_I_OP_GONE = 2 };

tgs_status tgs_i_model_fail(tgs_model_builder *b, tgs_status s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* modelsort.c: producers and uses of the operators from first on, and an order among them, [their
 * number]; what is wrong is told through tgs_i_model_fail */
tgs_status tgs_i_model_sort(tgs_model_builder *b, int32_t first, int32_t *order);
/* modelexpand.c: every operator in an order in which all is known that can be, deferred ones
 * expanded; calls tgs_i_model_shape_op for the others */
tgs_status tgs_i_model_walk(tgs_model_builder *b);
/* modelinfer.c: rule, shapes and values of one operator */
tgs_status tgs_i_model_shape_op(tgs_model_builder *b, int32_t op);
void tgs_i_model_give_role(tgs_model_builder *b, int32_t t); /* what is stored, given, known */
const tgs_operator *tgs_i_model_rule(const char *type);
/* modelopaque.c: only sizes are known: those that the file says, else guesses */
tgs_status tgs_i_model_opaque(tgs_model_builder *b, tgs_op *op);
tgs_status tgs_i_model_close_remarks(tgs_model_builder *b); /* they become the note */
void tgs_i_remarks_free(struct tgs_i_remarks *r);
/* modelinfer.c: rules, shapes, folding, roles */
tgs_status tgs_i_model_infer(tgs_model_builder *b);

/* the axes of samples that nobody told */
tgs_status tgs_i_model_find_samples(tgs_model_builder *b);
int64_t tgs_i_model_batch(const tgs_model_view *m); /* samples; 0: no input says */
/* modelbatch.c: what a batch asks of a node before its shapes are inferred, and after */
tgs_status tgs_i_rebatch_before(tgs_model_builder *b, tgs_op *op);
bool tgs_i_rebatch_opaque(const tgs_model_builder *b, int32_t op); /* it was */
tgs_status tgs_i_rebatch_after(tgs_model_builder *b, const tgs_op *op);

/* emit.c: the forward tasks of one operator */
tgs_status tgs_i_low_forward(tgs_lowering *l, int32_t op, tgs_error *err);
/* lower.c; more: times of operators beside the model's own */
tgs_status tgs_i_model_lower(tgs_graph **out, const tgs_model *m, const tgs_strategy *s,
                             const tgs_op_time *more, int32_t times, tgs_error *err);
/* rewrite.c: the model that the strategy makes of m; *out stays NULL when it is m itself */
tgs_status tgs_i_model_rewrite(tgs_model **out, const tgs_model_view *m, const tgs_strategy *s,
                               tgs_error *err);
/* the same of a graph, which is replaced */
tgs_status tgs_i_graph_rewrite(tgs_graph **g, const tgs_strategy *s, tgs_error *err);
/* the lowering that every directive has edited, not finished yet, numerals entered; of *rewritten
 * when that is not NULL, which the caller frees after it */
tgs_status tgs_i_low_open(tgs_lowering **out, tgs_model **rewritten, const tgs_model *m,
                          const tgs_strategy *s, tgs_error *err);
/* the same step as `of` with the directives before `until` only, and the model bound to so many
 * samples, which micro-batches divide among themselves */
tgs_status tgs_i_low_part(tgs_lowering **out, tgs_model **rewritten, const tgs_model *m,
                          const tgs_strategy *s, int64_t until, int64_t samples,
                          const tgs_lowering *of, tgs_error *err);
/* lowervariant.c */
struct tgs_i_origin *tgs_i_origin_new(const tgs_model *m, const tgs_strategy *s);
void tgs_i_origin_reach(struct tgs_i_origin *o, int64_t directive); /* which is next to edit */
void tgs_i_origin_free(struct tgs_i_origin *o);
tgs_status tgs_i_low_new(tgs_lowering **out, const tgs_model_view *m, tgs_error *err);
void tgs_i_low_free(tgs_lowering *l);
tgs_status tgs_i_low_room(tgs_lowering *l, int64_t data, int64_t tasks, int64_t accesses);
/* loworder.c: tasks that are not dropped, in the order of the graph; the caller frees *out */
tgs_status tgs_i_low_order(const tgs_lowering *l, int32_t **out, int32_t *count);
/* lowergraph.c: what is not dropped becomes a graph, or one to be finished when l is freed, whose
 * data are gone; what is wrong with its parts, finishing says */
tgs_status tgs_i_low_build(tgs_builder **out, tgs_lowering *l, const tgs_op_time *more,
                           int32_t times, tgs_error *err);
tgs_status tgs_i_low_finish(tgs_graph **out, const tgs_lowering *l, const tgs_op_time *more,
                            int32_t times, tgs_error *err);
typedef struct tgs_i_sum { /* of a gradient over replicas, which each of them gets */
    int32_t n, stage;      /* replicas; of a pipeline, where the gradient is made */
    const int32_t *copy;   /* [n] the gradient as each replica has it */
    const int32_t *made;   /* [data that copies are of] the last task that writes each, -1 none */
    int32_t *sum;          /* [n] what each replica gets */
} tgs_i_sum;
typedef struct tgs_i_copied { /* replicas */
    int32_t n, data;          /* data: how many there were before */
    const int32_t *of;        /* [n * data] copy c of datum d: c * data + d */
    const tgs_joining *how;
} tgs_i_copied;
/* lowersums.c: what their updates read; part: [n] scratch */
tgs_status tgs_i_low_join_own(tgs_lowering *l, const tgs_i_copied *c, int32_t *part);
tgs_status tgs_i_low_ring(tgs_lowering *l, const tgs_i_sum *x); /* lowerring.c */
/* lowerpriced.c: as time alone; the codelets of its tasks */
#define TGS_I_MEET      "meet"
#define TGS_I_ALLREDUCE "allreduce"
tgs_status tgs_i_low_priced(tgs_lowering *l, const tgs_joining *how, const tgs_i_sum *x);
double tgs_i_low_bytes(const tgs_lowering *l, const tgs_low_task *t); /* that it touches */
/* of the random initial value of what is called so */
unsigned long long tgs_i_low_seed(const char *name);
/* parts.c */
struct tgs_i_parts *tgs_i_parts_new(int32_t tensors);
void tgs_i_parts_free(struct tgs_i_parts *p);
int32_t tgs_i_part_new(tgs_lowering *l,
                       int32_t tensor); /* a datum for one contribution, or a status */
int32_t tgs_i_part_zero(tgs_lowering *l, int32_t tensor); /* a gradient that is zero */
double tgs_i_low_elements(const tgs_low_datum *d);
/* strategy.c: its directives in the order they run, with what they need */
typedef struct tgs_i_directive {
    const tgs_transform *transform;
    tgs_args *args;
    int64_t given; /* its place in the strategy */
} tgs_i_directive;
struct tgs_strategy {
    tgs_i_directive *directive;
    int64_t directives, room;
};
#endif
