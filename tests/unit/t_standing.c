/* t_standing.c -- geometric means, wins, ties and profiles of small tables, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>
#include "fixture.h"

/* four instances, three methods; nobody solves the last */
static const double value[] = {10, 20, 40, 8, 8, NAN, 30, 15, 60, NAN, NAN, NAN};
static const double bound[] = {5, 8, NAN, 1};

static void test_standings(void **state)
{
    tgs_standing s[3];

    (void)state;
    assert_int_equal(tgs_standings(s, value, NULL, bound, 4, 3, NULL), TGS_OK);
    assert_int_equal(s[0].solved, 3);
    assert_int_equal(s[1].solved, 3);
    assert_int_equal(s[2].solved, 2);
    assert_int_equal(s[0].wins, 1);
    assert_int_equal(s[1].wins, 1);
    assert_int_equal(s[2].wins, 0);
    assert_int_equal(s[0].ties, 1);
    assert_int_equal(s[1].ties, 1);
    assert_int_equal(s[2].ties, 0);
    assert_real(s[0].mean_to_bound, sqrt(2 * 1));
    assert_real(s[1].mean_to_bound, sqrt(4 * 1));
    assert_real(s[2].mean_to_bound, 8);
    assert_real(s[0].mean_to_best, cbrt(1 * 1 * 2));
    assert_real(s[1].mean_to_best, cbrt(2 * 1 * 1));
    assert_real(s[2].mean_to_best, sqrt(4 * 4));
    assert_real(s[0].worst_to_best, 2);
    assert_real(s[2].worst_to_best, 4);
}

static void test_noise(void **state)
{
    static const double noise[] = {0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    static const double close[] = {1, 1 + 1e-10, 1 + 1e-8};
    tgs_standing s[3];

    (void)state;
    assert_int_equal(tgs_standings(s, value, noise, NULL, 4, 3, NULL), TGS_OK);
    assert_int_equal(s[0].wins, 0); /* 10 and 20 are 11 apart at most */
    assert_int_equal(s[0].ties, 2);
    assert_int_equal(s[1].ties, 2);
    assert_true(isnan(s[0].mean_to_bound));
    assert_int_equal(tgs_standings(s, close, NULL, NULL, 1, 3, NULL), TGS_OK);
    assert_int_equal(s[0].ties, 1); /* rounding is no win, more than rounding is */
    assert_int_equal(s[1].ties, 1);
    assert_int_equal(s[2].ties, 0);
}

static void test_nothing(void **state)
{
    static const double none[] = {NAN, 0}; /* an empty graph takes no time */
    tgs_standing s[2];
    double ratio[1];

    (void)state;
    assert_int_equal(tgs_standings(s, none, NULL, none, 1, 2, NULL), TGS_OK);
    assert_int_equal(s[0].solved, 0);
    assert_true(isnan(s[0].mean_to_best) && isnan(s[0].worst_to_best));
    assert_real(s[1].mean_to_best, 1);
    assert_int_equal(tgs_profile(ratio, none, 1, 2, 1), 1);
    assert_real(ratio[0], 1);
    assert_int_equal(tgs_profile(ratio, none, 1, 2, 0), 1);
    assert_true(isinf(ratio[0]));
    assert_int_equal(tgs_standings(s, none, NULL, NULL, 0, 2, NULL), TGS_OK);
    assert_int_equal(s[1].solved, 0);
}

static void test_profile(void **state)
{
    double ratio[4];

    (void)state;
    assert_int_equal(tgs_profile(ratio, value, 4, 3, 0), 3);
    assert_real(ratio[0], 1);
    assert_real(ratio[1], 1);
    assert_real(ratio[2], 2);
    assert_int_equal(tgs_profile(ratio, value, 4, 3, 2), 3);
    assert_real(ratio[0], 4);
    assert_real(ratio[1], 4);
    assert_true(isinf(ratio[2]));
}

/* what a result depends on changes it, and nothing else does */
static void test_fingerprint(void **state)
{
    static const char graph[] = "task a work=1\ntask b work=2\nedge a b 3\n";
    static const char *const other[][3] = {
        {"task a work=1\ntask b work=2.5\nedge a b 3\n", "cpu:2/own link:1,0", "latbw"},
        {"task a work=1\ntask b work=2\nedge a b 4\n", "cpu:2/own link:1,0", "latbw"},
        {graph, "cpu:2/own link:2,0", "latbw"},
        {graph, "cpu:2/own link:1,0", "fifo"},
        {graph, "cpu:2x2/own link:1,0", "latbw"}};
    fixture f = fixture_open(graph, "cpu:2/own link:1,0", "latbw");
    const uint64_t x = tgs_problem_fingerprint(f.pb);

    (void)state;
    fixture_close(&f);
    f = fixture_open(graph, "cpu:2/own link:1,0", "latbw");
    assert_true(tgs_problem_fingerprint(f.pb) == x);
    fixture_close(&f);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        f = fixture_open(other[i][0], other[i][1], other[i][2]);
        assert_true(tgs_problem_fingerprint(f.pb) != x);
        fixture_close(&f);
    }
}

static void test_ratio(void **state)
{
    static const double a[] = {2, 4, 6, 8, 20}, b[] = {1, 2, 2, 2, 2}, one[] = {3};
    double x[101], y[101];
    tgs_ratio r;

    (void)state;
    assert_int_equal(tgs_ratio_of(&r, a, b, 5, NULL), TGS_OK); /* 2 2 3 4 10 */
    assert_real(r.median, 3);
    assert_true(r.low == 2 && r.high == 10);
    assert_int_equal(tgs_ratio_of(&r, one, b, 1, NULL), TGS_OK);
    assert_true(r.median == 3 && r.low == 3 && r.high == 3);
    /* of 0.50 .. 1.50 the median is between the ranks 41 and 61 (51 -+ 0.98 * sqrt(101)) */
    for (int i = 0; i < 101; i++) {
        x[i] = 0.5 + 0.01 * ((i * 37) % 101);
        y[i] = 1;
    }
    assert_int_equal(tgs_ratio_of(&r, x, y, 101, NULL), TGS_OK);
    assert_real(r.median, 1);
    assert_true(fabs(r.low - 0.9) < 0.02 && fabs(r.high - 1.1) < 0.02);
    y[3] = 0;
    assert_int_equal(tgs_ratio_of(&r, x, y, 101, NULL), TGS_EINVAL);
    assert_int_equal(tgs_ratio_of(&r, x, y, 0, NULL), TGS_EINVAL);
    assert_true(isnan(r.median));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_standings), cmocka_unit_test(test_noise),
        cmocka_unit_test(test_nothing),   cmocka_unit_test(test_profile),
        cmocka_unit_test(test_ratio),     cmocka_unit_test(test_fingerprint)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
