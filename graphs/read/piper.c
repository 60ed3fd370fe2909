/* piper.c -- planner inputs of Piper, JSON: nodes with configurations by their degree of tensor
 * parallelism, edges with bytes.
 *
 * The first configuration of the smallest degree is read.  Its timePerSample is forward and
 * backward together, in seconds (Piper adds bytes over byte/s to it): a third is taken as the
 * forward pass. Memory besides the parameters, synchronisation times and the planner's limits are
 * not part of a model. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "core.h"
#include "profile.h"

typedef struct reading {
    tgs_source *s;
    tgs_error *err;
    tgs_i_profile p;
    struct known {
        int64_t id;
        int32_t layer;
    } * node; /* ascending ids once all are read */
} reading;

static bool holds(const char *head, size_t size, const char *word)
{
    return memmem(head, size, word, strlen(word)) != NULL;
}

static int sniff(const char *head, size_t size)
{
    const char *s = tgs_i_read_skip(head, size, false);

    return s < head + size && *s == '{' && holds(head, size, "\"TMPCs\"") ? 2 : 0;
}

static tgs_status bad(const reading *r, const char *list, size_t i, const char *what)
{
    r->s->line = 0;
    return tgs_source_fail(r->s, r->err, "%s[%zu]: %s", list, i, what);
}

static bool amount(const json_t *of, const char *key, double *out)
{
    const json_t *x = json_object_get(of, key);

    *out = json_number_value(x);
    return json_is_number(x) && *out >= 0 && isfinite(*out);
}

/* the first configuration of the smallest degree; NULL: there is none */
static const json_t *configuration(const json_t *node)
{
    const json_t *all = json_object_get(node, "TMPCs"), *best = NULL;
    int64_t least = 0;
    const char *key;
    json_t *list;

    json_object_foreach((json_t *)(uintptr_t)all, key, list)
    {
        int64_t degree;

        if (tgs_parse_count(key, INT32_MAX, &degree) && json_array_size(list)
            && (!best || degree < least)) {
            best = json_array_get(list, 0);
            least = degree;
        }
    }
    return best;
}

static tgs_status add_node(reading *r, size_t i, const json_t *node)
{
    const json_t *id = json_object_get(node, "id"), *c = configuration(node);
    const char *text = json_string_value(json_object_get(node, "name"));
    double seconds;
    char name[240];
    tgs_i_layer l = {.name = name};

    if (!json_is_integer(id))
        return bad(r, "nodes", i, "id is not a whole number");
    if (!c || !amount(c, "timePerSample", &seconds) || !amount(c, "parameterSize", &l.parameter))
        return bad(r, "nodes", i, "no configuration with timePerSample and parameterSize");
    snprintf(name, sizeof name, "%.200s#%lld", text ? text : "node",
             (long long)json_integer_value(id));
    l.forward = seconds / 3;
    l.backward = seconds - l.forward;
    r->node[i] = (struct known){json_integer_value(id), (int32_t)i};
    return tgs_i_profile_layer(&r->p, &l) < 0 ? tgs_i_read_no_memory(r->s, r->err) : TGS_OK;
}

static int by_id(const void *a, const void *b)
{
    const struct known *x = a, *y = b;

    return x->id < y->id ? -1 : x->id > y->id;
}

/* the layer of an edge's end, -1 none */
static int32_t find(const reading *r, const json_t *edge, const char *key)
{
    const json_t *id = json_object_get(edge, key);
    const struct known wanted = {json_integer_value(id), 0};
    const struct known *k =
        json_is_integer(id) ? bsearch(&wanted, r->node, (size_t)r->p.layers, sizeof wanted, by_id)
                            : NULL;

    return k ? k->layer : -1;
}

static tgs_status add_edge(reading *r, size_t i, const json_t *edge)
{
    const int32_t from = find(r, edge, "sourceId"), to = find(r, edge, "destId");
    double bytes;

    if (from < 0 || to < 0)
        return bad(r, "edges", i, "sourceId or destId is no node's");
    if (!amount(edge, "communicationCost", &bytes))
        return bad(r, "edges", i, "communicationCost is not a finite number >= 0");
    return tgs_i_profile_edge(&r->p, from, to, bytes) ? tgs_i_read_no_memory(r->s, r->err) : TGS_OK;
}

static tgs_status convert(reading *r, const json_t *root)
{
    const json_t *nodes = json_object_get(root, "nodes"), *edges = json_object_get(root, "edges");
    const size_t n = json_array_size(nodes);
    tgs_status status = TGS_OK;

    if (!json_is_array(nodes) || !json_is_array(edges))
        return bad(r, "file", 0, "no arrays `nodes` and `edges` in it");
    if (!(r->node = tgs_mem_alloc(n, sizeof *r->node)))
        return tgs_i_read_no_memory(r->s, r->err);
    for (size_t i = 0; i < n && !status; i++)
        status = add_node(r, i, json_array_get(nodes, i));
    if (!status)
        qsort(r->node, n, sizeof *r->node, by_id);
    for (size_t i = 1; i < n && !status; i++)
        if (r->node[i].id == r->node[i - 1].id)
            status = bad(r, "nodes", (size_t)r->node[i].layer, "its id is there already");
    for (size_t i = 0; i < json_array_size(edges) && !status; i++)
        status = add_edge(r, i, json_array_get(edges, i));
    return status;
}

static tgs_status read_model(tgs_source *s, const char *bind, tgs_model_builder *b, tgs_error *err)
{
    reading r = {.s = s, .err = err};
    json_t *root = NULL;
    char *text = NULL;
    tgs_status status;

    if (bind && *bind)
        return tgs_fail(err, TGS_EINVAL, "%s: a profile has nothing to bind", s->path);
    tgs_i_profile_open(&r.p, b);
    status = tgs_i_read_json(&root, &text, s, err);
    if (!status)
        status = convert(&r, root);
    if (!status)
        tgs_i_profile_finish(&r.p); /* finishing the model tells what is wrong */
    json_decref(root);
    tgs_mem_free(text);
    tgs_mem_free(r.node);
    tgs_i_profile_close(&r.p);
    return status;
}

const tgs_reader tgs_reader_piper = {
    .base = {TGS_PLUGIN_ABI, "piper", "planner inputs of Piper, JSON",
             "Tarnawski, Narayanan, Phanishayee, Piper, NeurIPS 2021", NULL},
    .yields = TGS_YIELD_MODEL,
    .suffixes = ".json",
    .sniff = sniff,
    .read_model = read_model,
};
