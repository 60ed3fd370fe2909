/* A user's own struct starpu_codelet runs tasks of ours: its functions find the interfaces of
 * StarPU they were written for, on a CPU worker, on a device and with the serial backend. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#define CL_TARGET_OPENCL_VERSION 120
#include <starpu.h>
#include "starpu_case.h"
#include "tgsched/tgsched_starpu.h"

/* y[j] = sum_i a[i][j] + s + block elements; as a StarPU user writes it */
static void sum_cpu(void *buffers[], void *arg)
{
    const float *a = (const float *)STARPU_MATRIX_GET_PTR(buffers[0]);
    const unsigned nx = STARPU_MATRIX_GET_NX(buffers[0]), ny = STARPU_MATRIX_GET_NY(buffers[0]);
    const unsigned ld = STARPU_MATRIX_GET_LD(buffers[0]);
    const float *s = (const float *)STARPU_VARIABLE_GET_PTR(buffers[1]);
    const float *b = (const float *)STARPU_BLOCK_GET_PTR(buffers[2]);
    const unsigned all = STARPU_BLOCK_GET_NX(buffers[2]) * STARPU_BLOCK_GET_NY(buffers[2])
                         * STARPU_BLOCK_GET_NZ(buffers[2]);
    float *y = (float *)STARPU_VECTOR_GET_PTR(buffers[3]);

    for (unsigned x = 0; x < STARPU_VECTOR_GET_NX(buffers[3]); x++) {
        y[x] = *s * (float)(strcmp(arg, "twice=1") ? 1 : 2);
        for (unsigned i = 0; i < ny && x < nx; i++)
            y[x] += a[i * ld + x];
        for (unsigned i = 0; i < all; i++)
            y[x] += b[i];
    }
}

static void copy_opencl(void *buffers[], void *arg)
{
    cl_mem from = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]);
    cl_mem to = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[1]);
    cl_command_queue queue;

    (void)arg;
    starpu_opencl_get_current_queue(&queue);
    clEnqueueCopyBuffer(queue, from, to, 0, 0,
                        STARPU_VECTOR_GET_NX(buffers[1]) * STARPU_VECTOR_GET_ELEMSIZE(buffers[1]),
                        0, NULL, NULL);
}

static struct starpu_codelet sum = {.cpu_funcs = {sum_cpu}, .nbuffers = 4};
static struct starpu_codelet copy = {.opencl_funcs = {copy_opencl}, .nbuffers = 2};

static tgs_cost cost_of_sum(const tgs_call *call, const char *arch)
{
    const bool mine = call->user == &sum && call->buffers == 4 && !strcmp(arch, "cpu");

    return (tgs_cost){mine ? 1e-5 : NAN, NAN, NAN};
}

static int run_on(const char *platform, const char *backend, bool with_copy)
{
    static const int64_t dims[] = {2, 3, 2, 2, 2, 3};
    const float a[6] = {1, 2, 3, 10, 20, 30}, s = 100, b[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    float y[3] = {0};
    tgs_builder *builder;
    tgs_graph *g;
    tgs_platform *p;
    tgs_problem *pb;
    tgs_price_info prices;
    tgs_codelets *c;
    tgs_schedule *schedule;
    tgs_run *run;
    tgs_error err = {TGS_OK, ""};

    CHECK(!tgs_builder_new(&builder, &err));
    tgs_builder_task(builder, "sum", "test-sum", NAN); /* its kernel knows */
    tgs_builder_task_attrs(builder, 0, "twice=1");
    for (int32_t d = 0; d < 5; d++)
        tgs_builder_datum(builder, (const char *[]){"a", "s", "b", "y", "z"}[d], 0);
    tgs_builder_datum_shape(builder, 0, TGS_F32, 2, dims);
    tgs_builder_datum_shape(builder, 1, TGS_F32, 0, dims);
    tgs_builder_datum_shape(builder, 2, TGS_F32, 3, dims + 2);
    tgs_builder_datum_shape(builder, 3, TGS_F32, 1, dims + 5);
    tgs_builder_datum_shape(builder, 4, TGS_F32, 1, dims + 5);
    for (int32_t d = 0; d < 4; d++)
        tgs_builder_access(builder, 0, d, d < 3 ? TGS_R : TGS_W);
    if (with_copy) {
        tgs_builder_task(builder, "copy", "test-copy", 1e-5);
        tgs_builder_access(builder, 1, 3, TGS_R);
        tgs_builder_access(builder, 1, 4, TGS_W);
    }
    CHECK(!tgs_builder_finish(&g, builder, &err));
    CHECK(!tgs_platform_parse(&p, platform, &err));
    CHECK(!tgs_codelets_new(&c, &err));
    CHECK(!tgs_codelets_add_starpu(c, "test-sum", &sum, cost_of_sum, &err));
    CHECK(!tgs_codelets_add_starpu(c, "test-copy", &copy, NULL, &err));
    CHECK(!tgs_problem_new_for(&pb, g, p, NULL, "latbw", c, &err));
    tgs_problem_prices(pb, &prices);
    CHECK(prices.hinted == 1 && pb->v.time[0] == 1e-5);
    CHECK(!tgs_schedule_make(&schedule, pb, "heft", 1, &err));
    if (tgs_run_open(&run, pb, schedule, c, backend, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    CHECK(!tgs_run_bind(run, 0, (void *)a, &err) && !tgs_run_bind(run, 1, (void *)&s, &err)
          && !tgs_run_bind(run, 2, (void *)b, &err));
    CHECK(!tgs_run_step(run, &err));
    CHECK(!tgs_run_read(run, with_copy ? 4 : 3, y, &err));
    CHECK(y[0] == 219 && y[1] == 230 && y[2] == 241);
    CHECK(!tgs_run_close(run, NULL, &err));
    tgs_schedule_free(schedule);
    tgs_codelets_free(c);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
    return 0;
}

static int on_cpu(void)
{
    return run_on("cpu:1", "starpu", false);
}

static int on_serial(void)
{
    return run_on("cpu:1", "serial", false);
}

static int on_both(void)
{
    return run_on("cpu:1 gpu:1", "starpu", true);
}

static void test_nothing(void **state)
{
    static struct starpu_codelet none;
    tgs_codelets *c;
    tgs_error err = {TGS_OK, ""};

    (void)state;
    assert_int_equal(tgs_codelets_new(&c, &err), 0);
    assert_int_equal(tgs_codelets_add_starpu(c, "test-none", &none, NULL, &err), TGS_EINVAL);
    assert_non_null(strstr(err.text, "test-none"));
    tgs_codelets_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ALONE(on_serial, 60),
        ALONE(on_cpu, 60),
        ON_DEVICE(on_both, 120),
        cmocka_unit_test(test_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
