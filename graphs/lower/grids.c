/* grids.c -- how the cuts of labels cut the data of a task. */
#include <string.h>
#include "pieces.h"

bool tgs_i_label_cut(const tgs_i_expansion *x, int32_t label)
{
    return label >= 0 && x->cut[label].parts > 1;
}

/* boundaries of a dim, from those of its label */
static tgs_status cut_axis(tgs_lowering *l, const tgs_i_expansion *x, int32_t a, int32_t k,
                           tgs_i_cut *out)
{
    const int32_t label = x->labels.of[a][k];
    const int64_t unit = x->labels.unit[a][k];
    const tgs_i_cut *c = &x->cut[label < 0 ? 0 : label];
    int64_t *at;

    *out = (tgs_i_cut){0, NULL};
    if (!tgs_i_label_cut(x, label))
        return TGS_OK;
    at = tgs_mem_alloc((size_t)c->parts + 1, sizeof *at);
    for (int32_t i = 0; at && i <= c->parts; i++)
        at[i] = c->at[i] / unit;
    if (at)
        *out = (tgs_i_cut){c->parts, tgs_low_dims(l, c->parts + 1, at)};
    tgs_mem_free(at);
    return out->at ? TGS_OK : TGS_ENOMEM;
}

tgs_status tgs_i_grid_base(tgs_lowering *l, const tgs_i_expansion *x, int32_t a, int32_t d,
                           tgs_i_grid *g, bool *partial)
{
    bool there[TGS_I_LABELS] = {false};
    tgs_status status = TGS_OK;

    *g = (tgs_i_grid){.cells = 1, .axis_further = -1, .further = 1, .missing = -1};
    for (int32_t k = 0; k < l->datum[d].rank && !status; k++) {
        status = cut_axis(l, x, a, k, &g->axis[k]);
        g->cells *= g->axis[k].parts > 1 ? g->axis[k].parts : 1;
        if (x->labels.of[a][k] >= 0)
            there[x->labels.of[a][k]] = true;
    }
    for (int32_t label = 0; label < TGS_I_LABELS; label++)
        *partial |= tgs_i_label_cut(x, label) && !there[label];
    return status;
}

tgs_status tgs_i_grid_kept(tgs_lowering *l, const tgs_i_expansion *x, int32_t a, int32_t d,
                           const tgs_i_grid *base, tgs_i_grid *g)
{
    const tgs_i_layout y = x->layout ? x->layout(x, a) : (tgs_i_layout){-1, 0};
    const tgs_low_datum *to = &l->datum[d];
    const int32_t parts = y.missing >= 0 ? x->cut[y.missing].parts : 0;
    tgs_i_cut *c = &g->axis[y.axis];
    const int64_t whole[] = {0, to->rank > y.axis ? to->dim[y.axis] : 0};
    const int64_t *from;
    int64_t *at;
    int32_t have, n = 0;

    *g = *base;
    have = c->parts > 1 ? c->parts : 1;
    from = c->parts > 1 ? c->at : whole;
    if (parts < 2 || y.axis >= to->rank)
        return TGS_OK;
    for (int32_t i = 0; i < have; i++)
        if (from[i + 1] - from[i] < parts)
            return TGS_OK;
    at = tgs_mem_alloc((size_t)have * (size_t)parts + 1, sizeof *at);
    if (!at)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < have; i++)
        for (int32_t k = 0; k < parts; k++)
            at[n++] = from[i] + (from[i + 1] - from[i]) * k / parts;
    at[n] = from[have];
    *c = (tgs_i_cut){n, tgs_low_dims(l, n + 1, at)};
    tgs_mem_free(at);
    g->cells *= parts;
    g->axis_further = y.axis;
    g->further = parts;
    g->missing = y.missing;
    return c->at ? TGS_OK : TGS_ENOMEM;
}

tgs_i_box tgs_i_grid_place(const tgs_lowering *l, const tgs_i_expansion *x, int32_t a, int32_t d,
                           const tgs_i_grid *g, int32_t cell, int32_t *index)
{
    tgs_i_box b = tgs_i_box_of(&l->datum[d]);

    memset(index, -1, TGS_I_LABELS * sizeof *index);
    for (int32_t k = l->datum[d].rank - 1; k >= 0; k--) {
        const tgs_i_cut *c = &g->axis[k];
        const int32_t label = x->labels.of[a][k];
        int32_t i;

        if (c->parts < 2)
            continue;
        i = cell % c->parts;
        cell /= c->parts;
        b.lo[k] = c->at[i];
        b.hi[k] = c->at[i + 1];
        if (k == g->axis_further) {
            index[g->missing] = i % g->further;
            i /= g->further;
        }
        if (tgs_i_label_cut(x, label))
            index[label] = i;
    }
    return b;
}

tgs_i_box tgs_i_grid_box(const tgs_lowering *l, const tgs_i_expansion *x, int32_t a, int32_t d,
                         const tgs_i_grid *base, const int32_t *index, int32_t *cell)
{
    tgs_i_box b = tgs_i_box_of(&l->datum[d]);

    *cell = 0;
    for (int32_t k = 0; k < l->datum[d].rank; k++) {
        const tgs_i_cut *c = &base->axis[k];

        if (c->parts < 2)
            continue;
        *cell = *cell * c->parts + index[x->labels.of[a][k]];
        b.lo[k] = c->at[index[x->labels.of[a][k]]];
        b.hi[k] = c->at[index[x->labels.of[a][k]] + 1];
    }
    return b;
}
