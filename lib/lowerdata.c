/* lowerdata.c -- the datum of a tensor, and what it begins with. */
#include "modelimpl.h"

/* He's uniform range for weights: sqrt(6 / inputs of a unit).  The inputs are all but the first
 * dimension of a kernel, and the larger side of a matrix, which may be stored either way. */
static double start_scale(const tgs_tensor *t)
{
    double fan;

    if (t->rank < 2)
        return 0;
    fan = tgs_elements(t) / (double)t->dim[0];
    if (t->rank == 2 && (double)t->dim[0] > fan)
        fan = (double)t->dim[0];
    return sqrt(6 / fan);
}

/* "values:1,0.5,..." */
static const char *values_text(tgs_lowering *l, const tgs_tensor *t, int64_t n)
{
    enum { DIGITS = 26 };
    const size_t size = 8 + DIGITS * (size_t)n;
    char *text = tgs_i_pool_get(l->pool, size);
    size_t used = 0;

    for (int64_t i = 0; text && i < n; i++)
        used += (size_t)(t->value ? snprintf(text + used, size - used, "%s%lld",
                                             i ? "," : "values:", (long long)t->value[i])
                                  : snprintf(text + used, size - used, "%s%.17g",
                                             i ? "," : "values:", t->real[i]));
    return text;
}

static const char *constant_text(tgs_lowering *l, const tgs_tensor *t)
{
    const int64_t n = (int64_t)tgs_elements(t);

    for (int64_t i = 1; i < n; i++)
        if (t->value ? t->value[i] != t->value[0] : t->real[i] != t->real[0])
            return values_text(l, t, n);
    if (n < 1)
        return NULL;
    return t->value ? tgs_low_text(l, "constant:%lld", (long long)t->value[0])
                    : tgs_low_text(l, "constant:%.17g", t->real[0]);
}

char *tgs_tensor_init(const tgs_tensor *t, const char *name)
{
    tgs_lowering l = {.pool = tgs_i_pool_new()};
    const double scale = t->role == TGS_ROLE_PARAMETER ? start_scale(t) : 0;
    const char *text = t->init;
    char *copy = NULL;

    if (l.pool && !text && (t->value || t->real) && t->role != TGS_ROLE_PARAMETER)
        text = constant_text(&l, t);
    else if (l.pool && !text)
        text =
            scale == 0 ? "zero" : tgs_low_text(&l, "random:%llu:%.9g", tgs_i_low_seed(name), scale);
    if (text)
        copy = tgs_mem_text(text);
    tgs_i_pool_free(l.pool);
    return copy;
}

int32_t tgs_low_tensor(tgs_lowering *l, int32_t tensor)
{
    const tgs_tensor *t = &l->m->tensor[tensor];
    tgs_low_datum d = {.name = t->name,
                       .dim = t->dim,
                       .rank = t->rank,
                       .dtype = t->dtype,
                       .init = t->init,
                       .replica = -1,
                       .batch = -1};

    if (l->tensor_datum[tensor] >= 0)
        return l->tensor_datum[tensor];
    switch (t->role) {
    case TGS_ROLE_PARAMETER:
        d.class_ = TGS_CLASS_PARAMETER;
        d.scale = start_scale(t);
        d.shared = d.persistent = true;
        break;
    case TGS_ROLE_CONSTANT:
    case TGS_ROLE_BUFFER:
        if (!d.init && (t->value || t->real))
            d.init = constant_text(l, t);
        d.shared = d.persistent = true;
        break;
    case TGS_ROLE_INPUT:
        d.class_ = TGS_CLASS_INPUT;
        d.scale = t->dtype == TGS_F32 || t->dtype == TGS_F64 ? 1 : 0;
        break;
    case TGS_ROLE_ACTIVATION:
        d.class_ = TGS_CLASS_ACTIVATION;
        d.scale = NAN;
        break;
    }
    return l->tensor_datum[tensor] = tgs_low_add_datum(l, &d);
}
