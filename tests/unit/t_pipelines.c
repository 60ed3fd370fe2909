/* t_pipelines.c -- pipelines: where stages are cut and placed, the orders of their devices, and how
 * many micro-batches are under way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "chains.h"
#include "fixture.h"

/* ---- cuts ---------------------------------------------------------------------------------- */
/* the group (stage - 1 of a pipeline in one replica) of each of the layers l0, l1, ... */
static void groups(const tgs_graph *g, int layers, int *group)
{
    for (int i = 0; i < layers; i++) {
        char name[24];
        int32_t t;

        snprintf(name, sizeof name, "l%d", i);
        t = tgs_graph_find_task(g, name);
        if (t < 0) {
            strcat(name, "@m0");
            t = tgs_graph_find_task(g, name);
        }
        assert_true(t >= 0 && g->v.task[t].constraint >= 0);
        group[i] = g->v.constraint[g->v.task[t].constraint].group;
    }
}

static void assert_cut(const tgs_model *m, const char *strategy, const char *expected)
{
    tgs_graph *g = lowered(m, strategy);
    int group[16];
    char got[17] = "";

    groups(g, (int)strlen(expected), group);
    for (size_t i = 0; i < strlen(expected); i++)
        got[i] = (char)('0' + group[i]);
    if (strcmp(got, expected))
        fail_msg("%s: %s, not %s", strategy, got, expected);
    tgs_graph_free(g);
}

static void stages_are_cut_where_names_say(void **state)
{
    tgs_model *m = profile(12);

    (void)state;
    assert_cut(m, "train sgd; pipeline 3 1f1b cuts=l1,l8", "001111111222");
    assert_cut(m, "train sgd; pipeline 2 gpipe cuts=l10", "000000000001");
    assert_cut(m, "train sgd; pipeline 3 cuts=%6C0,l1", "012222222222"); /* l1 is not l10 */
    assert_refused(m, "train sgd; pipeline 3 cuts=l1,m8", "pipeline: no operator 'm8'");
    assert_refused(m, "train sgd; pipeline 3 cuts=l1,", "pipeline: no operator ''");
    assert_refused(m, "train sgd; pipeline 3 cuts=l1,l", "pipeline: no operator 'l'");
    assert_refused(m, "train sgd; pipeline 3 cuts=l1", "1 cuts make 2 parts, not 3");
    assert_refused(m, "train sgd; pipeline 3 cuts=l1,l1", "'l1' does not come after the cut");
    assert_refused(m, "train sgd; pipeline 3 cuts=l5,l2", "'l2' does not come after the cut");
    assert_refused(m, "train sgd; pipeline 2 cuts=l11", "nothing comes after 'l11'");
    tgs_model_free(m);
}

/* "h0" of h0.a and h0.b, but not of h01 */
static void a_name_may_be_that_of_a_block(void **state)
{
    static const char *const names[] = {"h0.a", "h0.b", "h01", "h1/a", "h1/b", "end"};
    static const int64_t one[] = {1};
    tgs_model_builder *b;
    tgs_model *m;
    tgs_graph *g;
    int32_t in = -1, group[6];

    (void)state;
    assert_int_equal(tgs_model_builder_new(&b, "blocks", NULL), TGS_OK);
    for (int i = 0; i < 6; i++) {
        const int32_t out = tgs_model_tensor(b, names[i]);
        int32_t op;

        tgs_model_shape(b, out, TGS_BYTES, 1, one);
        op = tgs_model_operator(b, names[i], "tgsched.Layer", NULL, in >= 0, &in, 1, &out);
        tgs_model_time(b, op, NULL, 1, 2);
        in = out;
    }
    tgs_model_output(b, in);
    assert_int_equal(tgs_model_finish(&m, b, NULL), TGS_OK);
    g = lowered(m, "train sgd; pipeline 3 cuts=h0,h1");
    for (int i = 0; i < 6; i++) {
        const int32_t t = tgs_graph_find_task(g, names[i]);

        group[i] = g->v.constraint[g->v.task[t].constraint].group;
    }
    assert_memory_equal(group, ((const int32_t[]){0, 0, 1, 1, 1, 2}), sizeof group);
    tgs_graph_free(g);
    tgs_model_free(m);
}

/* the smallest largest sum of parts of w[from .. n), by trying all */
static double smallest(const double *w, int from, int n, int parts)
{
    double best = INFINITY, sum = 0;

    if (parts == 1) {
        for (int i = from; i < n; i++)
            sum += w[i];
        return sum;
    }
    for (int i = from; i <= n - parts; i++) {
        sum += w[i];
        best = fmin(best, fmax(sum, smallest(w, i + 1, n, parts - 1)));
    }
    return best;
}

static double largest(const double *w, int n, int parts, const int *group)
{
    double sum[16] = {0}, most = 0;

    for (int i = 0; i < n; i++) {
        assert_true(group[i] >= 0 && group[i] < parts && (!i || group[i] >= group[i - 1]));
        sum[group[i]] += w[i];
    }
    for (int k = 0; k < parts; k++) {
        assert_true(sum[k] > 0); /* none is empty */
        most = fmax(most, sum[k]);
    }
    return most;
}

/* SYSTEMS.md P15: 4, 2, 3, 5, 1 in two parts 9, in three 6; and any chain, against all cuts */
static void the_largest_stage_is_as_small_as_possible(void **state)
{
    static const double p15[] = {4, 2, 3, 5, 1};
    tgs_rng rng;
    double w[9];
    int group[16];

    (void)state;
    tgs_rng_seed(&rng, 7);
    for (int round = 0; round < 60; round++) {
        const int n = round < 2 ? 5 : 4 + round % 6, parts = round < 2 ? 2 + round : 2 + round % 3;
        char strategy[60];
        tgs_model *m;
        tgs_graph *g;

        for (int i = 0; i < n; i++)
            w[i] = round < 2 ? p15[i] : 1 + floor(20 * tgs_rng_real(&rng) * tgs_rng_real(&rng));
        m = profile_of(n, w, 0);
        snprintf(strategy, sizeof strategy, "train sgd; pipeline %d", parts);
        g = lowered(m, strategy);
        groups(g, n, group);
        assert_true(largest(w, n, parts, group) == smallest(w, 0, n, parts));
        if (round < 2)
            assert_true(largest(w, n, parts, group) == (round ? 6 : 9));
        tgs_graph_free(g);
        tgs_model_free(m);
    }
}

/* ---- places -------------------------------------------------------------------------------- */
static const char *memory_of(const tgs_graph *g, int32_t t)
{
    const int32_t c = g->v.task[t].constraint;

    return c >= 0 ? tgs_text(&g->v, g->v.constraint[c].memory) : "";
}

static void stages_of_replicas_are_placed(void **state)
{
    static const char *const memories[] = {"a", "b", "c", "d"};
    tgs_model *m = profile(4);
    tgs_graph *g = lowered(m, "train sgd; micro-batches 2; pipeline 2; replicas 2; place a,b,c,d");
    int seen = 0;

    (void)state;
    for (int32_t t = 0; t < g->v.tasks; t++) {
        const char *name = tgs_graph_task_name(g, t), *replica = strstr(name, "@r");

        if (*name != 'l' || name[1] < '0' || name[1] > '3' || !replica)
            continue;
        assert_string_equal(memory_of(g, t),
                            memories[2 * (replica[2] - '0') + (name[1] - '0') / 2]);
        seen++;
    }
    assert_int_equal(seen, 4 * 2 * 2 * 2); /* layers, passes, micro-batches, replicas */
    tgs_graph_free(g);
    assert_refused(m, "train sgd; pipeline 2; replicas 2; place a,b,c",
                   "place: 3 memories for 4 places (2 replicas, 2 stages, 1 shards)");
    assert_refused(m, "train sgd; pipeline 2; place", "place: 0 memories for 2 places");
    assert_refused(m, "train sgd; pipeline 2; place a,", "place: '' is no name of a memory");
    tgs_model_free(m);
}

/* the machine has no such memory, or the schedule keeps to it */
static void a_placed_step_runs_there(void **state)
{
    tgs_model *m = profile(4);
    tgs_graph *g = lowered(m, "train sgd; micro-batches 4; pipeline 2; place cpu1.mem,ram");
    tgs_platform *p;
    tgs_problem *pb;
    tgs_schedule *s = NULL;
    tgs_error err = {TGS_OK, ""};

    (void)state;
    assert_int_equal(tgs_platform_parse(&p, "cpu:2/own link:1e9,0", &err), TGS_OK);
    assert_int_equal(tgs_problem_new(&pb, g, p, NULL, "latbw", &err), TGS_OK);
    assert_int_equal(tgs_schedule_make(&s, pb, "heft", 1, &err), TGS_OK);
    for (int32_t t = 0; t < g->v.tasks; t++)
        assert_string_equal(p->v.memory[p->v.proc[s->v.place[t].proc].memory].name,
                            memory_of(g, t));
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_graph_free(g);
    g = lowered(m, "train sgd; pipeline 2; place ram,nowhere");
    assert_int_not_equal(tgs_problem_new(&pb, g, p, NULL, "latbw", &err), TGS_OK);
    assert_non_null(strstr(err.text, "nowhere"));
    tgs_graph_free(g);
    tgs_platform_free(p);
    tgs_model_free(m);
}

/* ---- orders -------------------------------------------------------------------------------- */
static void the_mathematics_stays(void **state)
{
    static const char *const forms[] = {
        "pipeline 3 cuts=h0,t2",           "pipeline 3 1f1b cap=2",
        "pipeline 2 gpipe cap=3",          "pipeline 4 interleaved",
        "pipeline 6 interleaved chunks=3", "pipeline 3 message",
        "pipeline 3 message cap=1",        "pipeline 4 interleaved; recompute 3",
    };
    const char *plain = "train sgd lr=0.1; loss mse; micro-batches 4";
    double wanted[LAYERS * WIDTH * WIDTH];

    (void)state;
    weights(plain, wanted);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char strategy[200];

        snprintf(strategy, sizeof strategy, "%s; %s", plain, forms[i]);
        assert_weights(strategy, wanted);
    }
}

/* m micro-batches on p devices with v stages each take m + (p - 1) / v times a device's work for
 * one of them: Narayanan et al., SC 2021, section 2.2.2 */
static void interleaving_divides_the_bubble(void **state)
{
    static const struct {
        int p, v, m;
    } cases[] = {{2, 2, 2}, {2, 2, 4}, {4, 2, 8}, {4, 3, 8}, {3, 4, 9}, {4, 1, 8}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int p = cases[i].p, v = cases[i].v, m = cases[i].m;
        tgs_model *net = profile(p * v);
        char strategy[100];
        tgs_graph *g;

        snprintf(strategy, sizeof strategy,
                 "train sgd; micro-batches %d; pipeline %d interleaved chunks=%d", m, p * v, v);
        g = lowered(net, strategy);
        if (longest(g) != 3 * v * m + 3 * (p - 1))
            fail_msg("%s: %g, not %d", strategy, longest(g), 3 * v * m + 3 * (p - 1));
        tgs_graph_free(g);
        tgs_model_free(net);
    }
}

/* most micro-batches that may be between their forward and their backward pass at once, in the
 * layers of a device: the largest set of which no backward pass must come before the forward pass
 * of another */
static int under_way(const tgs_graph *g, int layers, int device, int devices, int batches)
{
    uint32_t later[16] = {0};
    int32_t forward[16];
    int n = 0, most = 0;

    for (int layer = device; layer < layers; layer += devices)
        for (int i = 0; i < batches; i++, n++) {
            char name[24];

            snprintf(name, sizeof name, "l%d@m%d", layer, i);
            forward[n] = tgs_graph_find_task(g, name);
        }
    for (int k = 0; k < n; k++) {
        bool *after = calloc((size_t)g->v.tasks, sizeof *after);
        char name[24];

        snprintf(name, sizeof name, "l%d.bwd@m%d", device + k / batches * devices, k % batches);
        after[tgs_graph_find_task(g, name)] = true;
        for (int32_t i = 0; i < g->v.tasks; i++)
            for (int32_t e = g->v.succ_at[g->v.topo[i]]; e < g->v.succ_at[g->v.topo[i] + 1]; e++)
                after[g->v.succ[e]] |= after[g->v.topo[i]];
        for (int i = 0; i < n; i++)
            later[k] |= (uint32_t)after[forward[i]] << i;
        free(after);
    }
    for (uint32_t set = 1; set < 1u << n; set++) {
        int size = 0;

        for (int k = 0; k < n && size >= 0; k++)
            if (set >> k & 1)
                size = later[k] & set ? -1 : size + 1;
        most = size > most ? size : most;
    }
    return most;
}

static void no_more_are_under_way_than_the_order_has(void **state)
{
    static const struct form {
        const char *order;
        int stages, devices, at[4];
    } forms[] = {
        {"1f1b", 4, 4, {4, 3, 2, 1}},
        {"1f1b cap=2", 4, 4, {2, 2, 2, 1}},
        {"gpipe", 4, 4, {8, 8, 8, 8}},
        {"gpipe cap=3", 4, 4, {3, 3, 3, 3}},
        {"message", 4, 4, {4, 4, 4, 4}},
        {"message cap=6", 4, 4, {6, 6, 6, 6}},
        {"interleaved", 4, 2, {2 + 2 + 1, 2 + 1}}, /* of stages: 2 (p - d) + (v - 1) p + 1 */
    };
    tgs_model *m = profile(4);

    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char strategy[100];
        tgs_graph *g;

        snprintf(strategy, sizeof strategy, "train sgd; micro-batches 8; pipeline %d %s",
                 forms[i].stages, forms[i].order);
        g = lowered(m, strategy);
        for (int d = 0; d < forms[i].devices; d++)
            if (under_way(g, 4, d, forms[i].devices, 8) != forms[i].at[d])
                fail_msg("%s: %d in %d, not %d", strategy, under_way(g, 4, d, forms[i].devices, 8),
                         d, forms[i].at[d]);
        tgs_graph_free(g);
    }
    tgs_model_free(m);
}

/* most micro-batches between their passes in the first layer, as the trace of a schedule has it */
static int peak_of(const tgs_graph *g, const tgs_schedule *s, int layer, int batches)
{
    int most = 0;

    for (int i = 0; i < batches; i++) {
        char name[40];
        double now;
        int live = 0;

        snprintf(name, sizeof name, "l%d@m%d", layer, i);
        now = s->v.place[tgs_graph_find_task(g, name)].start;
        for (int j = 0; j < batches; j++) {
            int32_t f, b;

            snprintf(name, sizeof name, "l%d@m%d", layer, j);
            f = tgs_graph_find_task(g, name);
            snprintf(name, sizeof name, "l%d.bwd@m%d", layer, j);
            b = tgs_graph_find_task(g, name);
            live += s->v.place[f].start <= now && s->v.place[b].end > now;
        }
        most = live > most ? live : most;
    }
    return most;
}

/* a machine of p memories with a processor each, whose links take this long; what has no time of
 * its own, such as the loss, takes none */
static tgs_platform *line_of(int p, double latency)
{
    char text[4000] = "kind cpu flops=1e30 bandwidth=1e30\n", *at = text + strlen(text);

    for (int k = 0; k < p; k++)
        at += sprintf(at, "memory d%d\nprocessor p%d kind=cpu memory=d%d\n", k, k, k);
    for (int j = 0; j < p; j++)
        for (int k = 0; k < p; k++)
            if (j != k)
                at += sprintf(at, "link d%d d%d latency=%g bandwidth=1e30\n", j, k, latency);
    return fixture_platform(text);
}

/* SYSTEMS.md P5: p stages, m micro-batches, a forward pass of 1 and a backward pass of 2, caps and
 * latencies, and the makespan that the simulator finds for the order of arrival */
static void messages_are_served_as_they_come(void **state)
{
    static const struct {
        int p, m, cap;
        double latency, makespan;
    } cases[] = {
        {2, 4, 2, 0, 15},  {3, 6, 3, 0, 24},  {4, 8, 4, 0, 33},  {4, 8, 8, 0, 33},
        {4, 8, 4, .5, 41}, {4, 8, 5, .5, 40}, {4, 8, 6, .5, 37}, {4, 8, 8, .5, 36},
    };
    tgs_error err = {TGS_OK, ""};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int p = cases[i].p, m = cases[i].m;
        tgs_model *net = profile(p);
        tgs_platform *platform = line_of(p, cases[i].latency);
        char strategy[200];
        tgs_graph *g;
        tgs_problem *pb;
        tgs_schedule *s = NULL;
        tgs_trace *t = NULL;

        snprintf(strategy, sizeof strategy,
                 "train sgd; micro-batches %d; pipeline %d message cap=%d; place %.*s", m, p,
                 cases[i].cap, 3 * p - 1, "d0,d1,d2,d3");
        g = lowered(net, strategy);
        if (tgs_problem_new(&pb, g, platform, NULL, "latbw", &err)
            || tgs_schedule_make(&s, pb, "message-driven", 1, &err)
            || tgs_simulate(&t, pb, s, &err))
            fail_msg("%s: %s", strategy, err.text);
        if (tgs_trace_makespan(t) != cases[i].makespan)
            fail_msg("%s: %g, not %g", strategy, tgs_trace_makespan(t), cases[i].makespan);
        assert_int_equal(peak_of(g, s, 0, m), cases[i].cap);
        for (int k = 1; k < p; k++)
            assert_true(peak_of(g, s, k, m) <= cases[i].cap);
        tgs_trace_free(t);
        tgs_schedule_free(s);
        tgs_problem_free(pb);
        tgs_platform_free(platform);
        tgs_graph_free(g);
        tgs_model_free(net);
    }
}

static void what_does_not_go_together_is_refused(void **state)
{
    tgs_model *m = profile(4);

    (void)state;
    assert_refused(m, "train sgd; pipeline 2 2f2b",
                   "no order '2f2b' (there are: 1f1b, gpipe, interleaved, message)");
    assert_refused(m, "train sgd; pipeline 4 1f1b chunks=2",
                   "chunks are for the order interleaved");
    assert_refused(m, "train sgd; pipeline 3 interleaved",
                   "3 stages are not a multiple of 2 chunks");
    assert_refused(m, "train sgd; micro-batches 3; pipeline 4 interleaved",
                   "3 micro-batches are no multiple of 2 devices");
    assert_refused(m, "train sgd; micro-batches 2; pipeline 4 interleaved cap=2", "a cap is for");
    tgs_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_are_cut_where_names_say),
        cmocka_unit_test(a_name_may_be_that_of_a_block),
        cmocka_unit_test(the_largest_stage_is_as_small_as_possible),
        cmocka_unit_test(stages_of_replicas_are_placed),
        cmocka_unit_test(a_placed_step_runs_there),
        cmocka_unit_test(the_mathematics_stays),
        cmocka_unit_test(interleaving_divides_the_bubble),
        cmocka_unit_test(no_more_are_under_way_than_the_order_has),
        cmocka_unit_test(messages_are_served_as_they_come),
        cmocka_unit_test(what_does_not_go_together_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
