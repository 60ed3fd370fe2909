/* t_list.c -- list heuristics against plain versions of their definitions, which look at every pair
 * at every step: the same placement of every task. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "plain.h"

static void find_means(const tgs_view *v, double *w)
{
    for (int32_t j = 0; j < v->n; j++)
        w[j] = plain_mean(v, j);
}

/* ---- the parts of the parametric scheduler ----------------------------------------------------
 */
typedef struct parts {
    int priority, select, insert, pin, sufferage;
} parts;

static const char *const priorities[] = {"upward", "cpop", "arbitrary"};
static const char *const selects[] = {"eft", "est", "quickest"};

/* the best and the second best key over the processors; quickest needs no start */
static int32_t pick(const plain *x, const parts *how, int32_t task, int32_t only, double *key,
                    double *lost)
{
    double second = INFINITY;
    int32_t best = -1;

    *key = INFINITY;
    for (int32_t p = 0; p < x->v->m; p++) {
        const double w = tgs_w(x->v, task, p);
        const double start = w < INFINITY ? plain_start(x, task, p, how->insert) : INFINITY;
        const double own = how->select == 0 ? start + w : how->select == 1 ? start : w;

        if ((only >= 0 && p != only) || !(w < INFINITY))
            continue;
        if (own < *key) {
            second = *key;
            *key = own;
            best = p;
        } else if (own < second) {
            second = own;
        }
    }
    *lost = second - *key;
    return best;
}

/* the critical path of rank_u + rank_d, and its processor; pinned[j]: that or -1 */
static void pin_path(const tgs_view *v, const double *both, int32_t *pinned)
{
    int32_t j = -1, best = -1, most = -1;
    double least = INFINITY;

    for (int32_t i = v->n - 1; i >= 0; i--)
        if (v->g->pred_at[v->g->topo[i]] == v->g->pred_at[v->g->topo[i] + 1])
            if (j < 0 || both[v->g->topo[i]] > both[j] || plain_equal(both[v->g->topo[i]], both[j]))
                j = v->g->topo[i];
    for (int32_t i = 0; i < v->n; i++)
        pinned[i] = -1;
    while (j >= 0) {
        int32_t next = -1;

        pinned[j] = 0;
        for (int32_t k = v->g->succ_at[j]; k < v->g->succ_at[j + 1]; k++) {
            const int32_t s = v->g->succ[k];

            if (next < 0 || (both[s] > both[next] && !plain_equal(both[s], both[next]))
                || (plain_equal(both[s], both[next]) && v->g->topo_pos[s] < v->g->topo_pos[next]))
                next = s;
        }
        j = next;
    }
    for (int32_t p = 0; p < v->m; p++) {
        int32_t fits = 0;
        double sum = 0;

        for (int32_t i = 0; i < v->n; i++)
            if (pinned[i] >= 0 && tgs_w(v, i, p) < INFINITY) {
                fits++;
                sum += tgs_w(v, i, p);
            }
        if (fits > most || (fits == most && sum < least)) {
            most = fits;
            least = sum;
            best = p;
        }
    }
    for (int32_t i = 0; i < v->n; i++)
        pinned[i] = pinned[i] < 0 ? -1 : best;
}

static void find_both(const tgs_view *v, double *up, double *both)
{
    double w[PLAIN_MOST];

    find_means(v, w);
    plain_levels(v, w, true, up);
    for (int32_t i = 0; i < v->n; i++) {
        const int32_t j = v->g->topo[i];

        both[j] = 0; /* rank_d */
        for (int32_t k = v->g->pred_at[j]; k < v->g->pred_at[j + 1]; k++) {
            const int32_t u = v->g->pred[k];

            both[j] = fmax(both[j], both[u] + w[u] + tgs_cbar(v, v->g->pred_datum[k]));
        }
    }
    for (int32_t j = 0; j < v->n; j++)
        both[j] += up[j];
}

static void run_parts(plain *x, const void *how_)
{
    const parts *how = how_;
    static const double none[PLAIN_MOST];
    double up[PLAIN_MOST], both[PLAIN_MOST];
    const double *level = how->priority == 0 ? up : how->priority == 1 ? both : none;
    int32_t pinned[PLAIN_MOST];

    find_both(x->v, up, both);
    pin_path(x->v, both, pinned);
    for (int32_t n = 0; n < x->v->n; n++) {
        int32_t j = plain_highest(x, level, true), other, p, q;
        double key, lost, other_lost;

        p = pick(x, how, j, how->pin ? pinned[j] : -1, &key, &lost);
        if (p < 0)
            p = pick(x, how, j, -1, &key, &lost);
        if (how->sufferage) {
            x->proc[j] = 0; /* the second of the ready tasks */
            other = -1;
            for (int32_t i = 0; i < x->v->n; i++) { /* what is ready without j being placed */
                const int32_t k = x->v->g->topo[i];
                bool follows = false;

                for (int32_t e = x->v->g->pred_at[k]; e < x->v->g->pred_at[k + 1]; e++)
                    follows |= x->v->g->pred[e] == j;
                if (!plain_is_ready(x, k) || follows)
                    continue;
                if (other < 0 || (level[k] > level[other] && !plain_equal(level[k], level[other])))
                    other = k;
            }
            x->proc[j] = -1;
            if (other >= 0) {
                q = pick(x, how, other, how->pin ? pinned[other] : -1, &key, &other_lost);
                if (q < 0)
                    q = pick(x, how, other, -1, &key, &other_lost);
                if (other_lost > lost) {
                    j = other;
                    p = q;
                }
            }
        }
        plain_put(x, j, p, plain_start(x, j, p, how->insert));
    }
}

static void parametric(void **state)
{
    (void)state;
    for (int i = 0; i < 72; i++) {
        const parts how = {i / 24, i / 8 % 3, i / 4 % 2, i / 2 % 2, i % 2};
        char spec[120];

        snprintf(spec, sizeof spec,
                 "parametric:priority=%s:select=%s:insert=%d:pin=%d:sufferage=%d",
                 priorities[how.priority], selects[how.select], how.insert, how.pin, how.sufferage);
        compare(spec, run_parts, &how, i % MACHINES, true);
    }
    /* the ones with a name of their own */
    compare("heft", run_parts, &(parts){0, 0, 1, 0, 0}, -1, true);
    compare("heft:slot=append", run_parts, &(parts){0, 0, 0, 0, 0}, -1, true);
    compare("cpop", run_parts, &(parts){1, 0, 1, 1, 0}, -1, true);
    compare("mct", run_parts, &(parts){2, 0, 0, 0, 0}, -1, true);
    compare("met", run_parts, &(parts){2, 2, 0, 0, 0}, -1, true);
}

/* ---- the best pair of a ready task and a processor --------------------------------------------
 */
typedef enum pair {
    MINMIN,
    MAXMIN,
    SUFFERAGE,
    ETF,
    ETF_FINISH,
    DLS,
    GDL_SCARCE,
    GDL_HEIR,
    GDL
} pair;

static double median_of(const tgs_view *v, int32_t j)
{
    double x[16];
    int32_t n = 0;

    for (int32_t p = 0; p < v->m; p++) {
        int32_t i = n;

        if (!(tgs_w(v, j, p) < INFINITY))
            continue;
        for (; i > 0 && x[i - 1] > tgs_w(v, j, p); i--)
            x[i] = x[i - 1];
        x[i] = tgs_w(v, j, p);
        n++;
    }
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* -DC(j, p) */
static double heir_term(const tgs_view *v, int32_t j, int32_t p)
{
    const tgs_graph_view *g = v->g;
    double least = INFINITY, most = -1;
    int32_t heir = -1, datum = -1;

    for (int32_t k = g->succ_at[j]; k < g->succ_at[j + 1]; k++)
        if (g->datum[g->succ_datum[k]].bytes > most) {
            datum = g->succ_datum[k];
            most = g->datum[datum].bytes;
            heir = g->succ[k];
        }
    if (heir < 0)
        return 0;
    for (int32_t q = 0; q < v->m; q++)
        least = fmin(least, tgs_c(v, datum, v->p->proc[p].memory, v->p->proc[q].memory)
                                + tgs_w(v, heir, q));
    return least - median_of(v, heir);
}

/* the score of a task, larger is better, and its best processor */
static double score(const plain *x, pair how, int32_t j, const double *level, int32_t *proc)
{
    double key = INFINITY, second = INFINITY;

    *proc = -1;
    for (int32_t p = 0; p < x->v->m; p++) {
        const double w = tgs_w(x->v, j, p), start = plain_start(x, j, p, false);
        const double own =
            (how == ETF ? start : start + w) + (how >= GDL_HEIR ? heir_term(x->v, j, p) : 0);

        if (!(w < INFINITY))
            continue;
        if (own < key) {
            second = key;
            key = own;
            *proc = p;
        } else if (own < second) {
            second = own;
        }
    }
    switch (how) {
    case MAXMIN:
        return key;
    case SUFFERAGE:
        return second - key;
    case DLS:
    case GDL_HEIR:
        return level[j] - key;
    case GDL_SCARCE:
    case GDL:
        return level[j] - key + (second - key);
    case MINMIN:
    case ETF:
    case ETF_FINISH:
        break;
    }
    return -key;
}

static bool is_etf(pair how)
{
    return how == ETF || how == ETF_FINISH;
}

typedef struct pairs {
    pair how;
    bool batch;
} pairs;

static void run_pairs(plain *x, const void *how_)
{
    const pairs *how = how_;
    double w[PLAIN_MOST], level[PLAIN_MOST];
    bool in[PLAIN_MOST] = {false}; /* the present batch */
    int32_t left = 0;

    for (int32_t j = 0; j < x->v->n; j++)
        w[j] = is_etf(how->how) ? plain_mean(x->v, j) : median_of(x->v, j);
    plain_levels(x->v, w, false, level);
    for (int32_t j = 0; j < x->v->n && !is_etf(how->how); j++)
        level[j] += w[j];
    for (int32_t n = 0; n < x->v->n; n++) {
        double most = 0;
        int32_t best = -1, to = -1;

        for (int32_t j = 0; j < x->v->n && (!left || !how->batch); j++)
            in[j] = plain_is_ready(x, j);
        for (int32_t i = 0; i < x->v->n; i++) {
            const int32_t j = x->v->g->topo[i];
            int32_t p;
            double own;

            if (!in[j] || x->proc[j] >= 0)
                continue;
            own = score(x, how->how, j, level, &p);
            if (best < 0 || own > most
                || (is_etf(how->how) && own == most && level[j] > level[best]
                    && !plain_equal(level[j], level[best]))) {
                most = own;
                best = j;
                to = p;
            }
        }
        plain_put(x, best, to, plain_start(x, best, to, false));
        left = 0;
        for (int32_t j = 0; j < x->v->n; j++)
            left += in[j] && x->proc[j] < 0;
    }
}

static void best_pairs(void **state)
{
    static const struct {
        const char *spec;
        pairs how;
    } cases[] = {{"minmin", {MINMIN, false}},
                 {"minmin:ready=batch", {MINMIN, true}},
                 {"maxmin", {MAXMIN, false}},
                 {"maxmin:ready=batch", {MAXMIN, true}},
                 {"sufferage", {SUFFERAGE, false}},
                 {"sufferage:ready=batch", {SUFFERAGE, true}},
                 {"etf", {ETF, false}},
                 {"etf:by=finish", {ETF_FINISH, false}},
                 {"dls", {DLS, false}},
                 {"gdl:descendant=0:scarcity=0", {DLS, false}},
                 {"gdl:descendant=0", {GDL_SCARCE, false}},
                 {"gdl:scarcity=0", {GDL_HEIR, false}},
                 {"gdl", {GDL, false}}};

    (void)state;
    for (int rounds = 0; rounds < 2; rounds++) {
        plain_rounds = rounds;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            compare(cases[i].spec, run_pairs, &cases[i].how, -1, true);
    }
    plain_rounds = false;
}

/* ---- lookahead --------------------------------------------------------------------------------
 */
static void mark(const tgs_graph_view *g, int32_t j, int32_t depth, bool *seen)
{
    for (int32_t k = g->succ_at[j]; depth && k < g->succ_at[j + 1]; k++) {
        seen[g->succ[k]] = true;
        mark(g, g->succ[k], depth - 1, seen);
    }
}

/* the latest end of what is marked, by HEFT's rule, counting what is sent by what has a place */
static double look(const plain *x, const double *up, const bool *seen)
{
    plain y = *x;
    double latest = 0;
    bool any = false;

    for (int32_t n = 0; n < x->v->n; n++) {
        const int32_t j = plain_highest(&y, up, false);
        int32_t best = -1;
        double end = INFINITY;

        if (j < 0)
            break;
        if (!seen[j]) {
            y.proc[j] = 1000; /* out of sight, sends nothing */
            continue;
        }
        for (int32_t p = 0; p < x->v->m; p++) {
            const tgs_graph_view *g = x->v->g;
            plain z = y;
            double own;

            for (int32_t k = g->pred_at[j]; k < g->pred_at[j + 1]; k++)
                z.proc[g->pred[k]] = z.proc[g->pred[k]] == 1000 ? -1 : z.proc[g->pred[k]];
            own = plain_start(&z, j, p, true) + tgs_w(x->v, j, p);
            if (own < end) {
                end = own;
                best = p;
            }
        }
        plain_put(&y, j, best, end - tgs_w(x->v, j, best));
        latest = fmax(latest, end);
        any = true;
    }
    return any ? latest : -1;
}

static void run_lookahead(plain *x, const void *how)
{
    double w[PLAIN_MOST], up[PLAIN_MOST];

    find_means(x->v, w);
    plain_levels(x->v, w, true, up);
    for (int32_t n = 0; n < x->v->n; n++) {
        const int32_t j = plain_highest(x, up, false);
        bool seen[PLAIN_MOST] = {false};
        double least = INFINITY, least_end = INFINITY;
        int32_t best = -1;

        mark(x->v->g, j, *(const int32_t *)how, seen);
        for (int32_t p = 0; p < x->v->m; p++) {
            plain y = *x;
            double latest;

            if (!(tgs_w(x->v, j, p) < INFINITY))
                continue;
            plain_put(&y, j, p, plain_start(x, j, p, true));
            latest = look(&y, up, seen);
            if (latest < 0)
                latest = y.end[j];
            if (latest < least || (latest == least && y.end[j] < least_end)) {
                least = latest;
                least_end = y.end[j];
                best = p;
            }
        }
        plain_put(x, j, best, plain_start(x, j, best, true));
    }
}

static void lookahead(void **state)
{
    (void)state;
    for (int32_t depth = 0; depth <= 3; depth++) {
        char spec[40];

        snprintf(spec, sizeof spec, "lookahead:depth=%d", depth);
        compare(spec, run_lookahead, &depth, -1, true);
    }
}

/* ---- ISH --------------------------------------------------------------------------------------
 */
static double earliest(const plain *x, int32_t j, int32_t *proc)
{
    double least = INFINITY;

    *proc = -1;
    for (int32_t p = 0; p < x->v->m; p++)
        if (tgs_w(x->v, j, p) < INFINITY && plain_start(x, j, p, false) < least) {
            least = plain_start(x, j, p, false);
            *proc = p;
        }
    return least;
}

static void run_ish(plain *x, const void *how)
{
    double w[PLAIN_MOST], level[PLAIN_MOST];

    (void)how;
    find_means(x->v, w);
    plain_levels(x->v, w, false, level);
    for (;;) {
        const int32_t j = plain_highest(x, level, true);
        bool passed[PLAIN_MOST] = {false};
        int32_t to, other;
        double start;

        if (j < 0)
            return;
        start = earliest(x, j, &to);
        passed[j] = true;
        for (;;) { /* the highest ready task that was not yet passed over */
            int32_t i = -1;

            for (int32_t k = 0; k < x->v->n; k++) {
                const int32_t t = x->v->g->topo[k];

                if (!passed[t] && plain_is_ready(x, t)
                    && (i < 0 || (level[t] > level[i] && !plain_equal(level[t], level[i]))))
                    i = t;
            }
            if (i < 0 || !(plain_free(x, to) < start))
                break;
            passed[i] = true;
            if (tgs_w(x->v, i, to) < INFINITY
                && plain_start(x, i, to, false) + tgs_w(x->v, i, to) <= start
                && plain_start(x, i, to, false) <= earliest(x, i, &other))
                plain_put(x, i, to, plain_start(x, i, to, false));
        }
        plain_put(x, j, to, start);
    }
}

static void ish(void **state)
{
    (void)state;
    compare("ish", run_ish, NULL, -1, true);
    same("ish:look=0", "hlfet");
    same("ish:look=0:by=finish", "hlfet:by=finish");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parametric),
        cmocka_unit_test(best_pairs),
        cmocka_unit_test(lookahead),
        cmocka_unit_test(ish),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
