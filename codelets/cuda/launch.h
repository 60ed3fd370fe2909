/* launch.h -- the launchers of the module tgsched-cuda: plain C functions around CUDA kernels.
 *
 * Every one enqueues on stream (a cudaStream_t), does not wait, and returns a cudaError_t, 0 being
 * success.  Addresses are of device memory, elements float32 unless said otherwise.  The library
 * finds them by name when a kernel is prepared, so that it needs no CUDA itself. */
#ifndef TGS_CUDA_LAUNCH_H
#define TGS_CUDA_LAUNCH_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

int tgs_cuda_devices(void); /* 0 where there is no device, or no driver */
int tgs_cuda_alloc(void **out, size_t bytes);
int tgs_cuda_free(void *p);
int tgs_cuda_upload(void *to, const void *from, size_t bytes);   /* from the host; waits */
int tgs_cuda_download(void *to, const void *from, size_t bytes); /* to the host; waits */
int tgs_cuda_copy(void *to, const void *from, size_t bytes, void *stream);

int tgs_cuda_relu(const float *x, float *y, int64_t n, void *stream);
int tgs_cuda_sigmoid(const float *x, float *y, int64_t n, void *stream);
int tgs_cuda_tanh(const float *x, float *y, int64_t n, void *stream);
int tgs_cuda_relu_bwd(const float *y, const float *dy, float *dx, int64_t n, void *stream);
int tgs_cuda_sigmoid_bwd(const float *y, const float *dy, float *dx, int64_t n, void *stream);
int tgs_cuda_tanh_bwd(const float *y, const float *dy, float *dx, int64_t n, void *stream);
int tgs_cuda_accumulate(float *a, const float *x, int64_t n, void *stream);
int tgs_cuda_sgd(float *w, const float *g, float lr, int64_t n, void *stream);

typedef struct tgs_cuda_dims { /* of a walk over an array; the last dim varies fastest */
    int32_t rank;
    int64_t dim[8], a[8], b[8]; /* strides of two operands */
} tgs_cuda_dims;
/* y, whole and in order, = a + b along the walk */
int tgs_cuda_add(const float *a, const float *b, float *y, tgs_cuda_dims walk, void *stream);
/* y[i], at item i of kept, = the sum of x over gone; strides a are those of x */
int tgs_cuda_reduce(const float *x, float *y, tgs_cuda_dims kept, tgs_cuda_dims gone, void *stream);

/* y (m x n, rows in order) = alpha a b, added to what is there when add; a[i, t] is
 * a[i * a_row + t * a_step], b[t, j] is b[t * b_row + j * b_step] */
typedef struct tgs_cuda_product {
    int32_t m, n, k, add;
    int64_t a_row, a_step, b_row, b_step;
    float alpha;
} tgs_cuda_product;
int tgs_cuda_gemm(const float *a, const float *b, float *y, tgs_cuda_product p, void *stream);
/* y[i, j] = beta c[i * row + j * column], y of m x n */
int tgs_cuda_bias(const float *c, float *y, int32_t m, int32_t n, int32_t row, int32_t column,
                  float beta, void *stream);

/* partial: rows floats of scratch; labels are int32, and one out of range makes the loss NaN */
int tgs_cuda_softmax_xent(const float *x, const int32_t *label, float *dx, float *loss,
                          float *partial, int32_t rows, int32_t n, float scale, void *stream);

typedef struct tgs_cuda_window {
    int32_t channels; /* of the planes handled */
    int32_t in[3], out[3], kernel[3], stride[3], pad[3], dilation[3];
} tgs_cuda_window;
/* column[(c, tap), o] = x[c, where tap meets output o], 0 in the padding */
int tgs_cuda_im2col(const float *x, float *column, tgs_cuda_window w, void *stream);
/* x[c, i] = the sum of what im2col took from there */
int tgs_cuda_col2im(const float *column, float *x, tgs_cuda_window w, void *stream);
#ifdef __cplusplus
}
#endif
#endif
