/* mem-cut.c -- where to cut a chain of layers between a small device and a server.
 *
 * After J. Tian et al., "SmartSplit", IEEE TPDS, 2024 (10.1109/TPDS.2024.3480115): the front layers
 * stay on the device with the data, within its memory; the rest runs on the server.  For a cut
 * after layer c >= 1
 *
 *     bytes(c)   = sum of bytes and saved, layers <= c         (at most the budget)
 *     latency(c) = sum device(<= c) + transfer(c) + sum server(> c)
 *
 * A layer's saved activations may be dropped and computed again, for its recompute seconds.  Which
 * ones is exact: the states (bytes freed, seconds) that nothing dominates, layer by layer.
 * Without recompute= nothing can be dropped.  O(layers (layers + states)).
 *
 *   device NAME memory=BYTES [server=SPEEDUP]
 *   layer NAME bytes=B device=SECONDS [server=SECONDS] [transfer=SECONDS] [saved=BYTES]
 *         [recompute=SECONDS] */
#include <string.h>
#include "tgsched/planner.h"
#include "../instance.h"

enum { DEVICE, LAYER };
enum { BYTES, TIME, SERVER, TRANSFER, SAVED, RECOMPUTE };
static const tgs_i_column device[] = {
    {"memory", TGS_I_REAL, false, 0, 1e18, NAN, 0},
    {"server", TGS_I_REAL, false, 1e-9, 1e9, 1, 0},
    {.key = NULL},
};
static const tgs_i_column layer[] = {
    {"bytes", TGS_I_REAL, false, 0, 1e18, NAN, 0},
    {"device", TGS_I_REAL, false, 0, 1e12, NAN, 0},
    {"server", TGS_I_REAL, false, 0, 1e12, 0, 0},
    {"transfer", TGS_I_REAL, false, 0, 1e12, 0, 0},
    {"saved", TGS_I_REAL, false, 0, 1e18, 0, 0},
    {"recompute", TGS_I_REAL, false, 0, INFINITY, INFINITY, 0},
    {.key = NULL},
};
static const tgs_i_table tables[] = {
    {"device", 1, 1, device}, {"layer", 1, 1000, layer}, {.record = NULL}};

typedef struct state { /* of the layers so far: bytes freed for seconds more */
    double freed, seconds;
    int32_t before, layer; /* the state it came from, and the layer dropped in it; -1 none */
} state;

typedef struct cutting {
    tgs_i_instance *file;
    int32_t layers;
    double budget, speedup;
    state *all; /* every state that was made */
    int64_t states, room;
    int32_t *front, *next; /* those of the layers so far that nothing dominates, by freed */
    int64_t front_room, next_room;
    int32_t fronts;
} cutting;
#define MOST_STATES 1000000 /* on a front */

static double of(const cutting *x, int32_t l, int32_t column)
{
    return tgs_i_real(x->file, LAYER, l, column);
}

static double server(const cutting *x, int32_t l)
{
    return tgs_i_given(x->file, LAYER, l, SERVER) ? of(x, l, SERVER) : of(x, l, TIME) / x->speedup;
}

static tgs_status no_memory(tgs_error *err)
{
    return tgs_fail(err, TGS_ENOMEM, "out of memory for what may be recomputed");
}

/* the front after one more layer: each state without and with dropping it, merged by freed */
static tgs_status drop_or_keep(cutting *x, int32_t l, tgs_error *err)
{
    const double freed = of(x, l, SAVED), seconds = of(x, l, RECOMPUTE);
    int32_t count = 0, *other = x->front, keep = x->fronts - 1, drop = x->fronts - 1;
    const int64_t other_room = x->front_room;
    double least = INFINITY;

    if (!(seconds < INFINITY) || freed == 0)
        return TGS_OK;
    if (x->fronts > MOST_STATES)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "more than %d ways to recompute", MOST_STATES);
    if (tgs_mem_grow(&x->next, &x->next_room, 2 * (int64_t)x->fronts, sizeof *x->next)
        || tgs_mem_grow(&x->all, &x->room, x->states + x->fronts, sizeof *x->all))
        return no_memory(err);
    while (keep >= 0 || drop >= 0) { /* from most freed to least: what costs less than all before */
        const state *k = keep >= 0 ? &x->all[x->front[keep]] : NULL;
        const state *d = drop >= 0 ? &x->all[x->front[drop]] : NULL;
        const double a = k ? k->freed : -1, b = d ? d->freed + freed : -1;
        const bool take = b > a || (b == a && d->seconds + seconds < k->seconds);
        const double cost = take ? d->seconds + seconds : k->seconds;
        const int32_t from = x->front[take ? drop-- : keep--];

        if (!(cost < least))
            continue;
        least = cost;
        x->next[count++] = take ? (int32_t)x->states : from;
        if (take)
            x->all[x->states++] = (state){b, cost, from, l};
    }
    for (int32_t i = 0; i < count / 2; i++) {
        const int32_t s = x->next[i];

        x->next[i] = x->next[count - 1 - i];
        x->next[count - 1 - i] = s;
    }
    x->front = x->next;
    x->next = other;
    x->front_room = x->next_room;
    x->next_room = other_room;
    x->fronts = count;
    return TGS_OK;
}

/* the cheapest state that frees enough; -1 none */
static int32_t cheapest(const cutting *x, double missing)
{
    for (int32_t i = 0; i < x->fronts; i++)
        if (x->all[x->front[i]].freed >= missing)
            return x->front[i];
    return -1;
}

static tgs_status tell(const cutting *x, int32_t cut, int32_t chosen, double latency, double bytes,
                       tgs_proposal *out)
{
    bool *dropped = tgs_mem_alloc((size_t)x->layers, sizeof *dropped);
    tgs_status status = dropped ? TGS_OK : TGS_ENOMEM;

    for (int32_t s = chosen; s >= 0 && !status; s = x->all[s].before)
        if (x->all[s].layer >= 0)
            dropped[x->all[s].layer] = true;
    for (int32_t l = 0; l < x->layers && !status; l++)
        status = tgs_proposal_row(out, tgs_i_row_name(x->file, LAYER, l),
                                  l > cut      ? "server"
                                  : dropped[l] ? "device, recomputed"
                                               : "device",
                                  l > cut ? server(x, l) : of(x, l, TIME),
                                  of(x, l, BYTES) + (l > cut || !dropped[l] ? of(x, l, SAVED) : 0));
    tgs_mem_free(dropped);
    if (!status)
        status = tgs_proposal_figure(out, "cut_layers", cut + 1);
    if (!status)
        status = tgs_proposal_figure(out, "step_s", latency);
    return status ? status : tgs_proposal_figure(out, "device_bytes", bytes);
}

static tgs_status cut(cutting *x, tgs_proposal *out, tgs_error *err)
{
    double bytes = 0, before = 0, after = 0, best = INFINITY, best_bytes = 0, least = INFINITY;
    int32_t best_cut = -1, best_state = -1;
    tgs_status status = TGS_OK;

    for (int32_t l = 0; l < x->layers; l++)
        after += server(x, l);
    for (int32_t l = 0; l < x->layers && !status; l++) {
        double missing, latency;
        int32_t s;

        bytes += of(x, l, BYTES) + of(x, l, SAVED);
        before += of(x, l, TIME);
        after -= server(x, l);
        status = drop_or_keep(x, l, err);
        missing = bytes - x->budget;
        least = fmin(least, missing - x->all[x->front[x->fronts - 1]].freed);
        s = status ? -1 : cheapest(x, missing);
        if (s < 0)
            continue;
        latency = before + of(x, l, TRANSFER) + after + x->all[s].seconds;
        if (latency < best) {
            best = latency;
            best_cut = l;
            best_state = s;
            best_bytes = bytes - x->all[s].freed;
        }
    }
    if (!status && best_cut < 0)
        status = tgs_fail(err, TGS_EINFEASIBLE,
                          "no cut fits the device: %.17g bytes are missing; memory=%.17g is enough "
                          "for the smallest",
                          least, x->budget + least);
    return status ? status : tell(x, best_cut, best_state, best, best_bytes, out);
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    cutting x = {.fronts = 1, .states = 1};
    tgs_status status = tgs_i_instance_read(&x.file, c->source, tables, err);

    if (status)
        return status;
    x.layers = tgs_i_rows(x.file, LAYER);
    x.speedup = tgs_i_real(x.file, DEVICE, 0, 1);
    x.budget = tgs_arg_given(c->args, "memory") ? tgs_arg_real(c->args, "memory")
                                                : tgs_i_real(x.file, DEVICE, 0, 0);
    if (tgs_mem_grow(&x.all, &x.room, 1, sizeof *x.all)
        || tgs_mem_grow(&x.front, &x.front_room, 1, sizeof *x.front))
        status = no_memory(err);
    if (!status) {
        x.all[0] = (state){0, 0, -1, -1};
        x.front[0] = 0;
        status = cut(&x, out, err);
    }
    tgs_mem_free(x.all);
    tgs_mem_free(x.front);
    tgs_mem_free(x.next);
    tgs_i_instance_free(x.file);
    return status;
}

static const tgs_param params[] = {
    {"memory", "0", TGS_PARAM_REAL, 0, 1e18, "bytes of the device, in place of the file's"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_planner tgs_planner_mem_cut = {
    .base = {TGS_PLUGIN_ABI, "mem-cut", "where to cut layers between a small device and a server",
             "after Tian et al., SmartSplit, IEEE TPDS, 2024", params},
    .needs = TGS_PLANS_FILE,
    .systems = "S12",
    .plan = plan,
};
