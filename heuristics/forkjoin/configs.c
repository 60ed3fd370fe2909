/* configs.c -- lower bounds and schedules from configurations, by column generation.  See
 * configs.h; the linear program is the dual one, so a new set is a new row. */
#include "configs.h"
#include "lists.h"
#include "tgsched/lp.h"

enum { ROUNDS = 300, MOST_CLASSES = 8, COVER_NODES = 20, PRICING_NODES = 10000 };

typedef struct configs {
    const tgs_i_fj_form *f;
    tgs_i_fj_sets sets;  /* one row of the program each */
    tgs_lp *lp;          /* columns: the price of each job, then what a machine is worth */
    int32_t *entry;      /* [n + 1] of a row */
    double *coefficient; /* [n + 1] */
    double *price;       /* [n] */
    double T;
    int32_t class; /* that is being priced */
    int64_t nodes, work;
    tgs_i_fj_answer *a, trial;
    tgs_error *err;
} configs;

static tgs_status add_set(void *user, const int32_t *job, int32_t size, double L)
{
    configs *x = user;
    const tgs_status status = tgs_i_fj_sets_add(&x->sets, x->class, job, size, L);

    if (status)
        return status;
    for (int32_t k = 0; k < size; k++) {
        x->entry[k] = job[k];
        x->coefficient[k] = 1;
    }
    x->entry[size] = x->f->n + x->class;
    x->coefficient[size] = -1;
    tgs_lp_row(x->lp, NULL, -INFINITY, 0, size + 1, x->entry, x->coefficient);
    return TGS_OK;
}

static tgs_status open_configs(configs *x)
{
    const tgs_i_fj_form *f = x->f;
    const size_t n = (size_t)f->n;
    tgs_status status = tgs_i_fj_answer_new(&x->trial, f->n);

    x->entry = tgs_mem_alloc(n + 1, sizeof *x->entry);
    x->coefficient = tgs_mem_alloc(n + 1, sizeof *x->coefficient);
    x->price = tgs_mem_alloc(n, sizeof *x->price);
    if (status || !x->entry || !x->coefficient || !x->price)
        return TGS_ENOMEM;
    status = tgs_lp_new(&x->lp, x->err);
    for (int32_t j = 0; j < f->n && !status; j++)
        tgs_lp_column(x->lp, NULL, 0, 1, -1, false);
    for (int32_t g = 0; g < f->classes && !status; g++)
        tgs_lp_column(x->lp, NULL, 0, f->n, f->at[g + 1] - f->at[g], false);
    return status;
}

static void close_configs(configs *x)
{
    tgs_i_fj_sets_free(&x->sets);
    tgs_i_fj_answer_free(&x->trial);
    tgs_lp_free(x->lp);
    tgs_mem_free(x->entry);
    tgs_mem_free(x->coefficient);
    tgs_mem_free(x->price);
}

/* the machines of a schedule */
static tgs_status learn(configs *x, const tgs_i_fj_answer *a)
{
    const tgs_i_fj_form *f = x->f;
    tgs_status status = TGS_OK;

    for (int32_t g = 0; g < f->classes; g++)
        for (int32_t i = f->at[g]; i < f->at[g + 1] && !status; i++) {
            int32_t set[TGS_I_FJ_CONFIGS], size = 0;
            double L = 0;

            for (int32_t j = 0; j < f->n; j++)
                if (a->machine[j] == i) {
                    const int64_t at = (int64_t)j * f->classes + g;

                    set[size++] = j;
                    L = fmax(L, a->start[j] + f->p[at] + f->q[at]);
                }
            x->class = g;
            if (size)
                status = add_set(x, set, size, L);
        }
    return status;
}

/* prices by the program; *over: what all jobs are worth above all machines, in the program */
static tgs_status propose(configs *x, double *over)
{
    tgs_lp_answer answer;
    const tgs_status status = tgs_lp_relax(x->lp, &answer, x->err);

    if (x->sets.count) /* about what it took */
        x->nodes -= (int64_t)x->sets.at[x->sets.count] * x->f->n / 70;
    *over = !status && answer.end == TGS_LP_OPTIMAL ? -answer.value : 0;
    for (int32_t j = 0; j < x->f->n && !status && *over > 0; j++)
        x->price[j] = fmax(0, tgs_lp_value(x->lp, j));
    return status;
}

/* new sets that are worth more than the program has it; *refuted: the prices are a proof */
static tgs_status price(configs *x, double over, bool *refuted)
{
    const tgs_i_fj_form *f = x->f;
    const int32_t m = f->at[f->classes];
    double jobs = 0, machines = 0;
    tgs_status status = TGS_OK;

    for (int32_t j = 0; j < f->n; j++)
        jobs += x->price[j];
    for (int32_t g = 0; g < f->classes && !status; g++) {
        const double worth = fmax(0, tgs_lp_value(x->lp, f->n + g)) + 1e-9;
        const int64_t nodes = x->nodes < PRICING_NODES ? x->nodes : PRICING_NODES;
        tgs_i_fj_pricing pricing = {f,     g,       x->T, x->price, worth, 0.05 * over / m,
                                    nodes, add_set, x};
        double most;

        x->class = g;
        status = tgs_i_fj_price(&pricing, &most);
        x->nodes -= nodes - pricing.nodes;
        machines += (f->at[g + 1] - f->at[g]) * most;
    }
    *refuted = !status && jobs > machines * (1 + 1e-9);
    return status;
}

/* *refuted: no schedule has L <= T; *covered: machines could run the jobs by T in fractions of sets
 */
static tgs_status test(configs *x, double T, bool *refuted, bool *covered)
{
    tgs_status status = TGS_OK;

    x->T = T;
    *refuted = *covered = false;
    for (int32_t i = 0; i < x->sets.count; i++)
        tgs_lp_row_bounds(x->lp, i, -INFINITY, x->sets.L[i] <= T ? 0 : INFINITY);
    for (int32_t round = 0; round < ROUNDS && x->nodes > 0 && !status; round++) {
        const int32_t before = x->sets.count;
        double over;

        status = propose(x, &over);
        *covered = !status && over <= 1e-7;
        if (status || *covered)
            break;
        status = price(x, over, refuted);
        if (*refuted || x->sets.count == before)
            break;
    }
    return status;
}

/* whole sets, improved */
static tgs_status realise(configs *x, double T, double enough)
{
    tgs_i_fj_answer *t = &x->trial;
    tgs_status status = tgs_i_fj_cover(x->f, &x->sets, T, COVER_NODES, t, x->err);

    if (!status && t->L < INFINITY && t->L > enough)
        status = tgs_i_fj_improve(x->f, x->work / 2, &x->work, enough, t);
    if (!status && t->L < x->a->L) {
        const tgs_i_fj_answer swap = *x->a;

        x->a->L = t->L;
        x->a->machine = t->machine;
        x->a->start = t->start;
        t->machine = swap.machine;
        t->start = swap.start;
        status = learn(x, x->a);
    }
    return status;
}

static bool unfinished(const configs *x, double eps)
{
    return x->nodes > 0 && x->a->L > x->a->lower * (1 + eps);
}

/* raises lower toward the least T that is not refuted, *T */
static tgs_status bisect(configs *x, double eps, double limit, double *T)
{
    tgs_i_fj_answer *a = x->a;
    double high = fmin(a->L, limit) * (1 - 1e-9);
    bool refuted, covered;
    tgs_status status = test(x, high, &refuted, &covered);

    if (!status && refuted) {
        a->lower = fmin(a->L, limit);
        a->theorem = a->L <= limit ? "configurations" : NULL;
        return TGS_OK;
    }
    while (!status && unfinished(x, eps) && high > a->lower * (1 + fmax(eps / 4, 1e-4))) {
        const double mid = a->lower + (high - a->lower) / 2;

        status = test(x, mid, &refuted, &covered);
        if (!status && refuted)
            a->lower = mid;
        else
            high = mid;
    }
    *T = high;
    return status;
}

/* sets for a little more than the least T more often make a schedule */
static tgs_status search(configs *x, double eps, double limit)
{
    static const double slack[] = {1.01, 1.004, 1.001, 1.02};
    double least = 0;
    tgs_status status = bisect(x, eps, limit, &least);

    for (size_t i = 0; i < sizeof slack / sizeof *slack && !status && unfinished(x, eps); i++) {
        const double T = least * slack[i];
        bool refuted, covered;

        if (T >= fmin(x->a->L, limit))
            continue;
        status = test(x, T, &refuted, &covered);
        if (!status && !refuted)
            status = realise(x, T, x->a->lower * (1 + eps));
    }
    return status;
}

tgs_status tgs_i_fj_configs(const tgs_i_fj_form *f, int64_t nodes, int64_t work, double eps,
                            double limit, tgs_i_fj_answer *a, tgs_error *err)
{
    configs x = {.f = f, .nodes = nodes, .work = work, .a = a, .err = err};
    tgs_status status;

    if (!tgs_lp_available() || f->n > TGS_I_FJ_CONFIGS || f->n > 12 * (int64_t)f->at[f->classes]
        || f->classes > MOST_CLASSES)
        return TGS_OK;
    status = open_configs(&x);
    if (!status && a->L < INFINITY)
        status = learn(&x, a);
    if (!status)
        status = search(&x, eps, limit);
    close_configs(&x);
    return status;
}
