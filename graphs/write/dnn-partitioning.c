/* dnn-partitioning.c -- writes the JSON of msr-fiddle/dnn-partitioning, as its reader takes it.
 *
 * The ids are the indices of tasks.  Latencies are milliseconds: on the kinds that the parameters
 * name, else, where the graph has no such kind, a task's time on a processor of speed 1.  An edge
 * costs the milliseconds that its bytes take on links of `bandwidth`; nodes of a group have its
 * number as colorClass. */
#include <inttypes.h>
#include <string.h>
#include "core.h"

#define MILLI 1e-3

typedef struct writing {
    const tgs_graph_view *g;
    FILE *to;
    int32_t kind[2]; /* of the CPU and of the accelerator; -1: the graph has none */
    double bandwidth;
} writing;

/* milliseconds that the reader turns into just these seconds, where there are such */
static void put_milli(FILE *to, double seconds)
{
    const double x = seconds / MILLI;
    const double near[] = {x, nextafter(x, 0), nextafter(x, INFINITY)};
    int32_t i = 0;

    while (i < 3 && near[i] * MILLI != seconds)
        i++;
    tgs_i_write_real(to, near[i % 3]);
}

static int32_t find_kind(const tgs_graph_view *g, const char *name)
{
    for (int32_t k = 0; k < g->kinds; k++)
        if (!strcmp(g->kind_name[k], name))
            return k;
    return -1;
}

/* seconds; NaN: it cannot run there */
static double latency(const writing *w, int32_t t, int32_t which)
{
    const tgs_task *x = &w->g->task[t];
    const int32_t k = w->kind[which];
    const uint64_t allowed = x->constraint < 0 ? UINT64_MAX : w->g->constraint[x->constraint].kinds;

    if (k >= 0 && !(allowed >> k & 1))
        return NAN;
    if (k >= 0 && w->g->time && !isnan(w->g->time[(int64_t)t * w->g->kinds + k]))
        return w->g->time[(int64_t)t * w->g->kinds + k];
    return x->work;
}

static tgs_status put_node(const writing *w, int32_t t, tgs_error *err)
{
    const tgs_task *x = &w->g->task[t];
    const tgs_constraint *c = x->constraint < 0 ? NULL : &w->g->constraint[x->constraint];
    const double cpu = latency(w, t, 0), accelerator = latency(w, t, 1);
    char room[TGS_NAME_ROOM];

    if (isnan(cpu))
        return tgs_fail(err, TGS_ENOTAPPLICABLE,
                        "dnn-partitioning needs a time on the CPU of every task, and '%.80s' has "
                        "none",
                        tgs_i_write_name(w->g, t, room));
    fprintf(w->to, "%s\n  {\"id\": %" PRId32 ", \"cpuLatency\": ", t ? "," : "", t);
    put_milli(w->to, cpu);
    fprintf(w->to, ", \"supportedOnFpga\": %d, \"fpgaLatency\": ", !isnan(accelerator));
    put_milli(w->to, isnan(accelerator) ? 0 : accelerator);
    fputs(", \"size\": ", w->to);
    tgs_i_write_real(w->to, isnan(x->bytes) ? 0 : x->bytes);
    fprintf(w->to, ", \"isBackwardNode\": %d", x->phase == TGS_PHASE_BACKWARD);
    if (c && c->group >= 0)
        fprintf(w->to, ", \"colorClass\": %" PRId32, c->group);
    fprintf(w->to, ", \"name\": ");
    tgs_json_text(w->to, tgs_i_write_name(w->g, t, room));
    fputs("}", w->to);
    return TGS_OK;
}

/* what goes from a node to another is one transfer here, however many data it is */
static void put_edges(const writing *w)
{
    const tgs_graph_view *g = w->g;
    bool first = true;

    for (int32_t t = 0; t < g->tasks; t++)
        for (int32_t e = g->succ_at[t]; e < g->succ_at[t + 1];) {
            const int32_t to = g->succ[e];
            double bytes = 0;

            for (; e < g->succ_at[t + 1] && g->succ[e] == to; e++)
                bytes += g->succ_datum[e] < 0 ? 0 : g->datum[g->succ_datum[e]].bytes;
            fprintf(w->to, "%s\n  {\"sourceId\": %" PRId32 ", \"destId\": %" PRId32 ", \"cost\": ",
                    first ? "" : ",", t, to);
            put_milli(w->to, bytes / w->bandwidth);
            putc('}', w->to);
            first = false;
        }
}

static tgs_status write_dnn_partitioning(const tgs_graph_view *g, const tgs_args *a, FILE *to,
                                         tgs_error *err)
{
    const writing w = {.g = g,
                       .to = to,
                       .kind = {find_kind(g, tgs_arg_text(a, "cpu")),
                                find_kind(g, tgs_arg_text(a, "accelerator"))},
                       .bandwidth = tgs_arg_real(a, "bandwidth")};
    tgs_status status = TGS_OK;

    fputs("{\"nodes\": [", to);
    for (int32_t t = 0; t < g->tasks && !status; t++)
        status = put_node(&w, t, err);
    fputs("\n],\n\"edges\": [", to);
    if (!status)
        put_edges(&w);
    fputs("\n]}\n", to);
    return status;
}

static const tgs_param params[] = {
    {"cpu", "cpu", TGS_PARAM_TEXT, 0, 0, "the kind whose times are cpuLatency"},
    {"accelerator", "fpga", TGS_PARAM_TEXT, 0, 0, "the kind whose times are fpgaLatency"},
    {"bandwidth", "1", TGS_PARAM_REAL, 1e-15, 1e18,
     "byte/s of the links on which a transfer takes its cost"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_writer tgs_writer_dnn_partitioning = {
    .base = {TGS_PLUGIN_ABI, "dnn-partitioning", "the JSON of msr-fiddle/dnn-partitioning", NULL,
             params},
    .suffixes = "",
    .holds = TGS_HOLDS_TIMES | TGS_HOLDS_TOUCHED | TGS_HOLDS_SHARING,
    .write = write_dnn_partitioning,
};
