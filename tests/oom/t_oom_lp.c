/* t_oom_lp.c -- memory runs out while a linear program is made, written or solved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "oom.h"
#include "tgsched/lp.h"

static tgs_status build(tgs_lp **out)
{
    static const int32_t column[] = {0, 1};
    static const double a[] = {3, 2};
    const tgs_status status = tgs_lp_new(out, NULL);

    if (status) {
        assert_null(*out);
        return status;
    }
    tgs_lp_column(*out, "first", 0, 5, -3, true);
    tgs_lp_column(*out, "second", 0, 5, -1, false);
    tgs_lp_row(*out, "row", -INFINITY, 7, 2, column, a);
    tgs_lp_row(*out, NULL, 0, INFINITY, 2, column, a);
    return TGS_OK;
}

static tgs_status write_it(const void *data)
{
    FILE *to = fopen("/dev/null", "w");
    tgs_lp *lp;
    tgs_status status = build(&lp);

    (void)data;
    if (!status)
        status = tgs_lp_write(lp, to, NULL);
    tgs_lp_free(lp);
    fclose(to);
    return status;
}

static tgs_status solve_it(const void *data)
{
    tgs_lp *lp;
    tgs_lp_answer answer;
    tgs_error err = {TGS_OK, ""};
    tgs_status status = build(&lp);

    (void)data;
    if (!status)
        status = tgs_lp_relax(lp, &answer, &err);
    if (!status)
        assert_true(tgs_lp_safe_bound(lp, NULL) <= -7);
    if (!status)
        status = tgs_lp_solve(lp, NULL, &answer, &err);
    if (!status)
        assert_true(answer.value == -6.5); /* first 2, second 1/2 */
    if (lp)
        assert_int_equal(err.status, status);
    tgs_lp_free(lp);
    return status;
}

static void writing(void **state)
{
    (void)state;
    oom_every("write", write_it, NULL);
}

static void solving(void **state)
{
    (void)state;
    if (tgs_lp_available())
        oom_every("solve", solve_it, NULL);
    else
        assert_int_equal(solve_it(NULL), TGS_ENOTAPPLICABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(writing), cmocka_unit_test(solving)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
