/* t_gradients.c -- every backward codelet's plain definition against central differences of the
 * forward one, in double and away from kinks. */
#include "cases.h"

static tgs_codelets *set;

/* L = sum of r * output, r random; backward: "d3 1 >0" is a call with r for buffer 3, the value of
 * buffer 1, and the gradient of buffer 0 as output */
static const struct gradient {
    codelet_case forward;
    const char *codelet, *attrs, *call;
} gradients[] = {
    {{"gemm", "", "R 3x4, R 4x5, R 5, W 3x5", 4}, "gemm", "transB=1", "d3 1 >0"},
    {{"gemm", "", "R 3x4, R 4x5, R 5, W 3x5", 4}, "gemm", "transA=1", "0 d3 >1"},
    {{"gemm", "", "R 3x4, R 4x5, R 5, W 3x5", 4}, "reduce_to", "", "d3 >2"},
    {{"gemm", "transB=1", "R 3x4, R 5x4, R 3x1, W 3x5", 4}, "gemm", "", "d3 1 >0"},
    {{"gemm", "transB=1", "R 3x4, R 5x4, R 3x1, W 3x5", 4}, "gemm", "transA=1", "d3 0 >1"},
    {{"gemm", "transB=1", "R 3x4, R 5x4, R 3x1, W 3x5", 4}, "reduce_to", "", "d3 >2"},
    {{"matmul", "", "R 2x3x4, R 2x4x5, W 2x3x5", 4}, "matmul", "transB=1", "d2 1 >0"},
    {{"matmul", "", "R 2x3x4, R 2x4x5, W 2x3x5", 4}, "matmul", "transA=1", "0 d2 >1"},
    {{"add", "", "R 3x1x5, R 4x1, W 3x4x5", 1}, "reduce_to", "", "d2 >0"},
    {{"add", "", "R 3x1x5, R 4x1, W 3x4x5", 1}, "reduce_to", "", "d2 >1"},
    {{"conv", "pads=0,1,2,0 strides=2,3", "R 1x2x9x11, R 3x2x3x2, R 3, W 1x3x5x4", 12},
     "conv_bwd_data",
     "pads=0,1,2,0 strides=2,3",
     "d3 1 >0"},
    {{"conv", "pads=0,1,2,0 strides=2,3", "R 1x2x9x11, R 3x2x3x2, R 3, W 1x3x5x4", 12},
     "conv_bwd_weights",
     "pads=0,1,2,0 strides=2,3",
     "0 d3 >1"},
    {{"conv", "pads=0,1,2,0 strides=2,3", "R 1x2x9x11, R 3x2x3x2, R 3, W 1x3x5x4", 12},
     "conv_bwd_bias",
     "",
     "d3 >2"},
    {{"conv", "dilations=2,1 group=2 pads=2,0,2,0", "R 2x4x8x6, R 6x2x3x2, R 6, W 2x6x8x5", 12},
     "conv_bwd_data",
     "dilations=2,1 group=2 pads=2,0,2,0",
     "d3 1 >0"},
    {{"conv", "dilations=2,1 group=2 pads=2,0,2,0", "R 2x4x8x6, R 6x2x3x2, R 6, W 2x6x8x5", 12},
     "conv_bwd_weights",
     "dilations=2,1 group=2 pads=2,0,2,0",
     "0 d3 >1"},
    {{"conv", "pads=1,0,1,1,0,1", "R 1x2x4x5x3, R 3x2x3x2x3, R 3, W 1x3x4x4x3", 36},
     "conv_bwd_data",
     "pads=1,0,1,1,0,1",
     "d3 1 >0"},
    {{"conv", "pads=1,0,1,1,0,1", "R 1x2x4x5x3, R 3x2x3x2x3, R 3, W 1x3x4x4x3", 36},
     "conv_bwd_weights",
     "pads=1,0,1,1,0,1",
     "0 d3 >1"},
    {{"maxpool", "kernel=3,2 pads=1,0,1,1 strides=2,1", "R 1x2x7x5, W 1x2x4x5", 1},
     "maxpool_bwd",
     "kernel=3,2 pads=1,0,1,1 strides=2,1",
     "0 1 d1 >0"},
    {{"maxpool", "dilations=2,2 kernel=2,2", "R 1x1x6x7, W 1x1x4x5", 1},
     "maxpool_bwd",
     "dilations=2,2 kernel=2,2",
     "0 1 d1 >0"},
    {{"averagepool", "kernel=3,2 pads=1,0,1,1 strides=2,1", "R 1x2x7x5, W 1x2x4x5", 6},
     "averagepool_bwd",
     "kernel=3,2 pads=1,0,1,1 strides=2,1",
     "d1 >0"},
    {{"averagepool", "include_pad=1 kernel=3,3 pads=1,1,1,1", "R 1x2x5x6, W 1x2x5x6", 9},
     "averagepool_bwd",
     "include_pad=1 kernel=3,3 pads=1,1,1,1",
     "d1 >0"},
    {{"relu", "", "R 3x5, W 3x5", 1}, "relu_bwd", "", "1 d1 >0"},
    {{"sigmoid", "", "R 3x5, W 3x5", 1}, "sigmoid_bwd", "", "1 d1 >0"},
    {{"tanh", "", "R 3x5, W 3x5", 1}, "tanh_bwd", "", "1 d1 >0"},
    {{"softmax", "axis=1", "R 3x5x2, W 3x5x2", 5}, "softmax_bwd", "axis=1", "1 d1 >0"},
    {{"softmax", "axis=-1", "R 3x5, W 3x5", 5}, "softmax_bwd", "axis=-1", "1 d1 >0"},
    {{"batchnormalization", "epsilon=0.1", "R 2x3x5, R 3, R 3, R 3, R 3+, W 2x3x5", 3},
     "batchnormalization_bwd_data",
     "epsilon=0.1",
     "1 4 d5 >0"},
    {{"concat", "axis=1", "R 2x3x2, R 2x4x2, R 2x1x2, W 2x8x2", 1},
     "concat_bwd",
     "axis=1 offset=3",
     "d3 >1"},
    {{"concat", "axis=-2", "R 2x3x2, R 2x4x2, W 2x7x2", 1}, "concat_bwd", "axis=-2", "d2 >0"},
    {{"transpose", "perm=1,2,0", "R 2x3x4, W 3x4x2", 1}, "transpose", "perm=2,0,1", "d1 >0"},
    {{"gather", "axis=0", "R 5x4, R i64:7<5, W 7x4", 1}, "gather_bwd", "axis=0", "d2 1 >0"},
    {{"gather", "axis=1", "R 2x5x3, R i32:2x2<5, W 2x2x2x3", 1}, "gather_bwd", "axis=1", "d2 1 >0"},
    {{"gathernd", "", "R 4x5x3, R i64:6x2<4, W 6x3", 1}, "gathernd_bwd", "", "d2 1 >0"},
    {{"gathernd", "batch_dims=1", "R 2x5x3, R i32:2x4x1<5, W 2x4x3", 1},
     "gathernd_bwd",
     "batch_dims=1",
     "d2 1 >0"},
    {{"scatternd", "", "R 5x3, R i64:2x1<5, R 2x3, W 5x3", 1}, "scatternd_bwd", "", "d3 1 >0"},
    {{"scatternd", "reduction=add", "R 5x3, R i64:2x1<5, R 2x3, W 5x3", 1},
     "gathernd",
     "",
     "d3 1 >2"},
    {{"gatherelements", "axis=0", "R 3x4, R i32:2x4<3, W 2x4", 1},
     "gatherelements_bwd",
     "axis=0",
     "d2 1 >0"},
    {{"segmentsum", "segments=4", "R 7x3, R i64:7<4, W 4x3", 7}, "gather", "axis=0", "d2 1 >0"},
    {{"rotaryembedding", "", "R 2x2x3x4, R 3x2, R 3x2, W 2x2x3x4", 2},
     "rotaryembedding_bwd",
     "",
     "d3 1 2 >0"},
    {{"rotaryembedding", "interleaved=1", "R 2x2x3x4, R 3x2, R 3x2, W 2x2x3x4", 2},
     "rotaryembedding_bwd",
     "interleaved=1",
     "d3 1 2 >0"},
    {{"where", "", "R bool:4x4<2, R 2x3x4x4, R 1, W 2x3x4x4", 1},
     "where_bwd",
     "input=1",
     "d3 0 >1"},
    {{"where", "", "R bool:4x4<2, R 2x3x4x4, R 1, W 2x3x4x4", 1},
     "where_bwd",
     "input=2",
     "d3 0 >2"},
    {{"slice", "starts=2,1,0 steps=-1,2,1", "R 3x5x4, W 3x2x4", 1},
     "slice_bwd",
     "starts=2,1,0 steps=-1,2,1",
     "d1 >0"},
    {{"layernormalization", "axis=-1", "R 3x7, R 7, R 7, W 3x7", 40},
     "layernormalization_bwd_data",
     "axis=-1",
     "0 1 d3 >0"},
    {{"layernormalization", "axis=1 epsilon=0.1", "R 3x4x5, R 4x1, R 5, W 3x4x5", 40},
     "layernormalization_bwd_data",
     "axis=1 epsilon=0.1",
     "0 1 d3 >0"},
    {{"rmsnormalization", "axis=-1", "R 3x7, R 7, W 3x7", 20},
     "rmsnormalization_bwd_data",
     "axis=-1",
     "0 1 d2 >0"},
    {{"rmsnormalization", "axis=1 epsilon=0.1", "R 3x2x7, R 2x1, W 3x2x7", 20},
     "rmsnormalization_bwd_weights",
     "axis=1 epsilon=0.1",
     "0 d2 >1"},
    {{"layernormalization", "axis=1", "R 3x4x5, R 4x1, W 3x4x5", 40},
     "layernormalization_bwd_weights",
     "axis=1",
     "0 d2 >1"},
    {{"dispatch", "capacity=3 experts=4", "R 5x6, R i64:5x2<4, W 4x3x6", 1},
     "dispatch_bwd",
     "",
     "d2 1 >0"},
    {{"combine", "", "R 4x2x6, R i64:5x2<4, R 5x2, W 5x6", 2}, "combine_bwd_data", "", "d3 1 2 >0"},
    {{"combine", "", "R 4x2x6, R i64:5x2<4, R 5x2, W 5x6", 2},
     "combine_bwd_weights",
     "",
     "0 1 d3 >2"},
    {{"convtranspose", "group=2 kernel=3,2 pads=1,0,1,1 strides=2,1",
      "R 2x4x4x5, R 4x2x3x2, R 4, W 2x4x7x5", 24},
     "conv",
     "group=2 kernel=3,2 pads=1,0,1,1 strides=2,1",
     "d3 1 >0"},
    {{"convtranspose", "group=2 kernel=3,2 pads=1,0,1,1 strides=2,1",
      "R 2x4x4x5, R 4x2x3x2, R 4, W 2x4x7x5", 24},
     "conv_bwd_weights",
     "group=2 kernel=3,2 pads=1,0,1,1 strides=2,1",
     "d3 0 >1"},
    {{"convtranspose", "group=2 kernel=3,2 pads=1,0,1,1 strides=2,1",
      "R 2x4x4x5, R 4x2x3x2, R 4, W 2x4x7x5", 24},
     "conv_bwd_bias",
     "",
     "d3 >2"},
    {{"reducesum", "axes=0,2", "R 3x4x5, W 4", 15}, "reducesum_bwd", "axes=0,2", "d1 >0"},
    {{"reducesum", "", "R 3x4, W 1", 12}, "reducesum_bwd", "", "d1 >0"},
    {{"reducemean", "axes=0,2", "R 3x4x5, W 4", 15}, "reducemean_bwd", "axes=0,2", "d1 >0"},
    {{"reducemean", "", "R 3x4, W 1", 12}, "reducemean_bwd", "", "d1 >0"},
    {{"reducel2", "axes=1", "R 3x4x2, W 3x1x2", 4}, "reducel2_bwd", "axes=1", "0 1 d1 >0"},
    {{"gelu", "", "R 3x5, W 3x5", 1}, "gelu_bwd", "", "0 d1 >0"},
    {{"gelu", "tanh=1", "R 3x5, W 3x5", 1}, "gelu_bwd", "tanh=1", "0 d1 >0"},
    {{"erf", "", "R 3x5, W 3x5", 1}, "erf_bwd", "", "0 d1 >0"},
    {{"sqrt", "", "R 3x5+, W 3x5", 1}, "sqrt_bwd", "", "0 d1 >0"},
    {{"exp", "", "R 3x5, W 3x5", 1}, "exp_bwd", "", "0 d1 >0"},
    {{"log", "", "R 3x5+, W 3x5", 1}, "log_bwd", "", "0 d1 >0"},
    {{"neg", "", "R 3x5, W 3x5", 1}, "neg_bwd", "", "0 d1 >0"},
    {{"abs", "", "R 3x5, W 3x5", 1}, "abs_bwd", "", "0 d1 >0"},
    {{"reciprocal", "", "R 3x5, W 3x5", 1}, "reciprocal_bwd", "", "0 d1 >0"},
    {{"clip", "max=0.5 min=-0.25", "R 3x5, W 3x5", 1}, "clip_bwd", "max=0.5 min=-0.25", "0 d1 >0"},
    {{"leakyrelu", "alpha=0.25", "R 3x5, W 3x5", 1}, "leakyrelu_bwd", "alpha=0.25", "0 d1 >0"},
    {{"hardswish", "", "R 3x5, W 3x5", 1}, "hardswish_bwd", "", "0 d1 >0"},
    {{"hardsigmoid", "alpha=2 beta=0.5", "R 3x5, W 3x5", 1},
     "hardsigmoid_bwd",
     "alpha=2 beta=0.5",
     "0 d1 >0"},
    {{"softplus", "", "R 3x5, W 3x5", 1}, "softplus_bwd", "", "0 d1 >0"},
    {{"sub", "", "R 2x1x4x1, R 3x1x5, W 2x3x4x5", 1}, "sub_bwd", "input=0", "0 1 d2 >0"},
    {{"sub", "", "R 2x1x4x1, R 3x1x5, W 2x3x4x5", 1}, "sub_bwd", "input=1", "0 1 d2 >1"},
    {{"mul", "", "R 2x1x4x1, R 3x1x5, W 2x3x4x5", 1}, "mul_bwd", "input=0", "0 1 d2 >0"},
    {{"mul", "", "R 2x1x4x1, R 3x1x5, W 2x3x4x5", 1}, "mul_bwd", "input=1", "0 1 d2 >1"},
    {{"div", "", "R 2x1x4x1, R 3x1x5, W 2x3x4x5", 1}, "div_bwd", "input=0", "0 1 d2 >0"},
    {{"div", "", "R 2x1x4x1, R 3x1x5, W 2x3x4x5", 1}, "div_bwd", "input=1", "0 1 d2 >1"},
    {{"pow", "", "R 2x1x4x1+, R 3x1x5, W 2x3x4x5", 1}, "pow_bwd", "input=0", "0 1 d2 >0"},
    {{"pow", "", "R 2x1x4x1+, R 3x1x5, W 2x3x4x5", 1}, "pow_bwd", "input=1", "0 1 d2 >1"},
    {{"max", "", "R 2x1x4x1, R 3x1x5, W 2x3x4x5", 1}, "max_bwd", "input=0", "0 1 d2 >0"},
    {{"max", "", "R 2x1x4x1, R 3x1x5, W 2x3x4x5", 1}, "max_bwd", "input=1", "0 1 d2 >1"},
    {{"min", "", "R 2x1x4x1, R 3x1x5, W 2x3x4x5", 1}, "min_bwd", "input=0", "0 1 d2 >0"},
    {{"min", "", "R 2x1x4x1, R 3x1x5, W 2x3x4x5", 1}, "min_bwd", "input=1", "0 1 d2 >1"},
    {{"lstm", "direction=bidirectional hidden=3", "R 4x2x5, R 2x12x5, R 2x12x3, R 2x24, W 4x2x2x3",
      60},
     "lstm_bwd",
     "direction=bidirectional hidden=3 wanted=1,0,0,0",
     "0 1 2 3 d4 >0"},
    {{"lstm", "direction=bidirectional hidden=3", "R 4x2x5, R 2x12x5, R 2x12x3, R 2x24, W 4x2x2x3",
      60},
     "lstm_bwd",
     "direction=bidirectional hidden=3 wanted=0,1,0,0",
     "0 1 2 3 d4 >1"},
    {{"lstm", "direction=bidirectional hidden=3", "R 4x2x5, R 2x12x5, R 2x12x3, R 2x24, W 4x2x2x3",
      60},
     "lstm_bwd",
     "direction=bidirectional hidden=3 wanted=0,0,1,0",
     "0 1 2 3 d4 >2"},
    {{"lstm", "direction=bidirectional hidden=3", "R 4x2x5, R 2x12x5, R 2x12x3, R 2x24, W 4x2x2x3",
      60},
     "lstm_bwd",
     "direction=bidirectional hidden=3 wanted=0,0,0,1",
     "0 1 2 3 d4 >3"},
    {{"lstm", "direction=reverse hidden=3", "R 4x2x5, R 1x12x5, R 1x12x3, R 1x24, W 4x1x2x3", 60},
     "lstm_bwd",
     "direction=reverse hidden=3 wanted=0,0,1,0",
     "0 1 2 3 d4 >2"},
    /* losses give their gradient themselves */
    {{"softmax_xent", "scale=0.5", "R 4x5, R i32:4<5, W 1, W 4x5", 5}, NULL, NULL, "2 3"},
    {{"mse", "scale=0.5", "R 4x5, R 4x5, W 1, W 4x5", 20}, NULL, NULL, "2 3"},
    {{"sum_loss", "scale=0.5", "R 4x5, W 1, W 4x5", 20}, NULL, NULL, "1 2"},
};

/* the output's weighted sum */
static double loss_of(instance *in, int32_t output, const double *weight)
{
    double sum = 0;

    case_define(set, in);
    for (int64_t i = 0; i < in->t[output].count; i++)
        sum += weight[i] * in->t[output].value[i];
    return sum;
}

/* the backward codelet's gradient, into to */
static void backward(const struct gradient *g, const instance *in, int32_t output, double *weight,
                     double *to)
{
    const codelet_case c = {g->codelet, g->attrs, "", 1};
    instance back = {.c = &c};

    for (const char *s = g->call; *s; back.tensors++) {
        tensor *t = &back.t[back.tensors];
        const bool d = *s == 'd', result = *s == '>';

        *t = in->t[strtol(s + (d || result), (char **)&s, 10)];
        t->mode = result ? TGS_W : TGS_R;
        t->value = d ? weight : result ? to : t->value;
        s += *s == ' ';
    }
    assert_int_equal(in->t[output].mode, TGS_W);
    case_define(set, &back);
}

static void check_gradient(const struct gradient *g)
{
    const double h = 1e-5;
    const bool own = !g->codelet;
    double *weight, *got, error = 0, norm = 0;
    int32_t output, input = 0;
    instance in;

    case_open(set, &in, &g->forward, 11);
    output = own ? atoi(g->call) : in.tensors - 1;
    if (!own)
        input = atoi(strchr(g->call, '>') + 1);
    weight = malloc((size_t)in.t[output].count * sizeof *weight);
    got = malloc((size_t)in.t[input].count * sizeof *got);
    for (int64_t i = 0; i < in.t[output].count; i++)
        weight[i] = own ? 1 : 0.3 + 0.1 * (double)(i % 7);
    loss_of(&in, output, weight);
    if (own)
        memcpy(got, in.t[atoi(strchr(g->call, ' '))].value, (size_t)in.t[0].count * sizeof *got);
    else
        backward(g, &in, output, weight, got);
    for (int64_t i = 0; i < in.t[input].count; i++) {
        double *x = &in.t[input].value[i];
        const double at = *x;
        double up, down, slope;

        *x = at + h;
        up = loss_of(&in, output, weight);
        *x = at - h;
        down = loss_of(&in, output, weight);
        *x = at;
        slope = (up - down) / (2 * h);
        error += (slope - got[i]) * (slope - got[i]);
        norm += slope * slope;
    }
    if (!(norm > 0 && sqrt(error) <= 1e-8 * sqrt(norm)))
        fail_msg("gradient of %s %s to buffer %d is off by %g of %g", g->forward.codelet,
                 g->forward.attrs, input, sqrt(error), sqrt(norm));
    free(weight);
    free(got);
    case_close(&in);
}

static void test_gradients(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof gradients / sizeof *gradients; i++)
        check_gradient(&gradients[i]);
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
        cmocka_unit_test(test_gradients),
    };

    return cmocka_run_group_tests(tests, open_set, close_set);
}
