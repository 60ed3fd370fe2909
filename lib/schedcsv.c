/* schedcsv.c -- a schedule as a table, from whatever tool made it; see tgsched-schedule(5).
 *
 * The first line names the columns, in any order; those that say nothing here are passed over.  A
 * field in quotes ends on its line.  A second row of a task is a copy of it.  The end of a row is
 * what the problem says; if the table has one, it must be that. */
#include <string.h>
#include <strings.h>
#include "words.h"

enum { TASK, PROCESSOR, START, END, COLUMNS, MAX_FIELDS = 256 };

typedef struct table {
    tgs_source s;
    const tgs_view *v;
    tgs_plan plan;
    tgs_i_plan_names name;
    char separator;
    int32_t at[COLUMNS]; /* field of each column; -1 none */
    int32_t fields;      /* of a row */
    char *field[MAX_FIELDS];
    int32_t placed;
    tgs_error *err;
} table;

/* ---- lines ---------------------------------------------------------------------------------- */
/* cuts a quoted field in place, "" being one quote; NULL: it does not end */
static char *cut_quoted(char *text)
{
    char *to = text;

    for (text++; *text; text++) {
        if (*text == '"' && *++text != '"') {
            *to = 0;
            return text;
        }
        *to++ = *text;
    }
    return NULL;
}

static void trim(char *text)
{
    size_t size = strlen(text);

    while (size && (text[size - 1] == ' ' || text[size - 1] == '\t'))
        text[--size] = 0;
}

static tgs_status cut_row(table *t, int32_t *fields)
{
    const char ends[] = {t->separator, 0};
    char *s = t->s.text;

    for (*fields = 0; *fields < MAX_FIELDS; ++*fields) {
        bool quoted, last;
        char *end;

        while (*s == ' ' || (*s == '\t' && t->separator != '\t'))
            s++;
        t->field[*fields] = s;
        quoted = *s == '"';
        end = quoted ? cut_quoted(s) : s;
        if (!end)
            return tgs_source_fail(&t->s, t->err, "a quoted field does not end on its line");
        s = end + strcspn(end, ends);
        if (quoted && end + strspn(end, " \t") < s)
            return tgs_source_fail(&t->s, t->err, "'%.40s' after a quoted field", end);
        last = !*s;
        *s = 0;
        if (!quoted)
            trim(t->field[*fields]);
        if (last) {
            ++*fields;
            return TGS_OK;
        }
        s++;
    }
    return tgs_source_fail(&t->s, t->err, "more than %d columns", MAX_FIELDS);
}

/* 1: a row is in field; 0: the end of the file */
static int next_row(table *t, int32_t *fields)
{
    int got;

    while ((got = tgs_source_next(&t->s, t->err)) == 1) {
        if (t->s.line == 1 && !strncmp(t->s.text, "\xEF\xBB\xBF", 3)) /* a byte order mark */
            memmove(t->s.text, t->s.text + 3, strlen(t->s.text + 3) + 1);
        if (!t->s.text[strspn(t->s.text, " \t")])
            continue;
        if (!t->separator) { /* the first that the header has */
            const char *found = strpbrk(t->s.text, ",;\t");

            t->separator = found ? *found : ',';
        }
        return cut_row(t, fields) ? TGS_EPARSE : 1;
    }
    return got;
}

/* ---- columns -------------------------------------------------------------------------------- */
static tgs_status take_header(table *t)
{
    static const char *const name[COLUMNS] = {"task", "processor", "start", "end"};
    static const char *const unit[COLUMNS] = {"", "", "start_s", "end_s"};
    const int got = next_row(t, &t->fields);

    if (got < 0)
        return (tgs_status)got;
    if (!got)
        return tgs_source_fail(&t->s, t->err, "the file is empty");
    for (int32_t c = 0; c < COLUMNS; c++) {
        t->at[c] = -1;
        for (int32_t f = 0; f < t->fields; f++) {
            if (strcasecmp(t->field[f], name[c]) != 0 && strcasecmp(t->field[f], unit[c]) != 0)
                continue;
            if (t->at[c] >= 0)
                return tgs_source_fail(&t->s, t->err, "two columns '%s'", name[c]);
            t->at[c] = f;
        }
        if (t->at[c] < 0 && c != END)
            return tgs_source_fail(&t->s, t->err,
                                   "no column '%s': the first line names task, processor and start",
                                   name[c]);
    }
    return TGS_OK;
}

/* a name, else an index (also as @INDEX); x->what says of what */
static tgs_status take_name(const table *t, const char *text, const tgs_i_index *x, int32_t *out)
{
    int64_t index;

    *out = *text ? tgs_i_names_get(&x->names, x->arena, text) : -1;
    if (*out >= 0)
        return TGS_OK;
    if (!*text)
        return tgs_source_fail(&t->s, t->err, "the %s is missing", x->what);
    if (!tgs_parse_count(text + (*text == '@'), x->count - 1, &index))
        return tgs_source_fail(&t->s, t->err, "there is no %s '%.80s'", x->what, text);
    *out = (int32_t)index;
    return TGS_OK;
}

static tgs_status take_time(const table *t, int32_t column, const char *what, double *out)
{
    const char *text = t->field[t->at[column]];

    if (!*text)
        return tgs_source_fail(&t->s, t->err, "the %s is missing", what);
    return tgs_parse_real(text, out)
               ? TGS_OK
               : tgs_source_fail(&t->s, t->err, "the %s '%.80s' is not a finite number", what,
                                 text);
}

static tgs_status take_end(const table *t, int32_t task, int32_t proc, double start)
{
    const double w = tgs_w(t->v, task, proc);
    double end;
    const tgs_status status = take_time(t, END, "end", &end);

    if (status || !(w < INFINITY) || fabs(start + w - end) <= 1e-9 * fabs(end))
        return status; /* where it may not run is the checker's to say */
    return tgs_source_fail(&t->s, t->err,
                           "task '%.80s' takes %.17g on '%.80s' but runs from %.17g to %.17g",
                           t->field[t->at[TASK]], w, t->field[t->at[PROCESSOR]], start, end);
}

static tgs_status take_row(table *t)
{
    int32_t task, proc;
    double start;
    tgs_status status = take_name(t, t->field[t->at[TASK]], &t->name.task, &task);

    if (!status)
        status = take_name(t, t->field[t->at[PROCESSOR]], &t->name.proc, &proc);
    if (!status)
        status = take_time(t, START, "start", &start);
    if (!status && t->at[END] >= 0)
        status = take_end(t, task, proc, start);
    if (status)
        return status;
    if (t->plan.proc[task] >= 0)
        return tgs_plan_copy(&t->plan, task, proc, start)
                   ? tgs_fail(t->err, TGS_ENOMEM, "%s: out of memory", t->s.path)
                   : TGS_OK;
    t->plan.proc[task] = proc;
    t->plan.start[task] = start;
    t->placed++;
    return TGS_OK;
}

/* ---- the whole ------------------------------------------------------------------------------ */
static tgs_status read_rows(table *t)
{
    int32_t fields;
    int got;
    tgs_status status = take_header(t);

    while (!status && (got = next_row(t, &fields)) != 0) {
        if (got < 0)
            status = (tgs_status)got;
        else if (fields != t->fields)
            status = tgs_source_fail(&t->s, t->err, "%d fields, but the first line names %d",
                                     (int)fields, (int)t->fields);
        else
            status = take_row(t);
    }
    for (int32_t j = 0; !status && t->placed < t->v->n && j < t->v->n; j++)
        if (t->plan.proc[j] < 0)
            status = tgs_source_fail(&t->s, t->err, "task number %d ('%.80s') has no row", (int)j,
                                     tgs_task_name(t->v->g, j, TGS_ROOM));
    return status;
}

tgs_status tgs_i_schedule_csv(tgs_schedule **out, const char *path, const tgs_problem *pb,
                              tgs_error *err)
{
    const char *slash = strrchr(path, '/');
    table t = {.v = &pb->v, .err = err};
    tgs_status status = tgs_i_source_open(&t.s, path, err);

    *out = NULL;
    if (status)
        return status;
    status = tgs_i_plan_new(&t.plan, pb->v.n);
    if (status)
        tgs_fail(err, status, "%s: out of memory", path);
    if (!status)
        status = tgs_i_plan_names_of(&t.name, &pb->v, err);
    if (!status)
        status = read_rows(&t);
    if (!status)
        status = tgs_i_schedule_build(out, pb, &t.plan, slash ? slash + 1 : path, err);
    tgs_i_plan_names_free(&t.name);
    tgs_i_plan_free(&t.plan);
    tgs_i_source_close(&t.s);
    return status;
}
