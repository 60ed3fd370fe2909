/* t_planners.c -- planners side by side answer as each does alone; what they share is what each
 * would find out; the neighbours of a strategy; micro-heft and auto, against their own trials. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "../../heuristics/plan/step.h"
#include "fixture.h"
#include "planner.h"

/* two kinds of devices in two nodes */
static const char machine[] =
    "kind fast flops=4e9 bandwidth=1e30\nkind slow flops=1e9 bandwidth=1e30\n"
    "memory ram\nmemory f0 capacity=1e8\nmemory f1 capacity=1e8\nmemory s0 capacity=1e8 node=1\n"
    "processor F0 kind=fast memory=f0\nprocessor F1 kind=fast memory=f1\n"
    "processor S0 kind=slow memory=s0\n"
    "link ram f0 latency=1e-6 bandwidth=1e10\nlink ram f1 latency=1e-6 bandwidth=1e10\n"
    "link ram s0 latency=1e-6 bandwidth=1e10\nlink f0 f1 latency=1e-6 bandwidth=1e10\n"
    "link f1 f0 latency=1e-6 bandwidth=1e10\nlink f0 s0 latency=1e-6 bandwidth=1e9\n"
    "link s0 f0 latency=1e-6 bandwidth=1e9\nlink f1 s0 latency=1e-6 bandwidth=1e9\n"
    "link s0 f1 latency=1e-6 bandwidth=1e9\n";

typedef struct asked {
    tgs_model *m;
    tgs_platform *p;
    tgs_plan_input in;
    tgs_planning pl;
    tgs_planner_ctx c;
} asked;

static void open_asked(asked *a)
{
    tgs_error err = {TGS_OK, ""};

    memset(a, 0, sizeof *a);
    assert_int_equal(tgs_model_read(&a->m, "zoo:mlp:batch=8", NULL, NULL, &err), TGS_OK);
    a->p = fixture_platform(machine);
    a->in = (tgs_plan_input){.model = (const tgs_model *const *)&a->m,
                             .models = 1,
                             .platform = a->p,
                             .batch = 32,
                             .training = "train adam; loss xent"};
    assert_int_equal(tgs_i_planning_open(&a->pl, &a->in, &err), TGS_OK);
    a->c = (tgs_planner_ctx){.planning = &a->pl, .p = a->pl.p, .batch = 32, .bound = 8};
}

static void close_asked(asked *a)
{
    tgs_i_planning_close(&a->pl);
    tgs_platform_free(a->p);
    tgs_model_free(a->m);
}

static void same_evaluation(const tgs_proposal *p, const tgs_proposal *q, int32_t memories)
{
    tgs_evaluation a, b;

    assert_int_equal(tgs_proposal_evaluation(p, &a), tgs_proposal_evaluation(q, &b));
    if (!tgs_proposal_evaluation(p, &a))
        return;
    assert_true(a.step == b.step && a.bound == b.bound && a.moved == b.moved);
    assert_int_equal(a.simulated, b.simulated);
    assert_memory_equal(a.peak, b.peak, (size_t)memories * sizeof *a.peak);
}

/* all of one call against one call of each */
static void together(void **state)
{
    tgs_plan_answer answer[128];
    tgs_error err = {TGS_OK, ""};
    int32_t count = 0, planned = 0, refused = 0;
    asked a;

    (void)state;
    open_asked(&a);
    for (int32_t i = 0; tgs_plugin_name("planner", i); i++)
        if (!tgs_planner_check(&a.in, tgs_plugin_name("planner", i), NULL))
            answer[count++].planner = tgs_plugin_name("planner", i);
    answer[count++].planner = "gpipe:stages=999";
    answer[count++].planner = "nobody";
    assert_int_equal(tgs_planners_make(answer, count, &a.in, &err), TGS_OK);
    for (int32_t i = 0; i < count; i++) {
        tgs_error why = {TGS_OK, ""};
        tgs_proposal *alone;
        const tgs_status status = tgs_planner_make(&alone, &a.in, answer[i].planner, &why);

        assert_int_equal(status, answer[i].why.status);
        assert_int_equal(!answer[i].proposal, status != TGS_OK);
        if (status)
            assert_string_equal(answer[i].why.text, why.text);
        else {
            assert_string_equal(tgs_proposal_strategy(alone),
                                tgs_proposal_strategy(answer[i].proposal));
            same_evaluation(alone, answer[i].proposal, a.p->v.memories);
        }
        planned += !status;
        refused += status != TGS_OK;
        tgs_proposal_free(alone);
        tgs_proposal_free(answer[i].proposal);
    }
    assert_true(planned > 8 && refused > 1);
    close_asked(&a);
}

/* known or not, a strategy comes to the same; what cannot be lowered is refused again */
static void shared(void **state)
{
    static const char *const text[] = {"micro-batches 4", " micro-batches 4\n", "recompute",
                                       "micro-batches 4"};
    double step[4], peak[4][4];
    const tgs_layers *l, *again;
    tgs_planning other;
    tgs_planner_ctx c;
    tgs_evaluation e;
    tgs_error err = {TGS_OK, ""};
    asked a;

    (void)state;
    open_asked(&a);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(tgs_planner_evaluate(&a.c, text[i], &e, &err), TGS_OK);
        step[i] = e.step;
        memcpy(peak[i], e.peak, sizeof peak[i]);
    }
    assert_true(step[0] == step[1] && step[0] == step[3] && step[0] != step[2]);
    assert_memory_equal(peak[0], peak[3], sizeof peak[0]);
    assert_memory_not_equal(peak[0], peak[2], sizeof peak[0]);
    for (int i = 0; i < 2; i++) {
        err.text[0] = 0;
        assert_int_equal(tgs_planner_evaluate(&a.c, "no such directive", &e, &err), TGS_EPARSE);
        assert_true(err.status != TGS_OK && err.text[0] && e.step == 0);
    }
    assert_int_equal(tgs_i_planning_join(&other, &a.in, a.pl.shared, &err), TGS_OK);
    c = (tgs_planner_ctx){.planning = &other};
    assert_int_equal(tgs_planner_evaluate(&c, "recompute", &e, &err), TGS_OK);
    assert_true(e.step == step[2] && e.peak == other.peak);
    assert_memory_equal(e.peak, peak[2], sizeof peak[2]);
    assert_int_equal(tgs_planner_layers(&a.c, 0, 8, &l, &err), TGS_OK);
    assert_int_equal(tgs_planner_layers(&c, 0, 8, &again, &err), TGS_OK);
    assert_ptr_equal(l, again);
    tgs_i_planning_close(&other);
    close_asked(&a);
}

/* each of several strategies is as it is alone */
static void each(void **state)
{
    static const char *const text[] = {"micro-batches 2", "no such directive", "micro-batches 4"};
    tgs_evaluation e[3], one;
    tgs_error why[3], err = {TGS_OK, ""};
    asked a, b;

    (void)state;
    open_asked(&a);
    open_asked(&b);
    assert_int_equal(tgs_planner_evaluate_each(&a.c, text, 3, e, why, &err), TGS_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tgs_planner_evaluate(&b.c, text[i], &one, &err), why[i].status);
        assert_true(e[i].step == one.step && !e[i].peak);
    }
    assert_true(why[1].status && *why[1].text && !why[2].status);
    close_asked(&a);
    close_asked(&b);
}

static bool listed(const tgs_i_neighbours *n, const char *text)
{
    for (int64_t i = 0; i < n->count; i++)
        if (!strcmp(n->text[i], text))
            return true;
    return false;
}

static void neighbours(void **state)
{
    static const char *const some[] = {
        "micro-batches 8\nbatch 2\nreplicas 2\nplace f0,s0\n",
        "micro-batches 2\nreplicas 2\nplace f0,s0\n", /* 8 is what the model is bound to */
        "micro-batches 4\nbatch 4\nreplicas 2\nplace f0,s0\nshard 1\n",
        "micro-batches 4\nbatch 4\nreplicas 2 reduce=ring\nplace f0,s0\n",
        "micro-batches 4\nbatch 4\nreplicas 2\nplace f0,s0\nrecompute\n",
        "micro-batches 4\nbatch 4\nreplicas 2\nplace s0,f0\n",
        "micro-batches 4\nbatch 4\nreplicas 2\nplace f1,s0\n",
        "micro-batches 4\nbatch 4\nreplicas 2\nplace f0,f1\n",
    };
    static const char *const unequal[] = {
        "replicas 2 shares=23,9\nshard 2\n", "replicas 2 shares=25,7\nshard 2\n",
        "replicas 2 shares=24,8\nshard 1\n", "replicas 2 shares=24,8\nshard 3\n",
        "replicas 2 shares=24,8\nshard 2\nmicro-batches 2\n"};
    tgs_i_neighbours n;
    tgs_error err = {TGS_OK, ""};
    asked a;

    (void)state;
    open_asked(&a);
    assert_int_equal(tgs_i_neighbours_list(
                         &a.c, "micro-batches 4\nbatch 4\nreplicas 2\nplace f0,s0\n", &n, &err),
                     TGS_OK);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        if (!listed(&n, some[i]))
            fail_msg("not there: %s", some[i]);
    assert_int_equal(n.count, sizeof some / sizeof *some);
    tgs_i_neighbours_free(&n);
    assert_int_equal(tgs_i_neighbours_list(&a.c, "replicas 2 shares=24,8\nshard 2\n", &n, &err),
                     TGS_OK);
    /* an eighth of 24, and of 8 */
    assert_true(listed(&n, "replicas 2 shares=21,11\nshard 2\n"));
    for (size_t i = 1; i < sizeof unequal / sizeof *unequal; i++)
        if (!listed(&n, unequal[i]))
            fail_msg("not there: %s", unequal[i]);
    tgs_i_neighbours_free(&n);
    close_asked(&a);
}

/* cuts move to the layers beside them, orders and caps to the others */
static void neighbours_of_pipelines(void **state)
{
    const tgs_layers *l;
    tgs_i_neighbours n;
    tgs_error err = {TGS_OK, ""};
    char text[200];
    asked a;

    (void)state;
    open_asked(&a);
    assert_int_equal(tgs_planner_layers(&a.c, 0, 8, &l, &err), TGS_OK);
    assert_true(l->n > 3);
    snprintf(text, sizeof text, "pipeline 2 1f1b cuts=%s cap=2\nmicro-batches 4\n",
             l->layer[1].name);
    assert_int_equal(tgs_i_neighbours_list(&a.c, text, &n, &err), TGS_OK);
    for (int to = 0; to <= 2; to += 2) {
        snprintf(text, sizeof text, "pipeline 2 1f1b cuts=%s cap=2\nmicro-batches 4\n",
                 l->layer[to].name);
        assert_true(listed(&n, text));
    }
    for (int cap = 1; cap <= 3; cap += 2) {
        snprintf(text, sizeof text, "pipeline 2 1f1b cuts=%s cap=%d\nmicro-batches 4\n",
                 l->layer[1].name, cap);
        assert_true(listed(&n, text));
    }
    snprintf(text, sizeof text, "pipeline 2 message cuts=%s cap=2\nmicro-batches 4\n",
             l->layer[1].name);
    assert_true(listed(&n, text));
    tgs_i_neighbours_free(&n);
    close_asked(&a);
}

/* the count of the shortest step of those that it names; more devices make more of them worth it */
static void micro_heft(void **state)
{
    tgs_proposal *p;
    tgs_proposal_line line;
    tgs_evaluation e;
    tgs_error err = {TGS_OK, ""};
    double best = INFINITY;
    char text[100];
    int32_t rows = 0;
    asked a;

    (void)state;
    open_asked(&a);
    assert_int_equal(tgs_planner_make(&p, &a.in, "micro-heft", &err), TGS_OK);
    for (; tgs_proposal_row_at(p, rows, &line); rows++) {
        int count, size;

        assert_int_equal(sscanf(line.item, "%d of %d samples", &count, &size), 2);
        assert_int_equal(count * size, 32);
        snprintf(text, sizeof text, "micro-batches %d; batch %d", count, size);
        assert_int_equal(tgs_planner_evaluate(&a.c, text, &e, &err), TGS_OK);
        assert_true(e.step == line.seconds);
        best = fmin(best, e.step);
    }
    assert_true(rows > 2);
    assert_true(tgs_proposal_evaluation(p, &e) && e.step == best);
    assert_true(tgs_proposal_value(p, "micro_batches") > 1);
    tgs_proposal_free(p);
    assert_int_equal(tgs_planner_make(&p, &a.in, "micro-heft:micro=5", &err), TGS_EINVAL);
    close_asked(&a);
}

/* no worse than the best planner, which is in its rows; more work is no worse than less; without
 * work it is the best planner's */
static void auto_improves(void **state)
{
    static const char *const spec[] = {"auto:work=0", "auto:work=20000", "auto"};
    double step[3];
    tgs_error err = {TGS_OK, ""};
    asked a;

    (void)state;
    open_asked(&a);
    for (int i = 0; i < 3; i++) {
        tgs_proposal *p;
        tgs_proposal_line line;
        tgs_evaluation e;
        double best = INFINITY;

        if (tgs_planner_make(&p, &a.in, spec[i], &err))
            fail_msg("%s", err.text);
        for (int32_t k = 0; tgs_proposal_row_at(p, k, &line); k++)
            if (!strcmp(line.choice, "fits"))
                best = fmin(best, line.seconds);
        assert_true(tgs_proposal_evaluation(p, &e));
        step[i] = e.step;
        assert_true(tgs_proposal_value(p, "best_planner_step_s") == best);
        assert_true(fabs(tgs_proposal_value(p, "gain") - best / e.step) < 1e-12);
        assert_true(i || e.step == best);
        tgs_proposal_free(p);
    }
    assert_true(step[1] <= step[0] && step[2] <= step[0]);
    close_asked(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(together),
        cmocka_unit_test(shared),
        cmocka_unit_test(each),
        cmocka_unit_test(neighbours),
        cmocka_unit_test(neighbours_of_pipelines),
        cmocka_unit_test(micro_heft),
        cmocka_unit_test(auto_improves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
