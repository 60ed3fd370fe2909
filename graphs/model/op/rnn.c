/* rnn.c -- recurrent layers: X [T,N,I], W [D,G H,I], R [D,G H,H] -> Y [T,D,N,H]. */
#include <string.h>
#include "core.h"

static int64_t gates(const tgs_node *n)
{
    return *n->op->type == 'L' ? 4 : *n->op->type == 'G' ? 3 : 1;
}

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    const tgs_tensor *x = tgs_node_in(n, 0), *w = tgs_node_in(n, 1), *r = tgs_node_in(n, 2);
    tgs_status status = tgs_i_op_needs(n, 3, err);
    int64_t hidden;

    if (status)
        return status;
    if (tgs_attr_int(n->op->attrs, "layout", 0))
        return tgs_node_open(n, err, "layout=1 is not supported");
    if (x->rank != 3 || w->rank != 3 || r->rank != 3)
        return tgs_node_fail(n, err, "its input or weights are not of rank 3");
    hidden = r->dim[2];
    if (w->dim[0] != r->dim[0] || w->dim[1] != gates(n) * hidden || r->dim[1] != w->dim[1]
        || w->dim[2] != x->dim[2])
        return tgs_node_fail(n, err, "its weights do not fit its input");
    for (int32_t i = 0; i < n->op->outputs; i++) {
        const int64_t dim[4] = {x->dim[0], w->dim[0], x->dim[1], hidden};
        const int32_t skip = i > 0; /* the last states have no time */

        out[i].dtype = x->dtype;
        out[i].rank = 4 - skip;
        memcpy(out[i].dim, dim + skip, (size_t)out[i].rank * sizeof *dim);
    }
    return TGS_OK;
}

/* the products with W and R at each step, and about 10 flops per gate and unit */
static double flops(const tgs_node *n)
{
    const tgs_tensor *x = tgs_node_in(n, 0), *w = tgs_node_in(n, 1), *r = tgs_node_in(n, 2);
    const double rows = (double)x->dim[0] * (double)x->dim[1];

    return rows
           * (2 * (tgs_elements(w) + tgs_elements(r)) + 10 * (double)w->dim[0] * (double)w->dim[1]);
}

static void attributes(const tgs_node *n, char *text)
{
    const int64_t hidden = tgs_node_in(n, 2)->dim[2];
    char direction[16] = "forward";

    *text = 0;
    tgs_attr_text(n->op->attrs, "direction", direction, sizeof direction);
    tgs_i_op_put_ints(text, "hidden", &hidden, 1);
    snprintf(text + strlen(text), TGS_I_ATTRS - strlen(text), " direction=%s", direction);
}

/* An LSTM with a bias, without lengths, initial states, peepholes or other activations, of which
 * only all states are used, is what codelet lstm computes; there is none for the others. */
static bool plain(const tgs_node *n)
{
    static const char *const others[] = {"activations", "activations.count", "clip",
                                         "input_forget"};
    char text[8];

    if (*n->op->type != 'L' || !tgs_node_in(n, 3) || !tgs_node_out(n, 0))
        return false;
    for (int32_t i = 4; i < 8; i++)
        if (tgs_node_in(n, i))
            return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (tgs_attr_text(n->op->attrs, others[i], text, sizeof text))
            return false;
    return !tgs_node_out(n, 1) && !tgs_node_out(n, 2);
}

static const char *codelet_of(const tgs_node *n, const char *tail, char *text, size_t size)
{
    if (*n->op->type == 'L' && !plain(n))
        snprintf(text, size, "lstm_full%s", tail);
    else
        tgs_i_op_codelet(n, tail, text, size);
    return text;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char attrs[TGS_I_ATTRS], codelet[32];
    const tgs_emission c = {codelet_of(n, "", codelet, sizeof codelet), "R x*, W y*", attrs, NULL,
                            flops(n)};

    attributes(n, attrs);
    return tgs_emit(e, &c, err);
}

/* through time; the gates are computed again */
static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    char codelet[32], attrs[TGS_I_ATTRS];
    const tgs_emission c = {codelet_of(n, "_bwd", codelet, sizeof codelet),
                            "R x*, R dy*, [W dx0], [W dx1], [W dx2], [W dx3], [W dx5], [W dx6]",
                            attrs, ".bwd", 3 * flops(n)};

    attributes(n, attrs);
    if (plain(n)) {
        int64_t flag[4];

        for (int32_t i = 0; i < 4; i++)
            flag[i] = tgs_wanted(e, i);
        tgs_i_op_put_ints(attrs, "wanted", flag, 4);
    }
    return tgs_emit(e, &c, err);
}

const tgs_operator tgs_operator_rnn = {
    .base = {TGS_PLUGIN_ABI, "rnn", "recurrent layers", NULL, NULL},
    .types = "LSTM GRU RNN",
    .differentiable = 0x6f, /* not the lengths (4) nor the peepholes (7) */
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
