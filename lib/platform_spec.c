/* platform_spec.c -- a platform in one line: items `kind:count[xSPEED][@GiB][/own]` and
 * `link:bandwidth,latency`, separated by blanks.
 *
 * The processors of an item share one memory; after `/own` each has its own.  The first memory of
 * the first item whose kind is a CPU (of the first item, if there is none) is the host's: it comes
 * first, and is called "ram".  Several memories are linked pairwise, both ways, all alike. */
#include <stdlib.h>
#include <string.h>
#include "platform.h"

#define GIB 1073741824.0

typedef struct item {
    const char *kind; /* into the copy of the spec */
    int32_t count;
    double speed, capacity;
    bool own;
} item;

typedef struct parser {
    const char *spec; /* as given, for errors */
    char *copy;
    item *item;
    int32_t items;
    int64_t room, procs, memories;
    double bandwidth, latency;
    bool linked; /* a link item was seen */
} parser;

static tgs_status bad(const parser *p, const char *word, const char *what, tgs_error *err)
{
    return tgs_fail(err, TGS_EPARSE, "platform '%.200s': column %d: %s", p->spec,
                    (int)(word - p->copy) + 1, what);
}

/* cut text at the last c; what follows, or NULL */
static char *cut(char *text, char c)
{
    char *at = strrchr(text, c);

    if (!at)
        return NULL;
    *at = 0;
    return at + 1;
}

static tgs_status parse_link(parser *p, char *word, char *text, tgs_error *err)
{
    char *latency = cut(text, ',');

    if (p->linked)
        return bad(p, word, "a second link", err);
    if (!latency || !tgs_parse_real(text, &p->bandwidth) || !tgs_parse_real(latency, &p->latency))
        return bad(p, word, "expected link:bandwidth,latency in byte/s and seconds", err);
    p->linked = true;
    return TGS_OK;
}

static tgs_status parse_item(parser *p, char *word, tgs_error *err)
{
    item i = {.kind = word, .speed = 1, .capacity = INFINITY};
    char *text = strchr(word, ':'), *own, *memory, *speed;
    int64_t count;

    if (!text || text == word)
        return bad(p, word, "expected kind:count[xSPEED][@GiB][/own] or link:bandwidth,latency",
                   err);
    *text++ = 0;
    if (!strcmp(word, "link"))
        return parse_link(p, word, text, err);
    if (strpbrk(word, "%=#\"/@,"))
        return bad(p, word, "a kind's name may not hold any of % = # \" / @ ,", err);
    own = cut(text, '/');
    memory = cut(text, '@');
    speed = cut(text, 'x');
    if (own && strcmp(own, "own"))
        return bad(p, word, "only /own may follow a slash", err);
    if (!tgs_parse_count(text, INT64_MAX, &count) || !count)
        return bad(p, word, "the count is not a positive whole number", err);
    if (speed && !(tgs_parse_real(speed, &i.speed) && i.speed > 0))
        return bad(p, word, "the speed is not a positive number", err);
    if (memory
        && !(tgs_parse_real(memory, &i.capacity) && (i.capacity *= GIB) > 0
             && i.capacity < INFINITY))
        return bad(p, word, "the memory is not a positive number of GiB", err);
    i.own = own != NULL;
    if (count > TGS_I_PROCS_MAX - p->procs)
        return bad(p, word, "more than 4096 processors", err);
    i.count = (int32_t)count;
    p->procs += count;
    p->memories += i.own ? count : 1;
    if (p->memories > TGS_I_MEMORIES_MAX)
        return bad(p, word, "more than 2048 memories", err);
    if (tgs_mem_grow(&p->item, &p->room, p->items + 1, sizeof *p->item))
        return tgs_fail(err, TGS_ENOMEM, "platform: out of memory");
    p->item[p->items++] = i;
    return TGS_OK;
}

static tgs_status parse(parser *p, tgs_error *err)
{
    tgs_status status = TGS_OK;
    char *cursor = p->copy, *word;

    for (char *s = p->copy; *s; s++) /* the words keep their columns */
        if (*s == '\n' || *s == '\r')
            *s = ' ';
        else if (*s != '\t' && (*s < ' ' || *s > '~'))
            return bad(p, s, "not a printable character", err);
    while (!status && (word = tgs_word(&cursor)))
        status = parse_item(p, word, err);
    if (!status && !p->items)
        status = tgs_fail(err, TGS_EPARSE, "platform '%.200s': no processors", p->spec);
    return status;
}

static int32_t host_item(const parser *p)
{
    for (int32_t i = 0; i < p->items; i++)
        if (!strcmp(tgs_i_kind_named(p->item[i].kind).arch, "cpu"))
            return i;
    return 0;
}

/* one memory of item i, named after its first processor unless it is the host's */
static tgs_status add_memory(tgs_i_assembly *a, const item *i, int32_t number, bool host,
                             int32_t *index, tgs_error *err)
{
    char name[512];
    const tgs_memory m = {host ? "ram" : name, "", i->capacity, 0};

    snprintf(name, sizeof name, "%.400s%d.mem", i->kind, (int)number);
    return tgs_i_assembly_memory(a, &m, index, err);
}

/* processors of one kind are numbered on from item to item; first: number of the item's first */
static int32_t first_number(const parser *p, int32_t item)
{
    int32_t n = 0;

    for (int32_t i = 0; i < item; i++)
        if (!strcmp(p->item[i].kind, p->item[item].kind))
            n += p->item[i].count;
    return n;
}

static tgs_status add_item(tgs_i_assembly *a, const parser *p, int32_t index, int32_t host_memory,
                           tgs_error *err)
{
    const item *i = &p->item[index];
    const int32_t first = first_number(p, index);
    const tgs_kind kind = tgs_i_kind_named(i->kind);
    tgs_proc proc = {.kind = tgs_i_assembly_find(a, TGS_I_KIND, i->kind), .speed = i->speed};
    char name[512];
    tgs_status status = TGS_OK;

    if (proc.kind < 0)
        status = tgs_i_assembly_kind(a, &kind, &proc.kind, err);
    for (int32_t k = 0; k < i->count && !status; k++) {
        if (k == 0 && host_memory >= 0)
            proc.memory = host_memory;
        else if (k == 0 || i->own)
            status = add_memory(a, i, first + k, false, &proc.memory, err);
        snprintf(name, sizeof name, "%.400s%d", i->kind, (int)(first + k));
        proc.name = name;
        if (!status)
            status = tgs_i_assembly_proc(a, &proc, NULL, err);
    }
    return status;
}

static tgs_status build(tgs_i_assembly *a, const parser *p, tgs_error *err)
{
    const int32_t host = host_item(p);
    int32_t ram;
    tgs_link l = {.bus = -1, .latency = p->latency, .bandwidth = p->bandwidth, .energy = NAN};
    tgs_status status = add_memory(a, &p->item[host], 0, true, &ram, err);

    for (int32_t i = 0; i < p->items && !status; i++)
        status = add_item(a, p, i, i == host ? ram : -1, err);
    for (l.from = 0; l.from < p->memories && !status; l.from++)
        for (l.to = 0; l.to < p->memories && !status; l.to++)
            if (l.from != l.to)
                status = tgs_i_assembly_link(a, &l, err);
    return status;
}

tgs_status tgs_platform_parse(tgs_platform **out, const char *spec, tgs_error *err)
{
    parser p = {.spec = spec, .bandwidth = TGS_I_LINK_BANDWIDTH, .latency = TGS_I_LINK_LATENCY};
    tgs_i_assembly *a = NULL;
    tgs_error why = {TGS_OK, ""};
    tgs_status status;

    *out = NULL;
    p.copy = tgs_mem_text(spec);
    status = p.copy ? parse(&p, err) : tgs_fail(err, TGS_ENOMEM, "platform: out of memory");
    if (status)
        goto done;
    status = tgs_i_assembly_new(&a, NULL, &why);
    if (!status)
        status = build(a, &p, &why);
    if (!status) {
        status = tgs_i_assembly_finish(out, a, &why);
        a = NULL;
    }
    if (status) /* what the assembly refuses, in the words of the spec */
        status = tgs_fail(err, status == TGS_EINVAL ? TGS_EPARSE : status, "platform '%.200s': %s",
                          spec, why.text);
done:
    tgs_i_assembly_free(a);
    tgs_mem_free(p.item);
    tgs_mem_free(p.copy);
    return status;
}
