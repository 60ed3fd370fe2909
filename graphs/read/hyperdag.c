/* hyperdag.c -- reads the text format of the HyperDAG database, which is of MatrixMarket's kind.
 *
 *   % a comment, also at the end of a line
 *   M N P                  hyperedges, nodes, pins
 *   EDGE [WEIGHT ...]      M lines; what it costs to send the value once (1)
 *   NODE [WEIGHT ...]      N lines; work (1)
 *   EDGE NODE              P lines; the first node of an edge makes the value, the others use it
 *
 * A hyperedge is one datum: sent once to each place where somebody uses it.  A weight of work is
 * taken as seconds and one of communication as bytes, so that on links of 1 byte/s it is a time.
 * Numbers count from 0; lines of a part come in any order.  What follows a weight is not used. */
#include <inttypes.h>
#include <string.h>
#include "core.h"

enum { EDGES, NODES, PINS, PARTS };

typedef struct item { /* a hyperedge or a node, as its line has it */
    double weight;
    int64_t line;
    int32_t index;
} item;

typedef struct reading {
    tgs_source *s;
    tgs_builder *b;
    tgs_error *err;
    bool begun; /* the counts have been read */
    int64_t count[PARTS], seen[PARTS];
    item *item; /* of the part that is being read */
    int64_t room;
    int32_t *datum;  /* [hyperedges] */
    int32_t *source; /* [hyperedges] its first node; -1 none yet */
} reading;

static const char *const noun[PARTS] = {"hyperedge", "node", "pin"};

static tgs_status number(const reading *r, char **cursor, const char *what, int64_t below,
                         int64_t *out)
{
    const char *word = tgs_word(cursor);

    if (word && tgs_parse_count(word, INT32_MAX, out) && *out < below)
        return TGS_OK;
    return tgs_source_fail(r->s, r->err, "%s: '%.40s' is not a whole number from 0 to %" PRId64,
                           what, word ? word : "", below - 1);
}

static tgs_status read_counts(reading *r, char *cursor)
{
    static const char *const what[PARTS] = {"hyperedges", "nodes", "pins"};
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < PARTS && !status; i++)
        status = number(r, &cursor, what[i], TGS_I_READ_MOST + 1, &r->count[i]);
    if (!status && tgs_word(&cursor))
        status = tgs_source_fail(r->s, r->err, "the counts are three numbers");
    r->begun = true;
    return status;
}

static tgs_status read_item(reading *r, int32_t part, char *cursor)
{
    item x = {.weight = 1, .line = r->s->line};
    int64_t index = 0;
    const char *word;
    tgs_status status = number(r, &cursor, noun[part], r->count[part], &index);

    if (status)
        return status;
    word = tgs_word(&cursor);
    if (word && !(tgs_parse_real(word, &x.weight) && x.weight >= 0))
        return tgs_source_fail(r->s, r->err, "weight '%.40s' is not a finite number >= 0", word);
    if (tgs_mem_grow(&r->item, &r->room, r->seen[part] + 1, sizeof x))
        return tgs_i_read_no_memory(r->s, r->err);
    x.index = (int32_t)index;
    r->item[r->seen[part]++] = x;
    return TGS_OK;
}

/* ---- a part is complete: as many lines as were claimed ----------------------------------------
 */

/* the place of each number among the lines, which come in any order */
static tgs_status sort_items(const reading *r, int32_t part, int32_t **place)
{
    *place = tgs_mem_alloc((size_t)r->count[part], sizeof **place);
    if (!*place)
        return tgs_i_read_no_memory(r->s, r->err);
    for (int32_t i = 0; i < r->count[part]; i++)
        (*place)[i] = -1;
    for (int32_t i = 0; i < r->count[part]; i++) {
        const item *x = &r->item[i];

        if ((*place)[x->index] >= 0) {
            r->s->line = x->line;
            return tgs_source_fail(r->s, r->err, "%s %" PRId32 " is there twice", noun[part],
                                   x->index);
        }
        (*place)[x->index] = i;
    }
    return TGS_OK;
}

static tgs_status add_items(reading *r, int32_t part)
{
    const int64_t line = r->s->line;
    int32_t *place = NULL;
    char name[24];
    tgs_status status = sort_items(r, part, &place);

    for (int32_t i = 0; i < r->count[part] && !status; i++) {
        const item *x = &r->item[place[i]];

        if (part == NODES) {
            snprintf(name, sizeof name, "%" PRId32, i);
            tgs_builder_line(r->b, tgs_builder_task(r->b, name, NULL, x->weight), x->line);
        } else {
            r->datum[i] = tgs_builder_datum(r->b, NULL, x->weight);
            r->source[i] = -1;
        }
        status = tgs_source_built(r->s, r->b, r->err);
    }
    r->s->line = line;
    tgs_mem_free(place);
    return status;
}

static tgs_status complete(reading *r, int32_t part)
{
    if (part == EDGES) {
        r->datum = tgs_mem_alloc((size_t)r->count[part], sizeof *r->datum);
        r->source = tgs_mem_alloc((size_t)r->count[part], sizeof *r->source);
        if (!r->datum || !r->source)
            return tgs_i_read_no_memory(r->s, r->err);
    }
    return part < PINS ? add_items(r, part) : TGS_OK;
}

/* ---- lines -------------------------------------------------------------------------------------
 */

static tgs_status read_pin(reading *r, char *cursor)
{
    int64_t edge = 0, node = 0;
    tgs_status status = number(r, &cursor, noun[EDGES], r->count[EDGES], &edge);

    if (!status)
        status = number(r, &cursor, noun[NODES], r->count[NODES], &node);
    if (status)
        return status;
    r->seen[PINS]++;
    if (r->source[edge] < 0) {
        r->source[edge] = (int32_t)node;
        tgs_builder_access(r->b, (int32_t)node, r->datum[edge], TGS_W);
    } else if (r->source[edge] == node)
        return tgs_source_fail(r->s, r->err, "node %" PRId64 " would depend on itself", node);
    else
        tgs_builder_access(r->b, (int32_t)node, r->datum[edge], TGS_R);
    return tgs_source_built(r->s, r->b, r->err);
}

static int32_t current_part(const reading *r)
{
    int32_t part = 0;

    while (part < PARTS && r->seen[part] == r->count[part])
        part++;
    return part;
}

static tgs_status read_line(reading *r)
{
    char *cursor = r->s->text;
    int32_t part = current_part(r);
    tgs_status status;

    cursor[strcspn(cursor, "%")] = 0;
    if (!cursor[strspn(cursor, " \t")])
        return TGS_OK;
    if (!r->begun) {
        status = read_counts(r, cursor);
        part = -1; /* parts of no lines are complete as well */
    } else if (part == PARTS)
        return tgs_source_fail(r->s, r->err, "more lines than the first one claims");
    else
        status = part == PINS ? read_pin(r, cursor) : read_item(r, part, cursor);
    for (int32_t i = part < 0 ? 0 : part; i < current_part(r) && !status; i++)
        status = complete(r, i);
    return status;
}

static tgs_status read_hyperdag(tgs_source *s, const tgs_args *a, tgs_builder *b, tgs_error *err)
{
    reading r = {.s = s, .b = b, .err = err};
    tgs_status status = TGS_OK;
    int more = 1;

    (void)a;
    while (!status && (more = tgs_source_next(s, err)) > 0)
        status = read_line(&r);
    if (more < 0)
        status = (tgs_status)more;
    if (!status && (!r.begun || current_part(&r) < PARTS)) {
        s->line += !s->line;
        status = tgs_source_fail(s, err, "the file ends before all its %ss are there",
                                 noun[r.begun ? current_part(&r) : EDGES]);
    }
    tgs_mem_free(r.item);
    tgs_mem_free(r.datum);
    tgs_mem_free(r.source);
    return status;
}

/* comments that begin with %, then three counts on a line of their own; a head may be cut off
 * within the comments */
static int sniff(const char *head, size_t size)
{
    const char *const end = head + size, *s = head;
    int32_t words = 0;

    while (s < end && *s == '%') {
        s = memchr(s, '\n', (size_t)(end - s));
        s = s ? s + 1 : end;
    }
    if (s == end)
        return size && memmem(head, size, "yper", 4) ? 2 : 0;
    for (bool inside = false; s < end && *s != '\n'; s++) {
        const bool digit = *s >= '0' && *s <= '9';

        if (!digit && *s != ' ' && *s != '\t' && *s != '\r')
            return 0;
        words += digit && !inside;
        inside = digit;
    }
    return words == 3 ? *head == '%' ? 2 : 1 : 0;
}

const tgs_reader tgs_reader_hyperdag = {
    .base = {TGS_PLUGIN_ABI, "hyperdag", "hypergraphs of computations, the text of HyperDAG_DB",
             "Papp, Anegg, Yzelman (2023), DAG scheduling in the BSP model; "
             "Papp, Anegg, Yzelman (2023), Partitioning hypergraphs is hard, SPAA",
             NULL},
    .yields = TGS_YIELD_GRAPH,
    .suffixes = ".hdag .txt",
    .sniff = sniff,
    .read = read_hyperdag,
};
