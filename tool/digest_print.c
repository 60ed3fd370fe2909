/* digest_print.c -- a comparison for people: a table per instance while there are few, else a line
 * per instance, and what each heuristic is worth over all of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "digest.h"
#include "table.h"

enum { MOST_TABLES = 8 };

/* ---- one instance */
static int detail(const digest *d, int32_t at, FILE *to)
{
    static const column columns[] = {
        {"heuristic", "heuristic", CELL_TEXT},
        {"makespan_s", "makespan", CELL_SECONDS},
        {"spread_s", "spread", CELL_SECONDS},
        {"ratio", "ratio", CELL_REAL},
        {"to_best", "to best", CELL_REAL},
        {"bytes_moved", "bytes moved", CELL_BYTES},
        {"peak_bytes", "largest peak", CELL_BYTES},
        {"time_s", "time", CELL_SECONDS},
        {"note", "note", CELL_TEXT},
    };
    const instance *x = &d->instance[at];
    table t;
    int code;

    table_init(&t, "instance", columns, sizeof columns / sizeof *columns);
    for (int32_t m = 0; m < d->methods; m++) {
        const int64_t c = (int64_t)at * d->methods + m;
        const outcome *first = d->row[c] < 0 ? NULL : &d->rows->row[d->row[c]];
        int32_t row;

        if (!first)
            continue;
        row = table_row(&t);
        table_text(&t, row, "heuristic", d->method[m]);
        table_real(&t, row, "makespan_s", d->value[c]);
        if (d->seeds[c] > 1 && !isnan(d->value[c]))
            table_real(&t, row, "spread_s", d->noise[c]);
        if (x->bound > 0)
            table_real(&t, row, "ratio", d->value[c] / x->bound);
        table_real(&t, row, "to_best", d->value[c] / x->best);
        table_real(&t, row, "bytes_moved", first->bytes);
        table_real(&t, row, "peak_bytes", first->peak);
        table_real(&t, row, "time_s", d->seconds[c]);
        if (*first->note)
            table_text(&t, row, "note", first->note);
    }
    table_sort(&t, "makespan_s");
    code = table_people(&t, to);
    table_free(&t);
    return code;
}

static int details(const digest *d, FILE *to)
{
    int code = EXIT_OK;

    for (int32_t i = 0; i < d->instances && !code; i++) {
        const instance *x = &d->instance[i];
        char *label = digest_label(d, i), text[64];

        if (!label)
            return fail(TGS_ENOMEM, NULL);
        fprintf(to, "%s on %s, %s", label, x->first->platform, x->first->link);
        if (!isnan(x->bound)) {
            human(text, sizeof text, CELL_SECONDS, x->bound);
            fprintf(to, ": lower bound %s (%s)", text, x->bound_by);
        }
        putc('\n', to);
        code = detail(d, i, to);
        putc('\n', to);
        free(label);
    }
    return code;
}

/* ---- a line an instance */
static int32_t count_best(const digest *d, int32_t at, const char **name)
{
    int32_t count = 0;

    *name = "";
    for (int32_t m = 0; m < d->methods; m++) {
        const int64_t c = (int64_t)at * d->methods + m;

        if (d->value[c] <= d->instance[at].best * (1 + 1e-9) && !count++)
            *name = d->method[m];
    }
    return count;
}

static int lines(const digest *d, FILE *to)
{
    static const column columns[] = {
        {"graph", "graph", CELL_TEXT},
        {"platform", "platform", CELL_TEXT},
        {"link", "link", CELL_TEXT},
        {"tasks", "tasks", CELL_COUNT},
        {"bound", "lower bound", CELL_SECONDS},
        {"best", "best", CELL_SECONDS},
        {"ratio", "ratio", CELL_REAL},
        {"by", "by", CELL_TEXT},
        {"others", "and others", CELL_COUNT},
    };
    column shown[sizeof columns / sizeof *columns];
    table t;
    int code;

    memcpy(shown, columns, sizeof shown);
    if (!d->platforms)
        shown[1].heading = NULL;
    if (!d->links)
        shown[2].heading = NULL;
    table_init(&t, "instances", shown, sizeof columns / sizeof *columns);
    for (int32_t i = 0; i < d->instances; i++) {
        const instance *x = &d->instance[i];
        const int32_t row = table_row(&t);
        char *label = digest_label(d, i);
        const char *by;
        const int32_t count = count_best(d, i, &by);

        table_text(&t, row, "graph", label ? label : "");
        table_text(&t, row, "platform", x->first->platform);
        table_text(&t, row, "link", x->first->link);
        table_real(&t, row, "tasks", x->first->tasks);
        table_real(&t, row, "bound", x->bound);
        table_real(&t, row, "best", x->best);
        if (x->bound > 0)
            table_real(&t, row, "ratio", x->best / x->bound);
        table_text(&t, row, "by", by);
        if (count > 1)
            table_real(&t, row, "others", count - 1);
        free(label);
    }
    code = table_people(&t, to);
    table_free(&t);
    putc('\n', to);
    return code;
}

/* ---- all of them */
/* the performance profile at a few places, in percent */
static int profile(const digest *d, int32_t method, table *t, int32_t row)
{
    static const struct {
        const char *key;
        double tau;
    } at[] = {{"within_1", 1.01}, {"within_5", 1.05}, {"within_25", 1.25}, {"within_100", 2}};
    double *ratio = malloc(((size_t)d->instances + 1) * sizeof *ratio);
    int32_t count;

    if (!ratio)
        return fail(TGS_ENOMEM, NULL);
    count = tgs_profile(ratio, d->value, d->instances, d->methods, method);
    for (size_t i = 0; i < sizeof at / sizeof *at && count; i++) {
        int32_t within = 0;

        while (within < count && ratio[within] <= at[i].tau)
            within++;
        table_real(t, row, at[i].key, 100.0 * within / count);
    }
    free(ratio);
    return EXIT_OK;
}

static int summary(const digest *d, FILE *to)
{
    static const column columns[] = {
        {"heuristic", "heuristic", CELL_TEXT}, {"solved", "solved", CELL_COUNT},
        {"to_bound", "mean ratio", CELL_REAL}, {"to_best", "to best", CELL_REAL},
        {"worst", "worst", CELL_REAL},         {"wins", "wins", CELL_COUNT},
        {"ties", "ties", CELL_COUNT},          {"within_1", "% in 1.01", CELL_REAL},
        {"within_5", "1.05", CELL_REAL},       {"within_25", "1.25", CELL_REAL},
        {"within_100", "2", CELL_REAL},        {"time_s", "time", CELL_SECONDS},
        {"unsolved", NULL, CELL_COUNT},
    };
    table t;
    int code = EXIT_OK;

    table_init(&t, "summary", columns, sizeof columns / sizeof *columns);
    for (int32_t m = 0; m < d->methods && !code; m++) {
        const tgs_standing *s = &d->standing[m];
        const int32_t row = table_row(&t);
        double seconds = 0;

        for (int32_t i = 0; i < d->instances; i++)
            seconds += d->seconds[(int64_t)i * d->methods + m];
        table_text(&t, row, "heuristic", d->method[m]);
        table_real(&t, row, "solved", s->solved);
        table_real(&t, row, "unsolved", d->instances - s->solved);
        table_real(&t, row, "to_bound", s->mean_to_bound);
        table_real(&t, row, "to_best", s->mean_to_best);
        table_real(&t, row, "worst", s->worst_to_best);
        table_real(&t, row, "wins", s->wins);
        table_real(&t, row, "ties", s->ties);
        table_real(&t, row, "time_s", seconds);
        code = profile(d, m, &t, row);
    }
    table_sort(&t, "to_best");
    table_sort(&t, "unsolved"); /* a mean over the easy ones is not to be compared */
    fprintf(to,
            "%d instances, %d heuristics: geometric means of makespan to lower bound and to the "
            "best, and how often within what of the best\n",
            (int)d->instances, (int)d->methods);
    if (!code)
        code = table_people(&t, to);
    table_free(&t);
    return code;
}

int digest_people(const digest *d, FILE *to)
{
    int code = d->instances <= MOST_TABLES ? details(d, to) : lines(d, to);

    return code ? code : summary(d, to);
}
