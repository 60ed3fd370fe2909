/* t_oom_run.c -- running on the serial backend and calibrating with each allocation failing once.
 */
#include "../unit/mlp.h"
#include "oom.h"

static tgs_status own(const tgs_call *c)
{
    (void)c;
    return TGS_OK;
}

static tgs_status use_codelets(const void *data)
{
    const tgs_kernel k = {.codelet = "own", .arch = "cpu", .dtype = TGS_F32, .run = own};
    tgs_codelets *c = NULL;
    tgs_error err = {TGS_OK, ""};
    tgs_status status = tgs_codelets_new(&c, &err);

    (void)data;
    assert_true(!status == (c != NULL));
    if (!status)
        status = tgs_codelets_add(c, &k, &err);
    assert_int_equal(status, err.status);
    tgs_codelets_free(c);
    return status;
}

static tgs_status train(const mlp *m, const char *backend)
{
    float x[2 * MLP_BATCH] = {0}, loss;
    int32_t label[MLP_BATCH] = {0};
    tgs_run *r = NULL;
    tgs_trace *t = NULL;
    tgs_error err = {TGS_OK, ""};
    tgs_status status = tgs_run_open(&r, m->pb, m->s, NULL, backend, &err), closed;

    assert_true(!status == (r != NULL));
    if (!status)
        status = tgs_run_bind(r, m->x, x, &err);
    if (!status)
        status = tgs_run_bind(r, m->label, label, &err);
    for (int i = 0; i < 2 && !status; i++)
        status = tgs_run_step(r, &err);
    if (!status)
        status = tgs_run_read(r, m->loss, &loss, &err);
    closed = tgs_run_close(r, &t, status ? NULL : &err);
    status = status ? status : closed;
    assert_int_equal(status, err.status);
    assert_true(status || t); /* after a failure it is what had run */
    tgs_trace_free(t);
    return status;
}

static tgs_status train_f32(const void *data)
{
    return train(data, "serial");
}

static tgs_status train_f64(const void *data)
{
    return train(data, "serial:precision=f64");
}

static tgs_status calibrate(const void *data)
{
    const mlp *m = data;
    tgs_costs *c = NULL;
    tgs_error err = {TGS_OK, ""};
    const tgs_status status = tgs_calibrate(&c, m->g, m->p, NULL, "serial", 1, &err);

    assert_true(!status == (c != NULL));
    assert_int_equal(status, err.status);
    tgs_costs_free(c);
    return status;
}

/* a convolution and its gradients, whose kernels keep what they prepare */
static tgs_status convolve(const void *data)
{
    const mlp *m = data;
    tgs_trace *t = NULL;
    tgs_error err = {TGS_OK, ""};
    const tgs_status status = tgs_execute(&t, m->pb, m->s, NULL, "serial", 1, &err);

    assert_true(status || t);
    assert_int_equal(status, err.status);
    tgs_trace_free(t);
    return status;
}

static int32_t image(tgs_builder *b, int64_t channels, int64_t size, const char *init)
{
    const int32_t d = tgs_builder_datum(b, NULL, 0);
    const int64_t dims[] = {2, channels, size, size};

    tgs_builder_datum_shape(b, d, TGS_F32, 4, dims);
    tgs_builder_datum_set(b, d, "init", init);
    return d;
}

static void build_convolution(mlp *m)
{
    tgs_builder *b;
    int32_t x, w, y, dx, dw;

    *m = (mlp){0};
    assert_int_equal(tgs_builder_new(&b, NULL), TGS_OK);
    x = image(b, 3, 6, "random:1:1");
    w = image(b, 3, 3, "constant:0.5");
    y = image(b, 2, 4, "bound");
    dx = image(b, 3, 6, "bound");
    dw = image(b, 3, 3, "bound");
    MLP_TASK(b, "conv", "", "R R W", x, w, y);
    MLP_TASK(b, "conv_bwd_data", "", "R R W", y, w, dx);
    MLP_TASK(b, "conv_bwd_weights", "", "R R W", x, y, dw);
    assert_int_equal(tgs_builder_finish(&m->g, b, NULL), TGS_OK);
    assert_int_equal(tgs_platform_parse(&m->p, "cpu:1", NULL), TGS_OK);
    assert_int_equal(tgs_problem_new(&m->pb, m->g, m->p, NULL, "latbw", NULL), TGS_OK);
    assert_int_equal(tgs_schedule_make(&m->s, m->pb, "heft", 1, NULL), TGS_OK);
}

/* a source that runs beside each of its three readers, with a kernel of one's own */
static tgs_codelets *kernels;

static tgs_status run_copies(const void *data)
{
    const mlp *m = data;
    tgs_trace *t = NULL;
    tgs_error err = {TGS_OK, ""};
    const tgs_status status = tgs_execute(&t, m->pb, m->s, kernels, "serial", 1, &err);

    assert_true(status || t);
    assert_int_equal(status, err.status);
    tgs_trace_free(t);
    return status;
}

static void build_copies(mlp *m)
{
    const tgs_kernel k = {.codelet = "own", .arch = "cpu", .dtype = TGS_F32, .run = own};
    tgs_builder *b;
    int32_t y;

    *m = (mlp){0};
    assert_int_equal(tgs_codelets_new(&kernels, NULL), TGS_OK);
    assert_int_equal(tgs_codelets_add(kernels, &k, NULL), TGS_OK);
    assert_int_equal(tgs_builder_new(&b, NULL), TGS_OK);
    y = image(b, 3, 6, "bound");
    for (int32_t i = 0; i < 4; i++) {
        tgs_builder_task(b, NULL, "own", 1 + 9 * (i > 0));
        tgs_builder_access(b, i, y, i ? TGS_R : TGS_W);
        if (i)
            tgs_builder_access(b, i, image(b, 3, 6, "bound"), TGS_W);
    }
    assert_int_equal(tgs_builder_finish(&m->g, b, NULL), TGS_OK);
    assert_int_equal(tgs_platform_parse(&m->p, "cpu:3/own link:1,0", NULL), TGS_OK);
    assert_int_equal(tgs_problem_new(&m->pb, m->g, m->p, NULL, "latbw", NULL), TGS_OK);
    assert_int_equal(tgs_schedule_make(&m->s, m->pb, "dfrn", 1, NULL), TGS_OK);
    assert_int_equal(tgs_schedule_copies(m->s), 2);
}

static void test_run(void **state)
{
    mlp m;

    (void)state;
    oom_every("codelets", use_codelets, NULL);
    mlp_build(&m, TGS_F32, "cpu:2");
    oom_every("run f32", train_f32, &m);
    oom_every("run f64", train_f64, &m);
    oom_every("calibrate", calibrate, &m);
    mlp_free(&m);
    build_convolution(&m);
    oom_every("convolution", convolve, &m);
    mlp_free(&m);
    build_copies(&m);
    oom_every("copies", run_copies, &m);
    mlp_free(&m);
    tgs_codelets_free(kernels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
