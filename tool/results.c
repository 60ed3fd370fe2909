/* results.c -- rows of results to and from CSV.  A row is one line, whatever its texts hold. */
#include "results.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "table.h"

typedef enum field_type { FIELD_TEXT, FIELD_SEED, FIELD_HASH, FIELD_REAL } field_type;

static const struct field {
    const char *key;
    field_type type;
    size_t at;
} fields[] = {
    {"graph", FIELD_TEXT, offsetof(outcome, graph)},
    {"platform", FIELD_TEXT, offsetof(outcome, platform)},
    {"costs", FIELD_TEXT, offsetof(outcome, costs)},
    {"link", FIELD_TEXT, offsetof(outcome, link)},
    {"seed", FIELD_SEED, offsetof(outcome, seed)},
    {"heuristic", FIELD_TEXT, offsetof(outcome, heuristic)},
    {"problem", FIELD_HASH, offsetof(outcome, problem)},
    {"tasks", FIELD_REAL, offsetof(outcome, tasks)},
    {"processors", FIELD_REAL, offsetof(outcome, processors)},
    {"makespan_s", FIELD_REAL, offsetof(outcome, makespan)},
    {"lower_bound_s", FIELD_REAL, offsetof(outcome, bound)},
    {"lower_bound", FIELD_TEXT, offsetof(outcome, bound_by)},
    {"proven_bound_s", FIELD_REAL, offsetof(outcome, proven)},
    {"bytes_moved", FIELD_REAL, offsetof(outcome, bytes)},
    {"peak_bytes", FIELD_REAL, offsetof(outcome, peak)},
    {"extrapolated", FIELD_REAL, offsetof(outcome, extrapolated)},
    {"schedule_time_s", FIELD_REAL, offsetof(outcome, seconds)},
    {"note", FIELD_TEXT, offsetof(outcome, note)},
};
enum { FIELDS = sizeof fields / sizeof *fields };

/* ---- rows in memory */
void outcome_blank(outcome *x)
{
    memset(x, 0, sizeof *x);
    x->graph = x->platform = x->costs = x->link = x->heuristic = x->bound_by = x->note = "";
    x->tasks = x->processors = x->makespan = x->bound = x->proven = NAN;
    x->bytes = x->peak = x->extrapolated = x->seconds = NAN;
}

void outcome_free(outcome *x)
{
    free(x->owned);
    free(x->peaks);
    free(x->gantt);
}

int outcome_order(const outcome *a, const outcome *b)
{
    int order = strcmp(a->graph, b->graph);

    if (!order)
        order = strcmp(a->platform, b->platform);
    if (!order)
        order = strcmp(a->costs, b->costs);
    if (!order)
        order = strcmp(a->link, b->link);
    if (!order)
        order = strcmp(a->heuristic, b->heuristic);
    if (!order)
        order = a->seed < b->seed ? -1 : a->seed > b->seed;
    return order;
}

outcome *outcomes_add(outcomes *x)
{
    if (x->count == x->room) {
        const int64_t room = x->room ? 2 * x->room : 64;
        outcome *grown = realloc(x->row, (size_t)room * sizeof *grown);

        if (!grown)
            return NULL;
        x->row = grown;
        x->room = room;
    }
    outcome_blank(&x->row[x->count]);
    return &x->row[x->count++];
}

void outcomes_free(outcomes *x)
{
    for (int64_t i = 0; i < x->count; i++)
        outcome_free(&x->row[i]);
    free(x->row);
    *x = (outcomes){0};
}

/* ---- writing */
/* names come from files: a line break in one would end the row */
static void put_text(FILE *to, const char *text)
{
    const bool quoted = strpbrk(text, ",\"\r\n") != NULL;

    if (quoted)
        putc('"', to);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', to);
        putc(*text == '\n' || *text == '\r' ? ' ' : *text, to);
    }
    if (quoted)
        putc('"', to);
}

void results_put_header(FILE *to)
{
    for (int i = 0; i < FIELDS; i++)
        fprintf(to, "%s%c", fields[i].key, i + 1 < FIELDS ? ',' : '\n');
}

void results_put(FILE *to, const outcome *x)
{
    for (int i = 0; i < FIELDS; i++) {
        const void *at = (const char *)x + fields[i].at;

        switch (fields[i].type) {
        case FIELD_TEXT:
            put_text(to, *(const char *const *)at);
            break;
        case FIELD_SEED:
            fprintf(to, "%" PRIu64, *(const uint64_t *)at);
            break;
        case FIELD_HASH:
            fprintf(to, "%016" PRIx64, *(const uint64_t *)at);
            break;
        case FIELD_REAL:
            if (isfinite(*(const double *)at))
                fprintf(to, "%.17g", *(const double *)at);
        }
        putc(i + 1 < FIELDS ? ',' : '\n', to);
    }
}

void results_put_json(FILE *to, const outcome *x)
{
    const char *before = "{";

    for (int i = 0; i < FIELDS; i++) {
        const void *at = (const char *)x + fields[i].at;
        const field_type type = fields[i].type;

        if (type == FIELD_TEXT ? !**(const char *const *)at
                               : type == FIELD_REAL && !isfinite(*(const double *)at))
            continue;
        fprintf(to, "%s\"%s\": ", before, fields[i].key);
        before = ", ";
        if (type == FIELD_TEXT)
            tgs_json_text(to, *(const char *const *)at);
        else if (type == FIELD_REAL)
            fprintf(to, "%.17g", *(const double *)at);
        else
            fprintf(to, type == FIELD_SEED ? "%" PRIu64 : "\"%016" PRIx64 "\"",
                    *(const uint64_t *)at);
    }
    putc('}', to);
}

/* ---- reading */
/* the next field of *rest, cut in place; NULL: there is none, or its quotes do not end */
static char *cut_field(char **rest)
{
    char *from = *rest, *to = from, *field = from;
    bool quoted;

    if (!from)
        return NULL;
    quoted = *from == '"';
    from += quoted;
    while (*from && (quoted || *from != ',')) {
        if (quoted && *from == '"' && *++from != '"') {
            quoted = false;
            continue;
        }
        *to++ = *from++;
    }
    if (quoted)
        return NULL;
    *rest = *from ? from + 1 : NULL;
    *to = 0;
    return field;
}

static bool take(outcome *x, const struct field *f, char *text)
{
    void *at = (char *)x + f->at;
    char *end = text;

    errno = 0;
    switch (f->type) {
    case FIELD_TEXT:
        *(const char **)at = text;
        return true;
    case FIELD_REAL:
        if (*text)
            *(double *)at = strtod(text, &end);
        return !*end && (!*text || isfinite(*(double *)at));
    case FIELD_SEED:
    case FIELD_HASH:
        *(uint64_t *)at = strtoull(text, &end, f->type == FIELD_SEED ? 10 : 16);
        break;
    }
    return *text && !*end && !errno && *text != '-';
}

static int take_line(outcomes *x, char *line, const char *path, int64_t number)
{
    outcome *row = outcomes_add(x);
    char *rest;

    if (!row || !(row->owned = strdup(line)))
        return fail(TGS_ENOMEM, NULL);
    rest = row->owned;
    row->done = true;
    for (int i = 0; i < FIELDS; i++) {
        char *text = cut_field(&rest);

        if (!text || !take(row, &fields[i], text)) {
            warn("%s:%" PRId64 ": '%.40s' is no %s of a result", path, number, text ? text : "",
                 fields[i].key);
            return EXIT_FAILED;
        }
    }
    if (rest) {
        warn("%s:%" PRId64 ": more than %d fields", path, number, FIELDS);
        return EXIT_FAILED;
    }
    return EXIT_OK;
}

static int take_header(const char *line, const char *path)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    bool same;

    if (!to)
        return fail(TGS_ENOMEM, NULL);
    results_put_header(to);
    if (fclose(to)) {
        free(text);
        return fail(TGS_ENOMEM, NULL);
    }
    same = strlen(line) + 1 == size && !strncmp(line, text, size - 1);
    free(text);
    if (!same)
        warn("%s:1: this is no file of results: it does not begin with 'graph,platform,...'", path);
    return same ? EXIT_OK : EXIT_FAILED;
}

int results_read(outcomes *x, const char *path, int64_t *whole)
{
    FILE *from = fopen(path, "rb");
    int64_t number = 0, at = 0;
    int code = EXIT_OK;
    char *line = NULL;
    size_t room = 0;
    ssize_t size = 0;

    if (!from) {
        warn("%s: %s", path, strerror(errno));
        return EXIT_FAILED;
    }
    while (!code && (size = getline(&line, &room, from)) > 0 && line[size - 1] == '\n') {
        at += size;
        number++;
        line[size - 1 - (size > 1 && line[size - 2] == '\r')] = 0;
        code = number == 1 ? take_header(line, path) : take_line(x, line, path, number);
    }
    if (!code && ferror(from)) {
        warn("%s: %s", path, strerror(errno));
        code = EXIT_FAILED;
    }
    if (!code && !number && size > 0)
        code = take_header(line, path); /* not one whole line: not ours to cut */
    if (whole)
        *whole = at;
    free(line);
    fclose(from);
    return code;
}

/* ---- the file of a run */
static int system_failed(const char *path)
{
    warn("%s: %s", path, strerror(errno));
    return EXIT_FAILED;
}

static bool put_whole(int fd, const char *text, size_t size)
{
    while (size) {
        const ssize_t n = write(fd, text, size);

        if (n < 0 && errno != EINTR)
            return false;
        text += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* x NULL: the header */
static bool put_row(int fd, const outcome *x)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    bool good = to != NULL;

    if (to) {
        if (x)
            results_put(to, x);
        else
            results_put_header(to);
        good = !fclose(to) && put_whole(fd, text, size);
    }
    free(text);
    return good;
}

int journal_open(journal *j, const char *path, outcomes *x)
{
    int64_t whole = 0;
    int code;

    *j = (journal){open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666), path};
    if (j->fd < 0)
        return system_failed(path);
    if (flock(j->fd, LOCK_EX | LOCK_NB)) {
        if (errno != EWOULDBLOCK)
            return system_failed(path);
        warn("%s: another run is writing it", path);
        return EXIT_FAILED;
    }
    code = results_read(x, path, &whole);
    if (!code && ftruncate(j->fd, whole)) /* a last row that was cut off */
        code = system_failed(path);
    if (!code && !whole && !put_row(j->fd, NULL))
        code = system_failed(path);
    return code;
}

bool journal_add(const journal *j, const outcome *x)
{
    return j->fd < 0 || put_row(j->fd, x);
}

int journal_close(journal *j, const outcomes *x, int code)
{
    result r;

    if (j->fd < 0)
        return code;
    if (!code) {
        code = result_open(&r, j->path);
        if (!code) {
            results_put_header(r.file);
            for (int64_t i = 0; i < x->count; i++)
                if (x->row[i].done)
                    results_put(r.file, &x->row[i]);
            code = result_close(&r, code);
        }
    }
    close(j->fd);
    j->fd = -1;
    return code;
}
