/* doctor.c -- what this machine offers, and why a device is missing.  Drivers are opened as they
 * are found, not linked, so that a machine without them gets an explanation instead of an error. */
#include <dlfcn.h>
#include <glob.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "internal.h"
#include "lp.h"
#include "probe.h"

static void say(FILE *to, const char *state, const char *topic, const char *format, ...)
    __attribute__((format(__printf__, 4, 5)));

/* one line; what is not printable in a driver's text becomes a blank */
static void say(FILE *to, const char *state, const char *topic, const char *format, ...)
{
    char text[600];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *s = text; *s; s++)
        if ((unsigned char)*s < ' ')
            *s = ' ';
    fprintf(to, "%s: %s: %s\n", state, topic, text);
}

static bool have_file(const char *pattern)
{
    glob_t found;
    const bool any = !glob(pattern, 0, NULL, &found) && found.gl_pathc > 0;

    globfree(&found);
    return any;
}

/* ---- OpenCL: the few calls of its stable C interface that are needed here */
typedef int (*cl_ids)(unsigned, void **, unsigned *);
typedef int (*cl_device_ids)(void *, uint64_t, unsigned, void **, unsigned *);
typedef int (*cl_info)(void *, unsigned, size_t, void *, size_t *);
enum {
    CL_PLATFORM_NAME = 0x0902,
    CL_DEVICE_NAME = 0x102B,
    CL_DEVICE_TYPE = 0x1000,
    CL_DEVICE_UNITS = 0x1002,
    CL_DEVICE_MEMORY = 0x101F,
    CL_TYPE_CPU = 2,
    CL_MOST = 16
};

static void doctor_opencl_devices(FILE *to, void *platform, cl_device_ids ids, cl_info info,
                                  const char *name)
{
    void *device[CL_MOST];
    unsigned devices = 0;

    if (ids(platform, 0xFFFFFFFF, CL_MOST, device, &devices) || !devices) {
        say(to, "missing", "OpenCL", "platform %s has no device", name);
        return;
    }
    for (unsigned i = 0; i < devices && i < CL_MOST; i++) {
        char text[128] = "unnamed device";
        uint64_t type = 0, memory = 0;
        unsigned units = 0;

        info(device[i], CL_DEVICE_NAME, sizeof text - 1, text, NULL);
        info(device[i], CL_DEVICE_TYPE, sizeof type, &type, NULL);
        info(device[i], CL_DEVICE_MEMORY, sizeof memory, &memory, NULL);
        info(device[i], CL_DEVICE_UNITS, sizeof units, &units, NULL);
        say(to, "ok", "OpenCL", "%s: %s, %u compute units, %.1f GiB%s", name, text, units,
            (double)memory / (1 << 30), type & CL_TYPE_CPU ? " (runs on the CPU)" : "");
    }
}

static void doctor_opencl(FILE *to)
{
    void *lib = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL), *platform[CL_MOST];
    unsigned platforms = 0;
    cl_ids ids;
    cl_device_ids devices;
    cl_info platform_info, device_info;

    if (!lib) {
        say(to, "missing", "OpenCL", "%s (Debian: ocl-icd-libopencl1)", dlerror());
        return;
    }
    *(void **)&ids = dlsym(lib, "clGetPlatformIDs");
    *(void **)&devices = dlsym(lib, "clGetDeviceIDs");
    *(void **)&platform_info = dlsym(lib, "clGetPlatformInfo");
    *(void **)&device_info = dlsym(lib, "clGetDeviceInfo");
    if (!ids || !devices || !platform_info || !device_info)
        say(to, "missing", "OpenCL", "libOpenCL.so.1 is not an OpenCL loader");
    else if (ids(CL_MOST, platform, &platforms) || !platforms)
        say(to, "missing", "OpenCL",
            "the loader knows no driver: %s (Debian: pocl-opencl-icd runs it on the CPU)",
            have_file("/etc/OpenCL/vendors/*.icd") ? "those in /etc/OpenCL/vendors do not load"
                                                   : "/etc/OpenCL/vendors is empty");
    for (unsigned i = 0; i < platforms && i < CL_MOST; i++) {
        char name[128] = "unnamed platform";

        platform_info(platform[i], CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
        doctor_opencl_devices(to, platform[i], devices, device_info, name);
    }
    /* not closed: drivers have threads that do not survive it */
}

/* ---- CUDA's driver interface */
static void doctor_cuda(FILE *to)
{
    const bool device = have_file("/dev/nvidia[0-9]*");
    void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    int (*init)(unsigned) = NULL, (*count)(int *) = NULL, (*name)(char *, int, int) = NULL;
    int devices = 0, error;

    if (!lib) {
        say(to, "missing", "CUDA",
            device ? "/dev/nvidia0 is there, but no driver library: %s"
                   : "no NVIDIA device in /dev (%s)",
            dlerror());
        return;
    }
    *(void **)&init = dlsym(lib, "cuInit");
    *(void **)&count = dlsym(lib, "cuDeviceGetCount");
    *(void **)&name = dlsym(lib, "cuDeviceGetName");
    if (!init || !count || !name) {
        say(to, "missing", "CUDA", "libcuda.so.1 is not a CUDA driver");
        return;
    }
    error = init(0);
    if (!error)
        error = count(&devices);
    if (error || !devices)
        say(to, "missing", "CUDA", "the driver answers %d: %s", error,
            device ? "its version may not fit the kernel module" : "no NVIDIA device in /dev");
    for (int i = 0; i < devices && !error; i++) {
        char text[128] = "unnamed device";

        name(text, sizeof text - 1, i);
        say(to, "ok", "CUDA", "%s", text);
    }
}

/* ---- StarPU, through its module */
static bool doctor_starpu(FILE *to)
{
    tgs_i_probe *probe = tgs_mem_alloc(1, sizeof *probe);
    tgs_i_probe_call *call;
    tgs_error err;
    void *symbol;

    if (!probe)
        return false;
    if (tgs_module_symbol("starpu", "tgs_i_starpu_probe", &symbol, &err)) {
        say(to, "missing", "StarPU", "%s", err.text);
    } else {
        *(void **)&call = symbol;
        if (call(probe, &err)) {
            say(to, "missing", "StarPU", "%s", err.text);
        } else {
            say(to, "ok", "StarPU", "starts at most %d CPU workers and %d devices", probe->cpus,
                probe->devices);
            for (int32_t i = 0; i < probe->devices; i++)
                say(to, "ok", "StarPU", "%s device %s, %.2f GiB", probe->device[i].arch,
                    probe->device[i].name, probe->device[i].memory / (1 << 30));
            if (!probe->devices)
                say(to, "missing", "StarPU",
                    "no device: this build has no driver for one, or STARPU_NCUDA, STARPU_NOPENCL "
                    "or STARPU_OPENCL_ON_CPUS hide it");
        }
    }
    tgs_mem_free(probe);
    return true;
}

static void doctor_cbc(FILE *to)
{
    tgs_i_lp_relaxing *relax;
    tgs_i_lp_solving *solve;
    tgs_error err;

    if (tgs_i_lp_module(&relax, &solve, &err))
        say(to, "missing", "CBC", "%s", err.text);
    else
        say(to, "ok", "CBC", "solves linear and integer programs");
}

static void doctor_metis(FILE *to)
{
    tgs_error err;
    void *symbol;

    if (tgs_module_symbol("part", "tgs_i_metis_kway", &symbol, &err))
        say(to, "missing", "METIS", "%s", err.text);
    else
        say(to, "ok", "METIS", "partitions graphs");
}

/* what all of this comes to: the platform `host` */
static void doctor_host(FILE *to)
{
    tgs_platform *p;
    tgs_error err;

    int32_t cpus = 0, devices = 0;

    say(to, "ok", "machine", "%ld processors online", sysconf(_SC_NPROCESSORS_ONLN));
    if (tgs_platform_host(&p, &err)) {
        say(to, "missing", "host", "%s", err.text);
        return;
    }
    for (int32_t i = 0; i < p->v.procs; i++) {
        const tgs_proc *q = &p->v.proc[i];

        say(to, "ok", "host", "processor %s: kind %s (%s kernels), memory %s", q->name,
            p->v.kind[q->kind].name, p->v.kind[q->kind].arch, p->v.memory[q->memory].name);
        if (strcmp(p->v.kind[q->kind].arch, "cpu"))
            devices++;
        else
            cpus++;
    }
    say(to, "ok", "host", "%d CPU workers: a core each, after one core for each of the %d devices",
        cpus, devices);
    tgs_platform_free(p);
}

tgs_status tgs_doctor(char **out, tgs_error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    bool bad = !to;

    *out = NULL;
    if (to) {
        doctor_host(to);
        bad = !doctor_starpu(to);
        doctor_opencl(to);
        doctor_cuda(to);
        doctor_cbc(to);
        doctor_metis(to);
        bad |= fclose(to) != 0;
    }
    if (!bad)
        *out = tgs_mem_text(text);
    free(text); /* open_memstream's, not ours */
    return *out ? TGS_OK : tgs_fail(err, TGS_ENOMEM, "out of memory");
}

void tgs_text_free(char *text)
{
    tgs_mem_free(text);
}
