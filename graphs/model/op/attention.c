/* attention.c -- attention as one operator: of ONNX (opset 23) and of com.microsoft.  Scores and
 * their use are 2 products of 2 flops for each pair of a query and a key; a softmax between them.
 */
#include <string.h>
#include "core.h"

typedef struct attention {
    int64_t batch, heads, queries, keys, size, value_size; /* of a head */
    int64_t kv_heads;
    double projections; /* flops of the products before */
    bool flat;          /* [batch, seq, heads * size]; else [batch, heads, seq, size] */
} attention;

static bool is(const tgs_node *n, const char *type)
{
    return !strcmp(n->op->type, type);
}

/* com.microsoft.Attention, QAttention: input [batch, seq, hidden], weights [hidden, 3 hidden] */
static tgs_status look_packed(const tgs_node *n, attention *a, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0), *w = tgs_node_in(n, 1), *past = tgs_node_in(n, 4);
    int64_t sizes[3];

    if (!w || x->rank != 3 || w->rank != 2 || w->dim[0] != x->dim[2])
        return tgs_node_fail(n, err, "its weights do not fit its input");
    if (tgs_attr_ints(n->op->attrs, "qkv_hidden_sizes", sizes, 3) != 3)
        sizes[0] = sizes[1] = sizes[2] = w->dim[1] / 3;
    if (sizes[0] < 1 || sizes[2] < 1)
        return tgs_node_fail(n, err, "its weights do not fit its input");
    a->batch = x->dim[0];
    a->queries = a->keys = x->dim[1];
    if (past && past->rank == 5)
        a->keys += past->dim[3];
    a->size = sizes[0] / a->heads;
    a->value_size = sizes[2] / a->heads;
    a->kv_heads = a->heads;
    a->flat = true;
    a->projections = 2 * tgs_elements(x) * (double)w->dim[1];
    return TGS_OK;
}

/* separate queries, keys and values */
static tgs_status look_apart(const tgs_node *n, attention *a, tgs_error *err)
{
    const tgs_tensor *q = tgs_node_in(n, 0), *k = tgs_node_in(n, 1), *v = tgs_node_in(n, 2);
    const tgs_tensor *past = tgs_node_in(n, is(n, "Attention")                           ? 4
                                            : is(n, "com.microsoft.GroupQueryAttention") ? 3
                                                                                         : 6);

    if (!k || !v || q->rank != k->rank || k->rank != v->rank || (q->rank != 3 && q->rank != 4)
        || (q->rank == 3 && a->heads < 1))
        return tgs_node_open(n, err, "packed queries, keys and values are not covered");
    a->flat = q->rank == 3;
    a->batch = q->dim[0];
    if (a->flat) {
        a->queries = q->dim[1];
        a->keys = k->dim[1];
        a->size = q->dim[2] / a->heads;
        if (a->kv_heads < 1)
            a->kv_heads = a->heads;
        a->value_size = v->dim[2] / a->kv_heads;
    } else {
        a->heads = q->dim[1];
        a->queries = q->dim[2];
        a->size = q->dim[3];
        a->kv_heads = k->dim[1];
        a->keys = k->dim[2];
        a->value_size = v->dim[3];
    }
    if (past && past->rank == 4 && !is(n, "com.microsoft.GroupQueryAttention"))
        a->keys += past->dim[2];
    else if (past && past->rank == 4 && past->dim[2] > a->keys)
        a->keys = past->dim[2]; /* its cache is as long as it may become */
    return TGS_OK;
}

static tgs_status look(const tgs_node *n, attention *a, tgs_error *err)
{
    const bool packed = is(n, "com.microsoft.Attention") || is(n, "com.microsoft.QAttention");
    const tgs_status status = tgs_i_op_needs(n, 1, err);

    memset(a, 0, sizeof *a);
    a->heads = tgs_attr_int(n->op->attrs, is(n, "Attention") ? "q_num_heads" : "num_heads", 0);
    a->kv_heads =
        tgs_attr_int(n->op->attrs, is(n, "Attention") ? "kv_num_heads" : "kv_num_heads", 0);
    if (status)
        return status;
    if (packed && a->heads < 1)
        return tgs_node_fail(n, err, "num_heads is missing");
    return packed ? look_packed(n, a, err) : look_apart(n, a, err);
}

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const bool packed = is(n, "com.microsoft.Attention") || is(n, "com.microsoft.QAttention");
    attention a;
    const tgs_status status = look(n, &a, err);
    const tgs_dtype dtype = status ? TGS_F32 : tgs_node_in(n, 0)->dtype;

    if (status)
        return status;
    if (a.flat)
        tgs_i_op_dims(out, dtype, 3, (int64_t[]){a.batch, a.queries, a.heads * a.value_size});
    else
        tgs_i_op_dims(out, dtype, 4, (int64_t[]){a.batch, a.heads, a.queries, a.value_size});
    for (int32_t i = 1; i < n->op->outputs; i++)
        if (packed)
            tgs_i_op_dims(&out[i], dtype, 5,
                          (int64_t[]){2, a.batch, a.heads, a.keys, a.value_size});
        else if (i == 3)
            tgs_i_op_dims(&out[i], dtype, 4, (int64_t[]){a.batch, a.heads, a.queries, a.keys});
        else
            tgs_i_op_dims(&out[i], dtype, 4,
                          (int64_t[]){a.batch, a.kv_heads, a.keys, i == 1 ? a.size : a.value_size});
    if (is(n, "com.microsoft.QAttention"))
        out->dtype = TGS_F32;
    return TGS_OK;
}

static double work(const tgs_node *n, tgs_error *err)
{
    attention a;

    if (look(n, &a, err))
        return 0;
    return a.projections
           + (double)a.batch * (double)a.heads * (double)a.queries * (double)a.keys
                 * (2 * (double)a.size + 2 * (double)a.value_size + 5);
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    return tgs_i_op_task(n, e, work(n, err), err);
}

static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    return tgs_i_op_task_bwd(n, e, 2 * work(n, err), err);
}

const tgs_operator tgs_operator_attention = {
    .base = {TGS_PLUGIN_ABI, "attention", "attention as one operator", NULL, NULL},
    .types = "Attention com.microsoft.Attention com.microsoft.QAttention "
             "com.microsoft.MultiHeadAttention com.microsoft.GroupQueryAttention",
    .differentiable = 7,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
