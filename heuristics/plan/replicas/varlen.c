/* varlen.c -- sequences of unlike lengths on ranks in nodes (Chen et al., Zeppelin, EuroSys 2026).
 *
 * Attention over L tokens takes c L^2 seconds on a rank, and where p ranks share it, each has
 * c L^2 / p of it and receives the others' keys and values, L (p - 1) / p tokens.  A sequence stays
 * on a rank, is shared within a node, or by all ranks: whatever takes least, ties to the nearer.
 * The three cross at lengths that are told, which generator varlen takes as local=.  Long ones
 * first, each goes to the node and the rank that have least to do; of those that are shared, rank i
 * of p has the chunks i and 2 p - 1 - i of 2 p, whose causal work is the same for all.
 *
 * Before the linear layers tokens move until the ranks have as many, give or take one: none moves
 * that need not, and within a node first, so that neither all nor those between nodes can be fewer.
 * What leaves a node goes through one link, or through k of them from ranks beside it:
 *
 *   direct n inter        routed n intra (k - 1) / k + n inter / k + n intra (k - 1) / k
 *
 *   machine NAME ranks=PER-NODE [nodes=N] [links=K] compute=C intra=S inter=S
 *   sequence NAME tokens=L
 *   rank NAME tokens=L              instead of sequences: what each rank has, node by node */
#include <stdlib.h>
#include <string.h>
#include "tgsched/planner.h"
#include "../instance.h"

enum { MACHINE, SEQUENCE, RANK };
enum { RANKS, NODES, LINKS, COMPUTE, INTRA, INTER };
static const tgs_i_column machine[] = {
    {"ranks", TGS_I_WHOLE, false, 1, 4096, NAN, 0},
    {"nodes", TGS_I_WHOLE, false, 1, 4096, 1, 0},
    {"links", TGS_I_WHOLE, false, 1, 4096, 1, 0},
    {"compute", TGS_I_REAL, false, 0, 1e12, 0, 0},
    {"intra", TGS_I_REAL, false, 0, 1e12, NAN, 0},
    {"inter", TGS_I_REAL, false, 0, 1e12, NAN, 0},
    {.key = NULL},
};
static const tgs_i_column length[] = {
    {"tokens", TGS_I_WHOLE, false, 0, 1e9, NAN, 0},
    {.key = NULL},
};
static const tgs_i_table tables[] = {{"machine", 1, 1, machine},
                                     {"sequence", 0, 100000, length},
                                     {"rank", 0, 1 << 24, length},
                                     {.record = NULL}};

typedef enum reach { LOCAL, NODE, ALL, REACHES } reach;
static const char *const names[] = {"on one rank", "within a node", "on all ranks"};

typedef struct dealing {
    tgs_i_instance *f;
    int32_t per_node, nodes, ranks;
    double *work;    /* [ranks] seconds of attention */
    int64_t *tokens; /* [ranks] */
} dealing;

static double of(const dealing *x, int32_t column)
{
    return tgs_i_real(x->f, MACHINE, 0, column);
}

/* n tokens out of a node: through one link, or the links of the ranks beside it */
static double leave(const dealing *x, double n, bool *routed)
{
    const double k = fmin(of(x, LINKS), x->per_node);
    const double direct = n * of(x, INTER);
    const double spread = 2 * n * of(x, INTRA) * (k - 1) / k + direct / k;

    *routed = spread < direct;
    return fmin(direct, spread);
}

static int32_t sharers(const dealing *x, reach r)
{
    return r == LOCAL ? 1 : r == NODE ? x->per_node : x->ranks;
}

/* seconds on each rank that has a part of it */
static double seconds(const dealing *x, reach r, double tokens)
{
    const double p = sharers(x, r), moved = tokens * (p - 1) / p;
    bool routed;

    return of(x, COMPUTE) * tokens * tokens / p
           + (r == NODE  ? moved * of(x, INTRA)
              : r == ALL ? leave(x, moved, &routed)
                         : 0);
}

static reach best_reach(const dealing *x, double tokens)
{
    reach best = LOCAL;

    for (reach r = NODE; r < REACHES; r++)
        if (sharers(x, r) > sharers(x, best) && seconds(x, r, tokens) < seconds(x, best, tokens))
            best = r;
    return best;
}

/* the shortest sequence that is shared so far: seconds are of the form a L^2 + b L, so that one
 * that is shared stays so when it is longer; INFINITY: none is */
static double crossing(const dealing *x, reach r)
{
    int64_t lo = 0, hi = (int64_t)1 << 40;

    if (best_reach(x, (double)hi) < r)
        return INFINITY;
    while (lo + 1 < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        *(best_reach(x, (double)mid) >= r ? &hi : &lo) = mid;
    }
    return (double)hi;
}

/* ---- sequences to ranks ---- */
static int32_t least(const dealing *x, int32_t from, int32_t to)
{
    int32_t best = from;

    for (int32_t i = from; i < to; i++)
        best = x->work[i] < x->work[best] ? i : best;
    return best;
}

/* of all nodes the one whose ranks have least to do in all */
static int32_t least_node(const dealing *x)
{
    int32_t best = 0;
    double fewest = INFINITY;

    for (int32_t n = 0; n < x->nodes; n++) {
        double sum = 0;

        for (int32_t i = 0; i < x->per_node; i++)
            sum += x->work[n * x->per_node + i];
        if (sum < fewest) {
            fewest = sum;
            best = n;
        }
    }
    return best;
}

typedef struct order {
    double tokens;
    int32_t row;
} order;

static int longest_first(const void *a, const void *b)
{
    const order *x = a, *y = b;

    return x->tokens != y->tokens ? (x->tokens > y->tokens ? -1 : 1) : x->row - y->row;
}

static tgs_status place(dealing *x, const order *o, tgs_proposal *out)
{
    const reach r = best_reach(x, o->tokens);
    const int32_t node = r == ALL ? 0 : least_node(x), p = sharers(x, r);
    const int32_t first =
        r == LOCAL ? least(x, node * x->per_node, (node + 1) * x->per_node) : node * x->per_node;
    char choice[80];

    for (int32_t i = 0; i < p; i++) { /* what does not divide: the first ones have one more */
        x->work[first + i] += seconds(x, r, o->tokens);
        x->tokens[first + i] += (int64_t)o->tokens / p + (i < (int64_t)o->tokens % p);
    }
    if (r == ALL)
        snprintf(choice, sizeof choice, "%s", names[r]);
    else if (r == NODE)
        snprintf(choice, sizeof choice, "%s: %d", names[r], (int)node);
    else
        snprintf(choice, sizeof choice, "%s: %d", names[r], (int)first);
    return tgs_proposal_row(out, tgs_i_row_name(x->f, SEQUENCE, o->row), choice,
                            seconds(x, r, o->tokens), NAN);
}

static tgs_status place_all(dealing *x, tgs_proposal *out)
{
    const int32_t n = tgs_i_rows(x->f, SEQUENCE);
    order *o = tgs_mem_alloc((size_t)n, sizeof *o);
    double longest = 0;
    tgs_status status = o ? TGS_OK : TGS_ENOMEM;

    for (int32_t i = 0; i < n && !status; i++)
        o[i] = (order){tgs_i_real(x->f, SEQUENCE, i, 0), i};
    if (!status && n)
        qsort(o, (size_t)n, sizeof *o, longest_first);
    for (int32_t i = 0; i < n && !status; i++)
        status = place(x, &o[i], out);
    tgs_mem_free(o);
    for (int32_t i = 0; i < x->ranks; i++)
        longest = fmax(longest, x->work[i]);
    if (!status && n)
        status = tgs_proposal_figure(out, "attention_s", longest);
    if (!status && n && crossing(x, NODE) < INFINITY)
        status = tgs_proposal_figure(out, "shared_from_tokens", crossing(x, NODE));
    if (!status && n && x->nodes > 1 && crossing(x, ALL) < INFINITY)
        status = tgs_proposal_figure(out, "spread_from_tokens", crossing(x, ALL));
    return status;
}

/* ---- tokens to even counts ---- */
/* moves what ranks [from, to) have over to those of them that lack; returns how many moved */
static int64_t move_within(int64_t *over, int32_t from, int32_t to, const char *how,
                           tgs_proposal *out, tgs_status *status)
{
    int64_t moved = 0;

    for (int32_t a = from, b = from; a < to && b < to && !*status;) {
        const int64_t n = over[a] < -over[b] ? over[a] : -over[b];
        char item[40], choice[80];

        if (over[a] <= 0) {
            a++;
            continue;
        }
        if (over[b] >= 0) {
            b++;
            continue;
        }
        over[a] -= n;
        over[b] += n;
        moved += n;
        snprintf(item, sizeof item, "rank %d", (int)a);
        snprintf(choice, sizeof choice, "%lld tokens to rank %d, %s", (long long)n, (int)b, how);
        *status = tgs_proposal_row(out, item, choice, NAN, NAN);
    }
    return moved;
}

static tgs_status remap(dealing *x, tgs_proposal *out)
{
    int64_t *over = tgs_mem_alloc((size_t)x->ranks, sizeof *over);
    int64_t all = 0, more, near = 0, far;
    tgs_status status = over ? TGS_OK : TGS_ENOMEM;
    double direct, out_of_node;
    bool routed;

    if (status)
        return status;
    for (int32_t i = 0; i < x->ranks; i++)
        all += x->tokens[i];
    more = all % x->ranks; /* ranks that keep one more: those that have it, then the first ones */
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < x->ranks; i++)
            if (pass == 0)
                over[i] = x->tokens[i] - all / x->ranks;
            else if (more > 0 && over[i] > 0) {
                over[i]--;
                more--;
            }
    for (int32_t i = 0; i < x->ranks && more > 0; i++)
        if (x->tokens[i] <= all / x->ranks) {
            over[i]--;
            more--;
        }
    for (int32_t n = 0; n < x->nodes; n++)
        near +=
            move_within(over, n * x->per_node, (n + 1) * x->per_node, "in its node", out, &status);
    far = move_within(over, 0, x->ranks, "in another node", out, &status);
    tgs_mem_free(over);
    out_of_node = leave(x, 1, &routed);
    direct = of(x, INTER);
    if (!status)
        status = tgs_proposal_figure(out, "moved_tokens", (double)(near + far));
    if (!status)
        status = tgs_proposal_figure(out, "moved_between_nodes_tokens", (double)far);
    if (!status)
        status = tgs_proposal_figure(out, "direct_per_token_s", direct);
    return status ? status : tgs_proposal_figure(out, "routed_per_token_s", out_of_node);
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    dealing x = {.f = NULL};
    tgs_status status = tgs_i_instance_read(&x.f, c->source, tables, err);
    int32_t given;

    if (status)
        return status;
    x.per_node = tgs_i_index(x.f, MACHINE, 0, RANKS);
    x.nodes = tgs_i_index(x.f, MACHINE, 0, NODES);
    x.ranks = x.per_node * x.nodes;
    given = tgs_i_rows(x.f, RANK);
    x.work = tgs_mem_alloc((size_t)x.ranks, sizeof *x.work);
    x.tokens = tgs_mem_alloc((size_t)x.ranks, sizeof *x.tokens);
    if (given && (given != x.ranks || tgs_i_rows(x.f, SEQUENCE)))
        status = tgs_i_row_fail(x.f, RANK, 0, err, "%d ranks have tokens, of %d; and no sequences",
                                (int)given, (int)x.ranks);
    else if (!x.work || !x.tokens)
        status = TGS_ENOMEM;
    for (int32_t i = 0; i < given && !status; i++)
        x.tokens[i] = (int64_t)tgs_i_real(x.f, RANK, i, 0);
    if (!status)
        status = place_all(&x, out);
    if (!status)
        status = remap(&x, out);
    if (status == TGS_ENOMEM)
        tgs_fail(err, status, "out of memory for %d ranks", (int)x.ranks);
    tgs_mem_free(x.work);
    tgs_mem_free(x.tokens);
    tgs_i_instance_free(x.f);
    return status;
}

const tgs_planner tgs_planner_varlen = {
    .base = {TGS_PLUGIN_ABI, "varlen", "sequences of unlike lengths on ranks in nodes",
             "Chen et al., Zeppelin, EuroSys 2026 (arXiv 2509.21841)", NULL},
    .needs = TGS_PLANS_FILE,
    .systems = "S5",
    .plan = plan,
};
