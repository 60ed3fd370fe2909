/* pipedream.c -- Narayanan et al., PipeDream, SOSP 2019: stages of a pipeline that may be
 * replicated, on k like machines.
 *
 * A stage is what one down-set of the layers' graph has more than another, so that data only flow
 * on.  A(S, m), the least longest stage of the layers S on m machines, is
 *
 *   min over S' in S, r <= m of max(A(S', m - r), (T + 4 (r - 1) P / (B r)) / r)
 *
 * with T the seconds and P the parameter bytes of S \ S', and B the bandwidth: each of r replicas
 * sends and receives its share of the gradients and of the weights.  Many choices have the same
 * longest stage; of these the one is taken whose longest T / r is least.  O(down-sets^2 k^2). */
#include <stdlib.h>
#include <string.h>
#include "../step.h"

enum { MOST_SETS = 20000, MOST_MACHINES = 64 };

typedef struct sets {
    int32_t n, words, count;
    uint64_t *bits;       /* [count * words] by size */
    double *time, *bytes; /* [count] of the layers in it */
    bool chain;           /* only those of the layers' order: there are too many others */
} sets;

typedef struct stages {
    int32_t count, set[MOST_MACHINES + 1], copies[MOST_MACHINES]; /* set[0] is empty */
    double longest;
} stages;

static void close_sets(sets *s)
{
    tgs_mem_free(s->bits);
    tgs_mem_free(s->time);
    tgs_mem_free(s->bytes);
    memset(s, 0, sizeof *s);
}

static uint64_t *bits_of(const sets *s, int32_t i)
{
    return s->bits + (int64_t)i * s->words;
}

static bool has(const uint64_t *set, int32_t i)
{
    return set[i / 64] >> (i % 64) & 1;
}

static bool within(const sets *s, int32_t a, int32_t b)
{
    const uint64_t *x = bits_of(s, a), *y = bits_of(s, b);

    for (int32_t w = 0; w < s->words; w++)
        if (x[w] & ~y[w])
            return false;
    return true;
}

/* may layer i follow the set? */
static bool open_for(const tgs_layers *l, const uint64_t *set, int32_t i)
{
    if (has(set, i))
        return false;
    for (int32_t e = 0; e < l->edges; e++)
        if (l->edge[e].to == i && !has(set, l->edge[e].from))
            return false;
    return true;
}

static tgs_status add_set(sets *s, int64_t *room, const uint64_t *from, int32_t more)
{
    if (tgs_mem_grow(&s->bits, room, (int64_t)(s->count + 1) * s->words, sizeof *s->bits))
        return TGS_ENOMEM;
    memset(bits_of(s, s->count), 0, (size_t)s->words * sizeof *s->bits);
    if (more >= 0) {
        memcpy(bits_of(s, s->count), from, (size_t)s->words * sizeof *s->bits);
        bits_of(s, s->count)[more / 64] |= (uint64_t)1 << (more % 64);
    }
    s->count++;
    return TGS_OK;
}

static bool known(const sets *s, int32_t first)
{
    const uint64_t *new = bits_of(s, s->count - 1);

    for (int32_t i = first; i < s->count - 1; i++)
        if (!memcmp(bits_of(s, i), new, (size_t)s->words * sizeof *new))
            return true;
    return false;
}

/* level by level: those of k + 1 layers are those of k and one that may follow */
static tgs_status list_sets(sets *s, const tgs_layers *l, bool chain)
{
    int64_t room = 0;
    int32_t first = 0, end = 1;
    uint64_t *base = tgs_mem_alloc((size_t)s->words, sizeof *base);
    tgs_status status = base ? add_set(s, &room, NULL, -1) : TGS_ENOMEM;

    while (!status && first < end && s->count <= MOST_SETS) {
        for (int32_t i = first; i < end && !status && s->count <= MOST_SETS; i++)
            for (int32_t k = 0; k < l->n && !status; k++) {
                memcpy(base, bits_of(s, i), (size_t)s->words * sizeof *base);
                if (chain ? k != i : !open_for(l, base, k))
                    continue;
                status = add_set(s, &room, base, k);
                if (!status && known(s, end))
                    s->count--;
            }
        first = end;
        end = s->count;
    }
    tgs_mem_free(base);
    return status;
}

/* where samples come from: the paper does not count what a loader does */
static bool is_source(const tgs_layers *l, int32_t k)
{
    for (int32_t e = 0; e < l->edges; e++)
        if (l->edge[e].to == k)
            return false;
    return !(l->layer[k].parameters > 0);
}

static tgs_status open_sets(sets *s, const tgs_layers *l, const tgs_proc *p, bool chain)
{
    tgs_status status;

    memset(s, 0, sizeof *s);
    s->n = l->n;
    s->words = (l->n + 63) / 64;
    s->chain = chain;
    status = list_sets(s, l, chain);
    if (!status && s->count > MOST_SETS && !chain) {
        close_sets(s);
        return open_sets(s, l, p, true);
    }
    if (!status) {
        s->time = tgs_mem_alloc((size_t)s->count, sizeof *s->time);
        s->bytes = tgs_mem_alloc((size_t)s->count, sizeof *s->bytes);
        status = s->time && s->bytes ? TGS_OK : TGS_ENOMEM;
    }
    for (int32_t i = 0; i < s->count && !status; i++)
        for (int32_t k = 0; k < l->n; k++)
            if (has(bits_of(s, i), k)) {
                const int64_t at = (int64_t)k * l->kinds + p->kind;

                if (!is_source(l, k))
                    s->time[i] += (l->forward[at] + l->backward[at]) / p->speed;
                s->bytes[i] += l->layer[k].parameters;
            }
    return status;
}

/* with bound: the least longest stage without gradients, where with them none is longer than that
 */
static tgs_status search(const sets *s, int32_t machines, bool straight, double bandwidth,
                         double bound, stages *out)
{
    const int32_t m = machines + 1;
    double *a = tgs_mem_alloc((size_t)s->count * (size_t)m, sizeof *a);
    int32_t *from = tgs_mem_alloc((size_t)s->count * (size_t)m, sizeof *from);
    int32_t *copies = tgs_mem_alloc((size_t)s->count * (size_t)m, sizeof *copies);
    int32_t stage[MOST_MACHINES + 1], r[MOST_MACHINES + 1], k = 0;

    for (int64_t i = 1; a && i < (int64_t)s->count * m; i++)
        a[i] = i < m ? 0 : INFINITY; /* nothing takes no time on any number of machines */
    for (int32_t j = 1; j < s->count && a && from && copies; j++)
        for (int32_t i = 0; i < j; i++) {
            if (!within(s, i, j))
                continue;
            for (int32_t c = 1; c <= (straight ? 1 : machines); c++) {
                const double sync = 4.0 * (c - 1) * (s->bytes[j] - s->bytes[i]) / (bandwidth * c);
                const double whole = (s->time[j] - s->time[i] + sync) / c;
                const double time = bound < INFINITY ? (s->time[j] - s->time[i]) / c : whole;

                if (whole > bound)
                    continue;
                for (int32_t q = c; q <= machines; q++) {
                    const double longest = fmax(a[(int64_t)i * m + q - c], time);

                    if (longest < a[(int64_t)j * m + q]) {
                        a[(int64_t)j * m + q] = longest;
                        from[(int64_t)j * m + q] = i;
                        copies[(int64_t)j * m + q] = c;
                    }
                }
            }
        }
    if (a && from && copies) {
        int32_t j = s->count - 1, q = machines;

        out->longest = a[(int64_t)j * m + q];
        while (j > 0) {
            stage[k] = j;
            r[k++] = copies[(int64_t)j * m + q];
            q -= copies[(int64_t)j * m + q];
            j = from[(int64_t)j * m + q + r[k - 1]];
        }
        out->count = k;
        out->set[0] = 0;
        for (int32_t i = 0; i < k; i++) {
            out->set[i + 1] = stage[k - 1 - i];
            out->copies[i] = r[k - 1 - i];
        }
    }
    tgs_mem_free(a);
    tgs_mem_free(from);
    tgs_mem_free(copies);
    return a && from && copies ? TGS_OK : TGS_ENOMEM;
}

static tgs_status solve(const sets *s, int32_t machines, bool straight, double bandwidth,
                        stages *out)
{
    tgs_status status = search(s, machines, straight, bandwidth, INFINITY, out);
    const double longest = out->longest;

    if (!status) /* the same sums in the same order: the bound is met exactly */
        status = search(s, machines, straight, bandwidth, longest, out);
    out->longest = longest;
    return status;
}

/* how many layers, when the set is the first ones of the order; -1: it is not */
static int32_t prefix(const sets *s, int32_t set)
{
    int32_t k = 0;

    while (k < s->n && has(bits_of(s, set), k))
        k++;
    for (int32_t i = k; i < s->n; i++)
        if (has(bits_of(s, set), i))
            return -1;
    return k;
}

/* a strategy has cuts of the layers' order and the same number of replicas of each stage */
static bool expressible(const sets *s, const stages *x)
{
    for (int32_t i = 0; i < x->count; i++)
        if (x->copies[i] != x->copies[0] || prefix(s, x->set[i + 1]) < 0)
            return false;
    return true;
}

static tgs_status put(const tgs_planner_ctx *c, const tgs_layers *l, const tgs_i_devices *d,
                      const sets *s, const stages *x, tgs_proposal *out, tgs_error *err)
{
    const int64_t samples = x->copies[0] * l->batch;
    tgs_i_text cuts = {0}, places = {0};
    tgs_status status = TGS_OK;

    if (c->batch % samples)
        return tgs_fail(err, TGS_ENOTAPPLICABLE,
                        "a step of %lld samples is no multiple of the %lld of all replicas",
                        (long long)c->batch, (long long)samples);
    for (int32_t i = 1; i < x->count && !status; i++)
        status = tgs_i_list_name(&cuts, l->layer[prefix(s, x->set[i]) - 1].name);
    for (int32_t i = 0; i < x->count * x->copies[0] && !status; i++)
        status = tgs_i_list_name(&places, c->p->memory[d->memory[i]].name);
    if (!status && x->count > 1)
        status = tgs_proposal_directive(out, "pipeline %d 1f1b cuts=%s", (int)x->count, cuts.text);
    if (!status)
        status =
            tgs_proposal_directive(out, "micro-batches %lld; replicas %d; place %s",
                                   (long long)(c->batch / samples), (int)x->copies[0], places.text);
    tgs_mem_free(cuts.text);
    tgs_mem_free(places.text);
    return status;
}

static tgs_status tell(const tgs_layers *l, const sets *s, const stages *x, tgs_proposal *out)
{
    double compute = 0; /* as the paper's optimizer reports it: without the gradients */
    tgs_status status = tgs_proposal_figure(out, "longest_stage_s", x->longest);

    for (int32_t i = 0; i < x->count; i++)
        compute = fmax(compute, (s->time[x->set[i + 1]] - s->time[x->set[i]]) / x->copies[i]);
    if (!status)
        status = tgs_proposal_figure(out, "bottleneck_s", compute);
    for (int32_t i = 0; i < x->count && !status; i++) {
        const int32_t a = x->set[i], b = x->set[i + 1];
        char item[32], choice[160];
        int32_t first = -1, last = -1;

        for (int32_t k = 0; k < l->n; k++)
            if (has(bits_of(s, b), k) && !has(bits_of(s, a), k)) {
                first = first < 0 ? k : first;
                last = k;
            }
        snprintf(item, sizeof item, "stage %d", (int)i + 1);
        snprintf(choice, sizeof choice, "%d x %.60s to %.60s", (int)x->copies[i],
                 l->layer[first].name, l->layer[last].name);
        status =
            tgs_proposal_row(out, item, choice, s->time[b] - s->time[a], s->bytes[b] - s->bytes[a]);
    }
    return status;
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    const bool straight = !tgs_arg_int(c->args, "replicate");
    double bandwidth = tgs_arg_real(c->args, "bandwidth");
    const tgs_layers *l;
    tgs_i_devices d = {0};
    sets s = {0}, ordered = {0};
    stages x, y;
    int32_t machines = 1;
    tgs_status status = tgs_planner_layers(c, 0, c->bound, &l, err);

    if (!status)
        status = tgs_i_devices_open(&d, c, l, 1, err); /* like the fastest */
    if (status)
        return status;
    machines = d.n < MOST_MACHINES ? d.n : MOST_MACHINES;
    for (int32_t i = 1; i < machines && !tgs_arg_given(c->args, "bandwidth"); i++)
        bandwidth = fmin(i > 1 ? bandwidth : INFINITY, 1 / d.inv[i]);
    status = open_sets(&s, l, &c->p->proc[d.proc[0]], false);
    if (!status)
        status = solve(&s, machines, straight, bandwidth, &x);
    if (!status)
        status = tell(l, &s, &x, out);
    if (!status && s.chain)
        status = tgs_proposal_note(out,
                                   "more than %d down-sets: stages are parts of one order of "
                                   "the layers",
                                   MOST_SETS);
    if (!status && expressible(&s, &x))
        status = put(c, l, &d, &s, &x, out, err);
    else if (!status) {
        status = open_sets(&ordered, l, &c->p->proc[d.proc[0]], true);
        if (!status)
            status = solve(&ordered, machines, true, bandwidth, &y);
        if (!status)
            status = put(c, l, &d, &ordered, &y, out, err);
        if (!status)
            status = tgs_proposal_note(out,
                                       "a strategy has equal replicas and cuts of one order: "
                                       "it is that of the best such pipeline (longest stage "
                                       "%.6g s)",
                                       y.longest);
    }
    if (status == TGS_ENOMEM)
        tgs_fail(err, status, "out of memory");
    close_sets(&s);
    close_sets(&ordered);
    tgs_i_devices_close(&d);
    return status;
}

static const tgs_param params[] = {
    {"replicate", "1", TGS_PARAM_INT, 0, 1, "0: no stage is replicated"},
    {"bandwidth", "1e9", TGS_PARAM_REAL, 1, 1e18,
     "bytes per second between machines; the slowest link's when not given"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_planner tgs_planner_pipedream = {
    .base = {TGS_PLUGIN_ABI, "pipedream", "stages of a pipeline, replicated where that is faster",
             "Narayanan et al., PipeDream, SOSP 2019", params},
    .needs = TGS_PLANS_MODEL | TGS_PLANS_PLATFORM,
    .systems = "",
    .plan = plan,
};
