/* starpu_probe.c -- what StarPU will really start on this machine, and the bus it has measured. */
#include <string.h>
#include "probe.h"
#include "starpu_core.h"

tgs_i_probe_call tgs_i_starpu_probe;

#ifdef STARPU_USE_OPENCL
static void name_opencl(int worker, char *name, size_t size)
{
    cl_device_id device;
    char text[128] = "";

    starpu_opencl_get_device(starpu_worker_get_devid(worker), &device);
    if (clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, NULL) == CL_SUCCESS)
        snprintf(name, size, "%s", text);
}
#endif

static void add(tgs_i_probe *out, unsigned *node, enum starpu_worker_archtype type,
                const char *arch)
{
    const int n = starpu_worker_get_count_by_type(type);

    for (int i = 0; i < n && out->devices < TGS_I_PROBE_DEVICES; i++) {
        tgs_i_probe_device *d = &out->device[out->devices];
        const int worker = starpu_worker_get_by_type(type, i);
        starpu_ssize_t total;

        node[++out->devices] = starpu_worker_get_memory_node((unsigned)worker);
        total = starpu_memory_get_total(node[out->devices]);
        snprintf(d->arch, sizeof d->arch, "%s", arch);
        starpu_worker_get_name(worker, d->name, sizeof d->name);
#ifdef STARPU_USE_OPENCL
        if (type == STARPU_OPENCL_WORKER)
            name_opencl(worker, d->name, sizeof d->name);
#endif
        d->memory = total > 0 ? (double)total : 0;
    }
}

tgs_status tgs_i_starpu_probe(tgs_i_probe *out, tgs_error *err)
{
    /* every device; CPUs are limited by the build only */
    const spu_want want = {.count = {1, -1, -1}};
    unsigned node[TGS_I_PROBE_DEVICES + 1] = {STARPU_MAIN_RAM};
    spu_machine *machine;
    tgs_status status;

    memset(out, 0, sizeof *out);
    status = tgs_i_spu_take(&machine, &want, err);
    if (status)
        return status;
    out->cpus = STARPU_MAXCPUS;
    add(out, node, STARPU_CUDA_WORKER, "cuda");
    add(out, node, STARPU_OPENCL_WORKER, "opencl");
    for (int i = 0; i <= out->devices; i++)
        for (int j = 0; j <= out->devices; j++)
            if (i != j) {
                out->bandwidth[i][j] = starpu_transfer_bandwidth(node[i], node[j]) * 1e6;
                out->latency[i][j] = starpu_transfer_latency(node[i], node[j]) * 1e-6;
            }
    tgs_i_spu_give();
    return TGS_OK;
}
