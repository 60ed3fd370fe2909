/* critical-batch.c -- how large a batch is worth its samples.
 *
 * S. Ma, M. Belkin, "Kernel machines that adapt to GPUs for effective large batch training"
 * (EigenPro 2.0), MLSys 2019.  A larger batch saves steps up to the critical batch m*, no further:
 *
 *     steps(m) = S1 / min(m, m*)
 *
 * and a step takes the same time up to the device's capacity.  So the batch is the smaller of
 * capacity and m*: beyond it time is lost, or nothing gained for the memory.
 *
 *   job NAME steps=S1 critical=M capacity=N [seconds=STEP] */
#include "tgsched/planner.h"
#include "../instance.h"

static const tgs_i_column job[] = {
    {"steps", TGS_I_REAL, false, 1, 1e18, NAN, 0},
    {"critical", TGS_I_WHOLE, false, 1, 1e15, NAN, 0},
    {"capacity", TGS_I_WHOLE, false, 1, 1e15, NAN, 0},
    {"seconds", TGS_I_REAL, false, 0, 1e12, 1, 0},
    {.key = NULL},
};
static const tgs_i_table tables[] = {{"job", 1, 100000, job}, {.record = NULL}};

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    double all = 0, alone = 0;
    tgs_i_instance *file;
    tgs_status status = tgs_i_instance_read(&file, c->source, tables, err);

    if (status)
        return status;
    for (int32_t j = 0; j < tgs_i_rows(file, 0) && !status; j++) {
        const double critical = tgs_i_real(file, 0, j, 1), capacity = tgs_i_real(file, 0, j, 2);
        const double batch = fmin(critical, capacity), steps = tgs_i_real(file, 0, j, 0) / batch;
        char choice[100];

        snprintf(choice, sizeof choice, "batch %.0f, %.17g steps", batch, steps);
        all += steps * tgs_i_real(file, 0, j, 3);
        alone += tgs_i_real(file, 0, j, 0) * tgs_i_real(file, 0, j, 3);
        status = tgs_proposal_row(out, tgs_i_row_name(file, 0, j), choice,
                                  steps * tgs_i_real(file, 0, j, 3), NAN);
        if (!status && capacity > critical)
            status = tgs_proposal_note(
                out,
                "%.80s: a batch of %.0f would take no fewer steps; a kernel whose critical "
                "batch is the device's capacity would take %.17g times fewer",
                tgs_i_row_name(file, 0, j), capacity, capacity / critical);
    }
    if (!status)
        status = tgs_proposal_figure(out, "training_s", all);
    if (!status)
        status = tgs_proposal_figure(out, "speedup", alone / all);
    tgs_i_instance_free(file);
    return status;
}

const tgs_planner tgs_planner_critical_batch = {
    .base = {TGS_PLUGIN_ABI, "critical-batch", "the largest batch that still saves steps",
             "Ma, Belkin, EigenPro 2.0, MLSys 2019", NULL},
    .needs = TGS_PLANS_FILE,
    .systems = "T8",
    .plan = plan,
};
