/* cmd_replay.c -- tgsched replay: a StarPU application, run as a schedule says. */
#include <math.h>
#include <string.h>
#include "commands.h"
#include "launch.h"

#define AT(field) offsetof(options, field)
static const opt_row rows[] = {
    {"platform", 'm', OPT_INPUT, "PLATFORM", "the machine that the plan is for (default: host)",
     AT(platform)},
    {"trace", 0, OPT_TEXT, "FILE", "write the trace of the run to FILE (.tgt); needs --graph",
     AT(trace)},
    {"graph", 'g', OPT_INPUT, "GRAPH", "the captured graph, for --trace", AT(graph)},
    {"patience", 0, OPT_REAL, "SECONDS",
     "give the plan up when nothing has moved for so long and the application has not submitted "
     "what comes next (default: 1)",
     AT(patience)},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0},
};
static const opt_group own = {NULL, rows};

/* how it went, as the library says; false: it has not said anything */
static bool tell(const launch *l)
{
    int tasks, submitted, done, early, broken;
    char path[4128];
    FILE *f;
    bool good;

    launch_path(l, "status", path, sizeof path);
    f = fopen(path, "r");
    if (!f) {
        warn("the application has ended without starpu_shutdown: how far it kept to the plan is "
             "not known");
        return false;
    }
    good = fscanf(f, "%d %d %d %d %d", &tasks, &submitted, &done, &early, &broken) == 5;
    fclose(f);
    if (!good)
        return false;
    if (submitted < tasks && !broken)
        warn("the application has submitted only %d of the %d tasks of the plan", submitted, tasks);
    warn("%d of %d tasks ran as planned%s", done - early, tasks,
         broken ? ", the others under StarPU's eager policy" : "");
    if (early)
        warn("%d ran on their processor but before their turn: StarPU had given them the data that "
             "others waited for",
             early);
    return true;
}

static int write_trace(const launch *l, const tgs_platform *p, const options *o)
{
    tgs_error err = {TGS_OK, ""};
    tgs_graph *g = NULL;
    tgs_problem *pb = NULL;
    tgs_schedule *s = NULL;
    tgs_capture *c = NULL;
    tgs_trace *t = NULL;
    tgs_status status;
    int code = launch_read(l, &c, o->operand[1]);

    if (code)
        return code;
    status = tgs_graph_read(&g, o->graph, NULL, &err);
    if (!status)
        status = tgs_problem_new(&pb, g, p, NULL, NULL, &err);
    if (!status)
        status = tgs_schedule_read(&s, o->operand[0], pb, &err);
    if (!status)
        status = tgs_capture_trace(&t, c, pb, s, &err);
    if (!status)
        status = tgs_trace_annotate(t, o->operand[1], NAN, &err);
    if (!status)
        status = tgs_trace_write(t, o->trace, &err);
    code = status ? fail_write(status, &err, o->trace) : EXIT_OK;
    tgs_trace_free(t);
    tgs_capture_free(c);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_graph_free(g);
    return code;
}

static int run(const command *self, const options *o)
{
    const double patience = isnan(o->patience) ? 1 : o->patience;
    tgs_error err = {TGS_OK, ""};
    tgs_platform *p = NULL;
    launch l = {.there = false};
    tgs_replay_info info;
    char path[4128];
    int code, application = EXIT_OK;

    if (o->trace && !o->graph)
        return misuse(self, "--trace needs --graph: the names of data are there");
    if (o->trace && !strcmp(o->trace, "-"))
        return misuse(self, "standard output is the application's: name a file");
    if (!(patience > 0))
        return misuse(self, "--patience takes more than 0 seconds");
    code = open_platform(&p, o->platform ? o->platform : "host");
    if (!code)
        code = launch_open(&l);
    if (!code) {
        launch_path(&l, "plan", path, sizeof path);
        if (tgs_replay_write(o->operand[0], p, patience, path, &info, &err))
            code = fail(err.status, &err);
    }
    if (!code) {
        application = launch_run(&l, p, o->trace != NULL, o->operand + 1);
        if (application != 127 && !launch_seen(&l, o->operand[1]))
            code = EXIT_FAILED;
        else if (application != 127 && !tell(&l))
            code = EXIT_FAILED;
        else if (application != 127 && o->trace)
            code = write_trace(&l, p, o);
    }
    launch_close(&l);
    tgs_platform_free(p);
    return application ? application : code;
}

const command cmd_replay = {
    "replay",
    "SCHEDULE -- APPLICATION [ARGUMENT]...",
    "run a StarPU application as a schedule says",
    "Run APPLICATION, unchanged, with the tasks of SCHEDULE (of a graph that capture has written) "
    "where and in the order that it says. Where the application submits anything else, or waits "
    "for "
    "what the schedule has later, it goes on under StarPU's eager policy, and a message says so. "
    "The exit code is the application's.",
    2,
    PROGRAM,
    {&own},
    run,
};
