/* trained.c -- operators of training graphs: losses with labels, gradients, updates.  A model that
 * holds them lowers as it is, and refuses `train`. */
#include <string.h>
#include "core.h"

static const struct rule {
    const char *type;
    int32_t like[2]; /* outputs 0 and 1 have the shape of this input; -1: one number, or
                        one for each label */
    double flops;    /* per element of the largest of them */
} rules[] = {
    {"SoftmaxCrossEntropyLoss", {-1, 0}, 10},
    {"com.microsoft.SoftmaxCrossEntropyLossGrad", {1, 1}, 2},
    {"com.microsoft.SoftmaxGrad", {0, 0}, 4},
    {"com.microsoft.LayerNormalizationGrad", {0, 2}, 20},
    {"GeluGrad", {0, 0}, 12},
    {"SGD", {0, 0}, 2},
};

static const struct rule *find(const tgs_node *n)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!strcmp(n->op->type, rules[i].type))
            return &rules[i];
    return NULL;
}

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const struct rule *r = find(n);
    char reduction[8] = "mean";
    const bool each = tgs_attr_text(n->op->attrs, "reduction", reduction, sizeof reduction)
                      && !strcmp(reduction, "none");
    tgs_status status = tgs_i_op_needs(n, 2, err);

    for (int32_t i = 0; i < n->op->outputs && !status; i++) {
        const int32_t like = r->like[i > 0];

        if (like < 0) {
            tgs_shape_of(tgs_node_in(n, 1), &out[i]);
            out[i].dtype = tgs_node_in(n, 0)->dtype;
            if (!each) /* the labels' losses are added up */
                out[i].rank = 0;
        } else if (tgs_node_in(n, like))
            tgs_shape_of(tgs_node_in(n, like), &out[i]);
        else
            status = tgs_node_fail(n, err, "input %d is missing", (int)like);
    }
    return status;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    const bool sgd = !strcmp(n->op->type, "SGD"); /* which makes new weights, unlike codelet sgd */
    char codelet[80];
    tgs_emission c = {tgs_i_op_codelet(n, sgd ? "_step" : "", codelet, sizeof codelet),
                      "R x*, W y*", NULL, NULL, 0};
    double largest = 0;

    for (int32_t i = 0; i < n->op->inputs; i++)
        if (tgs_node_in(n, i))
            largest = fmax(largest, tgs_elements(tgs_node_in(n, i)));
    c.flops = find(n)->flops * largest;
    return tgs_emit(e, &c, err);
}

const tgs_operator tgs_operator_trained = {
    .base = {TGS_PLUGIN_ABI, "trained", "losses, gradients and updates of training graphs", NULL,
             NULL},
    .types = "SoftmaxCrossEntropyLoss SGD GeluGrad com.microsoft.SoftmaxCrossEntropyLossGrad "
             "com.microsoft.SoftmaxGrad com.microsoft.LayerNormalizationGrad",
    .gradient = true,
    .infer = infer,
    .forward = forward,
};
