/* stg.c -- writes Standard Task Graph files: tasks numbered from 1, without dummies.
 *
 * When data travel each predecessor has a line with its cost in bytes (what a dependency without
 * data costs: 0), as in the weighted files; else predecessors follow on the task's line. */
#include <inttypes.h>
#include "core.h"

static tgs_status write_stg(const tgs_graph_view *g, const tgs_args *a, FILE *to, tgs_error *err)
{
    bool weighted = false;
    tgs_status status = tgs_i_write_timed(g, "stg", err);

    (void)a;
    if (!status && !g->tasks)
        status = tgs_fail(err, TGS_ENOTAPPLICABLE, "stg: a graph without tasks cannot be written");
    if (status)
        return status;
    for (int32_t e = 0; e < g->edges; e++)
        weighted |= g->pred_datum[e] >= 0;
    fprintf(to, "%" PRId32 "\n", g->tasks);
    for (int32_t t = 0; t < g->tasks; t++) {
        fprintf(to, "%" PRId32 " ", t + 1);
        tgs_i_write_real(to, tgs_i_write_seconds(g, t));
        fprintf(to, " %" PRId32, g->pred_at[t + 1] - g->pred_at[t]);
        for (int32_t e = g->pred_at[t]; e < g->pred_at[t + 1]; e++) {
            fprintf(to, weighted ? "\n %" PRId32 " " : " %" PRId32, g->pred[e] + 1);
            if (weighted)
                tgs_i_write_real(to, g->pred_datum[e] < 0 ? 0 : g->datum[g->pred_datum[e]].bytes);
        }
        putc('\n', to);
    }
    return TGS_OK;
}

const tgs_writer tgs_writer_stg = {
    .base = {TGS_PLUGIN_ABI, "stg", "Standard Task Graph, with costs where data travel", NULL,
             NULL},
    .suffixes = ".stg",
    .holds = TGS_HOLDS_WORK | TGS_HOLDS_NO_DATA,
    .write = write_stg,
};
