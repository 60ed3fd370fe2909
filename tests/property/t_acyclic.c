/* t_acyclic.c -- acyclic partitions: edges never go back, no part is too heavy, the cut is at most
 * that of blocks of the numbering, and nearly always the least there is on small graphs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../fixture.h"
#include "../heuristics/partition/dag.h"

static tgs_rng rng;

/* n vertices in groups that have more edges inside, or of a few levels, or in long chains */
static void random_dag(tgs_i_dag *d, int32_t n)
{
    const int32_t reach = (int32_t)tgs_rng_int(&rng, 1, n), most = (int32_t)tgs_rng_int(&rng, 0, 6);
    int32_t arcs = 0;

    assert_true(tgs_i_dag_open(d, n, (int64_t)n * 6));
    for (int32_t v = 0; v < n; v++) {
        const int32_t want = (int32_t)tgs_rng_int(&rng, 0, most);

        d->weight[v] = tgs_rng_int(&rng, 0, 9) ? (double)tgs_rng_int(&rng, 1, 20) : 0;
        for (int32_t i = 0; i < want && v + 1 < n; i++) {
            const int32_t far = v + reach < n - 1 ? v + reach : n - 1;

            d->out[arcs++] = (tgs_i_arc){(int32_t)tgs_rng_int(&rng, v + 1, far),
                                         (double)tgs_rng_int(&rng, 0, 9)};
        }
        d->out_at[v + 1] = arcs;
    }
    tgs_i_dag_turn(d);
}

static void assert_forward(const tgs_i_dag *d, const int32_t *part, int32_t parts)
{
    for (int32_t v = 0; v < d->n; v++) {
        assert_true(part[v] >= 0 && part[v] < parts);
        for (int32_t i = d->out_at[v]; i < d->out_at[v + 1]; i++)
            assert_true(part[v] <= part[d->out[i].to]);
    }
}

/* what a part may weigh: its share and 5 %, or one vertex more */
static double may_weigh(const tgs_i_dag *d, double share)
{
    double heaviest = 0, all = tgs_i_dag_weight(d);

    for (int32_t v = 0; v < d->n; v++)
        heaviest = fmax(heaviest, d->weight[v]);
    return fmax(1.05 * all * share, all * share + heaviest) * (1 + 1e-9);
}

static void assert_balanced(const tgs_i_dag *d, const int32_t *part, int32_t parts,
                            const double *share)
{
    double sum = 0;

    for (int32_t p = 0; p < parts; p++)
        sum += share[p];
    for (int32_t p = 0; p < parts; p++) {
        double weight = 0;

        for (int32_t v = 0; v < d->n; v++)
            weight += part[v] == p ? d->weight[v] : 0;
        if (weight > may_weigh(d, share[p] / sum))
            fail_msg("part %d of %d weighs %g, more than %g", p, parts, weight,
                     may_weigh(d, share[p] / sum));
    }
}

/* consecutive vertices, each in the block that its middle falls into */
static void blocks(const tgs_i_dag *d, const double *share, int32_t parts, int32_t *part)
{
    const double all = tgs_i_dag_weight(d);
    double sum = 0, before = 0;

    for (int32_t p = 0; p < parts; p++)
        sum += share[p];
    for (int32_t v = 0; v < d->n; v++) {
        double end = share[0];
        int32_t p = 0;

        while (p + 1 < parts && before + d->weight[v] / 2 > all * (end / sum))
            end += share[++p];
        part[v] = p;
        before += d->weight[v];
    }
}

static void promises(void **state)
{
    double ratio = 0;
    int32_t cuts = 0;

    (void)state;
    for (int32_t round = 0; round < 1000; round++) {
        const int32_t n = (int32_t)tgs_rng_int(&rng, 1, round % 10 ? 80 : 600);
        const int32_t parts = (int32_t)tgs_rng_int(&rng, 1, 9);
        int32_t part[600], block[600];
        double share[9], cut, other;
        tgs_i_dag d;

        random_dag(&d, n);
        for (int32_t p = 0; p < parts; p++)
            share[p] = round % 2 ? 1 : (double)tgs_rng_int(&rng, 1, 5);
        assert_true(tgs_i_dag_parts(&d, parts, share, 0.05, part));
        assert_forward(&d, part, parts);
        assert_balanced(&d, part, parts, share);
        blocks(&d, share, parts, block);
        assert_forward(&d, block, parts);
        cut = tgs_i_dag_cut(&d, part);
        other = tgs_i_dag_cut(&d, block);
        if (cut > other)
            fail_msg("round %d: cut %g, of blocks %g", round, cut, other);
        if (other > 0) {
            ratio += cut / other;
            cuts++;
        }
        tgs_i_dag_close(&d);
    }
    assert_true(cuts > 500);
    printf("cut over that of blocks: %.3f on average\n", ratio / cuts);
    assert_true(ratio / cuts < 0.8);
}

/* the least cut of all bisections without an edge back, each side within what it may weigh */
static double least_cut(const tgs_i_dag *d, const double *share)
{
    const double most[2] = {may_weigh(d, share[0]), may_weigh(d, share[1])};
    double best = INFINITY;

    for (int32_t set = 0; set < 1 << d->n; set++) {
        double weight[2] = {0, 0}, cut = 0;
        bool good = true;

        for (int32_t v = 0; v < d->n; v++) {
            weight[set >> v & 1] += d->weight[v];
            for (int32_t i = d->out_at[v]; i < d->out_at[v + 1]; i++) {
                const int32_t w = d->out[i].to;

                good &= (set >> v & 1) <= (set >> w & 1);
                cut += (set >> v & 1) == (set >> w & 1) ? 0 : d->out[i].cost;
            }
        }
        if (good && weight[0] <= most[0] && weight[1] <= most[1] && cut < best)
            best = cut;
    }
    return best;
}

static void small_graphs(void **state)
{
    int32_t equal = 0;

    (void)state;
    for (int32_t round = 0; round < 300; round++) {
        const double share[] = {0.5, 0.5};
        int32_t part[10];
        double cut, least;
        tgs_i_dag d;

        random_dag(&d, (int32_t)tgs_rng_int(&rng, 1, 10));
        assert_true(tgs_i_dag_parts(&d, 2, share, 0.05, part));
        cut = tgs_i_dag_cut(&d, part);
        least = least_cut(&d, share);
        assert_true(cut >= least);
        equal += cut == least;
        tgs_i_dag_close(&d);
    }
    printf("%d of 300 cuts are the least\n", equal);
    assert_true(equal >= 270);
}

/* chains side by side, numbered across: they are told apart, whatever the blocks cut */
static void chains(void **state)
{
    static int32_t part[4000];
    const double share[] = {1, 1, 1, 1};
    tgs_i_dag d;

    (void)state;
    assert_true(tgs_i_dag_open(&d, 4000, 4000));
    for (int32_t v = 0; v < 4000; v++) {
        d.weight[v] = 1;
        d.out_at[v + 1] = d.out_at[v];
        if (v + 20 < 4000)
            d.out[d.out_at[v + 1]++] = (tgs_i_arc){v + 20, 1};
    }
    tgs_i_dag_turn(&d);
    assert_true(tgs_i_dag_parts(&d, 4, share, 0.05, part));
    assert_forward(&d, part, 4);
    assert_balanced(&d, part, 4, share);
    printf("20 chains in 4 parts: cut %g\n", tgs_i_dag_cut(&d, part));
    assert_true(tgs_i_dag_cut(&d, part) <= 6);
    tgs_i_dag_close(&d);
}

/* contracting any round's pairs leaves no cycle: a numbering exists, and weights and cuts stay */
static void pairs(void **state)
{
    int32_t fewer = 0;

    (void)state;
    for (int32_t round = 0; round < 1000; round++) {
        const int32_t n = (int32_t)tgs_rng_int(&rng, 1, 60);
        int32_t cluster[60], all[60], clusters;
        tgs_i_dag d, small;

        random_dag(&d, n);
        clusters = tgs_i_dag_pair(&d, (tgs_i_pairing)(round % TGS_I_PAIRINGS), 100, cluster);
        assert_true(clusters >= 1 && clusters <= n);
        fewer += clusters < n;
        assert_true(tgs_i_dag_contract(&d, clusters, cluster, &small));
        assert_int_equal(small.n, clusters);
        assert_true(tgs_i_dag_weight(&small) == tgs_i_dag_weight(&d));
        for (int32_t v = 0; v < clusters; v++)
            all[v] = v;
        assert_true(tgs_i_dag_cut(&d, cluster) == tgs_i_dag_cut(&small, all));
        for (int32_t v = 0; v < n; v++)
            for (int32_t i = d.out_at[v]; i < d.out_at[v + 1]; i++)
                assert_true(cluster[v] <= cluster[d.out[i].to]);
        tgs_i_dag_close(&d);
        tgs_i_dag_close(&small);
    }
    assert_true(fewer > 700);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(promises), cmocka_unit_test(small_graphs),
                                       cmocka_unit_test(chains), cmocka_unit_test(pairs)};

    tgs_rng_seed(&rng, 7);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
