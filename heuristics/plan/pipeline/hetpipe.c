/* hetpipe.c -- Park et al., HetPipe, USENIX ATC 2020: virtual workers that run the model as
 * pipelines, Nm micro-batches (a wave) under way in each, at most D waves ahead of the slowest.
 *
 * With D = 0 what is lowered is a step in which the workers meet at its end, and which computes
 * what one device would.  A larger D, or waves=1, lowers the waves themselves (transform waves):
 * each ends with an update, and weights are as old as the rule allows, which is another
 * mathematics.
 *
 * Workers of unlike devices have cuts of their own (transform recut); the same cut for all, which
 * leaves each parameter in the memory of its stage, is simulated beside that. */
#include <string.h>
#include "../step.h"

int64_t tgs_i_wave_staleness(int64_t flight, int64_t distance)
{
    const int64_t local = flight - 1;

    return (distance + 1) * (local + 1) + local - 1;
}

typedef struct planning {
    const tgs_planner_ctx *c;
    tgs_i_devices d;
    tgs_i_workers w;      /* the best so far; devices are memories of the platform */
    int64_t size, pieces; /* samples of a micro-batch, micro-batches of a worker in a step */
    int32_t flight;
    int32_t *cut;           /* [devices + 1] the same for all workers */
    double step, free_rate; /* the estimate, micro-batches per second without waiting */
    bool waved, alike;      /* each wave is an update; one cut for all workers */
    bool any;               /* what does not fit in memory is considered too */
    bool passed;            /* some setting was too long to be simulated */
} planning;

/* the most micro-batches of a wave that divide those of a step */
static int32_t wave_of(int64_t pieces, int32_t flight)
{
    int32_t nm = pieces < flight ? (int32_t)pieces : flight;

    while (pieces % nm)
        nm--;
    return nm;
}

/* kept when a step would be shorter */
static void take(planning *x, const tgs_i_workers *w, int64_t size, int32_t flight,
                 const int32_t *cut)
{
    const int64_t pieces = x->c->batch / (w->count * size);
    double step = 0;

    for (int32_t v = 0; v < w->count; v++) /* a cut for all is no faster than one of each */
        step = fmax(step, (double)(pieces + w->size - 1) * w->stage[v]);
    if (step >= x->step)
        return;
    tgs_i_workers_assign(&x->w, w);
    for (int32_t i = 0; i < w->count * w->size; i++)
        x->w.device[i] = x->d.memory[w->device[i]];
    x->flight = flight < w->size ? flight : w->size;
    if (x->waved)
        x->flight = wave_of(pieces, flight);
    x->size = size;
    x->pieces = pieces;
    x->step = step;
    x->free_rate = tgs_i_workers_rate(w, false);
    memcpy(x->cut, cut, ((size_t)w->size + 1) * sizeof *cut);
}

typedef struct grouping { /* room for one policy */
    tgs_i_workers w;
    int32_t *node, *flight, *cut; /* [devices + 1] */
} grouping;

static tgs_status open_grouping(grouping *g, int32_t devices)
{
    const tgs_status status = tgs_i_workers_open(&g->w, devices);

    g->node = tgs_mem_alloc((size_t)devices + 1, 3 * sizeof *g->node);
    if (!g->node)
        return TGS_ENOMEM;
    g->flight = g->node + devices + 1;
    g->cut = g->flight + devices + 1;
    return status;
}

static void close_grouping(grouping *g)
{
    tgs_i_workers_close(&g->w);
    tgs_mem_free(g->node);
}

/* waves that are tried, from the largest that makes a difference on: each of up to 16, halves above
 */
static int32_t smaller(int32_t nm)
{
    return nm > 16 ? nm / 2 : nm - 1;
}

/* the largest wave that fits */
static tgs_status find_wave(planning *x, const tgs_layers *l, grouping *g, tgs_i_chain *chain,
                            const char *policy, tgs_error *err)
{
    const bool coupled = tgs_arg_int(x->c->args, "D") >= 0;
    const int32_t given = (int32_t)tgs_arg_int(x->c->args, "Nm");
    const int32_t most = x->d.n < l->n ? x->d.n : l->n;
    tgs_status status = TGS_EINFEASIBLE;

    for (int32_t nm = given ? given : most; nm > 0 && status == TGS_EINFEASIBLE; nm = smaller(nm)) {
        double longest;

        for (int32_t p = 0; p < x->d.n; p++)
            g->flight[p] = nm - p > 1 ? nm - p : 1;
        chain->flight = g->flight;
        status = tgs_i_workers_make(&g->w, chain, g->node, policy,
                                    (int32_t)tgs_arg_int(x->c->args, "k"), coupled, err);
        if (!status)
            status = tgs_i_workers_alike(chain, &g->w, g->cut, &longest);
        if (!status && !(longest < INFINITY)) /* none suits all: each has its own */
            g->cut[0] = -1;
        if (!status && x->c->batch % (g->w.count * l->batch) == 0)
            take(x, &g->w, l->batch, nm, g->cut);
        if (given)
            break;
    }
    return status;
}

/* one policy */
static tgs_status group(planning *x, const tgs_layers *l, const char *policy, tgs_error *err)
{
    tgs_i_chain_sums sums;
    tgs_i_chain chain;
    grouping g = {{0}, NULL, NULL, NULL};
    double parameters = 0;
    tgs_status status = tgs_i_sums_open(&sums, &chain, x->c, &x->d, l, 2, err);

    if (status)
        return status;
    for (int32_t i = 0; i < l->n && x->waved; i++) { /* each backward pass has its own weights */
        parameters += l->layer[i].parameters;
        sums.saved[i + 1] += parameters;
    }
    if (open_grouping(&g, x->d.n))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (int32_t i = 0; i < x->d.n && !status; i++)
        g.node[i] = x->c->p->memory[x->d.memory[i]].node;
    if (x->any)
        chain.capacity = NULL;
    if (!status)
        status = find_wave(x, l, &g, &chain, policy, err);
    close_grouping(&g);
    tgs_i_sums_close(&sums);
    return status;
}

static const int32_t *cut_of(const planning *x, int32_t worker)
{
    return x->alike ? x->cut : x->w.cut + worker * (x->w.size + 1);
}

/* the cuts of all workers, or of the first one, and then of those that are cut elsewhere; these run
 * what arrives first, as the paper has it */
static tgs_status put_pipelines(const planning *x, const tgs_layers *l, tgs_proposal *out)
{
    tgs_status status = TGS_OK;

    for (int32_t v = 0; v < (x->alike ? 1 : x->w.count) && x->w.size > 1 && !status; v++) {
        tgs_i_text cuts = {0};

        if (v > 0 && !memcmp(cut_of(x, v), cut_of(x, 0), (size_t)x->w.size * sizeof(int32_t)))
            continue;
        for (int32_t s = 1; s < x->w.size && !status; s++)
            status = tgs_i_list_name(&cuts, l->layer[cut_of(x, v)[s] - 1].name);
        if (!status && v > 0)
            status = tgs_proposal_directive(out, "recut %d cuts=%s", (int)v + 1, cuts.text);
        else if (!status)
            status = tgs_proposal_directive(out, "pipeline %d %s cuts=%s cap=%d", (int)x->w.size,
                                            x->alike && !x->waved ? "1f1b" : "message", cuts.text,
                                            (int)x->flight);
        tgs_mem_free(cuts.text);
    }
    return status;
}

static tgs_status propose(const planning *x, tgs_proposal *out, tgs_error *err)
{
    const tgs_platform_view *p = x->c->p;
    const int64_t distance = tgs_arg_int(x->c->args, "D");
    const tgs_layers *l;
    tgs_i_text places = {0};
    char pieces[64], choice[160], reduction[PLAN_REDUCTION] = "";
    tgs_status status = tgs_planner_layers(x->c, 0, x->size, &l, err);

    for (int32_t v = 0; v < x->w.count && !status; v++)
        for (int32_t s = 0; s < x->w.size && !status; s++) {
            const char *memory = p->memory[x->w.device[v * x->w.size + s]].name;
            const int32_t *cut = cut_of(x, v);

            status = tgs_i_list_name(&places, memory);
            snprintf(choice, sizeof choice, "worker %d, stage %d: %.50s to %.50s", (int)v + 1,
                     (int)s + 1, l->layer[cut[s]].name, l->layer[cut[s + 1] - 1].name);
            if (!status)
                status = tgs_proposal_row(out, memory, choice, x->w.stage[v], NAN);
        }
    if (!status)
        status = put_pipelines(x, l, out);
    if (x->size == x->c->bound)
        snprintf(pieces, sizeof pieces, "micro-batches %lld", (long long)x->pieces);
    else
        snprintf(pieces, sizeof pieces, "micro-batches %lld; batch %lld", (long long)x->pieces,
                 (long long)x->size);
    if (!status && !x->waved) /* a wave's updates have sums of their own */
        tgs_i_plan_reduction(x->c, l, x->w.count, x->w.size, x->w.device, reduction);
    if (!status)
        status = tgs_proposal_directive(out, "%s; replicas %d%s; place %s", pieces, (int)x->w.count,
                                        reduction, places.text);
    if (!status && x->waved) /* no limit: as many waves as there are */
        status =
            tgs_proposal_directive(out, "waves size=%d D=%lld", (int)x->flight,
                                   (long long)(distance < 0 ? x->pieces / x->flight : distance));
    tgs_mem_free(places.text);
    if (!status)
        status = tgs_proposal_figure(out, "step_s", x->step);
    if (!status)
        status = tgs_proposal_figure(out, "Nm", x->flight);
    if (!status)
        status = tgs_proposal_figure(out, "s_local", x->flight - 1);
    if (!status && distance >= 0)
        status =
            tgs_proposal_figure(out, "s_global", (double)tgs_i_wave_staleness(x->flight, distance));
    if (!status)
        status = tgs_proposal_figure(out, "uncoupled_micro_batches_per_s", x->free_rate);
    if (!status && x->waved)
        status = tgs_proposal_note(out, "waves change what is trained: weights may miss updates of "
                                        "s_local and s_global micro-batches");
    return status;
}

/* has a worker another cut than that for all? */
static bool differ(const planning *x)
{
    for (int32_t v = 0; v < x->w.count; v++)
        if (memcmp(x->w.cut + v * (x->w.size + 1), x->cut,
                   ((size_t)x->w.size + 1) * sizeof *x->cut))
            return true;
    return false;
}

/* the best grouping for one size of micro-batch, kept when its simulated step is shorter */
static tgs_status simulate(planning *x, tgs_proposal **chosen, tgs_evaluation *best, tgs_error *err)
{
    tgs_proposal *p;
    tgs_evaluation e;
    tgs_status status = tgs_proposal_open(&p, x->c, err);

    if (!status)
        status = propose(x, p, err);
    if (!status)
        status = tgs_planner_evaluate(x->c, tgs_proposal_strategy(p), &e, err);
    if (status == TGS_ENOTAPPLICABLE) { /* too many tasks: others may do */
        x->passed = true;
        tgs_proposal_free(p);
        return TGS_OK;
    }
    if (!status && tgs_planner_better(x->c, &e, best)) {
        tgs_proposal_free(*chosen);
        *chosen = p;
        *best = e;
        p = NULL;
    }
    tgs_proposal_free(p);
    return status;
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    static const char *const all[] = {"np", "ed", "hd", "best"};
    const char *asked = tgs_arg_text(c->args, "policy");
    planning x = {.c = c,
                  .waved = tgs_arg_int(c->args, "D") != 0 || tgs_arg_int(c->args, "waves") != 0};
    tgs_proposal *chosen = NULL;
    tgs_evaluation best = {.missing = INFINITY};
    int64_t size[PLAN_SIZES];
    const int32_t sizes = tgs_i_plan_sizes(c, tgs_arg_int(c->args, "micro"), size, err);
    tgs_status status = sizes < 0 ? (tgs_status)sizes : TGS_OK, why = TGS_OK;
    bool known = !*asked;

    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        known |= !strcmp(asked, all[k]);
    if (!status && !known)
        return tgs_fail(err, TGS_EINVAL, "hetpipe: no policy '%.20s' (there are: np, ed, hd, best)",
                        asked);
    for (int32_t turn = 0; turn < 2 * sizes && !status; turn++) {
        const int32_t i = turn % sizes;
        const tgs_layers *l;

        if (turn == sizes && (chosen || x.passed))
            break;
        x.any = turn >= sizes; /* by the estimate nothing fits: how much is missing is simulated */
        x.step = INFINITY;
        tgs_i_devices_close(&x.d);
        status = tgs_planner_layers(c, 0, size[i], &l, err);
        tgs_i_workers_close(&x.w);
        if (!status) /* devices far slower than the fastest are no part of a worker */
            status = tgs_i_devices_open(&x.d, c, l, 16, err);
        tgs_mem_free(x.cut);
        x.cut = status ? NULL : tgs_mem_alloc((size_t)x.d.n + 1, sizeof *x.cut);
        if (!status && (tgs_i_workers_open(&x.w, x.d.n) || !x.cut))
            status = tgs_fail(err, TGS_ENOMEM, "out of memory");
        for (size_t k = 0; k < sizeof all / sizeof *all && !status; k++)
            if (!*asked || !strcmp(asked, all[k])) {
                why = group(&x, l, all[k], err);
                if (why != TGS_EINFEASIBLE && why != TGS_ENOTAPPLICABLE)
                    status = why;
            }
        x.alike = true;
        if (!status && x.step < INFINITY && x.cut[0] >= 0)
            status = simulate(&x, &chosen, &best, err);
        x.alike = false;
        if (!status && x.step < INFINITY && differ(&x))
            status = simulate(&x, &chosen, &best, err);
    }
    if (!status && !chosen && x.passed)
        status = tgs_fail(err, TGS_ENOTAPPLICABLE, "a step has too many tasks to be simulated");
    if (!status && !chosen)
        status = why ? why
                     : tgs_fail(err, TGS_ENOTAPPLICABLE,
                                "a step of %lld samples cannot be dealt to the workers",
                                (long long)c->batch);
    if (!status)
        status = tgs_proposal_adopt(out, chosen);
    tgs_proposal_free(chosen);
    tgs_i_workers_close(&x.w);
    tgs_mem_free(x.cut);
    tgs_i_devices_close(&x.d);
    return status;
}

static const tgs_param params[] = {
    {"policy", "", TGS_PARAM_TEXT, 0, 0, "np, ed, hd or best; none: the fastest of them"},
    {"k", "0", TGS_PARAM_INT, 0, 4096, "devices of a worker, of policy best; 0: any"},
    {"Nm", "0", TGS_PARAM_INT, 0, 1000, "micro-batches under way; 0: as many as fit"},
    {"D", "0", TGS_PARAM_INT, -1, 1e6, "waves a worker may be ahead; -1: no limit"},
    {"waves", "0", TGS_PARAM_INT, 0, 1, "1: each wave is an update even with D = 0"},
    {"micro", "0", TGS_PARAM_INT, 0, 1e9, "samples of a micro-batch; 0: whatever is best"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_planner tgs_planner_hetpipe = {
    .base = {TGS_PLUGIN_ABI, "hetpipe", "pipelines on groups of unlike devices, side by side",
             "Park et al., HetPipe, USENIX ATC 2020", params},
    .needs = TGS_PLANS_MODEL | TGS_PLANS_PLATFORM,
    .systems = "T0",
    .plan = plan,
};
