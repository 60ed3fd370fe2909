/* core.h -- what the CPU codelets share: the one definition in both precisions, and libraries.
 *
 * A codelet's file holds its plain-C definition once, between `#ifdef real` and `#else`, written
 * with `real` for the type, FN(name) for its functions and LIBM(name) for libm's.  The file defines
 * BODY as its own name and includes this header, which compiles that part for float and double. */
#ifndef TGS_CPU_CORE_H
#define TGS_CPU_CORE_H
#include <string.h>
#include "../shape.h"

/* gcc vectorises a loop of unknown length only from here on; results do not change, since nothing
 * here allows it to reorder floating-point sums */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif

/* rows of a kernel table: the plain definition f of a codelet in both precisions */
#define TGS_I_PLAIN(name, f)                                              \
    {name, "cpu", TGS_F32, "plain", 0, f##_f32, NULL, NULL, NULL, NULL},  \
    {                                                                     \
        name, "cpu", TGS_F64, "plain", 0, f##_f64, NULL, NULL, NULL, NULL \
    }

/* a kernel y = of(a, b) element by element, with numpy broadcasting; of is a function */
#define TGS_I_BINARY(name, of)                                                                  \
    static tgs_status name(const tgs_call *c)                                                   \
    {                                                                                           \
        const tgs_i_shape a = tgs_i_shape_of(&c->buffer[0]), b = tgs_i_shape_of(&c->buffer[1]); \
        const tgs_i_shape y = tgs_i_shape_of(&c->buffer[2]);                                    \
        tgs_i_walk w;                                                                           \
                                                                                                \
        if (!tgs_i_walk_new(&w, &y, &a, &b))                                                    \
            return TGS_EINVAL;                                                                  \
        for (int64_t r = 0; r < tgs_i_walk_rows(&w); r++) {                                     \
            const int64_t n = w.dim[w.rank - 1], sa = w.a[w.rank - 1], sb = w.b[w.rank - 1];    \
            const real *pa = c->buffer[0].data, *pb = c->buffer[1].data;                        \
            real *py = (real *)c->buffer[2].data + r * n;                                       \
            int64_t at, bt;                                                                     \
                                                                                                \
            tgs_i_walk_row(&w, r, &at, &bt);                                                    \
            for (int64_t i = 0; i < n; i++)                                                     \
                py[i] = of(pa[at + i * sa], pb[bt + i * sb]);                                   \
        }                                                                                       \
        return TGS_OK;                                                                          \
    }

/* a kernel y = of(x, p, q) element by element, p and q attributes with defaults ("": none) */
#define TGS_I_MAP(name, of, first, p, second, q)                                       \
    static tgs_status name(const tgs_call *c)                                          \
    {                                                                                  \
        const int64_t n = tgs_i_shape_of(&c->buffer[0]).count;                         \
        const real one = (real)(*(first) ? tgs_attr_real(c->attrs, first, p) : (p));   \
        const real two = (real)(*(second) ? tgs_attr_real(c->attrs, second, q) : (q)); \
        const real *x = c->buffer[0].data;                                             \
        real *y = c->buffer[1].data;                                                   \
                                                                                       \
        for (int64_t i = 0; i < n; i++)                                                \
            y[i] = of(x[i], one, two);                                                 \
        return TGS_OK;                                                                 \
    }

/* a kernel dx = dy slope(x, p, q): its gradient */
#define TGS_I_SLOPE(name, slope, first, p, second, q)                                  \
    static tgs_status name(const tgs_call *c)                                          \
    {                                                                                  \
        const int64_t n = tgs_i_shape_of(&c->buffer[0]).count;                         \
        const real one = (real)(*(first) ? tgs_attr_real(c->attrs, first, p) : (p));   \
        const real two = (real)(*(second) ? tgs_attr_real(c->attrs, second, q) : (q)); \
        const real *x = c->buffer[0].data, *dy = c->buffer[1].data;                    \
        real *dx = c->buffer[2].data;                                                  \
                                                                                       \
        for (int64_t i = 0; i < n; i++)                                                \
            dx[i] = dy[i] * slope(x[i], one, two);                                     \
        return TGS_OK;                                                                 \
    }

/* a kernel y = of(..., of(of(x1, x2), x3), ...) with numpy broadcasting, of as many as there are */
#define TGS_I_MANY(name, of)                                              \
    static tgs_status name(const tgs_call *c)                             \
    {                                                                     \
        const tgs_i_shape y = tgs_i_shape_of(&c->buffer[c->buffers - 1]); \
        real *py = c->buffer[c->buffers - 1].data;                        \
        tgs_i_walk w;                                                     \
                                                                          \
        for (int32_t k = 0; k < c->buffers - 1; k++) {                    \
            const tgs_i_shape x = tgs_i_shape_of(&c->buffer[k]);          \
            const real *px = c->buffer[k].data;                           \
                                                                          \
            if (!tgs_i_walk_new(&w, &y, &x, NULL))                        \
                return TGS_EINVAL;                                        \
            for (int64_t i = 0; i < y.count; i++) {                       \
                const int64_t n = w.dim[w.rank - 1];                      \
                int64_t at, unused;                                       \
                                                                          \
                tgs_i_walk_row(&w, i / n, &at, &unused);                  \
                at += i % n * w.a[w.rank - 1];                            \
                py[i] = k ? of(py[i], px[at]) : px[at];                   \
            }                                                             \
        }                                                                 \
        return TGS_OK;                                                    \
    }

/* a kernel of the gradient to operand `input` of y = f(a, b) with numpy broadcasting: dx is summed
 * where the operand was repeated; slope(a, b, input) */
#define TGS_I_BINARY_BWD(name, slope)                                                           \
    static tgs_status name(const tgs_call *c)                                                   \
    {                                                                                           \
        const tgs_i_shape a = tgs_i_shape_of(&c->buffer[0]), b = tgs_i_shape_of(&c->buffer[1]); \
        const tgs_i_shape y = tgs_i_shape_of(&c->buffer[2]);                                    \
        const bool second = tgs_attr_int(c->attrs, "input", 0) != 0;                            \
        const real *pa = c->buffer[0].data, *pb = c->buffer[1].data, *dy = c->buffer[2].data;   \
        real *dx = c->buffer[3].data;                                                           \
        tgs_i_walk w;                                                                           \
                                                                                                \
        if (!tgs_i_walk_new(&w, &y, &a, &b))                                                    \
            return TGS_EINVAL;                                                                  \
        memset(dx, 0, (size_t)(second ? b.count : a.count) * sizeof *dx);                       \
        for (int64_t r = 0; r < tgs_i_walk_rows(&w); r++) {                                     \
            const int64_t n = w.dim[w.rank - 1], sa = w.a[w.rank - 1], sb = w.b[w.rank - 1];    \
            int64_t at, bt;                                                                     \
                                                                                                \
            tgs_i_walk_row(&w, r, &at, &bt);                                                    \
            for (int64_t i = 0; i < n; i++)                                                     \
                dx[second ? bt + i * sb : at + i * sa] +=                                       \
                    dy[r * n + i] * slope(pa[at + i * sa], pb[bt + i * sb], second);            \
        }                                                                                       \
        return TGS_OK;                                                                          \
    }

/* norm.c: a row normalised is (x - *mean) * *inverse; the mean is 0 when it is not centred (RMS) */
void tgs_i_statistics_f32(const float *x, int64_t size, bool centred, float epsilon, float *mean,
                          float *inverse);
void tgs_i_statistics_f64(const double *x, int64_t size, bool centred, double epsilon, double *mean,
                          double *inverse);

/* recurrent.c: X [steps,batch,inputs] -> Y [steps,directions,batch,hidden] */
typedef struct tgs_i_lstm {
    int64_t steps, directions, batch, inputs, hidden;
    bool reverse; /* its only direction is backwards */
} tgs_i_lstm;
/* of a call whose first buffers are X, W, R, B, and whose states have the shape of y */
tgs_status tgs_i_lstm_new(tgs_i_lstm *l, const tgs_call *c, const tgs_buffer *y, tgs_error *err);
/* where in X and Y a direction's step is */
int64_t tgs_i_lstm_time(const tgs_i_lstm *l, int64_t direction, int64_t step);
/* fills gates [steps][4 hidden], cell and h [steps][hidden], in the order of steps */
void tgs_i_lstm_run_f32(const tgs_i_lstm *l, const float *const *weights, int64_t direction,
                        int64_t sample, const float *x, float *gates, float *cell, float *h);
void tgs_i_lstm_run_f64(const tgs_i_lstm *l, const double *const *weights, int64_t direction,
                        int64_t sample, const double *x, double *gates, double *cell, double *h);

/* blas.c: OpenBLAS in this thread only */
void tgs_i_blas_single(void);
/* row-major: c = alpha op(a) op(b) + beta c */
void tgs_i_blas_sgemm(bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, float alpha,
                      const float *a, const float *b, float beta, float *c);

/* onednn.c: in float32 through oneDNN, as kernels */
tgs_status tgs_i_onednn_tanh(const tgs_call *c);
tgs_status tgs_i_onednn_tanh_prepare(tgs_call *c);
tgs_status tgs_i_onednn_sigmoid(const tgs_call *c);
tgs_status tgs_i_onednn_sigmoid_prepare(tgs_call *c);
tgs_status tgs_i_onednn_forward(const tgs_call *c);
tgs_status tgs_i_onednn_bwd_data(const tgs_call *c);
tgs_status tgs_i_onednn_bwd_weights(const tgs_call *c);
tgs_status tgs_i_onednn_forward_prepare(tgs_call *c);
tgs_status tgs_i_onednn_bwd_data_prepare(tgs_call *c);
tgs_status tgs_i_onednn_bwd_weights_prepare(tgs_call *c);
void tgs_i_onednn_release(tgs_call *c);

#ifdef BODY
#define real       float
#define FN(name)   name##_f32
#define LIBM(name) name##f
#include BODY
#undef real
#undef FN
#undef LIBM
#define real       double
#define FN(name)   name##_f64
#define LIBM(name) name
#include BODY
#undef real
#undef FN
#undef LIBM
#endif
#endif
