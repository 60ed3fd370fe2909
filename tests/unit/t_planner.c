/* t_planner.c -- what planners are given: layers with times and bytes, and what a strategy comes
 * to; what they propose, written and read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "fixture.h"
#include "planner.h"

typedef struct asked {
    tgs_model *m;
    tgs_platform *p;
    tgs_plan_input in;
    tgs_planning pl;
    tgs_planner_ctx c;
} asked;

static void open_asked(asked *a, const char *model, const char *platform)
{
    tgs_error err = {TGS_OK, ""};

    memset(a, 0, sizeof *a);
    assert_int_equal(tgs_model_read(&a->m, model, NULL, NULL, &err), TGS_OK);
    a->p = fixture_platform(platform);
    a->in = (tgs_plan_input){.model = (const tgs_model *const *)&a->m,
                             .models = 1,
                             .platform = a->p,
                             .training = "train adam; loss xent"};
    assert_int_equal(tgs_i_planning_open(&a->pl, &a->in, &err), TGS_OK);
    a->c = (tgs_planner_ctx){.planning = &a->pl};
}

static void close_asked(asked *a)
{
    tgs_i_planning_close(&a->pl);
    tgs_platform_free(a->p);
    tgs_model_free(a->m);
}

/* zoo:mlp, all of whose sizes follow from its spec: 784-512-512-10 unless told */
static void layers(void **state)
{
    static const double mega = 1e6;
    const tgs_layers *l, *again;
    asked a;
    double parameters = 0, states = 0, edges = 0, output = 0;

    (void)state;
    open_asked(&a, "zoo:mlp:batch=8",
               "kind cpu flops=1e9 bandwidth=1e30\nkind gpu flops=4e9 "
               "bandwidth=1e30\nmemory ram capacity=1e6\nmemory vram\n"
               "processor c kind=cpu memory=ram\nprocessor g kind=gpu "
               "memory=vram\nlink ram vram latency=0 "
               "bandwidth=1e9\nlink vram ram latency=0 "
               "bandwidth=1e9\n");
    assert_int_equal(tgs_planner_layers(&a.c, 0, 8, &l, NULL), TGS_OK);
    assert_int_equal(tgs_planner_layers(&a.c, 0, 8, &again, NULL), TGS_OK);
    assert_ptr_equal(l, again);
    assert_int_equal(l->kinds, 2);
    assert_true(l->n > 3);
    for (int32_t i = 0; i < l->n; i++) {
        parameters += l->layer[i].parameters;
        states += l->layer[i].state;
        output += l->layer[i].output;
        assert_true(l->forward[2 * i] > 0 && l->forward[2 * i] < 1);
        /* a kind that is four times as fast */
        assert_true(fabs(l->forward[2 * i] - 4 * l->forward[2 * i + 1]) < 1e-12);
        assert_true(i == 0 || l->layer[i].op != l->layer[i - 1].op);
    }
    {
        tgs_model_stats s;

        assert_int_equal(tgs_model_measure(a.m, &s, NULL), TGS_OK);
        assert_true(parameters == 4 * s.parameters);
        assert_true(s.parameters * 8 <= states && states < s.parameters * 8 + 1000); /* adam */
        assert_true(parameters > mega);
    }
    for (int32_t i = 0; i < l->edges; i++) {
        assert_true(l->edge[i].from < l->edge[i].to && l->edge[i].to < l->n);
        edges += l->edge[i].bytes;
    }
    assert_true(edges >= output && output > 0);
    close_asked(&a);
}

static void evaluation(void **state)
{
    tgs_evaluation one, four;
    tgs_error err = {TGS_OK, ""};
    asked a;

    (void)state;
    open_asked(&a, "zoo:mlp:batch=8", "cpu:1 link:1e9,1e-6");
    assert_int_equal(tgs_planner_evaluate(&a.c, "", &one, &err), TGS_OK);
    assert_int_equal(tgs_planner_evaluate(&a.c, "micro-batches 4", &four, &err), TGS_OK);
    /* one processor does four times as much, less what is only done once */
    assert_true(four.step > 2 * one.step && four.step <= 4 * one.step);
    assert_true(one.bound > 0 && one.bound <= one.step * (1 + 1e-9));
    assert_true(one.missing == 0 && isnan(one.energy));
    assert_true(four.peak[0] > 2 * 4 * 669706.0); /* parameters and gradients at least */
    assert_int_equal(tgs_planner_evaluate(&a.c, "micro-batches none", &four, &err), TGS_EINVAL);
    close_asked(&a);
}

/* a memory that is too small is told with what is missing, and energy with what the file says */
static void limits(void **state)
{
    static const char platform[] =
        "kind cpu flops=1e9 bandwidth=1e30 power_idle=1 power_busy=3\nmemory ram capacity=1e6\n"
        "processor c kind=cpu memory=ram\n";
    tgs_evaluation e;
    tgs_error err = {TGS_OK, ""};
    tgs_proposal *p;
    asked a;

    (void)state;
    open_asked(&a, "zoo:mlp:batch=8", platform);
    assert_int_equal(tgs_planner_evaluate(&a.c, "", &e, &err), TGS_OK);
    assert_true(e.missing == e.peak[0] - 1e6 && e.missing > 0);
    assert_true(fabs(e.energy - 3 * e.step) < 1e-9 * e.step);
    assert_int_equal(tgs_planner_make(&p, &a.in, "1f1b", &err), TGS_EINFEASIBLE);
    assert_null(p);
    assert_non_null(strstr(err.text, "bytes are missing"));
    close_asked(&a);
}

/* parameters are where they are updated: a step on the fast processor alone moves no parameter */
static void steady(void **state)
{
    tgs_evaluation e;
    asked a;

    (void)state;
    open_asked(&a, "zoo:mlp:batch=8",
               "kind cpu flops=1 bandwidth=1\nkind gpu flops=1e9 "
               "bandwidth=1e30\nmemory ram\nmemory vram\nprocessor c "
               "kind=cpu memory=ram\nprocessor g kind=gpu memory=vram\n"
               "link ram vram latency=0 bandwidth=1e9\n"
               "link vram ram latency=0 bandwidth=1e9\n");
    assert_int_equal(tgs_planner_evaluate(&a.c, "", &e, NULL), TGS_OK);
    assert_true(e.moved < 100e3); /* samples and labels; the parameters are 2.7 MB */
    assert_true(e.peak[0] < 100e3 && e.peak[1] > 2.6e6);
    close_asked(&a);
}

static void proposals(void **state)
{
    char *path = fixture_file("");
    tgs_proposal *p, *q;
    tgs_proposal_line line;
    tgs_strategy *s;
    const char *name;
    double value;

    (void)state;
    assert_int_equal(tgs_i_proposal_new(&p, "me:x=1", "train sgd lr=0.5; loss mse", "net", 3, NULL),
                     TGS_OK);
    assert_int_equal(tgs_proposal_write(p, path, NULL), TGS_ENOTAPPLICABLE);
    assert_int_equal(tgs_proposal_directive(p, "pipeline %d %s; micro-batches 4", 2, "gpipe"),
                     TGS_OK);
    assert_string_equal(tgs_proposal_strategy(p), "pipeline 2 gpipe\nmicro-batches 4\n");
    assert_int_equal(tgs_proposal_figure(p, "step_s", 1), TGS_OK);
    assert_int_equal(tgs_proposal_figure(p, "step_s", 2), TGS_OK);
    assert_int_equal(tgs_proposal_row(p, "gpu0", "stage 1", NAN, 5), TGS_OK);
    assert_int_equal(tgs_proposal_note(p, "%d notes", 1), TGS_OK);
    assert_int_equal(tgs_proposal_place(p, 3, 0), TGS_EINVAL);
    assert_int_equal(tgs_proposal_place(p, 2, 7), TGS_OK);
    assert_int_equal(tgs_i_proposal_new(&q, "q", "", "net", 3, NULL), TGS_OK);
    assert_int_equal(tgs_proposal_adopt(q, p), TGS_OK);
    assert_string_equal(tgs_proposal_strategy(q), tgs_proposal_strategy(p));
    assert_true(tgs_proposal_value(q, "step_s") == 2 && isnan(tgs_proposal_value(q, "no")));
    assert_true(tgs_proposal_figure_at(q, 0, &name, &value) && value == 2);
    assert_false(tgs_proposal_figure_at(q, 1, &name, &value));
    assert_true(tgs_proposal_row_at(q, 0, &line) && line.bytes == 5 && isnan(line.seconds));
    assert_false(tgs_proposal_row_at(q, 1, &line));
    assert_string_equal(tgs_proposal_note_at(q, 0), "1 notes");
    assert_null(tgs_proposal_note_at(q, 1));
    assert_int_equal(tgs_proposal_place_of(q, 2), 7);
    assert_int_equal(tgs_proposal_place_of(q, 1), -1);
    assert_int_equal(tgs_proposal_write(p, path, NULL), TGS_OK);
    assert_int_equal(tgs_strategy_read(&s, path, NULL), TGS_OK);
    tgs_strategy_free(s);
    tgs_proposal_free(p);
    tgs_proposal_free(q);
    tgs_proposal_free(NULL);
    unlink(path);
    free(path);
}

static void wrong_inputs(void **state)
{
    tgs_error err = {TGS_OK, ""};
    tgs_proposal *p;
    tgs_evaluation e;
    double peak[1];
    asked a;

    (void)state;
    open_asked(&a, "zoo:mlp:batch=8", "cpu:1 link:1e9,1e-6");
    assert_int_equal(tgs_planner_make(&p, &a.in, "nobody", &err), TGS_ENOTFOUND);
    assert_int_equal(tgs_planner_make(&p, &a.in, "gpipe:stages=x", &err), TGS_EINVAL);
    a.in.batch = 12; /* no multiple of what the model is bound to, and no size fits it otherwise */
    if (tgs_planner_make(&p, &a.in, "gpipe:micro=5", &err) != TGS_EINVAL)
        fail_msg("%s", err.text);
    a.in.batch = 0;
    assert_int_equal(tgs_planner_check(&a.in, "gpipe", &err), TGS_OK);
    assert_int_equal(tgs_strategy_evaluate(&e, peak, &a.in, "micro-batches 2", &err), TGS_OK);
    assert_ptr_equal(e.peak, peak);
    a.in.models = 0;
    assert_int_equal(tgs_planner_check(&a.in, "gpipe", &err), TGS_ENOTAPPLICABLE);
    assert_int_equal(tgs_strategy_evaluate(&e, peak, &a.in, "", &err), TGS_EINVAL);
    assert_string_equal(tgs_planner_systems("gpipe"), "");
    assert_null(tgs_planner_systems("nobody"));
    a.in.models = 1;
    close_asked(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers), cmocka_unit_test(evaluation), cmocka_unit_test(limits),
        cmocka_unit_test(steady), cmocka_unit_test(proposals),  cmocka_unit_test(wrong_inputs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
