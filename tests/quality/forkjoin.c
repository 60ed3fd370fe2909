/* forkjoin.c -- certified ratios of the fork-join solvers, after the generator of the comparison
 * that FORKJOINSCHED was published with: CSV to stdout, the shares that matter as comments at its
 * end.
 *
 * Weights by five laws, edges uniform in 1..100 and scaled so that all communication is CCR times
 * all work; equal processors with memories of their own.  Every makespan is divided by the best
 * lower bound known for the row; `seconds` is what fj-eptas took of a processor's time.
 *
 *   forkjoin              everything
 *   forkjoin rows A B S   rows A, A + S, ... below B, of 2400
 *   forkjoin kinds        CPUs with GPUs
 *   forkjoin shares       the shares of the CSV on stdin
 *
 * `make quality` does everything, in half an hour of a processor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "internal.h"

static const int size[] = {4,   6,   8,   12,  16,  24,   32,   48,   64,   96,
                           128, 192, 256, 350, 500, 1000, 2000, 3000, 5000, 10000};
static const int machines[] = {3, 4, 8, 16, 64, 512};
static const double ccr[] = {0.1, 1, 2, 10};
static const char *const laws[] = {"uniform-1-100", "uniform-10-100", "dual-erlang-10-100",
                                   "dual-erlang-10-1000", "exponential-erlang-1-1000"};
static const char *const solvers[] = {"fj-eptas:eps=0",
                                      "fj-prefix",
                                      "fjs",
                                      "fj-ls:rule=ls",
                                      "fj-ls:rule=lc:priority=ccc",
                                      "fj-ls:rule=ln",
                                      "fj-ls:rule=ss",
                                      "fj-ls:rule=d",
                                      "fj-ls:rule=dv:priority=c"};
enum {
    SOLVERS = sizeof solvers / sizeof *solvers,
    CUBIC = 500, /* the largest n for fjs */
    SIZES = sizeof size / sizeof *size,
    MACHINES = sizeof machines / sizeof *machines,
    CCRS = sizeof ccr / sizeof *ccr,
    LAWS = 5,
    ROWS = SIZES * MACHINES * CCRS * LAWS
};

static double erlang(tgs_rng *r, int shape, double mean)
{
    double sum = 0;

    for (int i = 0; i < shape; i++)
        sum -= tgs_log(1 - tgs_rng_real(r));
    return fmax(1, sum * mean / shape);
}

static double weight(tgs_rng *r, int law)
{
    const double coin = tgs_rng_real(r);

    switch (law) {
    case 0:
        return (double)tgs_rng_int(r, 1, 100);
    case 1:
        return (double)tgs_rng_int(r, 10, 100);
    case 2:
        return erlang(r, 8, coin < 0.5 ? 10 : 100);
    case 3:
        return erlang(r, 8, coin < 0.5 ? 10 : 1000);
    default:
        return coin < 0.5 ? erlang(r, 1, 1) : erlang(r, 8, 1000);
    }
}

static void must(tgs_status status, const tgs_error *err)
{
    if (status) {
        fprintf(stderr, "quality: %s\n", err->text);
        exit(1);
    }
}

static tgs_graph *instance(int n, double ccr, int law, uint64_t seed)
{
    double *x = malloc(3 * (size_t)n * sizeof *x), work = 0, sent = 0;
    tgs_builder *b;
    tgs_graph *g;
    tgs_error err;
    tgs_rng r;

    tgs_rng_seed(&r, seed);
    for (int j = 0; x && j < n; j++) {
        work += x[3 * j] = weight(&r, law);
        sent += x[3 * j + 1] = 1 + 99 * tgs_rng_real(&r);
        sent += x[3 * j + 2] = 1 + 99 * tgs_rng_real(&r);
    }
    if (!x)
        exit(1);
    must(tgs_builder_new(&b, &err), &err);
    tgs_builder_task(b, NULL, NULL, 0);
    tgs_builder_task(b, NULL, NULL, 0);
    for (int j = 0; j < n; j++) {
        const int32_t task = tgs_builder_task(b, NULL, NULL, x[3 * j]);

        tgs_builder_edge(b, 0, task, x[3 * j + 1] * ccr * work / sent);
        tgs_builder_edge(b, task, 1, x[3 * j + 2] * ccr * work / sent);
    }
    must(tgs_builder_finish(&g, b, &err), &err);
    free(x);
    return g;
}

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void solve(tgs_problem *pb, int n, double *value, double *lower, double *took)
{
    static const char *const bounds[] = {"fj-idle-area", "fj-forced-work"};
    tgs_error err;

    *lower = 0;
    for (int i = 0; i < 2; i++) {
        double bound;

        must(tgs_bound(&bound, pb, bounds[i], &err), &err);
        *lower = fmax(*lower, bound);
    }
    for (int i = 0; i < SOLVERS; i++) {
        const double begin = seconds();
        tgs_schedule *s;

        value[i] = NAN;
        if (!strcmp(solvers[i], "fjs") && n > CUBIC)
            continue;
        must(tgs_schedule_make(&s, pb, solvers[i], 1, &err), &err);
        *took = i ? *took : seconds() - begin;
        value[i] = tgs_schedule_makespan(s);
        if (!isnan(s->lower_bound))
            *lower = fmax(*lower, s->lower_bound);
        tgs_schedule_free(s);
    }
}

static void header(void)
{
    printf("n,m,ccr,law,lower,seconds");
    for (int i = 0; i < SOLVERS; i++)
        printf(",%s", solvers[i]);
    printf("\n");
}

static void row(int number)
{
    const int law = number % LAWS, c = number / LAWS % CCRS, k = number / LAWS / CCRS % MACHINES;
    const int n = size[number / LAWS / CCRS / MACHINES], m = machines[k];
    tgs_graph *g = instance(n, ccr[c], law, (uint64_t)number);
    tgs_platform *p;
    tgs_problem *pb;
    tgs_error err;
    double value[SOLVERS], lower, took = 0;
    char platform[40];

    snprintf(platform, sizeof platform, "cpu:%d/own link:1,0", m);
    must(tgs_platform_parse(&p, platform, &err), &err);
    must(tgs_problem_new(&pb, g, p, NULL, "latbw", &err), &err);
    solve(pb, n, value, &lower, &took);
    printf("%d,%d,%g,%s,%.6g,%.2f", n, m, ccr[c], laws[law], lower, took);
    for (int i = 0; i < SOLVERS; i++)
        printf(isnan(value[i]) ? "," : ",%.5f", value[i] / lower);
    printf("\n");
    fflush(stdout);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
}

/* ---- shares -----------------------------------------------------------------------------------
 */
typedef struct share {
    int rows, to5, to12;
} share;

static void print_share(const char *what, share s)
{
    printf("# %s: <= 1.05 on %.1f %% of %d rows, <= 1.12 on %.1f %%\n", what,
           100.0 * s.to5 / s.rows, s.rows, 100.0 * s.to12 / s.rows);
}

/* of the CSV on stdin, which the caller may have put together from several runs */
static void shares(void)
{
    share class[2] = {{0, 0, 0}, {0, 0, 0}}; /* n < 10 m, others */
    int rows = 0, best = 0, better[SOLVERS] = {0};
    double slowest = 0, worst = 0;
    char line[1024];

    while (fgets(line, sizeof line, stdin)) {
        int n, m, used;
        double took, ratio[SOLVERS], least = INFINITY;
        const char *at = line;
        share *s;

        if (sscanf(line, "%d,%d,%*g,%*[^,],%*g,%lf%n", &n, &m, &took, &used) != 3)
            continue;
        at += used;
        for (int i = 0; i < SOLVERS; i++) {
            at += *at == ',';
            ratio[i] = *at == ',' || *at == '\n' ? INFINITY : strtod(at, (char **)&at);
            better[i] += ratio[i] <= ratio[0] * (1 + 1e-9);
            least = i ? fmin(least, ratio[i]) : least;
        }
        s = &class[n >= 10 * m];
        rows++;
        best += ratio[0] <= least * (1 + 1e-9);
        s->rows++;
        s->to5 += ratio[0] <= 1.05;
        s->to12 += ratio[0] <= 1.12;
        slowest = fmax(slowest, took);
        worst = fmax(worst, ratio[0]);
    }
    if (!rows || !class[0].rows || !class[1].rows)
        return;
    printf("# fj-eptas best or tied on %.1f %% of %d rows; at most %.2f s; worst %.5f\n",
           100.0 * best / rows, rows, slowest, worst);
    print_share("n >= 10 m", class[1]);
    print_share("n < 10 m", class[0]);
    for (int i = 1; i < SOLVERS; i++)
        printf("# %s as good as fj-eptas on %.1f %%\n", solvers[i], 100.0 * better[i] / rows);
}

/* 16 cores that share a memory, 4 GPUs with their own; a GPU is 0.5 to 30 times as fast,
 * log-uniform */
static void kinds_row(int n, double ccr, int law)
{
    tgs_builder *b;
    tgs_graph *g;
    tgs_platform *p;
    tgs_problem *pb;
    tgs_schedule *s, *heft;
    tgs_error err;
    tgs_rng r;

    tgs_rng_seed(&r, (uint64_t)n);
    must(tgs_builder_new(&b, &err), &err);
    tgs_builder_task(b, NULL, NULL, 0);
    tgs_builder_task(b, NULL, NULL, 0);
    for (int j = 0; j < n; j++) {
        const int32_t task = tgs_builder_task(b, NULL, NULL, NAN);
        const double w = weight(&r, law), faster = 0.5 * tgs_exp(tgs_log(60) * tgs_rng_real(&r));

        tgs_builder_task_time(b, task, "cpu", w);
        tgs_builder_task_time(b, task, "gpu", w / faster);
        tgs_builder_edge(b, 0, task, ccr * w * tgs_rng_real(&r));
        tgs_builder_edge(b, task, 1, ccr * w * tgs_rng_real(&r));
    }
    must(tgs_builder_finish(&g, b, &err), &err);
    must(tgs_platform_parse(&p, "cpu:16 gpu:4/own link:1,0", &err), &err);
    must(tgs_problem_new(&pb, g, p, NULL, "latbw", &err), &err);
    must(tgs_schedule_make(&s, pb, "fj-eptas", 1, &err), &err);
    must(tgs_schedule_make(&heft, pb, "heft", 1, &err), &err);
    printf("# cpu:16 gpu:4/own n=%d ccr=%g %s: fj-eptas %.5f, heft %.5f\n", n, ccr, laws[law],
           tgs_schedule_makespan(s) / s->lower_bound, tgs_schedule_makespan(heft) / s->lower_bound);
    fflush(stdout);
    tgs_schedule_free(s);
    tgs_schedule_free(heft);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
}

static void kinds(void)
{
    int law = 0;

    for (int n = 1000; n <= 100000; n *= 10)
        for (int c = 0; c < CCRS; c++)
            kinds_row(n, ccr[c], law++ % LAWS);
}

int main(int argc, char **argv)
{
    if (argc == 5 && !strcmp(argv[1], "rows") && atoi(argv[4]) > 0)
        for (int i = atoi(argv[2]); i < atoi(argv[3]) && i < ROWS; i += atoi(argv[4]))
            row(i);
    else if (argc == 2 && !strcmp(argv[1], "kinds"))
        kinds();
    else if (argc == 2 && !strcmp(argv[1], "shares"))
        shares();
    else if (argc == 1) {
        header();
        for (int i = 0; i < ROWS; i++)
            row(i);
        kinds();
    } else {
        fputs("usage: forkjoin [rows A B S | kinds | shares]\n", stderr);
        return 2;
    }
    return 0;
}
