/* t_oom_problem.c -- memory runs out while a platform, costs or a problem is made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>
#include <cmocka.h>
#include "oom.h"
#include "platform.h"
#include "probe.h"

static tgs_status parse(const void *spec)
{
    tgs_platform *p;
    tgs_error err = {TGS_OK, ""};
    const tgs_status status = tgs_platform_parse(&p, spec, &err);

    assert_int_equal(p != NULL, !status);
    assert_int_equal(err.status, status);
    assert_true(!status || *err.text);
    tgs_platform_free(p);
    return status;
}

static tgs_status open_platform(const void *path)
{
    tgs_platform *p;
    tgs_status status = tgs_platform_open(&p, path, NULL);

    if (!status)
        status = tgs_platform_write(p, path, NULL);
    tgs_platform_free(p);
    return status;
}

static tgs_status open_costs(const void *path)
{
    tgs_costs *c;
    tgs_status status = tgs_costs_open(&c, path, NULL);

    if (!status)
        status = tgs_costs_write(c, path, NULL);
    tgs_costs_free(c);
    return status;
}

static tgs_status name_costs(const void *name)
{
    tgs_costs *c;
    const tgs_status status = tgs_costs_open(&c, name, NULL);

    tgs_costs_free(c);
    return status;
}

static tgs_status host(const void *data)
{
    tgs_i_probe probe = {.cpus = 2, .devices = 2};
    tgs_platform *p;
    tgs_status status;

    (void)data;
    strcpy(probe.device[0].arch, "cuda");
    strcpy(probe.device[1].arch, "opencl");
    status = tgs_i_host_build(&p, 8, 1e9, &probe, NULL);
    tgs_platform_free(p);
    return status;
}

typedef struct inputs {
    const tgs_graph *g;
    const tgs_platform *p;
    const tgs_costs *costs;
    const tgs_codelets *codelets;
    const tgs_trace *trace;
} inputs;

static tgs_status price(const void *data)
{
    const inputs *in = data;
    tgs_problem *pb, *next = NULL, *last = NULL;
    tgs_status status = tgs_problem_new(&pb, in->g, in->p, in->costs, "zero", NULL);

    if (!status)
        status = tgs_problem_reprice(&next, pb, in->costs, in->trace, NULL);
    if (!status)
        status = tgs_problem_restrict(&last, next, in->codelets, NULL);
    tgs_problem_free(last);
    tgs_problem_free(next);
    tgs_problem_free(pb);
    return status;
}

/* everything that makes pricing allocate: pins, groups, capacities, homes, measured curves */
static tgs_graph *constrained(void)
{
    tgs_builder *b;
    tgs_graph *g;

    assert_int_equal(tgs_builder_new(&b, NULL), TGS_OK);
    for (int i = 0; i < 4; i++)
        tgs_builder_task(b, NULL, "gemm", 1);
    tgs_builder_task_constrain(b, 0, "group", "1");
    tgs_builder_task_constrain(b, 1, "group", "1");
    tgs_builder_task_constrain(b, 2, "processor", "cpu0");
    tgs_builder_task_constrain(b, 2, "memory", "ram");
    tgs_builder_datum(b, "d", 3e9);
    tgs_builder_datum_set(b, 0, "home", "gpu0.mem");
    tgs_builder_access(b, 3, 0, TGS_R);
    assert_int_equal(tgs_builder_finish(&g, b, NULL), TGS_OK);
    return g;
}

static void written(char *path, const char *text)
{
    const int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void platforms(void **state)
{
    char path[] = "/tmp/tgs-oom-XXXXXX";

    (void)state;
    oom_every("spec", parse, "cpu:2 gpu:2x3@8/own link:1e9,1e-5");
    written(path, "tgsched.platform/1\nkind k arch=a\nmemory m trust=t\nmemory n\n"
                  "processor p kind=k memory=m\nbus b bandwidth=9\n"
                  "link m n latency=1 bandwidth=1 bus=b\n");
    oom_every("platform file", open_platform, path);
    unlink(path);
    oom_every("host", host, NULL);
}

static void costs(void **state)
{
    char path[] = "/tmp/tgs-oom-XXXXXX";

    (void)state;
    written(path, "tgsched.costs/1\nlink from=a to=b latency=1 bandwidth=1\n"
                  "sample codelet=c kind=k median=1\nsample codelet=c kind=l median=1\n");
    oom_every("cost file", open_costs, path);
    unlink(path);
    oom_every("named costs", name_costs, "auto");
}

static void problems(void **state)
{
    static const tgs_sample sample = {"gemm", "", "cpu", TGS_F32, 1, 1, 1, 1, 0, 1, 0};
    static const tgs_link_sample link = {"ram", "gpu0.mem", 1, 1, 0, 0, 1, 0};
    static const char *const proc[] = {"cpu0", "gpu0"}, *const kind[] = {"cpu", "gpu"};
    tgs_trace trace = {
        .v = {.tasks = 4, .procs = 2, .memories = 2, .proc_name = proc, .proc_kind = kind}};
    tgs_graph *g = constrained();
    tgs_codelets *codelets;
    tgs_platform *p;
    tgs_costs *c;
    inputs in;

    (void)state;
    assert_int_equal(tgs_platform_parse(&p, "cpu:1 gpu:1@2", NULL), TGS_OK);
    assert_int_equal(tgs_codelets_new(&codelets, NULL), TGS_OK);
    assert_int_equal(tgs_i_costs_new(&c, NULL), TGS_OK);
    assert_int_equal(tgs_costs_add(c, &sample), TGS_OK);
    assert_int_equal(tgs_costs_add_link(c, &link), TGS_OK);
    in = (inputs){g, p, c, codelets, &trace};
    oom_every("problem", price, &in);
    tgs_costs_free(c);
    tgs_codelets_free(codelets);
    tgs_platform_free(p);
    tgs_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(platforms),
        cmocka_unit_test(costs),
        cmocka_unit_test(problems),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
