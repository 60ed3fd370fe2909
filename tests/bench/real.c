/* real.c -- `real [CASE [GRAPH]]`: plans against runs through StarPU, and against StarPU's own
 * policies.
 *
 *   fidelity        measured / planned of 11 runs on calibrated costs, the plan made before: median
 *                   and worst; re-simulated / measured
 *   fidelity-timed  the same of tasks that sleep, on 4 CPU workers, and on a CPU and a device
 *   versus-starpu   our time (keep=kind, as the command runs a plan) over the best StarPU policy's
 * in rounds by turns: median ratio, and the upper limit of its 95 % interval.  45 rounds, and more
 * until half of that interval is half a per cent, 135 at most.
 *
 * Rows are case,value,unit,target,holds.  Every graph has a process of its own, and so has every
 * policy: StarPU is one per process.  Where its data lie in physical memory, and thus in the
 * caches, is a process's luck, of one per cent or two, and lasts: so every policy has three
 * processes or more, one after the other, and the best one is that of all rounds.
 *
 * A plan cannot know that the machine will be slower or faster when it is run (its clock, and what
 * others do on the same silicon).  So when fidelity's runs have ended, the costs are measured
 * again: if the plan would take another time with those by more than a twentieth, costs of before
 * say nothing of the runs, and all is done once more, twice at most; -machine is that ratio, -tries
 * how often it took.  In the last try the rows are what they are. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "real.h"
#include "turns.h"

enum { RUNS = 11, TRIES = 3, ROUNDS = 15, LIVES = 3, MOST = 9, ALL = MOST * ROUNDS };
#define CHANGE 1.05 /* of the machine's speed */
#define WIDTH  0.01 /* of the interval, when it is enough */
enum { WARM_UPS = 2, CONTENDERS = 6, HEURISTICS = 5 };

static void row(const char *name, const char *graph, const char *what, double value,
                const char *unit, double low, double high)
{
    printf("%s-%s%s,%.4g,%s,%g,%s\n", name, graph, what, value, unit, high,
           value >= low && value <= high ? "yes" : "no");
    fflush(stdout);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, by_value);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* ---- a graph, its costs, its plan ---- */
typedef struct job {
    tgs_graph *g;
    tgs_platform *p;
    tgs_codelets *c;
    tgs_costs *costs;
    tgs_problem *pb;
    tgs_schedule *s;
    double planned;
} job;

/* the best of some heuristics by simulation, before anything is run */
static void plan(job *j, int heuristics)
{
    static const char *const heuristic[HEURISTICS] = {"heft", "peft", "cpop", "lookahead",
                                                      "ils:evals=20000"};
    tgs_error err;

    must(tgs_problem_new_for(&j->pb, j->g, j->p, j->costs, "latbw", j->c, &err), &err);
    j->planned = INFINITY;
    for (int i = 0; i < heuristics; i++) {
        tgs_schedule *s;
        tgs_trace *t;

        must(tgs_schedule_make(&s, j->pb, heuristic[i], 1, &err), &err);
        must(tgs_simulate(&t, j->pb, s, &err), &err);
        if (tgs_trace_makespan(t) < j->planned) {
            j->planned = tgs_trace_makespan(t);
            tgs_schedule_free(j->s);
            j->s = s;
            s = NULL;
        }
        tgs_schedule_free(s);
        tgs_trace_free(t);
    }
}

/* what is measured is not the runtime: a mean task takes a millisecond or more, as it is priced */
static double mean_task(const job *j)
{
    double sum = 0;

    for (int32_t t = 0; t < j->pb->v.n; t++)
        sum += tgs_w(&j->pb->v, t, j->s->v.place[t].proc)
               - tgs_task_overhead(&j->pb->v, t, j->s->v.place[t].proc);
    return sum / j->pb->v.n;
}

static job open_job(tgs_graph *g, const char *platform, const char *costs, int heuristics)
{
    job j = {.g = g, .c = real_codelets()};
    tgs_error err;

    must(tgs_platform_parse(&j.p, platform, &err), &err);
    if (costs)
        must(tgs_costs_open(&j.costs, costs, &err), &err);
    else
        must(tgs_calibrate(&j.costs, g, j.p, j.c, "starpu", RUNS, &err), &err);
    plan(&j, heuristics);
    return j;
}

static void close_job(job *j)
{
    tgs_schedule_free(j->s);
    tgs_problem_free(j->pb);
    tgs_costs_free(j->costs);
    tgs_codelets_free(j->c);
    tgs_platform_free(j->p);
    tgs_graph_free(j->g);
}

static const char *workers(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);

    return cores >= 4 ? "cpu:4" : cores == 3 ? "cpu:3" : "cpu:2";
}

/* ---- fidelity ---- */
typedef struct fidelity_of { /* a plan and its runs */
    double task, planned, time[RUNS], resimulated;
    double machine; /* what the plan takes on costs of after the runs, over planned */
    int32_t unmeasured;
} fidelity_of;

/* the same plan on costs of now: each processor's order, played again */
static double planned_now(const job *j)
{
    tgs_costs *costs;
    tgs_problem *pb;
    tgs_trace *t;
    tgs_error err;
    double planned;

    must(tgs_calibrate(&costs, j->g, j->p, j->c, "starpu", RUNS, &err), &err);
    must(tgs_problem_new_for(&pb, j->g, j->p, costs, "latbw", j->c, &err), &err);
    must(tgs_simulate(&t, pb, j->s, &err), &err);
    planned = tgs_trace_makespan(t);
    tgs_trace_free(t);
    tgs_problem_free(pb);
    tgs_costs_free(costs);
    return planned;
}

static fidelity_of try_plan(const char *graph, tgs_graph *g, const char *platform)
{
    job j = open_job(g, platform, NULL, HEURISTICS);
    fidelity_of f = {.task = mean_task(&j), .planned = j.planned};
    tgs_price_info prices;
    tgs_problem *measured;
    tgs_trace *t, *again;
    tgs_error err;

    if (f.task < 1e-3) {
        fprintf(stderr, "bench: %s: a mean task of %.3g ms is too short to be told\n", graph,
                1000 * f.task);
        exit(1);
    }
    tgs_problem_prices(j.pb, &prices);
    f.unmeasured = prices.interpolated + prices.extrapolated + prices.roofline;
    must(tgs_execute(&t, j.pb, j.s, j.c, "starpu", RUNS + 1, &err), &err);
    must(tgs_problem_reprice(&measured, j.pb, NULL, t, &err), &err);
    must(tgs_simulate(&again, measured, j.s, &err), &err);
    for (int i = 0; i < RUNS; i++)
        f.time[i] = tgs_trace_step(t, i + 1);
    f.resimulated = tgs_trace_makespan(again);
    tell_worst(graph, t);
    f.machine = planned_now(&j) / j.planned;
    tgs_trace_free(again);
    tgs_trace_free(t);
    tgs_problem_free(measured);
    close_job(&j);
    return f;
}

static void fidelity(const char *name, const char *graph, tgs_graph *(*make)(int which), int which,
                     const char *platform, double target, double worst)
{
    fidelity_of f;
    double middle;
    int tries = 0;

    do
        f = try_plan(graph, make(which), platform);
    while (++tries < TRIES && (f.machine > CHANGE || f.machine < 1 / CHANGE));
    middle = median(f.time, RUNS); /* sorts them */
    printf("%s-%s-task,%.4g,ms,1,yes\n", name, graph, 1000 * f.task);
    printf("%s-%s-not-measured,%d,prices,,\n", name, graph, f.unmeasured);
    row(name, graph, "", middle / f.planned, "x", 2 - target, target);
    row(name, graph, "-worst", f.time[RUNS - 1] / f.planned, "x", 0, worst);
    row(name, graph, "-resimulated", f.resimulated / middle, "x", 0.95, 1.05);
    printf("%s-%s-spread,%.4g,x,,\n", name, graph,
           (f.time[3 * RUNS / 4] - f.time[RUNS / 4]) / middle); /* between the quartiles */
    printf("%s-%s-machine,%.4g,x,,\n", name, graph, f.machine);
    printf("%s-%s-tries,%d,,,\n", name, graph, tries);
}

/* ---- versus StarPU ---- */
typedef struct contender {
    int graph;
    const char *policy, *costs; /* policy "": ours */
} contender;

/* steps when it is its turn, and then tells all times */
static void contend(const void *what, const player *self)
{
    const contender *c = what;
    job j;
    char backend[80];
    double time[ROUNDS];
    tgs_trace *t;
    tgs_run *r;
    tgs_error err;

    if (*c->policy)
        setenv("STARPU_PREFETCH", "1", 0);
    j = open_job(real_graph(c->graph), workers(), c->costs, *c->policy ? 1 : HEURISTICS);
    snprintf(backend, sizeof backend, "starpu:%s%s", *c->policy ? "policy=" : "keep=kind",
             c->policy);
    must(tgs_run_open(&r, j.pb, j.s, j.c, backend, &err), &err);
    for (int i = 0; i < WARM_UPS; i++)
        must(tgs_run_step(r, &err), &err);
    while (turns_wait(self))
        must(tgs_run_step(r, &err), &err);
    must(tgs_run_close(r, &t, &err), &err);
    for (int i = 0; i < ROUNDS; i++)
        time[i] = tgs_trace_step(t, WARM_UPS + i);
    turns_tell(self, time, sizeof time);
    tgs_trace_free(t);
    close_job(&j);
}

/* in a process that ends before StarPU is started for the policies */
static void calibrate(int which, const char *path)
{
    const pid_t child = fork();
    int status;

    if (!child) {
        job j = open_job(real_graph(which), workers(), NULL, 1);
        tgs_error err;

        must(tgs_costs_write(j.costs, path, &err), &err);
        close_job(&j);
        exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0 || status)
        exit(1);
}

static void versus(int which)
{
    static const char *const policy[CONTENDERS] = {"",    "dmda",       "dmdas",
                                                   "lws", "heteroprio", "eager"};
    char path[] = "/tmp/tgsched-bench-XXXXXX.tgc";
    const int fd = mkstemps(path, 4);
    player all[CONTENDERS];
    double time[CONTENDERS][ALL], room[ALL], middle[CONTENDERS];
    tgs_ratio ratio;
    tgs_error err;
    int rival, rounds = 0;

    if (fd < 0)
        exit(1);
    close(fd);
    calibrate(which, path);
    do {
        for (int i = 0; i < CONTENDERS; i++)
            turns_start(all, i, contend, &(contender){which, policy[i], path});
        for (int r = 0; r < ROUNDS; r++)
            for (int i = 0; i < CONTENDERS; i++) /* nobody is always the first */
                turns_take(&all[(i + r) % CONTENDERS]);
        for (int i = 0; i < CONTENDERS; i++)
            turns_end(&all[i], time[i] + rounds, ROUNDS * sizeof **time);
        rounds += ROUNDS;
        rival = 1;
        for (int i = 0; i < CONTENDERS; i++) {
            memcpy(room, time[i], (size_t)rounds * sizeof *room);
            middle[i] = median(room, rounds);
            if (i && middle[i] < middle[rival])
                rival = i;
        }
        must(tgs_ratio_of(&ratio, time[0], time[rival], rounds, &err), &err);
    } while (rounds < LIVES * ROUNDS || (rounds < ALL && ratio.high - ratio.low > WIDTH));
    unlink(path);
    for (int i = 0; i < CONTENDERS; i++)
        printf("versus-starpu-%s-%s,%.4g,ms,,\n", real_names[which], i ? policy[i] : "tgsched",
               1000 * middle[i]);
    printf("versus-starpu-%s-rounds,%d,,,\n", real_names[which], rounds);
    row("versus-starpu", real_names[which], "", ratio.median, "x", 0, 1.02);
    row("versus-starpu", real_names[which], "-upper", ratio.high, "x", 0, 1.02);
}

/* ---- cases ---- */
static void real_fidelity(int which)
{
    fidelity("fidelity", real_names[which], real_graph, which, workers(), 1.10, 1.25);
}

static tgs_graph *timed(int which)
{
    (void)which;
    return timed_graph();
}

static void timed_fidelity(int which)
{
    if (which)
        fidelity("fidelity-timed", "device", timed, 0, "cpu:1 gpu:1", 1.10, INFINITY);
    else
        fidelity("fidelity-timed", "cpus", timed, 0, "cpu:4", 1.05, INFINITY);
}

static const struct {
    const char *name;
    void (*run)(int which);
    int count;
} cases[] = {
    {"fidelity", real_fidelity, REAL_GRAPHS},
    {"fidelity-timed", timed_fidelity, 2},
    {"versus-starpu", versus, REAL_GRAPHS},
};

static int apart(void (*run)(int), int which)
{
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (!child) {
        run(which);
        exit(0);
    }
    return child < 0 || waitpid(child, &status, 0) < 0 || status;
}

int main(int argc, char **argv)
{
    int failed = 0;

    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < cases[i].count; k++)
            if ((argc < 2 || !*argv[1] || !strcmp(argv[1], cases[i].name))
                && (argc < 3 || !strcmp(argv[2], real_names[k])))
                failed |= apart(cases[i].run, k);
    return failed;
}
