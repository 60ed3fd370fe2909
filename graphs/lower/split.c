/* split.c -- one product in several: slabs of the inner extent, whose partial results are summed
 * (split-k), or blocks of rows and columns.  Parts may be unequal, by the speeds of what is to
 * compute them; where they are computed is left to the heuristic.  The products of the backward
 * pass are cut at the same places, parameters and their state are stored so, and only a sum over a
 * cut extent joins what was apart.
 *
 * With slabs the factors are read once, whatever their number: 2 N^2 numbers of square matrices of
 * N where square blocks on p processors read 2 N^2 sqrt(p); the sum then reads p N^2. */
#include <string.h>
#include "pieces.h"

enum { MOST = 256 }; /* parts of a cut */

typedef struct splitting {
    tgs_lowering *l;
    bool *in; /* [ops] */
    int32_t parts[TGS_I_LETTERS];
    int64_t speed[MOST];
    int32_t speeds;
} splitting;

/* as many of the extent's units as the speeds say, each at least one: largest remainders first,
 * ties to the first */
static bool by_speed(splitting *p, int64_t extent, int32_t parts, tgs_i_cut *out)
{
    int64_t *at = tgs_mem_alloc((size_t)parts + 1, sizeof *at), given = 0;
    double all = 0;

    for (int32_t k = 0; k < parts; k++)
        all += (double)p->speed[k];
    for (int32_t k = 0; at && k < parts; k++) {
        at[k + 1] = (int64_t)((double)extent * (double)p->speed[k] / all);
        at[k + 1] += at[k + 1] < 1;
        given += at[k + 1];
    }
    while (at && given != extent) {
        const int32_t step = given < extent ? 1 : -1;
        int32_t best = -1;
        double most = 0;

        for (int32_t k = 0; k < parts; k++) {
            const double want =
                step * ((double)extent * (double)p->speed[k] / all - (double)at[k + 1]);

            if ((step > 0 || at[k + 1] > 1) && (best < 0 || want > most)) {
                best = k;
                most = want;
            }
        }
        at[best + 1] += step;
        given += step;
    }
    for (int32_t k = 0; at && k < parts; k++)
        at[k + 1] += at[k];
    *out = (tgs_i_cut){0, NULL};
    if (at)
        *out = (tgs_i_cut){parts, tgs_low_dims(p->l, parts + 1, at)};
    tgs_mem_free(at);
    return out->at != NULL;
}

static bool plan(tgs_i_split *s, const tgs_low_task *t, tgs_i_expansion *x, void *user)
{
    splitting *p = user;
    tgs_i_product_task task;

    if (t->op < 0 || t->phase == TGS_PHASE_UPDATE || !p->in[t->op])
        return false;
    memset(x, 0, sizeof *x);
    if (!tgs_i_product_of(s, t, false, &x->labels, &task))
        return false;
    for (int32_t letter = 0; letter < TGS_I_LETTERS; letter++) {
        const int32_t label = task.label[letter], parts = p->parts[letter];

        if (label < 0 || parts < 2)
            continue;
        s->failed |= p->speeds ? !by_speed(p, x->labels.extent[label], parts, &x->cut[label])
                               : !tgs_i_even(p->l, &x->cut[label], x->labels.extent[label], parts);
    }
    return true;
}

static tgs_status read_parts(splitting *p, const tgs_args *a, tgs_error *err)
{
    const char *by = tgs_arg_text(a, "by");
    char attrs[400];
    int32_t cuts = 0;

    p->parts[TGS_I_LM] = (int32_t)tgs_arg_int(a, "rows");
    p->parts[TGS_I_LN] = (int32_t)tgs_arg_int(a, "columns");
    p->parts[TGS_I_LK] = (int32_t)tgs_arg_int(a, "k");
    for (int32_t k = 0; k < TGS_I_LETTERS; k++)
        cuts += p->parts[k] > 1;
    if (!cuts)
        return tgs_fail(err, TGS_EINVAL, "split: k, rows or columns must be 2 or more");
    if (!*by)
        return TGS_OK;
    snprintf(attrs, sizeof attrs, "by=%s", by);
    p->speeds = tgs_attr_ints(attrs, "by", p->speed, MOST);
    for (int32_t k = 0; k < p->speeds; k++)
        if (p->speed[k] < 1)
            return tgs_fail(err, TGS_EINVAL, "split: by=%s: speeds are whole numbers from 1", by);
    for (int32_t k = 0; k < TGS_I_LETTERS; k++)
        if (cuts > 1 || (p->parts[k] > 1 && p->parts[k] != p->speeds))
            return tgs_fail(err, TGS_EINVAL,
                            "split: by=%s gives the speeds of as many parts as the one cut makes",
                            by);
    return TGS_OK;
}

static tgs_status check_extents(const splitting *p, tgs_error *err)
{
    static const char *const names[] = {"rows", "columns", "k"};

    for (int32_t i = 0; i < p->l->m->ops; i++) {
        int64_t extent[TGS_I_LETTERS];

        if (!p->in[i])
            continue;
        tgs_i_product_extents(p->l, i, false, extent);
        for (int32_t k = 0; k < TGS_I_LETTERS; k++)
            if (extent[k] < p->parts[k])
                return tgs_fail(
                    err, TGS_ENOTAPPLICABLE, "split: operator '%s': %lld do not make %s=%d parts",
                    p->l->m->op[i].name, (long long)extent[k], names[k], (int)p->parts[k]);
    }
    return TGS_OK;
}

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    splitting p = {.l = l};
    const tgs_i_walker w = {plan, &p, 0, 0};
    const char *ops = tgs_arg_text(a, "ops");
    tgs_status status;

    if (!*ops)
        return tgs_fail(err, TGS_EINVAL, "split: no operator is named");
    p.in = tgs_mem_alloc((size_t)l->m->ops, sizeof *p.in);
    status = p.in ? read_parts(&p, a, err) : tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (!status)
        status = tgs_i_choose_ops(l, "split", ops, p.in, err);
    if (!status)
        status = check_extents(&p, err);
    if (!status)
        status = tgs_i_walk_tasks(l, &w, err);
    tgs_mem_free(p.in);
    return status;
}

static const tgs_param params[] = {
    {"ops", "", TGS_PARAM_TEXT, 0, 0, "Gemm and MatMul operators, with commas"},
    {"k", "1", TGS_PARAM_INT, 1, 256, "slabs of the inner extent, whose results are summed"},
    {"rows", "1", TGS_PARAM_INT, 1, 256, "parts of the rows"},
    {"columns", "1", TGS_PARAM_INT, 1, 256, "parts of the columns"},
    {"by", "", TGS_PARAM_TEXT, 0, 0, "speeds of the parts, with commas, where there is one cut"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_split = {
    .base = {TGS_PLUGIN_ABI, "split", "a matrix product in slabs or blocks, by speed",
             "Liu, Shi et al., Layer based partition for matrix multiplication, 2018", params},
    .stage = 31,
    .apply = apply,
    .repeats = true,
};
