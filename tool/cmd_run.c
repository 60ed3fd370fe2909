/* cmd_run.c -- tgsched run: execute a schedule and show predicted beside measured. */
#include <math.h>
#include <string.h>
#include "commands.h"
#include "measured.h"
#include "rounds.h"

#define AT(field) offsetof(options, field)
static const opt_row rows[] = {
    {"backend", 0, OPT_TEXT, "NAME",
     "execute through this backend: starpu or serial (default: starpu:keep=kind, see --keep)",
     AT(backend)},
    {"keep", 0, OPT_TEXT, "WHAT",
     "what a run through StarPU keeps of the plan: kind (default), of every task the kind of "
     "processor and the memory, and who comes first, so that no processor waits while a task that "
     "it may run is ready; order, every processor and its order exactly",
     AT(keep)},
    {"steps", 0, OPT_COUNT, "N", "run N steps; the last is shown (default: 3)", AT(steps)},
    {"policy", 0, OPT_TEXT, "LIST",
     "starpu:NAME: then run the same graph unplaced, under StarPU's scheduling policy NAME such as "
     "dmda, for comparison; a list of heuristics and such policies, separated by commas: run each "
     "GRAPH under all of them by turns",
     AT(policy)},
    {"runs", 0, OPT_COUNT, "N", "with a list of policies: N rounds (default: 15)", AT(repeat)},
    {"csv", 0, OPT_FLAG, NULL, "with a list of policies: print CSV", AT(csv)},
    {"output", 'o', OPT_TEXT, "FILE", "write the trace of the run to FILE (.tgt)", AT(output)},
    {"json", 0, OPT_TEXT, "FILE",
     "write the figures to FILE as JSON; with - they take the place of "
     "the tables",
     AT(summary)},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0},
};
static const opt_group own = {NULL, rows};

enum { MAKESPANS, WORKERS, LINKS, DATA, SYNTHETIC, TABLES, LARGEST = 10 };

typedef struct session {
    input in;
    tgs_problem *repriced; /* with measured times */
    tgs_schedule *schedule;
    tgs_trace *plan, *measured, *resimulated, *policy;
} session;

static void session_close(session *s)
{
    tgs_trace_free(s->policy);
    tgs_trace_free(s->resimulated);
    tgs_trace_free(s->measured);
    tgs_trace_free(s->plan);
    tgs_schedule_free(s->schedule);
    tgs_problem_free(s->repriced);
    input_close(&s->in);
}

static int plan(session *s, const command *self, const options *o)
{
    tgs_error err = {TGS_OK, ""};
    tgs_status status;
    const int code = open_schedule(&s->schedule, &s->in, self, o);

    if (code)
        return code;
    status = tgs_simulate(&s->plan, s->in.problem, s->schedule, &err);
    return status ? fail(status, &err) : EXIT_OK;
}

static int execute(session *s, const char *backend, const options *o)
{
    const int32_t steps = o->steps ? (int32_t)o->steps : 3;
    tgs_error err = {TGS_OK, ""};
    tgs_status status;
    int code;

    progress("running %d steps on %s ...", steps, backend);
    code = execute_steps(&s->measured, s->in.problem, s->schedule, backend, steps, o);
    if (code)
        return code;
    status = tgs_problem_reprice(&s->repriced, s->in.problem, NULL, s->measured, &err);
    if (!status)
        status = tgs_simulate(&s->resimulated, s->repriced, s->schedule, &err);
    if (!status && o->policy) {
        char text[128];

        snprintf(text, sizeof text, "starpu:policy=%s", o->policy + strlen("starpu:"));
        progress("running %d steps under %s ...", steps, o->policy);
        status = tgs_execute(&s->policy, s->in.problem, s->schedule, NULL, text, steps, &err);
    }
    progress(NULL);
    return status ? fail(status, &err) : EXIT_OK;
}

static int fill(table *t, const session *s, const traces *x)
{
    int code;

    makespan_table(&t[MAKESPANS], x);
    code = worker_table(&t[WORKERS], x);
    if (!code)
        code = link_table(&t[LINKS], x);
    if (!code)
        code = datum_table(&t[DATA], x, LARGEST);
    if (!code)
        code = synthetic_table(&t[SYNTHETIC], x, s->in.graph);
    return code;
}

static int print_people(const table *t, const session *s, FILE *to)
{
    static const char *const title[TABLES] = {
        NULL,
        NULL,
        NULL,
        "data moved most, last step",
        "tasks without a kernel ran synthetically: they held their worker for the predicted time",
    };
    int code = EXIT_OK;

    fprintf(to, "%s, %s, %d steps, the last one shown\n", s->in.title,
            tgs_schedule_heuristic(s->schedule), tgs_trace_steps(s->measured));
    for (int i = 0; i < TABLES && !code; i++)
        if (t[i].rows) {
            fprintf(to, "\n%s%s", title[i] ? title[i] : "", title[i] ? "\n" : "");
            code = table_people(&t[i], to);
        }
    if (extrapolated(s->in.problem))
        fprintf(to, "\n%d predicted times are extrapolated beyond what was measured\n",
                extrapolated(s->in.problem));
    if (!t[LINKS].rows)
        fputs("\nno data moved between memories\n", to);
    return code;
}

static void print_json(const table *t, const session *s, const char *backend, double bound,
                       FILE *to)
{
    fputs("{\"format\": \"tgsched.run/1\", \"graph\": ", to);
    tgs_json_text(to, s->in.title);
    fputs(", \"heuristic\": ", to);
    tgs_json_text(to, tgs_schedule_heuristic(s->schedule));
    fputs(", \"backend\": ", to);
    tgs_json_text(to, backend);
    fprintf(to,
            ", \"steps\": %d, \"planned_s\": %.17g, \"resimulated_s\": %.17g, "
            "\"measured_s\": %.17g",
            tgs_trace_steps(s->measured), tgs_trace_makespan(s->plan),
            tgs_trace_makespan(s->resimulated), tgs_trace_makespan(s->measured));
    fprintf(to, ", \"extrapolated\": %d", extrapolated(s->in.problem));
    if (s->policy)
        fprintf(to, ", \"policy_s\": %.17g", tgs_trace_makespan(s->policy));
    if (!isnan(bound))
        fprintf(to, ", \"lower_bound_s\": %.17g", bound);
    for (int i = 0; i < TABLES; i++) {
        fputs(",\n", to);
        table_json(&t[i], to);
    }
    fputs("}\n", to);
}

static int print(const session *s, const char *backend, const options *o)
{
    const bool json_only = o->summary && !strcmp(o->summary, "-");
    const double bound = lower_bound(s->in.problem, s->schedule, NULL);
    const traces x = {s->plan, s->resimulated, s->measured, s->policy, backend, o->policy, bound};
    table t[TABLES] = {0};
    result r;
    int code = fill(t, s, &x);

    if (!code && o->summary) {
        code = result_open(&r, o->summary);
        if (!code) {
            print_json(t, s, backend, bound, r.file);
            code = result_close(&r, code);
        }
    }
    if (!code && !json_only) {
        code = result_open(&r, "-");
        if (!code)
            code = result_close(&r, print_people(t, s, r.file));
    }
    for (int i = 0; i < TABLES; i++)
        table_free(&t[i]);
    return code;
}

/* the backend as a spec: what is kept goes with ours */
static const char *backend_of(const options *o)
{
    const bool order = o->keep && !strcmp(o->keep, "order");

    if (o->backend)
        return o->backend;
    return order ? "starpu:keep=order" : "starpu:keep=kind";
}

static int check_keep(const command *self, const options *o)
{
    if (!o->keep)
        return EXIT_OK;
    if (strcmp(o->keep, "order") && strcmp(o->keep, "kind"))
        return misuse(self, "--keep takes order or kind, not '%s'", o->keep);
    if (o->backend)
        return misuse(self, "--keep goes without --backend, which can be told: "
                            "--backend starpu:keep=order");
    return EXIT_OK;
}

static int run(const command *self, const options *o)
{
    const char *backend = backend_of(o);
    tgs_error err = {TGS_OK, ""};
    options with = *o;
    session s = {0};
    int code = check_keep(self, o);

    if (code)
        return code;
    if (!o->operands && (!o->schedule || rounds_wanted(o)))
        return misuse(self, "run needs GRAPH, or --schedule FILE");
    if (rounds_wanted(o))
        return rounds_run(self, o);
    if (o->operands > 1 || o->repeat || o->csv)
        return misuse(self, "several graphs, --runs and --csv go with a list of policies");
    if (o->policy && !o->policy[strlen("starpu:")])
        return misuse(self, "--policy takes starpu:NAME, not '%s'", o->policy);
    with.runnable = true;
    code = origin_input(&s.in, o->operand[0], self, &with);
    if (!code)
        code = plan(&s, self, o);
    if (!code)
        code = execute(&s, backend, o);
    if (!code) /* the bound is one of predicted times, so it is the plan's */
        code = annotate(s.measured, &s.in, s.schedule, NAN);
    if (!code)
        code = annotate(s.plan, &s.in, s.schedule, lower_bound(s.in.problem, s.schedule, NULL));
    if (!code && o->output) {
        const tgs_status status = tgs_trace_write(s.measured, o->output, &err);

        code = status ? fail_write(status, &err, o->output) : EXIT_OK;
    }
    if (!code)
        code = write_reports(s.measured, s.plan, o);
    if (!code)
        code = print(&s, backend, o);
    session_close(&s);
    return code;
}

const command cmd_run = {
    "run",
    "[GRAPH]...",
    "execute a schedule and compare it with its prediction",
    "Schedule GRAPH (or take --schedule), execute it, and print predicted beside measured: the "
    "makespan as planned, as simulated again with the measured times, and as measured; busy and "
    "idle time of each worker; bytes over each link; the data that moved most; and which codelets "
    "have no kernel and ran synthetically. With a list of policies (--policy heft,ils,starpu:dmda) "
    "each GRAPH is executed under all of them, by turns, on the same measured costs (--costs, else "
    "measured first), after two steps that warm up; StarPU's policies get these costs as their "
    "performance models and, where they look at them, priorities: the graph's own, then the "
    "longest path from a task to the end; and they prefetch. Printed are medians, spreads, and the "
    "ratio to the first policy with its 95 % interval (bootstrap).",
    0,
    ANY,
    {&own, &graph_options, &machine_options, &plan_options, &report_options},
    run,
};
