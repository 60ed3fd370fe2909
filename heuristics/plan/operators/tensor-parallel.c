/* tensor-parallel.c -- which way to split matrix products among devices, in how many parts, and in
 * which layers that pays (Bian, Xu, Wang, You, 3-D model parallelism, 2021; Megatron-LM, Optimus,
 * Tesseract).
 *
 * For every mode and number of shards, and every number of groups of so many devices side by side,
 * a product takes its time on the slowest device over p, and the alpha-beta time of what a shard
 * receives (tensorcost.c); what lies between products runs on the pieces that they leave.  Between
 * a layer that is split and one that is not the activations are gathered or dealt out, so that the
 * layers to split are a shortest path through two states per layer.  The best few by this estimate
 * are simulated, those of each mode among them, and the simulation decides. */
#include <string.h>
#include "tensor.h"

enum { TRIED = TGS_I_TENSOR_TRIED, MOST_SHARDS = 64 };
typedef tgs_i_tensor_planning planning;
typedef tgs_i_tensor_choice candidate;

static void keep(planning *x, const candidate *new)
{
    candidate *best = x->best[new->grid.mode];
    int32_t *count = &x->kept[new->grid.mode], at = *count;

    *count += *count < TRIED;
    for (; at > 0 && new->estimate < best[at - 1].estimate; at--)
        if (at < TRIED)
            best[at] = best[at - 1];
    if (at < TRIED)
        best[at] = *new;
}

static void consider(planning *x, const tgs_i_grid *grid)
{
    const bool all = tgs_arg_int(x->c->args, "all") != 0;

    for (int32_t r = 1; r * grid->p <= x->d.n; r++) {
        candidate k = {.size = x->l->batch, .grid = *grid, .replicas = r};

        if (x->c->batch % (r * x->l->batch))
            continue;
        k.estimate = tgs_i_tensor_estimate(x, &k, all);
        if (k.estimate < INFINITY)
            keep(x, &k);
    }
}

static const char *const modes[] = {"1d", "2d", "2.5d", "3d"};

/* every grid of at most so many shards */
static void consider_all(planning *x)
{
    const char *mode = tgs_arg_text(x->c->args, "mode");
    const int32_t given = (int32_t)tgs_arg_int(x->c->args, "shards");
    const int32_t most = x->d.n < MOST_SHARDS ? x->d.n : MOST_SHARDS;

    for (int32_t p = given ? given : 2; p <= (given ? given : most) && p <= x->d.n; p++)
        for (int32_t m = 0; m < TGS_I_TENSORS; m++)
            for (int32_t depth = 1; depth == 1 || (m == TGS_I_25D && depth <= p / 4); depth++) {
                tgs_i_grid g;

                if (tgs_i_tensor_grid(&g, (tgs_i_tensor)m, p, depth)
                    && (!*mode || !strcmp(mode, modes[m])))
                    consider(x, &g);
            }
}

/* the layers and devices of this size of micro-batch */
static tgs_status open_size(planning *x, int64_t size, tgs_error *err)
{
    tgs_status status = tgs_planner_layers(x->c, 0, size, &x->l, err);

    tgs_i_devices_close(&x->d);
    if (!status)
        status = tgs_i_devices_open(&x->d, x->c, x->l, 16, err);
    if (!status)
        tgs_i_tensor_find(x);
    return status;
}

/* ---- what is proposed ---- */
/* in[] is of the candidate */
static tgs_status put(const planning *x, const candidate *k, tgs_proposal *out, tgs_error *err)
{
    tgs_i_text ops = {0}, places = {0};
    char depth[24] = "", batches[80], replicas[32] = "";
    bool rest = false;
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < x->l->n && !status; i++)
        if (x->in[i])
            status = tgs_i_list_name(&ops, x->l->layer[i].name);
        else
            rest |= x->product[i].rows > 0 && tgs_i_tensor_fits(&k->grid, &x->product[i]);
    for (int32_t i = 0; i < k->grid.p * k->replicas && !status; i++)
        status = tgs_i_list_name(&places, x->c->p->memory[x->d.memory[i]].name);
    if (k->grid.mode == TGS_I_25D)
        snprintf(depth, sizeof depth, " depth=%d", (int)k->grid.depth);
    if (k->replicas > 1)
        snprintf(replicas, sizeof replicas, "replicas %d; ", (int)k->replicas);
    if (!status)
        status = tgs_i_plan_put_batches(x->c, k->size, batches, sizeof batches);
    if (!status && k->replicas > 1) /* micro-batches of each */
        snprintf(batches, sizeof batches, "micro-batches %lld",
                 (long long)(x->c->batch / (k->replicas * k->size)));
    if (!status && k->replicas > 1 && k->size != x->c->bound)
        status = tgs_proposal_directive(out, "batch %lld", (long long)k->size);
    if (!status)
        status = tgs_proposal_directive(
            out, "tensor %s %d%s%s%s; %s; %splace %s", modes[k->grid.mode], (int)k->grid.p, depth,
            rest ? " ops=" : "", rest ? ops.text : "", batches, replicas, places.text);
    tgs_mem_free(ops.text);
    tgs_mem_free(places.text);
    return status ? tgs_fail(err, status, "out of memory") : TGS_OK;
}

static tgs_status describe(const planning *x, const candidate *k, tgs_proposal *out)
{
    tgs_status status = tgs_proposal_figure(out, "step_s", k->estimate);

    if (!status)
        status = tgs_proposal_figure(out, "shards", k->grid.p);
    if (!status)
        status = tgs_proposal_figure(out, "received_bytes", k->received);
    for (int32_t i = 0; i < x->l->n && !status; i++)
        if (x->product[i].rows > 0)
            status =
                tgs_proposal_row(out, x->l->layer[i].name, x->in[i] ? "split" : "whole", NAN,
                                 x->in[i] ? tgs_i_tensor_volume(&k->grid, &x->product[i], false)
                                                * tgs_i_tensor_element(&x->l->layer[i])
                                          : NAN);
    return status;
}

/* kept when it is better once simulated */
static tgs_status simulate(planning *x, candidate *k, tgs_error *err)
{
    tgs_error refused = {TGS_OK, ""};
    tgs_proposal *p = NULL;
    tgs_evaluation e;
    tgs_status status = open_size(x, k->size, err);

    if (status)
        return status;
    tgs_i_tensor_estimate(x, k, tgs_arg_int(x->c->args, "all") != 0);
    status = tgs_proposal_open(&p, x->c, err);
    if (!status)
        status = put(x, k, p, err);
    if (!status)
        status = describe(x, k, p);
    if (!status) {
        status = tgs_planner_evaluate(x->c, tgs_proposal_strategy(p), &e, &refused);
        /* the transform cuts samples or rows, and knows more than how many there are in all */
        if (status == TGS_EINVAL || status == TGS_ENOTAPPLICABLE) {
            tgs_proposal_free(p);
            x->refused = refused;
            return TGS_OK;
        }
        if (status)
            tgs_fail(err, status, "%s", refused.text);
    }
    if (!status && (!x->chosen || tgs_planner_better(x->c, &e, &x->e))) {
        tgs_proposal_free(x->chosen);
        x->chosen = p;
        x->e = e;
        p = NULL;
    }
    tgs_proposal_free(p);
    return status;
}

static bool has_some(const planning *x)
{
    int32_t kept = 0;

    for (int32_t m = 0; m < TGS_I_TENSORS; m++)
        kept += x->kept[m];
    return kept > 0;
}

static tgs_status consider_sizes(planning *x, tgs_error *err)
{
    int64_t size[PLAN_SIZES];
    const int32_t sizes = tgs_i_plan_sizes(x->c, tgs_arg_int(x->c->args, "micro"), size, err);
    tgs_status status = sizes < 0 ? (tgs_status)sizes : TGS_OK;

    for (int32_t i = 0; i < sizes && !status; i++) {
        if (!x->product) {
            status = tgs_planner_layers(x->c, 0, size[i], &x->l, err);
            if (status)
                return status;
            x->product = tgs_mem_alloc((size_t)x->l->n, sizeof *x->product);
            x->in = tgs_mem_alloc((size_t)x->l->n, sizeof *x->in);
            x->from = tgs_mem_alloc(3 * (size_t)x->l->n, sizeof *x->from);
            if (!x->product || !x->in || !x->from)
                return tgs_fail(err, TGS_ENOMEM, "out of memory");
        }
        status = open_size(x, size[i], err);
        if (!status)
            consider_all(x);
    }
    return status;
}

static tgs_status search(planning *x, tgs_error *err)
{
    tgs_status status = consider_sizes(x, err);

    if (!status && x->full && !has_some(x)) {
        x->anyhow = true;
        status = consider_sizes(x, err);
    }
    for (int32_t m = 0; m < TGS_I_TENSORS; m++)
        for (int32_t i = 0; i < x->kept[m] && !status; i++)
            if (!(x->chosen && x->c->stop && x->c->stop(x->c->user)))
                status = simulate(x, &x->best[m][i], err);
    return status;
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    const char *mode = tgs_arg_text(c->args, "mode"), *volume = tgs_arg_text(c->args, "volume");
    planning x = {.c = c};
    bool known = !*mode;
    tgs_status status;

    for (int32_t m = 0; m < TGS_I_TENSORS; m++)
        known |= !strcmp(mode, modes[m]);
    if (!known)
        return tgs_fail(err, TGS_EINVAL,
                        "tensor-parallel: no mode '%.20s' (there are: 1d, 2d, 2.5d, 3d)", mode);
    if (strcmp(volume, "received") && strcmp(volume, "hops"))
        return tgs_fail(err, TGS_EINVAL,
                        "tensor-parallel: no volume '%.20s' (there are: received, hops)", volume);
    status = search(&x, err);
    if (!status && !x.chosen && x.refused.status)
        status = tgs_fail(err, TGS_ENOTAPPLICABLE, "%s", x.refused.text);
    else if (!status && !x.chosen)
        status = tgs_fail(err, TGS_ENOTAPPLICABLE,
                          "no product with a parameter is faster on several of these devices than "
                          "on one, or is large enough (all=1 splits those that are)");
    for (int32_t m = 0; m < TGS_I_TENSORS && !status; m++) {
        const candidate *k = &x.best[m][0];
        char choice[96];

        snprintf(choice, sizeof choice, "%d shards, %d groups, %d of %d products split",
                 (int)k->grid.p, (int)k->replicas, (int)k->split, (int)k->products);
        if (x.kept[m])
            status = tgs_proposal_row(out, modes[m], choice, k->estimate, k->received);
    }
    if (!status)
        status = tgs_proposal_adopt(out, x.chosen);
    tgs_proposal_free(x.chosen);
    tgs_i_devices_close(&x.d);
    tgs_mem_free(x.product);
    tgs_mem_free(x.in);
    tgs_mem_free(x.from);
    return status;
}

static const tgs_param params[] = {
    {"mode", "", TGS_PARAM_TEXT, 0, 0, "1d, 2d, 2.5d or 3d; none: the best of them"},
    {"shards", "0", TGS_PARAM_INT, 0, 4096, "of a product; 0: whatever is best, up to 64"},
    {"micro", "0", TGS_PARAM_INT, 0, 1e9, "samples of a micro-batch; 0: whatever is best"},
    {"all", "0", TGS_PARAM_INT, 0, 1, "1: split all products that are large enough"},
    {"volume", "received", TGS_PARAM_TEXT, 0, 0,
     "what of 2d and 2.5d counts: received by a shard, or hops of ring broadcasts"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_planner tgs_planner_tensor_parallel = {
    .base = {TGS_PLUGIN_ABI, "tensor-parallel",
             "matrix products split in 1 to 3 dimensions, in the layers where that pays",
             "Bian, Xu, Wang, You, 3-D model parallelism, 2021; Shoeybi et al., Megatron-LM, 2019; "
             "Xu et al., 2021; Wang et al., Tesseract, 2021",
             params},
    .needs = TGS_PLANS_MODEL | TGS_PLANS_PLATFORM,
    .systems = "T5",
    .plan = plan,
};
