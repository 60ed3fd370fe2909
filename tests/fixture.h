/* fixture.h -- graphs, platforms and schedules from short texts, for tests.  Include after cmocka.
 */
#ifndef TGS_TEST_FIXTURE_H
#define TGS_TEST_FIXTURE_H
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "internal.h"

/* heuristic i of the tree, NULL past the end; one that searches gets little to search with */
static inline const char *fixture_heuristic(int32_t i)
{
    static const char *const caps[][2] = {
        {"nodes", "1000"}, {"work", "10000"}, {"evals", "1000"}, {"rows", "150"}};
    static char spec[128];
    const char *key, *value, *meaning;

    if (!tgs_plugin_name("heuristic", i))
        return NULL;
    snprintf(spec, sizeof spec, "%s", tgs_plugin_name("heuristic", i));
    for (int32_t j = 0; !tgs_plugin_param("heuristic", i, j, &key, &value, &meaning); j++)
        for (size_t k = 0; k < sizeof caps / sizeof *caps; k++)
            if (!strcmp(key, caps[k][0])) {
                const size_t used = strlen(spec);

                snprintf(spec + used, sizeof spec - used, ":%s=%s", key, caps[k][1]);
            }
    return spec;
}

typedef struct fixture { /* a problem and what it borrows */
    tgs_graph *g;
    tgs_platform *p;
    tgs_problem *pb;
} fixture;

/* a temporary file that holds text; the caller removes it and frees the name */
static inline char *fixture_file(const char *text)
{
    char *path = strdup("/tmp/tgsched-test.XXXXXX");
    const int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    return path;
}

/* body of a .tg file, without its first line */
static inline tgs_graph *fixture_graph(const char *body)
{
    char *text = malloc(strlen(body) + 32), *path;
    tgs_graph *g;
    tgs_error err = {TGS_OK, ""};

    sprintf(text, "tgsched.graph/1\n%s", body);
    path = fixture_file(text);
    if (tgs_graph_read(&g, path, "tg", &err))
        fail_msg("%s", err.text);
    unlink(path);
    free(path);
    free(text);
    return g;
}

/* a one-line spec, or the body of a .tgp file (which has more than one line) */
static inline tgs_platform *fixture_platform(const char *body)
{
    char *text = malloc(strlen(body) + 32), *path;
    tgs_platform *p;
    tgs_error err = {TGS_OK, ""};

    sprintf(text, "tgsched.platform/1\n%s", body);
    path = fixture_file(text);
    if (strchr(body, '\n') ? tgs_platform_read(&p, path, &err) : tgs_platform_parse(&p, body, &err))
        fail_msg("%s", err.text);
    unlink(path);
    free(path);
    free(text);
    return p;
}

static inline tgs_problem *fixture_problem(const tgs_graph *g, const tgs_platform *p,
                                           const char *link)
{
    tgs_problem *pb;
    tgs_error err = {TGS_OK, ""};

    if (tgs_problem_new(&pb, g, p, NULL, link, &err))
        fail_msg("%s", err.text);
    return pb;
}

static inline fixture fixture_open(const char *graph, const char *platform, const char *link)
{
    fixture f = {fixture_graph(graph), fixture_platform(platform), NULL};

    f.pb = fixture_problem(f.g, f.p, link);
    return f;
}

static inline void fixture_close(fixture *f)
{
    tgs_problem_free(f->pb);
    tgs_platform_free(f->p);
    tgs_graph_free(f->g);
}

static inline int32_t fixture_task(const fixture *f, const char *name)
{
    const int32_t t = tgs_graph_find_task(f->g, name);

    assert_true(t >= 0);
    return t;
}

static inline int32_t fixture_proc(const fixture *f, const char *name)
{
    for (int32_t q = 0; q < f->p->v.procs; q++)
        if (!strcmp(f->p->v.proc[q].name, name))
            return q;
    fail_msg("no processor %s", name);
    return -1;
}

/* "TASK PROC START, TASK PROC START, ...": a task named again is a copy */
static inline tgs_status fixture_plan(const fixture *f, const char *text, bool timed,
                                      tgs_schedule **out, tgs_error *err)
{
    tgs_plan plan;
    char *words = strdup(text);
    tgs_status status;

    assert_int_equal(tgs_i_plan_new(&plan, f->g->v.tasks), TGS_OK);
    plan.timed = timed;
    for (char *s = strtok(words, ","); s; s = strtok(NULL, ",")) {
        char task[40], proc[40];
        double start;
        int32_t t, q;

        assert_int_equal(sscanf(s, "%39s %39s %lf", task, proc, &start), 3);
        t = fixture_task(f, task);
        q = fixture_proc(f, proc);
        if (plan.proc[t] >= 0)
            assert_int_equal(tgs_plan_copy(&plan, t, q, start), TGS_OK);
        else {
            plan.proc[t] = q;
            plan.start[t] = start;
        }
    }
    status = tgs_i_schedule_build(out, f->pb, &plan, "by hand", err);
    tgs_i_plan_free(&plan);
    free(words);
    return status;
}

static inline tgs_schedule *fixture_schedule(const fixture *f, const char *text, bool timed)
{
    tgs_schedule *s;
    tgs_error err = {TGS_OK, ""};

    if (fixture_plan(f, text, timed, &s, &err))
        fail_msg("%s", err.text);
    return s;
}

static inline void assert_real(double x, double expected)
{
    if (!(x == expected || fabs(x - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.17g is not %.17g", x, expected);
}

/* the text is the pattern, in which "*" stands for anything */
static inline void assert_text(const char *text, const char *pattern)
{
    if (fnmatch(pattern, text, FNM_NOESCAPE) != 0)
        fail_msg("'%s' is not '%s'", text, pattern);
}
#endif
