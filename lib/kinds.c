/* kinds.c -- processors known by name, so that a one-line spec can be priced by a roofline.
 *
 * Peak float32 rates without matrix units and memory bandwidths are the vendors' data sheets; "cpu"
 * is one core of a current server, "gpu" a mid-range card.  The overhead is what starting one
 * kernel costs, of the order measured for each kind of runtime. */
#include <string.h>
#include "platform.h"

const tgs_i_known tgs_i_known_kinds[] = {
    {"cpu", "cpu", 50e9, 10e9, 1e-6},
    {"gpu", "opencl", 10e12, 500e9, 1e-5},
    {"p100", "cuda", 9.3e12, 732e9, 5e-6},
    {"v100", "cuda", 15.7e12, 900e9, 5e-6},
    {"t4", "cuda", 8.1e12, 320e9, 5e-6},
    {"rtx2080ti", "cuda", 13.4e12, 616e9, 5e-6},
    {"a10", "cuda", 31.2e12, 600e9, 5e-6},
    {"a40", "cuda", 37.4e12, 696e9, 5e-6},
    {"a100", "cuda", 19.5e12, 1555e9, 5e-6},
    {"l4", "cuda", 30.3e12, 300e9, 5e-6},
    {"h100", "cuda", 66.9e12, 3350e9, 5e-6},
    {"h200", "cuda", 66.9e12, 4800e9, 5e-6},
    {"mi100", "opencl", 23.1e12, 1228.8e9, 1e-5},
    {"mi250x", "opencl", 47.9e12, 3276.8e9, 1e-5},
    {NULL, NULL, 0, 0, 0},
};

tgs_kind tgs_i_kind_named(const char *name)
{
    for (const tgs_i_known *k = tgs_i_known_kinds; k->name; k++)
        if (!strcmp(k->name, name))
            return (tgs_kind){name, k->arch, k->flops, k->bandwidth, k->overhead, NAN, NAN, 0};
    return (tgs_kind){name, "cpu", NAN, NAN, 0, NAN, NAN, 0};
}
