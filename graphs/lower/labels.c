/* labels.c -- which dims of what a task touches are walked together, codelet by codelet. */
#include <string.h>
#include "pieces.h"

typedef struct labelling {
    const tgs_lowering *l;
    const tgs_low_task *t;
    tgs_i_labels *out;
} labelling;

static const tgs_low_datum *touched(const labelling *x, int32_t a)
{
    return &x->l->datum[x->l->access[x->t->at + a].datum];
}

/* false when the label has another extent already */
static bool put(const labelling *x, int32_t a, int32_t axis, int32_t label, int64_t unit)
{
    const int64_t extent = touched(x, a)->dim[axis] * unit;

    x->out->of[a][axis] = (int8_t)label;
    x->out->unit[a][axis] = unit;
    if (!x->out->extent[label])
        x->out->extent[label] = extent;
    return x->out->extent[label] == extent;
}

/* dims count from the right, as numpy broadcasts; a dim of 1 is walked whole beside larger ones */
static bool broadcast(const labelling *x, int32_t skip)
{
    int64_t most[TGS_MODEL_RANK] = {0};

    for (int pass = 0; pass < 2; pass++)
        for (int32_t a = 0; a < x->t->accesses; a++) {
            const tgs_low_datum *d = touched(x, a);

            for (int32_t k = skip; k < d->rank; k++) {
                const int32_t axis = d->rank - 1 - k;

                if (pass == 0)
                    most[k] = d->dim[axis] > most[k] ? d->dim[axis] : most[k];
                else if (d->dim[axis] == most[k] && most[k] > 1
                         && !put(x, a, axis, TGS_I_FIRST + k, 1))
                    return false;
                else if (pass == 1 && d->dim[axis] != most[k] && d->dim[axis] != 1)
                    return false;
            }
        }
    return true;
}

/* Y = op(A) op(B), C added; matmul's further dims are broadcast */
static bool product(const labelling *x, bool gemm)
{
    const int32_t y = x->t->accesses - 1;
    const bool ta = tgs_attr_int(x->t->attrs, "transA", 0) != 0;
    const bool tb = tgs_attr_int(x->t->attrs, "transB", 0) != 0;
    const int32_t ra = touched(x, 0)->rank, rb = touched(x, 1)->rank, ry = touched(x, y)->rank;

    if (ra < 2 || rb < 2 || ry < 2 || (gemm ? y > 3 : y != 2) || !broadcast(x, 2))
        return false;
    if (!put(x, 0, ra - 2 + ta, TGS_I_M, 1) || !put(x, 0, ra - 1 - ta, TGS_I_K, 1)
        || !put(x, 1, rb - 2 + tb, TGS_I_K, 1) || !put(x, 1, rb - 1 - tb, TGS_I_N, 1)
        || !put(x, y, ry - 2, TGS_I_M, 1) || !put(x, y, ry - 1, TGS_I_N, 1))
        return false;
    if (y == 3) {
        const tgs_low_datum *c = touched(x, 2);

        x->out->addend = 2;
        if (c->rank > 0 && c->dim[c->rank - 1] > 1)
            put(x, 2, c->rank - 1, TGS_I_N, 1);
        if (c->rank > 1 && c->dim[c->rank - 2] > 1)
            put(x, 2, c->rank - 2, TGS_I_M, 1);
    }
    return true;
}

static bool transpose(const labelling *x)
{
    const int32_t rank = touched(x, 0)->rank;
    int64_t perm[TGS_MODEL_RANK];
    const int32_t given = tgs_attr_ints(x->t->attrs, "perm", perm, TGS_MODEL_RANK);

    if (x->t->accesses != 2 || (given && given != rank))
        return false;
    for (int32_t k = 0; k < rank; k++) {
        const int32_t from = given ? (int32_t)perm[k] : rank - 1 - k;

        if (!put(x, 1, k, TGS_I_FIRST + k, 1) || !put(x, 0, from, TGS_I_FIRST + k, 1))
            return false;
    }
    return true;
}

/* Dims of both shapes are taken together until their products are equal; of such a group the first
 * dims, whose steps are larger than all the rest, have a label that counts elements of the group.
 */
static bool reshape(const labelling *x)
{
    const tgs_low_datum *from = touched(x, 0), *to = touched(x, 1);
    int32_t i = 0, j = 0;

    for (int32_t label = TGS_I_FIRST; x->t->accesses == 2 && i < from->rank && j < to->rank;
         label++) {
        const int32_t first_i = i, first_j = j;
        int64_t a = from->dim[i++], b = to->dim[j++];

        while (a != b)
            if (a < b && i < from->rank)
                a *= from->dim[i++];
            else if (b < a && j < to->rank)
                b *= to->dim[j++];
            else
                return false;
        if (a < 2)
            continue;
        if (label >= TGS_I_LABELS || from->dim[first_i] < 2 || to->dim[first_j] < 2)
            return true; /* the rest is walked whole */
        put(x, 0, first_i, label, a / from->dim[first_i]);
        put(x, 1, first_j, label, a / to->dim[first_j]);
    }
    return x->t->accesses == 2;
}

/* from this axis (negative: from the end) on, or this one alone, nothing may be cut */
static bool fix(const labelling *x, bool on)
{
    const int32_t rank = touched(x, 0)->rank;
    int64_t axis = tgs_attr_int(x->t->attrs, "axis", -1);

    axis += axis < 0 ? rank : 0;
    for (int64_t k = axis; k >= 0 && k < rank && (on || k == axis); k++)
        if (x->out->of[0][k] >= 0)
            x->out->fixed[x->out->of[0][k]] = true;
    return axis >= 0 && axis < rank;
}

/* rows of logits, labels, and the loss: the first dim of each */
static bool rows(const labelling *x)
{
    const tgs_low_datum *logits = touched(x, 0);

    for (int32_t a = 0; a < x->t->accesses; a++)
        if (touched(x, a)->rank > 0 && logits->dim[0] > 1
            && touched(x, a)->dim[0] == logits->dim[0])
            put(x, a, 0, TGS_I_FIRST, 1);
    return logits->rank == 2;
}

static bool is_one_of(const char *name, const char *const *list)
{
    while (*list && strcmp(name, *list))
        list++;
    return *list != NULL;
}

static bool by_codelet(const labelling *x)
{
    static const char *const products[] = {"gemm", "matmul", NULL};
    static const char *const elementwise[] = {
        "relu",       "relu_bwd", "sigmoid",  "sigmoid_bwd", "tanh",    "tanh_bwd",  "gelu",
        "gelu_bwd",   "silu",     "silu_bwd", "erf",         "erf_bwd", "sqrt",      "sqrt_bwd",
        "exp",        "exp_bwd",  "add",      "sub",         "sub_bwd", "mul",       "mul_bwd",
        "div",        "div_bwd",  "pow",      "pow_bwd",     "where",   "where_bwd", "sum",
        "accumulate", "identity", "cast",     "reduce_to",   "mse",     "sum_loss",  "sgd",
        "momentum",   "adam",     NULL};
    static const char *const along[] = {"softmax", "softmax_bwd", NULL};
    static const char *const norms[] = {"layernormalization",
                                        "layernormalization_bwd_data",
                                        "layernormalization_bwd_weights",
                                        "rmsnormalization",
                                        "rmsnormalization_bwd_data",
                                        "rmsnormalization_bwd_weights",
                                        NULL};
    const char *codelet = x->t->codelet;

    if (is_one_of(codelet, products))
        return product(x, *codelet == 'g');
    if (is_one_of(codelet, elementwise))
        return broadcast(x, 0);
    if (is_one_of(codelet, along))
        return broadcast(x, 0) && fix(x, false);
    if (is_one_of(codelet, norms))
        return broadcast(x, 0) && fix(x, true);
    if (!strcmp(codelet, "transpose"))
        return transpose(x);
    if (!strcmp(codelet, "reshape"))
        return reshape(x);
    return !strcmp(codelet, "softmax_xent") && rows(x);
}

bool tgs_i_labels_of(tgs_i_labels *out, const tgs_lowering *l, const tgs_low_task *t)
{
    const labelling x = {l, t, out};

    memset(out, 0, sizeof *out);
    memset(out->of, -1, sizeof out->of);
    out->addend = -1;
    if (t->accesses < 1 || t->accesses > TGS_I_TOUCHED)
        return false;
    for (int32_t a = 0; a < t->accesses; a++)
        if (touched(&x, a)->rank > TGS_MODEL_RANK || touched(&x, a)->dtype == TGS_BYTES)
            return false;
    return by_codelet(&x);
}
