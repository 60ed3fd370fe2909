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

typedef struct random_plan { /* a list decoder of its own, by the rules of DESIGN */
    const tgs_view *v;
    tgs_plan plan;
    double *end, *copy_end; /* [tasks] */
    int32_t *copy_proc;     /* [tasks] of the one copy that a task may have, -1 none */
    int32_t *writer;        /* [accesses] */
    double *free_at;        /* [processors] */
} random_plan;

static inline double random_arrival(const random_plan *x, int32_t access, int32_t memory)
{
    const tgs_view *v = x->v;
    const int32_t d = (int32_t)v->g->access[access].datum, version = v->g->access[access].version;
    int32_t t;
    double first;

    if (version < 0)
        return tgs_c(v, d, v->home[d], memory);
    t = x->writer[version];
    first = x->end[t] + tgs_c(v, d, v->p->proc[x->plan.proc[t]].memory, memory);
    if (x->copy_proc[t] < 0)
        return first;
    return fmin(first, x->copy_end[t] + tgs_c(v, d, v->p->proc[x->copy_proc[t]].memory, memory));
}

/* does v write what u accesses? */
static inline bool random_overwrites(const tgs_graph_view *g, int32_t u, int32_t v)
{
    for (int32_t i = g->access_at[v]; i < g->access_at[v + 1]; i++)
        for (int32_t k = g->access_at[u]; k < g->access_at[u + 1]; k++)
            if (g->access[i].mode & TGS_W && g->access[i].datum == g->access[k].datum)
                return true;
    return false;
}

static inline double random_ready(const random_plan *x, int32_t task, int32_t proc)
{
    const tgs_graph_view *g = x->v->g;
    const int32_t memory = x->v->p->proc[proc].memory, c = g->task[task].constraint;
    double ready = fmax(x->free_at[proc], c >= 0 ? g->constraint[c].release : 0);

    for (int32_t e = g->pred_at[task]; e < g->pred_at[task + 1]; e++) {
        const int32_t u = g->pred[e];

        if (g->pred_datum[e] >= 0 && !random_overwrites(g, u, task))
            continue;
        ready = fmax(ready, x->end[u]);
        if (x->copy_proc[u] >= 0)
            ready = fmax(ready, x->copy_end[u]);
    }
    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1]; i++)
        if (g->access[i].mode & TGS_R)
            ready = fmax(ready, random_arrival(x, i, memory));
    return ready;
}

static inline bool random_updates(const tgs_graph_view *g, int32_t task)
{
    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1]; i++)
        if (g->access[i].mode == TGS_RW)
            return true;
    return false;
}

/* place a task on a random processor, append */
static inline void random_place(random_plan *x, tgs_rng *r, int32_t task, double idle)
{
    const int32_t q = (int32_t)tgs_rng_int(r, 0, x->v->m - 1);
    double start = random_ready(x, task, q);

    if (idle > 0 && !tgs_rng_int(r, 0, 3))
        start += idle * tgs_rng_real(r);
    x->free_at[q] = start + tgs_w(x->v, task, q);
    if (x->plan.proc[task] < 0) {
        x->plan.proc[task] = q;
        x->plan.start[task] = start;
        x->end[task] = x->free_at[q];
        return;
    }
    x->copy_proc[task] = q;
    x->copy_end[task] = x->free_at[q];
    assert_int_equal(tgs_plan_copy(&x->plan, task, q, start), TGS_OK);
}

/* tasks in topological order; idle: waiting before some of them; copies: of some that may have one
 */
static inline tgs_schedule *random_schedule(tgs_rng *r, const tgs_problem *pb, double idle,
                                            bool copies)
{
    const tgs_graph_view *g = pb->v.g;
    random_plan x = {.v = &pb->v};
    tgs_schedule *s;
    tgs_error err = {TGS_OK, ""};

    x.end = calloc((size_t)g->tasks + 1, sizeof *x.end);
    x.copy_end = calloc((size_t)g->tasks + 1, sizeof *x.copy_end);
    x.copy_proc = calloc((size_t)g->tasks + 1, sizeof *x.copy_proc);
    x.writer = calloc((size_t)g->accesses + 1, sizeof *x.writer);
    x.free_at = calloc((size_t)pb->v.m, sizeof *x.free_at);
    assert_int_equal(tgs_i_plan_new(&x.plan, g->tasks), TGS_OK);
    for (int32_t t = 0; t < g->tasks; t++) {
        x.copy_proc[t] = -1;
        for (int32_t i = g->access_at[t]; i < g->access_at[t + 1]; i++)
            x.writer[i] = t;
    }
    for (int32_t k = 0; k < g->tasks; k++) {
        random_place(&x, r, g->topo[k], idle);
        if (copies && !tgs_rng_int(r, 0, 4) && !random_updates(g, g->topo[k]))
            random_place(&x, r, g->topo[k], idle);
    }
    if (tgs_i_schedule_build(&s, pb, &x.plan, "random", &err))
        fail_msg("%s", err.text);
    tgs_i_plan_free(&x.plan);
    free(x.free_at);
    free(x.writer);
    free(x.copy_proc);
    free(x.copy_end);
    free(x.end);
    return s;
}
#endif
