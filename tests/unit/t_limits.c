/* t_limits.c -- where tasks may run: pins, trust, capacity, colocation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "internal.h"
#include "machine.h"

/* two kinds, three memories with processors and one without */
#define NODE                                                                                  \
    "kind cpu\nkind gpu\nmemory r\nmemory s capacity=100 trust=vault\nmemory t capacity=50\n" \
    "memory store\n"                                                                          \
    "processor c kind=cpu memory=r\nprocessor d kind=cpu memory=s\n"                          \
    "processor g kind=gpu memory=s\nprocessor h kind=gpu memory=t\n"                          \
    "link r s latency=1 bandwidth=1\nlink s r latency=1 bandwidth=1\n"

typedef struct rule {
    int task;
    const char *key, *value;
} rule;

/* two tasks of work 1, 'x' and 'y', under these rules (a NULL key ends them) */
static tgs_graph *ruled(const rule *r)
{
    tgs_builder *b = fresh();

    tgs_builder_task(b, "x", NULL, 1);
    tgs_builder_task(b, "y", NULL, 1);
    for (; r->key; r++)
        tgs_builder_task_constrain(b, r->task, r->key, r->value);
    return finished(b);
}

static void pins_and_groups(void **state)
{
    static const struct {
        rule rules[5];
        int32_t pin[2];     /* -1 none */
        uint64_t memory[2]; /* r 1, s 2, t 4 */
        bool masked;
    } t[] = {
        {{{0, "processor", "h"}}, {3, -1}, {7, 7}, false},
        {{{0, "memory", "s"}}, {-1, -1}, {2, 7}, true},
        {{{0, "processor", "d"}, {0, "memory", "s"}}, {1, -1}, {2, 7}, true},
        {{{0, "trust", "vault"}}, {-1, -1}, {2, 7}, true},
        {{{0, "group", "5"}, {1, "group", "5"}}, {-1, -1}, {7, 7}, true},
        {{{0, "group", "5"}, {1, "group", "6"}, {0, "memory", "r"}}, {-1, -1}, {1, 7}, true},
        {{{0, "group", "5"}, {1, "group", "5"}, {0, "memory", "r"}}, {-1, -1}, {1, 1}, true},
        {{{0, "group", "5"}, {1, "group", "5"}, {0, "processor", "d"}}, {1, -1}, {2, 2}, true},
        {{{0, "group", "5"}, {1, "group", "5"}, {0, "kinds", "cpu"}, {1, "kinds", "gpu"}},
         {-1, -1},
         {2, 2},
         true},
        {{{0, "priority", "1"}, {1, "deadline", "3"}}, {-1, -1}, {7, 7}, false},
    };
    tgs_platform *p = machine(NODE);

    (void)state;
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        tgs_graph *g = ruled(t[i].rules);
        tgs_problem *pb = priced(g, p, "latbw");

        assert_int_equal(pb->v.mem_mask != NULL, t[i].masked);
        assert_int_equal(pb->v.pin_proc != NULL, t[i].pin[0] >= 0);
        for (int task = 0; task < 2; task++) {
            if (pb->v.mem_mask)
                assert_int_equal(pb->v.mem_mask[task], t[i].memory[task]);
            if (pb->v.pin_proc)
                assert_int_equal(pb->v.pin_proc[task], t[i].pin[task]);
            for (int32_t q = 0; q < 4; q++)
                if ((t[i].pin[task] >= 0 && q != t[i].pin[task])
                    || !(t[i].memory[task] >> p->v.proc[q].memory & 1))
                    assert_true(isinf(tgs_w(&pb->v, task, q)));
        }
        tgs_problem_free(pb);
        tgs_graph_free(g);
    }
    tgs_platform_free(p);
}

static void impossible_rules_are_explained(void **state)
{
    static const struct {
        rule rules[5];
        tgs_status status;
        const char *text;
    } t[] = {
        {{{1, "processor", "q"}},
         TGS_EINVAL,
         "task 'y' is pinned to 'q', which is no processor of the platform"},
        {{{0, "memory", "q"}},
         TGS_EINVAL,
         "task 'x' is pinned to 'q', which is no memory of the platform"},
        {{{0, "processor", "c"}, {0, "kinds", "gpu"}},
         TGS_EINFEASIBLE,
         "task 'x' may run nowhere: it is pinned to 'c', whose kind it may not use"},
        {{{0, "processor", "c"}, {0, "memory", "s"}},
         TGS_EINFEASIBLE,
         "task 'x' may run nowhere: no memory it may use has a processor it may use"},
        {{{0, "memory", "store"}},
         TGS_EINFEASIBLE,
         "task 'x' may run nowhere: no memory it may use has a processor it may use"},
        {{{0, "memory", "r"}, {0, "kinds", "gpu"}},
         TGS_EINFEASIBLE,
         "task 'x' may run nowhere: no memory it may use has a processor it may use"},
        {{{0, "trust", "nobody"}},
         TGS_EINFEASIBLE,
         "task 'x' may run nowhere: no memory it may use has a processor it may use"},
        {{{0, "group", "7"}, {1, "group", "7"}, {0, "memory", "r"}, {1, "memory", "s"}},
         TGS_EINFEASIBLE,
         "task 'y' shares no memory with the others of its group 7"},
        {{{0, "group", "7"}, {1, "group", "7"}, {0, "processor", "c"}, {1, "kinds", "gpu"}},
         TGS_EINFEASIBLE,
         "task 'y' shares no memory with the others of its group 7"},
    };
    tgs_platform *p = machine(NODE);

    (void)state;
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        tgs_graph *g = ruled(t[i].rules);

        refused(g, p, t[i].status, t[i].text);
        tgs_graph_free(g);
    }
    tgs_platform_free(p);
}

/* x reads one datum twice and another once */
static tgs_graph *reading(double one, double two)
{
    tgs_builder *b = fresh();

    tgs_builder_task(b, "x", NULL, 1);
    tgs_builder_task(b, "y", NULL, 1);
    tgs_builder_datum(b, "one", one);
    tgs_builder_datum(b, "two", two);
    tgs_builder_access(b, 0, 0, TGS_R);
    tgs_builder_access(b, 0, 1, TGS_R);
    tgs_builder_access(b, 0, 0, TGS_R);
    tgs_builder_access(b, 1, 0, TGS_R);
    return finished(b);
}

static void working_sets_must_fit(void **state)
{
    static const struct {
        double one, two;
        uint64_t x, y; /* 0: no masks */
    } t[] = {{25, 25, 0, 0}, {25, 26, 3, 7}, {60, 40, 3, 3}, {60, 41, 1, 3}, {101, 0, 1, 1}};
    tgs_platform *p = machine(NODE);
    tgs_graph *g;

    (void)state;
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        tgs_problem *pb;

        g = reading(t[i].one, t[i].two);
        pb = priced(g, p, "latbw");
        assert_int_equal(pb->v.mem_mask != NULL, t[i].x != 0);
        if (pb->v.mem_mask) {
            assert_int_equal(pb->v.mem_mask[0], t[i].x);
            assert_int_equal(pb->v.mem_mask[1], t[i].y);
        }
        tgs_problem_free(pb);
        tgs_graph_free(g);
    }
    tgs_platform_free(p);
    p = machine("kind k\nmemory m capacity=10\nmemory n\nprocessor p kind=k memory=m\n");
    g = reading(4, 7);
    refused(g, p, TGS_EINFEASIBLE,
            "task 'x' may run nowhere: its data, 11 bytes together, fit in no memory it may use; "
            "1 bytes are missing");
    tgs_graph_free(g);
    tgs_platform_free(p);
}

static void more_than_64_memories(void **state)
{
    static const rule none[] = {{0, NULL, NULL}};
    static const rule proc[] = {{0, "processor", "cpu69"}, {0, NULL, NULL}};
    static const rule memory[] = {{1, "memory", "cpu69.mem"}, {0, NULL, NULL}};
    static const rule pair[] = {
        {0, "group", "3"}, {1, "group", "3"}, {1, "memory", "cpu65.mem"}, {0, NULL, NULL}};
    static const rule apart[] = {{0, "group", "3"},
                                 {0, "memory", "cpu2.mem"},
                                 {1, "group", "3"},
                                 {1, "memory", "cpu66.mem"},
                                 {0, NULL, NULL}};
    tgs_platform *p, *small;
    tgs_problem *pb;
    tgs_graph *g = ruled(none);

    (void)state;
    assert_int_equal(tgs_platform_parse(&p, "cpu:70/own", NULL), TGS_OK);
    assert_int_equal(tgs_platform_parse(&small, "cpu:70@1/own", NULL), TGS_OK);
    pb = priced(g, p, "latbw");
    assert_null(pb->v.mem_mask);
    tgs_problem_free(pb);
    tgs_graph_free(g);

    g = ruled(proc);
    pb = priced(g, p, "latbw");
    assert_int_equal(pb->v.pin_proc[0], 69);
    assert_true(isinf(tgs_w(&pb->v, 0, 68)) && tgs_w(&pb->v, 0, 69) == 1);
    tgs_problem_free(pb);
    tgs_graph_free(g);

    g = ruled(memory);
    pb = priced(g, p, "latbw");
    assert_int_equal(pb->v.mem_words, 2);
    for (int32_t i = 0; i < 70; i++) {
        assert_true(tgs_allowed(&pb->v, 0, i));
        assert_int_equal(tgs_allowed(&pb->v, 1, i), i == 69);
    }
    tgs_problem_free(pb);
    tgs_graph_free(g);

    g = ruled(pair); /* where one of a group must be, the other one is, too */
    pb = priced(g, p, "latbw");
    for (int32_t i = 0; i < 70; i++)
        assert_true(tgs_allowed(&pb->v, 0, i) == (i == 65)
                    && tgs_allowed(&pb->v, 1, i) == (i == 65));
    tgs_problem_free(pb);
    tgs_graph_free(g);
    g = ruled(apart);
    refused(g, p, TGS_EINFEASIBLE, "task 'y' shares no memory with the others of its group 3");
    tgs_graph_free(g);

    g = reading(1e9, 1e9);
    pb = priced(g, p, "latbw");
    assert_null(pb->v.mem_mask);
    tgs_problem_free(pb);
    refused(
        g, small, TGS_EINFEASIBLE,
        "task 'x' may run nowhere: its data, 2000000000 bytes together, fit in no memory it may "
        "use; 926258176 bytes are missing");
    tgs_graph_free(g);
    tgs_platform_free(small);
    tgs_platform_free(p);

    /* the 64th memory is the last bit */
    assert_int_equal(tgs_platform_parse(&p, "cpu:64/own", NULL), TGS_OK);
    g = ruled((const rule[]){{0, "memory", "cpu63.mem"}, {0, NULL, NULL}});
    pb = priced(g, p, "latbw");
    assert_true(pb->v.mem_mask[0] == (uint64_t)1 << 63);
    assert_true(pb->v.mem_mask[1] == UINT64_MAX);
    tgs_problem_free(pb);
    tgs_graph_free(g);
    tgs_platform_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pins_and_groups),
        cmocka_unit_test(impossible_rules_are_explained),
        cmocka_unit_test(working_sets_must_fit),
        cmocka_unit_test(more_than_64_memories),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
