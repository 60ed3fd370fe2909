/* recurrent.c -- one sample through the time of an LSTM in one direction, ONNX's: gates in the
 * order input, output, forget, cell; no peepholes. */
#ifdef real
static real FN(squash)(real x)
{
    return 1 / (1 + LIBM(exp)(-x));
}

/* what a gate sees: w x + r h + both biases */
static real FN(seen)(const tgs_i_lstm *l, const real *w, const real *r, const real *b, int64_t gate,
                     const real *x, const real *h)
{
    real sum = b[gate] + b[4 * l->hidden + gate];

    for (int64_t k = 0; k < l->inputs; k++)
        sum += w[gate * l->inputs + k] * x[k];
    for (int64_t k = 0; h && k < l->hidden; k++)
        sum += r[gate * l->hidden + k] * h[k];
    return sum;
}

void FN(tgs_i_lstm_run)(const tgs_i_lstm *l, const real *const *weights, int64_t direction,
                        int64_t sample, const real *x, real *gates, real *cell, real *h)
{
    const int64_t n = l->hidden;
    const real *w = weights[0] + direction * 4 * n * l->inputs;
    const real *r = weights[1] + direction * 4 * n * n, *b = weights[2] + direction * 8 * n;

    for (int64_t s = 0; s < l->steps; s++) {
        const real *in = x + (tgs_i_lstm_time(l, direction, s) * l->batch + sample) * l->inputs;
        const real *before = s ? h + (s - 1) * n : NULL;

        for (int64_t g = 0; g < 4 * n; g++) {
            const real a = FN(seen)(l, w, r, b, g, in, before);

            gates[s * 4 * n + g] = g < 3 * n ? FN(squash)(a) : LIBM(tanh)(a);
        }
        for (int64_t k = 0; k < n; k++) {
            const real *gate = gates + s * 4 * n + k;
            const real kept = s ? gate[2 * n] * cell[(s - 1) * n + k] : 0;

            cell[s * n + k] = kept + gate[0] * gate[3 * n];
            h[s * n + k] = gate[n] * LIBM(tanh)(cell[s * n + k]);
        }
    }
}
#else
#define BODY "recurrent.c"
#include "core.h"

int64_t tgs_i_lstm_time(const tgs_i_lstm *l, int64_t direction, int64_t step)
{
    return l->reverse || direction ? l->steps - 1 - step : step;
}

tgs_status tgs_i_lstm_new(tgs_i_lstm *l, const tgs_call *c, const tgs_buffer *y, tgs_error *err)
{
    const tgs_i_shape x = tgs_i_shape_of(&c->buffer[0]), w = tgs_i_shape_of(&c->buffer[1]);
    const tgs_i_shape r = tgs_i_shape_of(&c->buffer[2]), b = tgs_i_shape_of(&c->buffer[3]);
    const tgs_i_shape out = tgs_i_shape_of(y);
    char direction[16] = "forward";
    const tgs_status status = tgs_i_check_type(c, 0, c->buffers, err);

    if (status)
        return status;
    tgs_attr_text(c->attrs, "direction", direction, sizeof direction);
    if (x.rank != 3 || w.rank != 3 || r.rank != 3 || b.rank != 2 || out.rank != 4)
        return tgs_fail(err, TGS_EINVAL,
                        "not X [T,N,I], W [D,4H,I], R [D,4H,H], B [D,8H], "
                        "Y [T,D,N,H]");
    *l = (tgs_i_lstm){x.dim[0], w.dim[0], x.dim[1],
                      x.dim[2], r.dim[2], !strcmp(direction, "reverse")};
    if (l->directions != (strcmp(direction, "bidirectional") ? 1 : 2) || w.dim[1] != 4 * l->hidden
        || w.dim[2] != l->inputs || r.dim[0] != l->directions || r.dim[1] != 4 * l->hidden
        || b.dim[0] != l->directions || b.dim[1] != 8 * l->hidden || out.dim[0] != l->steps
        || out.dim[1] != l->directions || out.dim[2] != l->batch || out.dim[3] != l->hidden)
        return tgs_fail(err, TGS_EINVAL, "weights, states and direction=%s do not fit", direction);
    return TGS_OK;
}
#endif
