/* t_lp_solve.c -- linear and integer programs with known answers. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <Cbc_C_Interface.h>
#include "../fixture.h"
#include "tgsched/lp.h"

static tgs_lp *fresh(void)
{
    tgs_lp *lp;

    assert_int_equal(tgs_lp_new(&lp, NULL), TGS_OK);
    return lp;
}

static void row(tgs_lp *lp, double low, double high, int32_t count, ...)
{
    int32_t column[8];
    double a[8];
    va_list args;

    va_start(args, count);
    for (int32_t i = 0; i < count; i++) {
        column[i] = va_arg(args, int);
        a[i] = va_arg(args, double);
    }
    va_end(args);
    assert_true(tgs_lp_row(lp, NULL, low, high, count, column, a) >= 0);
}

static tgs_lp_answer relaxed(tgs_lp *lp)
{
    tgs_lp_answer answer;
    tgs_error err;

    if (tgs_lp_relax(lp, &answer, &err))
        fail_msg("%s", err.text);
    return answer;
}

static tgs_lp_answer solved(tgs_lp *lp, const tgs_lp_limits *limits)
{
    tgs_lp_answer answer;
    tgs_error err;

    if (tgs_lp_solve(lp, limits, &answer, &err))
        fail_msg("%s", err.text);
    return answer;
}

static void near(double x, double expected)
{
    if (!(fabs(x - expected) <= 1e-9 * (1 + fabs(expected))))
        fail_msg("%.17g is not %.17g", x, expected);
}

/* the factory of every textbook: x <= 4, 2 y <= 12, 3 x + 2 y <= 18, gain 3 x + 5 y = 36 at (2, 6),
 * prices 0, 3/2, 1 */
static void a_linear_program(void **state)
{
    tgs_lp *lp = fresh();
    tgs_lp_answer answer;

    (void)state;
    tgs_lp_column(lp, NULL, 0, 1000, -3, false);
    tgs_lp_column(lp, NULL, 0, 1000, -5, false);
    row(lp, -INFINITY, 4, 1, 0, 1.0);
    row(lp, -INFINITY, 12, 1, 1, 2.0);
    row(lp, -INFINITY, 18, 2, 0, 3.0, 1, 2.0);
    answer = relaxed(lp);
    assert_int_equal(answer.end, TGS_LP_OPTIMAL);
    near(answer.value, -36);
    near(answer.bound, -36);
    near(tgs_lp_value(lp, 0), 2);
    near(tgs_lp_value(lp, 1), 6);
    near(tgs_lp_dual(lp, 0), 0);
    near(tgs_lp_dual(lp, 1), -1.5);
    near(tgs_lp_dual(lp, 2), -1);
    assert_true(isnan(tgs_lp_value(lp, 2)) && isnan(tgs_lp_dual(lp, 3)));
    near(tgs_lp_safe_bound(lp, NULL), -36);
    assert_true(tgs_lp_safe_bound(lp, NULL) < -36);

    row(lp, 3, INFINITY, 1, 0, 1.0); /* x >= 3: again, from the basis: 9 + 22.5 */
    answer = relaxed(lp);
    near(answer.value, -31.5);
    tgs_lp_row_bounds(lp, 3, -INFINITY, 1);
    near(relaxed(lp).value, -33);
    tgs_lp_column_bounds(lp, 1, 0, 2);
    tgs_lp_column(lp, NULL, 0, 1, -1, false);
    near(relaxed(lp).value, -14);
    tgs_lp_free(lp);
}

static void programs_without_an_optimum(void **state)
{
    tgs_lp *lp = fresh();

    (void)state;
    tgs_lp_column(lp, NULL, 0, INFINITY, -1, false);
    tgs_lp_column(lp, NULL, 0, INFINITY, 0, true);
    row(lp, -INFINITY, 1, 2, 0, 1.0, 1, -1.0);
    assert_int_equal(relaxed(lp).end, TGS_LP_UNBOUNDED);
    assert_true(relaxed(lp).bound == -INFINITY);
    assert_int_equal(solved(lp, NULL).end, TGS_LP_UNBOUNDED);
    assert_true(isnan(tgs_lp_value(lp, 0)));
    row(lp, -INFINITY, -1, 2, 0, 1.0, 1, 1.0);
    assert_int_equal(relaxed(lp).end, TGS_LP_INFEASIBLE);
    assert_true(isnan(relaxed(lp).value));
    assert_int_equal(solved(lp, NULL).end, TGS_LP_INFEASIBLE);
    tgs_lp_free(lp);

    lp = fresh(); /* 2 x = 1 has only a fraction for an answer */
    tgs_lp_column(lp, NULL, 0, 5, 1, true);
    row(lp, 1, 1, 1, 0, 2.0);
    near(relaxed(lp).value, 0.5);
    assert_int_equal(solved(lp, NULL).end, TGS_LP_INFEASIBLE);
    tgs_lp_column_bounds(lp, 0, 3, 2);
    assert_int_equal(relaxed(lp).end, TGS_LP_INFEASIBLE);
    assert_int_equal(solved(lp, NULL).end, TGS_LP_INFEASIBLE);
    tgs_lp_free(lp);

    lp = fresh(); /* nothing at all */
    assert_int_equal(relaxed(lp).end, TGS_LP_OPTIMAL);
    assert_int_equal(solved(lp, NULL).end, TGS_LP_OPTIMAL);
    tgs_lp_free(lp);
}

enum { ITEMS = 12, SIDE = 6 };

/* two knapsacks' worth of constraints; the optimum by trying every subset */
static tgs_lp *knapsack(tgs_rng *rng, double *optimum)
{
    tgs_lp *lp = fresh();
    double gain[ITEMS], weight[2][ITEMS], room[2];
    int32_t column[ITEMS];

    for (int i = 0; i < ITEMS; i++) {
        gain[i] = (double)tgs_rng_int(rng, 1, 50);
        for (int k = 0; k < 2; k++)
            weight[k][i] = (double)tgs_rng_int(rng, 1, 50);
        column[i] = tgs_lp_column(lp, NULL, 0, 1, -gain[i], true);
    }
    for (int k = 0; k < 2; k++) {
        room[k] = (double)tgs_rng_int(rng, 50, 200);
        tgs_lp_row(lp, NULL, -INFINITY, room[k], ITEMS, column, weight[k]);
    }
    *optimum = 0;
    for (int set = 0; set < 1 << ITEMS; set++) {
        double sum = 0, load[2] = {0, 0};

        for (int i = 0; i < ITEMS; i++)
            if (set >> i & 1) {
                sum += gain[i];
                load[0] += weight[0][i];
                load[1] += weight[1][i];
            }
        if (load[0] <= room[0] && load[1] <= room[1] && -sum < *optimum)
            *optimum = -sum;
    }
    return lp;
}

static void integer_programs_as_by_trying_all(void **state)
{
    tgs_rng rng;

    (void)state;
    tgs_rng_seed(&rng, 1);
    for (int round = 0; round < 40; round++) {
        double optimum, first[ITEMS], start[ITEMS] = {0};
        tgs_lp *lp = knapsack(&rng, &optimum);
        const tgs_lp_limits limits = {.start = start};
        tgs_lp_answer answer = solved(lp, NULL);

        assert_int_equal(answer.end, TGS_LP_OPTIMAL);
        near(answer.value, optimum);
        near(answer.bound, optimum);
        for (int i = 0; i < ITEMS; i++) {
            first[i] = tgs_lp_value(lp, i);
            assert_true(first[i] == 0 || first[i] == 1);
        }
        assert_true(relaxed(lp).value <= optimum + 1e-9);
        assert_true(tgs_lp_safe_bound(lp, NULL) <= optimum);
        answer = solved(lp, NULL); /* again: the same */
        for (int i = 0; i < ITEMS; i++)
            assert_true(tgs_lp_value(lp, i) == first[i]);
        near(solved(lp, &limits).value, optimum); /* from the empty knapsack */
        memcpy(start, first, sizeof start);       /* and from the optimum */
        answer = solved(lp, &limits);
        assert_int_equal(answer.end, TGS_LP_OPTIMAL);
        near(answer.value, optimum);
        near(answer.bound, optimum);
        tgs_lp_free(lp);
    }
}

/* cheapest assignment by trying all permutations; whole numbers, so that the optimum is exact, then
 * all divided by 7, so that nothing is */
static double cheapest(double cost[SIDE][SIDE], int row_, unsigned taken)
{
    double least = row_ == SIDE ? 0 : INFINITY;

    for (int j = 0; j < SIDE && row_ < SIDE; j++)
        if (!(taken >> j & 1))
            least = fmin(least, cost[row_][j] + cheapest(cost, row_ + 1, taken | 1u << j));
    return least;
}

static void safe_bounds_are_below_and_near(void **state)
{
    tgs_rng rng;

    (void)state;
    tgs_rng_seed(&rng, 2);
    for (int round = 0; round < 100; round++) {
        tgs_lp *lp = fresh();
        double cost[SIDE][SIDE], one[SIDE], price[2 * SIDE], optimum;
        int32_t x[SIDE][SIDE], turned[SIDE];
        const double divisor = round % 2 ? 7 : 1;

        for (int i = 0; i < SIDE; i++) {
            one[i] = 1;
            for (int j = 0; j < SIDE; j++) {
                cost[i][j] = (double)tgs_rng_int(&rng, 1, 99);
                x[i][j] = tgs_lp_column(lp, NULL, 0, 1, cost[i][j] / divisor, false);
            }
        }
        for (int i = 0; i < SIDE; i++) {
            tgs_lp_row(lp, NULL, 1, 1, SIDE, x[i], one);
            for (int j = 0; j < SIDE; j++)
                turned[j] = x[j][i];
            tgs_lp_row(lp, NULL, 1, 1, SIDE, turned, one);
        }
        optimum = cheapest(cost, 0, 0) / divisor;
        near(relaxed(lp).value, optimum);
        assert_true(tgs_lp_safe_bound(lp, NULL) <= nextafter(optimum, INFINITY));
        if (divisor == 1)
            assert_true(tgs_lp_safe_bound(lp, NULL) <= optimum);
        near(tgs_lp_safe_bound(lp, NULL), optimum);
        for (int i = 0; i < 2 * SIDE; i++)
            price[i] = tgs_rng_real(&rng) * 40 - 10;
        assert_true(tgs_lp_safe_bound(lp, price) <= optimum);
        tgs_lp_free(lp);
    }
}

static bool at_once(void *calls)
{
    ++*(int *)calls;
    return true;
}

/* x of 40 numbers in pairs that never add up to the odd half: hopeless without cuts, so limits
 * end it */
static tgs_lp *hard(void)
{
    tgs_lp *lp = fresh();
    int32_t column[40];
    double a[40];
    tgs_rng rng;

    tgs_rng_seed(&rng, 3);
    for (int k = 0; k < 40; k++)
        column[k] = tgs_lp_column(lp, NULL, 0, 1, (double)tgs_rng_int(&rng, 1, 100), true);
    for (int r = 0; r < 5; r++) {
        double half = 0;

        for (int k = 0; k < 40; k++) {
            a[k] = (double)tgs_rng_int(&rng, 1, 99);
            half += a[k] / 2;
        }
        tgs_lp_row(lp, NULL, floor(half), floor(half) + 3, 40, column, a);
    }
    return lp;
}

static void limits_end_a_solve(void **state)
{
    tgs_lp *lp = hard();
    int calls = 0;
    const tgs_lp_limits few = {.nodes = 1}, now = {.stop = at_once, .user = &calls},
                        brief = {.seconds = 0.2};
    const double root = (relaxed(lp), tgs_lp_safe_bound(lp, NULL));
    const tgs_lp_limits *const all[] = {&few, &now, &brief};

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const tgs_lp_answer answer = solved(lp, all[i]);

        assert_true(answer.end == TGS_LP_UNKNOWN || answer.end == TGS_LP_FEASIBLE);
        assert_int_equal(isnan(answer.value) != 0, answer.end == TGS_LP_UNKNOWN);
        assert_true(answer.bound < INFINITY);
        assert_true(answer.bound > root - 1e-6);
    }
    assert_true(calls > 0);
    tgs_lp_free(lp);
}

static void starts_that_are_none(void **state)
{
    double start[] = {0.5}, outside[] = {7};
    const tgs_lp_limits fraction = {.start = start}, beyond = {.start = outside};
    tgs_lp *lp = fresh();
    tgs_lp_answer answer;

    (void)state;
    tgs_lp_column(lp, NULL, 0, 5, 1, true);
    assert_int_equal(tgs_lp_solve(lp, &fraction, &answer, NULL), TGS_EINVAL);
    assert_int_equal(tgs_lp_solve(lp, &beyond, &answer, NULL), TGS_EINVAL);
    tgs_lp_free(lp);
}

static void *in_a_thread(void *value)
{
    tgs_rng rng;
    double optimum;
    tgs_lp *lp;

    tgs_rng_seed(&rng, 4);
    lp = knapsack(&rng, &optimum);
    *(double *)value = solved(lp, NULL).value - optimum;
    tgs_lp_free(lp);
    return NULL;
}

static void threads_take_turns(void **state)
{
    pthread_t thread[4];
    double off[4];

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, in_a_thread, &off[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(thread[i], NULL);
        near(off[i], 0);
    }
}

/* what CBC's own reader makes of the file is the same program */
static void cbc_reads_what_is_written(void **state)
{
    char path[] = "/tmp/tgsched-lp.XXXXXX.lp";
    tgs_rng rng;

    (void)state;
    tgs_rng_seed(&rng, 5);
    for (int round = 0; round < 5; round++) {
        double optimum;
        tgs_lp *lp = knapsack(&rng, &optimum);
        const int fd = (strcpy(path, "/tmp/tgsched-lp.XXXXXX.lp"), mkstemps(path, 3));
        FILE *to = fdopen(fd, "w");
        Cbc_Model *model;

        tgs_lp_column(lp, "free.one", -INFINITY, INFINITY, 0, false);
        tgs_lp_column(lp, "low", -INFINITY, -2.5, -1. / 3, false);
        row(lp, -4, 5, 2, ITEMS, 1.0, ITEMS + 1, -0.1);
        row(lp, 1, 1, 1, ITEMS, 1.0);
        assert_int_equal(tgs_lp_write(lp, to, NULL), TGS_OK);
        assert_int_equal(fclose(to), 0);
        model = Cbc_newModel();
        Cbc_setLogLevel(model, 0);
        assert_int_equal(Cbc_readLp(model, path), 0);
        assert_int_equal(Cbc_getNumCols(model), tgs_lp_columns(lp));
        assert_int_equal(Cbc_getNumRows(model), tgs_lp_rows(lp) + 1);
        for (int j = 0; j < Cbc_getNumCols(model); j++) {
            char name[64];

            Cbc_getColName(model, j, name, sizeof name);
            if (!strcmp(name, "free.one")) {
                assert_true(Cbc_getColLower(model)[j] <= -1e30);
                assert_true(Cbc_getColUpper(model)[j] >= 1e30);
            } else if (!strcmp(name, "low")) {
                assert_true(Cbc_getColUpper(model)[j] == -2.5);
                assert_true(Cbc_getObjCoefficients(model)[j] == -1. / 3);
            } else {
                assert_int_equal(*name, 'x');
                assert_true(Cbc_isInteger(model, j) && Cbc_getColUpper(model)[j] == 1);
            }
        }
        Cbc_setParameter(model, "log", "0");
        assert_int_equal(Cbc_solve(model), 0);
        near(Cbc_getObjValue(model), solved(lp, NULL).value);
        Cbc_deleteModel(model);
        unlink(path);
        tgs_lp_free(lp);
    }
}

/* the program of a heuristic, as another solver sees it, is worth what branch and bound finds */
static void cbc_solves_what_milp_writes(void **state)
{
    char path[] = "/tmp/tgsched-lp.XXXXXX.lp";
    fixture f = fixture_open("kinds cpu gpu\ntask a time=3,2\ntask b time=4,1\ntask c time=2,2\n"
                             "task d time=5,1\nedge a b 2\nedge a c 1\nedge b d 3\nedge c d 1\n",
                             "cpu:2 gpu:1 link:1,0.5", "latbw");
    tgs_schedule *s;
    Cbc_Model *model;

    (void)state;
    close(mkstemps(path, 3));
    assert_int_equal(tgs_program_write(f.pb, "milp", 1, path, NULL), TGS_OK);
    assert_int_equal(tgs_schedule_make(&s, f.pb, "bnb", 1, NULL), TGS_OK);
    model = Cbc_newModel();
    Cbc_setLogLevel(model, 0);
    assert_int_equal(Cbc_readLp(model, path), 0);
    Cbc_setParameter(model, "log", "0");
    assert_int_equal(Cbc_solve(model), 0);
    assert_true(fabs(Cbc_getObjValue(model) * 0.1 - tgs_schedule_makespan(s)) < 1e-5);
    assert_int_equal(tgs_program_write(f.pb, "heft", 1, path, NULL), TGS_ENOTAPPLICABLE);
    assert_int_equal(tgs_program_write(f.pb, "exec:x", 1, path, NULL), TGS_ENOTAPPLICABLE);
    assert_int_equal(tgs_program_write(f.pb, "milp", 1, "/nowhere/x.lp", NULL), TGS_EIO);
    Cbc_deleteModel(model);
    unlink(path);
    tgs_schedule_free(s);
    fixture_close(&f);
}

/* nothing reaches standard output or standard error */
static void nothing_is_printed(void **state)
{
    char path[] = "/tmp/tgsched-lp.XXXXXX";
    const int file = mkstemp(path), out = dup(1), error = dup(2);
    tgs_lp *lp = hard();
    const tgs_lp_limits few = {.nodes = 50};

    (void)state;
    fflush(NULL);
    dup2(file, 1);
    dup2(file, 2);
    relaxed(lp);
    solved(lp, &few);
    programs_without_an_optimum(NULL);
    fflush(NULL);
    dup2(out, 1);
    dup2(error, 2);
    assert_int_equal(lseek(file, 0, SEEK_END), 0);
    close(file);
    close(out);
    close(error);
    unlink(path);
    tgs_lp_free(lp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linear_program),
        cmocka_unit_test(programs_without_an_optimum),
        cmocka_unit_test(integer_programs_as_by_trying_all),
        cmocka_unit_test(safe_bounds_are_below_and_near),
        cmocka_unit_test(limits_end_a_solve),
        cmocka_unit_test(starts_that_are_none),
        cmocka_unit_test(threads_take_turns),
        cmocka_unit_test(cbc_reads_what_is_written),
        cmocka_unit_test(cbc_solves_what_milp_writes),
        cmocka_unit_test(nothing_is_printed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
