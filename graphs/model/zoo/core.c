/* core.c -- names, inputs, weights and the operators that every network has. */
#include <stdarg.h>
#include <string.h>
#include "core.h"

void tgs_i_net_open(tgs_i_net *n, const tgs_zoo_call *c)
{
    memset(n, 0, sizeof *n);
    n->b = c->b;
    n->call = c;
    snprintf(n->scope, sizeof n->scope, "%s", c->prefix);
}

void tgs_i_net_enter(tgs_i_net *n, const char *format, ...)
{
    const size_t size = strlen(n->scope);
    va_list args;

    if (n->depth == TGS_I_NET_DEPTH || size + 64 > sizeof n->scope) {
        tgs_model_failed(n->b, TGS_EINVAL, "a network of the zoo nests too deep");
        return;
    }
    n->outer[n->depth++] = size;
    va_start(args, format);
    vsnprintf(n->scope + size, 62, format, args);
    va_end(args);
    strcat(n->scope, ".");
}

void tgs_i_net_leave(tgs_i_net *n)
{
    if (n->depth)
        n->scope[n->outer[--n->depth]] = 0;
}

int64_t tgs_i_net_arg(const tgs_i_net *n, const char *key, int64_t def)
{
    const int64_t value = tgs_arg_int(n->call->args, key);

    return value ? value : def;
}

static int32_t own(tgs_i_net *n, const char *name)
{
    char text[TGS_I_NET_NAME + 80];

    if (snprintf(text, sizeof text, "%s%s", n->scope, name) >= (int)sizeof text)
        return tgs_model_failed(n->b, TGS_EINVAL, "a name in a network of the zoo is too long");
    return tgs_model_tensor(n->b, text);
}

int32_t tgs_i_net_input(tgs_i_net *n, const char *name, tgs_dtype dtype, int32_t rank,
                        const int64_t *dims)
{
    const int32_t t = tgs_model_tensor(n->b, name);

    if (!n->call->again) {
        tgs_model_shape(n->b, t, dtype, rank, dims);
        tgs_model_input(n->b, t);
    }
    return t;
}

int32_t tgs_i_net_batch(tgs_i_net *n, const char *name, tgs_dtype dtype, int32_t rank,
                        const int64_t *dims)
{
    const int32_t t = tgs_i_net_input(n, name, dtype, rank, dims);

    tgs_model_samples(n->b, t, 0);
    return t;
}

int32_t tgs_i_net_stored(tgs_i_net *n, const char *name, tgs_dtype dtype, int32_t rank,
                         const int64_t *dims)
{
    const int32_t t = own(n, name);

    tgs_model_shape(n->b, t, dtype, rank, dims);
    tgs_model_stored(n->b, t, NULL);
    return t;
}

int32_t tgs_i_net_weight(tgs_i_net *n, const char *name, int32_t rank, const int64_t *dims)
{
    return tgs_i_net_stored(n, name, TGS_F32, rank, dims);
}

int32_t tgs_i_net_ints(tgs_i_net *n, const char *name, int32_t count, const int64_t *value)
{
    const int64_t dim[] = {count};
    const int32_t t = tgs_i_net_stored(n, name, TGS_I64, 1, dim);

    tgs_model_integers(n->b, t, value);
    return t;
}

int32_t tgs_i_net_real(tgs_i_net *n, const char *name, double value)
{
    const int32_t t = tgs_i_net_stored(n, name, TGS_F32, 0, NULL);

    tgs_model_reals(n->b, t, &value, true);
    return t;
}

void tgs_i_net_ops(tgs_i_net *n, const char *name, const char *type, const char *attrs,
                   int32_t inputs, const int32_t *input, int32_t outputs, int32_t *output)
{
    char text[TGS_I_NET_NAME + 80];

    for (int32_t i = 0; i < outputs; i++) {
        snprintf(text, sizeof text, i ? "%.60s.%d" : "%.60s", name, (int)i);
        output[i] = own(n, text);
    }
    snprintf(text, sizeof text, "%s%s", n->scope, name);
    tgs_model_operator(n->b, text, type, attrs, inputs, input, outputs, output);
}

int32_t tgs_i_net_op(tgs_i_net *n, const char *name, const char *type, const char *attrs,
                     int32_t inputs, ...)
{
    int32_t input[8] = {0}, output = -1;
    va_list args;

    va_start(args, inputs);
    for (int32_t i = 0; i < inputs && i < 8; i++)
        input[i] = va_arg(args, int32_t);
    va_end(args);
    tgs_i_net_ops(n, name, type, attrs, inputs, input, 1, &output);
    return output;
}

tgs_i_val tgs_i_net_act(tgs_i_net *n, const char *name, const char *type, tgs_i_val x)
{
    return (tgs_i_val){tgs_i_net_op(n, name, type, NULL, 1, x.tensor), x.width};
}

tgs_i_val tgs_i_net_silu(tgs_i_net *n, const char *name, tgs_i_val x)
{
    tgs_i_val y = x;

    tgs_i_net_enter(n, "%s", name);
    y.tensor = tgs_i_net_op(n, "mul", "Mul", NULL, 2, x.tensor,
                            tgs_i_net_op(n, "sigmoid", "Sigmoid", NULL, 1, x.tensor));
    tgs_i_net_leave(n);
    return y;
}

tgs_i_val tgs_i_net_add(tgs_i_net *n, const char *name, tgs_i_val x, tgs_i_val y)
{
    return (tgs_i_val){tgs_i_net_op(n, name, "Add", NULL, 2, x.tensor, y.tensor), x.width};
}

tgs_i_val tgs_i_net_concat(tgs_i_net *n, const char *name, int32_t count, const tgs_i_val *x,
                           int64_t axis)
{
    enum { MOST = 128 };
    int32_t input[MOST], output = -1;
    tgs_i_val y = {-1, 0};
    char attrs[32];

    if (count > MOST) {
        tgs_model_failed(n->b, TGS_EINVAL, "a network of the zoo joins too many values");
        return y;
    }
    for (int32_t i = 0; i < count; i++) {
        input[i] = x[i].tensor;
        y.width += x[i].width;
    }
    snprintf(attrs, sizeof attrs, "axis=%lld", (long long)axis);
    tgs_i_net_ops(n, name, "Concat", attrs, count, input, 1, &output);
    y.tensor = output;
    return y;
}

int32_t tgs_i_net_reshape(tgs_i_net *n, const char *name, int32_t x, int32_t rank,
                          const int64_t *dims)
{
    char shape[80];

    snprintf(shape, sizeof shape, "%.60s.shape", name);
    return tgs_i_net_op(n, name, "Reshape", NULL, 2, x, tgs_i_net_ints(n, shape, rank, dims));
}

int32_t tgs_i_net_transpose(tgs_i_net *n, const char *name, int32_t x, const char *perm)
{
    char attrs[48];

    snprintf(attrs, sizeof attrs, "perm=%s", perm);
    return tgs_i_net_op(n, name, "Transpose", attrs, 1, x);
}

tgs_i_val tgs_i_net_linear(tgs_i_net *n, const char *name, tgs_i_val x, int64_t out, bool bias)
{
    const int64_t dim[] = {out, x.width};
    int32_t w, b;
    char text[80];

    snprintf(text, sizeof text, "%.60s.weight", name);
    w = tgs_i_net_weight(n, text, 2, dim);
    if (!bias)
        return (tgs_i_val){tgs_i_net_op(n, name, "Gemm", "transB=1", 2, x.tensor, w), out};
    snprintf(text, sizeof text, "%.60s.bias", name);
    b = tgs_i_net_weight(n, text, 1, &out);
    return (tgs_i_val){tgs_i_net_op(n, name, "Gemm", "transB=1", 3, x.tensor, w, b), out};
}

tgs_i_val tgs_i_net_project(tgs_i_net *n, const char *name, tgs_i_val x, int64_t out, bool bias)
{
    const int64_t dim[] = {x.width, out};
    int32_t y;

    tgs_i_net_enter(n, "%s", name);
    y = tgs_i_net_op(n, "matmul", "MatMul", NULL, 2, x.tensor,
                     tgs_i_net_weight(n, "weight", 2, dim));
    if (bias)
        y = tgs_i_net_op(n, "add", "Add", NULL, 2, y, tgs_i_net_weight(n, "bias", 1, &out));
    tgs_i_net_leave(n);
    return (tgs_i_val){y, out};
}

tgs_i_val tgs_i_net_norm(tgs_i_net *n, const char *name, const char *type, double epsilon,
                         tgs_i_val x)
{
    const int32_t inputs = *type == 'L' ? 3 : 2;
    int32_t scale, bias = -1;
    char text[80], attrs[64];

    snprintf(attrs, sizeof attrs, "axis=-1 epsilon=%.9g", epsilon);
    snprintf(text, sizeof text, "%.60s.weight", name);
    scale = tgs_i_net_weight(n, text, 1, &x.width);
    snprintf(text, sizeof text, "%.60s.bias", name);
    if (inputs == 3)
        bias = tgs_i_net_weight(n, text, 1, &x.width);
    return (tgs_i_val){tgs_i_net_op(n, name, type, attrs, inputs, x.tensor, scale, bias), x.width};
}

tgs_i_val tgs_i_net_embed(tgs_i_net *n, const char *name, int32_t table, int64_t width,
                          int32_t index)
{
    return (tgs_i_val){tgs_i_net_op(n, name, "Gather", "axis=0", 2, table, index), width};
}

tgs_status tgs_i_net_close(tgs_i_net *n, tgs_i_val y, int32_t *output, tgs_error *err)
{
    (void)n;
    *output = y.tensor;
    return y.tensor < 0 ? tgs_fail(err, (tgs_status)y.tensor, "%s", tgs_status_text(y.tensor))
                        : TGS_OK;
}
