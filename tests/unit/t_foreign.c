/* t_foreign.c -- machines in files of other programs: hwloc, SimGrid, DSLab, and the matrices of
 * HEFT's instances: by value, and what is refused with file and line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <dirent.h>
#include <math.h>
#include <cmocka.h>
#include "foreign.h"
#include "readers.h"

static tgs_platform *machine(const char *path)
{
    tgs_platform *p;
    tgs_error err = {TGS_OK, ""};

    if (tgs_platform_open(&p, path, &err))
        fail_msg("%s", err.text);
    return p;
}

/* is this part in the build?  A file that cannot be read because it is not is no failure */
static bool can_read(const char *name)
{
    tgs_platform *p;
    tgs_error err = {TGS_OK, ""};

    if (tgs_platform_open(&p, data_path(name), &err) == TGS_ENOTAPPLICABLE) {
        print_message("%s\n", err.text);
        skip();
        return false;
    }
    tgs_platform_free(p);
    return true;
}

static int32_t memory(const tgs_platform *p, const char *name)
{
    for (int32_t i = 0; i < p->v.memories; i++)
        if (!strcmp(p->v.memory[i].name, name))
            return i;
    fail_msg("no memory %s", name);
    return -1;
}

static const tgs_link *link_between(const tgs_platform *p, const char *from, const char *to)
{
    const int32_t a = memory(p, from), b = memory(p, to);

    for (int32_t i = 0; i < p->v.links; i++)
        if (p->v.link[i].from == a && p->v.link[i].to == b)
            return &p->v.link[i];
    return NULL;
}

static bool near(double x, double y)
{
    return fabs(x - y) <= 1e-12 * fabs(y);
}

static void is_link(const tgs_platform *p, const char *from, const char *to, double latency,
                    double bandwidth, const char *bus)
{
    const tgs_link *l = link_between(p, from, to);

    if (!l || !near(l->latency, latency) || !near(l->bandwidth, bandwidth)
        || (bus ? l->bus < 0 || strcmp(p->v.bus[l->bus].name, bus) : l->bus >= 0))
        fail_msg("%s -> %s: latency %g, bandwidth %g, bus %s", from, to, l ? l->latency : NAN,
                 l ? l->bandwidth : NAN, l && l->bus >= 0 ? p->v.bus[l->bus].name : "none");
}

/* ---- by value ----------------------------------------------------------------------------------
 */

static void simgrid(void **state)
{
    tgs_platform *p;

    (void)state;
    if (!can_read("machines/two.simgrid.xml"))
        return;
    p = machine(data_path("machines/two.simgrid.xml"));
    assert_int_equal(p->v.memories, 6); /* a host each; the router is none */
    assert_int_equal(p->v.procs, 7);
    assert_int_equal(p->v.kinds, 1);
    assert_true(p->v.kind[0].flops == 1e9);
    assert_string_equal(p->v.proc[0].name, "alpha.0");
    assert_true(p->v.proc[0].speed == 2 && p->v.proc[2].speed == 0.5);
    assert_string_equal(p->v.proc[4].name, "n0.x");
    is_link(p, "alpha", "beta", 1.02e-3, 10e6, "slow");
    is_link(p, "gamma", "alpha", 1.02e-3, 10e6, "slow");
    is_link(p, "beta", "gamma", 1.5, 1024, NULL); /* nobody else uses it */
    assert_null(link_between(p, "gamma", "beta"));
    is_link(p, "n0.x", "n5.x", 25e-6, 100e6, "farm");
    is_link(p, "alpha", "n1.x", 10e-3 + 15e-6, 1e6, "wan");
    is_link(p, "n1.x", "alpha", 10e-3 + 15e-6, 1e6, "wan");
    is_link(p, "beta", "n1.x", 1.02e-3 + 10e-3 + 15e-6, 1e6, "wan"); /* through the gateway */
    tgs_platform_free(p);
}

static void dslab(void **state)
{
    tgs_platform *p;

    (void)state;
    if (!can_read("machines/three.dslab.yaml"))
        return;
    p = machine(data_path("machines/three.dslab.yaml"));
    assert_int_equal(p->v.procs, 6);
    assert_true(p->v.proc[0].speed == 10 && p->v.proc[4].speed == 2.5);
    assert_true(p->v.memory[0].capacity == 8e9 && isinf(p->v.memory[1].capacity));
    assert_int_equal(p->v.links, 6);
    is_link(p, "node1", "node3", 1e-4, 1e9, "network");
    tgs_platform_free(p);
}

static void rates(void **state)
{
    tgs_platform *p = machine(data_path("machines/small_2proc_resource_BW.csv"));

    (void)state;
    assert_int_equal(p->v.procs, 2);
    assert_int_equal(p->v.kinds, 2);
    assert_string_equal(p->v.kind[1].name, "P_1");
    is_link(p, "P_0.mem", "P_1.mem", 0.5, 4, NULL);
    is_link(p, "P_1.mem", "P_0.mem", 0, 2, NULL);
    tgs_platform_free(p);
}

static void hwloc(void **state)
{
    tgs_platform *p;

    (void)state;
    if (!can_read("machines/node.hwloc.xml"))
        return;
    p = machine(data_path("machines/node.hwloc.xml"));
    assert_int_equal(p->v.procs, 4); /* 4 cores, one of which drives the card */
    assert_int_equal(p->v.memories, 2);
    assert_true(p->v.memory[0].capacity == 8589934592.0);
    assert_true(p->v.memory[1].capacity == 41943040.0 * 1024);
    assert_string_equal(p->v.kind[p->v.proc[3].kind].name, "a100");
    assert_string_equal(p->v.kind[p->v.proc[3].kind].arch, "cuda");
    assert_int_equal(p->v.links, 2);
    tgs_platform_free(p);
}

static void recognised(void **state)
{
    static const char *const file[][2] = {{"machines/two.simgrid.xml", "simgrid"},
                                          {"machines/three.dslab.yaml", "dslab"},
                                          {"machines/small_2proc_resource_BW.csv", "rates"},
                                          {"machines/node.hwloc.xml", "hwloc"}};

    (void)state;
    for (int32_t i = 0; i < 4; i++) {
        const char *format, *yields;

        assert_int_equal(tgs_identify(data_path(file[i][0]), &format, &yields, NULL), TGS_OK);
        assert_string_equal(format, file[i][1]);
        assert_string_equal(yields, "platform");
    }
}

/* ---- what is refused ---------------------------------------------------------------------------
 */

#define SG(text) \
    "<platform version='4.1'>\n<zone id='z' routing='Full'>\n" text "</zone>\n</platform>\n"
#define TWO        "<host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>\n"
#define YAML(text) "resources:\n- name: a\n  speed: 1\n" text

static void refused(void **state)
{
    static const struct {
        const char *text, *where, *what;
    } row[] = {
        {"<platform version='4.1'>\n<zone id='z'", "text:2: ", ""},
        {SG("<host id='a'/>\n"), "text:3: ", "speed"},
        {SG("<host id='a' speed='0f'/>\n"), "text:3: ", "speed"},
        {SG("<host id='a' speed='1Gz'/>\n"), "text:3: ", "1Gz"},
        {SG("<host id='a' speed='nanf'/>\n"), "text:3: ", "nanf"},
        {SG("<host id='a' speed='1f' core='0'/>\n"), "text:3: ", "core"},
        {SG("<host id='a' speed='1f' speed_file='x'/>\n"), "text:3: ", "changes over time"},
        {SG(TWO "<host id='a' speed='1f'/>\n"), "text:4: ", "'a'"},
        {SG(TWO "<link id='l' bandwidth='-1'/>\n"), "text:4: ", "bandwidth"},
        {SG(TWO "<link id='l' bandwidth='1' latency='1 s'/>\n"), "text:4: ", "latency"},
        {SG(TWO "<route src='a' dst='c'>\n</route>"), "text:4: ", "dst=\"c\""},
        {SG(TWO "<route src='a' dst='b'>\n<link_ctn id='x'/></route>"), "text:5: ", "id=\"x\""},
        {SG(TWO "<route src='a' dst='b'>\n</route>"), "text:4: ", "without links"},
        {SG(TWO "<link_ctn id='x'/>"), "text:4: ", "outside"},
        {SG("<zone id='y' routing='Vivaldi'><host id='c' speed='1f'/><host id='d' "
            "speed='1f'/></zone>"),
         "text:", "from 'c' to 'd'"},
        {SG(TWO
            "<link id='l' bandwidth='1'/><zone id='y'>\n<route src='a' dst='b'><link_ctn id='l'/>"
            "</route></zone>"),
         "text:5: ", "'a' is not of the zone"},
        {SG(TWO "<link id='l' bandwidth='1'/><route src='a' dst='b'><link_ctn id='l'/></route>\n"
                "<route src='a' dst='b'><link_ctn id='l'/></route>"),
         "text:5: ", "a second route from 'a' to 'b'"},
        {SG(TWO "<link id='l' bandwidth='1'/><zone id='y'/><zone id='x'/>\n<zoneRoute src='y' "
                "dst='x' gw_src='a' gw_dst='b'><link_ctn id='l'/></zoneRoute>"),
         "text:5: ", "the gateway 'a' is not in 'y'"},
        {SG("<cluster id='c' prefix='n' radical='0-9999' speed='1f' bw='1' lat='0'/>"),
         "text:3: ", "more than"},
        {SG("<cluster id='c' prefix='n' radical='5-2' speed='1f' bw='1' lat='0'/>"),
         "text:3: ", "radical"},
        {SG("<cluster id='c' radical='0' speed='1f' bw='1' topology='TORUS'/>"),
         "text:3: ", "TORUS"},
        {SG("<peer id='p'/>"), "text:3: ", "<peer>"},
        {SG("<zone id='y' routing=''><host id='c' speed='1f'/><host id='d' speed='1f'/></zone>"),
         "text:", "'c'"},
        {YAML("network:\n  model: Star\n"), "text:5: ", "none of"},
        {YAML("network: {model: ConstantBandwidth, latency: 1}\n"), "text:4: ", "bandwidth"},
        {YAML("network: {model: ConstantBandwidth, bandwidth: .inf, latency: 1}\n"),
         "text:4: ", "bandwidth"},
        {YAML("  cores: 0\n"), "text:", ""},
        {"resources:\n- name: [\n", "text:3: ", ""},
        {"P,P_0,P_1\nP_0,0,1\n", "text:2: ", "1 rows"},
        {"P,P_0,P_1\nP_0,0,nan\nP_1,1,0\n", "text:2: ", "'nan'"},
        {"P,P_0,P_1\nP_1,0,1\nP_0,1,0\n", "text:2: ", "'P_1'"},
        {"P,P_0,P_1\nP_0,0\nP_1,1,0\n", "text:2: ", "1 cells"},
        {"P,P_0,P_0\nP_0,0,1\nP_0,1,0\n", "text:1: ", "P_0"},
        {"<topology version='2.0'>\n<object type='Machine'", "text:2: ", ""},
        {"<topology version='2.0'>\n<object type='Machine'/>\n</topology>", "text:2: ", "cores"},
        {"<topology>\n<object type='Core' local_memory='-1'/></topology>", "text:2: ", "-1"},
        {"<topology>\n<object type='OSDev' osdev_type='5'>\n"
         "<info name='CUDAGlobalMemorySize' value='nan'/></object></topology>",
         "text:3: ", "nan"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const size_t size = strlen(row[i].text);
        const tgs_i_foreign *f = tgs_i_foreign_find(row[i].text, size);
        tgs_source s = {.path = "text", .file = fmemopen((void *)row[i].text, size, "r")};
        tgs_error err = {TGS_OK, ""};
        tgs_platform *p = NULL;
        tgs_status status;

        assert_non_null(f);
        status = f->load(&p, &s, &err);
        tgs_i_source_close(&s);
        assert_null(p);
        if (status == TGS_ENOTAPPLICABLE)
            continue; /* not in this build */
        if (status != TGS_EPARSE || strncmp(err.text, row[i].where, strlen(row[i].where))
            || !strstr(err.text, row[i].what))
            fail_msg("row %zu: '%s'", i, err.text);
    }
}

/* ---- published machines, where they are at hand ------------------------------------------------
 */

static const char *shared(const char *name)
{
    static char path[8192];
    const char *root = getenv("TGS_SRCDIR");

    snprintf(path, sizeof path, "%s/../shared/data/%s", root ? root : ".", name);
    return path;
}

/* every machine of a folder is read, or refused with its line */
static void read_folder(const char *folder, const char *suffix, int32_t expected)
{
    const char *base = shared(folder);
    DIR *dir = opendir(base);
    int32_t good = 0;

    if (!dir) {
        print_message("the set %s is not at hand\n", folder);
        skip();
        return;
    }
    for (struct dirent *d; (d = readdir(dir));) {
        const size_t n = strlen(d->d_name), m = strlen(suffix);
        char path[8700];
        tgs_error err = {TGS_OK, ""};
        tgs_platform *p;

        if (n < m || strcmp(d->d_name + n - m, suffix))
            continue;
        snprintf(path, sizeof path, "%s/%s", base, d->d_name);
        if (!tgs_platform_open(&p, path, &err))
            good++;
        else if (err.status == TGS_EPARSE) {
            print_message("%s\n", err.text);
            assert_true(atoi(err.text + strlen(path) + 1) >= 1);
        } else
            assert_int_equal(err.status, TGS_ENOTAPPLICABLE);
        tgs_platform_free(p);
    }
    closedir(dir);
    assert_int_equal(good, expected);
}

static void published_simgrid(void **state)
{
    (void)state;
    if (can_read("machines/two.simgrid.xml"))
        read_folder("simgrid-dags/platforms", ".xml", 16);
}

static void published_dslab(void **state)
{
    (void)state;
    if (can_read("machines/three.dslab.yaml"))
        read_folder("dslab-dags/systems", ".yaml", 7);
}

/* the example of the HEFT paper: 80, from its own files */
static void published_heft(void **state)
{
    tgs_graph *g;
    tgs_platform *p;
    tgs_problem *pb;
    tgs_schedule *s;

    (void)state;
    if (tgs_platform_open(&p, shared("heft-family/canonicalgraph_resource_BW.csv"), NULL)) {
        print_message("the set heft-family is not at hand\n");
        skip();
        return;
    }
    g = graph_of(shared("heft-family/canonicalgraph_task_exe_time.csv"), NULL);
    assert_int_equal(tgs_problem_new(&pb, g, p, NULL, NULL, NULL), TGS_OK);
    assert_int_equal(tgs_schedule_make(&s, pb, "heft", 0, NULL), TGS_OK);
    assert_true(tgs_schedule_makespan(s) == 80);
    tgs_schedule_free(s);
    assert_int_equal(tgs_schedule_make(&s, pb, "cpop", 0, NULL), TGS_OK);
    assert_true(tgs_schedule_makespan(s) == 86);
    tgs_schedule_free(s);
    tgs_problem_free(pb);
    tgs_platform_free(p);
    tgs_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simgrid),
        cmocka_unit_test(dslab),
        cmocka_unit_test(rates),
        cmocka_unit_test(hwloc),
        cmocka_unit_test(recognised),
        cmocka_unit_test(refused),
        cmocka_unit_test(published_simgrid),
        cmocka_unit_test(published_dslab),
        cmocka_unit_test(published_heft),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
