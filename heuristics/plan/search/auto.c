/* auto.c -- every planner asked, and from the best plans once simulated a local search over the
 * fields of their strategies (neighbours.c).
 *
 * Of the neighbours of a strategy BATCH are simulated at a time, the best of the first batch with
 * one that helps is taken, and the search goes on from there with the same field.  It ends when
 * none helps or with its budget: the tasks that are simulated, so that it ends at the same place
 * everywhere.  Each start has its part of the budget, and the next one also what it leaves over;
 * the best end of all what is left at last. */
#include <string.h>
#include "../step.h"

enum { BATCH = 8, LEAST = 500 /* tasks that an evaluation counts for at least */, STARTS = 16 };

typedef struct point { /* of the search */
    char *text;        /* owned */
    tgs_evaluation e;
    int32_t planner; /* that it began with */
} point;

typedef struct search {
    const tgs_planner_ctx *c;
    int64_t tasks, evals; /* that are left */
    point start[STARTS];  /* the best first */
    int32_t starts, most; /* most: that are wanted */
} search;

/* of the budget of tasks */
static void tell_progress(const search *s)
{
    const double work = (double)tgs_arg_int(s->c->args, "work");

    if (s->c->progress && work > 0)
        s->c->progress(s->c->user, fmin(1, 1 - (double)s->tasks / work));
}

static bool stopped(const search *s)
{
    return s->evals <= 0 || (s->c->stop && s->c->stop(s->c->user));
}

/* ---- the local search -------------------------------------------------------------------------
 */
/* the best of these; -1: none is better than x */
static tgs_status try_batch(search *s, const point *x, char *const *text, int32_t count,
                            tgs_evaluation *best, int32_t *found, tgs_error *err)
{
    tgs_evaluation e[BATCH];
    tgs_error why[BATCH];
    const tgs_status status =
        tgs_planner_evaluate_each(s->c, (const char *const *)text, count, e, why, err);

    tell_progress(s);
    *best = x->e;
    *found = -1;
    for (int32_t i = 0; i < count && !status; i++) {
        const bool there = !why[i].status; /* else it cannot be lowered, or placed */

        s->evals--;
        s->tasks -= there && e[i].simulated > LEAST ? e[i].simulated : LEAST;
        if (there && tgs_planner_better(s->c, &e[i], best)) {
            *best = e[i];
            *found = i;
        }
    }
    return status;
}

/* x becomes the first neighbour that helps, looked for from *at on */
static tgs_status step(search *s, point *x, int64_t *at, int64_t least, bool *taken, tgs_error *err)
{
    tgs_i_neighbours near;
    char *text[BATCH];
    tgs_status status = tgs_i_neighbours_list(s->c, x->text, &near, err);

    *taken = false;
    for (int64_t done = 0; done < near.count && !status && !*taken && !stopped(s);) {
        const int64_t each = x->e.simulated > LEAST ? x->e.simulated : LEAST;
        const int64_t affordable = (s->tasks - least) / each;
        tgs_evaluation e;
        int32_t count = 0, found;

        if (affordable < 1)
            break;
        while (count < BATCH && count < affordable && count < s->evals && done < near.count)
            text[count++] = near.text[(*at + done++) % near.count];
        status = try_batch(s, x, text, count, &e, &found, err);
        if (status || found < 0)
            continue;
        tgs_mem_free(x->text);
        x->text = tgs_mem_text(text[found]);
        x->e = e;
        *at = (*at + done - count + found) % near.count;
        *taken = true;
        if (!x->text)
            status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    tgs_i_neighbours_free(&near);
    return status;
}

/* until `least` tasks are left */
static tgs_status climb(search *s, point *x, int64_t least, tgs_error *err)
{
    bool taken = true;
    int64_t at = 0;
    tgs_status status = TGS_OK;

    while (taken && !status)
        status = step(s, x, &at, least, &taken, err);
    return status;
}

static tgs_status improve(search *s, point **best, tgs_error *err)
{
    const int64_t all = s->tasks;
    tgs_status status = TGS_OK;

    *best = &s->start[0];
    for (int32_t i = 0; i < s->starts && !status; i++) {
        status = climb(s, &s->start[i], all - all * (i + 1) / (s->starts + 1), err);
        if (tgs_planner_better(s->c, &s->start[i].e, &(*best)->e))
            *best = &s->start[i];
    }
    return status ? status : climb(s, *best, 0, err);
}

/* ---- the starts -------------------------------------------------------------------------------
 */
/* the directives a line each, as the neighbours are told of them; NULL: no memory */
static char *in_lines(const char *text)
{
    char *lines = tgs_mem_text(text), *to = lines;

    for (const char *from = text; lines && *from; from++) {
        const bool apart = to == lines || to[-1] == '\n';

        if (!(apart && strchr(" \t;\n", *from)))
            *to++ = *from;
        if (to > lines && to[-1] == ';')
            to[-1] = '\n';
    }
    if (lines)
        *to = 0;
    return lines;
}

/* one more, in its place among the others; one strategy is one start */
static tgs_status keep(search *s, const char *text, const tgs_evaluation *e, int32_t planner,
                       tgs_error *err)
{
    point new = {NULL, *e, planner};
    int32_t at = s->starts;

    while (at > 0 && tgs_planner_better(s->c, e, &s->start[at - 1].e))
        at--;
    if (at == s->most)
        return TGS_OK;
    new.text = in_lines(text);
    if (!new.text)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (int32_t i = 0; i < s->starts; i++)
        if (!strcmp(s->start[i].text, new.text)) {
            tgs_mem_free(new.text);
            return TGS_OK;
        }
    if (s->starts == s->most)
        tgs_mem_free(s->start[--s->starts].text);
    memmove(&s->start[at + 1], &s->start[at], (size_t)(s->starts - at) * sizeof new);
    s->start[at] = new;
    s->starts++;
    return TGS_OK;
}

/* a planner's answer is a row, and why it has none; one that is none for this is not */
static tgs_status enter(search *s, tgs_proposal *out, const char *planner, int32_t i,
                        const tgs_proposal *p, const tgs_error *why, tgs_error *err)
{
    tgs_error local = *why;
    tgs_evaluation e;
    tgs_status status = why->status;

    if (!status)
        status = tgs_planner_evaluate(s->c, tgs_proposal_strategy(p), &e, &local);
    if (status == TGS_ENOMEM)
        return tgs_fail(err, status, "out of memory");
    if (status == TGS_ENOTAPPLICABLE)
        return TGS_OK;
    if (status)
        return tgs_proposal_row(out, planner, local.text, NAN, NAN);
    e.peak = NULL; /* which the next evaluation writes */
    status =
        tgs_proposal_row(out, planner, e.missing > 0 ? "does not fit" : "fits", e.step, e.missing);
    return status ? status : keep(s, tgs_proposal_strategy(p), &e, i, err);
}

static tgs_status ask(search *s, tgs_proposal *out, const char **name, int32_t count,
                      tgs_error *err)
{
    tgs_proposal **p = tgs_mem_alloc((size_t)count, sizeof *p);
    tgs_error *why = tgs_mem_alloc((size_t)count, sizeof *why);
    tgs_status status = p && why ? tgs_planners_call(s->c, name, count, p, why, err)
                                 : tgs_fail(err, TGS_ENOMEM, "out of memory");

    for (int32_t i = 0; i < count && !status; i++)
        status = enter(s, out, name[i], i, p[i], &why[i], err);
    for (int32_t i = 0; p && i < count; i++)
        tgs_proposal_free(p[i]);
    tgs_mem_free(p);
    tgs_mem_free(why);
    return status;
}

/* ---- the planner ------------------------------------------------------------------------------
 */
static tgs_status put(tgs_proposal *out, const char *text)
{
    tgs_status status = TGS_OK;

    for (const char *line = text; *line && !status; line += strcspn(line, "\n") + 1)
        status = tgs_proposal_directive(out, "%.*s", (int)strcspn(line, "\n"), line);
    return status;
}

static tgs_status tell(const search *s, tgs_proposal *out, const point *best, const char **name,
                       const tgs_evaluation *before, int32_t planner)
{
    const tgs_planner_ctx *c = s->c;
    const double gain = tgs_planner_worth(c, before) / tgs_planner_worth(c, &best->e);
    const bool improved = tgs_planner_better(c, &best->e, before);
    tgs_status status = put(out, best->text);

    if (!status)
        status = tgs_proposal_figure(out, "best_planner_step_s", before->step);
    if (!status)
        status = tgs_proposal_figure(out, "gain", gain);
    if (!status)
        status = tgs_proposal_figure(out, "simulated_tasks",
                                     (double)(tgs_arg_int(c->args, "work") - s->tasks));
    if (!status && !improved)
        return tgs_proposal_note(out, "the best planner is %s", name[planner]);
    return status
               ? status
               : tgs_proposal_note(out, "the best planner is %s; from %s local search gains %.3g x",
                                   name[planner], name[best->planner], gain);
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    search s = {.c = c,
                .tasks = tgs_arg_int(c->args, "work"),
                .evals = tgs_arg_int(c->args, "evals"),
                .most = (int32_t)tgs_arg_int(c->args, "starts")};
    const char **name;
    tgs_evaluation before = {0};
    point *best = NULL;
    int32_t count = 0, planner = 0;
    tgs_status status;

    while (tgs_plugin_name("planner", count))
        count++;
    name = tgs_mem_alloc((size_t)count, sizeof *name);
    if (!name)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    count = 0;
    for (int32_t i = 0; tgs_plugin_name("planner", i); i++)
        if (strcmp(tgs_plugin_name("planner", i), "auto") != 0)
            name[count++] = tgs_plugin_name("planner", i);
    status = ask(&s, out, name, count, err);
    if (!status && !s.starts)
        status = tgs_fail(err, TGS_ENOTAPPLICABLE, "no planner has a plan for this model");
    if (!status) {
        before = s.start[0].e;
        planner = s.start[0].planner;
        status = improve(&s, &best, err);
    }
    if (!status)
        status = tell(&s, out, best, name, &before, planner);
    for (int32_t i = 0; i < s.starts; i++)
        tgs_mem_free(s.start[i].text);
    tgs_mem_free(name);
    return status;
}

static const tgs_param params[] = {
    {"work", "1e6", TGS_PARAM_INT, 0, 1e12, "tasks that the local search may simulate"},
    {"evals", "2000", TGS_PARAM_INT, 0, 1e9, "strategies that it may simulate"},
    {"starts", "3", TGS_PARAM_INT, 1, STARTS, "plans that it begins with, the best ones"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_planner tgs_planner_auto = {
    .base = {TGS_PLUGIN_ABI, "auto", "the best of all planners once simulated, then improved", NULL,
             params},
    .needs = TGS_PLANS_MODEL | TGS_PLANS_PLATFORM | TGS_PLANS_WITH_OTHERS,
    .systems = "",
    .plan = plan,
};
