/* trees.c -- ensembles of decision trees (ai.onnx.ml). */
#include <string.h>
#include "core.h"

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const bool classify = strstr(n->op->type, "Classifier") != NULL;
    const tgs_tensor *x = tgs_node_in(n, 0);
    int64_t targets = tgs_attr_int(n->op->attrs, "n_targets", 1);
    const tgs_status status = tgs_i_op_needs(n, 1, err);

    if (status)
        return status;
    if (classify)
        targets = tgs_attr_int(n->op->attrs, "classlabels_int64s.count", 0);
    if (x->rank != 2 || targets < 1)
        return tgs_node_open(n, err, "its input is not a matrix or its integer labels are missing");
    for (int32_t i = 0; i < n->op->outputs; i++) {
        const bool label = classify && i == 0;

        out[i].dtype = label ? TGS_I64 : TGS_F32;
        out[i].rank = label ? 1 : 2;
        out[i].dim[0] = x->dim[0];
        out[i].dim[1] = targets;
    }
    return TGS_OK;
}

/* a comparison at each level of a balanced tree: log2 of the nodes of a tree, for every tree */
static double flops(const tgs_node *n)
{
    const double nodes = tgs_attr_real(n->op->attrs, "nodes_treeids.count", 1);
    const double trees = tgs_attr_real(n->op->attrs, "nodes_treeids.max", 0) + 1;
    double levels = 1;

    for (double width = nodes / trees; width > 1; width /= 2)
        levels++;
    return (double)tgs_node_in(n, 0)->dim[0] * trees * levels;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    return tgs_i_op_emit(n, e, "R x0, W y*", NULL, flops(n), err);
}

const tgs_operator tgs_operator_trees = {
    .base = {TGS_PLUGIN_ABI, "trees", "ensembles of decision trees", NULL, NULL},
    .types = "ai.onnx.ml.TreeEnsembleClassifier ai.onnx.ml.TreeEnsembleRegressor",
    .infer = infer,
    .forward = forward,
};
