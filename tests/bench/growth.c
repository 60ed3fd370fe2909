/* growth.c -- `growth [CASE]`, the cases growth-HEURISTIC-GRAPH-pP, or all that begin with CASE:
 * time of the heuristic and the check of its schedule, and peak memory with graph and prices, at
 * 1,000 to 1,000,000 tasks; and from the last three sizes the exponent of growth.  Rows of
 * bench.c's form; the first is the load of the machine while they were measured. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tgsched.h"

static const char *const heuristics[] = {"heft", "peft", "flb", "fcp", "heteroprio", "metis"};
static const struct {
    const char *name, *spec;
    bool tiles; /* n of the spec is tiles per side: about n^3 / 6 tasks */
} graphs[] = {{"layered", "layered:degree=3:kinds=cpu+a+b+c:n=%d", false},
              {"cholesky", "cholesky:kinds=cpu+a+b+c:n=%d", true},
              {"forkjoin", "forkjoin:kinds=cpu+a+b+c:n=%d", false}};
/* 2, 3 and 4 kinds: CPUs that share a memory, accelerators with memories of their own */
static const struct {
    int procs;
    const char *spec;
} machines[] = {{8, "cpu:6 a:2/own link:12e9,1e-5"},
                {64, "cpu:52 a:8/own b:4/own link:12e9,1e-5"},
                {512, "cpu:384 a:64/own b:32/own c:32/own link:12e9,1e-5"}};
enum { HEURISTICS = 6, GRAPHS = 3, MACHINES = 3, SIZES = 4 };

typedef struct cell {
    double seconds, mb;
} cell;

static double now(void) /* seconds of this process on a core, whatever else runs */
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(tgs_status status, const tgs_error *err)
{
    if (status) {
        fprintf(stderr, "growth: %s\n", err->text);
        exit(1);
    }
}

/* in a process of its own: of short ones the least of several */
static void measure(const char *heuristic, const char *graph, const char *machine, cell *out)
{
    double least = INFINITY, all = 0;
    tgs_platform *p;
    tgs_problem *pb;
    tgs_graph *g;
    tgs_error err;
    struct rusage r;

    must(tgs_graph_generate(&g, graph, 1, &err), &err);
    must(tgs_platform_parse(&p, machine, &err), &err);
    must(tgs_problem_new(&pb, g, p, NULL, "latbw", &err), &err);
    for (int i = 0; i < 20 && all < 0.5; i++) {
        const double start = now();
        tgs_schedule *s;

        must(tgs_schedule_make(&s, pb, heuristic, 1, &err), &err);
        tgs_schedule_free(s);
        least = fmin(least, now() - start);
        all += now() - start;
    }
    getrusage(RUSAGE_SELF, &r);
    *out = (cell){least, (double)r.ru_maxrss / 1000};
}

/* false: the process failed */
static bool measure_apart(const char *heuristic, const char *graph, const char *machine,
                          cell *shared)
{
    int status = 1;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (!child) {
        measure(heuristic, graph, machine, shared);
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && !status;
}

static bool grow(const char *name, int heuristic, int graph, int machine, cell *shared)
{
    double log_n[SIZES], log_t[SIZES], mean_n = 0, mean_t = 0, above = 0, below = 0;

    for (int i = 0; i < SIZES; i++) {
        const double n = pow(10, 3 + i);
        char spec[100];

        snprintf(spec, sizeof spec, graphs[graph].spec,
                 graphs[graph].tiles ? (int)lround(cbrt(6 * n)) : (int)n);
        if (!measure_apart(heuristics[heuristic], spec, machines[machine].spec, shared))
            return false;
        printf("%s-1e%d,%.4g,s,,\n%s-1e%d-memory,%.4g,MB,,\n", name, 3 + i, shared->seconds, name,
               3 + i, shared->mb);
        log_n[i] = log10(n);
        log_t[i] = log10(shared->seconds);
    }
    for (int i = 1; i < SIZES; i++) {
        mean_n += log_n[i] / (SIZES - 1);
        mean_t += log_t[i] / (SIZES - 1);
    }
    for (int i = 1; i < SIZES; i++) {
        above += (log_n[i] - mean_n) * (log_t[i] - mean_t);
        below += (log_n[i] - mean_n) * (log_n[i] - mean_n);
    }
    printf("%s-exponent,%.3f,,1.3,%s\n", name, above / below, above / below <= 1.3 ? "yes" : "no");
    return true;
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    cell *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    double load = 0;

    if (*which && strncmp(which, "growth", 6) != 0)
        return 0;
    if (shared == MAP_FAILED)
        return 1;
    if (getloadavg(&load, 1) == 1)
        printf("growth-load,%.3g,processes,,\n", load);
    for (int h = 0; h < HEURISTICS; h++)
        for (int g = 0; g < GRAPHS; g++)
            for (int m = 0; m < MACHINES; m++) {
                char name[100];

                snprintf(name, sizeof name, "growth-%s-%s-p%d", heuristics[h], graphs[g].name,
                         machines[m].procs);
                if (!strncmp(which, name, strlen(which)) && !grow(name, h, g, m, shared))
                    return 1;
            }
    return 0;
}
