/* placegraph.c -- an instance of device placement from a priced graph and its platform. */
#include <string.h>
#include "place.h"

/* ---- devices ---------------------------------------------------------------------------------
 */
typedef struct look {
    const tgs_view *v;
    bool *host;       /* [memories] a processor of the host's kind computes there */
    int32_t home;     /* the first such memory; -1 none */
    int32_t *tenants; /* [memories] processors */
} look;

static tgs_status look_open(look *k, const tgs_view *v, const char *host)
{
    *k = (look){.v = v, .home = -1};
    k->host = tgs_mem_alloc((size_t)v->memories, sizeof *k->host);
    k->tenants = tgs_mem_alloc((size_t)v->memories, sizeof *k->tenants);
    if (!k->host || !k->tenants)
        return TGS_ENOMEM;
    for (int32_t q = 0; q < v->m; q++) {
        const tgs_proc *p = &v->p->proc[q];

        k->tenants[p->memory]++;
        if (strcmp(v->p->kind[p->kind].name, host))
            continue;
        k->host[p->memory] = true;
        if (k->home < 0)
            k->home = p->memory;
    }
    return TGS_OK;
}

static void look_close(look *k)
{
    tgs_mem_free(k->host);
    tgs_mem_free(k->tenants);
}

/* where what leaves a memory goes: to the host, or to some other device where there is no host */
static int32_t away(const look *k, int32_t memory)
{
    if (k->home >= 0)
        return k->home;
    for (int32_t q = 0; q < k->v->m; q++)
        if (k->v->p->proc[q].memory != memory)
            return k->v->p->proc[q].memory;
    return memory;
}

static bool alike(const look *k, int32_t a, int32_t b)
{
    const tgs_view *v = k->v;
    const tgs_proc *p = &v->p->proc[a], *q = &v->p->proc[b];
    const int64_t i = (int64_t)p->memory * v->memories + away(k, p->memory);
    const int64_t j = (int64_t)q->memory * v->memories + away(k, q->memory);
    bool same = p->kind == q->kind && p->speed == q->speed
                && k->host[p->memory] == k->host[q->memory]
                && v->p->memory[p->memory].capacity == v->p->memory[q->memory].capacity
                && v->lat[i] == v->lat[j] && v->inv[i] == v->inv[j];

    for (int32_t t = 0; t < v->n && same && (v->pin_proc || v->mem_mask); t++)
        same = tgs_allowed(v, t, a) == tgs_allowed(v, t, b);
    return same;
}

static tgs_status check_memories(const look *k, tgs_error *err)
{
    for (int32_t q = 0; q < k->v->m; q++) {
        const int32_t memory = k->v->p->proc[q].memory;

        if (k->host[memory])
            continue;
        if (k->tenants[memory] > 1)
            return tgs_fail(err, TGS_ENOTAPPLICABLE,
                            "%s shares its memory: devices have one each (kind:count/own)",
                            k->v->p->proc[q].name);
        if (isinf(k->v->lat[(int64_t)memory * k->v->memories + away(k, memory)]))
            return tgs_fail(err, TGS_ENOTAPPLICABLE, "nothing leads from %s to %s",
                            k->v->p->memory[memory].name, k->v->p->memory[away(k, memory)].name);
    }
    return TGS_OK;
}

/* groups in the order of their first processors */
static tgs_status take_devices(tgs_i_place_devices *d, const look *k, tgs_error *err)
{
    const size_t m = (size_t)k->v->m;
    int32_t *count = tgs_mem_alloc(m, sizeof *count), *group = tgs_mem_alloc(m, sizeof *group);
    int32_t *first = tgs_mem_alloc(m + 1, sizeof *first), *proc = tgs_mem_alloc(m, sizeof *proc);
    int32_t *of = tgs_mem_alloc(m, sizeof *of), devices = 0;
    bool *host = tgs_mem_alloc(m, sizeof *host);
    double *memory = tgs_mem_alloc(m, sizeof *memory);

    *d = (tgs_i_place_devices){0, k->v->m, count, host, memory, first, group, proc};
    if (!count || !group || !first || !proc || !of || !host || !memory) {
        tgs_mem_free(of);
        return TGS_ENOMEM;
    }
    for (int32_t q = 0; q < k->v->m; q++) {
        const int32_t mine = k->v->p->proc[q].memory;
        int32_t g = 0;

        while (g < d->groups && !alike(k, first[g], q)) /* first: of each group, for now */
            g++;
        if (g == d->groups) {
            host[g] = k->host[mine];
            memory[g] = host[g] ? INFINITY : k->v->p->memory[mine].capacity;
            first[d->groups++] = q;
        }
        of[q] = g;
        count[g]++;
    }
    for (int32_t g = 0; g < d->groups; g++) {
        first[g] = devices;
        for (int32_t q = 0; q < k->v->m; q++)
            if (of[q] == g) {
                group[devices] = g;
                proc[devices++] = q;
            }
    }
    first[d->groups] = devices;
    tgs_mem_free(of);
    return check_memories(k, err);
}

/* ---- nodes ------------------------------------------------------------------------------------
 */
static tgs_status take_nodes(tgs_i_place *x, const tgs_view *v)
{
    tgs_i_place_graph *g = &x->node;

    g->n = v->n;
    g->groups = x->d.groups;
    g->time = tgs_mem_alloc((size_t)v->n * (size_t)g->groups, sizeof *g->time);
    g->size = tgs_mem_alloc((size_t)v->n, sizeof *g->size);
    x->backward = tgs_mem_alloc((size_t)v->n, sizeof *x->backward);
    x->color = tgs_mem_alloc((size_t)v->n, sizeof *x->color);
    x->class_of = tgs_mem_alloc((size_t)v->n, sizeof *x->class_of);
    if (!g->time || !g->size || !x->backward || !x->color || !x->class_of)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < v->n; i++) {
        const tgs_task *t = &v->g->task[i];

        for (int32_t k = 0; k < g->groups; k++)
            g->time[(int64_t)i * g->groups + k] = tgs_w(v, i, x->d.proc[x->d.first[k]]);
        g->size[i] = isnan(t->bytes) ? 0 : t->bytes;
        x->backward[i] = t->phase == TGS_PHASE_BACKWARD || t->phase == TGS_PHASE_UPDATE;
    }
    return TGS_OK;
}

/* A graph in which something forward comes after something backward (several steps, say) is not of
 * two halves: then all of it counts as forward. */
static void check_halves(tgs_i_place *x, const tgs_view *v, bool mixed)
{
    for (int32_t u = 0; u < v->n; u++)
        for (int32_t k = v->g->succ_at[u]; k < v->g->succ_at[u + 1]; k++)
            mixed |= x->backward[u] && !x->backward[v->g->succ[k]];
    for (int32_t u = 0; u < v->n && mixed; u++)
        x->backward[u] = false;
}

/* nodes of one group have one colour, all others have one of their own */
static tgs_status take_colors(tgs_i_place *x, const tgs_view *v)
{
    tgs_i_pair *pair = tgs_mem_alloc((size_t)v->n, sizeof *pair);
    int32_t count = 0;

    if (!pair)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < v->n; i++) {
        const int32_t k = v->g->task[i].constraint;
        const int32_t group = k >= 0 ? v->g->constraint[k].group : -1;

        if (group >= 0)
            pair[count++] = (tgs_i_pair){group, i};
        else
            x->color[i] = x->colors++;
    }
    tgs_i_pairs_unique(pair, count);
    for (int32_t i = 0; i < count; i++) {
        x->colors += i == 0 || pair[i].from != pair[i - 1].from;
        x->color[pair[i].to] = x->colors - 1;
    }
    tgs_mem_free(pair);
    return TGS_OK;
}

/* ---- what goes between them --------------------------------------------------------------------
 */
/* the outputs of u, each with its readers: pairs (datum, reader) */
static int32_t outputs(const tgs_view *v, int32_t u, tgs_i_pair *pair)
{
    int32_t count = 0;

    for (int32_t k = v->g->succ_at[u]; k < v->g->succ_at[u + 1]; k++)
        if (v->g->succ_datum[k] >= 0)
            pair[count++] = (tgs_i_pair){v->g->succ_datum[k], v->g->succ[k]};
    return tgs_i_pairs_unique(pair, count);
}

static void add_output(tgs_i_place *x, const look *k, int32_t from, int32_t datum)
{
    tgs_i_place_graph *g = &x->node;
    const int32_t i = g->items++;

    g->item_from[i] = from;
    for (int32_t q = 0; q < x->d.groups; q++) {
        const int32_t memory = k->v->p->proc[x->d.proc[x->d.first[q]]].memory;

        g->item_cost[(int64_t)i * g->groups + q] =
            x->d.host[q] ? 0 : tgs_c(k->v, datum, memory, away(k, memory));
    }
}

static tgs_status take_items(tgs_i_place *x, const look *k)
{
    const tgs_view *v = k->v;
    const size_t edges = (size_t)v->g->edges;
    tgs_i_place_graph *g = &x->node;
    tgs_i_pair *pair = tgs_mem_alloc(edges, sizeof *pair);
    int32_t uses = 0;

    g->item_from = tgs_mem_alloc(edges, sizeof *g->item_from);
    g->item_at = tgs_mem_alloc(edges + 1, sizeof *g->item_at);
    g->item_to = tgs_mem_alloc(edges, sizeof *g->item_to);
    g->item_cost = tgs_mem_alloc(edges * (size_t)g->groups, sizeof *g->item_cost);
    if (!pair || !g->item_from || !g->item_at || !g->item_to || !g->item_cost) {
        tgs_mem_free(pair);
        return TGS_ENOMEM;
    }
    for (int32_t u = 0; u < v->n; u++) {
        const int32_t count = outputs(v, u, pair);

        for (int32_t i = 0; i < count; i++) {
            if (i == 0 || pair[i].from != pair[i - 1].from)
                add_output(x, k, u, pair[i].from);
            g->item_to[uses++] = pair[i].to;
            g->item_at[g->items] = uses;
        }
    }
    tgs_mem_free(pair);
    return tgs_i_place_index(g);
}

static tgs_status take_order(tgs_i_place *x, const tgs_view *v)
{
    tgs_i_pair *pair = tgs_mem_alloc((size_t)v->g->edges, sizeof *pair);
    tgs_status status = pair ? TGS_OK : TGS_ENOMEM;
    int32_t count = 0;

    for (int32_t u = 0; u < v->n && !status; u++)
        for (int32_t k = v->g->succ_at[u]; k < v->g->succ_at[u + 1]; k++)
            pair[count++] = (tgs_i_pair){u, v->g->succ[k]};
    if (!status)
        status = tgs_i_place_order(&x->node, pair, tgs_i_pairs_unique(pair, count));
    tgs_mem_free(pair);
    return status;
}

/* ---- opening ----------------------------------------------------------------------------------
 */
tgs_status tgs_i_place_open(tgs_i_place *x, const tgs_view *v, tgs_i_place_what what,
                            const char *host, tgs_error *err)
{
    tgs_error why = {TGS_OK, ""};
    tgs_status status;
    look k;

    *x = (tgs_i_place){.colors = 0};
    status = look_open(&k, v, host);
    if (!status)
        status = take_devices(&x->d, &k, &why);
    if (!status)
        status = take_nodes(x, v);
    if (!status)
        status = take_colors(x, v);
    if (!status)
        status = take_items(x, &k);
    if (!status)
        status = take_order(x, v);
    if (!status) {
        check_halves(x, v, what == TGS_I_PLACE_BLOCKS);
        status = tgs_i_place_classes(x, what == TGS_I_PLACE_CLASSES);
    }
    look_close(&k);
    if (status)
        tgs_i_place_close(x);
    return status ? tgs_fail(err, status, "%s", *why.text ? why.text : "out of memory") : TGS_OK;
}

void tgs_i_place_close(tgs_i_place *x)
{
    tgs_mem_free((void *)x->d.count);
    tgs_mem_free((void *)x->d.host);
    tgs_mem_free((void *)x->d.memory);
    tgs_mem_free((void *)x->d.first);
    tgs_mem_free((void *)x->d.group);
    tgs_mem_free((void *)x->d.proc);
    tgs_i_place_graph_free(&x->node);
    tgs_i_place_graph_free(&x->class_);
    tgs_mem_free(x->backward);
    tgs_mem_free(x->color);
    tgs_mem_free(x->class_of);
    *x = (tgs_i_place){.colors = 0};
}
