/* auto.c -- every planner asked, the best plan once simulated, and a local search over the fields
 * of its strategy.
 *
 * A move changes one word of one directive: the order of a pipeline, the cap of what is under way,
 * two places exchanged, one place moved to another memory, or recomputation begun or ended.  The
 * first that helps is taken, and the search begins again; it ends when none does, or with `evals`
 * evaluations. */
#include <stdlib.h>
#include <string.h>
#include "step.h"

typedef struct search {
    const tgs_planner_ctx *c;
    char *text; /* the best so far */
    tgs_evaluation e;
    int64_t left;
} search;

/* a strategy is tried; what cannot be lowered is no better */
static tgs_status attempt(search *s, const char *text, bool *taken, tgs_error *err)
{
    tgs_evaluation e;
    tgs_error local = {TGS_OK, ""};
    tgs_status status;
    char *copy;

    if (s->left-- <= 0 || (s->c->stop && s->c->stop(s->c->user)))
        return TGS_OK;
    status = tgs_planner_evaluate(s->c, text, &e, &local);
    if (status == TGS_ENOMEM)
        return tgs_fail(err, status, "out of memory");
    if (status || !tgs_planner_better(s->c, &e, &s->e))
        return TGS_OK;
    copy = tgs_mem_text(text);
    if (!copy)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    tgs_mem_free(s->text);
    s->text = copy;
    s->e = e;
    *taken = true;
    return TGS_OK;
}

/* the text with size bytes at `at` replaced; to free */
static char *replaced(const char *text, size_t at, size_t size, const char *with)
{
    const size_t before = strlen(text), more = strlen(with);
    char *out = tgs_mem_alloc(before - size + more + 1, 1);

    if (!out)
        return NULL;
    memcpy(out, text, at);
    memcpy(out + at, with, more);
    memcpy(out + at + more, text + at + size, before - at - size + 1);
    return out;
}

static tgs_status try_word(search *s, size_t at, size_t size, const char *with, bool *taken,
                           tgs_error *err)
{
    char *text = replaced(s->text, at, size, with);
    const tgs_status status =
        text ? attempt(s, text, taken, err) : tgs_fail(err, TGS_ENOMEM, "out of memory");

    tgs_mem_free(text);
    return status;
}

/* where the directive begins in the text, or NULL */
static const char *directive(const char *text, const char *keyword)
{
    const size_t n = strlen(keyword);

    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (!strncmp(line, keyword, n) && (line[n] == ' ' || line[n] == '\n'))
            return line;
    return NULL;
}

static tgs_status try_orders(search *s, bool *taken, tgs_error *err)
{
    static const char *const order[] = {"1f1b", "gpipe", "message"};
    const char *line = directive(s->text, "pipeline");
    size_t at, size;
    tgs_status status = TGS_OK;

    if (!line)
        return TGS_OK;
    at = (size_t)(line - s->text) + strlen("pipeline ");
    at += strcspn(s->text + at, " \n");
    if (s->text[at++] != ' ')
        return TGS_OK;
    size = strcspn(s->text + at, " \n");
    for (size_t i = 0; i < sizeof order / sizeof *order && !status && !*taken; i++)
        if (strlen(order[i]) != size || strncmp(order[i], s->text + at, size))
            status = try_word(s, at, size, order[i], taken, err);
    return status;
}

static tgs_status try_recompute(search *s, bool *taken, tgs_error *err)
{
    const char *line = directive(s->text, "recompute");

    if (line)
        return try_word(s, (size_t)(line - s->text), strcspn(line, "\n") + 1, "", taken, err);
    return try_word(s, 0, 0, "recompute\n", taken, err);
}

typedef struct names { /* of `place`, in the text */
    size_t at[256], size[256];
    int32_t count;
} names;

static void find_names(const char *text, names *x)
{
    const char *line = directive(text, "place");
    const char *word = line ? line + strlen("place ") : "";

    for (x->count = 0; *word && *word != '\n' && x->count < 256;) {
        x->at[x->count] = (size_t)(word - text);
        x->size[x->count] = strcspn(word, ",\n ");
        word += x->size[x->count++];
        word += *word == ',';
    }
}

/* a and b, a before b, exchanged */
static tgs_status try_exchange(search *s, const names *x, int32_t a, int32_t b, bool *taken,
                               tgs_error *err)
{
    char *text = tgs_mem_text(s->text), *to;
    const size_t between = x->at[b] - x->at[a] - x->size[a];
    tgs_status status;

    if (!text)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    to = text + x->at[a];
    memcpy(to, s->text + x->at[b], x->size[b]);
    memcpy(to + x->size[b], s->text + x->at[a] + x->size[a], between);
    memcpy(to + x->size[b] + between, s->text + x->at[a], x->size[a]);
    status = attempt(s, text, taken, err);
    tgs_mem_free(text);
    return status;
}

static tgs_status try_places(search *s, bool *taken, tgs_error *err)
{
    names x;
    tgs_status status = TGS_OK;

    find_names(s->text, &x);
    for (int32_t a = 0; a < x.count; a++)
        for (int32_t b = a + 1; b < x.count && !status && !*taken && s->left > 0; b++)
            if (x.size[a] != x.size[b]
                || strncmp(s->text + x.at[a], s->text + x.at[b], x.size[a]) != 0)
                status = try_exchange(s, &x, a, b, taken, err);
    for (int32_t m = 0; m < s->c->p->memories; m++) {
        tgs_i_text name = {0};

        for (int32_t a = 0; a < x.count && !status && !*taken && s->left > 0; a++) {
            name.used = 0;
            status = tgs_i_list_name(&name, s->c->p->memory[m].name)
                         ? tgs_fail(err, TGS_ENOMEM, "out of memory")
                         : TGS_OK;
            if (!status)
                status = try_word(s, x.at[a], x.size[a], name.text, taken, err);
        }
        tgs_mem_free(name.text);
    }
    return status;
}

static tgs_status improve(search *s, tgs_error *err)
{
    bool taken = true;
    tgs_status status = TGS_OK;

    while (taken && !status && s->left > 0) {
        taken = false;
        status = try_orders(s, &taken, err);
        if (!status && !taken)
            status = try_recompute(s, &taken, err);
        if (!status && !taken)
            status = try_places(s, &taken, err);
    }
    return status;
}

/* the planners that plan for one model; what one of them cannot do is a row */
static tgs_status ask(search *s, tgs_proposal *out, const char *planner, char *name, size_t room,
                      tgs_error *err)
{
    tgs_error why = {TGS_OK, ""};
    tgs_proposal *p;
    tgs_evaluation e;
    tgs_status status = tgs_planner_call(s->c, planner, &p, &why);

    if (!status)
        status = tgs_planner_evaluate(s->c, tgs_proposal_strategy(p), &e, &why);
    if (status == TGS_ENOMEM)
        tgs_fail(err, status, "out of memory");
    else if (status) /* it is no planner for this */
        status = status == TGS_ENOTAPPLICABLE ? TGS_OK
                                              : tgs_proposal_row(out, planner, why.text, NAN, NAN);
    else {
        status = tgs_proposal_row(out, planner, e.missing > 0 ? "does not fit" : "fits", e.step,
                                  e.missing);
        if (!status && (!s->text || tgs_planner_better(s->c, &e, &s->e))) {
            tgs_mem_free(s->text);
            s->text = tgs_mem_text(tgs_proposal_strategy(p));
            s->e = e;
            snprintf(name, room, "%s", planner);
            status = s->text ? TGS_OK : tgs_fail(err, TGS_ENOMEM, "out of memory");
        }
    }
    tgs_proposal_free(p);
    return status;
}

static tgs_status put(tgs_proposal *out, const char *text)
{
    tgs_status status = TGS_OK;

    for (const char *line = text; *line && !status; line += strcspn(line, "\n") + 1)
        status = tgs_proposal_directive(out, "%.*s", (int)strcspn(line, "\n"), line);
    return status;
}

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    search s = {.c = c, .left = tgs_arg_int(c->args, "evals")};
    char name[64] = "";
    tgs_evaluation before;
    tgs_status status = TGS_OK;

    for (int32_t i = 0; tgs_plugin_name("planner", i) && !status; i++)
        if (strcmp(tgs_plugin_name("planner", i), "auto") != 0)
            status = ask(&s, out, tgs_plugin_name("planner", i), name, sizeof name, err);
    if (!status && !s.text)
        status = tgs_fail(err, TGS_ENOTAPPLICABLE, "no planner has a plan for this model");
    if (!status && s.e.missing > 0 && !s.left)
        status = tgs_fail(err, TGS_EINFEASIBLE, "%.0f bytes are missing with the best plan",
                          s.e.missing);
    before = s.e;
    if (!status)
        status = improve(&s, err);
    if (!status)
        status = put(out, s.text);
    if (!status)
        status = tgs_proposal_figure(out, "best_planner_step_s", before.step);
    if (!status)
        status = tgs_proposal_figure(out, "gain",
                                     tgs_planner_worth(c, &before) / tgs_planner_worth(c, &s.e));
    if (!status)
        status = tgs_proposal_note(
            out, "the best planner is %s%s", name,
            tgs_planner_better(c, &s.e, &before) ? ", improved by local search" : "");
    tgs_mem_free(s.text);
    return status;
}

static const tgs_param params[] = {
    {"evals", "40", TGS_PARAM_INT, 0, 1e6, "strategies that the local search may simulate"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_planner tgs_planner_auto = {
    .base = {TGS_PLUGIN_ABI, "auto", "the best of all planners once simulated, then improved", NULL,
             params},
    .needs = TGS_PLANS_MODEL | TGS_PLANS_PLATFORM,
    .systems = "",
    .plan = plan,
};
