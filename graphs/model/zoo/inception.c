/* inception.c -- Inception v3 without its auxiliary classifier. */
#include "core.h"

static tgs_i_val conv(tgs_i_net *n, const char *name, tgs_i_val x, int64_t out, int64_t high,
                      int64_t wide, int64_t stride, int64_t pad_high, int64_t pad_wide)
{
    const tgs_i_conv c = {.out = out,
                          .high = high,
                          .wide = wide,
                          .stride = stride,
                          .pad_high = pad_high,
                          .pad_wide = pad_wide};

    return tgs_i_net_conv_bn(n, name, x, c, 0.001, "Relu");
}

/* a square kernel: half of it as padding, or none with a stride */
static tgs_i_val same(tgs_i_net *n, const char *name, tgs_i_val x, int64_t out, int64_t kernel)
{
    return conv(n, name, x, out, kernel, kernel, 1, -1, -1);
}

static tgs_i_val halve(tgs_i_net *n, const char *name, tgs_i_val x, int64_t out)
{
    return conv(n, name, x, out, 3, 3, 2, 0, 0);
}

static tgs_i_val pooled(tgs_i_net *n, tgs_i_val x, int64_t out)
{
    x = tgs_i_net_pool(n, "pool", "AveragePool", x, 3, 1, 1);
    return same(n, "pool_1x1", x, out, 1);
}

static tgs_i_val block_a(tgs_i_net *n, tgs_i_val x, int64_t pool)
{
    tgs_i_val part[4];

    part[0] = same(n, "1x1", x, 64, 1);
    part[1] = same(n, "5x5_2", same(n, "5x5_1", x, 48, 1), 64, 5);
    part[2] = same(n, "3x3_2", same(n, "3x3_1", x, 64, 1), 96, 3);
    part[2] = same(n, "3x3_3", part[2], 96, 3);
    part[3] = pooled(n, x, pool);
    return tgs_i_net_concat(n, "concat", 4, part, 1);
}

static tgs_i_val block_b(tgs_i_net *n, tgs_i_val x)
{
    tgs_i_val part[3];

    part[0] = halve(n, "3x3", x, 384);
    part[1] = same(n, "double_2", same(n, "double_1", x, 64, 1), 96, 3);
    part[1] = halve(n, "double_3", part[1], 96);
    part[2] = tgs_i_net_pool(n, "pool", "MaxPool", x, 3, 2, 0);
    return tgs_i_net_concat(n, "concat", 3, part, 1);
}

static tgs_i_val row(tgs_i_net *n, const char *name, tgs_i_val x, int64_t out)
{
    return conv(n, name, x, out, 1, 7, 1, 0, 3);
}

static tgs_i_val column(tgs_i_net *n, const char *name, tgs_i_val x, int64_t out)
{
    return conv(n, name, x, out, 7, 1, 1, 3, 0);
}

static tgs_i_val block_c(tgs_i_net *n, tgs_i_val x, int64_t inner)
{
    tgs_i_val part[4], y;

    part[0] = same(n, "1x1", x, 192, 1);
    y = same(n, "7x7_1", x, inner, 1);
    part[1] = column(n, "7x7_3", row(n, "7x7_2", y, inner), 192);
    y = same(n, "double_1", x, inner, 1);
    y = row(n, "double_3", column(n, "double_2", y, inner), inner);
    part[2] = row(n, "double_5", column(n, "double_4", y, inner), 192);
    part[3] = pooled(n, x, 192);
    return tgs_i_net_concat(n, "concat", 4, part, 1);
}

static tgs_i_val block_d(tgs_i_net *n, tgs_i_val x)
{
    tgs_i_val part[3], y;

    part[0] = halve(n, "3x3_2", same(n, "3x3_1", x, 192, 1), 320);
    y = row(n, "7x7_2", same(n, "7x7_1", x, 192, 1), 192);
    part[1] = halve(n, "7x7_4", column(n, "7x7_3", y, 192), 192);
    part[2] = tgs_i_net_pool(n, "pool", "MaxPool", x, 3, 2, 0);
    return tgs_i_net_concat(n, "concat", 3, part, 1);
}

static tgs_i_val block_e(tgs_i_net *n, tgs_i_val x)
{
    tgs_i_val part[6], y;

    part[0] = same(n, "1x1", x, 320, 1);
    y = same(n, "3x3_1", x, 384, 1);
    part[1] = conv(n, "3x3_2a", y, 384, 1, 3, 1, 0, 1);
    part[2] = conv(n, "3x3_2b", y, 384, 3, 1, 1, 1, 0);
    y = same(n, "double_2", same(n, "double_1", x, 448, 1), 384, 3);
    part[3] = conv(n, "double_3a", y, 384, 1, 3, 1, 0, 1);
    part[4] = conv(n, "double_3b", y, 384, 3, 1, 1, 1, 0);
    part[5] = pooled(n, x, 192);
    return tgs_i_net_concat(n, "concat", 6, part, 1);
}

static tgs_i_val mixed(tgs_i_net *n, tgs_i_val x, int index)
{
    static const char *const scope[] = {"5b", "5c", "5d", "6a", "6b", "6c",
                                        "6d", "6e", "7a", "7b", "7c"};

    tgs_i_net_enter(n, "mixed_%s", scope[index]);
    if (index < 3)
        x = block_a(n, x, index ? 64 : 32);
    else if (index == 3)
        x = block_b(n, x);
    else if (index < 8)
        x = block_c(n, x, index == 4 ? 128 : index == 7 ? 192 : 160);
    else if (index == 8)
        x = block_d(n, x);
    else
        x = block_e(n, x);
    tgs_i_net_leave(n);
    return x;
}

static tgs_status build(const tgs_zoo_call *c, int32_t *output, tgs_error *err)
{
    tgs_i_net n;
    tgs_i_val x;

    tgs_i_net_open(&n, c);
    x = tgs_i_net_image(&n, 3, 299);
    x = halve(&n, "conv_1a", x, 32);
    x = conv(&n, "conv_2a", x, 32, 3, 3, 1, 0, 0);
    x = same(&n, "conv_2b", x, 64, 3);
    x = tgs_i_net_pool(&n, "pool1", "MaxPool", x, 3, 2, 0);
    x = same(&n, "conv_3b", x, 80, 1);
    x = conv(&n, "conv_4a", x, 192, 3, 3, 1, 0, 0);
    x = tgs_i_net_pool(&n, "pool2", "MaxPool", x, 3, 2, 0);
    for (int i = 0; i < 11; i++)
        x = mixed(&n, x, i);
    x = tgs_i_net_classify(&n, x, tgs_arg_int(c->args, "classes"));
    return tgs_i_net_close(&n, x, output, err);
}

static const tgs_param params[] = {TGS_I_NET_BATCH(32), TGS_I_NET_CLASSES, TGS_I_NET_END};

const tgs_zoo tgs_zoo_inception = {
    .base = {TGS_PLUGIN_ABI, "inception", "without its auxiliary classifier: inception-v3",
             "Szegedy, Vanhoucke, Ioffe, Shlens, Wojna, CVPR 2016", params},
    .names = "inception-v3",
    .build = build,
};
