/* t_starpu_copies.c -- schedules that run tasks more than once, executed: every execution runs, on
 * its processor and in its order, with buffers of its own; what is computed is what one execution
 * of each computes, over steps in which persistent data go on; and the bytes that came to the
 * device are those of the versions that the plan sends there.  (That the log equals StarPU's
 * counters the backend itself checks after every step.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "starpu_case.h"

static bool updates(const tgs_graph_view *g, int32_t task)
{
    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1]; i++)
        if (g->access[i].mode == TGS_RW)
            return true;
    return false;
}

/* One execution after the other with time for every transfer between, each task on a random
 * processor and most of those that may be copied on further ones: so copies also read from copies,
 * and data that are overwritten later are written by them. */
static tgs_status schedule_copies(const spu_case *c, uint64_t seed, tgs_schedule **out,
                                  tgs_error *err)
{
    const tgs_view *v = &c->pb->v;
    double t = 0, gap = 0;
    tgs_plan plan;
    tgs_rng r;
    tgs_status status = tgs_i_plan_new(&plan, v->n);

    *out = NULL;
    tgs_rng_seed(&r, seed);
    for (int32_t d = 0; d < v->g->data; d++)
        for (int32_t i = 0; i < v->memories * v->memories; i++)
            gap = fmax(gap, tgs_c(v, d, i / v->memories, i % v->memories));
    for (int32_t i = 0; i < v->n && !status; i++) {
        const int32_t j = v->g->topo[i];

        plan.proc[j] = -1;
        for (int32_t p = (int32_t)tgs_rng_int(&r, 0, v->m - 1), k = 0; k < v->m && !status;
             k++, p = (p + 1) % v->m) {
            if (k && (updates(v->g, j) || tgs_rng_int(&r, 0, 2) == 0))
                break;
            t += gap;
            if (k)
                status = tgs_plan_copy(&plan, j, p, t);
            else {
                plan.proc[j] = p;
                plan.start[j] = t;
            }
            t += tgs_w(v, j, p);
        }
    }
    if (!status)
        status = tgs_i_schedule_build(out, c->pb, &plan, "copies", err);
    tgs_i_plan_free(&plan);
    return status;
}

/* the executions of every processor, in its order, in every step */
static bool in_order(const tgs_schedule_view *s, const tgs_trace_view *t)
{
    int32_t *at = calloc((size_t)s->procs, sizeof *at);
    bool good = at != NULL;

    for (int32_t i = 0; i < t->rans && good; i++) {
        const tgs_ran *r = &t->ran[i];
        const int32_t k = s->order_at[r->proc] + at[r->proc]++;

        if (i && r->step != t->ran[i - 1].step) { /* a new step: from the beginning */
            memset(at, 0, (size_t)s->procs * sizeof *at);
            at[r->proc] = 1;
            good = s->place[s->order[s->order_at[r->proc]]].task == r->task;
        } else {
            good = k < s->order_at[r->proc + 1] && s->place[s->order[k]].task == r->task;
        }
    }
    free(at);
    return good;
}

/* is a version, of all that make it, first in a memory from elsewhere? */
static bool is_sent(const spu_case *c, const tgs_schedule *s, int32_t version, int32_t memory)
{
    const tgs_graph_view *g = &c->g->v;
    double first = INFINITY;
    bool sent = false;

    for (int32_t i = 0; i < s->v.places; i++) {
        const tgs_place *x = &s->v.place[i];
        const int32_t from = c->p->v.proc[x->proc].memory;
        const double t = x->end + tgs_c(&c->pb->v, (int32_t)g->access[version].datum, from, memory);

        if (g->access_at[x->task] <= version && version < g->access_at[x->task + 1] && t < first) {
            first = t;
            sent = from != memory;
        }
    }
    return sent;
}

/* what comes to the device in the first step: each version that is read there, once */
static double planned_bytes(const spu_case *c, const tgs_schedule *s)
{
    const tgs_graph_view *g = &c->g->v;
    bool *seen = calloc((size_t)(g->accesses + g->data), sizeof *seen);
    double sum = 0;

    for (int32_t i = 0; i < s->v.places && seen; i++)
        for (int32_t t = s->v.place[i].task, k = g->access_at[t]; k < g->access_at[t + 1]; k++) {
            const int32_t version = g->access[k].version, datum = (int32_t)g->access[k].datum;
            const int32_t key = version < 0 ? g->accesses + datum : version;

            if (!(g->access[k].mode & TGS_R) || seen[key]
                || c->p->v.proc[s->v.place[i].proc].memory != 1)
                continue;
            seen[key] = true;
            if (version < 0 || is_sent(c, s, version, 1))
                sum += g->datum[datum].bytes;
        }
    free(seen);
    return sum;
}

static int run_on(const char *platform, int32_t tasks, uint64_t seed, const char *backend)
{
    const bool serial = !strncmp(backend, "serial", 6);
    spu_case c;
    tgs_schedule *s;
    tgs_run *run;
    tgs_trace *trace;

    case_make(&c, tasks, 64, seed, platform);
    MUST(schedule_copies(&c, seed, &s, err));
    MUST(tgs_schedule_check(s, c.pb, err));
    CHECK(s->v.places > tasks + tasks / 4);
    MUST(tgs_run_open(&run, c.pb, s, c.c, backend, err));
    for (int32_t step = 0; step < 3; step++) {
        MUST(tgs_run_step(run, err));
        case_expect(&c);
        CHECK(case_equal(&c, run, NULL));
    }
    MUST(tgs_run_close(run, &trace, err));
    CHECK(trace->v.steps == 3 && trace->v.rans == 3 * s->v.places);
    for (int32_t i = 0; i < trace->v.rans; i++)
        CHECK(trace->v.ran[i].task >= 0 && trace->v.ran[i].task < tasks);
    for (int32_t i = 0; i < trace->v.moveds; i++)
        CHECK(trace->v.moved[i].datum >= 0 && trace->v.moved[i].datum < c.g->v.data);
    if (!serial) {
        double sum = 0;

        CHECK(in_order(&s->v, &trace->v));
        for (int32_t i = 0; i < trace->v.moveds; i++)
            if (trace->v.moved[i].step == 0 && trace->v.moved[i].to == 1)
                sum += trace->v.moved[i].bytes;
        CHECK(c.p->v.memories == 1 || sum == planned_bytes(&c, s));
    }
    tgs_trace_free(trace);
    tgs_schedule_free(s);
    case_free(&c);
    return 0;
}

static int on_one_thread(void)
{
    return run_on("cpu:3", 100, 1, "serial") || run_on("cpu:2", 100, 2, "serial");
}

static int on_cpus(void)
{
    return run_on("cpu:3", 150, 3, "starpu");
}

static int on_device(void)
{
    return run_on("cpu:1 gpu:1", 120, 4, "starpu")
           || run_on("cpu:1 gpu:1", 60, 5, "starpu:window=0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ALONE(on_one_thread, 120),
        ALONE(on_cpus, 120),
        ON_DEVICE(on_device, 180),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
