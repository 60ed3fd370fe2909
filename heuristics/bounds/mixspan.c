/* mixspan.c -- rows for intervals, of the program of mix.c:
 *
 *     speed(t) (T - a - b) >= sum over j of part(j, t, a, b) x(j,t)
 *     T >= sum over t of (head(j,t) + p(j,t) + tail(j,t)) x(j,t)
 *
 * part is what windows.h says; it may be cut at the length of the interval, which is that of the
 * best bound so far at least.
 *
 * Rows are looked for among some values of a and b, then from the best of these on among all values
 * nearby: with 64 of 2,000 values alone the bound of a tiled LU is a percent lower.  O(n k) for
 * each pair. */
#include "core.h"
#include "windows.h"

enum { INTERVALS = 24, TASKS = 24 }; /* rows at once */
#define NOTHING 1e-7                 /* of the unit */
#define NEARLY  0.99                 /* of the makespan: the values nearby may say more */

typedef struct span {
    double a, b, value;  /* seconds */
    int32_t kind, task;  /* kind -1: the row of a task */
    int64_t from, until; /* of every_from, every_until */
} span;

/* the worst, in falling order */
static void keep(span *worst, int32_t *count, int32_t most, const span *s)
{
    int32_t at = *count < most ? (*count)++ : most;

    while (at > 0 && worst[at - 1].value < s->value) {
        if (at < most)
            worst[at] = worst[at - 1];
        at--;
    }
    if (at < most)
        worst[at] = *s;
}

/* what an interval says of T on a kind */
static double value_of(const tgs_i_mix *x, double a, double b, int32_t kind)
{
    const tgs_i_windows *w = x->windows;
    double sum = 0;

    for (int32_t j = 0; j < w->n; j++) {
        const double share = x->share[(int64_t)j * w->k + kind];

        if (share > 0)
            sum += share * tgs_i_windows_part(w, j, kind, a, b, x->least - a - b);
    }
    return a + b + sum / x->speed[kind];
}

/* of each a the best b, on each kind, since intervals next to each other say much the same */
static void look(const tgs_i_mix *x, int32_t i, double limit, span *worst, int32_t *count)
{
    const tgs_i_windows *w = x->windows;
    const double a = w->from[i];

    for (int32_t t = 0; t < w->k; t++) {
        span best = {.value = limit};

        for (int32_t k = 0; k < w->untils && a + w->until[k] < x->least; k++) {
            const double value = value_of(x, a, w->until[k], t);

            if (value > best.value)
                best = (span){a,
                              w->until[k],
                              value,
                              t,
                              -1,
                              tgs_i_windows_place(i, w->froms, w->every_froms),
                              tgs_i_windows_place(k, w->untils, w->every_untils)};
        }
        if (best.value > limit)
            keep(worst, count, INTERVALS, &best);
    }
}

/* The best near an interval, of all values there are: steps of half the distance between those that
 * were looked at, of half that, and so on. */
static void refine(const tgs_i_mix *x, span *s)
{
    const tgs_i_windows *w = x->windows;
    const int32_t froms = w->every_froms / w->froms, untils = w->every_untils / w->untils;

    for (int64_t step = 1 + (int64_t)(froms > untils ? froms : untils); step > 0; step /= 2)
        for (int32_t way = 0; way < 4; way++) {
            const int64_t move = way % 2 ? step : -step;
            span y = *s;

            *(way < 2 ? &y.from : &y.until) += move;
            if (y.from < 0 || y.from >= w->every_froms || y.until < 0 || y.until >= w->every_untils)
                continue;
            y.a = w->every_from[y.from];
            y.b = w->every_until[y.until];
            if (y.a + y.b >= x->least)
                continue;
            y.value = value_of(x, y.a, y.b, y.kind);
            if (y.value > s->value)
                *s = y;
        }
}

static void look_at_tasks(const tgs_i_mix *x, double limit, span *worst, int32_t *count)
{
    const tgs_i_windows *w = x->windows;

    for (int32_t j = 0; j < w->n; j++) {
        span s = {.kind = -1, .task = j};

        for (int32_t t = 0; t < w->k; t++) {
            const int64_t i = (int64_t)j * w->k + t;

            if (x->share[i] > 0)
                s.value += x->share[i] * (w->head[i] + x->shortest[i] * x->unit + w->tail[i]);
        }
        if (s.value > limit)
            keep(worst, count, TASKS, &s);
    }
}

/* What a row says of a task on each kind, in the unit.  A little less is as true, and the solver is
 * led astray by coefficients that are next to nothing.  false: nothing */
static bool find_values(const tgs_i_mix *x, const span *s, int32_t task, double *value)
{
    const tgs_i_windows *w = x->windows;
    double *base = &value[x->base[task]];
    bool any = false;

    for (int32_t t = 0; t < w->k; t++) {
        const int64_t i = (int64_t)task * w->k + t;

        value[t] = 0;
        if (s->kind < 0)
            value[t] = w->head[i] / x->unit + x->shortest[i] + w->tail[i] / x->unit;
        else if (t == s->kind && w->work[i] < INFINITY)
            value[t] = tgs_i_windows_part(w, task, t, s->a, s->b, x->least - s->a - s->b) / x->unit;
        if (value[t] < NOTHING)
            value[t] = 0;
        any |= value[t] > 0;
    }
    for (int32_t t = 0; t < w->k; t++)
        if (fabs(value[t] - *base) < NOTHING)
            value[t] = *base = fmin(value[t], *base);
    return any;
}

static tgs_status put(tgs_i_mix *x, const span *s, double *value)
{
    const int32_t n = x->windows->n;
    const int32_t first = s->kind < 0 ? s->task : 0, last = s->kind < 0 ? s->task : n - 1;

    tgs_i_mix_term(x, s->kind < 0 ? 1 : x->speed[s->kind], x->makespan);
    x->constant -= s->kind < 0 ? 0 : x->speed[s->kind] * (s->a + s->b) / x->unit;
    for (int32_t j = first; j <= last; j++)
        if (find_values(x, s, j, value))
            tgs_i_mix_divided(x, -1, j, value);
    tgs_i_mix_row(x);
    return tgs_lp_status(x->lp, NULL);
}

tgs_status tgs_i_mix_span(tgs_i_mix *x, double makespan, int32_t *added)
{
    const tgs_i_windows *w = x->windows;
    const double limit = makespan * x->unit;
    double *value = tgs_mem_alloc((size_t)x->kinds, sizeof *value);
    span worst[INTERVALS], tasks[TASKS];
    int32_t count = 0, more = 0;
    tgs_status status = value ? TGS_OK : TGS_ENOMEM;

    for (int32_t i = 0; i < w->froms && !status; i++)
        look(x, i, limit * NEARLY, worst, &count);
    if (!status)
        look_at_tasks(x, limit, tasks, &more);
    for (int32_t i = 0; i < count && !status; i++) {
        bool met;

        refine(x, &worst[i]);
        met = worst[i].value <= limit;
        for (int32_t k = 0; k < i; k++)
            met |= worst[k].kind == worst[i].kind && worst[k].from == worst[i].from
                   && worst[k].until == worst[i].until;
        if (met)
            continue;
        status = put(x, &worst[i], value);
        ++*added;
    }
    for (int32_t i = 0; i < more && !status; i++)
        status = put(x, &tasks[i], value);
    *added += more;
    tgs_mem_free(value);
    return status;
}
