/* t_lp.c -- linear programs without solving them: what is refused, what is written, and bounds from
 * given prices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "internal.h"
#include "tgsched/lp.h"

static tgs_lp *fresh(void)
{
    tgs_lp *lp;

    assert_int_equal(tgs_lp_new(&lp, NULL), TGS_OK);
    return lp;
}

static char *written(const tgs_lp *lp, tgs_status expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    tgs_error err = {TGS_OK, ""};

    assert_int_equal(tgs_lp_write(lp, to, &err), expected);
    assert_int_equal(err.status, expected);
    fclose(to);
    return text;
}

static void writes_every_kind_of_row_and_bound(void **state)
{
    static const int32_t x[] = {0, 1, 0, 4};
    static const double a[] = {1, -2.5, 3, 0.1};
    tgs_lp *lp = fresh();
    char *text;

    (void)state;
    assert_int_equal(tgs_lp_column(lp, "work", 0, INFINITY, 1, false), 0);
    assert_int_equal(tgs_lp_column(lp, NULL, -INFINITY, INFINITY, 0, false), 1);
    assert_int_equal(tgs_lp_column(lp, NULL, -INFINITY, 3, -0.25, false), 2);
    assert_int_equal(tgs_lp_column(lp, "whole", 0, 1, 0, true), 3);
    assert_int_equal(tgs_lp_column(lp, NULL, 2, 2, 0, false), 4);
    assert_int_equal(tgs_lp_row(lp, NULL, 1, INFINITY, 4, x, a), 0); /* column 0 is there twice */
    assert_int_equal(tgs_lp_row(lp, "both", -1, 1, 2, x, a), 1);
    assert_int_equal(tgs_lp_row(lp, NULL, -INFINITY, INFINITY, 2, x, a), 2);
    assert_int_equal(tgs_lp_row(lp, NULL, 5, 5, 1, x, a), 3);
    assert_int_equal(tgs_lp_row(lp, NULL, -INFINITY, 7, 0, x, a), 4);
    assert_int_equal(tgs_lp_columns(lp), 5);
    assert_int_equal(tgs_lp_rows(lp), 5);
    tgs_lp_remark(lp, "made by hand");
    text = written(lp, TGS_OK);
    assert_string_equal(text, "\\ made by hand\nMinimize\n cost: + 1 work - 0.25 x2 + 0 whole\n"
                              "Subject To\n"
                              " r0: + 4 work - 2.5 x1 + 0.10000000000000001 x4 >= 1\n"
                              " both.low: + 1 work - 2.5 x1 >= -1\n"
                              " both.high: + 1 work - 2.5 x1 <= 1\n"
                              " r3: + 1 work = 5\n"
                              " r4: + 0 work <= 7\n"
                              "Bounds\n x1 free\n -inf <= x2 <= 3\n 0 <= whole <= 1\n"
                              " 2 <= x4 <= 2\n"
                              "Generals\n whole\nEnd\n");
    free(text);
    tgs_lp_free(lp);
}

static void remembers_what_it_refuses(void **state)
{
    static const char *const name[] = {"", "1x", ".x", "e5", "free", "a b", "a+b", "x:", "St"};
    static const int32_t one[] = {0}, none[] = {1}, negative[] = {-1};
    static const double a[] = {1}, nan[] = {NAN}, large[] = {1e16};

    (void)state;
    for (int i = 0; i < 21; i++) {
        tgs_lp *lp = fresh();
        tgs_lp_answer answer;
        tgs_error err = {TGS_OK, ""};

        assert_int_equal(tgs_lp_column(lp, "x", 0, 1, 1, false), 0);
        if (i < 9)
            assert_int_equal(tgs_lp_column(lp, name[i], 0, 1, 1, false), -1);
        switch (i) {
        case 9:
            tgs_lp_column(lp, NULL, NAN, 1, 1, false);
            break;
        case 10:
            tgs_lp_column(lp, NULL, 0, NAN, 1, false);
            break;
        case 11:
            tgs_lp_column(lp, NULL, 0, 1, INFINITY, false);
            break;
        case 12:
            tgs_lp_column(lp, NULL, INFINITY, INFINITY, 1, false);
            break;
        case 13:
            tgs_lp_row(lp, NULL, 0, 1, 1, none, a);
            break;
        case 14:
            tgs_lp_row(lp, NULL, 0, 1, 1, negative, a);
            break;
        case 15:
            tgs_lp_row(lp, NULL, 0, 1, 1, one, nan);
            break;
        case 16:
            tgs_lp_row(lp, NULL, 0, 1, 1, one, large);
            break;
        case 17:
            tgs_lp_row(lp, NULL, 0, 1, -1, one, a);
            break;
        case 18:
            tgs_lp_row_bounds(lp, 0, 0, 1);
            break;
        case 20:
            tgs_lp_remark(lp, "two\nlines");
            break;
        case 19:
            tgs_lp_column_bounds(lp, 0, 0, -INFINITY);
            break;
        default:
            break;
        }
        assert_int_equal(tgs_lp_column(lp, "y", 0, 1, 1, false), -1);
        assert_int_equal(tgs_lp_status(lp, NULL), TGS_EINVAL);
        assert_int_equal(tgs_lp_relax(lp, &answer, &err), TGS_EINVAL);
        assert_true(*err.text);
        assert_int_equal(tgs_lp_solve(lp, NULL, &answer, NULL), TGS_EINVAL);
        assert_int_equal(answer.end, TGS_LP_UNKNOWN);
        assert_true(tgs_lp_safe_bound(lp, a) == -INFINITY);
        free(written(lp, TGS_EINVAL));
        tgs_lp_free(lp);
    }
    tgs_lp_free(NULL);
}

static void names_are_told_apart(void **state)
{
    tgs_lp *lp = fresh();

    (void)state;
    tgs_lp_column(lp, NULL, 0, 1, 1, false);
    tgs_lp_column(lp, "x0", 0, 1, 1, false);
    free(written(lp, TGS_EINVAL));
    tgs_lp_free(lp);
}

/* minimise x + 2 y, x + y >= 4, x <= 3, y <= 10: 5 at (3, 1), price 2 */
static void bounds_from_given_prices(void **state)
{
    static const int32_t column[] = {0, 1};
    static const double a[] = {1, 1};
    const double best[] = {2, 0}, poor[] = {1, 0}, wrong[] = {-1, 0}, free_of[] = {2, 100};
    tgs_lp *lp = fresh();

    (void)state;
    tgs_lp_column(lp, NULL, 0, 3, 1, false);
    tgs_lp_column(lp, NULL, 0, 10, 2, false);
    tgs_lp_row(lp, NULL, 4, INFINITY, 2, column, a);
    tgs_lp_row(lp, NULL, -INFINITY, 100, 2, column, a);
    assert_true(tgs_lp_safe_bound(lp, NULL) == -INFINITY); /* nothing was relaxed */
    assert_true(tgs_lp_safe_bound(lp, best) < 5);
    assert_true(tgs_lp_safe_bound(lp, best) > 5 - 1e-12);
    assert_true(tgs_lp_safe_bound(lp, poor) > 4 - 1e-12 && tgs_lp_safe_bound(lp, poor) < 4);
    assert_true(tgs_lp_safe_bound(lp, wrong) <= 0); /* of the wrong sign: as 0 */
    assert_true(tgs_lp_safe_bound(lp, wrong) > -1e-12);
    assert_true(tgs_lp_safe_bound(lp, free_of) > 5 - 1e-12);
    tgs_lp_column_bounds(lp, 0, 0, INFINITY);
    assert_true(tgs_lp_safe_bound(lp, best) == -INFINITY); /* x could grow at reduced cost -1 */
    tgs_lp_free(lp);
}

static void without_a_solver(void **state)
{
    tgs_lp *lp;
    tgs_lp_answer answer;
    tgs_error err;

    (void)state;
    if (tgs_lp_available())
        return;
    lp = fresh();
    tgs_lp_column(lp, NULL, 0, 1, 1, false);
    assert_int_equal(tgs_lp_relax(lp, &answer, &err), TGS_ENOTAPPLICABLE);
    assert_non_null(strstr(err.text, "CBC"));
    assert_int_equal(tgs_lp_solve(lp, NULL, &answer, &err), TGS_ENOTAPPLICABLE);
    assert_true(isnan(tgs_lp_value(lp, 0)));
    tgs_lp_free(lp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_every_kind_of_row_and_bound),
        cmocka_unit_test(remembers_what_it_refuses),
        cmocka_unit_test(names_are_told_apart),
        cmocka_unit_test(bounds_from_given_prices),
        cmocka_unit_test(without_a_solver),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
