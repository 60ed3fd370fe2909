/* t_identity_strategies.c -- the strategy that a planner proposes, written as a file and read, is
 * the one it proposed: the same graph comes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "fixture.h"
#include "../unit/nets.h"

static const char training[] = "train momentum lr=0.1 mu=0.3; loss xent";

static uint64_t graph_of(const tgs_model *m, tgs_strategy *s)
{
    tgs_graph *g;
    tgs_error err;
    uint64_t h;

    if (tgs_model_lower(&g, m, s, &err))
        fail_msg("%s", err.text);
    h = tgs_graph_fingerprint(g);
    tgs_graph_free(g);
    tgs_strategy_free(s);
    return h;
}

static tgs_strategy *parsed(const char *text)
{
    tgs_strategy *s;
    tgs_error err;

    if (tgs_strategy_parse(&s, text, &err))
        fail_msg("%s: %s", text, err.text);
    return s;
}

static tgs_strategy *written_and_read(const tgs_proposal *p)
{
    char path[] = "/tmp/tgs_strategyXXXXXX.tgy";
    const int fd = mkstemps(path, 4);
    tgs_strategy *s = NULL;
    tgs_error err;

    assert_true(fd >= 0);
    close(fd);
    if (tgs_proposal_write(p, path, &err) || tgs_strategy_read(&s, path, &err))
        fail_msg("%s: %s", tgs_proposal_planner(p), err.text);
    unlink(path);
    return s;
}

/* how many planners propose a strategy for m */
static int32_t check_planners(const tgs_model *m)
{
    tgs_platform *machine = fixture_platform("cpu:2 gpu:2@4/own link:12e9,1e-5");
    const char *planner;
    int32_t strategies = 0;
    tgs_error err;

    for (int32_t i = 0; (planner = tgs_plugin_name("planner", i)); i++) {
        const tgs_plan_input in = {
            .model = &m, .models = 1, .platform = machine, .training = training, .batch = 16};
        tgs_proposal *p;
        char text[4000];

        if (!strcmp(planner, "auto") || tgs_planner_make(&p, &in, planner, &err))
            continue; /* it is the best of the others; or it is for something else */
        if (*tgs_proposal_strategy(p)) {
            snprintf(text, sizeof text, "%s\n%s", training, tgs_proposal_strategy(p));
            if (graph_of(m, parsed(text)) != graph_of(m, written_and_read(p)))
                fail_msg("%s: another graph comes of what was written of\n%s", planner, text);
            strategies++;
        }
        tgs_proposal_free(p);
    }
    tgs_platform_free(machine);
    print_message("%d strategies\n", (int)strategies);
    return strategies;
}

static void each_planner(void **state)
{
    tgs_model *m;
    tgs_error err;

    (void)state;
    if (tgs_model_read(&m, "zoo:mlp:batch=8", NULL, NULL, &err))
        fail_msg("%s", err.text);
    assert_true(check_planners(m) >= 8);
    tgs_model_free(m);
}

/* names of operators with what the format uses itself */
static void odd_names(void **state)
{
    net n = net_new();
    tgs_model *m;

    (void)state;
    net_input(&n, "x", DIMS(8, 64));
    net_stored(&n, "w1", DIMS(64, 512));
    net_stored(&n, "w2", DIMS(512, 512));
    net_stored(&n, "w3", DIMS(512, 512));
    net_op(&n, "MatMul", "x w1", "a,b", NULL);
    net_op(&n, "Relu", "a,b", "c;d", NULL);
    net_op(&n, "MatMul", "c;d w2", "#e=1", NULL);
    net_op(&n, "Relu", "#e=1", "f%2Cg*", NULL);
    net_op(&n, "MatMul", "f%2Cg* w3", "'h\"", NULL);
    m = net_model(&n, "'h\"");
    assert_true(check_planners(m) >= 8);
    tgs_model_free(m);
}

/* any strategy as a file: in lines or one line, with comments and spaces, the same */
static void any_layout_of_a_file(void **state)
{
    static const char *const same[] = {
        "train adam; micro-batches 2; pipeline 2 gpipe; replicas 2; shard 1",
        "train adam\nmicro-batches 2\npipeline 2 gpipe\nreplicas 2\nshard 1\n",
        "# words\n\n train adam ; micro-batches 2\npipeline  2 order=gpipe\n;replicas 2;shard 1",
        "shard 1; replicas 2; pipeline 2 gpipe; micro-batches 2; train adam", /* order is theirs */
    };
    uint64_t first = 0;
    tgs_model *m;
    tgs_error err;

    (void)state;
    if (tgs_model_read(&m, "zoo:mlp:batch=4", NULL, NULL, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        const uint64_t h = graph_of(m, parsed(same[i]));

        if (i)
            assert_true(h == first);
        first = h;
    }
    tgs_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_planner),
        cmocka_unit_test(odd_names),
        cmocka_unit_test(any_layout_of_a_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
