/* heft.c -- reads instances of heterogeneous scheduling as matrices of comma-separated values, one
 * file each, with a row of headings and a column of them.
 *
 *   NAME_task_connectivity.csv  tasks x tasks: the data of the edge, 0 for none
 *   NAME_task_exe_time.csv      tasks x processors: seconds; each processor is a kind of its own
 *   NAME_resource_BW.csv        the machine, which is a platform
 *
 * Read the times: the edges are found beside them by name (one file serves NAME_8proc_... and
 * NAME_16proc_...), or named by the parameter.  The edges alone are a graph without times.  Tasks
 * are called after the headings of the edges.  Data are bytes, and rates bytes per second. */
#include <errno.h>
#include <string.h>
#include "core.h"

#define TIMES "task_exe_time"
#define EDGES "task_connectivity"

typedef struct reading {
    tgs_source *s;
    tgs_builder *b;
    tgs_error *err;
    int32_t columns;
    char **name; /* [columns] headings, in heading, which begins with the corner */
    char *heading;
    char **kind; /* [kinds] headings of the times, in kinds_heading */
    char *kinds_heading;
    int32_t kinds, rows; /* rows: how many tasks have times */
    double *time;        /* [rows * kinds] */
    int64_t time_room;
} reading;

/* ---- matrices ----------------------------------------------------------------------------------
 */

/* the next line with something on it: 1; 0 at the end; or a status */
static int next_line(const reading *r, tgs_source *s)
{
    int more;

    do
        more = tgs_source_next(s, r->err);
    while (more > 0 && !s->text[strspn(s->text, " \t,")]);
    return more;
}

static tgs_status read_heading(reading *r, tgs_source *s)
{
    int32_t room = 1;
    char *cursor, *cell;
    const int more = next_line(r, s);

    if (more < 0)
        return (tgs_status)more;
    if (!more) {
        s->line += !s->line;
        return tgs_source_fail(s, r->err, "there is no row of headings");
    }
    for (const char *c = s->text; *c; c++)
        room += *c == ',';
    r->columns = 0;
    r->heading = tgs_mem_text(s->text);
    r->name = tgs_mem_alloc((size_t)room, sizeof *r->name);
    if (!r->heading || !r->name)
        return tgs_i_read_no_memory(s, r->err);
    cursor = r->heading;
    tgs_i_read_cell(&cursor);
    while ((cell = tgs_i_read_cell(&cursor)))
        if (*cell)
            r->name[r->columns++] = cell;
    return r->columns ? TGS_OK : tgs_source_fail(s, r->err, "there are no columns");
}

/* the cell of a column, a number >= 0; the row ends with the last one */
static tgs_status read_number(const reading *r, const tgs_source *s, char **cursor, char **heading,
                              int32_t column, bool last, double *out)
{
    const char *cell = tgs_i_read_cell(cursor);

    if (!cell)
        return tgs_source_fail(s, r->err, "the row ends before column '%.40s'", heading[column]);
    if (!tgs_parse_real(cell, out) || *out < 0)
        return tgs_source_fail(s, r->err, "column '%.40s': '%.40s' is not a finite number >= 0",
                               heading[column], cell);
    if (last && (cell = tgs_i_read_cell(cursor)) && *cell)
        return tgs_source_fail(s, r->err, "the row has more cells than there are headings");
    return TGS_OK;
}

/* the headings become those of the times */
static tgs_status read_times(reading *r, tgs_source *s)
{
    int more = 1;
    tgs_status status = TGS_OK;

    r->kind = r->name;
    r->kinds = r->columns;
    r->kinds_heading = r->heading;
    r->name = NULL;
    r->heading = NULL;
    for (int32_t k = 0; k < r->kinds; k++)
        tgs_builder_kind(r->b, r->kind[k]);
    status = tgs_source_built(s, r->b, r->err);
    while (!status && (more = next_line(r, s)) > 0) {
        const int64_t from = (int64_t)r->rows * r->kinds;
        char *cursor = s->text;

        if (r->rows == TGS_I_READ_MOST / r->kinds)
            return tgs_source_fail(s, r->err, "more than %d times", TGS_I_READ_MOST);
        if (tgs_mem_grow(&r->time, &r->time_room, from + r->kinds, sizeof *r->time))
            return tgs_i_read_no_memory(s, r->err);
        tgs_i_read_cell(&cursor);
        for (int32_t k = 0; k < r->kinds && !status; k++)
            status = read_number(r, s, &cursor, r->kind, k, k == r->kinds - 1, &r->time[from + k]);
        r->rows++;
    }
    return status ? status : more < 0 ? (tgs_status)more : TGS_OK;
}

static tgs_status add_tasks(const reading *r, const tgs_source *s)
{
    if (r->kinds && r->rows != r->columns)
        return tgs_source_fail(s, r->err, "%d tasks, and times of %d", r->columns, r->rows);
    for (int32_t t = 0; t < r->columns; t++) {
        tgs_builder_task(r->b, r->name[t], NULL, NAN);
        for (int32_t k = 0; k < r->kinds; k++)
            tgs_builder_task_time(r->b, t, r->kind[k], r->time[(int64_t)t * r->kinds + k]);
    }
    return tgs_source_built(s, r->b, r->err);
}

static tgs_status read_row(const reading *r, const tgs_source *s, int32_t from)
{
    char *cursor = s->text;
    tgs_status status = TGS_OK;

    tgs_i_read_cell(&cursor);
    tgs_builder_line(r->b, from, s->line);
    for (int32_t to = 0; to < r->columns && !status; to++) {
        double bytes = 0;

        status = read_number(r, s, &cursor, r->name, to, to == r->columns - 1, &bytes);
        if (status || !(bytes > 0))
            continue;
        if (to == from)
            return tgs_source_fail(s, r->err, "task '%.40s' would depend on itself", r->name[to]);
        tgs_builder_edge(r->b, from, to, bytes);
        status = tgs_source_built(s, r->b, r->err);
    }
    return status;
}

static tgs_status read_edges(reading *r, tgs_source *s)
{
    int32_t row = 0;
    int more = 1;
    tgs_status status = add_tasks(r, s);

    while (!status && (more = next_line(r, s)) > 0) {
        status = row == r->columns ? tgs_source_fail(s, r->err, "more rows than columns")
                                   : read_row(r, s, row);
        row++;
    }
    if (!status && more < 0)
        status = (tgs_status)more;
    if (!status && row < r->columns)
        status = tgs_source_fail(s, r->err, "%d rows for %d columns", row, r->columns);
    return status;
}

/* ---- two files ---------------------------------------------------------------------------------
 */

/* where the last `part` of a path begins; NULL: it has none */
static const char *last_part(const char *path, const char *part)
{
    const char *at = NULL;

    for (const char *s = path; (s = strstr(s, part)); s++)
        at = s;
    return at;
}

/* path with `to` instead of the part of it at `at`, which is as long as `from`; NULL: no memory */
static char *renamed(const char *path, const char *at, const char *from, const char *to)
{
    char *text = tgs_mem_alloc(strlen(path) + strlen(to) + 1, 1);

    if (text)
        sprintf(text, "%.*s%s%s", (int)(at - path), path, to, at + strlen(from));
    return text;
}

/* cuts `_8proc` out of NAME_8proc_task_connectivity.csv; false: it is not there */
static bool without_processors(char *path)
{
    char *end = strstr(path, "proc_" EDGES), *from = end;

    while (from && from > path && from[-1] >= '0' && from[-1] <= '9')
        from--;
    if (!from || from == end || from == path || from[-1] != '_')
        return false;
    memmove(from - 1, end + 4, strlen(end + 4) + 1);
    return true;
}

/* the file of the edges that belongs to the times of r->s, open */
static tgs_status open_edges(const reading *r, const tgs_args *a, char **path, FILE **file)
{
    const char *given = tgs_arg_text(a, "connectivity");
    const char *at = last_part(r->s->path, TIMES);

    if (!*given && !at)
        return tgs_source_fail(r->s, r->err,
                               "these are times; name the file of the edges, connectivity=FILE");
    *path = *given ? tgs_mem_text(given) : renamed(r->s->path, at, TIMES, EDGES);
    if (!*path)
        return tgs_i_read_no_memory(r->s, r->err);
    *file = fopen(*path, "rb");
    if (!*file && !*given && errno == ENOENT && without_processors(*path))
        *file = fopen(*path, "rb");
    return *file ? TGS_OK : tgs_fail_system(r->err, errno, *path);
}

/* reads on from another file as if it were s, whose line buffer is the library's */
static tgs_status read_beside(reading *r, const char *path, FILE *file)
{
    const tgs_source own = *r->s;
    tgs_status status;

    r->s->file = file;
    r->s->path = path;
    r->s->line = 0;
    status = read_heading(r, r->s);
    if (!status)
        status = read_edges(r, r->s);
    r->s->file = own.file;
    r->s->path = own.path;
    r->s->line = own.line;
    return status;
}

static tgs_status read_heft(tgs_source *s, const tgs_args *a, tgs_builder *b, tgs_error *err)
{
    reading r = {.s = s, .b = b, .err = err};
    char *path = NULL;
    FILE *file = NULL;
    tgs_status status = read_heading(&r, s);

    if (!status && !strcmp(r.heading, "T"))
        status = read_edges(&r, s);
    else if (!status) {
        status = read_times(&r, s);
        if (!status)
            status = open_edges(&r, a, &path, &file);
        if (!status)
            status = read_beside(&r, path, file);
    }
    if (file)
        fclose(file);
    tgs_mem_free(path);
    tgs_mem_free(r.name);
    tgs_mem_free(r.heading);
    tgs_mem_free(r.kind);
    tgs_mem_free(r.kinds_heading);
    tgs_mem_free(r.time);
    return status;
}

/* a corner TP above processors; a corner T above tasks, the first of which begins the next row */
static int sniff(const char *head, size_t size)
{
    const char *line = memchr(head, '\n', size), *name = head + 2;
    size_t n;

    if (size > 3 && !memcmp(head, "TP,", 3))
        return line ? 2 : 1;
    if (size < 3 || memcmp(head, "T,", 2) || !line)
        return size > 2 && !memcmp(head, "T,", 2);
    n = strcspn(name, ",\r\n");
    return (size_t)(head + size - line) > n && !memcmp(line + 1, name, n) ? 2 : 0;
}

static const tgs_param params[] = {
    {"connectivity", "", TGS_PARAM_TEXT, 0, 0,
     "the file of the edges, when it is not beside that of the times"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_reader tgs_reader_heft = {
    .base = {TGS_PLUGIN_ABI, "heft",
             "matrices of times and of edges, CSV, as instances of HEFT and PEFT come",
             "Topcuoglu, Hariri, Wu (2002), Performance-effective and low-complexity task "
             "scheduling for heterogeneous computing, IEEE TPDS 13(3)",
             params},
    .yields = TGS_YIELD_GRAPH,
    .suffixes = "task_exe_time.csv task_connectivity.csv",
    .sniff = sniff,
    .read = read_heft,
};
