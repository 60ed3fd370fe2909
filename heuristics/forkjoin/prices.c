/* prices.c -- a certificate by Farkas' lemma.
 *
 * By T a machine of class g has at most T less the least r and the least q of the jobs that may run
 * there; room_g is that for the whole class.  For any prices >= 0 of machine time, if the jobs
 * cannot be run for what all rooms are worth,
 *
 *   sum_j min_g p_jg price_g  >  sum_g room_g price_g     (over the classes where j may end by T),
 *
 * no schedule has L <= T.  Prices rise where the jobs that find a class cheapest overfill it; every
 * round is a proof or none, so when to stop is a matter of time only. */
#include "core.h"
#include "prices.h"

enum { ROUNDS = 100 };

tgs_status tgs_i_fj_prices_open(tgs_i_fj_prices *x, const tgs_i_fj_form *f)
{
    const size_t G = (size_t)f->classes, n = (size_t)f->n;

    *x = (tgs_i_fj_prices){.f = f};
    x->price = tgs_mem_alloc(G, sizeof *x->price);
    x->room = tgs_mem_alloc(G, sizeof *x->room);
    x->load = tgs_mem_alloc(G, sizeof *x->load);
    x->regret = tgs_mem_alloc(n, sizeof *x->regret);
    x->order = tgs_mem_alloc(n, sizeof *x->order);
    if (!x->price || !x->room || !x->load || !x->regret || !x->order) {
        tgs_i_fj_prices_close(x);
        return TGS_ENOMEM;
    }
    for (int32_t g = 0; g < f->classes; g++)
        x->price[g] = 1;
    return TGS_OK;
}

void tgs_i_fj_prices_close(tgs_i_fj_prices *x)
{
    tgs_mem_free(x->price);
    tgs_mem_free(x->room);
    tgs_mem_free(x->load);
    tgs_mem_free(x->regret);
    tgs_mem_free(x->order);
    *x = (tgs_i_fj_prices){.f = NULL};
}

static bool ends_by(const tgs_i_fj_form *f, int32_t j, int32_t g, double T)
{
    return tgs_i_fj_through(f, j, g) <= T * (1 + 1e-12);
}

static void set_room(tgs_i_fj_prices *x, double T)
{
    const tgs_i_fj_form *f = x->f;

    for (int32_t g = 0; g < f->classes; g++) {
        double r = INFINITY, q = INFINITY;

        for (int32_t j = 0; j < f->n; j++)
            if (ends_by(f, j, g, T)) {
                r = fmin(r, f->r[(int64_t)j * f->classes + g]);
                q = fmin(q, f->q[(int64_t)j * f->classes + g]);
            }
        x->room[g] = (f->at[g + 1] - f->at[g]) * fmax(0, T - r - q);
    }
}

/* the cheapest class where job j ends by T, with room left if `full` counts; -1: none */
static int32_t cheapest(const tgs_i_fj_prices *x, int32_t j, double T, bool full, double *cost)
{
    const tgs_i_fj_form *f = x->f;
    int32_t best = -1;

    *cost = INFINITY;
    for (int32_t g = 0; g < f->classes; g++) {
        const double p = f->p[(int64_t)j * f->classes + g];

        if (p * x->price[g] < *cost && ends_by(f, j, g, T)
            && !(full && x->load[g] + p > x->room[g])) {
            *cost = p * x->price[g];
            best = g;
        }
    }
    return best;
}

/* how many times as much job j costs on the cheapest class where it takes another time */
static double regret(const tgs_i_fj_prices *x, int32_t j, double T)
{
    const double *p = x->f->p + (int64_t)j * x->f->classes;
    double cost, second = INFINITY;
    const int32_t best = cheapest(x, j, T, false, &cost);

    for (int32_t g = 0; g < x->f->classes && best >= 0; g++)
        if (p[g] != p[best] && ends_by(x->f, j, g, T))
            second = fmin(second, p[g] * x->price[g]);
    return best >= 0 && cost > 0 ? second / cost : 0;
}

/* Job j's load to the classes that cost at most that, by their rooms: classes that look alike would
 * else take all of it in turn, and prices swing. */
static void share(tgs_i_fj_prices *x, int32_t j, double T, double most)
{
    const double *p = x->f->p + (int64_t)j * x->f->classes;
    double room = 0;

    for (int32_t g = 0; g < x->f->classes; g++)
        if (p[g] * x->price[g] <= most && ends_by(x->f, j, g, T))
            room += x->room[g];
    for (int32_t g = 0; g < x->f->classes && room > 0; g++)
        if (p[g] * x->price[g] <= most && ends_by(x->f, j, g, T))
            x->load[g] += p[g] * x->room[g] / room;
}

/* what all jobs cost at the prices, and the loads, where `near` is as good as cheapest; INFINITY:
 * one ends nowhere by T */
static double cost_of_all(tgs_i_fj_prices *x, double T, double near)
{
    double sum = 0;

    for (int32_t g = 0; g < x->f->classes; g++)
        x->load[g] = 0;
    for (int32_t j = 0; j < x->f->n; j++) {
        double cost;
        const int32_t g = cheapest(x, j, T, false, &cost);

        if (g < 0)
            return INFINITY;
        sum += cost;
        share(x, j, T, cost * (1 + near));
    }
    return sum;
}

/* toward classes that are overfull, by at most `step` in the exponent; the largest price is 1 */
static void move_prices(tgs_i_fj_prices *x, double step)
{
    double most = 0;

    for (int32_t g = 0; g < x->f->classes; g++) {
        const double over = x->load[g] - x->room[g], scale = fmax(x->load[g], x->room[g]);

        if (scale > 0)
            x->price[g] *= tgs_exp(step * over / scale);
        most = fmax(most, x->price[g]);
    }
    for (int32_t g = 0; g < x->f->classes; g++)
        x->price[g] = fmax(x->price[g] / most, 1e-9);
}

void tgs_i_fj_prices_test(tgs_i_fj_prices *x, double T, bool *refuted)
{
    double step = 0.5;

    set_room(x, T);
    for (int32_t round = 0; round < ROUNDS; round++, step *= 0.93) {
        double worth = 0, cost;

        for (int32_t g = 0; g < x->f->classes; g++)
            worth += x->room[g] * x->price[g];
        cost = cost_of_all(x, T, step);
        *refuted = cost > worth * (1 + 1e-9);
        if (*refuted)
            return;
        move_prices(x, step);
    }
}

tgs_status tgs_i_fj_prices_assign(tgs_i_fj_prices *x, double T, int32_t *class_of)
{
    const tgs_i_fj_form *f = x->f;
    double cost;
    tgs_status status;

    set_room(x, T);
    for (int32_t j = 0; j < f->n; j++) {
        x->regret[j] = -regret(x, j, T);
    }
    status = tgs_i_fj_sort(x->regret, f->n, x->order, NULL);
    for (int32_t g = 0; g < f->classes; g++)
        x->load[g] = 0;
    for (int32_t i = 0; i < f->n && !status; i++) {
        const int32_t j = x->order[i];
        int32_t g = cheapest(x, j, T, true, &cost);

        if (g < 0)
            g = cheapest(x, j, T, false, &cost);
        if (g < 0)
            g = tgs_i_fj_quickest(f, j);
        class_of[j] = g;
        x->load[g] += f->p[(int64_t)j * f->classes + g];
    }
    return status;
}
