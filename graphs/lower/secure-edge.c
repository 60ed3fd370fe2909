/* secure-edge.c -- what leaves its trust domain is encrypted: producer -> encrypt -> decrypt ->
 * consumer, where the encrypted datum alone crosses the link.
 *
 * The domain of a task is its label (constraint `trust`); a task without one may run anywhere, so
 * that what it reads is no secret.  A version is encrypted once in the domain that made it, and
 * decrypted once in each other domain that reads it.  Initial versions are public.  The time of
 * both tasks is `seconds` and the bytes over `rate`; when they run they encrypt with ChaCha20,
 * under a key that is no secret: they stand for what encryption costs.  O(tasks + accesses +
 * dependencies).
 *
 * What the published framework of this name does could not be read; encryption as nodes of an
 * extended graph is that of Li, Zeng, IEEE TSUSC 2023. */
#include <string.h>
#include "tgsched/model.h"

typedef struct sealed { /* a version, decrypted in a domain */
    int32_t domain, datum, next;
} sealed;

typedef struct secure {
    const tgs_graph_view *g;
    tgs_builder *b;
    double seconds, rate;
    bool public;      /* who has no label may read what labelled tasks write */
    int32_t *carrier; /* [accesses] the datum that holds the version which this access writes */
    int32_t *closed;  /* [accesses] its encrypted datum, -1 none yet */
    int32_t *opened;  /* [accesses] the first of its decrypted data, -1 none */
    sealed *open;
    int64_t opens, room;
    int32_t tasks, number; /* encrypting and decrypting; of the next name */
    tgs_error *err;
} secure;

static const char *domain_of(const tgs_graph_view *g, int32_t task)
{
    const int32_t c = g->task[task].constraint;

    return c < 0 ? "" : tgs_text(g, g->constraint[c].trust);
}

/* "task a" or "task @3" */
static const char *label(const tgs_graph_view *g, int32_t task, char text[80])
{
    if (g->task[task].name)
        snprintf(text, 80, "'%.70s'", tgs_task_name(g, task, TGS_ROOM));
    else
        snprintf(text, 80, "@%d", (int)task);
    return text;
}

static double bytes_of(const secure *s, int32_t d)
{
    return s->g->datum[d].bytes;
}

/* as the datum that it stands for */
static void describe(secure *s, int32_t to, int32_t source)
{
    const int32_t x = s->g->datum[source].extra;
    const tgs_datum_extra *e = x < 0 ? NULL : &s->g->extra[x];

    if (e && e->rank >= 0)
        tgs_builder_datum_shape(s->b, to, (tgs_dtype)e->dtype, e->rank, s->g->dim + e->dims);
}

/* a task of this domain that reads one datum and writes another, for the version that access i
 * writes; returns what it writes */
static int32_t add_crypto(secure *s, const char *what, int32_t i, const char *domain, int32_t from)
{
    const int32_t source = (int32_t)s->g->access[i].datum;
    const double bytes = bytes_of(s, source);
    char name[40], attrs[40];
    int32_t task, to;

    do
        snprintf(name, sizeof name, "%s#%d", what, (int)s->number++);
    while (tgs_builder_find_task(s->b, name) >= 0);
    s->tasks++;
    task = tgs_builder_task(s->b, name, what, s->seconds + bytes / s->rate);
    snprintf(attrs, sizeof attrs, "nonce=%d", (int)i);
    tgs_builder_task_attrs(s->b, task, attrs);
    tgs_builder_task_cost(s->b, task, NAN, 2 * bytes);
    tgs_builder_task_phase(s->b, task, TGS_PHASE_COMMUNICATION);
    tgs_builder_task_constrain(s->b, task, "trust", domain);
    to = tgs_builder_datum(s->b, NULL, bytes);
    describe(s, to, source);
    tgs_builder_access(s->b, task, from, TGS_R);
    tgs_builder_access(s->b, task, to, TGS_W);
    return to;
}

/* the datum that holds version i, made by task u, where a task of another domain may read it */
static int32_t open_in(secure *s, int32_t i, int32_t u, int32_t v)
{
    const char *domain = domain_of(s->g, v);

    for (int32_t k = s->opened[i]; k >= 0; k = s->open[k].next)
        if (!strcmp(domain_of(s->g, s->open[k].domain), domain))
            return s->open[k].datum;
    if (tgs_mem_grow(&s->open, &s->room, s->opens + 1, sizeof *s->open))
        return (int32_t)tgs_fail(s->err, TGS_ENOMEM, "out of memory");
    if (s->closed[i] < 0)
        s->closed[i] = add_crypto(s, "encrypt", i, domain_of(s->g, u), s->carrier[i]);
    s->open[s->opens] =
        (sealed){v, add_crypto(s, "decrypt", i, domain, s->closed[i]), s->opened[i]};
    s->opened[i] = (int32_t)s->opens;
    return s->open[s->opens++].datum;
}

/* where task v finds the version it reads */
static int32_t readable(secure *s, int32_t v, const tgs_access *a, const int32_t *maker)
{
    const int32_t i = a->version, u = i < 0 ? -1 : maker[i];
    char from[80], to[80];

    if (u < 0)
        return (int32_t)a->datum;
    if (!*domain_of(s->g, u) || !strcmp(domain_of(s->g, u), domain_of(s->g, v)))
        return s->carrier[i];
    if (*domain_of(s->g, v))
        return open_in(s, i, u, v);
    if (s->public)
        return s->carrier[i];
    return (int32_t)tgs_fail(s->err, TGS_EINFEASIBLE,
                             "secure-edge: task %s, which may run anywhere, reads what task %s "
                             "writes in the domain '%.60s'; public=1 says that this is no secret",
                             label(s->g, v, to), label(s->g, u, from), domain_of(s->g, u));
}

/* an access of v: index i of the graph */
static tgs_status copy_access(secure *s, int32_t v, int32_t i, const int32_t *maker)
{
    const tgs_access *a = &s->g->access[i];
    const int32_t x = a->mode != TGS_W ? readable(s, v, a, maker) : 0;
    const tgs_datum *d = &s->g->datum[a->datum];
    int32_t to = a->mode == TGS_W ? (int32_t)a->datum : x;
    char text[80];

    if (to < 0)
        return (tgs_status)to;
    s->carrier[i] = to;
    if (a->mode != TGS_R && to != (int32_t)a->datum && d->extra >= 0
        && s->g->extra[d->extra].persistent)
        return tgs_fail(s->err, TGS_ENOTAPPLICABLE,
                        "secure-edge: task %s changes '%.80s' in place, which another domain has "
                        "written and the next step reads",
                        label(s->g, v, text), tgs_datum_name(s->g, (int32_t)a->datum, TGS_ROOM));
    return tgs_builder_access(s->b, v, to, (tgs_mode)a->mode);
}

/* accesses in topological order, so that the same dependencies follow from them */
static tgs_status copy_accesses(secure *s, int32_t *maker)
{
    const tgs_graph_view *g = s->g;
    tgs_status status = TGS_OK;

    for (int32_t k = 0; k < g->tasks; k++)
        for (int32_t i = g->access_at[g->topo[k]]; i < g->access_at[g->topo[k] + 1]; i++)
            maker[i] = g->topo[k];
    for (int32_t k = 0; k < g->tasks && !status; k++) {
        const int32_t v = g->topo[k];

        for (int32_t i = g->access_at[v]; i < g->access_at[v + 1] && !status; i++)
            status = copy_access(s, v, i, maker);
        for (int32_t e = g->pred_at[v]; e < g->pred_at[v + 1] && !status; e++)
            if (g->pred_datum[e] < 0)
                status = tgs_builder_after(s->b, g->pred[e], v);
    }
    return status;
}

static tgs_status copy_all(secure *s)
{
    const tgs_graph_view *g = s->g;
    int32_t *maker = tgs_mem_alloc((size_t)g->accesses, sizeof *maker);
    tgs_status status = maker ? TGS_OK : tgs_fail(s->err, TGS_ENOMEM, "out of memory");

    tgs_builder_adopt_kinds(s->b, g);
    for (int32_t t = 0; t < g->tasks && !status; t++)
        if (tgs_builder_adopt_task(s->b, g, t) < 0)
            break;
    for (int32_t d = 0; d < g->data && !status; d++)
        if (tgs_builder_adopt_datum(s->b, g, d) < 0)
            break;
    for (int32_t i = 0; i < g->accesses && !status; i++)
        s->closed[i] = s->opened[i] = -1;
    if (!status && !tgs_builder_status(s->b, NULL)) /* what fails there is told when it finishes */
        status = copy_accesses(s, maker);
    if (!status)
        tgs_builder_note(s->b, "%d tasks encrypt or decrypt", (int)s->tasks);
    tgs_mem_free(maker);
    return tgs_builder_status(s->b, NULL) ? TGS_OK : status;
}

static tgs_status graph(const tgs_graph_view *g, const tgs_args *a, tgs_builder *b, tgs_error *err)
{
    secure s = {.g = g,
                .b = b,
                .seconds = tgs_arg_real(a, "seconds"),
                .rate = tgs_arg_real(a, "rate"),
                .public = tgs_arg_int(a, "public") != 0,
                .err = err};
    tgs_status status = TGS_ENOMEM;

    s.carrier = tgs_mem_alloc((size_t)g->accesses, sizeof *s.carrier);
    s.closed = tgs_mem_alloc((size_t)g->accesses, sizeof *s.closed);
    s.opened = tgs_mem_alloc((size_t)g->accesses, sizeof *s.opened);
    status = s.carrier && s.closed && s.opened ? copy_all(&s)
                                               : tgs_fail(err, TGS_ENOMEM, "out of memory");
    tgs_mem_free(s.carrier);
    tgs_mem_free(s.closed);
    tgs_mem_free(s.opened);
    tgs_mem_free(s.open);
    return status;
}

static const tgs_param params[] = {
    {"seconds", "0", TGS_PARAM_REAL, 0, 1e9, "of an encryption or decryption, whatever its size"},
    {"rate", "1e9", TGS_PARAM_REAL, 1e-9, 1e18, "byte/s that one encrypts or decrypts"},
    {"public", "0", TGS_PARAM_INT, 0, 1,
     "1: tasks without a label may read what labelled ones write"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_secure_edge = {
    .base = {TGS_PLUGIN_ABI, "secure-edge", "what leaves its trust domain is encrypted on the way",
             NULL, params},
    .stage = 90,
    .graph = graph,
};
