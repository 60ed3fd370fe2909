/* cmd_info.c -- tgsched info: what a file is, and its figures. */
#include <string.h>
#include "commands.h"
#include "records.h"

#define AT(field) offsetof(options, field)
static const opt_row rows[] = {
    {"graph", 'g', OPT_INPUT, "GRAPH", "the graph that a schedule is for: FILE or gen:SPEC",
     AT(graph)},
    {"platform", 'm', OPT_INPUT, "PLATFORM",
     "the machine that a schedule is for, or on which a "
     "graph's times and ratio of communication to computation (CCR) are taken",
     AT(platform)},
    {"costs", 0, OPT_INPUT, "COSTS", "where task times come from (default: auto)", AT(costs)},
    {"from", 0, OPT_TEXT, "FORMAT", "read the file as FORMAT, instead of by suffix and content",
     AT(from)},
    {"bind", 0, OPT_TEXT, "DIM=N,...", "fix symbolic dimensions of a model", AT(bind)},
    {"seed", 0, OPT_SEED, "N", "seed of gen:SPEC (default: 0)", AT(seed)},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0},
};
static const opt_group own = {NULL, rows};

static int info_graph(table *t, const char *path, const char *format, const command *self,
                      const options *o)
{
    input in;
    tgs_graph *g;
    int code;

    if (o->platform) {
        code = input_open(&in, path, self, o);
        if (!code)
            code = graph_record(t, path, format, in.graph, in.problem);
        input_close(&in);
        return code;
    }
    code = open_graph(&g, path, self, o);
    if (!code)
        code = graph_record(t, path, format, g, NULL);
    tgs_graph_free(g);
    return code;
}

static int info_schedule(table *t, const char *path, const char *format, const command *self,
                         const options *o)
{
    options with = *o;
    tgs_schedule *s = NULL;
    input in;
    int code;

    with.schedule = path;
    if (!o->graph && !origin_told(path)) {
        warn("%s: name its graph and platform (-g, -m) to see more", path);
        return file_record(t, path, format, "schedule");
    }
    code = origin_input(&in, o->graph, self, &with);
    if (!code)
        code = open_schedule(&s, &in, self, &with);
    if (!code)
        code = schedule_record(t, path, &in, s);
    tgs_schedule_free(s);
    input_close(&in);
    return code;
}

static int info_model(table *t, const char *path, const options *o)
{
    tgs_model *m;
    int code = open_model(&m, path, o);

    if (!code)
        code = model_record(t, path, m);
    tgs_model_free(m);
    return code;
}

static int info_platform(table *t, table details[PLATFORM_TABLES], const char *path)
{
    tgs_platform *p;
    int code = open_platform(&p, path);

    if (!code)
        code = platform_record(t, path, p);
    if (!code)
        platform_tables(details, p);
    tgs_platform_free(p);
    return code;
}

static int info_costs(table *t, const char *path)
{
    tgs_error err = {TGS_OK, ""};
    tgs_costs *c;
    const tgs_status status = tgs_costs_open(&c, path, &err);
    const int code = status ? fail(status, &err) : costs_record(t, path, c);

    tgs_costs_free(c);
    return code;
}

static int info_trace(table *t, const char *path)
{
    tgs_error err = {TGS_OK, ""};
    tgs_trace *trace;
    const tgs_status status = tgs_trace_read(&trace, path, &err);
    const int code = status ? fail(status, &err) : trace_record(t, path, trace);

    tgs_trace_free(trace);
    return code;
}

static int info_strategy(table *t, const char *path, const char *format)
{
    tgs_error err = {TGS_OK, ""};
    tgs_strategy *s;
    const tgs_status status = tgs_strategy_read(&s, path, &err);

    tgs_strategy_free(s);
    return status ? fail(status, &err) : file_record(t, path, format, "strategy");
}

static int info(table *t, table details[PLATFORM_TABLES], const char *path, const command *self,
                const options *o)
{
    const char *format, *yields;
    tgs_error err = {TGS_OK, ""};
    tgs_status status;

    if (!strncmp(path, "gen:", 4))
        return info_graph(t, path, "generated", self, o);
    if (!strcmp(path, "host"))
        return info_platform(t, details, path);
    format = o->from;
    status = o->from ? tgs_format_yields(o->from, &yields, &err)
                     : tgs_identify(path, &format, &yields, &err);
    if (status)
        return o->from ? fail_spec(status, &err) : fail(status, &err);
    if (!strcmp(yields, "graph"))
        return info_graph(t, path, format, self, o);
    if (!strcmp(yields, "model"))
        return info_model(t, path, o);
    if (!strcmp(yields, "platform"))
        return info_platform(t, details, path);
    if (!strcmp(yields, "costs"))
        return info_costs(t, path);
    if (!strcmp(yields, "schedule"))
        return info_schedule(t, path, format, self, o);
    if (!strcmp(yields, "trace"))
        return info_trace(t, path);
    if (!strcmp(yields, "strategy"))
        return info_strategy(t, path, format);
    return file_record(t, path, format, yields);
}

static int print(const table *t, const table details[PLATFORM_TABLES], const options *o, FILE *to)
{
    int code = EXIT_OK;

    if (o->csv || !details[PLATFORM_PROCESSORS].rows)
        return record_print(t, "info", o, to);
    if (!o->json) {
        record_people(t, to);
        for (int i = 0; i < PLATFORM_TABLES && !code; i++)
            if (details[i].rows) {
                putc('\n', to);
                code = table_people(&details[i], to);
            }
        return code;
    }
    fputs("{\"format\": \"tgsched.info/1\", ", to);
    record_json(t, to);
    for (int i = 0; i < PLATFORM_TABLES; i++) {
        fputs(",\n", to);
        table_json(&details[i], to);
    }
    fputs("}\n", to);
    return code;
}

static int run(const command *self, const options *o)
{
    table t = {0}, details[PLATFORM_TABLES] = {0};
    result r;
    int code = info(&t, details, o->operand[0], self, o);

    if (!code)
        code = result_open(&r, o->output);
    if (!code)
        code = result_close(&r, print(&t, details, o, r.file));
    for (int i = 0; i < PLATFORM_TABLES; i++)
        table_free(&details[i]);
    table_free(&t);
    return code;
}

const command cmd_info = {
    "info",
    "FILE",
    "show what a file is, and its figures",
    "Show what FILE is, whatever it holds: a graph (also gen:SPEC), model, platform (also host), "
    "costs, "
    "schedule, trace or strategy; of a graph its tasks, edges, data, depth, width, critical path "
    "and ratio of communication to computation.",
    1,
    1,
    {&own, &table_options},
    run,
};
