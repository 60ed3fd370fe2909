/* profile.c -- layers of a profile as operators.  O(layers + edges), but for a layer that passes on
 * many different sizes. */
#include <string.h>
#include "profile.h"

void tgs_i_profile_open(tgs_i_profile *p, tgs_model_builder *b)
{
    memset(p, 0, sizeof *p);
    p->b = b;
}

void tgs_i_profile_close(tgs_i_profile *p)
{
    for (int64_t i = 0; i < p->layers; i++)
        tgs_mem_free((char *)(uintptr_t)p->layer[i].name);
    tgs_mem_free(p->layer);
    tgs_mem_free(p->from);
    tgs_mem_free(p->to);
    tgs_mem_free(p->bytes);
    memset(p, 0, sizeof *p);
}

int32_t tgs_i_profile_layer(tgs_i_profile *p, const tgs_i_layer *l)
{
    tgs_i_layer own = *l;

    if (p->layers == INT32_MAX / 4
        || tgs_mem_grow(&p->layer, &p->layer_room, p->layers + 1, sizeof own)
        || !(own.name = tgs_mem_text(l->name)))
        return TGS_ENOMEM;
    p->layer[p->layers] = own;
    return (int32_t)p->layers++;
}

tgs_status tgs_i_profile_edge(tgs_i_profile *p, int32_t from, int32_t to, double bytes)
{
    const int64_t n = p->edges;

    if (n == INT32_MAX / 4 || tgs_mem_grow(&p->from, &p->from_room, n + 1, sizeof *p->from)
        || tgs_mem_grow(&p->to, &p->to_room, n + 1, sizeof *p->to)
        || tgs_mem_grow(&p->bytes, &p->bytes_room, n + 1, sizeof *p->bytes))
        return TGS_ENOMEM;
    p->from[n] = from;
    p->to[n] = to;
    p->bytes[n] = isnan(bytes) ? p->layer[from].activation : bytes;
    p->edges++;
    return TGS_OK;
}

typedef struct sorted {    /* the edges by one of their ends, in the order given */
    int32_t *start, *edge; /* [layers + 1], [edges] */
} sorted;

static tgs_status sort(sorted *s, const tgs_i_profile *p, const int32_t *end)
{
    s->start = tgs_mem_alloc((size_t)p->layers + 2, sizeof *s->start);
    s->edge = tgs_mem_alloc((size_t)p->edges, sizeof *s->edge);
    if (!s->start || !s->edge)
        return TGS_ENOMEM;
    for (int64_t i = 0; i < p->edges; i++)
        s->start[end[i] + 2]++;
    for (int64_t i = 2; i <= p->layers; i++)
        s->start[i] += s->start[i - 1];
    for (int64_t i = 0; i < p->edges; i++)
        s->edge[s->start[end[i] + 1]++] = (int32_t)i;
    return TGS_OK;
}

static void sorted_free(sorted *s)
{
    tgs_mem_free(s->start);
    tgs_mem_free(s->edge);
}

typedef struct making {
    tgs_i_profile *p;
    sorted in, out;
    int32_t *tensor;      /* [edges] that it carries */
    int32_t *seen;        /* [layers] the last that read from this one */
    int32_t *list;        /* operands of one operator */
    int32_t *last, lasts; /* tensors that nobody reads */
} making;

static int32_t sized(tgs_i_profile *p, const char *name, double bytes)
{
    const int32_t t = tgs_model_tensor(p->b, name);
    const int64_t dim = bytes < 0x1p50 ? (int64_t)bytes : INT64_MAX / 2; /* which is refused */

    tgs_model_shape(p->b, t, TGS_BYTES, 1, &dim);
    return t;
}

/* a tensor for each size that a layer passes on; returns how many, in list */
static int32_t make_outputs(making *m, int32_t layer)
{
    const tgs_i_layer *l = &m->p->layer[layer];
    const int32_t first = m->out.start[layer], end = m->out.start[layer + 1];
    char name[300];
    int32_t count = 0;

    for (int32_t i = first; i < end; i++) {
        int32_t k = first;

        while (m->p->bytes[m->out.edge[k]] != m->p->bytes[m->out.edge[i]])
            k++;
        if (k == i) {
            snprintf(name, sizeof name, count ? "%.250s.out%d" : "%.250s", l->name, (int)count);
            m->list[count++] = sized(m->p, name, m->p->bytes[m->out.edge[i]]);
            m->tensor[m->out.edge[i]] = m->list[count - 1];
        } else
            m->tensor[m->out.edge[i]] = m->tensor[m->out.edge[k]];
    }
    if (!count) {
        m->list[count++] = sized(m->p, l->name, l->activation);
        m->last[m->lasts++] = m->list[0];
    }
    return count;
}

/* what a layer reads, after its outputs in list; returns how many */
static int32_t find_inputs(making *m, int32_t layer, int32_t *list)
{
    const tgs_i_layer *l = &m->p->layer[layer];
    char name[300];
    int32_t count = 0;

    for (int32_t i = m->in.start[layer]; i < m->in.start[layer + 1]; i++) {
        const int32_t e = m->in.edge[i];

        if (m->seen[m->p->from[e]] == layer + 1)
            continue;
        m->seen[m->p->from[e]] = layer + 1;
        list[count++] = m->tensor[e];
    }
    if (l->parameter > 0) {
        snprintf(name, sizeof name, "%.250s.weight", l->name);
        list[count] = sized(m->p, name, l->parameter);
        tgs_model_stored(m->p->b, list[count++], "zero");
    }
    return count;
}

static void make_all(making *m)
{
    tgs_i_profile *p = m->p;

    for (int32_t i = 0; i < p->layers; i++) /* names first: edges may run backwards in the file */
        make_outputs(m, i);
    m->lasts = 0;
    for (int32_t i = 0; i < p->layers; i++) {
        const int32_t outputs = make_outputs(m, i);
        const int32_t inputs = find_inputs(m, i, m->list + outputs);
        const int32_t op = tgs_model_operator(p->b, p->layer[i].name, "tgsched.Layer", NULL, inputs,
                                              m->list + outputs, outputs, m->list);

        tgs_model_time(p->b, op, NULL, p->layer[i].forward, p->layer[i].backward);
    }
    if (m->lasts > 1) {
        const int32_t end = sized(p, "profile.end", 4);

        tgs_model_time(p->b,
                       tgs_model_operator(p->b, "profile.end", "tgsched.Layer", NULL, m->lasts,
                                          m->last, 1, &end),
                       NULL, 0, 0);
        tgs_model_output(p->b, end);
    } else if (m->lasts)
        tgs_model_output(p->b, m->last[0]);
    else
        tgs_model_failed(p->b, TGS_ECYCLE, "each layer is read by another: there is a cycle");
}

tgs_status tgs_i_profile_finish(tgs_i_profile *p)
{
    making m = {.p = p};
    tgs_status status = TGS_OK;

    if (!p->layers)
        return tgs_model_failed(p->b, TGS_EPARSE, "the profile has no layers");
    if (sort(&m.in, p, p->to) || sort(&m.out, p, p->from))
        status = TGS_ENOMEM;
    m.tensor = tgs_mem_alloc((size_t)p->edges, sizeof *m.tensor);
    m.seen = tgs_mem_alloc((size_t)p->layers, sizeof *m.seen);
    m.list = tgs_mem_alloc((size_t)(2 * p->edges + 4), sizeof *m.list);
    m.last = tgs_mem_alloc((size_t)p->layers, sizeof *m.last);
    if (!m.tensor || !m.seen || !m.list || !m.last)
        status = TGS_ENOMEM;
    if (!status)
        make_all(&m);
    sorted_free(&m.in);
    sorted_free(&m.out);
    tgs_mem_free(m.tensor);
    tgs_mem_free(m.seen);
    tgs_mem_free(m.list);
    tgs_mem_free(m.last);
    return status ? tgs_model_failed(p->b, TGS_ENOMEM, "out of memory") : TGS_OK;
}
