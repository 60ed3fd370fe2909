/* starpu_app.c -- a StarPU application that knows nothing of tgsched, for tests/cli/capture.sh.
 *
 * It computes with vectors in every way that matters to a capture: filters (applied by calls that
 * wait and by submission), tags, explicit dependencies, callbacks that submit, a reduction,
 * accesses that commute, scratch, synchronous and empty tasks, access from outside.  It checks its
 * result against one that it has computed without tasks: "right" or "wrong" on stdout.
 *
 * Arguments:  other     one task is another one
 *             short     the last tasks are missing
 *             exit=N    ends with N
 *             twice     starts StarPU a second time
 *             child     a child starts StarPU too
 *             crash     ends by a signal, without starpu_shutdown
 *             leave     ends without starpu_shutdown */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define CL_TARGET_OPENCL_VERSION 120
#include <starpu.h>

enum { N = 4096, PARTS = 4, TURNS = 3 };

static float x[N], y[N], sum, total, wanted[N];

/* ---- codelets ---- */
static void scale_cpu(void *buffers[], void *arg)
{
    float *v = (float *)STARPU_VECTOR_GET_PTR(buffers[0]);

    for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
        v[i] *= *(float *)arg;
}

#ifdef STARPU_USE_OPENCL
static struct starpu_opencl_program program;

static void scale_opencl(void *buffers[], void *arg)
{
    const cl_mem v = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]);
    const unsigned first = (unsigned)(STARPU_VECTOR_GET_OFFSET(buffers[0]) / sizeof(float));
    const size_t n = STARPU_VECTOR_GET_NX(buffers[0]);
    cl_kernel kernel;
    cl_command_queue queue;
    const int id = starpu_worker_get_id_check(), device = starpu_worker_get_devid(id);

    if (starpu_opencl_load_kernel(&kernel, &queue, &program, "scale", device) != CL_SUCCESS)
        abort();
    clSetKernelArg(kernel, 0, sizeof v, &v);
    clSetKernelArg(kernel, 1, sizeof(float), arg);
    clSetKernelArg(kernel, 2, sizeof first, &first);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
    clFinish(queue);
    starpu_opencl_release_kernel(kernel);
}
#endif

static void add_cpu(void *buffers[], void *arg) /* the first += the second */
{
    float *a = (float *)STARPU_VECTOR_GET_PTR(buffers[0]);
    const float *b = (const float *)STARPU_VECTOR_GET_PTR(buffers[1]);

    (void)arg;
    for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
        a[i] += b[i];
}

static void sum_cpu(void *buffers[], void *arg) /* into the second, by way of the third */
{
    const float *a = (const float *)STARPU_VECTOR_GET_PTR(buffers[0]);
    float *out = (float *)STARPU_VARIABLE_GET_PTR(buffers[1]);
    float *room = (float *)STARPU_VARIABLE_GET_PTR(buffers[2]);

    (void)arg;
    *room = 0;
    for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
        *room += a[i];
    *out += *room;
}

static void zero_cpu(void *buffers[], void *arg)
{
    (void)arg;
    *(float *)STARPU_VARIABLE_GET_PTR(buffers[0]) = 0;
}

static void join_cpu(void *buffers[], void *arg)
{
    (void)arg;
    *(float *)STARPU_VARIABLE_GET_PTR(buffers[0]) +=
        *(const float *)STARPU_VARIABLE_GET_PTR(buffers[1]);
}

static struct starpu_codelet scale = {.cpu_funcs = {scale_cpu},
#ifdef STARPU_USE_OPENCL
                                      .opencl_funcs = {scale_opencl},
#endif
                                      .nbuffers = 1,
                                      .modes = {STARPU_RW},
                                      .name = "scale"};
static struct starpu_codelet add = {
    .cpu_funcs = {add_cpu}, .nbuffers = 2, .modes = {STARPU_RW, STARPU_R}, .name = "add"};
static struct starpu_codelet count = {
    .cpu_funcs = {sum_cpu},
    .nbuffers = 3,
    .modes = {STARPU_R, STARPU_RW | STARPU_COMMUTE, STARPU_SCRATCH},
    .name = "sum"};
static struct starpu_codelet reduce = {.cpu_funcs = {sum_cpu},
                                       .nbuffers = 3,
                                       .modes = {STARPU_R, STARPU_REDUX, STARPU_SCRATCH},
                                       .name = "reduce"};
static struct starpu_codelet zero = {
    .cpu_funcs = {zero_cpu}, .nbuffers = 1, .modes = {STARPU_W}, .name = "zero"};
static struct starpu_codelet join = {
    .cpu_funcs = {join_cpu}, .nbuffers = 2, .modes = {STARPU_RW, STARPU_R}, .name = "join"};

/* ---- submission ---- */
static float factor[2] = {2, 0.5f};

static struct starpu_task *task(struct starpu_codelet *cl, starpu_data_handle_t a,
                                starpu_data_handle_t b)
{
    struct starpu_task *t = starpu_task_create();

    t->cl = cl;
    t->handles[0] = a;
    t->handles[1] = b;
    return t;
}

static void submit(struct starpu_task *t)
{
    if (starpu_task_submit(t))
        abort();
}

static void scale_later(void *handle) /* from a callback */
{
    struct starpu_task *t = task(&scale, handle, NULL);

    t->cl_arg = &factor[1];
    t->cl_arg_size = sizeof factor[1];
    submit(t);
}

/* x *= 2 in parts, and back from the callbacks: x stays as it is */
static void there_and_back(starpu_data_handle_t whole)
{
    struct starpu_data_filter f = {.filter_func = starpu_vector_filter_block, .nchildren = PARTS};

    starpu_data_partition(whole, &f);
    for (int i = 0; i < PARTS; i++) {
        struct starpu_task *t = task(&scale, starpu_data_get_sub_data(whole, 1, i), NULL);

        t->cl_arg = &factor[0];
        t->cl_arg_size = sizeof factor[0];
        t->callback_func = scale_later;
        t->callback_arg = starpu_data_get_sub_data(whole, 1, i);
        submit(t);
    }
    starpu_task_wait_for_all();
    starpu_data_unpartition(whole, STARPU_MAIN_RAM);
}

/* y += x in parts that are submitted; tags and explicit dependencies order them, last part first */
static void add_parts(starpu_data_handle_t hx, starpu_data_handle_t hy, bool other)
{
    struct starpu_data_filter f = {.filter_func = starpu_vector_filter_block, .nchildren = PARTS};
    starpu_data_handle_t px[PARTS], py[PARTS];
    struct starpu_task *t[PARTS];

    starpu_data_partition_plan(hx, &f, px);
    starpu_data_partition_plan(hy, &f, py);
    starpu_data_partition_submit(hx, PARTS, px);
    starpu_data_partition_submit(hy, PARTS, py);
    for (int i = 0; i < PARTS; i++) {
        t[i] = task(&add, py[i], px[i]);
        t[i]->use_tag = 1;
        t[i]->tag_id = (starpu_tag_t)(i + 1);
        if (i + 1 < PARTS)
            starpu_tag_declare_deps((starpu_tag_t)(i + 1), 1, (starpu_tag_t)(i + 2));
    }
    for (int i = 0; i < PARTS; i++)
        submit(t[i]);
    if (other)
        starpu_task_insert(&add, STARPU_RW, py[0], STARPU_R, px[0], 0);
    starpu_data_unpartition_submit(hx, PARTS, px, STARPU_MAIN_RAM);
    starpu_data_unpartition_submit(hy, PARTS, py, STARPU_MAIN_RAM);
    starpu_task_wait_for_all();
    starpu_data_partition_clean(hx, PARTS, px);
    starpu_data_partition_clean(hy, PARTS, py);
    for (int i = 0; i < PARTS; i++)
        starpu_tag_remove((starpu_tag_t)(i + 1));
}

/* total = 3 times the sum of y by a reduction, sum = 2 times by accesses that commute */
static void sums(starpu_data_handle_t hy, starpu_data_handle_t htotal, starpu_data_handle_t hsum,
                 starpu_data_handle_t room)
{
    struct starpu_task *first, *second, *empty = starpu_task_create();

    starpu_task_insert(&zero, STARPU_W, htotal, 0);
    for (int i = 0; i < 3; i++)
        starpu_task_insert(&reduce, STARPU_R, hy, STARPU_REDUX, htotal, STARPU_SCRATCH, room, 0);
    starpu_task_insert(&zero, STARPU_W, hsum, 0);
    first = starpu_task_build(&count, STARPU_R, hy, STARPU_RW | STARPU_COMMUTE, hsum,
                              STARPU_SCRATCH, room, 0);
    second = starpu_task_build(&count, STARPU_R, hy, STARPU_RW | STARPU_COMMUTE, hsum,
                               STARPU_SCRATCH, room, 0);
    starpu_task_declare_deps_array(empty, 2, (struct starpu_task *[]){first, second});
    empty->cl = NULL;
    empty->synchronous = 1; /* waits for both */
    submit(first);
    submit(second);
    submit(empty);
}

static int compute(bool other, bool brief)
{
    starpu_data_handle_t hx, hy, htotal, hsum, room;
    int wrong = 0;

    for (int i = 0; i < N; i++) {
        x[i] = (float)(i % 7);
        y[i] = 1;
        wanted[i] = 1 + TURNS * (other ? 2 : 1) * x[i];
    }
    sum = total = 0;
    starpu_vector_data_register(&hx, STARPU_MAIN_RAM, (uintptr_t)x, N, sizeof *x);
    starpu_vector_data_register(&hy, STARPU_MAIN_RAM, (uintptr_t)y, N, sizeof *y);
    starpu_variable_data_register(&htotal, STARPU_MAIN_RAM, (uintptr_t)&total, sizeof total);
    starpu_variable_data_register(&hsum, STARPU_MAIN_RAM, (uintptr_t)&sum, sizeof sum);
    starpu_variable_data_register(&room, -1, 0, sizeof(float));
    starpu_data_set_reduction_methods(htotal, &join, &zero);
    for (int k = 0; k < TURNS; k++) {
        there_and_back(hx);
        add_parts(hx, hy, other);
    }
    starpu_data_acquire(hy, STARPU_R);
    for (int i = 0; i < N; i++)
        wrong += i < N / PARTS || !other ? y[i] != wanted[i] : y[i] != 1 + TURNS * x[i];
    starpu_data_release(hy);
    if (!brief)
        sums(hy, htotal, hsum, room);
    starpu_data_unregister(hx);
    starpu_data_unregister(hy);
    starpu_data_unregister(htotal);
    starpu_data_unregister(hsum);
    starpu_data_unregister(room);
    if (!brief) {
        float all = 0;

        for (int i = 0; i < N; i++)
            all += y[i];
        wrong += total != 3 * all || sum != 2 * all; /* whole numbers: exact in any order */
    }
    return wrong;
}

/* ---- the program ---- */
static int start(void)
{
    if (starpu_init(NULL))
        return -1;
#ifdef STARPU_USE_OPENCL
    if (starpu_opencl_load_opencl_from_string(
            "__kernel void scale(__global float *v, float f, unsigned first)"
            "{ v[get_global_id(0) + first] *= f; }",
            &program, NULL))
        return -1;
#endif
    return 0;
}

static void stop(void)
{
#ifdef STARPU_USE_OPENCL
    starpu_opencl_unload_opencl(&program);
#endif
    starpu_shutdown();
}

int main(int argc, char **argv)
{
    bool other = false, brief = false, twice = false, crash = false, leave = false;
    int code = 0, wrong = 0;

    for (int i = 1; i < argc; i++) {
        other |= !strcmp(argv[i], "other");
        brief |= !strcmp(argv[i], "short");
        twice |= !strcmp(argv[i], "twice");
        crash |= !strcmp(argv[i], "crash");
        leave |= !strcmp(argv[i], "leave");
        if (!strncmp(argv[i], "exit=", 5))
            code = atoi(argv[i] + 5);
    }
    for (int i = 0; i <= twice; i++) {
        if (start())
            return 77;
        wrong += compute(other, brief);
        if (leave || crash)
            break;
        stop();
    }
    printf("%s\n", wrong ? "wrong" : "right");
    fflush(stdout);
    if (argc > 1 && !strcmp(argv[1], "child")) {
        const pid_t child = fork();

        if (child == 0) {
            execl(argv[0], argv[0], "short", NULL);
            _exit(97);
        }
        if (waitpid(child, &code, 0) != child)
            return 96;
    }
    if (crash)
        raise(SIGKILL);
    if (leave)
        _exit(code);
    return wrong ? 98 : code;
}
