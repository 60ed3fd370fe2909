/* starpu_machine.c -- the one StarPU of the process: started as a run wants it, kept for the next
 * run that wants the same, paused while nobody runs; and which worker a processor is.
 *
 * StarPU has global state, so one run at a time holds it.  After a stall it holds tasks that can
 * neither be cancelled nor completed: nothing may use it again. */
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "starpu_core.h"

static struct {
    pthread_mutex_t lock;
    bool up, taken, poisoned;
    char key[512]; /* of the configuration it was started with */
    spu_machine machine;
} the = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const struct {
    const char *name;
    enum starpu_worker_archtype type;
} archs[SPU_ARCHS] = {
    {"cpu", STARPU_CPU_WORKER}, {"opencl", STARPU_OPENCL_WORKER}, {"cuda", STARPU_CUDA_WORKER}};

int tgs_i_spu_arch(const char *arch)
{
    for (int a = 0; a < SPU_ARCHS; a++)
        if (!strcmp(arch, archs[a].name))
            return a;
    return -1;
}

/* is there an OpenCL device that is not this CPU? */
static bool has_accelerator(void)
{
#ifdef STARPU_USE_OPENCL
    cl_platform_id platform[16];
    cl_uint platforms = 0;

    if (clGetPlatformIDs(16, platform, &platforms) != CL_SUCCESS)
        return false;
    for (cl_uint i = 0; i < platforms && i < 16; i++) {
        cl_uint devices = 0;

        if (clGetDeviceIDs(platform[i], CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR, 0, NULL,
                           &devices)
                == CL_SUCCESS
            && devices > 0)
            return true;
    }
#endif
    return false;
}

/* what StarPU reads from the environment; a caller's own setting stays */
static void settle_environment(void)
{
    setenv("STARPU_PREFETCH", "0", 0); /* its own prefetch can deadlock when memory is short */
    setenv("STARPU_MINIMUM_CLEAN_BUFFERS", "0", 0); /* nor copies back that nobody planned */
    setenv("STARPU_TARGET_CLEAN_BUFFERS", "0", 0);
    setenv("STARPU_WATCHDOG_CRASH", "0", 0); /* unset means: raise SIGABRT */
    if (!getenv("STARPU_OPENCL_ON_CPUS") && !has_accelerator())
        setenv("STARPU_OPENCL_ON_CPUS", "1", 0); /* a device where there is no GPU */
    setenv("STARPU_SILENT", "1", 0);             /* a library does not print */
}

/* What the platform says a device's memory holds, where the environment does not limit it already.
 * StarPU reads these when it starts; afterwards the environment is as before. */
static void limit_devices(const spu_want *want, bool set)
{
    static const char *const kind[SPU_ARCHS] = {NULL, "OPENCL", "CUDA"};

    for (int a = SPU_OPENCL; a < SPU_ARCHS; a++)
        for (int d = 0; d < want->count[a] && d < SPU_DEVICES; d++) {
            char all[64], name[64], value[16];

            snprintf(all, sizeof all, "STARPU_LIMIT_%s_MEM", kind[a]);
            snprintf(name, sizeof name, "STARPU_LIMIT_%s_%d_MEM", kind[a], d);
            if (!want->limit[a][d] || getenv(all) || (set && getenv(name)))
                continue;
            snprintf(value, sizeof value, "%d", want->limit[a][d]);
            if (set)
                setenv(name, value, 1);
            else if (getenv(name) && !strcmp(getenv(name), value))
                unsetenv(name);
        }
}

static void describe(const spu_want *want, char *key, size_t size)
{
    static const char *const limits[] = {"STARPU_LIMIT_CPU_MEM", "STARPU_LIMIT_OPENCL_MEM",
                                         "STARPU_LIMIT_CUDA_MEM"};
    int used = snprintf(key, size, "cpu=%d opencl=%d cuda=%d policy=%s", want->count[SPU_CPU],
                        want->count[SPU_OPENCL], want->count[SPU_CUDA], want->policy);

    for (size_t i = 0; i < sizeof limits / sizeof *limits && used < (int)size; i++) {
        const char *value = getenv(limits[i]);

        used += snprintf(key + used, size - (size_t)used, " %s", value ? value : "-");
    }
    for (int a = 0; a < SPU_ARCHS; a++)
        for (int d = 0; d < want->count[a] && d < SPU_DEVICES && used < (int)size; d++)
            if (want->limit[a][d])
                used +=
                    snprintf(key + used, size - (size_t)used, " %d.%d=%d", a, d, want->limit[a][d]);
}

/* more than this StarPU was built for would silently become fewer */
static tgs_status refuse_too_many(const spu_want *want, tgs_error *err)
{
    static const int most[SPU_ARCHS] = {STARPU_MAXCPUS, STARPU_MAXOPENCLDEVS, STARPU_MAXCUDADEVS};
    int all = 0;

    for (int a = 0; a < SPU_ARCHS; a++) {
        if (want->count[a] > most[a])
            return tgs_fail(err, TGS_EBACKEND,
                            "the platform has %d %s processors; this StarPU was built for at most "
                            "%d",
                            want->count[a], archs[a].name, most[a]);
        all += want->count[a] > 0 ? want->count[a] : 0;
    }
    if (all > STARPU_NMAXWORKERS)
        return tgs_fail(err, TGS_EBACKEND,
                        "the platform has %d processors; this StarPU was built "
                        "for at most %d workers",
                        all, STARPU_NMAXWORKERS);
#ifndef STARPU_USE_CUDA
    if (want->count[SPU_CUDA] > 0)
        return tgs_fail(err, TGS_EBACKEND, "this StarPU was built without CUDA");
#endif
#ifndef STARPU_USE_OPENCL
    if (want->count[SPU_OPENCL] > 0)
        return tgs_fail(err, TGS_EBACKEND, "this StarPU was built without OpenCL");
#endif
    return TGS_OK;
}

static void stop(void)
{
    starpu_resume();
    starpu_shutdown();
    the.up = false;
}

/* The first start on a machine measures its buses and writes files; two processes must not do so at
 * once.  Without a directory to lock, StarPU has none to write to either. */
static int lock_files(void)
{
    const char *home = getenv("STARPU_HOME");
    int fd;

    if (!home || !*home)
        home = getenv("HOME");
    if (!home || !*home)
        return -1;
    mkdir(home, 0777);
    fd = open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0)
        flock(fd, LOCK_EX);
    return fd;
}

static tgs_status start(const spu_want *want, const char *key, tgs_error *err)
{
    struct starpu_conf conf;
    int status, lock;

    settle_environment();
    if (starpu_conf_init(&conf))
        return tgs_fail(err, TGS_EBACKEND, "StarPU's header and library differ");
    conf.precedence_over_environment_variables = 1;
    conf.ncpus = want->count[SPU_CPU];
    conf.nopencl = want->count[SPU_OPENCL];
    conf.ncuda = want->count[SPU_CUDA];
    spu_conf_no_others(&conf);
    conf.catch_signals = 0;
    conf.sched_policy_name = NULL;
    conf.sched_policy = tgs_i_spu_policy(want->policy, tgs_i_spu_crowded(want));
    if (!conf.sched_policy)
        return tgs_fail(err, TGS_ENOTFOUND, "StarPU has no scheduling policy '%s'", want->policy);
    starpu_malloc_set_align(64);
    lock = lock_files();
    limit_devices(want, true);
    status = starpu_init(&conf);
    limit_devices(want, false);
    if (lock >= 0)
        close(lock);
    if (status)
        return tgs_fail(err, TGS_EBACKEND, "StarPU does not start: %s", strerror(-status));
    starpu_pause();
    tgs_i_spu_log_reset();
    the.up = true;
    snprintf(the.key, sizeof the.key, "%s", key);
    memset(&the.machine, 0, sizeof the.machine);
    the.machine.workers = (int)starpu_worker_get_count();
    the.machine.nodes = (int)starpu_memory_nodes_get_count();
    for (int a = 0; a < SPU_ARCHS; a++) {
        const int there = starpu_worker_get_count_by_type(archs[a].type);

        if (want->count[a] >= 0 && there != want->count[a]) {
            stop();
            return tgs_fail(err, TGS_EBACKEND,
                            "the platform has %d %s processors, StarPU can start %d here",
                            want->count[a], archs[a].name, there);
        }
    }
    return TGS_OK;
}

tgs_status tgs_i_spu_take(spu_machine **out, const spu_want *want, tgs_error *err)
{
    char key[sizeof the.key];
    tgs_status status = TGS_OK;

    *out = NULL;
    status = refuse_too_many(want, err);
    if (status)
        return status;
    pthread_mutex_lock(&the.lock);
    describe(want, key, sizeof key);
    if (tgs_i_spu_loss())
        status = tgs_fail(err, TGS_EBACKEND,
                          "a device has failed earlier in this process (OpenCL error %d): StarPU "
                          "cannot be used again",
                          tgs_i_spu_loss()->error);
    else if (the.poisoned)
        status = tgs_fail(err, TGS_EBACKEND,
                          "StarPU stalled earlier in this process and cannot be used again");
    else if (the.taken)
        status = tgs_fail(err, TGS_EBACKEND,
                          "another run holds StarPU, which is one per process: close it first");
    if (!status && the.up && strcmp(the.key, key))
        stop();
    if (!status && !the.up)
        status = start(want, key, err);
    if (!status) {
        the.taken = true;
        tgs_i_spu_log_clear();
        *out = &the.machine;
    }
    pthread_mutex_unlock(&the.lock);
    return status;
}

void tgs_i_spu_give(void)
{
    pthread_mutex_lock(&the.lock);
    the.taken = false;
    pthread_mutex_unlock(&the.lock);
}

void tgs_i_spu_poison(void)
{
    pthread_mutex_lock(&the.lock);
    the.poisoned = true;
    pthread_mutex_unlock(&the.lock);
}

double tgs_i_spu_capacity(unsigned node)
{
    const starpu_ssize_t total = starpu_memory_get_total(node);
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

    if (total >= 0)
        return (double)total;
    if (starpu_node_get_kind(node) == STARPU_CPU_RAM && pages > 0 && page > 0)
        return (double)pages * (double)page;
    return INFINITY;
}

tgs_status tgs_i_spu_map(spu_run *r, tgs_error *err)
{
    const tgs_platform_view *p = r->v->p;
    int used[SPU_ARCHS] = {0};

    for (int w = 0; w < STARPU_NMAXWORKERS; w++)
        r->proc_of[w] = -1;
    for (int node = 0; node < STARPU_MAXNODES; node++)
        r->memory_of[node] = -1;
    for (int32_t m = 0; m < p->memories; m++)
        r->node_of[m] = -1;
    r->memory_of[STARPU_MAIN_RAM] = r->host;
    r->node_of[r->host] = STARPU_MAIN_RAM;
    for (int32_t i = 0; i < p->procs; i++) {
        const int a = tgs_i_spu_arch(p->kind[p->proc[i].kind].arch);
        /* the n-th of its type is not always device n: StarPU may have been told which to use */
        const int w = starpu_worker_get_by_type(archs[a].type, used[a]++);
        unsigned node;

        if (w < 0)
            return tgs_fail(err, TGS_EBACKEND, "StarPU has no worker for processor %s",
                            p->proc[i].name);
        node = starpu_worker_get_memory_node((unsigned)w);
        if (r->memory_of[node] >= 0 && r->memory_of[node] != p->proc[i].memory)
            return tgs_fail(err, TGS_EBACKEND,
                            "processor %s has memory %s in the platform, but shares %s here",
                            p->proc[i].name, p->memory[p->proc[i].memory].name,
                            p->memory[r->memory_of[node]].name);
        r->worker_of[i] = w;
        r->proc_of[w] = i;
        r->memory_of[node] = p->proc[i].memory;
        r->node_of[p->proc[i].memory] = (int32_t)node;
    }
    for (int node = 0; node < r->machine->nodes; node++)
        if (r->memory_of[node] < 0)
            return tgs_fail(err, TGS_EBACKEND, "StarPU uses memory %d, which the platform has not",
                            node);
    return TGS_OK;
}
