/* pieces.c -- where the boxes of a datum are, and how one is made of others. */
#include <string.h>
#include "pieces.h"

tgs_i_box tgs_i_box_of(const tgs_low_datum *d)
{
    tgs_i_box b = {{0}, {0}};

    for (int32_t k = 0; k < d->rank; k++)
        b.hi[k] = d->dim[k];
    return b;
}

bool tgs_i_box_equal(const tgs_i_box *a, const tgs_i_box *b, int32_t rank)
{
    for (int32_t k = 0; k < rank; k++)
        if (a->lo[k] != b->lo[k] || a->hi[k] != b->hi[k])
            return false;
    return true;
}

double tgs_i_box_elements(const tgs_i_box *b, int32_t rank)
{
    double n = 1;

    for (int32_t k = 0; k < rank; k++)
        n *= (double)(b->hi[k] - b->lo[k]);
    return n;
}

const tgs_i_cut *tgs_i_even(tgs_lowering *l, tgs_i_cut *out, int64_t extent, int32_t parts)
{
    int64_t *at = tgs_mem_alloc((size_t)parts + 1, sizeof *at);

    *out = (tgs_i_cut){0, NULL};
    for (int32_t k = 0; at && k <= parts; k++)
        at[k] = (int64_t)((double)extent * k / parts + 0.5);
    if (at)
        *out = (tgs_i_cut){parts, tgs_low_dims(l, parts + 1, at)};
    tgs_mem_free(at);
    return out->at ? out : NULL;
}

int32_t tgs_i_piece_new(tgs_i_split *s, int32_t d, const tgs_i_box *b, int32_t shard,
                        const char *tail)
{
    tgs_low_datum x = s->l->datum[d];
    int64_t dim[TGS_MODEL_RANK];

    for (int32_t k = 0; k < x.rank; k++)
        dim[k] = b->hi[k] - b->lo[k];
    x.dim = tgs_low_dims(s->l, x.rank, dim);
    x.name = tgs_low_text(s->l, "%s%s", x.name, tail);
    x.shard = shard;
    x.init = NULL;
    x.scale = NAN;
    x.of = NULL;
    x.whole = x.from = NULL;
    x.persistent = x.shared = x.reduced = false;
    return tgs_low_add_datum(s->l, &x);
}

tgs_status tgs_i_helper(tgs_i_split *s, const char *codelet, int32_t to, const char *tail,
                        const char *attrs, int32_t shard, double flops)
{
    tgs_low_task t = *s->task;

    if (to < 0)
        return (tgs_status)to;
    t.name = tgs_low_text(s->l, "%s%s", s->l->datum[to].name, tail);
    t.codelet = codelet;
    t.attrs = attrs;
    t.flops = flops;
    t.rows = 0;
    t.shard = shard;
    return tgs_low_add_task(s->l, &t) < 0 ? TGS_ENOMEM : TGS_OK;
}

int32_t tgs_i_piece_slice(tgs_i_split *s, int32_t from, const tgs_i_box *own, const tgs_i_box *b,
                          int32_t shard)
{
    const int32_t rank = s->l->datum[from].rank;
    char starts[24 * TGS_MODEL_RANK] = "";
    const char *attrs;
    tgs_i_box in;
    int32_t to, used = 0;
    tgs_status status;

    for (int32_t k = 0; k < rank; k++) {
        in.lo[k] = b->lo[k] - own->lo[k];
        in.hi[k] = b->hi[k] - own->lo[k];
        used += snprintf(starts + used, sizeof starts - (size_t)used, "%s%lld", k ? "," : "",
                         (long long)in.lo[k]);
    }
    attrs = tgs_low_text(s->l, "starts=%s", starts);
    to = tgs_i_piece_new(s, from, &in, shard, ".slice");
    status = attrs ? tgs_i_helper(s, "slice", to, "", attrs, shard, 0) : TGS_ENOMEM;
    if (!status)
        status = tgs_low_add_access(s->l, from, TGS_R);
    if (!status)
        status = tgs_low_add_access(s->l, to, TGS_W);
    return status ? (int32_t)status : to;
}

tgs_status tgs_i_piece_store(tgs_lowering *l, int32_t d, const int64_t *from, int32_t to)
{
    const tgs_low_datum *whole = &l->datum[d];
    tgs_low_datum *x = &l->datum[to];
    int64_t at[TGS_MODEL_RANK];

    for (int32_t k = 0; k < whole->rank; k++)
        at[k] = from[k] + (whole->whole ? whole->from[k] : 0); /* d may be a part, too */
    x->init = whole->init;
    x->scale = whole->scale;
    x->persistent = whole->persistent;
    x->shared = whole->shared;
    x->of = whole->of ? whole->of : whole->name;
    x->whole = whole->whole ? whole->whole : whole->dim;
    x->from = tgs_low_dims(l, whole->rank, at);
    return x->from ? TGS_OK : TGS_ENOMEM;
}

static tgs_status keep(tgs_i_split *s, int32_t d, const tgs_i_box *b, int32_t shard, int32_t use,
                       int32_t datum)
{
    if (tgs_mem_grow(&s->piece, &s->piece_room, s->pieces + 1, sizeof *s->piece))
        return TGS_ENOMEM;
    s->piece[s->pieces] = (tgs_i_piece){*b, datum, shard, use, s->record[d].other};
    s->record[d].other = (int32_t)s->pieces++;
    return TGS_OK;
}

static int32_t made(const tgs_i_split *s, int32_t d, const tgs_i_box *b, int32_t shard, int32_t use)
{
    for (int32_t i = s->record[d].other; i >= 0; i = s->piece[i].next)
        if (s->piece[i].shard == shard && s->piece[i].use == use
            && tgs_i_box_equal(&s->piece[i].box, b, s->l->datum[d].rank))
            return s->piece[i].datum;
    return -1;
}

static int32_t group_of(const tgs_i_split *s, int32_t d, int32_t shard)
{
    const int32_t group = s->per_group && shard > 0 ? (shard - 1) / s->per_group : 0;

    return group < s->record[d].groups ? group : 0;
}

/* the first and last part of an axis that meet [lo, hi) */
static void parts_of(const tgs_i_cut *c, int64_t lo, int64_t hi, int32_t *first, int32_t *last)
{
    *first = 0;
    while (*first + 1 < c->parts && c->at[*first + 1] <= lo)
        ++*first;
    *last = *first;
    while (*last + 1 < c->parts && c->at[*last + 1] < hi)
        ++*last;
}

static const tgs_i_piece *cell_at(const tgs_i_split *s, int32_t d, const tgs_i_box *b,
                                  int32_t shard)
{
    const tgs_i_record *r = &s->record[d];
    int64_t at = group_of(s, d, shard);

    for (int32_t k = 0; k < s->l->datum[d].rank; k++) {
        int32_t first = 0, last;

        if (r->axis[k].parts > 1)
            parts_of(&r->axis[k], b->lo[k], b->hi[k], &first, &last);
        at = at * (r->axis[k].parts > 1 ? r->axis[k].parts : 1) + first;
    }
    return &r->cell[at];
}

/* box b, which meets one cell along each axis before this, put together on shard */
static int32_t gather(tgs_i_split *s, int32_t d, const tgs_i_box *b, int32_t shard, int32_t axis)
{
    const tgs_i_cut *c = &s->record[d].axis[axis];
    const int32_t rank = s->l->datum[d].rank;
    int32_t first = 0, last = 0, to = 0;
    const char *attrs;
    int32_t *part;
    tgs_status status;

    while (axis < rank && last == first) { /* the next axis along which there are several */
        c = &s->record[d].axis[axis++];
        if (c->parts > 1)
            parts_of(c, b->lo[axis - 1], b->hi[axis - 1], &first, &last);
    }
    if (last == first) {
        const tgs_i_piece *p = cell_at(s, d, b, shard);

        return tgs_i_box_equal(&p->box, b, rank)
                   ? p->datum
                   : tgs_i_piece_slice(s, p->datum, &p->box, b, p->shard);
    }
    part = tgs_mem_alloc((size_t)(last - first) + 1, sizeof *part);
    if (!part)
        return TGS_ENOMEM;
    for (int32_t k = first; k <= last && to >= 0; k++) {
        tgs_i_box some = *b;

        some.lo[axis - 1] = k > first ? c->at[k] : b->lo[axis - 1];
        some.hi[axis - 1] = k < last ? c->at[k + 1] : b->hi[axis - 1];
        to = part[k - first] = gather(s, d, &some, shard, axis);
    }
    attrs = tgs_low_text(s->l, "axis=%d", (int)axis - 1);
    to = to < 0 ? to : tgs_i_piece_new(s, d, b, shard, ".gather");
    status = attrs ? tgs_i_helper(s, "concat", to, "", attrs, shard, 0) : TGS_ENOMEM;
    for (int32_t k = 0; k <= last - first && !status; k++)
        status = tgs_low_add_access(s->l, part[k], TGS_R);
    if (!status)
        status = tgs_low_add_access(s->l, to, TGS_W);
    tgs_mem_free(part);
    return status ? (int32_t)status : to;
}

tgs_status tgs_i_piece_copy(tgs_i_split *s, int32_t from, int32_t to, int32_t shard)
{
    tgs_status status = tgs_i_helper(s, "identity", to, ".copy", "", shard, 0);

    if (!status)
        status = tgs_low_add_access(s->l, from, TGS_R);
    return status ? status : tgs_low_add_access(s->l, to, TGS_W);
}

/* a copy beside the cell, for those that fetch it from there */
static int32_t send(tgs_i_split *s, int32_t d, const tgs_i_piece *p, int32_t use)
{
    int32_t to = made(s, d, &p->box, p->shard, use);
    tgs_status status;

    if (to >= 0)
        return to;
    to = tgs_i_piece_new(s, d, &p->box, p->shard, ".send");
    status = tgs_i_piece_copy(s, p->datum, to, p->shard);
    if (!status)
        status = keep(s, d, &p->box, p->shard, use, to);
    return status ? (int32_t)status : to;
}

int32_t tgs_i_piece_get(tgs_i_split *s, int32_t d, const tgs_i_box *b, tgs_i_want want)
{
    tgs_i_record *r = &s->record[d];
    const tgs_i_box all = tgs_i_box_of(&s->l->datum[d]);
    int32_t shard = want.shard, to;
    tgs_status status;

    r->touched = true;
    if (!r->cells && tgs_i_box_equal(&all, b, s->l->datum[d].rank))
        return d;
    if (!r->cells)
        shard = 0; /* what is whole is sliced where it is */
    else {
        const tgs_i_piece *p = cell_at(s, d, b, shard);

        if (tgs_i_box_equal(&p->box, b, s->l->datum[d].rank))
            return want.use && p->shard != want.shard ? send(s, d, p, want.use) : p->datum;
    }
    if ((to = made(s, d, b, shard, 0)) >= 0)
        return to;
    to = r->cells ? gather(s, d, b, shard, 0) : tgs_i_piece_slice(s, d, &all, b, 0);
    status = to < 0 ? (tgs_status)to : keep(s, d, b, shard, 0, to);
    return status ? (int32_t)status : to;
}

void tgs_i_record_forget(tgs_i_split *s, int32_t d)
{
    s->record[d].other = -1;
    s->record[d].touched = true;
}

void tgs_i_record_set(tgs_i_split *s, int32_t d, const tgs_i_cut *axis, tgs_i_piece *cell,
                      int32_t cells, int32_t groups)
{
    tgs_i_record *r = &s->record[d];

    tgs_mem_free(r->cell);
    *r = (tgs_i_record){
        .cell = cell, .cells = cells, .groups = groups, .other = -1, .touched = true};
    if (axis) {
        memcpy(r->axis, axis, sizeof r->axis);
        s->l->datum[d].reduced = false; /* its pieces are, if it was */
    }
}

bool tgs_i_record_free(const tgs_i_split *s, int32_t d)
{
    const tgs_low_datum *x = &s->l->datum[d];

    return !s->record[d].touched && x->persistent
           && (x->class_ == TGS_CLASS_PARAMETER || x->class_ == TGS_CLASS_STATE);
}
