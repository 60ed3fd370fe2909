/* instance.c -- reads tables of named rows, and checks them against what a planner declares. */
#include <stdarg.h>
#include <string.h>
#include "instance.h"

#define FORMAT    "tgsched.instance/1"
#define MOST_ROWS 1000000
#define TABLES    8

typedef struct row {
    char *name;
    int64_t line, first; /* first: of its cells in at */
} row;

typedef struct rows {
    row *row;
    int64_t room, slots;
    int32_t count;
    int32_t *slot; /* open addressing over names: row + 1, 0 none */
} rows;

struct tgs_i_instance {
    const tgs_i_table *table;
    char *path;
    rows of[TABLES];
    int64_t *at; /* of each cell where its values begin; the end is where the next one's do */
    int64_t ats, at_room;
    double *value;
    int64_t values, value_room;
};

static tgs_status no_memory(tgs_error *err)
{
    return tgs_fail(err, TGS_ENOMEM, "out of memory for an instance");
}

static uint64_t hash_of(const char *name)
{
    uint64_t h = 14695981039346656037u; /* FNV-1a */

    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 1099511628211u;
    return h;
}

/* the slot of a name, or the empty one where it belongs */
static int64_t slot_of(const rows *r, const char *name)
{
    int64_t i = (int64_t)(hash_of(name) & (uint64_t)(r->slots - 1));

    while (r->slot[i] && strcmp(r->row[r->slot[i] - 1].name, name))
        i = (i + 1) & (r->slots - 1);
    return i;
}

static int32_t find(const rows *r, const char *name)
{
    return r->slots ? r->slot[slot_of(r, name)] - 1 : -1;
}

/* at most half of the slots are taken */
static tgs_status grow_slots(rows *r, tgs_error *err)
{
    const int64_t slots = r->slots ? 2 * r->slots : 16;
    int32_t *slot;

    if (2 * ((int64_t)r->count + 1) <= r->slots)
        return TGS_OK;
    slot = tgs_mem_alloc((size_t)slots, sizeof *slot);
    if (!slot)
        return no_memory(err);
    tgs_mem_free(r->slot);
    r->slot = slot;
    r->slots = slots;
    for (int32_t i = 0; i < r->count; i++)
        r->slot[slot_of(r, r->row[i].name)] = i + 1;
    return TGS_OK;
}

static tgs_status push_value(tgs_i_instance *x, double value, tgs_error *err)
{
    if (tgs_mem_grow(&x->value, &x->value_room, x->values + 1, sizeof *x->value))
        return no_memory(err);
    x->value[x->values++] = value;
    return TGS_OK;
}

static tgs_status end_cell(tgs_i_instance *x, tgs_error *err)
{
    if (tgs_mem_grow(&x->at, &x->at_room, x->ats + 1, sizeof *x->at))
        return no_memory(err);
    x->at[x->ats++] = x->values;
    return TGS_OK;
}

static tgs_status read_value(tgs_i_instance *x, const tgs_source *s, const tgs_i_column *c,
                             char *text, tgs_error *err)
{
    double value = INFINITY;

    if (c->type == TGS_I_ROW) {
        const char *record = x->table[c->table].record;

        if (!tgs_name_take(text))
            return tgs_source_fail(s, err, "%s=%.80s is not a name", c->key, text);
        value = find(&x->of[c->table], text);
        if (value < 0)
            return tgs_source_fail(s, err, "%s=%.80s: no %s of that name stands before", c->key,
                                   text, record);
        return push_value(x, value, err);
    }
    if (!(c->max == INFINITY && !strcmp(text, "-"))) {
        if (!tgs_parse_real(text, &value))
            return tgs_source_fail(s, err, "%s=%.80s is not a finite number", c->key, text);
        if (!(value >= c->min && value <= c->max))
            return tgs_source_fail(s, err, "%s=%.80s is not in [%g, %g]", c->key, text, c->min,
                                   c->max);
        if (c->type == TGS_I_WHOLE && value != floor(value))
            return tgs_source_fail(s, err, "%s=%.80s is not a whole number", c->key, text);
    }
    return push_value(x, value, err);
}

static tgs_status read_cell(tgs_i_instance *x, const tgs_source *s, const tgs_i_column *c,
                            char *text, tgs_error *err)
{
    tgs_status status = TGS_OK;

    for (char *next = text; !status && text; text = next) {
        next = c->list ? strchr(text, ',') : NULL;
        if (next)
            *next++ = 0;
        status = read_value(x, s, c, text, err);
    }
    return status;
}

/* The fields of a line come in any order; their cells are written in that of the columns. */
#define COLUMNS 16
static tgs_status read_fields(tgs_i_instance *x, const tgs_source *s, const tgs_i_table *t,
                              char *cursor, tgs_error *err)
{
    char *text[COLUMNS] = {NULL}, *key, *value;
    tgs_status status;

    while (!(status = tgs_source_field(s, &cursor, &key, &value, err)) && key) {
        int32_t i = 0;

        while (t->column[i].key && strcmp(t->column[i].key, key))
            i++;
        if (!t->column[i].key)
            return tgs_source_fail(s, err, "%s has no key '%.80s'", t->record, key);
        if (text[i])
            return tgs_source_fail(s, err, "%s is given twice", key);
        text[i] = value;
    }
    for (int32_t i = 0; !status && t->column[i].key; i++) {
        const tgs_i_column *c = &t->column[i];

        if (text[i])
            status = read_cell(x, s, c, text[i], err);
        else if (isnan(c->absent))
            status = tgs_source_fail(s, err, "%s needs %s=", t->record, c->key);
        if (!status)
            status = end_cell(x, err);
    }
    return status;
}

static tgs_status read_row(tgs_i_instance *x, const tgs_source *s, int32_t table, char *cursor,
                           tgs_error *err)
{
    const tgs_i_table *t = &x->table[table];
    rows *r = &x->of[table];
    char *name = tgs_word(&cursor);
    row new = {NULL, s->line, x->ats};
    tgs_status status;

    if (!name || *name == '#')
        return tgs_source_fail(s, err, "%s needs a name", t->record);
    if (!tgs_name_take(name))
        return tgs_source_fail(s, err, "'%.80s' is not a name", name);
    if (find(r, name) >= 0)
        return tgs_source_fail(s, err, "%s %.80s stands in line %lld already", t->record, name,
                               (long long)r->row[find(r, name)].line);
    if (r->count == t->most || r->count == MOST_ROWS)
        return tgs_source_fail(s, err, "more than %d %s records", r->count, t->record);
    status = grow_slots(r, err);
    if (!status && tgs_mem_grow(&r->row, &r->room, r->count + 1, sizeof *r->row))
        status = no_memory(err);
    if (!status)
        status = end_cell(x, err); /* where the first cell begins */
    if (!status)
        status = read_fields(x, s, t, cursor, err);
    if (status)
        return status;
    new.name = tgs_mem_text(name);
    if (!new.name)
        return no_memory(err);
    r->row[r->count] = new;
    r->slot[slot_of(r, new.name)] = ++r->count;
    return TGS_OK;
}

static tgs_status read_line(tgs_i_instance *x, const tgs_source *s, char *record, char *cursor,
                            tgs_error *err)
{
    int32_t table = 0;

    while (x->table[table].record && strcmp(x->table[table].record, record))
        table++;
    if (!x->table[table].record)
        return tgs_source_fail(s, err, "no record '%.80s' here", record);
    return read_row(x, s, table, cursor, err);
}

static tgs_status read_all(tgs_i_instance *x, tgs_source *s, tgs_error *err)
{
    tgs_status status = TGS_OK;
    bool begun = false;
    int got;

    while (!status && (got = tgs_source_next(s, err)) != 0) {
        char *cursor = s->text, *record;

        if (got < 0)
            return got;
        record = tgs_word(&cursor);
        if (!begun) {
            if (!record || strcmp(record, FORMAT) || tgs_word(&cursor))
                return tgs_source_fail(s, err, "the first line must be " FORMAT);
            begun = true;
        } else if (record && *record != '#') {
            status = read_line(x, s, record, cursor, err);
        }
    }
    if (!status && !begun)
        status = tgs_source_fail(s, err, "the first line must be " FORMAT);
    for (int32_t i = 0; !status && x->table[i].record; i++)
        if (x->of[i].count < x->table[i].least)
            status = tgs_source_fail(s, err, "%d %s records, at least %d are needed",
                                     x->of[i].count, x->table[i].record, x->table[i].least);
    return status;
}

tgs_status tgs_i_instance_read(tgs_i_instance **out, tgs_source *s, const tgs_i_table *table,
                               tgs_error *err)
{
    tgs_i_instance *x = tgs_mem_alloc(1, sizeof *x);
    tgs_status status = TGS_OK;

    *out = NULL;
    if (!x)
        return no_memory(err);
    x->table = table;
    x->path = tgs_mem_text(s->path);
    if (!x->path)
        status = no_memory(err);
    if (!status)
        status = read_all(x, s, err);
    if (status)
        tgs_i_instance_free(x);
    else
        *out = x;
    return status;
}

void tgs_i_instance_free(tgs_i_instance *x)
{
    if (!x)
        return;
    for (int32_t t = 0; t < TABLES; t++) {
        for (int32_t i = 0; i < x->of[t].count; i++)
            tgs_mem_free(x->of[t].row[i].name);
        tgs_mem_free(x->of[t].row);
        tgs_mem_free(x->of[t].slot);
    }
    tgs_mem_free(x->at);
    tgs_mem_free(x->value);
    tgs_mem_free(x->path);
    tgs_mem_free(x);
}

int32_t tgs_i_rows(const tgs_i_instance *x, int32_t table)
{
    return x->of[table].count;
}

const char *tgs_i_row_name(const tgs_i_instance *x, int32_t table, int32_t row)
{
    return x->of[table].row[row].name;
}

int32_t tgs_i_list(const tgs_i_instance *x, int32_t table, int32_t row, int32_t column,
                   const double **values)
{
    const int64_t *at = x->at + x->of[table].row[row].first + column;

    *values = x->value + at[0];
    return (int32_t)(at[1] - at[0]);
}

bool tgs_i_given(const tgs_i_instance *x, int32_t table, int32_t row, int32_t column)
{
    const double *values;

    return tgs_i_list(x, table, row, column, &values) > 0;
}

double tgs_i_real(const tgs_i_instance *x, int32_t table, int32_t row, int32_t column)
{
    const double *values;

    return tgs_i_list(x, table, row, column, &values) ? *values
                                                      : x->table[table].column[column].absent;
}

int32_t tgs_i_index(const tgs_i_instance *x, int32_t table, int32_t row, int32_t column)
{
    return (int32_t)tgs_i_real(x, table, row, column);
}

tgs_status tgs_i_row_fail(const tgs_i_instance *x, int32_t table, int32_t row, tgs_error *err,
                          const char *format, ...)
{
    char text[sizeof err->text];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return tgs_fail(err, TGS_EPARSE, "%s:%lld: %s", x->path, (long long)x->of[table].row[row].line,
                    text);
}
