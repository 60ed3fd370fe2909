/* mixsolve.c -- the linear program of mix.c, solved again and again with more chains. */
#include "core.h"
#include "windows.h"

enum {
    CHAINS = 16, /* at once */
    PATIENCE = 4 /* rounds that together raise the bound by less than WORTH */
};
#define WORTH 1e-5

static void read_shares(tgs_i_mix *x)
{
    for (int32_t j = 0; j < x->v->n; j++) {
        double rest = 1;

        for (int32_t t = 0; t < x->kinds; t++) {
            const int64_t at = (int64_t)j * x->kinds + t;
            const double value = x->column[at] >= 0 ? tgs_lp_value(x->lp, x->column[at]) : 0;

            x->share[at] = fmax(0, value);
            rest -= x->share[at];
        }
        x->share[(int64_t)j * x->kinds + x->base[j]] = fmax(0, rest);
    }
}

/* rows for the longest chain, then for the longest through what no row of this round covers;
 * *added: how many */
static tgs_status add_chains(tgs_i_mix *x, double limit, bool *covered, int32_t *added)
{
    tgs_status status = TGS_OK;

    for (int32_t j = 0; j < x->v->n; j++)
        covered[j] = false;
    for (*added = 0; *added < CHAINS && !status; ++*added) {
        int32_t worst = -1;
        double longest = limit;

        for (int32_t j = 0; j < x->v->n; j++) {
            const double y = x->head[j] + x->time[j] + x->tail[j];

            if (!covered[j] && y > longest) {
                longest = y;
                worst = j;
            }
        }
        if (worst < 0)
            break;
        status = tgs_i_mix_chain(x, worst, covered);
    }
    return status;
}

tgs_status tgs_i_mix_solve(tgs_i_mix *x, const tgs_ctx *c, int64_t rounds, double *bound,
                           tgs_error *err)
{
    bool *covered = tgs_mem_alloc((size_t)x->v->n, sizeof *covered);
    tgs_lp_answer answer;
    tgs_status status = covered ? TGS_OK : tgs_fail(err, TGS_ENOMEM, "out of memory");
    double before = 0; /* PATIENCE rounds ago */
    int32_t added = 1;

    *bound = 0;
    for (int64_t i = 0; added && i <= rounds && !status; i++) {
        status = tgs_lp_relax(x->lp, &answer, err);
        if (status)
            break;
        if (answer.end != TGS_LP_OPTIMAL && i)
            break; /* the bound of the round before holds */
        if (answer.end != TGS_LP_OPTIMAL) {
            status = tgs_fail(err, TGS_EBACKEND, "CLP does not solve the program");
            break;
        }
        *bound = fmax(*bound, tgs_lp_safe_bound(x->lp, NULL) * x->unit * (1 - 1e-15));
        x->least = fmax(x->least, *bound);
        read_shares(x);
        added = 0;
        if (i % PATIENCE == PATIENCE - 1) {
            if (*bound <= before * (1 + WORTH))
                break;
            before = *bound;
        }
        if (i == rounds || (c->stop && c->stop(c->user)))
            break;
        if (tgs_i_mix_longest(x) > answer.value * (1 + 1e-9))
            status = add_chains(x, answer.value * (1 + 1e-9), covered, &added);
        if (x->windows && !status)
            status = tgs_i_mix_span(x, answer.value * (1 + 1e-6), &added);
        if (status)
            tgs_fail(err, status, "out of memory for %d chains", tgs_lp_rows(x->lp));
    }
    tgs_mem_free(covered);
    return status;
}

/* as many values of a and of b as effort allows for a round */
static tgs_status open_windows(tgs_i_mix *x, tgs_i_windows *windows, const tgs_ctx *c,
                               tgs_error *err)
{
    const double effort = (double)tgs_arg_int(c->args, "effort");
    const double values = sqrt(effort / fmax(1, (double)c->v->n * x->kinds));
    tgs_i_rates rates;
    tgs_status status = tgs_i_rates_open(&rates, c->v, err);

    if (status)
        return status;
    status =
        tgs_i_windows_open(windows, c->v, &rates, false, (int32_t)fmax(2, fmin(64, values)), err);
    tgs_i_rates_close(&rates);
    if (status)
        return status;
    x->windows = windows;
    x->least = windows->least;
    /* every task on its base satisfies all rows with this T */
    x->high += (windows->from[windows->froms - 1] + windows->until[windows->untils - 1]) / x->unit;
    x->high *= 1 + 1e-6; /* values that differ less are one in windows.h */
    x->low = fmax(x->low, windows->least / x->unit);
    tgs_lp_column_bounds(x->lp, x->makespan, x->low, x->high);
    return TGS_OK;
}

tgs_status tgs_i_mix_bound(const tgs_ctx *c, const tgs_i_mix_parts *parts, double *bound,
                           tgs_error *err)
{
    const int64_t most = tgs_arg_int(c->args, "size");
    const int64_t size = (int64_t)c->v->n * c->v->kinds + c->v->g->edges;
    tgs_i_windows windows = {.n = 0};
    tgs_i_mix x;
    tgs_status status;

    if (size > most)
        return tgs_fail(err, TGS_ENOTAPPLICABLE,
                        "tasks times kinds and dependencies are %lld, more than the %lld of size",
                        (long long)size, (long long)most);
    status = tgs_i_mix_open(&x, c->v, parts->communication, err);
    if (status)
        return status;
    if (parts->intervals)
        status = open_windows(&x, &windows, c, err);
    if (!status)
        status = tgs_i_mix_solve(&x, c, tgs_arg_int(c->args, "rounds"), bound, err);
    if (!status)
        *bound = fmax(*bound, windows.least);
    tgs_i_windows_close(&windows);
    tgs_i_mix_close(&x);
    return status;
}
