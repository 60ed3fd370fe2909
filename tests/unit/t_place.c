/* t_place.c -- device placement (SYSTEMS.md T6, check Q6 (a) to (d)): against numbers by hand, and
 * against all placements of small graphs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../../heuristics/plan/place/placeip.h"
#include "../fixture.h"

typedef struct instance {
    fixture f;
    tgs_i_place x;
} instance;

static instance open_instance(const char *graph, const char *platform, tgs_i_place_what what)
{
    instance i = {.f = fixture_open(graph, platform, NULL)};
    tgs_error err = {TGS_OK, ""};

    if (tgs_i_place_open(&i.x, &i.f.pb->v, what, "cpu", &err))
        fail_msg("%s", err.text);
    return i;
}

static void close_instance(instance *i)
{
    tgs_i_place_close(&i->x);
    fixture_close(&i->f);
}

static int32_t ideals_of(const tgs_i_place_graph *g, int32_t most)
{
    tgs_i_ideals x;
    int32_t count;

    assert_int_equal(tgs_i_ideals_open(&x, g->n, g->pred_at, g->pred, g->succ_at, g->succ, most),
                     TGS_OK);
    count = x.count;
    tgs_i_ideals_close(&x);
    return count;
}

/* the best contiguous placement, from nothing or from DPL */
static double contiguous(const tgs_i_place *x, int32_t orders, int32_t *device)
{
    tgs_i_place_answer a = {.value = INFINITY, .device = device};
    const tgs_i_place_graph *g = &x->class_;
    tgs_i_ideals ideals;

    assert_int_equal(tgs_i_place_dpl(g, &x->d, orders, &a, NULL, NULL), TGS_OK);
    assert_int_equal(
        tgs_i_ideals_open(&ideals, g->n, g->pred_at, g->pred, g->succ_at, g->succ, 60000), TGS_OK);
    assert_int_equal(tgs_i_place_dp(g, &x->d, &ideals, &a, NULL, NULL), TGS_OK);
    tgs_i_ideals_close(&ideals);
    return a.value;
}

static double searched(const tgs_i_place *x, int32_t *device, double value)
{
    tgs_i_place_answer a = {.value = value, .device = device};
    tgs_rng rng;

    tgs_rng_seed(&rng, 1);
    assert_int_equal(tgs_i_place_anneal(&x->class_, &x->d, 20000, 4, &rng, &a, NULL, NULL), TGS_OK);
    return a.value;
}

static double worst(const tgs_i_place *x, const int32_t *device)
{
    double load[16], held[16];

    assert_int_equal(tgs_i_place_loads(&x->class_, &x->d, device, load, held), TGS_OK);
    for (int32_t k = 0; k < x->d.devices; k++)
        if (held[k] > x->d.memory[x->d.group[k]])
            return INFINITY;
    return tgs_i_place_largest(load, x->d.devices);
}

/* the integer program has the same optimum; device holds a placement of value seed */
static void check_program(const tgs_i_place *x, int32_t *device, double seed, bool together,
                          double expected)
{
    const tgs_lp_limits limits = {0};
    tgs_i_place_ip ip;
    tgs_lp_answer answer;
    double *start;
    int32_t found[16];

    if (!tgs_lp_available())
        return;
    assert_int_equal(tgs_i_place_ip_open(&ip, &x->class_, &x->d, together, 0, seed, NULL), TGS_OK);
    start = calloc((size_t)tgs_lp_columns(ip.lp), sizeof *start);
    assert_int_equal(tgs_i_place_ip_put(&ip, &x->class_, &x->d, device, seed, start), TGS_OK);
    assert_int_equal(tgs_lp_solve(ip.lp, &limits, &answer, NULL), TGS_OK);
    assert_int_equal(answer.end, TGS_LP_OPTIMAL);
    assert_true(fabs(answer.value * ip.unit - expected) < 1e-6);
    tgs_i_place_ip_take(&ip, &x->class_, &x->d, found);
    assert_true(fabs(worst(x, found) - expected) < 1e-6);
    for (int32_t k = 0; k < tgs_lp_columns(ip.lp); k++) /* what was known is a solution of it */
        tgs_lp_column_bounds(ip.lp, k, start[k], start[k]);
    assert_int_equal(tgs_lp_solve(ip.lp, &limits, &answer, NULL), TGS_OK);
    assert_int_equal(answer.end, TGS_LP_OPTIMAL);
    free(start);
    tgs_i_place_ip_close(&ip);
}

static void check(const char *graph, const char *platform, int32_t ideals, double together,
                  double apart)
{
    instance i = open_instance(graph, platform, TGS_I_PLACE_CLASSES);
    int32_t device[16];

    assert_int_equal(ideals_of(&i.x.class_, 1000), ideals);
    assert_real(contiguous(&i.x, 4, device), together);
    assert_real(worst(&i.x, device), together);
    check_program(&i.x, device, together, true, together);
    check_program(&i.x, device, together, false, apart);
    assert_real(searched(&i.x, device, together), apart);
    assert_real(worst(&i.x, device), apart);
    close_instance(&i);
}

static void chain(void **state)
{
    (void)state;
    check("task a work=3\ntask b work=4\ntask c work=3\nedge a b .25\nedge b c .25\n",
          "acc:2/own link:1,0", 4, 7.25, 6.5);
    check("task a work=3\ntask b work=4\ntask c work=3\nedge a b 1.5\nedge b c 1.5\n",
          "acc:2/own link:1,0", 4, 8.5, 8.5); /* c > 1: nothing is won */
}

static void fork_join(void **state)
{
    (void)state;
    check("task s work=1\ntask a work=5\ntask b work=4\ntask c work=3\ntask t work=1\n"
          "data d bytes=.5\naccess s w d\naccess a r d\naccess b r d\naccess c r d\n"
          "edge a t .5\nedge b t .5\nedge c t .5\n",
          "acc:2/own link:1,0", 10, 9, 8.5);
}

static void training(void **state)
{
    (void)state;
    check("task f1 work=2 group=1 phase=forward\ntask f2 work=3 group=2 phase=forward\n"
          "task f3 work=1 group=3 phase=forward\ntask b3 work=2 group=3 phase=backward\n"
          "task b2 work=6 group=2 phase=backward\ntask b1 work=4 group=1 phase=backward\n"
          "data x bytes=.5\ndata y bytes=.25\n"
          "access f1 w x\naccess f2 r x\naccess b1 r x\naccess f2 w y\naccess f3 r y\n"
          "access b2 r y\nedge f3 b3 .1\nedge b3 b2 .1\nedge b2 b1 .25\n",
          "acc:2/own link:1,0", 4, 12.75, 10.1);
}

/* what the host computes pays no transfer, and holds what it likes */
static void host(void **state)
{
    (void)state;
    check("kinds cpu acc\ntask a time=1,1 bytes=5\ntask b time=9,2 bytes=5\n"
          "task c time=3,1 bytes=5\nedge a b 1\nedge b c 1\n",
          "cpu:1 acc:1@1/own link:1,0", 4, 4, 4);
}

static void counts(void **state)
{
    char text[4000];

    (void)state;
    for (int32_t n = 0; n < 30; n += 7) {
        instance i;
        size_t used = 0;

        *text = 0;
        for (int32_t k = 0; k < n; k++)
            used += (size_t)sprintf(text + used, "task t%d work=1\n", k);
        for (int32_t k = 0; k + 1 < n; k++)
            used += (size_t)sprintf(text + used, "edge t%d t%d 1\n", k, k + 1);
        i = open_instance(text, "acc:2/own link:1,0", TGS_I_PLACE_CLASSES);
        assert_int_equal(ideals_of(&i.x.class_, 1000), n + 1);
        close_instance(&i);
    }
    for (int32_t n = 1; n < 4; n++)
        for (int32_t m = 1; m < 5; m++) { /* n chains of m tasks between a source and a sink */
            instance i;
            int32_t expected = 1;
            size_t used = (size_t)sprintf(text, "task s work=1\ntask e work=1\n");

            for (int32_t k = 0; k < n * m; k++)
                used += (size_t)sprintf(text + used, "task t%d work=1\n", k);
            for (int32_t k = 0; k < n * m; k++) {
                used += k % m ? (size_t)sprintf(text + used, "edge t%d t%d 1\n", k - 1, k)
                              : (size_t)sprintf(text + used, "edge s t%d 1\n", k);
                if (k % m == m - 1)
                    used += (size_t)sprintf(text + used, "edge t%d e 1\n", k);
            }
            for (int32_t k = 0; k < n; k++)
                expected *= m + 1;
            i = open_instance(text, "acc:2/own link:1,0", TGS_I_PLACE_CLASSES);
            assert_int_equal(ideals_of(&i.x.class_, 1000), expected + 2);
            assert_int_equal(ideals_of(&i.x.class_, expected + 1), 0); /* one too many */
            close_instance(&i);
        }
}

/* ---- classes -----------------------------------------------------------------------------------
 */
static int32_t classes_of(const char *graph)
{
    instance i = open_instance(graph, "acc:2/own link:1,0", TGS_I_PLACE_CLASSES);
    const int32_t n = i.x.class_.n;

    close_instance(&i);
    return n;
}

static void merges(void **state)
{
    (void)state;
    /* leaves that cost nothing go with their neighbour, and so do those that this makes leaves */
    assert_int_equal(classes_of("task a work=0\ntask b work=0\ntask c work=1\ntask d work=0\n"
                                "task e work=1\nedge a b 1\nedge b c 1\nedge c e 1\nedge d e 1\n"),
                     2);
    assert_int_equal(classes_of("task a work=0\ntask b work=0\nedge a b 1\n"), 1);
    /* but not when they lie between two, or belong to a backward task */
    assert_int_equal(classes_of("task a work=1\ntask b work=0\ntask c work=1\nedge a b 1\n"
                                "edge b c 1\n"),
                     3);
    assert_int_equal(classes_of("task a work=0 phase=forward\ntask b work=1 phase=forward\n"
                                "task c work=1 phase=backward\nedge a b 1\nedge a c 1\n"),
                     3);
    /* colours that come before and after one another */
    assert_int_equal(classes_of("task a work=1 group=1\ntask b work=1 group=2\n"
                                "task c work=1 group=1\ntask d work=1\nedge a b 1\nedge b c 1\n"
                                "edge c d 1\n"),
                     2);
    /* a backward task of no colour mirrors: its place in the order is the reverse */
    assert_int_equal(classes_of("task a work=1 group=1 phase=forward\n"
                                "task b work=1 group=2 phase=forward\n"
                                "task c work=1 group=2 phase=backward\n"
                                "task x work=1 phase=backward\n"
                                "task d work=1 group=1 phase=backward\n"
                                "edge a b 1\nedge b c 1\nedge c x 1\nedge x d 1\n"),
                     3);
}

static void refused(void **state)
{
    fixture f = fixture_open("task a work=1\n", "cpu:1 gpu:2@8 link:1,0", NULL);
    tgs_i_place x;
    tgs_error err;

    (void)state;
    assert_int_equal(tgs_i_place_open(&x, &f.pb->v, TGS_I_PLACE_CLASSES, "cpu", &err),
                     TGS_ENOTAPPLICABLE);
    assert_string_equal(err.text, "gpu0 shares its memory: devices have one each (kind:count/own)");
    fixture_close(&f);
}

/* ---- against all placements --------------------------------------------------------------------
 */
static void random_graph(tgs_rng *r, char *text, int32_t n, bool colors)
{
    size_t used = (size_t)sprintf(text, "kinds cpu acc\n");

    for (int32_t k = 0; k < n; k++) {
        used += (size_t)sprintf(text + used, "task t%d time=%d,%d bytes=%d", k,
                                (int)tgs_rng_int(r, 2, 30), (int)tgs_rng_int(r, 0, 9),
                                (int)tgs_rng_int(r, 0, 4));
        used += colors && tgs_rng_int(r, 0, 2) == 0
                    ? (size_t)sprintf(text + used, " group=%d\n", (int)tgs_rng_int(r, 0, 2))
                    : (size_t)sprintf(text + used, "\n");
    }
    for (int32_t k = 0; k + 1 < n; k++) {
        used += (size_t)sprintf(text + used, "data d%d bytes=%d\naccess t%d w d%d\n", k,
                                (int)tgs_rng_int(r, 0, 5), k, k);
        for (int32_t j = k + 1; j < n; j++)
            if (tgs_rng_int(r, 0, 2) == 0)
                used += (size_t)sprintf(text + used, "access t%d r d%d\n", j, k);
    }
}

/* devices can be put in an order in which nothing goes back */
static bool is_contiguous(const tgs_i_place *x, const int32_t *device)
{
    const tgs_i_place_graph *g = &x->class_;
    bool before[16][16] = {{false}};

    for (int32_t c = 0; c < g->n; c++)
        for (int32_t k = g->succ_at[c]; k < g->succ_at[c + 1]; k++)
            before[device[c]][device[g->succ[k]]] |= device[c] != device[g->succ[k]];
    for (int32_t k = 0; k < x->d.devices; k++)
        for (int32_t a = 0; a < x->d.devices; a++)
            for (int32_t b = 0; b < x->d.devices; b++)
                before[a][b] |= before[a][k] && before[k][b];
    for (int32_t k = 0; k < x->d.devices; k++)
        if (before[k][k])
            return false;
    return true;
}

static void enumerate(const tgs_i_place *x, double *together, double *apart)
{
    int32_t device[16] = {0}, i = 0;

    *together = *apart = INFINITY;
    while (i < x->class_.n) {
        const double value = worst(x, device);

        *apart = fmin(*apart, value);
        if (value < *together && is_contiguous(x, device))
            *together = value;
        for (i = 0; i < x->class_.n && ++device[i] == x->d.devices; i++)
            device[i] = 0;
    }
}

static void all_placements(void **state)
{
    static const char *const platform[] = {
        "acc:2/own link:1,0", "cpu:1 acc:2@5e-9/own link:1,0", /* 5 bytes and a little */
        "cpu:2 acc:1/own link:2,0",
        "cpu:1 acc:1/own acc:1x2@6e-9/own link:1,0", /* unlike devices */
    };
    char text[4000];
    tgs_rng r;
    int32_t fewer = 0, tight = 0;

    (void)state;
    tgs_rng_seed(&r, 7);
    for (int32_t k = 0; k < 200; k++) {
        int32_t device[16] = {0};
        double together, apart, found, bound;
        instance i;

        random_graph(&r, text, (int32_t)tgs_rng_int(&r, 1, 7), k % 2);
        i = open_instance(text, platform[k % 4], TGS_I_PLACE_CLASSES);
        enumerate(&i.x, &together, &apart);
        found = contiguous(&i.x, k % 3, device);
        assert_true(found == together || fabs(found - together) <= 1e-12 * together);
        assert_int_equal(tgs_i_place_bound(&i.x.class_, &i.x.d, &bound), TGS_OK);
        assert_true(bound <= apart * (1 + 1e-12));
        assert_int_equal(tgs_i_place_cut_bound(&i.x.class_, &i.x.d, 100, &bound), TGS_OK);
        assert_true(bound <= apart * (1 + 1e-12));
        tight += bound >= apart * (1 - 1e-9);
        if (!isinf(found)) {
            assert_true(worst(&i.x, device) <= together * (1 + 1e-12));
            found = searched(&i.x, device, found);
            assert_true(found >= apart * (1 - 1e-12));
            assert_true(fabs(worst(&i.x, device) - found) <= 1e-9 * found);
            fewer += found < together * (1 - 1e-9);
        }
        close_instance(&i);
    }
    assert_true(fewer > 5);  /* placements that are not contiguous were better, and found */
    assert_true(tight > 20); /* the bound proved the optimum */
}

/* the costs of all pieces of an order, any order, are the loads of the device that has them */
static void pieces(void **state)
{
    char text[4000];
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 9);
    for (int32_t k = 0; k < 100; k++) {
        double load[16], held[16];
        int32_t order[16], device[16];
        tgs_i_pieces p;
        instance i;

        random_graph(&r, text, (int32_t)tgs_rng_int(&r, 1, 12), k % 2);
        i = open_instance(text, "cpu:1 acc:2@1e-8/own acc:1x2/own link:2,0",
                          k % 3 ? TGS_I_PLACE_CLASSES : TGS_I_PLACE_BLOCKS);
        for (int32_t c = 0; c < i.x.class_.n; c++) {
            const int32_t other = (int32_t)tgs_rng_int(&r, 0, c);

            order[c] = order[other];
            order[other] = c;
        }
        assert_int_equal(tgs_i_pieces_open(&p, &i.x.class_, &i.x.d, order), TGS_OK);
        for (int32_t e = 0; e < i.x.class_.n; e++) {
            tgs_i_pieces_next(&p);
            for (int32_t q = 0; q < i.x.d.groups; q++)
                for (int32_t b = 0; b <= e; b++) {
                    const int32_t here = i.x.d.first[q];

                    for (int32_t at = 0; at < i.x.class_.n; at++)
                        device[order[at]] = at >= b && at <= e ? here : (here + 1) % 4;
                    tgs_i_place_loads(&i.x.class_, &i.x.d, device, load, held);
                    assert_int_equal(b >= p.low[q],
                                     held[here] <= i.x.d.memory[q] && !isinf(load[here]));
                    if (b >= p.low[q])
                        assert_real(p.cost[q * i.x.class_.n + b], load[here]);
                }
        }
        tgs_i_pieces_close(&p);
        close_instance(&i);
    }
}

/* loads that are counted step by step */
static void steps(void **state)
{
    char text[4000];
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 3);
    for (int32_t k = 0; k < 30; k++) {
        int32_t device[16] = {0};
        double load[16], held[16];
        tgs_i_loads l;
        instance i;

        random_graph(&r, text, 7, false);
        i = open_instance(text, "cpu:1 acc:3/own link:1,0", TGS_I_PLACE_CLASSES);
        assert_int_equal(tgs_i_loads_open(&l, &i.x.class_, &i.x.d), TGS_OK);
        tgs_i_loads_set(&l, device);
        for (int32_t move = 0; move < 50; move++) {
            const int32_t c = (int32_t)tgs_rng_int(&r, 0, i.x.class_.n - 1);

            device[c] = (int32_t)tgs_rng_int(&r, 0, i.x.d.devices - 1);
            tgs_i_loads_move(&l, c, device[c]);
            assert_int_equal(tgs_i_place_loads(&i.x.class_, &i.x.d, device, load, held), TGS_OK);
            for (int32_t q = 0; q < i.x.d.devices; q++) {
                assert_true(fabs(l.load[q] - load[q]) < 1e-9);
                assert_true(fabs(l.held[q] - held[q]) < 1e-9);
            }
        }
        tgs_i_loads_close(&l);
        close_instance(&i);
    }
}

/* ---- latency -----------------------------------------------------------------------------------
 */
static double latency(const instance *i, const char *names)
{
    int32_t device[16];
    double out;

    for (int32_t v = 0; v < i->x.node.n; v++, names = strchr(names, ' ') + 1) {
        char name[20];

        snprintf(name, sizeof name, "%.*s", (int)strcspn(names, " "), names);
        device[v] = -1;
        for (int32_t q = 0; q < i->x.d.devices; q++)
            if (i->x.d.proc[q] == fixture_proc(&i->f, name))
                device[v] = q;
    }
    assert_int_equal(tgs_i_place_latency(&i->x.node, &i->x.d, device, &out), TGS_OK);
    return out;
}

static void makespans(void **state)
{
    fixture f = fixture_open("kinds cpu acc\ntask a time=4,1\ntask b time=5,2\ntask c time=6,3\n"
                             "edge a b 2\nedge a c 2\n",
                             "cpu:1 acc:1/own link:1,0", NULL);
    const int32_t cpu = fixture_proc(&f, "cpu0"), acc = fixture_proc(&f, "acc0");
    const int32_t same[] = {cpu, cpu, cpu}, apart[] = {cpu, acc, cpu}, away[] = {acc, cpu, cpu};
    double makespan;

    (void)state;
    assert_int_equal(tgs_i_place_makespan(&f.pb->v, same, &makespan), TGS_OK);
    assert_real(makespan, 15);
    assert_int_equal(tgs_i_place_makespan(&f.pb->v, apart, &makespan), TGS_OK);
    assert_real(makespan, 10); /* c at once; b after 4 + 2, until 8 */
    assert_int_equal(tgs_i_place_makespan(&f.pb->v, away, &makespan), TGS_OK);
    assert_real(makespan, 1 + 2 + 6 + 5);
    fixture_close(&f);
}

static void latencies(void **state)
{
    /* a goes to b and c, these to d */
    instance i = open_instance("kinds cpu acc\ntask a time=4,1\ntask b time=5,2\ntask c time=6,3\n"
                               "task d time=7,4\ndata x bytes=.5\naccess a w x\naccess b r x\n"
                               "access c r x\nedge b d .25\nedge c d .125\n",
                               "cpu:2 acc:2/own link:1,0", TGS_I_PLACE_BLOCKS);

    (void)state;
    assert_real(latency(&i, "cpu0 cpu0 cpu0 cpu0 "), 17); /* b and c at once */
    assert_real(latency(&i, "acc0 acc0 acc0 acc0 "), 10); /* one piece, nothing moves */
    assert_real(latency(&i, "cpu0 acc0 cpu0 cpu0 "), 4 + 6 + 7);
    /* b's piece: .5 in, 2, .25 out; c's: .5 in, 3, .125 out; d: both in */
    assert_real(latency(&i, "cpu0 acc0 acc1 cpu0 "), 4 + 3.625 + 7);
    assert_real(latency(&i, "cpu0 acc0 acc0 cpu0 "), 4 + .5 + 5 + .375 + 7);
    /* acc0 is left and comes back: two pieces */
    assert_real(latency(&i, "acc0 cpu0 acc0 acc0 "),
                (1 + .5 + 3 + .125) + 5 + .25 + 4 - .125 + .125 + .125);
    close_instance(&i);
    i = open_instance("task a work=1\ntask b work=1\ntask c work=1\ntask d work=1\n"
                      "edge a b 0\nedge c d 0\n",
                      "acc:2/own link:1,0", TGS_I_PLACE_BLOCKS);
    assert_true(isinf(latency(&i, "acc0 acc1 acc1 acc0 "))); /* each waits for the other */
    close_instance(&i);
}

/* the least serial time, from all ways to cut: position and the devices used so far */
static double cut(const tgs_i_place *x, const int32_t *order, int32_t at, int32_t *used)
{
    double best = at == x->class_.n ? 0 : INFINITY;

    for (int32_t q = 0; q < x->d.groups && at < x->class_.n; q++) {
        const int32_t longest = x->d.host[q] ? 1 : x->class_.n - at;
        double held = 0;

        if (!x->d.host[q] && used[q] == x->d.count[q])
            continue;
        used[q]++;
        for (int32_t k = 1; k <= longest; k++) {
            int32_t device[16];
            double load[16], room[16];

            held += x->class_.size[order[at + k - 1]];
            if (held > x->d.memory[q])
                break;
            for (int32_t c = 0; c < x->class_.n; c++)
                device[c] = x->d.first[q] == 0;
            for (int32_t i = at; i < at + k; i++)
                device[order[i]] = x->d.first[q];
            assert_int_equal(tgs_i_place_loads(&x->class_, &x->d, device, load, room), TGS_OK);
            best = fmin(best, load[x->d.first[q]] + cut(x, order, at + k, used));
        }
        used[q]--;
    }
    return best;
}

static void segments(void **state)
{
    char text[4000];
    tgs_rng r;

    (void)state;
    tgs_rng_seed(&r, 5);
    for (int32_t k = 0; k < 40; k++) {
        int32_t order[16], scratch[32], device[16], used[16] = {0};
        double serial, whole;
        instance i;

        random_graph(&r, text, 6, k % 2);
        i = open_instance(text,
                          k % 3 ? "cpu:1 acc:2@6e-9/own link:1,0" : "cpu:1 acc:1/own link:1,0",
                          TGS_I_PLACE_BLOCKS);
        tgs_i_place_depth_first(&i.x.class_, k, order, scratch);
        assert_int_equal(tgs_i_place_segments(&i.x.class_, &i.x.d, order, device, &serial), TGS_OK);
        assert_real(serial, cut(&i.x, order, 0, used));
        assert_true(worst(&i.x, device) < INFINITY); /* it fits */
        for (int32_t v = i.x.node.n - 1; v >= 0; v--)
            scratch[v] = device[i.x.class_of[v]];
        assert_int_equal(tgs_i_place_latency(&i.x.node, &i.x.d, scratch, &whole), TGS_OK);
        assert_true(whole <= serial * (1 + 1e-12));
        assert_int_equal(tgs_i_place_fill(&i.x.class_, &i.x.d, order, device), TGS_OK);
        assert_true(worst(&i.x, device) < INFINITY);
        close_instance(&i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces),    cmocka_unit_test(chain),     cmocka_unit_test(fork_join),
        cmocka_unit_test(training),  cmocka_unit_test(host),      cmocka_unit_test(counts),
        cmocka_unit_test(merges),    cmocka_unit_test(refused),   cmocka_unit_test(all_placements),
        cmocka_unit_test(steps),     cmocka_unit_test(latencies), cmocka_unit_test(segments),
        cmocka_unit_test(makespans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
