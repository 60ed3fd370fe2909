/* split-pareto.c -- configurations that nothing beats, and one for each request.
 *
 * D. May, A. Tundo, S. Ilager, I. Brandic, "DynaSplit: a hardware-software co-design framework for
 * energy-aware inference on edge", 2024 (arXiv 2410.23881): offline the non-dominated
 * configurations (split layer, accelerator, frequency) by latency and energy; online the
 * configuration of the least energy whose latency is within a request's bound, else the fastest,
 * which is late.
 *
 *   config NAME latency=SECONDS energy=JOULES
 *   request NAME bound=SECONDS */
#include "tgsched/planner.h"
#include "../core.h"
#include "../instance.h"

enum { CONFIG, REQUEST };
static const tgs_i_column config[] = {
    {"latency", TGS_I_REAL, false, 0, 1e12, NAN, 0},
    {"energy", TGS_I_REAL, false, 0, 1e18, NAN, 0},
    {.key = NULL},
};
static const tgs_i_column request[] = {
    {"bound", TGS_I_REAL, false, 0, 1e12, NAN, 0},
    {.key = NULL},
};
static const tgs_i_table tables[] = {
    {"config", 1, 1000000, config}, {"request", 0, 1000000, request}, {.record = NULL}};

/* of the kept configurations the one of least energy within bound; -1 none */
static int32_t cheapest(const double *value, const bool *kept, int32_t n, double bound)
{
    int32_t best = -1;

    for (int32_t i = 0; i < n; i++)
        if (kept[i] && value[2 * i] <= bound
            && (best < 0 || value[2 * i + 1] < value[2 * best + 1]))
            best = i;
    return best;
}

static int32_t fastest(const double *value, const bool *kept, int32_t n)
{
    int32_t best = -1;

    for (int32_t i = 0; i < n; i++)
        if (kept[i] && (best < 0 || value[2 * i] < value[2 * best]))
            best = i;
    return best;
}

static tgs_status tell(const tgs_i_instance *file, const double *value, const bool *kept,
                       tgs_proposal *out)
{
    const int32_t n = tgs_i_rows(file, CONFIG), requests = tgs_i_rows(file, REQUEST);
    double energy = 0;
    int32_t front = 0, late = 0;
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < n && !status; i++) {
        front += kept[i];
        if (kept[i])
            status = tgs_proposal_row(out, tgs_i_row_name(file, CONFIG, i), "on the front",
                                      value[2 * i], NAN);
    }
    for (int32_t r = 0; r < requests && !status; r++) {
        int32_t i = cheapest(value, kept, n, tgs_i_real(file, REQUEST, r, 0));
        char choice[100];

        late += i < 0;
        snprintf(choice, sizeof choice, "%.80s%s",
                 tgs_i_row_name(file, CONFIG, i < 0 ? fastest(value, kept, n) : i),
                 i < 0 ? ", late" : "");
        i = i < 0 ? fastest(value, kept, n) : i;
        energy += value[2 * i + 1];
        status = tgs_proposal_row(out, tgs_i_row_name(file, REQUEST, r), choice, value[2 * i], NAN);
    }
    if (!status)
        status = tgs_proposal_figure(out, "front_configs", front);
    if (!status && requests)
        status = tgs_proposal_figure(out, "late_requests", late);
    return status || !requests ? status : tgs_proposal_figure(out, "energy_j", energy);
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    tgs_i_instance *file;
    double *value = NULL;
    bool *kept = NULL;
    int32_t n;
    tgs_status status = tgs_i_instance_read(&file, c->source, tables, err);

    if (status)
        return status;
    n = tgs_i_rows(file, CONFIG);
    value = tgs_mem_alloc((size_t)n, 2 * sizeof *value);
    kept = tgs_mem_alloc((size_t)n, sizeof *kept);
    if (!value || !kept) {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d configurations", n);
        goto done;
    }
    for (int32_t i = 0; i < 2 * n; i++)
        value[i] = tgs_i_real(file, CONFIG, i / 2, i % 2);
    status = tgs_i_pareto(n, 2, value, kept, err);
    if (!status)
        status = tell(file, value, kept, out);
done:
    tgs_mem_free(value);
    tgs_mem_free(kept);
    tgs_i_instance_free(file);
    return status;
}

const tgs_planner tgs_planner_split_pareto = {
    .base = {TGS_PLUGIN_ABI, "split-pareto", "the best configurations, and the cheapest in time",
             "after May, Tundo, Ilager, Brandic, DynaSplit, 2024", NULL},
    .needs = TGS_PLANS_FILE,
    .systems = "S11",
    .plan = plan,
};
