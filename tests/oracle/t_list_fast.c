/* t_list_fast.c -- BIL, HBMCT, FCP, FLB, HeteroPrio, WBA and laxity: against plain versions, by the
 * property that they are built on, and on examples worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "plain.h"

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* ---- BIL --------------------------------------------------------------------------------------
 */
/* BIL(j, p) by its recursion over processors; those of one memory exchange nothing */
static double bil(const tgs_view *v, double table[PLAIN_MOST][16], int32_t j, int32_t p)
{
    double most = 0;

    for (int32_t k = v->g->succ_at[j]; k < v->g->succ_at[j + 1]; k++) {
        const double *s = table[v->g->succ[k]];
        double least = INFINITY;

        for (int32_t q = 0; q < v->m; q++) {
            const bool near = v->p->proc[q].memory == v->p->proc[p].memory;

            least = fmin(least, s[q] + (near ? 0 : tgs_cbar(v, v->g->succ_datum[k])));
        }
        most = fmax(most, least);
    }
    return tgs_w(v, j, p) + most;
}

static void run_bil(plain *x, const void *how)
{
    const tgs_view *v = x->v;
    double table[PLAIN_MOST][16];

    (void)how;
    for (int32_t i = v->n - 1; i >= 0; i--)
        for (int32_t p = 0; p < v->m; p++)
            table[v->g->topo[i]][p] = bil(v, table, v->g->topo[i], p);
    for (int32_t placed = 0; placed < v->n; placed++) {
        double best[16], least = INFINITY;
        int32_t ready = 0, k, task = -1, proc = -1;

        for (int32_t j = 0; j < v->n; j++)
            ready += plain_is_ready(x, j);
        k = ready < v->m ? ready : v->m;
        for (int32_t i = 0; i < v->n; i++) {
            const int32_t j = v->g->topo[i];
            double own[16];
            int32_t at = k - 1;

            if (!plain_is_ready(x, j))
                continue;
            for (int32_t p = 0; p < v->m; p++)
                own[p] = plain_free(x, p) + table[j][p];
            qsort(own, (size_t)v->m, sizeof *own, ascending);
            while (task >= 0 && at > 0 && own[at] == best[at])
                at--;
            if (task < 0 || own[at] > best[at]) {
                task = j;
                memcpy(best, own, sizeof best);
            }
        }
        for (int32_t p = 0; p < v->m; p++) {
            const double own = plain_free(x, p) + table[task][p]
                               + tgs_w(v, task, p) * fmax((double)ready / v->m - 1, 0);

            if (own < least) {
                least = own;
                proc = p;
            }
        }
        plain_put(x, task, proc, plain_start(x, task, proc, false));
    }
}

static void best_imaginary(void **state)
{
    (void)state;
    compare("bil", run_bil, NULL, -1, false);
}

/* ---- HBMCT ------------------------------------------------------------------------------------
 */
typedef struct group {
    int32_t task[PLAIN_MOST], proc[PLAIN_MOST], size; /* in the order of mean EST */
} group;

/* the end of a processor that runs the group's tasks given to it, in order */
static double end_of(const plain *x, const group *g, int32_t p)
{
    double end = plain_free(x, p);

    for (int32_t i = 0; i < g->size; i++)
        if (g->proc[i] == p)
            end = fmax(end, plain_arrival(x, g->task[i], p)) + tgs_w(x->v, g->task[i], p);
    return end;
}

static void order_group(const plain *x, group *g)
{
    double mean[PLAIN_MOST];

    for (int32_t i = 0; i < g->size; i++) { /* insertion sort: equal ones stay in rank order */
        const int32_t j = g->task[i];
        double own = 0;
        int32_t n = 0, k = i;

        for (int32_t p = 0; p < x->v->m; p++)
            if (tgs_w(x->v, j, p) < INFINITY) {
                own += plain_start(x, j, p, false);
                n++;
            }
        own /= n;
        for (; k > 0 && mean[k - 1] > own; k--) {
            mean[k] = mean[k - 1];
            g->task[k] = g->task[k - 1];
        }
        mean[k] = own;
        g->task[k] = j;
    }
}

static bool improve(const plain *x, group *g)
{
    double latest = -1;
    int32_t last = -1;

    for (int32_t i = 0; i < g->size; i++) {
        const double end = end_of(x, g, g->proc[i]);

        if (end > latest || (end == latest && g->proc[i] < last)) {
            latest = end;
            last = g->proc[i];
        }
    }
    for (int32_t i = 0; i < g->size; i++) {
        double least = latest;
        int32_t to = -1;

        if (g->proc[i] != last)
            continue;
        for (int32_t p = 0; p < x->v->m; p++) {
            if (p == last || !(tgs_w(x->v, g->task[i], p) < INFINITY))
                continue;
            g->proc[i] = p;
            if (end_of(x, g, p) < least) {
                least = end_of(x, g, p);
                to = p;
            }
        }
        g->proc[i] = to;
        if (to >= 0 && end_of(x, g, last) < latest)
            return true;
        g->proc[i] = last;
    }
    return false;
}

static void balance(plain *x, group *g, bool completion)
{
    order_group(x, g);
    for (int32_t i = 0; i < g->size; i++)
        g->proc[i] = -1;
    for (int32_t i = 0; i < g->size; i++) {
        double least = INFINITY;
        int32_t best = -1;

        for (int32_t p = 0; p < x->v->m; p++) {
            double key = tgs_w(x->v, g->task[i], p);

            g->proc[i] = p;
            if (completion && key < INFINITY)
                key = end_of(x, g, p);
            if (key < least) {
                least = key;
                best = p;
            }
        }
        g->proc[i] = best;
    }
    while (improve(x, g))
        ;
    for (int32_t i = 0; i < g->size; i++)
        plain_put(x, g->task[i], g->proc[i], plain_start(x, g->task[i], g->proc[i], false));
    g->size = 0;
}

static void run_hbmct(plain *x, const void *how)
{
    const tgs_graph_view *v = x->v->g;
    double w[PLAIN_MOST], up[PLAIN_MOST];
    plain order = *x;
    group g = {.size = 0};

    for (int32_t j = 0; j < x->v->n; j++)
        w[j] = plain_mean(x->v, j);
    plain_levels(x->v, w, true, up);
    for (int32_t j; (j = plain_highest(&order, up, false)) >= 0;) {
        bool follows = false;

        order.proc[j] = 0;
        for (int32_t k = v->pred_at[j]; k < v->pred_at[j + 1]; k++)
            for (int32_t i = 0; i < g.size; i++)
                follows |= v->pred[k] == g.task[i];
        if (follows)
            balance(x, &g, *(const bool *)how);
        g.task[g.size++] = j;
    }
    balance(x, &g, *(const bool *)how);
}

static void balanced(void **state)
{
    (void)state;
    compare("hbmct", run_hbmct, &(bool){false}, -1, true);
    compare("hbmct:begin=completion", run_hbmct, &(bool){true}, -1, true);
}

/* ---- FCP and FLB: two candidates are enough on equal processors --------------------------------
 */
static double least_start(const plain *x, int32_t j)
{
    double least = INFINITY;

    for (int32_t p = 0; p < x->v->m; p++)
        least = fmin(least, plain_start(x, j, p, false));
    return least;
}

/* FCP that sorts all: in the order of its ranks each task starts as early as it can anywhere.
 * FLB: no ready task could have started before the one that was taken. */
static void check_candidates(const tgs_view *v, const tgs_schedule *s, bool flb)
{
    double w[PLAIN_MOST], up[PLAIN_MOST];
    plain x;

    for (int32_t j = 0; j < v->n; j++)
        w[j] = plain_mean(v, j);
    plain_levels(v, w, true, up);
    plain_begin(&x, v);
    for (int32_t n = 0; n < v->n; n++) {
        int32_t j = flb ? -1 : plain_highest(&x, up, true);
        double least = INFINITY;

        for (int32_t i = 0; i < v->n && flb; i++) { /* starts grow: the next is the least */
            if (x.proc[i] >= 0)
                continue;
            if (j < 0 || s->v.place[i].start < s->v.place[j].start)
                j = i;
            if (plain_is_ready(&x, i))
                least = fmin(least, least_start(&x, i));
        }
        if (!flb)
            least = least_start(&x, j);
        if (s->v.place[j].start != least)
            fail_msg("%s: task %d starts at %g, could start at %g", flb ? "flb" : "fcp", j,
                     s->v.place[j].start, least);
        plain_put(&x, j, s->v.place[j].proc, s->v.place[j].start);
    }
}

static void two_candidates(void **state)
{
    static const char *const equal[] = {"cpu:1", "cpu:3/own link:1,0", "cpu:8/own link:2,3"};

    (void)state;
    for (int32_t i = 0; i < 3; i++) {
        tgs_platform *p = fixture_platform(equal[i]);

        for (uint64_t seed = 1; seed <= 200; seed++) {
            fixture f = {NULL, p, NULL};
            tgs_schedule *s;
            tgs_error err;
            tgs_rng r;

            tgs_rng_seed(&r, seed);
            f.g = plain_graph(&r, p, (int32_t)tgs_rng_int(&r, 1, 40), false);
            f.pb = fixture_problem(f.g, p, "latbw");
            for (int flb = 0; flb < 2; flb++) {
                assert_int_equal(
                    tgs_schedule_make(&s, f.pb, flb ? "flb" : "fcp:heap=1000", 1, &err), TGS_OK);
                check_candidates(&f.pb->v, s, flb);
                tgs_schedule_free(s);
            }
            tgs_problem_free(f.pb);
            tgs_graph_free(f.g);
        }
        tgs_platform_free(p);
    }
}

/* ---- by hand ----------------------------------------------------------------------------------
 */
static void check_plan(const char *graph, const char *platform, const char *spec, const char *want)
{
    fixture f = fixture_open(graph, platform, "latbw");
    tgs_schedule *s, *t;
    tgs_error err;

    if (tgs_schedule_make(&s, f.pb, spec, 1, &err))
        fail_msg("%s: %s", spec, err.text);
    t = fixture_schedule(&f, want, true);
    for (int32_t j = 0; j < f.g->v.tasks; j++)
        if (s->v.place[j].proc != t->v.place[j].proc || s->v.place[j].start != t->v.place[j].start)
            fail_msg("%s: task %d is on %d at %g, not on %d at %g", spec, j, s->v.place[j].proc,
                     s->v.place[j].start, t->v.place[j].proc, t->v.place[j].start);
    tgs_schedule_free(s);
    tgs_schedule_free(t);
    fixture_close(&f);
}

/* Accelerations 8, 3, 1 and 1/2: the GPU takes A, then B; the CPU takes D, then C, which the GPU
 * would end at 8 + 9 anyway. */
static const char four[] = "kinds cpu gpu\n"
                           "task A time=16,2\ntask B time=18,6\ntask C time=9,9\ntask D time=4,8\n";
/* One task of acceleration 10 and one of 5: the GPU takes the first, the CPU the second, which the
 * GPU takes over at 1 and ends at 3, not 10. */
static const char two[] = "kinds cpu gpu\ntask A time=10,1\ntask B time=10,2\n";
/* three of a fork: S on the GPU (20), then at 1 the GPU has X (10), the CPU Y (2) */
static const char fork_[] = "kinds cpu gpu\ntask S time=20,1\ntask X time=20,2\ntask Y time=4,2\n"
                            "edge S X 0\nedge S Y 0\n";

static void accelerations(void **state)
{
    (void)state;
    check_plan(four, "cpu:1 gpu:1 link:1,0", "heteroprio",
               "A gpu0 0, B gpu0 2, D cpu0 0, C cpu0 4");
    check_plan(two, "cpu:1 gpu:1 link:1,0", "heteroprio", "A gpu0 0, B gpu0 1");
    check_plan(two, "cpu:1 gpu:1 link:1,0", "heteroprio:spoliate=0", "A gpu0 0, B cpu0 0");
    check_plan(fork_, "cpu:1 gpu:1 link:1,0", "heteroprio", "S gpu0 0, X gpu0 1, Y cpu0 1");
    /* pinned tasks go before others on their processor */
    check_plan("kinds cpu gpu\ntask A time=10,1\ntask B time=2,2 processor=gpu0\n",
               "cpu:1 gpu:1 link:1,0", "heteroprio", "B gpu0 0, A gpu0 2");
}

/* without deadlines all have the critical path: D(j) = CP - (rank_u(j) - wbar(j)) */
static void run_laxity(plain *x, const void *how)
{
    const tgs_view *v = x->v;
    double w[PLAIN_MOST], up[PLAIN_MOST];

    (void)how;
    for (int32_t j = 0; j < v->n; j++)
        w[j] = plain_mean(v, j);
    plain_levels(v, w, true, up);
    for (int32_t n = 0; n < v->n; n++) {
        int32_t j = -1, best = -1;
        double end = INFINITY;

        for (int32_t i = 0; i < v->n; i++) {
            const int32_t k = v->g->topo[i];

            if (x->proc[k] >= 0)
                continue;
            if (j < 0
                || (plain_equal(up[k], up[j]) ? up[k] - w[k] > up[j] - w[j] + 1e-7 : up[k] > up[j]))
                j = k;
        }
        for (int32_t p = 0; p < v->m; p++)
            if (plain_start(x, j, p, true) + tgs_w(v, j, p) < end) {
                end = plain_start(x, j, p, true) + tgs_w(v, j, p);
                best = p;
            }
        plain_put(x, j, best, plain_start(x, j, best, true));
    }
}

/* one device, (c, d) = (4, 10), (2, 5), (3, 6): laxities 6, 3, 3, so 2, 3, 1, and none is late; one
 * that is released late does not hold up the others */
static void laxities(void **state)
{
    (void)state;
    compare("laxity", run_laxity, NULL, -1, true);
    /* SYSTEMS.md P17: 2, 3, 1, which end at 2, 5, 9 */
    check_plan("task A work=4 deadline=10\ntask B work=2 deadline=5\ntask C work=3 deadline=6\n",
               "cpu:1", "laxity", "B cpu0 0, C cpu0 2, A cpu0 5");
    check_plan("task A work=4 deadline=10\ntask B work=2 deadline=8 release=6\n", "cpu:1", "laxity",
               "B cpu0 6, A cpu0 0");
    /* A has time until 20, but what follows it only until 6 */
    check_plan("task A work=2 deadline=20\ntask B work=2 deadline=9\ntask C work=4 deadline=6\n"
               "edge A C 0\n",
               "cpu:1", "laxity", "A cpu0 0, C cpu0 2, B cpu0 6");
}

static double random_pairs(const char *spec, uint64_t seed)
{
    tgs_platform *p = fixture_platform(machines[3]);
    fixture f = {NULL, p, NULL};
    tgs_schedule *s;
    tgs_error err;
    tgs_rng r;
    double makespan;

    tgs_rng_seed(&r, seed);
    f.g = plain_graph(&r, p, 25, true);
    f.pb = fixture_problem(f.g, p, "latbw");
    if (tgs_schedule_make(&s, f.pb, spec, seed, &err))
        fail_msg("%s: %s", spec, err.text);
    makespan = tgs_schedule_makespan(s);
    tgs_schedule_free(s);
    tgs_problem_free(f.pb);
    tgs_graph_free(f.g);
    tgs_platform_free(p);
    return makespan;
}

/* more passes begin with the same ones; a short list is better than any pair */
static void passes(void **state)
{
    double narrow = 0, wide = 0;
    int32_t better = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        const double one = random_pairs("wba:passes=1", seed);
        const double ten = random_pairs("wba:passes=10", seed);

        assert_true(ten <= one);
        better += ten < one;
        narrow += random_pairs("wba:passes=1:alpha=0", seed);
        wide += random_pairs("wba:passes=1:alpha=1", seed);
    }
    assert_true(better > 50);
    assert_true(narrow < 0.9 * wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best_imaginary), cmocka_unit_test(balanced),
        cmocka_unit_test(two_candidates), cmocka_unit_test(accelerations),
        cmocka_unit_test(laxities),       cmocka_unit_test(passes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
