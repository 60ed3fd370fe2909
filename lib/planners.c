/* planners.c -- several planners on one input, or several strategies, at the same time.
 *
 * Each has a planning of its own and shares what is found out (plannershared.c); each writes what
 * is its own, so that the results are the same whatever the number of threads. */
#include <stdatomic.h>
#include "planner.h"
#include "watch.h"

typedef struct team {
    const tgs_planner_ctx *outer;
    int32_t count;
    const int32_t *turn; /* [count] of the answers; NULL: all in order */
    atomic_int done;
    tgs_plan_answer *answer; /* asked by a user; NULL: by a planner */
    const char *const *text; /* specs, or strategies where evaluation is given */
    tgs_proposal **proposal;
    tgs_evaluation *evaluation;
    tgs_error *why; /* [count] */
} team;

static void no_progress(void *user, double done)
{
    (void)user;
    (void)done;
}

/* a context like the outer one; of its progress is told how many are done */
static tgs_status join(tgs_planner_ctx *c, tgs_planning *pl, const team *t, tgs_error *why)
{
    const tgs_planning *outer = t->outer->planning;
    const tgs_status status = tgs_i_planning_join(pl, outer->in, outer->shared, why);

    if (status)
        return status;
    pl->whole = outer->whole;
    pl->depth = outer->depth;
    pl->guard = outer->guard;
    *c = *t->outer;
    c->planning = pl;
    c->progress = no_progress;
    return TGS_OK;
}

static void tell(team *t)
{
    const int done = atomic_fetch_add(&t->done, 1) + 1;

    if (t->outer->progress)
        t->outer->progress(t->outer->user, (double)done / t->count);
}

static void answer_one(void *user, int32_t i)
{
    team *t = user;
    tgs_plan_answer *a = &t->answer[t->turn[i]];
    const double began = tgs_i_seconds_now();
    tgs_planner_ctx c;
    tgs_planning pl;

    a->why = (tgs_error){TGS_OK, ""};
    a->why.status = join(&c, &pl, t, &a->why);
    if (!a->why.status) {
        tgs_error why = {TGS_OK, ""};

        a->why.status = tgs_i_planning_answer(&c, a->planner, &a->proposal, &why);
        snprintf(a->why.text, sizeof a->why.text, "%s", a->why.status ? why.text : "");
        tgs_i_planning_close(&pl);
    }
    a->seconds = tgs_i_seconds_now() - began;
    tell(t);
}

static void call_one(void *user, int32_t i)
{
    team *t = user;
    tgs_planner_ctx c;
    tgs_planning pl;
    tgs_error why = {TGS_OK, ""};
    tgs_status status = join(&c, &pl, t, &why);

    if (!status) {
        status = tgs_planner_call(&c, t->text[i], &t->proposal[i], &why);
        tgs_i_planning_close(&pl);
    }
    t->why[i].status = status;
    snprintf(t->why[i].text, sizeof t->why[i].text, "%s", status ? why.text : "");
}

static void evaluate_one(void *user, int32_t i)
{
    team *t = user;
    tgs_planner_ctx c;
    tgs_planning pl;
    tgs_error why = {TGS_OK, ""};
    tgs_status status = join(&c, &pl, t, &why);

    if (!status) {
        status = tgs_planner_evaluate(&c, t->text[i], &t->evaluation[i], &why);
        tgs_i_planning_close(&pl);
    }
    t->evaluation[i].peak = NULL; /* it was of the planning */
    t->why[i].status = status;
    snprintf(t->why[i].text, sizeof t->why[i].text, "%s", status ? why.text : "");
}

static tgs_status short_of_memory(const tgs_error *why, int32_t count, tgs_error *err)
{
    for (int32_t i = 0; i < count; i++)
        if (why[i].status == TGS_ENOMEM)
            return tgs_fail(err, TGS_ENOMEM, "out of memory");
    return TGS_OK;
}

tgs_status tgs_planner_evaluate_each(const tgs_planner_ctx *c, const char *const *strategy,
                                     int32_t count, tgs_evaluation *out, tgs_error *why,
                                     tgs_error *err)
{
    team t = {.outer = c, .count = count, .text = strategy, .evaluation = out, .why = why};

    tgs_parallel(count, evaluate_one, &t);
    return short_of_memory(why, count, err);
}

tgs_status tgs_planners_call(const tgs_planner_ctx *c, const char *const *spec, int32_t count,
                             tgs_proposal **out, tgs_error *why, tgs_error *err)
{
    team t = {.outer = c, .count = count, .text = spec, .proposal = out, .why = why};
    tgs_status status;

    for (int32_t i = 0; i < count; i++)
        out[i] = NULL;
    tgs_parallel(count, call_one, &t);
    status = short_of_memory(why, count, err);
    for (int32_t i = 0; i < count && status; i++) {
        tgs_proposal_free(out[i]);
        out[i] = NULL;
    }
    return status;
}

static bool asks_others(const char *spec)
{
    const tgs_plugin *found;
    tgs_args *args;
    bool asks = false;

    if (!tgs_i_resolve(&found, &args, "planner", spec, NULL)) {
        asks = ((const tgs_planner *)found)->needs & TGS_PLANS_WITH_OTHERS;
        tgs_i_args_free(args);
    }
    return asks;
}

/* those that ask nobody, and then one after the other those that do: these are threads themselves
 */
static tgs_status answer_all(const tgs_planner_ctx *c, tgs_plan_answer *answer, int32_t count,
                             tgs_error *err)
{
    int32_t *turn = tgs_mem_alloc((size_t)count, sizeof *turn), first = 0, last = count;
    team t = {.outer = c, .count = count, .turn = turn, .answer = answer};
    tgs_status status = TGS_OK;

    if (!turn)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (int32_t i = count; i-- > 0;)
        if (asks_others(answer[i].planner))
            turn[--last] = i;
    for (int32_t i = 0; i < count; i++)
        if (!asks_others(answer[i].planner))
            turn[first++] = i;
    tgs_parallel(first, answer_one, &t);
    for (int32_t i = first; i < count; i++)
        answer_one(&t, i);
    for (int32_t i = 0; i < count && !status; i++)
        status = short_of_memory(&answer[i].why, 1, err);
    tgs_mem_free(turn);
    return status;
}

tgs_status tgs_planners_make(tgs_plan_answer *answer, int32_t count, const tgs_plan_input *in,
                             tgs_error *err)
{
    tgs_planner_ctx c;
    tgs_planning pl;
    tgs_i_guard guard;
    tgs_status status;

    for (int32_t i = 0; i < count; i++)
        answer[i] = (tgs_plan_answer){.planner = answer[i].planner};
    status = tgs_i_planning_begin(&c, &pl, &guard, in, err);
    if (status)
        return status;
    status = answer_all(&c, answer, count, err);
    for (int32_t i = 0; i < count && status; i++) {
        tgs_proposal_free(answer[i].proposal);
        answer[i].proposal = NULL;
    }
    tgs_i_planning_end(&pl, &guard);
    return status;
}
