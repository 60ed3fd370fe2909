/* cmd_compare.c -- tgsched compare: several heuristics on one problem. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "common.h"
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

typedef struct known { /* the largest lower bound so far */
    double bound;      /* NaN: none */
    char by[128];
} known;

static void fill(table *t, int32_t row, const input *in, const tgs_schedule *s)
{
    double largest = 0;

    table_real(t, row, "makespan_s", tgs_schedule_makespan(s));
    table_real(t, row, "bytes_moved", tgs_schedule_bytes_moved(s, in->problem));
    for (int32_t m = 0; m < tgs_platform_memories(in->platform); m++) {
        const double peak = tgs_schedule_peak(s, in->problem, m);

        table_real(t, row, t->column[FIXED + m].key, peak);
        largest = fmax(largest, peak);
    }
    table_real(t, row, "peak_bytes", largest);
    if (*tgs_schedule_note(s))
        table_text(t, row, "note", tgs_schedule_note(s));
}

/* A heuristic that finds nothing here is a row without figures; a wrong name is a mistake. */
static int try_one(table *t, const input *in, const char *spec, known *best, uint64_t seed,
                   int *feasible)
{
    tgs_error err = {TGS_OK, ""};
    tgs_schedule *s;
    const double start = now();
    const tgs_status status = tgs_schedule_make(&s, in->problem, spec, seed, &err);
    const double seconds = now() - start;
    int32_t row;

    if (status && status != TGS_EINFEASIBLE && status != TGS_ENOTAPPLICABLE)
        return fail_spec(status, &err);
    row = table_row(t);
    table_text(t, row, "heuristic", spec);
    table_real(t, row, "schedule_time_s", seconds);
    if (status)
        table_text(t, row, "note", err.text);
    else {
        fill(t, row, in, s);
        ++*feasible;
        if (!isnan(tgs_schedule_lower_bound(s)) && !(best->bound >= tgs_schedule_lower_bound(s))) {
            best->bound = tgs_schedule_lower_bound(s);
            snprintf(best->by, sizeof best->by, "%s", spec);
        }
    }
    tgs_schedule_free(s);
    return EXIT_OK;
}

/* every makespan beside the best bound, whoever proved it */
static void rate(table *t, double bound)
{
    for (int32_t row = 0; row < t->rows; row++) {
        const double makespan = table_value(t, row, "makespan_s");

        if (isnan(makespan))
            continue;
        table_real(t, row, "lower_bound_s", bound);
        if (bound > 0)
            table_real(t, row, "ratio", makespan / bound);
    }
}

static int try_all(table *t, const input *in, known *best, const options *o, int *feasible)
{
    int32_t count = 0;
    int code = EXIT_OK;

    while (tgs_plugin_name("heuristic", count))
        count++;
    for (int32_t i = 0; i < count && !code; i++) {
        progress("%d of %d: %s", i + 1, count, tgs_plugin_name("heuristic", i));
        code = try_one(t, in, tgs_plugin_name("heuristic", i), best, o->seed, feasible);
    }
    return code;
}

static int try_list(table *t, const input *in, known *best, const command *self, const options *o,
                    int *feasible)
{
    char *list = strdup(o->heuristics), *rest = list, *spec;
    int code = list ? EXIT_OK : fail(TGS_ENOMEM, NULL);

    while (!code && (spec = strsep(&rest, ","))) {
        progress("%s", spec);
        code = *spec ? try_one(t, in, spec, best, o->seed, feasible)
                     : misuse(self, "an empty name in '%s'", o->heuristics);
    }
    free(list);
    return code;
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
        if (!isnan(bound))
            fprintf(to, ", \"lower_bound_s\": %.17g, \"lower_bound\": \"%s\"", bound, which);
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

static int run(const command *self, const options *o)
{
    const char *sort = o->sort ? o->sort : "makespan";
    const char *which = NULL;
    column *columns = NULL;
    known best;
    int32_t count = 0;
    int feasible = 0;
    table t = {0};
    input in;
    result r;
    int code;

    sort = !strcmp(sort, "makespan") ? "makespan_s"
           : !strcmp(sort, "bytes")  ? "bytes_moved"
           : !strcmp(sort, "peak")   ? "peak_bytes"
           : !strcmp(sort, "time")   ? "schedule_time_s"
                                     : NULL;
    if (!sort)
        return misuse(self, "--sort is makespan, bytes, peak or time, not '%s'", o->sort);
    code = input_open(&in, o->operand[0], self, o);
    if (code)
        goto done;
    columns = make_columns(in.platform, &count);
    if (!columns || !count) {
        code = fail(TGS_ENOMEM, NULL);
        goto done;
    }
    table_init(&t, "results", columns, count);
    best.bound = lower_bound(in.problem, NULL, &which);
    snprintf(best.by, sizeof best.by, "%s", which ? which : "");
    code = !o->heuristics || !strcmp(o->heuristics, "all")
               ? try_all(&t, &in, &best, o, &feasible)
               : try_list(&t, &in, &best, self, o, &feasible);
    rate(&t, best.bound);
    table_sort(&t, sort);
    if (!code)
        code = result_open(&r, o->output);
    if (!code)
        code =
            result_close(&r, print(&t, best.bound, best.by, extrapolated(in.problem), o, r.file));
    if (!code && !feasible) {
        warn("no heuristic found a feasible schedule");
        code = EXIT_INFEASIBLE;
    }
done:
    table_free(&t);
    free_columns(columns, in.platform ? tgs_platform_memories(in.platform) : 0);
    input_close(&in);
    return code;
}

#define AT(field) offsetof(options, field)
static const opt_row rows[] = {
    {"heuristic", 'a', OPT_TEXT, "SPEC,...",
     "the heuristics, separated by commas, or all "
     "(default: all)",
     AT(heuristics)},
    {"sort", 0, OPT_TEXT, "BY",
     "order of the rows: makespan, bytes, peak or time (default: makespan)", AT(sort)},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0},
};
static const opt_group own = {NULL, rows};

const command cmd_compare = {
    "compare",
    "GRAPH",
    "compare heuristics on one graph and machine",
    "Schedule GRAPH with several heuristics and print, best first, the makespan, its ratio to the "
    "lower bound, the bytes moved, the peak of each memory and the time that scheduling took. "
    "Exit code 3: none found a feasible schedule.",
    1,
    1,
    {&own, &graph_options, &machine_options, &table_options},
    run,
};
