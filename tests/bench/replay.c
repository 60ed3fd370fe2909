/* replay.c -- case replay-overhead: what a task costs when a schedule is replayed with the task and
 * transfer log on, against the same graph submitted to StarPU by hand (the same handles, implicit
 * dependencies and placement; no order, no log), of 10,000 and of 100,000 tasks that do nothing.
 *
 * Each side has a process of its own, and they go by turns.  Compared is the time that passes from
 * the first submission to the last task's end, the least of all rounds: that is what a user waits
 * for.  The time on cores, worker and all, is told beside it: a worker of StarPU spins when it has
 * nothing to do, so that time is more when the worker waits, and less when it is kept busy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <starpu.h>
#include "internal.h"
#include "turns.h"

enum { ALL = 600000, BYTES = 64 }; /* tasks of all rounds together; of every datum */

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
static bool submit_by_hand(const tgs_graph_view *g, const tgs_schedule_view *s,
                           starpu_data_handle_t *handle)
{
    static const enum starpu_data_access_mode mode[] = {STARPU_NONE, STARPU_R, STARPU_W, STARPU_RW};
    int32_t *at = calloc((size_t)s->procs, sizeof *at);

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
            return false;
    }
    starpu_resume();
    starpu_task_wait_for_all();
    starpu_pause();
    free(at);
    return true;
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
        tgs_builder_datum(b, NULL, BYTES);
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

static tgs_codelets *make_codelets(void)
{
    const tgs_kernel k = {.codelet = "bench-nothing",
                          .arch = "cpu",
                          .dtype = TGS_BYTES,
                          .impl = "bench",
                          .run = nothing};
    tgs_codelets *c;

    return tgs_codelets_new(&c, NULL) || tgs_codelets_add(c, &k, NULL) ? NULL : c;
}

static void fail(const char *what, const tgs_error *err)
{
    fprintf(stderr, "replay: %s: %s\n", what, err->text);
    exit(1);
}

typedef struct spent { /* us; the least of all rounds */
    double cores, passed;
} spent;

static void spend(spent *least, double cores, double passed)
{
    least->cores = fmin(least->cores, on_cores() - cores);
    least->passed = fmin(least->passed, starpu_timing_now() - passed);
}

typedef struct game {
    int32_t tasks;
    bool by_hand;
} game;

/* The handles are those of the run: StarPU allocates what a task writes where it is written. */
static starpu_data_handle_t *register_by_hand(int32_t data)
{
    starpu_data_handle_t *handle = calloc((size_t)data, sizeof *handle);

    for (int32_t d = 0; d < data; d++)
        starpu_variable_data_register(&handle[d], -1, 0, BYTES);
    return handle;
}

/* in a process of its own, whose StarPU is that of a run, paused between the rounds */
static void play(const void *what, const player *self)
{
    const game *the = what;
    spent least = {INFINITY, INFINITY};
    starpu_data_handle_t *handle;
    tgs_error err = {TGS_OK, ""};
    tgs_graph *g = make_graph(the->tasks);
    tgs_platform *p;
    tgs_codelets *c = make_codelets();
    tgs_problem *pb;
    tgs_schedule *s;
    tgs_run *run;

    if (!g || !c || tgs_platform_parse(&p, "cpu:1", &err)
        || tgs_problem_new(&pb, g, p, NULL, "latbw", &err)
        || tgs_schedule_make(&s, pb, "heft", 1, &err)
        || tgs_run_open(&run, pb, s, c, "starpu", &err))
        fail("set-up", &err);
    handle = the->by_hand ? register_by_hand(the->tasks) : NULL;
    for (int i = -1; turns_wait(self); i++) {
        const double cores = on_cores(), passed = starpu_timing_now();

        if (the->by_hand ? !submit_by_hand(&g->v, &s->v, handle) : tgs_run_step(run, &err) != 0)
            fail(the->by_hand ? "by hand" : "step", &err);
        if (i >= 0) /* the first one brings memory */
            spend(&least, cores, passed);
    }
    turns_tell(self, &least, sizeof least);
    for (int32_t d = 0; d < the->tasks && handle; d++)
        starpu_data_unregister(handle[d]);
    free(handle);
    tgs_run_close(run, NULL, NULL);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_codelets_free(c);
    tgs_platform_free(p);
    tgs_graph_free(g);
}

static void measure(int32_t tasks)
{
    player side[2];
    spent least[2];
    double ratio;

    for (int i = 0; i < 2; i++)
        turns_start(side, i, play, &(game){tasks, i == 1});
    for (int32_t round = -1; round < ALL / tasks; round++)
        for (int i = 0; i < 2; i++)
            turns_take(&side[i]);
    for (int i = 0; i < 2; i++)
        turns_end(&side[i], &least[i], sizeof least[i]);
    ratio = least[0].passed / least[1].passed;
    printf("replay-per-task-%d,%.3f,us,,\n", tasks, least[0].passed / tasks);
    printf("replay-by-hand-per-task-%d,%.3f,us,,\n", tasks, least[1].passed / tasks);
    printf("replay-overhead-%d,%.3f,x,1.15,%s\n", tasks, ratio, ratio <= 1.15 ? "yes" : "no");
    printf("replay-overhead-%d-cores,%.3f,x,,\n", tasks, least[0].cores / least[1].cores);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc > 1 && *argv[1] && strcmp(argv[1], "replay-overhead"))
        return 0;
    measure(10000);
    measure(100000);
    return 0;
}
