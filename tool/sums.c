/* sums.c -- tables of what a graph adds up to. */
#include "sums.h"
#include "records.h"

enum { MOST_ROWS = 30 }; /* of a table for people */

static const column of_tasks[4][4] = {
    {{"phase", "phase", CELL_TEXT},
     {"tasks", "tasks", CELL_COUNT},
     {"flops", "flops", CELL_REAL},
     {"bytes", "touches", CELL_BYTES}},
    {{"codelet", "codelet", CELL_TEXT},
     {"tasks", "tasks", CELL_COUNT},
     {"flops", "flops", CELL_REAL},
     {"bytes", "touches", CELL_BYTES}},
    {{"layer", "layer", CELL_TEXT},
     {"tasks", "tasks", CELL_COUNT},
     {"flops", "flops", CELL_REAL},
     {"bytes", "touches", CELL_BYTES}},
    {{"class", "class of data", CELL_TEXT},
     {"data", "data", CELL_COUNT},
     {"bytes", "memory", CELL_BYTES}},
};
static const char *const names[] = {"phases", "codelets", "by_layer", "classes"};

int sum_table(table *t, const tgs_graph *g, tgs_sum_by by)
{
    const bool data = by == TGS_SUM_CLASS;
    tgs_error err = {TGS_OK, ""};
    tgs_sums *s;
    const tgs_status status = tgs_graph_sum(&s, g, by, &err);

    table_init(t, names[by], of_tasks[by], data ? 3 : 4);
    if (status)
        return fail(status, &err);
    for (int32_t i = 0; i < tgs_sums_count(s); i++) {
        const int32_t row = table_row(t);
        tgs_sum x;

        tgs_sums_at(s, i, &x);
        table_text(t, row, of_tasks[by][0].key, x.name);
        table_real(t, row, of_tasks[by][1].key, x.count);
        if (!data)
            table_real(t, row, "flops", x.flops);
        table_real(t, row, "bytes", x.bytes);
    }
    tgs_sums_free(s);
    return EXIT_OK;
}

int print_sums(const table *record, const table *t, int tables, const char *name, const options *o,
               FILE *to)
{
    int code = EXIT_OK;

    if (o->csv)
        return record_print(record, name, o, to);
    if (!o->json) {
        record_people(record, to);
        for (int i = 0; i < tables && !code; i++) {
            table part = t[i]; /* not to be freed */

            part.rows = part.rows > MOST_ROWS ? MOST_ROWS : part.rows;
            putc('\n', to);
            code = table_people(&part, to);
            if (part.rows < t[i].rows)
                fprintf(to, "... and %d more; --json has them all\n", (int)(t[i].rows - part.rows));
        }
        return code;
    }
    fprintf(to, "{\"format\": \"tgsched.%s/1\", ", name);
    record_json(record, to);
    for (int i = 0; i < tables; i++) {
        fputs(",\n", to);
        table_json(&t[i], to);
    }
    fputs("}\n", to);
    return EXIT_OK;
}
