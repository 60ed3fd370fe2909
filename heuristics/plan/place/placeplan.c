/* placeplan.c -- from the context of a planner to an instance of device placement, and from an
 * answer to what the user is told. */
#include <string.h>
#include "placeplan.h"

enum { CUTS = 500, BISECTIONS = 20 };

static tgs_status no_memory(tgs_error *err)
{
    return tgs_fail(err, TGS_ENOMEM, "out of memory");
}

tgs_status tgs_i_placing_open(tgs_i_placing *p, const tgs_planner_ctx *c, tgs_i_place_what what,
                              tgs_error *err)
{
    tgs_status status;

    *p = (tgs_i_placing){.a = {.value = INFINITY}, .bound = NAN};
    status = tgs_i_place_open(&p->x, c->v, what, tgs_arg_text(c->args, "host"), err);
    if (status)
        return status;
    p->a.device = tgs_mem_alloc((size_t)p->x.class_.n, sizeof *p->a.device);
    if (p->a.device)
        return TGS_OK;
    tgs_i_placing_close(p);
    return no_memory(err);
}

void tgs_i_placing_close(tgs_i_placing *p)
{
    tgs_mem_free(p->a.device);
    tgs_i_place_close(&p->x);
}

/* ---- what is missing ---------------------------------------------------------------------------
 */
/* the devices with memories so many times as large */
static tgs_status fit_times(const tgs_i_placing *p, tgs_i_placing_fits *fits, void *user,
                            double share, double *memory, bool *good)
{
    tgs_i_place_devices d = p->x.d;

    for (int32_t q = 0; q < d.groups; q++)
        memory[q] = d.memory[q] * share;
    d.memory = memory;
    return fits(user, &d, good);
}

/* the least such share, to 2^-20 of itself; INFINITY: not even a million million times */
static tgs_status room_needed(const tgs_i_placing *p, tgs_i_placing_fits *fits, void *user,
                              double *share)
{
    double *memory = tgs_mem_alloc((size_t)p->x.d.groups, sizeof *memory), low = 1;
    tgs_status status = memory ? TGS_OK : TGS_ENOMEM;
    bool good = false;

    *share = 1;
    while (!status && !good && *share < 1e12) {
        low = *share;
        *share *= 2;
        status = fit_times(p, fits, user, *share, memory, &good);
    }
    if (!good)
        *share = INFINITY;
    for (int32_t k = 0; k < BISECTIONS && !status && !isinf(*share); k++) {
        const double middle = (low + *share) / 2;

        status = fit_times(p, fits, user, middle, memory, &good);
        *(good ? share : &low) = middle;
    }
    tgs_mem_free(memory);
    return status;
}

tgs_status tgs_i_placing_refuse(const tgs_i_placing *p, tgs_i_placing_fits *fits, void *user,
                                tgs_error *err)
{
    double share, least = INFINITY;
    tgs_status status;

    for (int32_t i = 0; i < p->x.class_.n; i++) {
        double quickest = INFINITY;

        for (int32_t q = 0; q < p->x.d.groups; q++)
            quickest = fmin(quickest, p->x.class_.time[(int64_t)i * p->x.d.groups + q]);
        if (isinf(quickest))
            return tgs_fail(err, TGS_EINFEASIBLE,
                            "no device can compute all tasks that must be together");
    }
    for (int32_t q = 0; q < p->x.d.groups; q++)
        least = fmin(least, p->x.d.memory[q]);
    status = room_needed(p, fits, user, &share);
    if (status)
        return no_memory(err);
    if (isinf(share))
        return tgs_fail(err, TGS_EINFEASIBLE, "no placement fits, however large the memories");
    return tgs_fail(err, TGS_EINFEASIBLE,
                    "no placement fits in memory: %.0f bytes are missing per device; the nearest "
                    "that fits has %.0f bytes",
                    ceil(least * (share - 1)), ceil(least * share));
}

/* ---- DPL ---------------------------------------------------------------------------------------
 */
typedef struct chains { /* what DPL needs */
    tgs_i_placing *p;
    const tgs_planner_ctx *c;
} chains;

static tgs_status dpl(void *user, const tgs_i_place_devices *d, bool *good)
{
    const chains *x = user;
    const tgs_status status =
        tgs_i_place_dpl(&x->p->x.class_, d, (int32_t)tgs_arg_int(x->c->args, "orders"), &x->p->a,
                        x->c->stop, x->c->user);

    *good = !isinf(x->p->a.value);
    return status;
}

/* whether it finds a placement there; the answer is forgotten */
static tgs_status dpl_fits(void *user, const tgs_i_place_devices *d, bool *good)
{
    const chains *x = user;
    tgs_status status;

    x->p->a.value = INFINITY;
    status = dpl(user, d, good);
    x->p->a.value = INFINITY;
    return status;
}

tgs_status tgs_i_placing_dpl(tgs_i_placing *p, const tgs_planner_ctx *c, tgs_error *err)
{
    chains x = {p, c};
    bool good;
    const tgs_status status = dpl(&x, &p->x.d, &good);

    if (status == TGS_ENOTAPPLICABLE)
        return tgs_fail(err, status, "%d groups of devices with %lld ways to use them: too many",
                        p->x.d.groups, (long long)tgs_i_place_states(&p->x.d));
    if (status)
        return no_memory(err);
    return good || !p->x.class_.n ? TGS_OK : tgs_i_placing_refuse(p, dpl_fits, &x, err);
}

tgs_status tgs_i_placing_bound(tgs_i_placing *p, tgs_error *err)
{
    if (tgs_i_place_bound(&p->x.class_, &p->x.d, &p->bound))
        return no_memory(err);
    p->bound *= 1 - 1e-12;
    return tgs_i_place_cut_bound(&p->x.class_, &p->x.d, CUTS, &p->bound) ? no_memory(err) : TGS_OK;
}

/* ---- what the user is told ---------------------------------------------------------------------
 */
static tgs_status put_rows(const tgs_i_placing *p, const tgs_planner_ctx *c, const int32_t *device,
                           const double *load, const double *held, tgs_proposal *out)
{
    const tgs_i_place_devices *d = &p->x.d;
    tgs_status status = TGS_OK;

    for (int32_t k = 0; k < d->devices && !status; k++) {
        char text[40];
        int32_t nodes = 0;

        for (int32_t v = 0; v < p->x.node.n; v++)
            nodes += device[v] == k;
        snprintf(text, sizeof text, "%d tasks", (int)nodes);
        status = tgs_proposal_row(out, c->v->p->proc[d->proc[k]].name, text, load[k], held[k]);
    }
    return status;
}

static tgs_status put_places(const tgs_i_placing *p, const tgs_planner_ctx *c,
                             const int32_t *device, tgs_proposal *out)
{
    const tgs_i_place_graph *g = &p->x.node;
    tgs_status status = TGS_OK;

    for (int32_t v = 0; v < g->n && !status; v++) {
        const int32_t proc = p->x.d.proc[device[v]];
        const bool named = c->v->g->task[v].name != 0;
        char text[TGS_NAME_ROOM];

        snprintf(text, sizeof text, "@%d", (int)v);
        status = tgs_proposal_place(out, v, proc);
        if (!status)
            status = tgs_proposal_row(out, named ? tgs_task_name(c->v->g, v, text) : text,
                                      c->v->p->proc[proc].name, tgs_w(c->v, v, proc), g->size[v]);
    }
    return status;
}

static tgs_status put_figures(const tgs_i_placing *p, double largest, double latency,
                              double makespan, tgs_proposal *out)
{
    tgs_status status = tgs_proposal_figure(out, "load_s", largest);

    if (!status && !isnan(p->bound))
        status = tgs_proposal_figure(out, "load_bound_s", p->bound);
    if (!status && p->bound > 0)
        status = tgs_proposal_figure(out, "load_gap", largest / p->bound - 1);
    if (!status && largest > 0)
        status = tgs_proposal_figure(out, "samples_per_s", 1 / largest);
    if (!status && !isinf(latency))
        status = tgs_proposal_figure(out, "latency_s", latency);
    if (!status)
        status = tgs_proposal_figure(out, "makespan_s", makespan);
    if (!status && isinf(latency))
        status = tgs_proposal_note(out, "no latency: pieces of the devices would wait for each "
                                        "other if each was done as a whole");
    return status;
}

tgs_status tgs_i_placing_tell(tgs_i_placing *p, const tgs_planner_ctx *c, const int32_t *node,
                              tgs_proposal *out, tgs_error *err)
{
    const size_t devices = (size_t)p->x.d.devices;
    int32_t *device = tgs_mem_alloc((size_t)p->x.node.n, sizeof *device);
    double *load = tgs_mem_alloc(2 * devices, sizeof *load), latency = INFINITY, makespan = 0;
    tgs_status status = device && load ? TGS_OK : TGS_ENOMEM;

    for (int32_t v = 0; v < p->x.node.n && !status; v++)
        device[v] = node ? node[v] : p->a.device[p->x.class_of[v]];
    if (!status)
        status = tgs_i_place_loads(&p->x.node, &p->x.d, device, load, load + devices);
    if (!status)
        status = tgs_i_place_latency(&p->x.node, &p->x.d, device, &latency);
    if (!status)
        status = put_rows(p, c, device, load, load + devices, out);
    if (!status)
        status = put_places(p, c, device, out);
    for (int32_t v = 0; v < p->x.node.n && !status; v++)
        device[v] = p->x.d.proc[device[v]];
    if (!status)
        status = tgs_i_place_makespan(c->v, device, &makespan);
    if (!status)
        status = put_figures(p, tgs_i_place_largest(load, p->x.d.devices), latency, makespan, out);
    if (!status && p->a.stopped)
        status = tgs_proposal_note(out, "stopped before the end: the best so far");
    tgs_mem_free(device);
    tgs_mem_free(load);
    return status ? no_memory(err) : TGS_OK;
}
