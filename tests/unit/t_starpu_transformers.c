/* t_starpu_transformers.c -- a small GPT-2 trained on CPU workers and OpenCL devices together,
 * plain, tensor-parallel and with a sharded optimizer: normalizations and embeddings on the CPU,
 * products where there is time.  A stage of a pipeline stays in one memory, which must be that of
 * the CPU: OpenCL has no normalizations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "planned.h"

static void gpt2(void **state)
{
    static const setting settings[] = {
        {NULL, "batch 32", 4},
        {NULL, "micro-batches 4; pipeline 2 1f1b", 1},
        {NULL, "batch 32; tensor 1d 2", 4},
        {NULL, "micro-batches 2; replicas 2; shard 1", 2},
        {NULL, "micro-batches 4; pipeline 3 gpipe; recompute", 1},
    };
    static const planned of = {
        "zoo:gpt2:batch=8:seq=4:layers=2:width=16:heads=2:words=32:positions=4",
        "zoo:gpt2:batch=32:seq=4:layers=2:width=16:heads=2:words=32:positions=4", 3, 32, 4};

    (void)state;
    planned_all(&of, settings, sizeof settings / sizeof *settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gpt2)};

    return planned_main(tests, sizeof tests / sizeof *tests);
}
