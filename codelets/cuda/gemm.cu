/* gemm.cu -- matrix products: a block computes 64 x 64 of y from tiles in shared memory, a thread
 * 4 x 4 of them in registers.  Strides make transposed operands the same kernel. */
#include "launch.h"
#include <cuda_runtime.h>

enum { TILE = 64, DEPTH = 16, EACH = 4, SIDE = TILE / EACH };

/* tile[t][i] = from[first + i, at + t], 0 outside */
static __device__ void load(float tile[DEPTH][TILE + 1], const float *from, int64_t row,
                            int64_t step, int first, int rows, int at, int depth)
{
    const int thread = threadIdx.y * SIDE + threadIdx.x;

    for (int e = thread; e < TILE * DEPTH; e += SIDE * SIDE) {
        /* neighbouring threads read neighbouring addresses, whichever stride is 1 */
        const int i = step == 1 ? e / DEPTH : e % TILE, t = step == 1 ? e % DEPTH : e / TILE;

        tile[t][i] = first + i < rows && at + t < depth
                         ? from[(int64_t)(first + i) * row + (int64_t)(at + t) * step]
                         : 0;
    }
}

static __global__ void product(const float *a, const float *b, float *y, tgs_cuda_product p)
{
    __shared__ float as[DEPTH][TILE + 1], bs[DEPTH][TILE + 1];
    const int i0 = blockIdx.y * TILE, j0 = blockIdx.x * TILE;
    float sum[EACH][EACH] = {{0}};

    for (int at = 0; at < p.k; at += DEPTH) {
        load(as, a, p.a_row, p.a_step, i0, p.m, at, p.k);
        load(bs, b, p.b_step, p.b_row, j0, p.n, at, p.k);
        __syncthreads();
        for (int t = 0; t < DEPTH; t++) {
            float left[EACH], right[EACH];

            for (int r = 0; r < EACH; r++) {
                left[r] = as[t][threadIdx.y + r * SIDE];
                right[r] = bs[t][threadIdx.x + r * SIDE];
            }
            for (int r = 0; r < EACH; r++)
                for (int c = 0; c < EACH; c++)
                    sum[r][c] += left[r] * right[c];
        }
        __syncthreads();
    }
    for (int r = 0; r < EACH; r++)
        for (int c = 0; c < EACH; c++) {
            const int i = i0 + threadIdx.y + r * SIDE, j = j0 + threadIdx.x + c * SIDE;
            float *to = y + (int64_t)i * p.n + j;

            if (i < p.m && j < p.n)
                *to = p.add ? *to + p.alpha * sum[r][c] : p.alpha * sum[r][c];
        }
}

static __global__ void bias(const float *c, float *y, int n, int64_t count, int row, int column,
                            float beta)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; e < count; e += step)
        y[e] = beta * c[e / n * row + e % n * column];
}

extern "C" int tgs_cuda_gemm(const float *a, const float *b, float *y, tgs_cuda_product p,
                             void *stream)
{
    const dim3 grid((unsigned)(p.n + TILE - 1) / TILE, (unsigned)(p.m + TILE - 1) / TILE);

    if (grid.y > 65535)
        return cudaErrorInvalidConfiguration;
    if (p.m > 0 && p.n > 0)
        product<<<grid, dim3(SIDE, SIDE), 0, (cudaStream_t)stream>>>(a, b, y, p);
    return cudaGetLastError();
}

extern "C" int tgs_cuda_bias(const float *c, float *y, int32_t m, int32_t n, int32_t row,
                             int32_t column, float beta, void *stream)
{
    const int64_t count = (int64_t)m * n, blocks = (count + 255) / 256;

    if (count > 0)
        bias<<<(unsigned)(blocks < 4096 ? blocks : 4096), 256, 0, (cudaStream_t)stream>>>(
            c, y, n, count, row, column, beta);
    return cudaGetLastError();
}
