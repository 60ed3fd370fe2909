/* planners.c -- `planners [CASE]`, the cases planners-MACHINE-MODEL*: all planners on one model and
 * one machine of examples/machines.sh, as `tgsched plan --compare all` runs them.
 *
 * Rows of bench.c's form, three of each pair: seconds that pass until all have answered; the
 * simulated step of the best single planner, which the case names; and by how much auto's is
 * shorter.  They run when they are asked for: all of them take long.  Plans are deterministic,
 * so that one round is enough for all but the seconds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "tgsched.h"

enum { MOST = 256 };

typedef struct machine {
    const char *name;
    double target; /* seconds; NAN: none is set */
    int times;     /* a step has so many times the samples */
} machine;

static const machine machines[] = {
    {"four-kinds", 60, 1}, {"unlike", NAN, 1}, {"cores", NAN, 1}, {"racks", 600, 8}};

typedef struct network {
    const char *name, *spec;
    int64_t batch; /* samples of a step */
} network;

static const network networks[] = {
    {"gpt2-1.5b", "zoo:gpt2-xl:batch=1", 128},   {"vgg19", "zoo:vgg19:batch=8", 128},
    {"resnet152", "zoo:resnet152:batch=8", 128}, {"bert-large", "zoo:bert-large:batch=4", 128},
    {"dlrm", "zoo:dlrm:batch=128", 2048},        {"moe", "zoo:moe:batch=1", 128},
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(tgs_status status, const tgs_error *err)
{
    if (status) {
        fprintf(stderr, "planners: %s\n", err->text);
        exit(1);
    }
}

static void put(const char *name, const char *what, double value, const char *unit, double target)
{
    printf("%s%s,%.4g,%s,", name, what, value, unit);
    if (isnan(target))
        printf(",\n");
    else
        printf("%g,%s\n", target, value <= target ? "yes" : "no");
    fflush(stdout);
}

/* what examples/machines.sh prints */
static tgs_platform *open_machine(const char *name)
{
    const char *root = getenv("TGS_SRCDIR");
    char path[] = "/tmp/planners-XXXXXX", command[4400];
    const int file = mkstemp(path);
    tgs_platform *p = NULL;
    tgs_error err = {TGS_OK, ""};

    if (file < 0)
        exit(1);
    snprintf(command, sizeof command, "sh %s/examples/machines.sh %s >%s", root ? root : ".", name,
             path);
    if (system(command))
        exit(1);
    must(tgs_platform_read(&p, path, &err), &err);
    close(file);
    unlink(path);
    return p;
}

static void measure(const char *name, const machine *m, const network *n)
{
    tgs_plan_answer answer[MOST];
    tgs_error err = {TGS_OK, ""};
    tgs_platform *p = open_machine(m->name);
    tgs_model *model;
    tgs_plan_input in = {.models = 1, .platform = p, .batch = n->batch * m->times};
    tgs_evaluation e;
    double best = INFINITY, improved = NAN, start;
    const char *who = "none";
    char what[100];
    int32_t count = 0;

    must(tgs_model_read(&model, n->spec, NULL, NULL, &err), &err);
    in.model = (const tgs_model *const *)&model;
    for (int32_t i = 0; tgs_plugin_name("planner", i) && count < MOST; i++)
        if (!tgs_planner_check(&in, tgs_plugin_name("planner", i), NULL))
            answer[count++].planner = tgs_plugin_name("planner", i);
    start = now();
    must(tgs_planners_make(answer, count, &in, &err), &err);
    put(name, "", now() - start, "s", m->target);
    for (int32_t i = 0; i < count; i++) {
        const bool evaluated =
            answer[i].proposal && tgs_proposal_evaluation(answer[i].proposal, &e);

        fprintf(stderr, "%s: %s %.3g s, step %.4g s%s%s\n", name, answer[i].planner,
                answer[i].seconds, evaluated ? e.step : NAN, answer[i].proposal ? "" : ": ",
                answer[i].proposal ? "" : answer[i].why.text);
        if (evaluated && !strcmp(answer[i].planner, "auto"))
            improved = e.step;
        else if (evaluated && e.step < best) {
            best = e.step;
            who = answer[i].planner;
        }
    }
    snprintf(what, sizeof what, "-best-%s", who);
    put(name, what, best, "s", NAN);
    put(name, "-auto-gain", best / improved, "x", NAN);
    for (int32_t i = 0; i < count; i++)
        tgs_proposal_free(answer[i].proposal);
    tgs_model_free(model);
    tgs_platform_free(p);
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    char name[100];

    if (strncmp(which, "planners", 8) != 0)
        return 0;
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++)
        for (size_t n = 0; n < sizeof networks / sizeof *networks; n++) {
            snprintf(name, sizeof name, "planners-%s-%s", machines[m].name, networks[n].name);
            if (!strncmp(which, name, strlen(which)))
                measure(name, &machines[m], &networks[n]);
        }
    return 0;
}
