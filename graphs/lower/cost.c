/* cost.c -- what operators cost when they are compressed (S20): with a part `density` of their
 * weights, flops and times are that part; with `bits` a number, what they write and their
 * parameters are as small.  For planning: kernels of such numbers do not exist, and accuracy is not
 * a scheduler's claim. */
#include <string.h>
#include "tgsched/model.h"

static bool is_real(tgs_dtype t)
{
    return t == TGS_F32 || t == TGS_F64 || t == TGS_F16 || t == TGS_BF16;
}

/* as many bytes as the bits need, in the type of that size where there is one */
static tgs_status shrink(tgs_lowering *l, tgs_low_datum *d, int64_t bits)
{
    double bytes = (double)bits / 8;
    int64_t size;

    d->init = NULL; /* of other numbers */
    d->scale = isnan(d->scale) ? NAN : 0;
    if (bits == 32 || bits == 16 || bits == 8) {
        d->dtype = bits == 32 ? TGS_F32 : bits == 16 ? TGS_F16 : TGS_I8;
        return TGS_OK;
    }
    for (int32_t i = 0; i < d->rank; i++)
        bytes *= (double)d->dim[i];
    size = (int64_t)ceil(bytes);
    d->dtype = TGS_BYTES;
    d->rank = 1;
    d->dim = tgs_low_dims(l, 1, &size);
    return d->dim ? TGS_OK : TGS_ENOMEM;
}

static tgs_status shrink_data(tgs_lowering *l, const tgs_low_task *t, int64_t bits, bool *done)
{
    tgs_status status = TGS_OK;

    for (int32_t a = t->at; a < t->at + t->accesses && !status; a++) {
        const int32_t i = l->access[a].datum;
        tgs_low_datum *d = &l->datum[i];

        if (done[i] || !is_real(d->dtype)
            || (l->access[a].mode == TGS_R && d->class_ != TGS_CLASS_PARAMETER))
            continue;
        done[i] = true;
        status = shrink(l, d, bits);
    }
    return status;
}

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    const char *ops = tgs_arg_text(a, "ops");
    const double density = tgs_arg_real(a, "density");
    const int64_t bits = tgs_arg_int(a, "bits");
    bool *done = tgs_mem_alloc((size_t)l->data, sizeof *done), found = false;
    tgs_status status = done ? TGS_OK : TGS_ENOMEM;

    for (int64_t i = 0; i < l->tasks && !status; i++) {
        tgs_low_task *t = &l->task[i];

        if (t->op < 0 || t->dropped || !tgs_op_listed(ops, l->m->op[t->op].name))
            continue;
        found = true;
        t->flops *= density;
        t->factor = (t->factor > 0 ? t->factor : 1) * density;
        if (bits)
            status = shrink_data(l, t, bits, done);
    }
    tgs_mem_free(done);
    if (status)
        return tgs_fail(err, status, "out of memory");
    return found ? TGS_OK
                 : tgs_fail(err, TGS_EINVAL, "cost: ops=%.200s: no operator is called so", ops);
}

static const tgs_param params[] = {
    {"ops", "*", TGS_PARAM_TEXT, 0, 0, "operators, a comma list; NAME*: all that begin so"},
    {"density", "1", TGS_PARAM_REAL, 1e-6, 1, "part of their weights that is not zero"},
    {"bits", "0", TGS_PARAM_INT, 0, 64, "of a number that they write or store; 0: as they are"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_cost = {
    .base = {TGS_PLUGIN_ABI, "cost", "what operators cost with fewer bits or weights",
             "Cai et al., Enable deep learning on mobile devices, ACM TODAES 27, 2022", params},
    .stage = 37,
    .apply = apply,
    .repeats = true,
};
