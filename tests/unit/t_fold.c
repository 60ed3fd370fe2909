/* t_fold.c -- replicas that are alike are simulated once, and all that is told of them is what
 * simulating each of them tells; what replicas share keeps them together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "fixture.h"
#include "planner.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) <= 1e-12 * fabs(b))

/* nodes of `each` devices; of three nodes the last one is of the slow kind.  Links among devices of
 * a node and from its memory, and from each device to a switch.  bus: the node's memory is behind
 * one */
static tgs_platform *machine(int nodes, int each, bool bus)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    tgs_platform *p;

    fputs("kind fast flops=2e9 bandwidth=1e30 power_idle=10 power_busy=100\n"
          "kind slow flops=1e9 bandwidth=1e30 power_idle=5 power_busy=50\nmemory switch node=99\n",
          to);
    for (int n = 0; n < nodes; n++) {
        fprintf(to, "memory ram%d node=%d\n", n, n);
        if (bus)
            fprintf(to, "bus b%d bandwidth=2e8\n", n);
        for (int i = 0; i < each; i++)
            fprintf(to,
                    "memory g%d.%d node=%d capacity=1e9\n"
                    "processor P%d.%d kind=%s memory=g%d.%d\n"
                    "link ram%d g%d.%d latency=1e-5 bandwidth=1e8 energy=1e-9%s%.*d\n"
                    "link g%d.%d switch latency=2e-6 bandwidth=%g energy=1e-9\n"
                    "link switch g%d.%d latency=2e-6 bandwidth=%g energy=1e-9\n",
                    n, i, n, n, i, n % 3 == 2 ? "slow" : "fast", n, i, n, n, i, bus ? " bus=b" : "",
                    bus ? 1 : 0, bus ? n : 0, n, i, 1e8, n, i, 1e8);
        for (int i = 0; i < each; i++)
            for (int k = 0; k < each; k++)
                if (i != k)
                    fprintf(to, "link g%d.%d g%d.%d latency=5e-6 bandwidth=1e9 energy=1e-9\n", n, i,
                            n, k);
    }
    fclose(to);
    p = fixture_platform(text);
    free(text);
    return p;
}

typedef struct told {
    tgs_evaluation e;
    double peak[64];
} told;

static void tell(told *out, const tgs_platform *p, const char *strategy, bool whole)
{
    tgs_model *m;
    tgs_error err = {TGS_OK, ""};
    tgs_planning pl;
    tgs_planner_ctx c = {.planning = &pl};
    tgs_plan_input in = {.models = 1, .platform = p, .training = "train adam; loss xent"};

    assert_int_equal(tgs_model_read(&m, "zoo:mlp:batch=8", NULL, NULL, &err), TGS_OK);
    in.model = (const tgs_model *const *)&m;
    assert_int_equal(tgs_i_planning_open(&pl, &in, &err), TGS_OK);
    pl.whole = whole;
    if (tgs_planner_evaluate(&c, strategy, &out->e, &err))
        fail_msg("%s", err.text);
    assert_true(p->v.memories <= 64);
    memcpy(out->peak, out->e.peak, (size_t)p->v.memories * sizeof *out->peak);
    tgs_i_planning_close(&pl);
    tgs_model_free(m);
}

/* "g0.0,g0.1,...": all devices, node by node */
static void places(char *text, int nodes, int each)
{
    *text = 0;
    for (int n = 0; n < nodes; n++)
        for (int i = 0; i < each; i++)
            sprintf(text + strlen(text), "%sg%d.%d", *text ? "," : "", n, i);
}

#define SUM " reduce=alpha-beta alpha=1e-4 beta=2e-9"
static const struct {
    const char *strategy;  /* %s: the places */
    int nodes, each, kept; /* kept: replicas that are simulated */
    bool bus;
} cases[] = {
    {"replicas 4" SUM "; place %s", 4, 1, 2, false},
    {"micro-batches 3; replicas 12" SUM "; place %s", 6, 2, 2, false},
    /* of the fast ones some have more samples than others */
    {"micro-batches 2; replicas 6 shares=8,8,6,8,8,6" SUM "; place %s", 6, 1, 2, false},
    {"micro-batches 2; replicas 6 shares=8,6,6,8,6,6" SUM "; place %s", 6, 1, 3, false},
    /* devices behind one bus wait for each other: a node stays together */
    {"micro-batches 2; replicas 12" SUM "; place %s", 6, 2, 4, true},
    {"micro-batches 4; pipeline 2 1f1b; replicas 6" SUM "; place %s", 6, 2, 2, false},
    {"micro-batches 4; pipeline 2 gpipe; replicas 6" SUM "; recompute; place %s", 6, 2, 2, true},
    /* stages in unlike nodes: what goes over the switch is the replica's own */
    {"micro-batches 4; pipeline 3 message; replicas 4" SUM "; place %s", 12, 1, 1, false},
    {"micro-batches 4; pipeline 2 1f1b; replicas 8" SUM "; place %s", 8, 2, 2, false},
};

static void alike_replicas_are_simulated_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tgs_platform *p = machine(cases[i].nodes, cases[i].each, cases[i].bus);
        char place[512], text[1024];
        told folded, whole;
        tgs_strategy *s;
        tgs_i_fold f;

        places(place, cases[i].nodes, cases[i].each);
        snprintf(text, sizeof text, cases[i].strategy, place);
        assert_int_equal(tgs_strategy_parse(&s, text, NULL), TGS_OK);
        assert_int_equal(tgs_i_fold_open(&f, &p->v, s, false, NULL), TGS_OK);
        assert_int_equal(f.kept, cases[i].kept);
        tgs_i_fold_close(&f);
        tgs_strategy_free(s);

        tell(&folded, p, text, false);
        tell(&whole, p, text, true);
        assert_true(folded.e.step == whole.e.step);
        assert_int_equal(folded.e.tasks, whole.e.tasks);
        assert_int_equal(whole.e.simulated, whole.e.tasks);
        assert_true(folded.e.simulated < folded.e.tasks);
        NEAR(folded.e.moved, whole.e.moved);
        NEAR(folded.e.energy, whole.e.energy);
        for (int32_t k = 0; k < p->v.memories; k++)
            if (p->v.memory[k].capacity < INFINITY)
                assert_true(folded.peak[k] == whole.peak[k]);
        tgs_platform_free(p);
    }
}

/* the sum of a model's gradients is as long as it is said to be: a step with it, less one without
 */
static void sums_take_their_time(void **state)
{
    tgs_platform *p = machine(2, 1, false);
    told with, without;

    (void)state;
    tell(&with, p, "replicas 2 reduce=alpha-beta alpha=1 beta=0; place g0.0,g1.0", false);
    tell(&without, p, "replicas 2 reduce=alpha-beta alpha=1e-9 beta=0; place g0.0,g1.0", false);
    /* six parameters, and the loss; one after another, and after the backward pass of the first */
    assert_true(with.e.step - without.e.step > 6 && with.e.step < 7 + without.e.step);
    tgs_platform_free(p);
}

/* what cannot be folded is simulated as it is: replicas that share what they own, messages */
static void others_stay(void **state)
{
    static const char *const text[] = {"replicas 4; place g0.0,g1.0,g3.0,g4.0",
                                       "replicas 4 reduce=ring; place g0.0,g1.0,g3.0,g4.0"};
    tgs_platform *p = machine(6, 1, false);

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        told a, b;

        tell(&a, p, text[i], false);
        tell(&b, p, text[i], true);
        assert_true(a.e.step == b.e.step && a.e.simulated == a.e.tasks);
    }
    tgs_platform_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alike_replicas_are_simulated_once),
        cmocka_unit_test(sums_take_their_time),
        cmocka_unit_test(others_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
