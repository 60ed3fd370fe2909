/* rgpos.c -- reads random graphs with a pre-determined optimal schedule (RGPOS) as text.
 *
 *   N E P          tasks, edges, and the equal processors for which the optimum is known
 *   TIME ...       N of them, on one line or on several
 *   FROM TO        E lines, tasks counted from 0
 *
 * Edges carry nothing.  P is only checked: the machine is the caller's. */
#include <inttypes.h>
#include <string.h>
#include "core.h"

typedef struct reading {
    tgs_source *s;
    tgs_builder *b;
    tgs_error *err;
    int64_t n, edges, tasks, seen; /* seen: edges */
    bool begun;
} reading;

static tgs_status whole(const reading *r, char **cursor, const char *what, int64_t most,
                        int64_t *out)
{
    const char *word = tgs_i_read_word(cursor);

    if (word && tgs_parse_count(word, most, out))
        return TGS_OK;
    return tgs_source_fail(r->s, r->err, "%s: '%.40s' is not a whole number from 0 to %" PRId64,
                           what, word ? word : "", most);
}

static tgs_status read_counts(reading *r, char **cursor)
{
    int64_t processors;
    tgs_status status = whole(r, cursor, "tasks", TGS_I_READ_MOST, &r->n);

    if (!status)
        status = whole(r, cursor, "edges", TGS_I_READ_MOST, &r->edges);
    if (!status)
        status = whole(r, cursor, "processors", INT32_MAX, &processors);
    r->begun = true;
    return status ? status : tgs_i_read_end(r->s, cursor, r->err);
}

static tgs_status read_times(reading *r, char **cursor)
{
    for (char *word; (word = tgs_i_read_word(cursor));) {
        char name[24];
        double time;

        if (r->tasks == r->n)
            return tgs_source_fail(r->s, r->err,
                                   "more than the %" PRId64 " times of the first line", r->n);
        if (!tgs_i_read_amount(word, &time) || isnan(time))
            return tgs_source_fail(r->s, r->err, "time: '%.40s' is not a finite number >= 0", word);
        snprintf(name, sizeof name, "%" PRId64, r->tasks);
        if (tgs_builder_line(r->b, tgs_builder_task(r->b, name, NULL, time), r->s->line))
            return tgs_source_built(r->s, r->b, r->err);
        r->tasks++;
    }
    return TGS_OK;
}

static tgs_status read_edge(reading *r, char **cursor)
{
    int64_t from, to;
    tgs_status status;

    if (r->seen++ == r->edges)
        return tgs_source_fail(r->s, r->err, "more than the %" PRId64 " edges of the first line",
                               r->edges);
    status = whole(r, cursor, "task", r->n - 1, &from);
    if (!status)
        status = whole(r, cursor, "task", r->n - 1, &to);
    if (!status)
        status = tgs_i_read_end(r->s, cursor, r->err);
    if (!status && from == to)
        status = tgs_source_fail(r->s, r->err, "task %" PRId64 " would depend on itself", from);
    if (status)
        return status;
    tgs_builder_after(r->b, (int32_t)from, (int32_t)to);
    return tgs_source_built(r->s, r->b, r->err);
}

static tgs_status read_line(reading *r)
{
    char *cursor = r->s->text + strspn(r->s->text, " \t\r");

    if (!*cursor || *cursor == '#')
        return TGS_OK;
    if (!r->begun)
        return read_counts(r, &cursor);
    return r->tasks < r->n ? read_times(r, &cursor) : read_edge(r, &cursor);
}

static tgs_status read_rgpos(tgs_source *s, const tgs_args *a, tgs_builder *b, tgs_error *err)
{
    reading r = {.s = s, .b = b, .err = err};
    tgs_status status = TGS_OK;
    int more = 1;

    (void)a;
    while (!status && (more = tgs_source_next(s, err)) > 0)
        status = read_line(&r);
    if (more < 0)
        return (tgs_status)more;
    if (!status && (!r.begun || r.tasks < r.n || r.seen < r.edges)) {
        s->line += !s->line;
        status = tgs_source_fail(s, err, "the file ends before all its %s are there",
                                 !r.begun        ? "counts"
                                 : r.tasks < r.n ? "times"
                                                 : "edges");
    }
    return status;
}

/* Three counts, then a line of as many times as the first count says, or of more than fit into the
 * head.  HyperDAG's second line holds a number and its weights. */
static int sniff(const char *head, size_t size)
{
    const char *const end = head + size;
    int64_t count[2] = {0, 0}, n = 0;
    int32_t row = 0;

    for (bool inside = false; head < end && row < 2; head++) {
        const bool digit = *head >= '0' && *head <= '9';

        if (!digit && *head != ' ' && *head != '\t' && *head != '\r' && *head != '\n'
            && !(*head == '.' && row == 1))
            return 0;
        count[row] += digit && !inside;
        if (digit && !row && count[0] == 1 && n < TGS_I_READ_MOST)
            n = 10 * n + (*head - '0');
        inside = digit || *head == '.';
        row += *head == '\n' && count[row];
    }
    if (count[0] != 3 || count[1] < 4)
        return count[0] == 3 && count[1] == n && row == 2;
    return count[1] == n || (row < 2 && count[1] < n) ? 2 : 0;
}

const tgs_reader tgs_reader_rgpos = {
    .base = {TGS_PLUGIN_ABI, "rgpos", "random graphs of known optimum on equal processors, text",
             "Kwok, Ahmad (1999), Benchmarking and comparison of the task graph scheduling "
             "algorithms, J. Parallel Distrib. Comput. 59(3)",
             NULL},
    .yields = TGS_YIELD_GRAPH,
    .suffixes = ".rgpos .txt",
    .sniff = sniff,
    .read = read_rgpos,
};
