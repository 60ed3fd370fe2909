/* t_ssgd.c -- the simulator on the DAG of synchronous SGD takes what the closed forms of its
 * authors say (Shi, Wang, Chu, Li 2018; MG-WFBP 2019); Q7. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include <string.h>
#include "internal.h"

/* seconds of the iterations, simulated */
static double seconds(const char *spec, int gpus)
{
    char machine[60];
    tgs_platform *p;
    tgs_problem *pb = NULL;
    tgs_schedule *s = NULL;
    tgs_trace *t = NULL;
    tgs_graph *g;
    tgs_error err = {TGS_OK, ""};
    double end;

    snprintf(machine, sizeof machine, "gpu:%d/own net:1 cpu:1", gpus);
    assert_int_equal(tgs_platform_parse(&p, machine, &err), 0);
    if (tgs_graph_generate(&g, spec, 1, &err) || tgs_problem_new(&pb, g, p, NULL, "fifo", &err)
        || tgs_schedule_make(&s, pb, "heft", 1, &err) || tgs_simulate(&t, pb, s, &err))
        fail_msg("%s: %s", spec, err.text);
    end = tgs_trace_makespan(t);
    tgs_trace_free(t);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_graph_free(g);
    tgs_platform_free(p);
    return end;
}

static void assert_near(double x, double wanted, const char *what)
{
    if (!(fabs(x - wanted) <= 1e-9 * fabs(wanted)))
        fail_msg("%s: %.12g, not %.12g", what, x, wanted);
}

/* three layers whose backward passes take 1 and whose gradients are 1 byte */
static void merging_messages(void **state)
{
    static const struct {
        const char *spec;
        double wanted;
    } cases[] = {
        {"ssgd:forward=0:alpha=1:beta=0.5", 5.5},
        {"ssgd:forward=0:alpha=1:beta=0.5:groups=3", 5.5},
        {"ssgd:forward=0:alpha=1:beta=0.5:groups=1+2", 5.0},
        {"ssgd:forward=0:alpha=1.2:beta=0.3", 5.5},
        {"ssgd:forward=0:alpha=1.2:beta=0.3:groups=3", 5.1},
        {"ssgd:forward=0:alpha=1.2:beta=0.3:groups=1+2", 4.8},
        {"ssgd:forward=0:alpha=0.5:beta=0.25", 3.75},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_near(seconds(cases[i].spec, 1), cases[i].wanted, cases[i].spec);
}

/* every partition of the layers into messages: none beats those */
static void no_other_grouping_is_shorter(void **state)
{
    static const char *const groups[] = {"1+1+1", "1+2", "2+1", "3"};
    static const double constants[][3] = {{1, .5, 5}, {1.2, .3, 4.8}, {.5, .25, 3.75}};

    (void)state;
    for (int c = 0; c < 3; c++) {
        double best = INFINITY;

        for (int i = 0; i < 4; i++) {
            char spec[100];

            snprintf(spec, sizeof spec, "ssgd:forward=0:alpha=%g:beta=%g:groups=%s",
                     constants[c][0], constants[c][1], groups[i]);
            best = fmin(best, seconds(spec, 1));
        }
        assert_near(best, constants[c][2], "the best");
    }
}

#define NET \
    "layers=4:gpus=3:forward=1+2+3+4:backward=2+4+5+7:bytes=8+1+2+4:alpha=0.5:beta=0.75:update=3"

/* nothing overlaps; messages overlap the backward pass; batches are read meanwhile */
static void overlap(void **state)
{
    const double forward[] = {1, 2, 3, 4}, backward[] = {2, 4, 5, 7}, bytes[] = {8, 1, 2, 4};
    double f = 0, b = 0, c = 0, ready = 0, sent = 0, one, three;

    (void)state;
    for (int l = 0; l < 4; l++) {
        f += forward[l];
        b += backward[l];
        c += .5 + .75 * bytes[l];
    }
    assert_near(seconds("ssgd:" NET ":wfbp=0", 3), f + b + c + 3, "without overlap");
    ready = f;
    for (int l = 3; l >= 0; l--) { /* start_c(l) = max(start_c(l + 1) + c(l + 1), ready(l)) */
        ready += backward[l];
        sent = fmax(sent, ready) + .5 + .75 * bytes[l];
    }
    assert_near(seconds("ssgd:" NET, 3), sent + 3, "wait-free backpropagation");
    assert_true(sent < f + b + c);
    /* one GPU: t_io + t_h2d + t_gpu one after the other, or the longer of the two */
    one = seconds("ssgd:layers=1:alpha=1:beta=0:io=2:decode=1:h2d=0.5:steps=3:prefetch=0", 1);
    assert_near(one, 3 * (3.5 + 1 + 1 + 1), "without prefetching");
    three = seconds("ssgd:layers=1:alpha=1:beta=0:io=2:decode=1:h2d=0.5:steps=3", 1);
    assert_near(three, 3 * 3.5 + 3, "with prefetching, reading is the bottleneck");
    three = seconds("ssgd:layers=1:alpha=1:beta=0:io=1:decode=0.5:h2d=0.5:steps=3", 1);
    assert_near(three, 2 + 3 * 3, "with prefetching, computing is the bottleneck");
}

static void refused(void **state)
{
    static const char *const row[][2] = {
        {"ssgd:groups=1+1", "groups of 2 layers"},
        {"ssgd:groups=1+1+1+1", "more groups than layers"},
        {"ssgd:groups=1.5+1.5", "a group of 1.5"},
        {"ssgd:forward=1+2", "one number, or 3"},
        {"ssgd:backward=x", "'x' is none"},
        {"ssgd:bytes=-1", "'-1' is none"},
        {"ssgd:layers=10000:gpus=10000:steps=10000", "tasks"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        tgs_error err = {TGS_OK, ""};
        tgs_graph *g;

        assert_int_equal(tgs_graph_generate(&g, row[i][0], 1, &err), TGS_EINVAL);
        if (g || !strstr(err.text, row[i][1]))
            fail_msg("%s: '%s'", row[i][0], err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merging_messages),
        cmocka_unit_test(no_other_grouping_is_shorter),
        cmocka_unit_test(overlap),
        cmocka_unit_test(refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
