/* shape.h -- what the codelets of every architecture share: shapes and their checks, broadcasting,
 * matrix products, windows. */
#ifndef TGS_SHAPE_H
#define TGS_SHAPE_H
#include "tgsched/plugin.h"
#ifdef __cplusplus
extern "C" {
#endif

#define TGS_I_RANK 8 /* dims of a shape; checked before anything runs */

typedef struct tgs_i_shape {
    int32_t rank;
    int64_t count; /* elements */
    int64_t dim[TGS_I_RANK];
} tgs_i_shape;
/* a buffer without dims is one dimension of all its elements */
tgs_i_shape tgs_i_shape_of(const tgs_buffer *b);
bool tgs_i_shape_equal(const tgs_i_shape *a, const tgs_i_shape *b);

/* checks, each with a message; buffers [from, to) of the call */
tgs_status tgs_i_check_type(const tgs_call *c, int32_t from, int32_t to, tgs_error *err);
tgs_status tgs_i_check_scalar(const tgs_call *c, int32_t buffer, tgs_error *err);
/* one float type and one shape */
tgs_status tgs_i_check_alike(const tgs_call *c, int32_t from, int32_t to, tgs_error *err);
/* of every buffer: the check of most elementwise codelets */
tgs_status tgs_i_check_elementwise(const tgs_call *c, tgs_error *err);
/* every buffer the same bytes and dtype, of any type */
tgs_status tgs_i_check_copy(const tgs_call *c, tgs_error *err);
/* two inputs of one float type that broadcast to the output, buffer 2 */
tgs_status tgs_i_check_broadcast(const tgs_call *c, tgs_error *err);
/* any number of inputs that broadcast to the output, the last buffer */
tgs_status tgs_i_check_many(const tgs_call *c, tgs_error *err);
/* a gradient to one operand of two that broadcast: R A, R B, R dY, W dX; attribute input */
tgs_status tgs_i_check_operand(const tgs_call *c, tgs_error *err);
/* an attribute that must be a number, when it is given */
tgs_status tgs_i_check_number(const tgs_call *c, const char *key, tgs_error *err);

/* Two operands walked over one shape, numpy broadcasting: a[k], b[k] are the strides along dim[k],
 * 0 where the operand is repeated.  Dims that all walk alike are merged, so the last is long. */
typedef struct tgs_i_walk {
    int32_t rank; /* at least 1 */
    int64_t dim[TGS_I_RANK], a[TGS_I_RANK], b[TGS_I_RANK];
} tgs_i_walk;
/* false when a or b does not broadcast to shape; b may be NULL: its strides are those of shape */
bool tgs_i_walk_new(tgs_i_walk *w, const tgs_i_shape *shape, const tgs_i_shape *a,
                    const tgs_i_shape *b);
/* offsets of outer row i (all but the last dim), 0 <= i < tgs_i_walk_rows */
int64_t tgs_i_walk_rows(const tgs_i_walk *w);
void tgs_i_walk_row(const tgs_i_walk *w, int64_t row, int64_t *a, int64_t *b);

/* op(A) op(B) over the last two dims, as numpy's matmul: 1-D A is a row and 1-D B a column, whose
 * dim of 1 the output has only when they are transposed; batch dims broadcast */
typedef struct tgs_i_product {
    bool trans_a, trans_b;
    int64_t m, n, k;
    tgs_i_walk batch;                /* strides in matrices */
    int64_t batches, size_a, size_b; /* elements of one matrix */
} tgs_i_product;
tgs_status tgs_i_product_new(tgs_i_product *p, const tgs_call *c, tgs_error *err);

/* A sliding window over 1 to 3 spatial dims; missing ones (in front) have size 1. */
typedef struct tgs_i_window {
    int32_t spatial;
    int64_t batch, group, in_channels, out_channels; /* of all groups */
    int64_t in[3], out[3], kernel[3], stride[3], pad[3], pad_end[3], dilation[3];
    int64_t in_size, out_size, kernel_size; /* of one plane */
} tgs_i_window;
/* x: [N, C, spatial...], y: [N, K, spatial...], w: [K, C/group, kernel...] or NULL for a pool */
tgs_status tgs_i_window_new(tgs_i_window *g, const tgs_call *c, const tgs_buffer *x,
                            const tgs_buffer *w, const tgs_buffer *y, tgs_error *err);

/* The multiply-adds of one input plane, one kernel plane and one output plane, a row at a time:
 * out[y + i] meets in[x + i * stride[2]] at kernel element tap, for 0 <= i < n. */
typedef struct tgs_i_line {
    int64_t tap, x, y, n;
    int64_t k[3], lo[3], hi[3], o[3]; /* where the walk is */
    bool open;
} tgs_i_line;
/* start from a zeroed line; false at the end */
bool tgs_i_line_next(const tgs_i_window *g, tgs_i_line *l);

/* Kernel elements that meet the input at an output: [lo, hi) in each dim; element k reads input
 * position base + k * dilation.  size: how many elements an average counts. */
typedef struct tgs_i_patch {
    int64_t lo[3], hi[3], base[3], size[3];
} tgs_i_patch;
/* moves p to output o along dim d, whose other dims are kept */
void tgs_i_patch_move(const tgs_i_window *g, tgs_i_patch *p, int32_t d, int64_t o,
                      bool include_pad);

/* rows of a softmax: the shape around its axis */
typedef struct tgs_i_axis {
    int64_t outer, size, inner;
} tgs_i_axis;
tgs_status tgs_i_axis_new(tgs_i_axis *a, const tgs_call *c, tgs_error *err);
/* attribute axis names a dim, and all buffers are alike */
tgs_status tgs_i_check_axis(const tgs_call *c, tgs_error *err);
/* all buffers have the dims of the buffer whole but for that of attribute axis; *sum: their extents
 * there, without that of whole */
tgs_status tgs_i_check_beside(const tgs_call *c, int32_t whole, int64_t *sum, tgs_error *err);
/* Entries of data chosen by index along attribute axis (0): picked has the dims of index where data
 * has that one.  An index is i32 or i64. */
typedef struct tgs_i_pick {
    int64_t outer, size, inner, count; /* around the axis, along it, and how many indices */
} tgs_i_pick;
tgs_status tgs_i_pick_new(tgs_i_pick *p, const tgs_call *c, int32_t data, int32_t index,
                          int32_t picked, tgs_error *err);
/* index i counted from the end when it is negative; -1 when it is outside [0, size) */
int64_t tgs_i_pick_at(const tgs_buffer *index, int64_t i, int64_t size);
/* Entries of data at coordinates along its dims from attribute batch_dims (0) on: index [...,
 * width] has width of them for each entry, and the entries have the dims of index but the last,
 * then those of data behind the coordinates (entries -1: no buffer has them). */
typedef struct tgs_i_coordinates {
    int32_t width;
    int64_t count, entry, each; /* entries, elements of one, entries of a part of the batch */
    int64_t dim[TGS_I_RANK];    /* of data, along the coordinates */
} tgs_i_coordinates;
tgs_status tgs_i_coordinates_new(tgs_i_coordinates *p, const tgs_call *c, int32_t data,
                                 int32_t index, int32_t entries, tgs_error *err);
/* where entry i begins in the data; -1: outside, and a negative coordinate counts from the end */
int64_t tgs_i_coordinates_at(const tgs_i_coordinates *p, const tgs_buffer *index, int64_t i);
/* R dY, R I, W dX: a gradient for each index, to that place along attribute axis (0) */
tgs_status tgs_i_check_placed(const tgs_call *c, tgs_error *err);
/* tokens [T, H], experts [E, room, H], index and weights (-1: none) [T, k] */
tgs_status tgs_i_check_mixture(const tgs_call *c, int32_t tokens, int32_t experts, int32_t index,
                               int32_t weights, tgs_error *err);
/* the sums of x that y holds: y has the dims of x, but 1 or none for those of attribute axes (all);
 * w walks x with the strides of y */
tgs_status tgs_i_reduction_new(tgs_i_walk *w, const tgs_buffer *x, const tgs_buffer *y,
                               const tgs_call *c, tgs_error *err);
/* attributes starts and steps (1) of every dim; false when there are other than rank of them */
bool tgs_i_sliced(const tgs_call *c, int32_t rank, int64_t *start, int64_t *step);
tgs_status tgs_i_check_sliced(const tgs_call *c, const tgs_buffer *all, const tgs_buffer *part,
                              tgs_error *err);
/* rows of x normalised from attribute axis (-1) on; w walks a row with the strides of the scale and
 * of the bias, which may be NULL */
typedef struct tgs_i_norm {
    int64_t rows, size;
    tgs_i_walk w;
} tgs_i_norm;
tgs_status tgs_i_norm_new(tgs_i_norm *n, const tgs_call *c, const tgs_buffer *scale,
                          const tgs_buffer *bias, tgs_error *err);
/* buffers [from, to) have one value for each channel (dim 1) of the buffer like */
tgs_status tgs_i_check_channels(const tgs_call *c, int32_t like, int32_t from, int32_t to,
                                tgs_error *err);

#ifdef __cplusplus
}
#endif
#endif
