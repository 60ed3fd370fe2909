/* strategy.c -- how a training step is parallelised: directives, each owned by a transform.
 *
 *     train momentum lr=0.1 mu=0.9; micro-batches 8     # a comment
 *
 * Words without '=' are the values of the transform's first parameters, in their order. */
#include <stdlib.h>
#include <string.h>
#include "modelimpl.h"

typedef struct parsing {
    tgs_strategy *s;
    const char *path; /* NULL: a text */
    int line;
    tgs_error *err;
} parsing;

static tgs_status wrong(const parsing *p, tgs_status status, const char *text)
{
    if (p->path)
        return tgs_fail(p->err, status, "%s:%d: %s", p->path, p->line, text);
    return tgs_fail(p->err, status, "strategy: %s", text);
}

static const tgs_i_directive *find(const tgs_strategy *s, const char *keyword)
{
    for (int64_t i = 0; i < s->directives; i++)
        if (!strcmp(s->directive[i].transform->base.name, keyword))
            return &s->directive[i];
    return NULL;
}

/* room for the spec of words: each may get a key */
static size_t spec_room(const tgs_plugin *plugin, const char *words)
{
    size_t longest = 0, room = strlen(words) + 1;

    for (const tgs_param *q = plugin->params; q && q->key; q++) {
        const size_t size = strlen(q->key);

        longest = size > longest ? size : longest;
    }
    for (const char *s = words; *s; s++)
        room += *s != ' ' && (s == words || s[-1] == ' ') ? longest + 2 : 0;
    return room;
}

/* "8 tree=2" as the spec "count=8:tree=2" of the transform's arguments */
static tgs_status make_spec(const parsing *p, const tgs_plugin *plugin, char *words, char *spec,
                            size_t size)
{
    const tgs_param *next = plugin->params;
    size_t used = 0;

    *spec = 0;
    for (char *word; (word = tgs_word(&words));) {
        const char *key = "";

        if (strchr(word, ':'))
            return wrong(p, TGS_EPARSE, "a ':' is not allowed here");
        if (!strchr(word, '=')) {
            if (!next || !next->key)
                return wrong(p, TGS_EPARSE, "a word too many");
            key = next++->key;
        }
        used += (size_t)snprintf(spec + used, size - used, "%s%s%s%s", used ? ":" : "", key,
                                 *key ? "=" : "", word);
    }
    return TGS_OK;
}

static tgs_status add(parsing *p, const tgs_plugin *plugin, const char *spec)
{
    tgs_strategy *s = p->s;
    tgs_error local = {TGS_OK, ""};
    tgs_args *args = NULL;
    tgs_status status = tgs_i_args_new(&args, plugin, spec, &local);

    if (status)
        return wrong(p, status, local.text);
    if (tgs_mem_grow(&s->directive, &s->room, s->directives + 1, sizeof *s->directive)) {
        tgs_i_args_free(args);
        return wrong(p, TGS_ENOMEM, "out of memory");
    }
    s->directive[s->directives] =
        (tgs_i_directive){(const tgs_transform *)plugin, args, s->directives};
    s->directives++;
    return TGS_OK;
}

static tgs_status parse_directive(parsing *p, char *text)
{
    const tgs_plugin *plugin;
    char twice[128], *spec, *keyword = tgs_word(&text);
    size_t room;
    tgs_error local = {TGS_OK, ""};
    tgs_status status;

    if (!keyword)
        return TGS_OK;
    status = tgs_i_find(&plugin, "transform", keyword, &local);
    if (status)
        return wrong(p, TGS_EPARSE, local.text);
    if (!((const tgs_transform *)plugin)->repeats && find(p->s, keyword)) {
        snprintf(twice, sizeof twice, "'%.60s' is given twice", keyword);
        return wrong(p, TGS_EPARSE, twice);
    }
    room = spec_room(plugin, text);
    spec = tgs_mem_alloc(room, 1);
    if (!spec)
        return wrong(p, TGS_ENOMEM, "out of memory");
    status = make_spec(p, plugin, text, spec, room);
    if (!status)
        status = add(p, plugin, spec);
    tgs_mem_free(spec);
    return status;
}

/* what the given transforms need and is not there runs with its defaults */
static tgs_status add_needed(parsing *p)
{
    for (int64_t i = 0; i < p->s->directives; i++) {
        const char *needs = p->s->directive[i].transform->needs;
        const tgs_plugin *plugin;
        tgs_status status;

        if (!needs || find(p->s, needs))
            continue;
        status = tgs_i_find(&plugin, "transform", needs, p->err);
        if (!status)
            status = add(p, plugin, "");
        if (status)
            return status;
    }
    return TGS_OK;
}

static int by_stage(const void *a, const void *b)
{
    const tgs_i_directive *p = a, *q = b;
    const tgs_transform *x = p->transform, *y = q->transform;

    if (x->stage != y->stage)
        return x->stage < y->stage ? -1 : 1;
    if (x != y)
        return strcmp(x->base.name, y->base.name);
    return p->given < q->given ? -1 : p->given > q->given;
}

static tgs_status parse_line(parsing *p, char *line)
{
    tgs_status status = TGS_OK;

    line[strcspn(line, "#")] = 0;
    for (char *rest = line; rest && !status;) {
        char *end = strchr(rest, ';');

        if (end)
            *end = 0;
        for (char *c = rest; *c; c++)
            if (*c == '\t' || *c == '\r')
                *c = ' ';
        status = parse_directive(p, rest);
        rest = end ? end + 1 : NULL;
    }
    return status;
}

static tgs_status finish(tgs_strategy **out, parsing *p, tgs_status status)
{
    if (!status)
        status = add_needed(p);
    if (status) {
        tgs_strategy_free(p->s);
        return status;
    }
    if (p->s->directives)
        qsort(p->s->directive, (size_t)p->s->directives, sizeof *p->s->directive, by_stage);
    *out = p->s;
    return TGS_OK;
}

tgs_status tgs_strategy_parse(tgs_strategy **out, const char *text, tgs_error *err)
{
    parsing p = {tgs_mem_alloc(1, sizeof *p.s), NULL, 0, err};
    char *copy = tgs_mem_text(text);
    tgs_status status = TGS_OK;

    *out = NULL;
    if (!p.s || !copy)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (char *line = copy; line && !status;) {
        char *end = strchr(line, '\n');

        if (end)
            *end = 0;
        status = parse_line(&p, line);
        line = end ? end + 1 : NULL;
    }
    tgs_mem_free(copy);
    return finish(out, &p, status);
}

tgs_status tgs_strategy_read(tgs_strategy **out, const char *path, tgs_error *err)
{
    parsing p = {tgs_mem_alloc(1, sizeof *p.s), path, 1, err};
    tgs_source s;
    tgs_status status;
    int more;

    *out = NULL;
    if (!p.s)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    status = tgs_i_source_open(&s, path, err);
    if (status) {
        tgs_strategy_free(p.s);
        return status;
    }
    p.path = s.path;
    more = tgs_source_next(&s, err);
    if (more < 0)
        status = (tgs_status)more;
    else if (!more || strcmp(s.text, "tgsched.strategy/1"))
        status = wrong(&p, TGS_EPARSE, "the first line must be tgsched.strategy/1");
    while (!status && (more = tgs_source_next(&s, err)) > 0) {
        p.line = (int)s.line;
        status = parse_line(&p, s.text);
    }
    if (!status && more < 0)
        status = (tgs_status)more;
    status = finish(out, &p, status);
    tgs_i_source_close(&s);
    return status;
}

void tgs_strategy_free(tgs_strategy *s)
{
    if (!s)
        return;
    for (int64_t i = 0; i < s->directives; i++)
        tgs_i_args_free(s->directive[i].args);
    tgs_mem_free(s->directive);
    tgs_mem_free(s);
}
