/* cases.h -- calls of every codelet, and how a kernel of any architecture is compared with the
 * plain-C definition in double. */
#ifndef TESTS_CASES_H
#define TESTS_CASES_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "internal.h"

/* buffers: "MODE SHAPE, ..."; SHAPE is 2x3, or i32:2<5 for integers in [0, 5); a + after it asks
 * for values in (0, 1) instead of +-(0.1, 1), which keeps clear of kinks at 0.  k: the longest sum.
 */
typedef struct codelet_case {
    const char *codelet, *attrs, *buffers;
    double k;
} codelet_case;

static const codelet_case cases[] = {
    {"gemm", "", "R 1x1, R 1x1, W 1x1", 1},
    {"gemm", "", "R 3x4, R 4x5, W 3x5", 4},
    {"gemm", "transA=1", "R 4x3, R 4x5, R 5, W 3x5", 4},
    {"gemm", "transB=1", "R 3x4, R 5x4, R 3x1, W 3x5", 4},
    {"gemm", "alpha=0.5 beta=-2 transA=1 transB=1", "R 4x3, R 5x4, R 3x5, W 3x5", 4},
    {"gemm", "alpha=2 beta=3", "R 2x7, R 7x2, R 1, W 2x2", 7},
    {"gemm", "transB=1", "R 32x784, R 128x784, R 128, W 32x128", 784},
    {"gemm", "transA=1", "R 64x33, R 64x17, W 33x17", 64},
    {"gemm", "", "R 65x257, R 257x63, W 65x63", 257},
    {"gemm", "transB=1", "R 96x100, R 80x100, R 96x1, W 96x80", 100},
    {"matmul", "", "R 3x4, R 4x5, W 3x5", 4},
    {"matmul", "", "R 4, R 4x5, W 5", 4},
    {"matmul", "", "R 3x4, R 4, W 3", 4},
    {"matmul", "", "R 6, R 6, W 1", 6},
    {"matmul", "transA=1 transB=1", "R 6, R 5, W 6x5", 1},
    {"matmul", "", "R 2x3x4, R 2x4x5, W 2x3x5", 4},
    {"matmul", "transB=1", "R 2x3x4, R 5x4, W 2x3x5", 4},
    {"matmul", "transA=1", "R 7x1x4x3, R 2x4x5, W 7x2x3x5", 4},
    {"matmul", "", "R 3x1x2x4, R 1x5x4x2, W 3x5x2x2", 4},
    {"matmul", "", "R 4x33x64, R 4x64x31, W 4x33x31", 64},
    {"reduce_to", "", "R 3x4, W 4", 3},
    {"reduce_to", "", "R 3x4, W 3x1", 4},
    {"reduce_to", "", "R 3x4, W 1", 12},
    {"reduce_to", "", "R 3x4, W 3x4", 1},
    {"reduce_to", "", "R 2x3x4x5, W 3x1x5", 8},
    {"reduce_to", "", "R 5x2x3, W 1x2x1", 15},
    {"reduce_to", "", "R 64x1000, W 1000", 64},
    {"reduce_to", "", "R 1000x33, W 1000x1", 33},
    {"conv", "", "R 1x1x5x5, R 1x1x3x3, W 1x1x3x3", 9},
    {"conv", "pads=1,1,1,1", "R 2x3x7x5, R 4x3x3x3, R 4, W 2x4x7x5", 27},
    {"conv", "pads=2,2,2,2 strides=2,2", "R 2x1x28x28, R 6x1x5x5, R 6, W 2x6x14x14", 25},
    {"conv", "pads=0,1,2,0 strides=2,3", "R 1x2x9x11, R 3x2x3x2, W 1x3x5x4", 12},
    {"conv", "dilations=2,1 pads=2,0,2,0", "R 1x2x8x6, R 2x2x3x2, R 2, W 1x2x8x5", 12},
    {"conv", "group=2", "R 2x4x6x6, R 6x2x3x3, R 6, W 2x6x4x4", 18},
    {"conv", "group=4 pads=1,1,1,1", "R 1x4x6x6, R 4x1x3x3, W 1x4x6x6", 9},
    {"conv", "", "R 2x8x9x9, R 16x8x1x1, W 2x16x9x9", 8},
    {"conv", "strides=4", "R 2x3x21, R 5x3x6, R 5, W 2x5x4", 18},
    {"conv", "pads=1,0,1,1,0,1", "R 1x2x4x5x3, R 3x2x3x2x3, R 3, W 1x3x4x4x3", 36},
    {"conv_bwd_data", "", "R 1x1x3x3, R 1x1x3x3, W 1x1x5x5", 9},
    {"conv_bwd_data", "pads=1,1,1,1", "R 2x4x7x5, R 4x3x3x3, W 2x3x7x5", 36},
    {"conv_bwd_data", "pads=2,2,2,2 strides=2,2", "R 2x6x14x14, R 6x1x5x5, W 2x1x28x28", 54},
    {"conv_bwd_data", "pads=0,1,2,0 strides=2,3", "R 1x3x5x4, R 3x2x3x2, W 1x2x9x11", 12},
    {"conv_bwd_data", "dilations=2,1 pads=2,0,2,0", "R 1x2x8x5, R 2x2x3x2, W 1x2x8x6", 12},
    {"conv_bwd_data", "group=2", "R 2x6x4x4, R 6x2x3x3, W 2x4x6x6", 27},
    {"conv_bwd_data", "strides=4", "R 2x5x4, R 5x3x6, W 2x3x21", 15},
    {"conv_bwd_data", "pads=1,0,1,1,0,1", "R 1x3x4x4x3, R 3x2x3x2x3, W 1x2x4x5x3", 54},
    {"conv_bwd_weights", "", "R 1x1x5x5, R 1x1x3x3, W 1x1x3x3", 9},
    {"conv_bwd_weights", "pads=1,1,1,1", "R 2x3x7x5, R 2x4x7x5, W 4x3x3x3", 70},
    {"conv_bwd_weights", "pads=2,2,2,2 strides=2,2", "R 2x1x28x28, R 2x6x14x14, W 6x1x5x5", 392},
    {"conv_bwd_weights", "pads=0,1,2,0 strides=2,3", "R 1x2x9x11, R 1x3x5x4, W 3x2x3x2", 20},
    {"conv_bwd_weights", "dilations=2,1 pads=2,0,2,0", "R 1x2x8x6, R 1x2x8x5, W 2x2x3x2", 40},
    {"conv_bwd_weights", "group=2", "R 2x4x6x6, R 2x6x4x4, W 6x2x3x3", 32},
    {"conv_bwd_weights", "strides=4", "R 2x3x21, R 2x5x4, W 5x3x6", 8},
    {"conv_bwd_weights", "pads=1,0,1,1,0,1", "R 1x2x4x5x3, R 1x3x4x4x3, W 3x2x3x2x3", 48},
    {"conv_bwd_bias", "", "R 2x3x4x5, W 3", 40},
    {"conv_bwd_bias", "", "R 4x3, W 3", 4},
    {"maxpool", "kernel=2,2 strides=2,2", "R 2x3x8x6, W 2x3x4x3", 1},
    {"maxpool", "kernel=3,2 pads=1,0,1,1 strides=2,1", "R 1x2x7x5, W 1x2x4x5", 1},
    {"maxpool", "dilations=2,2 kernel=2,2", "R 1x1x6x7, W 1x1x4x5", 1},
    {"maxpool", "kernel=3,3 strides=2,2", "R 1x1x6x6, W 1x1x3x3", 1}, /* rounded up */
    {"maxpool", "kernel=4", "R 2x3x9, W 2x3x6", 1},
    {"maxpool", "kernel=2,2,2 strides=2,2,2", "R 1x2x4x4x4, W 1x2x2x2x2", 1},
    {"maxpool_bwd", "kernel=2,2 strides=2,2", "R 2x3x8x6, R 2x3x4x3, R 2x3x4x3, W 2x3x8x6", 1},
    {"maxpool_bwd", "kernel=3,2 pads=1,0,1,1 strides=2,1",
     "R 1x2x7x5, R 1x2x4x5, R 1x2x4x5, W 1x2x7x5", 6},
    {"averagepool", "kernel=2,2 strides=2,2", "R 2x3x8x6, W 2x3x4x3", 4},
    {"averagepool", "kernel=3,2 pads=1,0,1,1 strides=2,1", "R 1x2x7x5, W 1x2x4x5", 6},
    {"averagepool", "include_pad=1 kernel=3,3 pads=1,1,1,1", "R 1x2x5x6, W 1x2x5x6", 9},
    {"averagepool", "kernel=7,7", "R 2x5x7x7, W 2x5x1x1", 49},
    {"averagepool_bwd", "kernel=2,2 strides=2,2", "R 2x3x4x3, W 2x3x8x6", 1},
    {"averagepool_bwd", "kernel=3,2 pads=1,0,1,1 strides=2,1", "R 1x2x4x5, W 1x2x7x5", 6},
    {"averagepool_bwd", "include_pad=1 kernel=3,3 pads=1,1,1,1", "R 1x2x5x6, W 1x2x5x6", 9},
    {"relu", "", "R 7, W 7", 1},
    {"relu", "", "R 3x5x2x1, W 3x5x2x1", 1},
    {"relu", "", "R 100x99, W 100x99", 1},
    {"relu_bwd", "", "R 3x5, R 3x5, W 3x5", 1},
    {"sigmoid", "", "R 3x1001, W 3x1001", 1},
    {"sigmoid_bwd", "", "R 3x101+, R 3x101, W 3x101", 1},
    {"tanh", "", "R 3x101, W 3x101", 1},
    {"tanh_bwd", "", "R 3x101, R 3x101, W 3x101", 1},
    {"batchnormalization", "", "R 2x3x4x5, R 3, R 3, R 3, R 3+, W 2x3x4x5", 3},
    {"batchnormalization", "epsilon=0.5", "R 4x7, R 7, R 7, R 7, R 7+, W 4x7", 3},
    {"batchnormalization_bwd_data", "", "R 3, R 3+, R 2x3x4x5, W 2x3x4x5", 3},
    {"batchnormalization_bwd_weights", "", "R 2x3x4x5, R 3, R 3+, R 2x3x4x5, W 3, W 3", 80},
    {"batchnormalization_bwd_weights", "", "R 9x5, R 5, R 5+, R 9x5, W 5, W 5", 20},
    {"concat", "axis=1", "R 2x3x4, R 2x1x4, R 2x5x4, W 2x9x4", 1},
    {"concat", "axis=-1", "R 3x2, R 3x4, W 3x6", 1},
    {"concat", "axis=0", "R 5, W 5", 1},
    {"concat_bwd", "axis=1 offset=3", "R 2x9x4, W 2x1x4", 1},
    {"concat_bwd", "axis=0", "R 6x2, W 4x2", 1},
    {"transpose", "", "R 2x3x4, W 4x3x2", 1},
    {"slice", "starts=0,3", "R 4x7, W 4x2", 1},
    {"slice", "starts=2,1,0 steps=-1,2,1", "R 3x5x4, W 3x2x4", 1},
    {"slice", "starts=6 steps=-3", "R 8, W 3", 1},
    {"transpose", "perm=0,3,1,2", "R 2x5x6x3, W 2x3x5x6", 1},
    {"transpose", "perm=1,0", "R 7x9, W 9x7", 1},
    {"softmax", "axis=1", "R 5x10, W 5x10", 10},
    {"softmax", "axis=-1", "R 2x3x7, W 2x3x7", 7},
    {"softmax", "axis=0", "R 4x3, W 4x3", 4},
    {"softmax", "axis=1", "R 2x5x3, W 2x5x3", 5},
    {"softmax_bwd", "axis=1", "R 5x10+, R 5x10, W 5x10", 10},
    {"softmax_bwd", "axis=1", "R 2x5x3+, R 2x5x3, W 2x5x3", 5},
    {"softmax_xent", "scale=0.125", "R 8x10, R i32:8<10, W 1, W 8x10", 10},
    {"softmax_xent", "scale=1", "R 1x2, R i32:1<2, W 1, W 1x2", 2},
    {"softmax_xent", "scale=0.01", "R 100x33, R i32:100<33, W 1, W 100x33", 100},
    {"mse", "scale=0.5", "R 3x4, R 3x4, W 1, W 3x4", 12},
    {"sum_loss", "scale=2", "R 30+, W 1, W 30", 30},
    {"add", "", "R 3x4, R 3x4, W 3x4", 1},
    {"add", "", "R 3x4, R 4, W 3x4", 1},
    {"add", "", "R 3x1, R 1x4, W 3x4", 1},
    {"add", "", "R 1, R 2x3x4, W 2x3x4", 1},
    {"add", "", "R 2x1x4x1, R 3x1x5, W 2x3x4x5", 1},
    {"add", "", "R 64x100, R 100, W 64x100", 1},
    {"sub", "", "R 3x4, R 3x4, W 3x4", 4},
    {"sub", "", "R 2x1x4x1, R 3x1x5, W 2x3x4x5", 4},
    {"sub", "", "R 64x100, R 100, W 64x100", 4},
    {"mul", "", "R 3x4, R 3x4, W 3x4", 4},
    {"mul", "", "R 2x1x4x1, R 3x1x5, W 2x3x4x5", 4},
    {"mul", "", "R 64x100, R 100, W 64x100", 4},
    {"div", "", "R 3x4, R 3x4, W 3x4", 4},
    {"div", "", "R 2x1x4x1, R 3x1x5, W 2x3x4x5", 4},
    {"div", "", "R 64x100, R 100, W 64x100", 4},
    {"gemm_sum", "alpha=0.5 transA=1", "R 4x3, R 4x5, R 7x3, R 7x5, W 3x5", 11},
    {"gemm_sum", "transB=1", "R 3x4, R 5x4, W 3x5", 4},
    {"extrapolate", "horizon=2", "RW 3x4, RW 3x4", 4},
    {"low_rank_split", "share=0.5", "R 6x4, W 6x4, W 6x4", 64},
    {"gatherelements", "axis=0", "R 3x4, R i32:2x4<3, W 2x4", 1},
    {"topk", "axis=1", "R 3x8, W 3x3", 1},
    {"rotaryembedding", "", "R 2x2x3x4, R 3x2, R 3x2, W 2x2x3x4", 2},
    {"sum", "", "R 3x4, W 3x4", 1},
    {"sum", "", "R 3x4, R 3x4, R 3x4, W 3x4", 3},
    {"accumulate", "", "RW 33, R 33", 1},
    {"identity", "", "R 3x4, W 3x4", 1},
    {"identity", "", "R i32:5<9, W i32:5<9", 1},
    {"encrypt", "nonce=7", "R i32:50<9, W i32:50<9", 1},
    {"decrypt", "nonce=7", "R i32:50<9, W i32:50<9", 1},
    {"reshape", "", "R 3x4, W 2x6", 1},
    {"sgd", "lr=0.1", "RW 3x40, R 3x40", 1},
    {"momentum", "lr=0.1 mu=0.9", "RW 41, RW 41, R 41", 1},
    {"adam", "beta1=0.9 beta2=0.99 eps=1e-6 lr=0.1", "RW 41, RW 41, RW 41+, RW 1+, R 41", 8},
};
enum { CASES = sizeof cases / sizeof *cases, CASE_BUFFERS = 8 };

typedef struct tensor {
    tgs_mode mode;
    tgs_dtype dtype; /* F64 or I32; a call may ask for F32 */
    int32_t rank;
    int64_t dims[8], count;
    double *value;
} tensor;

typedef struct instance { /* a case with values */
    const codelet_case *c;
    int32_t tensors;
    tensor t[CASE_BUFFERS];
} instance;

/* one buffer of "MODE SHAPE"; the values are float32 numbers, so both precisions see the same */
static const char *case_tensor(tensor *t, const char *s, tgs_rng *rng)
{
    double range = 0;
    bool positive;

    t->mode = s[0] == 'R' ? s[1] == 'W' ? TGS_RW : TGS_R : TGS_W;
    s = strchr(s, ' ') + 1;
    t->dtype = strncmp(s, "i32:", 4) ? TGS_F64 : TGS_I32;
    s += t->dtype == TGS_I32 ? 4 : 0;
    for (t->count = 1;; s++) {
        t->count *= t->dims[t->rank++] = strtoll(s, (char **)&s, 10);
        if (*s != 'x')
            break;
    }
    if (*s == '<')
        range = strtod(s + 1, (char **)&s);
    positive = *s == '+';
    s += positive;
    t->value = calloc((size_t)t->count, sizeof *t->value);
    for (int64_t i = 0; i < t->count; i++) {
        const double u = tgs_rng_real(rng), sign = tgs_rng_next(rng) & 1 ? 1 : -1;

        t->value[i] = range > 0 ? floor(u * range) : (float)(positive ? u : sign * (0.1 + 0.9 * u));
    }
    return *s ? s + 2 : s;
}

static const tgs_kernel *plain(const tgs_codelets *set, const char *codelet, tgs_dtype dtype)
{
    for (int64_t i = 0; i < set->kernels; i++) {
        const tgs_kernel *k = &set->kernel[i];

        if (!strcmp(k->codelet, codelet) && !strcmp(k->arch, "cpu") && !strcmp(k->impl, "plain")
            && (k->dtype == dtype || k->dtype == TGS_BYTES))
            return k;
    }
    return NULL;
}

/* buffers of an instance in a precision, with copies of its values; case_free_buffers */
static void case_buffers(const instance *in, tgs_dtype real, tgs_buffer *b)
{
    for (int32_t i = 0; i < in->tensors; i++) {
        const tensor *t = &in->t[i];
        const tgs_dtype type = t->dtype == TGS_I32 ? TGS_I32 : real;

        b[i] = (tgs_buffer){.bytes = (double)t->count * tgs_dtype_size(type),
                            .dtype = type,
                            .mode = t->mode,
                            .rank = t->rank,
                            .dims = t->dims};
        b[i].data = malloc((size_t)b[i].bytes);
        for (int64_t j = 0; j < t->count; j++)
            if (t->mode == TGS_W)
                memset(b[i].data, 0xff, (size_t)b[i].bytes); /* NaN: must be overwritten */
            else if (type == TGS_I32)
                ((int32_t *)b[i].data)[j] = (int32_t)t->value[j];
            else if (type == TGS_F32)
                ((float *)b[i].data)[j] = (float)t->value[j];
            else
                ((double *)b[i].data)[j] = t->value[j];
    }
}

static void case_free_buffers(const instance *in, tgs_buffer *b)
{
    for (int32_t i = 0; i < in->tensors; i++)
        free(b[i].data);
}

static double element(const tgs_buffer *b, int64_t i)
{
    return b->dtype == TGS_I32   ? ((int32_t *)b->data)[i]
           : b->dtype == TGS_F32 ? ((float *)b->data)[i]
                                 : ((double *)b->data)[i];
}

/* in double by the plain definition; written tensors get their new values */
static void case_define(const tgs_codelets *set, instance *in)
{
    const tgs_kernel *k = plain(set, in->c->codelet, TGS_F64);
    tgs_buffer b[CASE_BUFFERS];
    const tgs_call call = {.buffer = b, .buffers = in->tensors, .attrs = in->c->attrs};

    assert_non_null(k);
    case_buffers(in, TGS_F64, b);
    assert_int_equal(k->run(&call), TGS_OK);
    for (int32_t i = 0; i < in->tensors; i++)
        for (int64_t j = 0; j < in->t[i].count && in->t[i].mode != TGS_R; j++)
            in->t[i].value[j] = element(&b[i], j);
    case_free_buffers(in, b);
}

static void case_close(instance *in)
{
    for (int32_t i = 0; i < in->tensors; i++)
        free(in->t[i].value);
}

static void case_open(const tgs_codelets *set, instance *in, const codelet_case *c, uint64_t seed)
{
    tgs_rng rng;

    *in = (instance){.c = c};
    tgs_rng_seed(&rng, seed);
    for (const char *s = c->buffers; *s; in->tensors++)
        s = case_tensor(&in->t[in->tensors], s, &rng);
    if (!strcmp(c->codelet, "maxpool_bwd")) { /* its Y is the pool of its X */
        const codelet_case pool = {"maxpool", c->attrs, "", 1};
        instance f = {.c = &pool, .tensors = 2, .t = {in->t[0], in->t[1]}};

        f.t[1].mode = TGS_W;
        case_define(set, &f);
    }
}

/* the written buffers agree with the definition, norm-wise */
static inline void case_compare(const instance *want, const tgs_buffer *b, double k, double unit,
                                const char *impl)
{
    for (int32_t i = 0; i < want->tensors; i++) {
        double error = 0, norm = 0;

        if (want->t[i].mode == TGS_R)
            continue;
        for (int64_t j = 0; j < want->t[i].count; j++) {
            const double d = element(&b[i], j) - want->t[i].value[j];

            error += d * d;
            norm += want->t[i].value[j] * want->t[i].value[j];
        }
        if (!(sqrt(error) <= unit * (4 + 2 * sqrt(k)) * sqrt(norm)))
            fail_msg("%s %s (%s) by %s: buffer %d is off by %g of %g", want->c->codelet,
                     want->c->attrs, want->c->buffers, impl, i, sqrt(error), sqrt(norm));
    }
}
#endif
