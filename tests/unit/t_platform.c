/* t_platform.c -- platforms in one line: what they mean, and every way to get them wrong.
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

static void assert_real(double x, double expected)
{
    if (!(x == expected || (isnan(x) && isnan(expected))))
        fail_msg("%.17g is not %.17g", x, expected);
}

static void processors_of_an_item_share_a_memory(void **state)
{
    tgs_platform *p = parsed("cpu:4 gpu:2x3@8 link:6e9,2e-5");
    const tgs_platform_view *v = &p->v;

    (void)state;
    assert_int_equal(v->kinds, 2);
    assert_int_equal(v->procs, 6);
    assert_int_equal(v->memories, 2);
    assert_int_equal(v->links, 2);
    assert_int_equal(v->nodes, 1);
    assert_string_equal(v->memory[0].name, "ram");
    assert_string_equal(v->memory[1].name, "gpu0.mem");
    assert_real(v->memory[0].capacity, INFINITY);
    assert_real(v->memory[1].capacity, 8589934592.0);
    for (int32_t i = 0; i < 6; i++) {
        static const char *const name[] = {"cpu0", "cpu1", "cpu2", "cpu3", "gpu0", "gpu1"};

        assert_string_equal(tgs_platform_processor_name(p, i), name[i]);
        assert_int_equal(v->proc[i].kind, i >= 4);
        assert_int_equal(v->proc[i].memory, i >= 4);
        assert_real(v->proc[i].speed, i >= 4 ? 3 : 1);
    }
    assert_string_equal(v->kind[1].arch, "opencl");
    assert_real(v->kind[1].flops, 10e12);
    assert_int_equal(v->link[0].from, 0);
    assert_int_equal(v->link[0].to, 1);
    assert_real(v->link[0].latency, 2e-5);
    assert_real(v->link[0].bandwidth, 6e9);
    assert_real(v->lat[1], 2e-5);
    assert_real(v->inv[2], 1 / 6e9);
    assert_real(v->lat[0] + v->inv[0] + v->lat[3] + v->inv[3], 0);
    tgs_platform_free(p);
}

static void own_memories_are_linked_pairwise(void **state)
{
    tgs_platform *p = parsed("p:3/own link:1,0");
    const tgs_platform_view *v = &p->v;

    (void)state;
    assert_int_equal(v->memories, 3);
    assert_int_equal(v->links, 6);
    assert_string_equal(v->memory[0].name, "ram");
    assert_string_equal(v->memory[2].name, "p2.mem");
    assert_string_equal(v->kind[0].arch, "cpu"); /* unknown kinds are taken for CPUs ... */
    assert_real(v->kind[0].flops, NAN);          /* ... of unknown speed */
    for (int32_t i = 0; i < 9; i++) {
        assert_real(v->lat[i], 0);
        assert_real(v->inv[i], i % 4 ? 1 : 0);
        assert_real(v->relay_inv[i], i % 4 ? 1 : 0);
        assert_int_equal(v->route_at[i + 1] - v->route_at[i], i % 4 ? 1 : 0);
    }
    tgs_platform_free(p);
}

static void host_memory_is_the_first_cpu_items(void **state)
{
    tgs_platform *p = parsed("  gpu:1@2/own\tcpu:2@4   cpu:1x0.5  ");
    const tgs_platform_view *v = &p->v;

    (void)state;
    assert_int_equal(v->memories, 3);
    assert_string_equal(v->memory[0].name, "ram");
    assert_real(v->memory[0].capacity, 4294967296.0);
    assert_string_equal(v->proc[0].name, "gpu0"); /* the order of the spec */
    assert_int_equal(v->proc[0].memory, 1);
    assert_int_equal(v->proc[1].memory, 0);
    assert_string_equal(v->proc[3].name, "cpu2"); /* numbered on */
    assert_int_equal(v->proc[3].kind, v->proc[1].kind);
    assert_int_equal(v->proc[3].memory, 2);
    assert_real(v->proc[3].speed, 0.5);
    assert_real(v->link[0].latency, TGS_I_LINK_LATENCY);
    assert_real(v->link[0].bandwidth, TGS_I_LINK_BANDWIDTH);
    tgs_platform_free(p);
}

static void large_specs_within_the_limits(void **state)
{
    tgs_platform *p = parsed("cpu:3072 gpu:1023/own");

    (void)state;
    assert_int_equal(p->v.memories, 1024);
    assert_int_equal(p->v.links, 1024 * 1023);
    assert_int_equal(p->v.route_at[1024 * 1024], 1024 * 1023);
    tgs_platform_free(p);
    p = parsed("cpu:4096");
    assert_int_equal(tgs_platform_processors(p), 4096);
    tgs_platform_free(p);
}

static void bad_specs_say_where(void **state)
{
    static const struct {
        const char *spec, *says;
    } bad[] = {
        {"", "no processors"},
        {"   ", "no processors"},
        {"link:1,0", "no processors"},
        {"cpu", "column 1: expected kind:count"},
        {"cpu:1 gpu", "column 7: expected kind:count"},
        {":4", "column 1: expected kind:count"},
        {"cpu:", "column 1: the count"},
        {"cpu:0", "the count is not a positive"},
        {"cpu:-1", "the count is not a positive"},
        {"cpu:1.5", "the count is not a positive"},
        {"cpu:four", "the count is not a positive"},
        {"cpu:4x", "the speed"},
        {"cpu:4x0", "the speed"},
        {"cpu:4x-1", "the speed"},
        {"cpu:4xinf", "the speed"},
        {"cpu:4x1e300", "speed must be between"},
        {"cpu:4@", "the memory"},
        {"cpu:4@0", "the memory"},
        {"cpu:4@nan", "the memory"},
        {"cpu:4@1e300", "the memory"},
        {"cpu:4@1e25", "capacity must be between"},
        {"cpu:4/shared", "only /own"},
        {"cpu:4/own@8", "only /own"},
        {"c=u:4", "a kind's name"},
        {"cpu:1 gpu:1 link:1", "column 13: expected link:"},
        {"cpu:1 gpu:1 link:1,x", "expected link:"},
        {"cpu:1 gpu:1 link:1,0,0", "expected link:"},
        {"cpu:1 gpu:1 link:0,0", "bandwidth must be between"},
        {"cpu:1 gpu:1 link:1,-1", "latency must be between"},
        {"cpu:1 link:1,0 link:1,0", "column 16: a second link"},
        {"cpu:1000000000", "more than 4096 processors"},
        {"cpu:99999999999999999999", "the count is not"},
        {"cpu:4000 gpu:97", "column 10: more than 4096 processors"},
        {"cpu:2049/own", "more than 2048 memories"},
        {"cpu:11 cpu1:1", "a second processor 'cpu10'"},
        {"cpu:1\xc3\xa9", "column 6: not a printable"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tgs_platform *p = (tgs_platform *)1;
        tgs_error err = {TGS_OK, ""};

        if (tgs_platform_parse(&p, bad[i].spec, &err) != TGS_EPARSE)
            fail_msg("'%s' is not refused", bad[i].spec);
        assert_null(p);
        assert_int_equal(err.status, TGS_EPARSE);
        if (!strstr(err.text, bad[i].says))
            fail_msg("'%s': '%s' does not say '%s'", bad[i].spec, err.text, bad[i].says);
        assert_int_equal(tgs_platform_parse(&p, bad[i].spec, NULL), TGS_EPARSE);
    }
}

static void fingerprints_differ_where_platforms_do(void **state)
{
    static const char *const spec[] = {"cpu:2",   "cpu:3",       "cpu:2/own",
                                       "cpu:2x2", "cpu:2@1",     "cpu:2/own link:1,0",
                                       "gpu:2",   "cpu:1 gpu:1", "cpu:2/own link:1,1"};
    uint64_t seen[9];

    (void)state;
    for (int i = 0; i < 9; i++) {
        tgs_platform *p = parsed(spec[i]);

        seen[i] = tgs_platform_fingerprint(p);
        for (int j = 0; j < i; j++)
            assert_true(seen[i] != seen[j]);
        tgs_platform_free(p);
    }
}

static void open_tells_what_it_takes(void **state)
{
    tgs_platform *p = (tgs_platform *)1;
    tgs_error err;

    (void)state;
    assert_int_equal(tgs_platform_open(&p, "no-such-file.tgp", &err), TGS_ENOTFOUND);
    assert_null(p);
    assert_non_null(strstr(err.text, "neither a file"));
    assert_int_equal(tgs_platform_open(&p, "/", &err), TGS_EIO);
    assert_int_equal(tgs_platform_read(&p, "no/such/file", &err), TGS_EIO);
    assert_int_equal(tgs_platform_open(&p, "cpu:2", &err), TGS_OK);
    assert_int_equal(tgs_platform_write(p, "no/such/folder/x.tgp", &err), TGS_EIO);
    assert_string_equal(tgs_platform_processor_name(p, 2), "");
    assert_string_equal(tgs_platform_processor_name(p, -1), "");
    tgs_platform_free(p);
    tgs_platform_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processors_of_an_item_share_a_memory),
        cmocka_unit_test(own_memories_are_linked_pairwise),
        cmocka_unit_test(host_memory_is_the_first_cpu_items),
        cmocka_unit_test(large_specs_within_the_limits),
        cmocka_unit_test(bad_specs_say_where),
        cmocka_unit_test(fingerprints_differ_where_platforms_do),
        cmocka_unit_test(open_tells_what_it_takes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
