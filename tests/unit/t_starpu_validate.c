/* Every schedule and platform that StarPU would answer with a hang or an abort is refused by open,
 * with a message that names what is wrong, and before any kernel has run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "starpu_case.h"

static const tgs_backend *backend;

/* open must fail with status and a text that holds `word` */
static int refused(spu_case *c, tgs_status status, const char *word)
{
    const tgs_job job = case_job(c);
    tgs_error err = {TGS_OK, ""};
    void *run = &err;
    const tgs_status got = backend->open(&run, &job, &err);
    const bool ok = got == status && !run && strstr(err.text, word) && c->calls == 0;

    if (!ok)
        fprintf(stderr, "expected %d '%s', got %d '%s', %d calls\n", status, word, got, err.text,
                c->calls);
    if (run && !got)
        backend->close(run, NULL);
    return ok ? 0 : 1;
}

static void test_order_contradicts_dependencies(void **state)
{
    spu_case c;
    int32_t first = -1;

    (void)state;
    case_make(&c, 40, 8, 1, "cpu:2");
    /* the first two tasks of a processor that depend on each other change places */
    for (int32_t k = c.order_at[0]; k + 1 < c.order_at[1] && first < 0; k++)
        for (int32_t j = c.g->v.succ_at[c.order[k]]; j < c.g->v.succ_at[c.order[k] + 1]; j++)
            if (c.g->v.succ[j] == c.order[k + 1])
                first = k;
    assert_true(first >= 0);
    c.order[first] ^= c.order[first + 1];
    c.order[first + 1] ^= c.order[first];
    c.order[first] ^= c.order[first + 1];
    assert_int_equal(refused(&c, TGS_ECYCLE, "order of processor cpu0 contradicts"), 0);
    case_free(&c);
}

static void test_contradiction_across_processors(void **state)
{
    /* a -> b on processor 0 before ..., c -> d: each processor's order is fine by itself */
    spu_case c;
    tgs_builder *b;
    tgs_graph_view *g;

    (void)state;
    case_make(&c, 4, 8, 1, "cpu:2");
    tgs_graph_free(c.g);
    assert_int_equal(tgs_builder_new(&b, NULL), 0);
    for (int32_t t = 0; t < 4; t++)
        tgs_builder_task(b, (const char *[]){"a", "b", "c", "d"}[t], "test-mix", 1);
    tgs_builder_edge(b, 0, 1, 4);
    tgs_builder_edge(b, 2, 3, 4);
    assert_int_equal(tgs_builder_finish(&c.g, b, NULL), 0);
    g = &c.g->v;
    assert_int_equal(g->tasks, 4);
    c.pb->v.g = g;
    for (int32_t t = 0; t < 4; t++)
        c.place[t].proc = t == 0 || t == 3 ? 0 : 1;
    memcpy(c.order, (int32_t[]){3, 0, 1, 2}, 4 * sizeof *c.order); /* d a | b c */
    memcpy(c.order_at, (int32_t[]){0, 2, 4}, 3 * sizeof *c.order_at);
    assert_int_equal(refused(&c, TGS_ECYCLE, "waits for"), 0);
    case_free(&c);
}

static void test_gap_in_the_order(void **state)
{
    spu_case c;

    (void)state;
    case_make(&c, 20, 8, 1, "cpu:2");
    /* the last task of processor 1 is in no order */
    c.order_at[2]--;
    assert_int_equal(refused(&c, TGS_EINVAL, "missing in the order"), 0);
    case_free(&c);
}

static void test_number_twice(void **state)
{
    spu_case c;

    (void)state;
    case_make(&c, 20, 8, 1, "cpu:2");
    c.order[c.order_at[1] - 1] = c.order[c.order_at[0]];
    assert_int_equal(refused(&c, TGS_EINVAL, "is twice in the order"), 0);
    case_free(&c);
}

static void test_order_of_another_processor(void **state)
{
    spu_case c;

    (void)state;
    case_make(&c, 20, 8, 1, "cpu:2");
    c.place[c.order[0]].proc ^= 1;
    assert_int_equal(refused(&c, TGS_EINVAL, "in the order of another processor"), 0);
    case_free(&c);
}

static void test_unknown_processor(void **state)
{
    spu_case c;

    (void)state;
    case_make(&c, 20, 8, 1, "cpu:2");
    c.place[7].proc = 2;
    assert_int_equal(refused(&c, TGS_EINVAL, "task t7 has no processor"), 0);
    c.place[7].proc = -1;
    assert_int_equal(refused(&c, TGS_EINVAL, "task t7 has no processor"), 0);
    case_free(&c);
}

static void test_copies(void **state)
{
    spu_case c;
    tgs_place two[21];

    (void)state;
    case_make(&c, 20, 8, 1, "cpu:2");
    memcpy(two, c.place, 20 * sizeof *two);
    two[20] = two[3];
    c.s.place = two;
    c.s.places = 21;
    assert_int_equal(refused(&c, TGS_ENOTAPPLICABLE, "copies of task t3"), 0);
    case_free(&c);
}

/* two writers of one datum that no dependency and no processor orders */
static void test_unordered_conflict(void **state)
{
    spu_case c;
    tgs_graph_view without;
    int32_t none[64] = {0};

    (void)state;
    case_make(&c, 20, 8, 1, "cpu:2");
    without = c.g->v;
    without.succ_at = without.pred_at = none; /* no dependencies at all */
    c.pb->v.g = &without;
    assert_int_equal(refused(&c, TGS_EINVAL, "nothing orders them"), 0);
    c.pb->v.g = &c.g->v;
    case_free(&c);
}

static void test_no_implementation(void **state)
{
    spu_case c;
    tgs_codelets *cpu_only;
    const tgs_kernel *k;

    (void)state;
    case_make(&c, 20, 8, 1, "cpu:1 gpu:1");
    assert_int_equal(tgs_codelets_new(&cpu_only, NULL), 0);
    k = tgs_kernel_find(c.c, "test-mix", "cpu", TGS_I32);
    assert_non_null(k);
    assert_int_equal(tgs_codelets_add(cpu_only, k, NULL), 0);
    tgs_codelets_free(c.c);
    c.c = cpu_only;
    assert_int_equal(refused(&c, TGS_EINVAL, "codelet test-mix has no kernel for opencl"), 0);
    case_free(&c);
}

/* two readers and the next writer are ordered by way of a third task only: that is an order */
static int ordered_by_a_path(void)
{
    spu_case c;
    tgs_builder *b;
    tgs_graph_view without;
    int32_t succ[16], at[6] = {0}, none[8] = {0};
    tgs_job job;
    void *run = NULL;
    tgs_error err = {TGS_OK, ""};
    const tgs_graph *whole;
    bool bad;

    case_make(&c, 5, 8, 1, "cpu:4");
    if (tgs_builder_new(&b, NULL))
        return 1;
    for (int32_t t = 0; t < 5; t++)
        tgs_builder_task(b, (const char *[]){"a", "r1", "r2", "x", "w"}[t], NULL, 1);
    tgs_builder_datum(b, "d", 4);
    for (int32_t t = 0; t < 5; t++)
        if (t != 3)
            tgs_builder_access(b, t, 0, t == 0 || t == 4 ? TGS_W : TGS_R);
    for (int32_t t = 1; t < 4; t++)
        tgs_builder_after(b, t, t < 3 ? 3 : 4);
    tgs_graph_free(c.g);
    if (tgs_builder_finish(&c.g, b, NULL))
        return 1;
    whole = c.g;
    without = whole->v;
    for (int32_t t = 0; t < 5; t++) { /* no edge from a reader, or from a, to w */
        at[t + 1] = at[t];
        for (int32_t k = whole->v.succ_at[t]; k < whole->v.succ_at[t + 1]; k++)
            if (whole->v.succ[k] != 4 || t == 3)
                succ[at[t + 1]++] = whole->v.succ[k];
    }
    without.succ_at = at;
    without.succ = succ;
    memcpy(none, (int32_t[]){0, 0, 1, 2, 4, 5},
           6 * sizeof *none); /* predecessors: a | a | r1 r2 | x */
    without.pred_at = none;
    without.pred = (int32_t[]){0, 0, 1, 2, 3};
    c.pb->v.g = &without;
    for (int32_t t = 0; t < 5; t++)
        c.place[t] = (tgs_place){t, t % 4, t, t + 1};
    memcpy(c.order_at, (int32_t[]){0, 2, 3, 4, 5}, 5 * sizeof *c.order_at);
    memcpy(c.order, (int32_t[]){0, 4, 1, 2, 3}, 5 * sizeof *c.order);
    job = case_job(&c);
    if (backend->open(&run, &job, &err))
        fprintf(stderr, "%s\n", err.text);
    bad = !run || backend->close(run, NULL);
    c.pb->v.g = &whole->v;
    case_free(&c);
    return bad;
}

/* ---- platforms ------------------------------------------------------------------------------ */

static int refuses(const char *platform, tgs_status status, const char *word)
{
    spu_case c;
    int bad;

    case_make(&c, 10, 8, 1, platform);
    bad = refused(&c, status, word);
    case_free(&c);
    return bad;
}

static void test_platforms(void **state)
{
    (void)state;
    assert_int_equal(refuses("cpu:2/own", TGS_EBACKEND, "StarPU's CPUs share one memory"), 0);
    assert_int_equal(refuses("cpu:1 gpu:2", TGS_EBACKEND, "share memory"), 0);
    assert_int_equal(refuses("gpu:1", TGS_EBACKEND, "no main memory"), 0);
    assert_int_equal(refuses("cpu:1000", TGS_EBACKEND, "this StarPU was built for at most"), 0);
    assert_int_equal(refuses("cpu:1 gpu:500/own", TGS_EBACKEND, "was built for at most"), 0);
}

static int too_many_devices(void)
{
    /* as many as StarPU could be built for, but not as there are */
    setenv("POCL_DEVICES", "pthread", 1);
    return refuses("cpu:1 gpu:7/own", TGS_EBACKEND, "StarPU can start");
}

static int unknown_policy(void)
{
    spu_case c;
    const tgs_plugin *p;
    int bad;

    case_make(&c, 10, 8, 1, "cpu:1");
    tgs_i_args_free(c.args);
    tgs_i_find(&p, "backend", "starpu", NULL);
    tgs_i_args_new(&c.args, p, "policy=nonesuch", NULL);
    bad = refused(&c, TGS_ENOTFOUND, "nonesuch");
    case_free(&c);
    return bad;
}

static int below_the_working_set(void)
{
    spu_case c;
    int bad;

    setenv("STARPU_LIMIT_OPENCL_MEM", "4", 1); /* MiB; tasks have up to five data of one */
    case_make(&c, 60, 1 << 18, 1, "cpu:1 gpu:1");
    bad = refused(&c, TGS_EINFEASIBLE, "bytes at once, memory gpu0.mem has 4194304");
    case_free(&c);
    return bad;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_contradicts_dependencies),
        cmocka_unit_test(test_contradiction_across_processors),
        cmocka_unit_test(test_gap_in_the_order),
        cmocka_unit_test(test_number_twice),
        cmocka_unit_test(test_order_of_another_processor),
        cmocka_unit_test(test_unknown_processor),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_unordered_conflict),
        ALONE(ordered_by_a_path, 60),
        cmocka_unit_test(test_no_implementation),
        cmocka_unit_test(test_platforms),
        ALONE(unknown_policy, 120),
        ON_DEVICE(too_many_devices, 120),
        ON_DEVICE(below_the_working_set, 120),
    };
    const tgs_plugin *p;

    if (tgs_i_find(&p, "backend", "starpu", NULL)) {
        print_message("built without StarPU\n");
        return 77;
    }
    backend = (const tgs_backend *)p;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
