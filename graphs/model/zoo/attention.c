/* attention.c -- scaled dot-product attention with groups of heads, masks and rotary positions. */
#include "core.h"

tgs_status tgs_i_net_sizes(const tgs_i_net *n, int64_t width, int64_t heads, int64_t positions,
                           tgs_error *err)
{
    const int64_t seq = tgs_arg_int(n->call->args, "seq");

    if (width % heads)
        return tgs_fail(err, TGS_EINVAL, "%s: heads=%lld do not divide width=%lld",
                        n->call->network, (long long)heads, (long long)width);
    if (seq > positions)
        return tgs_fail(err, TGS_EINVAL, "%s: seq=%lld, but there are positions=%lld",
                        n->call->network, (long long)seq, (long long)positions);
    return TGS_OK;
}

/* Both ranges are known for short sequences, and then the mask is too. */
int32_t tgs_i_net_causal(tgs_i_net *n, int64_t seq)
{
    static const int64_t none[] = {0};
    int64_t step[] = {0}, row[] = {seq, 1}, column[] = {1, seq};
    int32_t zero, limit, one, range, mask;

    tgs_i_net_enter(n, "causal");
    zero = tgs_i_net_stored(n, "zero", TGS_I64, 0, none);
    limit = tgs_i_net_stored(n, "seq", TGS_I64, 0, none);
    one = tgs_i_net_stored(n, "one", TGS_I64, 0, none);
    tgs_model_integers(n->b, zero, step);
    *step = seq;
    tgs_model_integers(n->b, limit, step);
    *step = 1;
    tgs_model_integers(n->b, one, step);
    range = tgs_i_net_op(n, "range", "Range", NULL, 3, zero, limit, one);
    mask = tgs_i_net_op(n, "mask", "GreaterOrEqual", NULL, 2,
                        tgs_i_net_reshape(n, "row", range, 2, row),
                        tgs_i_net_reshape(n, "column", range, 2, column));
    tgs_i_net_leave(n);
    return mask;
}

static int32_t rotate(tgs_i_net *n, const tgs_i_heads *h, const char *name, int32_t x)
{
    return h->cos < 0 ? x : tgs_i_net_op(n, name, "RotaryEmbedding", NULL, 3, x, h->cos, h->sin);
}

/* [batch, seq, heads size] to [batch, heads, seq, size], or with the last two exchanged; heads in
 * groups of several have a dimension of their own, so that products broadcast over them */
static int32_t split(tgs_i_net *n, const tgs_i_heads *h, const char *name, int32_t x, bool query,
                     bool turned)
{
    const int64_t share = h->heads / h->groups, heads = query ? h->heads : h->groups;
    const int64_t flat[] = {h->batch, h->seq, heads, h->size};
    const int64_t grouped[] = {h->batch, h->groups, query ? share : 1, h->seq, h->size};

    tgs_i_net_enter(n, "%s", name);
    x = tgs_i_net_reshape(n, "heads", x, 4, flat);
    x = tgs_i_net_transpose(n, "transpose", x, "0,2,1,3");
    x = turned || query ? rotate(n, h, "rotary", x) : x;
    if (share > 1)
        x = tgs_i_net_reshape(n, "groups", x, 5, grouped);
    if (turned)
        x = tgs_i_net_transpose(n, "turn", x, share > 1 ? "0,1,2,4,3" : "0,1,3,2");
    tgs_i_net_leave(n);
    return x;
}

tgs_i_val tgs_i_net_attend(tgs_i_net *n, const tgs_i_heads *h, tgs_i_val q, tgs_i_val k,
                           tgs_i_val v)
{
    const int64_t heads[] = {h->batch, h->heads, h->seq, h->size};
    const int64_t joined[] = {h->batch, h->seq, h->heads * h->size};
    int32_t x;

    x = tgs_i_net_op(n, "scores", "MatMul", NULL, 2, split(n, h, "q", q.tensor, true, false),
                     split(n, h, "k", k.tensor, false, true));
    x = tgs_i_net_op(n, "scale", "Div", NULL, 2, x,
                     tgs_i_net_real(n, "root", sqrt((double)h->size)));
    if (h->mask >= 0)
        x = tgs_i_net_op(n, "masked", "Where", NULL, 3, h->mask, x,
                         tgs_i_net_real(n, "never", -1e9));
    x = tgs_i_net_op(n, "softmax", "Softmax", "axis=-1", 1, x);
    x = tgs_i_net_op(n, "context", "MatMul", NULL, 2, x, split(n, h, "v", v.tensor, false, false));
    if (h->heads != h->groups)
        x = tgs_i_net_reshape(n, "ungrouped", x, 4, heads);
    x = tgs_i_net_transpose(n, "transpose", x, "0,2,1,3");
    return (tgs_i_val){tgs_i_net_reshape(n, "joined", x, 3, joined), q.width};
}
