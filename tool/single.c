/* single.c -- a comparison on one problem, with one seed: its table has the peak of every memory.
 */
#include "single.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "table.h"

enum {
    FIXED = 6,
    LAST = 2,
    MAX_SHOWN = 4
}; /* columns before and after the memories; memories shown */

static const column before[FIXED] = {
    {"heuristic", "heuristic", CELL_TEXT},
    {"makespan_s", "makespan", CELL_SECONDS},
    {"ratio", "ratio", CELL_REAL},
    {"bytes_moved", "bytes moved", CELL_BYTES},
    {"peak_bytes", "largest peak", CELL_BYTES},
    {"schedule_time_s", "time", CELL_SECONDS},
};
static const column after[LAST] = {
    {"lower_bound_s", NULL, CELL_SECONDS},
    {"note", "note", CELL_TEXT},
};

/* a column for the peak of each memory; headings only where they fit a screen */
static column *make_columns(const tgs_platform *p, int32_t *count)
{
    const int32_t memories = tgs_platform_memories(p);
    column *c = calloc((size_t)(FIXED + memories + LAST), sizeof *c);

    *count = FIXED + memories + LAST;
    if (!c)
        return NULL;
    memcpy(c, before, sizeof before);
    for (int32_t m = 0; m < memories; m++) {
        char *key, *heading = NULL;

        if (asprintf(&key, "peak_bytes_%s", tgs_platform_memory_name(p, m)) < 0)
            key = NULL;
        if (memories <= MAX_SHOWN
            && asprintf(&heading, "peak %s", tgs_platform_memory_name(p, m)) < 0)
            key = NULL;
        c[FIXED + m] = (column){key, heading, CELL_BYTES};
        if (!key)
            *count = 0;
    }
    if (memories <= MAX_SHOWN)
        c[FIXED - 2].heading = NULL; /* the largest is one of those shown */
    memcpy(c + FIXED + memories, after, sizeof after);
    return c;
}

static void free_columns(column *c, int32_t memories)
{
    for (int32_t m = 0; c && m < memories; m++) {
        free((char *)c[FIXED + m].key);
        free((char *)c[FIXED + m].heading);
    }
    free(c);
}

/* the largest bound that is known, whoever has it; *plain: of those that no heuristic proved */
static double largest_bound(const study *s, const char **by, double *plain)
{
    double bound = NAN;

    for (int64_t i = 0; i < s->count; i++) {
        const outcome *x = &s->cells.row[i];

        if (!isnan(x->bound) && !(bound >= x->bound)) {
            bound = x->bound;
            *by = x->bound_by;
        }
    }
    *plain = bound;
    for (int64_t i = 0; i < s->count; i++) {
        const outcome *x = &s->cells.row[i];

        if (!isnan(x->proven) && !(bound >= x->proven)) {
            bound = x->proven;
            *by = x->heuristic;
        }
    }
    return bound;
}

/* a schedule that runs tasks more than once has a lower bound of its own, below the plain one */
static void fill(table *t, const outcome *x, double bound, double plain)
{
    const double own = x->bound < plain ? x->bound : bound;
    const int32_t row = table_row(t);

    table_text(t, row, "heuristic", x->heuristic);
    table_real(t, row, "makespan_s", x->makespan);
    table_real(t, row, "schedule_time_s", x->seconds);
    if (*x->note)
        table_text(t, row, "note", x->note);
    if (isnan(x->makespan))
        return;
    table_real(t, row, "bytes_moved", x->bytes);
    table_real(t, row, "peak_bytes", x->peak);
    for (int32_t m = FIXED; x->peaks && m < t->columns - LAST; m++)
        table_real(t, row, t->column[m].key, x->peaks[m - FIXED]);
    table_real(t, row, "lower_bound_s", own);
    if (own > 0)
        table_real(t, row, "ratio", x->makespan / own);
}

static int print(const table *t, double bound, const char *which, int32_t beyond, const options *o,
                 FILE *to)
{
    char text[64];

    if (o->csv)
        return table_csv(t, to);
    if (o->json) {
        fputs("{\"format\": \"tgsched.compare/1\", \"graph\": ", to);
        tgs_json_text(to, o->operand[0]);
        if (!isnan(bound)) {
            fprintf(to, ", \"lower_bound_s\": %.17g, \"lower_bound\": ", bound);
            tgs_json_text(to, which);
        }
        fprintf(to, ", \"extrapolated\": %d, ", beyond);
        table_json(t, to);
        fputs("}\n", to);
        return EXIT_OK;
    }
    if (!isnan(bound)) {
        human(text, sizeof text, CELL_SECONDS, bound);
        fprintf(to, "lower bound %s (%s)\n", text, which);
    }
    if (beyond)
        fprintf(to, "%d times are extrapolated beyond what was measured\n", beyond);
    putc('\n', to);
    return table_people(t, to);
}

int single_print(const study *s, const char *sort, const options *o, FILE *to)
{
    const char *which = "";
    double plain, beyond = 0;
    const double bound = largest_bound(s, &which, &plain);
    int32_t count = 0;
    column *columns = make_columns(s->machine[0], &count);
    table t;
    int code;

    if (!columns || !count) {
        free_columns(columns, tgs_platform_memories(s->machine[0]));
        return fail(TGS_ENOMEM, NULL);
    }
    table_init(&t, "results", columns, count);
    for (int64_t i = 0; i < s->count; i++)
        if (s->cells.row[i].done) {
            fill(&t, &s->cells.row[i], bound, plain);
            beyond = s->cells.row[i].extrapolated;
        }
    table_sort(&t, sort);
    code = print(&t, bound, which, (int32_t)beyond, o, to);
    table_free(&t);
    free_columns(columns, tgs_platform_memories(s->machine[0]));
    return code;
}
