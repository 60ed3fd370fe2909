/* fusemodels.c -- one model that does what several of one architecture do, each on inputs and
 * weights of its own: one operator in the place of each M twins.
 *
 * A value of all twins is kept in one of two layouts: stacked, with a new first dimension M, or
 * joined, its channels (dimension 1) one after the other.  Convolutions, batch normalisation and
 * pools work on joined values (a convolution with M times the groups), products, softmax and what
 * moves axes on stacked ones (batched products); what works element by element takes either.
 * layout.c chooses so that the fewest values are turned, and says where.
 *
 * Rewrite rules: Jeong, Kim, Yu, Kim, Chun, Lee, NetFuse (T18), as far as they are known. */
#include <string.h>
#include "core.h"

/* ---- names, values, operators ---- */

/* what stands in the merged model for a name of the first */
static const char *base_name(const tgs_i_fuse *f, const char *name)
{
    return f->w->same || strncmp(name, "0.", 2) ? name : name + 2;
}

int32_t tgs_i_fuse_named(tgs_i_fuse *f, int32_t t, const char *tail)
{
    char text[1100];

    snprintf(text, sizeof text, "%.1000s%s", base_name(f, f->m->tensor[t].name), tail);
    return tgs_model_tensor(f->b, text);
}

tgs_status tgs_i_fuse_refuse(const tgs_i_fuse *f, const tgs_op *op, const char *why)
{
    const tgs_node n = {f->m, op};

    return tgs_node_fail(&n, f->err, "it cannot be merged: %s", why);
}

int32_t tgs_i_fuse_integers(tgs_i_fuse *f, int32_t n, const int64_t *value)
{
    const int64_t dim = n;
    char text[40];
    int32_t t;

    snprintf(text, sizeof text, "merge.%d", (int)f->number++);
    t = tgs_model_tensor(f->b, text);
    tgs_model_shape(f->b, t, TGS_I64, 1, &dim);
    tgs_model_stored(f->b, t, NULL);
    tgs_model_integers(f->b, t, value);
    return t;
}

int32_t tgs_i_fuse_real(tgs_i_fuse *f, double value, tgs_dtype dtype)
{
    char text[40];
    int32_t t;

    snprintf(text, sizeof text, "merge.%d", (int)f->number++);
    t = tgs_model_tensor(f->b, text);
    tgs_model_shape(f->b, t, dtype, 0, NULL);
    tgs_model_stored(f->b, t, NULL);
    tgs_model_reals(f->b, t, &value, true);
    return t;
}

/* an operator with a new output */
int32_t tgs_i_fuse_op(tgs_i_fuse *f, const char *type, const char *attrs, int32_t inputs,
                      const int32_t *input, int32_t output)
{
    tgs_model_operator(f->b, NULL, type, attrs, inputs, input, 1, &output);
    return output;
}

int32_t tgs_i_fuse_reshape(tgs_i_fuse *f, int32_t x, int32_t rank, const int64_t *dim,
                           int32_t output)
{
    return tgs_i_fuse_op(f, "Reshape", NULL, 2, (int32_t[]){x, tgs_i_fuse_integers(f, rank, dim)},
                         output);
}

/* ---- layouts ---- */

static int32_t stacked_dims(const tgs_i_fuse *f, const tgs_tensor *t, int32_t rank, int64_t *dim)
{
    dim[0] = f->w->copies;
    for (int32_t i = 0; i < rank; i++)
        dim[1 + i] = i < rank - t->rank ? 1 : t->dim[i - (rank - t->rank)];
    return rank + 1;
}

/* [M, N, C, ...] to [N, M C, ...] or back; with N = 1 they are the same numbers in the same order
 */
static int32_t turn(tgs_i_fuse *f, int32_t t, bool joined)
{
    const tgs_tensor *x = &f->m->tensor[t];
    const int32_t from = f->got[!joined][t];
    const bool output = f->is_output[t];
    int64_t split[TGS_MODEL_RANK + 1], whole[TGS_MODEL_RANK + 1];
    int32_t rank = stacked_dims(f, x, x->rank, whole), now = from;
    char perm[64];
    size_t used;

    used = (size_t)snprintf(perm, sizeof perm, "perm=1,0");
    for (int32_t i = 2; i < rank; i++)
        used += (size_t)snprintf(perm + used, sizeof perm - used, ",%d", (int)i);
    memcpy(split, whole, sizeof split);
    split[0] = whole[1];
    split[1] = whole[0];
    if (joined) {
        whole[1] = whole[0] * whole[2];
        whole[0] = split[0];
        memmove(whole + 2, whole + 3, (size_t)(rank - 3) * sizeof *whole);
        if (x->dim[0] != 1)
            now = tgs_i_fuse_op(f, "Transpose", perm, 1, &now, tgs_i_fuse_named(f, t, ".turned"));
        return tgs_i_fuse_reshape(f, now, rank - 1, whole, tgs_i_fuse_named(f, t, ".joined"));
    }
    if (x->dim[0] == 1)
        return tgs_i_fuse_reshape(f, now, rank, whole,
                                  tgs_i_fuse_named(f, t, output ? "" : ".stacked"));
    now = tgs_i_fuse_reshape(f, now, rank, split, tgs_i_fuse_named(f, t, ".split"));
    return tgs_i_fuse_op(f, "Transpose", perm, 1, &now,
                         tgs_i_fuse_named(f, t, output ? "" : ".stacked"));
}

int32_t tgs_i_fuse_value(tgs_i_fuse *f, int32_t t, bool joined)
{
    if (f->got[joined][t] < 0)
        f->got[joined][t] = turn(f, t, joined);
    return f->got[joined][t];
}

/* the tensor that an operator makes of t in this layout */
int32_t tgs_i_fuse_new(tgs_i_fuse *f, int32_t t, bool joined)
{
    return f->got[joined][t] = tgs_i_fuse_named(f, t, joined && f->is_output[t] ? ".joined" : "");
}

/* ---- weights ---- */

/* "join:M:LENGTH:INIT..." of all twins */
static tgs_status parts_of(tgs_i_fuse *f, int32_t t, char **out)
{
    const tgs_model_view *m = f->m;
    char name[1100], *text = NULL;
    int64_t room = 0;
    size_t used = 0;
    tgs_status status = tgs_mem_grow(&text, &room, 64, 1);

    *out = NULL;
    if (!status)
        used = (size_t)snprintf(text, 64, "join:%d:", (int)f->w->copies);
    for (int32_t c = 0; c < f->w->copies && !status; c++) {
        const tgs_tensor *x = &m->tensor[f->w->twin[(int64_t)c * m->tensors + t]];
        char *init;

        if (f->w->same)
            snprintf(name, sizeof name, "%d.%.1000s", (int)c, x->name);
        init = tgs_tensor_init(x, f->w->same ? name : x->name);
        status =
            init ? tgs_mem_grow(&text, &room, (int64_t)(used + strlen(init) + 32), 1) : TGS_ENOMEM;
        if (!status)
            used +=
                (size_t)snprintf(text + used, (size_t)room - used, "%zu:%s", strlen(init), init);
        tgs_mem_free(init);
    }
    if (status) {
        tgs_mem_free(text);
        return tgs_fail(f->err, TGS_ENOMEM, "out of memory");
    }
    *out = text;
    return TGS_OK;
}

/* the weights of all twins, one after the other, as a tensor of these dimensions */
int32_t tgs_i_fuse_weights(tgs_i_fuse *f, const tgs_op *op, int32_t t, int32_t rank,
                           const int64_t *dim)
{
    const tgs_tensor *x = &f->m->tensor[t];
    char *init;
    tgs_status status;

    if (f->got[0][t] >= 0) {
        if (f->form[t].rank == rank && !memcmp(f->form[t].dim, dim, (size_t)rank * sizeof *dim))
            return f->got[0][t];
        return (int32_t)tgs_i_fuse_refuse(f, op, "its weights are used in two forms");
    }
    status = parts_of(f, t, &init);
    if (status)
        return (int32_t)status;
    f->got[0][t] = tgs_i_fuse_named(f, t, "");
    tgs_model_shape(f->b, f->got[0][t], x->dtype, rank, dim);
    tgs_model_stored(f->b, f->got[0][t], init);
    tgs_mem_free(init);
    f->form[t].rank = rank;
    memcpy(f->form[t].dim, dim, (size_t)rank * sizeof *dim);
    return f->got[0][t];
}

bool tgs_i_fuse_computed(const tgs_i_fuse *f, int32_t t)
{
    return f->m->tensor[t].role == TGS_ROLE_ACTIVATION || f->m->tensor[t].role == TGS_ROLE_INPUT;
}

/* an operand, stacked, that broadcasts in this rank (without M) */
int32_t tgs_i_fuse_stacked(tgs_i_fuse *f, const tgs_op *op, int32_t t, int32_t rank)
{
    const tgs_tensor *x = &f->m->tensor[t];
    int64_t dim[TGS_MODEL_RANK + 1];
    char tail[24];
    int32_t n, now;

    if (rank >= TGS_MODEL_RANK)
        return (int32_t)tgs_i_fuse_refuse(f, op, "too many dimensions");
    n = stacked_dims(f, x, rank, dim);
    if (x->role == TGS_ROLE_CONSTANT)
        return tgs_model_adopt(f->b, f->m, t);
    if (!tgs_i_fuse_computed(f, t))
        return tgs_i_fuse_weights(f, op, t, n, dim);
    now = tgs_i_fuse_value(f, t, false);
    if (x->rank == rank)
        return now;
    snprintf(tail, sizeof tail, ".rank%d", (int)n);
    n = tgs_i_fuse_reshape(f, now, n, dim, tgs_i_fuse_named(f, t, tail));
    return n;
}

/* ---- the model ---- */

static tgs_status choose_layouts(tgs_i_fuse *f)
{
    const tgs_model_view *m = f->m;
    const int32_t nodes = m->ops + m->inputs + 1; /* the last: what the outputs are for */
    tgs_i_layout l = {.nodes = nodes, .second = f->joined};
    uint8_t *fixed = tgs_mem_alloc((size_t)nodes, 1);
    int32_t *value = NULL, *use = NULL;
    int64_t value_room = 0, use_room = 0;
    tgs_status status = fixed ? TGS_OK : TGS_ENOMEM;

    for (int32_t i = 0; i < m->ops && !status; i++)
        fixed[i] = tgs_i_fuse_layouts(f, &m->op[i]);
    if (!status)
        fixed[nodes - 1] = 1;
    for (int32_t t = 0; t < m->tensors && !status; t++) {
        int32_t maker = m->tensor[t].producer;

        if (!tgs_i_fuse_computed(f, t) || f->w->twin[t] < 0)
            continue;
        for (int32_t i = 0; maker < 0 && i < m->inputs; i++)
            if (m->input[i] == t) {
                maker = m->ops + i;
                fixed[maker] = m->tensor[t].rank < 2; /* it has no channels */
            }
        for (int32_t u = f->user_at[t]; u <= f->user_at[t + 1] && !status; u++) {
            const bool last = u == f->user_at[t + 1];

            if (last && !f->is_output[t])
                continue;
            status = tgs_mem_grow(&value, &value_room, l.uses + 1, sizeof *value);
            if (!status)
                status = tgs_mem_grow(&use, &use_room, 2 * l.uses + 2, sizeof *use);
            if (status)
                continue;
            value[l.uses] = t;
            use[2 * l.uses] = maker;
            use[2 * l.uses++ + 1] = last ? nodes - 1 : f->user[u];
        }
    }
    l.fixed = fixed;
    l.value = value;
    l.use = use;
    if (!status)
        status = tgs_i_layout_choose(&l);
    tgs_mem_free(fixed);
    tgs_mem_free(value);
    tgs_mem_free(use);
    return status ? tgs_fail(f->err, TGS_ENOMEM, "out of memory") : TGS_OK;
}

/* operators that use each tensor, of those that the outputs need */
static tgs_status find_users(tgs_i_fuse *f)
{
    const tgs_model_view *m = f->m;
    int64_t users = 0;

    f->user_at = tgs_mem_alloc((size_t)m->tensors + 2, sizeof *f->user_at);
    for (int32_t i = 0; i < m->ops; i++)
        users += m->op[i].inputs;
    f->user = tgs_mem_alloc((size_t)users, sizeof *f->user);
    if (!f->user_at || !f->user)
        return tgs_fail(f->err, TGS_ENOMEM, "out of memory");
    for (int32_t pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < m->ops; i++)
            for (int32_t j = 0; j < m->op[i].inputs && tgs_i_fuse_needed(f, &m->op[i]); j++) {
                const int32_t t = m->op[i].input[j];

                if (t >= 0 && pass)
                    f->user[f->user_at[t + 1]++] = i;
                else if (t >= 0)
                    f->user_at[t + 2]++;
            }
        for (int32_t t = 0; t < m->tensors && !pass; t++)
            f->user_at[t + 2] += f->user_at[t + 1];
    }
    return TGS_OK;
}

bool tgs_i_fuse_needed(const tgs_i_fuse *f, const tgs_op *op)
{
    for (int32_t j = 0; j < op->outputs && !op->folded; j++)
        if (op->output[j] >= 0 && f->w->twin[op->output[j]] >= 0)
            return true;
    return false;
}

static void add_inputs(tgs_i_fuse *f)
{
    const tgs_model_view *m = f->m;

    for (int32_t i = 0; i < m->inputs; i++) {
        const int32_t t = m->input[i];
        const tgs_tensor *x = &m->tensor[t];
        const bool joined = f->joined[m->ops + i];
        int64_t dim[TGS_MODEL_RANK + 1];
        int32_t rank;

        if (f->w->twin[t] < 0)
            continue;
        rank = stacked_dims(f, x, x->rank, dim);
        if (joined) {
            rank = x->rank;
            memcpy(dim, x->dim, (size_t)rank * sizeof *dim);
            dim[1] *= f->w->copies;
        }
        tgs_model_shape(f->b, tgs_i_fuse_new(f, t, joined), x->dtype, rank, dim);
        tgs_model_input(f->b, f->got[joined][t]);
    }
}

static tgs_status write_all(tgs_i_fuse *f)
{
    const tgs_model_view *m = f->m;
    tgs_status status = find_users(f);

    if (!status)
        status = choose_layouts(f);
    if (status)
        return status;
    tgs_model_opset(f->b, m->opset);
    add_inputs(f);
    for (int32_t i = 0; i < m->ops && !status; i++) {
        const tgs_op *op = &m->op[m->order[i]];

        if (tgs_i_fuse_needed(f, op))
            status = tgs_i_fuse_one(f, op, f->joined[m->order[i]]);
    }
    for (int32_t k = 0; k < f->w->outputs && !status; k++)
        tgs_model_output(f->b, tgs_i_fuse_value(f, f->w->output[k], false));
    return status;
}

tgs_status tgs_i_merge(const tgs_i_twins *w, tgs_model_builder *b, tgs_error *err)
{
    const size_t n = (size_t)w->m->tensors;
    tgs_i_fuse f = {.w = w, .m = w->m, .b = b, .err = err};
    tgs_status status = TGS_ENOMEM;

    f.got[0] = tgs_mem_alloc(n, sizeof *f.got[0]);
    f.got[1] = tgs_mem_alloc(n, sizeof *f.got[1]);
    f.form = tgs_mem_alloc(n, sizeof *f.form);
    f.is_output = tgs_mem_alloc(n, sizeof *f.is_output);
    f.joined = tgs_mem_alloc((size_t)w->m->ops + (size_t)w->m->inputs + 1, sizeof *f.joined);
    if (f.got[0] && f.got[1] && f.form && f.is_output && f.joined) {
        memset(f.got[0], -1, n * sizeof *f.got[0]);
        memset(f.got[1], -1, n * sizeof *f.got[1]);
        for (int32_t k = 0; k < w->outputs; k++)
            f.is_output[w->output[k]] = true;
        status = write_all(&f);
    } else
        tgs_fail(err, status, "out of memory");
    tgs_mem_free(f.got[0]);
    tgs_mem_free(f.got[1]);
    tgs_mem_free(f.form);
    tgs_mem_free(f.is_output);
    tgs_mem_free(f.joined);
    tgs_mem_free(f.user);
    tgs_mem_free(f.user_at);
    return status;
}
