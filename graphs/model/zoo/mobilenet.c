/* mobilenet.c -- MobileNet v2: inverted residuals around depthwise convolutions. */
#include "core.h"

static const struct group {
    int64_t expand, out, blocks, stride;
} groups[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
              {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};

static tgs_i_val conv(tgs_i_net *n, const char *name, tgs_i_val x, int64_t out, int64_t kernel,
                      int64_t stride, int64_t group, const char *act)
{
    const tgs_i_conv c = {
        .out = out, .high = kernel, .stride = stride, .pad_high = -1, .group = group};

    return tgs_i_net_conv_bn(n, name, x, c, 1e-5, act);
}

static tgs_i_val block(tgs_i_net *n, tgs_i_val x, const struct group *g, int64_t stride)
{
    const int64_t inner = x.width * g->expand;
    tgs_i_val y = x;

    if (g->expand > 1)
        y = conv(n, "expand", y, inner, 1, 1, 1, "Clip");
    y = conv(n, "depthwise", y, inner, 3, stride, inner, "Clip");
    y = conv(n, "project", y, g->out, 1, 1, 1, NULL);
    return stride == 1 && x.width == g->out ? tgs_i_net_add(n, "add", x, y) : y;
}

static tgs_status build(const tgs_zoo_call *c, int32_t *output, tgs_error *err)
{
    tgs_i_net n;
    tgs_i_val x;
    int index = 0;

    tgs_i_net_open(&n, c);
    x = tgs_i_net_image(&n, 3, tgs_arg_int(c->args, "side"));
    x = conv(&n, "stem", x, 32, 3, 2, 1, "Clip");
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        for (int j = 0; j < groups[i].blocks; j++) {
            tgs_i_net_enter(&n, "block%d", ++index);
            x = block(&n, x, &groups[i], j ? 1 : groups[i].stride);
            tgs_i_net_leave(&n);
        }
    x = conv(&n, "last", x, 1280, 1, 1, 1, "Clip");
    x = tgs_i_net_classify(&n, x, tgs_arg_int(c->args, "classes"));
    return tgs_i_net_close(&n, x, output, err);
}

static const tgs_param params[] = {
    TGS_I_NET_BATCH(32),
    {"side", "224", TGS_PARAM_INT, 32, 8192, "pixels of a side of an image"},
    TGS_I_NET_CLASSES,
    TGS_I_NET_END,
};

const tgs_zoo tgs_zoo_mobilenet = {
    .base = {TGS_PLUGIN_ABI, "mobilenet", "inverted residuals: mobilenet-v2",
             "Sandler, Howard, Zhu, Zhmoginov, Chen, CVPR 2018", params},
    .names = "mobilenet-v2",
    .build = build,
};
