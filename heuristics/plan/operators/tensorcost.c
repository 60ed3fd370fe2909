/* tensorcost.c -- what splitting a matrix product among p shards moves, in closed form (Bian, Xu,
 * Wang, You, 2021, table of costs), for a layer with its backward pass and unlike extents:
 *
 *            a shard receives, of the elements of X, W and Y         messages in a row
 *   1d       2 (p-1)/p X (cut by columns) or 2 (p-1)/p Y (by rows)   2 (p-1)
 *   2d       3 (q-1)/q^2 (X + W)                                     6 (q-1)
 *   2.5d     3 (q-1)/q^2 (X/d + W), and the sum of dW over d grids:
 *            2 (d-1)/d W/q^2                                         6 (q-1) + 2 (d-1)
 *   3d       2 (q-1)/q^3 (X + W + Y)                                 6 (q-1)
 *
 * The published table counts, for 2d and 2.5d, what passes one after the other when each broadcast
 * goes round a ring: q times what a shard receives (`hops`). */
#include "../step.h"

bool tgs_i_tensor_grid(tgs_i_grid *g, tgs_i_tensor mode, int32_t p, int32_t depth)
{
    *g = (tgs_i_grid){.mode = mode, .p = p, .side = p, .depth = 1};
    if (mode == TGS_I_1D)
        return p > 1;
    g->depth = mode == TGS_I_25D ? depth : 1;
    for (g->side = 2;; g->side++) {
        const int64_t q = g->side, all = mode == TGS_I_3D ? q * q * q : g->depth * q * q;

        if (all >= p)
            return all == p && (mode != TGS_I_25D || depth > 1);
    }
}

double tgs_i_tensor_volume(const tgs_i_grid *g, const tgs_i_product *x, bool hops)
{
    const double in = x->rows * x->inner, weights = x->inner * x->columns;
    const double out = x->rows * x->columns, q = g->side, d = g->depth;

    switch (g->mode) {
    case TGS_I_1D:
        return 2. * (g->p - 1) / g->p * (x->by_rows ? out : in);
    case TGS_I_2D:
    case TGS_I_25D:
        return 3 * (q - 1) / (q * q) * (in / d + weights) * (hops ? q : 1)
               + 2 * (d - 1) / d * weights / (q * q);
    case TGS_I_3D:
        return 2 * (q - 1) / (q * q * q) * (in + weights + out);
    case TGS_I_TENSORS:
        break;
    }
    return NAN;
}

double tgs_i_tensor_messages(const tgs_i_grid *g)
{
    return g->mode == TGS_I_1D ? 2. * (g->p - 1) : 6. * (g->side - 1) + 2. * (g->depth - 1);
}

bool tgs_i_tensor_fits(const tgs_i_grid *g, const tgs_i_product *x)
{
    const double q = g->side;

    switch (g->mode) {
    case TGS_I_1D:
        return (x->by_rows ? x->inner : x->columns) >= q;
    case TGS_I_2D:
    case TGS_I_25D:
        return x->rows >= q * g->depth && x->columns >= q && x->inner >= q;
    case TGS_I_3D: /* what is gathered is stored by parts: rows of X, columns of W */
        return x->rows >= q && x->columns >= q && x->inner >= q;
    case TGS_I_TENSORS:
        break;
    }
    return false;
}
