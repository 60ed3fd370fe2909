/* memory.cu -- devices and their memory. */
#include "launch.h"
#include <cuda_runtime.h>

extern "C" int tgs_cuda_devices(void)
{
    int n = 0;

    return cudaGetDeviceCount(&n) == cudaSuccess ? n : 0;
}

extern "C" int tgs_cuda_alloc(void **out, size_t bytes)
{
    *out = NULL;
    return cudaMalloc(out, bytes);
}

extern "C" int tgs_cuda_free(void *p)
{
    return cudaFree(p);
}

extern "C" int tgs_cuda_upload(void *to, const void *from, size_t bytes)
{
    return cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice);
}

extern "C" int tgs_cuda_download(void *to, const void *from, size_t bytes)
{
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost);
}

extern "C" int tgs_cuda_copy(void *to, const void *from, size_t bytes, void *stream)
{
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, (cudaStream_t)stream);
}
