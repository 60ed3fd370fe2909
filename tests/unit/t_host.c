/* t_host.c -- this machine as a platform: from hwloc, and from made-up answers of a backend. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "platform.h"
#include "probe.h"

static tgs_platform *built(int cores, double memory, const tgs_i_probe *probe)
{
    tgs_platform *p;
    tgs_error err;

    if (tgs_i_host_build(&p, cores, memory, probe, &err))
        fail_msg("%s", err.text);
    return p;
}

static void workers_that_drive_devices_take_cores(void **state)
{
    static const struct {
        int cores, limit, devices, cpus;
    } c[] = {{1, 4, 0, 1}, {2, 4, 0, 2}, {16, 4, 0, 4}, {16, 8, 2, 8},
             {6, 8, 2, 4}, {2, 4, 1, 1}, {2, 4, 3, 1},  {16, 0, 1, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        tgs_i_probe probe = {.cpus = c[i].limit, .devices = c[i].devices};
        tgs_platform *p;

        for (int d = 0; d < c[i].devices; d++)
            strcpy(probe.device[d].arch, "opencl");
        p = built(c[i].cores, 1e9, &probe);
        assert_int_equal(p->v.procs, c[i].cpus + c[i].devices);
        assert_int_equal(p->v.memories, 1 + c[i].devices);
        assert_string_equal(p->v.memory[0].name, "ram");
        tgs_platform_free(p);
    }
}

static void devices_have_kinds_memories_and_links(void **state)
{
    tgs_i_probe probe = {.cpus = 2, .devices = 4};
    static const char *const name[] = {"NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-40GB",
                                       "Made-up Card a1000", "pthread-Some CPU"};
    tgs_platform *p;
    const tgs_platform_view *v;

    (void)state;
    for (int i = 0; i < 4; i++) {
        strcpy(probe.device[i].arch, i < 2 ? "cuda" : "opencl");
        strcpy(probe.device[i].name, name[i]);
    }
    probe.device[0].memory = 4e10;
    probe.device[2].flops = 7e12;
    probe.bandwidth[0][1] = 2e10;
    probe.latency[0][1] = 3e-6;
    probe.bandwidth[1][2] = 6e11;
    probe.latency[1][2] = 1e-6;
    p = built(64, 0, &probe);
    v = &p->v;
    assert_int_equal(v->kinds, 4);
    assert_string_equal(v->kind[1].name, "a100"); /* known by its name */
    assert_string_equal(v->kind[1].arch, "cuda");
    assert_true(v->kind[1].flops == 19.5e12);
    assert_string_equal(v->kind[2].name, "opencl"); /* "a1000" is not an a100 */
    assert_true(v->kind[2].flops == 7e12);
    assert_string_equal(v->kind[3].name, "opencl-2"); /* another model */
    assert_true(v->kind[3].flops == 50e9);            /* PoCL: a CPU in disguise */
    assert_string_equal(v->proc[2].name, "cuda0");
    assert_string_equal(v->proc[3].name, "cuda1");
    assert_int_equal(v->proc[2].kind, v->proc[3].kind);
    assert_string_equal(v->proc[4].name, "opencl0");
    assert_string_equal(v->memory[v->proc[5].memory].name, "opencl1.mem");
    assert_true(isinf(v->memory[0].capacity));
    assert_true(v->memory[1].capacity == 4e10);
    assert_int_equal(v->links, 4 * 2 + 1); /* main memory with each, and the measured pair */
    assert_true(v->lat[0 * 5 + 1] == 3e-6 && v->inv[0 * 5 + 1] == 1 / 2e10);
    assert_true(v->lat[1 * 5 + 0] == TGS_I_LINK_LATENCY);
    assert_true(v->lat[1 * 5 + 2] == 1e-6);
    assert_int_equal(v->route_at[2 * 5 + 2] - v->route_at[2 * 5 + 1], 2); /* back over ram */
    tgs_platform_free(p);
}

static void this_machine(void **state)
{
    tgs_platform *p;
    tgs_error err;

    (void)state;
    setenv("TGSCHED_MODULE_DIR", "/nonexistent", 1); /* without a backend: CPUs only */
    if (tgs_platform_open(&p, "host", &err))
        fail_msg("%s", err.text);
    assert_in_range(p->v.procs, 1, 4);
    assert_true(p->v.procs <= sysconf(_SC_NPROCESSORS_CONF));
    assert_int_equal(p->v.memories, 1);
    assert_string_equal(p->v.kind[0].arch, "cpu");
    assert_true(p->v.memory[0].capacity > 1e6 && p->v.memory[0].capacity < 1e17);
    tgs_platform_free(p);
}

static FILE *manual(void)
{
    const char *dir = getenv("TGS_SRCDIR");
    char path[4096];
    FILE *f;

    snprintf(path, sizeof path, "%s/man/tgsched-platform.5", dir ? dir : ".");
    f = fopen(path, "r");
    assert_non_null(f);
    return f;
}

/* the man page's table of kinds is the library's */
static void the_manual_lists_the_known_kinds(void **state)
{
    FILE *f = manual();
    char *line = NULL;
    size_t room = 0;
    int rows = 0;

    (void)state;
    while (getline(&line, &room, f) > 0) {
        char name[32], arch[32];
        double flops, bandwidth, overhead;

        if (sscanf(line, "%31s\t%31s\t%lf\t%lf\t%lf", name, arch, &flops, &bandwidth, &overhead)
            != 5)
            continue;
        assert_non_null(tgs_i_known_kinds[rows].name);
        assert_string_equal(name, tgs_i_known_kinds[rows].name);
        assert_string_equal(arch, tgs_i_known_kinds[rows].arch);
        assert_true(flops == tgs_i_known_kinds[rows].flops);
        assert_true(bandwidth == tgs_i_known_kinds[rows].bandwidth);
        assert_true(overhead == tgs_i_known_kinds[rows].overhead);
        rows++;
    }
    assert_null(tgs_i_known_kinds[rows].name);
    free(line);
    fclose(f);
}

/* the man page's file and its line are one machine */
static void the_manual_describes_one_machine_twice(void **state)
{
    FILE *f = manual();
    char *line = NULL, text[4000] = "";
    size_t room = 0;
    tgs_source s = {.path = "manual"};
    tgs_platform *file, *spec;
    tgs_error err;

    (void)state;
    while (getline(&line, &room, f) > 0)
        if (*text || !strcmp(line, "tgsched.platform/1\n")) {
            if (*line == '.')
                break;
            for (const char *c = line; *c; c++)
                if (*c != '\\')
                    strncat(text, c, 1);
        }
    free(line);
    fclose(f);
    s.file = fmemopen(text, strlen(text), "r");
    assert_non_null(s.file);
    if (tgs_i_platform_load(&file, &s, &err))
        fail_msg("%s", err.text);
    tgs_i_source_close(&s);
    assert_int_equal(tgs_platform_parse(&spec, "cpu:4 gpu:2@8/own link:12e9,1e-5", NULL), TGS_OK);
    assert_int_equal(file->v.procs, spec->v.procs);
    for (int32_t i = 0; i < file->v.procs; i++) {
        const int32_t a = file->v.proc[i].memory, b = spec->v.proc[i].memory;

        assert_string_equal(file->v.proc[i].name, spec->v.proc[i].name);
        assert_string_equal(file->v.memory[a].name, spec->v.memory[b].name);
        assert_true(file->v.memory[a].capacity == spec->v.memory[b].capacity);
        assert_true(file->v.kind[file->v.proc[i].kind].flops
                    == spec->v.kind[spec->v.proc[i].kind].flops);
        assert_true(file->v.inv[a] == spec->v.inv[b]); /* from ram */
    }
    tgs_platform_free(file);
    tgs_platform_free(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_that_drive_devices_take_cores),
        cmocka_unit_test(devices_have_kinds_memories_and_links),
        cmocka_unit_test(this_machine),
        cmocka_unit_test(the_manual_lists_the_known_kinds),
        cmocka_unit_test(the_manual_describes_one_machine_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
