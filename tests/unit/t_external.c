/* t_external.c -- heuristics from outside the tree: shared objects and commands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "internal.h"

/* all tasks on the first processor, one after the other, in the order they are told */
#define SERIAL                                                                            \
    "awk 'BEGIN { n=0 } $1==\"task\" { for (i=3; i<=NF; i++) if ($i ~ /^time=/) { "       \
    "split(substr($i,6), t, "                                                             \
    "\",\");"                                                                             \
    " name[n]=$2; time[n++]=t[1] } } $1==\"---\" { after=1 }"                             \
    " after && $1==\"processor\" && p==\"\" { p=$2 }"                                     \
    " END { for (i=0; i<n; i++) { printf \"place %s %s %.17g %.17g\\n\", name[i], p, at," \
    " at+time[i]; at+=time[i] } }'"

static void assert_ok(tgs_status status, const tgs_error *err)
{
    if (status)
        fail_msg("%s", err->text);
}

typedef struct input {
    tgs_graph *g;
    tgs_platform *p;
    tgs_problem *pb;
} input;

static void price(input *x)
{
    tgs_error err;

    assert_ok(tgs_problem_new(&x->pb, x->g, x->p, NULL, "latbw", &err), &err);
}

static input published(void)
{
    const char *top = getenv("TGS_SRCDIR") ? getenv("TGS_SRCDIR") : ".";
    char path[1024];
    tgs_error err;
    input x;

    snprintf(path, sizeof path, "%s/examples/topcuoglu.tg", top);
    assert_ok(tgs_graph_read(&x.g, path, NULL, &err), &err);
    snprintf(path, sizeof path, "%s/examples/topcuoglu.tgp", top);
    assert_ok(tgs_platform_read(&x.p, path, &err), &err);
    price(&x);
    return x;
}

static void drop(input *x)
{
    tgs_problem_free(x->pb);
    tgs_platform_free(x->p);
    tgs_graph_free(x->g);
}

/* the heuristic must give this makespan */
static void gives(const input *x, const char *heuristic, double makespan)
{
    tgs_schedule *s;
    tgs_error err;

    assert_ok(tgs_schedule_make(&s, x->pb, heuristic, 1, &err), &err);
    assert_true(tgs_schedule_makespan(s) == makespan);
    tgs_schedule_free(s);
}

/* the heuristic must fail like this, with these words */
static void fails(const input *x, const char *heuristic, tgs_status status, const char *words)
{
    tgs_schedule *s = (tgs_schedule *)x;
    tgs_error err;
    const tgs_status got = tgs_schedule_make(&s, x->pb, heuristic, 1, &err);

    assert_null(s);
    if (got != status || !strstr(err.text, words))
        fail_msg("%s: %d '%s' instead of %d '%s'", heuristic, got, got ? err.text : "", status,
                 words);
}

static const char *built(const char *file)
{
    static char path[1024];
    const char *top = getenv("TGS_BUILDDIR") ? getenv("TGS_BUILDDIR") : ".";

    snprintf(path, sizeof path, "%s/%s", top, file);
    return path;
}

/* ---- which specs are external ---------------------------------------------------------------- */
static void recognised(void **state)
{
    (void)state;
    assert_true(tgs_i_external_is("./mine.so"));
    assert_true(tgs_i_external_is("/opt/mine.so:width=8"));
    assert_true(tgs_i_external_is("exec:./mine"));
    assert_false(tgs_i_external_is("heft"));
    assert_false(tgs_i_external_is("heft:weights=min/max"));
    assert_false(tgs_i_external_is("exec"));
}

/* ---- shared objects -------------------------------------------------------------------------- */
static void shared_object(void **state)
{
    char spec[1200];
    input x = published();

    (void)state;
    gives(&x, built("examples/.libs/own_heuristic.so"), 88);
    snprintf(spec, sizeof spec, "%s:greedy=0", built("examples/.libs/own_heuristic.so"));
    gives(&x, spec, 82);
    snprintf(spec, sizeof spec, "%s:greedy=2", built("examples/.libs/own_heuristic.so"));
    fails(&x, spec, TGS_EINVAL, "outside");
    snprintf(spec, sizeof spec, "%s:depth=1", built("examples/.libs/own_heuristic.so"));
    fails(&x, spec, TGS_EINVAL, "no parameter");
    drop(&x);
}

static void refused_object(void **state)
{
    input x = published();

    (void)state;
    fails(&x, "./no-such-file.so", TGS_ENOTFOUND, "no-such-file.so");
    fails(&x, built("tests/unit/.libs/wrong-abi.so"), TGS_EINVAL, "built for plug-in ABI");
    fails(&x, built(".libs/libtgsched.so"), TGS_ENOTFOUND, "tgs_heuristic_libtgsched");
    drop(&x);
}

/* ---- commands -------------------------------------------------------------------------------- */
static void command(void **state)
{
    input x = published();

    (void)state;
    gives(&x, "exec:" SERIAL, 127); /* the value of single */
    gives(&x, "exec:timeout=30:" SERIAL, 127);
    gives(&x, "exec:printf 'tgsched.schedule/1\\nschedule graph=0\\n'; " SERIAL "; echo end", 127);
    /* it may answer long before it reads, and more than a pipe holds */
    gives(&x, "exec:yes '# thinking' | head -n 40000; " SERIAL, 127);
    drop(&x);
}

static void command_that_reads_nothing(void **state)
{
    input x = published();
    char spec[1024] = "exec:exec 0<&-;";
    double at = 0;

    (void)state;
    for (int32_t j = 0; j < 10; j++) {
        const size_t used = strlen(spec);

        snprintf(spec + used, sizeof spec - used, "echo place @%d P2 %g;", j, at);
        at += tgs_w(&x.pb->v, j, 1);
    }
    gives(&x, spec, at);
    drop(&x);
}

/* input and output are larger than any pipe */
static void large_command(void **state)
{
    double work = 0;
    tgs_schedule *s;
    tgs_error err;
    input x;

    (void)state;
    assert_ok(tgs_graph_generate(&x.g, "layered:n=20000", 3, &err), &err);
    assert_ok(tgs_platform_parse(&x.p, "cpu:2/own link:1e9,0", &err), &err);
    price(&x);
    for (int32_t j = 0; j < x.pb->v.n; j++)
        work += tgs_w(&x.pb->v, j, 0);
    assert_ok(tgs_schedule_make(&s, x.pb, "exec:" SERIAL, 1, &err), &err);
    assert_true(fabs(tgs_schedule_makespan(s) - work) <= 1e-9 * work);
    tgs_schedule_free(s);
    drop(&x);
}

static void failing_commands(void **state)
{
    input x = published();

    (void)state;
    fails(&x, "exec:exit 3", TGS_EIO, "exited with status 3");
    fails(&x, "exec:" SERIAL "; exit 1", TGS_EIO, "exited with status 1");
    fails(&x, "exec:kill -9 $$", TGS_EIO, "ended by signal 9");
    fails(&x, "exec:no-such-command-anywhere 2>/dev/null", TGS_EIO, "status 127");
    fails(&x, "exec:timeout=0.2:sleep 60", TGS_EIO, "longer than 0.2 seconds");
    fails(&x, "exec:timeout=0.2:exec >/dev/null; sleep 60", TGS_EIO, "longer than 0.2 seconds");
    fails(&x, "exec:timeout=20:yes place", TGS_EIO, "wrote more than");
    fails(&x, "exec:", TGS_EINVAL, "no command");
    fails(&x, "exec:timeout=x:true", TGS_EINVAL, "timeout=x");
    fails(&x, "exec:timeout=0:true", TGS_EINVAL, "timeout=0");
    drop(&x);
}

static void bad_answers(void **state)
{
    input x = published();

    (void)state;
    fails(&x, "exec:true", TGS_EPARSE, "wrote nothing");
    fails(&x, "exec:echo hello", TGS_EPARSE, ":1: 'hello'");
    fails(&x, "exec:echo; echo place T1 P1 0", TGS_EPARSE, "1 of 10 tasks");
    fails(&x, "exec:echo place T11 P1 0", TGS_EPARSE, "no task 'T11'");
    fails(&x, "exec:echo place T1 P4 0", TGS_EPARSE, "no processor 'P4'");
    fails(&x, "exec:echo place T1 P1", TGS_EPARSE, "start");
    fails(&x, "exec:echo place T1 P1 nan", TGS_EPARSE, "nan");
    fails(&x, "exec:echo place T1 P1 0 1 2", TGS_EPARSE, "too much");
    fails(&x, "exec:for i in 1 2 3 4 5 6 7 8 9 10; do echo place T$i P1 0; done", TGS_ECHECK,
          "invalid schedule");
    drop(&x);
}

/* ---- what a command is told ------------------------------------------------------------------ */
/* the part of a file before (or after) the line `---`, in a file of its own */
static void split(const char *path, const char *first, const char *second)
{
    FILE *from = fopen(path, "r"), *to = fopen(first, "w");
    char line[4096];

    assert_non_null(from);
    while (to && fgets(line, sizeof line, from)) {
        if (strcmp(line, "---\n") != 0) {
            fputs(line, to);
            continue;
        }
        fclose(to);
        to = fopen(second, "w");
    }
    assert_non_null(to);
    fclose(to);
    fclose(from);
}

/* A problem whose times come from a roofline and whose tasks are limited in every way: the text
 * holds the same problem. */
static void description(void **state)
{
    char whole[] = "external-XXXXXX", graph[64], platform[64], spec[128];
    const int unique = mkstemp(whole);
    tgs_builder *b;
    tgs_schedule *s;
    tgs_error err;
    input x, y;

    (void)state;
    assert_true(unique >= 0);
    close(unique);
    assert_ok(tgs_builder_new(&b, &err), &err);
    tgs_builder_task(b, "a task", "gemm", NAN);
    tgs_builder_task(b, NULL, "gemm", NAN);
    tgs_builder_task(b, "%=#\"", NULL, 2);
    tgs_builder_task_cost(b, 0, 3e12, 1e9);
    tgs_builder_task_cost(b, 1, 5e12, 1e9);
    tgs_builder_task_time(b, 2, "gpu", 7);
    tgs_builder_edge(b, 0, 1, 1e9);
    tgs_builder_edge(b, 1, 2, 1e9);
    tgs_builder_task_constrain(b, 0, "kinds", "gpu");
    tgs_builder_task_constrain(b, 1, "release", "3");
    assert_ok(tgs_builder_finish(&x.g, b, &err), &err);
    assert_ok(tgs_platform_parse(&x.p, "cpu:2x2 gpu:1@8 link:12e9,1e-5", &err), &err);
    price(&x);
    snprintf(spec, sizeof spec, "exec:cat > %s; exit 1", whole);
    assert_int_equal(tgs_schedule_make(&s, x.pb, spec, 1, &err), TGS_EIO);

    snprintf(graph, sizeof graph, "%s.tg", whole);
    snprintf(platform, sizeof platform, "%s.tgp", whole);
    split(whole, graph, platform);
    assert_ok(tgs_graph_read(&y.g, graph, NULL, &err), &err);
    assert_ok(tgs_platform_read(&y.p, platform, &err), &err);
    price(&y);
    assert_true(tgs_platform_fingerprint(x.p) == tgs_platform_fingerprint(y.p));
    assert_int_equal(y.pb->v.n, 3);
    assert_true(x.pb->v.time[0] == INFINITY && x.pb->v.time[1] < INFINITY);
    assert_memory_equal(x.pb->v.time, y.pb->v.time, 6 * sizeof(double));
    for (int32_t j = 0; j < 3; j++)
        assert_string_equal(tgs_graph_task_name(x.g, j), tgs_graph_task_name(y.g, j));
    assert_true(y.g->v.constraint[y.g->v.task[1].constraint].release == 3);
    unlink(whole);
    unlink(graph);
    unlink(platform);
    drop(&x);
    drop(&y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recognised),
        cmocka_unit_test(shared_object),
        cmocka_unit_test(refused_object),
        cmocka_unit_test(command),
        cmocka_unit_test(command_that_reads_nothing),
        cmocka_unit_test(large_command),
        cmocka_unit_test(failing_commands),
        cmocka_unit_test(bad_answers),
        cmocka_unit_test(description),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
