/* graphstat.c -- the figures of a graph by itself: sizes, depth, width, work, critical path. */
#include "internal.h"

/* mean of a task's table times over the kinds that have one; NaN when there is none */
static double mean_time(const tgs_graph_view *g, int32_t t)
{
    double sum = 0;
    int32_t count = 0;

    for (int32_t k = 0; g->time && k < g->kinds; k++) {
        const double x = g->time[(int64_t)t * g->kinds + k];

        if (!isnan(x)) {
            sum += x;
            count++;
        }
    }
    return count ? sum / count : g->task[t].work;
}

/* the larger; NaN, which is unknown, when either is */
static double later(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

static double parameters(const tgs_graph_view *g)
{
    double sum = 0;

    for (int32_t i = 0; i < g->extras; i++)
        if (g->extra[i].class_ == TGS_CLASS_PARAMETER)
            sum += g->datum[g->extra[i].datum].bytes / tgs_dtype_size((tgs_dtype)g->extra[i].dtype);
    return sum;
}

/* O(tasks + edges) */
tgs_status tgs_graph_measure(const tgs_graph *graph, tgs_graph_stats *out, tgs_error *err)
{
    const tgs_graph_view *g = &graph->v;
    int32_t *level = tgs_mem_alloc((size_t)g->tasks, sizeof *level);
    int32_t *count = tgs_mem_alloc((size_t)g->tasks + 1, sizeof *count);
    double *head = tgs_mem_alloc((size_t)g->tasks, sizeof *head);
    tgs_status status = TGS_OK;

    *out = (tgs_graph_stats){.tasks = g->tasks, .edges = g->edges, .data = g->data};
    if (!level || !count || !head) {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
        goto done;
    }
    for (int32_t i = 0; i < g->tasks; i++) {
        const int32_t t = g->topo[i];
        const double w = mean_time(g, t);

        for (int32_t e = g->pred_at[t]; e < g->pred_at[t + 1]; e++) {
            const int32_t u = g->pred[e];

            if (level[u] >= level[t])
                level[t] = level[u] + 1;
            head[t] = later(head[t], head[u]);
            if (g->pred_datum[e] >= 0)
                out->edge_bytes += g->datum[g->pred_datum[e]].bytes;
        }
        head[t] += w;
        out->critical_path = later(out->critical_path, head[t]);
        out->work += w;
        if (!isnan(g->task[t].flops))
            out->flops += g->task[t].flops;
        out->sources += g->pred_at[t] == g->pred_at[t + 1];
        out->sinks += g->succ_at[t] == g->succ_at[t + 1];
        if (++count[level[t]] > out->width)
            out->width = count[level[t]];
        if (level[t] + 1 > out->depth)
            out->depth = level[t] + 1;
    }
    for (int32_t d = 0; d < g->data; d++)
        out->bytes += g->datum[d].bytes;
    out->parameters = parameters(g);
done:
    tgs_mem_free(head);
    tgs_mem_free(count);
    tgs_mem_free(level);
    return status;
}
