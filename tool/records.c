/* records.c -- the figures of each kind of file. */
#include "records.h"
#include <math.h>
#include <stdlib.h>

#define COUNT(columns) (int32_t)(sizeof(columns) / sizeof *(columns))

int record_print(const table *t, const char *name, const options *o, FILE *to)
{
    if (o->csv)
        return table_csv(t, to);
    if (o->json) {
        fprintf(to, "{\"format\": \"tgsched.%s/1\", ", name);
        record_json(t, to);
        fputs("}\n", to);
    } else
        record_people(t, to);
    return t->failed ? fail(TGS_ENOMEM, NULL) : EXIT_OK;
}

int table_print(const table *t, const char *name, const options *o, FILE *to)
{
    if (o->csv)
        return table_csv(t, to);
    if (!o->json)
        return table_people(t, to);
    fprintf(to, "{\"format\": \"tgsched.%s/1\", ", name);
    table_json(t, to);
    fputs("}\n", to);
    return t->failed ? fail(TGS_ENOMEM, NULL) : EXIT_OK;
}

int file_record(table *t, const char *path, const char *format, const char *yields)
{
    static const column columns[] = {
        {"file", "file", CELL_TEXT},
        {"file_format", "format", CELL_TEXT},
        {"holds", "holds", CELL_TEXT},
    };

    table_init(t, "file", columns, COUNT(columns));
    table_row(t);
    table_text(t, 0, "file", path);
    table_text(t, 0, "file_format", format);
    table_text(t, 0, "holds", yields);
    return EXIT_OK;
}

/* what a graph says by itself: communication as if every byte took a second, as the files of the
 * literature give it */
static void graph_alone(table *t, const tgs_graph_stats *s)
{
    table_real(t, 0, "work_s", s->work);
    table_real(t, 0, "critical_path_s", s->critical_path);
    if (s->work > 0)
        table_real(t, 0, "ccr_per_byte_s", s->edge_bytes / s->work);
}

int graph_record(table *t, const char *path, const char *format, const tgs_graph *g,
                 const tgs_problem *pb)
{
    static const column columns[] = {
        {"file", "file", CELL_TEXT},
        {"file_format", "format", CELL_TEXT},
        {"holds", "holds", CELL_TEXT},
        {"tasks", "tasks", CELL_COUNT},
        {"edges", "edges", CELL_COUNT},
        {"data", "data", CELL_COUNT},
        {"sources", "sources", CELL_COUNT},
        {"sinks", "sinks", CELL_COUNT},
        {"depth", "depth", CELL_COUNT},
        {"width", "width", CELL_COUNT},
        {"work_s", "work", CELL_SECONDS},
        {"critical_path_s", "critical path", CELL_SECONDS},
        {"ccr", "CCR", CELL_REAL},
        {"ccr_per_byte_s", "CCR at 1 byte/s", CELL_REAL},
        {"flops", "flops", CELL_REAL},
        {"data_bytes", "data size", CELL_BYTES},
        {"edge_bytes", "size over edges", CELL_BYTES},
        {"parameters", "parameters", CELL_COUNT},
    };
    tgs_error err = {TGS_OK, ""};
    tgs_graph_stats s;
    tgs_problem_stats p;
    tgs_status status = tgs_graph_measure(g, &s, &err);

    table_init(t, "graph", columns, COUNT(columns));
    if (!status && pb)
        status = tgs_problem_measure(pb, &p, &err);
    if (status)
        return fail(status, &err);
    table_row(t);
    table_text(t, 0, "file", path);
    table_text(t, 0, "file_format", format);
    table_text(t, 0, "holds", "graph");
    table_real(t, 0, "tasks", s.tasks);
    table_real(t, 0, "edges", s.edges);
    table_real(t, 0, "data", s.data);
    table_real(t, 0, "sources", s.sources);
    table_real(t, 0, "sinks", s.sinks);
    table_real(t, 0, "depth", s.depth);
    table_real(t, 0, "width", s.width);
    if (pb) {
        table_real(t, 0, "work_s", p.mean_time * s.tasks);
        table_real(t, 0, "critical_path_s", p.critical_path);
        table_real(t, 0, "ccr", p.ccr);
    } else
        graph_alone(t, &s);
    if (s.flops > 0)
        table_real(t, 0, "flops", s.flops);
    table_real(t, 0, "data_bytes", s.bytes);
    table_real(t, 0, "edge_bytes", s.edge_bytes);
    if (s.parameters > 0)
        table_real(t, 0, "parameters", s.parameters);
    return EXIT_OK;
}

int model_record(table *t, const char *path, const tgs_model *m)
{
    static const column columns[] = {
        {"file", "file", CELL_TEXT},
        {"holds", "holds", CELL_TEXT},
        {"layers", "layers", CELL_COUNT},
        {"tensors", "tensors", CELL_COUNT},
        {"parameters", "parameters", CELL_COUNT},
        {"flops_forward", "flops forward", CELL_REAL},
        {"batch", "batch", CELL_COUNT},
    };
    tgs_error err = {TGS_OK, ""};
    tgs_model_stats s;
    const tgs_status status = tgs_model_measure(m, &s, &err);

    table_init(t, "model", columns, COUNT(columns));
    if (status)
        return fail(status, &err);
    table_row(t);
    table_text(t, 0, "file", path);
    table_text(t, 0, "holds", "model");
    table_real(t, 0, "layers", s.layers);
    table_real(t, 0, "tensors", s.tensors);
    table_real(t, 0, "parameters", s.parameters);
    table_real(t, 0, "flops_forward", s.flops_forward);
    table_real(t, 0, "batch", s.batch);
    return EXIT_OK;
}

int platform_record(table *t, const char *path, const tgs_platform *p)
{
    static const column columns[] = {
        {"file", "file", CELL_TEXT},          {"holds", "holds", CELL_TEXT},
        {"kinds", "kinds", CELL_COUNT},       {"processors", "processors", CELL_COUNT},
        {"memories", "memories", CELL_COUNT}, {"links", "links", CELL_COUNT},
    };

    table_init(t, "platform", columns, COUNT(columns));
    table_row(t);
    table_text(t, 0, "file", path);
    table_text(t, 0, "holds", "platform");
    table_real(t, 0, "kinds", tgs_platform_kinds(p));
    table_real(t, 0, "processors", tgs_platform_processors(p));
    table_real(t, 0, "memories", tgs_platform_memories(p));
    table_real(t, 0, "links", tgs_platform_links(p));
    return EXIT_OK;
}

static void processor_table(table *t, const tgs_platform *p)
{
    static const column columns[] = {
        {"processor", "processor", CELL_TEXT},
        {"kind", "kind", CELL_TEXT},
        {"arch", "kernels", CELL_TEXT},
        {"memory", "memory", CELL_TEXT},
    };

    table_init(t, "processor", columns, COUNT(columns));
    for (int32_t i = 0; i < tgs_platform_processors(p); i++) {
        const int32_t row = table_row(t), kind = tgs_platform_processor_kind(p, i);

        table_text(t, row, "processor", tgs_platform_processor_name(p, i));
        table_text(t, row, "kind", tgs_platform_kind_name(p, kind));
        table_text(t, row, "arch", tgs_platform_kind_arch(p, kind));
        table_text(t, row, "memory",
                   tgs_platform_memory_name(p, tgs_platform_processor_memory(p, i)));
    }
}

void platform_tables(table t[PLATFORM_TABLES], const tgs_platform *p)
{
    static const column memories[] = {
        {"memory", "memory", CELL_TEXT},
        {"capacity_bytes", "capacity", CELL_BYTES},
    };
    static const column links[] = {
        {"from", "from", CELL_TEXT},
        {"to", "to", CELL_TEXT},
        {"latency_s", "latency", CELL_SECONDS},
        {"bandwidth_bytes_per_s", "bandwidth/s", CELL_BYTES},
    };

    processor_table(&t[PLATFORM_PROCESSORS], p);
    table_init(&t[PLATFORM_MEMORIES], "memory", memories, COUNT(memories));
    for (int32_t i = 0; i < tgs_platform_memories(p); i++) {
        const int32_t row = table_row(&t[PLATFORM_MEMORIES]);

        table_text(&t[PLATFORM_MEMORIES], row, "memory", tgs_platform_memory_name(p, i));
        table_real(&t[PLATFORM_MEMORIES], row, "capacity_bytes",
                   tgs_platform_memory_capacity(p, i));
    }
    table_init(&t[PLATFORM_LINKS], "link", links, COUNT(links));
    for (int32_t i = 0; i < tgs_platform_links(p); i++) {
        const int32_t row = table_row(&t[PLATFORM_LINKS]);
        tgs_link_info l;

        tgs_platform_link(p, i, &l);
        table_text(&t[PLATFORM_LINKS], row, "from", tgs_platform_memory_name(p, l.from));
        table_text(&t[PLATFORM_LINKS], row, "to", tgs_platform_memory_name(p, l.to));
        table_real(&t[PLATFORM_LINKS], row, "latency_s", l.latency);
        table_real(&t[PLATFORM_LINKS], row, "bandwidth_bytes_per_s", l.bandwidth);
    }
}

int costs_record(table *t, const char *path, const tgs_costs *c)
{
    static const column columns[] = {
        {"file", "file", CELL_TEXT},
        {"holds", "holds", CELL_TEXT},
        {"samples", "measured codelets", CELL_COUNT},
        {"links", "measured links", CELL_COUNT},
    };

    table_init(t, "costs", columns, COUNT(columns));
    table_row(t);
    table_text(t, 0, "file", path);
    table_text(t, 0, "holds", "costs");
    table_real(t, 0, "samples", tgs_costs_samples(c));
    table_real(t, 0, "links", tgs_costs_links(c));
    return EXIT_OK;
}

int trace_record(table *t, const char *path, const tgs_trace *trace)
{
    static const column columns[] = {
        {"file", "file", CELL_TEXT},
        {"holds", "holds", CELL_TEXT},
        {"origin", "origin", CELL_TEXT},
        {"steps", "steps", CELL_COUNT},
        {"executions", "executions", CELL_COUNT},
        {"transfers", "transfers", CELL_COUNT},
        {"processors", "processors", CELL_COUNT},
        {"memories", "memories", CELL_COUNT},
        {"makespan_s", "makespan", CELL_SECONDS},
        {"bytes_moved", "bytes moved", CELL_BYTES},
    };

    table_init(t, "trace", columns, COUNT(columns));
    table_row(t);
    table_text(t, 0, "file", path);
    table_text(t, 0, "holds", "trace");
    table_text(t, 0, "origin", tgs_trace_origin(trace));
    table_real(t, 0, "steps", tgs_trace_steps(trace));
    table_real(t, 0, "executions", tgs_trace_executions(trace));
    table_real(t, 0, "transfers", tgs_trace_transfers(trace));
    table_real(t, 0, "processors", tgs_trace_processors(trace));
    table_real(t, 0, "memories", tgs_trace_memories(trace));
    table_real(t, 0, "makespan_s", tgs_trace_makespan(trace));
    table_real(t, 0, "bytes_moved", tgs_trace_bytes_moved(trace));
    return EXIT_OK;
}

/* all memories at once: each look at one takes as long */
static void fullest_memory(table *t, const input *in, const tgs_schedule *s)
{
    const int32_t memories = tgs_platform_memories(in->platform);
    double *peaks = calloc((size_t)memories + 1, sizeof *peaks);
    int32_t fullest = 0;

    if (peaks && !tgs_schedule_peaks(peaks, s, in->problem)) {
        for (int32_t m = 1; m < memories; m++)
            fullest = peaks[m] > peaks[fullest] ? m : fullest;
        table_real(t, 0, "peak_bytes", peaks[fullest]);
        table_text(t, 0, "peak_memory", tgs_platform_memory_name(in->platform, fullest));
    }
    free(peaks);
}

int schedule_record(table *t, const char *path, const input *in, const tgs_schedule *s)
{
    static const column columns[] = {
        {"graph", "graph", CELL_TEXT},
        {"schedule", "schedule", CELL_TEXT},
        {"heuristic", "heuristic", CELL_TEXT},
        {"tasks", "tasks", CELL_COUNT},
        {"makespan_s", "makespan", CELL_SECONDS},
        {"lower_bound_s", "lower bound", CELL_SECONDS},
        {"lower_bound", "bound by", CELL_TEXT},
        {"ratio", "ratio", CELL_REAL},
        {"bytes_moved", "bytes moved", CELL_BYTES},
        {"peak_bytes", "peak memory", CELL_BYTES}, /* of the fullest memory */
        {"peak_memory", "in memory", CELL_TEXT},
        {"extrapolated", "extrapolated", CELL_COUNT}, /* times beyond the measured sizes */
        {"note", "note", CELL_TEXT},
    };
    const char *which = NULL;
    const double bound = lower_bound(in->problem, s, &which);
    const double makespan = tgs_schedule_makespan(s);

    table_init(t, "schedule", columns, COUNT(columns));
    table_row(t);
    table_text(t, 0, "graph", in->title);
    if (path)
        table_text(t, 0, "schedule", path);
    table_text(t, 0, "heuristic", tgs_schedule_heuristic(s));
    table_real(t, 0, "tasks", tgs_graph_tasks(in->graph));
    table_real(t, 0, "makespan_s", makespan);
    table_real(t, 0, "lower_bound_s", bound);
    if (!isnan(bound) && which)
        table_text(t, 0, "lower_bound", which);
    if (bound > 0)
        table_real(t, 0, "ratio", makespan / bound);
    table_real(t, 0, "bytes_moved", tgs_schedule_bytes_moved(s, in->problem));
    fullest_memory(t, in, s);
    table_real(t, 0, "extrapolated", extrapolated(in->problem));
    if (*tgs_schedule_note(s))
        table_text(t, 0, "note", tgs_schedule_note(s));
    return EXIT_OK;
}
