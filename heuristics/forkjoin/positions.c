/* positions.c -- where the cuts of a chain are best, and how short a chain can be at all.
 *
 * A state is the look of the memory a cut is in; from one cut to the next the memory stays, or
 * changes within the look, or to another look.  So looks^2 + looks blocks are valued between two
 * cuts, however many processors there are. */
#include "chain.h"
#include "fluid.h"
#include "prices.h"

typedef struct table {
    const tgs_i_chain *x;
    double *end; /* [cuts * looks] least end of the cut in a memory of the look */
    int32_t
        *before; /* [cuts * looks] look of the cut before; negative: ~look, another memory of it */
} table;

static tgs_status value_of(const table *t, tgs_i_block_value value, void *user, int32_t b,
                           int32_t from, int32_t to, double since, double *out, tgs_error *err)
{
    tgs_i_block block;
    tgs_status status = TGS_OK;

    *out = INFINITY;
    if (!(since < INFINITY))
        return TGS_OK;
    status = tgs_i_block_open(&block, t->x, b, from, to, since, err);
    if (!status)
        status = value(user, &block, out, err);
    tgs_i_block_close(&block);
    return status;
}

/* end of cut b in look a, over what was before it */
static tgs_status fill_state(const table *t, tgs_i_block_value value, void *user, int32_t b,
                             int32_t a, tgs_error *err)
{
    const tgs_i_chain *x = t->x;
    const int32_t K = x->looks, to = x->first[a], task = x->v->g->topo[x->cut[b]];
    double least = INFINITY, start;
    int32_t before = 0;
    tgs_status status = TGS_OK;

    if (!b)
        status = value_of(t, value, user, 0, TGS_I_NOWHERE, to, 0, &least, err);
    for (int32_t k = 0; k <= K && b && !status; k++) {
        const int32_t from = k < K ? x->first[k] : x->second[a]; /* K: another of the same look */
        const double since = t->end[(int64_t)(b - 1) * K + (k < K ? k : a)];

        if (from < 0)
            continue;
        status = value_of(t, value, user, b, from, to, since, &start, err);
        if (!status && start < least) {
            least = start;
            before = k < K ? k : ~a;
        }
    }
    if (!x->coarse)
        least = fmax(least, tgs_i_chain_alone(x->v, task, to));
    t->end[(int64_t)b * K + a] = least + x->w[(int64_t)task * K + a];
    t->before[(int64_t)b * K + a] = before;
    return status;
}

/* memory[cuts], backwards from the look of the last cut */
static void trace_back(const table *t, int32_t look, int32_t *memory)
{
    const tgs_i_chain *x = t->x;

    for (int32_t b = x->cuts - 1; b >= 0; b--) {
        const int32_t behind = b + 1 < x->cuts ? t->before[(int64_t)(b + 1) * x->looks + look] : 0;
        const int32_t last = b + 1 < x->cuts ? memory[b + 1] : -1;

        if (b + 1 == x->cuts)
            memory[b] = x->first[look];
        else if (behind < 0) /* another memory of the look */
            memory[b] = last == x->first[look] ? x->second[look] : x->first[look];
        else {
            memory[b] = behind == look ? last : x->first[behind];
            look = behind;
        }
    }
}

tgs_status tgs_i_chain_positions(const tgs_ctx *c, const tgs_i_chain *x, tgs_i_block_value value,
                                 void *user, int32_t *memory, double *least, tgs_error *err)
{
    const int32_t K = x->looks, cuts = x->cuts;
    const size_t size = (size_t)cuts * (size_t)K;
    table t = {x, tgs_mem_alloc(size, sizeof *t.end), tgs_mem_alloc(size, sizeof *t.before)};
    tgs_status status = TGS_OK;
    int32_t best = 0;

    if (!t.end || !t.before)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the positions of %d cuts", cuts);
    for (int32_t b = 0; b < cuts && !status; b++) {
        if (c->stop && c->stop(c->user))
            status = tgs_fail(err, TGS_ECANCELED, "stopped after %d of %d blocks", b, cuts);
        for (int32_t a = 0; a < K && !status; a++)
            status = fill_state(&t, value, user, b, a, err);
    }
    *least = INFINITY;
    for (int32_t a = 0; a < (cuts ? K : 1) && !status; a++) {
        double end;

        status = value_of(&t, value, user, cuts, cuts ? x->first[a] : TGS_I_NOWHERE, TGS_I_NOWHERE,
                          cuts ? t.end[(int64_t)(cuts - 1) * K + a] : 0, &end, err);
        if (!status && end < *least) {
            *least = end;
            best = a;
        }
    }
    if (!status && memory && cuts)
        trace_back(&t, best, memory);
    tgs_mem_free(t.end);
    tgs_mem_free(t.before);
    return status;
}

/* ---- the bound ----------------------------------------------------------------------------- */
typedef struct refuter { /* "no schedule of the form has L <= T" */
    tgs_i_fj_fluid fluid;
    tgs_i_fj_prices prices;
    bool related;
} refuter;

static tgs_status refute(refuter *x, double T, bool *refuted)
{
    bool feasible = true;
    tgs_status status = TGS_OK;

    if (x->related) {
        status = tgs_i_fj_fluid_test(&x->fluid, T, &feasible);
        *refuted = !feasible;
    } else {
        tgs_i_fj_prices_test(&x->prices, T, refuted);
    }
    return status;
}

/* the largest T that is refuted, to a thousandth */
static tgs_status raise(const tgs_i_fj_form *f, double *L)
{
    refuter x = {.related = false};
    double low = *L, high = low, step = 1e-3;
    bool refuted = true;
    tgs_status status = tgs_i_fj_fluid_open(&x.fluid, f, &x.related);

    if (!status && !x.related)
        status = tgs_i_fj_prices_open(&x.prices, f);
    while (!status && refuted && step < 1e3) {
        low = high;
        high = low * (1 + step);
        step *= 2;
        status = refute(&x, high, &refuted);
    }
    for (bool yes; !status && high - low > 1e-3 * low;) {
        const double T = low + (high - low) / 2;

        status = refute(&x, T, &yes);
        *(yes ? &low : &high) = T;
    }
    tgs_i_fj_fluid_close(&x.fluid);
    tgs_i_fj_prices_close(&x.prices);
    *L = fmax(*L, low);
    return status;
}

tgs_status tgs_i_block_bound(void *user, tgs_i_block *x, double *value, tgs_error *err)
{
    const int64_t effort = *(const int64_t *)user;
    double L = 0;
    tgs_status status = TGS_OK;

    *value = x->through;
    if (x->n < 2 || !(x->through < INFINITY))
        return TGS_OK;
    status = tgs_i_fj_quick_bound(&x->form, &L);
    L = fmax(L, (x->through - x->since) * (1 - 1e-12));
    if (!status && L > 0 && (int64_t)x->n * x->form.classes <= effort)
        status = raise(&x->form, &L);
    *value = fmax(*value, x->since + L);
    return status ? tgs_fail(err, status, "out of memory to bound a block of %d tasks", x->n)
                  : TGS_OK;
}
