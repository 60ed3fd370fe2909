#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <cmocka.h>
#include "starpu_case.h"

enum { ACCUMULATORS = 3, BEGINS_ANEW = 2 };

/* ---- kernels: Y = 3 * sum(X) + attribute k; accumulators: A = 5 * A + X -------------------- */

/* The values come from copies that StarPU and PoCL make, whose order ThreadSanitizer cannot see.
 * It would look at every element, and suppress every one by the library's name: a task then takes a
 * minute or more, which is a stall to the run. */
#define UNSEEN __attribute__((no_sanitize_thread))

UNSEEN static void mix(const int32_t *const *in, int32_t count, int32_t *out, int32_t n, int32_t k)
{
    for (int32_t i = 0; i < n; i++) {
        uint32_t sum = 0;

        for (int32_t j = 0; j < count; j++)
            sum += (uint32_t)in[j][i];
        out[i] = (int32_t)(3 * sum + (uint32_t)k + (uint32_t)i);
    }
}

UNSEEN static void accumulate(int32_t *acc, const int32_t *x, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        acc[i] = (int32_t)(5u * (uint32_t)acc[i] + (uint32_t)x[i]);
}

static tgs_status mix_cpu(const tgs_call *call)
{
    const int32_t n = (int32_t)(call->buffer[0].bytes / 4),
                  k = (int32_t)tgs_attr_int(call->attrs, "k", 0);
    const int32_t *in[8] = {NULL};
    int32_t count = 0;
    int32_t *acc = NULL;

    for (int32_t b = 1; b < call->buffers; b++)
        if (call->buffer[b].mode == TGS_R)
            in[count++] = call->buffer[b].data;
        else
            acc = call->buffer[b].data;
    mix(in, count, call->buffer[0].data, n, k);
    if (acc)
        accumulate(acc, call->buffer[0].data, n);
    ++*(_Atomic int32_t *)call->user;
    return TGS_OK;
}

static const char source[] =
    "kernel void blend(global int *y, global const int *a, global const int *b, global const int "
    "*c,"
    "                int count, int k) {"
    "  int i = get_global_id(0);"
    "  uint s = (count > 0 ? (uint)a[i] : 0) + (count > 1 ? (uint)b[i] : 0)"
    "         + (count > 2 ? (uint)c[i] : 0);"
    "  y[i] = (int)(3 * s + (uint)k + (uint)i); }"
    "kernel void acc(global int *a, global const int *x) {"
    "  int i = get_global_id(0); a[i] = (int)(5u * (uint)a[i] + (uint)x[i]); }";

typedef struct built { /* per context, shared by the tasks: compiling takes long */
    cl_context context;
    cl_program program;
    cl_kernel mix, acc;
    int32_t users;
} built;
static built cache[8];
static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;

static tgs_status build(built *b, cl_device_id device)
{
    const char *text = source;

    b->program = clCreateProgramWithSource(b->context, 1, &text, NULL, NULL);
    if (clBuildProgram(b->program, 1, &device, "", NULL, NULL))
        return TGS_EBACKEND;
    b->mix = clCreateKernel(b->program, "blend", NULL);
    b->acc = clCreateKernel(b->program, "acc", NULL);
    return b->mix && b->acc ? TGS_OK : TGS_EBACKEND;
}

static tgs_status mix_prepare(tgs_call *call)
{
    cl_context context;
    cl_device_id device;
    built *b = cache;
    tgs_status status = TGS_OK;

    if (clGetCommandQueueInfo(call->queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL)
        || clGetCommandQueueInfo(call->queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL))
        return TGS_EBACKEND;
    pthread_mutex_lock(&cache_lock);
    while (b->users && b->context != context)
        b++;
    if (b->users++ == 0) {
        b->context = context;
        status = build(b, device);
    }
    pthread_mutex_unlock(&cache_lock);
    call->prepared = b;
    return status;
}

static void mix_release(tgs_call *call)
{
    built *b = call->prepared;

    pthread_mutex_lock(&cache_lock);
    if (--b->users == 0) {
        clReleaseKernel(b->mix);
        clReleaseKernel(b->acc);
        clReleaseProgram(b->program);
    }
    pthread_mutex_unlock(&cache_lock);
}

static tgs_status mix_opencl(const tgs_call *call)
{
    const built *b = call->prepared;
    const size_t n = (size_t)(call->buffer[0].bytes / 4);
    const int32_t k = (int32_t)tgs_attr_int(call->attrs, "k", 0);
    cl_mem y = call->buffer[0].data, in[3] = {y, y, y}, acc = NULL;
    int32_t count = 0;
    cl_int e = 0;

    for (int32_t i = 1; i < call->buffers; i++)
        if (call->buffer[i].mode == TGS_R)
            in[count++] = call->buffer[i].data;
        else
            acc = call->buffer[i].data;
    e |= clSetKernelArg(b->mix, 0, sizeof y, &y);
    for (cl_uint i = 0; i < 3; i++)
        e |= clSetKernelArg(b->mix, 1 + i, sizeof *in, &in[i]);
    e |= clSetKernelArg(b->mix, 4, sizeof count, &count);
    e |= clSetKernelArg(b->mix, 5, sizeof k, &k);
    e |= clEnqueueNDRangeKernel(call->queue, b->mix, 1, NULL, &n, NULL, 0, NULL, NULL);
    if (acc) {
        e |= clSetKernelArg(b->acc, 0, sizeof acc, &acc);
        e |= clSetKernelArg(b->acc, 1, sizeof y, &y);
        e |= clEnqueueNDRangeKernel(call->queue, b->acc, 1, NULL, &n, NULL, 0, NULL, NULL);
    }
    ++*(_Atomic int32_t *)call->user;
    return e ? TGS_EBACKEND : TGS_OK;
}

/* ---- the graph ------------------------------------------------------------------------------ */

static void make_graph(spu_case *c, int32_t tasks, tgs_rng *rng)
{
    tgs_builder *b = NULL;
    const int64_t dims[] = {c->elements};
    char text[64];

    MUST(tgs_builder_new(&b, err));
    for (int32_t i = 0; i < ACCUMULATORS; i++) {
        snprintf(text, sizeof text, "acc%d", i);
        tgs_builder_datum(b, text, 0);
        tgs_builder_datum_shape(b, i, TGS_I32, 1, dims);
        tgs_builder_datum_set(b, i, "init", "constant:1");
        if (i != BEGINS_ANEW)
            tgs_builder_datum_set(b, i, "persistent", "1");
    }
    for (int32_t t = 0; t < tasks; t++) {
        int32_t seen[3] = {-1, -1, -1};

        snprintf(text, sizeof text, "t%d", t);
        tgs_builder_task(b, text, "test-mix", 1e-4);
        snprintf(text, sizeof text, "k=%d", (int)(t % 4));
        tgs_builder_task_attrs(b, t, text);
        snprintf(text, sizeof text, "d%d", t);
        tgs_builder_datum(b, text, 0);
        tgs_builder_datum_shape(b, ACCUMULATORS + t, TGS_I32, 1, dims);
        tgs_builder_access(b, t, ACCUMULATORS + t, TGS_W);
        for (int32_t j = 0; j < 3 && t; j++) {
            const int32_t from = (int32_t)tgs_rng_int(rng, t > 20 ? t - 20 : 0, t - 1);

            if (from == seen[0] || from == seen[1])
                continue;
            seen[j] = from;
            tgs_builder_access(b, t, ACCUMULATORS + from, TGS_R);
        }
        if (t % 5 == 4)
            tgs_builder_access(b, t, (t / 5) % ACCUMULATORS, TGS_RW);
    }
    MUST(tgs_builder_finish(&c->g, b, err));
}

/* any processor, as soon as it and the predecessors are done: not good, but a schedule */
static void make_schedule(spu_case *c, tgs_rng *rng)
{
    const tgs_graph_view *g = &c->g->v;
    const tgs_platform_view *p = &c->p->v;
    const size_t n = (size_t)g->tasks;
    double *free_at = tgs_mem_alloc((size_t)p->procs, sizeof *free_at);
    double *end = tgs_mem_alloc(n, sizeof *end);
    tgs_plan plan = {.proc = tgs_mem_alloc(n, sizeof *plan.proc),
                     .start = tgs_mem_alloc(n, sizeof *plan.start),
                     .lower_bound = NAN};

    for (int32_t i = 0; i < g->tasks; i++) {
        const int32_t t = g->topo[i], proc = (int32_t)tgs_rng_int(rng, 0, p->procs - 1);
        double start = free_at[proc];

        for (int32_t k = g->access_at[t]; k < g->access_at[t + 1]; k++)
            start = fmax(start, tgs_c(&c->pb->v, (int32_t)g->access[k].datum, 0,
                                      p->proc[proc].memory)); /* initial values are in ram */
        for (int32_t k = g->pred_at[t]; k < g->pred_at[t + 1]; k++)
            start = fmax(start,
                         end[g->pred[k]]
                             + tgs_c(&c->pb->v, g->pred_datum[k],
                                     p->proc[plan.proc[g->pred[k]]].memory, p->proc[proc].memory));
        plan.proc[t] = proc;
        plan.start[t] = start;
        free_at[proc] = end[t] = start + tgs_w(&c->pb->v, t, proc);
    }
    MUST(tgs_i_schedule_build(&c->schedule, c->pb, &plan, "hand", err));
    c->s = c->schedule->v;
    c->place = tgs_mem_alloc(n, sizeof *c->place);
    c->order_at = tgs_mem_alloc((size_t)p->procs + 1, sizeof *c->order_at);
    c->order = tgs_mem_alloc(n, sizeof *c->order);
    memcpy(c->place, c->s.place, n * sizeof *c->place);
    memcpy(c->order_at, c->s.order_at, ((size_t)p->procs + 1) * sizeof *c->order_at);
    memcpy(c->order, c->s.order, n * sizeof *c->order);
    c->s.place = c->place;
    c->s.order_at = c->order_at;
    c->s.order = c->order;
    tgs_mem_free(free_at);
    tgs_mem_free(end);
    tgs_mem_free(plan.proc);
    tgs_mem_free(plan.start);
}

static void make_args(spu_case *c)
{
    const tgs_plugin *backend;

    MUST(tgs_i_find(&backend, "backend", "starpu", err));
    MUST(tgs_i_args_new(&c->args, backend, NULL, err));
}

void case_make(spu_case *c, int32_t tasks, int32_t elements, uint64_t seed, const char *platform)
{
    tgs_kernel k = {.codelet = "test-mix",
                    .arch = "cpu",
                    .dtype = TGS_BYTES,
                    .impl = "test",
                    .run = mix_cpu,
                    .user = &c->calls};
    tgs_rng rng;

    memset(c, 0, sizeof *c);
    c->elements = elements;
    tgs_rng_seed(&rng, seed);
    make_graph(c, tasks, &rng);
    MUST(tgs_platform_parse(&c->p, platform, err));
    MUST(tgs_problem_new(&c->pb, c->g, c->p, NULL, "latbw", err));
    MUST(tgs_codelets_new(&c->c, err));
    MUST(tgs_codelets_add(c->c, &k, err));
    k.arch = "opencl";
    k.run = mix_opencl;
    k.prepare = mix_prepare;
    k.release = mix_release;
    MUST(tgs_codelets_add(c->c, &k, err));
    make_schedule(c, &rng);
    make_args(c);
    c->data = c->g->v.data;
    c->value = tgs_mem_alloc((size_t)c->data, sizeof *c->value);
    for (int32_t d = 0; d < c->data; d++) {
        c->value[d] = tgs_mem_alloc((size_t)elements, sizeof **c->value);
        for (int32_t i = 0; i < elements && d < ACCUMULATORS; i++)
            c->value[d][i] = 1;
    }
}

void case_free(spu_case *c)
{
    for (int32_t d = 0; d < c->data; d++)
        tgs_mem_free(c->value[d]);
    tgs_mem_free(c->value);
    tgs_i_args_free(c->args);
    tgs_schedule_free(c->schedule);
    tgs_mem_free(c->place);
    tgs_mem_free(c->order_at);
    tgs_mem_free(c->order);
    tgs_codelets_free(c->c);
    tgs_problem_free(c->pb);
    tgs_platform_free(c->p);
    tgs_graph_free(c->g);
}

tgs_job case_job(const spu_case *c)
{
    return (tgs_job){.v = &c->pb->v, .s = &c->s, .codelets = c->c, .args = c->args};
}

void case_expect(spu_case *c)
{
    const tgs_graph_view *g = &c->g->v;

    for (int32_t i = 0; i < c->elements; i++)
        c->value[BEGINS_ANEW][i] = 1;
    for (int32_t t = 0; t < g->tasks; t++) {
        const int32_t *in[8], y = g->access[g->access_at[t]].datum;
        int32_t count = 0, acc = -1;

        for (int32_t k = g->access_at[t] + 1; k < g->access_at[t + 1]; k++)
            if (g->access[k].mode == TGS_R)
                in[count++] = c->value[g->access[k].datum];
            else
                acc = g->access[k].datum;
        mix(in, count, c->value[y], c->elements, t % 4);
        if (acc >= 0)
            accumulate(c->value[acc], c->value[y], c->elements);
    }
}

bool case_equal(const spu_case *c, tgs_run *run, int32_t *dropped)
{
    int32_t *got = tgs_mem_alloc((size_t)c->elements, sizeof *got);
    bool equal = true;

    if (dropped)
        *dropped = 0;
    for (int32_t d = 0; d < c->g->v.data && equal; d++) {
        tgs_error err = {TGS_OK, ""};
        const tgs_status status = tgs_run_read(run, d, got, &err);

        if (status == TGS_ENOTAPPLICABLE && dropped) {
            ++*dropped;
            continue;
        }
        equal = !status && !memcmp(got, c->value[d], (size_t)c->elements * sizeof *got);
        if (!equal)
            fprintf(stderr, "datum %d differs or cannot be read: %s\n", d, err.text);
    }
    tgs_mem_free(got);
    return equal;
}

bool case_in_order(const spu_case *c, const tgs_trace_view *t)
{
    double *start = tgs_mem_alloc((size_t)c->g->v.tasks, sizeof *start);
    bool ok = t->rans == t->steps * c->g->v.tasks;

    for (int32_t step = 0; step < t->steps && ok; step++) {
        for (int32_t i = 0; i < t->rans; i++)
            if (t->ran[i].step == step) {
                ok &= t->ran[i].proc == c->place[t->ran[i].task].proc;
                start[t->ran[i].task] = t->ran[i].start;
            }
        for (int32_t p = 0; p < c->s.procs; p++)
            for (int32_t k = c->order_at[p] + 1; k < c->order_at[p + 1]; k++)
                ok &= start[c->order[k - 1]] < start[c->order[k]];
    }
    tgs_mem_free(start);
    return ok;
}

/* of LeakSanitizer, where the test is built with it: _exit would pass it by */
int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

static int without_leaks(int code)
{
    return code || !__lsan_do_recoverable_leak_check ? code : __lsan_do_recoverable_leak_check();
}

int in_child(int (*f)(void), unsigned seconds)
{
    int status = 0;
    pid_t child;

    fflush(NULL);
    child = fork();
    if (child == 0) {
        alarm(seconds);              /* SIGALRM ends a child that hangs */
        for (int s = 1; s < 32; s++) /* cmocka would report a crash here as its own */
            signal(s, SIG_DFL);
        _exit(without_leaks(f()));
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 125;
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGALRM ? 124 : 128 + WTERMSIG(status);
    return WEXITSTATUS(status);
}

/* OpenCL starts threads, which do not survive a fork: only children ask it */
static int count_devices(void)
{
    cl_uint platforms = 0, devices = 0;
    cl_platform_id id[8];

    if (clGetPlatformIDs(8, id, &platforms) || !platforms)
        return 1;
    for (cl_uint i = 0; i < platforms && i < 8 && !devices; i++)
        clGetDeviceIDs(id[i], CL_DEVICE_TYPE_ALL, 0, NULL, &devices);
    return devices ? 0 : 1;
}

bool no_opencl(void)
{
    return in_child(count_devices, 60) != 0;
}

void child_test_run(void **state)
{
    const child_test *t = *state;

    if (t->device && no_opencl()) {
        print_message("no OpenCL device here\n");
        skip();
    }
    assert_int_equal(in_child(t->f, t->seconds), 0);
}
