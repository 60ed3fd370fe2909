/* chain.c -- contiguous min-max partition of a chain of layers over an ordered list of unlike
 * devices.  chainorder.c searches for the order.
 *
 * F(p, j) = min over i < j of max(F(p - 1, i), stage(p, i, j)), where stage holds the layers i to
 * j - 1 on the device at position p, with what it receives at both of its cuts.  A stage's compute
 * time and its bytes only grow to the left, so that the search for i ends where the time alone
 * exceeds the best that is known, or the bytes the capacity; and cuts are sought only where the
 * stages before and behind, by both, leave room below the bound.  Without a bound, those that are
 * little above what computing takes are tried first: the windows are narrow then.  O(k n^2) at
 * most. */
#include <string.h>
#include "../step.h"

static double flight_of(const tgs_i_chain *x, int32_t p)
{
    return x->flight ? x->flight[p] : 1;
}

bool tgs_i_chain_fits(const tgs_i_chain *x, int32_t device, double flight, int32_t i, int32_t j)
{
    return !x->capacity
           || x->fixed[j] - x->fixed[i] + flight * (x->saved[j] - x->saved[i])
                  <= x->capacity[device];
}

/* seconds from one device to the other at the cut before layer i */
static double transfer(const tgs_i_chain *x, int32_t from, int32_t to, int32_t i)
{
    const int64_t at = (int64_t)from * x->devices + to;

    return x->lat[at] + x->cut[i] * x->inv[at];
}

/* seconds of layers [i, j) at position p of order; INFINITY: it does not fit */
double tgs_i_chain_stage(const tgs_i_chain *x, const int32_t *order, int32_t k, int32_t p,
                         int32_t i, int32_t j)
{
    const int32_t d = order[p];
    const double *time = x->time + (int64_t)d * (x->n + 1);
    double sum = time[j] - time[i];

    if (!tgs_i_chain_fits(x, d, flight_of(x, p), i, j))
        return INFINITY;
    if (p > 0 && x->lat)
        sum += transfer(x, order[p - 1], d, i);
    if (p + 1 < k && x->lat)
        sum += transfer(x, order[p + 1], d, j);
    return sum;
}

void tgs_i_chain_row(const tgs_i_chain *x, const int32_t *order, int32_t k, int32_t p, double bound,
                     const tgs_i_chain_f *f, tgs_i_chain_f *to)
{
    const int32_t d = order[p];
    const double *time = x->time + (int64_t)d * (x->n + 1), flight = flight_of(x, p);
    const bool in = p > 0 && x->lat, out = p + 1 < k && x->lat;

    for (int32_t j = to->low; j <= to->high; j++) {
        const double sent = out ? transfer(x, order[p + 1], d, j) : 0;
        double best = bound;

        to->f[j - to->low] = INFINITY;
        to->from[j - to->low] = -1;
        for (int32_t i = f->high < j ? f->high : j - 1; i >= f->low; i--) {
            double stage = time[j] - time[i];

            if (!(stage + sent < best) || !tgs_i_chain_fits(x, d, flight, i, j))
                break; /* nor with more layers */
            if (f->f[i - f->low] >= best)
                continue;
            if (in)
                stage += transfer(x, order[p - 1], d, i);
            stage += sent;
            if (stage < f->f[i - f->low])
                stage = f->f[i - f->low];
            if (stage < best) {
                to->f[j - to->low] = best = stage;
                to->from[j - to->low] = i;
            }
        }
    }
}

/* may the stage at position p hold [i, j), when none computes for as long as the bound? */
static bool holds(const tgs_i_chain *x, const int32_t *order, int32_t p, double bound, int32_t i,
                  int32_t j)
{
    const double *time = x->time + (int64_t)order[p] * (x->n + 1);

    return time[j] - time[i] < bound && tgs_i_chain_fits(x, order[p], flight_of(x, p), i, j);
}

/* Where cuts can be: [low, high] of row p before the stage at position p, when no stage computes
 * for as long as the bound, and each has a layer.  false: nowhere. */
static bool windows(const tgs_i_chain *x, const int32_t *order, int32_t k, double bound,
                    tgs_i_chain_f *row)
{
    int32_t at = x->n;

    row[k].low = row[k].high = x->n;
    for (int32_t p = k - 1; p >= 0; p--) {
        const int32_t end = at--;

        while (at > p && holds(x, order, p, bound, at - 1, end))
            at--;
        row[p].low = at;
    }
    at = row[0].high = 0;
    for (int32_t p = 0; p + 1 < k; p++) {
        const int32_t begin = at++;

        while (at < x->n - (k - 1 - p) && holds(x, order, p, bound, begin, at + 1))
            at++;
        row[p + 1].high = at;
    }
    for (int32_t p = 0; p <= k; p++)
        if (row[p].low > row[p].high)
            return false;
    return true;
}

/* the partition below a bound, whose windows are there */
static tgs_status cut_below(const tgs_i_chain *x, const int32_t *order, int32_t k, double bound,
                            tgs_i_chain_f *row, int32_t *cut, double *longest)
{
    size_t cells = 0;
    double *f;
    int32_t *from;
    tgs_status status = TGS_OK;

    for (int32_t p = 0; p <= k; p++)
        cells += (size_t)(row[p].high - row[p].low) + 1;
    f = tgs_mem_alloc(cells, sizeof *f);
    from = tgs_mem_alloc(cells, sizeof *from);
    if (!f || !from) {
        status = TGS_ENOMEM;
        goto done;
    }
    cells = 0;
    for (int32_t p = 0; p <= k; p++) {
        row[p].f = f + cells;
        row[p].from = from + cells;
        cells += (size_t)(row[p].high - row[p].low) + 1;
    }
    for (int32_t p = 0; p < k; p++)
        tgs_i_chain_row(x, order, k, p, bound, &row[p], &row[p + 1]);
    *longest = row[k].f[0];
    cut[k] = x->n;
    for (int32_t p = k; p > 0 && *longest < INFINITY; p--)
        cut[p - 1] = row[p].from[cut[p] - row[p].low];
done:
    tgs_mem_free(f);
    tgs_mem_free(from);
    return status;
}

/* about the least bound that has windows, at most twice what the slowest device takes for all */
static double tight(const tgs_i_chain *x, const int32_t *order, int32_t k, tgs_i_chain_f *row)
{
    double low = 0, high = 0;

    for (int32_t p = 0; p < k; p++)
        high = fmax(high, 2 * x->time[(int64_t)order[p] * (x->n + 1) + x->n]);
    for (int i = 0; i < 12; i++) {
        const double middle = (low + high) / 2;

        if (windows(x, order, k, middle, row))
            high = middle;
        else
            low = middle;
    }
    return high;
}

tgs_status tgs_i_chain_cut(const tgs_i_chain *x, const int32_t *order, int32_t k, double bound,
                           int32_t *cut, double *longest)
{
    tgs_i_chain_f *row = tgs_mem_alloc((size_t)k + 1, sizeof *row);
    double below = bound;
    tgs_status status = row ? TGS_OK : TGS_ENOMEM;

    *longest = INFINITY;
    if (!status && k <= x->n && windows(x, order, k, bound, row)) {
        if (!(bound < INFINITY))
            below = 1.125 * tight(x, order, k, row);
        for (; !status && !(*longest < INFINITY); below *= 4) {
            if (!(below < 1e3 * x->time[(int64_t)order[0] * (x->n + 1) + x->n]))
                below = bound; /* transfers take far longer than computing, or nothing does */
            if (windows(x, order, k, below, row))
                status = cut_below(x, order, k, below, row, cut, longest);
            if (!(below < bound))
                break;
        }
    }
    tgs_mem_free(row);
    return status;
}
