/* sdf-vectorize.c -- vectorization and scheduling of a dataflow graph together, within a total of
 * memory: how many firings of each actor to a call, and on which side it computes.
 *
 * All choices are tried when they are few.  Else, from one firing to a call: the step that gains
 * most time per byte (a larger or smaller block of an actor, the other side, or both), as long as
 * one gains any. */
#include <string.h>
#include "../instance.h"
#include "sdf.h"
#include "tgsched/planner.h"

enum { MOST_FACTOR = 10000 };
enum { MACHINE, ACTOR, CHANNEL };
enum { CORES, MEMORY, CHANGE };
enum { HOST, DEVICE, BYTES };
enum { FROM, TO, PRODUCE, CONSUME, DELAY, TOKEN };

static const tgs_i_column machine_columns[] = {
    {"cores", TGS_I_WHOLE, false, 0, 4096, NAN, 0},
    {"memory", TGS_I_REAL, false, 0, INFINITY, INFINITY, 0},
    {"change", TGS_I_REAL, false, 0, 1e300, 0, 0},
    {NULL, TGS_I_REAL, false, 0, 0, 0, 0},
};
static const tgs_i_column actor_columns[] = {
    {"host", TGS_I_REAL, true, 0, 1e300, 0, 0},
    {"device", TGS_I_REAL, true, 0, 1e300, 0, 0},
    {"bytes", TGS_I_REAL, false, 0, 1e300, 0, 0},
    {NULL, TGS_I_REAL, false, 0, 0, 0, 0},
};
static const tgs_i_column channel_columns[] = {
    {"from", TGS_I_ROW, false, 0, 0, NAN, ACTOR},  {"to", TGS_I_ROW, false, 0, 0, NAN, ACTOR},
    {"produce", TGS_I_WHOLE, false, 1, 1e6, 1, 0}, {"consume", TGS_I_WHOLE, false, 1, 1e6, 1, 0},
    {"delay", TGS_I_WHOLE, false, 0, 1e6, 0, 0},   {"bytes", TGS_I_REAL, false, 0, 1e300, 0, 0},
    {NULL, TGS_I_REAL, false, 0, 0, 0, 0},
};
static const tgs_i_table tables[] = {
    {"machine", 1, 1, machine_columns},
    {"actor", 1, 10000, actor_columns},
    {"channel", 0, 100000, channel_columns},
    {NULL, 0, 0, NULL},
};

typedef struct search {
    const tgs_planner_ctx *c;
    tgs_i_instance *file;
    tgs_i_sdf x;
    tgs_i_sdf_channel *channel;
    double limit;    /* bytes */
    int64_t *option; /* divisors of each actor's firings, ascending */
    int32_t *at;     /* [actors + 1] CSR of them */
    int32_t *choice; /* [actors] of now */
    tgs_i_sdf_plan now, best;
    double least; /* bytes of what was tried: the least */
    int64_t tries, most;
} search;

/* ---- the file ----------------------------------------------------------------------------------
 */
/* "start,each" of an actor on a side; nothing given: it cannot compute there */
static tgs_status take_times(search *s, int32_t row, int32_t column, int32_t side, tgs_error *err)
{
    const double *list = NULL;
    const int32_t count = tgs_i_list(s->file, ACTOR, row, column, &list);

    s->x.actor[row].start[side] = s->x.actor[row].each[side] = INFINITY;
    if (!count)
        return TGS_OK;
    if (count != 2)
        return tgs_i_row_fail(s->file, ACTOR, row, err,
                              "two times are needed: of a call, and of each firing in it");
    s->x.actor[row].start[side] = list[0];
    s->x.actor[row].each[side] = list[1];
    return TGS_OK;
}

static tgs_status take_actors(search *s, tgs_error *err)
{
    tgs_status status = TGS_OK;

    for (int32_t a = 0; a < s->x.actors && !status; a++) {
        s->x.actor[a].bytes = tgs_i_real(s->file, ACTOR, a, BYTES);
        status = take_times(s, a, HOST, TGS_I_SDF_HOST, err);
        if (!status)
            status = take_times(s, a, DEVICE, TGS_I_SDF_DEVICE, err);
        if (!status && isinf(s->x.actor[a].start[TGS_I_SDF_HOST])
            && isinf(s->x.actor[a].start[TGS_I_SDF_DEVICE]))
            status =
                tgs_i_row_fail(s->file, ACTOR, a, err, "it computes neither on host nor device");
    }
    return status;
}

static tgs_status balance(search *s, tgs_error *err)
{
    int32_t e;
    const tgs_status status = tgs_i_sdf_repetitions(&s->x, &e);

    if (status == TGS_EINVAL)
        return tgs_i_row_fail(s->file, CHANNEL, e, err,
                              "no numbers of firings below 2^40 leave this channel as it was");
    if (status == TGS_ECYCLE)
        return tgs_i_row_fail(s->file, CHANNEL, e, err, "it is on a cycle without delays");
    return status;
}

static tgs_status take(search *s, tgs_error *err)
{
    s->x.cores = tgs_i_index(s->file, MACHINE, 0, CORES);
    s->x.change = tgs_i_real(s->file, MACHINE, 0, CHANGE);
    s->limit = tgs_i_real(s->file, MACHINE, 0, MEMORY);
    s->x.actors = tgs_i_rows(s->file, ACTOR);
    s->x.channels = tgs_i_rows(s->file, CHANNEL);
    s->x.iterations = tgs_arg_int(s->c->args, "iterations");
    s->x.actor = tgs_mem_alloc((size_t)s->x.actors, sizeof *s->x.actor);
    s->x.channel = s->channel = tgs_mem_alloc((size_t)s->x.channels, sizeof *s->channel);
    if (!s->x.actor || !s->channel)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (int32_t e = 0; e < s->x.channels; e++)
        s->channel[e] = (tgs_i_sdf_channel){tgs_i_index(s->file, CHANNEL, e, FROM),
                                            tgs_i_index(s->file, CHANNEL, e, TO),
                                            (int64_t)tgs_i_real(s->file, CHANNEL, e, PRODUCE),
                                            (int64_t)tgs_i_real(s->file, CHANNEL, e, CONSUME),
                                            (int64_t)tgs_i_real(s->file, CHANNEL, e, DELAY),
                                            tgs_i_real(s->file, CHANNEL, e, TOKEN)};
    const tgs_status status = take_actors(s, err);

    return status ? status : balance(s, err);
}

/* ---- choices -----------------------------------------------------------------------------------
 */
static tgs_status add_option(search *s, int64_t *room, int32_t actor, int64_t block)
{
    if (tgs_mem_grow(&s->option, room, s->at[actor + 1] + 1, sizeof *s->option))
        return TGS_ENOMEM;
    s->option[s->at[actor + 1]++] = block;
    return TGS_OK;
}

/* divisors, those whose smaller factor is at most MOST_FACTOR */
static tgs_status list_options(search *s)
{
    tgs_status status = TGS_OK;
    int64_t room = 0;

    s->at = tgs_mem_alloc((size_t)s->x.actors + 1, sizeof *s->at);
    if (!s->at)
        return TGS_ENOMEM;
    for (int32_t a = 0; a < s->x.actors && !status; a++) {
        const int64_t all = s->x.actor[a].times * s->x.iterations;
        int64_t b = 1;

        s->at[a + 1] = s->at[a];
        for (; b * b <= all && b <= MOST_FACTOR && !status; b++)
            status = all % b ? TGS_OK : add_option(s, &room, a, b);
        for (b--; b > 0 && !status; b--)
            status = all % b || b * b == all ? TGS_OK : add_option(s, &room, a, all / b);
    }
    return status;
}

/* what comes of the choices of now, kept if it is the best so far */
static tgs_status try_now(search *s)
{
    tgs_status status;

    s->tries++;
    for (int32_t a = 0; a < s->x.actors; a++)
        s->now.block[a] = s->option[s->at[a] + s->choice[a]];
    status = tgs_i_sdf_schedule(&s->x, &s->now);
    if (status == TGS_ENOTAPPLICABLE) { /* too many calls to look at */
        s->now.makespan = INFINITY;
        return TGS_OK;
    }
    if (status)
        return status;
    s->least = fmin(s->least, s->now.memory);
    if (s->now.memory > s->limit)
        s->now.makespan = INFINITY;
    if (s->now.makespan < s->best.makespan) {
        s->best.makespan = s->now.makespan;
        s->best.memory = s->now.memory;
        memcpy(s->best.block, s->now.block, (size_t)s->x.actors * sizeof *s->best.block);
        memcpy(s->best.side, s->now.side, (size_t)s->x.actors * sizeof *s->best.side);
    }
    return TGS_OK;
}

static double ways(const search *s)
{
    double all = 1;

    for (int32_t a = 0; a < s->x.actors; a++)
        all *= TGS_I_SDF_SIDES * (s->at[a + 1] - s->at[a]);
    return all;
}

static bool stopped(const search *s)
{
    return s->tries >= s->most || (s->c->stop && s->c->stop(s->c->user));
}

static tgs_status try_all(search *s)
{
    tgs_status status = TGS_OK;
    int32_t a = 0;

    while (a < s->x.actors && !status && !(s->c->stop && s->c->stop(s->c->user))) {
        status = try_now(s);
        for (a = 0; a < s->x.actors; a++) { /* the next number, of mixed radix */
            s->now.side[a] = !s->now.side[a];
            if (s->now.side[a])
                break;
            s->choice[a] = (s->choice[a] + 1) % (s->at[a + 1] - s->at[a]);
            if (s->choice[a])
                break;
        }
    }
    return status;
}

typedef struct step {
    int32_t actor, choice, side;
    double rate; /* seconds gained for a byte */
    double makespan, memory;
} step;

static tgs_status look(search *s, step from, int32_t actor, int32_t choice, int32_t side,
                       step *best)
{
    const int32_t before = s->choice[actor], sided = s->now.side[actor];
    double gain, rate;
    tgs_status status;

    if (choice < 0 || choice >= s->at[actor + 1] - s->at[actor] || stopped(s))
        return TGS_OK;
    s->choice[actor] = choice;
    s->now.side[actor] = side;
    status = try_now(s);
    s->choice[actor] = before;
    s->now.side[actor] = sided;
    gain = isinf(from.makespan) && s->now.makespan < INFINITY ? INFINITY
                                                              : from.makespan - s->now.makespan;
    if (status || !(gain > 0))
        return status;
    rate = s->now.memory > from.memory ? gain / (s->now.memory - from.memory) : INFINITY;
    if (best->actor < 0 || rate > best->rate
        || (rate == best->rate && s->now.makespan < best->makespan))
        *best = (step){actor, choice, side, rate, s->now.makespan, s->now.memory};
    return TGS_OK;
}

static tgs_status descend(search *s)
{
    step here = {.actor = -1};
    tgs_status status;

    for (int32_t a = 0; a < s->x.actors; a++)
        s->now.side[a] = isinf(s->x.actor[a].start[TGS_I_SDF_HOST]) || !s->x.cores;
    status = try_now(s);
    here.makespan = s->now.makespan;
    here.memory = s->now.memory;
    while (!status && !stopped(s)) {
        step best = {.actor = -1};

        for (int32_t a = 0; a < s->x.actors && !status; a++)
            for (int32_t k = 0; k < 6 && !status; k++) {
                const int32_t other = k % 2 ? !s->now.side[a] : s->now.side[a];

                status = look(s, here, a, s->choice[a] + k / 2 - 1, other, &best);
            }
        if (best.actor < 0)
            break;
        here = best;
        s->choice[best.actor] = best.choice;
        s->now.side[best.actor] = best.side;
    }
    return status;
}

/* ---- the planner -------------------------------------------------------------------------------
 */
static tgs_status tell(const search *s, double plain, tgs_proposal *out)
{
    tgs_status status = TGS_OK;

    for (int32_t a = 0; a < s->x.actors && !status; a++) {
        const tgs_i_sdf_actor *actor = &s->x.actor[a];
        const int32_t side = s->best.side[a];
        const int64_t block = s->best.block[a];
        char text[100];

        snprintf(text, sizeof text, "%s: %lld firings to a call",
                 side == TGS_I_SDF_DEVICE ? "device" : "host", (long long)block);
        status = tgs_proposal_row(out, tgs_i_row_name(s->file, ACTOR, a), text,
                                  actor->start[side] + actor->each[side] * (double)block,
                                  actor->bytes * (double)block);
    }
    if (!status)
        status = tgs_proposal_figure(out, "step_s", s->best.makespan);
    if (!status)
        status = tgs_proposal_figure(out, "iterations_per_s",
                                     (double)s->x.iterations / s->best.makespan);
    if (!status && !isinf(plain))
        status = tgs_proposal_figure(out, "plain_host_s", plain);
    return status ? status : tgs_proposal_figure(out, "memory_bytes", s->best.memory);
}

static tgs_status find(search *s, tgs_proposal *out, tgs_error *err)
{
    double plain;
    tgs_status status = list_options(s);

    s->most = tgs_arg_int(s->c->args, "evals");
    s->least = s->best.makespan = INFINITY;
    s->choice = tgs_mem_alloc((size_t)s->x.actors, sizeof *s->choice);
    s->now.block = tgs_mem_alloc((size_t)s->x.actors, sizeof *s->now.block);
    s->now.side = tgs_mem_alloc((size_t)s->x.actors, sizeof *s->now.side);
    s->best.block = tgs_mem_alloc((size_t)s->x.actors, sizeof *s->best.block);
    s->best.side = tgs_mem_alloc((size_t)s->x.actors, sizeof *s->best.side);
    if (!s->choice || !s->now.block || !s->now.side || !s->best.block || !s->best.side)
        status = TGS_ENOMEM;
    if (!status)
        status = try_now(s);
    plain = status ? INFINITY : s->now.makespan;
    if (!status)
        status = ways(s) <= (double)s->most ? try_all(s) : descend(s);
    if (status)
        return tgs_fail(err, status, "out of memory");
    if (isinf(s->best.makespan) && s->least > s->limit)
        return tgs_fail(err, TGS_EINFEASIBLE,
                        "%.0f bytes are missing: the least that was found is %.0f bytes",
                        ceil(s->least - s->limit), ceil(s->least));
    if (isinf(s->best.makespan))
        return tgs_fail(err, TGS_EINFEASIBLE, "no schedule was found in which all actors can fire");
    return tell(s, plain, out);
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    search s = {.c = c};
    tgs_status status = tgs_i_instance_read(&s.file, c->source, tables, err);

    if (!status)
        status = take(&s, err);
    if (!status)
        status = find(&s, out, err);
    tgs_i_instance_free(s.file);
    tgs_mem_free(s.x.actor);
    tgs_mem_free(s.channel);
    tgs_mem_free(s.option);
    tgs_mem_free(s.at);
    tgs_mem_free(s.choice);
    tgs_mem_free(s.now.block);
    tgs_mem_free(s.now.side);
    tgs_mem_free(s.best.block);
    tgs_mem_free(s.best.side);
    return status;
}

static const tgs_param params[] = {
    {"iterations", "1", TGS_PARAM_INT, 1, 1e6, "of the whole graph, in a makespan"},
    {"evals", "20000", TGS_PARAM_INT, 1, 1e9, "choices that are tried, at most"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_planner tgs_planner_sdf_vectorize = {
    .base = {TGS_PLUGIN_ABI, "sdf-vectorize",
             "firings to a call, and the side, of the actors of a dataflow graph",
             "problem: Lin, Wu, Bhattacharyya, ACM TECS 17(2), 2018", params},
    .needs = TGS_PLANS_FILE,
    .systems = "S16",
    .plan = plan,
};
