/* layer-devices.c -- a device for every layer of a model: layer-viterbi on the times of the kinds,
 * with what goes from layer to layer in both directions when the device changes (or, without
 * changes, layer-argmin).  The layers compute one after the other; the devices' runs of layers
 * become the stages of a pipeline through which one micro-batch passes. */
#include <string.h>
#include "../step.h"

typedef struct walk {
    const tgs_planner_ctx *c;
    const tgs_layers *l;
    tgs_i_devices d;
    tgs_i_chain chain;
    tgs_i_chain_sums sums;
    double *cost;  /* [layer * devices + device] the least up to the layer's end there */
    int32_t *from; /* ... the device before */
    int32_t *on;   /* [layers] */
} walk;

static double time_of(const walk *w, int32_t layer, int32_t device)
{
    const double *before = &w->sums.time[(int64_t)device * (w->l->n + 1) + layer];
    const tgs_proc *p = &w->c->p->proc[w->d.proc[device]];

    return before[1] - before[0] + w->l->update[(int64_t)layer * w->l->kinds + p->kind] / p->speed;
}

/* forward and back again */
static double change(const walk *w, int32_t layer, int32_t a, int32_t b)
{
    const int64_t there = (int64_t)a * w->d.n + b, back = (int64_t)b * w->d.n + a;

    return a == b ? 0
                  : w->d.lat[there] + w->d.lat[back]
                        + w->sums.cut[layer] * (w->d.inv[there] + w->d.inv[back]);
}

static void step(walk *w, int32_t layer, int32_t device, bool changes)
{
    const int64_t at = (int64_t)layer * w->d.n + device;
    double least = layer ? INFINITY : 0;

    w->from[at] = device;
    for (int32_t s = 0; s < w->d.n && layer; s++) {
        const int32_t before = (device + s) % w->d.n; /* of equal ones, to stay */
        const double cost = w->cost[at - device - w->d.n + before]
                            + (changes ? change(w, layer, before, device) : 0);

        if (cost < least) {
            least = cost;
            w->from[at] = before;
        }
    }
    w->cost[at] = least + time_of(w, layer, device);
}

static double search(walk *w, bool changes)
{
    const int32_t n = w->l->n;
    int32_t last = 0;
    double sum = 0;

    if (!n)
        return 0;
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < w->d.n; k++)
            step(w, i, k, changes);
    for (int32_t k = 1; k < w->d.n; k++)
        if (w->cost[(int64_t)(n - 1) * w->d.n + k] < w->cost[(int64_t)(n - 1) * w->d.n + last])
            last = k;
    for (int32_t i = n - 1; i >= 0; i--) {
        w->on[i] = last;
        last = w->from[(int64_t)i * w->d.n + last];
    }
    for (int32_t i = 0; i < n; i++)
        sum += time_of(w, i, w->on[i]) + (i ? change(w, i, w->on[i - 1], w->on[i]) : 0);
    return sum;
}

/* the runs of layers on one device as stages */
static tgs_status put_stages(const walk *w, int64_t size, tgs_proposal *out)
{
    tgs_i_text cuts = {0}, places = {0};
    int32_t stages = 1;
    char text[100];
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < w->l->n && !status; i++) {
        const bool end = i == w->l->n - 1 || w->on[i + 1] != w->on[i];

        if (end)
            status = tgs_i_list_name(&places, w->c->p->memory[w->d.memory[w->on[i]]].name);
        if (!status && end && i < w->l->n - 1) {
            stages++;
            status = tgs_i_list_name(&cuts, w->l->layer[i].name);
        }
    }
    if (!status && stages > 1)
        status = tgs_proposal_directive(out, "pipeline %d gpipe cuts=%s", (int)stages, cuts.text);
    if (!status)
        status = tgs_i_plan_put_batches(w->c, size, text, sizeof text);
    if (!status)
        status = tgs_proposal_directive(out, "%s", text);
    if (!status)
        status = tgs_proposal_directive(out, "place %s", places.text);
    tgs_mem_free(cuts.text);
    tgs_mem_free(places.text);
    return status;
}

static tgs_status tell(const walk *w, int64_t size, double seconds, tgs_proposal *out)
{
    tgs_status status = put_stages(w, size, out);

    for (int32_t i = 0; i < w->l->n && !status; i++)
        status = tgs_proposal_row(out, w->l->layer[i].name, w->c->p->proc[w->d.proc[w->on[i]]].name,
                                  time_of(w, i, w->on[i]), w->l->layer[i].parameters);
    return status ? status
                  : tgs_proposal_figure(out, "step_s", seconds * (double)(w->c->batch / size));
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    walk w = {.c = c};
    int64_t size[PLAN_SIZES];
    const int32_t sizes = tgs_i_plan_sizes(c, 0, size, err);
    tgs_status status =
        sizes < 0 ? (tgs_status)sizes : tgs_planner_layers(c, 0, size[sizes - 1], &w.l, err);

    if (!status)
        status = tgs_i_devices_open(&w.d, c, w.l, INFINITY, err);
    if (!status)
        status = tgs_i_sums_open(&w.sums, &w.chain, c, &w.d, w.l, 2, err);
    if (!status) {
        w.cost = tgs_mem_alloc((size_t)w.l->n * (size_t)w.d.n, sizeof *w.cost);
        w.from = tgs_mem_alloc((size_t)w.l->n * (size_t)w.d.n, sizeof *w.from);
        w.on = tgs_mem_alloc((size_t)w.l->n, sizeof *w.on);
        status = w.cost && w.from && w.on ? TGS_OK : TGS_ENOMEM;
    }
    if (!status)
        status = tell(&w, size[sizes - 1], search(&w, tgs_arg_int(c->args, "changes")), out);
    tgs_mem_free(w.cost);
    tgs_mem_free(w.from);
    tgs_mem_free(w.on);
    tgs_i_sums_close(&w.sums);
    tgs_i_devices_close(&w.d);
    return status;
}

static const tgs_param params[] = {
    {"changes", "1", TGS_PARAM_INT, 0, 1,
     "0: every layer where it is fastest, whatever that moves"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_planner tgs_planner_layer_devices = {
    .base = {TGS_PLUGIN_ABI, "layer-devices",
             "a device for every layer of a model, with what changes of the device move",
             "after Bereholschi, Lin, Yayla, Chen, HEP-BNN, 2023, arXiv 2301.05126", params},
    .needs = TGS_PLANS_MODEL | TGS_PLANS_PLATFORM,
    .systems = "S6 T19",
    .plan = plan,
};
