/* t_starpu_keep.c -- what a run keeps of its plan: with keep=order every processor its order, with
 * keep=kind the kind and memory of processor and who comes first, while nobody waits when something
 * is ready; in a limited memory always the order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "starpu_case.h"

/* ---- a plan that the run makes wait: "slow" takes long, "next" waits for it, "free" does not ----
 */
enum { SLOW, NEXT, FREE, LAST, TASKS };

static _Atomic int32_t free_has_run, slow_saw_it;

/* slow: until free has run, or for as long as that may take when it cannot */
static tgs_status play(const tgs_call *call)
{
    const int64_t role = tgs_attr_int(call->attrs, "role", -1);
    const struct timespec moment = {0, 1000 * 1000};

    for (int i = 0; role == SLOW && i < 3000 && !free_has_run; i++)
        nanosleep(&moment, NULL);
    if (role == SLOW)
        slow_saw_it = free_has_run;
    if (role == FREE)
        free_has_run = 1;
    return TGS_OK;
}

typedef struct stage {
    tgs_graph *g;
    tgs_platform *p;
    tgs_codelets *c;
    tgs_problem *pb;
    tgs_schedule *s;
} stage;

/* on two processors: slow, last; next, free.  pinned: free may run on the second only */
static void stage_make(stage *x, bool pinned)
{
    static const double start[TASKS] = {0, 1, 2, 3}, time[TASKS] = {1, 1, 1, 1};
    static const int32_t proc[TASKS] = {0, 1, 1, 0};
    tgs_plan plan = {.lower_bound = NAN};
    tgs_builder *b;
    char text[32];

    MUST(tgs_builder_new(&b, err));
    for (int32_t t = 0; t < TASKS; t++) {
        tgs_builder_task(b, NULL, "keep-test", time[t]);
        snprintf(text, sizeof text, "role=%d", (int)t);
        tgs_builder_task_attrs(b, t, text);
    }
    tgs_builder_after(b, SLOW, NEXT);
    tgs_builder_after(b, NEXT, LAST);
    if (pinned)
        tgs_builder_task_constrain(b, FREE, "processor", "cpu1");
    MUST(tgs_builder_finish(&x->g, b, err));
    MUST(tgs_platform_parse(&x->p, "cpu:2", err));
    MUST(tgs_problem_new(&x->pb, x->g, x->p, NULL, "latbw", err));
    MUST(tgs_codelets_new(&x->c, err));
    MUST(tgs_codelets_add(
        x->c,
        &(tgs_kernel){
            .codelet = "keep-test", .arch = "cpu", .dtype = TGS_BYTES, .impl = "test", .run = play},
        err));
    plan.proc = (int32_t *)proc;
    plan.start = (double *)start;
    MUST(tgs_i_schedule_build(&x->s, x->pb, &plan, "hand", err));
}

static void stage_free(stage *x)
{
    tgs_schedule_free(x->s);
    tgs_problem_free(x->pb);
    tgs_codelets_free(x->c);
    tgs_platform_free(x->p);
    tgs_graph_free(x->g);
}

static tgs_trace *played(const stage *x, const char *backend)
{
    tgs_trace *t;

    free_has_run = slow_saw_it = 0;
    MUST(tgs_execute(&t, x->pb, x->s, x->c, backend, 1, err));
    return t;
}

static const tgs_ran *ran(const tgs_trace *t, int32_t task)
{
    const tgs_ran *r = t->v.ran;

    while (r->task != task)
        r++;
    return r;
}

static int order_waits(void)
{
    stage x;
    tgs_trace *t;

    stage_make(&x, false);
    for (int i = 0; i < 2; i++) { /* also as the default */
        t = played(&x, i ? "starpu" : "starpu:keep=order");
        CHECK(!slow_saw_it && ran(t, NEXT)->end <= ran(t, FREE)->start);
        for (int32_t k = 0; k < TASKS; k++)
            CHECK(ran(t, k)->proc == x.s->v.place[k].proc);
        tgs_trace_free(t);
    }
    stage_free(&x);
    return 0;
}

static int kind_does_not(void)
{
    stage x;
    tgs_trace *t;

    stage_make(&x, false);
    t = played(&x, "starpu:keep=kind");
    CHECK(slow_saw_it && ran(t, FREE)->end <= ran(t, NEXT)->start);
    CHECK(ran(t, FREE)->proc != ran(t, SLOW)->proc);
    CHECK(!strcmp(tgs_trace_origin(t), "starpu:keep=kind"));
    tgs_trace_free(t);
    stage_free(&x);
    stage_make(&x, true); /* among those that are alike a task may be pinned to one */
    t = played(&x, "starpu:keep=kind");
    CHECK(ran(t, FREE)->proc == 1);
    tgs_trace_free(t);
    stage_free(&x);
    return 0;
}

/* ready tasks that nothing orders are taken as they are planned, on one processor one by one */
static int planned_first_comes_first(void)
{
    enum { MANY = 40 };
    double start[MANY];
    int32_t proc[MANY] = {0};
    stage x;
    tgs_plan plan = {.proc = proc, .start = start, .lower_bound = NAN};
    tgs_builder *b;
    tgs_trace *t;

    MUST(tgs_builder_new(&b, err));
    for (int32_t i = 0; i < MANY; i++) {
        tgs_builder_task(b, NULL, "keep-test", 1);
        start[i] = (i * 7 + 3) % MANY;
    }
    MUST(tgs_builder_finish(&x.g, b, err));
    MUST(tgs_platform_parse(&x.p, "cpu:1", err));
    MUST(tgs_problem_new(&x.pb, x.g, x.p, NULL, "latbw", err));
    MUST(tgs_codelets_new(&x.c, err));
    MUST(tgs_i_schedule_build(&x.s, x.pb, &plan, "hand", err));
    MUST(tgs_execute(&t, x.pb, x.s, x.c, "starpu:keep=kind:scale=0", 2, err));
    for (int32_t i = 0; i < MANY; i++)
        for (int32_t k = 0; k < MANY; k++)
            if (start[i] < start[k])
                CHECK(ran(t, i)->start < ran(t, k)->start);
    tgs_trace_free(t);
    stage_free(&x);
    return 0;
}

/* A task whose data have just been written passes one that is planned before it, when the run is
 * far enough ahead of the plan for that one to wait. */
static int near_data_go_first(void)
{
    enum { WRITER, OTHER, READER, COUNT };
    static const int64_t dims = 1000;

    for (int ahead = 0; ahead < 2; ahead++) {
        const double planned = ahead ? 1000 : 0; /* seconds of the writer, which takes none */
        double start[COUNT] = {0, planned, planned + 1000};
        int32_t proc[COUNT] = {0};
        tgs_plan plan = {.proc = proc, .start = start, .lower_bound = NAN};
        stage x;
        tgs_builder *b;
        tgs_trace *t;

        MUST(tgs_builder_new(&b, err));
        tgs_builder_datum_shape(b, tgs_builder_datum(b, NULL, 0), TGS_F32, 1, &dims);
        for (int32_t i = 0; i < COUNT; i++)
            tgs_builder_task(b, NULL, "keep-test", i == WRITER ? planned : 1000);
        tgs_builder_access(b, WRITER, 0, TGS_W);
        tgs_builder_access(b, READER, 0, TGS_R);
        tgs_builder_after(b, WRITER, OTHER);
        MUST(tgs_builder_finish(&x.g, b, err));
        MUST(tgs_platform_parse(&x.p, "cpu:1", err));
        MUST(tgs_problem_new(&x.pb, x.g, x.p, NULL, "latbw", err));
        MUST(tgs_codelets_new(&x.c, err));
        MUST(tgs_i_schedule_build(&x.s, x.pb, &plan, "hand", err));
        MUST(tgs_execute(&t, x.pb, x.s, x.c, "starpu:keep=kind:scale=0", 1, err));
        CHECK((ran(t, READER)->start < ran(t, OTHER)->start) == ahead);
        tgs_trace_free(t);
        stage_free(&x);
    }
    return 0;
}

/* ---- random graphs ---- */
static int right_on(const char *platform)
{
    for (uint64_t seed = 1; seed < 4; seed++) {
        spu_case c;
        tgs_run *run;
        tgs_trace *t;

        case_make(&c, 200, 64, seed, platform);
        MUST(tgs_run_open(&run, c.pb, c.schedule, c.c, "starpu:keep=kind", err));
        for (int32_t step = 0; step < 3; step++) {
            MUST(tgs_run_step(run, err)); /* compares every copy with StarPU's counters */
            case_expect(&c);
        }
        CHECK(case_equal(&c, run, NULL));
        MUST(tgs_run_close(run, &t, err));
        CHECK(t->v.rans == 3 * 200);
        for (int32_t i = 0; i < t->v.rans; i++) {
            const tgs_proc *was = &c.p->v.proc[t->v.ran[i].proc],
                           *planned = &c.p->v.proc[c.place[t->v.ran[i].task].proc];

            CHECK(was->kind == planned->kind && was->memory == planned->memory);
        }
        tgs_trace_free(t);
        case_free(&c);
    }
    return 0;
}

static int right(void)
{
    return right_on("cpu:1") || right_on("cpu:2") || right_on("cpu:4");
}

static int right_with_devices(void)
{
    setenv("POCL_DEVICES", "pthread pthread", 1);
    return right_on("cpu:2 gpu:1") || right_on("cpu:1 gpu:2/own");
}

/* what fits does so in the planned order: that of the device stays */
static int limited(void)
{
    spu_case c;
    tgs_platform *small;
    tgs_problem *pb;
    tgs_schedule *s;
    tgs_trace *t;

    case_make(&c, 60, (1 << 20) / 4, 1, "cpu:2 gpu:1");
    MUST(tgs_platform_limit(&small, c.p, c.p->v.memory[1].name, 6 << 20, err));
    MUST(tgs_problem_new(&pb, c.g, small, NULL, "latbw", err));
    MUST(tgs_schedule_make(&s, pb, "roundrobin", 1, err));
    MUST(tgs_execute(&t, pb, s, c.c, "starpu:keep=kind", 1, err));
    for (int32_t k = s->v.order_at[2] + 1; k < s->v.order_at[3]; k++)
        CHECK(ran(t, s->v.order[k - 1])->start < ran(t, s->v.order[k])->start);
    CHECK(s->v.order_at[3] - s->v.order_at[2] > 10);
    tgs_trace_free(t);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_platform_free(small);
    case_free(&c);
    return 0;
}

static int refusals(void)
{
    static const struct {
        const char *backend, *says;
    } bad[] = {
        {"starpu:keep=everything", "keep is order or kind, not 'everything'"},
        {"starpu:policy=eager:keep=kind", "keeps nothing of a plan"},
    };
    stage x;

    stage_make(&x, false);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tgs_error err = {TGS_OK, ""};
        tgs_run *r;

        CHECK(tgs_run_open(&r, x.pb, x.s, x.c, bad[i].backend, &err) == TGS_EINVAL && !r);
        CHECK(strstr(err.text, bad[i].says));
    }
    stage_free(&x);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ALONE(order_waits, 60),
        ALONE(kind_does_not, 60),
        ALONE(planned_first_comes_first, 60),
        ALONE(near_data_go_first, 60),
        ALONE(right, 240),
        ON_DEVICE(right_with_devices, 240),
        ON_DEVICE(limited, 120),
        ALONE(refusals, 60),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
