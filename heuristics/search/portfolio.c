/* portfolio.c -- the best of several heuristics, which run at the same time.
 *
 * B. A. Huberman, R. M. Lukose, T. Hogg, "An economics approach to hard computational problems",
 * Science 275, 1997.
 *
 * The shortest schedule, as played where links contend, that keeps every constraint counts, of
 * equal ones that of the heuristic named first; each has a seed of its own, so that the result does
 * not depend on the threads. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include "../list/core.h"
#include "tgsched/plugin.h"

typedef struct portfolio portfolio;
typedef struct member {
    portfolio *of;
    char spec[200];
    uint64_t seed;
    tgs_plan *plan;
    double makespan; /* INFINITY: it has found nothing */
    _Atomic double done;
    tgs_status status;
    tgs_error err;
} member;

struct portfolio {
    const tgs_ctx *c;
    member *member;
    int32_t count;
};

/* ---- the members -------------------------------------------------------------------------------
 */
/* does a heuristic of this name have this parameter? */
static bool takes(const char *name, size_t size, const char *wanted)
{
    const char *other, *key, *value, *meaning;

    for (int32_t i = 0; (other = tgs_plugin_name("heuristic", i)); i++)
        if (strlen(other) == size && !strncmp(other, name, size))
            for (int32_t k = 0; !tgs_plugin_param("heuristic", i, k, &key, &value, &meaning); k++)
                if (!strcmp(key, wanted))
                    return true;
    return false;
}

/* what was named, with the budget of the portfolio where it has none of its own */
static tgs_status complete(const portfolio *x, member *m, const char *name, tgs_error *err)
{
    const size_t size = strcspn(name, ":");
    const bool own = strstr(name, ":evals=") || !takes(name, size, "evals");
    char budget[40] = "";

    if (!own)
        snprintf(budget, sizeof budget, ":evals=%lld", (long long)tgs_arg_int(x->c->args, "evals"));
    if (snprintf(m->spec, sizeof m->spec, "%s%s", name, budget) < (int)sizeof m->spec)
        return TGS_OK;
    return tgs_fail(err, TGS_EINVAL, "portfolio: '%.40s...' is too long", name);
}

/* "heft+ils/evals=1000", in place: '/' stands for the ':' of a spec */
static tgs_status open(portfolio *x, char *names, tgs_error *err)
{
    tgs_status status = TGS_OK;
    char *name;

    x->count = 1;
    for (char *s = names; *s; s++) {
        x->count += *s == '+';
        *s = *s == '/' ? ':' : *s;
    }
    x->member = tgs_mem_alloc((size_t)x->count, sizeof *x->member);
    if (!x->member)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d heuristics", x->count);
    for (int32_t i = 0; !status && (name = strsep(&names, "+")); i++) {
        member *m = &x->member[i];

        m->of = x;
        m->seed = tgs_rng_next(x->c->rng);
        m->makespan = INFINITY;
        status = complete(x, m, name, err);
    }
    return status;
}

static void close(portfolio *x)
{
    for (int32_t i = 0; x->member && i < x->count; i++)
        tgs_plan_free(x->member[i].plan);
    tgs_mem_free(x->member);
}

static bool member_stop(void *user)
{
    const tgs_ctx *c = ((member *)user)->of->c;

    return c->stop(c->user);
}

static void member_progress(void *user, double done)
{
    member *m = user;
    const portfolio *x = m->of;
    double sum = 0;

    atomic_store(&m->done, done);
    for (int32_t i = 0; i < x->count; i++)
        sum += atomic_load(&x->member[i].done);
    x->c->progress(x->c->user, sum / x->count);
}

/* what counts: as planned, or as played where messages wait, which not all heuristics plan with */
static tgs_status value(const tgs_ctx *c, const tgs_plan *plan, double *makespan, tgs_error *err)
{
    if (tgs_i_links_contend(c->v))
        return tgs_plan_play(c, plan, NULL, makespan, err);
    *makespan = tgs_plan_makespan(c->v, plan);
    return TGS_OK;
}

static void run_member(void *user, int32_t i)
{
    member *m = &((portfolio *)user)->member[i];
    tgs_ctx inner = *m->of->c;

    inner.stop = member_stop;
    inner.progress = member_progress;
    inner.user = m;
    m->status = tgs_plan_open(&m->plan, inner.v, &m->err);
    if (!m->status)
        m->status = tgs_plan_make(&inner, m->spec, m->seed, m->plan, &m->err);
    if (!m->status)
        m->status = tgs_plan_check(&inner, m->plan, &m->err);
    if (!m->status)
        m->status = value(&inner, m->plan, &m->makespan, &m->err);
    member_progress(m, 1);
}

/* ---- the best ----------------------------------------------------------------------------------
 */
static bool found_nothing(tgs_status status)
{
    return status == TGS_EINFEASIBLE || status == TGS_ENOTAPPLICABLE;
}

/* what one has proven holds for the others, unless tasks run more than once: not all bounds cover
 * that */
static double bound(const portfolio *x, const member *best)
{
    double bound = best->plan->lower_bound;
    int32_t copies;

    tgs_plan_copies(best->plan, &copies);
    for (int32_t i = 0; i < x->count && !copies; i++)
        if (x->member[i].makespan < INFINITY && !(x->member[i].plan->lower_bound <= bound)
            && x->member[i].plan->lower_bound <= best->makespan)
            bound = x->member[i].plan->lower_bound;
    return bound;
}

static tgs_status choose(const portfolio *x, tgs_plan *plan, tgs_error *err)
{
    const member *best = &x->member[0];
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < x->count; i++) {
        const member *m = &x->member[i];

        if (m->status && !found_nothing(m->status))
            return tgs_fail(err, m->status, "%s", m->err.text);
        if (m->makespan < best->makespan)
            best = m;
    }
    if (best->status)
        return tgs_fail(err, best->status, "%s", best->err.text);
    status = tgs_plan_assign(x->c->v, plan, best->plan);
    if (status)
        return tgs_fail(err, status, "out of memory");
    plan->lower_bound = bound(x, best);
    snprintf(plan->note, sizeof plan->note, "%.60s, best of %d%s%.80s", best->spec, x->count,
             *best->plan->note ? ": " : "", best->plan->note);
    return TGS_OK;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    portfolio x = {.c = c};
    char *names = tgs_mem_text(tgs_arg_text(c->args, "of"));
    tgs_status status = names ? open(&x, names, err) : tgs_fail(err, TGS_ENOMEM, "out of memory");

    if (!status) {
        tgs_parallel(x.count, run_member, &x);
        status = choose(&x, plan, err);
    }
    close(&x);
    tgs_mem_free(names);
    return status;
}

static const tgs_param params[] = {
    {"of", "heft+peft+cpop+minmin+ils+sa", TGS_PARAM_TEXT, 0, 0,
     "heuristics joined by +, each with / for : (ils/chains=4)"},
    {"evals", "200000", TGS_PARAM_INT, 1, 1e12, "of each search that does not say it itself"},
    {"seconds", "0", TGS_PARAM_REAL, 0, 1e9, "end after so long; 0: no limit"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_portfolio = {
    .base = {TGS_PLUGIN_ABI, "portfolio", "the best of several heuristics, run at the same time",
             "after Huberman, Lukose, Hogg, Science 275, 1997", params},
    .run = run,
};
