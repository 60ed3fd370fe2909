/* Real runs on a CPU worker and an OpenCL device: the planned order is kept, the numbers are right,
 * and the trace holds every byte.  (The run itself compares its log with StarPU's bus counters
 * after every step and fails when they differ; t_starpu_log shows that it would.)  Each case runs
 * in a child with a limit, since what goes wrong here hangs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "starpu_case.h"

/* what must have come to the device: every version read there and made elsewhere, once each when
 * memory is unlimited */
static double expected_bytes(const spu_case *c, int32_t memory, bool first_step)
{
    const tgs_graph_view *g = &c->g->v;
    const tgs_platform_view *p = &c->p->v;
    bool *seen = tgs_mem_alloc((size_t)(g->accesses + g->data), sizeof *seen);
    int32_t *task = tgs_mem_alloc((size_t)g->accesses, sizeof *task);
    double sum = 0;

    for (int32_t t = 0; t < g->tasks; t++)
        for (int32_t k = g->access_at[t]; k < g->access_at[t + 1]; k++)
            task[k] = t;
    for (int32_t t = 0; t < g->tasks; t++)
        for (int32_t k = g->access_at[t]; k < g->access_at[t + 1]; k++) {
            const int32_t version = g->access[k].version;
            const int32_t key = version < 0 ? g->accesses + (int32_t)g->access[k].datum : version;

            if (!(g->access[k].mode & TGS_R) || seen[key]
                || p->proc[c->place[t].proc].memory != memory)
                continue;
            if (version < 0 ? memory != 0 && first_step
                            : p->proc[c->place[task[version]].proc].memory != memory) {
                sum += g->datum[g->access[k].datum].bytes;
                seen[key] = true;
            }
        }
    tgs_mem_free(seen);
    tgs_mem_free(task);
    return sum;
}

/* bytes of a step that came to a memory while the step ran */
static double logged_bytes(const tgs_trace_view *t, int32_t step, int32_t to)
{
    double sum = 0;

    for (int32_t i = 0; i < t->moveds; i++)
        if (t->moved[i].step == step && t->moved[i].to == to
            && t->moved[i].start <= t->step_end[step])
            sum += t->moved[i].bytes;
    return sum;
}

static int replay_on(const char *platform, int32_t tasks, uint64_t seed, const char *backend)
{
    spu_case c;
    tgs_run *run;
    tgs_trace *trace;

    case_make(&c, tasks, 256, seed, platform);
    MUST(tgs_run_open(&run, c.pb, c.schedule, c.c, backend, err));
    for (int32_t step = 0; step < 3; step++) {
        MUST(tgs_run_step(run, err));
        case_expect(&c);
    }
    CHECK(case_equal(&c, run, NULL));
    MUST(tgs_run_close(run, &trace, err));
    CHECK(trace->v.steps == 3 && trace->v.rans == 3 * tasks);
    for (int32_t i = 0; i < trace->v.rans; i++)
        CHECK(trace->v.ran[i].end >= trace->v.ran[i].start && !trace->v.ran[i].flags);
    for (int32_t i = 0; i < trace->v.moveds; i++)
        CHECK(trace->v.moved[i].end >= trace->v.moved[i].start
              && trace->v.moved[i].why != TGS_WHY_RELOAD);
    if (!strstr(backend, "policy")) {
        CHECK(case_in_order(&c, &trace->v));
        for (int32_t m = 0; m < c.p->v.memories && c.p->v.memories == 2; m++) /* no relays */
            CHECK(logged_bytes(&trace->v, 0, m) == expected_bytes(&c, m, true));
    }
    tgs_trace_free(trace);
    case_free(&c);
    return 0;
}

static int replay(void)
{
    return replay_on("cpu:1 gpu:1", 300, 1, "starpu");
}

static int on_demand(void)
{
    return replay_on("cpu:1 gpu:1", 200, 2, "starpu:window=0");
}

static int cpus_only(void)
{
    return replay_on("cpu:4", 400, 3, "starpu");
}

static int three_devices(void)
{
    setenv("POCL_DEVICES", "pthread pthread pthread", 1);
    return replay_on("cpu:1 gpu:3/own", 200, 4, "starpu:window=2");
}

static int policy(void)
{
    return replay_on("cpu:1 gpu:1", 200, 5, "starpu:policy=dmda");
}

/* the same StarPU, another one, and the first again, in one process: order numbers go on or begin
 * anew as StarPU's do */
static int one_after_the_other(void)
{
    return replay_on("cpu:1 gpu:1", 60, 6, "starpu") || replay_on("cpu:1 gpu:1", 60, 7, "starpu")
           || replay_on("cpu:2", 60, 8, "starpu") || replay_on("cpu:1 gpu:1", 60, 9, "starpu");
}

static int two_at_once(void)
{
    spu_case c;
    tgs_run *run, *other;
    tgs_error text = {TGS_OK, ""};

    case_make(&c, 30, 64, 10, "cpu:1 gpu:1");
    MUST(tgs_run_open(&run, c.pb, c.schedule, c.c, "starpu", err));
    CHECK(tgs_run_open(&other, c.pb, c.schedule, c.c, "starpu", &text) == TGS_EBACKEND);
    CHECK(!other && strstr(text.text, "one per process"));
    MUST(tgs_run_step(run, err));
    case_expect(&c);
    CHECK(case_equal(&c, run, NULL));
    MUST(tgs_run_close(run, NULL, err));
    case_free(&c);
    return 0;
}

/* a device that holds one task's data and no more: evictions, reloads, and every copy in the log */
static int exactly_one_working_set(void)
{
    spu_case c;
    tgs_run *run;
    tgs_trace *trace;
    int32_t dropped, reloads = 0, *kept = tgs_mem_alloc(1 << 18, sizeof *kept);
    double peak = 0;

    setenv("STARPU_LIMIT_OPENCL_MEM", "5", 1);
    case_make(&c, 80, 1 << 18, 1, "cpu:1 gpu:1");
    MUST(tgs_run_open(&run, c.pb, c.schedule, c.c, "starpu", err));
    MUST(tgs_run_bind(run, 3, kept, err)); /* else the value of t0 is dropped after its last use */
    for (int32_t step = 0; step < 2; step++) {
        MUST(tgs_run_step(run, err));
        case_expect(&c);
    }
    CHECK(case_equal(&c, run, &dropped));
    MUST(tgs_run_close(run, &trace, err));
    CHECK(case_in_order(&c, &trace->v));
    for (int32_t i = 0; i < trace->v.moveds; i++)
        reloads += trace->v.moved[i].why == TGS_WHY_RELOAD;
    for (int32_t i = 0; i < trace->v.useds; i++)
        if (trace->v.used[i].memory == 1 && trace->v.used[i].bytes > peak)
            peak = trace->v.used[i].bytes;
    CHECK(reloads > 0 && dropped > 0 && dropped < c.data);
    CHECK(peak > 0 && peak <= 5 * 1048576.0);
    CHECK(!memcmp(kept, c.value[3], sizeof *kept << 18));
    tgs_mem_free(kept);
    tgs_trace_free(trace);
    case_free(&c);
    return 0;
}

/* ---- bound data ----------------------------------------------------------------------------- */

/* y += x; x is bound and read only, y is bound and persistent, z = y is bound and written only */
static tgs_status add_cpu(const tgs_call *call)
{
    const float *x = call->buffer[0].data;
    float *y = call->buffer[1].data, *z = call->buffer[2].data;

    for (int32_t i = 0; i < 4; i++)
        z[i] = y[i] += x[i];
    return TGS_OK;
}

static int bound_data(void)
{
    const tgs_kernel k = {
        .codelet = "test-add", .arch = "cpu", .dtype = TGS_BYTES, .impl = "test", .run = add_cpu};
    float x[4] = {1, 2, 3, 4}, other[4] = {10, 10, 10, 10}, y[4] = {100, 100, 100, 100};
    float z[4] = {-1, -1, -1, -1}, got[4];
    tgs_builder *b;
    tgs_graph *g;
    tgs_platform *p;
    tgs_problem *pb;
    tgs_codelets *c;
    tgs_schedule *s;
    tgs_run *run;

    MUST(tgs_builder_new(&b, err));
    tgs_builder_task(b, "add", "test-add", 1e-4);
    for (int32_t d = 0; d < 3; d++) {
        tgs_builder_datum(b, (const char *[]){"x", "y", "z"}[d], 0);
        tgs_builder_datum_shape(b, d, TGS_F32, 1, (const int64_t[]){4});
        tgs_builder_access(b, 0, d, (const tgs_mode[]){TGS_R, TGS_RW, TGS_W}[d]);
    }
    tgs_builder_datum_set(b, 1, "persistent", "1");
    MUST(tgs_builder_finish(&g, b, err));
    MUST(tgs_platform_parse(&p, "cpu:1", err));
    MUST(tgs_problem_new(&pb, g, p, NULL, "latbw", err));
    MUST(tgs_codelets_new(&c, err));
    MUST(tgs_codelets_add(c, &k, err));
    MUST(tgs_schedule_make(&s, pb, "heft", 1, err));
    MUST(tgs_run_open(&run, pb, s, c, "starpu", err));
    MUST(tgs_run_bind(run, 0, x, err));
    MUST(tgs_run_bind(run, 1, y, err));
    MUST(tgs_run_bind(run, 2, z, err));
    MUST(tgs_run_step(run, err));
    CHECK(y[0] == 100 && z[0] == -1); /* written by close, not before */
    x[0] = 5;                         /* read again at every step */
    MUST(tgs_run_step(run, err));
    MUST(tgs_run_read(run, 1, got, err));
    CHECK(got[0] == 106 && got[1] == 104);
    MUST(tgs_run_bind(run, 0, other, err)); /* elsewhere */
    MUST(tgs_run_step(run, err));
    MUST(tgs_run_read(run, 2, got, err));
    CHECK(got[0] == 116 && got[1] == 114);
    MUST(tgs_run_bind(run, 1, y, err)); /* bound anew: begins from what is there */
    MUST(tgs_run_step(run, err));
    MUST(tgs_run_close(run, NULL, err));
    CHECK(y[0] == 110 && z[3] == 110 && x[0] == 5 && other[0] == 10);
    tgs_schedule_free(s);
    tgs_codelets_free(c);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
    return 0;
}

/* ---- what goes wrong ------------------------------------------------------------------------ */

static int32_t fails_at = 1 << 30, hangs_at = 1 << 30;

static tgs_status bad_kernel(const tgs_call *call)
{
    static _Atomic int32_t calls;
    const int32_t n = calls++;

    if (n == fails_at)
        return TGS_EINVAL;
    while (n == hangs_at)
        pause();
    memset(call->buffer[0].data, 0, (size_t)call->buffer[0].bytes);
    return TGS_OK;
}

static void make_bad(spu_case *c, const char *platform)
{
    const tgs_kernel k = {.codelet = "test-mix",
                          .arch = "cpu",
                          .dtype = TGS_BYTES,
                          .impl = "bad",
                          .rank = 10,
                          .run = bad_kernel};

    case_make(c, 60, 16, 11, platform);
    tgs_codelets_add(c->c, &k, NULL);
}

static int failing_kernel(void)
{
    spu_case c;
    tgs_run *run;
    tgs_error text = {TGS_OK, ""};

    make_bad(&c, "cpu:2");
    fails_at = 20;
    MUST(tgs_run_open(&run, c.pb, c.schedule, c.c, "starpu", err));
    CHECK(tgs_run_step(run, &text) == TGS_EBACKEND);
    CHECK(strstr(text.text, "task t") && strstr(text.text, "test-mix") && strstr(text.text, "cpu"));
    CHECK(tgs_run_close(run, NULL, NULL) == TGS_EBACKEND);
    case_free(&c);
    return replay_on("cpu:2", 60, 12, "starpu"); /* StarPU is as good as before */
}

/* one kernel never ends: the run gives up, says where every worker stands, and StarPU is not used
 * again in this process */
static int stalled(void)
{
    static spu_case c; /* the thread in the kernel stays, and what it may read */
    tgs_run *run;
    tgs_error text = {TGS_OK, ""};

    make_bad(&c, "cpu:2");
    hangs_at = 15;
    MUST(tgs_run_open(&run, c.pb, c.schedule, c.c, "starpu:watchdog=3", err));
    CHECK(tgs_run_step(run, &text) == TGS_EBACKEND);
    CHECK(strstr(text.text, "stalled") && strstr(text.text, " runs t"));
    CHECK(strstr(text.text, "which waits for t"));
    CHECK(tgs_run_close(run, NULL, NULL) == TGS_EBACKEND);
    CHECK(tgs_run_open(&run, c.pb, c.schedule, c.c, "starpu", &text) == TGS_EBACKEND);
    CHECK(!run && strstr(text.text, "stalled earlier"));
    return 0; /* _exit: StarPU's threads are still there */
}

/* ---- tasks without a kernel ----------------------------------------------------------------- */

static int synthetic(void)
{
    spu_case c;
    tgs_run *run;
    tgs_trace *trace;

    case_make(&c, 40, 64, 13, "cpu:1 gpu:1");
    MUST(tgs_run_open(&run, c.pb, c.schedule, NULL, "starpu", err)); /* built-in codelets only */
    MUST(tgs_run_step(run, err));
    MUST(tgs_run_close(run, &trace, err));
    CHECK(case_in_order(&c, &trace->v));
    for (int32_t i = 0; i < trace->v.rans; i++) {
        const tgs_ran *r = &trace->v.ran[i];

        CHECK(r->flags == TGS_RAN_SYNTHETIC);
        CHECK(r->end - r->start >= tgs_w(&c.pb->v, r->task, r->proc) * 0.999);
    }
    for (int32_t m = 0; m < 2; m++)
        CHECK(logged_bytes(&trace->v, 0, m) == expected_bytes(&c, m, true));
    tgs_trace_free(trace);
    case_free(&c);
    return 0;
}

/* ---- measuring ------------------------------------------------------------------------------ */

static int calibration(void)
{
    spu_case c;
    tgs_costs *costs;
    bool cpu = false, gpu = false, there = false, back = false;

    case_make(&c, 40, 4096, 14, "cpu:1 gpu:1");
    MUST(tgs_calibrate(&costs, c.g, c.p, c.c, "starpu", 5, err));
    for (int32_t i = 0; i < costs->v.samples; i++) {
        const tgs_sample *s = &costs->v.sample[i];

        CHECK(!strcmp(s->codelet, "test-mix") && s->count + s->rejected >= 5);
        CHECK(s->min > 0 && s->median >= s->min && s->spread >= 0);
        cpu |= !strcmp(s->kind, "cpu");
        gpu |= !strcmp(s->kind, "gpu");
    }
    for (int32_t i = 0; i < costs->v.links; i++) {
        const tgs_link_sample *l = &costs->v.link[i];

        CHECK(l->bandwidth > 0 && l->latency >= 0 && l->misfit >= 0);
        CHECK(l->count + l->rejected == 5 * 5); /* of every size */
        there |= !strcmp(l->from, "ram") && !strcmp(l->to, "gpu0.mem");
        back |= !strcmp(l->to, "ram") && !strcmp(l->from, "gpu0.mem");
    }
    CHECK(cpu && gpu && there && back);
    CHECK(costs->v.overheads == 2);
    for (int32_t i = 0; i < costs->v.overheads; i++) {
        const tgs_overhead *o = &costs->v.overhead[i];

        CHECK(!strcmp(o->kind, i ? "gpu" : "cpu") && o->count == 5);
        CHECK(o->task > 0 && o->access >= 0 && o->handover >= 0 && o->start > 0);
    }
    tgs_costs_free(costs);
    case_free(&c);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ALONE(cpus_only, 120),
        ALONE(bound_data, 120),
        ALONE(failing_kernel, 120),
        ALONE(stalled, 120),
        ON_DEVICE(replay, 120),
        ON_DEVICE(on_demand, 120),
        ON_DEVICE(three_devices, 120),
        ON_DEVICE(policy, 120),
        ON_DEVICE(one_after_the_other, 120),
        ON_DEVICE(two_at_once, 120),
        ON_DEVICE(exactly_one_working_set, 120),
        ON_DEVICE(synthetic, 120),
        ON_DEVICE(calibration, 120),
    };
    const tgs_plugin *p;

    if (tgs_i_find(&p, "backend", "starpu", NULL)) {
        print_message("built without StarPU\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
