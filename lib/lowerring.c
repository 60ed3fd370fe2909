/* lowerring.c -- the sum of a gradient over replicas as a ring: each replica passes a chunk on to
 * the next one, which adds its own (reduce-scatter); then the sums go round once more (all-gather).
 *
 * P. Patarasuk, X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations",
 * JPDC 69(2), 2009.  With N replicas and D bytes each sends and receives 2 (N - 1) / N D. */
#include "modelimpl.h"

typedef struct ring {
    tgs_lowering *l;
    const int32_t *copy; /* [n] the gradient as each replica has it */
    const char *name;    /* of it */
    int32_t n, stage, chunks;
    int64_t elements;
    int32_t *at; /* [chunks * n] a chunk in a replica: its own, then the sum */
} ring;

static int64_t size_of(const ring *g, int32_t chunk)
{
    return g->elements / g->chunks + (chunk < g->elements % g->chunks);
}

/* [elements] in a replica; or a status */
static int32_t vector(const ring *g, int32_t replica, int64_t elements, const char *name)
{
    tgs_low_datum d = g->l->datum[g->copy[replica]];

    d.name = name;
    d.rank = 1;
    d.dim = tgs_low_dims(g->l, 1, &elements);
    d.reduced = false;
    d.copied = 0;
    return tgs_low_add_datum(g->l, &d);
}

static tgs_status begin(const ring *g, int32_t replica, const char *name, const char *codelet,
                        const char *attrs, double flops)
{
    const tgs_low_task t = {.name = name,
                            .codelet = codelet,
                            .attrs = attrs,
                            .flops = flops,
                            .phase = TGS_PHASE_COMMUNICATION,
                            .replica = replica,
                            .batch = -1,
                            .op = -1,
                            .stage = g->stage,
                            .joins = true};

    return tgs_low_add_task(g->l, &t) < 0 ? TGS_ENOMEM : TGS_OK;
}

/* a task that makes `to` of x, and of y unless it is -1 */
static tgs_status make(const ring *g, int32_t replica, const char *codelet, const char *attrs,
                       int32_t x, int32_t y, int32_t to)
{
    tgs_status status;

    if (to < 0)
        return (tgs_status)to;
    status = begin(g, replica, g->l->datum[to].name, codelet, attrs,
                   y < 0 ? 0 : tgs_i_low_elements(&g->l->datum[to]));
    if (!status)
        status = tgs_low_add_access(g->l, x, TGS_R);
    if (!status && y >= 0)
        status = tgs_low_add_access(g->l, y, TGS_R);
    return status ? status : tgs_low_add_access(g->l, to, TGS_W);
}

/* the gradient of a replica as chunks */
static tgs_status cut(const ring *g, int32_t replica)
{
    tgs_lowering *l = g->l;
    int32_t flat = g->copy[replica];
    int64_t offset = 0;
    tgs_status status = TGS_OK;

    if (l->datum[flat].rank != 1) {
        flat = vector(g, replica, g->elements, tgs_low_text(l, "%s.flat", g->name));
        status = make(g, replica, "reshape", "", g->copy[replica], -1, flat);
    }
    for (int32_t c = 0; c < g->chunks && !status; c++) {
        int32_t *to = &g->at[c * g->n + replica];

        *to = vector(g, replica, size_of(g, c), tgs_low_text(l, "%s.chunk%d", g->name, (int)c));
        status = make(g, replica, "concat_bwd",
                      tgs_low_text(l, "axis=0 offset=%lld", (long long)offset), flat, -1, *to);
        offset += size_of(g, c);
    }
    return status;
}

/* chunk c from replica c on all around, and its sum once more */
static tgs_status pass(const ring *g, int32_t c)
{
    tgs_lowering *l = g->l;
    int32_t now = g->at[c * g->n + c];
    tgs_status status = TGS_OK;

    for (int32_t s = 1; s < 2 * g->n - 1 && !status; s++) {
        const int32_t replica = (c + s) % g->n, own = g->at[c * g->n + replica];
        const bool sum = s < g->n;
        const char *name = s == g->n - 1 ? tgs_low_text(l, "%s.chunk%d.sum", g->name, (int)c)
                                         : tgs_low_text(l, "%s.chunk%d.%s", g->name, (int)c,
                                                        sum ? "scatter" : "gather");
        const int32_t to = vector(g, replica, size_of(g, c), name);

        status = make(g, replica, sum ? "sum" : "identity", "", now, sum ? own : -1, to);
        now = to;
        if (s >= g->n - 1)
            g->at[c * g->n + replica] = to;
    }
    return status;
}

/* the chunks of a replica put together: a datum like the gradient, or a status */
static int32_t join(const ring *g, int32_t replica)
{
    tgs_lowering *l = g->l;
    tgs_low_datum d = l->datum[g->copy[replica]];
    const char *name = tgs_low_text(l, "%s.sum", g->name);
    int32_t flat, sum;
    tgs_status status;

    d.name = name;
    d.reduced = false;
    d.copied = 0;
    sum = tgs_low_add_datum(l, &d);
    if (sum < 0)
        return sum;
    flat = d.rank == 1 ? sum
                       : vector(g, replica, g->elements, tgs_low_text(l, "%s.sum.flat", g->name));
    if (flat < 0)
        return flat;
    status = begin(g, replica, l->datum[flat].name, "concat", "axis=0", 0);
    for (int32_t c = 0; c < g->chunks && !status; c++)
        status = tgs_low_add_access(l, g->at[c * g->n + replica], TGS_R);
    if (!status)
        status = tgs_low_add_access(l, flat, TGS_W);
    if (!status && flat != sum)
        status = make(g, replica, "reshape", "", flat, -1, sum);
    return status ? (int32_t)status : sum;
}

tgs_status tgs_i_low_ring(tgs_lowering *l, const tgs_i_sum *x)
{
    const int32_t n = x->n;
    ring g = {
        .l = l, .copy = x->copy, .name = l->datum[x->copy[0]].name, .n = n, .stage = x->stage};
    tgs_status status = TGS_OK;

    g.elements = (int64_t)tgs_i_low_elements(&l->datum[x->copy[0]]);
    g.chunks = g.elements < n ? (int32_t)g.elements : n;
    g.at = tgs_mem_alloc((size_t)g.chunks * (size_t)n, sizeof *g.at);
    if (!g.at)
        return TGS_ENOMEM;
    for (int32_t r = 0; r < n && !status; r++)
        status = cut(&g, r);
    for (int32_t c = 0; c < g.chunks && !status; c++)
        status = pass(&g, c);
    for (int32_t r = 0; r < n && !status; r++) {
        x->sum[r] = join(&g, r);
        status = x->sum[r] < 0 ? (tgs_status)x->sum[r] : TGS_OK;
    }
    tgs_mem_free(g.at);
    return status;
}
