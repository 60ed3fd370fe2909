/* perfmachine.c -- "starpu:DIR/HOST": a machine someone else measured, from StarPU's files.
 *
 * Its accelerators are the CUDA devices, or the OpenCL devices where there are none (of one card
 * that has both it would be counted twice).  StarPU gives each a core, so the others are CPU
 * workers.  All share one memory, each device has its own, of unknown size.  A latency that is
 * missing is 0; a pair without a bandwidth has no link. */
#include "platform.h"
#include "perffiles.h"

#define MEGABYTE 1e6 /* StarPU counts bytes per microsecond */

typedef struct machine {
    int32_t type, cpus, devices; /* type: of the devices */
} machine;

static tgs_status count(machine *m, const char *text, tgs_error *err)
{
    int32_t devices[3];
    const tgs_status status = tgs_i_starpu_config(text, devices, err);
    const bool cuda = !status && devices[TGS_I_STARPU_CUDA] > 0;

    if (status)
        return status;
    m->type = cuda ? TGS_I_STARPU_CUDA : TGS_I_STARPU_OPENCL;
    m->devices = devices[m->type];
    m->cpus = devices[0] > m->devices ? devices[0] - m->devices : 1;
    return TGS_OK;
}

static tgs_status add_workers(tgs_i_assembly *a, const machine *m, tgs_error *err)
{
    const char *device = m->type == TGS_I_STARPU_CUDA ? "cuda" : "opencl";
    const tgs_kind cpu = {"cpu", "cpu", NAN, NAN, 0, NAN, NAN, 0};
    const tgs_kind other = {device, device, NAN, NAN, 0, NAN, NAN, 0};
    const tgs_memory ram = {"ram", "", INFINITY, 0};
    tgs_status status = tgs_i_assembly_kind(a, &cpu, NULL, err);
    char name[32];

    if (!status && m->devices)
        status = tgs_i_assembly_kind(a, &other, NULL, err);
    if (!status)
        status = tgs_i_assembly_memory(a, &ram, NULL, err);
    for (int32_t i = 0; i < m->cpus && !status; i++) {
        snprintf(name, sizeof name, "cpu%d", (int)i);
        status = tgs_i_assembly_proc(a, &(tgs_proc){name, 0, 0, 1}, NULL, err);
    }
    for (int32_t i = 0; i < m->devices && !status; i++) {
        snprintf(name, sizeof name, "%s%d", device, (int)i);
        status = tgs_i_assembly_memory(a, &(tgs_memory){name, "", INFINITY, 0}, NULL, err);
        if (!status)
            status = tgs_i_assembly_proc(a, &(tgs_proc){name, 1, i + 1, 1}, NULL, err);
    }
    return status;
}

static tgs_status add_links(tgs_i_assembly *a, const machine *m, const char *text, tgs_error *err)
{
    const int32_t n = m->devices + 1;
    double *bandwidth = tgs_mem_alloc((size_t)n * (size_t)n, sizeof *bandwidth);
    double *latency = tgs_mem_alloc((size_t)n * (size_t)n, sizeof *latency);
    tgs_status status = bandwidth && latency ? TGS_OK : tgs_fail(err, TGS_ENOMEM, "out of memory");

    if (!status)
        status = tgs_i_starpu_matrix(text, "bandwidth", n, bandwidth, err);
    if (!status)
        status = tgs_i_starpu_matrix(text, "latency", n, latency, err);
    for (int32_t i = 0; i < n * n && !status; i++) {
        const tgs_link l = {.from = i / n,
                            .to = i % n,
                            .bus = -1,
                            .latency = latency[i] >= 0 ? latency[i] * 1e-6 : 0,
                            .bandwidth = bandwidth[i] * MEGABYTE,
                            .energy = NAN};

        if (l.from != l.to && bandwidth[i] > 0)
            status = tgs_i_assembly_link(a, &l, err);
    }
    tgs_mem_free(bandwidth);
    tgs_mem_free(latency);
    return status;
}

tgs_status tgs_i_starpu_platform(tgs_platform **out, const char *text, tgs_error *err)
{
    tgs_i_assembly *a = NULL;
    machine m;
    tgs_status status = count(&m, text, err);

    *out = NULL;
    if (!status)
        status = tgs_i_assembly_new(&a, NULL, err);
    if (!status)
        status = add_workers(a, &m, err);
    if (!status && m.devices)
        status = add_links(a, &m, text, err);
    if (status) {
        tgs_i_assembly_free(a);
        return status;
    }
    status = tgs_i_assembly_finish(out, a, err);
    if (!status)
        status = tgs_i_starpu_costs(&(*out)->costs, text, err);
    if (status) {
        tgs_platform_free(*out);
        *out = NULL;
    }
    return status;
}
