/* probe.h -- what an execution backend sees of this machine; the contract between host.c and the
 * module "starpu", which exports
 *
 *     tgs_status tgs_i_starpu_probe(tgs_i_probe *out, tgs_error *err);
 *
 * host.c asks for it with tgs_module_symbol("starpu", "tgs_i_starpu_probe", ...) and makes the
 * platform `host` of the answer; without the module that platform has CPUs only.  Only fixed-size
 * members: nothing to free. */
#ifndef TGS_PROBE_H
#define TGS_PROBE_H
#include <stdint.h>
#include "tgsched.h"

#define TGS_I_PROBE_DEVICES 15 /* StarPU's usual limit of 16 memory nodes, less main memory */

typedef struct tgs_i_probe_device { /* one accelerator: a worker with a memory of its own */
    char arch[16];                  /* "opencl" or "cuda" */
    char name[128];                 /* as the driver gives it, any bytes; "" unknown */
    double memory;                  /* bytes StarPU may use there; 0 unknown */
    double flops;                   /* peak f32 flop/s; 0 unknown */
    double bandwidth;               /* of its memory, byte/s; 0 unknown */
} tgs_i_probe_device;

typedef struct tgs_i_probe {
    int32_t cpus;    /* most CPU workers this StarPU can start, whatever this machine has */
    int32_t devices; /* by arch ("cuda" first), then the backend's device number */
    tgs_i_probe_device device[TGS_I_PROBE_DEVICES];
    /* measured, from memory to memory: 0 is main memory, 1 + i that of device[i]; bandwidth in
     * byte/s, 0 where nothing was measured (main memory then has the default link, two devices
     * none) */
    double bandwidth[TGS_I_PROBE_DEVICES + 1][TGS_I_PROBE_DEVICES + 1];
    double latency[TGS_I_PROBE_DEVICES + 1][TGS_I_PROBE_DEVICES + 1];
} tgs_i_probe;

typedef tgs_status tgs_i_probe_call(tgs_i_probe *out, tgs_error *err);
/* host.c: the platform of a machine with so many cores and bytes of main memory (0: unknown) */
tgs_status tgs_i_host_build(tgs_platform **out, int32_t cores, double memory,
                            const tgs_i_probe *probe, tgs_error *err);
#endif
