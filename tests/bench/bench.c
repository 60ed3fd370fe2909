/* bench.c -- `bench [CASE]`: speed and memory of the main path, one CSV row a figure:
 * case,value,unit,target,holds.  Each case runs in a process of its own, for its memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tgsched.h"

static double now(void) /* seconds of this process on a core, whatever else runs */
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void row(const char *name, double value, const char *unit, double target)
{
    printf("%s,%.4g,%s,%g,%s\n", name, value, unit, target, value <= target ? "yes" : "no");
    fflush(stdout);
}

static double peak_mb(void)
{
    struct rusage r;

    getrusage(RUSAGE_SELF, &r);
    return (double)r.ru_maxrss / 1000; /* kilobytes */
}

static void must(tgs_status status, const tgs_error *err)
{
    if (status) {
        fprintf(stderr, "bench: %s\n", err->text);
        exit(1);
    }
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, by_value);
    return x[n / 2];
}

static tgs_graph *layered(int n)
{
    char spec[100];
    tgs_graph *g;
    tgs_error err;

    snprintf(spec, sizeof spec, "layered:n=%d:degree=3:kinds=cpu+gpu", n);
    must(tgs_graph_generate(&g, spec, 1, &err), &err);
    return g;
}

static double schedule(const tgs_graph *g, const char *machine, const char *heuristic)
{
    tgs_platform *p;
    tgs_problem *pb;
    tgs_schedule *s;
    tgs_error err;
    double start;

    must(tgs_platform_parse(&p, machine, &err), &err);
    start = now();
    must(tgs_problem_new(&pb, g, p, NULL, "latbw", &err), &err);
    must(tgs_schedule_make(&s, pb, heuristic, 1, &err), &err);
    start = now() - start;
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    return start;
}

static double heft(const tgs_graph *g)
{
    return schedule(g, "cpu:4 gpu:4 link:12e9,1e-5", "heft");
}

static void p64_1e6(void) /* 64 processors in 2 memories, and 64 equal ones with their own */
{
    static const struct {
        const char *name, *machine, *heuristic;
        double target;
    } rows[] = {{"heft-1e6-p64", "cpu:32 gpu:32 link:12e9,1e-5", "heft", 8},
                {"heft-1e6-p64-own", "cpu:64/own link:12e9,1e-5", "heft", 8},
                {"flb-1e6-p64", "cpu:32 gpu:32 link:12e9,1e-5", "flb", 1.5},
                {"flb-1e6-p64-own", "cpu:64/own link:12e9,1e-5", "flb", 1.5}};
    tgs_graph *g = layered(1000000);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double time[3];

        for (int k = 0; k < 3; k++)
            time[k] = schedule(g, rows[i].machine, rows[i].heuristic);
        row(rows[i].name, median(time, 3), "s", rows[i].target);
    }
    tgs_graph_free(g);
}

static void heft_5000(void) /* 5000 tasks, 14,790 edges, 8 processors */
{
    double time[21];
    tgs_graph *g;
    tgs_error err;

    must(tgs_graph_generate(&g, "layered:n=5000:width=70:degree=2.958:kinds=cpu+gpu", 1, &err),
         &err);
    for (int i = 0; i < 21; i++)
        time[i] = heft(g);
    row("heft-5000", 1000 * median(time, 21), "ms", 4);
    tgs_graph_free(g);
}

/* the best pair at every step, of as many ready tasks as there are */
static void independent(void)
{
    static const struct {
        const char *rule;
        int n;
        double target;
    } rows[] = {{"minmin", 100000, 1},
                {"etf", 100000, 1},
                {"dls", 100000, 1},
                {"maxmin", 10000, 1},
                {"sufferage", 10000, 5}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char spec[60], name[60];
        tgs_graph *g;
        tgs_error err;

        snprintf(spec, sizeof spec, "independent:n=%d:kinds=cpu+gpu", rows[i].n);
        snprintf(name, sizeof name, "independent-%g-%s", rows[i].n + 0.0, rows[i].rule);
        must(tgs_graph_generate(&g, spec, 1, &err), &err);
        row(name, schedule(g, "cpu:4 gpu:4 link:12e9,1e-5", rows[i].rule), "s", rows[i].target);
        tgs_graph_free(g);
    }
}

static void heft_1e6(void) /* pricing, heft and the check of its schedule */
{
    tgs_graph *g = layered(1000000);
    double time[3];

    for (int i = 0; i < 3; i++)
        time[i] = heft(g);
    row("heft-1e6-p8", median(time, 3), "s", 2);
    row("heft-1e6-p8-memory", peak_mb(), "MB", 600);
    tgs_graph_free(g);
}

static void price_1e6(void) /* every cost of 1,000,000 tasks on 2 kinds, memories with capacities */
{
    tgs_graph *g = layered(1000000);
    tgs_platform *p;
    tgs_problem *pb;
    tgs_error err;
    double time[5];

    must(tgs_platform_parse(&p, "cpu:4@64 gpu:4@16 link:12e9,1e-5", &err), &err);
    for (int i = 0; i < 5; i++) {
        time[i] = now();
        must(tgs_problem_new(&pb, g, p, NULL, "latbw", &err), &err);
        time[i] = now() - time[i];
        tgs_problem_free(pb);
    }
    row("price-1e6-k2", median(time, 5), "s", 0.3);
    tgs_platform_free(p);
    tgs_graph_free(g);
}

static void routes_1024(void) /* routes between all pairs of the largest number of memories */
{
    tgs_platform *p;
    tgs_error err;
    double time[3];

    for (int i = 0; i < 3; i++) {
        time[i] = now();
        must(tgs_platform_parse(&p, "cpu:1 gpu:1023/own", &err), &err);
        time[i] = now() - time[i];
        tgs_platform_free(p);
    }
    row("routes-1024", median(time, 3), "s", 1);
}

static void heft_growth(void) /* time per task at 10x and 100x of 10,000 tasks */
{
    double base = 0;

    for (int n = 10000; n <= 1000000; n *= 10) {
        tgs_graph *g = layered(n);
        double time[3];
        char name[40];

        for (int i = 0; i < 3; i++)
            time[i] = heft(g) / n;
        if (n == 10000)
            base = median(time, 3);
        else {
            snprintf(name, sizeof name, "heft-growth-%dx", n / 10000);
            row(name, median(time, 3) / base, "ratio", n == 100000 ? 2 : 4);
        }
        tgs_graph_free(g);
    }
}

static void read_1e6(void)
{
    char path[] = "bench-XXXXXX.tg";
    const int fd = mkstemps(path, 3);
    tgs_graph *g = layered(1000000), *back;
    tgs_error err;
    double time[3];

    if (fd >= 0)
        close(fd);
    must(tgs_graph_write(g, path, "tg", &err), &err);
    for (int i = 0; i < 3; i++) {
        time[i] = now();
        must(tgs_graph_read(&back, path, "tg", &err), &err);
        time[i] = now() - time[i];
        if (tgs_graph_fingerprint(back) != tgs_graph_fingerprint(g)) {
            fprintf(stderr, "bench: read back a different graph\n");
            exit(1);
        }
        tgs_graph_free(back);
    }
    unlink(path);
    row("read-1e6", median(time, 3), "s", 3);
    tgs_graph_free(g);
}

static void lower_resnet50(void) /* from the file to the graph; the first time loads the reader */
{
    char path[4096];
    tgs_model *m;
    tgs_strategy *s;
    tgs_graph *g;
    tgs_error err;
    double time[5], first = 0;

    snprintf(path, sizeof path, "%s/tests/data/onnx/light_resnet50.onnx",
             getenv("TGS_SRCDIR") ? getenv("TGS_SRCDIR") : ".");
    for (int i = 0; i < 6; i++) {
        const double start = now();

        must(tgs_model_read(&m, path, NULL, NULL, &err), &err);
        must(tgs_strategy_parse(&s, "train sgd lr=0.1; micro-batches 8", &err), &err);
        must(tgs_model_lower(&g, m, s, &err), &err);
        *(i ? &time[i - 1] : &first) = now() - start;
        tgs_graph_free(g);
        tgs_strategy_free(s);
        tgs_model_free(m);
    }
    row("lower-resnet50", median(time, 5), "s", 0.2);
    row("lower-resnet50-first", first, "s", 0.2);
}

static void
lower_gpt2(void) /* a step of GPT-2 with 1.5 billion parameters, in parallel in each way */
{
    tgs_strategy *s;
    tgs_model *m;
    tgs_graph *g;
    tgs_error err;
    double time[3], before, tasks = 0;

    must(tgs_model_read(&m, "zoo:gpt2-xl:batch=1", NULL, NULL, &err), &err);
    must(tgs_strategy_parse(&s, "train adam; micro-batches 32; pipeline 8; replicas 4; shard 1",
                            &err),
         &err);
    before = peak_mb();
    for (int i = 0; i < 3; i++) {
        time[i] = now();
        must(tgs_model_lower(&g, m, s, &err), &err);
        time[i] = now() - time[i];
        tasks = tgs_graph_tasks(g);
        tgs_graph_free(g);
    }
    row("lower-gpt2", median(time, 3) / tasks * 1e6, "s/1e6 tasks", 1);
    /* the most while it was lowered, all of it: names are texts that copies share */
    row("lower-gpt2-memory", (peak_mb() - before) * 1e6 / tasks, "bytes/task", 400);
    tgs_strategy_free(s);
    tgs_model_free(m);
}

static double forkjoin(int n, double *ratio) /* seconds of fj-eptas, its check included */
{
    char spec[60], *within;
    tgs_platform *p;
    tgs_problem *pb;
    tgs_schedule *s;
    tgs_graph *g;
    tgs_error err;
    double start;

    snprintf(spec, sizeof spec, "forkjoin:n=%d:ccr=1", n);
    must(tgs_graph_generate(&g, spec, 1, &err), &err);
    must(tgs_platform_parse(&p, "cpu:64/own link:1,0", &err), &err);
    must(tgs_problem_new(&pb, g, p, NULL, "latbw", &err), &err);
    start = now();
    must(tgs_schedule_make(&s, pb, "fj-eptas", 1, &err), &err);
    start = now() - start;
    within = strstr(tgs_schedule_note(s), "within ");
    *ratio = within                                    ? 1 + strtod(within + 7, NULL)
             : strstr(tgs_schedule_note(s), "optimal") ? 1
                                                       : NAN;
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
    return start;
}

static void forkjoin_1e6(void)
{
    double ratio, time = forkjoin(100000, &ratio);

    row("forkjoin-1e5", time, "s", 1);
    row("forkjoin-1e5-ratio", ratio, "ratio", 1.01);
    time = forkjoin(1000000, &ratio);
    row("forkjoin-1e6", time, "s", 6);
    row("forkjoin-1e6-ratio", ratio, "ratio", 1.01);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"heft-1e6-p8", heft_1e6},
    {"heft-growth", heft_growth},
    {"p64-1e6", p64_1e6},
    {"heft-5000", heft_5000},
    {"independent", independent},
    {"price-1e6-k2", price_1e6},
    {"routes-1024", routes_1024},
    {"read-1e6", read_1e6},
    {"lower-resnet50", lower_resnet50},
    {"lower-gpt2", lower_gpt2},
    {"forkjoin-1e6", forkjoin_1e6},
};

int main(int argc, char **argv)
{
    int failed = 0;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int status;
        pid_t child;

        if (argc > 1 && strcmp(argv[1], cases[i].name))
            continue;
        fflush(stdout);
        child = fork();
        if (!child) {
            cases[i].run();
            return 0;
        }
        failed |= child < 0 || waitpid(child, &status, 0) < 0 || status;
    }
    return failed;
}
