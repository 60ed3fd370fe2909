/* stg.c -- reads the Standard Task Graph format of Tobita and Kasahara (2002).
 *
 * The first line holds the number of tasks n, in older and in weighted files also a number of
 * processors, which is not used.  Then one line a task: its number, its time and how many
 * predecessors it has.  Without communication costs their numbers follow on the same line; with
 * costs each predecessor has a line of its own, `number cost` (pairs on the task's line are read,
 * too).  Numbers are consecutive, from 0 or 1.  n does not count the dummy entry (task 0 of time 0)
 * and exit: a file that begins with the entry has n + 2 tasks, another n or, with an exit, n + 1.
 *
 * A cost is taken as bytes, so that on links of 1 byte/s it is the transfer time; without costs the
 * dependencies carry nothing. */
#include <inttypes.h>
#include "core.h"

typedef struct link {
    int64_t from, line;
    int32_t to;
    double cost; /* NaN: none */
} link;

typedef struct reading {
    tgs_source *s;
    tgs_builder *b;
    tgs_error *err;
    link *link; /* in the order of the file: a predecessor may come later */
    int64_t links, room;
    int64_t n, first, tasks;
    int64_t waiting; /* predecessors of the last task that still need a line */
    bool weighted, plain, entry;
} reading;

/* ---- the numbers of a line --------------------------------------------------------------------
 */

static int32_t words(const char *text)
{
    int32_t count = 0;

    for (bool inside = false; *text && *text != '#'; text++) {
        const bool blank = *text == ' ' || *text == '\t' || *text == '\r';

        count += !blank && !inside;
        inside = !blank;
    }
    return count;
}

static tgs_status whole(const reading *r, char **cursor, const char *what, int64_t *out)
{
    const char *word = tgs_i_read_word(cursor);

    if (word && tgs_parse_count(word, INT32_MAX, out))
        return TGS_OK;
    return tgs_source_fail(r->s, r->err, "%s: '%.40s' is not a whole number", what,
                           word ? word : "");
}

static tgs_status amount(const reading *r, char **cursor, const char *what, double *out)
{
    const char *word = tgs_i_read_word(cursor);

    if (word && tgs_i_read_amount(word, out) && !isnan(*out))
        return TGS_OK;
    return tgs_source_fail(r->s, r->err, "%s: '%.40s' is not a finite number >= 0", what,
                           word ? word : "");
}

/* ---- lines ------------------------------------------------------------------------------------
 */

static tgs_status read_first(reading *r, char *cursor, int32_t count)
{
    int64_t processors;
    tgs_status status;

    if (count > 2)
        return tgs_source_fail(r->s, r->err, "the first line holds the number of tasks");
    status = whole(r, &cursor, "tasks", &r->n);
    if (!status && count == 2)
        status = whole(r, &cursor, "processors", &processors);
    if (!status && (r->n < 1 || r->n > TGS_I_READ_MOST))
        status = tgs_source_fail(r->s, r->err, "%" PRId64 " tasks: there may be 1 to %d", r->n,
                                 TGS_I_READ_MOST);
    return status;
}

static tgs_status read_link(reading *r, char **cursor, bool with_cost)
{
    link l = {.line = r->s->line, .to = (int32_t)(r->tasks - 1), .cost = NAN};
    tgs_status status = whole(r, cursor, "predecessor", &l.from);

    if (!status && with_cost)
        status = amount(r, cursor, "cost", &l.cost);
    if (status)
        return status;
    if (tgs_mem_grow(&r->link, &r->room, r->links + 1, sizeof l))
        return tgs_i_read_no_memory(r->s, r->err);
    r->link[r->links++] = l;
    return TGS_OK;
}

/* a file either has costs or has none */
static tgs_status use_costs(reading *r, bool costs)
{
    *(costs ? &r->weighted : &r->plain) = true;
    if (r->weighted && r->plain)
        return tgs_source_fail(r->s, r->err, "some predecessors have a cost and others none");
    return TGS_OK;
}

static tgs_status read_task(reading *r, char *cursor, int32_t count)
{
    int64_t number, preds;
    double time = 0;
    char name[24];
    tgs_status status = whole(r, &cursor, "task number", &number);

    if (!status)
        status = amount(r, &cursor, "time", &time);
    if (!status)
        status = whole(r, &cursor, "number of predecessors", &preds);
    if (status)
        return status;
    if (!r->tasks) {
        r->first = number;
        r->entry = number == 0 && time == 0 && preds == 0;
    }
    if (number != r->first + r->tasks || r->first > 1)
        return tgs_source_fail(r->s, r->err, "task number %" PRId64 " where %" PRId64 " should be",
                               number, r->tasks ? r->first + r->tasks : 0);
    if (r->tasks == r->n + 1 + r->entry)
        return tgs_source_fail(r->s, r->err, "more tasks than the %" PRId64 " of the first line",
                               r->n);
    if (preds > r->n + 2)
        return tgs_source_fail(r->s, r->err, "%" PRId64 " predecessors of %" PRId64 " tasks", preds,
                               r->n);
    snprintf(name, sizeof name, "%" PRId64, number);
    if (tgs_builder_line(r->b, tgs_builder_task(r->b, name, NULL, time), r->s->line))
        return tgs_source_built(r->s, r->b, r->err);
    r->tasks++;
    r->waiting = preds && count == 3 ? preds : 0;
    if (!preds || r->waiting)
        return count == 3 ? TGS_OK : tgs_i_read_end(r->s, &cursor, r->err);
    if (count != 3 + preds && count != 3 + 2 * preds)
        return tgs_source_fail(r->s, r->err, "task %s needs %" PRId64 " predecessors", name, preds);
    status = use_costs(r, count == 3 + 2 * preds);
    for (int64_t i = 0; i < preds && !status; i++)
        status = read_link(r, &cursor, r->weighted);
    return status;
}

static tgs_status read_line(reading *r)
{
    const int32_t count = words(r->s->text);
    tgs_status status;

    if (!count)
        return TGS_OK;
    if (!r->n)
        return read_first(r, r->s->text, count);
    if (!r->waiting)
        return read_task(r, r->s->text, count);
    status = use_costs(r, true);
    if (!status && count != 2)
        status = tgs_source_fail(r->s, r->err, "a line `predecessor cost` is missing");
    r->waiting--;
    return status ? status : read_link(r, &(char *){r->s->text}, true);
}

static tgs_status complete(const reading *r)
{
    if (!r->n) {
        r->s->line = r->s->line ? r->s->line : 1;
        return tgs_source_fail(r->s, r->err, "there is no number of tasks");
    }
    if (r->waiting || r->tasks < r->n + (r->entry ? 2 : 0))
        return tgs_source_fail(r->s, r->err, "the file ends early, after %" PRId64 " tasks",
                               r->tasks);
    return TGS_OK;
}

static tgs_status add_links(reading *r)
{
    for (int64_t i = 0; i < r->links; i++) {
        const link l = r->link[i];
        const int64_t from = l.from - r->first;

        r->s->line = l.line;
        if (from < 0 || from >= r->tasks)
            return tgs_source_fail(r->s, r->err,
                                   "task %" PRId64 " has predecessor %" PRId64 ", which is no task",
                                   l.to + r->first, l.from);
        if (isnan(l.cost))
            tgs_builder_after(r->b, (int32_t)from, l.to);
        else
            tgs_builder_edge(r->b, (int32_t)from, l.to, l.cost);
        if (tgs_builder_status(r->b, NULL))
            return tgs_source_built(r->s, r->b, r->err);
    }
    return TGS_OK;
}

static tgs_status read_stg(tgs_source *s, const tgs_args *a, tgs_builder *b, tgs_error *err)
{
    reading r = {.s = s, .b = b, .err = err};
    tgs_status status = TGS_OK;
    int more = 1;

    (void)a;
    while (!status && (more = tgs_source_next(s, err)) > 0)
        status = read_line(&r);
    if (more < 0)
        status = (tgs_status)more;
    if (!status)
        status = complete(&r);
    if (!status)
        status = add_links(&r);
    tgs_mem_free(r.link);
    return status;
}

/* one or two counts on the first line, and a task 0 or 1 on the second */
static int sniff(const char *head, size_t size)
{
    const char *const end = head + size;
    int32_t count[2] = {0, 0}, row = 0;
    const char *second = NULL, *s = tgs_i_read_skip(head, size, false);

    for (bool inside = false; s < end && row < 2; s++) {
        const bool number = (*s >= '0' && *s <= '9') || (*s == '.' && row == 1);

        if (!number && *s != ' ' && *s != '\t' && *s != '\r' && *s != '\n')
            return 0;
        if (number && !inside) {
            if (row == 1 && !count[1])
                second = s;
            count[row]++;
        }
        inside = number;
        if (*s == '\n' && count[row])
            row++;
    }
    return second && count[0] <= 2 && count[1] >= 3 && second + 1 < end && *second <= '1'
                   && (second[1] == ' ' || second[1] == '\t')
               ? 2
               : 0;
}

const tgs_reader tgs_reader_stg = {
    .base = {TGS_PLUGIN_ABI, "stg", "Standard Task Graph files, with or without transfer costs",
             "Tobita, Kasahara (2002), A standard task graph set for fair evaluation of "
             "multiprocessor scheduling algorithms, Journal of Scheduling 5(5)",
             NULL},
    .yields = TGS_YIELD_GRAPH,
    .suffixes = ".stg",
    .sniff = sniff,
    .read = read_stg,
};
