/* galvatron.c -- computation profiles of Galvatron, JSON: milliseconds of forward passes of
 * networks with a few and with more layers, "layernum[4]_bsz8_seq2048": 78.4, as a chain of layers.
 *
 *   --bind batch=8,seq=2048,layers=24
 *
 * chooses among the measured batches and lengths (the smallest) and how many layers there are (the
 * most that were measured).  A layer takes the difference between the networks with the fewest and
 * the most layers, over that of their layers; what is left of the smaller one is the layer `rest`
 * before them.  As in Galvatron, a backward pass takes twice the forward pass.  The file has no
 * sizes: they count 0. */
#include <jansson.h>
#include <string.h>
#include "core.h"
#include "profile.h"

static int sniff(const char *head, size_t size)
{
    static const char key[] = "\"layernum[";
    const char *s = tgs_i_read_skip(head, size, false);
    const char *at = memmem(head, size, key, sizeof key - 1);
    const char *colon = at ? memchr(at, ':', (size_t)(head + size - at)) : NULL;

    /* the keys of memory profiles begin so, too, and end in a rank */
    return s < head + size && *s == '{' && colon && !memmem(at, (size_t)(colon - at), "_rank", 5)
               ? 2
               : 0;
}

typedef struct point {          /* layernum[layers]_bszB_seqS */
    int64_t layers, batch, seq; /* seq 0: the key has none */
    double seconds;
} point;

static const char *number(const char *s, const char *prefix, int64_t *out)
{
    const size_t n = strlen(prefix);
    char text[24];
    size_t digits;

    if (strncmp(s, prefix, n))
        return NULL;
    digits = strspn(s + n, "0123456789");
    if (!digits || digits >= sizeof text)
        return NULL;
    snprintf(text, sizeof text, "%.*s", (int)digits, s + n);
    return tgs_parse_count(text, INT32_MAX, out) ? s + n + digits : NULL;
}

static bool parse(const char *key, point *p)
{
    const char *s = number(key, "layernum[", &p->layers);

    s = s && *s == ']' ? number(s + 1, "_bsz", &p->batch) : NULL;
    p->seq = 0;
    if (s && *s)
        s = number(s, "_seq", &p->seq);
    return s && !*s && p->layers > 0;
}

typedef struct choice {
    int64_t batch, seq, layers; /* -1: not told */
    point few, many;
    bool any;
} choice;

static tgs_status read_bind(const tgs_source *s, const char *bind, choice *c, tgs_error *err)
{
    static const char *const keys[] = {"batch", "seq", "layers"};
    int64_t *value[] = {&c->batch, &c->seq, &c->layers};
    int32_t items = bind && *bind ? 1 : 0;

    for (const char *b = bind; b && *b; b++)
        items += *b == ',';
    for (int i = 0; i < 3; i++) {
        *value[i] = -1;
        items -= tgs_bind_find(bind, keys[i], value[i]);
    }
    return items ? tgs_fail(err, TGS_EINVAL,
                            "%s: --bind %s: batch, seq and layers are what can be bound", s->path,
                            bind)
                 : TGS_OK;
}

/* the smallest that was measured, where none was asked for */
static void choose(choice *c, const json_t *root)
{
    int64_t batch = INT64_MAX, seq = INT64_MAX;
    const char *key;
    json_t *value;
    point p;

    json_object_foreach((json_t *)(uintptr_t)root, key, value)
    {
        if (!parse(key, &p) || (c->batch >= 0 && p.batch != c->batch)
            || (c->seq >= 0 && p.seq != c->seq))
            continue;
        if (p.batch < batch || (p.batch == batch && p.seq < seq)) {
            batch = p.batch;
            seq = p.seq;
        }
    }
    c->batch = batch;
    c->seq = seq;
}

static tgs_status find(const tgs_source *s, choice *c, const json_t *root, tgs_error *err)
{
    const char *key;
    json_t *value;
    point p;

    choose(c, root);
    json_object_foreach((json_t *)(uintptr_t)root, key, value)
    {
        if (!parse(key, &p) || p.batch != c->batch || p.seq != c->seq)
            continue;
        p.seconds = json_number_value(value) / 1e3;
        if (!json_is_number(value) || p.seconds < 0 || !isfinite(p.seconds))
            return tgs_fail(err, TGS_EPARSE, "%s: %s is not a finite number >= 0", s->path, key);
        if (!c->any || p.layers < c->few.layers)
            c->few = p;
        if (!c->any || p.layers > c->many.layers)
            c->many = p;
        c->any = true;
    }
    if (!c->any)
        return tgs_fail(err, TGS_ENOTAPPLICABLE,
                        "%s: no layernum[L]_bszB_seqS of this batch and length", s->path);
    if (c->few.layers == c->many.layers)
        return tgs_fail(err, TGS_ENOTAPPLICABLE,
                        "%s: batch %lld was measured with one number of layers alone", s->path,
                        (long long)c->batch);
    if (c->many.seconds < c->few.seconds)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "%s: more layers take less time", s->path);
    if (c->layers < 0)
        c->layers = c->many.layers;
    return TGS_OK;
}

static tgs_status add(tgs_i_profile *p, const choice *c)
{
    const double layer =
        (c->many.seconds - c->few.seconds) / (double)(c->many.layers - c->few.layers);
    const double rest = fmax(0, c->few.seconds - layer * (double)c->few.layers);
    char name[40];

    for (int64_t i = 0; i <= c->layers; i++) {
        const tgs_i_layer l = {.name = i ? name : "rest",
                               .forward = i ? layer : rest,
                               .backward = 2 * (i ? layer : rest)};

        snprintf(name, sizeof name, "layer%lld", (long long)i - 1);
        if (tgs_i_profile_layer(p, &l) < 0
            || (i && tgs_i_profile_edge(p, (int32_t)i - 1, (int32_t)i, 0)))
            return TGS_ENOMEM;
    }
    return TGS_OK;
}

static tgs_status read_model(tgs_source *s, const char *bind, tgs_model_builder *b, tgs_error *err)
{
    choice c = {0};
    tgs_i_profile p;
    json_t *root = NULL;
    char *text = NULL;
    tgs_status status = read_bind(s, bind, &c, err);

    tgs_i_profile_open(&p, b);
    if (!status)
        status = tgs_i_read_json(&root, &text, s, err);
    if (!status)
        status = find(s, &c, root, err);
    if (!status && c.layers > 1000000)
        status =
            tgs_fail(err, TGS_EINVAL, "%s: layers=%lld are too many", s->path, (long long)c.layers);
    if (!status && add(&p, &c))
        status = tgs_i_read_no_memory(s, err);
    if (!status)
        tgs_i_profile_finish(&p); /* finishing the model tells what is wrong */
    json_decref(root);
    tgs_mem_free(text);
    tgs_i_profile_close(&p);
    return status;
}

const tgs_reader tgs_reader_galvatron = {
    .base = {TGS_PLUGIN_ABI, "galvatron", "computation profiles of Galvatron, JSON",
             "Miao et al., Galvatron, VLDB 2023", NULL},
    .yields = TGS_YIELD_MODEL,
    .suffixes = ".json",
    .sniff = sniff,
    .read_model = read_model,
};
