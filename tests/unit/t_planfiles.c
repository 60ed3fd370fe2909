/* t_planfiles.c -- planners of files of their own: the known answers of the published systems (S
 * and T ids, checks P and Q), each by the figure that its planner tells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>
#include <cmocka.h>
#include "../fixture.h"
#include "../heuristics/plan/cluster/goodput.h"

static tgs_proposal *plan_file(const char *path, const char *planner)
{
    const tgs_plan_input in = {.file = path, .seed = 1};
    tgs_proposal *p;
    tgs_error err = {TGS_OK, ""};

    if (tgs_planner_make(&p, &in, planner, &err))
        fail_msg("%s: %s", planner, err.text);
    return p;
}

/* of a file in tests/data/instances */
static tgs_proposal *plan_named(const char *name, const char *planner)
{
    char path[1000];

    snprintf(path, sizeof path, "%s/tests/data/instances/%s.tgi", getenv("TGS_SRCDIR"), name);
    return plan_file(path, planner);
}

static double figure(const char *body, const char *planner, const char *name)
{
    char *text = malloc(strlen(body) + 32), *path;
    tgs_proposal *p;
    double value;

    sprintf(text, "tgsched.instance/1\n%s", body);
    path = fixture_file(text);
    p = plan_file(path, planner);
    value = tgs_proposal_value(p, name);
    tgs_proposal_free(p);
    unlink(path);
    free(path);
    free(text);
    return value;
}

static tgs_status refuse(const char *body, const char *planner, tgs_error *err)
{
    char *text = malloc(strlen(body) + 32), *path;
    tgs_proposal *p = (void *)body;
    tgs_status status;

    sprintf(text, "tgsched.instance/1\n%s", body);
    path = fixture_file(text);
    {
        const tgs_plan_input in = {.file = path, .seed = 1};

        status = tgs_planner_make(&p, &in, planner, err);
    }
    assert_null(p);
    unlink(path);
    free(path);
    free(text);
    return status;
}

/* ---- the checks of the systems, in their order ----------------------------------------------- */
typedef struct check {
    const char *id, *file, *planner, *figure;
    double value, within; /* relative */
} check;

static const check checks[] = {
    {"P1", "puzzle1", "puzzle", "makespan_s", 10, 0},
    {"P1", "puzzle1", "puzzle:method=exact", "makespan_s", 10, 0},
    {"P1", "puzzle1", "puzzle:method=best-mapping", "makespan_s", 13, 0},
    {"P1", "puzzle2", "puzzle", "makespan_s", 14, 0},
    {"P1", "puzzle2", "puzzle:method=exact", "makespan_s", 14, 0},
    {"P1", "puzzle2", "puzzle:objective=period", "period_s", 11, 0},
    {"P1", "puzzle2", "puzzle:method=exact:objective=period", "period_s", 11, 0},
    {"P1", "puzzle2", "puzzle:method=main-only", "period_s", 12, 0}, /* the same cut for both */
    {"P1", "puzzle2", "puzzle:method=best-mapping", "period_s", 26, 0},
    {"P6", "workers", "omnilearn:rounds=0", "step_s", 4, 0},
    {"P6", "workers", "omnilearn:rounds=1", "step_s", 1.625, 0},
    {"P6", "workers", "omnilearn:rounds=2", "step_s", 1.875, 0},
    {"P6", "workers", "omnilearn:rounds=3", "step_s", 1.5, 0},
    {"P6", "workers", "omnilearn", "step_s", 1.5, 0},
    {"P6", "workers", "omnilearn", "ideal_step_s", 128.0 / 88, 1e-15},
    {"P6", "workers", "omnilearn:rule=exact", "step_s", 1.46875, 0}, /* and exactly, in one round */
    {"P7", "goodput2", "pollux", "useful_samples_per_s", 128 / 0.144, 1e-12},
    {"P7", "goodput4", "pollux", "useful_samples_per_s", 2118.96 * 0.8, 1e-5},
    {"P11", "varlen", "varlen", "moved_tokens", 4, 0},
    {"P11", "varlen", "varlen", "moved_between_nodes_tokens", 0, 0},
    {"P11", "varlen", "varlen", "direct_per_token_s", 8, 0},
    {"P11", "varlen", "varlen", "routed_per_token_s", 3.5, 0},
    {"P11", "lengths", "varlen", "shared_from_tokens", 1001, 0},
    {"P11", "lengths", "varlen", "spread_from_tokens", 18501, 0},
    /* 40000 on all eight: 1.6e6 / 8 + 35000 x 3.5; 4000 on a node's four: 4000 + 3000 */
    {"P11", "lengths", "varlen", "attention_s", 200000 + 122500 + 7000, 1e-12},
    /* tokens 6000 6000 6000 6000 5800 5600 5000 5000 become 5675 each */
    {"P11", "lengths", "varlen", "moved_tokens", 4 * 325 + 125, 0},
    {"P11", "lengths", "varlen", "moved_between_nodes_tokens", 4 * 325, 0},
    {"P12", "split", "split-pareto", "front_configs", 3, 0},
    {"P12", "split", "split-pareto", "energy_j", 5 + 3 + 9, 0},
    {"P12", "split", "split-pareto", "late_requests", 1, 0},
    {"P13", "cut", "mem-cut", "step_s", 8.4, 1e-15},
    {"P13", "cut", "mem-cut", "cut_layers", 2, 0},
    {"P13", "cut", "mem-cut:memory=20", "step_s", 10.8, 1e-15},
    {"P13", "cut", "mem-cut:memory=20", "cut_layers", 1, 0},
    {"P13", "recompute", "mem-cut:memory=18", "step_s", 8.9, 1e-15}, /* layer b once more */
    {"P13", "recompute", "mem-cut:memory=18", "device_bytes", 15, 0},
    {"P14", "flow", "feasible-flow", "cost", 14, 1e-9},
    {"P14", "flow", "feasible-flow:quantiser=link", "cost", 14, 1e-9},
    {"P16", "energy", "energy:objective=time", "energy_j", 7000, 0},
    {"P16", "energy", "energy:objective=energy", "energy_j", 6600, 0},
    {"P16", "energy", "energy", "energy_delay_js", 70000, 0},
    {"P20", "triangles", "spectral-coarsen", "components", 2, 0},
    {"P20", "triangles", "spectral-coarsen", "eigenvalue_1", 0, 0},
    {"P20", "triangles", "spectral-coarsen", "eigenvalue_2", 3, 1e-12},
    {"P20", "triangles", "spectral-coarsen", "eigenvalue_5", 3, 1e-12},
    {"P20", "triangles", "spectral-coarsen", "cut_weight", 0, 0},
    {"P20", "bridge", "spectral-coarsen", "components", 1, 0},
    {"P20", "bridge", "spectral-coarsen", "cut_weight", 0.1, 1e-15},
    {"Q4", "elastic", "elastic", "stay_s", 100, 0},
    {"Q4", "elastic", "elastic", "stop_resume_s", 31 + 10000.0 / 190, 1e-15},
    {"Q4", "elastic", "elastic", "stop_free_s", 31 + 7000.0 / 190, 1e-15},
    {"Q4", "elastic", "elastic", "stop_resume_worth_samples", 6544.44, 1e-5},
    {"Q4", "elastic", "elastic", "stop_free_worth_samples", 3211.11, 1e-5},
    {"Q4", "elastic", "elastic", "read_samples", 10000, 0},
    {"Q4", "elastic", "elastic", "read_twice_samples", 0, 0},
    {"Q4", "elastic", "elastic:chunk=1", "read_samples", 10000, 0},
    {"Q4", "elastic", "elastic:chunk=7777", "read_samples", 10000, 0},
    {"Q8", "batch", "critical-batch", "training_s", 1024 + 8, 0},
    {"Q11", "ensemble", "alloc-matrix:method=wfd", "fallback_models", 1, 0},
    {"Q11", "ensemble", "alloc-matrix", "fallback_models", 0, 0},
    {"Q11", "copies", "alloc-matrix:method=wfd", "samples_per_s", 8, 0},
    {"Q11", "copies", "alloc-matrix:method=greedy", "samples_per_s", 12, 0},
    {"Q11", "copies", "alloc-matrix", "samples_per_s", 12, 0},
    {"Q14", "hyper", "hyper-part", "cut", 1, 0},
    {"Q14", "hyper", "hyper-part:nodes=0", "cut", 1, 0},
    {"Q14", "workers4", "hyper-part:parts=4:slack=0.25:split=0.5:join=1", "makespan_s", 7, 0},
    {"Q16", "islands", "islands", "makespan_s", 13.5, 0},
    {"Q16", "islands", "islands", "divisible_s", 12, 0},
    {"Q17", "est", "est-map", "threads_per_s", 4.8, 1e-15},
    /* each gets a v, b first; then another t doubles c, and nobody gains by the last one */
    {"Q17", "jobs", "est-jobs", "thread_steps_per_s", 1.5 + 1 + 2, 1e-12},
    {"Q17", "jobs", "est-jobs", "rounds", 2, 0},
    {"Q17", "jobs", "est-jobs", "waiting_jobs", 1, 0},
    {"Q17", "est", "est-round", "threads_per_s", 4, 0},
    {"Q17", "est", "est-round", "waste", 0.2, 1e-15},
    {"Q17", "est16", "est-map", "threads_per_s", 19.2, 1e-15},
    {"Q17", "est16", "est-round", "threads_per_s", 16.5333333, 1e-8},
    {"Q20", "sampling", "sample-pipe", "workers", 2, 0},
    {"Q20", "sampling", "sample-pipe", "training_s", 38, 0},
    {"Q20", "sampling", "sample-pipe", "in_turn_s", 110, 0},
};

static void known_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        const check *k = &checks[i];
        tgs_proposal *p = plan_named(k->file, k->planner);
        const double value = tgs_proposal_value(p, k->figure);

        if (!(fabs(value - k->value) <= k->within * fabs(k->value)))
            fail_msg("%s: %s of %s: %s=%.17g, not %.17g", k->id, k->planner, k->file, k->figure,
                     value, k->value);
        tgs_proposal_free(p);
    }
}

static void row_says(const char *file, const char *planner, int32_t row, const char *choice)
{
    tgs_proposal *p = plan_named(file, planner);
    tgs_proposal_line line;

    assert_true(tgs_proposal_row_at(p, row, &line));
    if (!strstr(line.choice, choice))
        fail_msg("%s of %s: row %d is '%s', not '%s'", planner, file, row, line.choice, choice);
    tgs_proposal_free(p);
}

static void row_takes(const char *file, const char *planner, int32_t row, double seconds)
{
    tgs_proposal *p = plan_named(file, planner);
    tgs_proposal_line line;

    assert_true(tgs_proposal_row_at(p, row, &line));
    if (line.seconds != seconds)
        fail_msg("%s of %s: row %d takes %.17g s, not %g", planner, file, row, line.seconds,
                 seconds);
    tgs_proposal_free(p);
}

static void known_choices(void **state)
{
    (void)state;
    row_says("workers", "omnilearn", 1, "52 52 20 4"); /* P6 */
    row_says("workers", "omnilearn", 2, "45 45 25 15");
    row_says("workers", "omnilearn", 3, "48 48 23 11");
    row_says("workers", "omnilearn", 4, "47 47 24 12");
    row_says("goodput4", "pollux", 0, "efficiency 0.8"); /* P7 */
    row_says("split", "split-pareto", 3, "b");           /* P12 */
    row_says("split", "split-pareto", 4, "c");
    row_says("split", "split-pareto", 5, "a, late");
    row_says("flow", "feasible-flow", 0, "4 at marginal cost 4"); /* P14 */
    row_says("flow", "feasible-flow", 1, "2 at marginal cost 4");
    row_says("flow", "feasible-flow", 2, "1 at marginal cost 4");
    row_says("batch", "critical-batch", 0, "batch 4, 1024 steps"); /* Q8 */
    row_says("batch", "critical-batch", 1, "batch 512, 8 steps");
    row_says("est", "est-map", 0, "5 threads"); /* Q17 */
    row_says("est", "est-map", 1, "3 threads");
    row_says("varlen", "varlen", 0, "4 tokens to rank 1, in its node"); /* P11: (10,2,6,6) */
    row_says("jobs", "est-jobs", 2, "1 v, 1 t");
    row_says("jobs", "est-jobs", 3, "waits");
    row_says("lengths", "varlen", 0, "on all ranks");
    row_says("lengths", "varlen", 1, "within a node: 0");
    row_says("lengths", "varlen", 2, "on one rank: 4");
    row_says("lengths", "varlen", 3, "on one rank: 5");
    row_says("sampling", "sample-pipe", 0, "1 workers");
    row_takes("sampling", "sample-pipe", 0, 65); /* Q20; a third worker gains nothing */
    row_takes("sampling", "sample-pipe", 1, 38);
    row_says("energy", "energy:objective=time", 0, "x"); /* P16 */
    row_says("energy", "energy:objective=energy", 0, "y");
}

/* P14: the sum holds at every step, quantised or not, wherever it is stopped; a node's own
 * quantiser stalls */
static void flow_is_feasible(void **state)
{
    static const char *const how[] = {"none", "link", "node"};

    (void)state;
    for (int i = 0; i < 3; i++)
        for (int steps = 0; steps < 40; steps += 3) {
            char spec[100];
            tgs_proposal *p;

            sprintf(spec, "feasible-flow:quantiser=%s:evals=%d", how[i], steps);
            p = plan_named("flow", spec);
            assert_true(tgs_proposal_value(p, "sum_error") <= 1e-9);
            tgs_proposal_free(p);
        }
    {
        tgs_proposal *p = plan_named("flow", "feasible-flow:quantiser=node:evals=5000");

        assert_true(tgs_proposal_value(p, "marginal_spread") > 0.01);
        assert_true(tgs_proposal_value(p, "marginal_spread") < 1.2);
        tgs_proposal_free(p);
    }
}

/* what the page says of settings beside those of the files */
static void known_variants(void **state)
{
    char eight[600], *to = eight;

    (void)state;
    /* P1: layers of the NPU that are not run as a unit */
    assert_true(figure("processor npu\nprocessor cpu\nnetwork a\n"
                       "layer a1 network=a times=4,5 handover=1\n"
                       "layer a2 network=a times=4,5 handover=1\n"
                       "layer a3 network=a times=-,3\n",
                       "puzzle:method=exact", "makespan_s")
                == 12);
    /* Q16: 72 days of work on eight like devices */
    for (int i = 0; i < 8; i++)
        to += sprintf(to, "device d%d speed=1\njob j%d work=9\n", i, i);
    assert_true(figure(eight, "islands", "makespan_s") == 9);
    /* Q17: 2, 1 and 1 threads leave nothing idle */
    assert_true(figure("gpu a speed=2\ngpu b speed=1\ngpu c speed=1\njob j threads=4\n", "est-map",
                       "threads_per_s")
                == 4);
}

/* P7: the law itself.  The completion times of the authors' workloads need their traces of six
 * applications, which are not here. */
static void goodput_law(void **state)
{
    const tgs_i_law one = {{.05, .001}, {.03, 0}, {0, 0}, 1, 384, 128, 64, 1024, 64};
    const tgs_i_law two = {{.05, .001}, {.03, .005}, {0, 0}, 2, 384, 128, 64, 1024, 64};
    const double unequal[] = {1, 4}, equal[] = {2, 2};

    (void)state;
    assert_true(fabs(tgs_i_goodput_step(&one, 2, true, 64, 1) - 0.144) < 1e-15);
    assert_true(fabs(tgs_i_goodput_best(&one, 2, true).throughput - 888.8889) < 1e-4);
    assert_true(fabs(tgs_i_goodput_best(&two, 4, true).throughput - 2118.96) < 0.005);
    assert_true(fabs(tgs_i_goodput_best(&two, 4, true).efficiency - 0.8) < 1e-15);
    assert_true(fabs(tgs_i_harmonic_mean(2, unequal) - 1.6) < 1e-15);
    assert_true(tgs_i_harmonic_mean(2, equal) == 2);
}

/* the search finds no worse than one GPU at a time, and more of a cluster is no worse */
static void goodput_search(void **state)
{
    tgs_proposal *ga = plan_named("cluster", "pollux"),
                 *greedy = plan_named("cluster", "pollux:method=greedy");

    (void)state;
    assert_true(tgs_proposal_value(ga, "fitness") > tgs_proposal_value(greedy, "fitness"));
    tgs_proposal_free(ga);
    tgs_proposal_free(greedy);
}

/* ---- against brute force --------------------------------------------------------------------- */
/* T17: never slower than the released rule says, on random jobs; each placement counted by what
 * its slowest GPU takes */
static void est_map_beats_rounding(void **state)
{
    tgs_rng rng;
    int better = 0;

    (void)state;
    tgs_rng_seed(&rng, 23);
    for (int trial = 0; trial < 60; trial++) {
        char text[400], *end = text;
        const int types = (int)tgs_rng_int(&rng, 1, 3);
        double exact, rounded;

        for (int i = 0; i < types; i++)
            end += sprintf(end, "gpu g%d speed=%.2f count=%d\n", i, 1 + 3 * tgs_rng_real(&rng),
                           (int)tgs_rng_int(&rng, 1, 3));
        sprintf(end, "job j threads=%d\n", (int)tgs_rng_int(&rng, 1, 16));
        exact = figure(text, "est-map", "threads_per_s");
        rounded = figure(text, "est-round", "threads_per_s");
        if (types > 1) /* of one type alone their rule does not count what idles */
            better += exact > rounded * (1 + 1e-9);
    }
    assert_true(better > 10);
}

static double rest_of(int devices, int jobs, const double (*time)[3], const double *load, int job)
{
    double best = INFINITY;

    if (job == jobs) {
        double longest = 0;

        for (int d = 0; d < devices; d++)
            longest = fmax(longest, load[d]);
        return longest;
    }
    for (int d = 0; d < devices; d++) {
        double more[3] = {load[0], load[1], load[2]};

        more[d] += time[job][d];
        if (time[job][d] < INFINITY)
            best = fmin(best, rest_of(devices, jobs, time, more, job + 1));
    }
    return best;
}

static void islands_are_exact(void **state) /* T16 */
{
    tgs_rng rng;

    (void)state;
    tgs_rng_seed(&rng, 16);
    for (int trial = 0; trial < 60; trial++) {
        const int jobs = (int)tgs_rng_int(&rng, 1, 7);
        double time[7][3];
        const double none[3] = {0};
        char text[800], *end = text;

        end += sprintf(end, "device a\ndevice b\ndevice c\n");
        for (int j = 0; j < jobs; j++) {
            end += sprintf(end, "job j%d times=", j);
            for (int d = 0; d < 3; d++) {
                time[j][d] = d > 0 && tgs_rng_int(&rng, 0, 4) == 0
                                 ? INFINITY
                                 : (double)tgs_rng_int(&rng, 1, 9);
                if (trial % 3 == 0 && j > 0) /* jobs that are alike, and devices too */
                    time[j][d] = time[j - 1][d];
                if (trial % 3 == 1 && d > 0)
                    time[j][d] = time[j][0];
                end += time[j][d] < INFINITY ? sprintf(end, "%s%g", d ? "," : "", time[j][d])
                                             : sprintf(end, "%s-", d ? "," : "");
            }
            end += sprintf(end, "\n");
        }
        assert_true(figure(text, "islands", "makespan_s") == rest_of(3, jobs, time, none, 0));
    }
}

/* S0: the genetic search equals all plans on small instances */
static void puzzle_equals_enumeration(void **state)
{
    tgs_rng rng;

    (void)state;
    tgs_rng_seed(&rng, 5);
    for (int trial = 0; trial < 12; trial++) {
        const bool period = trial % 2;
        char text[1000], *end = text;
        const char *name = period ? "period_s" : "makespan_s";

        end += sprintf(end, "processor npu\nprocessor cpu\nnetwork a\nnetwork b\n");
        for (int net = 0; net < 2; net++) {
            for (int l = 0; l < 3; l++) {
                end += sprintf(end, "layer %c%d network=%c handover=%d times=", 'a' + net, l,
                               'a' + net, (int)tgs_rng_int(&rng, 0, 2));
                end += tgs_rng_int(&rng, 0, 3) ? sprintf(end, "%d", (int)tgs_rng_int(&rng, 1, 6))
                                               : sprintf(end, "-");
                end += sprintf(end, ",%d\n", (int)tgs_rng_int(&rng, 1, 9));
            }
            end += sprintf(end, "unit u%d first=%c0 last=%c1 times=%d,%d\n", net, 'a' + net,
                           'a' + net, (int)tgs_rng_int(&rng, 2, 9), (int)tgs_rng_int(&rng, 2, 9));
        }
        assert_true(
            figure(text, period ? "puzzle:objective=period" : "puzzle", name)
            == figure(text, period ? "puzzle:method=exact:objective=period" : "puzzle:method=exact",
                      name));
    }
}

/* T14: without the exact search, against it; and the cut is what its parts cut */
static void hyper_part_is_exact(void **state)
{
    tgs_rng rng;
    int equal = 0;

    (void)state;
    tgs_rng_seed(&rng, 14);
    for (int trial = 0; trial < 30; trial++) {
        char text[2000], *end = text;
        double exact, local;

        for (int v = 0; v < 8; v++)
            end += sprintf(end, "vertex v%d\n", v);
        for (int e = 0; e < 9; e++) {
            int pin[3] = {(int)tgs_rng_int(&rng, 0, 7), 0, 0};

            pin[1] = (pin[0] + (int)tgs_rng_int(&rng, 1, 3)) % 8;
            pin[2] = (pin[1] + 1) % 8 == pin[0] ? (pin[1] + 2) % 8 : (pin[1] + 1) % 8;
            end += sprintf(end, "edge e%d weight=%d pins=v%d,v%d,v%d\n", e,
                           (int)tgs_rng_int(&rng, 1, 3), pin[0], pin[1], pin[2]);
        }
        exact = figure(text, "hyper-part", "cut");
        local = figure(text, "hyper-part:nodes=0", "cut");
        assert_true(exact <= local);
        equal += exact == local;
    }
    assert_true(equal >= 25);
}

/* ---- what is refused ------------------------------------------------------------------------- */
static void refusals(void **state)
{
    static const struct {
        const char *planner, *body, *what;
        tgs_status status;
    } bad[] = {
        {"est-map", "gpu a speed=0\njob j threads=1\n", ":2: speed=0 is not in", TGS_EPARSE},
        {"est-map", "gpu a speed=1\n", "0 job records", TGS_EPARSE},
        {"puzzle", "processor p\nnetwork n\nlayer l network=n times=1,2\n",
         ":4: 2 times for 1 processors", TGS_EPARSE},
        {"puzzle", "processor p\nnetwork n\nnetwork m\nlayer l network=n times=1\n",
         ":4: the network has no layer", TGS_EPARSE},
        {"puzzle", "processor p\nnetwork n\nlayer l network=n times=-\n", "runs every layer",
         TGS_EINFEASIBLE},
        {"puzzle:objective=rate", "processor p\nnetwork n\nlayer l network=n times=1\n",
         ":3: objective=rate needs period=", TGS_EPARSE},
        {"puzzle:method=best", "processor p\nnetwork n\nlayer l network=n times=1\n", "method=best",
         TGS_EINVAL},
        {"puzzle",
         "processor p\nnetwork n\nlayer l network=n times=1\nlayer m network=n times=1\n"
         "unit u first=m last=l times=1\n",
         ":6: the last layer does not follow", TGS_EPARSE},
        {"alloc-matrix", "device d memory=4\nmodel m\noption o model=m memory=5\n", "fit nowhere",
         TGS_EINFEASIBLE},
        {"alloc-matrix:method=wfd", "device d memory=4\nmodel m\noption o model=m memory=5\n",
         "needs 5 bytes", TGS_EINFEASIBLE},
        {"alloc-matrix", "device d memory=4\nmodel m\nmodel n\noption o model=m memory=1\n",
         ":4: the model has no option", TGS_EPARSE},
        {"islands", "device d memory=4\njob j work=1 memory=5\n", "1 bytes are missing",
         TGS_EINFEASIBLE},
        {"islands", "device d\njob j\n", ":3: job needs work= or times=", TGS_EPARSE},
        {"mem-cut", "device d memory=9\nlayer a bytes=10 device=1\n", "memory=10 is enough",
         TGS_EINFEASIBLE}, /* P13: a budget of 9 */
        {"sample-pipe", "job j sample=1 gather=1 train=1 batches=1 workers=1 memory=5 base=6\n",
         "1 bytes are missing", TGS_EINFEASIBLE},
        {"feasible-flow", "node a curvature=1 high=2\ntotal t value=3\n", "leave 1 of the total",
         TGS_EINFEASIBLE},
        {"feasible-flow", "node a curvature=1\nlink l ends=a,a\ntotal t value=3\n",
         ":3: a link has two different ends", TGS_EPARSE},
        {"energy", "device d busy=1\nplan p time=1 busy=2\n", ":3: busy=2 is longer", TGS_EPARSE},
        {"omnilearn", "worker w\n", ":2: rate= or 5 times= are needed", TGS_EPARSE},
        {"hyper-part:parts=2", "vertex a weight=3\nvertex b weight=3\nvertex c weight=3\n",
         "more slack", TGS_EINFEASIBLE},
        {"hyper-part", "vertex a\nedge e pins=a,a\n", ":3: vertex a is named twice", TGS_EPARSE},
        {"spectral-coarsen:groups=3", "vertex a\n", "1 vertices are no 3 groups", TGS_EINFEASIBLE},
        {"pollux", "node n gpus=1\njob j gradient=1\n", ":3: gradient has 2 values", TGS_EPARSE},
        {"est-jobs", "gpu g count=1\njob j threads=1 speed=1,2\n",
         ":3: a speed for each of 1 types", TGS_EPARSE},
        {"varlen", "machine m ranks=2 intra=1 inter=1\nrank r tokens=1\n",
         ":3: 1 ranks have tokens, of 2", TGS_EPARSE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tgs_error err = {TGS_OK, ""};
        const tgs_status status = refuse(bad[i].body, bad[i].planner, &err);

        if (status != bad[i].status || !strstr(err.text, bad[i].what))
            fail_msg("%s: %d %s, not '%s'", bad[i].planner, status, err.text, bad[i].what);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(known_choices),
        cmocka_unit_test(flow_is_feasible),
        cmocka_unit_test(known_variants),
        cmocka_unit_test(goodput_law),
        cmocka_unit_test(goodput_search),
        cmocka_unit_test(est_map_beats_rounding),
        cmocka_unit_test(islands_are_exact),
        cmocka_unit_test(puzzle_equals_enumeration),
        cmocka_unit_test(hyper_part_is_exact),
        cmocka_unit_test(refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
