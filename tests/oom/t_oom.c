/* t_oom.c -- every allocation of the paths below is made to fail once.  Each time the call returns
 * TGS_ENOMEM, or succeeds when it can do without that memory; it leaves NULL behind and nothing
 * allocated.
 *
 * malloc and its kin are those of this program: libc, the library and what it uses call these.
 * CBC and METIS, which do not survive this, are spared.  Sanitizers bring their own; then the
 * test is skipped. */
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>
#include <cmocka.h>
#include "fixture.h"
#include "oom/stride.h"
#include "graphtext.h"
#include "lp.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) \
    || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

/* ---- allocation that can be made to fail --------------------------------------------------------
 */
#if !defined SANITIZED && defined __GLIBC__
#define INTERPOSED 1
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
void __libc_free(void *p);

static int64_t live, calls, failing; /* failing: the call that fails, 0 none */

/* METIS 5.1 prints, and loses what it has, when it gets no memory: what it asks for itself never
 * fails, nor counts */
static bool fragile(const void *caller)
{
    Dl_info from;

    return failing && dladdr(caller, &from) && from.dli_fname && strstr(from.dli_fname, "libmetis");
}

static bool fails(const void *caller)
{
    if (tgs_i_lp_busy() || fragile(caller) || ++calls != failing)
        return false;
    errno = ENOMEM;
    return true;
}

static void *counted(void *p)
{
    live += p != NULL;
    return p;
}

void *malloc(size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *p, size_t size)
{
    if (fails(__builtin_return_address(0)))
        return NULL;
    return p ? __libc_realloc(p, size) : counted(__libc_malloc(size));
}

void free(void *p)
{
    const int reason = errno;

    live -= p != NULL;
    __libc_free(p);
    errno = reason;
}
#endif

/* ---- what is tried ------------------------------------------------------------------------------
 */

static const char *subject; /* format, generator, heuristic, ... of the case */
static tgs_graph *graph;
static tgs_platform *platform;
static tgs_problem *problem;
static tgs_schedule *schedule;
static tgs_trace *trace;
static tgs_error err;

#ifdef INTERPOSED
static const char path[] = "t_oom.tmp";

/* out was not NULL before the call, and must be NULL after a failure */
#define FREED(type, call)                     \
    do {                                      \
        tgs_##type *out = (tgs_##type *)&err; \
        const tgs_status status = call;       \
        if (status)                           \
            assert_null(out);                 \
        else                                  \
            tgs_##type##_free(out);           \
        return status;                        \
    } while (0)

static tgs_status read_graph(void)
{
    FREED(graph, tgs_graph_read(&out, subject, NULL, &err));
}

static tgs_status identify(void)
{
    const char *format, *yields;

    return tgs_identify(subject, &format, &yields, &err);
}

static tgs_status generate(void)
{
    FREED(graph, tgs_graph_generate(&out, subject, 1, &err));
}

static tgs_status write_graph(void)
{
    return tgs_graph_write(graph, path, subject, &err);
}

static tgs_status measure(void)
{
    tgs_graph_stats stats;

    return tgs_graph_measure(graph, &stats, &err);
}

static tgs_status parse_platform(void)
{
    FREED(platform, tgs_platform_parse(&out, subject, &err));
}

static tgs_status open_platform(void)
{
    FREED(platform, tgs_platform_open(&out, subject, &err));
}

static tgs_status write_platform(void)
{
    return tgs_platform_write(platform, path, &err);
}

static tgs_status read_platform(void)
{
    FREED(platform, tgs_platform_read(&out, path, &err));
}

static tgs_status price(void)
{
    FREED(problem, tgs_problem_new(&out, graph, platform, NULL, subject, &err));
}

static tgs_status reprice(void)
{
    FREED(problem, tgs_problem_reprice(&out, problem, NULL, trace, &err));
}

static tgs_status make(void)
{
    FREED(schedule, tgs_schedule_make(&out, problem, subject, 1, &err));
}

static tgs_status check(void)
{
    return tgs_schedule_check(schedule, problem, &err);
}

static tgs_status write_schedule(void)
{
    return tgs_schedule_write(schedule, problem, path, &err);
}

static tgs_status read_schedule(void)
{
    FREED(schedule, tgs_schedule_read(&out, path, problem, &err));
}

static tgs_status tell_origin(void)
{
    return tgs_schedule_annotate(schedule, "examples/topcuoglu.tg", &err);
}

static tgs_status read_origin(void)
{
    char *text;
    const tgs_status status = tgs_schedule_origin(&text, path, &err);

    assert_true(!text == !!status);
    tgs_text_free(text);
    return status;
}

static tgs_status bound(void)
{
    double value;

    return tgs_bound(&value, problem, subject, &err);
}

static tgs_status best_bound(void)
{
    double value;

    return tgs_bound_best(&value, NULL, problem, &err);
}

static tgs_status simulate(void)
{
    FREED(trace, tgs_simulate(&out, problem, schedule, &err));
}

static tgs_status write_trace(void)
{
    return tgs_trace_write(trace, path, &err);
}

static tgs_status read_trace(void)
{
    FREED(trace, tgs_trace_read(&out, path, &err));
}

static tgs_status report(void)
{
    return tgs_report(trace, trace, subject, path, &err);
}

/* ---- failing them one by one --------------------------------------------------------------------
 */

static void try_all(const char *what, tgs_status (*run)(void))
{
    const tgs_status usual = run(); /* and whatever is allocated once is allocated now */
    int64_t k = 1, told = 0;

    for (;; k = oom_next(k)) {
        const int64_t before = live;
        tgs_status status;
        bool over;

        err = (tgs_error){TGS_OK, ""};
        calls = 0;
        failing = k;
        status = run();
        over = calls < k;
        failing = 0;
        if (live != before)
            fail_msg("%s %s: %lld allocations are left when number %lld fails", what, subject,
                     (long long)(live - before), (long long)k);
        if (over) {
            assert_int_equal(status, usual);
            break;
        }
        if (status != TGS_ENOMEM && status != usual)
            fail_msg("%s %s: status %d, '%s' when allocation %lld fails", what, subject, status,
                     err.text, (long long)k);
        if (status == TGS_ENOMEM) {
            if (err.status != TGS_ENOMEM || !*err.text)
                fail_msg("%s %s: no word of it when allocation %lld fails", what, subject,
                         (long long)k);
            told++;
        }
    }
    if (usual == TGS_OK && k > 1)
        assert_true(told > 0);
}

static void each(const char *kind, const char *what, tgs_status (*run)(void))
{
    int32_t count = 0;

    for (int32_t i = 0; tgs_plugin_name(kind, i); i++, count++) {
        subject = strcmp(kind, "heuristic") ? tgs_plugin_name(kind, i) : fixture_heuristic(i);
        try_all(what, run);
    }
    assert_true(count > 0);
}
#endif

static void reading(void **state)
{
#ifdef INTERPOSED
    /* not JSON, DOT and YAML: jansson 2.14 and libcgraph do not survive every failure, and libyaml
     * 0.2.5 by itself loses an allocation in one */
    static const char *const file[][2] = {{"all.tg", "tg"},
                                          {"plain.stg", "stg"},
                                          {"costs.stg", "stg"},
                                          {"diamond.hdag", "hyperdag"},
                                          {"four.rgpos", "rgpos"},
                                          {"two.tgff", "tgff"},
                                          {"small_2proc_task_exe_time.csv", "heft"},
                                          {"small_rec.tasks.csv", "starvz"},
                                          {"diamond.dax", "dax"}};
    const char *root = getenv("TGS_SRCDIR");
    const tgs_plugin *p;
    char name[4096];

    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        if (tgs_i_find(&p, "reader", file[i][1], NULL))
            continue; /* not in this build */
        snprintf(name, sizeof name, "%s/tests/data/graphs/%s", root ? root : ".", file[i][0]);
        subject = name;
        try_all("identify", identify);
        try_all("read", read_graph);
    }
#endif
    (void)state;
}

static void graphs(void **state)
{
#ifdef INTERPOSED
    each("generator", "generate", generate);
    subject = "layered:n=40:kinds=cpu+gpu";
    try_all("generate", generate);
    each("writer", "write", write_graph);
    try_all("measure", measure);
#endif
    (void)state;
}

static void platforms(void **state)
{
#ifdef INTERPOSED
    static const char *const foreign[] = {"two.simgrid.xml", "three.dslab.yaml",
                                          "small_2proc_resource_BW.csv"};
    const char *root = getenv("TGS_SRCDIR");
    char name[4096];

    subject = "cpu:2 gpu:2@8/own link:1e9,1e-6";
    try_all("parse", parse_platform);
    try_all("write platform", write_platform);
    try_all("read platform", read_platform);
    snprintf(name, sizeof name, "starpu:%s/tests/data/starpu-model/box", root ? root : ".");
    subject = name;
    try_all("open platform", open_platform);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        tgs_platform *p;

        snprintf(name, sizeof name, "%s/tests/data/machines/%s", root ? root : ".", foreign[i]);
        if (tgs_platform_open(&p, name, NULL) == TGS_ENOTAPPLICABLE)
            continue; /* its library is not there */
        tgs_platform_free(p);
        try_all("open platform", open_platform);
    }
#endif
    (void)state;
}

#ifdef INTERPOSED
/* messages are booked, and what searches look at is played */
static void where_links_contend(void)
{
    static const char *const model[] = {"fifo", "share"};
    static const char *const spec[] = {"heft", "ils:evals=20:seeds=heft", "sa:evals=6:seeds=heft",
                                       "ga:evals=2:size=2:seeds=heft",
                                       "portfolio:evals=3:of=heft+cpop"};
    tgs_problem *usual = problem;

    for (size_t m = 0; m < sizeof model / sizeof *model; m++) {
        assert_int_equal(tgs_problem_new(&problem, graph, platform, NULL, model[m], NULL), TGS_OK);
        for (size_t i = 0; i < (m ? 2 : sizeof spec / sizeof *spec); i++) {
            subject = spec[i];
            try_all("schedule", make);
        }
        tgs_problem_free(problem);
    }
    problem = usual;
}
#endif

static void problems(void **state)
{
#ifdef INTERPOSED
    each("link_model", "price", price);
    subject = "";
    try_all("reprice", reprice);
    each("heuristic", "schedule", make);
    where_links_contend();
    each("bound", "bound", bound);
    try_all("best bound", best_bound);
#endif
    (void)state;
}

static void schedules(void **state)
{
#ifdef INTERPOSED
    subject = "";
    try_all("check", check);
    try_all("tell the origin", tell_origin);
    try_all("write schedule", write_schedule);
    try_all("read the origin", read_origin);
    try_all("read schedule", read_schedule);
#endif
    (void)state;
}

static void traces(void **state)
{
#ifdef INTERPOSED
    tgs_problem *usual = problem;

    for (int32_t i = 0; tgs_plugin_name("link_model", i); i++) {
        subject = tgs_plugin_name("link_model", i);
        assert_int_equal(tgs_problem_new(&problem, graph, platform, NULL, subject, NULL), TGS_OK);
        try_all("simulate", simulate);
        tgs_problem_free(problem);
    }
    problem = usual;
    try_all("write trace", write_trace);
    try_all("read trace", read_trace);
    each("report", "report", report);
#endif
    (void)state;
}

/* a graph with data that are read twice, kinds, constraints; a fork and join; both at once would
 * please no fork-join heuristic */
static int set_up(const char *spec)
{
    if (tgs_graph_generate(&graph, spec, 3, &err)
        || tgs_platform_parse(&platform, "cpu:2 gpu:2@8/own link:1e9,1e-6", &err)
        || tgs_problem_new(&problem, graph, platform, NULL, "latbw", &err)
        || tgs_schedule_make(&schedule, problem, "heft", 1, &err)
        || tgs_simulate(&trace, problem, schedule, &err)) {
        print_error("%s\n", err.text);
        return -1;
    }
    return 0;
}

static int general(void **state)
{
    (void)state;
    return set_up("cholesky:n=4:kinds=cpu+gpu");
}

static int forks(void **state)
{
    (void)state;
    return set_up("forkjoin:n=8:kinds=cpu+gpu");
}

static int tear_down(void **state)
{
    (void)state;
    tgs_trace_free(trace);
    tgs_schedule_free(schedule);
    tgs_problem_free(problem);
    tgs_platform_free(platform);
    tgs_graph_free(graph);
    remove("t_oom.tmp");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading),  cmocka_unit_test(graphs),    cmocka_unit_test(platforms),
        cmocka_unit_test(problems), cmocka_unit_test(schedules), cmocka_unit_test(traces),
    };
    const struct CMUnitTest fork_tests[] = {cmocka_unit_test(problems)};

#ifndef INTERPOSED
    printf("allocations cannot be made to fail in this build\n");
    return 77;
#endif
    return cmocka_run_group_tests_name("general", tests, general, tear_down)
           + cmocka_run_group_tests_name("forks", fork_tests, forks, tear_down);
}
