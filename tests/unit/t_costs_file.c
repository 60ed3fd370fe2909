/* t_costs_file.c -- .tgc files and samples that are added: read, written, refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "costs.h"

static tgs_status load(tgs_costs **out, const char *text, tgs_error *err)
{
    tgs_source s = {.path = "x.tgc"};
    tgs_status status;

    s.file = *text ? fmemopen((void *)text, strlen(text), "r") : fopen("/dev/null", "r");
    assert_non_null(s.file);
    status = tgs_i_costs_load(out, &s, err);
    tgs_i_source_close(&s);
    return status;
}

static const char full[] =
    "tgsched.costs/1\n"
    "# measured on a Tuesday\n"
    "link from=ram to=gpu0.mem latency=2e-05 bandwidth=1.2e10 spread=1e-06 count=7\n"
    "link from=gpu0.mem to=ram latency=0 bandwidth=1e9\n"
    "\n"
    "sample codelet=conv attrs=\"kernel=3,3 pads=1,1,1,1\" dtype=f64 kind=big%20card flops=1e6 "
    "bytes=2e6 min=0.25 median=0.5 spread=0.125 count=9\n"
    "sample median=1 kind=cpu codelet=relu # the rest is as usual\n"
    "sample codelet=odd attrs=\"a=%22%25%23\" kind=cpu median=0\n";

static void a_file_says_everything(void **state)
{
    tgs_costs *c;
    tgs_error err;

    (void)state;
    if (load(&c, full, &err))
        fail_msg("%s", err.text);
    assert_int_equal(c->v.links, 2);
    assert_string_equal(c->v.link[0].from, "ram");
    assert_string_equal(c->v.link[0].to, "gpu0.mem");
    assert_true(c->v.link[0].latency == 2e-5 && c->v.link[0].bandwidth == 1.2e10);
    assert_true(c->v.link[0].spread == 1e-6 && c->v.link[0].count == 7);
    assert_true(c->v.link[1].spread == 0 && c->v.link[1].count == 1);
    assert_int_equal(c->v.samples, 3);
    assert_string_equal(c->v.sample[0].codelet, "conv");
    assert_string_equal(c->v.sample[0].attrs, "kernel=3,3 pads=1,1,1,1");
    assert_string_equal(c->v.sample[0].kind, "big card");
    assert_int_equal(c->v.sample[0].dtype, TGS_F64);
    assert_true(c->v.sample[0].flops == 1e6 && c->v.sample[0].bytes == 2e6);
    assert_true(c->v.sample[0].min == 0.25 && c->v.sample[0].median == 0.5);
    assert_true(c->v.sample[0].spread == 0.125 && c->v.sample[0].count == 9);
    assert_string_equal(c->v.sample[1].attrs, "");
    assert_int_equal(c->v.sample[1].dtype, TGS_F32);
    assert_true(isnan(c->v.sample[1].flops) && isnan(c->v.sample[1].bytes));
    assert_true(c->v.sample[1].min == 1 && c->v.sample[1].count == 1);
    assert_string_equal(c->v.sample[2].attrs, "a=\"%#");
    tgs_costs_free(c);
}

static char *content(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 10000);

    assert_non_null(f);
    assert_non_null(text);
    assert_true(fread(text, 1, 9999, f) > 0);
    fclose(f);
    return text;
}

static void what_is_written_reads_the_same(void **state)
{
    char path[] = "/tmp/tgs-costs-XXXXXX", *once, *twice;
    const int fd = mkstemp(path);
    tgs_costs *c, *d;

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(load(&c, full, NULL), TGS_OK);
    assert_int_equal(tgs_costs_write(c, path, NULL), TGS_OK);
    once = content(path);
    assert_int_equal(tgs_costs_open(&d, path, NULL), TGS_OK);
    assert_int_equal(d->v.samples, 3);
    assert_string_equal(d->v.sample[2].attrs, "a=\"%#");
    assert_int_equal(tgs_costs_write(d, path, NULL), TGS_OK);
    twice = content(path);
    assert_string_equal(twice, once);
    assert_int_equal(tgs_costs_write(d, "no/such/folder/x.tgc", NULL), TGS_EIO);
    free(once);
    free(twice);
    unlink(path);
    tgs_costs_free(c);
    tgs_costs_free(d);
}

#define TGC "tgsched.costs/1\n"
#define S   TGC "sample codelet=c kind=k median=1 "
#define L   TGC "link from=a to=b latency=1 bandwidth=1 "
#define O   TGC "overhead kind=k task=1 "

static void bad_files_say_which_line(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "x.tgc: expected 'tgsched.costs/1': the file is empty"},
        {"tgsched.costs/2\n", "x.tgc:1: expected 'tgsched.costs/1', found"},
        {TGC, "x.tgc:1: not a single measurement"},
        {TGC "measure x=1\n",
         "x.tgc:2: unknown record 'measure' (sample, link, overhead or remark)"},
        {TGC "sample\n", "x.tgc:2: sample needs codelet="},
        {TGC "sample codelet=c median=1\n", "x.tgc:2: sample needs kind="},
        {TGC "sample codelet=c kind=k\n", "x.tgc:2: sample needs median="},
        {TGC "sample codelet= kind=k median=1\n", "x.tgc:2: codelet= is not a name"},
        {TGC "sample codelet=c kind=k median=-1\n", "x.tgc:2: min, median and spread must"},
        {TGC "sample codelet=c kind=k median=nan\n", "x.tgc:2: median=nan is not a finite"},
        {TGC "sample codelet=c kind=k median=1e31\n", "x.tgc:2: min, median and spread must"},
        {S "median=1\n", "x.tgc:2: median is given twice"},
        {S "min=2\n", "x.tgc:2: min is more than median"},
        {S "min=-1\n", "x.tgc:2: min, median and spread must"},
        {S "spread=-1\n", "x.tgc:2: min, median and spread must"},
        {S "flops=-1\n", "x.tgc:2: flops and bytes must"},
        {S "bytes=1e31\n", "x.tgc:2: flops and bytes must"},
        {S "dtype=f33\n", "x.tgc:2: no dtype 'f33'"},
        {S "count=0\n", "x.tgc:2: count must"},
        {S "count=1.5\n", "x.tgc:2: count must"},
        {S "count=1e12\n", "x.tgc:2: count must"},
        {S "color=1\n", "x.tgc:2: sample has no key 'color'"},
        {S "attrs=\"a=1\n", "x.tgc:2: the quotes of attrs are not closed"},
        {S "attrs=\"a=1\"b\n", "x.tgc:2: the quotes of attrs are not closed"},
        {S "attrs=\"a=%0\"\n", "x.tgc:2: attrs holds a malformed %XX"},
        {S "attrs=a=1 b=2\n", "x.tgc:2: sample has no key 'b'"},
        {S "extra\n", "x.tgc:2: expected key=value, found 'extra'"},
        {S "\nlink from=a to=b latency=1\n", "x.tgc:3: link needs bandwidth="},
        {TGC "link to=b latency=1 bandwidth=1\n", "x.tgc:2: link needs from="},
        {TGC "link from=b latency=1 bandwidth=1\n", "x.tgc:2: link needs to="},
        {TGC "link from=a to=b bandwidth=1\n", "x.tgc:2: link needs latency="},
        {TGC "link from=a to=a latency=1 bandwidth=1\n", "x.tgc:2: a link joins two memories"},
        {TGC "link from=a to=b latency=-1 bandwidth=1\n", "x.tgc:2: latency and spread must"},
        {TGC "link from=a to=b latency=0 bandwidth=0\n", "x.tgc:2: bandwidth must"},
        {L "count=0\n", "x.tgc:2: count must"},
        {L "spread=-1\n", "x.tgc:2: latency and spread must"},
        {L "misfit=-1\n", "x.tgc:2: misfit must"},
        {L "rejected=-1\n", "x.tgc:2: rejected must"},
        {S "rejected=0.5\n", "x.tgc:2: rejected must"},
        {TGC "overhead kind=k\n", "x.tgc:2: overhead needs task="},
        {TGC "overhead task=1\n", "x.tgc:2: overhead needs kind="},
        {O "start=-1\n", "x.tgc:2: task, access, handover and start must"},
        {O "count=0\n", "x.tgc:2: count must"},
        {O "latency=1\n", "x.tgc:2: overhead has no key 'latency'"},
        {O "\noverhead kind=k task=2\n", "x.tgc:3: a second overhead of kind 'k'"},
        {L "speed=1\n", "x.tgc:2: link has no key 'speed'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tgs_costs *c = (tgs_costs *)1;
        tgs_error err = {TGS_OK, ""};

        assert_int_equal(load(&c, bad[i].text, &err), TGS_EPARSE);
        assert_null(c);
        if (strncmp(err.text, bad[i].says, strlen(bad[i].says)))
            fail_msg("%zu: '%s' is not '%s'", i, err.text, bad[i].says);
    }
}

static void truncated_files_never_crash(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof full - 1; n++) {
        char text[sizeof full] = "";
        tgs_costs *c;
        tgs_error err = {TGS_OK, ""};

        memcpy(text, full, n);
        if (load(&c, text, &err))
            assert_true(!strncmp(err.text, "x.tgc", 5));
        tgs_costs_free(c);
    }
}

static void added_samples_are_checked_and_copied(void **state)
{
    char codelet[] = "gemm";
    const tgs_sample good = {codelet, "a=1", "cpu", TGS_F32, 1, 1, 1, 2, 0, 1, 0};
    const tgs_link_sample link = {"a", "b", 0, 1, 0, 0, 1, 0};
    tgs_sample s;
    tgs_link_sample l;
    tgs_costs *c;

    (void)state;
    assert_int_equal(tgs_i_costs_new(&c, NULL), TGS_OK);
    for (int i = 0; i < 100; i++)
        assert_int_equal(tgs_costs_add(c, &good), TGS_OK);
    codelet[0] = 'x';
    assert_int_equal(c->v.samples, 100);
    assert_string_equal(c->v.sample[99].codelet, "gemm");
    s = good, s.codelet = "";
    assert_int_equal(tgs_costs_add(c, &s), TGS_EINVAL);
    s = good, s.kind = "";
    assert_int_equal(tgs_costs_add(c, &s), TGS_EINVAL);
    s = good, s.median = NAN;
    assert_int_equal(tgs_costs_add(c, &s), TGS_EINVAL);
    s = good, s.median = INFINITY;
    assert_int_equal(tgs_costs_add(c, &s), TGS_EINVAL);
    s = good, s.count = 0;
    assert_int_equal(tgs_costs_add(c, &s), TGS_EINVAL);
    assert_int_equal(c->v.samples, 100);
    assert_int_equal(tgs_costs_add_link(c, &link), TGS_OK);
    l = link, l.to = "a";
    assert_int_equal(tgs_costs_add_link(c, &l), TGS_EINVAL);
    l = link, l.bandwidth = INFINITY;
    assert_int_equal(tgs_costs_add_link(c, &l), TGS_EINVAL);
    assert_int_equal(c->v.links, 1);
    tgs_costs_free(c);
    tgs_costs_free(NULL);
}

static void open_tells_what_it_takes(void **state)
{
    tgs_costs *c = (tgs_costs *)1;
    tgs_error err;

    (void)state;
    assert_int_equal(tgs_costs_open(&c, "no-such-file.tgc", &err), TGS_ENOTFOUND);
    assert_null(c);
    assert_non_null(strstr(err.text, "neither a file of measured costs nor auto, table or"));
    assert_int_equal(tgs_costs_open(&c, "measured", &err), TGS_ENOTFOUND); /* by its file */
    assert_int_equal(tgs_costs_open(&c, "/", &err), TGS_EIO);
    for (int i = 0; i < 3; i++) {
        static const char *const name[] = {"auto", "table", "roofline"};

        assert_int_equal(tgs_costs_open(&c, name[i], &err), TGS_OK);
        assert_int_equal(tgs_costs_write(c, "-", &err), TGS_EINVAL);
        assert_non_null(strstr(err.text, "only measured costs"));
        tgs_costs_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_says_everything),
        cmocka_unit_test(what_is_written_reads_the_same),
        cmocka_unit_test(bad_files_say_which_line),
        cmocka_unit_test(truncated_files_never_crash),
        cmocka_unit_test(added_samples_are_checked_and_copied),
        cmocka_unit_test(open_tells_what_it_takes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
