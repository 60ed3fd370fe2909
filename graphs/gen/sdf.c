/* sdf.c -- a chain of synchronous dataflow actors, unfolded into its firings.
 *
 * rates=2/3+1/2: between each actor and the next a channel, into which a firing puts 2 tokens and
 * from which one takes 3.  The balance equations give how often each actor fires in an iteration
 * (q_i p_i = q_(i+1) c_i, smallest); a firing needs those that make its tokens, and, with state=1,
 * the firing of its actor before.  A channel of q p = L tokens an iteration has L/p + L/c -
 * L/lcm(p, c) edges an iteration; an edge carries `bytes` (or by ccr) for each of its tokens on
 * average.
 *
 * blocks=4+2+1: so many firings of an actor in one call, which is one task (a divisor of its
 * firings of all iterations): a call needs every firing that makes a token of it.  On each of
 * `kinds` a call of b firings takes setup + each b seconds, where setup and each are given.  Calls
 * of one actor come in their order.  The graph's note says what the channels must hold at least: p
 * + c - gcd(p, c) tokens of one whose calls put p and take c.  (Lin, Wu, Bhattacharyya, ACM TECS
 * 17(2), 2018: S16.) */
#include <string.h>
#include "core.h"

enum { MOST_ACTORS = 64, MOST_RATE = 10000, MOST_KINDS = 16 };

typedef struct sdf {
    tgs_i_gen g;
    int32_t actors;
    int64_t put[MOST_ACTORS], take[MOST_ACTORS]; /* of the channel behind an actor */
    int64_t fires[MOST_ACTORS];                  /* in an iteration */
    int64_t block[MOST_ACTORS];                  /* firings of a call */
    int64_t iterations;
    double setup[MOST_KINDS], each[MOST_KINDS]; /* of a call, of a firing, by kind */
    bool state, timed;
} sdf;

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

static tgs_status read_rates(sdf *x, const char *text)
{
    const char *s = text;

    for (x->actors = 1; *s; x->actors++) {
        char word[40], *slash;
        const size_t n = strcspn(s, "+");

        if (x->actors == MOST_ACTORS || n >= sizeof word)
            return tgs_fail(x->g.err, TGS_EINVAL, "sdf: rates: at most %d channels",
                            MOST_ACTORS - 1);
        snprintf(word, sizeof word, "%.*s", (int)n, s);
        slash = strchr(word, '/');
        if (slash)
            *slash = 0;
        if (!slash || !tgs_parse_count(word, MOST_RATE, &x->put[x->actors - 1])
            || !tgs_parse_count(slash + 1, MOST_RATE, &x->take[x->actors - 1])
            || !x->put[x->actors - 1] || !x->take[x->actors - 1])
            return tgs_fail(x->g.err, TGS_EINVAL,
                            "sdf: rates=%s: each channel is PUT/TAKE, from 1 to %d", text,
                            MOST_RATE);
        s += n + (s[n] == '+');
    }
    return TGS_OK;
}

/* "4+2+1": numbers joined by +, count of them or one for all; false: they are not */
static bool read_list(const char *text, int32_t count, double *to)
{
    int32_t n = 0;

    for (const char *s = text; *s; n++) {
        char word[40];
        const size_t size = strcspn(s, "+");

        if (n == count || size >= sizeof word)
            return false;
        snprintf(word, sizeof word, "%.*s", (int)size, s);
        if (!tgs_parse_real(word, &to[n]) || to[n] < 0)
            return false;
        s += size + (s[size] == '+');
    }
    for (int32_t i = 1; n == 1 && i < count; i++)
        to[i] = to[0];
    return n == 1 || n == count;
}

static tgs_status read_calls(sdf *x, const tgs_args *a)
{
    double block[MOST_ACTORS];

    if (x->timed
        && (x->g.kinds > MOST_KINDS || !x->g.kinds
            || !read_list(tgs_arg_text(a, "setup"), x->g.kinds, x->setup)
            || !read_list(tgs_arg_text(a, "each"), x->g.kinds, x->each)))
        return tgs_fail(x->g.err, TGS_EINVAL,
                        "sdf: setup and each are one time for each of kinds, joined by +");
    if (!read_list(tgs_arg_text(a, "blocks"), x->actors, block))
        return tgs_fail(x->g.err, TGS_EINVAL, "sdf: blocks: one for each of %d actors, joined by +",
                        (int)x->actors);
    for (int32_t i = 0; i < x->actors; i++) {
        const int64_t fires = x->fires[i] * x->iterations;

        x->block[i] = block[i] >= 1 && block[i] <= (double)fires ? (int64_t)block[i] : 0;
        if (!x->block[i] || (double)x->block[i] != block[i] || fires % x->block[i])
            return tgs_fail(x->g.err, TGS_EINVAL,
                            "sdf: actor %d fires %lld times: not in calls of %g", (int)i,
                            (long long)fires, block[i]);
    }
    return TGS_OK;
}

/* what each channel must hold between calls of these sizes */
static void note_buffers(const sdf *x)
{
    char text[200];
    size_t used = 0;
    double sum = 0;

    for (int32_t i = 0; i + 1 < x->actors; i++) {
        const int64_t p = x->put[i] * x->block[i], c = x->take[i] * x->block[i + 1];
        const int64_t least = p + c - gcd(p, c);

        sum += (double)least;
        if (used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld", i ? " + " : "",
                                     (long long)least);
    }
    if (x->actors > 1)
        tgs_builder_note(x->g.b, "channels hold at least %.17g tokens (%s)", sum,
                         used < sizeof text ? text : "too many to list");
}

/* the smallest whole solution of the balance equations */
static tgs_status balance(sdf *x)
{
    double tasks = 0;
    int64_t all;

    x->fires[0] = 1;
    for (int32_t i = 0; i + 1 < x->actors; i++) {
        const int64_t made = x->fires[i] * x->put[i], scale = x->take[i] / gcd(made, x->take[i]);

        for (int32_t k = 0; k <= i; k++)
            if ((x->fires[k] *= scale) > TGS_I_GEN_MOST)
                return tgs_i_gen_limit(&x->g, "sdf", INFINITY, 0);
        x->fires[i + 1] = x->fires[i] * x->put[i] / x->take[i];
    }
    all = x->fires[0];
    for (int32_t i = 1; i < x->actors; i++)
        all = gcd(all, x->fires[i]);
    for (int32_t i = 0; i < x->actors; i++) {
        x->fires[i] /= all;
        tasks += (double)x->fires[i] * (double)x->iterations;
    }
    return tgs_i_gen_limit(&x->g, "sdf", tasks, 2 * tasks);
}

/* call k of actor i + 1 needs the calls of actor i that make its tokens */
static tgs_status connect(sdf *x, int32_t i, const int64_t *first, int64_t k)
{
    const int64_t put = x->put[i] * x->block[i], take = x->take[i] * x->block[i + 1];
    const int64_t from = k * take / put, to = ((k + 1) * take - 1) / put;
    tgs_status status = TGS_OK;

    for (int64_t f = from; f <= to && !status; f++)
        status = tgs_i_gen_edge(&x->g, (int32_t)(first[i] + f), (int32_t)(first[i + 1] + k));
    return status;
}

static int32_t call(sdf *x, const char *name, int32_t i, int64_t k)
{
    const double block = (double)x->block[i];
    char text[48];
    int32_t task;

    if (!x->timed)
        return tgs_i_gen_task(&x->g, name, k, x->g.work * block);
    snprintf(text, sizeof text, "%s%lld", name, (long long)k);
    task = tgs_builder_task(x->g.b, text, NULL, NAN);
    for (int32_t kind = 0; kind < x->g.kinds; kind++)
        tgs_builder_task_time(x->g.b, task, x->g.kind[kind],
                              x->setup[kind] + x->each[kind] * block);
    return task;
}

static tgs_status unfold(sdf *x)
{
    int64_t first[MOST_ACTORS], tasks = 0;
    char name[24];
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < x->actors && !status; i++) {
        const int64_t calls = x->fires[i] * x->iterations / x->block[i];

        first[i] = tasks;
        tasks += calls;
        snprintf(name, sizeof name, "a%d_", i);
        for (int64_t k = 0; k < calls && !status; k++) {
            const int32_t task = call(x, name, i, k);

            if (x->state && k > 0)
                tgs_builder_after(x->g.b, task - 1, task);
            if (i > 0)
                connect(x, i - 1, first, k);
            status = tgs_i_gen_status(&x->g);
        }
    }
    return status;
}

static tgs_status make(const tgs_args *a, tgs_rng *r, tgs_builder *b, tgs_error *err)
{
    sdf x = {.iterations = tgs_arg_int(a, "iterations"),
             .state = tgs_arg_int(a, "state") != 0,
             .timed = tgs_arg_given(a, "setup") || tgs_arg_given(a, "each")};
    tgs_status status = tgs_i_gen_open(&x.g, a, r, b, err);

    if (!status)
        status = read_rates(&x, tgs_arg_text(a, "rates"));
    if (!status)
        status = balance(&x);
    if (!status)
        status = read_calls(&x, a);
    if (!status)
        status = unfold(&x);
    if (!status)
        note_buffers(&x);
    tgs_i_gen_close(&x.g);
    return status;
}

static const tgs_param params[] = {
    {"rates", "2/3+3/2", TGS_PARAM_TEXT, 0, 0, "channels of the chain: PUT/TAKE, joined by +"},
    {"iterations", "1", TGS_PARAM_INT, 1, TGS_I_GEN_MOST, "iterations"},
    {"state", "0", TGS_PARAM_INT, 0, 1, "1: a firing waits for the one before of its actor"},
    {"blocks", "1", TGS_PARAM_TEXT, 0, 0, "firings of a call: one for each actor, joined by +"},
    {"setup", "0", TGS_PARAM_TEXT, 0, 0, "seconds of a call, for each of kinds, joined by +"},
    {"each", "1", TGS_PARAM_TEXT, 0, 0, "seconds of a firing in a call, for each of kinds"},
    TGS_I_GEN_COSTS,
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_generator tgs_generator_sdf = {
    .base = {TGS_PLUGIN_ABI, "sdf", "a chain of synchronous dataflow actors, unfolded",
             "Lee, Messerschmitt (1987), Synchronous data flow, Proceedings of the IEEE 75(9)",
             params},
    .make = make,
};
