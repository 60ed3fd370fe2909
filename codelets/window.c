/* window.c -- the geometry of convolutions and pools. */
#include <string.h>
#include "shape.h"

/* a list attribute: exactly `spatial` values into to[3 - spatial..], or none */
static tgs_status list(const tgs_call *c, const char *key, int32_t spatial, int64_t min,
                       int64_t to[3], tgs_error *err)
{
    int64_t value[3];
    const int32_t n = tgs_attr_ints(c->attrs, key, value, 3);

    if (n && n != spatial)
        return tgs_fail(err, TGS_EINVAL, "%s has %d values for %d dims", key, n, spatial);
    for (int32_t i = 0; i < n; i++) {
        if (value[i] < min || value[i] > INT32_MAX)
            return tgs_fail(err, TGS_EINVAL, "%s=%lld is out of range", key, (long long)value[i]);
        to[3 - spatial + i] = value[i];
    }
    return TGS_OK;
}

static tgs_status pads(tgs_i_window *g, const tgs_call *c, tgs_error *err)
{
    int64_t value[6];
    const int32_t n = tgs_attr_ints(c->attrs, "pads", value, 6);

    if (n && n != 2 * g->spatial)
        return tgs_fail(err, TGS_EINVAL, "pads has %d values for %d dims", n, g->spatial);
    for (int32_t i = 0; i < n; i++) {
        if (value[i] < 0 || value[i] > INT32_MAX)
            return tgs_fail(err, TGS_EINVAL, "pads=%lld is out of range", (long long)value[i]);
        if (i < g->spatial)
            g->pad[3 - g->spatial + i] = value[i];
        else
            g->pad_end[3 - g->spatial + i - g->spatial] = value[i];
    }
    return TGS_OK;
}

/* the output size a window gives, rounded down, and up as pools may */
static tgs_status check_output(const tgs_i_window *g, bool pool, tgs_error *err)
{
    for (int32_t d = 0; d < 3; d++) {
        const int64_t reach = g->dilation[d] * (g->kernel[d] - 1) + 1;
        const int64_t room = g->in[d] + g->pad[d] + g->pad_end[d] - reach;
        const int64_t down = room < 0 ? 0 : room / g->stride[d] + 1;
        const int64_t up = room < 0 ? 0 : (room + g->stride[d] - 1) / g->stride[d] + 1;

        if (g->out[d] != down && !(pool && g->out[d] == up))
            return tgs_fail(err, TGS_EINVAL,
                            "spatial dim %d: a window of %lld over %lld gives %lld, not %lld",
                            d - (3 - g->spatial), (long long)reach, (long long)g->in[d],
                            (long long)down, (long long)g->out[d]);
    }
    return TGS_OK;
}

static tgs_status check_channels(const tgs_i_window *g, const tgs_i_shape *w, tgs_error *err)
{
    if (g->group < 1 || g->in_channels % g->group || g->out_channels % g->group)
        return tgs_fail(err, TGS_EINVAL, "group=%lld does not divide %lld and %lld channels",
                        (long long)g->group, (long long)g->in_channels, (long long)g->out_channels);
    if (w->dim[0] != g->out_channels || w->dim[1] != g->in_channels / g->group)
        return tgs_fail(err, TGS_EINVAL, "weights are for %lld to %lld channels, not %lld to %lld",
                        (long long)w->dim[1], (long long)w->dim[0],
                        (long long)(g->in_channels / g->group), (long long)g->out_channels);
    return TGS_OK;
}

tgs_status tgs_i_window_new(tgs_i_window *g, const tgs_call *c, const tgs_buffer *x,
                            const tgs_buffer *w, const tgs_buffer *y, tgs_error *err)
{
    const tgs_i_shape sx = tgs_i_shape_of(x), sy = tgs_i_shape_of(y);
    const tgs_i_shape sw = tgs_i_shape_of(w ? w : y);
    int64_t from_weights[3];
    tgs_status status;

    *g = (tgs_i_window){.spatial = sx.rank - 2,
                        .in = {1, 1, 1},
                        .out = {1, 1, 1},
                        .kernel = {1, 1, 1},
                        .stride = {1, 1, 1},
                        .dilation = {1, 1, 1}};
    if (g->spatial < 1 || g->spatial > 3 || sy.rank != sx.rank || sw.rank != sx.rank)
        return tgs_fail(err, TGS_EINVAL, "a window needs 1 to 3 spatial dims on every buffer");
    g->batch = sx.dim[0];
    g->in_channels = sx.dim[1];
    g->out_channels = sy.dim[1];
    g->group = w ? tgs_attr_int(c->attrs, "group", 1) : 1;
    for (int32_t i = 0; i < g->spatial; i++) {
        const int32_t d = 3 - g->spatial + i;

        g->in[d] = sx.dim[2 + i];
        g->out[d] = sy.dim[2 + i];
        if (w)
            g->kernel[d] = sw.dim[2 + i];
    }
    memcpy(from_weights, g->kernel, sizeof from_weights);
    status = list(c, "kernel", g->spatial, 1, g->kernel, err);
    if (!status && w && memcmp(from_weights, g->kernel, sizeof from_weights))
        status = tgs_fail(err, TGS_EINVAL, "kernel is not that of the weights");
    if (!status)
        status = list(c, "strides", g->spatial, 1, g->stride, err);
    if (!status)
        status = list(c, "dilations", g->spatial, 1, g->dilation, err);
    if (!status)
        status = pads(g, c, err);
    if (!status && (sy.dim[0] != sx.dim[0] || (!w && sy.dim[1] != sx.dim[1])))
        status = tgs_fail(err, TGS_EINVAL, "input and output differ in batch or channels");
    if (!status && w)
        status = check_channels(g, &sw, err);
    if (!status)
        status = check_output(g, !w, err);
    g->in_size = g->in[0] * g->in[1] * g->in[2];
    g->out_size = g->out[0] * g->out[1] * g->out[2];
    g->kernel_size = g->kernel[0] * g->kernel[1] * g->kernel[2];
    return status;
}

/* outputs [lo, hi) whose kernel element k lies inside the input: 0 <= o s - pad + k dil < in */
static void range(const tgs_i_window *g, int32_t d, int64_t k, int64_t *lo, int64_t *hi)
{
    const int64_t s = g->stride[d], first = g->pad[d] - k * g->dilation[d]; /* o s >= first */
    const int64_t last = g->in[d] - 1 + first;                              /* o s <= last */

    *lo = first > 0 ? (first + s - 1) / s : 0;
    *hi = last < 0 ? 0 : last / s + 1;
    if (*hi > g->out[d])
        *hi = g->out[d];
}

/* the ranges of kernel element k; false when one is empty */
static bool enter(const tgs_i_window *g, tgs_i_line *l)
{
    bool any = true;

    for (int32_t d = 0; d < 3; d++) {
        range(g, d, l->k[d], &l->lo[d], &l->hi[d]);
        any &= l->lo[d] < l->hi[d];
    }
    l->o[0] = l->lo[0];
    l->o[1] = l->lo[1];
    return any;
}

/* the next kernel element; false after the last */
static bool advance(const tgs_i_window *g, tgs_i_line *l)
{
    l->tap++;
    for (int32_t d = 2; d >= 0; d--) {
        if (++l->k[d] < g->kernel[d])
            return true;
        l->k[d] = 0;
    }
    return false;
}

bool tgs_i_line_next(const tgs_i_window *g, tgs_i_line *l)
{
    int64_t in[3];

    if (!l->open) {
        l->open = true;
        if (!enter(g, l))
            l->o[0] = l->hi[0];
    } else if (++l->o[1] >= l->hi[1]) {
        l->o[1] = l->lo[1];
        l->o[0]++;
    }
    while (l->o[0] >= l->hi[0] || l->lo[1] >= l->hi[1] || l->lo[2] >= l->hi[2]) {
        if (!advance(g, l))
            return false;
        if (!enter(g, l))
            l->o[0] = l->hi[0];
    }
    l->o[2] = l->lo[2];
    for (int32_t d = 0; d < 3; d++)
        in[d] = l->o[d] * g->stride[d] - g->pad[d] + l->k[d] * g->dilation[d];
    l->x = (in[0] * g->in[1] + in[1]) * g->in[2] + in[2];
    l->y = (l->o[0] * g->out[1] + l->o[1]) * g->out[2] + l->o[2];
    l->n = l->hi[2] - l->lo[2];
    return true;
}

/* kernel elements k with low <= base + k * step < high, as [*lo, *hi) */
static void inside(int64_t base, int64_t step, int64_t low, int64_t high, int64_t kernel,
                   int64_t *lo, int64_t *hi)
{
    const int64_t before = low - base, end = high - base; /* before <= k step < end */

    *lo = before <= 0 ? 0 : step == 1 ? before : (before + step - 1) / step;
    *hi = end <= 0 ? 0 : step == 1 ? end : (end + step - 1) / step;
    if (*hi > kernel)
        *hi = kernel;
}

void tgs_i_patch_move(const tgs_i_window *g, tgs_i_patch *p, int32_t d, int64_t o, bool include_pad)
{
    int64_t lo, hi;

    p->base[d] = o * g->stride[d] - g->pad[d];
    inside(p->base[d], g->dilation[d], 0, g->in[d], g->kernel[d], &p->lo[d], &p->hi[d]);
    lo = p->lo[d];
    hi = p->hi[d];
    if (include_pad)
        inside(p->base[d], g->dilation[d], -g->pad[d], g->in[d] + g->pad_end[d], g->kernel[d], &lo,
               &hi);
    p->size[d] = hi > lo ? hi - lo : 0;
}
