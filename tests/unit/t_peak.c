/* t_peak.c -- the most bytes that a step holds at once, as the library says, are those of a replay
 * that walks the tasks one by one and asks of every datum whether somebody still needs it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "nets.h"
#include "steps.h"

/* O(tasks data): nothing is derived, every datum is looked at in front of every task */
static double replay(const tgs_graph *g, const int32_t *order)
{
    double most = 0;

    for (int32_t now = 0; now < g->v.tasks; now++) {
        double held = 0;

        for (int32_t d = 0; d < g->v.data; d++) {
            const int32_t e = g->v.datum[d].extra;
            int32_t first = INT32_MAX, last = -1;
            bool there = e >= 0 && g->v.extra[e].init; /* homes stay */

            for (int32_t i = 0; i < g->v.tasks; i++)
                for (int32_t a = g->v.access_at[order[i]]; a < g->v.access_at[order[i] + 1]; a++)
                    if ((int32_t)g->v.access[a].datum == d) {
                        first = i < first ? i : first;
                        last = i;
                    }
            there |= first <= now && now <= last;
            held += there ? g->v.datum[d].bytes : 0;
        }
        most = fmax(most, held);
    }
    return most;
}

static const tgs_schedule *plan; /* by whose starts tasks are sorted */

static int by_start(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    const double d = tgs_schedule_start(plan, x) - tgs_schedule_start(plan, y);

    return d != 0 ? (d < 0 ? -1 : 1) : x - y;
}

static void check(const tgs_model *m, const char *strategy, const char *heuristic)
{
    tgs_graph *g = lowered(m, strategy);
    int32_t *order = malloc((size_t)g->v.tasks * sizeof *order);
    tgs_platform *p;
    tgs_problem *pb;
    tgs_schedule *s;
    tgs_error err = {TGS_OK, ""};
    double wanted;

    assert_int_equal(tgs_platform_parse(&p, "cpu:1", &err), 0);
    if (tgs_problem_new(&pb, g, p, NULL, "latbw", &err)
        || tgs_schedule_make(&s, pb, heuristic, 1, &err))
        fail_msg("%s: %s", strategy, err.text);
    for (int32_t i = 0; i < g->v.tasks; i++)
        order[i] = i;
    plan = s;
    qsort(order, (size_t)g->v.tasks, sizeof *order, by_start);
    wanted = replay(g, order);
    if (!(wanted > 0) || tgs_schedule_peak(s, pb, 0) != wanted)
        fail_msg("%s by %s: %.17g bytes, not %.17g", strategy, heuristic,
                 tgs_schedule_peak(s, pb, 0), wanted);
    free(order);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
}

static tgs_model *branches(void)
{
    net n = net_new();

    net_input(&n, "x", DIMS(4, 6));
    net_stored(&n, "w", DIMS(6, 6));
    net_stored(&n, "v", DIMS(6, 6));
    net_op(&n, "MatMul", "x w", "a", NULL);
    net_op(&n, "Tanh", "a", "b", NULL);
    net_op(&n, "MatMul", "b v", "c", NULL);
    net_op(&n, "Sigmoid", "c", "d", NULL);
    net_op(&n, "Add", "b d", "e", NULL);
    net_op(&n, "MatMul", "e w", "f", NULL);
    net_op(&n, "Relu", "f", "y", NULL);
    return net_model(&n, "y");
}

static void peaks_are_those_of_a_replay(void **state)
{
    static const char *const strategies[] = {
        "loss mse",
        "train sgd; loss mse",
        "train adam; loss mse; micro-batches 4",
        "train momentum; loss mse; micro-batches 3 sizes=4,4,2",
        "train sgd; loss mse; micro-batches 4; accumulate tree",
        "train sgd; loss mse; recompute 3; micro-batches 2",
        "train sgd; loss mse; micro-batches 4; pipeline 2",
        "train sgd; loss mse; micro-batches 4; pipeline 2 gpipe",
        "train sgd; loss mse; replicas 3; micro-batches 2",
        "train sgd; loss mse; replicas 2 shares=5,3 reduce=ring",
        "train sgd; loss mse; replicas 4 reduce=hierarchical groups=2",
    };
    static const char *const heuristics[] = {"heft", "etf", "single"};
    tgs_model *models[] = {mlp(), branches()};

    (void)state;
    for (size_t m = 0; m < 2; m++)
        for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++)
            for (size_t k = 0; k < sizeof heuristics / sizeof *heuristics; k++)
                check(models[m], strategies[i], heuristics[k]);
    for (size_t m = 0; m < 2; m++)
        tgs_model_free(models[m]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peaks_are_those_of_a_replay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
