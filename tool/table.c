/* table.c -- tables for people through libsmartcols; CSV (RFC 4180) and JSON for machines. */
#include "table.h"
#include <assert.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#include <libsmartcols.h>
#include "common.h"

void table_init(table *t, const char *name, const column *c, int32_t columns)
{
    *t = (table){.name = name, .column = c, .columns = columns};
}

void table_free(table *t)
{
    for (int64_t i = 0; i < (int64_t)t->rows * t->columns; i++)
        free((char *)t->cell[i].text);
    free(t->cell);
    memset(t, 0, sizeof *t);
}

int32_t table_row(table *t)
{
    if (t->rows == t->room && !t->failed) {
        const int32_t room = t->room ? 2 * t->room : 16;
        cell *grown = realloc(t->cell, (size_t)room * (size_t)t->columns * sizeof *grown);

        t->failed = !grown;
        if (grown) {
            t->cell = grown;
            t->room = room;
        }
    }
    if (t->failed)
        return -1;
    for (int32_t c = 0; c < t->columns; c++)
        t->cell[(int64_t)t->rows * t->columns + c] = (cell){NULL, NAN};
    return t->rows++;
}

static cell *find_cell(table *t, int32_t row, const char *key)
{
    for (int32_t c = 0; c < t->columns && row >= 0; c++)
        if (!strcmp(t->column[c].key, key))
            return &t->cell[(int64_t)row * t->columns + c];
    assert(row < 0); /* a column that is not declared is a mistake here */
    return NULL;
}

void table_text(table *t, int32_t row, const char *key, const char *text)
{
    cell *c = find_cell(t, row, key);

    if (!c)
        return;
    free((char *)c->text);
    c->text = strdup(text);
    t->failed |= !c->text;
}

void table_real(table *t, int32_t row, const char *key, double value)
{
    cell *c = find_cell(t, row, key);

    if (c)
        c->real = value;
}

double table_value(const table *t, int32_t row, const char *key)
{
    for (int32_t i = 0; i < t->columns; i++)
        if (!strcmp(t->column[i].key, key) && row < t->rows)
            return t->cell[(int64_t)row * t->columns + i].real;
    return NAN;
}

void table_sort(table *t, const char *key)
{
    const size_t size = (size_t)t->columns * sizeof *t->cell;
    cell *row = malloc(size);
    int32_t at = 0;

    if (!row)
        t->failed = true;
    while (at < t->columns && strcmp(t->column[at].key, key))
        at++;
    /* insertion: a handful of rows, and equal ones keep their order */
    for (int32_t i = 1; row && at < t->columns && i < t->rows; i++) {
        int32_t j = i;

        memcpy(row, &t->cell[(int64_t)i * t->columns], size);
        for (; j > 0; j--) {
            const double before = t->cell[(int64_t)(j - 1) * t->columns + at].real;

            if (!(row[at].real < before || (isnan(before) && !isnan(row[at].real))))
                break;
            memcpy(&t->cell[(int64_t)j * t->columns], &t->cell[(int64_t)(j - 1) * t->columns],
                   size);
        }
        memcpy(&t->cell[(int64_t)j * t->columns], row, size);
    }
    free(row);
}

/* ---- for people */
static void scaled(char *text, size_t size, double value, double step, const char *const *unit,
                   int units, int first)
{
    int i = first;

    while (i + 1 < units && fabs(value) >= step * 0.99995) {
        value /= step;
        i++;
    }
    while (i > 0 && fabs(value) < 0.99995) {
        value *= step;
        i--;
    }
    snprintf(text, size, fabs(value) >= 9999.5 ? "%.0f %s" : "%.4g %s", value, unit[i]);
}

void human(char *text, size_t size, cell_type type, double value)
{
    static const char *const seconds[] = {"ns", "us", "ms", "s"};
    static const char *const bytes[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

    if (isnan(value))
        *text = 0;
    else if (isinf(value))
        snprintf(text, size, "unlimited");
    else if (value == 0 || type == CELL_COUNT)
        snprintf(text, size, "%.15g%s", value,
                 type == CELL_SECONDS ? " s"
                 : type == CELL_BYTES ? " B"
                                      : "");
    else if (type == CELL_SECONDS)
        scaled(text, size, value, 1000, seconds, 4, 3);
    else if (type == CELL_BYTES && value >= 1)
        scaled(text, size, value, 1024, bytes, 6, 0);
    else if (type == CELL_FLAG)
        snprintf(text, size, "yes");
    else
        snprintf(text, size, "%.4g%s", value, type == CELL_BYTES ? " B" : "");
}

/* names come from files: what a terminal would act on is shown as '?' */
static void printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7F)
            *text = '?';
}

static const char *shown(const column *k, const cell *c, char *text, size_t size)
{
    if (k->type == CELL_TEXT)
        snprintf(text, size, "%s", c->text ? c->text : "");
    else
        human(text, size, k->type, c->real);
    printable(text);
    return text;
}

/* libsmartcols never comes back from bytes that are no text in the locale, or have no width */
static void measurable(char *text)
{
    wchar_t wide;
    bool good = true;

    for (const char *at = text; *at && good;) {
        const int n = mbtowc(&wide, at, MB_CUR_MAX);

        good = n > 0 && wcwidth(wide) >= 0;
        at += n;
    }
    for (; *text && !good; text++)
        if ((unsigned char)*text > 0x7F)
            *text = '?';
}

static bool fill_people(const table *t, struct libscols_table *s)
{
    char text[512];

    for (int32_t c = 0; c < t->columns; c++)
        if (t->column[c].heading
            && !scols_table_new_column(s, t->column[c].heading, 0,
                                       t->column[c].type == CELL_TEXT ? 0 : SCOLS_FL_RIGHT))
            return false;
    for (int32_t r = 0; r < t->rows; r++) {
        struct libscols_line *line = scols_table_new_line(s, NULL);
        size_t at = 0;

        if (!line)
            return false;
        for (int32_t c = 0; c < t->columns; c++) {
            if (!t->column[c].heading)
                continue;
            shown(&t->column[c], &t->cell[(int64_t)r * t->columns + c], text, sizeof text);
            measurable(text);
            if (scols_line_set_data(line, at++, text))
                return false;
        }
    }
    return true;
}

int table_people(const table *t, FILE *to)
{
    struct libscols_table *s = scols_new_table();
    /* names are UTF-8 whatever the terminal's locale; without this locale they show as '?' */
    const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    const locale_t before = uselocale(utf8);
    char *text = NULL;
    bool bad = t->failed || !s || !fill_people(t, s);

    if (!bad) {
        scols_table_enable_noencoding(s, 1);
        scols_table_set_termforce(s, SCOLS_TERMFORCE_NEVER); /* never cut to a width */
        bad = scols_print_table_to_string(s, &text) != 0;
    }
    if (!bad)
        fprintf(to, "%s\n", text);
    free(text);
    scols_unref_table(s);
    uselocale(before);
    if (utf8)
        freelocale(utf8);
    return bad ? fail(TGS_ENOMEM, NULL) : EXIT_OK;
}

void record_people(const table *t, FILE *to)
{
    char text[512];
    int widest = 0;

    for (int32_t c = 0; c < t->columns; c++) {
        const char *heading = t->column[c].heading;

        if (heading && (int)strlen(heading) > widest)
            widest = (int)strlen(heading);
    }
    for (int32_t c = 0; c < t->columns && t->rows; c++)
        if (t->column[c].heading && *shown(&t->column[c], &t->cell[c], text, sizeof text))
            fprintf(to, "%-*s  %s\n", widest, t->column[c].heading, text);
}

/* ---- for machines */
static void csv_text(FILE *to, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, to);
        return;
    }
    putc('"', to);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', to);
        putc(*text, to);
    }
    putc('"', to);
}

int table_csv(const table *t, FILE *to)
{
    for (int32_t c = 0; c < t->columns; c++) {
        csv_text(to, t->column[c].key);
        putc(c + 1 < t->columns ? ',' : '\n', to);
    }
    for (int32_t r = 0; r < t->rows; r++)
        for (int32_t c = 0; c < t->columns; c++) {
            const cell *x = &t->cell[(int64_t)r * t->columns + c];

            if (t->column[c].type == CELL_TEXT)
                csv_text(to, x->text ? x->text : "");
            else if (isfinite(x->real))
                fprintf(to, "%.17g", x->real);
            putc(c + 1 < t->columns ? ',' : '\n', to);
        }
    return t->failed ? fail(TGS_ENOMEM, NULL) : EXIT_OK;
}

static void json_row(const table *t, int32_t row, const char *before, FILE *to)
{
    for (int32_t c = 0; c < t->columns; c++) {
        const cell *x = &t->cell[(int64_t)row * t->columns + c];
        const bool text = t->column[c].type == CELL_TEXT;

        if (text ? !x->text : !isfinite(x->real))
            continue;
        fputs(before, to);
        tgs_json_text(to, t->column[c].key); /* it may hold a name from a file */
        fputs(": ", to);
        before = ", ";
        if (text)
            tgs_json_text(to, x->text);
        else if (t->column[c].type == CELL_FLAG)
            fputs(x->real != 0 ? "true" : "false", to);
        else
            fprintf(to, "%.17g", x->real);
    }
}

void table_json(const table *t, FILE *to)
{
    fprintf(to, "\"%s\": [", t->name);
    for (int32_t r = 0; r < t->rows; r++) {
        fprintf(to, "%s\n  {", r ? "," : "");
        json_row(t, r, "", to);
        putc('}', to);
    }
    fprintf(to, "%s]", t->rows ? "\n" : "");
}

void record_json(const table *t, FILE *to)
{
    if (t->rows)
        json_row(t, 0, "", to);
}
