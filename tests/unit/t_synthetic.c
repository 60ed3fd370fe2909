/* t_synthetic.c -- which codelets of the zoo's training steps have no kernel and run synthetically:
 * those below, and no others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "nets.h"

static const struct step {
    const char *spec, *without; /* in the order of the graph's codelets */
} steps[] = {
    {"mlp:batch=2:inputs=8:hidden=4", ""},
    {"lenet5:batch=1", ""},
    {"alexnet:batch=1", ""},
    {"vgg11:batch=1", ""},
    {"resnet18:batch=1:side=32", ""},
    {"resnet50:batch=1:side=32", ""},
    {"inception-v3:batch=1", ""},
    {"densenet121:batch=1:side=32", ""},
    {"mobilenet-v2:batch=1:side=32", ""},
    {"lstm:batch=1:seq=2:hidden=4:vocabulary=8", ""},
    {"gnmt:batch=1:seq=2:hidden=4:vocabulary=8", ""},
    {"bert-base:batch=1:seq=4:layers=1:width=8:heads=2:words=16:positions=4", ""},
    {"gpt2:batch=1:seq=4:layers=1:width=8:heads=2:words=16:positions=4", ""},
    {"llama:batch=1:seq=4:layers=1:width=8:heads=2:groups=1:feed=8:words=16", ""},
    {"moe:batch=1:seq=4:layers=1:width=8:heads=2:groups=1:feed=8:words=16:experts=4", ""},
    {"dlrm:batch=2:width=4", ""},
    {"gcn:nodes=8:edges=20:features=6:hidden=4", ""},
    {"graphsage:nodes=8:edges=20:features=6:hidden=4", ""},
    {"nequip:atoms=4:edges=8:channels=2:layers=1", ""},
    {"unet:side=16", ""},
    {"bnn:batch=1", ""},
    {"ensemble:members=2:of=mlp:batch=2", ""},
};

/* the codelets of tasks that no kernel fits */
static void look(const tgs_codelets *set, const tgs_graph *g, char *without, size_t size)
{
    *without = 0;
    for (int32_t c = 0; c < g->v.codelets; c++) {
        bool missing = false;

        for (int32_t t = 0; t < g->v.tasks; t++)
            missing |= g->v.task[t].codelet == c && !tgs_task_kernel(set, &g->v, t, "cpu");
        if (missing)
            snprintf(without + strlen(without), size - strlen(without), " %s",
                     g->v.codelet_name[c]);
    }
}

static void steps_of_the_zoo(void **state)
{
    tgs_codelets *set;
    bool differ = false;

    (void)state;
    assert_int_equal(tgs_codelets_new(&set, NULL), TGS_OK);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char spec[160], without[400];
        tgs_model *m;
        tgs_graph *g;
        tgs_error err = {TGS_OK, ""};

        snprintf(spec, sizeof spec, "zoo:%s", steps[i].spec);
        if (tgs_model_read(&m, spec, NULL, NULL, &err))
            fail_msg("%s: %s", spec, err.text);
        g = lowered(m, "train sgd lr=0.1; loss sum");
        look(set, g, without, sizeof without);
        if (strcmp(without, steps[i].without))
            print_error("%s: without a kernel:%s, not:%s\n", spec, without, steps[i].without);
        differ |= strcmp(without, steps[i].without) != 0;
        tgs_graph_free(g);
        tgs_model_free(m);
    }
    tgs_codelets_free(set);
    assert_false(differ);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_of_the_zoo)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
