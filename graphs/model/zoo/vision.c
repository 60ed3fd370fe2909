/* vision.c -- convolutions, batch normalisation and pools of image networks. */
#include <string.h>
#include "core.h"

tgs_i_val tgs_i_net_image(tgs_i_net *n, int64_t channels, int64_t side)
{
    const int64_t dim[] = {tgs_arg_int(n->call->args, "batch"), channels, side, side};

    return (tgs_i_val){tgs_i_net_batch(n, "image", TGS_F32, 4, dim), channels};
}

static int64_t padding(int64_t given, int64_t kernel)
{
    return given < 0 ? kernel / 2 : given;
}

tgs_i_val tgs_i_net_conv(tgs_i_net *n, const char *name, tgs_i_val x, tgs_i_conv c)
{
    const int64_t wide = c.wide ? c.wide : c.high, group = c.group ? c.group : 1;
    const int64_t stride = c.stride ? c.stride : 1;
    const int64_t dim[] = {c.out, x.width / group, c.high, wide};
    const int64_t ph = padding(c.pad_high, c.high);
    const int64_t pw = padding(c.wide ? c.pad_wide : c.pad_high, wide);
    char attrs[200], text[80];
    int32_t w, b = -1;

    snprintf(attrs, sizeof attrs,
             "kernel_shape=%lld,%lld strides=%lld,%lld pads=%lld,%lld,%lld,%lld group=%lld",
             (long long)c.high, (long long)wide, (long long)stride, (long long)stride,
             (long long)ph, (long long)pw, (long long)ph, (long long)pw, (long long)group);
    snprintf(text, sizeof text, "%.60s.weight", name);
    w = tgs_i_net_weight(n, text, 4, dim);
    snprintf(text, sizeof text, "%.60s.bias", name);
    if (c.bias)
        b = tgs_i_net_weight(n, text, 1, &c.out);
    return (tgs_i_val){tgs_i_net_op(n, name, "Conv", attrs, c.bias ? 3 : 2, x.tensor, w, b), c.out};
}

tgs_i_val tgs_i_net_batchnorm(tgs_i_net *n, const char *name, tgs_i_val x, double epsilon)
{
    static const char *const parts[] = {"weight", "bias", "running_mean", "running_var"};
    int32_t t[4];
    char text[96], attrs[40];

    for (int32_t i = 0; i < 4; i++) {
        snprintf(text, sizeof text, "%.60s.%s", name, parts[i]);
        t[i] = tgs_i_net_weight(n, text, 1, &x.width);
    }
    snprintf(attrs, sizeof attrs, "epsilon=%.9g", epsilon);
    return (tgs_i_val){
        tgs_i_net_op(n, name, "BatchNormalization", attrs, 5, x.tensor, t[0], t[1], t[2], t[3]),
        x.width};
}

tgs_i_val tgs_i_net_relu6(tgs_i_net *n, const char *name, tgs_i_val x)
{
    return (tgs_i_val){tgs_i_net_op(n, name, "Clip", "min=0 max=6", 1, x.tensor), x.width};
}

tgs_i_val tgs_i_net_conv_bn(tgs_i_net *n, const char *name, tgs_i_val x, tgs_i_conv c,
                            double epsilon, const char *act)
{
    tgs_i_net_enter(n, "%s", name);
    x = tgs_i_net_conv(n, "conv", x, c);
    x = tgs_i_net_batchnorm(n, "bn", x, epsilon);
    if (act && !strcmp(act, "Clip"))
        x = tgs_i_net_relu6(n, "relu6", x);
    else if (act)
        x = tgs_i_net_act(n, "act", act, x);
    tgs_i_net_leave(n);
    return x;
}

tgs_i_val tgs_i_net_pool(tgs_i_net *n, const char *name, const char *type, tgs_i_val x,
                         int64_t kernel, int64_t stride, int64_t pad)
{
    const long long k = kernel, s = stride, p = pad;
    char attrs[160];

    snprintf(attrs, sizeof attrs,
             "kernel_shape=%lld,%lld strides=%lld,%lld pads=%lld,%lld,%lld,%lld%s", k, k, s, s, p,
             p, p, p, *type == 'A' ? " count_include_pad=1" : "");
    return (tgs_i_val){tgs_i_net_op(n, name, type, attrs, 1, x.tensor), x.width};
}

tgs_i_val tgs_i_net_flatten(tgs_i_net *n, const char *name, tgs_i_val x, int64_t pixels)
{
    return (tgs_i_val){tgs_i_net_op(n, name, "Flatten", "axis=1", 1, x.tensor), x.width * pixels};
}

tgs_i_val tgs_i_net_classify(tgs_i_net *n, tgs_i_val x, int64_t classes)
{
    x = tgs_i_net_act(n, "avgpool", "GlobalAveragePool", x);
    x = tgs_i_net_flatten(n, "flatten", x, 1);
    return tgs_i_net_linear(n, "fc", x, classes, true);
}
