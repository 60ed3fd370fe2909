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
static int add(table *t, const planned *x, const char *planner)
{
    tgs_error err = {TGS_OK, ""};
    tgs_proposal *p;
    tgs_evaluation e;
    const double began = now();
    const tgs_status status = tgs_planner_make(&p, &x->in, planner, &err);
    const int32_t row = table_row(t);
    char *strategy;

    table_text(t, row, "planner", planner);
    table_real(t, row, "time_s", now() - began);
    if (status == TGS_ENOMEM)
        return fail(status, &err);
    if (status) {
        table_text(t, row, "note", err.text);
        return EXIT_OK;
    }
    strategy = planned_strategy(p);
    if (!strategy) {
        tgs_proposal_free(p);
        return fail(TGS_ENOMEM, NULL);
    }
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
    tgs_proposal_free(p);
    return EXIT_OK;
}

static int add_all(table *t, const command *c, const planned *x)
{
    int code = EXIT_OK;

    for (int32_t i = 0; tgs_plugin_name("planner", i) && !code; i++)
        if (!tgs_planner_check(&x->in, tgs_plugin_name("planner", i), NULL)) {
            progress("%s", tgs_plugin_name("planner", i));
            code = add(t, x, tgs_plugin_name("planner", i));
        }
    progress(NULL);
    if (!code && !t->rows)
        return misuse(c, "no planner takes such operands");
    return code;
}

static int add_some(table *t, const command *c, const planned *x, const char *list)
{
    char *copy = strdup(list), *rest = copy, *spec;
    int code = copy ? EXIT_OK : fail(TGS_ENOMEM, NULL);

    while (!code && (spec = strsep(&rest, ","))) {
        tgs_error err = {TGS_OK, ""};
        const tgs_status status = tgs_planner_check(&x->in, spec, &err);

        if (status == TGS_ENOTAPPLICABLE)
            code = fail(status, &err);
        else if (status)
            code = misuse(c, "%s", err.text);
        else
            code = add(t, x, spec);
    }
    free(copy);
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
    code = strcmp(o->compared, "all") != 0 ? add_some(&t, c, x, o->compared) : add_all(&t, c, x);
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
