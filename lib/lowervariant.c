/* lowervariant.c -- the step once more for another number of samples, for copies of unequal size:
 * the model is bound to that batch and the directives that came before edit it again.  A variant
 * has the tasks and data of the step, one by one; only sizes and costs differ.  O(step) each. */
#include <string.h>
#include "modelimpl.h"

typedef struct variant {
    tgs_lowering *l;
    tgs_model *instead; /* that it is of; NULL: the origin's */
    int64_t samples, until;
} variant;

struct tgs_i_origin {
    const tgs_model *m;
    const tgs_strategy *s;
    int64_t until; /* directives before this one have edited the step */
    variant *variant;
    int64_t variants, room;
};

struct tgs_i_origin *tgs_i_origin_new(const tgs_model *m, const tgs_strategy *s)
{
    struct tgs_i_origin *o = tgs_mem_alloc(1, sizeof *o);

    if (o) {
        o->m = m;
        o->s = s;
    }
    return o;
}

void tgs_i_origin_reach(struct tgs_i_origin *o, int64_t directive)
{
    o->until = directive;
}

void tgs_i_origin_free(struct tgs_i_origin *o)
{
    if (!o)
        return;
    for (int64_t i = 0; i < o->variants; i++) {
        tgs_i_low_free(o->variant[i].l);
        tgs_model_free(o->variant[i].instead);
    }
    tgs_mem_free(o->variant);
    tgs_mem_free(o);
}

static bool same_task(const tgs_lowering *l, const tgs_lowering *v, int64_t i)
{
    const tgs_low_task *x = &l->task[i], *y = &v->task[i];

    if (x->phase != y->phase || x->accesses != y->accesses || x->dropped != y->dropped
        || strcmp(x->codelet, y->codelet))
        return false;
    for (int32_t a = 0; a < x->accesses; a++)
        if (l->access[x->at + a].datum != v->access[y->at + a].datum
            || l->access[x->at + a].mode != v->access[y->at + a].mode)
            return false;
    return true;
}

static bool same_size(const tgs_low_datum *x, const tgs_low_datum *y)
{
    return x->rank == y->rank
           && (!x->rank || !memcmp(x->dim, y->dim, (size_t)x->rank * sizeof *x->dim));
}

/* one by one the same, but for sizes; what all copies share has one size */
static tgs_status compare(const tgs_lowering *l, const tgs_lowering *v, int64_t samples,
                          tgs_error *err)
{
    if (l->tasks != v->tasks || l->data != v->data || l->stages != v->stages)
        return tgs_fail(err, TGS_ENOTAPPLICABLE,
                        "a step of %lld samples has other tasks than one of %lld",
                        (long long)samples, (long long)tgs_low_batch(l));
    for (int64_t i = 0; i < l->tasks; i++)
        if (!same_task(l, v, i))
            return tgs_fail(err, TGS_ENOTAPPLICABLE,
                            "task '%s' is another in a step of %lld samples", l->task[i].name,
                            (long long)samples);
    for (int64_t i = 0; i < l->data; i++)
        if (l->datum[i].shared && !same_size(&l->datum[i], &v->datum[i]))
            return tgs_fail(err, TGS_ENOTAPPLICABLE,
                            "all samples share '%s', whose size changes with a step of %lld",
                            l->datum[i].name, (long long)samples);
    return TGS_OK;
}

tgs_status tgs_low_variant(tgs_lowering *l, int64_t samples, const tgs_lowering **out,
                           tgs_error *err)
{
    struct tgs_i_origin *o = l->origin;
    variant v = {NULL, NULL, samples, o->until};
    tgs_status status;

    *out = NULL;
    for (int64_t i = 0; i < o->variants; i++)
        if (o->variant[i].samples == samples && o->variant[i].until == o->until)
            *out = o->variant[i].l;
    if (*out)
        return TGS_OK;
    status = tgs_i_low_part(&v.l, &v.instead, o->m, o->s, o->until, samples, l, err);
    if (!status)
        status = compare(l, v.l, samples, err);
    if (!status && tgs_mem_grow(&o->variant, &o->room, o->variants + 1, sizeof v))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (status) {
        tgs_i_low_free(v.l);
        tgs_model_free(v.instead);
        return status;
    }
    o->variant[o->variants++] = v;
    *out = v.l;
    return TGS_OK;
}
