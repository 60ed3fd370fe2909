/* kernels.c -- `kernels [CASE]`: the speed of codelets on one core, as rows of bench.c's form; the
 * value is nanoseconds per 1000 flops (10 is 100 Gflop/s), so that less is better. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tgsched/plugin.h"

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct speed {
    const char *name, *codelet, *attrs;
    int64_t dims[4][4]; /* of the buffers; ends with 0s */
    int32_t buffers;
    double flops, target;
} speed;

static const speed speeds[] = {
    {"kernel-gemm", "gemm", "", {{512, 512}, {512, 512}, {512, 512}}, 3, 2. * 512 * 512 * 512, 40},
    {"kernel-conv",
     "conv",
     "pads=1,1,1,1",
     {{8, 32, 28, 28}, {64, 32, 3, 3}, {8, 64, 28, 28}},
     3,
     2. * 8 * 64 * 28 * 28 * 32 * 9,
     60},
    {"kernel-conv-data",
     "conv_bwd_data",
     "pads=1,1,1,1",
     {{8, 64, 28, 28}, {64, 32, 3, 3}, {8, 32, 28, 28}},
     3,
     2. * 8 * 64 * 28 * 28 * 32 * 9,
     60},
    {"kernel-conv-weights",
     "conv_bwd_weights",
     "pads=1,1,1,1",
     {{8, 32, 28, 28}, {8, 64, 28, 28}, {64, 32, 3, 3}},
     3,
     2. * 8 * 64 * 28 * 28 * 32 * 9,
     60},
    {"kernel-relu", "relu", "", {{1 << 20}, {1 << 20}}, 2, 1 << 20, 2000},
    {"kernel-sgd", "sgd", "lr=0.1", {{1 << 20}, {1 << 20}}, 2, 2 << 20, 1000},
    {"kernel-tanh", "tanh", "", {{1 << 20}, {1 << 20}}, 2, 1 << 20, 40000},
    {"kernel-maxpool",
     "maxpool",
     "kernel=2,2 strides=2,2",
     {{8, 64, 28, 28}, {8, 64, 14, 14}},
     2,
     8. * 64 * 28 * 28,
     20000},
};

/* the least time of several calls of the preferred kernel */
static double measure(const tgs_codelets *set, const speed *s)
{
    const tgs_kernel *k = tgs_kernel_find(set, s->codelet, "cpu", TGS_F32);
    tgs_buffer b[4];
    tgs_call call = {.buffer = b, .buffers = s->buffers, .attrs = s->attrs, .user = k->user};
    double least = 1e9;

    for (int32_t i = 0; i < s->buffers; i++) {
        int64_t n = 1;

        b[i] = (tgs_buffer){.dtype = TGS_F32, .dims = s->dims[i]};
        while (b[i].rank < 4 && s->dims[i][b[i].rank])
            n *= s->dims[i][b[i].rank++];
        b[i].bytes = 4 * (double)n;
        b[i].data = tgs_mem_alloc((size_t)n, 4);
        for (int64_t j = 0; b[i].data && j < n; j++)
            ((float *)b[i].data)[j] = (float)(j % 17) / 17 - 0.5f;
    }
    if (k->prepare && k->prepare(&call))
        exit(1);
    for (int i = 0; i < 12; i++) {
        const double start = now();

        if (k->run(&call))
            exit(1);
        least = i > 1 && now() - start < least ? now() - start : least;
    }
    if (k->release)
        k->release(&call);
    for (int32_t i = 0; i < s->buffers; i++)
        tgs_mem_free(b[i].data);
    return least;
}

int main(int argc, char **argv)
{
    tgs_codelets *set;

    if (tgs_codelets_new(&set, NULL))
        return 1;
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
        const speed *s = &speeds[i];
        double value;

        if (argc > 1 && *argv[1] && strcmp(argv[1], s->name))
            continue;
        value = measure(set, s) / s->flops * 1e12;
        printf("%s,%.4g,ns/kflop,%g,%s\n", s->name, value, s->target,
               value <= s->target ? "yes" : "no");
    }
    tgs_codelets_free(set);
    return 0;
}
