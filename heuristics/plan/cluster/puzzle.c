/* puzzle.c -- several networks at once on unlike processors.
 *
 * D. Kang, Y. Lee, J. Kim, "Puzzle: scheduling multiple deep learning models on mobile devices with
 * heterogeneous processors", 2025 (arXiv 2508.17764): a genetic algorithm with three genomes, the
 * partition (a cut bit per edge), the mapping (a processor per layer, by vote within a piece) and
 * the priority, against two baselines: everything on the NPU, and the best mapping of whole models.
 * The operators of the search are genes.c's.  Pieces are timed as units where the file has them.
 *
 * method: ga, exact (all plans: small instances), main-only (what the main processor cannot run
 * goes to the fastest other), best-mapping (whole networks; all mappings, or up to `evals` of them
 * by descent).  objective: makespan (all networks once), period (of all of them together, by the
 * most loaded processor), rate (each network's own period, by playing `requests` of each). */
#include <string.h>
#include "../core.h"
#include "puzzle.h"

typedef enum objective { MAKESPAN, PERIOD, RATE } objective;

typedef struct solving {
    tgs_i_puzzle x;
    const tgs_planner_ctx *c;
    objective objective;
    int32_t *genes, *best; /* [3 * layers] */
    double value[2];       /* of best */
    int64_t left;          /* plans that may still be looked at */
} solving;

static int32_t *cuts(const solving *s)
{
    return s->genes;
}

static int32_t *places(const solving *s)
{
    return s->genes + s->x.layers;
}

static int32_t *order(const solving *s)
{
    return s->genes + 2 * s->x.layers;
}

static tgs_status judge(void *user, int32_t *genes, double *value, tgs_error *err)
{
    solving *s = user;
    tgs_i_puzzle *x = &s->x;
    double makespan, period;

    (void)err;
    value[0] = value[1] = INFINITY;
    if (!tgs_i_puzzle_cut(x, genes, genes + x->layers, genes + 2 * x->layers))
        return TGS_OK;
    makespan = tgs_i_puzzle_makespan(x);
    period = tgs_i_puzzle_period(x);
    value[0] = s->objective == MAKESPAN ? makespan
               : s->objective == PERIOD ? period
                                        : tgs_i_puzzle_multiplier(x);
    value[1] = s->objective == MAKESPAN ? period : makespan;
    return TGS_OK;
}

/* keeps genes when they are better than the best; false: no more may be looked at */
static bool look(solving *s)
{
    double value[2];

    judge(s, s->genes, value, NULL);
    if (value[0] < s->value[0] || (value[0] == s->value[0] && value[1] < s->value[1])) {
        s->value[0] = value[0];
        s->value[1] = value[1];
        memcpy(s->best, s->genes, 3 * (size_t)s->x.layers * sizeof *s->best);
    }
    return --s->left > 0 && !s->c->stop(s->c->user);
}

/* ---- baselines ------------------------------------------------------------------------------- */
static int32_t fastest(const tgs_i_puzzle *x, const tgs_i_net *net, int32_t first, int32_t last)
{
    const double *time = net->time + ((int64_t)first * net->layers + last) * x->processors;
    int32_t best = 0;

    for (int32_t p = 1; p < x->processors; p++)
        if (time[p] < time[best])
            best = p;
    return best;
}

/* each layer on main, or where it is fastest when it cannot run there (main -1: always); pieces are
 * as long as the processor stays */
static void by_layer(const solving *s, int32_t main)
{
    const tgs_i_puzzle *x = &s->x;

    for (int32_t i = 0; i < x->nets; i++)
        for (int32_t l = x->net[i].layers - 1; l >= 0; l--) {
            const tgs_i_net *net = &x->net[i];
            const int32_t g = net->gene + l;
            const double *time = net->time + ((int64_t)l * net->layers + l) * x->processors;

            places(s)[g] = main >= 0 && time[main] < INFINITY ? main : fastest(x, net, l, l);
            cuts(s)[g] = l + 1 == net->layers || places(s)[g + 1] != places(s)[g];
            order(s)[g] = g;
        }
}

static void whole(const solving *s, int32_t net, int32_t processor)
{
    const tgs_i_net *n = &s->x.net[net];

    for (int32_t l = 0; l < n->layers; l++) {
        places(s)[n->gene + l] = processor;
        cuts(s)[n->gene + l] = l + 1 == n->layers;
        order(s)[n->gene + l] = n->gene + l;
    }
}

/* all mappings of whole networks from this one on; false: no more may be looked at */
static bool map_all(solving *s, int32_t net)
{
    bool more = true;

    if (net == s->x.nets)
        return look(s);
    for (int32_t p = 0; p < s->x.processors && more; p++) {
        whole(s, net, p);
        more = map_all(s, net + 1);
    }
    return more;
}

/* from each network where it is fastest, one network moves at a time while that helps */
static void map_by_descent(solving *s)
{
    const tgs_i_puzzle *x = &s->x;
    bool better = true, more;

    for (int32_t i = 0; i < x->nets; i++)
        whole(s, i, fastest(x, &x->net[i], 0, x->net[i].layers - 1));
    more = look(s);
    while (better && more) {
        const double was[2] = {s->value[0], s->value[1]};

        for (int32_t i = 0; i < x->nets && more; i++) {
            for (int32_t p = 0; p < x->processors && more; p++) {
                whole(s, i, p);
                more = look(s);
            }
            whole(s, i, s->value[0] < INFINITY ? s->best[x->layers + x->net[i].gene] : 0);
        }
        better = s->value[0] < was[0] || s->value[1] < was[1];
    }
}

static void best_mapping(solving *s)
{
    double mappings = 1;

    for (int32_t i = 0; i < s->x.nets; i++)
        mappings *= s->x.processors;
    if (mappings <= (double)s->left)
        map_all(s, 0);
    else
        map_by_descent(s);
}

/* ---- all plans ------------------------------------------------------------------------------- */
/* all interleavings of the networks' pieces; next[i]: the layer of network i that is not ordered */
static bool order_all(solving *s, int32_t *next, int32_t ordered)
{
    const tgs_i_puzzle *x = &s->x;
    bool more = true;

    if (ordered == x->layers)
        return look(s);
    for (int32_t i = 0; i < x->nets && more; i++) {
        const tgs_i_net *net = &x->net[i];
        const int32_t first = next[i];
        int32_t at = ordered;

        if (first == net->layers)
            continue;
        do
            order(s)[at++] = net->gene + next[i];
        while (!cuts(s)[net->gene + next[i]++]);
        more = order_all(s, next, at);
        next[i] = first;
    }
    return more;
}

/* all ways to cut and place the layers from this one of this network on */
static bool place_all(solving *s, int32_t net, int32_t layer, int32_t *next)
{
    const tgs_i_puzzle *x = &s->x;
    const int32_t g = net < x->nets ? x->net[net].gene + layer : 0;
    bool more = true;

    if (net == x->nets)
        return order_all(s, next, 0);
    if (layer == x->net[net].layers) {
        cuts(s)[g - 1] = 1;
        return place_all(s, net + 1, 0, next);
    }
    if (layer > 0) { /* it goes on */
        cuts(s)[g - 1] = 0;
        places(s)[g] = places(s)[g - 1];
        more = place_all(s, net, layer + 1, next);
        cuts(s)[g - 1] = 1;
    }
    for (int32_t p = 0; p < x->processors && more; p++) {
        places(s)[g] = p;
        more = place_all(s, net, layer + 1, next);
        if (layer > 0)
            cuts(s)[g - 1] = 1;
    }
    return more;
}

static tgs_status all_plans(solving *s, tgs_error *err)
{
    int32_t *next = tgs_mem_alloc((size_t)s->x.nets, sizeof *next);
    bool all;

    if (!next)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d networks", s->x.nets);
    all = place_all(s, 0, 0, next);
    tgs_mem_free(next);
    if (!all)
        return tgs_fail(err, TGS_ENOTAPPLICABLE,
                        "too many plans to look at all of them: method=ga, or more evals");
    return TGS_OK;
}

/* ---- the genetic search ---------------------------------------------------------------------- */
static tgs_status evolve(solving *s, tgs_error *err)
{
    const int32_t n = s->x.layers, size = (int32_t)tgs_arg_int(s->c->args, "size");
    const tgs_i_part part[] = {{n, 0, 1}, {n, 0, s->x.processors - 1}, {n, 1, 0}};
    int32_t *seed = tgs_mem_alloc(9 * (size_t)n, sizeof *seed), *genes = NULL, count;
    const size_t bytes = 3 * (size_t)n * sizeof *seed;
    tgs_i_genome g = {.parts = 3,
                      .objectives = 2,
                      .part = part,
                      .judge = judge,
                      .stop = s->c->stop,
                      .stop_user = s->c->user,
                      .user = s,
                      .seed = seed,
                      .size = size,
                      .evals = s->left,
                      .mutation = tgs_arg_real(s->c->args, "mutation")};
    double *value = NULL;
    tgs_status status;

    if (!seed)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for genomes of %d layers", n);
    by_layer(s, 0);
    memcpy(seed + 3 * (size_t)n * (size_t)g.seeds++, s->genes, bytes);
    by_layer(s, -1);
    memcpy(seed + 3 * (size_t)n * (size_t)g.seeds++, s->genes, bytes);
    best_mapping(s);
    if (s->value[0] < INFINITY)
        memcpy(seed + 3 * (size_t)n * (size_t)g.seeds++, s->best, bytes);
    g.seeds = g.seeds < size ? g.seeds : size;
    status = tgs_i_evolve(&g, s->c->rng, &genes, &value, &count, err);
    if (!status && count > 0) {
        memcpy(s->best, genes, bytes);
        memcpy(s->value, value, sizeof s->value);
    }
    tgs_mem_free(seed);
    tgs_mem_free(genes);
    tgs_mem_free(value);
    return status;
}

/* ---- what is told ---------------------------------------------------------------------------- */
static tgs_status tell(solving *s, tgs_proposal *out)
{
    tgs_i_puzzle *x = &s->x;
    tgs_status status = TGS_OK;
    double sum = 0, multiplier = NAN;
    bool periodic = true;

    tgs_i_puzzle_cut(x, s->best, s->best + x->layers, s->best + 2 * x->layers);
    for (int32_t k = 0; k < x->piece_at[x->nets] && !status; k++) {
        const tgs_i_piece *p = &x->piece[k];
        const int32_t gene = x->net[p->net].gene;
        char item[200], choice[100];

        snprintf(item, sizeof item, "%.60s: %.60s to %.60s", tgs_i_row_name(x->file, 1, p->net),
                 tgs_i_row_name(x->file, 2, x->layer_row[gene + p->first]),
                 tgs_i_row_name(x->file, 2, x->layer_row[gene + p->last]));
        snprintf(choice, sizeof choice, "%.60s, priority %d",
                 tgs_i_row_name(x->file, 0, p->processor), p->priority);
        status = tgs_proposal_row(out, item, choice, p->time, NAN);
    }
    if (!status)
        status = tgs_proposal_figure(out, "makespan_s", tgs_i_puzzle_makespan(x));
    if (!status)
        status = tgs_proposal_figure(out, "period_s", tgs_i_puzzle_period(x));
    for (int32_t i = 0; i < x->nets; i++) {
        periodic &= x->net[i].period > 0;
        sum += 1 / x->net[i].period;
    }
    if (!periodic || status)
        return status;
    multiplier = tgs_i_puzzle_multiplier(x);
    status = tgs_proposal_figure(out, "period_multiplier", multiplier);
    return status ? status : tgs_proposal_figure(out, "requests_per_s", sum / multiplier);
}

static tgs_status solve(solving *s, tgs_error *err)
{
    const char *method = tgs_arg_text(s->c->args, "method");

    if (!strcmp(method, "ga"))
        return evolve(s, err);
    if (!strcmp(method, "exact"))
        return all_plans(s, err);
    if (!strcmp(method, "main-only")) {
        by_layer(s, 0);
        look(s);
    } else if (!strcmp(method, "best-mapping"))
        best_mapping(s);
    else
        return tgs_fail(err, TGS_EINVAL, "method=%.40s: it is ga, exact, main-only or best-mapping",
                        method);
    return TGS_OK;
}

static tgs_status choose_objective(solving *s, tgs_error *err)
{
    static const char *const names[] = {"makespan", "period", "rate"};
    const char *name = tgs_arg_text(s->c->args, "objective");

    while (s->objective <= RATE && strcmp(name, names[s->objective]))
        s->objective++;
    if (s->objective > RATE)
        return tgs_fail(err, TGS_EINVAL, "objective=%.40s: it is makespan, period or rate", name);
    for (int32_t i = 0; i < s->x.nets && s->objective == RATE; i++)
        if (!(s->x.net[i].period > 0))
            return tgs_i_row_fail(s->x.file, 1, i, err, "objective=rate needs period=");
    return TGS_OK;
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    solving s = {.c = c, .value = {INFINITY, INFINITY}, .left = tgs_arg_int(c->args, "evals")};
    tgs_status status = tgs_i_puzzle_open(&s.x, c, err);

    if (status)
        return status;
    s.genes = tgs_mem_alloc(3 * (size_t)s.x.layers, sizeof *s.genes);
    s.best = tgs_mem_alloc(3 * (size_t)s.x.layers, sizeof *s.best);
    if (!s.genes || !s.best)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d layers", s.x.layers);
    if (!status)
        status = choose_objective(&s, err);
    if (!status)
        status = solve(&s, err);
    if (!status && !(s.value[0] < INFINITY))
        status = tgs_fail(err, TGS_EINFEASIBLE, "no such plan runs every layer");
    if (!status)
        status = tell(&s, out);
    tgs_mem_free(s.genes);
    tgs_mem_free(s.best);
    tgs_i_puzzle_close(&s.x);
    return status;
}

static const tgs_param params[] = {
    {"method", "ga", TGS_PARAM_TEXT, 0, 0, "ga, exact, main-only or best-mapping"},
    {"objective", "makespan", TGS_PARAM_TEXT, 0, 0, "makespan, period or rate"},
    {"requests", "20", TGS_PARAM_INT, 1, 100000, "requests of each network that are played"},
    {"fusion", "1", TGS_PARAM_REAL, 0.01, 100, "factor of the sum of layers that run as a piece"},
    {"evals", "20000", TGS_PARAM_INT, 1, 1e12, "plans to look at"},
    {"size", "60", TGS_PARAM_INT, 2, 10000, "plans in the population"},
    {"mutation", "0.7", TGS_PARAM_REAL, 0, 0.99, "probability of one more mutation of a child"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_planner tgs_planner_puzzle = {
    .base = {TGS_PLUGIN_ABI, "puzzle", "several networks at once: cuts, places and priorities",
             "Kang, Lee, Kim, Puzzle, 2025", params},
    .needs = TGS_PLANS_FILE,
    .systems = "S0",
    .plan = plan,
};
