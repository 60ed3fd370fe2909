/* t_serial.c -- runs through the public calls on the serial backend: what is refused and when,
 * values over steps, training, precisions, own kernels, calibration. */
#include "mlp.h"

static tgs_run *open_run(const mlp *m, const tgs_codelets *c, const char *backend)
{
    tgs_run *r = NULL;
    tgs_error err = {TGS_OK, ""};

    if (tgs_run_open(&r, m->pb, m->s, c, backend, &err))
        fail_msg("%s", err.text);
    return r;
}

static void train(const char *backend, int32_t steps, double *losses, float *w1)
{
    float x[2 * MLP_BATCH], loss;
    int32_t label[MLP_BATCH];
    tgs_rng rng;
    tgs_run *r;
    mlp m;

    mlp_build(&m, TGS_F32, "cpu:2");
    r = open_run(&m, NULL, backend);
    assert_int_equal(tgs_run_bind(r, m.x, x, NULL), TGS_OK);
    assert_int_equal(tgs_run_bind(r, m.label, label, NULL), TGS_OK);
    tgs_rng_seed(&rng, 5);
    for (int32_t i = 0; i < steps; i++) {
        mlp_batch(&rng, x, label); /* bound once, read at every step */
        assert_int_equal(tgs_run_step(r, NULL), TGS_OK);
        assert_int_equal(tgs_run_read(r, m.loss, &loss, NULL), TGS_OK);
        losses[i] = (double)loss;
    }
    assert_int_equal(tgs_run_read(r, m.parameter[0], w1, NULL), TGS_OK);
    assert_int_equal(tgs_run_close(r, NULL, NULL), TGS_OK);
    mlp_free(&m);
}

static double mean(const double *x, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum / n;
}

static void test_loss_falls(void **state)
{
    double loss[200], wide[200];
    float w[2 * MLP_HIDDEN], w_wide[2 * MLP_HIDDEN];

    (void)state;
    train("serial", 200, loss, w);
    assert_true(fabs(loss[0] - 0.69) < 0.2); /* two classes: about log 2 */
    assert_true(mean(loss + 190, 10) < 0.4 * loss[0]);
    assert_true(mean(loss + 190, 10) < mean(loss + 90, 10));
    train("serial:precision=f64", 200, wide, w_wide);
    for (int i = 0; i < 5; i++) /* alike while rounding has not grown, and not the same */
        assert_true(fabs(loss[i] - wide[i]) < 1e-5);
    assert_memory_not_equal(loss, wide, sizeof loss);
    assert_true(fabs(mean(wide + 190, 10) - mean(loss + 190, 10)) < 0.02);
}

/* what a run holds, as doubles: the unrounded number where it computes in double */
static void test_read_f64(void **state)
{
    static const char *const backend[] = {"serial", "serial:precision=f64"};
    float x[2 * MLP_BATCH], loss;
    int32_t label[MLP_BATCH];
    double wide, given[2 * MLP_BATCH];
    tgs_rng rng;
    tgs_error err = {TGS_OK, ""};

    (void)state;
    for (int i = 0; i < 2; i++) {
        tgs_run *r;
        mlp m;

        mlp_build(&m, TGS_F32, "cpu:2");
        r = open_run(&m, NULL, backend[i]);
        tgs_rng_seed(&rng, 5);
        mlp_batch(&rng, x, label);
        assert_int_equal(tgs_run_bind(r, m.x, x, NULL), TGS_OK);
        assert_int_equal(tgs_run_bind(r, m.label, label, NULL), TGS_OK);
        assert_int_equal(tgs_run_read_f64(r, m.x, given, NULL), TGS_OK); /* before any step */
        assert_true(given[0] == x[0] && given[2 * MLP_BATCH - 1] == x[2 * MLP_BATCH - 1]);
        assert_int_equal(tgs_run_step(r, NULL), TGS_OK);
        assert_int_equal(tgs_run_read(r, m.loss, &loss, NULL), TGS_OK);
        assert_int_equal(tgs_run_read_f64(r, m.loss, &wide, NULL), TGS_OK);
        assert_true((float)wide == loss);
        assert_true((wide != (double)loss) == (i == 1));
        assert_int_equal(tgs_run_read_f64(r, m.x, given, NULL), TGS_OK);
        assert_true(given[0] == x[0] && given[2 * MLP_BATCH - 1] == x[2 * MLP_BATCH - 1]);
        assert_int_equal(tgs_run_read_f64(r, m.label, given, &err), TGS_EINVAL);
        assert_non_null(strstr(err.text, "label is i32, not real numbers"));
        assert_int_equal(tgs_run_read_f64(r, -1, given, NULL), TGS_EINVAL);
        assert_int_equal(tgs_run_close(r, NULL, NULL), TGS_OK);
        mlp_free(&m);
    }
}

static void test_trace(void **state)
{
    float x[2 * MLP_BATCH] = {0};
    int32_t label[MLP_BATCH] = {0};
    tgs_trace *t = NULL;
    tgs_run *r;
    mlp m;

    (void)state;
    mlp_build(&m, TGS_F32, "cpu:2");
    r = open_run(&m, NULL, "serial");
    assert_int_equal(tgs_run_bind(r, m.x, x, NULL), TGS_OK);
    assert_int_equal(tgs_run_bind(r, m.label, label, NULL), TGS_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(tgs_run_step(r, NULL), TGS_OK);
    assert_int_equal(tgs_run_close(r, &t, NULL), TGS_OK);
    assert_int_equal(tgs_trace_steps(t), 3);
    assert_int_equal(t->v.rans, 3 * tgs_graph_tasks(m.g));
    assert_int_equal(t->v.moveds, 0);
    for (int32_t i = 0; i < t->v.rans; i++) {
        assert_true(t->v.ran[i].start <= t->v.ran[i].end);
        assert_true(i == 0 || t->v.ran[i - 1].end <= t->v.ran[i].start); /* one after the other */
        assert_int_equal(t->v.ran[i].flags, 0);
        assert_int_equal(t->v.ran[i].proc, tgs_schedule_processor(m.s, t->v.ran[i].task));
    }
    assert_true(tgs_trace_makespan(t) > 0);
    tgs_trace_free(t);
    mlp_free(&m);
}

/* ---- what is refused ------------------------------------------------------------------------ */
static void refused(const mlp *m, const tgs_codelets *c, const char *backend, tgs_status status,
                    const char *text)
{
    tgs_error err = {TGS_OK, ""};
    tgs_run *r = (tgs_run *)m; /* must become NULL */

    assert_int_equal(tgs_run_open(&r, m->pb, m->s, c, backend, &err), status);
    assert_null(r);
    if (!strstr(err.text, text))
        fail_msg("\"%s\" does not say \"%s\"", err.text, text);
}

static void test_refused(void **state)
{
    float x[2 * MLP_BATCH] = {0};
    int32_t label[MLP_BATCH] = {0};
    tgs_error err = {TGS_OK, ""};
    tgs_trace *t = NULL;
    tgs_run *r;
    mlp m;

    (void)state;
    mlp_build(&m, TGS_F32, "cpu:2");
    refused(&m, NULL, "nothing", TGS_ENOTFOUND, "serial");
    refused(&m, NULL, "serial:speed=3", TGS_EINVAL, "precision, synthetic");
    refused(&m, NULL, "serial:precision=f16", TGS_EINVAL, "f32 or f64");
    r = open_run(&m, NULL, "serial");
    assert_int_equal(tgs_run_bind(r, -1, x, NULL), TGS_EINVAL);
    assert_int_equal(tgs_run_bind(r, tgs_graph_data(m.g), x, NULL), TGS_EINVAL);
    assert_int_equal(tgs_run_bind(r, m.x, NULL, NULL), TGS_EINVAL);
    assert_int_equal(tgs_run_bind(r, m.x, x, NULL), TGS_OK);
    assert_int_equal(tgs_run_step(r, &err), TGS_EINVAL);
    assert_non_null(strstr(err.text, "label is read by task"));
    assert_int_equal(tgs_run_bind(r, m.label, label, NULL), TGS_OK); /* that was not too late */
    assert_int_equal(tgs_run_step(r, NULL), TGS_OK);
    label[3] = 2; /* there are two classes */
    assert_int_equal(tgs_run_step(r, &err), TGS_EINVAL);
    assert_non_null(strstr(err.text, "softmax_xent/plain failed"));
    assert_int_equal(tgs_run_step(r, NULL), TGS_EINVAL); /* the run has failed */
    assert_int_equal(tgs_run_read(r, m.loss, x, NULL), TGS_EINVAL);
    assert_int_equal(tgs_run_close(r, &t, &err), TGS_EINVAL);
    assert_non_null(t); /* what had run before it */
    tgs_trace_free(t);
    t = NULL;
    assert_int_equal(tgs_execute(&t, m.pb, m.s, NULL, "serial", 1, &err), TGS_EINVAL);
    assert_non_null(strstr(err.text, "x is read by task"));
    assert_null(t); /* nothing ran */
    assert_int_equal(tgs_execute(&t, m.pb, m.s, NULL, "serial", 0, NULL), TGS_EINVAL);
    assert_int_equal(tgs_run_close(NULL, NULL, NULL), TGS_OK);
    mlp_free(&m);
}

/* one task of a codelet on data a and b of 4 elements, shape and dtype given */
static void build_one(mlp *m, const char *codelet, const char *attrs, const char *modes,
                      tgs_dtype type, const char *init, const char *platform)
{
    tgs_builder *b;

    *m = (mlp){0};
    assert_int_equal(tgs_builder_new(&b, NULL), TGS_OK);
    m->x = mlp_datum(b, "a", type, 2, 2, init, false);
    m->loss = mlp_datum(b, "b", type, 4, 0, NULL, false);
    MLP_TASK(b, codelet, attrs, modes, m->x, m->loss);
    assert_int_equal(tgs_builder_finish(&m->g, b, NULL), TGS_OK);
    assert_int_equal(tgs_platform_parse(&m->p, platform, NULL), TGS_OK);
    assert_int_equal(tgs_problem_new(&m->pb, m->g, m->p, NULL, "latbw", NULL), TGS_OK);
    assert_int_equal(tgs_schedule_make(&m->s, m->pb, "heft", 1, NULL), TGS_OK);
}

static void test_refused_codelets(void **state)
{
    static const struct {
        const char *codelet, *attrs, *modes, *text;
    } bad[] = {
        {"relu", "", "R W", "buffer 1 is 4, buffer 0 is 2x2"},
        {"relu", "", "W R", "takes (R X, W Y)"},
        {"relu", "", "R", "takes (R X, W Y)"},
        {"accumulate", "", "R RW", "takes (RW A, R X)"},
        {"gemm", "", "R W", "takes (R A, R B, [R C], W Y)"},
        {"sum", "", "W", "takes (R X..., W Y)"},
    };
    mlp m;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        build_one(&m, bad[i].codelet, bad[i].attrs, bad[i].modes, TGS_F32, "zero", "cpu:1");
        refused(&m, NULL, "serial", TGS_EINVAL, bad[i].text);
        mlp_free(&m);
    }
}

/* ---- own kernels ---------------------------------------------------------------------------- */
static tgs_status twice(const tgs_call *c)
{
    const float *a = c->buffer[0].data;
    float *b = c->buffer[1].data;

    if (c->buffers != 2 || c->buffer[0].rank != 2 || c->buffer[0].dims[1] != 2
        || c->buffer[1].bytes != 16 || tgs_attr_int(c->attrs, "add", 0) != 3)
        return TGS_EINVAL;
    for (int i = 0; i < 4; i++)
        b[i] = 2 * a[i] + 3;
    ++*(int *)c->user;
    return TGS_OK;
}

static tgs_status prepare_twice(tgs_call *c)
{
    c->prepared = c->user;
    return c->buffer[0].data ? TGS_EINVAL : TGS_OK;
}

static void release_twice(tgs_call *c)
{
    *(int *)c->prepared += 100;
}

static void test_own_kernel(void **state)
{
    int count = 0;
    const tgs_kernel k = {.codelet = "twice",
                          .arch = "cpu",
                          .dtype = TGS_F32,
                          .impl = "own",
                          .run = twice,
                          .prepare = prepare_twice,
                          .release = release_twice,
                          .user = &count};
    float in[4] = {1, 2, 3, 4}, out[4] = {0}, got[4];
    tgs_codelets *c;
    tgs_run *r;
    mlp m;

    (void)state;
    build_one(&m, "twice", "add=3", "R W", TGS_F32, "bound", "cpu:1");
    assert_int_equal(tgs_codelets_new(&c, NULL), TGS_OK);
    assert_int_equal(tgs_codelets_add(c, &k, NULL), TGS_OK);
    refused(&m, c, "serial:precision=f64", TGS_EINVAL, "codelet twice has no cpu kernel for f64");
    r = open_run(&m, c, "serial");
    assert_int_equal(tgs_run_bind(r, m.x, in, NULL), TGS_OK);
    assert_int_equal(tgs_run_bind(r, m.loss, out, NULL), TGS_OK);
    assert_int_equal(tgs_run_read(r, m.x, got, NULL), TGS_OK); /* what the step will begin with */
    assert_memory_equal(got, in, sizeof in);
    assert_int_equal(tgs_run_step(r, NULL), TGS_OK);
    assert_int_equal(tgs_run_read(r, m.loss, got, NULL), TGS_OK);
    assert_true(got[0] == 5 && got[3] == 11);
    assert_true(out[0] == 0); /* written by close only */
    assert_int_equal(tgs_run_close(r, NULL, NULL), TGS_OK);
    assert_memory_equal(got, out, sizeof out);
    assert_int_equal(count, 101); /* one run, one release */
    tgs_codelets_free(c);
    mlp_free(&m);
}

static void test_elsewhere_only(void **state)
{
    int count = 0;
    const tgs_kernel k = {
        .codelet = "twice", .arch = "opencl", .dtype = TGS_F32, .run = twice, .user = &count};
    tgs_codelets *c;
    mlp m;

    (void)state;
    build_one(&m, "twice", "add=3", "R W", TGS_F32, "zero", "cpu:1");
    assert_int_equal(tgs_codelets_new(&c, NULL), TGS_OK);
    assert_int_equal(tgs_codelets_add(c, &k, NULL), TGS_OK);
    refused(&m, c, "serial", TGS_EINVAL, "codelet twice has no cpu kernel for f32");
    tgs_codelets_free(c);
    mlp_free(&m);
}

/* ---- values over steps ---------------------------------------------------------------------- */
static void accumulate_three(const char *persistent, const char *init, float want_second)
{
    float one[4] = {1, 1, 1, 1}, a[4] = {10, 20, 30, 40}, got[4];
    tgs_builder *b;
    tgs_run *r;
    mlp m = {0};

    assert_int_equal(tgs_builder_new(&b, NULL), TGS_OK);
    m.x = mlp_datum(b, "a", TGS_F32, 4, 0, init, false);
    m.loss = mlp_datum(b, "one", TGS_F32, 4, 0, "bound", false);
    tgs_builder_datum_set(b, m.x, "persistent", persistent);
    MLP_TASK(b, "accumulate", "", "RW R", m.x, m.loss);
    assert_int_equal(tgs_builder_finish(&m.g, b, NULL), TGS_OK);
    assert_int_equal(tgs_platform_parse(&m.p, "cpu:1", NULL), TGS_OK);
    assert_int_equal(tgs_problem_new(&m.pb, m.g, m.p, NULL, "latbw", NULL), TGS_OK);
    assert_int_equal(tgs_schedule_make(&m.s, m.pb, "heft", 1, NULL), TGS_OK);
    r = open_run(&m, NULL, "serial");
    assert_int_equal(tgs_run_bind(r, m.loss, one, NULL), TGS_OK);
    if (!strcmp(init, "bound"))
        assert_int_equal(tgs_run_bind(r, m.x, a, NULL), TGS_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(tgs_run_step(r, NULL), TGS_OK);
    assert_int_equal(tgs_run_read(r, m.x, got, NULL), TGS_OK);
    assert_true(got[0] == want_second);
    one[0] = 5; /* read again; a, bound anew, begins there once more */
    a[0] = 100;
    assert_int_equal(tgs_run_bind(r, m.x, a, NULL), TGS_OK);
    assert_int_equal(tgs_run_step(r, NULL), TGS_OK);
    assert_int_equal(tgs_run_close(r, NULL, NULL), TGS_OK);
    assert_true(a[0] == 105);
    mlp_free(&m);
}

static void test_steps(void **state)
{
    (void)state;
    accumulate_three("1", "constant:7", 9);
    accumulate_three("0", "constant:7", 8);
    accumulate_three("1", "bound", 12);
    accumulate_three("0", "bound", 11);
}

static void test_initial_values(void **state)
{
    static const struct {
        const char *init;
        tgs_dtype type;
        double want[2]; /* of the first element, of the last */
    } value[] = {
        {"zero", TGS_F32, {0, 0}},
        {"constant:-1.5", TGS_F32, {-1.5, -1.5}},
        {"constant:2", TGS_F64, {2, 2}},
        {"constant:3", TGS_I32, {3, 3}},
        {"constant:300", TGS_U8, {255, 255}},
        {"constant:-3", TGS_I64, {-3, -3}},
        {"constant:2", TGS_BOOL, {1, 1}},
    };
    double got[4], again[4];
    mlp m;

    (void)state;
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
        build_one(&m, "reshape", "", "R W", value[i].type, value[i].init, "cpu:1");
        assert_int_equal(tgs_datum_fill(&m.g->v, m.x, got, NULL), TGS_OK);
        for (int j = 0; j < 2; j++) {
            const int k = j ? 3 : 0;
            const double x = value[i].type == TGS_F32   ? (double)((float *)got)[k]
                             : value[i].type == TGS_F64 ? got[k]
                             : value[i].type == TGS_I32 ? ((int32_t *)got)[k]
                             : value[i].type == TGS_I64 ? (double)((int64_t *)got)[k]
                                                        : ((uint8_t *)got)[k];

            assert_true(x == value[i].want[j]);
        }
        mlp_free(&m);
    }
    build_one(&m, "reshape", "", "R W", TGS_F64, "random:7:0.5", "cpu:1");
    assert_int_equal(tgs_datum_fill(&m.g->v, m.x, got, NULL), TGS_OK);
    assert_int_equal(tgs_datum_fill(&m.g->v, m.x, again, NULL), TGS_OK);
    assert_memory_equal(got, again, sizeof got);
    for (int i = 0; i < 4; i++)
        assert_true(fabs(got[i]) <= 0.5 && got[i] != got[(i + 1) % 4]);
    assert_int_equal(tgs_datum_fill(&m.g->v, m.loss, got, NULL), TGS_ENOTAPPLICABLE);
    mlp_free(&m);
    build_one(&m, "reshape", "", "R W", TGS_F32, "file:0:/nowhere/at/all", "cpu:1");
    assert_int_equal(tgs_datum_fill(&m.g->v, m.x, got, NULL), TGS_EIO);
    mlp_free(&m);
}

static void test_half_precision(void **state)
{
    static const struct {
        const char *init;
        uint16_t half, bfloat;
    } value[] = {
        {"constant:1", 0x3c00, 0x3f80},      {"constant:-2", 0xc000, 0xc000},
        {"constant:65504", 0x7bff, 0x4780},  {"constant:65520", 0x7c00, 0x4780},
        {"constant:6.1e-5", 0x03ff, 0x3880}, {"constant:6e-8", 0x0001, 0x3381},
        {"constant:1e-9", 0x0000, 0x3089},   {"constant:0.333333", 0x3555, 0x3eab},
        {"constant:2.9e-8", 0x0000, 0x32f9}, {"constant:1e9", 0x7c00, 0x4e6e},
    };
    uint16_t got[4];
    mlp m;

    (void)state;
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        for (int b = 0; b < 2; b++) {
            build_one(&m, "reshape", "", "R W", b ? TGS_BF16 : TGS_F16, value[i].init, "cpu:1");
            assert_int_equal(tgs_datum_fill(&m.g->v, m.x, got, NULL), TGS_OK);
            assert_int_equal(got[3], b ? value[i].bfloat : value[i].half);
            mlp_free(&m);
        }
}

static void test_values_from_a_file(void **state)
{
    const float values[6] = {9, 9, 1, 2, 3, 4};
    char path[] = "tests-serial-XXXXXX", init[64];
    FILE *file = fdopen(mkstemp(path), "wb");
    float got[4];
    mlp m;

    (void)state;
    assert_int_equal(fwrite(values, sizeof *values, 6, file), 6);
    fclose(file);
    snprintf(init, sizeof init, "file:8:%s", path);
    build_one(&m, "reshape", "", "R W", TGS_F32, init, "cpu:1");
    assert_int_equal(tgs_datum_fill(&m.g->v, m.x, got, NULL), TGS_OK);
    assert_memory_equal(got, values + 2, sizeof got);
    mlp_free(&m);
    snprintf(init, sizeof init, "file:12:%s", path); /* one value short */
    build_one(&m, "reshape", "", "R W", TGS_F32, init, "cpu:1");
    assert_int_equal(tgs_datum_fill(&m.g->v, m.x, got, NULL), TGS_EIO);
    mlp_free(&m);
    remove(path);
}

/* ---- synthetic tasks ------------------------------------------------------------------------ */
static void test_synthetic(void **state)
{
    tgs_trace *t = NULL;
    float got[4];
    tgs_run *r;
    mlp m;

    (void)state;
    build_one(&m, "lrn", "", "R W", TGS_F32, "bound", "cpu:1"); /* no values are needed */
    assert_int_equal(tgs_execute(&t, m.pb, m.s, NULL, "serial:synthetic=sleep", 2, NULL), TGS_OK);
    assert_int_equal(t->v.rans, 2);
    assert_int_equal(t->v.ran[0].flags, TGS_RAN_SYNTHETIC);
    assert_true(t->v.ran[1].end - t->v.ran[1].start >= 1e-3); /* its work */
    tgs_trace_free(t);
    r = open_run(&m, NULL, "serial");
    assert_int_equal(tgs_run_read(r, m.x, got, NULL), TGS_ENOTAPPLICABLE);
    assert_int_equal(tgs_run_step(r, NULL), TGS_OK);
    assert_int_equal(tgs_run_read(r, m.loss, got, NULL), TGS_ENOTAPPLICABLE);
    assert_int_equal(tgs_run_close(r, NULL, NULL), TGS_OK);
    mlp_free(&m);
}

/* ---- calibration ---------------------------------------------------------------------------- */
static void test_calibrate(void **state)
{
    tgs_costs *c = NULL;
    tgs_error err = {TGS_OK, ""};
    mlp m;

    (void)state;
    mlp_build(&m, TGS_F32, "cpu:1 slow:1x0.5");
    assert_int_equal(tgs_calibrate(&c, m.g, m.p, NULL, "serial", 0, &err), TGS_EINVAL);
    assert_null(c);
    assert_int_equal(tgs_calibrate(&c, m.g, m.p, NULL, "serial", 5, &err), TGS_OK);
    assert_int_equal(c->v.samples, 2 * 14); /* see test_measure; for each kind that is a CPU */
    for (int32_t i = 0; i < c->v.samples; i++) {
        const tgs_sample *s = &c->v.sample[i];

        assert_true(s->min > 0 && s->min <= s->median && s->spread >= 0);
        assert_int_equal(s->count + s->rejected, 5);
        assert_true(s->count >= 3);
        assert_int_equal(s->dtype, TGS_F32);
    }
    assert_int_equal(c->v.overheads, 2);
    for (int32_t i = 0; i < 2; i++) {
        const tgs_overhead *o = &c->v.overhead[i];

        assert_string_equal(o->kind, i ? "slow" : "cpu");
        assert_true(o->task >= 0 && o->access >= 0 && o->handover >= 0 && o->start >= 0);
        assert_true(o->task + o->start > 0 && o->task < 1);
    }
    tgs_costs_free(c);
    mlp_free(&m);
}

static void test_measure(void **state)
{
    double seconds[] = {5, 1, 3, 2, 100, 4};
    int32_t task[32], count = 0;
    tgs_sample s;
    mlp m;

    (void)state;
    mlp_build(&m, TGS_F32, "cpu:1");
    tgs_measure_sample(&m.g->v, 0, seconds, 6, &s);
    assert_string_equal(s.codelet, "gemm");
    assert_string_equal(s.attrs, "transB=1");
    /* the median of all is 3.5, the spread 1.5: 100 is rejected */
    assert_true(s.min == 1 && s.median == 3 && s.spread == 1 && s.count == 5 && s.rejected == 1);
    /* of 14 tasks the four updates differ in shape, and nothing else is twice */
    assert_int_equal(tgs_measure_tasks(&m.g->v, task, &count), TGS_OK);
    assert_int_equal(count, 14);
    for (int32_t i = 0; i < count; i++)
        assert_int_equal(task[i], i);
    mlp_free(&m);
}

static void test_measure_times(void **state)
{
    static const struct {
        double seconds[8];
        int32_t n;
        double min, median, spread;
        int32_t rejected;
    } t[] = {
        {{7}, 1, 7, 7, 0, 0},
        {{1, 3}, 2, 1, 2, 1, 0},
        {{2, 9, 2, 2}, 4, 2, 2, 0, 1},             /* no spread: more than 2 % above goes */
        {{100, 100, 102, 103}, 4, 100, 101, 1, 0}, /* 5 * 1.4826 * 1 above 101 stays */
        {{100, 100, 101, 102, 117}, 5, 100, 100.5, 0.5, 1},
        {{1, 10, 10, 10}, 4, 1, 10, 0, 0}, /* what is fast is no outlier */
        {{5, 4, 3, 2, 1, 6, 7, 8}, 8, 1, 4.5, 2, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        double seconds[8];
        tgs_sample s = {.codelet = "kept"};

        memcpy(seconds, t[i].seconds, sizeof seconds);
        tgs_measure_times(seconds, t[i].n, &s);
        if (s.min != t[i].min || s.median != t[i].median || s.spread != t[i].spread
            || s.rejected != t[i].rejected || s.count != t[i].n - t[i].rejected)
            fail_msg("%zu: min %g median %g spread %g count %d rejected %d", i, s.min, s.median,
                     s.spread, s.count, s.rejected);
        assert_string_equal(s.codelet, "kept");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loss_falls),
        cmocka_unit_test(test_read_f64),
        cmocka_unit_test(test_trace),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_refused_codelets),
        cmocka_unit_test(test_own_kernel),
        cmocka_unit_test(test_elsewhere_only),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_initial_values),
        cmocka_unit_test(test_half_precision),
        cmocka_unit_test(test_values_from_a_file),
        cmocka_unit_test(test_synthetic),
        cmocka_unit_test(test_calibrate),
        cmocka_unit_test(test_measure),
        cmocka_unit_test(test_measure_times),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
