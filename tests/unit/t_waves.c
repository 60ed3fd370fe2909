/* t_waves.c -- steps whose weights are older than a plain step's: which updates each minibatch
 * knows of, what numbers come out, and how fast the workers are (SYSTEMS.md T0, Q0). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "chains.h"
#include "fixture.h"

/* y = x w0 ... w(layers - 1), numbers */
static tgs_model *line(int layers)
{
    net n = net_new();
    char name[16], in[16], list[40];

    net_input(&n, "x", DIMS(1, 1));
    strcpy(in, "x");
    for (int i = 0; i < layers; i++) {
        snprintf(name, sizeof name, "w%d", i);
        net_stored(&n, name, DIMS(1, 1));
        snprintf(list, sizeof list, "%s w%d", in, i);
        snprintf(in, sizeof in, "h%d", i);
        net_op(&n, "MatMul", list, in, NULL);
    }
    return net_model(&n, in);
}

/* ---- which updates are known --------------------------------------------------------------- */
/* "...@r1.m12": 1 and 12; false when it is of no minibatch */
static bool place_of(const char *name, int *replica, int *batch)
{
    const char *at = strrchr(name, '@');

    return at && sscanf(at, "@r%d.m%d", replica, batch) == 2;
}

/* marks the gradients that are in what task reads as weights: back through what makes weights of
 * weights and gradients; seen: [tasks] */
static void look_back(const tgs_graph *g, int32_t task, bool *seen, bool (*known)[512])
{
    for (int32_t i = g->v.pred_at[task]; i < g->v.pred_at[task + 1]; i++) {
        const int32_t u = g->v.pred[i];
        const char *codelet = g->v.codelet_name[g->v.task[u].codelet];
        int r, m;

        if (g->v.pred_datum[i] < 0 || seen[u])
            continue;
        seen[u] = true;
        if (!strcmp(codelet, "identity") || !strcmp(codelet, "sgd") || !strcmp(codelet, "sum"))
            look_back(g, u, seen, known);
        else if (place_of(tgs_graph_task_name(g, u), &r, &m))
            known[r][m] = true;
    }
}

/* minibatches before p of a worker whose updates are missing; what is known has no holes */
static int missing(const bool *known, int p)
{
    int n = 0;

    while (n < p && known[n])
        n++;
    for (int i = n; i < 512; i++)
        assert_false(known[i]);
    return p - n;
}

static void staleness(int wave, int ahead, int *own, int *all)
{
    const int batches = wave * (ahead + 4);
    tgs_model *m = line(1);
    char strategy[100];
    tgs_graph *g;

    snprintf(strategy, sizeof strategy,
             "train sgd; loss mse; micro-batches %d; waves %d D=%d; replicas 2", batches, wave,
             ahead);
    g = lowered(m, strategy);
    *own = *all = 0;
    for (int p = 0; p < batches; p++) {
        bool *seen = calloc((size_t)g->v.tasks, sizeof *seen), known[2][512] = {{false}};
        char name[32];
        int x, y;

        snprintf(name, sizeof name, "h0@r0.m%d", p);
        assert_true(tgs_graph_find_task(g, name) >= 0);
        look_back(g, tgs_graph_find_task(g, name), seen, known);
        x = missing(known[0], p);
        y = missing(known[1], p);
        *own = x > *own ? x : *own;
        *all = y > *all ? y : *all;
        free(seen);
    }
    tgs_graph_free(g);
    tgs_model_free(m);
}

static void weights_are_as_old_as_the_bound_says(void **state)
{
    static const int waves[] = {1, 2, 4, 7}, aheads[] = {0, 1, 4, 32};

    (void)state;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            const int s_local = waves[i] - 1,
                      s_global = (aheads[j] + 1) * (s_local + 1) + s_local - 1;
            int own, all;

            staleness(waves[i], aheads[j], &own, &all);
            if (own != s_local || all != s_global)
                fail_msg("Nm=%d D=%d: %d and %d, not %d and %d", waves[i], aheads[j], own, all,
                         s_local, s_global);
        }
}

/* ---- which numbers come out ---------------------------------------------------------------- */
typedef struct numbers { /* of a step: what came in, and the weights */
    double x[2][16], t[2][16], before[4], after[4];
} numbers;

/* strategies have one replica or two */
static void run_step(const tgs_model *m, const char *strategy, int layers, int replicas,
                     int batches, numbers *out)
{
    tgs_graph *g = lowered(m, strategy);
    tgs_platform *p = fixture_platform("cpu:3");
    tgs_problem *pb = fixture_problem(g, p, "latbw");
    tgs_schedule *s = NULL;
    tgs_run *r = NULL;
    tgs_error err = {TGS_OK, ""};
    char name[48];

    if (tgs_schedule_make(&s, pb, "heft", 1, &err)
        || tgs_run_open(&r, pb, s, NULL, "serial:precision=f64", &err))
        fail_msg("%s: %s", strategy, err.text);
    for (int i = 0; i < layers; i++) {
        snprintf(name, sizeof name, "w%d", i);
        assert_int_equal(tgs_run_read_f64(r, tgs_graph_find_datum(g, name), &out->before[i], &err),
                         0);
    }
    assert_int_equal(tgs_run_step(r, &err), TGS_OK);
    for (int i = 0; i < layers; i++) {
        snprintf(name, sizeof name, "w%d", i);
        assert_int_equal(tgs_run_read_f64(r, tgs_graph_find_datum(g, name), &out->after[i], &err),
                         0);
    }
    for (int k = 0; k < replicas; k++)
        for (int b = 0; b < batches; b++) {
            char tail[32];

            if (replicas > 1)
                snprintf(tail, sizeof tail, "@r%d.m%d", k, b);
            else
                snprintf(tail, sizeof tail, "@m%d", b);
            snprintf(name, sizeof name, "x%s", tail);
            assert_int_equal(
                tgs_run_read_f64(r, tgs_graph_find_datum(g, name), &out->x[k][b], &err), 0);
            snprintf(name, sizeof name, "target%s", tail);
            assert_int_equal(
                tgs_run_read_f64(r, tgs_graph_find_datum(g, name), &out->t[k][b], &err), 0);
        }
    assert_int_equal(tgs_run_close(r, NULL, NULL), 0);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
}

static void assert_number(const char *what, double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-10 * fabs(wanted)))
        fail_msg("%s: %.17g, not %.17g", what, got, wanted);
}

/* two workers, y = x w, the rule of WSP by the definition: what is known is added up anew */
static void waves_compute_what_the_rule_says(void **state)
{
    static const int cases[][3] = {{2, 1, 8},  {2, 0, 6}, {1, 2, 5},
                                   {3, 1, 12}, {1, 0, 4}, {4, 0, 4}};
    tgs_model *m = line(1);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int wave = cases[i][0], ahead = cases[i][1], batches = cases[i][2];
        double gradient[2][16], sum = 0;
        numbers n;
        char strategy[120];

        snprintf(strategy, sizeof strategy,
                 "train sgd lr=0.25; loss mse; micro-batches %d; waves %d D=%d; replicas 2",
                 batches, wave, ahead);
        run_step(m, strategy, 1, 2, batches, &n);
        for (int p = 0; p < batches; p++)
            for (int r = 0; r < 2; r++) {
                const int late = p / wave - ahead - (p % wave != wave - 1);
                double w = n.before[0];

                for (int k = 0; k < 2; k++)
                    for (int j = 0; j < p; j++)
                        if (j < late * wave || (k == r && j <= p - wave))
                            w -= 0.25 * gradient[k][j];
                gradient[r][p] =
                    (n.x[r][p] * w - n.t[r][p]) * n.x[r][p] / 2; /* mean of the workers */
                sum += gradient[r][p];
            }
        assert_true(sum != 0);
        assert_number(strategy, n.after[0], n.before[0] - 0.25 * sum);
    }
    tgs_model_free(m);
}

/* stage s of three has weights that miss 3 - s updates in both its passes, or lag times as many */
static void versions_compute_what_the_rule_says(void **state)
{
    static const struct {
        const char *text;
        int late[3];
    } cases[] = {{"pipeline 3; versions", {2, 1, 0}},
                 {"pipeline 3; versions delay=2", {2, 2, 2}},
                 {"pipeline 3; versions lag=2", {4, 2, 0}}, /* continuous propagation: 2 (L - l) */
                 {"versions delay=0", {0, 0, 0}}};
    enum { N = 6 };
    tgs_model *m = line(3);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double w[N + 1][3];
        numbers n;
        char strategy[120];

        snprintf(strategy, sizeof strategy, "train sgd lr=0.5; loss mse; micro-batches %d; %s", N,
                 cases[i].text);
        run_step(m, strategy, 3, 1, N, &n);
        memcpy(w[0], n.before, sizeof w[0]);
        for (int p = 0; p < N; p++) {
            double y = n.x[0][p], used[3];

            for (int l = 0; l < 3; l++) {
                used[l] = w[p > cases[i].late[l] ? p - cases[i].late[l] : 0][l];
                y *= used[l];
            }
            for (int l = 0; l < 3; l++)
                w[p + 1][l] =
                    w[p][l]
                    - 0.5 * (y - n.t[0][p]) * n.x[0][p] * used[(l + 1) % 3] * used[(l + 2) % 3];
        }
        for (int l = 0; l < 3; l++)
            assert_number(strategy, n.after[l], w[N][l]);
    }
    tgs_model_free(m);
}

/* with Nm = 1 and D = 0 nothing is late */
static void a_wave_of_one_is_the_plain_step(void **state)
{
    static const char *const plain[] = {"train momentum lr=0.1; loss mse",
                                        "train sgd lr=0.1; loss mse; replicas 2"};
    double wanted[LAYERS * WIDTH * WIDTH];
    char strategy[100];

    (void)state;
    for (int i = 0; i < 2; i++) {
        weights(plain[i], wanted);
        snprintf(strategy, sizeof strategy, "%s; waves 1 D=0", plain[i]);
        assert_weights(strategy, wanted);
        snprintf(strategy, sizeof strategy, "%s; pipeline 2; versions", plain[i]);
        assert_weights(strategy, wanted); /* of one minibatch */
    }
}

/* ---- how fast ------------------------------------------------------------------------------ */
enum { DEEP = 6, MINIBATCHES = 60 };

/* layers l0, l1, ... of these seconds, each with a parameter p0, p1, ... of so many bytes */
static tgs_model *layers_of(int layers, const double *forward, const double *backward,
                            const int64_t *bytes)
{
    static const int64_t one[] = {1};
    tgs_model_builder *b;
    tgs_model *m;
    char name[16];
    int32_t in[2] = {-1, -1};

    assert_int_equal(tgs_model_builder_new(&b, "layers", NULL), TGS_OK);
    for (int i = 0; i < layers; i++) {
        const int64_t size[] = {bytes && bytes[i] ? bytes[i] : 1};
        int32_t out, op;

        snprintf(name, sizeof name, "p%d", i);
        in[i > 0] = tgs_model_tensor(b, name);
        tgs_model_shape(b, in[i > 0], TGS_BYTES, 1, size);
        tgs_model_stored(b, in[i > 0], NULL);
        snprintf(name, sizeof name, "l%d", i);
        out = tgs_model_tensor(b, name);
        tgs_model_shape(b, out, TGS_BYTES, 1, one);
        op = tgs_model_operator(b, name, "tgsched.Layer", NULL, 1 + (i > 0), in, 1, &out);
        tgs_model_time(b, op, NULL, forward[i], backward[i]);
        in[0] = out;
    }
    tgs_model_output(b, in[0]);
    assert_int_equal(tgs_model_finish(&m, b, NULL), TGS_OK);
    return m;
}

/* two fast processors F and two S of half their speed, each with a memory; nothing else takes time
 */
static tgs_platform *whimpy(void)
{
    static const char *const name[] = {"F0", "F1", "S0", "S1"};
    char text[2000] = "kind gpu flops=1e30 bandwidth=1e30\n", *at = text + strlen(text);

    for (int i = 0; i < 4; i++)
        at += sprintf(at, "memory %s\nprocessor %s kind=gpu memory=%s speed=%g\n", name[i], name[i],
                      name[i], i < 2 ? 1 : .5);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            if (i != j)
                at += sprintf(at, "link %s %s latency=0 bandwidth=1e30\n", name[i], name[j]);
    return fixture_platform(text);
}

/* minibatches a second while both workers are at work, after the first third of that time */
static double rate(const tgs_graph *g, const tgs_trace *t)
{
    double end[2][MINIBATCHES] = {{0}}, first;
    int count = 0;

    for (int32_t i = 0; i < tgs_trace_executions(t); i++) {
        tgs_execution x;
        int r, p;

        tgs_trace_execution(t, i, &x);
        if (!strncmp(tgs_graph_task_name(g, x.task), "l0.bwd@", 7)
            && place_of(tgs_graph_task_name(g, x.task), &r, &p))
            end[r][p] = x.end;
    }
    first = fmin(end[0][MINIBATCHES - 1], end[1][MINIBATCHES - 1]);
    for (int r = 0; r < 2; r++)
        for (int p = 0; p < MINIBATCHES; p++) {
            assert_true(end[r][p] > 0);
            count += end[r][p] > first / 3 && end[r][p] <= first;
        }
    return count / (first * 2 / 3);
}

/* SYSTEMS.md Q0: 6 layers, of which F takes 1 (here 3) and S 2.  Workers {F,F} and {S,S} take 3 and
 * 6 a minibatch and are held together by D = 0: 2/6; let go they have 1/3 + 1/6.  Workers {F,S} cut
 * 4|2 take 4 each: 2/4. */
static void workers_have_the_rates_of_hetpipe(void **state)
{
    static const struct {
        const char *text;
        double rate;
    } cases[] = {
        {"pipeline 2 1f1b cuts=l2; waves 2 D=0; replicas 2; place F0,F1,S0,S1", 2. / 6},
        {"pipeline 2 1f1b cuts=l2; waves 2 D=30; replicas 2; place F0,F1,S0,S1", 1. / 3 + 1. / 6},
        {"pipeline 2 1f1b cuts=l3; waves 2 D=0; replicas 2; place F0,S0,F1,S1", 2. / 4},
        {"pipeline 2 message cap=2 cuts=l3; waves 2 D=0; replicas 2; place F0,S0,F1,S1", 2. / 4},
        /* S first: with the cut of the other worker 8, with its own, 2|4, 4; D = 0 would hold each
         * layer back until the other worker has it in the stage behind */
        {"pipeline 2 message cap=2 cuts=l3; waves 2 D=30; replicas 2; place F0,S0,S1,F1",
         1. / 4 + 1. / 8},
        {"pipeline 2 message cap=2 cuts=l3; recut 2 cuts=l1; waves 2 D=30; replicas 2; "
         "place F0,S0,S1,F1",
         2. / 4},
    };
    static const double forward[DEEP] = {1, 1, 1, 1, 1, 1}, backward[DEEP] = {2, 2, 2, 2, 2, 2};
    tgs_model *m = layers_of(DEEP, forward, backward, NULL);
    tgs_platform *p = whimpy();
    tgs_error err = {TGS_OK, ""};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char strategy[200];
        tgs_graph *g;
        tgs_problem *pb;
        tgs_schedule *s = NULL;
        tgs_trace *t = NULL;

        snprintf(strategy, sizeof strategy, "train sgd; micro-batches %d; %s", MINIBATCHES,
                 cases[i].text);
        g = lowered(m, strategy);
        pb = fixture_problem(g, p, "latbw");
        if (tgs_schedule_make(&s, pb, "message-driven", 1, &err) || tgs_simulate(&t, pb, s, &err))
            fail_msg("%s: %s", strategy, err.text);
        if (fabs(3 * rate(g, t) - cases[i].rate) > 0.02 * cases[i].rate)
            fail_msg("%s: %g, not %g", strategy, 3 * rate(g, t), cases[i].rate);
        tgs_trace_free(t);
        tgs_schedule_free(s);
        tgs_problem_free(pb);
        tgs_graph_free(g);
    }
    tgs_platform_free(p);
    tgs_model_free(m);
}

/* SYSTEMS.md Q3: continuous propagation, a layer a device, and weights that miss 2 (L - l) updates:
 * in steady state a sample every max_l(f + b + u) seconds, with an update u of each layer for
 * itself */
static void propagation_is_continuous(void **state)
{
    static const struct {
        double forward[3], backward[3];
        int64_t bytes[3]; /* of the parameters: with the copy, an update moves five times as many */
        double period;
    } cases[] = {{{1, 1, 1}, {2, 2, 2}, {1, 1, 1}, 3},
                 {{1, 2, 1}, {2, 3, 3}, {1, 1, 1}, 5},
                 {{1, 2, 1}, {2, 3, 3}, {2000, 100, 100}, 3 + 10},
                 {{1, 2, 1}, {2, 3, 3}, {100, 800, 100}, 5 + 4}};
    tgs_platform *p =
        fixture_platform("kind gpu flops=1e30 bandwidth=1e3\nmemory a\nmemory b\nmemory c\n"
                         "processor A kind=gpu memory=a\nprocessor B kind=gpu memory=b\n"
                         "processor C kind=gpu memory=c\nlink a b latency=0 bandwidth=1e30\n"
                         "link b a latency=0 bandwidth=1e30\nlink b c latency=0 bandwidth=1e30\n"
                         "link c b latency=0 bandwidth=1e30\n");
    tgs_error err = {TGS_OK, ""};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tgs_model *m = layers_of(3, cases[i].forward, cases[i].backward, cases[i].bytes);
        double took[2], period;

        for (int k = 0; k < 2; k++) {
            char strategy[160];
            tgs_graph *g;
            tgs_problem *pb;
            tgs_schedule *s = NULL;
            tgs_trace *t = NULL;

            snprintf(strategy, sizeof strategy,
                     "train sgd; micro-batches %d; pipeline 3 message cap=7; versions lag=2; "
                     "place a,b,c",
                     40 * (k + 1));
            g = lowered(m, strategy);
            pb = fixture_problem(g, p, "latbw");
            if (tgs_schedule_make(&s, pb, "message-driven", 1, &err)
                || tgs_simulate(&t, pb, s, &err))
                fail_msg("%s: %s", strategy, err.text);
            took[k] = tgs_trace_makespan(t);
            tgs_trace_free(t);
            tgs_schedule_free(s);
            tgs_problem_free(pb);
            tgs_graph_free(g);
        }
        period = (took[1] - took[0]) / 40;
        if (fabs(period - cases[i].period) > 0.006 * cases[i].period) /* and the loss */
            fail_msg("case %d: a sample every %g s, not %g", (int)i, period, cases[i].period);
        tgs_model_free(m);
    }
    tgs_platform_free(p);
}

/* ---- what is said -------------------------------------------------------------------------- */
static void that_the_mathematics_is_another_is_said(void **state)
{
    static const char *const said[][2] = {
        {"micro-batches 8; waves 4 D=1", "waves changes the mathematics: weights may miss the last "
                                         "3 updates of their own worker and "
                                         "10 of all (s_local, s_global)"},
        {"micro-batches 8; pipeline 2; versions", "versions changes the mathematics"},
        {"micro-batches 2; waves 1", "waves: each micro-batch is a step with an update of its own"},
        {"micro-batches 2; pipeline 2", ""},
    };
    tgs_model *m = line(2);

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
    tgs_model_free(m);
}

static void what_does_not_go_together_is_refused(void **state)
{
    tgs_model *m = line(2);

    (void)state;
    assert_refused(m, "train sgd; micro-batches 5; waves 2",
                   "5 micro-batches are no multiple of 2");
    assert_refused(m, "train adam; micro-batches 4; waves 2",
                   "which adam does not allow: train sgd");
    assert_refused(m, "train sgd; micro-batches 4; versions", "without a pipeline it needs delay=");
    assert_refused(m, "train sgd; micro-batches 4; versions delay=1; waves 2",
                   "exclude each other");
    assert_refused(m, "train sgd; micro-batches 8; pipeline 2 gpipe; waves 2", "cap=2");
    assert_refused(m, "train sgd; micro-batches 8; pipeline 2 gpipe; versions", "cap=2");
    tgs_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_as_old_as_the_bound_says),
        cmocka_unit_test(waves_compute_what_the_rule_says),
        cmocka_unit_test(versions_compute_what_the_rule_says),
        cmocka_unit_test(a_wave_of_one_is_the_plain_step),
        cmocka_unit_test(workers_have_the_rates_of_hetpipe),
        cmocka_unit_test(propagation_is_continuous),
        cmocka_unit_test(that_the_mathematics_is_another_is_said),
        cmocka_unit_test(what_does_not_go_together_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
