/* t_trust.c -- trust domains: encryption on edges that leave one (P18), labels on operators. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include "internal.h"
#include "machine.h"
#include "nets.h"
#include "steps.h"

/* two memories of domain x, one of y; any two are 2 s apart for one byte */
#define SITES                                                                                    \
    "kind k\nmemory a trust=x\nmemory b trust=x\nmemory c trust=y\n"                             \
    "processor pa kind=k memory=a\nprocessor pb kind=k memory=b\nprocessor pc kind=k memory=c\n" \
    "link a b latency=1 bandwidth=1\nlink b a latency=1 bandwidth=1\n"                           \
    "link a c latency=1 bandwidth=1\nlink c a latency=1 bandwidth=1\n"                           \
    "link b c latency=1 bandwidth=1\nlink c b latency=1 bandwidth=1\n"

static tgs_strategy *strategy(const char *text)
{
    tgs_strategy *s;
    tgs_error err = {TGS_OK, ""};

    if (tgs_strategy_parse(&s, text, &err))
        fail_msg("%s", err.text);
    return s;
}

static int32_t tasks_of(const tgs_graph *g, const char *codelet)
{
    int32_t n = 0;

    for (int32_t t = 0; t < g->v.tasks; t++)
        n += !strcmp(tgs_graph_task_codelet(g, t), codelet);
    return n;
}

/* A -> B of 5 s each, with these labels and memories (NULL none), encrypted where they say so */
static tgs_graph *pair(const char *const trust[2], const char *const memory[2])
{
    tgs_strategy *s = strategy("secure-edge seconds=1 rate=1e18");
    tgs_builder *b = fresh();
    tgs_error err = {TGS_OK, ""};
    tgs_graph *g;

    for (int32_t i = 0; i < 2; i++) {
        tgs_builder_task(b, i ? "B" : "A", NULL, 5);
        if (trust[i])
            tgs_builder_task_constrain(b, i, "trust", trust[i]);
        if (memory[i])
            tgs_builder_task_constrain(b, i, "memory", memory[i]);
    }
    tgs_builder_edge(b, 0, 1, 1);
    g = finished(b);
    if (tgs_graph_transform(&g, s, &err))
        fail_msg("%s", err.text);
    tgs_strategy_free(s);
    return g;
}

static double best(const tgs_graph *g)
{
    tgs_platform *p = machine(SITES);
    tgs_problem *pb = priced(g, p, "latbw");
    tgs_error err = {TGS_OK, ""};
    tgs_schedule *s;
    double makespan;

    if (tgs_schedule_make(&s, pb, "bnb", 1, &err))
        fail_msg("%s", err.text);
    makespan = tgs_schedule_makespan(s);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    return makespan;
}

/* P18 (S4): 10 on one device, 12 inside a domain, 14 across two */
static void p18_secure_edge(void **state)
{
    static const struct {
        const char *trust[2], *memory[2];
        int32_t tasks;
        double makespan;
    } row[] = {
        {{"x", "x"}, {NULL, NULL}, 2, 10},
        {{"x", "x"}, {"a", "b"}, 2, 12},
        {{"x", "y"}, {NULL, NULL}, 4, 14},
        {{NULL, "y"}, {"a", NULL}, 2, 12}, /* no secret */
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        tgs_graph *g = pair(row[i].trust, row[i].memory);

        assert_int_equal(tgs_graph_tasks(g), row[i].tasks);
        if (best(g) != row[i].makespan)
            fail_msg("row %d: %.17g", (int)i, best(g));
        tgs_graph_free(g);
    }
}

/* P18: the only legal answer is 14: on A's device, B is refused */
static void p18_is_checked(void **state)
{
    tgs_graph *g = pair((const char *[]){"x", "y"}, (const char *[]){NULL, NULL});
    tgs_platform *p = machine(SITES);
    tgs_problem *pb = priced(g, p, "latbw");
    char path[] = "/tmp/tgsched-trust-XXXXXX";
    const int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    tgs_error err = {TGS_OK, ""};
    tgs_schedule *s;
    char csv[64];

    (void)state;
    fputs("task,processor,start\nA,pa,0\nencrypt#0,pa,5\ndecrypt#1,pa,6\nB,pa,7\n", f);
    fclose(f);
    snprintf(csv, sizeof csv, "%s.csv", path);
    assert_int_equal(rename(path, csv), 0);
    assert_int_equal(tgs_schedule_read(&s, csv, pb, &err), TGS_OK);
    assert_int_equal(tgs_schedule_check(s, pb, &err), TGS_ECHECK);
    remove(csv);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
}

/* a version is encrypted once, and decrypted once in each domain that reads it */
static void one_encryption(void **state)
{
    tgs_strategy *s = strategy("secure-edge");
    tgs_builder *b = fresh();
    tgs_error err = {TGS_OK, ""};
    tgs_graph *g;
    int32_t d;

    (void)state;
    tgs_builder_task(b, "w", NULL, 1);
    tgs_builder_task_constrain(b, 0, "trust", "x");
    d = tgs_builder_datum(b, "d", 100);
    tgs_builder_access(b, 0, d, TGS_W);
    for (int32_t i = 1; i < 6; i++) {
        tgs_builder_task(b, NULL, NULL, 1);
        tgs_builder_task_constrain(b, i, "trust", i < 3 ? "y" : i < 5 ? "z" : "x");
        tgs_builder_access(b, i, d, i == 4 ? TGS_RW : TGS_R);
    }
    g = finished(b);
    assert_int_equal(tgs_graph_transform(&g, s, &err), TGS_OK);
    assert_int_equal(tasks_of(g, "encrypt"), 2); /* what 4 wrote in z goes to x */
    assert_int_equal(tasks_of(g, "decrypt"), 3);
    assert_true(is_edge(g, "w", "encrypt#0"));
    assert_int_equal(g->v.data, 1 + 2 + 3);
    assert_string_equal(tgs_graph_note(g), "5 tasks encrypt or decrypt");
    tgs_graph_free(g);
    tgs_strategy_free(s);
}

static void transform_fails(tgs_builder *b, const char *text, tgs_status status, const char *what)
{
    tgs_strategy *s = strategy(text);
    tgs_error err = {TGS_OK, ""};
    tgs_graph *g = finished(b);

    assert_int_equal(tgs_graph_transform(&g, s, &err), status);
    if (!strstr(err.text, what))
        fail_msg("'%s'", err.text);
    tgs_graph_free(g); /* it is still there */
    tgs_strategy_free(s);
}

static tgs_builder *leak(bool persistent)
{
    tgs_builder *b = fresh();
    const int32_t d = tgs_builder_datum(b, "d", 8);

    for (int32_t i = 0; i < 2; i++) {
        tgs_builder_task(b, i ? "r" : "w", NULL, 1);
        if (!i || persistent)
            tgs_builder_task_constrain(b, i, "trust", i ? "y" : "x");
        tgs_builder_access(b, i, d, !i ? TGS_W : persistent ? TGS_RW : TGS_R);
    }
    if (persistent)
        tgs_builder_datum_set(b, d, "persistent", "1");
    return b;
}

static void refusals(void **state)
{
    (void)state;
    transform_fails(leak(false), "secure-edge", TGS_EINFEASIBLE, "public=1");
    transform_fails(leak(true), "secure-edge", TGS_ENOTAPPLICABLE, "in place");
    transform_fails(leak(false), "train", TGS_EINVAL, "transforms models");
}

/* nothing to encrypt: the same graph, whatever is in it */
static void identity(void **state)
{
    static const char *const spec[] = {"layered:n=200:kinds=a+b", "cholesky:n=6", "sdf"};
    tgs_strategy *s = strategy("secure-edge");
    char path[4096];

    (void)state;
    for (size_t i = 0; i <= sizeof spec / sizeof *spec; i++) {
        const bool file = i == sizeof spec / sizeof *spec;
        tgs_error err = {TGS_OK, ""};
        tgs_graph *g;
        uint64_t before;

        snprintf(path, sizeof path, "%s/tests/data/graphs/all.tg",
                 getenv("TGS_SRCDIR") ? getenv("TGS_SRCDIR") : ".");
        if (file ? tgs_graph_read(&g, path, NULL, &err) : tgs_graph_generate(&g, spec[i], 1, &err))
            fail_msg("%s", err.text);
        before = tgs_graph_fingerprint(g);
        if (tgs_graph_transform(&g, s, &err))
            fail_msg("%s", err.text);
        assert_true(tgs_graph_fingerprint(g) == before);
        tgs_graph_free(g);
    }
    tgs_strategy_free(s);
}

static const char *trust_of(const tgs_graph *g, const char *task)
{
    const int32_t c = task_of(g, task)->constraint;

    return c < 0 ? "" : tgs_text(&g->v, g->v.constraint[c].trust);
}

/* labels on the operators of a step, and what crosses them */
static void operators(void **state)
{
    tgs_strategy *s = strategy("train sgd; loss sum; trust x ops=h; trust y ops=y,r");
    tgs_strategy *t = strategy("train sgd; loss sum; trust x ops=h; trust y ops=y,r; "
                               "secure-edge public=1");
    tgs_model *m = mlp();
    tgs_error err = {TGS_OK, ""};
    tgs_graph *g;

    (void)state;
    if (tgs_model_lower(&g, m, s, &err))
        fail_msg("%s", err.text);
    assert_string_equal(trust_of(g, "h"), "x");
    assert_string_equal(trust_of(g, "r"), "y");
    assert_string_equal(trust_of(g, "loss"), "");
    assert_string_equal(trust_of(g, "w.update"), "x"); /* nobody else touches w */
    assert_string_equal(trust_of(g, "v.update"), "y");
    tgs_graph_free(g);
    if (tgs_model_lower(&g, m, t, &err))
        fail_msg("%s", err.text);
    assert_int_equal(tasks_of(g, "encrypt"), 2); /* h, and its gradient */
    assert_int_equal(tasks_of(g, "decrypt"), 2);
    tgs_graph_free(g);
    tgs_strategy_free(s);
    tgs_strategy_free(t);
    s = strategy("trust x ops=none");
    assert_int_equal(tgs_model_lower(&g, m, s, &err), TGS_EINVAL);
    assert_null(g);
    tgs_strategy_free(s);
    tgs_model_free(m);
}

/* several models in one: what they make is what they made alone */
static void union_of_models(void **state)
{
    const tgs_model *part[3];
    tgs_model *m[3], *all;
    tgs_model_stats one, sum;
    tgs_graph *g, *h;
    tgs_error err = {TGS_OK, ""};

    (void)state;
    for (int i = 0; i < 3; i++)
        part[i] = m[i] = mlp();
    if (tgs_model_union(&all, part, 3, &err))
        fail_msg("%s", err.text);
    tgs_model_measure(m[0], &one, &err);
    tgs_model_measure(all, &sum, &err);
    assert_true(sum.layers == 3 * one.layers && sum.parameters == 3 * one.parameters
                && sum.flops_forward == 3 * one.flops_forward);
    assert_int_equal(tgs_model_lower(&g, all, NULL, &err), TGS_OK);
    assert_int_equal(tgs_model_lower(&h, m[0], NULL, &err), TGS_OK);
    assert_int_equal(g->v.tasks, 3 * h->v.tasks);
    assert_int_equal(g->v.edges, 3 * h->v.edges);
    assert_task(g, "2.y", "gemm alpha=0.5 beta=1 transA=0 transB=1 | R 2.r, R 2.v, W 2.y");
    tgs_graph_free(g);
    tgs_graph_free(h);
    tgs_model_free(all);
    for (int i = 0; i < 3; i++)
        tgs_model_free(m[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p18_secure_edge), cmocka_unit_test(p18_is_checked),
        cmocka_unit_test(one_encryption),  cmocka_unit_test(refusals),
        cmocka_unit_test(identity),        cmocka_unit_test(operators),
        cmocka_unit_test(union_of_models),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
