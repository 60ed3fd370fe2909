/* encrypt.c -- a datum of any type encrypted with ChaCha20, under a key that is no secret: what it
 * costs is real, what it hides is not. */
#include "chacha20.h"

static const tgs_kernel kernels[] = {
    {"encrypt", "cpu", TGS_BYTES, "plain", 0, tgs_i_chacha20_call, NULL, NULL, NULL, NULL},
    {0},
};

const tgs_kernels tgs_kernel_cpu_encrypt = {
    .base = {TGS_PLUGIN_ABI, "encrypt", "ChaCha20 under a key that is no secret",
             "Nir, Langley, RFC 8439, 2018", NULL},
    .buffers = "R X, W Y",
    .attrs = "nonce",
    .kernel = kernels,
    .check = tgs_i_chacha20_check,
};
