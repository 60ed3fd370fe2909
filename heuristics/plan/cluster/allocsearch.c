/* allocsearch.c -- the three ways to fill an allocation matrix: worst fit, bounded greedy, exact.
 */
#include <stdlib.h>
#include <string.h>
#include "alloc.h"

/* ---- worst fit, decreasing ------------------------------------------------------------------- */
/* the device with most memory left where the option can run, ties to the first; -1 none */
static int32_t roomiest(const tgs_i_alloc *x, const int32_t *entry, int32_t o, bool fallback)
{
    int32_t best = -1;
    double most = -1;

    for (int32_t d = 0; d < x->devices; d++) {
        const double left = tgs_i_alloc_left(x, entry, d);

        if (x->fallback[d] == fallback && x->rate[(int64_t)o * x->devices + d] > 0
            && left >= x->need[o] && left > most) {
            most = left;
            best = d;
        }
    }
    return best;
}

/* Another order may need less; if every device has room for all models, no order matters. */
static tgs_status refuse(const tgs_i_alloc *x, const int32_t *entry, int32_t m, tgs_error *err)
{
    const double need = x->need[x->sorted[x->first[m]]];
    double left = 0, all = 0;

    for (int32_t d = 0; d < x->devices; d++)
        left = fmax(left, tgs_i_alloc_left(x, entry, d));
    for (int32_t k = 0; k < x->models; k++)
        all += x->need[x->sorted[x->first[k]]];
    return tgs_fail(err, TGS_EINFEASIBLE,
                    "model %.80s needs %.17g bytes where no device has them left: %.17g bytes are "
                    "missing; method=exact may need less, devices with memory=%.17g suffice",
                    tgs_i_row_name(x->file, 1, m), need, fmax(0, need - left), all);
}

tgs_status tgs_i_alloc_wfd(const tgs_i_alloc *x, int32_t *entry, tgs_error *err)
{
    bool *done = tgs_mem_alloc((size_t)x->models, sizeof *done);
    tgs_status status = TGS_OK;

    if (!done)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d models", x->models);
    for (int32_t i = 0; i < x->models * x->devices; i++)
        entry[i] = -1;
    for (int32_t i = 0; i < x->models && !status; i++) {
        int32_t m = -1, d = -1;

        for (int32_t k = 0; k < x->models; k++) /* the largest by its smallest option */
            if (!done[k]
                && (m < 0 || x->need[x->sorted[x->first[k]]] > x->need[x->sorted[x->first[m]]]))
                m = k;
        done[m] = true;
        for (int fallback = 0; fallback < 2 && d < 0; fallback++)
            for (int32_t k = x->first[m]; k < x->first[m + 1] && d < 0; k++) {
                d = roomiest(x, entry, x->sorted[k], fallback);
                if (d >= 0)
                    entry[d * x->models + m] = x->sorted[k];
            }
        if (d < 0)
            status = refuse(x, entry, m, err);
    }
    tgs_mem_free(done);
    return status;
}

/* ---- bounded greedy -------------------------------------------------------------------------- */
/* another value of one entry; false: it would not fit or not run */
static bool change(const tgs_i_alloc *x, tgs_rng *rng, int32_t *entry, int32_t *at, int32_t *was)
{
    const int32_t i = (int32_t)tgs_rng_int(rng, 0, x->models * x->devices - 1);
    const int32_t d = i / x->models, m = i % x->models;
    const int32_t k = (int32_t)tgs_rng_int(rng, x->first[m] - 1, x->first[m + 1] - 1);
    const int32_t o = k < x->first[m] ? -1 : x->sorted[k];

    *at = i;
    *was = entry[i];
    if (o == entry[i] || (o >= 0 && !(x->rate[(int64_t)o * x->devices + d] > 0)))
        return false;
    entry[i] = o;
    if (tgs_i_alloc_left(x, entry, d) >= 0)
        return true;
    entry[i] = *was;
    return false;
}

void tgs_i_alloc_greedy(const tgs_i_alloc *x, const tgs_planner_ctx *c, int64_t evals,
                        int64_t sample, int32_t *entry)
{
    tgs_i_served now = tgs_i_alloc_judge(x, entry);
    bool better = true;

    while (better && evals > 0 && !c->stop(c->user)) {
        tgs_i_served best = now;
        int32_t best_at = -1, best_value = -1;

        for (int64_t i = 0; i < sample && evals > 0; i++, evals--) {
            int32_t at, was;

            if (change(x, c->rng, entry, &at, &was)) {
                const tgs_i_served s = tgs_i_alloc_judge(x, entry);

                if (tgs_i_alloc_better(&s, &best)) {
                    best = s;
                    best_at = at;
                    best_value = entry[at];
                }
                entry[at] = was;
            }
        }
        better = best_at >= 0;
        if (better) {
            entry[best_at] = best_value;
            now = best;
        }
    }
}

#define MOST_ENTRIES 10000 /* of the exact search, which is as deep */
/* ---- exact ----------------------------------------------------------------------------------- */
typedef struct search {
    const tgs_i_alloc *x;
    const tgs_planner_ctx *c;
    int64_t nodes;
    int32_t *entry, *best; /* what is tried, and the best so far */
    tgs_i_served served;   /* of best */
    bool ended;            /* before all was tried */
} search;

/* No completion of entries [0, at) is better: of each model the entries so far, alone on their
 * devices, and the fastest option on all that follow. */
static bool hopeless(const search *s, int32_t at)
{
    const tgs_i_alloc *x = s->x;
    tgs_i_served ceiling = {.slowest = INFINITY};

    for (int32_t m = 0; m < x->models; m++) {
        bool runs = false, proper = false;
        double rate = 0;

        for (int32_t d = 0; d < x->devices; d++) {
            double most = 0;

            if (d * x->models + m < at) {
                const int32_t o = s->entry[d * x->models + m];

                most = o >= 0 ? x->rate[(int64_t)o * x->devices + d] : 0;
                runs |= o >= 0;
                proper |= o >= 0 && !x->fallback[d];
            } else {
                for (int32_t k = x->first[m]; k < x->first[m + 1]; k++)
                    most = fmax(most, x->rate[(int64_t)x->sorted[k] * x->devices + d]);
                runs |= most > 0;
                proper |= most > 0 && !x->fallback[d];
            }
            rate += most;
        }
        ceiling.missing += !runs;
        ceiling.stranded += runs && !proper;
        ceiling.slowest = rate < ceiling.slowest ? rate : ceiling.slowest;
        ceiling.all += rate;
    }
    return !tgs_i_alloc_better(&ceiling, &s->served);
}

static void try_entries(search *s, int32_t at, double left)
{
    const tgs_i_alloc *x = s->x;
    const int32_t d = at / x->models, m = at % x->models;

    if (s->ended)
        return;
    if (s->nodes-- <= 0 || s->c->stop(s->c->user)) {
        s->ended = true;
        return;
    }
    if (at == x->models * x->devices) {
        const tgs_i_served served = tgs_i_alloc_judge(x, s->entry);

        if (tgs_i_alloc_better(&served, &s->served)) {
            s->served = served;
            memcpy(s->best, s->entry, (size_t)at * sizeof *s->best);
        }
        return;
    }
    if (hopeless(s, at))
        return;
    if (m == 0)
        left = x->memory[d];
    for (int32_t k = x->first[m + 1] - 1; k >= x->first[m] - 1; k--) {
        const int32_t o = k < x->first[m] ? -1 : x->sorted[k];

        if (o >= 0 && (x->need[o] > left || !(x->rate[(int64_t)o * x->devices + d] > 0)))
            continue;
        s->entry[at] = o;
        try_entries(s, at + 1, o < 0 ? left : left - x->need[o]);
    }
    s->entry[at] = -1;
}

bool tgs_i_alloc_exact(const tgs_i_alloc *x, const tgs_planner_ctx *c, int64_t nodes,
                       int32_t *entry, int32_t *work)
{
    search s = {.x = x,
                .c = c,
                .nodes = nodes,
                .entry = work,
                .best = entry,
                .served = tgs_i_alloc_judge(x, entry)};

    if (x->models * x->devices > MOST_ENTRIES)
        return false;
    for (int32_t i = 0; i < x->models * x->devices; i++)
        work[i] = -1;
    try_entries(&s, 0, 0);
    return !s.ended;
}
