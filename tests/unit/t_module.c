/* t_module.c -- modules of another build than the library are refused by name, never called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "../fixture.h"
#include "tgsched/lp.h"
#include "tgsched/part.h"

static const struct {
    const char *module, *symbol;
} known[] = {{"lp", "tgs_lp_cbc_relax"},         {"lp", "tgs_lp_cbc_solve"},
             {"part", "tgs_i_metis_kway"},       {"onnx", "tgs_onnx_read"},
             {"starpu", "tgs_i_starpu_backend"}, {"starpu", "tgs_i_starpu_probe"}};
static char dir[64];

/* a folder in which every module is a link to FILE of the tests */
static void modules_are(const char *file)
{
    char from[4096], to[4096];

    strcpy(dir, "/tmp/t_module.XXXXXX");
    assert_non_null(mkdtemp(dir));
    snprintf(from, sizeof from, "%s/tests/unit/.libs/%s.so",
             getenv("TGS_BUILDDIR") ? getenv("TGS_BUILDDIR") : ".", file);
    assert_int_equal(access(from, R_OK), 0);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        snprintf(to, sizeof to, "%s/tgsched-%s.so", dir, known[i].module);
        assert_true(!symlink(from, to) || i);
    }
    assert_int_equal(setenv("TGSCHED_MODULE_DIR", dir, 1), 0);
}

static void drop_modules(void)
{
    char path[4096];

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        snprintf(path, sizeof path, "%s/tgsched-%s.so", dir, known[i].module);
        unlink(path);
    }
    assert_int_equal(rmdir(dir), 0);
}

static void refuse_all(const char *said)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        tgs_error err;
        void *symbol = &err;
        char pattern[200];

        assert_int_equal(tgs_module_symbol(known[i].module, known[i].symbol, &symbol, &err),
                         TGS_EIO);
        assert_null(symbol);
        snprintf(pattern, sizeof pattern, "module */tgsched-%s.so is of another build (%s)*",
                 known[i].module, said);
        assert_text(err.text, pattern);
    }
}

/* what opens modules passes the refusal on; nothing falls back in silence */
static void refuse_uses(void)
{
    const double one = 1, slack = 0.1;
    const tgs_part_graph g = {
        .vertices = 1, .weights = 1, .parts = 1, .weight = &one, .slack = &slack};
    tgs_lp_answer answer;
    tgs_platform *p;
    tgs_error err;
    tgs_lp *lp;
    int32_t part;
    char *text;

    if (tgs_lp_available()) {
        assert_int_equal(tgs_lp_new(&lp, &err), 0);
        tgs_lp_column(lp, "x", 0, 1, -1, false);
        assert_int_equal(tgs_lp_relax(lp, &answer, &err), TGS_EIO);
        assert_text(err.text, "*tgsched-lp.so is of another build*");
        assert_int_equal(tgs_lp_solve(lp, NULL, &answer, &err), TGS_EIO);
        tgs_lp_free(lp);
    }
    assert_int_equal(tgs_part_kway(&g, &part, NULL, &err), TGS_EIO);
    assert_text(err.text, "*tgsched-part.so is of another build*");
    assert_int_equal(tgs_platform_host(&p, &err), TGS_EIO);
    assert_text(err.text, "host: *tgsched-starpu.so is of another build*");
    assert_int_equal(tgs_doctor(&text, &err), 0);
    assert_text(text, "*tgsched-starpu.so is of another build*");
    assert_text(text, "*tgsched-part.so is of another build*");
    tgs_text_free(text);
}

static void another_stamp(void **state)
{
    (void)state;
    modules_are("stale");
    refuse_all("0.0.0-1");
    refuse_uses();
    drop_modules();
}

static void no_stamp(void **state)
{
    (void)state;
    modules_are("unstamped");
    refuse_all("which has no stamp");
    refuse_uses();
    drop_modules();
}

static void not_there(void **state)
{
    tgs_error err;
    void *symbol;

    (void)state;
    setenv("TGSCHED_MODULE_DIR", "/nonexistent", 1);
    assert_int_equal(tgs_module_symbol("lp", "tgs_lp_cbc_relax", &symbol, &err), TGS_EBACKEND);
    assert_text(err.text, "module lp is not available: *");
}

/* and those of this build are taken */
static void of_this_build(void **state)
{
    char path[4096];

    (void)state;
    snprintf(path, sizeof path, "%s/.libs", getenv("TGS_BUILDDIR") ? getenv("TGS_BUILDDIR") : ".");
    setenv("TGSCHED_MODULE_DIR", path, 1);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        tgs_error err = {TGS_OK, ""};
        void *symbol;
        const tgs_status status =
            tgs_module_symbol(known[i].module, known[i].symbol, &symbol, &err);

        if (status && status != TGS_EBACKEND) /* a build may lack some */
            fail_msg("%s", err.text);
        assert_true(status || symbol);
    }
    if (tgs_lp_available()) {
        void *symbol;

        assert_int_equal(tgs_module_symbol("lp", "tgs_lp_cbc_solve", &symbol, NULL), TGS_OK);
        assert_int_equal(tgs_module_symbol("lp", "no_such_symbol", &symbol, NULL), TGS_EBACKEND);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(another_stamp), cmocka_unit_test(no_stamp),
                                       cmocka_unit_test(not_there),
                                       cmocka_unit_test(of_this_build)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
