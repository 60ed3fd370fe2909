/* model.h -- a DNN as a graph of operators, and how it becomes tasks and data.
 *
 *   reader --tgs_model_builder--> tgs_model --emit--> tgs_lowering --transforms--> tgs_graph
 *
 * A reader (plugin.h, read_model) tells the builder tensors and operators in any order.  Finishing
 * the model sorts the operators, asks each operator's plug-in for the shapes of its outputs, folds
 * what only depends on shapes and constants, and gives every tensor its role.  Lowering emits the
 * tasks of the forward pass; then each directive of the strategy lets its transform edit them. */
#ifndef TGSCHED_MODEL_H
#define TGSCHED_MODEL_H
#include "tgsched/plugin.h"
#ifdef __cplusplus
extern "C" {
#endif

#define TGS_MODEL_RANK   8    /* most dimensions of a tensor */
#define TGS_MODEL_VALUES 1024 /* most elements of a constant whose values are known */

/* ---- the model ----------------------------------------------------------------------------- */
typedef enum tgs_role {
    TGS_ROLE_ACTIVATION, /* computed */
    TGS_ROLE_INPUT,
    TGS_ROLE_PARAMETER, /* float, depends only on constants, in a slot that gets gradients */
    TGS_ROLE_BUFFER,    /* any other stored tensor: running statistics, tables */
    TGS_ROLE_CONSTANT   /* values are known (integers, shapes, literals) and never move as data */
} tgs_role;

typedef struct tgs_tensor {
    const char *name;
    const int64_t *dim;
    const int64_t *value; /* an integer constant's values; NULL unknown */
    const double *real;   /* a float constant's values; NULL unknown */
    const char *init;     /* init text of its datum (tgs_builder_datum_set); NULL: by role */
    tgs_dtype dtype;
    tgs_role role;
    int32_t rank;     /* -1 unknown: only while the model is built */
    int32_t producer; /* operator, -1 none */
    int32_t uses;     /* input slots that name it, and one if it is an output of the model */
    bool literal;     /* a number written into the model: never a parameter */
    int32_t samples;  /* of an input: the axis along which samples run, from 1; 0 none */
} tgs_tensor;

typedef struct tgs_operator tgs_operator;
typedef struct tgs_op { /* one operator of a model */
    const char *name;   /* unique */
    const char *type;   /* "Conv"; of another domain "com.microsoft.Gelu" */
    const char *attrs;  /* "key=value key=v1,v2,...", as the reader gave them */
    const tgs_operator *rule;
    const int32_t *input; /* tensors; -1: an optional input that is absent */
    const int32_t *output;
    int32_t inputs, outputs;
    bool folded; /* its outputs are known or stored: it never becomes a task */
    bool opaque; /* only sizes are known of it, or guessed: it is outside the table, or the sizes of
                    what it makes depend on values that nobody knows */
} tgs_op;

typedef struct tgs_op_time { /* seconds of an operator, measured by somebody; NaN: not known */
    int32_t op;
    const char *kind; /* NULL: of a processor of speed 1 whose kind has no time of its own */
    double forward, backward;
    double bytes; /* that its forward pass touches */
} tgs_op_time;

typedef struct tgs_model_view {
    const char *name;
    const tgs_op *op;
    const tgs_tensor *tensor;
    const tgs_op_time *time; /* [times] in any order */
    int32_t times;
    const int32_t *order;          /* operators in topological order, ties by index */
    const int32_t *input, *output; /* tensors */
    int32_t ops, tensors, inputs, outputs;
    int32_t opaque; /* operators outside the table: tasks of which only sizes are known */
    int32_t opset; /* version of the standard operators */
    bool trained;  /* holds gradients already */
    const char *note; /* what the user is told: what is a guess; NULL nothing */
} tgs_model_view;
const tgs_model_view *tgs_model_look(const tgs_model *m);

/* ---- building a model ---------------------------------------------------------------------- */
/* As with tgs_builder: after the first failure every call returns its status, and finish reports
 * it.  A tensor is found or made by name; texts and arrays are copied. */
tgs_status tgs_model_builder_new(tgs_model_builder **out, const char *name, tgs_error *err);
void tgs_model_opset(tgs_model_builder *b, int32_t version); /* 17 unless told */
int32_t tgs_model_tensor(tgs_model_builder *b, const char *name);
tgs_status tgs_model_shape(tgs_model_builder *b, int32_t tensor, tgs_dtype dtype, int32_t rank,
                           const int64_t *dims);
tgs_status tgs_model_input(tgs_model_builder *b, int32_t tensor);
tgs_status tgs_model_output(tgs_model_builder *b, int32_t tensor);
/* the samples of an input run along this axis; when no input is told, along the first axis of those
 * as long there as the first input */
tgs_status tgs_model_samples(tgs_model_builder *b, int32_t input, int32_t axis);
/* stored in the file; init may be NULL */
tgs_status tgs_model_stored(tgs_model_builder *b, int32_t tensor, const char *init);
/* its values, for tensors of at most TGS_MODEL_VALUES elements; literal: never a parameter */
tgs_status tgs_model_integers(tgs_model_builder *b, int32_t tensor, const int64_t *value);
tgs_status tgs_model_reals(tgs_model_builder *b, int32_t tensor, const double *value, bool literal);
/* name NULL or taken: one is made of the first output.  Tensors -1: absent. */
int32_t tgs_model_operator(tgs_model_builder *b, const char *name, const char *type,
                           const char *attrs, int32_t inputs, const int32_t *input, int32_t outputs,
                           const int32_t *output);
/* seconds of operator op for the bound batch, as a profile has them; NaN leaves one to the cost
 * model */
tgs_status tgs_model_time(tgs_model_builder *b, int32_t op, const char *kind, double forward,
                          double backward);
/* What the file says of a tensor that an operator makes; -1: a dimension it does not say.  It
 * counts where the operator's rule does not know better.  rank -1: it says only the dtype. */
tgs_status tgs_model_hint(tgs_model_builder *b, int32_t tensor, tgs_dtype dtype, int32_t rank,
                          const int64_t *dims);
/* adds a sentence to what the user is told of the model; one that is there already is not repeated
 */
tgs_status tgs_model_remark(tgs_model_builder *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
tgs_status tgs_model_failed(tgs_model_builder *b, tgs_status s, const char *text); /* a reader's */

/* Operators that become others: control flow, sequences.  Once the shapes and values of all inputs
 * of a deferred operator are known, expand() tells the builder tensors and operators that make its
 * outputs, and *instead is true; or it leaves the operator as it is, with its outputs' shapes.
 * Deferred operators that it tells are expanded in their turn. */
typedef struct tgs_expander {
    tgs_status (*expand)(void *user, tgs_model_builder *b, int32_t op, bool *instead);
    void (*close)(void *user); /* when the builder is freed */
    void *user;
} tgs_expander;
tgs_status tgs_model_expander(tgs_model_builder *b, const tgs_expander *e); /* copied */
tgs_status tgs_model_defer(tgs_model_builder *b, int32_t op);
/* a tensor that stands for several, of which the expander knows: whatever reads it is deferred */
tgs_status tgs_model_bundle(tgs_model_builder *b, int32_t tensor);
/* one more input of an operator */
tgs_status tgs_model_attach(tgs_model_builder *b, int32_t op, int32_t tensor);
tgs_status tgs_model_attrs(tgs_model_builder *b, int32_t op, const char *attrs);
/* the model as far as it is known; until the next call that tells b anything */
const tgs_model_view *tgs_model_so_far(tgs_model_builder *b);
/* consumes b */
tgs_status tgs_model_finish(tgs_model **out, tgs_model_builder *b, tgs_error *err);
void tgs_model_builder_free(tgs_model_builder *b);
/* "batch=8,seq=128": the value of a symbol; false when it is absent or not a count */
bool tgs_bind_find(const char *bind, const char *symbol, int64_t *value);

/* ---- operators ----------------------------------------------------------------------------- */
typedef struct tgs_shape { /* what an operator's rule says of an output */
    tgs_dtype dtype;
    int32_t rank;
    int64_t dim[TGS_MODEL_RANK];
} tgs_shape;

typedef struct tgs_node { /* an operator, as its rule sees it */
    const tgs_model_view *m;
    const tgs_op *op;
} tgs_node;
const tgs_tensor *tgs_node_in(const tgs_node *n, int32_t i);  /* NULL when absent */
const tgs_tensor *tgs_node_out(const tgs_node *n, int32_t i); /* NULL when absent */
double tgs_elements(const tgs_tensor *t);
void tgs_shape_of(const tgs_tensor *t, tgs_shape *out);
/* "node 'NAME' (TYPE): text", TGS_ENOTAPPLICABLE: the model contradicts itself */
tgs_status tgs_node_fail(const tgs_node *n, tgs_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* the same with TGS_ENOTFOUND: what it makes depends on values that are not known, or the rule does
 * not cover it; the operator becomes opaque */
tgs_status tgs_node_open(const tgs_node *n, tgs_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* One task that an operator becomes.  buffers names what it touches in the codelet's order:
 * "R x0, R x1, [R x2], W y0" where x is an input, y an output, dx and dy their gradients, t a
 * temporary (tgs_emit_temp), x* all inputs; what stands in brackets is left out when absent. */
typedef struct tgs_emission {
    const char *codelet, *buffers;
    const char *attrs;  /* NULL none */
    const char *suffix; /* of the task's name after the operator's: ".bwd.data"; NULL none */
    double flops;
} tgs_emission;
typedef struct tgs_emitter tgs_emitter;
tgs_status tgs_emit(tgs_emitter *e, const tgs_emission *c, tgs_error *err);
void tgs_emit_bytes(tgs_emitter *e, double bytes); /* that the last task touches, if > 0 */
/* temporary k (0 to 3) of this operator; name is its suffix */
tgs_status tgs_emit_temp(tgs_emitter *e, int32_t k, const char *name, const tgs_shape *s,
                         tgs_error *err);
/* the gradient of input i is the gradient of output 0, which has its shape */
tgs_status tgs_emit_same(tgs_emitter *e, int32_t i, tgs_error *err);
/* is input i broadcast to output 0, the last `but` dimensions apart?  The tasks of a step are the
 * same for every number of samples: what this one does not broadcast, its variants might. */
bool tgs_emit_broadcast(const tgs_emitter *e, int32_t i, int32_t but);
/* is the gradient of input i wanted? */
bool tgs_wanted(const tgs_emitter *e, int32_t i);

struct tgs_operator {
    tgs_plugin base;
    const char *types;       /* ONNX operator types it owns: "Conv ConvTranspose" */
    uint32_t differentiable; /* bit i: input i gets a gradient; inputs from 31 on as input 31 */
    bool opaque;             /* only sizes are known: its backward runs whoever wants a gradient */
    bool gradient;           /* it belongs to a backward pass: such a model refuses `train` */
    /* the shapes of all op->outputs outputs; the inputs have theirs */
    tgs_status (*infer)(const tgs_node *n, tgs_shape *out, tgs_error *err);
    /* the values of output 0 (already shaped, integer, at most TGS_MODEL_VALUES) from the values or
     * shapes of the inputs; false when they cannot be known.  NULL: never */
    bool (*fold)(const tgs_node *n, int64_t *value);
    /* the same for a float output that depends on literals and integers only */
    bool (*fold_real)(const tgs_node *n, double *value);
    /* true: output 0 is a stored tensor, whose init text is *init (NULL: by role); NULL: never */
    bool (*store)(const tgs_node *n, char *init, size_t size);
    tgs_status (*forward)(const tgs_node *n, tgs_emitter *e, tgs_error *err);
    /* emits the wanted gradients of the inputs; NULL: not differentiable */
    tgs_status (*backward)(const tgs_node *n, tgs_emitter *e, tgs_error *err);
    const char *grows; /* an attribute that counts samples or what comes of them; NULL none */
    const char *at_most; /* types whose outputs may be smaller than inferred: it depends on values;
                            NULL none */
};
#define TGS_ALL_DIFFERENTIABLE 0xffffffffu

/* ---- the zoo: networks written in C ------------------------------------------------------- */
typedef struct tgs_zoo_call {
    tgs_model_builder *b;
    const tgs_args *args;
    const char *network; /* one of the family's names */
    const char *prefix;  /* of every name but those of the inputs; "" none */
    bool again;          /* its inputs are there already, from a call before it */
} tgs_zoo_call;
typedef struct tgs_zoo { /* a family of networks */
    tgs_plugin base;
    const char *names; /* "resnet18 resnet50": what "zoo:NAME" accepts */
    tgs_status (*build)(const tgs_zoo_call *c, int32_t *output, tgs_error *err);
} tgs_zoo;
/* the network of a spec "resnet50:batch=8" into b; its output is not declared as the model's */
tgs_status tgs_zoo_build(tgs_model_builder *b, const char *spec, const char *prefix, bool again,
                         int32_t *output, tgs_error *err);

/* ---- the lowering that transforms edit ----------------------------------------------------- */
typedef struct tgs_low_datum {
    const char *name; /* without the suffix of its copy */
    const int64_t *dim;
    const char *init; /* NULL: by scale */
    double scale;     /* > 0: uniform in [-scale, scale]; 0: zero; NaN: none, it is written */
    tgs_dtype dtype;
    tgs_class class_;
    int32_t rank;
    int32_t replica, batch; /* of its copy; -1 when it is one for all */
    bool shared;            /* one for all replicas and micro-batches */
    bool reduced;           /* its copies are summed into one: gradients of parameters, the loss */
    bool persistent;
    int32_t shard; /* whose task makes or keeps it, from 1; 0 none */
    int32_t copied; /* it is a copy of datum copied - 1; 0: it is none */
    const char *of;             /* it is a box of this datum, whose initial value it shares; NULL */
    const int64_t *whole, *from; /* the dims of that, and where in it the box begins */
} tgs_low_datum;

typedef struct tgs_low_access {
    int32_t datum, mode; /* tgs_mode */
} tgs_low_access;

typedef struct tgs_low_task { /* updates come after everything else, whatever their position */
    const char *name, *codelet, *attrs;
    double flops;
    double rows; /* of a loss: those of all copies; its attribute scale is 1 / rows; 0 others */
    const char *memory; /* its only memory; NULL any */
    const char *trust; /* the memories it may use: those of this label; NULL all */
    double part;   /* its samples for each that times were measured with; 0: as many */
    double factor; /* of its share of a measured time: it does not do what was measured; 0: 1 */
    double seconds; /* what it takes, whatever runs it; 0: what costs say */
    int32_t at, accesses; /* into access */
    int32_t replica, batch;
    int32_t op;    /* of the model it came from, or -1 */
    int32_t stage; /* of a pipeline, from 1: those of one stage share a memory; 0 none */
    int32_t shard; /* rank in a group that splits one operator, from 1; 0 none */
    int32_t turn; /* where steps follow one another: tasks of a lower turn come before, in all
                     replicas; 0 among them: right after what it reads */
    uint8_t phase; /* tgs_phase */
    bool again;    /* a forward task once more, in the backward pass */
    bool dropped;  /* not part of the graph */
    bool own;      /* an update that each copy has for itself, in its turn */
    bool joins;    /* it joins copies, whatever its replica: it comes after all of them */
    bool absorbed; /* dropped, since another task does its work: measured times are shared out as if
                      it were there */
    double bytes;  /* that it touches; 0: its data, each once */
} tgs_low_task;

typedef struct tgs_low_order {
    int32_t before, after; /* tasks */
} tgs_low_order;

typedef struct tgs_lowering {
    const tgs_model_view *m;
    tgs_low_datum *datum;
    tgs_low_task *task;
    tgs_low_access *access;
    tgs_low_order *order; /* beside what the data say; no dropped task counts */
    int64_t data, tasks, accesses, orders, data_room, task_room, access_room, order_room;
    int32_t stages;            /* of a pipeline; 0 none */
    int32_t *tensor_datum;     /* [m->tensors] or -1 */
    int32_t loss_tensor;       /* whose gradient the loss writes, or -1 */
    int32_t fan;               /* of an accumulation tree; 0: an RW chain */
    struct tgs_i_pool *pool;   /* owns texts and dims */
    struct tgs_i_parts *parts; /* gradients on their way */
    int32_t shards;            /* the highest rank of such a group; 0 none */
    bool apart;                /* gradients of micro-batches are not summed: see tgs_transform */
    const char *note;          /* what the user is told of the graph; NULL nothing */
    int32_t warm; /* forward passes of a pipeline's first stage before its first backward pass must
                     come, less one */
    int64_t share; /* samples that micro-batches divide among themselves; 0: each has m's batch */
    struct tgs_i_origin *origin; /* what it was made of, and its variants */
    const tgs_model_view *like;  /* the model of the step that this is a variant of; NULL none */
    bool arrival; /* a pipeline's order is that in which messages arrive */
    const char *trust; /* the label of tasks that have none of their own; NULL none */
} tgs_lowering;

/* each returns the new index, or a status; the caller's texts and dims are not copied: they are the
 * model's, literals, or of the two functions below */
int32_t tgs_low_add_datum(tgs_lowering *l, const tgs_low_datum *d);
int32_t tgs_low_add_task(tgs_lowering *l, const tgs_low_task *t);
tgs_status tgs_low_add_access(tgs_lowering *l, int32_t datum, tgs_mode mode); /* of the last task */
tgs_status tgs_low_add_after(tgs_lowering *l, int32_t before, int32_t after); /* tasks */
/* adds a sentence to what the user is told of the graph: that the mathematics is another */
tgs_status tgs_low_note(tgs_lowering *l, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *tgs_low_text(tgs_lowering *l, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* NULL: out of memory */
const int64_t *tgs_low_dims(tgs_lowering *l, int32_t rank, const int64_t *dim);
int32_t tgs_low_tensor(tgs_lowering *l, int32_t tensor); /* its datum, made when it has none */
/* gradients: contributions are collected, and summed when one is asked for */
#define TGS_LOW_NONE INT32_MIN /* there are none; other negative results are a status */
tgs_status tgs_low_contribute(tgs_lowering *l, int32_t tensor, int32_t datum);
int32_t tgs_low_gradient(tgs_lowering *l, int32_t tensor);
/* the backward tasks of one operator; wanted: [m->tensors] */
tgs_status tgs_low_backward(tgs_lowering *l, int32_t op, const bool *wanted, tgs_error *err);
/* n copies of every task but the updates and of every datum that is not shared; then the copies of
 * each reduced datum are summed, by a tree of this fan (0: an RW chain), and updates read the sum
 */
typedef enum tgs_copies { TGS_COPY_BATCHES, TGS_COPY_REPLICAS } tgs_copies;
tgs_status tgs_low_copy(tgs_lowering *l, tgs_copies what, int32_t n, int32_t fan, tgs_error *err);
/* the same with copies of so many samples each (NULL: all as the step), and otherwise joined */
typedef struct tgs_joining {
    int32_t fan;    /* of the tree; 0: an RW chain */
    int32_t groups; /* of copies that follow one another: first within each, then of them; 0 none */
    bool ring;      /* each copy has parameters and updates of its own, and a ring makes the sums */
    bool priced;    /* so too, but the sums are the time alone that a ring takes by its formula: */
    double latency, bandwidth; /* of a message: seconds, byte/s */
    bool modelled; /* priced, but each sum takes alpha + beta * bytes seconds, and one copy may
                      stand for several */
    double alpha, beta;
} tgs_joining;
tgs_status tgs_low_copy_joined(tgs_lowering *l, tgs_copies what, int32_t n, const int64_t *samples,
                               const tgs_joining *how, tgs_error *err);
/* the step with so many samples, made by the directives before this one; owned by l */
tgs_status tgs_low_variant(tgs_lowering *l, int64_t samples, const tgs_lowering **out,
                           tgs_error *err);
int64_t tgs_low_batch(const tgs_lowering *l); /* samples that m is bound to; 0: no input says */

typedef struct tgs_transform {
    tgs_plugin base;   /* name: the keyword of the strategy; its parameters in positional order */
    int32_t stage;     /* transforms run in ascending stage, ties by name */
    const char *needs; /* a transform that runs with its defaults when absent; NULL none */
    /* edits the tasks of the step; NULL: it does something else */
    tgs_status (*apply)(tgs_lowering *l, const tgs_args *a, tgs_error *err);
    /* writes the model that is lowered in the place of m, before anything is; NULL: it is m */
    tgs_status (*rewrite)(const tgs_model_view *m, const tgs_args *a, tgs_model_builder *b,
                          tgs_error *err);
    /* writes the graph that takes the place of g, after everything else; a transform with this
     * alone also works on graphs that no model made.  NULL: it is g */
    tgs_status (*graph)(const tgs_graph_view *g, const tgs_args *a, tgs_builder *b, tgs_error *err);
    bool repeats; /* may be given several times; the order is the strategy's */
    bool apart;   /* it updates after each micro-batch, whose gradients are therefore not summed */
    int64_t (*batch)(const tgs_args *a); /* samples that the model is bound to instead; NULL */
} tgs_transform;

/* ---- what rewriting needs ------------------------------------------------------------------ */
/* a tensor of m by its name, with its shape, values and initial value, and what m uses it as:
 * input, output, stored; found when it is there already */
int32_t tgs_model_adopt(tgs_model_builder *b, const tgs_model_view *m, int32_t tensor);
/* an operator of m with its tensors: its index, or a status */
int32_t tgs_model_adopt_op(tgs_model_builder *b, const tgs_model_view *m, int32_t op);
/* what was measured of the operators of m; op: [m->ops] what they are now, -1 gone */
tgs_status tgs_model_adopt_times(tgs_model_builder *b, const tgs_model_view *m, const int32_t *op);
/* everything of m: its opset first, then inputs, operators and outputs, as they are */
tgs_status tgs_model_adopt_all(tgs_model_builder *b, const tgs_model_view *m);
/* the initial value of a stored tensor when it is called name, as text of tgs_builder_datum_set;
 * the caller frees it; NULL: out of memory */
char *tgs_tensor_init(const tgs_tensor *t, const char *name);
/* is the operator's name one of a comma list?  "conv*": every name that begins so */
bool tgs_op_listed(const char *list, const char *name);

/* kinds of g, in their order */
tgs_status tgs_builder_adopt_kinds(tgs_builder *b, const tgs_graph_view *g);
/* a task or datum of g, with everything but accesses; returns its index or a status */
int32_t tgs_builder_adopt_task(tgs_builder *b, const tgs_graph_view *g, int32_t task);
int32_t tgs_builder_adopt_datum(tgs_builder *b, const tgs_graph_view *g, int32_t datum);

#ifdef __cplusplus
}
#endif
#endif
