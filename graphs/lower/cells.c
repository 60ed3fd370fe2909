/* cells.c -- one task becomes the tasks of its cells, its outputs pieces, and summands of outputs
 * are joined. */
#include <string.h>
#include "pieces.h"

typedef struct summand {
    int32_t cell, shard, datum;
} summand;

typedef struct expanding {
    tgs_i_split *s;
    const tgs_low_task *t;
    tgs_i_expansion *x;
    tgs_i_grid base[TGS_I_TOUCHED];    /* as the labels cut it */
    bool partial[TGS_I_TOUCHED];       /* a cut label is missing: cells share boxes */
    tgs_i_piece *piece[TGS_I_TOUCHED]; /* of outputs that are not partial */
    summand *sum[TGS_I_TOUCHED];
    int64_t sums[TGS_I_TOUCHED], sum_room[TGS_I_TOUCHED];
    int32_t cells;
} expanding;

static int32_t datum_of(const expanding *e, int32_t a)
{
    return e->s->l->access[e->t->at + a].datum;
}

static int32_t mode_of(const expanding *e, int32_t a)
{
    return e->s->l->access[e->t->at + a].mode;
}

static int32_t home(const expanding *e, int32_t a, const int32_t *index, int32_t group)
{
    int32_t full[TGS_I_LABELS];

    if (e->x->home)
        return e->x->home(e->x, a, index, group);
    for (int32_t label = 0; label < TGS_I_LABELS; label++)
        full[label] = index[label] < 0 ? 0 : index[label];
    return e->x->shard ? e->x->shard(e->x, full) : 0;
}

static const char *tail_of(const expanding *e, int32_t shard, int32_t cell)
{
    return shard > 0 ? "" : tgs_low_text(e->s->l, ".%d", (int)cell);
}

/* a stored datum is stored in pieces; any other that is whole is cut, and its pieces brought home
 */
static tgs_status adopt(expanding *e, int32_t a, bool stored)
{
    const int32_t d = datum_of(e, a), groups = stored && e->x->groups > 1 ? e->x->groups : 1;
    const tgs_i_box all = tgs_i_box_of(&e->s->l->datum[d]);
    tgs_i_piece *cell;
    tgs_i_grid g;
    tgs_status status = tgs_i_grid_kept(e->s->l, e->x, a, datum_of(e, a), &e->base[a], &g);

    if (status || g.cells < 2)
        return status;
    cell = tgs_mem_alloc((size_t)g.cells * (size_t)groups, sizeof *cell);
    if (!cell)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < groups * g.cells && !status; i++) {
        int32_t index[TGS_I_LABELS], datum, from = 0;
        const tgs_i_box b =
            tgs_i_grid_place(e->s->l, e->x, a, datum_of(e, a), &g, i % g.cells, index);
        const int32_t shard = home(e, a, index, i / g.cells);

        if (!stored)
            from = tgs_i_piece_slice(e->s, d, &all, &b, 0);
        datum = from < 0 ? from : tgs_i_piece_new(e->s, d, &b, shard, tail_of(e, shard, i));
        if (datum < 0)
            status = (tgs_status)datum;
        else
            status = stored ? tgs_i_piece_store(e->s->l, d, b.lo, datum)
                            : tgs_i_piece_copy(e->s, from, datum, shard);
        cell[i] = (tgs_i_piece){.box = b, .datum = datum, .shard = shard, .next = -1};
    }
    if (status)
        tgs_mem_free(cell);
    else
        tgs_i_record_set(e->s, d, g.axis, cell, g.cells, groups);
    return status;
}

static tgs_i_box box_at(const expanding *e, int32_t a, const int32_t *index, int32_t *cell)
{
    return tgs_i_grid_box(e->s->l, e->x, a, datum_of(e, a), &e->base[a], index, cell);
}

/* a datum of its own for each cell, of which only the task knows: a count of steps */
static int32_t own_copy(expanding *e, int32_t d, int32_t shard, int32_t cell)
{
    tgs_low_datum x = e->s->l->datum[d];

    e->s->record[d].touched = true;
    x.shard = shard;
    if (shard <= 0)
        x.name = tgs_low_text(e->s->l, "%s.%d", x.name, (int)cell);
    return tgs_low_add_datum(e->s->l, &x);
}

/* the datum of output a for this cell; *add: that it is to be added to afterwards, or -1 */
static int32_t output(expanding *e, int32_t a, const tgs_i_box *b, int32_t cell, int32_t shard,
                      int32_t *add)
{
    const int32_t d = datum_of(e, a);
    int32_t to;

    *add = -1;
    if (!e->partial[a]) {
        to = tgs_i_piece_new(e->s, d, b, shard, tail_of(e, shard, cell));
        if (to >= 0) {
            e->s->l->datum[to].reduced = e->s->l->datum[d].reduced;
            e->piece[a][cell] = (tgs_i_piece){.box = *b, .datum = to, .shard = shard, .next = -1};
        }
        return to;
    }
    to = tgs_i_piece_new(e->s, d, b, shard, ".part");
    if (to < 0)
        return to;
    for (int64_t i = e->sums[a] - 1; i >= 0 && shard > 0; i--)
        if (e->sum[a][i].cell == cell && e->sum[a][i].shard == shard) {
            *add = e->sum[a][i].datum;
            return to;
        }
    if (tgs_mem_grow(&e->sum[a], &e->sum_room[a], e->sums[a] + 1, sizeof **e->sum))
        return TGS_ENOMEM;
    e->sum[a][e->sums[a]++] = (summand){cell, shard, to};
    return to;
}

static tgs_status add_up(expanding *e, int32_t sum, int32_t more, int32_t shard)
{
    const tgs_low_datum *d = &e->s->l->datum[sum];
    const tgs_i_box b = tgs_i_box_of(d);
    tgs_status status = tgs_i_helper(e->s, "accumulate", sum, ".accumulate", "", shard,
                                     tgs_i_box_elements(&b, d->rank));

    if (!status)
        status = tgs_low_add_access(e->s->l, sum, TGS_RW);
    return status ? status : tgs_low_add_access(e->s->l, more, TGS_R);
}

static double share(const expanding *e, const int32_t *index)
{
    double f = 1;

    for (int32_t label = 0; label < TGS_I_LABELS; label++) {
        const tgs_i_cut *c = &e->x->cut[label];

        if (c->parts > 1)
            f *= (double)(c->at[index[label] + 1] - c->at[index[label]])
                 / (double)e->x->labels.extent[label];
    }
    return f;
}

static tgs_status add_cell(expanding *e, const int32_t *index, int32_t number, int32_t group)
{
    tgs_lowering *l = e->s->l;
    int32_t datum[TGS_I_TOUCHED], add[TGS_I_TOUCHED], cell;
    int32_t shard = e->x->shard ? e->x->shard(e->x, index) : 0;
    tgs_low_task t = *e->t;
    tgs_status status = TGS_OK;

    for (int32_t a = 0; a < t.accesses; a++) /* what is worked on in place says where */
        if (mode_of(e, a) == TGS_RW && e->s->record[datum_of(e, a)].cells && !e->partial[a]) {
            const tgs_i_record *r = &e->s->record[datum_of(e, a)];

            box_at(e, a, index, &cell);
            shard = r->cell[(group < r->groups ? group : 0) * r->cells + cell].shard;
            break;
        }
    for (int32_t a = 0; a < t.accesses && !status; a++) {
        const int32_t d = datum_of(e, a), mode = mode_of(e, a);
        const tgs_i_box b = box_at(e, a, index, &cell);

        add[a] = datum[a] = -1;
        if (a == e->x->labels.addend && tgs_i_label_cut(e->x, TGS_I_K) && index[TGS_I_K] > 0)
            continue;
        if (mode == TGS_R)
            datum[a] = tgs_i_piece_get(e->s, d, &b, (tgs_i_want){shard, e->x->use});
        else if (mode == TGS_W)
            datum[a] = output(e, a, &b, cell, shard, &add[a]);
        else if (e->partial[a])
            datum[a] = own_copy(e, d, shard, number);
        else
            datum[a] = e->s->record[d].cells
                           ? e->s->record[d].cell[group * e->s->record[d].cells + cell].datum
                           : d;
        status = datum[a] < 0 ? (tgs_status)datum[a] : TGS_OK;
    }
    t.shard = shard;
    t.flops *= share(e, index);
    if (shard > 0 && e->s->named[shard] != e->s->walked)
        e->s->named[shard] = e->s->walked;
    else
        t.name = tgs_low_text(l, "%s.%d", t.name, (int)number);
    if (!status && tgs_low_add_task(l, &t) < 0)
        status = TGS_ENOMEM;
    for (int32_t a = 0; a < e->t->accesses && !status; a++)
        if (datum[a] >= 0)
            status = tgs_low_add_access(l, datum[a], (tgs_mode)mode_of(e, a));
    for (int32_t a = 0; a < e->t->accesses && !status; a++)
        if (add[a] >= 0)
            status = add_up(e, add[a], datum[a], shard);
    return status;
}

/* the sum of the summands of a base cell, or of box b of it, on shard */
static int32_t sum_of(expanding *e, int32_t a, int32_t base, const tgs_i_box *whole,
                      const tgs_i_box *b, int32_t shard, int32_t number)
{
    const int32_t rank = e->s->l->datum[datum_of(e, a)].rank;
    const bool all = tgs_i_box_equal(whole, b, rank);
    int32_t *from = tgs_mem_alloc((size_t)e->sums[a], sizeof *from);
    int32_t to = from ? 0 : TGS_ENOMEM, count = 0;
    tgs_status status;

    for (int64_t i = 0; i < e->sums[a] && to >= 0; i++)
        if (e->sum[a][i].cell == base)
            to = from[count++] =
                all ? e->sum[a][i].datum
                    : tgs_i_piece_slice(e->s, e->sum[a][i].datum, whole, b, e->sum[a][i].shard);
    if (to >= 0 && count > 1) {
        to = tgs_i_piece_new(e->s, datum_of(e, a), b, shard, tail_of(e, shard, number));
        status = tgs_i_helper(e->s, "sum", to, ".sum", "", shard,
                              (count - 1) * tgs_i_box_elements(b, rank));
        for (int32_t i = 0; i < count && !status; i++)
            status = tgs_low_add_access(e->s->l, from[i], TGS_R);
        if (!status)
            status = tgs_low_add_access(e->s->l, to, TGS_W);
        to = status ? (int32_t)status : to;
    }
    tgs_mem_free(from);
    if (to >= 0)
        e->s->l->datum[to].reduced = e->s->l->datum[datum_of(e, a)].reduced;
    return to;
}

static int32_t first_shard(const expanding *e, int32_t a, int32_t base)
{
    for (int64_t i = 0; i < e->sums[a]; i++)
        if (e->sum[a][i].cell == base)
            return e->sum[a][i].shard;
    return 0;
}

static tgs_status join(expanding *e, int32_t a)
{
    tgs_i_piece *cell;
    tgs_i_grid g;
    tgs_status status = tgs_i_grid_kept(e->s->l, e->x, a, datum_of(e, a), &e->base[a], &g);

    if (status)
        return status;
    cell = tgs_mem_alloc((size_t)g.cells, sizeof *cell);
    if (!cell)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < g.cells && !status; i++) {
        int32_t index[TGS_I_LABELS], base, some[TGS_I_LABELS];
        const tgs_i_box b = tgs_i_grid_place(e->s->l, e->x, a, datum_of(e, a), &g, i, index);
        tgs_i_box whole;
        int32_t shard, datum;

        for (int32_t label = 0; label < TGS_I_LABELS; label++)
            some[label] = index[label] < 0 ? 0 : index[label];
        whole = box_at(e, a, some, &base);
        shard = e->x->home ? home(e, a, index, 0) : first_shard(e, a, base);
        datum = sum_of(e, a, base, &whole, &b, shard, i);
        status = datum < 0 ? (tgs_status)datum : TGS_OK;
        cell[i] = (tgs_i_piece){.box = b, .datum = datum, .shard = shard, .next = -1};
    }
    if (status)
        tgs_mem_free(cell);
    else
        tgs_i_record_set(e->s, datum_of(e, a), g.axis, cell, g.cells, 1);
    return status;
}

static tgs_status prepare(expanding *e)
{
    tgs_status status = TGS_OK;

    for (int32_t a = 0; a < e->t->accesses && !status; a++)
        status = tgs_i_grid_base(e->s->l, e->x, a, datum_of(e, a), &e->base[a], &e->partial[a]);
    for (int32_t a = 0; a < e->t->accesses && !status; a++) {
        if (mode_of(e, a) == TGS_W && !e->partial[a]) {
            e->piece[a] = tgs_mem_alloc((size_t)e->base[a].cells, sizeof **e->piece);
            status = e->piece[a] ? TGS_OK : TGS_ENOMEM;
        } else if (mode_of(e, a) != TGS_W && e->base[a].cells > 1) {
            const bool stored = tgs_i_record_free(e->s, datum_of(e, a));

            if (stored || (e->x->spread && !e->s->record[datum_of(e, a)].cells))
                status = adopt(e, a, stored);
        }
    }
    return status;
}

static tgs_status all_cells(expanding *e)
{
    int32_t groups = 1, number = 0;
    tgs_status status = TGS_OK;

    for (int32_t a = 0; a < e->t->accesses; a++)
        if (mode_of(e, a) == TGS_RW && e->s->record[datum_of(e, a)].groups > groups)
            groups = e->s->record[datum_of(e, a)].groups;
    for (int32_t group = 0; group < groups; group++) {
        int32_t index[TGS_I_LABELS] = {0}, label;

        do {
            status = add_cell(e, index, number++, group);
            for (label = TGS_I_LABELS - 1; label >= 0; label--) { /* the last label walks fastest */
                if (++index[label] < e->x->cut[label].parts)
                    break;
                index[label] = 0;
            }
        } while (label >= 0 && !status);
        if (status)
            return status;
    }
    return TGS_OK;
}

tgs_status tgs_i_cells_make(tgs_i_split *s, const tgs_low_task *t, tgs_i_expansion *x,
                            tgs_error *err)
{
    expanding e = {.s = s, .t = t, .x = x};
    tgs_status status;

    s->task = t;
    status = prepare(&e);
    if (!status)
        status = all_cells(&e);
    for (int32_t a = 0; a < t->accesses && !status; a++) {
        if (mode_of(&e, a) == TGS_R)
            continue;
        if (mode_of(&e, a) == TGS_RW)
            tgs_i_record_forget(s, datum_of(&e, a));
        else if (e.partial[a])
            status = join(&e, a);
        else {
            tgs_i_record_set(s, datum_of(&e, a), e.base[a].axis, e.piece[a], e.base[a].cells, 1);
            e.piece[a] = NULL;
        }
    }
    for (int32_t a = 0; a < TGS_I_TOUCHED; a++) {
        tgs_mem_free(e.piece[a]);
        tgs_mem_free(e.sum[a]);
    }
    return status ? tgs_fail(err, status, "%s: out of memory", t->name) : TGS_OK;
}
