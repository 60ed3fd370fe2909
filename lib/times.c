/* times.c -- measured times by the names of operators: from a file, and into a lowered graph. */
#include <string.h>
#include "modelimpl.h"
#include "numerals.h"
#include "times.h"

tgs_i_timed *tgs_i_times_entry(tgs_times *t, const char *name, const char *kind)
{
    const int32_t first = tgs_i_names_get(&t->names, &t->arena, name);
    int32_t last = first, at;
    tgs_i_timed e = {NULL, NULL, NAN, NAN, NAN, 0, 0, -1};

    for (int32_t i = first; i >= 0; last = i, i = t->entry[i].next)
        if (kind ? t->entry[i].kind && !strcmp(t->entry[i].kind, kind) : !t->entry[i].kind)
            return &t->entry[i];
    if (t->entries == INT32_MAX
        || tgs_mem_grow(&t->entry, &t->room, t->entries + 1, sizeof *t->entry))
        return NULL;
    e.name = first >= 0 ? t->entry[first].name : tgs_i_pool_text(t->pool, name);
    e.kind = kind ? tgs_i_pool_text(t->pool, kind) : NULL;
    if (!e.name || (kind && !e.kind))
        return NULL;
    at = (int32_t)t->entries;
    if (first < 0) {
        const int32_t offset = tgs_i_arena_add(&t->arena, name);

        if (offset <= 0 || tgs_i_names_put(&t->names, &t->arena, offset, at))
            return NULL;
    } else
        t->entry[last].next = at;
    t->entry[t->entries++] = e;
    return &t->entry[at];
}

/* ---- CSV */
enum { FIELDS = 16 };
typedef struct heading { /* which field is what, -1 none */
    int32_t node, kind, forward, backward, bytes;
    double forward_unit, backward_unit; /* seconds */
} heading;

/* cuts a line at its commas; a field may stand in double quotes */
static int32_t cut(char *line, char **field)
{
    int32_t count = 0;

    for (char *s = line; count < FIELDS;) {
        char *to = s;
        const bool quoted = *s == '"';

        field[count++] = to;
        for (s += quoted; *s && (quoted ? *s != '"' || s[1] == '"' : *s != ','); s++) {
            s += quoted && *s == '"'; /* a doubled quote is one */
            *to++ = *s;
        }
        s += quoted && *s == '"';
        if (*s != ',') {
            const bool end = !*s;

            *to = 0;
            return end ? count : -1;
        }
        s++;
        *to = 0;
    }
    return -1;
}

/* "forward_ms": sets the field and its unit */
static bool timed(const char *text, const char *key, int32_t at, int32_t *field, double *unit)
{
    const size_t n = strlen(key);

    if (strncmp(text, key, n) || *field >= 0)
        return false;
    *unit = !strcmp(text + n, "_s") ? 1 : !strcmp(text + n, "_ms") ? 1e-3 : 1e-6;
    *field = at;
    return !strcmp(text + n, "_s") || !strcmp(text + n, "_ms") || !strcmp(text + n, "_us");
}

static tgs_status read_heading(tgs_source *s, heading *h, tgs_error *err)
{
    char *field[FIELDS];
    const int32_t count = cut(s->text, field);

    *h = (heading){-1, -1, -1, -1, -1, 1, 1};
    for (int32_t i = 0; i < count; i++) {
        int32_t *plain = !strcmp(field[i], "node")    ? &h->node
                         : !strcmp(field[i], "kind")  ? &h->kind
                         : !strcmp(field[i], "bytes") ? &h->bytes
                                                      : NULL;

        if (plain && *plain < 0)
            *plain = i;
        else if (plain
                 || (!timed(field[i], "forward", i, &h->forward, &h->forward_unit)
                     && !timed(field[i], "backward", i, &h->backward, &h->backward_unit)))
            return tgs_source_fail(s, err,
                                   "column '%.40s' is not one of node, kind, bytes, forward_s, "
                                   "backward_s (or _ms, _us), or is there twice",
                                   field[i]);
    }
    if (count < 0 || h->node < 0 || (h->forward < 0 && h->backward < 0 && h->bytes < 0))
        return tgs_source_fail(s, err, "no column `node`, or none of times or bytes");
    return TGS_OK;
}

static tgs_status take(const tgs_source *s, char **field, int32_t at, double unit, double *out,
                       tgs_error *err)
{
    double x;

    if (at < 0 || !*field[at])
        return TGS_OK;
    if (!tgs_parse_real(field[at], &x) || x < 0 || isinf(x))
        return tgs_source_fail(s, err, "%.60s is not a finite number >= 0", field[at]);
    *out = x * unit;
    return TGS_OK;
}

static tgs_status read_row(tgs_times *t, tgs_source *s, const heading *h, int32_t fields,
                           tgs_error *err)
{
    char *field[FIELDS];
    const char *kind;
    tgs_i_timed *e;
    tgs_status status;

    if (cut(s->text, field) != fields)
        return tgs_source_fail(s, err, "not %d fields", (int)fields);
    if (!*field[h->node])
        return tgs_source_fail(s, err, "a node without a name");
    kind = h->kind >= 0 && *field[h->kind] ? field[h->kind] : NULL;
    e = tgs_i_times_entry(t, field[h->node], kind);
    if (!e)
        return tgs_fail(err, TGS_ENOMEM, "%s: out of memory", s->path);
    if (e->forwards++)
        return tgs_source_fail(s, err, "node '%.100s' is there twice%s%.40s", field[h->node],
                               kind ? " on " : "", kind ? kind : "");
    status = take(s, field, h->forward, h->forward_unit, &e->forward, err);
    if (!status)
        status = take(s, field, h->backward, h->backward_unit, &e->backward, err);
    return status ? status : take(s, field, h->bytes, 1, &e->bytes, err);
}

static tgs_status read_csv(tgs_times *t, tgs_source *s, tgs_error *err)
{
    int more = tgs_source_next(s, err);
    int32_t fields = 1;
    heading h;
    tgs_status status;

    if (more <= 0)
        return more < 0 ? (tgs_status)more : tgs_source_fail(s, err, "an empty file");
    for (const char *c = s->text; *c; c++)
        fields += *c == ',';
    status = read_heading(s, &h, err);
    while (!status && (more = tgs_source_next(s, err)) > 0)
        if (*s->text)
            status = read_row(t, s, &h, fields, err);
    return more < 0 ? (tgs_status)more : status;
}

/* ---- files */
tgs_status tgs_times_read(tgs_times **out, const char *path, tgs_error *err)
{
    const locale_t before = tgs_i_numerals_enter();
    tgs_times *t = tgs_mem_alloc(1, sizeof *t);
    tgs_source s;
    tgs_status status;
    int c;

    *out = NULL;
    if (t)
        t->pool = tgs_i_pool_new();
    if (!t || !t->pool) {
        tgs_times_free(t);
        tgs_i_numerals_leave(before);
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    status = tgs_i_source_open(&s, path, err);
    if (!status) {
        do
            c = getc(s.file);
        while (c == ' ' || c == '\n' || c == '\r' || c == '\t');
        rewind(s.file);
        status = c == '{' || c == '[' ? tgs_i_times_json(t, &s, err) : read_csv(t, &s, err);
        if (!status && !t->entries)
            status = tgs_source_fail(&s, err, "no times in it");
        tgs_i_source_close(&s);
    }
    if (status)
        tgs_times_free(t);
    else
        *out = t;
    tgs_i_numerals_leave(before);
    return status;
}

void tgs_times_free(tgs_times *t)
{
    if (!t)
        return;
    tgs_i_pool_free(t->pool);
    tgs_i_arena_free(&t->arena);
    tgs_i_names_free(&t->names);
    tgs_mem_free(t->entry);
    tgs_mem_free(t);
}

int32_t tgs_times_count(const tgs_times *t)
{
    return (int32_t)t->entries;
}

/* ---- into a graph */
tgs_status tgs_times_unmatched(const tgs_times *t, const tgs_model *m, int32_t i, const char **name)
{
    bool *known = tgs_mem_alloc((size_t)t->entries, sizeof *known);

    *name = NULL;
    if (!known)
        return TGS_ENOMEM;
    for (int32_t k = 0; k < m->v.ops; k++)
        for (int32_t e = tgs_i_names_get(&t->names, &t->arena, m->v.op[k].name); e >= 0;
             e = t->entry[e].next)
            known[e] = true;
    for (int32_t e = 0; e < t->entries && !*name; e++)
        if (!known[e] && tgs_i_names_get(&t->names, &t->arena, t->entry[e].name) == e && i-- == 0)
            *name = t->entry[e].name;
    tgs_mem_free(known);
    return *name ? TGS_OK : TGS_ENOTFOUND;
}

tgs_status tgs_model_lower_timed(tgs_graph **out, const tgs_model *m, const tgs_strategy *s,
                                 const tgs_times *t, int32_t *covered, tgs_error *err)
{
    tgs_op_time *time = tgs_mem_alloc((size_t)t->entries, sizeof *time);
    int32_t count = 0, operators = 0;
    tgs_status status;

    *out = NULL;
    if (!time)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (int32_t k = 0; k < m->v.ops; k++) {
        int32_t e = m->v.op[k].folded ? -1 : tgs_i_names_get(&t->names, &t->arena, m->v.op[k].name);

        operators += e >= 0;
        for (; e >= 0; e = t->entry[e].next)
            time[count++] = (tgs_op_time){k, t->entry[e].kind, t->entry[e].forward,
                                          t->entry[e].backward, t->entry[e].bytes};
    }
    if (covered)
        *covered = operators;
    status = tgs_i_model_lower(out, m, s, time, count, err);
    tgs_mem_free(time);
    return status;
}
