/* hello.c -- build a two-task graph, schedule it with HEFT, print the makespan.
 *
 *     cc hello.c $(pkg-config --cflags --libs tgsched) && ./a.out */
#include "tgsched.h"

int main(void)
{
    tgs_builder *b = NULL;
    tgs_graph *g = NULL;
    tgs_platform *p = NULL;
    tgs_problem *pb = NULL;
    tgs_schedule *s = NULL;
    tgs_error err = {TGS_OK, ""};

    if (!tgs_builder_new(&b, &err)) {
        const int32_t load = tgs_builder_task(b, "load", NULL, 1.0);
        const int32_t gemm = tgs_builder_task(b, "gemm", NULL, 4.0);

        tgs_builder_edge(b, load, gemm, 2.0);
        if (!tgs_builder_finish(&g, b, &err)
            && !tgs_platform_parse(&p, "cpu:2 gpu:1x4 link:1,0", &err)
            && !tgs_problem_new(&pb, g, p, NULL, "latbw", &err)
            && !tgs_schedule_make(&s, pb, "heft", 1, &err)) {
            printf("makespan %g s\n", tgs_schedule_makespan(s));
            for (int32_t t = 0; t < tgs_graph_tasks(g); t++)
                printf("%s on %s from %g to %g s\n", tgs_graph_task_name(g, t),
                       tgs_platform_processor_name(p, tgs_schedule_processor(s, t)),
                       tgs_schedule_start(s, t), tgs_schedule_end(s, t));
        }
    }
    if (err.status)
        fprintf(stderr, "hello: %s\n", err.text);

    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
    return err.status != TGS_OK;
}
