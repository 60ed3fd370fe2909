/* parts.c -- gradients on their way: the contributions to a tensor's gradient, summed on demand. */
#include "modelimpl.h"

typedef struct part {
    int32_t datum, next;
    bool own; /* made here, for this tensor: may be renamed */
} part;

struct tgs_i_parts {
    int32_t *first, *last, *count, *sum; /* [tensors]; sum: the finished gradient, -1 */
    part *part;
    int64_t parts, room;
};

struct tgs_i_parts *tgs_i_parts_new(int32_t tensors)
{
    struct tgs_i_parts *p = tgs_mem_alloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->first = tgs_mem_alloc((size_t)tensors, sizeof *p->first);
    p->last = tgs_mem_alloc((size_t)tensors, sizeof *p->last);
    p->count = tgs_mem_alloc((size_t)tensors, sizeof *p->count);
    p->sum = tgs_mem_alloc((size_t)tensors, sizeof *p->sum);
    if (!p->first || !p->last || !p->count || !p->sum) {
        tgs_i_parts_free(p);
        return NULL;
    }
    for (int32_t i = 0; i < tensors; i++)
        p->sum[i] = -1;
    return p;
}

void tgs_i_parts_free(struct tgs_i_parts *p)
{
    if (!p)
        return;
    tgs_mem_free(p->first);
    tgs_mem_free(p->last);
    tgs_mem_free(p->count);
    tgs_mem_free(p->sum);
    tgs_mem_free(p->part);
    tgs_mem_free(p);
}

static tgs_status append(tgs_lowering *l, int32_t tensor, int32_t datum, bool own)
{
    struct tgs_i_parts *p = l->parts;
    const int32_t n = (int32_t)p->parts;

    if (tgs_mem_grow(&p->part, &p->room, p->parts + 1, sizeof *p->part))
        return TGS_ENOMEM;
    p->part[n] = (part){datum, -1, own};
    if (p->count[tensor]++)
        p->part[p->last[tensor]].next = n;
    else
        p->first[tensor] = n;
    p->last[tensor] = n;
    p->parts++;
    return TGS_OK;
}

tgs_status tgs_low_contribute(tgs_lowering *l, int32_t tensor, int32_t datum)
{
    return append(l, tensor, datum, false);
}

static int32_t gradient_datum(tgs_lowering *l, int32_t tensor, const char *name, double scale)
{
    const tgs_tensor *t = &l->m->tensor[tensor];
    const tgs_low_datum d = {.name = name,
                             .dim = t->dim,
                             .rank = t->rank,
                             .dtype = t->dtype,
                             .class_ = TGS_CLASS_GRADIENT,
                             .scale = scale,
                             .replica = -1,
                             .batch = -1};

    return tgs_low_add_datum(l, &d);
}

int32_t tgs_i_part_new(tgs_lowering *l, int32_t tensor)
{
    const char *name =
        tgs_low_text(l, "%s.grad.%d", l->m->tensor[tensor].name, (int)l->parts->count[tensor]);
    const int32_t datum = gradient_datum(l, tensor, name, NAN);
    const tgs_status status = datum < 0 ? (tgs_status)datum : append(l, tensor, datum, true);

    return status ? (int32_t)status : datum;
}

int32_t tgs_i_part_zero(tgs_lowering *l, int32_t tensor)
{
    return l->parts->sum[tensor] =
               gradient_datum(l, tensor, tgs_low_text(l, "%s.grad", l->m->tensor[tensor].name), 0);
}

int32_t tgs_low_gradient(tgs_lowering *l, int32_t tensor)
{
    struct tgs_i_parts *p = l->parts;
    const char *name;
    tgs_low_task t = {.codelet = "sum",
                      .attrs = "",
                      .phase = TGS_PHASE_BACKWARD,
                      .replica = -1,
                      .batch = -1,
                      .op = -1};
    int32_t datum;
    tgs_status status = TGS_OK;

    if (p->sum[tensor] >= 0)
        return p->sum[tensor];
    if (!p->count[tensor])
        return TGS_LOW_NONE;
    name = tgs_low_text(l, "%s.grad", l->m->tensor[tensor].name);
    if (!name)
        return TGS_ENOMEM;
    if (p->count[tensor] == 1) {
        const part *only = &p->part[p->first[tensor]];

        if (only->own)
            l->datum[only->datum].name = name;
        return p->sum[tensor] = only->datum;
    }
    datum = gradient_datum(l, tensor, name, NAN);
    if (datum < 0)
        return datum;
    t.name = name;
    t.flops = (p->count[tensor] - 1) * tgs_elements(&l->m->tensor[tensor]);
    status = tgs_low_add_task(l, &t) < 0 ? TGS_ENOMEM : TGS_OK;
    for (int32_t i = p->first[tensor]; i >= 0 && !status; i = p->part[i].next)
        status = tgs_low_add_access(l, p->part[i].datum, TGS_R);
    if (!status)
        status = tgs_low_add_access(l, datum, TGS_W);
    return status ? (int32_t)status : (p->sum[tensor] = datum);
}
