/* tgff.c -- reads the files of Task Graphs For Free.
 *
 *   @TASK_GRAPH 0 {
 *     PERIOD 300
 *     TASK t0_0 TYPE 2
 *     ARC a0_0 FROM t0_0 TO t0_1 TYPE 1
 *     HARD_DEADLINE d0_0 ON t0_1 AT 300
 *   }
 *   @PE 0 {                           any name; a comment before the rows names their columns
 *   # type version exec_time
 *     0    0       49.3
 *   }
 *
 * A table of `type` and exec_time is a kind of processor, NAME and its number: seconds of each type
 * of task; one that is not there, or has valid 0, cannot run on it.  A table of `type` and quantity
 * says how many bytes an arc of a type carries (without one: none).  Each graph is a job, once:
 * periods are not unrolled, and the user is told. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core.h"

enum { MOST_COLUMNS = 64, MOST_KINDS = 64, MOST_NAME = 80 };

typedef struct cell { /* a type in a table */
    int64_t type, line;
    double value;
    int32_t table; /* a kind; ARCS for quantities */
} cell;
enum { ARCS = -1 };

typedef struct part { /* a task, or an arc */
    int64_t type, line;
    int32_t from, to; /* of an arc; to -1: a task */
} part;

typedef struct reading {
    tgs_source *s;
    tgs_builder *b;
    tgs_error *err;
    cell *cell;
    part *part;
    int64_t cells, cell_room, parts, part_room;
    char kind[MOST_KINDS][MOST_NAME];
    int32_t kinds;
    bool periods, quantities;
    /* the block that is open: a graph, a table, or something else */
    enum { OUTSIDE, GRAPH, TABLE, OTHER } block;
    int64_t number;             /* of a graph: its job */
    char name[MOST_NAME];       /* of a table */
    int32_t table;              /* where its rows go; ARCS - 1: not known to be of use */
    int32_t type, value, valid; /* columns of a table, -1 none */
} reading;

static tgs_status word_after(const reading *r, char **cursor, const char *keyword, char **out)
{
    const char *word = tgs_i_read_word(cursor);

    if (!word || (keyword && strcmp(word, keyword)))
        return tgs_source_fail(r->s, r->err, "'%.40s' where %s should be", word ? word : "",
                               keyword);
    *out = tgs_i_read_word(cursor);
    return *out ? TGS_OK : tgs_source_fail(r->s, r->err, "a word is missing after %s", keyword);
}

static tgs_status count_after(const reading *r, char **cursor, const char *keyword, int64_t *out)
{
    char *word;
    tgs_status status = word_after(r, cursor, keyword, &word);

    if (!status && !tgs_parse_count(word, INT32_MAX, out))
        status = tgs_source_fail(r->s, r->err, "%s '%.40s' is not a whole number", keyword, word);
    return status;
}

static tgs_status task_after(const reading *r, char **cursor, const char *keyword, int32_t *out)
{
    char *word;
    tgs_status status = word_after(r, cursor, keyword, &word);

    if (status)
        return status;
    *out = tgs_builder_find_task(r->b, word);
    return *out >= 0 ? TGS_OK : tgs_source_fail(r->s, r->err, "there is no task '%.80s'", word);
}

/* ---- graphs */

static tgs_status keep_part(reading *r, const part *p)
{
    if (tgs_mem_grow(&r->part, &r->part_room, r->parts + 1, sizeof *p))
        return tgs_i_read_no_memory(r->s, r->err);
    r->part[r->parts++] = *p;
    return TGS_OK;
}

static tgs_status read_task(reading *r, char *cursor)
{
    part p = {.line = r->s->line, .to = -1};
    const char *name = tgs_i_read_word(&cursor);
    char text[32];
    tgs_status status;

    if (!name)
        return tgs_source_fail(r->s, r->err, "a task has no name");
    status = count_after(r, &cursor, "TYPE", &p.type);
    if (status)
        return status;
    snprintf(text, sizeof text, "type%" PRId64, p.type);
    p.from = tgs_builder_task(r->b, name, text, NAN);
    tgs_builder_line(r->b, p.from, p.line);
    snprintf(text, sizeof text, "%" PRId64, r->number);
    if (r->number)
        tgs_builder_task_constrain(r->b, p.from, "job", text);
    status = tgs_source_built(r->s, r->b, r->err);
    return status ? status : keep_part(r, &p);
}

static tgs_status read_arc(reading *r, char *cursor)
{
    part p = {.line = r->s->line};
    tgs_status status = TGS_OK;

    tgs_i_read_word(&cursor); /* its name */
    status = task_after(r, &cursor, "FROM", &p.from);
    if (!status)
        status = task_after(r, &cursor, "TO", &p.to);
    if (!status)
        status = count_after(r, &cursor, "TYPE", &p.type);
    if (!status && p.from == p.to)
        status = tgs_source_fail(r->s, r->err, "a task would depend on itself");
    return status ? status : keep_part(r, &p);
}

static tgs_status read_deadline(reading *r, char *cursor)
{
    int32_t task = -1;
    double at;
    char *word = NULL;
    tgs_status status = TGS_OK;

    tgs_i_read_word(&cursor); /* its name */
    status = task_after(r, &cursor, "ON", &task);
    if (!status)
        status = word_after(r, &cursor, "AT", &word);
    if (!status && (!tgs_parse_real(word, &at) || at < 0))
        status = tgs_source_fail(r->s, r->err, "AT '%.40s' is not a finite number >= 0", word);
    if (!status) {
        tgs_builder_task_constrain(r->b, task, "deadline", word);
        status = tgs_source_built(r->s, r->b, r->err);
    }
    return status;
}

static tgs_status read_graph_line(reading *r, const char *word, char *cursor)
{
    static const char *const ignored[] = {"PERIOD", "SOFT_DEADLINE", "IN_DEGREE_LIMIT"};

    if (!strcmp(word, "TASK"))
        return read_task(r, cursor);
    if (!strcmp(word, "ARC"))
        return read_arc(r, cursor);
    if (!strcmp(word, "HARD_DEADLINE"))
        return read_deadline(r, cursor);
    r->periods |= !strcmp(word, "PERIOD");
    for (int32_t i = 0; i < 3; i++)
        if (!strcmp(word, ignored[i]))
            return TGS_OK;
    return tgs_source_fail(r->s, r->err, "there is no '%.40s' in a graph", word);
}

/* ---- tables */

/* a comment of words: the columns of the rows that follow */
static tgs_status read_heading(reading *r, char *cursor)
{
    char *word;
    bool quantity = false;

    r->type = r->value = r->valid = -1;
    for (int32_t i = 0; (word = tgs_word(&cursor)); i++) {
        quantity |= !strcmp(word, "quantity");
        if (!strcmp(word, "type"))
            r->type = i;
        else if (!strcmp(word, "valid"))
            r->valid = i;
        else if (!strcmp(word, "exec_time") || !strcmp(word, "task_time")
                 || !strcmp(word, "quantity"))
            r->value = i;
    }
    if (r->type < 0 || r->value < 0)
        return TGS_OK;
    if (quantity) {
        r->table = ARCS;
        r->quantities = true;
    } else if (r->table <= ARCS) {
        if (r->kinds == MOST_KINDS)
            return tgs_source_fail(r->s, r->err, "more than %d kinds of processors", MOST_KINDS);
        snprintf(r->kind[r->kinds], MOST_NAME, "%s", r->name);
        tgs_builder_kind(r->b, r->name);
        r->table = r->kinds++;
    }
    return tgs_source_built(r->s, r->b, r->err);
}

static tgs_status read_table_line(reading *r, char *text)
{
    cell x = {.table = r->table, .value = NAN, .line = r->s->line};
    double valid = 1;
    char *word;

    if (r->type < 0 || r->value < 0)
        return TGS_OK; /* attributes of the table, or a table of another kind */
    for (int32_t i = 0; (word = tgs_i_read_word(&text)); i++)
        if ((i == r->type && !tgs_parse_count(word, INT32_MAX, &x.type))
            || (i == r->valid && !tgs_parse_real(word, &valid))
            || (i == r->value && !(tgs_parse_real(word, &x.value) && x.value >= 0)))
            return tgs_source_fail(r->s, r->err, "'%.40s' is not a finite number >= 0", word);
    if (isnan(x.value))
        return tgs_source_fail(r->s, r->err, "the row ends early");
    if (valid == 0)
        return TGS_OK;
    if (tgs_mem_grow(&r->cell, &r->cell_room, r->cells + 1, sizeof x))
        return tgs_i_read_no_memory(r->s, r->err);
    r->cell[r->cells++] = x;
    return TGS_OK;
}

/* ---- lines */

static tgs_status open_block(reading *r, const char *word, char *cursor)
{
    const char *number = tgs_i_read_word(&cursor), *brace;
    int64_t n = 0;

    if (r->block)
        return tgs_source_fail(r->s, r->err, "%.40s within a block", word);
    if (!number || !(brace = strcmp(number, "{") ? tgs_i_read_word(&cursor) : number))
        return TGS_OK; /* @HYPERPERIOD 300 */
    if (strcmp(brace, "{") || (brace != number && !tgs_parse_count(number, INT32_MAX, &n)))
        return tgs_source_fail(r->s, r->err, "%.40s needs a number and {", word);
    r->block = strcmp(word, "@TASK_GRAPH") ? TABLE : GRAPH;
    r->number = n;
    r->type = r->value = -1;
    r->table = ARCS - 1;
    snprintf(r->name, sizeof r->name, "%.60s%" PRId64, word + 1, n);
    return TGS_OK;
}

static tgs_status read_line(reading *r)
{
    char *cursor = r->s->text + strspn(r->s->text, " \t");
    char *word;

    if (*cursor == '#')
        return r->block == TABLE ? read_heading(r, cursor + strspn(cursor, "# \t")) : TGS_OK;
    if (r->block == TABLE && *cursor != '}' && *cursor != '@')
        return *cursor ? read_table_line(r, cursor) : TGS_OK;
    word = tgs_i_read_word(&cursor);
    if (!word)
        return TGS_OK;
    if (*word == '@')
        return open_block(r, word, cursor);
    if (!strcmp(word, "}") && r->block) {
        r->block = OUTSIDE;
        return TGS_OK;
    }
    if (r->block != GRAPH)
        return tgs_source_fail(r->s, r->err, "'%.40s' outside a block", word);
    return read_graph_line(r, word, cursor);
}

/* ---- types */

static int by_type(const void *a, const void *b)
{
    const cell *x = a, *y = b;

    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    if (x->table != y->table)
        return x->table < y->table ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* of several versions of a type in one table the first counts */
static void drop_versions(reading *r)
{
    int64_t kept = 0;

    for (int64_t i = 0; i < r->cells; i++)
        if (!kept || r->cell[kept - 1].type != r->cell[i].type
            || r->cell[kept - 1].table != r->cell[i].table)
            r->cell[kept++] = r->cell[i];
    r->cells = kept;
}

/* the first row of a type */
static int64_t find_type(const reading *r, int64_t type)
{
    int64_t low = 0;

    for (int64_t high = r->cells; low < high;) {
        const int64_t middle = low + (high - low) / 2;

        low = r->cell[middle].type < type ? middle + 1 : low;
        high = low > middle ? high : middle;
    }
    return low;
}

static tgs_status price_task(const reading *r, const part *p)
{
    char kinds[MOST_KINDS * MOST_NAME] = "";
    size_t used = 0;
    int32_t count = 0;

    for (int64_t i = find_type(r, p->type); i < r->cells && r->cell[i].type == p->type; i++)
        if (r->cell[i].table >= 0) {
            const char *kind = r->kind[r->cell[i].table];

            tgs_builder_task_time(r->b, p->from, kind, r->cell[i].value);
            used +=
                (size_t)snprintf(kinds + used, sizeof kinds - used, "%s%s", used ? "," : "", kind);
            count++;
        }
    if (r->kinds && !count)
        return tgs_source_fail(r->s, r->err, "no processor has a time for tasks of type %" PRId64,
                               p->type);
    if (count < r->kinds)
        tgs_builder_task_constrain(r->b, p->from, "kinds", kinds);
    return tgs_source_built(r->s, r->b, r->err);
}

static tgs_status price_arc(const reading *r, const part *p)
{
    int64_t i = find_type(r, p->type);

    if (!r->quantities)
        tgs_builder_after(r->b, p->from, p->to);
    else if (i == r->cells || r->cell[i].type != p->type || r->cell[i].table != ARCS)
        return tgs_source_fail(r->s, r->err, "no table has a quantity for arcs of type %" PRId64,
                               p->type);
    else
        tgs_builder_edge(r->b, p->from, p->to, r->cell[i].value);
    return tgs_source_built(r->s, r->b, r->err);
}

static tgs_status price(reading *r)
{
    tgs_status status = TGS_OK;

    if (r->cells)
        qsort(r->cell, (size_t)r->cells, sizeof *r->cell, by_type);
    drop_versions(r);
    for (int64_t i = 0; i < r->parts && !status; i++) {
        r->s->line = r->part[i].line;
        status = r->part[i].to < 0 ? price_task(r, &r->part[i]) : price_arc(r, &r->part[i]);
    }
    return status;
}

static tgs_status read_tgff(tgs_source *s, const tgs_args *a, tgs_builder *b, tgs_error *err)
{
    reading r = {.s = s, .b = b, .err = err};
    tgs_status status = TGS_OK;
    int more = 1;

    (void)a;
    while (!status && (more = tgs_source_next(s, err)) > 0)
        status = read_line(&r);
    if (!status && more < 0)
        status = (tgs_status)more;
    s->line += !s->line;
    if (!status && (r.block || !r.parts))
        status = tgs_source_fail(s, err, "%s",
                                 r.block ? "the file ends within a block"
                                         : "there is no @TASK_GRAPH with tasks");
    if (!status)
        status = price(&r);
    if (!status && r.periods)
        tgs_builder_note(b, "periods are not unrolled: each graph is there once");
    tgs_mem_free(r.cell);
    tgs_mem_free(r.part);
    return status;
}

static int sniff(const char *head, size_t size)
{
    return memmem(head, size, "@TASK_GRAPH", 11) ? 2 : 0;
}

const tgs_reader tgs_reader_tgff = {
    .base = {TGS_PLUGIN_ABI, "tgff", "graphs and processors of Task Graphs For Free",
             "Dick, Rhodes, Wolf (1998), TGFF: task graphs for free, CODES/CASHE", NULL},
    .yields = TGS_YIELD_GRAPH,
    .suffixes = ".tgff",
    .sniff = sniff,
    .read = read_tgff,
};
