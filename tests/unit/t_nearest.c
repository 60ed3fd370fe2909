/* t_nearest.c -- a plan that does not fit in memory is refused with the bytes missing and the
 * nearest setting that fits; what is said of both is what an evaluation of them says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <math.h>
#include "internal.h"
#include "tgsched/plan.h"

static const char model_spec[] = "zoo:mlp:batch=256:hidden=32:inputs=48:layers=3";

typedef struct scene {
    tgs_model *m;
    tgs_platform *p;
    tgs_plan_input in;
} scene;

/* procs alike, each with its own memory of so many bytes */
static scene scene_open(int procs, double bytes, const char *training)
{
    scene s = {.m = NULL};
    char machine[100];
    tgs_error err = {TGS_OK, ""};

    snprintf(machine, sizeof machine, "cpu:%d/own link:1e9,1e-6", procs);
    assert_int_equal(tgs_model_read(&s.m, model_spec, NULL, NULL, &err), 0);
    assert_int_equal(tgs_platform_parse(&s.p, machine, &err), 0);
    for (int32_t i = 0; i < s.p->v.memories && bytes > 0; i++)
        ((tgs_memory *)s.p->v.memory)[i].capacity = bytes;
    s.in = (tgs_plan_input){.models = 1, .platform = s.p, .training = training, .batch = 256};
    return s;
}

static void scene_close(scene *s)
{
    tgs_platform_free(s->p);
    tgs_model_free(s->m);
}

static tgs_evaluation evaluated(scene *s, const char *strategy, double *fullest)
{
    const tgs_model *m = s->m;
    tgs_evaluation e;
    double peak[8] = {0};
    tgs_error err = {TGS_OK, ""};

    s->in.model = &m;
    if (tgs_strategy_evaluate(&e, peak, &s->in, strategy, &err))
        fail_msg("%s: %s", strategy, err.text);
    *fullest = 0;
    for (int i = 0; i < 8; i++)
        *fullest = fmax(*fullest, peak[i]);
    return e;
}

/* the most bytes in a memory, without any limit */
static double need(int procs, const char *training, const char *strategy)
{
    scene s = scene_open(procs, 0, training);
    double fullest;

    evaluated(&s, strategy, &fullest);
    scene_close(&s);
    return fullest;
}

/* what it says between quotes after `with`; "" nothing */
static void named(const char *text, char *to, size_t size)
{
    const char *at = strstr(text, "with '");

    snprintf(to, size, "%.*s", at ? (int)strcspn(at + 6, "'") : 0, at ? at + 6 : "");
}

static void refuse(scene *s, const char *strategy, char *text, size_t size)
{
    const tgs_model *m = s->m;
    tgs_error err = {TGS_OK, ""};

    s->in.model = &m;
    assert_int_equal(tgs_strategy_fits(&s->in, strategy, &err), TGS_EINFEASIBLE);
    snprintf(text, size, "%s", err.text);
}

/* of the single changes that fit the fastest is named, with its bytes */
static void the_fastest_change_that_fits(void **state)
{
    static const char *const single[] = {"micro-batches 2; batch 128", "recompute",
                                         "offload activations"};
    static const char training[] = "train sgd; loss xent";
    const double whole = need(1, training, "");
    double least = INFINITY, limit, most, fullest = 0, quickest = INFINITY;
    const char *fastest = NULL;
    char text[500], wanted[500];
    scene s;

    (void)state;
    for (int i = 0; i < 3; i++)
        least = fmin(least, need(1, training, single[i]));
    assert_true(least < whole);
    limit = floor((whole + least) / 2);
    s = scene_open(1, limit, training);
    for (int i = 0; i < 3; i++) {
        const tgs_evaluation e = evaluated(&s, single[i], &most);

        if (e.missing == 0 && e.step < quickest) {
            quickest = e.step;
            fastest = single[i];
            fullest = most;
        }
    }
    assert_true(evaluated(&s, "", &most).missing == whole - limit);
    refuse(&s, "", text, sizeof text);
    snprintf(wanted, sizeof wanted,
             "the strategy: %.0f bytes are missing in memory 'ram' (%.0f of %.0f); with '%s' it "
             "fits (%.0f of %.0f in 'ram')",
             whole - limit, whole, limit, fastest, fullest, limit);
    assert_string_equal(text, wanted);
    scene_close(&s);
}

/* no single change is enough: as many as it takes, each of which evaluates to what is said */
static void several_changes(void **state)
{
    static const char training[] = "train sgd; loss xent";
    static const char *const single[] = {"micro-batches 2; batch 128", "recompute",
                                         "offload activations"};
    const double least = need(1, training, "micro-batches 256; batch 1");
    double enough = INFINITY, fullest;
    char text[500], what[300];
    scene s;

    (void)state;
    for (int i = 0; i < 3; i++)
        enough = fmin(enough, need(1, training, single[i]));
    assert_true(least < enough);
    s = scene_open(1, (least + enough) / 2, training);
    refuse(&s, "", text, sizeof text);
    named(text, what, sizeof what);
    assert_non_null(strstr(text, "it fits"));
    assert_true(evaluated(&s, what, &fullest).missing == 0);
    scene_close(&s);
}

/* Two replicas with Adam, whose state is what is too large.  Stages 1 and 2 gather more than they
 * save here; the third fits. */
static void state_is_shared_out(void **state)
{
    static const char training[] = "train adam; loss xent";
    static const char plain[] = "replicas 2; place ram,cpu1.mem; batch 1";
    static const char shared[] = "replicas 2; place ram,cpu1.mem; batch 1; shard 3";
    const double whole = need(2, training, plain), least = need(2, training, shared);
    scene s = scene_open(2, (whole + least) / 2, training);
    char text[500], what[300];

    (void)state;
    assert_true(least < whole);
    refuse(&s, plain, text, sizeof text);
    named(text, what, sizeof what);
    assert_string_equal(what, "shard 3");
    scene_close(&s);
}

/* a layer's weights alone are too large: the least that is missing is said */
static void nothing_fits(void **state)
{
    static const char training[] = "train sgd; loss xent";
    scene s = scene_open(1, 1000, training);
    char text[500], what[300];
    double fullest, missing;

    (void)state;
    refuse(&s, "", text, sizeof text);
    assert_non_null(strstr(text, "; no setting near it fits: "));
    missing = strtod(strstr(text, "fits: ") + 6, NULL);
    named(text, what, sizeof what);
    assert_true(fabs(evaluated(&s, what, &fullest).missing - missing) < 1);
    scene_close(&s);
}

/* planners whose estimate finds nothing say it of the best that they found all the same */
static void planners_say_it(void **state)
{
    static const char *const planners[] = {"gpipe:stages=1:micro=256",
                                           "1f1b:stages=2",
                                           "mbs",
                                           "hetpipe",
                                           "axonn:stages=1",
                                           "layer-devices",
                                           "poplar",
                                           "poplar:stage=1",
                                           "cephalo",
                                           "pipedream",
                                           "layer-merge",
                                           "layer-merge:blocks=2"};
    static const char training[] = "train sgd; loss xent";

    (void)state;
    for (size_t i = 0; i < sizeof planners / sizeof *planners; i++) {
        scene s = scene_open(2, 2000, training);
        const tgs_model *m = s.m;
        tgs_proposal *p;
        tgs_error err = {TGS_OK, ""};

        s.in.model = &m;
        if (tgs_planner_make(&p, &s.in, planners[i], &err) != TGS_EINFEASIBLE)
            fail_msg("%s: %s", planners[i], err.text);
        assert_null(p);
        if (!strstr(err.text, " bytes are missing in memory '") || !strstr(err.text, "fits"))
            fail_msg("%s: %s", planners[i], err.text);
        scene_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fastest_change_that_fits),
        cmocka_unit_test(several_changes),
        cmocka_unit_test(state_is_shared_out),
        cmocka_unit_test(nothing_fits),
        cmocka_unit_test(planners_say_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
