/* plans.c -- tgsched plan --compare: several planners on one input, by what their plans come to. */
#include "plans.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "records.h"

static const column columns[] = {
    {"planner", "planner", CELL_TEXT},
    {"step_s", "simulated step", CELL_SECONDS},
    {"ratio", "ratio", CELL_REAL},
    {"estimate_s", "estimate", CELL_SECONDS},
    {"lower_bound_s", NULL, CELL_SECONDS},
    {"bytes_moved", "moved", CELL_BYTES},
    {"peak_bytes", "largest peak", CELL_BYTES},
    {"energy_j", "energy (J)", CELL_REAL},
    {"edp_js", "energy x time (J s)", CELL_REAL},
    {"time_s", "planned in", CELL_SECONDS},
    {"strategy", NULL, CELL_TEXT},
    {"note", "note", CELL_TEXT},
};

static double largest_peak(const planned *x, const tgs_evaluation *e)
{
    double largest = 0;

    for (int32_t i = 0; i < tgs_platform_memories(x->platform); i++)
        largest = fmax(largest, e->peak[i]);
    return largest;
}

/* what cannot be planned so is a row that says why */
static int add(table *t, const planned *x, const tgs_plan_answer *a)
{
    const tgs_proposal *p = a->proposal;
    tgs_evaluation e;
    const int32_t row = table_row(t);
    char *strategy;

    table_text(t, row, "planner", a->planner);
    table_real(t, row, "time_s", a->seconds);
    if (!p) {
        table_text(t, row, "note", a->why.text);
        return EXIT_OK;
    }
    strategy = planned_strategy(p);
    if (!strategy)
        return fail(TGS_ENOMEM, NULL);
    table_text(t, row, "strategy", strategy);
    free(strategy);
    table_real(t, row, "estimate_s", tgs_proposal_value(p, "step_s"));
    if (tgs_proposal_evaluation(p, &e)) {
        table_real(t, row, "step_s", e.step);
        table_real(t, row, "lower_bound_s", e.bound);
        table_real(t, row, "bytes_moved", e.moved);
        table_real(t, row, "energy_j", e.energy);
        table_real(t, row, "edp_js", tgs_evaluation_worth(&e, TGS_OBJECTIVE_EDP));
        table_real(t, row, "peak_bytes", largest_peak(x, &e));
    } else
        table_text(t, row, "note", "not of one step: see its own figures");
    if (tgs_proposal_note_at(p, 0))
        table_text(t, row, "note", tgs_proposal_note_at(p, 0));
    return EXIT_OK;
}

/* the planners that are compared: all that serve, or those of a list, cut in place */
typedef struct field {
    tgs_plan_answer *answer;
    int32_t count;
    char *list;
} field;

static int choose_all(field *f, const command *c, const planned *x)
{
    for (int32_t i = 0; tgs_plugin_name("planner", i); i++)
        if (!tgs_planner_check(&x->in, tgs_plugin_name("planner", i), NULL))
            f->answer[f->count++].planner = tgs_plugin_name("planner", i);
    return f->count ? EXIT_OK : misuse(c, "no planner takes such operands");
}

static int choose_some(field *f, const command *c, const planned *x)
{
    char *rest = f->list, *spec;

    while ((spec = strsep(&rest, ","))) {
        tgs_error err = {TGS_OK, ""};
        const tgs_status status = tgs_planner_check(&x->in, spec, &err);

        if (status)
            return status == TGS_ENOTAPPLICABLE ? fail(status, &err) : misuse(c, "%s", err.text);
        f->answer[f->count++].planner = spec;
    }
    return EXIT_OK;
}

static int choose(field *f, const command *c, const planned *x, const char *list)
{
    const bool all = !strcmp(list, "all");
    size_t most = 1;

    for (int32_t i = 0; all && tgs_plugin_name("planner", i); i++)
        most++;
    for (const char *s = list; *s; s++)
        most += *s == ',';
    f->answer = calloc(most, sizeof *f->answer);
    f->list = strdup(list);
    if (!f->answer || !f->list)
        return fail(TGS_ENOMEM, NULL);
    return all ? choose_all(f, c, x) : choose_some(f, c, x);
}

static int ask(table *t, const command *c, const planned *x, const char *list)
{
    field f = {NULL, 0, NULL};
    tgs_error err = {TGS_OK, ""};
    tgs_status status = TGS_OK;
    int code = choose(&f, c, x, list);

    if (!code)
        status = watched_plans(f.answer, f.count, &x->in, &err);
    if (status)
        code = fail(status, &err);
    for (int32_t i = 0; i < f.count && !code; i++)
        code = add(t, x, &f.answer[i]);
    for (int32_t i = 0; i < f.count; i++)
        tgs_proposal_free(f.answer[i].proposal);
    free(f.answer);
    free(f.list);
    return code;
}

static void rank(table *t, tgs_objective objective)
{
    static const char *const keys[] = {
        [TGS_OBJECTIVE_TIME] = "step_s",
        [TGS_OBJECTIVE_ENERGY] = "energy_j",
        [TGS_OBJECTIVE_EDP] = "edp_js",
    };
    const char *key = keys[objective];
    double best = INFINITY;

    for (int32_t i = 0; i < t->rows; i++)
        best = fmin(best, table_value(t, i, key));
    for (int32_t i = 0; i < t->rows; i++)
        table_real(t, i, "ratio", table_value(t, i, key) / best);
    table_sort(t, key);
}

int plans_compare(const command *c, const planned *x, const options *o)
{
    table t;
    result r;
    int code;

    table_init(&t, "plans", columns, sizeof columns / sizeof *columns);
    code = ask(&t, c, x, o->compared);
    if (!code) {
        rank(&t, x->in.objective);
        code = result_open(&r, o->output);
    }
    if (!code) {
        code = table_print(&t, "plans", o, r.file);
        code = result_close(&r, code);
    }
    table_free(&t);
    return code;
}
