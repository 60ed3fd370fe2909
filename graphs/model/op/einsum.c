/* einsum.c -- sums of products by the letters of their dimensions: "bij,bjk->bik". */
#include <string.h>
#include "core.h"

enum { LETTERS = 128, DOTS = 8 }; /* an ellipsis stands for letters from LETTERS on */

typedef struct letters {
    int64_t size[LETTERS + DOTS]; /* 0: not seen */
    int32_t uses[LETTERS + DOTS];
} letters;

/* the letters of one operand, an ellipsis as those that are left of its rank; their number, or -1
 */
static int32_t spell(const char *s, size_t size, int32_t rank, int32_t dots, uint8_t *out)
{
    int32_t n = 0, plain = 0;

    for (size_t i = 0; i < size; i++)
        plain += s[i] != ' ' && s[i] != '.';
    if (rank < 0)
        rank = plain + dots;
    for (size_t i = 0; i < size; i++) {
        if (s[i] == ' ')
            continue;
        if (s[i] == '.') {
            const int32_t hidden = rank - plain;

            if (i + 2 >= size || hidden < 0 || hidden > DOTS)
                return -1;
            for (int32_t k = 0; k < hidden && n < TGS_MODEL_RANK; k++)
                out[n++] = (uint8_t)(LETTERS + DOTS - hidden + k);
            i += 2;
        } else if (n >= TGS_MODEL_RANK || s[i] < 0)
            return -1;
        else
            out[n++] = (uint8_t)s[i];
    }
    return n;
}

/* reads all operands; *arrow: what follows "->", or NULL; dots: dimensions of the widest ellipsis
 */
static bool read(const tgs_node *n, const char *text, letters *l, const char **arrow, int32_t *dots)
{
    const char *s = text, *end = strstr(text, "->");

    *arrow = end ? end + 2 : NULL;
    *dots = 0;
    if (!end)
        end = text + strlen(text);
    for (int32_t i = 0; i < n->op->inputs; i++) {
        const tgs_tensor *x = tgs_node_in(n, i);
        const char *comma = memchr(s, ',', (size_t)(end - s));
        const size_t size = (size_t)((comma ? comma : end) - s);
        uint8_t spelt[TGS_MODEL_RANK];
        const int32_t count = x ? spell(s, size, x->rank, 0, spelt) : -1;

        if (count < 0 || count != x->rank || (!comma && i + 1 < n->op->inputs))
            return false;
        for (int32_t k = 0; k < count; k++) {
            int64_t *dim = &l->size[spelt[k]];

            if (*dim > 1 && x->dim[k] != *dim && x->dim[k] != 1)
                return false;
            *dim = *dim > 1 ? *dim : x->dim[k];
            l->uses[spelt[k]]++;
            *dots += spelt[k] >= LETTERS && l->uses[spelt[k]] == 1;
        }
        s = comma ? comma + 1 : end;
    }
    return s == end;
}

static tgs_status look(const tgs_node *n, letters *l, tgs_shape *out, tgs_error *err)
{
    char text[128];
    const char *arrow;
    uint8_t spelt[TGS_MODEL_RANK];
    int32_t dots, count = 0;

    memset(l, 0, sizeof *l);
    if (!tgs_attr_text(n->op->attrs, "equation", text, sizeof text))
        return tgs_node_open(n, err, "its equation cannot be read");
    if (!read(n, text, l, &arrow, &dots))
        return tgs_node_fail(n, err, "its operands do not fit '%s'", text);
    if (arrow)
        count = spell(arrow, strlen(arrow), -1, dots, spelt);
    else /* in alphabetical order what occurs once, the ellipsis first */
        for (int i = 0; i < LETTERS + DOTS; i++) {
            const int at = i < DOTS ? LETTERS + i : i - DOTS;

            if ((l->uses[at] == 1 || (l->uses[at] && at >= LETTERS)) && count < TGS_MODEL_RANK)
                spelt[count++] = (uint8_t)at;
        }
    if (count < 0)
        return tgs_node_fail(n, err, "its operands do not fit '%s'", text);
    out->dtype = tgs_node_in(n, 0)->dtype;
    out->rank = count;
    for (int32_t i = 0; i < count; i++) {
        if (!l->uses[spelt[i]])
            return tgs_node_fail(n, err, "'%s' makes a letter of nothing", text);
        out->dim[i] = l->size[spelt[i]];
    }
    return TGS_OK;
}

static tgs_status infer(const tgs_node *n, tgs_shape *out, tgs_error *err)
{
    letters l;
    const tgs_status status = tgs_i_op_needs(n, 1, err);

    return status ? status : look(n, &l, out, err);
}

/* a product of all operands for each value of all letters, summed: 2 flops for two operands */
static double work(const tgs_node *n, tgs_error *err)
{
    letters l;
    tgs_shape out;
    double all = 1;

    if (look(n, &l, &out, err))
        return 0;
    for (int i = 0; i < LETTERS + DOTS; i++)
        all *= l.uses[i] ? (double)l.size[i] : 1;
    return all * n->op->inputs;
}

static tgs_status forward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    return tgs_i_op_task(n, e, work(n, err), err);
}

/* a sum of the same products for each operand */
static tgs_status backward(const tgs_node *n, tgs_emitter *e, tgs_error *err)
{
    int32_t wanted = 0;

    for (int32_t i = 0; i < n->op->inputs; i++)
        wanted += tgs_wanted(e, i);
    return tgs_i_op_task_bwd(n, e, wanted * work(n, err), err);
}

const tgs_operator tgs_operator_einsum = {
    .base = {TGS_PLUGIN_ABI, "einsum", "sums of products by letters", NULL, NULL},
    .types = "Einsum",
    .differentiable = TGS_ALL_DIFFERENTIABLE,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};
