/* elementwise.cu -- one function of one, two or three arrays; and the walks of broadcasting. */
#include "launch.h"
#include <cuda_runtime.h>

enum { THREADS = 256, MOST_BLOCKS = 4096 };

static unsigned blocks(int64_t n)
{
    const int64_t want = (n + THREADS - 1) / THREADS;

    return (unsigned)(want < MOST_BLOCKS ? want : MOST_BLOCKS);
}

template <class F> __global__ void each(int64_t n, F f)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        f(i);
}

template <class F> static int launch(int64_t n, void *stream, F f)
{
    if (n > 0)
        each<<<blocks(n), THREADS, 0, (cudaStream_t)stream>>>(n, f);
    return cudaGetLastError();
}

struct Relu {
    const float *x;
    float *y;
    __device__ void operator()(int64_t i) const { y[i] = x[i] < 0 ? 0 : x[i]; }
};
struct Sigmoid {
    const float *x;
    float *y;
    __device__ void operator()(int64_t i) const { y[i] = 1 / (1 + expf(-x[i])); }
};
struct Tanh {
    const float *x;
    float *y;
    __device__ void operator()(int64_t i) const { y[i] = tanhf(x[i]); }
};
struct ReluBwd {
    const float *y, *dy;
    float *dx;
    __device__ void operator()(int64_t i) const { dx[i] = y[i] > 0 ? dy[i] : 0; }
};
struct SigmoidBwd {
    const float *y, *dy;
    float *dx;
    __device__ void operator()(int64_t i) const { dx[i] = dy[i] * y[i] * (1 - y[i]); }
};
struct TanhBwd {
    const float *y, *dy;
    float *dx;
    __device__ void operator()(int64_t i) const { dx[i] = dy[i] * (1 - y[i] * y[i]); }
};
struct Accumulate {
    float *a;
    const float *x;
    __device__ void operator()(int64_t i) const { a[i] += x[i]; }
};
struct Sgd {
    float *w;
    const float *g;
    float lr;
    __device__ void operator()(int64_t i) const { w[i] -= lr * g[i]; }
};

/* where item i of a walk is in both operands */
static __device__ void locate(const tgs_cuda_dims &d, int64_t i, int64_t *a, int64_t *b)
{
    *a = *b = 0;
    for (int k = d.rank - 1; k >= 0; k--) {
        const int64_t at = i % d.dim[k];

        i /= d.dim[k];
        *a += at * d.a[k];
        *b += at * d.b[k];
    }
}

struct Add {
    const float *a, *b;
    float *y;
    tgs_cuda_dims walk;
    __device__ void operator()(int64_t i) const
    {
        int64_t at, bt;

        locate(walk, i, &at, &bt);
        y[i] = a[at] + b[bt];
    }
};

static int64_t items(const tgs_cuda_dims *d)
{
    int64_t n = 1;

    for (int k = 0; k < d->rank; k++)
        n *= d->dim[k];
    return n;
}

/* a block per element of y; its threads add their share, then each other's in a fixed order */
static __global__ void reduce(const float *x, float *y, tgs_cuda_dims kept, tgs_cuda_dims gone,
                              int64_t n, int64_t times)
{
    __shared__ float part[THREADS];

    for (int64_t i = blockIdx.x; i < n; i += gridDim.x) {
        int64_t base, at, unused;
        float sum = 0;

        locate(kept, i, &base, &unused);
        for (int64_t t = threadIdx.x; t < times; t += THREADS) {
            locate(gone, t, &at, &unused);
            sum += x[base + at];
        }
        part[threadIdx.x] = sum;
        for (int half = THREADS / 2; half > 0; half /= 2) {
            __syncthreads();
            if (threadIdx.x < half)
                part[threadIdx.x] += part[threadIdx.x + half];
        }
        if (threadIdx.x == 0)
            y[i] = part[0];
        __syncthreads();
    }
}

extern "C" {
int tgs_cuda_relu(const float *x, float *y, int64_t n, void *stream)
{
    return launch(n, stream, Relu{x, y});
}

int tgs_cuda_sigmoid(const float *x, float *y, int64_t n, void *stream)
{
    return launch(n, stream, Sigmoid{x, y});
}

int tgs_cuda_tanh(const float *x, float *y, int64_t n, void *stream)
{
    return launch(n, stream, Tanh{x, y});
}

int tgs_cuda_relu_bwd(const float *y, const float *dy, float *dx, int64_t n, void *stream)
{
    return launch(n, stream, ReluBwd{y, dy, dx});
}

int tgs_cuda_sigmoid_bwd(const float *y, const float *dy, float *dx, int64_t n, void *stream)
{
    return launch(n, stream, SigmoidBwd{y, dy, dx});
}

int tgs_cuda_tanh_bwd(const float *y, const float *dy, float *dx, int64_t n, void *stream)
{
    return launch(n, stream, TanhBwd{y, dy, dx});
}

int tgs_cuda_accumulate(float *a, const float *x, int64_t n, void *stream)
{
    return launch(n, stream, Accumulate{a, x});
}

int tgs_cuda_sgd(float *w, const float *g, float lr, int64_t n, void *stream)
{
    return launch(n, stream, Sgd{w, g, lr});
}

int tgs_cuda_add(const float *a, const float *b, float *y, tgs_cuda_dims walk, void *stream)
{
    return launch(items(&walk), stream, Add{a, b, y, walk});
}

int tgs_cuda_reduce(const float *x, float *y, tgs_cuda_dims kept, tgs_cuda_dims gone, void *stream)
{
    const int64_t n = items(&kept);

    if (n > 0)
        reduce<<<(unsigned)(n < 65536 ? n : 65536), THREADS, 0, (cudaStream_t)stream>>>(
            x, y, kept, gone, n, items(&gone));
    return cudaGetLastError();
}
}
