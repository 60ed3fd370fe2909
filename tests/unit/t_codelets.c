/* t_codelets.c -- the CPU kernels: every implementation against the plain definition in double, the
 * definition against independent sums, and what checks refuse. */
#include "cases.h"

static tgs_codelets *set;

/* ---- every kernel -------------------------------------------------------------------------- */
static void run_case(const tgs_kernel *k, const codelet_case *c, tgs_dtype real, bool prepared)
{
    instance in;
    tgs_buffer b[CASE_BUFFERS];
    tgs_call call = {.buffer = b, .attrs = c->attrs, .user = k->user};

    case_open(set, &in, c, 7);
    call.buffers = in.tensors;
    case_buffers(&in, real, b);
    if (prepared && k->prepare)
        assert_int_equal(k->prepare(&call), TGS_OK);
    assert_int_equal(k->run(&call), TGS_OK);
    if (call.prepared) { /* a second call uses the same */
        case_free_buffers(&in, b);
        case_buffers(&in, real, b);
        assert_int_equal(k->run(&call), TGS_OK);
    }
    if (prepared && k->release)
        k->release(&call);
    case_define(set, &in);
    case_compare(&in, b, c->k, real == TGS_F32 ? 0x1p-23 : 0x1p-52, k->impl);
    case_free_buffers(&in, b);
    case_close(&in);
}

static void test_every_kernel(void **state)
{
    (void)state;
    for (int64_t i = 0; i < set->kernels; i++) {
        const tgs_kernel *k = &set->kernel[i];
        int32_t seen = 0;

        if (strcmp(k->arch, "cpu"))
            continue;
        for (int32_t c = 0; c < CASES; c++) {
            if (strcmp(cases[c].codelet, k->codelet))
                continue;
            run_case(k, &cases[c], k->dtype == TGS_BYTES ? TGS_F32 : k->dtype, false);
            run_case(k, &cases[c], k->dtype == TGS_BYTES ? TGS_F64 : k->dtype, true);
            seen++;
        }
        if (!seen)
            fail_msg("no case for kernel %s/%s", k->codelet, k->impl);
    }
}

static void test_both_precisions(void **state)
{
    const tgs_plugin *p;

    (void)state;
    for (int32_t i = 0; i < CASES; i++) {
        assert_non_null(plain(set, cases[i].codelet, TGS_F32));
        assert_non_null(plain(set, cases[i].codelet, TGS_F64));
        assert_int_equal(tgs_i_find(&p, "kernel_cpu", cases[i].codelet, NULL), TGS_OK);
    }
}

/* ---- the definition against independent sums ------------------------------------------------- */
typedef struct plane { /* 2-D attributes, read without the library's geometry */
    int64_t stride[2], pad[4], dilation[2], kernel[2], group, include_pad;
} plane;

static plane plane_of(const char *attrs)
{
    plane p = {{1, 1}, {0}, {1, 1}, {1, 1}, 1, 0};

    tgs_attr_ints(attrs, "strides", p.stride, 2);
    tgs_attr_ints(attrs, "pads", p.pad, 4);
    tgs_attr_ints(attrs, "dilations", p.dilation, 2);
    tgs_attr_ints(attrs, "kernel", p.kernel, 2);
    p.group = tgs_attr_int(attrs, "group", 1);
    p.include_pad = tgs_attr_int(attrs, "include_pad", 0);
    return p;
}

/* x[n, c, i, j], 0 outside */
static double pixel(const tensor *x, int64_t n, int64_t c, int64_t i, int64_t j)
{
    const bool inside = i >= 0 && j >= 0 && i < x->dims[2] && j < x->dims[3];

    return inside ? x->value[((n * x->dims[1] + c) * x->dims[2] + i) * x->dims[3] + j] : 0;
}

static double conv_at(const instance *in, const plane *p, const int64_t o[4])
{
    const tensor *x = &in->t[0], *w = &in->t[1];
    const int64_t per = w->dims[0] / p->group, first = o[1] / per * w->dims[1];
    double sum = in->tensors > 3 ? in->t[2].value[o[1]] : 0;

    for (int64_t c = 0; c < w->dims[1]; c++)
        for (int64_t a = 0; a < w->dims[2]; a++)
            for (int64_t b = 0; b < w->dims[3]; b++)
                sum += pixel(w, o[1], c, a, b)
                       * pixel(x, o[0], first + c,
                               o[2] * p->stride[0] - p->pad[0] + a * p->dilation[0],
                               o[3] * p->stride[1] - p->pad[1] + b * p->dilation[1]);
    return sum;
}

static double pool_at(const instance *in, const plane *p, const int64_t o[4], bool mean)
{
    const tensor *x = &in->t[0];
    double top = -INFINITY, sum = 0, inside = 0;

    for (int64_t a = 0; a < p->kernel[0]; a++)
        for (int64_t b = 0; b < p->kernel[1]; b++) {
            const int64_t i = o[2] * p->stride[0] - p->pad[0] + a * p->dilation[0];
            const int64_t j = o[3] * p->stride[1] - p->pad[1] + b * p->dilation[1];

            if (i < 0 || j < 0 || i >= x->dims[2] || j >= x->dims[3])
                continue;
            inside++;
            sum += pixel(x, o[0], o[1], i, j);
            top = fmax(top, pixel(x, o[0], o[1], i, j));
        }
    if (!mean)
        return top;
    return sum / (p->include_pad ? (double)(p->kernel[0] * p->kernel[1]) : inside);
}

static void test_windows_by_hand(void **state)
{
    int32_t seen = 0;

    (void)state;
    for (int32_t c = 0; c < CASES; c++) {
        const bool conv = !strcmp(cases[c].codelet, "conv");
        const bool mean = !strcmp(cases[c].codelet, "averagepool");
        const plane p = plane_of(cases[c].attrs);
        instance in;
        const tensor *y;
        int64_t o[4], at = 0;

        if (!conv && !mean && strcmp(cases[c].codelet, "maxpool"))
            continue;
        case_open(set, &in, &cases[c], 3);
        y = &in.t[in.tensors - 1];
        case_define(set, &in);
        for (o[0] = 0; y->rank == 4 && o[0] < y->dims[0]; o[0]++)
            for (o[1] = 0; o[1] < y->dims[1]; o[1]++)
                for (o[2] = 0; o[2] < y->dims[2]; o[2]++)
                    for (o[3] = 0; o[3] < y->dims[3]; o[3]++, at++, seen++) {
                        const double want = conv ? conv_at(&in, &p, o) : pool_at(&in, &p, o, mean);

                        if (!(fabs(want - y->value[at]) <= 1e-12))
                            fail_msg("%s %s at %ld: %g, not %g", cases[c].codelet, cases[c].attrs,
                                     (long)at, y->value[at], want);
                    }
        case_close(&in);
    }
    assert_true(seen > 1000);
}

static void test_products_by_hand(void **state)
{
    (void)state;
    for (int32_t c = 0; c < CASES; c++) {
        const bool ta = tgs_attr_int(cases[c].attrs, "transA", 0);
        const bool tb = tgs_attr_int(cases[c].attrs, "transB", 0);
        const double alpha = tgs_attr_real(cases[c].attrs, "alpha", 1);
        const double beta = tgs_attr_real(cases[c].attrs, "beta", 1);
        instance in;
        const tensor *a, *b, *y;

        if (strcmp(cases[c].codelet, "gemm"))
            continue;
        case_open(set, &in, &cases[c], 5);
        a = &in.t[0];
        b = &in.t[1];
        y = &in.t[in.tensors - 1];
        case_define(set, &in);
        for (int64_t i = 0; i < y->count; i++) {
            const int64_t m = i / y->dims[1], n = i % y->dims[1], inner = a->dims[ta ? 0 : 1];
            const tensor *bias = &in.t[2];
            const bool rows = bias->rank == 2 && bias->dims[0] > 1;
            const bool columns = bias->dims[bias->rank - 1] > 1;
            double sum = 0;

            for (int64_t k = 0; k < inner; k++)
                sum += a->value[ta ? k * a->dims[1] + m : m * a->dims[1] + k]
                       * b->value[tb ? n * b->dims[1] + k : k * b->dims[1] + n];
            sum *= alpha;
            if (in.tensors > 3)
                sum += beta * bias->value[(rows ? m * bias->dims[1] : 0) + (columns ? n : 0)];
            assert_true(fabs(sum - y->value[i]) <= 1e-12 * (1 + fabs(sum)));
        }
        case_close(&in);
    }
}

/* values by which a definition of an optimiser could differ from its paper */
static double one(const char *codelet, const char *attrs, int32_t n, double *value, int32_t written)
{
    tgs_buffer b[CASE_BUFFERS];
    const int64_t dim = 1;
    const tgs_call call = {.buffer = b, .buffers = n, .attrs = attrs};

    for (int32_t i = 0; i < n; i++)
        b[i] =
            (tgs_buffer){.data = &value[i], .bytes = 8, .dtype = TGS_F64, .rank = 1, .dims = &dim};
    assert_int_equal(plain(set, codelet, TGS_F64)->run(&call), TGS_OK);
    return value[written];
}

static void test_optimisers_by_hand(void **state)
{
    double sgd[] = {1, 2}, momentum[] = {1, 0.5, 2}, adam[] = {1, 0, 0, 0, 2};

    (void)state;
    assert_true(fabs(one("sgd", "lr=0.1", 2, sgd, 0) - 0.8) < 1e-15);
    assert_true(fabs(one("momentum", "lr=0.1 mu=0.9", 3, momentum, 0) - 0.755) < 1e-15);
    assert_true(fabs(momentum[1] - 2.45) < 1e-15);
    /* the first step of Adam is lr, the second from m = 0.19 * 2 / 0.19 too */
    assert_true(fabs(one("adam", "lr=0.1 eps=0", 5, adam, 0) - 0.9) < 1e-15);
    assert_true(fabs(one("adam", "lr=0.1 eps=0", 5, adam, 0) - 0.8) < 1e-14);
    assert_true(adam[3] == 2);
    assert_true(fabs(adam[1] - 0.38) < 1e-15);
}

/* the first of the largest values wins */
static void test_maxpool_ties(void **state)
{
    double x[] = {1, 1, 1, 1}, y[] = {1}, dy[] = {5}, dx[4];
    const int64_t in[] = {1, 1, 2, 2}, out[] = {1, 1, 1, 1};
    tgs_buffer b[] = {{x, 32, TGS_F64, TGS_R, 4, in},
                      {y, 8, TGS_F64, TGS_R, 4, out},
                      {dy, 8, TGS_F64, TGS_R, 4, out},
                      {dx, 32, TGS_F64, TGS_W, 4, in}};
    const tgs_call call = {.buffer = b, .buffers = 4, .attrs = "kernel=2,2"};

    (void)state;
    assert_int_equal(plain(set, "maxpool_bwd", TGS_F64)->run(&call), TGS_OK);
    assert_true(dx[0] == 5 && dx[1] == 0 && dx[2] == 0 && dx[3] == 0);
}

/* ---- what is refused ------------------------------------------------------------------------ */
static const struct refusal {
    codelet_case c;
    const char *text;
} refusals[] = {
    {{"gemm", "", "R 3x4, R 5x4, W 3x4", 0}, "inner dims of the product differ: 4 and 5"},
    {{"gemm", "", "R 3x4, R 4x5, W 3x4", 0}, "shape of the output"},
    {{"gemm", "", "R 3x4, R 4x5, R 3, W 3x5", 0}, "C does not broadcast"},
    {{"gemm", "", "R 12, R 12x1, W 1x1", 0}, "needs matrices"},
    {{"gemm", "alpha=x", "R 3x4, R 4x5, W 3x5", 0}, "alpha=x is not a number"},
    {{"gemm", "", "R i32:3x4<5, R 4x5, W 3x5", 0}, "must be f32 or f64"},
    {{"matmul", "", "R 2x3x4, R 3x4x5, W 2x3x5", 0}, "shape of the output"},
    {{"conv", "", "R 1x2x5x5, R 1x1x3x3, W 1x1x3x3", 0}, "weights are for 1 to 1 channels"},
    {{"conv", "group=2", "R 1x3x5x5, R 2x1x3x3, W 1x2x3x3", 0}, "group=2 does not divide"},
    {{"conv", "group=0", "R 1x3x5x5, R 2x1x3x3, W 1x2x3x3", 0}, "group=0"},
    {{"conv", "strides=0,1", "R 1x1x5x5, R 1x1x3x3, W 1x1x3x3", 0}, "strides=0 is out of range"},
    {{"conv", "strides=1", "R 1x1x5x5, R 1x1x3x3, W 1x1x3x3", 0}, "1 values for 2 dims"},
    {{"conv", "pads=1,1", "R 1x1x5x5, R 1x1x3x3, W 1x1x3x3", 0}, "pads has 2 values"},
    {{"conv", "", "R 1x1x5x5, R 1x1x3x3, W 1x1x4x3", 0}, "gives 3, not 4"},
    {{"conv", "", "R 1x1x2x2, R 1x1x3x3, W 1x1x1x1", 0}, "gives 0, not 1"},
    {{"conv", "", "R 1x1x5x5, R 1x1x3x3, R 2, W 1x1x3x3", 0}, "one value per output channel"},
    {{"conv", "", "R 5x5, R 3x3, W 3x3", 0}, "1 to 3 spatial dims"},
    {{"conv", "kernel=3,2", "R 1x1x5x5, R 1x1x3x3, W 1x1x3x3", 0}, "not that of the weights"},
    {{"maxpool", "kernel=2,2", "R 1x2x4x4, W 1x1x3x3", 0}, "differ in batch or channels"},
    {{"relu", "", "R 3x4, W 4x3", 0}, "buffer 1 is 4x3, buffer 0 is 3x4"},
    {{"add", "", "R 3x4, R 3, W 3x4", 0}, "do not broadcast"},
    {{"reduce_to", "", "R 3x4, W 3", 0}, "does not broadcast"},
    {{"softmax", "axis=2", "R 3x4, W 3x4", 0}, "axis=2 is outside"},
    {{"batchnormalization", "", "R 2x3, R 3, R 2, R 3, R 3, W 2x3", 0}, "buffer 2 must have one"},
    {{"batchnormalization", "", "R 3, R 3, R 3, R 3, R 3, W 3", 0}, "has no channels"},
    {{"batchnormalization", "", "R 2x3, R 3, R 3, R 3, R 3, W 3x2", 0}, "shape of the input"},
    {{"batchnormalization_bwd_data", "", "R 3, R 3, R 2x3, W 2x2", 0}, "shape of dY"},
    {{"batchnormalization_bwd_weights", "", "R 2x3, R 3, R 3, R 2x3, W 3, W 2", 0}, "buffer 5"},
    {{"concat", "axis=1", "R 2x3, R 3x3, W 2x6", 0}, "buffer 1 does not lie beside"},
    {{"concat", "axis=1", "R 2x3, R 2x3, W 2x5", 0}, "6 side by side, but the output has 5"},
    {{"concat", "axis=3", "R 2x3, W 2x3", 0}, "axis=3 is outside"},
    {{"concat_bwd", "axis=1 offset=2", "R 2x3, W 2x2", 0}, "do not lie in 3"},
    {{"concat_bwd", "axis=1 offset=-1", "R 2x3, W 2x2", 0}, "do not lie in 3"},
    {{"transpose", "perm=1,1", "R 2x3, W 3x2", 0}, "no permutation"},
    {{"transpose", "perm=0", "R 2x3, W 3x2", 0}, "different numbers"},
    {{"transpose", "", "R 2x3, W 2x3", 0}, "does not follow perm"},
    {{"slice", "starts=0", "R 2x3, W 2x3", 0}, "not one for each dim"},
    {{"slice", "starts=0,2", "R 2x3, W 2x2", 0}, "dim 1: from 2 to 3, but there are 3"},
    {{"slice", "starts=0,0 steps=1,-1", "R 2x3, W 2x2", 0}, "dim 1: from 0 to -1"},
    {{"slice", "starts=0,0", "R 2x3, W 3", 0}, "number of dims"},
    {{"softmax_xent", "", "R 3x4, R 3, W 1, W 3x4", 0}, "labels are f64"},
    {{"softmax_xent", "", "R 3x4, R i32:4<3, W 1, W 3x4", 0}, "a label for each row"},
    {{"mse", "", "R 3x4, R 3x4, W 2, W 3x4", 0}, "buffer 2 is 2, must be one element"},
    {{"identity", "", "R 3x4, W 3x3", 0}, "bytes"},
    {{"adam", "", "RW 4, RW 4, RW 4, RW 4, R 4", 0}, "must be one element"},
};

static void test_checks(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES + sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *r = i < CASES ? NULL : &refusals[i - CASES];
        const codelet_case *c = r ? &r->c : &cases[i];
        const tgs_plugin *p;
        tgs_error err = {TGS_OK, ""};
        tgs_buffer b[CASE_BUFFERS];
        tgs_call call = {.buffer = b, .attrs = c->attrs};
        tgs_status status;
        instance in;

        assert_int_equal(tgs_i_find(&p, "kernel_cpu", c->codelet, NULL), TGS_OK);
        in = (instance){.c = c};
        for (const char *s = c->buffers; *s; in.tensors++)
            s = case_tensor(&in.t[in.tensors], s, &(tgs_rng){{1, 2, 3, 4}});
        case_buffers(&in, TGS_F64, b);
        call.buffers = in.tensors;
        status = ((const tgs_kernels *)p)->check(&call, &err);
        if (r ? status != TGS_EINVAL || !strstr(err.text, r->text) : status != TGS_OK)
            fail_msg("check of %s %s (%s): %s", c->codelet, c->attrs, c->buffers, err.text);
        case_free_buffers(&in, b);
        case_close(&in);
    }
}

/* where functions saturate, or are nearly linear */
static void test_extremes(void **state)
{
    static const float at[8] = {-1000, -20, -1e-4f, 0, 1e-4f, 3, 20, 1000};
    const int64_t dims[] = {8};
    int32_t seen = 0;

    (void)state;
    for (int64_t i = 0; i < set->kernels; i++) {
        const tgs_kernel *k = &set->kernel[i];
        const bool tanh_like = !strcmp(k->codelet, "tanh");
        float x[8], y[8];
        tgs_buffer b[] = {{x, 32, TGS_F32, TGS_R, 1, dims}, {y, 32, TGS_F32, TGS_W, 1, dims}};
        const tgs_call call = {.buffer = b, .buffers = 2, .attrs = ""};

        if (strcmp(k->arch, "cpu") || k->dtype != TGS_F32
            || (!tanh_like && strcmp(k->codelet, "sigmoid")))
            continue;
        memcpy(x, at, sizeof x);
        assert_int_equal(k->run(&call), TGS_OK);
        for (int j = 0; j < 8; j++) {
            const double want = tanh_like ? tanh((double)at[j]) : 1 / (1 + exp(-(double)at[j]));

            if (!(fabs(y[j] - want) <= 1e-6 * fabs(want) + 1e-37))
                fail_msg("%s/%s of %g is %g, not %g", k->codelet, k->impl, (double)at[j],
                         (double)y[j], want);
        }
        seen++;
    }
    assert_true(seen >= 4);
}

static void test_label_out_of_range(void **state)
{
    float x[2] = {0}, loss, dx[2];
    int32_t label = 2;
    const int64_t dims[] = {1, 2}, one_dim = 1;
    tgs_buffer b[] = {{x, 8, TGS_F32, TGS_R, 2, dims},
                      {&label, 4, TGS_I32, TGS_R, 1, &one_dim},
                      {&loss, 4, TGS_F32, TGS_W, 1, &one_dim},
                      {dx, 8, TGS_F32, TGS_W, 2, dims}};
    const tgs_call call = {.buffer = b, .buffers = 4, .attrs = ""};

    (void)state;
    assert_int_equal(plain(set, "softmax_xent", TGS_F32)->run(&call), TGS_EINVAL);
    label = -1;
    assert_int_equal(plain(set, "softmax_xent", TGS_F32)->run(&call), TGS_EINVAL);
}

static tgs_status nothing(const tgs_call *c)
{
    (void)c;
    return TGS_OK;
}

static void test_set(void **state)
{
    tgs_kernel k = {.codelet = "relu",
                    .arch = "cpu",
                    .dtype = TGS_F32,
                    .impl = "mine",
                    .rank = -1,
                    .run = nothing};
    tgs_codelets *c = NULL;

    (void)state;
    assert_int_equal(tgs_codelets_new(&c, NULL), TGS_OK);
    assert_string_equal(tgs_kernel_find(c, "gemm", "cpu", TGS_F32)->impl, "openblas");
    assert_string_equal(tgs_kernel_find(c, "gemm", "cpu", TGS_F64)->impl, "plain");
    assert_string_equal(tgs_kernel_find(c, "conv", "cpu", TGS_F32)->impl, "onednn");
    assert_null(tgs_kernel_find(c, "gemm", "cpu", TGS_I32));
    assert_null(tgs_kernel_find(c, "gem", "cpu", TGS_F32));
    assert_null(tgs_kernel_find(c, "gemmm", "cpu", TGS_F32));
    assert_non_null(tgs_kernel_find(c, "reshape", "cpu", TGS_I64));
    assert_int_equal(tgs_codelets_add(c, &k, NULL), TGS_OK);
    assert_string_equal(tgs_kernel_find(c, "relu", "cpu", TGS_F32)->impl, "plain");
    k.rank = 0; /* of equal ranks the one added last */
    assert_int_equal(tgs_codelets_add(c, &k, NULL), TGS_OK);
    assert_string_equal(tgs_kernel_find(c, "relu", "cpu", TGS_F32)->impl, "mine");
    k.run = NULL;
    assert_int_equal(tgs_codelets_add(c, &k, NULL), TGS_EINVAL);
    k.run = nothing;
    k.codelet = "";
    assert_int_equal(tgs_codelets_add(c, &k, NULL), TGS_EINVAL);
    tgs_codelets_free(c);
    tgs_codelets_free(NULL);
}

static int open_set(void **state)
{
    (void)state;
    return tgs_codelets_new(&set, NULL);
}

static int close_set(void **state)
{
    (void)state;
    tgs_codelets_free(set);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_precisions),
        cmocka_unit_test(test_windows_by_hand),
        cmocka_unit_test(test_products_by_hand),
        cmocka_unit_test(test_optimisers_by_hand),
        cmocka_unit_test(test_maxpool_ties),
        cmocka_unit_test(test_every_kernel),
        cmocka_unit_test(test_checks),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_label_out_of_range),
        cmocka_unit_test(test_set),
    };

    return cmocka_run_group_tests(tests, open_set, close_set);
}
