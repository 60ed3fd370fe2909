/* roofline.c -- a task takes as long as the slower of its arithmetic and its memory traffic:
 * max(flops / peak, bytes / bandwidth) + overhead (Williams, Waterman, Patterson 2009). */
#include "core.h"

static tgs_status price(const tgs_costs_view *c, const tgs_graph_view *g,
                        const tgs_platform_view *p, double *time, uint8_t *from, tgs_error *err)
{
    (void)c, (void)err;
    for (int32_t task = 0; task < g->tasks; task++) {
        const int64_t row = (int64_t)task * p->kinds;

        for (int32_t k = 0; k < p->kinds; k++) {
            double t;

            if (!isnan(time[row + k]))
                continue;
            t = tgs_costs_roofline(&p->kind[k], g->task[task].flops, g->task[task].bytes);
            if (isnan(t))
                continue;
            time[row + k] = t;
            from[row + k] = TGS_FROM_ROOFLINE;
        }
    }
    return TGS_OK;
}

static void missing(const tgs_graph_view *g, const tgs_platform_view *p, int32_t task, int32_t kind,
                    char *text, size_t size)
{
    const tgs_task *t = &g->task[task];

    if (isnan(t->flops) && isnan(t->bytes))
        snprintf(text, size, "a roofline needs the task's flops or bytes");
    else
        snprintf(text, size, "a roofline needs the kind's %s",
                 t->flops > 0 && isnan(p->kind[kind].flops) ? "flops" : "bandwidth");
}

const tgs_cost_model tgs_cost_model_roofline = {
    .base =
        {TGS_PLUGIN_ABI, "roofline", "max(flops/peak, bytes/bandwidth) + overhead",
         "Williams, Waterman, Patterson, \"Roofline: an insightful visual performance model for "
         "multicore architectures\", CACM 52(4), 2009",
         NULL},
    .price = price,
    .missing = missing,
};
