/* csv.c -- reads the columns of a table that a planner asks for. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "csv.h"

enum { MOST_COLUMNS = 100, MOST_ROWS = 10000000 };

/* the next field of *cursor, cut in place; NULL at the end */
static char *field(char **cursor)
{
    return strsep(cursor, ",");
}

/* where in a row the column `name` (of size) is; -1 nowhere */
static int32_t find(char *const *head, int32_t fields, const char *name, size_t size)
{
    for (int32_t i = 0; i < fields; i++)
        if (strlen(head[i]) == size && !memcmp(head[i], name, size))
            return i;
    return -1;
}

/* which of the row's fields are wanted: place [fields] is the column, -1 of those that are not */
static tgs_status read_head(tgs_i_csv *x, tgs_source *s, const char *names, int32_t *place,
                            int32_t *fields, tgs_error *err)
{
    char *head[MOST_COLUMNS], *cursor;
    const int got = tgs_source_next(s, err);

    if (got < 0)
        return (tgs_status)got;
    if (!got)
        return tgs_source_fail(s, err, "an empty file, not a table with the columns %s", names);
    s->text[strcspn(s->text, "\r")] = 0;
    cursor = s->text;
    for (*fields = 0; *fields < MOST_COLUMNS && (head[*fields] = field(&cursor)); ++*fields)
        place[*fields] = -1;
    for (const char *n = names; *n; x->columns++) {
        const size_t size = strcspn(n, ",");
        const int32_t i = find(head, *fields, n, size);

        if (i < 0)
            return tgs_source_fail(s, err, "there is no column `%.*s`", (int)size, n);
        place[i] = x->columns;
        n += size + (n[size] == ',');
    }
    return TGS_OK;
}

static tgs_status keep(tgs_i_csv *x, int32_t column, const char *text)
{
    const size_t size = strlen(text) + 1;

    if (tgs_mem_grow(&x->text, &x->text_room, x->text_size + (int64_t)size, 1))
        return TGS_ENOMEM;
    memcpy(x->text + x->text_size, text, size);
    x->at[(int64_t)x->rows * x->columns + column] = x->text_size;
    x->text_size += (int64_t)size;
    return TGS_OK;
}

static tgs_status read_row(tgs_i_csv *x, tgs_source *s, const int32_t *place, int32_t fields,
                           tgs_error *err)
{
    char *cursor = s->text, *text;
    int32_t i = 0;

    if (x->rows == MOST_ROWS)
        return tgs_source_fail(s, err, "more than %d rows", MOST_ROWS);
    if (tgs_mem_grow(&x->at, &x->at_room, ((int64_t)x->rows + 1) * x->columns, sizeof *x->at)
        || tgs_mem_grow(&x->line, &x->line_room, (int64_t)x->rows + 1, sizeof *x->line))
        return tgs_fail(err, TGS_ENOMEM, "%s: out of memory", s->path);
    for (; (text = field(&cursor)); i++)
        if (i < fields && place[i] >= 0 && keep(x, place[i], text))
            return tgs_fail(err, TGS_ENOMEM, "%s: out of memory", s->path);
    if (i != fields)
        return tgs_source_fail(s, err, "%d fields, not %d as in the first line", i, fields);
    x->line[x->rows++] = s->line;
    return TGS_OK;
}

tgs_status tgs_i_csv_read(tgs_i_csv *x, tgs_source *s, const char *names, tgs_error *err)
{
    int32_t place[MOST_COLUMNS], fields = 0;
    tgs_status status;
    int got;

    *x = (tgs_i_csv){.path = s->path};
    status = read_head(x, s, names, place, &fields, err);
    while (!status && (got = tgs_source_next(s, err)) != 0) {
        if (got < 0) {
            status = (tgs_status)got;
            break;
        }
        s->text[strcspn(s->text, "\r")] = 0;
        if (*s->text)
            status = read_row(x, s, place, fields, err);
    }
    if (!status && !x->rows)
        status = tgs_source_fail(s, err, "a table without rows");
    if (status)
        tgs_i_csv_close(x);
    return status;
}

void tgs_i_csv_close(tgs_i_csv *x)
{
    tgs_mem_free(x->text);
    tgs_mem_free(x->at);
    tgs_mem_free(x->line);
    *x = (tgs_i_csv){.path = NULL};
}

tgs_status tgs_i_csv_fail(const tgs_i_csv *x, int32_t row, tgs_error *err, const char *format, ...)
{
    char text[300];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return tgs_fail(err, TGS_EPARSE, "%s:%lld: %s", x->path, (long long)x->line[row], text);
}

tgs_status tgs_i_csv_real(const tgs_i_csv *x, int32_t row, int32_t column, double least,
                          double *out, tgs_error *err)
{
    const char *text = tgs_i_csv_text(x, row, column);

    if (!tgs_parse_real(text, out) || *out < least)
        return tgs_i_csv_fail(x, row, err, "'%.80s' is not a number >= %g", text, least);
    return TGS_OK;
}

tgs_status tgs_i_csv_count(const tgs_i_csv *x, int32_t row, int32_t column, int64_t most,
                           int64_t *out, tgs_error *err)
{
    const char *text = tgs_i_csv_text(x, row, column);

    if (!tgs_parse_count(text, most, out))
        return tgs_i_csv_fail(x, row, err, "'%.80s' is not a whole number in [0, %lld]", text,
                              (long long)most);
    return TGS_OK;
}
