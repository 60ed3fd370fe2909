/* split.c -- a tensor cut into pieces along one axis. */
#include <string.h>
#include "core.h"

enum { PIECES = 256 };

static tgs_status sizes(const tgs_node *n, int32_t axis, int64_t *size, tgs_error *err)
{
    const int64_t all = tgs_node_in(n, 0)->dim[axis], k = n->op->outputs;
    const int32_t given = tgs_i_op_list(n, "split", 1, size, PIECES);
    int64_t sum = 0;

    if (k > PIECES || k < 1)
        return tgs_node_fail(n, err, "%d pieces", (int)k);
    if (given == -2 || (given >= 0 && given != k))
        return tgs_node_open(n, err, "the sizes of its pieces are not known");
    if (given < 0) /* equal pieces, the last may be smaller */
        for (int64_t i = 0; i < k; i++) {
            const int64_t piece = (all + k - 1) / k;

            size[i] = i < k - 1 ? piece : all - piece * (k - 1);
        }
    for (int64_t i = 0; i < k; i++) {
        if (size[i] < 0)
            return tgs_node_fail(n, err, "a piece of size %lld", (long long)size[i]);
        sum += size[i];
    }
    if (sum != all)
        return tgs_node_fail(n, err, "pieces of %lld for %lld", (long long)sum, (long long)all);
    return TGS_OK;
}

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    int64_t size[PIECES];
    int32_t axis;
    tgs_status status = tgs_i_op_needs(n, 1, err);

    if (!status)
        status = tgs_i_op_axis(n, 0, tgs_node_in(n, 0)->rank, 0, &axis, err);
    if (!status)
        status = sizes(n, axis, size, err);
    for (int32_t i = 0; i < n->op->outputs && !status; i++) {
        tgs_shape_of(tgs_node_in(n, 0), &out[i]);
        out[i].dim[axis] = size[i];
    }
    return status;
}

static void attributes(const tgs_node *n, char *text)
{
    int64_t axis = tgs_attr_int(n->op->attrs, "axis", 0);

    if (axis < 0)
        axis += tgs_node_in(n, 0)->rank;
    *text = 0;
    tgs_i_op_put_ints(text, "axis", &axis, 1);
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];

    attributes(n, attrs);
    return tgs_i_op_emit(n, e, "R x0, W y*", attrs, 0, err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS];
    const tgs_emission c = {"concat", "R dy*, W dx0", attrs, ".bwd", 0};

    attributes(n, attrs);
    return tgs_wanted(e, 0) ? tgs_emit(e, &c, err) : TGS_OK;
}

const tgs_operator tgs_operator_split = {
    .base = {TGS_PLUGIN_ABI, "split", "a tensor cut into pieces", NULL, NULL},
    .types = "Split",
    .differentiable = 1,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
