/* starvz.c -- reads rec.tasks.csv, the tasks of a StarPU run as StarVZ keeps them.
 *
 * Which columns there are is said by the first line.  A task accesses Handles with Modes and Sizes
 * (bytes), in the order of SubmitOrder on its MPI rank, and comes after DependsOn.  Its time is
 * that of this run, milliseconds from StartTime to EndTime.  Rows with a Control are hints about
 * data, no tasks; rows without times are StarPU's own (acquisitions of data): tasks of phase
 * communication and of no time.  O(rows log rows). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core.h"

#define MILLI 1e-3

enum {
    CONTROL,
    JOB,
    SUBMIT,
    HANDLES,
    RANK,
    NAME,
    PRIORITY,
    START,
    END,
    MODES,
    SIZES,
    DEPENDS,
    KEYS
};
static const char *const key[KEYS] = {"Control", "JobId", "SubmitOrder", "Handles",
                                      "MPIRank", "Name",  "Priority",    "StartTime",
                                      "EndTime", "Modes", "Sizes",       "DependsOn"};

typedef struct row { /* a task: offsets into text */
    int64_t order, line;
    int64_t handles, modes, sizes, depends;
    int32_t rank, task;
} row;

typedef struct reading {
    tgs_source *s;
    tgs_builder *b;
    tgs_error *err;
    int32_t column[KEYS]; /* -1: there is none */
    int32_t columns;
    row *row;
    char *text;
    int64_t rows, row_room, used, text_room;
} reading;

/* ---- rows --------------------------------------------------------------------------------------
 */

static tgs_status read_heading(reading *r)
{
    static const int32_t needed[] = {JOB, NAME, START, END};
    char *cursor = r->s->text, *cell;

    for (int32_t k = 0; k < KEYS; k++)
        r->column[k] = -1;
    for (; (cell = tgs_i_read_cell(&cursor)); r->columns++)
        for (int32_t k = 0; k < KEYS; k++)
            if (!strcmp(cell, key[k]))
                r->column[k] = r->columns;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (r->column[needed[i]] < 0)
            return tgs_source_fail(r->s, r->err, "there is no column %s", key[needed[i]]);
    return TGS_OK;
}

/* a copy of text; -1 when there is no memory */
static int64_t keep(reading *r, const char *text)
{
    const int64_t at = r->used, size = (int64_t)strlen(text) + 1;

    if (tgs_mem_grow(&r->text, &r->text_room, at + size, 1))
        return -1;
    memcpy(r->text + at, text, (size_t)size);
    r->used += size;
    return at;
}

static bool is_given(const char *cell)
{
    return *cell && strcmp(cell, "NA");
}

static tgs_status add_task(reading *r, char *const *cell, row *x)
{
    double start = 0, end = 0, priority = 0;
    const bool ran = is_given(cell[START]) && is_given(cell[END]);

    if (ran
        && (!tgs_parse_real(cell[START], &start) || !tgs_parse_real(cell[END], &end)
            || end < start))
        return tgs_source_fail(r->s, r->err, "StartTime %.40s and EndTime %.40s are no interval",
                               cell[START], cell[END]);
    x->task = tgs_builder_task(r->b, cell[JOB], is_given(cell[NAME]) ? cell[NAME] : NULL,
                               (end - start) * MILLI);
    tgs_builder_line(r->b, x->task, r->s->line);
    if (!ran)
        tgs_builder_task_phase(r->b, x->task, TGS_PHASE_COMMUNICATION);
    if (is_given(cell[PRIORITY])) {
        if (!tgs_parse_real(cell[PRIORITY], &priority))
            return tgs_source_fail(r->s, r->err, "Priority '%.40s' is no number", cell[PRIORITY]);
        if (priority != 0)
            tgs_builder_task_constrain(r->b, x->task, "priority", cell[PRIORITY]);
    }
    return tgs_source_built(r->s, r->b, r->err);
}

static tgs_status read_row(reading *r)
{
    static char none[] = "";
    char *cell[KEYS], *cursor = r->s->text, *next;
    row x = {.line = r->s->line};
    int64_t rank = 0;
    int32_t columns = 0;
    tgs_status status;

    for (int32_t k = 0; k < KEYS; k++)
        cell[k] = none;
    for (; (next = tgs_i_read_cell(&cursor)); columns++)
        for (int32_t k = 0; k < KEYS; k++)
            if (r->column[k] == columns)
                cell[k] = next;
    if (columns != r->columns)
        return tgs_source_fail(r->s, r->err, "%d cells under %d headings", columns, r->columns);
    if (is_given(cell[CONTROL]))
        return TGS_OK;
    if (!*cell[JOB])
        return tgs_source_fail(r->s, r->err, "a task has no JobId");
    if (is_given(cell[SUBMIT]) && !tgs_parse_count(cell[SUBMIT], INT64_MAX, &x.order))
        return tgs_source_fail(r->s, r->err, "SubmitOrder '%.40s' is no count", cell[SUBMIT]);
    if (is_given(cell[RANK]) && !tgs_parse_count(cell[RANK], INT32_MAX, &rank))
        return tgs_source_fail(r->s, r->err, "MPIRank '%.40s' is no count", cell[RANK]);
    x.rank = (int32_t)rank;
    status = add_task(r, cell, &x);
    x.handles = keep(r, cell[HANDLES]);
    x.modes = keep(r, cell[MODES]);
    x.sizes = keep(r, cell[SIZES]);
    x.depends = keep(r, cell[DEPENDS]);
    if (!status
        && (x.handles < 0 || x.modes < 0 || x.sizes < 0 || x.depends < 0
            || tgs_mem_grow(&r->row, &r->row_room, r->rows + 1, sizeof x)))
        status = tgs_i_read_no_memory(r->s, r->err);
    if (!status)
        r->row[r->rows++] = x;
    return status;
}

/* ---- accesses and dependencies -----------------------------------------------------------------
 */

static tgs_status find_handle(const reading *r, const row *x, const char *handle, const char *size,
                              int32_t *datum)
{
    char name[120];
    double bytes;

    if (strlen(handle) > 80)
        return tgs_source_fail(r->s, r->err, "handle '%.40s...' is too long", handle);
    /* addresses: those of two ranks may be the same */
    snprintf(name, sizeof name, "%" PRId32 ":%.80s", x->rank, handle);
    *datum = tgs_builder_find_datum(r->b, name);
    if (*datum >= 0)
        return TGS_OK;
    if (!tgs_parse_real(size, &bytes) || bytes < 0)
        return tgs_source_fail(r->s, r->err, "Sizes: '%.40s' is not a finite number >= 0", size);
    *datum = tgs_builder_datum(r->b, name, bytes);
    return tgs_source_built(r->s, r->b, r->err);
}

static tgs_status add_accesses(const reading *r, const row *x)
{
    char *handles = r->text + x->handles, *modes = r->text + x->modes, *sizes = r->text + x->sizes;
    char *handle;
    tgs_status status = TGS_OK;

    while (!status && (handle = tgs_word(&handles))) {
        const char *mode = tgs_word(&modes), *size = tgs_word(&sizes);
        int32_t datum = -1;
        const tgs_mode m = !mode                                         ? 0
                           : !strcmp(mode, "R")                          ? TGS_R
                           : !strcmp(mode, "W")                          ? TGS_W
                           : strstr(mode, "RW") || strstr(mode, "REDUX") ? TGS_RW
                                                                         : 0;

        if (!m || !size)
            return tgs_source_fail(r->s, r->err,
                                   "handle %.40s: its mode is %.40s and its size %.40s", handle,
                                   mode ? mode : "missing", size ? size : "missing");
        status = find_handle(r, x, handle, size, &datum);
        if (!status && tgs_builder_access(r->b, x->task, datum, m))
            break; /* the builder says why below */
    }
    return status ? status : tgs_source_built(r->s, r->b, r->err);
}

static tgs_status add_dependencies(const reading *r, const row *x)
{
    char *depends = r->text + x->depends, *name;

    while ((name = tgs_word(&depends))) {
        const int32_t before = strcmp(name, "NA") ? tgs_builder_find_task(r->b, name) : x->task;

        if (before < 0)
            return tgs_source_fail(r->s, r->err, "DependsOn: there is no task '%.80s'", name);
        if (before != x->task)
            tgs_builder_after(r->b, before, x->task);
        else if (strcmp(name, "NA"))
            return tgs_source_fail(r->s, r->err, "task '%.80s' would depend on itself", name);
    }
    return tgs_source_built(r->s, r->b, r->err);
}

static int by_order(const void *a, const void *b)
{
    const row *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static tgs_status read_starvz(tgs_source *s, const tgs_args *a, tgs_builder *b, tgs_error *err)
{
    reading r = {.s = s, .b = b, .err = err};
    tgs_status status = TGS_OK;
    int more = tgs_source_next(s, err);

    (void)a;
    s->line += !s->line;
    if (!more)
        status = tgs_source_fail(s, err, "there is no line of headings");
    else if (more > 0)
        status = read_heading(&r);
    while (!status && more > 0 && (more = tgs_source_next(s, err)) > 0)
        if (*s->text)
            status = read_row(&r);
    if (!status && more < 0)
        status = (tgs_status)more;
    if (!status && r.rows)
        qsort(r.row, (size_t)r.rows, sizeof *r.row, by_order);
    for (int64_t i = 0; i < r.rows && !status; i++) {
        s->line = r.row[i].line;
        status = add_accesses(&r, &r.row[i]);
        if (!status)
            status = add_dependencies(&r, &r.row[i]);
    }
    tgs_mem_free(r.row);
    tgs_mem_free(r.text);
    return status;
}

static int sniff(const char *head, size_t size)
{
    const char *end = memchr(head, '\n', size);
    const size_t line = end ? (size_t)(end - head) : size;

    return memmem(head, line, "JobId", 5) && memmem(head, line, "SubmitOrder", 11)
                   && memmem(head, line, "StartTime", 9)
               ? 2
               : 0;
}

const tgs_reader tgs_reader_starvz = {
    .base = {TGS_PLUGIN_ABI, "starvz", "tasks of a StarPU run, the rec.tasks.csv of StarVZ",
             "Leandro Nesi, Thibault, Stanisic, Mello Schnorr (2019), Visual performance analysis "
             "of memory behavior in a task-based runtime on hybrid platforms, CCGRID",
             NULL},
    .yields = TGS_YIELD_GRAPH,
    .suffixes = "rec.tasks.csv",
    .sniff = sniff,
    .read = read_starvz,
};
