/* t_platform.c -- one-line specs and .tgp files: what they mean, and every way to get them wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "platform.h"

static tgs_platform *parsed(const char *spec)
{
    tgs_platform *p;
    tgs_error err = {TGS_OK, ""};

    if (tgs_platform_parse(&p, spec, &err))
        fail_msg("%s", err.text);
    return p;
}

/* a file of this text, called "x.tgp" in errors */
static tgs_status load(tgs_platform **out, const char *text, tgs_error *err)
{
    tgs_source s = {.path = "x.tgp"};
    tgs_status status;

    s.file = *text ? fmemopen((void *)text, strlen(text), "r") : fopen("/dev/null", "r");
    assert_non_null(s.file);
    status = tgs_i_platform_load(out, &s, err);
    tgs_i_source_close(&s);
    return status;
}

static tgs_platform *loaded(const char *text)
{
    tgs_platform *p;
    tgs_error err = {TGS_OK, ""};

    if (load(&p, text, &err))
        fail_msg("%s", err.text);
    return p;
}

static void assert_real(double x, double expected)
{
    if (!(x == expected || (isnan(x) && isnan(expected))))
        fail_msg("%.17g is not %.17g", x, expected);
}

static const char full[] =
    "tgsched.platform/1\n"
    "# a node with two cards\n"
    "\n"
    "kind cpu flops=5e10 bandwidth=1e10 overhead=1e-06 power_idle=10 power_busy=20 # all of it\n"
    "kind big%20card arch=cuda\n"
    "memory ram\n"
    "memory m1 capacity=1000 node=3 trust=inside\n"
    "processor c0 kind=cpu memory=ram speed=2.5\n"
    "  processor\tg0 memory=m1  kind=big%20card  \n"
    "bus pcie bandwidth=2e9\n"
    "link ram m1 latency=0.5 bandwidth=1e9 bus=pcie energy=1e-10\n"
    "link m1 ram bandwidth=2e9 latency=0\n";

static void a_file_says_everything(void **state)
{
    tgs_platform *p = loaded(full);
    const tgs_platform_view *v = &p->v;

    (void)state;
    assert_int_equal(v->kinds, 2);
    assert_real(v->kind[0].flops, 5e10);
    assert_real(v->kind[0].bandwidth, 1e10);
    assert_real(v->kind[0].overhead, 1e-6);
    assert_real(v->kind[0].power_idle, 10);
    assert_real(v->kind[0].power_busy, 20);
    assert_string_equal(v->kind[0].arch, "cpu");
    assert_string_equal(v->kind[1].name, "big card");
    assert_string_equal(v->kind[1].arch, "cuda");
    assert_real(v->kind[1].flops, NAN);
    assert_real(v->kind[1].overhead, 0);
    assert_real(v->memory[0].capacity, INFINITY);
    assert_string_equal(v->memory[0].trust, "");
    assert_real(v->memory[1].capacity, 1000);
    assert_string_equal(v->memory[1].trust, "inside");
    assert_int_equal(v->memory[1].node, 3);
    assert_int_equal(v->nodes, 4);
    assert_real(v->proc[0].speed, 2.5);
    assert_int_equal(v->proc[1].kind, 1);
    assert_int_equal(v->proc[1].memory, 1);
    assert_string_equal(v->bus[0].name, "pcie");
    assert_int_equal(v->link[0].bus, 0);
    assert_int_equal(v->link[1].bus, -1);
    assert_real(v->link[0].energy, 1e-10);
    assert_real(v->link[1].energy, NAN);
    assert_real(v->lat[1], 0.5);
    tgs_platform_free(p);
}

static char *content(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 100000);

    assert_non_null(f);
    assert_non_null(text);
    assert_true(fread(text, 1, 99999, f) > 0);
    fclose(f);
    return text;
}

static void what_is_written_reads_the_same(void **state)
{
    static const char *const spec[] = {"cpu:3x1.1 gpu:2@0.3/own link:12e9,1e-5",
                                       "weird-kind:1 a100:1", "t4:1"};
    char path[] = "/tmp/tgs-platform-XXXXXX";
    const int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    for (int i = 0; i < 4; i++) {
        tgs_platform *p = i < 3 ? parsed(spec[i]) : loaded(full), *q;
        char *once, *twice;

        assert_int_equal(tgs_platform_write(p, path, NULL), TGS_OK);
        once = content(path);
        assert_int_equal(tgs_platform_open(&q, path, NULL), TGS_OK);
        assert_true(tgs_platform_fingerprint(q) == tgs_platform_fingerprint(p));
        assert_int_equal(tgs_platform_write(q, path, NULL), TGS_OK);
        twice = content(path);
        assert_string_equal(twice, once);
        free(once);
        free(twice);
        tgs_platform_free(p);
        tgs_platform_free(q);
    }
    unlink(path);
}

#define HEAD "tgsched.platform/1\nkind k\nmemory m\n"
#define PROC HEAD "processor p kind=k memory=m\nmemory n\n"

static void bad_files_say_which_line(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "x.tgp: expected 'tgsched.platform/1': the file is empty"},
        {"tgsched.platform/2\n", "x.tgp:1: expected 'tgsched.platform/1', found 'tgsched.plat"},
        {"tgsched.platform/1 x\n", "x.tgp:1: 'x' is too much"},
        {"kind cpu\n", "x.tgp:1: expected 'tgsched.platform/1', found 'kind'"},
        {"tgsched.platform/1\n", "x.tgp:1: a platform without a processor"},
        {HEAD, "x.tgp:3: a platform without a processor"},
        {"tgsched.platform/1\ncpu 4\n", "x.tgp:2: unknown record 'cpu'"},
        {"tgsched.platform/1\nkind\n", "x.tgp:2: kind needs a name"},
        {"tgsched.platform/1\nkind # none\n", "x.tgp:2: kind needs a name"},
        {"tgsched.platform/1\nkind a=b\n", "x.tgp:2: 'a=b' is not a name"},
        {"tgsched.platform/1\nkind %4\n", "x.tgp:2: '%4' is not a name"},
        {"tgsched.platform/1\nkind %00\n", "x.tgp:2: '%00' is not a name"},
        {HEAD "kind k\n", "x.tgp:4: a second kind 'k'"},
        {HEAD "memory m\n", "x.tgp:4: a second memory 'm'"},
        {PROC "processor p kind=k memory=m\n", "x.tgp:6: a second processor 'p'"},
        {HEAD "bus b bandwidth=1\nbus b bandwidth=1\n", "x.tgp:5: a second bus 'b'"},
        {HEAD "processor p kind=z memory=m\n", "x.tgp:4: no kind 'z' above this line"},
        {HEAD "processor p kind=k memory=z\n", "x.tgp:4: no memory 'z' above this line"},
        {HEAD "processor p kind=k\n", "x.tgp:4: processor needs memory="},
        {HEAD "processor p memory=m\n", "x.tgp:4: processor needs kind="},
        {HEAD "processor p kind=k memory=m speed=0\n", "x.tgp:4: p: speed must be"},
        {HEAD "processor p kind=k memory=m speed=-2\n", "x.tgp:4: p: speed must be"},
        {HEAD "processor p kind=k memory=m speed=nan\n", "x.tgp:4: speed=nan is not a finite"},
        {HEAD "processor p kind=k memory=m speed=1e999\n", "x.tgp:4: speed=1e999 is not"},
        {HEAD "processor p kind=k memory=m speed=\n", "x.tgp:4: speed= is not a finite"},
        {HEAD "processor p kind=k kind=k memory=m\n", "x.tgp:4: kind is given twice"},
        {HEAD "processor p kind=k memory=m color=red\n", "x.tgp:4: processor has no key 'color'"},
        {HEAD "processor p kind=k memory=m fast\n", "x.tgp:4: expected key=value, found 'fast'"},
        {HEAD "processor p kind=k memory=m =1\n", "x.tgp:4: expected key=value, found '=1'"},
        {HEAD "processor p kind=\"k memory=m\n", "x.tgp:4: the quotes of kind are not closed"},
        {HEAD "processor p kind=\"%2\" memory=m\n", "x.tgp:4: kind holds a malformed %XX"},
        {HEAD "kind g flops=0\n", "x.tgp:4: g: flops must be"},
        {HEAD "kind g bandwidth=-1\n", "x.tgp:4: g: bandwidth must be"},
        {HEAD "kind g overhead=-1\n", "x.tgp:4: g: overhead must be"},
        {HEAD "kind g power_idle=-1\n", "x.tgp:4: g: power must be"},
        {HEAD "kind g power_busy=-1\n", "x.tgp:4: g: power must be"},
        {HEAD "kind g arch=\n", "x.tgp:4: arch= is not a name"},
        {HEAD "memory g capacity=0\n", "x.tgp:4: g: capacity must be"},
        {HEAD "memory g capacity=inf\n", "x.tgp:4: capacity=inf is not a finite"},
        {HEAD "memory g node=-1\n", "x.tgp:4: node must be"},
        {HEAD "memory g node=0.5\n", "x.tgp:4: node must be"},
        {HEAD "memory g node=1000000000\n", "x.tgp:4: node must be"},
        {HEAD "bus b\n", "x.tgp:4: bus needs bandwidth="},
        {HEAD "bus b bandwidth=0\n", "x.tgp:4: b: bandwidth must be"},
        {PROC "link m\n", "x.tgp:6: link needs a name"},
        {PROC "link m z latency=0 bandwidth=1\n", "x.tgp:6: no memory 'z'"},
        {PROC "link z m latency=0 bandwidth=1\n", "x.tgp:6: no memory 'z'"},
        {PROC "link m m latency=0 bandwidth=1\n", "x.tgp:6: a link from a memory to itself"},
        {PROC "link m n bandwidth=1\n", "x.tgp:6: link needs latency="},
        {PROC "link m n latency=0\n", "x.tgp:6: link needs bandwidth="},
        {PROC "link m n latency=-1 bandwidth=1\n", "x.tgp:6: link: latency must be"},
        {PROC "link m n latency=0 bandwidth=0\n", "x.tgp:6: link: bandwidth must be"},
        {PROC "link m n latency=0 bandwidth=1 energy=-1\n", "x.tgp:6: link: energy must be"},
        {PROC "link m n latency=0 bandwidth=1 bus=b\n", "x.tgp:6: no bus 'b'"},
        {PROC "bus b bandwidth=1\nlink m n latency=0 bandwidth=2 bus=b\n",
         "x.tgp:7: the link's bandwidth 2 is more than that of its bus, 1"},
        {PROC "link m n latency=0 bandwidth=1\n\nlink n m latency=0 bandwidth=1\n"
              "link m n latency=0 bandwidth=2\n",
         "x.tgp:9: a second link from 'm' to 'n'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tgs_platform *p = (tgs_platform *)1;
        tgs_error err = {TGS_OK, ""};
        const tgs_status status = load(&p, bad[i].text, &err);

        assert_null(p);
        if (status >= 0 || err.status != status
            || strncmp(err.text, bad[i].says, strlen(bad[i].says)))
            fail_msg("%zu: '%s' is not '%s'", i, err.text, bad[i].says);
    }
}

static void too_many_processors_in_a_file(void **state)
{
    char *text = calloc(1, 200000), *to;
    tgs_platform *p;
    tgs_error err;

    (void)state;
    assert_non_null(text);
    to = text + sprintf(text, HEAD);
    for (int i = 0; i < 4097; i++)
        to += sprintf(to, "processor p%d kind=k memory=m\n", i);
    assert_true(load(&p, text, &err) < 0);
    assert_string_equal(err.text, "x.tgp:4100: more than 4096 processors");
    free(text);
}

static void truncated_files_never_crash(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof full - 1; n++) {
        char text[sizeof full] = "";
        tgs_platform *p;
        tgs_error err = {TGS_OK, ""};

        memcpy(text, full, n);
        if (load(&p, text, &err))
            assert_true(!strncmp(err.text, "x.tgp", 5));
        tgs_platform_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_says_everything),
        cmocka_unit_test(what_is_written_reads_the_same),
        cmocka_unit_test(bad_files_say_which_line),
        cmocka_unit_test(too_many_processors_in_a_file),
        cmocka_unit_test(truncated_files_never_crash),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
