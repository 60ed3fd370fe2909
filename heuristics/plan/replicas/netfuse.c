/* netfuse.c -- Jeong et al., NetFuse, 2021: how many copies of one architecture, each with weights
 * of its own, run as one model (transform merge-models), so that a launch serves all of them.
 *
 * A merged operator takes its launch once and, while the device is not full, no longer than one
 * copy's does: M (o + c) / (o + max(c, M u c)) times less for copies that use the share u of it.
 * But copies that run together are in memory together.  Groups of every size (for many copies: of
 * doubling sizes, and all) are simulated, one group after the other until all copies have had their
 * turn; the size of the least total that fits is taken, ties to the smaller. */
#include "../step.h"

enum { EVERY_SIZE = 16 };

typedef struct grouping {
    const tgs_planner_ctx *c;
    int32_t copies, best;
    double apart, total; /* seconds of all copies */
} grouping;

/* a step of so many copies: "" when it is the plain one */
static void describe(const grouping *g, int32_t size, char *text, size_t room)
{
    const long long pieces = g->c->batch / g->c->bound;
    char merged[40] = "", cut[40] = "";

    if (size > 1)
        snprintf(merged, sizeof merged, "merge-models %d", (int)size);
    if (pieces > 1)
        snprintf(cut, sizeof cut, "%smicro-batches %lld", *merged ? "; " : "", pieces);
    snprintf(text, room, "%s%s", merged, cut);
}

static tgs_status simulate(const grouping *g, int32_t size, tgs_evaluation *e, tgs_error *err)
{
    char strategy[80];

    describe(g, size, strategy, sizeof strategy);
    return tgs_planner_evaluate(g->c, strategy, e, err);
}

/* groups of this size, and what is left over as one more */
static tgs_status try_size(grouping *g, int32_t size, tgs_proposal *out, tgs_error *err)
{
    const int32_t rest = g->copies % size;
    double total, largest = 0;
    tgs_evaluation e, last = {0};
    char item[40];
    tgs_status status = simulate(g, size, &e, err);

    for (int32_t m = 0; m < g->c->p->memories && !status; m++)
        largest = fmax(largest, e.peak[m]);
    if (!status && rest)
        status = simulate(g, rest, &last, err);
    if (status)
        return status;
    total = g->copies / size * e.step + (rest ? last.step : 0);
    g->apart = size == 1 ? total : g->apart;
    snprintf(item, sizeof item, "groups of %d", (int)size);
    if (e.missing <= 0 && (!g->best || total < g->total)) {
        g->best = size;
        g->total = total;
    }
    return tgs_proposal_row(out, item, e.missing > 0 ? "does not fit" : "fits", total, largest);
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    grouping g = {.c = c, .copies = (int32_t)tgs_arg_int(c->args, "copies"), .apart = NAN};
    char strategy[80];
    tgs_status status = TGS_OK;

    if (c->batch % c->bound)
        return tgs_fail(err, TGS_ENOTAPPLICABLE,
                        "a step of %lld samples is no multiple of the model's batch of %lld",
                        (long long)c->batch, (long long)c->bound);

    for (int32_t size = 1; size <= g.copies && !status;) {
        status = try_size(&g, size, out, err);
        if (size == g.copies || (g.best && c->stop && c->stop(c->user)))
            break;
        size = g.copies <= EVERY_SIZE ? size + 1 : 2 * size;
        size = size < g.copies ? size : g.copies;
    }
    if (!status && !g.best) { /* not even one copy: the library tells what is missing */
        g.best = 1;
        g.total = g.apart;
    }
    if (!status)
        describe(&g, g.best, strategy, sizeof strategy);
    if (!status && *strategy)
        status = tgs_proposal_directive(out, "%s", strategy);
    if (!status && g.best > 1)
        status = tgs_proposal_note(out, "a step is one of %d copies of the model", (int)g.best);
    if (!status)
        status = tgs_proposal_figure(out, "group", g.best);
    if (!status)
        status = tgs_proposal_figure(out, "all_copies_s", g.total);
    if (!status)
        status = tgs_proposal_figure(out, "one_by_one_s", g.apart);
    return status ? status : tgs_proposal_figure(out, "speedup", g.apart / g.total);
}

static const tgs_param params[] = {
    {"copies", "1", TGS_PARAM_INT, 1, 4096, "of the model, each with weights of its own"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_planner tgs_planner_netfuse = {
    .base = {TGS_PLUGIN_ABI, "netfuse", "copies of a model that run as one, as many as fit",
             "Jeong, Kim, Yu, Kim, Chun, Lee, NetFuse, 2021", params},
    .needs = TGS_PLANS_MODEL | TGS_PLANS_PLATFORM,
    .systems = "T18",
    .plan = plan,
};
