/* t_capture.c -- records of applications as graphs, traces and plans: what comes before what, and
 * records that are none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "internal.h"

#define WORKERS "tgsched.record/1\nsession\nworker 0 cpu 0 0\nworker 1 cpu 1 0\n"

static char path[] = "/tmp/t_capture-XXXXXX";

static tgs_status read_record(tgs_capture **out, const char *text, tgs_error *err)
{
    assert_int_equal(tgs_file_write(path, text, strlen(text), NULL), TGS_OK);
    return tgs_capture_read(out, path, err);
}

static tgs_graph *graph_of(const char *text, const tgs_platform *p, int32_t *unknown)
{
    tgs_capture *c;
    tgs_graph *g;
    tgs_error err = {TGS_OK, ""};

    if (read_record(&c, text, &err) || tgs_capture_graph(&g, c, p, unknown, &err))
        fail_msg("%s", err.text);
    tgs_capture_free(c);
    return g;
}

static tgs_platform *machine(void)
{
    tgs_platform *p;

    assert_int_equal(tgs_platform_parse(&p, "cpu:2", NULL), TGS_OK);
    return p;
}

/* is there a path of dependencies? */
static bool before(const tgs_graph *g, const char *a, const char *b)
{
    const tgs_graph_view *v = &g->v;
    const int32_t from = tgs_graph_find_task(g, a), to = tgs_graph_find_task(g, b);
    bool reached[64] = {false};

    assert_true(from >= 0 && to >= 0 && v->tasks <= 64);
    reached[from] = true;
    for (int32_t i = 0; i < v->tasks; i++)
        for (int32_t k = v->succ_at[v->topo[i]]; k < v->succ_at[v->topo[i] + 1]; k++)
            reached[v->succ[k]] |= reached[v->topo[i]];
    return reached[to] && from != to;
}

#define RAN "ran 0 0 10 20\nran 1 1 10 30\nran 2 0 30 40\nend\n"

static void test_consistency(void **state)
{
    tgs_platform *p = machine();
    int32_t unknown;
    /* a writes, b and c read, in sequence and beyond it */
    tgs_graph *g = graph_of(WORKERS "data 8 0\n"
                                    "task a.0~1 a 1 1 -1 0 0 0 -1 - 1 0 w\n"
                                    "task b.1~1 b 1 1 -1 0 1 0 -1 - 1 0 r\n"
                                    "task c.2~1 c 1 1 -1 0 2 0 -1 - 1 0 rw!\n" RAN,
                            p, &unknown);

    (void)state;
    assert_int_equal(unknown, 0);
    assert_int_equal(tgs_graph_tasks(g), 3);
    assert_true(before(g, "a.0~1", "b.1~1"));
    assert_true(before(g, "b.1~1", "c.2~1"));
    assert_true(fabs(g->v.time[1] - 20e-6) < 1e-12);
    tgs_graph_free(g);
    tgs_platform_free(p);
}

/* tags and dependencies on what is submitted later; with them accesses that only they order */
static void test_backwards(void **state)
{
    tgs_platform *p = machine();
    tgs_graph *g = graph_of(WORKERS "data 8 0\n"
                                    "tag 2 1\n"
                                    "tag 3 2\n" /* 2 is no task's: it stands for 3 */
                                    "task a.0~1 a 1 1 -1 0 0 0 -1 1 1 0 rw!\n"
                                    "task b.1~1 b 1 1 -1 0 1 0 -1 3 1 0 rw!\n"
                                    "task c.2~1 c 1 1 -1 0 2 0 -1 - 0\n" RAN,
                            p, NULL);

    (void)state;
    assert_true(before(g, "b.1~1", "a.0~1"));
    assert_false(before(g, "c.2~1", "a.0~1"));
    assert_false(before(g, "a.0~1", "c.2~1"));
    tgs_graph_free(g);
    tgs_platform_free(p);
}

/* a tag whose task is submitted again is waited for as it was last */
static void test_tags_again(void **state)
{
    tgs_platform *p = machine();
    tgs_graph *g = graph_of(WORKERS "tag 1 2\n"
                                    "task a.0~1 a 1 1 -1 0 0 0 -1 1 0\n"
                                    "task b.1~1 b 1 1 -1 0 1 0 -1 2 0\n"
                                    "task a.2~1 a 1 1 -1 0 0 0 -1 1 0\n"
                                    "task b.3~1 b 1 1 -1 0 1 0 -1 2 0\n"
                                    "untag 1\n"
                                    "task b.4~1 b 1 1 -1 0 2 0 -1 1 0\n" RAN,
                            p, NULL);

    (void)state;
    assert_true(before(g, "a.0~1", "b.1~1"));
    assert_true(before(g, "a.2~1", "b.3~1"));
    assert_false(before(g, "b.1~1", "a.2~1"));
    assert_false(before(g, "a.0~1", "b.4~1"));
    tgs_graph_free(g);
    tgs_platform_free(p);
}

static void test_waits(void **state)
{
    tgs_platform *p = machine();
    tgs_graph *g = graph_of(WORKERS "data 8 0\n"
                                    "task a.0~1 a 1 1 -1 0 0 0 -1 - 0\n"
                                    "task b.1~1 b 1 1 -1 0 1 0 -1 - 1 0 w\n"
                                    "wait 0 task 0\n"
                                    "task c.2~1 c 1 1 -1 0 2 0 -1 - 0\n"    /* after a only */
                                    "task d.t1-0~1 d 1 1 -1 0 3 1 -1 - 0\n" /* another thread's */
                                    "host 0 read 0\n"
                                    "task e.3~1 e 1 1 -1 0 4 0 -1 - 0\n" /* after b and c's wait */
                                    "wait 0 all\n"
                                    "task f.4~1 f 1 1 -1 0 5 0 2 - 0\n"
                                    "wait 0 all\n" RAN,
                            p, NULL);

    (void)state;
    assert_int_equal(tgs_graph_tasks(g), 6 + 3); /* the last wait orders nothing */
    assert_true(before(g, "a.0~1", "c.2~1"));
    assert_false(before(g, "b.1~1", "c.2~1"));
    assert_false(before(g, "a.0~1", "d.t1-0~1"));
    assert_true(before(g, "b.1~1", "e.3~1"));
    assert_false(before(g, "c.2~1", "e.3~1"));
    assert_true(before(g, "d.t1-0~1", "f.4~1"));
    assert_true(before(g, "c.2~1", "f.4~1"));
    tgs_graph_free(g);
    tgs_platform_free(p);
}

static void test_reduction_and_pieces(void **state)
{
    tgs_platform *p = machine();
    tgs_graph *g = graph_of(WORKERS "data 8 0\ndata 4 0\ndata 4 0\n"
                                    "task a.0~1 a 1 1 -1 0 0 0 -1 - 1 0 x\n"
                                    "task b.1~1 b 1 1 -1 0 1 0 -1 - 1 0 x\n"
                                    "parts 0 split 0 2 1 2\n"
                                    "task c.2~1 c 1 1 -1 0 2 0 -1 - 1 1 rw\n"
                                    "task d.3~1 d 1 1 -1 0 3 0 -1 - 2 2 rw 1 s\n"
                                    "parts 0 join 0 2 1 2\n"
                                    "task e.4~1 e 1 1 -1 0 4 0 -1 - 1 0 r\n" RAN,
                            p, NULL);

    (void)state;
    assert_false(before(g, "a.0~1", "b.1~1"));
    assert_true(before(g, "a.0~1", "starpu.reduce.0") && before(g, "b.1~1", "starpu.reduce.0"));
    assert_true(before(g, "starpu.reduce.0", "c.2~1"));
    assert_false(before(g, "c.2~1", "d.3~1")); /* scratch is no datum */
    assert_true(before(g, "c.2~1", "e.4~1") && before(g, "d.3~1", "e.4~1"));
    tgs_graph_free(g);
    tgs_platform_free(p);
}

static void test_unknown_times(void **state)
{
    tgs_platform *p;
    tgs_graph *g;
    int32_t unknown;

    (void)state;
    assert_int_equal(tgs_platform_parse(&p, "cpu:1 gpu:1", NULL), TGS_OK);
    assert_string_equal(tgs_platform_kind_arch(p, 1), "opencl");
    g = graph_of(WORKERS "task a.0~1 a 1 3 -1 0 0 0 -1 - 0\n"
                         "expect b 00000002 1 30\n"
                         "task b.1~1 b 2 3 -1 0 1 0 -1 - 0\n"
                         "ran 0 0 10 20\nran 1 0 20 30\nend\n",
                 p, &unknown);
    assert_int_equal(unknown, 1); /* a on gpu; b there is what StarPU expects */
    assert_true(isnan(g->v.time[1]) && fabs(g->v.time[3] - 30e-6) < 1e-12);
    assert_true(g->v.constraint[g->v.task[0].constraint].kinds == 1);
    tgs_graph_free(g);
    tgs_platform_free(p);
}

static void test_malformed(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "empty"},
        {"tgsched.record/2\nend\n", ":1: expected"},
        {"tgsched.record/1\nsession\n", "end"},
        {"tgsched.record/1\nend\nend\n", ":3: "},
        {"tgsched.record/1\nwhat 1\nend\n", ":2: no record 'what'"},
        {"tgsched.record/1\nworker 0 tpu 0 0\nend\n", ":2: 'worker' is malformed"},
        {"tgsched.record/1\nran 0 0 1 2\nend\n", ":2: 'ran' is malformed"},
        {"tgsched.record/1\ndata 8\nend\n", ":2: 'data' is malformed"},
        {"tgsched.record/1\ndata -8 0\nend\n", ":2: 'data' is malformed"},
        {"tgsched.record/1\ndata 8 0 9\nend\n", ":2: "},
        {"tgsched.record/1\nhost 0 read 0\nend\n", ":2: 'host' is malformed"},
        {"tgsched.record/1\ndata 8 0\nhost 0 rest 0\nend\n", ":3: 'host' is malformed"},
        {"tgsched.record/1\ntask a a 1 1 -1 0 0 0 0 - 0\nend\n", ":2: 'task' is malformed"},
        {"tgsched.record/1\ntask a a 1 1 -1 0 0 0 -1 - 1 0 r\nend\n", ":2: 'task' is malformed"},
        {"tgsched.record/1\ndata 8 0\ntask a a 1 1 -1 0 0 0 -1 - 1 0 q\nend\n", ":3: 'task'"},
        {"tgsched.record/1\ntask a a 1 1 -1 0 99999999999 0 -1 - 0\nend\n", ":2: 'task'"},
        {"tgsched.record/1\nwait 0 long\nend\n", ":2: 'wait' is malformed"},
        {"tgsched.record/1\ndep 0\nend\n", ":2: 'dep' is malformed"},
        {"tgsched.record/1\nparts 0 split 0 2\nend\n", ":2: 'parts' is malformed"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tgs_capture *c;
        tgs_error err = {TGS_OK, ""};

        if (!read_record(&c, bad[i].text, &err) || c || !strstr(err.text, bad[i].says))
            fail_msg("record %zu: '%s' lacks '%s'", i, err.text, bad[i].says);
    }
}

static void test_circle(void **state)
{
    tgs_platform *p = machine();
    tgs_capture *c;
    tgs_graph *g;
    tgs_error err = {TGS_OK, ""};

    (void)state;
    assert_int_equal(read_record(&c,
                                 WORKERS "dep 0 1\ndep 1 0\n"
                                         "task a.0~1 a 1 1 -1 0 0 0 -1 - 0\n"
                                         "task b.1~1 b 1 1 -1 0 1 0 -1 - 0\nend\n",
                                 &err),
                     TGS_OK);
    assert_int_equal(tgs_capture_graph(&g, c, p, NULL, &err), TGS_ECYCLE);
    assert_null(g);
    assert_non_null(strstr(err.text, "a.0~1"));
    tgs_capture_free(c);
    tgs_platform_free(p);
}

static int setup(void **state)
{
    const int fd = mkstemp(path);

    (void)state;
    return fd < 0 || close(fd);
}

static int teardown(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_consistency),   cmocka_unit_test(test_backwards),
        cmocka_unit_test(test_tags_again),    cmocka_unit_test(test_waits),
        cmocka_unit_test(test_unknown_times), cmocka_unit_test(test_reduction_and_pieces),
        cmocka_unit_test(test_malformed),     cmocka_unit_test(test_circle),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
