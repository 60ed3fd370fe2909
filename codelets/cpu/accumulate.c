/* accumulate.c -- a += x. */
#ifdef real
static tgs_status FN(accumulate_run)(const tgs_call *c)
{
    const int64_t n = tgs_i_shape_of(&c->buffer[0]).count;
    real *a = c->buffer[0].data;
    const real *x = c->buffer[1].data;

    for (int64_t i = 0; i < n; i++)
        a[i] += x[i];
    return TGS_OK;
}
#else
#define BODY "accumulate.c"
#include "core.h"

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("accumulate", accumulate_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_accumulate = {
    .base = {TGS_PLUGIN_ABI, "accumulate", "add one tensor into another", NULL, NULL},
    .buffers = "RW A, R X",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_elementwise,
};
#endif
