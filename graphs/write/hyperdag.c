/* hyperdag.c -- writes the text of the HyperDAG database, as the reader of it takes it.
 *
 * Each value that a task writes is a hyperedge, with its bytes as communication weight, and each
 * dependency along which nothing travels one of weight 0.  Work weights are seconds. */
#include <inttypes.h>
#include "core.h"

typedef struct writing {
    const tgs_graph_view *g;
    FILE *to;
    tgs_i_readers readers;
    int32_t edges; /* hyperedges, so far */
    int64_t pins;
} writing;

/* pass 0 counts, 1 writes the lines of hyperedges, 2 those of pins */
static void put_values(writing *w, int32_t t, int32_t pass)
{
    for (int32_t i = w->g->access_at[t]; i < w->g->access_at[t + 1]; i++) {
        const tgs_access a = w->g->access[i];

        if (!(a.mode & TGS_W))
            continue;
        if (pass == 1) {
            fprintf(w->to, "%" PRId32 " ", w->edges);
            tgs_i_write_real(w->to, w->g->datum[a.datum].bytes);
            putc('\n', w->to);
        } else if (pass == 2) {
            fprintf(w->to, "%" PRId32 " %" PRId32 "\n", w->edges, t);
            for (int32_t k = w->readers.at[i]; k < w->readers.at[i + 1]; k++)
                fprintf(w->to, "%" PRId32 " %" PRId32 "\n", w->edges, w->readers.task[k]);
        }
        w->pins += 1 + w->readers.at[i + 1] - w->readers.at[i];
        w->edges++;
    }
}

static void put_orders(writing *w, int32_t t, int32_t pass)
{
    for (int32_t e = w->g->succ_at[t]; e < w->g->succ_at[t + 1]; e++) {
        if (w->g->succ_datum[e] >= 0)
            continue;
        if (pass == 1)
            fprintf(w->to, "%" PRId32 " 0\n", w->edges);
        else if (pass == 2)
            fprintf(w->to, "%" PRId32 " %" PRId32 "\n%" PRId32 " %" PRId32 "\n", w->edges, t,
                    w->edges, w->g->succ[e]);
        w->pins += 2;
        w->edges++;
    }
}

static void put_all(writing *w, int32_t pass)
{
    w->edges = 0;
    w->pins = 0;
    for (int32_t t = 0; t < w->g->tasks; t++) {
        put_values(w, t, pass);
        put_orders(w, t, pass);
    }
}

static tgs_status write_hyperdag(const tgs_graph_view *g, const tgs_args *a, FILE *to,
                                 tgs_error *err)
{
    writing w = {.g = g, .to = to};
    tgs_status status = tgs_i_write_timed(g, "hyperdag", err);

    (void)a;
    if (!status)
        status = tgs_i_readers_open(&w.readers, g, err);
    if (!status) {
        put_all(&w, 0);
        fprintf(to,
                "%% HyperDAG: hyperedges, nodes, pins; weights are bytes and seconds\n%" PRId32
                " %" PRId32 " %" PRId64 "\n",
                w.edges, g->tasks, w.pins);
        put_all(&w, 1);
        for (int32_t t = 0; t < g->tasks; t++) {
            fprintf(to, "%" PRId32 " ", t);
            tgs_i_write_real(to, tgs_i_write_seconds(g, t));
            putc('\n', to);
        }
        put_all(&w, 2);
    }
    tgs_i_readers_close(&w.readers);
    return status;
}

const tgs_writer tgs_writer_hyperdag = {
    .base = {TGS_PLUGIN_ABI, "hyperdag", "the text of HyperDAG_DB", NULL, NULL},
    .suffixes = ".hdag",
    .holds = TGS_HOLDS_WORK | TGS_HOLDS_SHARING,
    .write = write_hyperdag,
};
