/* table.h -- results: rows of typed cells, printed as a table for people, CSV or JSON. */
#ifndef TGS_TOOL_TABLE_H
#define TGS_TOOL_TABLE_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum cell_type {
    CELL_TEXT,
    CELL_COUNT,
    CELL_REAL,
    CELL_SECONDS,
    CELL_BYTES,
    CELL_FLAG
} cell_type;

typedef struct column {
    const char *key;     /* in CSV and JSON; carries the unit: "makespan_s" */
    const char *heading; /* for people; NULL: CSV and JSON only */
    cell_type type;
} column;

typedef struct cell {
    const char *text; /* copied; NULL unknown */
    double real;      /* NaN unknown */
} cell;

/* Unknown cells are empty for people and in CSV, absent in JSON. */
typedef struct table {
    const char *name; /* of the array in JSON */
    const column *column;
    int32_t columns, rows, room;
    cell *cell;
    bool failed; /* out of memory; printing reports it */
} table;

void table_init(table *t, const char *name, const column *c, int32_t columns);
void table_free(table *t);
int32_t table_row(table *t); /* add a row of unknown cells: its index */
void table_text(table *t, int32_t row, const char *key, const char *text);
void table_real(table *t, int32_t row, const char *key, double value);
double table_value(const table *t, int32_t row, const char *key); /* NaN unknown */
/* by the values of a column, ascending; unknown ones last, equal ones in the order they came */
void table_sort(table *t, const char *key);
/* returns an exit code */
int table_people(const table *t, FILE *to);
int table_csv(const table *t, FILE *to);
void table_json(const table *t, FILE *to); /* "name": [{...}, ...] */

/* One row on its own, printed a line a cell; JSON gives its cells without brackets. */
void record_people(const table *t, FILE *to);
void record_json(const table *t, FILE *to); /* "key": value, ... */

/* a value as people read it: "1.25 ms", "3.1 MiB" */
void human(char *text, size_t size, cell_type type, double value);
#endif
