/* t_perfmodels.c -- machines and times from StarPU's files: of a machine made for this test, of
 * ones that are damaged, and of every machine of ../shared/data/starpu-perfmodels where that is
 * there. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <cmocka.h>
#include "../fixture.h"

static const char *top(void)
{
    return getenv("TGS_SRCDIR") ? getenv("TGS_SRCDIR") : ".";
}

static tgs_platform *box(void)
{
    char text[1024];
    tgs_platform *p;
    tgs_error err;

    snprintf(text, sizeof text, "starpu:%s/tests/data/starpu-model/box", top());
    if (tgs_platform_open(&p, text, &err))
        fail_msg("%s", err.text);
    return p;
}

static double seconds(const fixture *f, const char *task, int32_t kind)
{
    return f->pb->v.time[(int64_t)fixture_task(f, task) * f->pb->v.kinds + kind];
}

/* two of four cores drive the CUDA devices; that OpenCL sees these too does not count them twice */
static void machine(void **state)
{
    tgs_platform *p = box();
    const tgs_platform_view *v = &p->v;

    (void)state;
    assert_int_equal(v->kinds, 2);
    assert_string_equal(v->kind[0].name, "cpu");
    assert_string_equal(v->kind[1].name, "cuda");
    assert_string_equal(v->kind[1].arch, "cuda");
    assert_int_equal(v->procs, 4);
    assert_int_equal(v->memories, 3);
    assert_string_equal(v->proc[3].name, "cuda1");
    assert_int_equal(v->proc[1].memory, 0);
    assert_int_equal(v->proc[3].memory, 2);
    assert_int_equal(v->links, 5); /* of 6 pairs; from cuda1 to cuda0 over the main memory */
    assert_real(v->lat[0 * 3 + 2], 11e-6);
    assert_real(v->inv[0 * 3 + 2], 1 / 5e9);
    assert_real(v->lat[2 * 3 + 1], 9e-6 + 10e-6);
    assert_real(v->inv[2 * 3 + 1], 1 / 6.4e9 + 1 / 6e9);
    tgs_platform_free(p);
}

static void times(void **state)
{
    fixture f;
    tgs_price_info prices;
    tgs_error err;

    (void)state;
    f.p = box();
    assert_int_equal(tgs_graph_generate(&f.g, "cholesky:n=3:tile=640:dtype=f32:rate=0", 1, NULL),
                     0);
    f.pb = fixture_problem(f.g, f.p, "latbw");
    assert_real(seconds(&f, "potrf_0", 0), 1000e-6);
    assert_real(seconds(&f, "trsm_0_1", 0), 2000e-6);
    assert_real(seconds(&f, "syrk_0_2", 0), 2000e-6);
    assert_real(seconds(&f, "gemm_0_2_1", 0), 4000e-6);
    /* 20 measurements on one device, 60 on the other of twice as long */
    assert_real(seconds(&f, "potrf_0", 1), (20 * 400e-6 + 60 * 800e-6) / 80);
    assert_real(seconds(&f, "gemm_0_2_1", 1), (20 * 100e-6 + 60 * 200e-6) / 80);
    tgs_problem_prices(f.pb, &prices);
    assert_int_equal(prices.extrapolated, 0);
    tgs_problem_free(f.pb);

    /* other costs take their place; there is no time for what was not measured */
    tgs_graph_free(f.g);
    assert_int_equal(tgs_graph_generate(&f.g, "lu:n=2:tile=640:dtype=f32:rate=0", 1, NULL), 0);
    assert_int_equal(tgs_problem_new(&f.pb, f.g, f.p, NULL, NULL, &err), TGS_EINVAL);
    assert_non_null(strstr(err.text, "sgetrf"));
    fixture_close(&f);
}

/* models that are no codelets of ours keep their names; sizes that were never measured are left out
 */
static void own_names(void **state)
{
    fixture f;

    (void)state;
    f.p = box();
    f.g = fixture_graph("task a codelet=chol_model_gemm flops=1e6 bytes=4915200\n"
                        "task b codelet=chol_model_gemm flops=1e6 bytes=1228800\n");
    f.pb = fixture_problem(f.g, f.p, "latbw");
    assert_real(seconds(&f, "a", 0), 4000e-6);
    assert_real(seconds(&f, "a", 1), 175e-6);
    assert_real(seconds(&f, "b", 0), 500e-6);
    fixture_close(&f);
}

/* ---- damaged files -----------------------------------------------------------------------------
 */
static const char *const folder[] = {"", "/bus", "/codelets"};
static char root[64];

static void put(const char *name, const char *text)
{
    char path[200];
    FILE *to;

    snprintf(path, sizeof path, "%s/%s", root, name);
    to = fopen(path, "w");
    assert_non_null(to);
    fputs(text, to);
    assert_int_equal(fclose(to), 0);
}

static void refused(tgs_status status, const char *pattern)
{
    char text[100];
    tgs_platform *p = NULL;
    tgs_error err;

    snprintf(text, sizeof text, "starpu:%s/x", root);
    assert_int_equal(tgs_platform_open(&p, text, &err), status);
    assert_null(p);
    assert_text(err.text, pattern);
}

static void damaged(void **state)
{
    static const char *const files[] = {"bus/x.config", "bus/x.bandwidth", "bus/x.latency",
                                        "codelets/k.x"};
    static const char start[] = "45\n1\n1\n0\n0\n1\n1\n1\nr\nr\n0\n";
    char path[200], text[200];

    (void)state;
    snprintf(root, sizeof root, "/tmp/tgsched-test.XXXXXX");
    assert_non_null(mkdtemp(root));
    refused(TGS_EIO, "*bus/x.config: No such file or directory");
    for (int i = 1; i < 3; i++) {
        snprintf(path, sizeof path, "%s%s", root, folder[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    put(files[0], "# nothing\n");
    refused(TGS_EPARSE, "*x.config:1: no line says how many CPUs there are");
    put(files[0], "many # Number of CPUs\n");
    refused(TGS_EPARSE, "*x.config:1: 'many' is no number of devices");
    put(files[0], "8 # Number of CPUs\n2 # Number of NUMA nodes\n");
    refused(TGS_EPARSE, "*x.config:2: 2 memories of the CPUs (NUMA)*");
    put(files[0], "8 # Number of CPUs\n1 # Number of CUDA devices\n");
    put(files[1], "# to 0 to 1\n0 1000\n1000\n");
    put(files[2], "# to 0 to 1\n0 10\n");
    refused(TGS_EPARSE, "*x.bandwidth:3: 1 columns, where the machine has 2 memories");
    put(files[1], "# to 0 to 1\n0 1000\n1000 0\n");
    refused(TGS_EPARSE, "*x.latency:2: the file ends too early");
    put(files[2], "0 10\n10 0\n");
    refused(TGS_ENOTFOUND, "*/codelets: no performance models *.x");
    put(files[3], "12\n");
    refused(TGS_EPARSE, "*k.x:1: a performance model of version 12, not 44 to 46");
    put(files[3], "45\nx\n");
    refused(TGS_EPARSE, "*k.x:2: 'x' is no whole number up to *");
    put(files[3], start);
    refused(TGS_EPARSE, "*k.x:11: the file ends too early");
    snprintf(text, sizeof text, "%sab 1 2 3 4 5 6\n", start);
    put(files[3], text);
    refused(TGS_EPARSE, "*k.x:12: an entry has 8 fields, not 7");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", root, files[i]);
        assert_int_equal(unlink(path), 0);
    }
    for (int i = 2; i >= 0; i--) {
        snprintf(path, sizeof path, "%s%s", root, folder[i]);
        assert_int_equal(rmdir(path), 0);
    }
}

/* ---- the machines of shared/data ----------------------------------------------------------------
 */
static void measured(void **state)
{
    static const char *const host[] = {"attila", "gemini-1-cho_dep", "mirage", "sirocco"};
    static const int32_t cuda[] = {3, 8, 3, 4};
    char text[1024];
    fixture f;

    (void)state;
    snprintf(text, sizeof text, "%s/../shared/data/starpu-perfmodels/bus", top());
    if (access(text, R_OK)) {
        printf("skipped: no ../shared/data/starpu-perfmodels beside the sources\n");
        skip();
    }
    for (int32_t i = 0; i < 4; i++) {
        tgs_error err;

        snprintf(text, sizeof text, "starpu:%s/../shared/data/starpu-perfmodels/%s", top(),
                 host[i]);
        if (tgs_platform_open(&f.p, text, &err))
            fail_msg("%s", err.text);
        assert_int_equal(f.p->v.memories, cuda[i] + 1);
        if (!strcmp(host[i], "mirage")) { /* as its README says: 31 times as fast */
            assert_int_equal(f.p->v.procs, 9 + 3);
            assert_int_equal(
                tgs_graph_generate(&f.g, "cholesky:n=3:tile=960:dtype=f32:rate=0", 1, NULL), 0);
            f.pb = fixture_problem(f.g, f.p, "latbw");
            assert_true(fabs(seconds(&f, "gemm_0_2_1", 0) - 87780e-6) < 1e-6);
            assert_true(fabs(seconds(&f, "gemm_0_2_1", 1) / 2805e-6 - 1) < 0.02);
            tgs_problem_free(f.pb);
            tgs_graph_free(f.g);
        }
        tgs_platform_free(f.p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machine), cmocka_unit_test(times),    cmocka_unit_test(own_names),
        cmocka_unit_test(damaged), cmocka_unit_test(measured),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
