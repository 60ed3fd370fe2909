/* random.h -- random graphs with versions and orders, machines and plans, for property and oracle
 * tests.  Include after fixture.h. */
#ifndef TGS_TEST_RANDOM_H
#define TGS_TEST_RANDOM_H
#include "fixture.h"

/* tasks that read, write and update shared data in random order, with edges and orders; homes are
 * in the memories of p */
static inline tgs_graph *random_graph(tgs_rng *r, const tgs_platform *p, int32_t tasks,
                                      int32_t data, bool plain)
{
    tgs_builder *b;
    tgs_graph *g;
    tgs_error err = {TGS_OK, ""};

    assert_int_equal(tgs_builder_new(&b, NULL), TGS_OK);
    for (int32_t d = 0; d < data; d++) {
        const int32_t home = (int32_t)tgs_rng_int(r, 0, p->v.memories - 1);

        tgs_builder_datum(b, NULL, 100 * tgs_rng_real(r));
        tgs_builder_datum_set(b, d, "home", p->v.memory[home].name);
        tgs_builder_datum_set(b, d, "persistent", tgs_rng_int(r, 0, 2) ? "0" : "1");
    }
    for (int32_t t = 0; t < tasks; t++) {
        const int32_t reads = (int32_t)tgs_rng_int(r, 0, 3);
        int32_t used[5], n = 0;

        tgs_builder_task(b, NULL, NULL,
                         plain || tgs_rng_int(r, 0, 9) ? 0.01 + 5 * tgs_rng_real(r) : 0);
        if (!plain && !tgs_rng_int(r, 0, 9)) {
            char text[40];

            snprintf(text, sizeof text, "%.17g", 20 * tgs_rng_real(r));
            tgs_builder_task_constrain(b, t, "release", text);
        }
        for (int32_t i = 0; i < reads + 1 && data; i++) {
            const int32_t d = (int32_t)tgs_rng_int(r, 0, data - 1);
            bool known = false;

            for (int32_t k = 0; k < n; k++)
                known |= used[k] == d;
            if (known)
                continue;
            used[n++] = d;
            tgs_builder_access(b, t, d, i < reads ? TGS_R : tgs_rng_int(r, 0, 1) ? TGS_W : TGS_RW);
        }
        for (int32_t u = t - 1; u >= 0 && u > t - 5; u--)
            if (!tgs_rng_int(r, 0, 3))
                tgs_builder_edge(b, u, t, 100 * tgs_rng_real(r));
            else if (!tgs_rng_int(r, 0, 7))
                tgs_builder_after(b, u, t);
    }
    if (tgs_builder_finish(&g, b, &err))
        fail_msg("%s", err.text);
    return g;
}

/* connected memories with one or more processors each, some links on a bus, latencies 0 or not */
static inline tgs_platform *random_platform(tgs_rng *r)
{
    char text[8000] = "kind slow\nkind fast\nbus wire bandwidth=100\n";
    const int memories = (int)tgs_rng_int(r, 1, 6), whole = (int)tgs_rng_int(r, 0, 1);
    const double latency = tgs_rng_int(r, 0, 1) ? tgs_rng_real(r) : 0;

    for (int m = 0; m < memories; m++)
        sprintf(text + strlen(text), "memory m%d\n", m);
    for (int m = 0; m < memories; m++)
        for (int k = (int)tgs_rng_int(r, 1, 2); k > 0; k--)
            sprintf(text + strlen(text), "processor p%d.%d kind=%s memory=m%d speed=%.3g\n", m, k,
                    tgs_rng_int(r, 0, 1) ? "slow" : "fast", m, 0.5 + 2 * tgs_rng_real(r));
    /* a ring keeps them connected; more links or all of them */
    for (int a = 0; a < memories; a++)
        for (int b = 0; b < memories; b++)
            if (a != b && (whole || b == (a + 1) % memories || !tgs_rng_int(r, 0, 3)))
                sprintf(text + strlen(text), "link m%d m%d latency=%.17g bandwidth=%.17g%s\n", a, b,
                        latency * (double)tgs_rng_int(r, 0, 3), 5 + 50 * tgs_rng_real(r),
                        tgs_rng_int(r, 0, 2) ? "" : " bus=wire");
    return fixture_platform(text);
}

/* the earliest start of a task on a processor: a list decoder of its own, by the rules of DESIGN */
static inline double random_ready(const tgs_view *v, const tgs_plan *plan, const double *end,
                                  const int32_t *writer, int32_t task, int32_t proc)
{
    const tgs_graph_view *g = v->g;
    const int32_t memory = v->p->proc[proc].memory, c = g->task[task].constraint;
    double ready = c >= 0 ? g->constraint[c].release : 0;

    for (int32_t e = g->pred_at[task]; e < g->pred_at[task + 1]; e++)
        ready = fmax(ready, end[g->pred[e]]);
    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1]; i++) {
        const int32_t d = (int32_t)g->access[i].datum, x = g->access[i].version;

        if (!(g->access[i].mode & TGS_R))
            continue;
        ready = fmax(ready,
                     x < 0 ? tgs_c(v, d, v->home[d], memory)
                           : end[writer[x]]
                                 + tgs_c(v, d, v->p->proc[plan->proc[writer[x]]].memory, memory));
    }
    return ready;
}

/* random processors, tasks appended in topological order; idle: extra waiting before some of them
 */
static inline tgs_schedule *random_schedule(tgs_rng *r, const tgs_problem *pb, double idle)
{
    const tgs_view *v = &pb->v;
    double *end = calloc((size_t)v->n + 1, sizeof *end);
    double *free_at = calloc((size_t)v->m, sizeof *free_at);
    int32_t *writer = calloc((size_t)v->g->accesses + 1, sizeof *writer);
    tgs_plan plan;
    tgs_schedule *s;
    tgs_error err = {TGS_OK, ""};

    assert_int_equal(tgs_i_plan_new(&plan, v->n), TGS_OK);
    for (int32_t t = 0; t < v->n; t++)
        for (int32_t i = v->g->access_at[t]; i < v->g->access_at[t + 1]; i++)
            writer[i] = t;
    for (int32_t k = 0; k < v->n; k++) {
        const int32_t t = v->g->topo[k], q = (int32_t)tgs_rng_int(r, 0, v->m - 1);

        plan.proc[t] = q;
        plan.start[t] = fmax(free_at[q], random_ready(v, &plan, end, writer, t, q));
        if (idle > 0 && !tgs_rng_int(r, 0, 3))
            plan.start[t] += idle * tgs_rng_real(r);
        free_at[q] = end[t] = plan.start[t] + tgs_w(v, t, q);
    }
    if (tgs_i_schedule_build(&s, pb, &plan, "random", &err))
        fail_msg("%s", err.text);
    tgs_i_plan_free(&plan);
    free(writer);
    free(free_at);
    free(end);
    return s;
}
#endif
