/* window.cu -- convolutions as matrix products: an image to columns and back. */
#include "launch.h"
#include <cuda_runtime.h>

enum { THREADS = 256, MOST_BLOCKS = 8192 };

static unsigned blocks(int64_t n)
{
    const int64_t want = (n + THREADS - 1) / THREADS;

    return (unsigned)(want < MOST_BLOCKS ? want : MOST_BLOCKS);
}

static __host__ __device__ int64_t volume(const int32_t size[3])
{
    return (int64_t)size[0] * size[1] * size[2];
}

static __device__ void unravel(int64_t i, const int32_t size[3], int at[3])
{
    at[2] = (int)(i % size[2]);
    at[1] = (int)(i / size[2] % size[1]);
    at[0] = (int)(i / size[2] / size[1]);
}

static __global__ void im2col(const float *x, float *column, tgs_cuda_window w, int64_t n)
{
    const int64_t outs = volume(w.out), taps = volume(w.kernel);
    const int64_t step = (int64_t)gridDim.x * THREADS;

    for (int64_t e = (int64_t)blockIdx.x * THREADS + threadIdx.x; e < n; e += step) {
        const int64_t c = e / outs / taps;
        int o[3], k[3], i[3];
        bool inside = true;

        unravel(e % outs, w.out, o);
        unravel(e / outs % taps, w.kernel, k);
        for (int d = 0; d < 3; d++) {
            i[d] = o[d] * w.stride[d] - w.pad[d] + k[d] * w.dilation[d];
            inside = inside && i[d] >= 0 && i[d] < w.in[d];
        }
        column[e] = inside ? x[((c * w.in[0] + i[0]) * w.in[1] + i[1]) * w.in[2] + i[2]] : 0;
    }
}

/* gathers, so that no two threads write one element and the order of the sum is fixed */
static __global__ void col2im(const float *column, float *x, tgs_cuda_window w, int64_t n)
{
    const int64_t ins = volume(w.in), outs = volume(w.out), taps = volume(w.kernel);
    const int64_t step = (int64_t)gridDim.x * THREADS;

    for (int64_t e = (int64_t)blockIdx.x * THREADS + threadIdx.x; e < n; e += step) {
        const float *from = column + e / ins * taps * outs;
        float sum = 0;
        int i[3];

        unravel(e % ins, w.in, i);
        for (int64_t tap = 0; tap < taps; tap++) {
            int k[3], o[3];
            bool meets = true;

            unravel(tap, w.kernel, k);
            for (int d = 0; d < 3; d++) {
                const int far = i[d] + w.pad[d] - k[d] * w.dilation[d];

                o[d] = far / w.stride[d];
                meets = meets && far >= 0 && far % w.stride[d] == 0 && o[d] < w.out[d];
            }
            if (meets)
                sum += from[tap * outs + ((int64_t)o[0] * w.out[1] + o[1]) * w.out[2] + o[2]];
        }
        x[e] = sum;
    }
}

extern "C" int tgs_cuda_im2col(const float *x, float *column, tgs_cuda_window w, void *stream)
{
    const int64_t n = w.channels * volume(w.kernel) * volume(w.out);

    if (n > 0)
        im2col<<<blocks(n), THREADS, 0, (cudaStream_t)stream>>>(x, column, w, n);
    return cudaGetLastError();
}

extern "C" int tgs_cuda_col2im(const float *column, float *x, tgs_cuda_window w, void *stream)
{
    const int64_t n = w.channels * volume(w.in);

    if (n > 0)
        col2im<<<blocks(n), THREADS, 0, (cudaStream_t)stream>>>(column, x, w, n);
    return cudaGetLastError();
}
