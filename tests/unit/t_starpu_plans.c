/* t_starpu_plans.c -- what planners propose for small models, executed on CPU workers and OpenCL
 * devices together, gives the right parameters (planned.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "planned.h"

static void an_mlp_under_every_plan(void **state)
{
    static const setting settings[] = {
        {"1f1b:stages=4", "pipeline 4 1f1b", 4},
        {"hetpipe:policy=ed", "replicas 2", 4}, /* D = 0 */
        {"axonn:stages=2", "pipeline 2 message", 4},
        {"poplar:stage=1", "shares=5,9,9,9", 4},
        {"cephalo", "shard 3 owners=", 4},
        {"osdp", "shard 1", 4},
        {"mbs", "micro-batches", 1},
        {NULL, "batch 32; tensor 1d 2; place d0,ram", 2},
        {NULL, "batch 32; tensor 3d 8; place d0,d1,d2,ram,d0,d1,d2,ram", 4},
        /* from here on only when there is time */
        {"poplar:stage=0", "shares=5,9,9,9", 4},
        {"poplar:stage=2", "shard 2", 4},
        {"poplar:stage=3", "shard 3", 4},
        {"gpipe:stages=4", "pipeline 4 gpipe", 4},
        {"pipedream:replicate=0", "pipeline 3", 3},
        {"axonn", "replicas 4", 4},
        {"comm-merge", "replicas 4", 4},
        {NULL, "batch 32; tensor 1d 4; place d0,d1,d2,ram", 4},
    };
    static const planned of = {"zoo:mlp:batch=8:hidden=64:inputs=48",
                               "zoo:mlp:batch=32:hidden=64:inputs=48", 2, 10, 0};

    (void)state;
    planned_all(&of, settings, getenv("TGS_LONG") ? sizeof settings / sizeof *settings : 9);
}

static void lenet_under_every_plan(void **state)
{
    static const setting settings[] = {
        {"1f1b:stages=3:micro=8", "pipeline 3 1f1b", 3},
        {"cephalo", "shard 3 owners=", 4},
        /* from here on only when there is time */
        {"gpipe:stages=3", "pipeline 3 gpipe", 3},
        {"hetpipe:policy=np", "pipeline 2", 4},
        {"axonn:stages=2", "pipeline 2 message", 4},
        {"poplar:stage=1", "shard 1", 4},
        {"osdp", "shard 1", 4},
        {NULL, "micro-batches 4; tensor 1d 2; place d0,ram", 2},
    };
    static const planned of = {"zoo:lenet5:batch=8", "zoo:lenet5:batch=32", 2, 10, 0};

    (void)state;
    planned_all(&of, settings, getenv("TGS_LONG") ? sizeof settings / sizeof *settings : 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_mlp_under_every_plan),
                                       cmocka_unit_test(lenet_under_every_plan)};

    return planned_main(tests, sizeof tests / sizeof *tests);
}
