/* window.c -- kernel, strides, pads and dilations of convolutions and pools. */
#include <string.h>
#include "core.h"

tgs_status tgs_i_op_window_take(const tgs_node *n, const char *key, int32_t count, int64_t def,
                                int64_t low, int64_t *out, tgs_error *err)
{
    const int32_t given = tgs_attr_ints(n->op->attrs, key, out, count);

    if (given && given != count)
        return tgs_node_fail(n, err, "%s has %d values, not %d", key, (int)given, (int)count);
    for (int32_t i = 0; i < count; i++) {
        if (!given)
            out[i] = def;
        if (out[i] < low || out[i] > INT32_MAX)
            return tgs_node_fail(n, err, "%s has the value %lld", key, (long long)out[i]);
    }
    return TGS_OK;
}

/* SAME_UPPER and SAME_LOWER: ceil(in / stride) outputs, the odd pad at the end or the beginning */
static void pad_same(tgs_i_op_window *w, const int64_t *in, bool lower)
{
    for (int32_t i = 0; i < w->spatial; i++) {
        const int64_t out = (in[i] + w->stride[i] - 1) / w->stride[i];
        const int64_t reach = w->dilation[i] * (w->kernel[i] - 1) + 1;
        const int64_t need = (out - 1) * w->stride[i] + reach - in[i];
        const int64_t all = need > 0 ? need : 0;

        w->pad[i] = lower ? all - all / 2 : all / 2;
        w->pad[i + w->spatial] = all - w->pad[i];
    }
}

static tgs_status set_pads(const tgs_node *n, tgs_i_op_window *w, const int64_t *in, tgs_error *err)
{
    char mode[16] = "NOTSET";

    tgs_attr_text(n->op->attrs, "auto_pad", mode, sizeof mode);
    if (!strcmp(mode, "NOTSET"))
        return tgs_i_op_window_take(n, "pads", 2 * w->spatial, 0, 0, w->pad, err);
    memset(w->pad, 0, sizeof w->pad);
    if (!strcmp(mode, "SAME_UPPER") || !strcmp(mode, "SAME_LOWER"))
        pad_same(w, in, mode[5] == 'L');
    else if (strcmp(mode, "VALID"))
        return tgs_node_fail(n, err, "auto_pad=%s is not known", mode);
    return TGS_OK;
}

static tgs_status set_extents(const tgs_node *n, tgs_i_op_window *w, const int64_t *in,
                              tgs_error *err)
{
    const bool ceil_mode = tgs_attr_int(n->op->attrs, "ceil_mode", 0) != 0;

    w->taps = 1;
    for (int32_t i = 0; i < w->spatial; i++) {
        const int64_t reach = w->dilation[i] * (w->kernel[i] - 1) + 1;
        const int64_t begin = w->pad[i];
        const int64_t room = in[i] + begin + w->pad[i + w->spatial] - reach;

        if (room < 0)
            return tgs_node_fail(n, err, "the window (%lld) is larger than its input (%lld)",
                                 (long long)reach, (long long)in[i]);
        w->out[i] = (room + (ceil_mode ? w->stride[i] - 1 : 0)) / w->stride[i] + 1;
        if (ceil_mode && (w->out[i] - 1) * w->stride[i] >= in[i] + begin)
            w->out[i]--; /* a window must begin inside the input or its first pad */
        w->taps *= (double)w->kernel[i];
    }
    return TGS_OK;
}

tgs_status tgs_i_op_window_make(const tgs_node *n, const int64_t *kernel, tgs_i_op_window *w,
                                tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0);
    tgs_status status;

    memset(w, 0, sizeof *w);
    if (x->rank < 3)
        return tgs_node_fail(n, err, "its input has rank %d, not 3 or more", (int)x->rank);
    w->spatial = x->rank - 2;
    if (kernel)
        memcpy(w->kernel, kernel, (size_t)w->spatial * sizeof *kernel);
    else if (!tgs_attr_ints(n->op->attrs, "kernel_shape", w->kernel, w->spatial))
        return tgs_node_fail(n, err, "kernel_shape is missing");
    else if ((status = tgs_i_op_window_take(n, "kernel_shape", w->spatial, 1, 1, w->kernel, err)))
        return status;
    for (int32_t i = 0; i < w->spatial; i++)
        if (w->kernel[i] < 1 || w->kernel[i] > INT32_MAX)
            return tgs_node_fail(n, err, "its window has the extent %lld", (long long)w->kernel[i]);
    status = tgs_i_op_window_take(n, "strides", w->spatial, 1, 1, w->stride, err);
    if (!status)
        status = tgs_i_op_window_take(n, "dilations", w->spatial, 1, 1, w->dilation, err);
    if (!status)
        status = set_pads(n, w, x->dim + 2, err);
    if (!status)
        status = set_extents(n, w, x->dim + 2, err);
    return status;
}

void tgs_i_op_window_put(char *text, const tgs_i_op_window *w)
{
    tgs_i_op_put_ints(text, "kernel", w->kernel, w->spatial);
    tgs_i_op_put_ints(text, "strides", w->stride, w->spatial);
    tgs_i_op_put_ints(text, "pads", w->pad, 2 * w->spatial);
    tgs_i_op_put_ints(text, "dilations", w->dilation, w->spatial);
}
