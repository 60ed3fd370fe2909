/* t_unlock.c -- backward passes cut between blocks: the chains that are left (SYSTEMS.md Q1, Q3,
 * P15), the numbers, and that it is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "chains.h"
#include "fixture.h"

/* y = x w0 ... w(layers - 1) of these sizes */
static tgs_model *line(int layers, int rows, int width)
{
    net n = net_new();
    char name[16], in[16], list[40];

    net_input(&n, "x", DIMS(rows, width));
    strcpy(in, "x");
    for (int i = 0; i < layers; i++) {
        snprintf(name, sizeof name, "w%d", i);
        net_stored(&n, name, DIMS(width, width));
        snprintf(list, sizeof list, "%s w%d", in, i);
        snprintf(in, sizeof in, "h%d", i);
        net_op(&n, "MatMul", list, in, NULL);
    }
    return net_model(&n, in);
}

/* the longest chain where a forward product takes f, any other one b, and the rest nothing */
static double chain_of(const tgs_graph *g, double f, double b)
{
    double *end = calloc((size_t)g->v.tasks, sizeof *end), most = 0;

    for (int32_t i = 0; i < g->v.tasks; i++) {
        const int32_t t = g->v.topo[i];
        const char *codelet = g->v.codelet_name[g->v.task[t].codelet];

        if (!strcmp(codelet, "matmul") || !strcmp(codelet, "gemm"))
            end[t] += g->v.task[t].phase == TGS_PHASE_FORWARD ? f : b;
        most = fmax(most, end[t]);
        for (int32_t e = g->v.succ_at[t]; e < g->v.succ_at[t + 1]; e++)
            end[g->v.succ[e]] = fmax(end[g->v.succ[e]], end[t]);
    }
    free(end);
    return most;
}

/* SYSTEMS.md Q3: 4 layers, forward 1, error step 2, update 2: 4 + 3 2 + 2 = 12 by back-propagation
 * and 4 + 2 + 2 = 8 by direct feedback.  Q1: without a backward chain 4 + 2 = 6.  What is one step
 * old is there at once: the last block alone waits for the loss. */
static void chains_are_as_long_as_the_formulas_say(void **state)
{
    static const struct {
        const char *text;
        double chain;
    } cases[] = {{"train sgd; loss mse", 12},
                 {"train sgd; loss mse; feedback direct", 8},
                 {"train sgd; loss mse; unlock 0 local", 6},
                 {"train sgd; loss mse; unlock 1", 12},
                 {"train sgd; loss mse; unlock 2", 8}}; /* the last block: 4 + 2 + 2 */
    tgs_model *m = line(4, 3, 2);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tgs_graph *g = lowered(m, cases[i].text);

        if (chain_of(g, 1, 2) != cases[i].chain)
            fail_msg("%s: %g, not %g", cases[i].text, chain_of(g, 1, 2), cases[i].chain);
        tgs_graph_free(g);
    }
    tgs_model_free(m);
}

typedef struct numbers {
    double x, t, w[3], feedback[2];
} numbers;

/* steps of y = x w0 w1 w2, numbers all; before and after */
static void run_steps(const char *strategy, int steps, numbers *before, numbers *after)
{
    tgs_model *m = line(3, 1, 1);
    tgs_graph *g = lowered(m, strategy);
    tgs_platform *p = fixture_platform("cpu:2");
    tgs_problem *pb = fixture_problem(g, p, "latbw");
    tgs_schedule *s = NULL;
    tgs_run *r = NULL;
    tgs_error err = {TGS_OK, ""};

    if (tgs_schedule_make(&s, pb, "heft", 1, &err)
        || tgs_run_open(&r, pb, s, NULL, "serial:precision=f64", &err))
        fail_msg("%s: %s", strategy, err.text);
    for (int i = 0; i <= steps; i++) {
        const char *const names[] = {"x", "target", "w0", "w1", "w2", "h0.feedback", "h1.feedback"};
        double got[7] = {0};

        if (i && tgs_run_step(r, &err))
            fail_msg("%s: %s", strategy, err.text);
        for (int k = 0; k < 7; k++) {
            const int32_t d = tgs_graph_find_datum(g, names[k]);

            if (d >= 0 && (i || k > 1))
                assert_int_equal(tgs_run_read_f64(r, d, &got[k], &err), 0);
        }
        *(i ? after : before) =
            (numbers){got[0], got[1], {got[2], got[3], got[4]}, {got[5], got[6]}};
    }
    assert_int_equal(tgs_run_close(r, NULL, NULL), 0);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
    tgs_model_free(m);
}

static void assert_numbers(const char *what, const double *got, const double *wanted)
{
    for (int i = 0; i < 3; i++)
        if (!(fabs(got[i] - wanted[i]) <= 1e-10 * fabs(wanted[i])))
            fail_msg("%s: w%d is %.17g, not %.17g", what, i, got[i], wanted[i]);
}

static void the_error_comes_from_elsewhere(void **state)
{
    const double lr = 0.5;
    numbers n, after;
    double h0, h1, e;

    (void)state;
    run_steps("train sgd lr=0.5; loss mse; feedback direct", 1, &n, &after);
    n.x = after.x;
    h0 = n.x * n.w[0];
    h1 = h0 * n.w[1];
    e = h1 * n.w[2] - after.t;
    assert_true(after.feedback[0] != 0 && after.feedback[0] != after.feedback[1]);
    assert_numbers("direct", after.w,
                   (double[]){n.w[0] - lr * e * after.feedback[0] * n.x,
                              n.w[1] - lr * e * after.feedback[1] * h0, n.w[2] - lr * e * h1});
    run_steps("train sgd lr=0.5; loss mse; unlock 0 local", 1, &n, &after);
    n.x = after.x;
    h0 = n.x * n.w[0];
    h1 = h0 * n.w[1];
    e = h1 * n.w[2] - after.t;
    assert_numbers("local", after.w,
                   (double[]){n.w[0] + lr * h0 * n.x, n.w[1] + lr * h1 * h0, n.w[2] - lr * e * h1});
}

/* a block learns from what the next one sent it in the step before, nothing in the first one */
static void the_error_is_one_step_old(void **state)
{
    double w[3], sent[2] = {0, 0}; /* to h0 and h1 */
    numbers n, after;

    (void)state;
    run_steps("train sgd lr=0.5; loss mse; unlock", 4, &n, &after);
    memcpy(w, n.w, sizeof w);
    for (int i = 0; i < 4; i++) {
        const double h0 = after.x * w[0], h1 = h0 * w[1], e = h1 * w[2] - after.t;
        const double to[2] = {sent[1] * w[1], e * w[2]};

        w[0] -= 0.5 * sent[0] * after.x;
        w[1] -= 0.5 * sent[1] * h0;
        w[2] -= 0.5 * e * h1;
        memcpy(sent, to, sizeof sent);
    }
    assert_numbers("last", after.w, w);
}

/* one block is the plain step; and in other strategies a cut one is what it is alone */
static void other_transforms_keep_it(void **state)
{
    static const char *const cut[] = {"unlock 3", "unlock 3 local", "feedback direct"};
    double wanted[LAYERS * WIDTH * WIDTH];
    char strategy[160];

    (void)state;
    weights("train sgd lr=0.1; loss mse", wanted);
    assert_weights("train sgd lr=0.1; loss mse; unlock 1", wanted);
    for (int i = 0; i < 3; i++) {
        snprintf(strategy, sizeof strategy, "train sgd lr=0.1; loss mse; %s; micro-batches 3",
                 cut[i]);
        weights(strategy, wanted);
        strcat(strategy, "; pipeline 3; recompute 2");
        assert_weights(strategy, wanted);
    }
}

/* SYSTEMS.md P15: 4, 2, 3, 5, 1 in three blocks: one micro-batch every 6 seconds */
static void unlocked_blocks_keep_the_pace_of_the_largest(void **state)
{
    static const double cost[] = {4. / 3, 2. / 3, 1, 5. / 3, 1. / 3}; /* a third of it forward */
    tgs_model *m = profile_of(5, cost, 2);
    double took[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        char strategy[100];
        tgs_graph *g;

        snprintf(strategy, sizeof strategy, "train sgd; unlock 3; micro-batches %d; pipeline 3",
                 20 * (i + 1));
        g = lowered(m, strategy);
        took[i] = longest(g);
        tgs_graph_free(g);
    }
    assert_true(fabs(took[1] - took[0] - 20 * 6) < 1e-9);
    tgs_model_free(m);
}

static void that_the_mathematics_is_another_is_said(void **state)
{
    static const char *const said[][2] = {
        {"unlock 2", "unlock changes the mathematics: 2 blocks learn from that of the step before"},
        {"unlock 0 local", "unlock changes the mathematics: 3 blocks learn from their own output"},
        {"feedback direct", "feedback changes the mathematics"},
        {"unlock 1", ""},
    };
    tgs_model *m = line(3, 2, 2);

    (void)state;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        char strategy[100];
        tgs_graph *g;

        snprintf(strategy, sizeof strategy, "train sgd; %s", said[i][0]);
        g = lowered(m, strategy);
        if (*said[i][1] ? !strstr(tgs_graph_note(g), said[i][1]) : *tgs_graph_note(g) != 0)
            fail_msg("%s: '%s'", strategy, tgs_graph_note(g));
        tgs_graph_free(g);
    }
    assert_refused(m, "train sgd; unlock 2 both", "no error 'both' (there are: last, local)");
    assert_refused(m, "train sgd; feedback random", "no kind 'random' (there is: direct)");
    tgs_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_are_as_long_as_the_formulas_say),
        cmocka_unit_test(the_error_comes_from_elsewhere),
        cmocka_unit_test(the_error_is_one_step_old),
        cmocka_unit_test(other_transforms_keep_it),
        cmocka_unit_test(unlocked_blocks_keep_the_pace_of_the_largest),
        cmocka_unit_test(that_the_mathematics_is_another_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
