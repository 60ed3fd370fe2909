/* replay.c -- case replay-overhead: what a task costs when a schedule is replayed with the task and
 * transfer log on, against the same graph submitted to StarPU by hand (the same handles, implicit
 * dependencies and placement; no order, no log), of 10,000 and of 100,000 tasks that do nothing.
 *
 * Compared is the time on cores that the process takes, worker and all, which other load does not
 * change much: the worker sleeps while tasks are submitted, and who waits for it sleeps too.  The
 * time that passes is told beside it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <starpu.h>
#include "internal.h"

enum { MOST = 100000, ALL = 600000 }; /* tasks at once, and of all rounds together */

static tgs_status nothing(const tgs_call *call)
{
    (void)call;
    return TGS_OK;
}

static void nothing_by_hand(void *buffers[], void *arg)
{
    (void)buffers;
    (void)arg;
}

static struct starpu_codelet by_hand = {
    .cpu_funcs = {nothing_by_hand},
    .nbuffers = STARPU_VARIABLE_NBUFFERS,
};

/* the graph of the run, once more: submitted while StarPU is paused, then let go */
static double submit_by_hand(const tgs_graph_view *g, const tgs_schedule_view *s,
                             starpu_data_handle_t *handle)
{
    static const enum starpu_data_access_mode mode[] = {STARPU_NONE, STARPU_R, STARPU_W, STARPU_RW};
    int32_t *at = calloc((size_t)s->procs, sizeof *at);
    const double start = starpu_timing_now();

    for (int32_t i = 0; i < g->tasks; i++) { /* in the order of starting times */
        struct starpu_task *t = starpu_task_create();
        int32_t task = -1;

        for (int32_t p = 0; p < s->procs; p++)
            if (s->order_at[p] + at[p] < s->order_at[p + 1]) {
                const int32_t next = s->order[s->order_at[p] + at[p]];

                if (task < 0 || s->place[next].start < s->place[task].start)
                    task = next;
            }
        at[s->place[task].proc]++;
        t->cl = &by_hand;
        t->nbuffers = g->access_at[task + 1] - g->access_at[task];
        for (int32_t k = 0; k < t->nbuffers; k++) {
            const tgs_access *a = &g->access[g->access_at[task] + k];

            t->handles[k] = handle[a->datum];
            t->modes[k] = mode[a->mode];
        }
        t->execute_on_a_specific_worker = 1;
        t->workerid = (unsigned)starpu_worker_get_by_type(STARPU_CPU_WORKER, s->place[task].proc);
        if (starpu_task_submit(t))
            return NAN;
    }
    starpu_resume();
    starpu_task_wait_for_all();
    starpu_pause();
    free(at);
    return starpu_timing_now() - start;
}

static double on_cores(void) /* us */
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static tgs_graph *make_graph(int32_t tasks)
{
    tgs_builder *b;
    tgs_graph *g;
    tgs_rng rng;

    tgs_rng_seed(&rng, 1);
    if (tgs_builder_new(&b, NULL))
        return NULL;
    for (int32_t t = 0; t < tasks; t++) {
        int32_t one = t, two = t;

        tgs_builder_task(b, NULL, "bench-nothing", 1e-6);
        tgs_builder_datum(b, NULL, 64);
        tgs_builder_access(b, t, t, TGS_W);
        if (t > 8) {
            one = (int32_t)tgs_rng_int(&rng, t - 8, t - 1);
            two = (int32_t)tgs_rng_int(&rng, t - 8, t - 1);
            tgs_builder_access(b, t, one, TGS_R);
            if (two != one)
                tgs_builder_access(b, t, two, TGS_R);
        }
    }
    return tgs_builder_finish(&g, b, NULL) ? NULL : g;
}

static void fail(const char *what, const tgs_error *err)
{
    fprintf(stderr, "replay: %s: %s\n", what, err->text);
    exit(1);
}

typedef struct spent { /* us; the least of all rounds */
    double cores, passed;
} spent;

static spent since(double cores, double passed)
{
    return (spent){on_cores() - cores, starpu_timing_now() - passed};
}

static spent least(spent a, spent b)
{
    return (spent){fmin(a.cores, b.cores), fmin(a.passed, b.passed)};
}

static void measure(int32_t tasks, const tgs_platform *p, const tgs_codelets *c)
{
    spent ours = {INFINITY, INFINITY}, theirs = ours;
    starpu_data_handle_t *handle = calloc((size_t)tasks, sizeof *handle);
    static char memory[MOST][64];
    tgs_error err = {TGS_OK, ""};
    tgs_graph *g = make_graph(tasks);
    tgs_problem *pb;
    tgs_schedule *s;
    tgs_run *run;
    double ratio;

    if (!g || !handle || tgs_problem_new(&pb, g, p, NULL, "latbw", &err)
        || tgs_schedule_make(&s, pb, "heft", 1, &err)
        || tgs_run_open(&run, pb, s, c, "starpu", &err))
        fail("set-up", &err);
    for (int32_t d = 0; d < tasks; d++)
        starpu_variable_data_register(&handle[d], STARPU_MAIN_RAM, (uintptr_t)memory[d], 64);
    for (int32_t i = -1; i < ALL / tasks; i++) { /* by turns, so that a busy moment hits both */
        double cores = on_cores(), passed = starpu_timing_now();
        spent mine, hand;

        if (tgs_run_step(run, &err))
            fail("step", &err);
        mine = since(cores, passed);
        cores = on_cores();
        passed = starpu_timing_now();
        if (!(submit_by_hand(&g->v, &s->v, handle) >= 0))
            fail("by hand", &err);
        hand = since(cores, passed);
        if (i >= 0) { /* the first one brings memory */
            ours = least(ours, mine);
            theirs = least(theirs, hand);
        }
    }
    for (int32_t d = 0; d < tasks; d++)
        starpu_data_unregister(handle[d]);
    tgs_run_close(run, NULL, NULL);
    ratio = ours.cores / theirs.cores;
    printf("replay-per-task-%d,%.3f,us,,\n", tasks, ours.cores / tasks);
    printf("replay-by-hand-per-task-%d,%.3f,us,,\n", tasks, theirs.cores / tasks);
    printf("replay-overhead-%d,%.3f,x,1.15,%s\n", tasks, ratio, ratio <= 1.15 ? "yes" : "no");
    printf("replay-overhead-%d-passed,%.3f,x,,\n", tasks, ours.passed / theirs.passed);
    fflush(stdout);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_graph_free(g);
    free(handle);
}

int main(int argc, char **argv)
{
    const tgs_kernel k = {.codelet = "bench-nothing",
                          .arch = "cpu",
                          .dtype = TGS_BYTES,
                          .impl = "bench",
                          .run = nothing};
    tgs_error err = {TGS_OK, ""};
    tgs_platform *p;
    tgs_codelets *c;

    if (argc > 1 && *argv[1] && strcmp(argv[1], "replay-overhead"))
        return 0;
    if (tgs_platform_parse(&p, "cpu:1", &err) || tgs_codelets_new(&c, &err)
        || tgs_codelets_add(c, &k, &err))
        fail("set-up", &err);
    measure(10000, p, c);
    measure(MOST, p, c);
    tgs_codelets_free(c);
    tgs_platform_free(p);
    return 0;
}
