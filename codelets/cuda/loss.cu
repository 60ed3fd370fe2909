/* loss.cu -- cross entropy of softmax, and its gradient: a warp per row, then one block that adds
 * the rows in a fixed order. */
#include "launch.h"
#include <cuda_runtime.h>

enum { WARP = 32, ROWS = 8, THREADS = 256 };

static __device__ float all_max(float x)
{
    for (int d = WARP / 2; d > 0; d /= 2)
        x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, d));
    return x;
}

static __device__ double all_sum(double x)
{
    for (int d = WARP / 2; d > 0; d /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, d);
    return x;
}

static __global__ void rows_of(const float *x, const int32_t *label, float *dx, float *partial,
                               int rows, int n, float scale)
{
    const int r = blockIdx.x * ROWS + threadIdx.y;
    float top = -INFINITY;
    double total = 0; /* sums in double: what is rounded is the result */

    if (r >= rows)
        return; /* the whole warp */
    x += (int64_t)r * n;
    dx += (int64_t)r * n;
    for (int i = threadIdx.x; i < n; i += WARP)
        top = fmaxf(top, x[i]);
    top = all_max(top);
    for (int i = threadIdx.x; i < n; i += WARP)
        total += dx[i] = expf(x[i] - top);
    total = all_sum(total);
    for (int i = threadIdx.x; i < n; i += WARP)
        dx[i] = (float)(dx[i] * (scale / total)) - (i == label[r] ? scale : 0);
    if (threadIdx.x == 0)
        partial[r] = label[r] < 0 || label[r] >= n
                         ? NAN
                         : (float)(log(total) - ((double)x[label[r]] - top));
}

static __global__ void total_of(const float *partial, float *loss, int rows, float scale)
{
    __shared__ double part[THREADS];
    double sum = 0;

    for (int r = threadIdx.x; r < rows; r += THREADS)
        sum += partial[r];
    part[threadIdx.x] = sum;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        *loss = (float)(scale * part[0]);
}

extern "C" int tgs_cuda_softmax_xent(const float *x, const int32_t *label, float *dx, float *loss,
                                     float *partial, int32_t rows, int32_t n, float scale,
                                     void *stream)
{
    if (rows > 0)
        rows_of<<<(unsigned)(rows + ROWS - 1) / ROWS, dim3(WARP, ROWS), 0, (cudaStream_t)stream>>>(
            x, label, dx, partial, rows, n, scale);
    total_of<<<1, THREADS, 0, (cudaStream_t)stream>>>(partial, loss, rows, scale);
    return cudaGetLastError();
}
