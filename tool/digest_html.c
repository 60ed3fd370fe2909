/* digest_html.c -- a comparison as one page that needs nothing else: the figures as data, and
 * page.html to draw them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "digest.h"
#include "page.h"

/* JSON knows no NaN */
static void put_number(FILE *to, double value, int digits)
{
    if (isfinite(value))
        fprintf(to, "%.*g", digits, value);
    else
        fputs("null", to);
}

static void put_method(const digest *d, int32_t m, FILE *to)
{
    const tgs_standing *s = &d->standing[m];
    double seconds = 0;

    for (int32_t i = 0; i < d->instances; i++)
        seconds += d->seconds[(int64_t)i * d->methods + m];
    fputs("{\"name\": ", to);
    tgs_json_text(to, d->method[m]);
    fprintf(to, ", \"solved\": %d, \"wins\": %d, \"ties\": %d, \"bound\": ", (int)s->solved,
            (int)s->wins, (int)s->ties);
    put_number(to, s->mean_to_bound, 9);
    fputs(", \"best\": ", to);
    put_number(to, s->mean_to_best, 9);
    fputs(", \"worst\": ", to);
    put_number(to, s->worst_to_best, 9);
    fputs(", \"time\": ", to);
    put_number(to, seconds, 6);
    putc('}', to);
}

/* the notes say why there is no schedule, or what was proven */
static void put_cells(const digest *d, int32_t at, FILE *to)
{
    const char *before = "";

    fputs(", \"value\": [", to);
    for (int32_t m = 0; m < d->methods; m++) {
        fputs(m ? "," : "", to);
        put_number(to, d->value[(int64_t)at * d->methods + m], 9);
    }
    fputs("], \"note\": {", to);
    for (int32_t m = 0; m < d->methods; m++) {
        const int64_t row = d->row[(int64_t)at * d->methods + m];

        if (row < 0 || !*d->rows->row[row].note)
            continue;
        fprintf(to, "%s\"%d\": ", before, (int)m);
        tgs_json_text(to, d->rows->row[row].note);
        before = ", ";
    }
    fputs("}, \"gantt\": {", to);
    before = "";
    for (int32_t m = 0; m < d->methods; m++) {
        const int64_t row = d->row[(int64_t)at * d->methods + m];
        const outcome *x = row < 0 ? NULL : &d->rows->row[row];

        if (!x || !x->gantt)
            continue;
        fprintf(to, "%s\"%d\": {\"makespan\": %.9g, \"ran\": [", before, (int)m, x->makespan);
        for (int32_t k = 0; k < 3 * (int32_t)x->tasks; k++)
            fprintf(to, k ? ",%d" : "%d", (int)x->gantt[k]);
        fputs("]}", to);
        before = ",\n";
    }
    putc('}', to);
}

static int put_instance(const digest *d, int32_t at, const char *names, FILE *to)
{
    const instance *x = &d->instance[at];
    char *label = digest_label(d, at);

    if (!label)
        return fail(TGS_ENOMEM, NULL);
    fputs("{\"graph\": ", to);
    tgs_json_text(to, label);
    free(label);
    fputs(", \"platform\": ", to);
    tgs_json_text(to, x->first->platform);
    fputs(", \"link\": ", to);
    tgs_json_text(to, x->first->link);
    fputs(", \"tasks\": ", to);
    put_number(to, x->first->tasks, 12);
    fputs(", \"bound\": ", to);
    put_number(to, x->bound, 9);
    fputs(", \"by\": ", to);
    tgs_json_text(to, x->bound_by);
    fputs(", \"best\": ", to);
    put_number(to, x->best, 9);
    put_cells(d, at, to);
    fprintf(to, ", \"names\": %s}", names ? names : "null");
    return EXIT_OK;
}

static int put_data(const digest *d, const char *title, const char *const *names, FILE *to)
{
    int code = EXIT_OK;

    fputs("const D = {\"title\": ", to);
    tgs_json_text(to, title);
    fprintf(to, ", \"parts\": %d,\n\"methods\": [", GANTT_PARTS);
    for (int32_t m = 0; m < d->methods; m++) {
        fputs(m ? ",\n" : "", to);
        put_method(d, m, to);
    }
    fputs("],\n\"instances\": [", to);
    for (int32_t i = 0; i < d->instances && !code; i++) {
        fputs(i ? ",\n" : "", to);
        code = put_instance(d, i, names[i], to);
    }
    fputs("]};\n", to);
    return code;
}

int digest_html(const digest *d, const char *title, const char *const *names, FILE *to)
{
    int code = EXIT_OK;

    for (const char *const *line = compare_page; *line && !code; line++)
        if (strcmp(*line, "@DATA@\n") != 0)
            fputs(*line, to);
        else
            code = put_data(d, title, names, to);
    return code;
}
