/* energy.c -- which of several measured plans is best: by time, by energy, or by their product.
 *
 * The objectives that S. Ahmed et al., 2026 (arXiv 2605.01938) measure by: the fastest setting need
 * not be the most frugal.
 *
 *     energy = sum busy P_busy + idle P_idle + bytes J/byte
 *
 * over the devices that a plan names; idle is what is left of the plan's time.  Ties to the first.
 *
 *   device NAME busy=WATTS [idle=WATTS] [byte=JOULES]
 *   plan NAME time=SECONDS busy=s,s,... [bytes=b,b,...]          (one value a device) */
#include <string.h>
#include "tgsched/planner.h"
#include "../instance.h"

enum { DEVICE, PLAN };
static const tgs_i_column device[] = {
    {"busy", TGS_I_REAL, false, 0, 1e12, NAN, 0},
    {"idle", TGS_I_REAL, false, 0, 1e12, 0, 0},
    {"byte", TGS_I_REAL, false, 0, 1e12, 0, 0},
    {.key = NULL},
};
static const tgs_i_column planned[] = {
    {"time", TGS_I_REAL, false, 0, 1e12, NAN, 0},
    {"busy", TGS_I_REAL, true, 0, 1e12, NAN, 0},
    {"bytes", TGS_I_REAL, true, 0, 1e18, 0, 0},
    {.key = NULL},
};
static const tgs_i_table tables[] = {
    {"device", 1, 10000, device}, {"plan", 1, 100000, planned}, {.record = NULL}};

static tgs_status energy_of(const tgs_i_instance *f, int32_t p, double *joules, tgs_error *err)
{
    const int32_t devices = tgs_i_rows(f, DEVICE);
    const double time = tgs_i_real(f, PLAN, p, 0), *busy, *bytes;
    const int32_t n = tgs_i_list(f, PLAN, p, 1, &busy), moved = tgs_i_list(f, PLAN, p, 2, &bytes);

    *joules = 0;
    if (n != devices || (moved && moved != devices))
        return tgs_i_row_fail(f, PLAN, p, err, "%d values for %d devices", n != devices ? n : moved,
                              devices);
    for (int32_t d = 0; d < devices; d++) {
        if (busy[d] > time)
            return tgs_i_row_fail(f, PLAN, p, err, "busy=%g is longer than time=%g", busy[d], time);
        *joules += busy[d] * tgs_i_real(f, DEVICE, d, 0)
                   + (time - busy[d]) * tgs_i_real(f, DEVICE, d, 1)
                   + (moved ? bytes[d] * tgs_i_real(f, DEVICE, d, 2) : 0);
    }
    return TGS_OK;
}

static tgs_status choose(const tgs_i_instance *f, const char *objective, tgs_proposal *out,
                         tgs_error *err)
{
    const bool by_time = !strcmp(objective, "time"), by_energy = !strcmp(objective, "energy");
    double best = INFINITY, time = NAN, joules = NAN;
    int32_t chosen = -1;
    tgs_status status = TGS_OK;

    if (!by_time && !by_energy && strcmp(objective, "product"))
        return tgs_fail(err, TGS_EINVAL, "objective=%.40s: it is time, energy or product",
                        objective);
    for (int32_t p = 0; p < tgs_i_rows(f, PLAN) && !status; p++) {
        const double t = tgs_i_real(f, PLAN, p, 0);
        double e, value;

        status = energy_of(f, p, &e, err);
        value = by_time ? t : by_energy ? e : t * e;
        if (!status && value < best) {
            best = value;
            chosen = p;
            time = t;
            joules = e;
        }
    }
    if (!status)
        status = tgs_proposal_row(out, objective, tgs_i_row_name(f, PLAN, chosen), time, NAN);
    if (!status)
        status = tgs_proposal_figure(out, "step_s", time);
    if (!status)
        status = tgs_proposal_figure(out, "energy_j", joules);
    return status ? status : tgs_proposal_figure(out, "energy_delay_js", time * joules);
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    tgs_i_instance *f;
    tgs_status status = tgs_i_instance_read(&f, c->source, tables, err);

    if (!status)
        status = choose(f, tgs_arg_text(c->args, "objective"), out, err);
    tgs_i_instance_free(f);
    return status;
}

static const tgs_param params[] = {
    {"objective", "product", TGS_PARAM_TEXT, 0, 0, "time, energy or product (of both)"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_planner tgs_planner_energy = {
    .base = {TGS_PLUGIN_ABI, "energy", "the best of measured plans by time, energy or both",
             "objectives of Ahmed et al., 2026 (arXiv 2605.01938)", params},
    .needs = TGS_PLANS_FILE,
    .systems = "S3",
    .plan = plan,
};
