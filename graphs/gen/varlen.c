/* varlen.c -- causal attention on sequences of unlike lengths over several ranks (Zeppelin, S5).
 *
 * A sequence is cut into 2 G equal chunks, G ranks: chunk c has c + 1/2 chunks of keys before it,
 * so that its work is 2 c + 1 in units of half a chunk squared; with chunks=balanced rank r takes
 * chunks r and 2 G - 1 - r (every rank the same work), with chunks=contiguous 2 r and 2 r + 1. With
 * chunks=unequal each rank has one piece, as long as makes its work what its speed is among those
 * of all: pieces end at the whole tokens next to
 *
 *     t(r) = L sqrt(speeds of the ranks up to r / speeds of all)
 *
 * and the work of one is pair (t(r)^2 - t(r - 1)^2) / 2, t^2 / 2 being that of the first t tokens.
 * A sequence of at most `local` tokens stays on one rank, the one with the least work so far (ties:
 * the first; by its speed).  Keys and values go round a ring of the ranks.  Then tokens are moved,
 * as few as possible, until each rank has its share for the linear modules, by its speed, and back.
 *
 * Work: seconds = pair * tokens^2 / 2 for attention, token * tokens for the linear modules.
 * A move over the network between nodes of `node` ranks is routed over `nics` of them: dispatch
 * inside the node, parallel transfers, combine; with nics=1 it is one transfer.
 *
 * O(sequences ranks). */
#include <string.h>
#include "core.h"

enum { MOST_RANKS = 1024, MOST_SEQUENCES = 10000 };

typedef struct varlen {
    tgs_i_gen g;
    int64_t ranks, local, node, nics;
    double pair, token, bytes; /* bytes of a token */
    bool balanced, unequal;
    int64_t speed[MOST_RANKS];
    double speeds;         /* of all */
    double *work, *tokens; /* [ranks] */
    int32_t *last;         /* [ranks] what a rank has attended last, -1 */
    int32_t *linear;       /* [ranks] */
    int64_t routes;
} varlen;

static int32_t on_rank(varlen *x, const char *what, int64_t rank, int64_t number, double work)
{
    char name[64], group[24];
    int32_t task;

    snprintf(name, sizeof name, "%s_%lld%s", what, (long long)rank, number < 0 ? "" : "_");
    if (number >= 0)
        snprintf(name + strlen(name), sizeof name - strlen(name), "%lld", (long long)number);
    task = tgs_builder_task(x->g.b, name, NULL, work);
    snprintf(group, sizeof group, "%lld", (long long)rank);
    if (task >= 0)
        tgs_builder_task_constrain(x->g.b, task, "group", group);
    return task;
}

/* ---- a transfer between ranks: one edge, or a route over several NICs of a node ---- */

static void move(varlen *x, int32_t from, int64_t a, int32_t to, int64_t b, double bytes)
{
    const int64_t k = x->nics;
    int32_t out, in;

    if (a == b || k < 2 || a / x->node == b / x->node) {
        tgs_builder_edge(x->g.b, from, to, bytes);
        return;
    }
    in = on_rank(x, "combine", b, x->routes, 0);
    for (int64_t i = 0; i < k; i++) {
        const int64_t via = a / x->node * x->node + (a % x->node + i) % x->node;
        const int64_t at = b / x->node * x->node + (b % x->node + i) % x->node;
        const int32_t proxy = on_rank(x, "dispatch", via, x->routes * k + i, 0);

        out = on_rank(x, "arrive", at, x->routes * k + i, 0);
        tgs_builder_edge(x->g.b, from, proxy, bytes / (double)k);
        tgs_builder_edge(x->g.b, proxy, out, bytes / (double)k);
        tgs_builder_edge(x->g.b, out, in, bytes / (double)k);
    }
    tgs_builder_edge(x->g.b, in, to, bytes);
    x->routes++;
}

/* ---- attention ---- */

static int32_t attend(varlen *x, int64_t rank, int64_t sequence, double work)
{
    const int32_t task = on_rank(x, "attend", rank, sequence, work);

    if (x->last[rank] >= 0)
        tgs_builder_after(x->g.b, x->last[rank], task);
    x->last[rank] = task;
    x->work[rank] += work;
    return task;
}

static void stay(varlen *x, int64_t sequence, double length)
{
    int64_t best = 0;

    for (int64_t r = 1; r < x->ranks; r++)
        if (x->work[r] * (double)x->speed[best] < x->work[best] * (double)x->speed[r])
            best = r;
    attend(x, best, sequence, x->pair * length * length / 2);
    x->tokens[best] += length;
}

typedef struct piece { /* of a sequence, of a rank */
    double tokens, work;
} piece;

/* the next rank's; *speeds and *end: of those before it */
static piece piece_of(const varlen *x, int64_t rank, double length, double *speeds, double *end)
{
    const double chunk = length / (double)(2 * x->ranks), unit = x->pair * chunk * chunk / 2;
    const int64_t a = x->balanced ? rank : 2 * rank;
    const int64_t b = x->balanced ? 2 * x->ranks - 1 - rank : 2 * rank + 1;
    const double begin = *end;

    if (!x->unequal)
        return (piece){2 * chunk, unit * (double)(2 * (a + b) + 2)};
    *speeds += (double)x->speed[rank];
    *end = floor(length * sqrt(*speeds / x->speeds) + 0.5);
    return (piece){*end - begin, x->pair * (*end * *end - begin * begin) / 2};
}

static void spread(varlen *x, int64_t sequence, double length)
{
    double speeds = 0, end = 0, tokens = 0;
    int32_t before = -1;

    for (int64_t r = 0; r < x->ranks; r++) {
        const piece own = piece_of(x, r, length, &speeds, &end);
        int32_t keys, task;

        keys = on_rank(x, "keys", r, sequence, 0);
        if (before >= 0) /* keys and values go from rank to rank */
            move(x, before, r - 1, keys, r, tokens * x->bytes);
        before = keys;
        tokens = own.tokens;
        task = attend(x, r, sequence, own.work);
        tgs_builder_after(x->g.b, keys, task);
        x->tokens[r] += own.tokens;
    }
}

/* ---- shares of tokens, equal unless speeds are told: from the first rank that has too many to the
 * first that has too few, which moves what must move and no more ---- */

static double share_of(const varlen *x, double mean, int64_t rank)
{
    return mean * ((double)x->speed[rank] * (double)x->ranks / x->speeds);
}

static void remap(varlen *x)
{
    double mean = 0;
    int64_t to = 0;

    for (int64_t r = 0; r < x->ranks; r++)
        mean += x->tokens[r] / (double)x->ranks;
    for (int64_t r = 0; r < x->ranks; r++)
        x->linear[r] = on_rank(x, "linear", r, -1, x->token * share_of(x, mean, r));
    for (int64_t r = 0; r < x->ranks; r++)
        if (x->last[r] >= 0)
            tgs_builder_after(x->g.b, x->last[r], x->linear[r]);
    for (int64_t r = 0; r < x->ranks && !tgs_builder_status(x->g.b, NULL); r++)
        while (x->tokens[r] > share_of(x, mean, r) * (1 + 1e-12)) {
            double part = x->tokens[r] - share_of(x, mean, r);
            int32_t back;

            while (to < x->ranks && x->tokens[to] >= share_of(x, mean, to) * (1 - 1e-12))
                to++;
            if (to == x->ranks)
                return;
            if (part > share_of(x, mean, to) - x->tokens[to])
                part = share_of(x, mean, to) - x->tokens[to];
            move(x, x->last[r], r, x->linear[to], to, part * x->bytes);
            back = on_rank(x, "back", r, to, 0);
            move(x, x->linear[to], to, back, r, part * x->bytes);
            x->tokens[r] -= part;
            x->tokens[to] += part;
        }
}

static void place(varlen *x, int64_t n, int64_t length)
{
    if (length <= x->local || x->ranks == 1)
        stay(x, n, (double)length);
    else
        spread(x, n, (double)length);
}

/* uniform around mean */
static tgs_status random_sequences(varlen *x, int64_t count, int64_t mean)
{
    for (int64_t n = 0; n < count && !tgs_builder_status(x->g.b, NULL); n++)
        place(x, n, tgs_rng_int(x->g.rng, 1, 2 * mean - 1));
    return tgs_i_gen_status(&x->g);
}

static tgs_status sequences(varlen *x, const char *lengths)
{
    const char *s = lengths;

    for (int64_t n = 0; *s && !tgs_builder_status(x->g.b, NULL); n++) {
        char word[32];
        const size_t size = strcspn(s, "+");
        int64_t length = 0;

        snprintf(word, sizeof word, "%.*s", (int)(size < 31 ? size : 31), s);
        if (n == MOST_SEQUENCES || !tgs_parse_count(word, 1000000000, &length) || !length)
            return tgs_fail(x->g.err, TGS_EINVAL,
                            "varlen: lengths=%.60s: at most %d lengths in tokens, joined by +",
                            lengths, MOST_SEQUENCES);
        place(x, n, length);
        s += size + (s[size] == '+');
    }
    return tgs_i_gen_status(&x->g);
}

/* "2+1+1", a number for each rank; without it all are alike */
static tgs_status take_speeds(varlen *x, const char *speeds)
{
    const char *s = speeds;
    int64_t n = 0;

    for (int64_t r = 0; r < x->ranks; r++)
        x->speed[r] = 1;
    for (; *s; n++) {
        const size_t size = strcspn(s, "+");
        char word[32];

        snprintf(word, sizeof word, "%.*s", (int)(size < 31 ? size : 31), s);
        if (n == x->ranks || !tgs_parse_count(word, 1000000, &x->speed[n]) || !x->speed[n])
            break;
        s += size + (s[size] == '+');
    }
    if (*s || (n && n != x->ranks))
        return tgs_fail(x->g.err, TGS_EINVAL,
                        "varlen: speeds=%.60s: a whole number for each of %lld ranks, joined by +",
                        speeds, (long long)x->ranks);
    for (int64_t r = 0; r < x->ranks; r++)
        x->speeds += (double)x->speed[r];
    return TGS_OK;
}

static tgs_status make(const tgs_args *a, tgs_rng *r, tgs_builder *b, tgs_error *err)
{
    const char *rule = tgs_arg_text(a, "chunks");
    varlen x = {.ranks = tgs_arg_int(a, "ranks"),
                .local = tgs_arg_int(a, "local"),
                .node = tgs_arg_int(a, "node"),
                .nics = tgs_arg_int(a, "nics"),
                .pair = tgs_arg_real(a, "pair"),
                .token = tgs_arg_real(a, "token"),
                .bytes = tgs_arg_real(a, "token_bytes"),
                .balanced = *rule == 'b',
                .unequal = *rule == 'u',
                .g = {.b = b, .rng = r, .err = err}};
    tgs_status status = take_speeds(&x, tgs_arg_text(a, "speeds"));

    if (status)
        return status;
    if (strcmp(rule, "balanced") && strcmp(rule, "contiguous") && strcmp(rule, "unequal"))
        return tgs_fail(err, TGS_EINVAL,
                        "varlen: chunks=%.40s: there are balanced, contiguous and unequal", rule);
    if (x.nics > x.node || (x.nics > 1 && x.ranks % x.node))
        return tgs_fail(err, TGS_EINVAL,
                        "varlen: the nics of a node are ranks of it, and nodes are full");
    x.work = tgs_mem_alloc((size_t)x.ranks, sizeof *x.work);
    x.tokens = tgs_mem_alloc((size_t)x.ranks, sizeof *x.tokens);
    x.last = tgs_mem_alloc((size_t)x.ranks, sizeof *x.last);
    x.linear = tgs_mem_alloc((size_t)x.ranks, sizeof *x.linear);
    if (!x.work || !x.tokens || !x.last || !x.linear)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    else {
        memset(x.last, -1, (size_t)x.ranks * sizeof *x.last);
        status = *tgs_arg_text(a, "lengths")
                     ? sequences(&x, tgs_arg_text(a, "lengths"))
                     : random_sequences(&x, tgs_arg_int(a, "sequences"), tgs_arg_int(a, "mean"));
    }
    if (!status) {
        remap(&x);
        status = tgs_i_gen_status(&x.g);
    }
    tgs_mem_free(x.work);
    tgs_mem_free(x.tokens);
    tgs_mem_free(x.last);
    tgs_mem_free(x.linear);
    return status;
}

static const tgs_param params[] = {
    {"lengths", "", TGS_PARAM_TEXT, 0, 0,
     "of the sequences, tokens joined by +; without them, random ones"},
    {"sequences", "8", TGS_PARAM_INT, 1, MOST_SEQUENCES, "how many random ones"},
    {"mean", "1024", TGS_PARAM_INT, 1, 1e9, "tokens of one on average"},
    {"ranks", "4", TGS_PARAM_INT, 1, MOST_RANKS, "G: ranks"},
    {"chunks", "balanced", TGS_PARAM_TEXT, 0, 0,
     "balanced: r and 2 G - 1 - r; contiguous: 2 r and 2 r + 1; unequal: one piece a rank, by "
     "work"},
    {"speeds", "", TGS_PARAM_TEXT, 0, 0,
     "of the ranks, joined by +, for unequal pieces and shares of tokens; without it all alike"},
    {"local", "1024", TGS_PARAM_INT, 0, 1e9, "tokens up to which a sequence stays on one rank"},
    {"node", "8", TGS_PARAM_INT, 1, MOST_RANKS, "ranks of a node"},
    {"nics", "1", TGS_PARAM_INT, 1, MOST_RANKS, "that a transfer between nodes is spread over"},
    {"pair", "1e-9", TGS_PARAM_REAL, 0, 1e9, "seconds of a query and a key"},
    {"token", "1e-6", TGS_PARAM_REAL, 0, 1e9, "seconds of a token in the linear modules"},
    {"token_bytes", "4096", TGS_PARAM_REAL, 0, 1e12, "bytes of a token"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_generator tgs_generator_varlen = {
    .base = {TGS_PLUGIN_ABI, "varlen", "causal attention on sequences of unlike lengths",
             "Chen et al., Zeppelin, EuroSys 2026, arXiv:2509.21841", params},
    .make = make,
};
