/* t_planparts.c -- the shared parts of planners against brute force, and the files they read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>
#include <cmocka.h>
#include "../fixture.h"
#include "../heuristics/plan/core.h"
#include "../heuristics/plan/instance.h"

/* ---- bottleneck ----------------------------------------------------------------------------- */
static double brute_bottleneck(int32_t n, const double *speed, const int64_t *most, int64_t units)
{
    double best = INFINITY;

    if (n == 0)
        return units ? INFINITY : 0;
    for (int64_t a = 0; a <= units && a <= most[n - 1]; a++) {
        const double rest = brute_bottleneck(n - 1, speed, most, units - a);
        const double mine = (double)a / speed[n - 1];

        best = fmin(best, fmax(rest, mine));
    }
    return best;
}

static void bottleneck_is_exact(void **state) /* T17, Q17: 500 random cases */
{
    tgs_rng rng;

    (void)state;
    tgs_rng_seed(&rng, 17);
    for (int trial = 0; trial < 500; trial++) {
        const int32_t n = (int32_t)tgs_rng_int(&rng, 1, 4);
        const int64_t units = tgs_rng_int(&rng, 0, 9);
        double speed[4], longest, best;
        int64_t most[4], count[4], sum = 0;
        tgs_status status;

        for (int32_t i = 0; i < n; i++) {
            speed[i] = 1 + tgs_rng_real(&rng) * 4;
            most[i] = tgs_rng_int(&rng, 0, 6);
        }
        best = brute_bottleneck(n, speed, most, units);
        status = tgs_i_bottleneck(n, speed, most, units, count, &longest, NULL);
        if (best == INFINITY) {
            assert_int_equal(status, TGS_EINFEASIBLE);
            continue;
        }
        assert_int_equal(status, TGS_OK);
        assert_true(longest == best);
        for (int32_t i = 0; i < n; i++) {
            sum += count[i];
            assert_true(count[i] <= most[i] && (double)count[i] / speed[i] <= best);
        }
        assert_int_equal(sum, units);
    }
}

/* ---- split ---------------------------------------------------------------------------------- */
#define CAP 6
static double brute_split(int32_t n, const tgs_i_curve *c, int64_t batch)
{
    double best = INFINITY;

    if (n == 0)
        return batch ? INFINITY : 0;
    for (int64_t b = 0; b <= batch && b <= c[n - 1].cap; b++)
        best = fmin(best, fmax(brute_split(n - 1, c, batch - b), c[n - 1].time[b]));
    return best;
}

static void split_is_exact(void **state)
{
    tgs_rng rng;

    (void)state;
    tgs_rng_seed(&rng, 4);
    for (int trial = 0; trial < 1000; trial++) {
        const int32_t n = (int32_t)tgs_rng_int(&rng, 1, 4);
        const int64_t batch = tgs_rng_int(&rng, 0, 12);
        const bool monotone = trial % 2;
        double time[4][CAP + 1] = {{0}}, longest, best;
        tgs_i_curve curve[4];
        int64_t share[4], sum = 0;
        tgs_status status;

        for (int32_t i = 0; i < n; i++) {
            curve[i] = (tgs_i_curve){time[i], tgs_rng_int(&rng, 0, CAP)};
            for (int32_t b = 1; b <= CAP; b++)
                time[i][b] = monotone ? time[i][b - 1] + (double)tgs_rng_int(&rng, 0, 3)
                                      : (double)tgs_rng_int(&rng, 1, 9);
        }
        best = brute_split(n, curve, batch);
        status = tgs_i_split(n, curve, batch, share, &longest, NULL);
        if (best == INFINITY) {
            assert_int_equal(status, TGS_EINFEASIBLE);
            continue;
        }
        assert_int_equal(status, TGS_OK);
        assert_true(longest == best);
        for (int32_t i = 0; i < n; i++) {
            sum += share[i];
            assert_true(time[i][share[i]] <= best);
        }
        assert_int_equal(sum, batch);
    }
}

/* time[b] = fixed + slope b */
static tgs_i_curve line(double *time, double fixed, double slope, int64_t cap)
{
    time[0] = 0;
    for (int64_t b = 1; b <= cap; b++)
        time[b] = fixed + slope * (double)b;
    return (tgs_i_curve){time, cap};
}

static void published_splits(void **state) /* P3 */
{
    double time[3][9], longest, level[2];
    tgs_i_curve curve[3] = {line(time[0], 0, 1, 8), line(time[1], 0, 3, 8)};
    const double room[] = {24 - 20, 80 - 30};
    int64_t share[3];
    tgs_error err;

    (void)state;
    assert_int_equal(tgs_i_split(2, curve, 8, share, &longest, NULL), TGS_OK);
    assert_true(share[0] == 6 && share[1] == 2 && longest == 6);
    curve[0].cap = 4;
    assert_int_equal(tgs_i_split(2, curve, 8, share, &longest, NULL), TGS_OK);
    assert_true(longest == 12);
    curve[0] = line(time[0], 2, 1, 8);
    curve[1] = line(time[1], 1, 2, 6);
    curve[2] = line(time[2], 1, 4, 4);
    assert_int_equal(tgs_i_split(3, curve, 12, share, &longest, NULL), TGS_OK);
    assert_true(share[0] == 6 && share[1] == 4 && share[2] == 2 && longest == 9);
    assert_int_equal(tgs_i_split(3, curve, 19, share, &longest, &err), TGS_EINFEASIBLE);
    assert_non_null(strstr(err.text, "1 of 19"));

    assert_int_equal(tgs_i_fill_rooms(2, room, 54, level, NULL), TGS_OK);
    assert_true(level[0] == 4 && level[1] == 50);
    assert_int_equal(tgs_i_fill_rooms(2, room, 6, level, NULL), TGS_OK);
    assert_true(level[0] == 3 && level[1] == 3);
    assert_int_equal(tgs_i_fill_rooms(2, room, 55, level, &err), TGS_EINFEASIBLE);
    assert_non_null(strstr(err.text, "1 bytes"));
}

static void published_scan(void **state) /* P4 */
{
    double time[2][9], seconds, longest;
    const tgs_i_curve curve[2] = {line(time[0], 1, 1, 8), line(time[1], 1, 2, 4)};
    int64_t b[2], share[2], steps;
    tgs_error err;

    (void)state;
    for (int between = 0; between <= 2; between += 2) {
        double even = INFINITY;

        assert_int_equal(tgs_i_scan(2, curve, 48, between, b, &steps, &seconds, NULL), TGS_OK);
        assert_true(b[0] == 8 && b[1] == 4 && steps == 4);
        assert_true(seconds == (between ? 44 : 36));
        for (int64_t k = 1; k <= 4; k++) /* the same batch for both */
            even = fmin(even, ceil(48. / (double)(2 * k)) * (double)(1 + 2 * k + between));
        assert_true(even == (between ? 66 : 54));
        assert_int_equal(tgs_i_scan_shares(2, curve, 48, b, steps, share, &longest, NULL), TGS_OK);
        assert_true(share[0] == 32 && share[1] == 16 && longest == 9);
    }
    b[0] = 8; /* a device with fewer samples than micro-steps would stand idle: it gets none */
    b[1] = 0;
    assert_int_equal(tgs_i_scan_shares(2, curve, 3, b, 2, share, &longest, NULL), TGS_OK);
    assert_true(share[0] == 3 && share[1] == 0 && longest == 3);
    {
        const tgs_i_curve none[1] = {{time[0], 0}};

        assert_int_equal(tgs_i_scan(1, none, 4, 0, b, &steps, &seconds, &err), TGS_EINFEASIBLE);
    }
}

/* ---- pareto --------------------------------------------------------------------------------- */
static bool beats(int32_t m, const double *a, const double *b, bool first)
{
    bool better = first;

    for (int32_t k = 0; k < m; k++) {
        if (a[k] > b[k])
            return false;
        better |= a[k] < b[k];
    }
    return better;
}

static void pareto_is_exact(void **state)
{
    tgs_rng rng;

    (void)state;
    tgs_rng_seed(&rng, 12);
    for (int trial = 0; trial < 300; trial++) {
        const int32_t n = (int32_t)tgs_rng_int(&rng, 0, 20), m = 2 + trial % 2;
        double value[60], crowding[20];
        int32_t front[20];
        bool kept[20];

        for (int32_t i = 0; i < n * m; i++)
            value[i] = (double)tgs_rng_int(&rng, 0, 6);
        assert_int_equal(tgs_i_pareto(n, m, value, kept, NULL), TGS_OK);
        assert_int_equal(tgs_i_fronts(n, m, value, front, crowding, NULL), TGS_OK);
        for (int32_t i = 0; i < n; i++) {
            bool best = true;
            int32_t above = -1;

            for (int32_t j = 0; j < n; j++) {
                best &= !beats(m, value + j * m, value + i * m, j < i);
                if (beats(m, value + j * m, value + i * m, false) && front[j] > above)
                    above = front[j];
            }
            assert_int_equal(kept[i], best);
            assert_int_equal(front[i], above + 1);
        }
    }
}

/* ---- genes ---------------------------------------------------------------------------------- */
/* jobs on one machine in the order of a permutation, each fast or slow: the weighted completion
 * times, and what fast costs */
static const double work[] = {5, 1, 4, 2, 3}, weight[] = {1, 4, 2, 2, 5};

static tgs_status judge(void *user, int32_t *genes, double *objective, tgs_error *err)
{
    double t = 0, sum = 0, cost = 0;

    (void)err;
    ++*(int64_t *)user;
    for (int i = 0; i < 5; i++) {
        const int32_t j = genes[i];

        t += genes[5 + j] ? work[j] / 2 : work[j];
        cost += genes[5 + j];
        sum += weight[j] * t;
    }
    objective[0] = sum;
    objective[1] = cost;
    return TGS_OK;
}

static tgs_status judge_sum(void *user, int32_t *genes, double *objective, tgs_error *err)
{
    double both[2];
    const tgs_status status = judge(user, genes, both, err);

    objective[0] = both[0];
    return status;
}

static double brute_order(int32_t fast)
{
    int32_t genes[10];
    double best = INFINITY;
    int64_t calls = 0;

    for (int32_t code = 0; code < 3125 * 32; code++) {
        double objective[2];
        int32_t seen = 0, x = code / 32;

        for (int i = 0; i < 5; i++, x /= 5)
            seen |= 1 << (genes[i] = x % 5);
        for (int i = 0; i < 5; i++)
            genes[5 + i] = code >> i & 1;
        if (seen != 31)
            continue;
        judge(&calls, genes, objective, NULL);
        if (objective[1] == fast)
            best = fmin(best, objective[0]);
    }
    return best;
}

static void genes_find_the_front(void **state)
{
    const tgs_i_part part[] = {{5, 1, 0}, {5, 0, 1}};
    int64_t calls = 0;
    tgs_i_genome g = {.parts = 2,
                      .objectives = 2,
                      .part = part,
                      .judge = judge,
                      .user = &calls,
                      .size = 40,
                      .evals = 6000,
                      .mutation = 0.6};
    int32_t *genes, *again, count, same;
    double *value, *other;
    tgs_rng rng;

    (void)state;
    tgs_rng_seed(&rng, 1);
    assert_int_equal(tgs_i_evolve(&g, &rng, &genes, &value, &count, NULL), TGS_OK);
    assert_int_equal(count, 6); /* with 0 to 5 fast ones */
    for (int32_t i = 0; i < count; i++)
        assert_true(value[2 * i] == brute_order(5 - i) && value[2 * i + 1] == 5 - i);
    assert_true(calls <= 6000); /* equal genomes are judged once */
    tgs_rng_seed(&rng, 1);
    assert_int_equal(tgs_i_evolve(&g, &rng, &again, &other, &same, NULL), TGS_OK);
    assert_int_equal(same, count);
    assert_memory_equal(genes, again, sizeof *genes * 10 * (size_t)count);
    tgs_mem_free(again);
    tgs_mem_free(other);
    g.judge = judge_sum;
    g.objectives = 1; /* the order of one objective: everything fast */
    tgs_rng_seed(&rng, 2);
    assert_int_equal(tgs_i_evolve(&g, &rng, &again, &other, &same, NULL), TGS_OK);
    assert_true(same == 1 && other[0] == brute_order(5));
    tgs_mem_free(again);
    tgs_mem_free(other);
    tgs_mem_free(genes);
    tgs_mem_free(value);
}

/* ---- instance ------------------------------------------------------------------------------- */
static const tgs_i_column device[] = {
    {"speed", TGS_I_REAL, false, 0.5, 8, 1, 0},
    {"times", TGS_I_REAL, true, 0, INFINITY, NAN, 0},
    {.key = NULL},
};
static const tgs_i_column job[] = {
    {"on", TGS_I_ROW, true, 0, 0, 0, 0},
    {"count", TGS_I_WHOLE, false, 1, 9, NAN, 0},
    {.key = NULL},
};
static const tgs_i_table schema[] = {
    {"device", 1, 100, device}, {"job", 0, 2, job}, {.record = NULL}};

static tgs_status read_text(const char *text, tgs_i_instance **x, tgs_error *err)
{
    char *path = fixture_file(text);
    tgs_source s;
    tgs_status status = tgs_i_source_open(&s, path, err);

    assert_int_equal(status, TGS_OK);
    s.path = "text";
    status = tgs_i_instance_read(x, &s, schema, err);
    tgs_i_source_close(&s);
    unlink(path);
    free(path);
    return status;
}

#define HEAD "tgsched.instance/1\n"
static void instances_are_read(void **state)
{
    tgs_i_instance *x;
    const double *list;
    tgs_error err;

    (void)state;
    assert_int_equal(read_text(HEAD "# two\ndevice a%20b times=1,-,3.5 speed=2 # fast\n\n"
                                    "device c times=4\njob j count=3 on=c,a%20b\njob k count=1\n",
                               &x, NULL),
                     TGS_OK);
    assert_int_equal(tgs_i_rows(x, 0), 2);
    assert_string_equal(tgs_i_row_name(x, 0, 0), "a b");
    assert_true(tgs_i_real(x, 0, 0, 0) == 2 && tgs_i_real(x, 0, 1, 0) == 1);
    assert_true(tgs_i_given(x, 0, 0, 0) && !tgs_i_given(x, 0, 1, 0));
    assert_int_equal(tgs_i_list(x, 0, 0, 1, &list), 3);
    assert_true(list[0] == 1 && list[1] == INFINITY && list[2] == 3.5);
    assert_int_equal(tgs_i_list(x, 1, 0, 0, &list), 2);
    assert_true(list[0] == 1 && list[1] == 0);
    assert_int_equal(tgs_i_index(x, 1, 0, 1), 3);
    assert_int_equal(tgs_i_list(x, 1, 1, 0, &list), 0);
    assert_int_equal(tgs_i_row_fail(x, 1, 1, &err, "no %s", "good"), TGS_EPARSE);
    assert_string_equal(err.text, "text:7: no good");
    tgs_i_instance_free(x);
    tgs_i_instance_free(NULL);
}

static void many_rows(void **state)
{
    char *text = malloc(100 * 32 + 64), *end = text + sprintf(text, HEAD);
    tgs_i_instance *x;

    (void)state;
    for (int i = 0; i < 100; i++)
        end += sprintf(end, "device d%d times=%d\n", i, i);
    strcpy(end, "job j count=1 on=d77\n");
    assert_int_equal(read_text(text, &x, NULL), TGS_OK);
    assert_int_equal(tgs_i_index(x, 1, 0, 0), 77);
    tgs_i_instance_free(x);
    free(text);
}

static void bad_instances(void **state)
{
    static const char *const bad[][2] = {
        {"", "text: the first line must be"},
        {"tgsched.graph/1\n", "text:1: the first line must be"},
        {HEAD, "0 device records, at least 1"},
        {HEAD "gpu a\n", "text:2: no record 'gpu'"},
        {HEAD "device\n", "text:2: device needs a name"},
        {HEAD "device a=b\n", "text:2: 'a=b' is not a name"},
        {HEAD "device a\n", "text:2: device needs times="},
        {HEAD "device a times=\n", "text:2: times= is not a finite number"},
        {HEAD "device a times=1,,2\n", "text:2: times= is not"},
        {HEAD "device a times=1,x\n", "text:2: times=x is not"},
        {HEAD "device a times=nan\n", "text:2: times=nan is not"},
        {HEAD "device a times=-1\n", "text:2: times=-1 is not in"},
        {HEAD "device a times=1 times=2\n", "text:2: times is given twice"},
        {HEAD "device a times=1 speed=9\n", "text:2: speed=9 is not in [0.5, 8]"},
        {HEAD "device a times=1 speed=-\n", "text:2: speed=- is not"},
        {HEAD "device a times=1 speed=1,2\n", "text:2: speed=1,2 is not"},
        {HEAD "device a times=1 color=1\n", "text:2: device has no key 'color'"},
        {HEAD "device a times=1\ndevice a times=1\n", "text:3: device a stands in line 2"},
        {HEAD "device a times=1\njob j count=1.5\n", "text:3: count=1.5 is not a whole"},
        {HEAD "device a times=1\njob j count=1 on=b\n", "text:3: on=b: no device"},
        {HEAD "device a times=1\njob j count=1\njob k count=1\njob l count=1\n",
         "text:5: more than 2 job"},
        {HEAD "device a times 1\n", "text:2: expected key=value"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tgs_i_instance *x = (void *)&bad;
        tgs_error err = {TGS_OK, ""};

        assert_int_equal(read_text(bad[i][0], &x, &err), TGS_EPARSE);
        assert_null(x);
        if (!strstr(err.text, bad[i][1]))
            fail_msg("%s: %s", bad[i][1], err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bottleneck_is_exact), cmocka_unit_test(split_is_exact),
        cmocka_unit_test(published_splits),    cmocka_unit_test(published_scan),
        cmocka_unit_test(pareto_is_exact),     cmocka_unit_test(genes_find_the_front),
        cmocka_unit_test(instances_are_read),  cmocka_unit_test(many_rows),
        cmocka_unit_test(bad_instances),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
