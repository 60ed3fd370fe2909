/* core.h -- what the operator files share: shapes, windows, attribute texts, folding. */
#ifndef TGS_OP_CORE_H
#define TGS_OP_CORE_H
#include "tgsched/model.h"

#define TGS_I_ATTRS 512 /* room for the attributes of a codelet */

/* at least this many inputs are present */
tgs_status tgs_i_op_needs(const tgs_node *n, int32_t inputs, tgs_error *err);
/* every output has the shape and dtype of input 0 */
tgs_status tgs_i_op_same(const tgs_node *n, tgs_shape *out, tgs_error *err);
tgs_status tgs_i_op_numbers(const tgs_node *n, tgs_shape *out, tgs_error *err); /* no text */
/* numpy broadcasting; the dtype is that of a */
tgs_status tgs_i_op_broadcast(const tgs_node *n, const tgs_tensor *a, const tgs_tensor *b,
                              tgs_shape *out, tgs_error *err);
/* the attribute "axis" (or def) in [-rank, rank) made positive; extra 1 also allows rank itself */
tgs_status tgs_i_op_axis(const tgs_node *n, int64_t def, int32_t rank, int32_t extra, int32_t *out,
                         tgs_error *err);
/* one axis number checked and made positive */
tgs_status tgs_i_op_axis_of(const tgs_node *n, int64_t axis, int32_t rank, int32_t *out,
                            tgs_error *err);
bool tgs_i_op_equal(const tgs_tensor *a, const tgs_tensor *b); /* of one shape */
double tgs_i_shape_elements(const tgs_shape *s);
/* the type in lower case, without its domain, and a tail: "relu_bwd" */
const char *tgs_i_op_codelet(const tgs_node *n, const char *tail, char *text, size_t size);
/* append "key=1,2,3" to a text of TGS_I_ATTRS */
void tgs_i_op_put_ints(char *text, const char *key, const int64_t *value, int32_t n);
void tgs_i_op_put_real(char *text, const char *key, double value);
/* a list that is an attribute in old models and an input in newer ones: how many there are, -1 when
 * it is absent, -2 when its values are not known or too many */
int32_t tgs_i_op_list(const tgs_node *n, const char *key, int32_t input, int64_t *out, int32_t max);

/* ---- fold.c: values known before a step runs; false when an input's are not ---- */
/* where element i of y comes from in x, which was broadcast to it */
int64_t tgs_i_op_source(const tgs_tensor *x, const tgs_tensor *y, int64_t i);
/* all inputs combined from the first to the last, with broadcasting; of one input, a copy.  The
 * real ones take literals and integers. */
bool tgs_i_op_fold(const tgs_node *n, int64_t *value, int64_t (*combine)(int64_t a, int64_t b));
bool tgs_i_op_fold_real(const tgs_node *n, double *value, double (*combine)(double a, double b));
/* those of input 0, in their order */
bool tgs_i_op_fold_copy(const tgs_node *n, int64_t *value);
bool tgs_i_op_fold_literal(const tgs_node *n, double *value);
/* a function of each of them */
bool tgs_i_op_fold_each(const tgs_node *n, int64_t *value, int64_t (*of)(int64_t x));
bool tgs_i_op_fold_real_each(const tgs_node *n, double *value, double (*of)(double x));

/* output 0 is input 0 in another shape: stored when that is stored and used nowhere else */
bool tgs_i_op_store_copy(const tgs_node *n, char *init, size_t size);
bool tgs_i_op_float(tgs_dtype t);
/* one task R x0, W y0 named after the operator with its codelet */
tgs_status tgs_i_op_emit(const tgs_node *n, tgs_emitter *e, const char *buffers, const char *attrs,
                         double flops, tgs_error *err);

/* the attribute "dtype"; false when there is none that is known */
bool tgs_i_op_dtype(const tgs_node *n, tgs_dtype *out);

/* ---- rows.c: operators that differ in nothing but their shapes and flops ---- */
typedef struct tgs_i_op_row {
    const char *type;
    tgs_status (*shape)(const tgs_node *n, tgs_shape *out, tgs_error *err);
    double per_in, per_out; /* flops for each element of input 0, and of output 0 */
} tgs_i_op_row;
typedef struct tgs_i_op_rows {
    const tgs_i_op_row *row;
    size_t rows;
} tgs_i_op_rows;
const tgs_i_op_row *tgs_i_op_row_of(const tgs_node *n, const tgs_i_op_rows *t);
tgs_status tgs_i_op_row_infer(const tgs_node *n, const tgs_i_op_rows *t, tgs_shape *out,
                              tgs_error *err);
/* one task named after the operator: reads all inputs, writes all outputs */
tgs_status tgs_i_op_row_forward(const tgs_node *n, const tgs_i_op_rows *t, tgs_emitter *e,
                                tgs_error *err);
tgs_status tgs_i_op_task(const tgs_node *n, tgs_emitter *e, double flops, tgs_error *err);
/* one task that reads inputs and gradients of outputs and makes all gradients that are wanted, for
 * twice the flops */
tgs_status tgs_i_op_row_backward(const tgs_node *n, const tgs_i_op_rows *t, tgs_emitter *e,
                                 tgs_error *err);
tgs_status tgs_i_op_task_bwd(const tgs_node *n, tgs_emitter *e, double flops, tgs_error *err);
/* rules of shapes that several have: all outputs like input 0 or 2, those of input 0 of type bool,
 * input 0 and 1 broadcast, the dtype by its attribute else like input 0, a number */
tgs_status tgs_i_op_like_0(const tgs_node *n, tgs_shape *out, tgs_error *err);
tgs_status tgs_i_op_flags(const tgs_node *n, tgs_shape *out, tgs_error *err);
tgs_status tgs_i_op_pair(const tgs_node *n, tgs_shape *out, tgs_error *err);
tgs_status tgs_i_op_typed(const tgs_node *n, tgs_shape *out, tgs_error *err);
/* an integer input of one element; false when its value is not known */
bool tgs_i_op_number(const tgs_node *n, int32_t input, int64_t *out);
/* out [rank] of these dimensions */
void tgs_i_op_dims(tgs_shape *out, tgs_dtype dtype, int32_t rank, const int64_t *dim);

typedef struct tgs_i_op_window { /* of convolutions and pools */
    int32_t spatial;             /* dimensions */
    int64_t kernel[TGS_MODEL_RANK], stride[TGS_MODEL_RANK], dilation[TGS_MODEL_RANK];
    int64_t pad[2 * TGS_MODEL_RANK]; /* begins, then ends */
    int64_t out[TGS_MODEL_RANK];     /* the outputs' extents */
    double taps;                     /* elements of the kernel */
} tgs_i_op_window;
/* a list with a value per spatial dimension, in [low, INT32_MAX]; def when it is absent */
tgs_status tgs_i_op_window_take(const tgs_node *n, const char *key, int32_t count, int64_t def,
                                int64_t low, int64_t *out, tgs_error *err);
/* of input 0, whose dimensions from 2 on are spatial; kernel (or NULL) when there is no attribute
 */
tgs_status tgs_i_op_window_make(const tgs_node *n, const int64_t *kernel, tgs_i_op_window *w,
                                tgs_error *err);
void tgs_i_op_window_put(char *text, const tgs_i_op_window *w);
#endif
