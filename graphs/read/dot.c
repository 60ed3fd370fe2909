/* dot.c -- reads DOT through libcgraph, with the attributes of SimGrid and of daggen: `size` is the
 * flops of a node and the bytes of an edge, where -1, or none, is a dependency without data.  Nodes
 * named root and end need no size: they cost nothing.  `work` is a node's time in seconds. */
#include <ctype.h>
#include <errno.h>
#include <graphviz/cgraph.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "core.h"

/* libcgraph's scanner, its parser and its error function are one per process. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char message[400]; /* of its first errors, while the lock is held */

static char size_key[] = "size", work_key[] = "work";

typedef struct memory { /* what libcgraph reads from */
    const char *text;
    size_t left;
} memory;

typedef struct reading {
    tgs_source *s;
    tgs_builder *b;
    tgs_error *err;
    const char *text;
    double rate; /* flop/s that turns size into work; 0 none */
} reading;

/* ---- libcgraph --------------------------------------------------------------------------------
 */

static int take_message(char *text)
{
    const size_t used = strlen(message);

    snprintf(message + used, sizeof message - used, "%s", text);
    return 0;
}

static int take_input(void *channel, char *to, int room)
{
    memory *m = channel;
    const char *line = memchr(m->text, '\n', m->left);
    size_t n = line ? (size_t)(line - m->text) + 1 : m->left;

    if (room < 0 || n > (size_t)room)
        n = room < 0 ? 0 : (size_t)room;
    memcpy(to, m->text, n);
    m->text += n;
    m->left -= n;
    return (int)n;
}

/* "Error: NAME: syntax error in line 3 near 'x'" becomes "path:3: syntax error near 'x'" */
static tgs_status tell_message(const reading *r)
{
    static const char mark[] = " in line ";
    char *text = message, *at;

    text += strncmp(text, "Error: ", 7) ? 0 : 7;
    text[strcspn(text, "\n")] = 0;
    at = strstr(text, mark);
    if (at) {
        char *rest;

        r->s->line = strtoll(at + strlen(mark), &rest, 10);
        memmove(at, rest, strlen(rest) + 1);
    }
    text += strspn(text, " ");
    return tgs_source_fail(r->s, r->err, "%s", *text ? text : "no graph in it");
}

/* ---- nodes and edges --------------------------------------------------------------------------
 */

/* Nothing is left of lines when the graph is parsed: the first line that holds both texts, else the
 * first that holds one */
static int64_t line_of(const char *text, const char *a, const char *b)
{
    const char *first = strstr(text, a), *found = NULL;

    for (const char *s = first; s && !found; s = strstr(s + 1, a)) {
        const char *start = s, *end = s + strcspn(s, "\n"), *other;

        while (start > text && start[-1] != '\n')
            start--;
        other = strstr(start, b);
        if (other && other < end)
            found = s;
        if (!s[1])
            break;
    }
    found = found ? found : first;
    return found ? tgs_i_read_line(text, found) : 1;
}

/* a word of the text, or what stands between quotes: how long it is, 0 for neither */
static size_t word_size(const char *s, bool quoted)
{
    size_t n = 0;

    if (quoted)
        while (s[n] && s[n] != '"')
            n += s[n] == '\\' && s[n + 1] ? 2 : 1;
    else
        while (isalnum((unsigned char)s[n]) || s[n] & 0x80 || (s[n] && strchr("_.", s[n])))
            n++;
    return n;
}

/* In place, what the writer of DOT makes of a new line (\n), a backslash (\\) and a quote in names.
 * Graphviz shows the name of a node so, too. */
static const char *plain(char *name)
{
    char *to = name;

    for (const char *s = name; *s; s++) {
        const bool escaped = *s == '\\' && s[1] && strchr("n\\\"", s[1]);

        s += escaped;
        *to++ = (char)(escaped && *s == 'n' ? '\n' : *s);
    }
    *to = 0;
    return name;
}

/* the task of a node's name, -1 none, or a status */
static int32_t find_task(const reading *r, const char *raw)
{
    char *name = tgs_mem_text(raw);
    const int32_t task = name ? tgs_builder_find_task(r->b, plain(name)) : (int32_t)TGS_ENOMEM;

    tgs_mem_free(name);
    return task;
}

/* the line of each node, for when there is a cycle: the last that names it, outside attributes */
static tgs_status find_lines(const reading *r)
{
    char word[256];
    int64_t line = 1;
    int32_t depth = 0;

    for (const char *s = r->text; *s;) {
        const bool quoted = *s == '"';
        const size_t n = word_size(s + quoted, quoted);

        if (!depth && n && n < sizeof word) {
            int32_t t;

            snprintf(word, sizeof word, "%.*s", (int)n, s + quoted);
            t = tgs_builder_find_task(r->b, plain(word));
            if (t >= 0 && tgs_builder_line(r->b, t, line))
                break;
        }
        depth += (*s == '[') - (*s == ']');
        for (const char *end = s + (n || quoted ? n + quoted : 1); s < end; s++)
            line += *s == '\n';
        s += quoted && *s == '"';
    }
    return tgs_source_built(r->s, r->b, r->err);
}

/* an attribute as a number; NaN when it is absent.  -1 is allowed where none_is_minus_one. */
static tgs_status number(const reading *r, void *object, char *key, const char *name,
                         bool none_is_minus_one, double *out)
{
    const char *text = agget(object, key);

    *out = NAN;
    if (!text || !*text)
        return TGS_OK;
    if (tgs_parse_real(text, out)) {
        if (none_is_minus_one && *out == -1)
            *out = NAN;
        if (!(*out < 0))
            return TGS_OK;
    }
    r->s->line = line_of(r->text, name, text);
    return tgs_source_fail(r->s, r->err, "'%.80s': %s=%.80s is not a finite number >= 0", name, key,
                           text);
}

static tgs_status add_node(const reading *r, Agnode_t *node)
{
    const char *name = agnameof(node);
    double flops, work;
    int32_t task;
    char *own;
    tgs_status status = number(r, node, size_key, name, false, &flops);

    if (!status)
        status = number(r, node, work_key, name, false, &work);
    if (status)
        return status;
    if (!*name) {
        r->s->line = line_of(r->text, "\"\"", "");
        return tgs_source_fail(r->s, r->err, "a node has no name");
    }
    if (isnan(flops) && isnan(work) && (!strcmp(name, "root") || !strcmp(name, "end")))
        flops = work = 0;
    if (isnan(work) && r->rate > 0)
        work = flops / r->rate;
    own = tgs_mem_text(name);
    if (!own)
        return tgs_fail(r->err, TGS_ENOMEM, "out of memory");
    task = tgs_builder_task(r->b, plain(own), NULL, work);
    tgs_mem_free(own);
    if (!isnan(flops))
        tgs_builder_task_cost(r->b, task, flops, NAN);
    return tgs_source_built(r->s, r->b, r->err);
}

static tgs_status add_edge(const reading *r, Agedge_t *edge)
{
    const char *from = agnameof(agtail(edge)), *to = agnameof(aghead(edge));
    const int32_t u = find_task(r, from), v = find_task(r, to);
    double bytes;
    tgs_status status = number(r, edge, size_key, from, true, &bytes);

    if (status)
        return status;
    if (u < 0 || v < 0)
        return tgs_fail(r->err, TGS_ENOMEM, "out of memory");
    if (isnan(bytes))
        tgs_builder_after(r->b, u, v);
    else
        tgs_builder_edge(r->b, u, v, bytes);
    if (u == v) {
        r->s->line = line_of(r->text, from, "->");
        return tgs_source_fail(r->s, r->err, "'%.80s' would depend on itself", from);
    }
    return tgs_source_built(r->s, r->b, r->err);
}

static tgs_status convert(const reading *r, Agraph_t *g)
{
    tgs_status status = TGS_OK;

    if (!agisdirected(g)) {
        r->s->line = line_of(r->text, "graph", "");
        return tgs_source_fail(r->s, r->err, "the graph is not directed: digraph is needed");
    }
    if (agnnodes(g) > TGS_I_READ_MOST || agnedges(g) > TGS_I_READ_MOST)
        return tgs_source_fail(r->s, r->err, "more than %d nodes or edges", TGS_I_READ_MOST);
    for (Agnode_t *n = agfstnode(g); n && !status; n = agnxtnode(g, n))
        status = add_node(r, n);
    for (Agnode_t *n = agfstnode(g); n && !status; n = agnxtnode(g, n))
        for (Agedge_t *e = agfstout(g, n); e && !status; e = agnxtout(g, e))
            status = add_edge(r, e);
    return status ? status : find_lines(r);
}

static tgs_status parse(const reading *r, size_t size)
{
    Agiodisc_t io = AgIoDisc;
    Agdisc_t discipline = {&AgMemDisc, &AgIdDisc, &io};
    memory m = {r->text, size};
    Agraph_t *g, *second = NULL;
    agusererrf old_function = agseterrf(take_message);
    const agerrlevel_t old_level = agseterr(AGERR);
    tgs_status status;

    io.afread = take_input;
    message[0] = 0;
    agreadline(1);
    g = agread(&m, &discipline);
    if (g && !*message)
        second = agread(&m, &discipline);
    if (*message || !g)
        status = tell_message(r);
    else if (second)
        status = tgs_source_fail(r->s, r->err, "there is more than one graph in the file");
    else
        status = convert(r, g);
    if (second)
        agclose(second);
    if (g)
        agclose(g);
    agseterr(old_level);
    agseterrf(old_function);
    return status;
}

static tgs_status read_dot(tgs_source *s, const tgs_args *a, tgs_builder *b, tgs_error *err)
{
    reading r = {.s = s, .b = b, .err = err, .rate = tgs_arg_real(a, "rate")};
    char *text = NULL;
    size_t size;
    tgs_status status = tgs_source_all(s, &text, &size, err);

    s->line = 1;
    if (!status) {
        r.text = text;
        pthread_mutex_lock(&lock);
        status = parse(&r, size);
        pthread_mutex_unlock(&lock);
    }
    tgs_mem_free(text);
    return status;
}

static bool is_word(const char *text, const char *end, const char *word)
{
    const size_t n = strlen(word);

    return (size_t)(end - text) > n && !strncasecmp(text, word, n)
           && !isalnum((unsigned char)text[n]) && text[n] != '_';
}

static int sniff(const char *head, size_t size)
{
    const char *const end = head + size;
    const char *s = tgs_i_read_skip(head, size, true);

    if (is_word(s, end, "strict"))
        s = tgs_i_read_skip(s + 6, (size_t)(end - s) - 6, true);
    return is_word(s, end, "digraph") || is_word(s, end, "graph") ? 2 : 0;
}

static const tgs_param params[] = {
    {"rate", "0", TGS_PARAM_REAL, 0, 1e18,
     "flop/s by which size also gives a node's time on a processor of speed 1; 0: it does not"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_reader tgs_reader_dot = {
    .base = {TGS_PLUGIN_ABI, "dot", "Graphviz DOT with the size attributes of SimGrid and daggen",
             NULL, params},
    .yields = TGS_YIELD_GRAPH,
    .suffixes = ".dot .gv",
    .sniff = sniff,
    .read = read_dot,
};
