/* latencyplan.c -- the best of several placements, for latency. */
#include <string.h>
#include "latencyplan.h"

typedef struct choosing {
    tgs_i_placing p; /* of blocks */
    const tgs_planner_ctx *c;
    double best;
    const char *from;
    int32_t *now, *device; /* [node.n] a placement, the best one */
    int32_t *order;        /* [3 * node.n] */
} choosing;

/* device [x->class_.n] */
static tgs_status consider(choosing *l, const tgs_i_place *x, const int32_t *device,
                           const char *from)
{
    double latency;
    tgs_status status;

    for (int32_t v = 0; v < x->node.n; v++)
        l->now[v] = device[x->class_of[v]];
    status = tgs_i_place_latency(&x->node, &x->d, l->now, &latency);
    if (!status && latency < l->best) {
        l->best = latency;
        l->from = from;
        memcpy(l->device, l->now, (size_t)x->node.n * sizeof *l->device);
    }
    return status;
}

static tgs_status try_orders(choosing *l, const tgs_planner_ctx *c, tgs_i_latency_rule *rule)
{
    const tgs_i_place *x = &l->p.x;
    const int32_t orders = (int32_t)tgs_arg_int(c->args, "orders");
    tgs_status status = TGS_OK;

    for (int32_t k = 0; k < orders && !status && !l->p.a.stopped; k++) {
        bool there;

        tgs_i_place_depth_first(&x->class_, k, l->order, l->order + x->class_.n);
        status = rule(x, l->order, l->p.a.device, &there);
        if (!status && there)
            status = consider(l, x, l->p.a.device, "pieces of a topological order");
        l->p.a.stopped = c->stop && c->stop(c->user);
    }
    return status;
}

/* everything on a processor of the host */
static tgs_status try_host(choosing *l)
{
    const tgs_i_place *x = &l->p.x;

    for (int32_t k = 0; k < x->d.devices; k++) {
        bool good = x->d.host[x->d.group[k]];

        for (int32_t i = 0; i < x->class_.n && good; i++) {
            good = !isinf(x->class_.time[(int64_t)i * x->d.groups + x->d.group[k]]);
            l->p.a.device[i] = k;
        }
        if (good)
            return consider(l, x, l->p.a.device, "the host alone");
    }
    return TGS_OK;
}

/* the contiguous split with the smallest largest load, as DPL finds it */
static tgs_status try_loads(choosing *l, const tgs_planner_ctx *c)
{
    tgs_i_placing p;
    tgs_status status = tgs_i_placing_open(&p, c, TGS_I_PLACE_CLASSES, NULL);

    if (status)
        return status;
    status = tgs_i_place_dpl(&p.x.class_, &p.x.d, (int32_t)tgs_arg_int(c->args, "orders"), &p.a,
                             c->stop, c->user);
    if (status == TGS_ENOTAPPLICABLE)
        status = TGS_OK; /* too many ways to use the devices: there is no such split */
    else if (!status && !isinf(p.a.value))
        status = consider(l, &p.x, p.a.device, "the split with the smallest largest load");
    tgs_i_placing_close(&p);
    return status;
}

static tgs_status choose(choosing *l, const tgs_planner_ctx *c, tgs_i_latency_rule *rule,
                         bool beside)
{
    const size_t n = (size_t)l->p.x.node.n;
    tgs_status status = TGS_OK;

    l->now = tgs_mem_alloc(n, sizeof *l->now);
    l->device = tgs_mem_alloc(n, sizeof *l->device);
    l->order = tgs_mem_alloc(3 * n, sizeof *l->order);
    if (!l->now || !l->device || !l->order)
        return TGS_ENOMEM;
    if (n)
        status = try_orders(l, c, rule);
    if (n && !status && beside)
        status = try_loads(l, c);
    if (n && !status && beside)
        status = try_host(l);
    return status;
}

/* Do devices that are filled in turn hold an order?  Then every rule finds a way. */
static tgs_status fits(void *user, const tgs_i_place_devices *d, bool *good)
{
    choosing *l = user;
    const tgs_i_place_graph *g = &l->p.x.class_;
    const int32_t orders = (int32_t)tgs_arg_int(l->c->args, "orders");

    *good = false;
    for (int32_t k = 0; k < orders && !*good; k++) {
        tgs_i_place_depth_first(g, k, l->order, l->order + g->n);
        *good = !tgs_i_place_fill(g, d, l->order, l->p.a.device);
    }
    return TGS_OK;
}

tgs_status tgs_i_latency_plan(const tgs_planner_ctx *c, tgs_i_latency_rule *rule, bool beside,
                              tgs_proposal *out, tgs_error *err)
{
    choosing l = {.c = c, .best = INFINITY, .from = ""};
    tgs_status status = tgs_i_placing_open(&l.p, c, TGS_I_PLACE_BLOCKS, err);

    if (status)
        return status;
    status = choose(&l, c, rule, beside);
    if (status)
        tgs_fail(err, status, status == TGS_ENOMEM ? "out of memory" : "too many kinds of devices");
    else if (l.p.x.node.n && isinf(l.best))
        status = tgs_i_placing_refuse(&l.p, fits, &l, err);
    if (!status && *l.from)
        status = tgs_proposal_note(out, "the best placement is from %s", l.from);
    if (!status)
        status = tgs_i_placing_tell(&l.p, c, l.device, out, err);
    tgs_mem_free(l.now);
    tgs_mem_free(l.device);
    tgs_mem_free(l.order);
    tgs_i_placing_close(&l.p);
    return status;
}
