/* layer-merge.c -- Akintoye et al., Layer-wise partitioning and merging, FGCS 149, 2023: layers are
 * merged into as many blocks as there are devices, or fewer, so that the longest block, with what
 * it receives at its ends, is as short as can be; then the backward pass of a block need not wait
 * for that of the next (transform unlock), and a step takes no longer than the longest block.
 *
 * The blocks are the exact ones, over the orders of unlike devices (chain.c).  Beside them are
 * those of the usual rule, which closes a block as soon as it has an equal share of the work:
 * greedy_s tells how much longer their longest block is. */
#include <string.h>
#include "../step.h"

enum { MOST_BLOCKS = 64, MOST_ORDERS = 720 };

typedef struct merging {
    const tgs_planner_ctx *c;
    const tgs_layers *l;
    tgs_i_devices d;
    tgs_i_chain_sums sums;
    tgs_i_chain chain;
    bool unlock;
    int32_t blocks, order[MOST_BLOCKS], cut[MOST_BLOCKS + 1]; /* the best */
    double longest;
} merging;

/* each block is closed when it has its share of what is left, on devices from the fast ones on */
static double greedy(const merging *x, int32_t blocks)
{
    const double *time = x->chain.time;
    int32_t order[MOST_BLOCKS], from = 0;
    double longest = 0;

    for (int32_t b = 0; b < blocks; b++)
        order[b] = b;
    for (int32_t b = 0; b < blocks; b++) {
        const int32_t left = blocks - b - 1, last = x->l->n - left;
        const double share = (time[x->l->n] - time[from]) / (left + 1);
        int32_t to = left ? from + 1 : x->l->n;

        while (to < last && time[to] - time[from] < share)
            to++;
        longest = fmax(longest, tgs_i_chain_stage(&x->chain, order, blocks, b, from, to));
        from = to;
    }
    return longest;
}

static tgs_status search(merging *x, tgs_error *err)
{
    const int32_t given = (int32_t)tgs_arg_int(x->c->args, "blocks");
    int32_t most = x->d.n < x->l->n ? x->d.n : x->l->n;

    most = most < MOST_BLOCKS ? most : MOST_BLOCKS;
    if (given > most)
        return tgs_fail(err, TGS_ENOTAPPLICABLE,
                        "%d blocks are more than the %d that devices and layers make", (int)given,
                        (int)most);
    for (int32_t k = given ? given : 1; k <= (given ? given : most); k++) {
        int32_t order[MOST_BLOCKS], cut[MOST_BLOCKS + 1];
        double longest;

        for (int32_t b = 0; b < k; b++)
            order[b] = b;
        if (tgs_i_chain_order(&x->chain, k, order, cut, MOST_ORDERS, x->longest, &longest))
            return tgs_fail(err, TGS_ENOMEM, "out of memory");
        if (!(longest < x->longest))
            continue;
        x->longest = longest;
        x->blocks = k;
        memcpy(x->order, order, sizeof x->order);
        memcpy(x->cut, cut, sizeof x->cut);
    }
    return TGS_OK;
}

static tgs_status put(const merging *x, tgs_proposal *out)
{
    tgs_i_text cuts = {0}, places = {0};
    tgs_status status = TGS_OK;

    for (int32_t b = 0; b < x->blocks && !status; b++) {
        const char *memory = x->c->p->memory[x->d.memory[x->order[b]]].name;
        const double time =
            tgs_i_chain_stage(&x->chain, x->order, x->blocks, b, x->cut[b], x->cut[b + 1]);
        char choice[200];

        snprintf(choice, sizeof choice, "block %d: %.80s to %.80s", (int)b + 1,
                 x->l->layer[x->cut[b]].name, x->l->layer[x->cut[b + 1] - 1].name);
        status = tgs_proposal_row(out, memory, choice, time, NAN);
        if (!status)
            status = tgs_i_list_name(&places, memory);
        if (!status && b + 1 < x->blocks)
            status = tgs_i_list_name(&cuts, x->l->layer[x->cut[b + 1] - 1].name);
    }
    if (!status && x->blocks > 1 && x->unlock)
        status = tgs_proposal_directive(out, "unlock %d cuts=%s", (int)x->blocks, cuts.text);
    if (!status && x->blocks > 1)
        status =
            tgs_proposal_directive(out, "pipeline %d message cuts=%s", (int)x->blocks, cuts.text);
    if (!status)
        status = tgs_proposal_directive(out, "micro-batches %lld; place %s",
                                        (long long)(x->c->batch / x->l->batch), places.text);
    tgs_mem_free(cuts.text);
    tgs_mem_free(places.text);
    return status;
}

static tgs_status tell(const merging *x, tgs_proposal *out)
{
    /* what fills and empties a pipeline is not there where nobody waits */
    const double pieces = (double)(x->c->batch / x->l->batch) + (x->unlock ? 0 : x->blocks - 1);
    const double all = x->chain.time[x->l->n]; /* on the fastest device */
    tgs_status status = tgs_proposal_figure(out, "step_s", pieces * x->longest);

    if (!status)
        status = tgs_proposal_figure(out, "blocks", x->blocks);
    if (!status)
        status = tgs_proposal_figure(out, "longest_block_s", x->longest);
    if (!status)
        status = tgs_proposal_figure(out, "greedy_s", greedy(x, x->blocks));
    if (!status)
        status = tgs_proposal_figure(out, "speedup_bound", all / x->longest);
    if (!status && x->blocks > 1 && x->unlock)
        status = tgs_proposal_note(out, "unlocked blocks change what is trained: each learns from "
                                        "what the next one sent in the step before");
    return status;
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    merging x = {.c = c, .longest = INFINITY, .unlock = tgs_arg_int(c->args, "unlock") != 0};
    tgs_status status = tgs_planner_layers(c, 0, c->bound, &x.l, err);

    if (status)
        return status;
    if (c->batch % c->bound)
        return tgs_fail(err, TGS_ENOTAPPLICABLE,
                        "a step of %lld samples is no multiple of the model's batch of %lld",
                        (long long)c->batch, (long long)c->bound);
    status = tgs_i_devices_open(&x.d, c, x.l, INFINITY, err);
    if (!status)
        status = tgs_i_sums_open(&x.sums, &x.chain, c, &x.d, x.l, 2, err);
    if (!status)
        status = search(&x, err);
    if (!status && !x.blocks) { /* none fits: of the best all the same it is told what is missing */
        x.chain.capacity = NULL;
        status = search(&x, err);
    }
    if (!status && !x.blocks)
        status = tgs_fail(err, TGS_EINFEASIBLE, "no order of the devices can run every layer");
    if (!status)
        status = put(&x, out);
    if (!status)
        status = tell(&x, out);
    if (status == TGS_ENOMEM)
        tgs_fail(err, status, "out of memory");
    tgs_i_sums_close(&x.sums);
    tgs_i_devices_close(&x.d);
    return status;
}

static const tgs_param params[] = {
    {"blocks", "0", TGS_PARAM_INT, 0, MOST_BLOCKS, "how many; 0: whatever is best"},
    {"unlock", "0", TGS_PARAM_INT, 0, 1, "1: no block waits for the next one's backward pass"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_planner tgs_planner_layer_merge = {
    .base = {TGS_PLUGIN_ABI, "layer-merge",
             "layers in blocks, the longest as short as can be, which wait for each other or "
             "(unlock=1) do not",
             "Akintoye et al., Layer-wise partitioning and merging, FGCS 149, 2023", params},
    .needs = TGS_PLANS_MODEL | TGS_PLANS_PLATFORM,
    .systems = "S8",
    .plan = plan,
};
