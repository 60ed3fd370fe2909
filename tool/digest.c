/* digest.c -- instances and heuristics out of rows of results.  O(rows x heuristics). */
#include "digest.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- who is compared on what */
static bool same_instance(const outcome *a, const outcome *b)
{
    return a->problem == b->problem && !strcmp(a->graph, b->graph)
           && !strcmp(a->platform, b->platform) && !strcmp(a->link, b->link)
           && !strcmp(a->costs, b->costs);
}

static int32_t method_of(digest *d, const char *name)
{
    for (int32_t m = 0; m < d->methods; m++)
        if (!strcmp(d->method[m], name))
            return m;
    d->method[d->methods] = name;
    return d->methods++;
}

static void index_rows(digest *d)
{
    const outcome *row = d->rows->row;

    for (int64_t i = 0; i < d->rows->count; i++) {
        const int32_t last = d->instances - 1;

        if (row[i].foreign || !row[i].done)
            continue;
        if (last < 0 || !same_instance(d->instance[last].first, &row[i]))
            d->instance[d->instances++] = (instance){&row[i], NAN, "", false, NAN};
        method_of(d, row[i].heuristic);
        d->platforms |= strcmp(row[i].platform, d->instance[0].first->platform) != 0;
        d->links |= strcmp(row[i].link, d->instance[0].first->link) != 0;
        d->costs |= strcmp(row[i].costs, d->instance[0].first->costs) != 0;
        d->several |= row[i].seed != d->instance[0].first->seed;
    }
}

static void place_rows(digest *d)
{
    const outcome *row = d->rows->row;
    int32_t at = -1;

    for (int64_t i = 0; i < d->rows->count; i++) {
        d->place[i] = -1;
        if (row[i].foreign || !row[i].done)
            continue;
        if (at + 1 < d->instances && d->instance[at + 1].first == &row[i])
            at++;
        d->place[i] = (int64_t)at * d->methods + method_of(d, row[i].heuristic);
        if (d->row[d->place[i]] < 0)
            d->row[d->place[i]] = i;
    }
}

/* ---- figures */
static void raise_bound(instance *x, double bound, const char *by)
{
    if (!isnan(bound) && !(x->bound >= bound)) {
        x->bound = bound;
        x->bound_by = by;
    }
}

/* The bound of an instance holds for all its rows.  One of a schedule that runs tasks more than
 * once is lower than the others; then it is the bound, and what others proved without such copies
 * is not looked at. */
static void bound_instances(digest *d)
{
    const outcome *row = d->rows->row;

    for (int64_t i = 0; i < d->rows->count; i++)
        if (d->place[i] >= 0)
            raise_bound(&d->instance[d->place[i] / d->methods], row[i].bound, row[i].bound_by);
    for (int64_t i = 0; i < d->rows->count; i++) {
        instance *x = d->place[i] < 0 ? NULL : &d->instance[d->place[i] / d->methods];

        if (x && !isnan(row[i].makespan) && row[i].bound < x->bound) {
            x->bound = row[i].bound;
            x->bound_by = row[i].bound_by;
            x->copies = true;
        }
    }
    for (int64_t i = 0; i < d->rows->count; i++) /* what a bound shows is shown by name first */
        if (d->place[i] >= 0 && !d->instance[d->place[i] / d->methods].copies)
            raise_bound(&d->instance[d->place[i] / d->methods], row[i].proven, row[i].heuristic);
}

/* means first, then deviations from them */
static void sum_rows(digest *d)
{
    const int64_t cells = (int64_t)d->instances * d->methods;
    const outcome *row = d->rows->row;

    for (int64_t i = 0; i < d->rows->count; i++) {
        const int64_t c = d->place[i];

        if (c < 0)
            continue;
        d->seeds[c]++;
        d->value[c] += row[i].makespan;
        d->seconds[c] += isnan(row[i].seconds) ? 0 : row[i].seconds;
    }
    bound_instances(d);
    for (int64_t c = 0; c < cells; c++)
        d->value[c] = d->seeds[c] ? d->value[c] / d->seeds[c] : NAN;
    for (int64_t i = 0; i < d->rows->count; i++)
        if (d->place[i] >= 0 && d->seeds[d->place[i]] > 1) {
            const double off = row[i].makespan - d->value[d->place[i]];

            d->noise[d->place[i]] += off * off / (d->seeds[d->place[i]] - 1);
        }
    for (int64_t c = 0; c < cells; c++) {
        instance *x = &d->instance[c / d->methods];

        d->noise[c] = isnan(d->value[c]) ? 0 : sqrt(d->noise[c]);
        if (!(x->best <= d->value[c]) && !isnan(d->value[c]))
            x->best = d->value[c];
    }
}

static int make_room(digest *d)
{
    const size_t cells = (size_t)d->instances * (size_t)d->methods + 1;

    d->place = calloc((size_t)d->rows->count + 1, sizeof *d->place);
    d->value = calloc(cells, sizeof *d->value);
    d->noise = calloc(cells, sizeof *d->noise);
    d->seconds = calloc(cells, sizeof *d->seconds);
    d->seeds = calloc(cells, sizeof *d->seeds);
    d->row = malloc(cells * sizeof *d->row);
    d->standing = calloc((size_t)d->methods + 1, sizeof *d->standing);
    if (!d->place || !d->value || !d->noise || !d->seconds || !d->seeds || !d->row || !d->standing)
        return fail(TGS_ENOMEM, NULL);
    for (size_t c = 0; c < cells; c++)
        d->row[c] = -1;
    return EXIT_OK;
}

static int judge(digest *d)
{
    double *bound = malloc(((size_t)d->instances + 1) * sizeof *bound);
    tgs_status status = TGS_ENOMEM;

    for (int32_t i = 0; bound && i < d->instances; i++)
        bound[i] = d->instance[i].bound;
    if (bound)
        status =
            tgs_standings(d->standing, d->value, d->noise, bound, d->instances, d->methods, NULL);
    free(bound);
    return status ? fail(status, NULL) : EXIT_OK;
}

int digest_open(digest *d, outcomes *rows)
{
    int code;

    *d = (digest){.rows = rows};
    d->instance = malloc(((size_t)rows->count + 1) * sizeof *d->instance);
    d->method = malloc(((size_t)rows->count + 1) * sizeof *d->method);
    if (!d->instance || !d->method)
        return fail(TGS_ENOMEM, NULL);
    index_rows(d);
    code = make_room(d);
    if (code)
        return code;
    place_rows(d);
    sum_rows(d);
    return judge(d);
}

void digest_close(digest *d)
{
    free(d->instance);
    free(d->method);
    free(d->place);
    free(d->value);
    free(d->noise);
    free(d->seconds);
    free(d->seeds);
    free(d->row);
    free(d->standing);
}

char *digest_label(const digest *d, int32_t instance)
{
    const outcome *x = d->instance[instance].first;
    char *text;

    if (asprintf(&text, d->several && !strncmp(x->graph, "gen:", 4) ? "%s seed %llu" : "%s",
                 x->graph, (unsigned long long)x->seed)
        < 0)
        return NULL;
    return text;
}

/* ---- for machines */
static void put_real(FILE *to, const char *before, const char *key, double value)
{
    if (isfinite(value))
        fprintf(to, "%s\"%s\": %.17g", before, key, value);
}

static void json_instances(const digest *d, FILE *to)
{
    fputs("\"instances\": [", to);
    for (int32_t i = 0; i < d->instances; i++) {
        const instance *x = &d->instance[i];

        fputs(i ? ", {\"graph\": " : "{\"graph\": ", to);
        tgs_json_text(to, x->first->graph);
        fputs(", \"platform\": ", to);
        tgs_json_text(to, x->first->platform);
        fprintf(to, ", \"link\": \"%s\", \"seed\": %llu", x->first->link,
                (unsigned long long)x->first->seed);
        put_real(to, ", ", "tasks", x->first->tasks);
        put_real(to, ", ", "lower_bound_s", x->bound);
        if (!isnan(x->bound)) {
            fputs(", \"lower_bound\": ", to);
            tgs_json_text(to, x->bound_by);
        }
        put_real(to, ", ", "makespan_s", x->best);
        putc('}', to);
    }
    fputs("]", to);
}

static int json_profile(const digest *d, int32_t method, FILE *to)
{
    double *ratio = malloc(((size_t)d->instances + 1) * sizeof *ratio);
    const int32_t count =
        ratio ? tgs_profile(ratio, d->value, d->instances, d->methods, method) : 0;

    fputs(", \"ratios_to_best\": [", to);
    for (int32_t i = 0; i < count && ratio[i] < INFINITY; i++)
        fprintf(to, "%s%.17g", i ? ", " : "", ratio[i]);
    fprintf(to, "], \"instances\": %d", (int)count);
    free(ratio);
    return ratio ? EXIT_OK : fail(TGS_ENOMEM, NULL);
}

int digest_json(const digest *d, FILE *to)
{
    int code = EXIT_OK;

    json_instances(d, to);
    fputs(", \"summary\": [", to);
    for (int32_t m = 0; m < d->methods; m++) {
        const tgs_standing *s = &d->standing[m];

        fputs(m ? ", {\"heuristic\": " : "{\"heuristic\": ", to);
        tgs_json_text(to, d->method[m]);
        fprintf(to, ", \"solved\": %d, \"wins\": %d, \"ties\": %d", (int)s->solved, (int)s->wins,
                (int)s->ties);
        put_real(to, ", ", "mean_ratio_to_bound", s->mean_to_bound);
        put_real(to, ", ", "mean_ratio_to_best", s->mean_to_best);
        put_real(to, ", ", "worst_ratio_to_best", s->worst_to_best);
        code = code ? code : json_profile(d, m, to);
        putc('}', to);
    }
    fputs("], \"results\": [", to);
    for (int64_t i = 0, n = 0; i < d->rows->count; i++)
        if (d->place[i] >= 0) {
            fputs(n++ ? ", " : "", to);
            results_put_json(to, &d->rows->row[i]);
        }
    fputs("]", to);
    return code;
}
