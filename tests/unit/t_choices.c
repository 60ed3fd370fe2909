/* t_choices.c -- exact choices per layer: multiple-choice knapsack against all choices, the tables
 * of OSDP (SYSTEMS.md T10, check Q10) and of HEP-BNN (S6 and T19, checks P8 and Q19). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../../heuristics/plan/csv.h"
#include "../../heuristics/plan/knapsack.h"
#include "../../heuristics/plan/operators/layers.h"
#include "../fixture.h"

/* ---- knapsack ----------------------------------------------------------------------------------
 */
typedef struct sack {
    int32_t at[9], items;
    double value[40];
    int64_t weight[40];
} sack;

static sack random_sack(tgs_rng *r)
{
    sack s = {.items = (int32_t)tgs_rng_int(r, 0, 6)};

    for (int32_t i = 0; i < s.items; i++) {
        s.at[i + 1] = s.at[i] + (int32_t)tgs_rng_int(r, 1, 4);
        for (int32_t k = s.at[i]; k < s.at[i + 1]; k++) {
            s.value[k] = tgs_rng_int(r, 0, 9) ? (double)tgs_rng_int(r, 1, 9) : INFINITY;
            s.weight[k] = tgs_rng_int(r, 0, 9);
        }
    }
    return s;
}

static double all_choices(const sack *s, int32_t item, int64_t room)
{
    double best = item == s->items && room >= 0 ? 0 : INFINITY;

    for (int32_t k = s->at[item]; item < s->items && k < s->at[item + 1]; k++)
        best = fmin(best, s->value[k] + all_choices(s, item + 1, room - s->weight[k]));
    return best;
}

static void knapsack(void **state)
{
    tgs_rng r;
    int32_t bad = 0;

    (void)state;
    tgs_rng_seed(&r, 11);
    for (int32_t k = 0; k < 500; k++) {
        const sack s = random_sack(&r);
        const tgs_i_choices x = {s.items, s.at, s.value, s.weight};
        const int64_t room = tgs_rng_int(&r, 0, 30);
        const double best = all_choices(&s, 0, room);
        int32_t choice[8];
        double value, sum = 0;
        int64_t held = 0;
        const tgs_status status = tgs_i_knapsack(&x, room, choice, &value);

        if (isinf(best)) {
            assert_int_equal(status, TGS_EINFEASIBLE);
            assert_true(value > 0);
            bad++;
            continue;
        }
        assert_int_equal(status, TGS_OK);
        assert_real(value, best);
        for (int32_t i = 0; i < s.items; i++) {
            sum += s.value[s.at[i] + choice[i]];
            held += s.weight[s.at[i] + choice[i]];
        }
        assert_real(sum, best);
        assert_true(held <= room);
    }
    assert_in_range(bad, 20, 300);
}

/* items that are alike: the counts are as good as the knapsack */
static void alike(void **state)
{
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 12);
    for (int32_t k = 0; k < 200; k++) {
        const int32_t items = (int32_t)tgs_rng_int(&r, 0, 6), n = (int32_t)tgs_rng_int(&r, 1, 4);
        double value[4], weight[4], best, same, sum = 0, held = 0;
        int32_t at[8] = {0}, choice[8], count[4] = {0};
        int64_t whole[32];
        double values[32];
        const int64_t room = tgs_rng_int(&r, 0, 30);
        const tgs_i_choices x = {items, at, values, whole};
        tgs_status status;

        for (int32_t c = 0; c < n; c++) {
            value[c] = tgs_rng_int(&r, 0, 9) ? (double)tgs_rng_int(&r, 1, 9) : INFINITY;
            weight[c] = (double)tgs_rng_int(&r, 0, 9);
        }
        for (int32_t i = 0; i < items; i++) {
            at[i + 1] = at[i] + n;
            for (int32_t c = 0; c < n; c++) {
                values[at[i] + c] = value[c];
                whole[at[i] + c] = (int64_t)weight[c];
            }
        }
        status = tgs_i_knapsack(&x, room, choice, &best);
        assert_int_equal(tgs_i_knapsack_alike(items, n, value, weight, (double)room, count, &same),
                         status);
        if (status)
            continue;
        assert_real(same, best);
        for (int32_t c = 0; c < n; c++) {
            sum += count[c] ? count[c] * value[c] : 0;
            held += count[c] * weight[c];
        }
        assert_real(sum, best);
        assert_true(items == 0 || held <= (double)room);
    }
}

static void open_source(tgs_source *s, const char *file)
{
    static char path[4096];
    const char *root = getenv("TGS_SRCDIR");

    snprintf(path, sizeof path, "%s/tests/data/%s", root ? root : ".", file);
    assert_int_equal(tgs_i_source_open(s, path, NULL), TGS_OK);
}

typedef struct plan { /* of OSDP: layers that are alike */
    int32_t hidden, batch, layers, room;
    int32_t count[4];
    double seconds;
    int32_t held;
} plan;

/* Q10, the row whose hidden size (4096) is not in the table beside the tests: 8 layers, 16384 MB
 * less the overhead of 800 */
static void osdp_large(void **state)
{
    static const double time[] = {.360613008, .384744783, .423237443, .492710272};
    static const double memory[] = {2689, 1921, 1073, 533};
    static const int32_t expected[] = {0, 8, 0, 0};
    int32_t count[4];
    double best;

    (void)state;
    assert_int_equal(tgs_i_knapsack_alike(8, 4, time, memory, 16384 - 800, count, &best), TGS_OK);
    assert_memory_equal(count, expected, sizeof count);
    assert_true(fabs(best - 3.077958) < 1e-6);
}

/* Q10 */
static void osdp(void **state)
{
    /* all shared out, of 48 layers of the first two batches; nobody could hold them replicated */
    static const double shared[] = {4.3107, 3.3501};
    static const plan plans[] = {
        {2, 0, 48, 7392, {0, 0, 44, 4}, 3.582569, 7364},
        {2, 1, 48, 7392, {0, 2, 46, 0}, 2.901937, 7304},
        {2, 2, 48, 7392, {0}, INFINITY, 0},
        {2, 3, 48, 7392, {0}, INFINITY, 0},
        {3, 0, 24, 7392, {1, 0, 23, 0}, 3.12532, 7296},
        {3, 1, 24, 7392, {0, 2, 22, 0}, 2.627892, 7308},
        {3, 2, 24, 7392, {0, 0, 22, 2}, 2.815118, 7346},
        {3, 0, 48, 7392, {0, 0, 13, 35}, 7.387631, 7279},
    };
    tgs_source s;
    tgs_i_csv t;

    (void)state;
    open_source(&s, "osdp/layer-choices.csv");
    assert_int_equal(
        tgs_i_csv_read(&t, &s, "hidden_index,batch_index,choice,time_s,memory_mb", NULL), TGS_OK);
    for (size_t k = 0; k < sizeof plans / sizeof *plans; k++) {
        const plan *p = &plans[k];
        double time[4], memory[4], best, sum = 0;
        int32_t count[4], held = 0;

        for (int32_t i = 0; i < t.rows; i++) {
            int64_t hidden, batch, choice;

            assert_int_equal(tgs_i_csv_count(&t, i, 0, 10, &hidden, NULL), TGS_OK);
            assert_int_equal(tgs_i_csv_count(&t, i, 1, 10, &batch, NULL), TGS_OK);
            assert_int_equal(tgs_i_csv_count(&t, i, 2, 3, &choice, NULL), TGS_OK);
            if (hidden != p->hidden || batch != p->batch)
                continue;
            assert_int_equal(tgs_i_csv_real(&t, i, 3, 0, &time[choice], NULL), TGS_OK);
            assert_int_equal(tgs_i_csv_real(&t, i, 4, 0, &memory[choice], NULL), TGS_OK);
            memory[choice] = trunc(memory[choice]);
        }
        if (k < 2)
            assert_true(fabs(p->layers * time[3] - shared[k]) < 5e-5);
        if (k == 0)
            assert_true(p->layers * memory[0] == 18096);
        if (isinf(p->seconds)) {
            assert_int_equal(
                tgs_i_knapsack_alike(p->layers, 4, time, memory, p->room, count, &best),
                TGS_EINFEASIBLE);
            assert_real(best, p->layers * memory[3] - p->room); /* what is missing */
            continue;
        }
        assert_int_equal(tgs_i_knapsack_alike(p->layers, 4, time, memory, p->room, count, &best),
                         TGS_OK);
        assert_memory_equal(count, p->count, sizeof count);
        assert_true(fabs(best - p->seconds) < 1e-6);
        for (int32_t c = 0; c < 4; c++) {
            held += count[c] * (int32_t)memory[c];
            sum += count[c] * time[c];
        }
        assert_int_equal(held, p->held);
        assert_true(fabs(sum - best) < 1e-12);
    }
    tgs_i_csv_close(&t);
    tgs_i_source_close(&s);
}

/* ---- layers ------------------------------------------------------------------------------------
 */
static tgs_i_layer_times of_batch(const tgs_i_layer_table *t, int64_t batch)
{
    int32_t b = 0;

    while (t->batch[b] != batch)
        b++;
    return (tgs_i_layer_times){t->layers, t->choices, t->time + (int64_t)b * t->layers * t->choices,
                               t->side};
}

static void read_table(tgs_i_layer_table *t)
{
    tgs_source s;
    tgs_error err = {TGS_OK, ""};

    open_source(&s, "hep-bnn/layer-times.csv");
    if (tgs_i_layer_table_read(t, &s, "cifar10", "cpu", "automatic", &err))
        fail_msg("%s", err.text);
    tgs_i_source_close(&s);
}

static void near(double value, double expected)
{
    assert_true(fabs(value - expected) < 5e-3); /* the tables have hundredths */
}

/* P8 and Q19.  The authors' files of the batches 4, 16 and 64, whose sums they give too
 * (67.16, 60.93 and 55.64), are not in the table. */
static void argmin(void **state)
{
    static const struct {
        int64_t batch;
        double sum;
        const char *other[20]; /* layers that are not on the CPU */
    } best[] = {
        {1, 89.90, {NULL}},
        {2, 76.75, {NULL}},
        {8, 64.42, {[3] = "z", [6] = "xz", [8] = "xz", [11] = "xz", [13] = "xyz"}},
        {32, 57.60, {NULL}},
        {128, 55.00, {[3] = "y", [6] = "xyz", [8] = "xyz", [11] = "xyz", [13] = "xyz", [17] = "x"}},
    };
    /* one implementation for all layers, at batch 128 */
    static const struct {
        const char *name;
        double sum;
    } one[] = {{"cpu", 101.26}, {"x", 386.86},  {"y", 130.59},  {"z", 293.10},
               {"xy", 225.07},  {"xz", 276.89}, {"yz", 230.42}, {"xyz", 188.54}};
    tgs_i_layer_table t;
    int32_t choice[20];

    (void)state;
    read_table(&t);
    assert_int_equal(t.layers, 20);
    assert_int_equal(t.choices, 8);
    assert_int_equal(t.batches, 5);
    for (size_t k = 0; k < sizeof best / sizeof *best; k++) {
        const tgs_i_layer_times x = of_batch(&t, best[k].batch);

        near(tgs_i_layers_argmin(&x, choice), best[k].sum);
        for (int32_t i = 0; i < 20 && (best[k].batch == 8 || best[k].batch == 128); i++)
            assert_string_equal(t.name[choice[i]], best[k].other[i] ? best[k].other[i] : "cpu");
    }
    for (int32_t k = 0; k < 8; k++) {
        const tgs_i_layer_times x = of_batch(&t, 128);
        int32_t c = 0;

        while (strcmp(t.name[c], one[k].name))
            c++;
        for (int32_t i = 0; i < 20; i++)
            choice[i] = c;
        near(tgs_i_layers_cost(&x, choice, 0, 0), one[k].sum);
    }
    near(t.mixed[4], 58.99);
    near(t.mixed[2], 71.24);
    assert_true(isnan(t.mixed[0]));
    tgs_i_layer_table_close(&t);
}

static void viterbi(void **state)
{
    static const struct {
        double change, argmin, best;
    } cases[] = {{0, 55.00, 55.00}, {.07, 55.84, 55.84}, {.2, 57.40, 57.11}, {.5, 61.00, 59.04},
                 {1, 67.00, 61.09}, {2, 79.00, 63.29},   {5, 115.00, 69.29}};
    tgs_i_layer_table t;
    int32_t fastest[20], choice[20];
    tgs_i_layer_times x;
    double cost;

    (void)state;
    read_table(&t);
    x = of_batch(&t, 128);
    tgs_i_layers_argmin(&x, fastest);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        near(tgs_i_layers_cost(&x, fastest, cases[k].change, 0), cases[k].argmin);
        assert_int_equal(tgs_i_layers_viterbi(&x, cases[k].change, 0, choice, &cost), TGS_OK);
        near(cost, cases[k].best);
        assert_real(cost, tgs_i_layers_cost(&x, choice, cases[k].change, 0));
        for (int32_t c = 0; c < x.choices; c++) { /* never worse than one for all */
            int32_t same[20];

            for (int32_t i = 0; i < 20; i++)
                same[i] = c;
            assert_true(cost <= tgs_i_layers_cost(&x, same, cases[k].change, 0) + 1e-12);
        }
    }
    /* the first layer that changes is 12, by y, once two changes are more than it loses */
    assert_int_equal(tgs_i_layers_viterbi(&x, .0749, 0, choice, &cost), TGS_OK);
    assert_string_equal(t.name[choice[12]], "cpu");
    assert_int_equal(tgs_i_layers_viterbi(&x, .0751, 0, choice, &cost), TGS_OK);
    assert_string_equal(t.name[choice[12]], "y");
    tgs_i_layer_table_close(&t);
}

static double all_ways(const tgs_i_layer_times *x, double change, int32_t start)
{
    int32_t choice[8] = {0}, i = 0;
    double best = INFINITY;

    while (i < x->layers) {
        best = fmin(best, tgs_i_layers_cost(x, choice, change, start));
        for (i = 0; i < x->layers && ++choice[i] == x->choices; i++)
            choice[i] = 0;
    }
    return best;
}

static void shortest(void **state)
{
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 13);
    for (int32_t k = 0; k < 200; k++) {
        static const int32_t side[] = {0, 2, 1, 1};
        double time[32], cost;
        int32_t choice[8];
        const tgs_i_layer_times x = {(int32_t)tgs_rng_int(&r, 1, 5), 4, time, side};
        const double change = (double)tgs_rng_int(&r, 0, 3);
        const int32_t start = (int32_t)tgs_rng_int(&r, -1, 2);

        for (int32_t i = 0; i < 4 * x.layers; i++)
            time[i] = tgs_rng_int(&r, 0, 8) ? (double)tgs_rng_int(&r, 0, 9) : INFINITY;
        assert_int_equal(tgs_i_layers_viterbi(&x, change, start, choice, &cost), TGS_OK);
        assert_real(cost, all_ways(&x, change, start));
        if (!isinf(cost))
            assert_real(cost, tgs_i_layers_cost(&x, choice, change, start));
    }
}

/* ---- what is no table --------------------------------------------------------------------------
 */
#define HEAD "network,implementation,batch,layer,host_s,kernel_s\n"
static void refused(void **state)
{
    static const struct {
        const char *text, *network, *error;
    } bad[] = {
        {"", "", ": an empty file, not a table with the columns"},
        {"network,batch\n", "", ":1: there is no column `implementation`"},
        {HEAD, "", ":1: a table without rows"},
        {HEAD "a,cpu,1,0,1\n", "", ":2: 5 fields, not 6 as in the first line"},
        {HEAD "a,cpu,1,0,1,x\n", "", ":2: 'x' is not a number >= 0"},
        {HEAD "a,cpu,1,0,-1,0\n", "", ":2: '-1' is not a number >= 0"},
        {HEAD "a,cpu,1,0.5,1,0\n", "", ":2: '0.5' is not a whole number in [0, 100000]"},
        {HEAD "a,cpu,1,0,1,0\nb,cpu,1,0,1,0\n", "",
         ":3: the table is of several networks (a, b): say which one"},
        {HEAD "a,cpu,1,0,1,0\n", "c", ": no rows of a network 'c'"},
        {HEAD "a,cpu,1,0,1,0\na,cpu,1,0,2,0\n", "", ":3: batch 1 has layer 0 of 'cpu' twice"},
        {HEAD "a,cpu,1,0,1,0\na,cpu,1,1,1,0\na,x,1,0,1,0\n", "",
         ": batch 1 of 'x' has 1 layers, others have 2: two networks are mixed up"},
    };

    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char *path = fixture_file(bad[k].text);
        tgs_i_layer_table t;
        tgs_source s;
        tgs_error err = {TGS_OK, ""};

        assert_int_equal(tgs_i_source_open(&s, path, NULL), TGS_OK);
        assert_true(tgs_i_layer_table_read(&t, &s, bad[k].network, "cpu", "automatic", &err) < 0);
        if (strncmp(err.text, path, strlen(path))
            || strncmp(err.text + strlen(path), bad[k].error, strlen(bad[k].error)))
            fail_msg("'%s' is not '%s%s...'", err.text, path, bad[k].error);
        tgs_i_source_close(&s);
        unlink(path);
        free(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knapsack),   cmocka_unit_test(alike),   cmocka_unit_test(osdp),
        cmocka_unit_test(osdp_large), cmocka_unit_test(argmin),  cmocka_unit_test(viterbi),
        cmocka_unit_test(shortest),   cmocka_unit_test(refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
