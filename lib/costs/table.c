/* table.c -- the times a graph brings along: of the task on the kind, else the task's work. */
#include <string.h>
#include "tgsched/plugin.h"

/* the graph's kind of the same name as each of the platform's, or -1 */
static void match(const tgs_graph_view *g, const tgs_platform_view *p, int32_t *of)
{
    for (int32_t k = 0; k < p->kinds; k++) {
        of[k] = -1;
        for (int32_t i = 0; i < g->kinds && of[k] < 0; i++)
            if (!strcmp(g->kind_name[i], p->kind[k].name))
                of[k] = i;
    }
}

static tgs_status price(const tgs_costs_view *c, const tgs_graph_view *g,
                        const tgs_platform_view *p, double *time, uint8_t *from, tgs_error *err)
{
    int32_t *of = tgs_mem_alloc((size_t)p->kinds, sizeof *of);

    (void)c;
    if (!of)
        return tgs_fail(err, TGS_ENOMEM, "table: out of memory");
    match(g, p, of);
    for (int32_t task = 0; task < g->tasks; task++) {
        const double *own = g->time ? g->time + (int64_t)task * g->kinds : NULL;
        const int64_t row = (int64_t)task * p->kinds;

        for (int32_t k = 0; k < p->kinds; k++) {
            double t = g->task[task].work;

            if (!isnan(time[row + k]))
                continue;
            if (own && of[k] >= 0 && !isnan(own[of[k]]))
                t = own[of[k]];
            if (isnan(t))
                continue;
            time[row + k] = t;
            from[row + k] = TGS_FROM_TABLE;
        }
    }
    tgs_mem_free(of);
    return TGS_OK;
}

static void missing(const tgs_graph_view *g, const tgs_platform_view *p, int32_t task, int32_t kind,
                    char *text, size_t size)
{
    (void)g, (void)p, (void)task, (void)kind;
    snprintf(text, size, "the graph gives it neither a time there nor work");
}

const tgs_cost_model tgs_cost_model_table = {
    .base = {TGS_PLUGIN_ABI, "table", "the times and the work written in the graph", NULL, NULL},
    .price = price,
    .missing = missing,
};
