/* low-rank.c -- a product with a stored matrix becomes two with its factors (S20): x W, with W of
 * k x n, is (x V) U with V of k x rank and U of rank x n: 2 m k r + 2 m r n flops for 2 m k n.
 *
 * This changes the mathematics unless W has that rank: V and U are parameters of their own, which
 * start as weights do. */
#include <string.h>
#include "tgsched/model.h"

typedef struct factoring {
    const tgs_model_view *m;
    tgs_model_builder *b;
    int64_t rank;
} factoring;

/* does operator o multiply by a stored matrix, larger than its factors? */
static bool is_product(const factoring *f, const tgs_op *o, bool *turned)
{
    const bool gemm = !strcmp(o->type, "Gemm");
    const tgs_tensor *w = o->inputs > 1 && o->input[1] >= 0 ? &f->m->tensor[o->input[1]] : NULL;

    *turned = tgs_attr_int(o->attrs, "transB", 0) != 0;
    return w
           && (gemm || !strcmp(o->type, "MatMul") || !strcmp(o->type, "com.microsoft.FusedMatMul"))
           && w->role == TGS_ROLE_PARAMETER && w->rank == 2 && f->rank < w->dim[0]
           && f->rank < w->dim[1];
}

/* a stored matrix of rows x columns, or turned */
static int32_t add_factor(factoring *f, const tgs_op *o, const char *tail, bool turned,
                          int64_t rows, int64_t columns)
{
    const tgs_tensor *w = &f->m->tensor[o->input[1]];
    const int64_t dim[] = {turned ? columns : rows, turned ? rows : columns};
    char name[1100];
    int32_t t;

    snprintf(name, sizeof name, "%.1000s%s", w->name, tail);
    t = tgs_model_tensor(f->b, name);
    tgs_model_shape(f->b, t, w->dtype, 2, dim);
    tgs_model_stored(f->b, t, NULL);
    return t;
}

static void split(factoring *f, const tgs_op *o, bool turned)
{
    const tgs_tensor *w = &f->m->tensor[o->input[1]];
    const int64_t k = w->dim[turned], n = w->dim[!turned];
    const int32_t x = tgs_model_adopt(f->b, f->m, o->input[0]);
    const int32_t y = tgs_model_adopt(f->b, f->m, o->output[0]);
    int32_t middle, in[3] = {-1, -1, -1};
    char name[1100], attrs[80];

    snprintf(name, sizeof name, "%.1000s.rank", o->name);
    middle = tgs_model_tensor(f->b, name);
    in[0] = x;
    in[1] = add_factor(f, o, ".v", turned, k, f->rank);
    snprintf(attrs, sizeof attrs, "transA=%d transB=%d",
             (int)(tgs_attr_int(o->attrs, "transA", 0) != 0), (int)turned);
    tgs_model_operator(f->b, name, o->type, strcmp(o->type, "MatMul") ? attrs : NULL, 2, in, 1,
                       &middle);
    in[0] = middle;
    in[1] = add_factor(f, o, ".u", turned, f->rank, n);
    if (o->inputs > 2 && o->input[2] >= 0)
        in[2] = tgs_model_adopt(f->b, f->m, o->input[2]);
    if (strcmp(o->type, "Gemm"))
        snprintf(attrs, sizeof attrs, "transA=0 transB=%d", (int)turned);
    else
        snprintf(attrs, sizeof attrs, "alpha=%.9g beta=%.9g transB=%d",
                 tgs_attr_real(o->attrs, "alpha", 1), tgs_attr_real(o->attrs, "beta", 1),
                 (int)turned);
    tgs_model_operator(f->b, o->name, o->type, strcmp(o->type, "MatMul") ? attrs : NULL,
                       in[2] >= 0 ? 3 : 2, in, 1, &y);
}

static tgs_status rewrite(const tgs_model_view *m, const tgs_args *a, tgs_model_builder *b,
                          tgs_error *err)
{
    const char *ops = tgs_arg_text(a, "ops");
    factoring f = {m, b, tgs_arg_int(a, "rank")};
    int32_t *now = tgs_mem_alloc((size_t)m->ops, sizeof *now), found = 0;

    if (!now)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    tgs_model_opset(b, m->opset);
    for (int32_t i = 0; i < m->inputs; i++)
        tgs_model_adopt(b, m, m->input[i]);
    for (int32_t i = 0; i < m->ops; i++) {
        bool turned;

        now[i] = -1;
        if (m->op[i].folded || !tgs_op_listed(ops, m->op[i].name)
            || !is_product(&f, &m->op[i], &turned)) {
            now[i] = tgs_model_adopt_op(b, m, i);
            continue;
        }
        split(&f, &m->op[i], turned);
        found++;
    }
    for (int32_t i = 0; i < m->outputs; i++)
        tgs_model_output(b, tgs_model_adopt(b, m, m->output[i]));
    tgs_model_adopt_times(b, m, now);
    tgs_mem_free(now);
    return found ? TGS_OK
                 : tgs_fail(err, TGS_ENOTAPPLICABLE,
                            "low-rank: ops=%.200s: none is a product with a stored matrix of more "
                            "than %lld rows and columns",
                            ops, (long long)f.rank);
}

static const tgs_param params[] = {
    {"rank", "16", TGS_PARAM_INT, 1, 1e6, "of the factors"},
    {"ops", "*", TGS_PARAM_TEXT, 0, 0, "operators, a comma list; NAME*: all that begin so"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_low_rank = {
    .base = {TGS_PLUGIN_ABI, "low-rank",
             "products with stored matrices as two with factors of them (other mathematics)",
             "Cai et al., Enable deep learning on mobile devices, ACM TODAES 27, 2022", params},
    .stage = 2,
    .rewrite = rewrite,
    .repeats = true,
};
