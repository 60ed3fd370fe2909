/* cmd_capture.c -- tgsched capture: the task graph of a StarPU application, from a run of it. */
#include <string.h>
#include "commands.h"
#include "launch.h"

#define AT(field) offsetof(options, field)
static const opt_row rows[] = {
    {"output", 'o', OPT_TEXT, "FILE", "write the graph to FILE (.tg)", AT(output)},
    {"times", 0, OPT_TEXT, "FILE",
     "write the measured times to FILE (.tgc) too, one sample for each codelet, footprint and "
     "kind; the graph holds their medians",
     AT(times)},
    {"platform", 'm', OPT_INPUT, "PLATFORM",
     "the machine: as many workers are started (unless STARPU_NCPU, STARPU_NOPENCL, STARPU_NCUDA "
     "say otherwise), and times are of its kinds (default: host)",
     AT(platform)},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0},
};
static const opt_group own = {NULL, rows};

/* what a plan for p would do without */
static void compare_workers(const tgs_capture *c, const tgs_platform *p)
{
    static const char *const arch[] = {"cpu", "opencl", "cuda"};

    for (int a = 0; a < 3; a++) {
        const int32_t there = tgs_capture_workers(c, arch[a]);
        int32_t n = 0;

        for (int32_t q = 0; q < tgs_platform_processors(p); q++)
            n += !strcmp(tgs_platform_kind_arch(p, tgs_platform_processor_kind(p, q)), arch[a]);
        if (n != there)
            warn("the application has run on %d %s workers, the platform has %d", there, arch[a],
                 n);
    }
}

static int write_results(const tgs_capture *c, const tgs_platform *p, const options *o)
{
    tgs_error err = {TGS_OK, ""};
    tgs_graph *g = NULL;
    tgs_costs *costs = NULL;
    int32_t unknown;
    const char *path = o->output;
    tgs_status status = tgs_capture_graph(&g, c, p, &unknown, &err);

    if (tgs_capture_tasks(c) == 0) {
        tgs_graph_free(g);
        warn("the application has submitted no task that can be captured");
        return EXIT_FAILED;
    }
    compare_workers(c, p);
    if (!status)
        status = tgs_graph_write(g, path, "tg", &err);
    if (!status && o->times) {
        path = o->times;
        status = tgs_capture_costs(&costs, c, g, p, &err);
        if (!status)
            status = tgs_costs_write(costs, path, &err);
    }
    if (!status)
        warn("%s: %d tasks on %d data", o->output, tgs_capture_tasks(c), tgs_capture_data(c));
    if (!status && unknown)
        warn(
            "%d times of tasks on kinds that could run them are unknown: plans will not use those; "
            "capture with STARPU_SCHED=dmda STARPU_CALIBRATE=1 until StarPU knows them",
            unknown);
    tgs_costs_free(costs);
    tgs_graph_free(g);
    return status ? fail_write(status, &err, path) : EXIT_OK;
}

static int run(const command *self, const options *o)
{
    tgs_platform *p = NULL;
    tgs_capture *c = NULL;
    launch l = {.there = false};
    int code, application = EXIT_OK;

    if (!o->output)
        return misuse(self, "capture needs --output: standard output is the application's");
    if (!strcmp(o->output, "-") || (o->times && !strcmp(o->times, "-")))
        return misuse(self, "standard output is the application's: name a file");
    code = open_platform(&p, o->platform ? o->platform : "host");
    if (!code)
        code = launch_open(&l);
    if (!code) {
        application = launch_run(&l, p, true, o->operand);
        if (application != 127 && !launch_seen(&l, o->operand[0]))
            code = EXIT_FAILED;
        else if (application != 127)
            code = launch_read(&l, &c, o->operand[0]);
    }
    if (!code && c)
        code = write_results(c, p, o);
    tgs_capture_free(c);
    launch_close(&l);
    tgs_platform_free(p);
    return application ? application : code;
}

const command cmd_capture = {
    "capture",
    "-- APPLICATION [ARGUMENT]...",
    "record the task graph of a StarPU application",
    "Run APPLICATION as it is and write the graph of the tasks that it submits: their codelets, "
    "footprints, times and allowed kinds; its data with their sizes and accesses; tags, explicit "
    "dependencies and calls that wait. The exit code is the application's.",
    1,
    PROGRAM,
    {&own},
    run,
};
