/* pipedream.c -- layer profiles of PipeDream and DAPPLE (graph.txt):
 *
 *   node4 -- Conv2d(3, 64) -- forward_compute_time=1.5, backward_compute_time=3, ... [--
 * stage_id=0] <tab>node4 -- node5
 *
 * Times are milliseconds.  A description may hold anything but " -- ".  Each line may come in any
 * order; a stage, which is somebody's plan and not the model, is skipped. */
#include <stdlib.h>
#include <string.h>
#include "core.h"
#include "profile.h"

typedef struct reading {
    tgs_source *s;
    tgs_i_profile p;
    tgs_error *err;
    struct edge {
        char *from, *to; /* owned */
        int64_t line;
    } * edge;
    int64_t edges, room;
    struct entry { /* names by hash: open addressing, index + 1 */
        int32_t *slot;
        int64_t slots;
    } table;
} reading;

static int sniff(const char *head, size_t size)
{
    static const char word[] = "forward_compute_time=";

    for (size_t i = 0; i + sizeof word < size; i++) {
        if (head[i] == '\n')
            return 0; /* of the first line */
        if (!memcmp(head + i, word, sizeof word - 1))
            return 2;
    }
    return 0;
}

static uint64_t hash(const char *s)
{
    uint64_t h = 14695981039346656037u;

    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 1099511628211u;
    return h;
}

static tgs_status enlarge(reading *r)
{
    const int64_t slots = r->table.slots ? 2 * r->table.slots : 64;
    int32_t *slot = tgs_mem_alloc((size_t)slots, sizeof *slot);

    if (!slot)
        return tgs_i_read_no_memory(r->s, r->err);
    for (int32_t i = 0; i < r->p.layers; i++) {
        uint64_t at = hash(r->p.layer[i].name) & (uint64_t)(slots - 1);

        while (slot[at])
            at = (at + 1) & (uint64_t)(slots - 1);
        slot[at] = i + 1;
    }
    tgs_mem_free(r->table.slot);
    r->table.slot = slot;
    r->table.slots = slots;
    return TGS_OK;
}

/* the slot of a name, where its index + 1 is or would be */
static int32_t *slot_of(const reading *r, const char *name)
{
    uint64_t at = hash(name) & (uint64_t)(r->table.slots - 1);

    while (r->table.slot[at] && strcmp(r->p.layer[r->table.slot[at] - 1].name, name))
        at = (at + 1) & (uint64_t)(r->table.slots - 1);
    return &r->table.slot[at];
}

/* cuts at the next " -- "; the rest, or NULL */
static char *cut(char *text)
{
    char *at = text ? strstr(text, " -- ") : NULL;

    if (at)
        *at = 0;
    return at ? at + 4 : NULL;
}

/* "3", "3.5", or "[1; 2; 3]", which add up */
static tgs_status amount(const reading *r, const char *key, const char *text, double *out)
{
    const bool list = *text == '[';
    const char *s = text + list;
    char number[64];

    *out = 0;
    for (;;) {
        const size_t n = strcspn(s, list ? ";]" : ",");
        double x;

        while (*s == ' ')
            s++;
        if (n >= sizeof number)
            break;
        snprintf(number, sizeof number, "%.*s", (int)strcspn(s, list ? ";]" : ", \t"), s);
        if (!tgs_parse_real(number, &x) || x < 0 || isinf(x))
            break;
        *out += x;
        s += strcspn(s, list ? ";]" : ",");
        if (!list || *s == ']')
            return TGS_OK;
        if (*s++ != ';')
            break;
    }
    return tgs_source_fail(r->s, r->err, "%s=%.*s is not an amount", key,
                           (int)strcspn(text, list ? "]" : ",") + list, text);
}

/* the value of a key, which must be there */
static tgs_status field(const reading *r, const char *text, const char *key, double *out)
{
    const char *at = strstr(text, key);
    const size_t n = strlen(key);

    return at && at[n] == '=' ? amount(r, key, at + n + 1, out)
                              : tgs_source_fail(r->s, r->err, "'%s=' is missing", key);
}

static tgs_status read_layer(reading *r, char *line)
{
    char *description = cut(line), *fields = cut(description);
    tgs_i_layer l = {.name = line};
    tgs_status status;

    if (!fields || !*line)
        return tgs_source_fail(r->s, r->err,
                               "not 'NAME -- DESCRIPTION -- KEY=VALUE, ...', nor an edge");
    cut(fields);
    status = field(r, fields, "forward_compute_time", &l.forward);
    if (!status)
        status = field(r, fields, "backward_compute_time", &l.backward);
    if (!status)
        status = field(r, fields, "activation_size", &l.activation);
    if (!status)
        status = field(r, fields, "parameter_size", &l.parameter);
    l.forward /= 1e3;
    l.backward /= 1e3;
    if (!status && 2 * (r->p.layers + 1) > r->table.slots)
        status = enlarge(r);
    if (status)
        return status;
    if (*slot_of(r, line))
        return tgs_source_fail(r->s, r->err, "'%.100s' is there already", line);
    *slot_of(r, line) = (int32_t)r->p.layers + 1;
    return tgs_i_profile_layer(&r->p, &l) < 0 ? tgs_i_read_no_memory(r->s, r->err) : TGS_OK;
}

/* its ends may come later in the file */
static tgs_status read_edge(reading *r, char *line)
{
    char *to = cut(line);
    struct edge e = {NULL, NULL, r->s->line};

    if (!to || !*line || !*to)
        return tgs_source_fail(r->s, r->err, "not an edge 'NAME -- NAME'");
    to[strcspn(to, " \t")] = 0;
    e.from = tgs_mem_text(line);
    e.to = tgs_mem_text(to);
    if (!e.from || !e.to || tgs_mem_grow(&r->edge, &r->room, r->edges + 1, sizeof e)) {
        tgs_mem_free(e.from);
        tgs_mem_free(e.to);
        return tgs_i_read_no_memory(r->s, r->err);
    }
    r->edge[r->edges++] = e;
    return TGS_OK;
}

static tgs_status add_edges(reading *r)
{
    for (int64_t i = 0; i < r->edges; i++) {
        const struct edge *e = &r->edge[i];
        const int32_t from = r->table.slots ? *slot_of(r, e->from) : 0;
        const int32_t to = r->table.slots ? *slot_of(r, e->to) : 0;

        r->s->line = e->line;
        if (!from || !to)
            return tgs_source_fail(r->s, r->err, "there is no layer '%.100s'",
                                   from ? e->to : e->from);
        if (tgs_i_profile_edge(&r->p, from - 1, to - 1, NAN))
            return tgs_i_read_no_memory(r->s, r->err);
    }
    return TGS_OK;
}

static tgs_status read_model(tgs_source *s, const char *bind, tgs_model_builder *b, tgs_error *err)
{
    reading r = {.s = s, .err = err};
    tgs_status status = TGS_OK;
    int more = 1;

    if (bind && *bind)
        return tgs_fail(err, TGS_EINVAL, "%s: a profile has nothing to bind", s->path);
    tgs_i_profile_open(&r.p, b);
    while (!status && (more = tgs_source_next(s, err)) > 0) {
        const size_t blank = strspn(s->text, " \t");

        if (s->text[blank])
            status = blank ? read_edge(&r, s->text + blank) : read_layer(&r, s->text);
    }
    if (more < 0)
        status = (tgs_status)more;
    if (!status)
        status = add_edges(&r);
    if (!status)
        tgs_i_profile_finish(&r.p); /* finishing the model tells what is wrong */
    for (int64_t i = 0; i < r.edges; i++) {
        tgs_mem_free(r.edge[i].from);
        tgs_mem_free(r.edge[i].to);
    }
    tgs_mem_free(r.edge);
    tgs_mem_free(r.table.slot);
    tgs_i_profile_close(&r.p);
    return status;
}

const tgs_reader tgs_reader_pipedream = {
    .base = {TGS_PLUGIN_ABI, "pipedream", "layer profiles of PipeDream and DAPPLE (graph.txt)",
             "Narayanan et al., PipeDream, SOSP 2019; Fan et al., DAPPLE, PPoPP 2021", NULL},
    .yields = TGS_YIELD_MODEL,
    .suffixes = "",
    .sniff = sniff,
    .read_model = read_model,
};
