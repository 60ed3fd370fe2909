/* cmd_plan.c -- tgsched plan: how to parallelise a training step, or place models. */
#include <string.h>
#include "commands.h"
#include "plans.h"

#define AT(field) offsetof(options, field)
static const opt_row rows[] = {
    {"planner", 'p', OPT_TEXT, "SPEC",
     "the planner, with parameters as NAME:KEY=VALUE: one of 'tgsched list planner' "
     "(default: " DEFAULT_PLANNER ")",
     AT(planner)},
    {"batch", 'b', OPT_COUNT, "N",
     "samples of a training step (default: the batch that the model is bound to)", AT(batch)},
    {"output", 'o', OPT_TEXT, "FILE",
     "write the strategy to FILE (.tgy), for --strategy of other commands; with - it takes the "
     "place of the figures on standard output",
     AT(output)},
    {"compare", 0, OPT_TEXT, "SPEC,...",
     "plan with each of these planners, or with all that take MODEL, and rank their plans by the "
     "simulated step (see --objective); -o takes the table",
     AT(compared)},
    {"objective", 0, OPT_TEXT, "WHAT",
     "what a plan is chosen by: time of a step, energy (J) or edp, energy x time; the platform "
     "must "
     "tell power_busy and power_idle of its kinds and energy of its links (default: time)",
     AT(objective)},
    {"export", 0, OPT_TEXT, "PROGRAM",
     "print what torch, deepspeed or megatron can use of the strategy, as JSON, and what it cannot "
     "express",
     AT(exported)},
    {"export-lp", 0, OPT_TEXT, "FILE",
     "write the integer program that the planner (place-ip) would solve to FILE, in the CPLEX LP "
     "format, and plan nothing",
     AT(export)},
    {"json", 0, OPT_FLAG, NULL, "print JSON", AT(json)},
    {"csv", 0, OPT_FLAG, NULL, "print the figures as CSV", AT(csv)},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0},
};
static const opt_group own = {NULL, rows};

static int plan(const planned *x, const options *o)
{
    const bool only = o->output && !strcmp(o->output, "-");
    tgs_error err = {TGS_OK, ""};
    tgs_proposal *p;
    result r;
    tgs_status status = watched_plan(&p, &x->in, o->planner ? o->planner : DEFAULT_PLANNER, &err);
    int code;

    if (status) /* a malformed file is no misuse */
        return x->in.file && !strncmp(err.text, x->in.file, strlen(x->in.file))
                   ? fail(status, &err)
                   : fail_spec(status, &err);
    if (o->output)
        status = tgs_proposal_write(p, o->output, &err);
    code = status == TGS_EIO ? fail_write(status, &err, o->output)
           : status          ? fail(status, &err)
                             : EXIT_OK;
    if (!code && !only) {
        code = result_open(&r, "-");
        if (!code)
            code = result_close(&r, o->exported ? plans_export(x, p, o->exported, r.file)
                                                : planned_print(x, p, o, r.file));
    }
    tgs_proposal_free(p);
    return code;
}

static int export(const planned *x, const options *o)
{
    tgs_error err = {TGS_OK, ""};
    const tgs_status status =
        tgs_planner_program_write(&x->in, o->planner ? o->planner : "place-ip", o->export, &err);

    if (status == TGS_EIO)
        return fail_write(status, &err, o->export);
    return status ? fail_spec(status, &err) : EXIT_OK;
}

static int run(const command *self, const options *o)
{
    planned x;
    int code;

    if (o->strategy || o->micro_batches || o->replicas || o->timings)
        return misuse(self, "the planner chooses the strategy: no --strategy, --micro-batches, "
                            "--replicas or --times");
    if (o->export && (o->output || o->json || o->csv))
        return misuse(self, "--export-lp plans nothing, so there is nothing else to write");
    if (o->compared && (o->planner || o->export || o->exported))
        return misuse(self, "--compare LIST names the planners, and exports nothing");
    if (o->exported && (o->json || o->csv || o->export))
        return misuse(self, "--export PROGRAM prints JSON of its own");
    if (o->exported && !plans_exports(o->exported))
        return misuse(self, "no program '%s' (there are: torch, deepspeed, megatron)", o->exported);
    code = planned_open(&x, self, o);
    if (!code && o->compared)
        code = plans_compare(self, &x, o);
    else if (!code)
        code = o->export ? export(&x, o) : plan(&x, o);
    planned_close(&x);
    return code;
}

const command cmd_plan = {
    "plan",
    "MODEL...",
    "plan how to parallelise a training step",
    "Ask a planner how to run a training step of MODEL on the machine, and print its strategy, "
    "with the time of a step as it was simulated (links shared, parameters where they are "
    "updated) beside the planner's own estimate, the heuristic that scheduled it (for -a of other "
    "commands), and the bytes in each memory. Some planners take "
    "several models, a graph, or a file of their own. Exit code 3: nothing fits in memory.",
    1,
    MAX_MANY,
    {&own, &graph_options, &machine_options},
    run,
};
