/* forkjoin.c -- certified ratios of the fork-join solvers, after the generator of the comparison
 * that FORKJOINSCHED was published with: CSV to stdout, the shares that matter as comments at its
 * end.
 *
 * Weights by five laws, edges uniform in 1..100 and scaled so that all communication is CCR times
 * all work; equal processors with memories of their own.  Of each (n, m, CCR) one law, in turn.
 * Every makespan is divided by the best lower bound known for the row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "internal.h"

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
enum { SOLVERS = sizeof solvers / sizeof *solvers, CUBIC = 256 };

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

typedef struct share {
    int rows, to5, to12;
} share;

static share many, few;
static int rows, best_or_tied;

static void count(int n, int m, const double *ratio)
{
    share *s = n >= 10 * m ? &many : &few;
    double other = INFINITY;

    for (int i = 1; i < SOLVERS; i++)
        other = ratio[i] > 0 ? fmin(other, ratio[i]) : other;
    rows++;
    best_or_tied += ratio[0] <= other * (1 + 1e-9);
    s->rows++;
    s->to5 += ratio[0] <= 1.05;
    s->to12 += ratio[0] <= 1.12;
}

static void row(int n, int m, double ccr, int law)
{
    tgs_graph *g = instance(n, ccr, law, (uint64_t)(n * 1000 + m));
    tgs_platform *p;
    tgs_problem *pb;
    tgs_error err;
    double value[SOLVERS] = {0}, lower = 0, bound;
    char platform[40];

    snprintf(platform, sizeof platform, "cpu:%d/own link:1,0", m);
    must(tgs_platform_parse(&p, platform, &err), &err);
    must(tgs_problem_new(&pb, g, p, NULL, "latbw", &err), &err);
    must(tgs_bound(&lower, pb, "fj-idle-area", &err), &err);
    must(tgs_bound(&bound, pb, "fj-forced-work", &err), &err);
    lower = fmax(lower, bound);
    for (int i = 0; i < SOLVERS; i++) {
        tgs_schedule *s;

        if (!strcmp(solvers[i], "fjs") && n > CUBIC)
            continue;
        must(tgs_schedule_make(&s, pb, solvers[i], 1, &err), &err);
        value[i] = tgs_schedule_makespan(s);
        if (!isnan(s->lower_bound))
            lower = fmax(lower, s->lower_bound);
        tgs_schedule_free(s);
    }
    printf("%d,%d,%g,%s,%.6g", n, m, ccr, laws[law], lower);
    for (int i = 0; i < SOLVERS; i++) {
        value[i] /= lower;
        printf(value[i] > 0 ? ",%.5f" : ",", value[i]);
    }
    printf("\n");
    fflush(stdout);
    count(n, m, value);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
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

int main(void)
{
    static const int size[] = {4, 8, 16, 32, 64, 128, 256, 1000, 3000, 10000};
    static const int machines[] = {3, 4, 8, 16, 64, 512};
    static const double ccr[] = {0.1, 1, 2, 10};
    int law = 0;

    printf("n,m,ccr,law,lower");
    for (int i = 0; i < SOLVERS; i++)
        printf(",%s", solvers[i]);
    printf("\n");
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        for (size_t k = 0; k < sizeof machines / sizeof *machines; k++)
            for (size_t c = 0; c < sizeof ccr / sizeof *ccr; c++)
                row(size[i], machines[k], ccr[c], law++ % 5);
    printf("# fj-eptas best or tied: %.1f %% of %d rows\n", 100.0 * best_or_tied / rows, rows);
    printf("# n >= 10 m: <= 1.05 on %.1f %% of %d rows, <= 1.12 on %.1f %%\n",
           100.0 * many.to5 / many.rows, many.rows, 100.0 * many.to12 / many.rows);
    printf("# n < 10 m: <= 1.05 on %.1f %% of %d rows, <= 1.12 on %.1f %%\n",
           100.0 * few.to5 / few.rows, few.rows, 100.0 * few.to12 / few.rows);
    for (int n = 1000; n <= 100000; n *= 10)
        for (size_t c = 0; c < sizeof ccr / sizeof *ccr; c++)
            kinds_row(n, ccr[c], law++ % 5);
    return 0;
}
