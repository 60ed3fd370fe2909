/* cmd_forkjoin.c -- tgsched forkjoin: schedule a fork-join graph and tell, case by case, what was
 * proved. */
#include <math.h>
#include <string.h>
#include "commands.h"
#include "common.h"
#include "table.h"

#define AT(field) offsetof(options, field)
static const opt_row rows[] = {
    {"eps", 'e', OPT_REAL, "E",
     "stop at a schedule within a factor 1 + E of the lower bound (default: 0.01)", AT(eps)},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0},
};
static const opt_group own = {NULL, rows};

static const column columns[] = {
    {"case", "case", CELL_TEXT},   {"lower_bound_s", "lower bound", CELL_SECONDS},
    {"bound", "by", CELL_TEXT},    {"makespan_s", "makespan", CELL_SECONDS},
    {"ratio", "ratio", CELL_REAL}, {"result", "result", CELL_TEXT},
};

/* what came of a case; best: it holds the schedule that is shown, of length makespan */
static void describe(char *text, size_t size, const tgs_case *k, bool best, double makespan)
{
    if (k->skipped)
        snprintf(text, size, "skipped: nothing better by more than eps");
    else if (!best && k->lower >= makespan * (1 - 1e-12))
        snprintf(text, size, "nothing better");
    else if (*k->theorem)
        snprintf(text, size, "optimal: %s", k->theorem);
    else if (k->upper <= k->lower)
        snprintf(text, size, "optimal: the bound is reached");
    else
        snprintf(text, size, best ? "best" : "solved");
}

static void fill(table *t, const tgs_schedule *s)
{
    const double makespan = tgs_schedule_makespan(s);
    bool shown = false;

    for (int32_t i = 0; i < tgs_schedule_cases(s); i++) {
        const int32_t row = table_row(t);
        tgs_case k;
        char result[160];
        bool best;

        tgs_schedule_case(s, i, &k);
        best = !shown && fabs(k.upper - makespan) <= 1e-9 * makespan;
        shown = shown || best;
        table_text(t, row, "case", k.what);
        table_real(t, row, "lower_bound_s", k.lower);
        table_text(t, row, "bound", k.bound);
        table_real(t, row, "makespan_s", isinf(k.upper) ? NAN : k.upper);
        table_real(t, row, "ratio", isinf(k.upper) || !(k.lower > 0) ? NAN : k.upper / k.lower);
        describe(result, sizeof result, &k, best, makespan);
        table_text(t, row, "result", result);
    }
}

static int print(const table *t, const tgs_schedule *s, double eps, const options *o, FILE *to)
{
    const double makespan = tgs_schedule_makespan(s), lower = tgs_schedule_lower_bound(s);
    const bool proven = makespan <= (1 + eps) * lower;
    char length[64], bound[64];

    if (o->csv)
        return table_csv(t, to);
    if (o->json) {
        fprintf(to,
                "{\"format\": \"tgsched.forkjoin/1\", \"makespan_s\": %.17g, "
                "\"lower_bound_s\": %.17g, \"eps\": %.17g, \"proven\": %s, ",
                makespan, lower, eps, proven ? "true" : "false");
        if (lower > 0)
            fprintf(to, "\"ratio\": %.17g, ", makespan / lower);
        table_json(t, to);
        fputs("}\n", to);
        return EXIT_OK;
    }
    human(length, sizeof length, CELL_SECONDS, makespan);
    human(bound, sizeof bound, CELL_SECONDS, lower);
    if (makespan <= lower)
        fprintf(to, "makespan %s: optimal\n\n", length);
    else
        fprintf(to, "makespan %s; no schedule is shorter than %s: within %.4g, %s eps %g\n\n",
                length, bound, makespan / lower - 1,
                proven ? "as asked by" : "which does not prove", eps);
    return table_people(t, to);
}

static int run(const command *self, const options *o)
{
    const double eps = isnan(o->eps) ? 0.01 : o->eps;
    tgs_schedule *s = NULL;
    char spec[64];
    input in;
    table t;
    result r;
    int code;

    if (!(eps >= 0))
        return misuse(self, "--eps takes a number of at least 0");
    table_init(&t, "cases", columns, sizeof columns / sizeof *columns);
    snprintf(spec, sizeof spec, "fj-eptas:eps=%.17g", eps);
    code = input_open(&in, o->operand[0], self, o);
    if (!code)
        code = make_schedule(&s, in.problem, spec, o->seed);
    if (!code) {
        fill(&t, s);
        code = result_open(&r, o->output);
    }
    if (!code)
        code = result_close(&r, print(&t, s, eps, o, r.file));
    tgs_schedule_free(s);
    table_free(&t);
    input_close(&in);
    return code;
}

const command cmd_forkjoin = {
    "forkjoin",
    "GRAPH",
    "schedule a fork-join graph and tell case by case what was proved",
    "Schedule GRAPH, a fork-join (one source, independent tasks, one sink; or without either end), "
    "with fj-eptas. Where source and sink run are the cases: for each its lower bound and what it "
    "is "
    "by, the best schedule found, and whether that is optimal, by which theorem, or the case was "
    "skipped because of its bound.",
    1,
    1,
    {&own, &graph_options, &machine_options, &table_options},
    run,
};
