/* tensor.c -- tensor parallelism: the products of chosen operators on P shards, and what lies
 * between them in the pieces that they leave.  With Y[M,N] = X[M,K] W[K,N]:
 *
 *   1d    N cut (columns), or K where X comes cut that way (rows), so that a pair of layers has one
 *         sum of Y and one of dX: each is scattered by rows and gathered where it is next used
 *         [Shoeybi et al., Megatron-LM; Korthikanti et al. for what lies between]
 *   2d    P = q^2: all three cut in q; shard (i,j) makes Y_ij from X_il and W_lj of its row and
 *         column (SUMMA); what others have is sent once for the forward and once for the backward
 *         pass [Xu, Li, Gong, You]
 *   2.5d  P = d q^2: d such grids, with d times as many rows of X and copies of W [Wang et al.]
 *   3d    P = q^3: shard (i,j,l) multiplies X_il and W_lj, which the shards of its line j and i
 *         store by parts, and the sum over l is scattered again [Bian, Xu, Wang, You]: after a
 * layer the roles of j and l are exchanged
 *
 * Where a product's dX and dW are made follows from the same cuts.  Parameters, their gradients and
 * the optimizer's state are stored in these pieces. */
#include <stdlib.h>
#include <string.h>
#include "pieces.h"

typedef enum kind { ONE, TWO, TWO_AND_A_HALF, THREE } kind;

typedef struct chosen { /* an operator */
    bool in, batch;
    bool rows;   /* 1d: K is cut */
    bool turned; /* 3d: j and l are exchanged */
} chosen;

typedef struct tensor {
    tgs_lowering *l;
    kind mode;
    int32_t shards, q, d;
    chosen *op;              /* [ops] */
    const chosen *now;       /* that of the task being split */
    tgs_i_product_task task; /* and what it does */
} tensor;

static int32_t parts_of(const tensor *p, const chosen *o, int32_t letter)
{
    if (p->mode == ONE)
        return letter == (o->rows ? TGS_I_LK : TGS_I_LN) ? p->shards : 1;
    return letter == TGS_I_LM ? p->q * p->d : p->q;
}

/* of i, j, l (indices of M, N and K) */
static int32_t shard_at(const tensor *p, int32_t i, int32_t j, int32_t l)
{
    switch (p->mode) {
    case ONE:
        return 1 + (p->now->rows ? l : j);
    case TWO:
    case TWO_AND_A_HALF:
        return 1 + i * p->q + j; /* i counts the rows of all grids, one after the other */
    case THREE:
        break;
    }
    return 1 + (i * p->q + (p->now->turned ? l : j)) * p->q + (p->now->turned ? j : l);
}

static int32_t index_of(const tensor *p, const int32_t *index, int32_t letter)
{
    const int32_t label = p->task.label[letter];

    return label < 0 ? -1 : index[label];
}

static int32_t shard(const tgs_i_expansion *x, const int32_t *index)
{
    const tensor *p = x->user;
    const int32_t i = index_of(p, index, TGS_I_LM), j = index_of(p, index, TGS_I_LN);
    const int32_t l = index_of(p, index, TGS_I_LK);

    if (p->mode != ONE && p->mode != THREE && p->task.role[0] == p->task.role[1]) /* a sum */
        return shard_at(p, i < 0 ? 0 : i, p->task.role[0] == TGS_I_X ? l : j, 0);
    return shard_at(p, i < 0 ? 0 : i, j < 0 ? 0 : j, l < 0 ? 0 : l);
}

/* where a block of X, W, Y or C is kept */
static int32_t home(const tgs_i_expansion *x, int32_t a, const int32_t *index, int32_t group)
{
    const tensor *p = x->user;
    const int32_t i = index_of(p, index, TGS_I_LM), j = index_of(p, index, TGS_I_LN);
    const int32_t l = index_of(p, index, TGS_I_LK);
    const int32_t first = (i < 0 ? group * p->q : i);

    if (p->mode == TWO || p->mode == TWO_AND_A_HALF) {
        if (p->task.role[a] == TGS_I_X)
            return shard_at(p, first, l < 0 ? 0 : l, 0);
        if (p->task.role[a] == TGS_I_W)
            return shard_at(p, group * p->q + (l < 0 ? 0 : l), j < 0 ? 0 : j, 0);
    }
    return shard_at(p, first, j < 0 ? 0 : j, l < 0 ? 0 : l);
}

/* the dim of access a that has this label */
static int32_t axis_of(const tgs_i_expansion *x, int32_t a, int32_t label)
{
    for (int32_t k = 0; k < TGS_MODEL_RANK; k++)
        if (label >= 0 && x->labels.of[a][k] == label)
            return k;
    return 0;
}

static tgs_i_layout layout(const tgs_i_expansion *x, int32_t a)
{
    static const int32_t missing[] = {
        [TGS_I_X] = TGS_I_LN, [TGS_I_W] = TGS_I_LM, [TGS_I_Y] = TGS_I_LK};
    const tensor *p = x->user;
    const tgs_i_role role = p->task.role[a];
    tgs_i_layout y = {-1, 0};

    if (role == TGS_I_NO_ROLE || role == TGS_I_C || (p->mode != ONE && p->mode != THREE))
        return y;
    y.missing = p->task.label[missing[role]];
    y.axis = axis_of(x, a, p->task.label[role == TGS_I_W ? TGS_I_LN : TGS_I_LM]);
    return y;
}

/* X comes cut along K alone, as a layer that was cut in columns leaves it */
static bool comes_cut(const tensor *p, const tgs_i_split *s, const tgs_i_expansion *x, int32_t a,
                      int32_t datum)
{
    const tgs_i_record *r = &s->record[datum];

    for (int32_t k = 0; k < p->l->datum[datum].rank; k++)
        if ((r->axis[k].parts > 1) != (x->labels.of[a][k] == p->task.label[TGS_I_LK]))
            return false;
    return r->cells == p->shards;
}

/* X comes from a layer that was not turned: its second row, which is j = 1, is where l would be */
static bool comes_turned(const tensor *p, const tgs_i_split *s, const tgs_i_expansion *x, int32_t a,
                         int32_t datum)
{
    const tgs_i_record *r = &s->record[datum];
    const int32_t row = axis_of(x, a, p->task.label[TGS_I_LM]);
    const int32_t column = axis_of(x, a, p->task.label[TGS_I_LK]);

    if (r->cells != p->q * p->q * p->q || r->axis[row].parts != p->q * p->q)
        return false;
    for (int32_t i = 0; i < r->cells; i++)
        if (r->cell[i].box.lo[column] == 0 && r->cell[i].box.lo[row] == r->axis[row].at[1])
            return r->cell[i].shard == 2;
    return false;
}

static void look(tensor *p, const tgs_i_split *s, const tgs_low_task *t, const tgs_i_expansion *x)
{
    const int32_t datum = p->l->access[t->at].datum;
    chosen *o = &p->op[t->op];

    if (t->phase != TGS_PHASE_FORWARD)
        return;
    if (p->mode == ONE)
        o->rows = comes_cut(p, s, x, 0, datum);
    else if (p->mode == THREE)
        o->turned = comes_turned(p, s, x, 0, datum);
}

static bool plan(tgs_i_split *s, const tgs_low_task *t, tgs_i_expansion *x, void *user)
{
    tensor *p = user;

    if (t->op < 0 || t->phase == TGS_PHASE_UPDATE || !p->op[t->op].in)
        return false;
    memset(x, 0, sizeof *x);
    if (!tgs_i_product_of(s, t, p->op[t->op].batch, &x->labels, &p->task))
        return false;
    p->now = &p->op[t->op];
    look(p, s, t, x);
    for (int32_t letter = 0; letter < TGS_I_LETTERS; letter++) {
        const int32_t label = p->task.label[letter], parts = parts_of(p, p->now, letter);

        if (label >= 0 && parts > 1 && x->labels.extent[label] >= parts)
            s->failed |= !tgs_i_even(p->l, &x->cut[label], x->labels.extent[label], parts);
    }
    x->shard = shard;
    x->layout = layout;
    x->home = home;
    x->groups = p->d;
    x->spread = p->mode != ONE;
    x->use = p->mode == TWO || p->mode == TWO_AND_A_HALF ? 1 + (t->phase == TGS_PHASE_BACKWARD) : 0;
    x->user = p;
    return true;
}

/* P = d q^2, or q^3 */
static tgs_status measure(tensor *p, const char *mode, int32_t depth, tgs_error *err)
{
    static const char *const modes[] = {"1d", "2d", "2.5d", "3d"};
    int32_t all = 1;

    for (p->mode = ONE; p->mode <= THREE && strcmp(mode, modes[p->mode]); p->mode++)
        continue;
    if (p->mode > THREE)
        return tgs_fail(err, TGS_EINVAL, "tensor: no mode '%s' (there are: 1d, 2d, 2.5d, 3d)",
                        mode);
    p->d = p->mode == TWO_AND_A_HALF ? depth : 1;
    for (p->q = 1; p->mode != ONE && all < p->shards; p->q++)
        all = (p->mode == THREE ? p->q + 1 : p->d) * (p->q + 1) * (p->q + 1);
    if (p->mode != ONE && (all != p->shards || p->q < 2))
        return tgs_fail(err, TGS_EINVAL, "tensor: %d shards are no %s grid", (int)p->shards,
                        p->mode == THREE ? "q^3"
                        : p->mode == TWO ? "q^2"
                                         : "depth q^2");
    return TGS_OK;
}

/* the parts that a letter is cut in must not be empty: what was named is refused, and what was not
 * stays whole */
static tgs_status fits(tensor *p, int32_t op, bool named, tgs_error *err)
{
    static const char letters[] = "MNK";
    chosen *o = &p->op[op];
    int64_t extent[TGS_I_LETTERS];

    tgs_i_product_extents(p->l, op, true, extent);
    o->batch = p->l->m->tensor[p->l->m->op[op].input[0]].rank > 2
               && extent[TGS_I_LM] >= parts_of(p, o, TGS_I_LM);
    tgs_i_product_extents(p->l, op, o->batch, extent);
    for (int32_t k = 0; k < TGS_I_LETTERS && o->in; k++)
        if (extent[k] < parts_of(p, o, k)) {
            if (named)
                return tgs_fail(err, TGS_ENOTAPPLICABLE,
                                "tensor: operator '%s': %c is %lld, which does not make %d parts",
                                p->l->m->op[op].name, letters[k], (long long)extent[k],
                                (int)parts_of(p, o, k));
            o->in = false;
        }
    return TGS_OK;
}

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    tensor p = {.l = l, .shards = (int32_t)tgs_arg_int(a, "shards")};
    const tgs_i_walker w = {plan, &p, p.shards, 0};
    tgs_i_walker walker = w;
    bool *in = tgs_mem_alloc((size_t)l->m->ops, sizeof *in);
    const char *ops = tgs_arg_text(a, "ops");
    int32_t count = 0;
    tgs_status status;

    p.op = tgs_mem_alloc((size_t)l->m->ops, sizeof *p.op);
    status = in && p.op ? TGS_OK : tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (!status)
        status = measure(&p, tgs_arg_text(a, "mode"), (int32_t)tgs_arg_int(a, "depth"), err);
    if (!status)
        status = tgs_i_choose_ops(l, "tensor", ops, in, err);
    for (int32_t i = 0; i < l->m->ops && !status; i++)
        if ((p.op[i].in = in[i])) {
            status = fits(&p, i, *ops, err);
            count += p.op[i].in;
        }
    if (!status && !count)
        status = tgs_fail(err, TGS_ENOTAPPLICABLE,
                          "tensor: no product with a parameter is large enough for %d shards",
                          (int)p.shards);
    walker.per_group = p.d > 1 ? p.q * p.q : 0;
    if (!status && p.shards > 1)
        status = tgs_i_walk_tasks(l, &walker, err);
    tgs_mem_free(in);
    tgs_mem_free(p.op);
    return status;
}

static const tgs_param params[] = {
    {"mode", "1d", TGS_PARAM_TEXT, 0, 0, "1d, 2d, 2.5d or 3d"},
    {"shards", "2", TGS_PARAM_INT, 1, 4096, "P: any, q^2, depth q^2 or q^3"},
    {"ops", "", TGS_PARAM_TEXT, 0, 0,
     "Gemm and MatMul operators, with commas; else those with a parameter that are large enough"},
    {"depth", "2", TGS_PARAM_INT, 1, 1024, "of 2.5d: how many grids"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_tensor = {
    .base = {TGS_PLUGIN_ABI, "tensor", "matrix products split among shards, in 1 to 3 dimensions",
             "Shoeybi et al., Megatron-LM, 2019; Xu, Li, Gong, You, 2021; Wang, Xu, Bian, You, "
             "Tesseract, 2021; Bian, Xu, Wang, You, 3-D model parallelism, 2021",
             params},
    .stage = 32,
    .apply = apply,
    .repeats = true,
};
