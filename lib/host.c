/* host.c -- this machine as a platform: cores and memory from hwloc, accelerators and measured
 * transfers from the execution backend's module when there is one, else CPUs only.
 *
 * A worker that drives an accelerator takes a core, so the CPU workers are the cores that are left,
 * at most as many as the backend was built for.  Devices of one model are one kind, called as in
 * the table of known kinds when the driver's name holds such a name ("NVIDIA A100-SXM4" is an
 * a100), else after their architecture. */
#include <ctype.h>
#include <hwloc.h>
#include <string.h>
#include "platform.h"
#include "probe.h"

#define DEFAULT_CPUS 4 /* what Debian builds StarPU for */

static tgs_status look(int32_t *cores, double *memory, tgs_error *err)
{
    hwloc_topology_t t;
    tgs_status status = TGS_OK;

    if (hwloc_topology_init(&t))
        return tgs_fail(err, TGS_EBACKEND, "host: hwloc cannot start");
    if (hwloc_topology_load(t))
        status = tgs_fail(err, TGS_EBACKEND, "host: hwloc cannot read this machine");
    else {
        int n = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE);

        if (n <= 0) /* some machines do not tell cores from their hardware threads */
            n = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PU);
        *cores = n > 0 ? n : 1;
        *memory = (double)hwloc_get_root_obj(t)->total_memory;
    }
    hwloc_topology_destroy(t);
    return status;
}

static tgs_status ask_backend(tgs_i_probe *p, tgs_error *err)
{
    tgs_i_probe_call *call;
    void *symbol;
    tgs_error why = {TGS_OK, ""};
    tgs_status status = tgs_module_symbol("starpu", "tgs_i_starpu_probe", &symbol, &why);

    if (status == TGS_EBACKEND) {
        p->cpus = DEFAULT_CPUS;
        return TGS_OK; /* not built or not installed: CPUs only */
    }
    if (status)
        return tgs_fail(err, status, "host: %s", why.text);
    memcpy(&call, &symbol, sizeof call); /* ISO C has no cast from an object to a function */
    status = call(p, err);
    if (!status && (p->devices < 0 || p->devices > TGS_I_PROBE_DEVICES || p->cpus < 0))
        status = tgs_fail(err, TGS_EBACKEND, "host: the backend's answer makes no sense");
    return status;
}

/* the known kind whose name is a word of the device's, or NULL */
static const tgs_i_known *recognise(const char *device)
{
    for (const tgs_i_known *k = tgs_i_known_kinds; k->name; k++) {
        const size_t n = strlen(k->name);

        if (!strcmp(k->name, "cpu") || !strcmp(k->name, "gpu"))
            continue;
        for (const char *s = device; *s; s++) {
            size_t i = 0;

            if (s > device && isalnum((unsigned char)s[-1]))
                continue;
            while (i < n && tolower((unsigned char)s[i]) == k->name[i])
                i++;
            if (i == n && !isalnum((unsigned char)s[n]))
                return k;
        }
    }
    return NULL;
}

/* an OpenCL device that is the CPU (PoCL) is priced like one, an unknown one like a usual card */
static const tgs_i_known *stand_in(const tgs_i_probe_device *d)
{
    static const char *const on_cpu[] = {"pthread", "basic", "cpu", NULL};
    const char *name = "gpu";
    const tgs_i_known *k = tgs_i_known_kinds;

    for (int i = 0; on_cpu[i]; i++)
        if (!strncmp(d->name, on_cpu[i], strlen(on_cpu[i])))
            name = "cpu";
    while (strcmp(k->name, name))
        k++;
    return k;
}

/* kind[i], the kind of device i: that of an earlier device of the same model, or a new one */
static tgs_status device_kind(tgs_i_assembly *a, const tgs_i_probe *p, int32_t i, int32_t *kind,
                              tgs_error *err)
{
    const tgs_i_probe_device *d = &p->device[i];
    const tgs_i_known *known = recognise(d->name), *like = known ? known : stand_in(d);
    tgs_kind k = {.arch = d->arch,
                  .flops = d->flops > 0 ? d->flops : like->flops,
                  .bandwidth = d->bandwidth > 0 ? d->bandwidth : like->bandwidth,
                  .overhead = like->overhead,
                  .power_idle = NAN,
                  .power_busy = NAN};
    char name[64];

    for (int32_t j = 0; j < i; j++)
        if (!strcmp(p->device[j].arch, d->arch) && !strcmp(p->device[j].name, d->name)) {
            kind[i] = kind[j];
            return TGS_OK;
        }
    snprintf(name, sizeof name, "%s", known ? known->name : d->arch);
    for (int n = 2; tgs_i_assembly_find(a, TGS_I_KIND, name) >= 0; n++)
        snprintf(name, sizeof name, "%s-%d", known ? known->name : d->arch, n);
    k.name = name;
    return tgs_i_assembly_kind(a, &k, &kind[i], err);
}

static tgs_status add_cpus(tgs_i_assembly *a, const tgs_i_probe *probe, int32_t cores,
                           double memory, tgs_error *err)
{
    const tgs_kind kind = tgs_i_kind_named("cpu");
    const tgs_memory ram = {"ram", "", memory > 0 ? memory : INFINITY, 0};
    int32_t cpus = cores - probe->devices;
    tgs_status status = tgs_i_assembly_kind(a, &kind, NULL, err);

    if (cpus < 1)
        cpus = 1;
    if (cpus > probe->cpus)
        cpus = probe->cpus;
    if (!status)
        status = tgs_i_assembly_memory(a, &ram, NULL, err);
    for (int32_t i = 0; i < cpus && !status; i++) {
        char name[16];
        const tgs_proc p = {name, 0, 0, 1};

        snprintf(name, sizeof name, "cpu%d", (int)i);
        status = tgs_i_assembly_proc(a, &p, NULL, err);
    }
    return status;
}

static tgs_status add_devices(tgs_i_assembly *a, const tgs_i_probe *p, tgs_error *err)
{
    int32_t kind[TGS_I_PROBE_DEVICES];
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < p->devices && !status; i++) {
        const double bytes = p->device[i].memory;
        char name[32], memory[40];
        tgs_memory m = {memory, "", bytes > 0 ? bytes : INFINITY, 0};
        tgs_proc proc = {.name = name, .speed = 1};

        status = device_kind(a, p, i, kind, err);
        /* numbered by arch, as the backend numbers its devices */
        for (int32_t n = 0, j = 0; j <= i; j++)
            if (!strcmp(p->device[j].arch, p->device[i].arch))
                snprintf(name, sizeof name, "%s%d", p->device[i].arch, (int)n++);
        snprintf(memory, sizeof memory, "%s.mem", name);
        proc.kind = kind[i];
        if (!status)
            status = tgs_i_assembly_memory(a, &m, &proc.memory, err);
        if (!status)
            status = tgs_i_assembly_proc(a, &proc, NULL, err);
    }
    return status;
}

/* Main memory is linked with every device; two devices are when a copy between them was measured,
 * else data goes through main memory. */
static tgs_status add_links(tgs_i_assembly *a, const tgs_i_probe *p, tgs_error *err)
{
    tgs_link l = {.bus = -1, .energy = NAN};
    tgs_status status = TGS_OK;

    for (l.from = 0; l.from <= p->devices; l.from++)
        for (l.to = 0; l.to <= p->devices && !status; l.to++) {
            const bool measured = p->bandwidth[l.from][l.to] > 0;

            if (l.from == l.to || (!measured && l.from && l.to))
                continue;
            l.bandwidth = measured ? p->bandwidth[l.from][l.to] : TGS_I_LINK_BANDWIDTH;
            l.latency = measured ? p->latency[l.from][l.to] : TGS_I_LINK_LATENCY;
            status = tgs_i_assembly_link(a, &l, err);
        }
    return status;
}

tgs_status tgs_i_host_build(tgs_platform **out, int32_t cores, double memory,
                            const tgs_i_probe *probe, tgs_error *err)
{
    tgs_i_assembly *a = NULL;
    tgs_status status = tgs_i_assembly_new(&a, NULL, err);

    *out = NULL;
    if (!status)
        status = add_cpus(a, probe, cores, memory, err);
    if (!status)
        status = add_devices(a, probe, err);
    if (!status)
        status = add_links(a, probe, err);
    if (status) {
        tgs_i_assembly_free(a);
        return status;
    }
    return tgs_i_assembly_finish(out, a, err);
}

tgs_status tgs_platform_host(tgs_platform **out, tgs_error *err)
{
    tgs_i_probe *probe = tgs_mem_alloc(1, sizeof *probe);
    int32_t cores = 1;
    double memory = 0;
    tgs_status status;

    *out = NULL;
    status = probe ? look(&cores, &memory, err) : tgs_fail(err, TGS_ENOMEM, "host: out of memory");
    if (!status)
        status = ask_backend(probe, err);
    if (!status)
        status = tgs_i_host_build(out, cores, memory, probe, err);
    tgs_mem_free(probe);
    return status;
}
