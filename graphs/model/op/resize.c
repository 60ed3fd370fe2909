/* resize.c -- a tensor sampled at another size. */
#include <string.h>
#include "core.h"

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0), *sizes = tgs_node_in(n, 3);
    const tgs_tensor *scales = tgs_node_in(n, n->op->inputs > 2 ? 2 : 1);
    const tgs_status status = tgs_i_op_needs(n, 1, err);

    if (status)
        return status;
    tgs_shape_of(x, out);
    if (sizes && tgs_elements(sizes) > 0) {
        if (!sizes->value || tgs_elements(sizes) != x->rank)
            return tgs_node_open(n, err, "its sizes are not known constants");
        memcpy(out->dim, sizes->value, (size_t)x->rank * sizeof *sizes->value);
    } else {
        if (!scales || !scales->real || tgs_elements(scales) != x->rank)
            return tgs_node_open(n, err, "its scales are not known constants");
        for (int32_t i = 0; i < x->rank; i++) {
            const double size = floor((double)x->dim[i] * scales->real[i]);

            if (!(size >= 1 && size < 0x1p50))
                return tgs_node_fail(n, err, "dimension %d becomes %g", (int)i, size);
            out->dim[i] = (int64_t)size;
        }
    }
    for (int32_t i = 0; i < x->rank; i++)
        if (out->dim[i] < 1)
            return tgs_node_fail(n, err, "dimension %d becomes %lld", (int)i,
                                 (long long)out->dim[i]);
    return TGS_OK;
}

static void attributes(const tgs_node *n, char *text)
{
    char mode[16] = "nearest";

    tgs_attr_text(n->op->attrs, "mode", mode, sizeof mode);
    snprintf(text, TGS_I_ATTRS, "mode=%s", mode);
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];

    attributes(n, attrs);
    return tgs_i_op_emit(n, e, "R x0, W y0", attrs, 7 * tgs_elements(tgs_node_out(n, 0)), err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char codelet[32], attrs[TGS_I_ATTRS];
    const tgs_emission c = {tgs_i_op_codelet(n, "_bwd", codelet, sizeof codelet), "R dy0, W dx0",
                            attrs, ".bwd", 7 * tgs_elements(tgs_node_out(n, 0))};

    attributes(n, attrs);
    return tgs_wanted(e, 0) ? tgs_emit(e, &c, err) : TGS_OK;
}

const tgs_operator tgs_operator_resize = {
    .base = {TGS_PLUGIN_ABI, "resize", "a tensor sampled at another size", NULL, NULL},
    .types = "Resize Upsample",
    .differentiable = 1,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
