/* capture_costs.c -- measured times of a captured run as costs: what StarPU tells apart (codelets
 * and footprints) is told apart by attributes. */
#include <inttypes.h>
#include "capture.h"

static tgs_status put_samples(tgs_costs *costs, const cap_times *t, const tgs_platform_view *p,
                              const cap_task *task, const tgs_graph_view *g, int32_t in_graph)
{
    tgs_status status = TGS_OK;

    for (int32_t k = 0; k < p->kinds && !status; k++) {
        int32_t first;
        const int32_t n = tgs_i_cap_find(t, task, k, &first);
        double *seconds = n > 0 ? tgs_mem_alloc((size_t)n, sizeof *seconds) : NULL;
        tgs_sample s;

        if (n <= 0)
            continue;
        if (!seconds)
            return TGS_ENOMEM;
        for (int32_t i = 0; i < n; i++)
            seconds[i] = t->sample[first + i].seconds;
        tgs_measure_sample(g, in_graph, seconds, n, &s);
        s.kind = p->kind[k].name;
        status = tgs_costs_add(costs, &s);
        tgs_mem_free(seconds);
    }
    return status;
}

tgs_status tgs_capture_costs(tgs_costs **out, const tgs_capture *c, const tgs_graph *g,
                             const tgs_platform *p, tgs_error *err)
{
    cap_times times = {0};
    tgs_i_names seen = {0};
    tgs_i_arena text = {0};
    tgs_status status;

    *out = NULL;
    status = tgs_i_costs_new(out, err);
    if (!status && (tgs_i_cap_times(&times, c, &p->v) || tgs_i_arena_add(&text, "") < 0))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (int32_t i = 0; i < c->task.count && !status; i++) {
        const cap_task *task = &c->task.at[i];
        char key[2100];
        int32_t offset, at;

        snprintf(key, sizeof key, "%08" PRIx32 " %.2000s", task->footprint,
                 cap_text(c, task->codelet));
        if (task->archs < 0 || tgs_i_names_get(&seen, &text, key) >= 0)
            continue;
        at = tgs_graph_find_task(g, cap_text(c, task->name));
        offset = at < 0 ? at : tgs_i_arena_add(&text, key);
        if (offset < 0 || tgs_i_names_put(&seen, &text, offset, i)
            || put_samples(*out, &times, &p->v, task, &g->v, at))
            status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    tgs_i_names_free(&seen);
    tgs_i_arena_free(&text);
    tgs_i_cap_times_free(&times);
    if (status) {
        tgs_costs_free(*out);
        *out = NULL;
    }
    return status;
}
