/* identity.c -- copy of any tensor, of any dtype. */
#include "core.h"

static tgs_status identity_run(const tgs_call *c)
{
    memcpy(c->buffer[1].data, c->buffer[0].data, (size_t)c->buffer[0].bytes);
    return TGS_OK;
}

static const tgs_kernel kernels[] = {
    {"identity", "cpu", TGS_BYTES, "plain", 0, identity_run, NULL, NULL, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cpu_identity = {
    .base = {TGS_PLUGIN_ABI, "identity", "copy of any tensor", NULL, NULL},
    .buffers = "R X, W Y",
    .attrs = "",
    .kernel = kernels,
    .check = tgs_i_check_copy,
};
