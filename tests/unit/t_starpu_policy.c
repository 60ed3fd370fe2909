/* t_starpu_policy.c -- what StarPU's own policies are told: the longest path from a task to the
 * end, and before that the priorities of the graph. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "starpu_case.h"

enum { TASKS = 8 };

static tgs_status nothing(const tgs_call *call)
{
    (void)call;
    return TGS_OK;
}

/* independent tasks, later ones longer; the one before the last has a long successor */
static tgs_graph *graph(const char *priority_of_first)
{
    tgs_builder *b;
    tgs_graph *g;

    if (tgs_builder_new(&b, NULL))
        return NULL;
    for (int32_t t = 0; t < TASKS; t++)
        tgs_builder_task(b, NULL, "policy-test", 1 + t);
    tgs_builder_task(b, NULL, "policy-test", 100);
    tgs_builder_after(b, TASKS - 2, TASKS);
    if (priority_of_first)
        tgs_builder_task_constrain(b, 0, "priority", priority_of_first);
    return tgs_builder_finish(&g, b, NULL) ? NULL : g;
}

/* the order in which one worker ran them; false: it has failed */
static bool order(int32_t *task, const char *backend, const char *priority)
{
    const tgs_kernel k = {.codelet = "policy-test",
                          .arch = "cpu",
                          .dtype = TGS_BYTES,
                          .impl = "test",
                          .run = nothing};
    tgs_graph *g = graph(priority);
    tgs_platform *p = NULL;
    tgs_codelets *c = NULL;
    tgs_problem *pb = NULL;
    tgs_schedule *s = NULL;
    tgs_trace *t = NULL;
    tgs_error err = {TGS_OK, ""};
    const bool done = g && !tgs_platform_parse(&p, "cpu:1", &err) && !tgs_codelets_new(&c, &err)
                      && !tgs_codelets_add(c, &k, &err)
                      && !tgs_problem_new(&pb, g, p, NULL, "latbw", &err)
                      && !tgs_schedule_make(&s, pb, "heft", 1, &err)
                      && !tgs_execute(&t, pb, s, c, backend, 1, &err);

    if (!done)
        fprintf(stderr, "%s: %s\n", backend, err.text);
    for (int32_t i = 0; i <= TASKS && done; i++) {
        int32_t before = 0;

        for (int32_t j = 0; j <= TASKS; j++)
            before += t->v.ran[j].start < t->v.ran[i].start;
        task[before] = t->v.ran[i].task;
    }
    tgs_trace_free(t);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_codelets_free(c);
    tgs_platform_free(p);
    tgs_graph_free(g);
    return done;
}

static int longest_path_first(void)
{
    static const int32_t by_rank[] = {TASKS - 2, TASKS, TASKS - 1, 5, 4, 3, 2, 1, 0};
    int32_t task[TASKS + 1] = {0};

    return !order(task, "starpu:policy=dmdas", NULL) || memcmp(task, by_rank, sizeof by_rank);
}

static int own_priorities_first(void)
{
    static const int32_t by_own[] = {0, TASKS - 2, TASKS, TASKS - 1, 5, 4, 3, 2, 1};
    int32_t task[TASKS + 1] = {0};

    return !order(task, "starpu:policy=dmdas", "3") || memcmp(task, by_own, sizeof by_own);
}

static int policies_without_priorities(void)
{
    int32_t task[TASKS + 1] = {0};

    return !order(task, "starpu:policy=heteroprio", "3")
           || !order(task, "starpu:policy=eager", "3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ALONE(longest_path_first, 60),
        ALONE(own_priorities_first, 60),
        ALONE(policies_without_priorities, 60),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
