/* cmd_costs.c -- tgsched costs: what files of measured costs hold; several made one. */
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "common.h"
#include "table.h"

#define AT(field)      offsetof(options, field)
#define COUNT(columns) (int32_t)(sizeof(columns) / sizeof *(columns))
static const opt_row rows[] = {
    {"merge", 0, OPT_FLAG, NULL,
     "make the files one: what measures the same becomes its mean, weighted with how often it was "
     "measured",
     AT(merge)},
    {"output", 'o', OPT_TEXT, "FILE",
     "with --merge, write the measurements to FILE (.tgc); else what is shown", AT(output)},
    {"json", 0, OPT_FLAG, NULL, "print JSON", AT(json)},
    {"csv", 0, OPT_FLAG, NULL, "print CSV, a block for each kind of measurement", AT(csv)},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0},
};
static const opt_group own = {NULL, rows};

enum { CODELETS, LINKS, OVERHEADS, TABLES };

static void add_samples(table *t, const char *file, const tgs_costs *c)
{
    for (int32_t i = 0; i < tgs_costs_samples(c); i++) {
        const int32_t row = table_row(t);
        tgs_sample s;

        tgs_costs_sample(c, i, &s);
        if (file)
            table_text(t, row, "file", file);
        table_text(t, row, "codelet", s.codelet);
        table_text(t, row, "attrs", s.attrs);
        table_text(t, row, "dtype", tgs_dtype_name(s.dtype));
        table_text(t, row, "kind", s.kind);
        table_real(t, row, "flops", s.flops);
        table_real(t, row, "bytes", s.bytes);
        table_real(t, row, "median_s", s.median);
        table_real(t, row, "min_s", s.min);
        table_real(t, row, "spread_s", s.spread);
        table_real(t, row, "count", s.count);
        table_real(t, row, "rejected", s.rejected);
    }
}

static void add_links(table *t, const char *file, const tgs_costs *c)
{
    for (int32_t i = 0; i < tgs_costs_links(c); i++) {
        const int32_t row = table_row(t);
        tgs_link_sample s;

        tgs_costs_link(c, i, &s);
        if (file)
            table_text(t, row, "file", file);
        table_text(t, row, "from", s.from);
        table_text(t, row, "to", s.to);
        table_real(t, row, "latency_s", s.latency);
        table_real(t, row, "bandwidth_bytes_per_s", s.bandwidth);
        table_real(t, row, "misfit", s.misfit);
        table_real(t, row, "spread_s", s.spread);
        table_real(t, row, "count", s.count);
        table_real(t, row, "rejected", s.rejected);
    }
}

static void add_overheads(table *t, const char *file, const tgs_costs *c)
{
    for (int32_t i = 0; i < tgs_costs_overheads(c); i++) {
        const int32_t row = table_row(t);
        tgs_overhead o;

        tgs_costs_overhead(c, i, &o);
        if (file)
            table_text(t, row, "file", file);
        table_text(t, row, "kind", o.kind);
        table_real(t, row, "task_s", o.task);
        table_real(t, row, "access_s", o.access);
        table_real(t, row, "handover_s", o.handover);
        table_real(t, row, "start_s", o.start);
        table_real(t, row, "count", o.count);
    }
}

static void add(table t[TABLES], const char *file, const tgs_costs *c)
{
    add_samples(&t[CODELETS], file, c);
    add_links(&t[LINKS], file, c);
    add_overheads(&t[OVERHEADS], file, c);
}

/* several: whether a column has to tell the files apart */
static void open_tables(table t[TABLES], bool several)
{
    static const column codelets[] = {
        {"file", "file", CELL_TEXT},        {"codelet", "codelet", CELL_TEXT},
        {"attrs", "attributes", CELL_TEXT}, {"dtype", "type", CELL_TEXT},
        {"kind", "kind", CELL_TEXT},        {"flops", "flops", CELL_REAL},
        {"bytes", "bytes", CELL_BYTES},     {"median_s", "median", CELL_SECONDS},
        {"min_s", "min", CELL_SECONDS},     {"spread_s", "spread", CELL_SECONDS},
        {"count", "count", CELL_COUNT},     {"rejected", "rejected", CELL_COUNT},
    };
    static const column links[] = {
        {"file", "file", CELL_TEXT},
        {"from", "from", CELL_TEXT},
        {"to", "to", CELL_TEXT},
        {"latency_s", "latency", CELL_SECONDS},
        {"bandwidth_bytes_per_s", "bandwidth/s", CELL_BYTES},
        {"spread_s", "spread", CELL_SECONDS},
        {"misfit", "misfit", CELL_REAL},
        {"count", "count", CELL_COUNT},
        {"rejected", "rejected", CELL_COUNT},
    };
    static const column overheads[] = {
        {"file", "file", CELL_TEXT},
        {"kind", "kind", CELL_TEXT},
        {"task_s", "of a task", CELL_SECONDS},
        {"access_s", "of an access", CELL_SECONDS},
        {"handover_s", "of waiting for others", CELL_SECONDS},
        {"start_s", "of a step's start", CELL_SECONDS},
        {"count", "count", CELL_COUNT},
    };
    const int32_t skip = !several;

    table_init(&t[CODELETS], "codelets", codelets + skip, COUNT(codelets) - skip);
    table_init(&t[LINKS], "links", links + skip, COUNT(links) - skip);
    table_init(&t[OVERHEADS], "overheads", overheads + skip, COUNT(overheads) - skip);
}

/* ---- printing ---- */
static int print(table t[TABLES], const options *o, FILE *to)
{
    static const char *const title[TABLES] = {"codelets", "links", "overheads of the runtime"};
    int code = EXIT_OK, printed = 0;

    if (o->json)
        fputs("{\"format\": \"tgsched.costs/1\"", to);
    for (int i = 0; i < TABLES && !code; i++) {
        if (o->json) {
            fputs(",\n", to);
            table_json(&t[i], to);
        } else if (t[i].rows) {
            fputs(printed++ ? "\n" : "", to);
            if (!o->csv)
                fprintf(to, "%s\n", title[i]);
            code = o->csv ? table_csv(&t[i], to) : table_people(&t[i], to);
        }
    }
    if (o->json)
        fputs("}\n", to);
    return code;
}

static int show(const options *o, tgs_costs *const *costs, const char *const *name, int32_t count)
{
    table t[TABLES];
    result r;
    int code;

    if (o->merge && o->output && !strcmp(o->output, "-"))
        return EXIT_OK; /* the measurements are there already */
    code = result_open(&r, o->merge ? NULL : o->output);
    open_tables(t, count > 1);
    for (int32_t i = 0; i < count; i++)
        add(t, count > 1 ? name[i] : NULL, costs[i]);
    if (!code)
        code = result_close(&r, print(t, o, r.file));
    for (int i = 0; i < TABLES; i++)
        table_free(&t[i]);
    return code;
}

static int merge(tgs_costs **out, tgs_costs *const *costs, int32_t count, const char *path)
{
    tgs_error err = {TGS_OK, ""};
    tgs_status status = tgs_costs_merge(out, (const tgs_costs *const *)costs, count, &err);

    if (!status && path) {
        status = tgs_costs_write(*out, path, &err);
        return status ? fail_write(status, &err, path) : EXIT_OK;
    }
    return status ? fail(status, &err) : EXIT_OK;
}

static int run(const command *self, const options *o)
{
    tgs_costs **costs = calloc((size_t)o->operands, sizeof *costs), *merged = NULL;
    tgs_error err = {TGS_OK, ""};
    int code = costs ? EXIT_OK : fail(TGS_ENOMEM, NULL);

    (void)self;
    for (int i = 0; i < o->operands && !code; i++) {
        const tgs_status status = tgs_costs_open(&costs[i], o->operand[i], &err);

        code = status ? fail(status, &err) : EXIT_OK;
        if (!code && tgs_costs_remark(costs[i]))
            warn("%s: %s", o->operand[i], tgs_costs_remark(costs[i]));
    }
    if (!code && o->merge)
        code = merge(&merged, costs, o->operands, o->output);
    if (!code && merged)
        code = show(o, &merged, NULL, 1);
    else if (!code)
        code = show(o, costs, (const char *const *)o->operand, o->operands);
    tgs_costs_free(merged);
    for (int i = 0; costs && i < o->operands; i++)
        tgs_costs_free(costs[i]);
    free(costs);
    return code;
}

const command cmd_costs = {
    "costs",
    "FILE...",
    "show measured costs, or make several files one",
    "Show what FILE (.tgc, or starpu:DIR/HOST) holds: of each codelet, with its attributes, on "
    "each "
    "kind of processor the median, minimum and spread of its measured times and how many outliers "
    "were rejected; of each link its latency, its bandwidth and how far the sizes measured are "
    "from "
    "that line; and what the runtime takes beside the kernels. The files are text and can be "
    "edited.",
    1,
    ANY,
    {&own},
    run,
};
