/* mixspan.c -- rows for intervals, of the program of mix.c:
 *
 *     speed(t) (T - a - b) >= sum over j of part(j, t, a, b) x(j,t)
 *     T >= sum over t of (head(j,t) + p(j,t) + tail(j,t)) x(j,t)
 *
 * part is what windows.h says; it may be cut at the length of the interval, which is that of the
 * best bound so far at least. */
#include "core.h"
#include "windows.h"

enum { INTERVALS = 12, TASKS = 8 }; /* rows at once */
#define NOTHING 1e-7                /* of the unit */

typedef struct span {
    double a, b, value; /* seconds */
    int32_t kind, task; /* kind -1: the row of a task */
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

/* what an interval says of T on each kind */
static void look(const tgs_i_mix *x, double a, double b, double limit, span *worst, int32_t *count)
{
    const tgs_i_windows *w = x->windows;

    for (int32_t t = 0; t < w->k; t++) {
        span s = {a, b, 0, t, -1};

        for (int32_t j = 0; j < w->n; j++) {
            const double share = x->share[(int64_t)j * w->k + t];

            if (share > 0)
                s.value += share * tgs_i_windows_part(w, j, t, a, b, x->least - a - b);
        }
        s.value = a + b + s.value / x->speed[t];
        if (s.value > limit)
            keep(worst, count, INTERVALS, &s);
    }
}

static void look_at_tasks(const tgs_i_mix *x, double limit, span *worst, int32_t *count)
{
    const tgs_i_windows *w = x->windows;

    for (int32_t j = 0; j < w->n; j++) {
        span s = {0, 0, 0, -1, j};

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
        for (int32_t k = 0; k < w->untils && w->from[i] + w->until[k] < x->least; k++)
            look(x, w->from[i], w->until[k], limit, worst, &count);
    if (!status)
        look_at_tasks(x, limit, tasks, &more);
    for (int32_t i = 0; i < count && !status; i++)
        status = put(x, &worst[i], value);
    for (int32_t i = 0; i < more && !status; i++)
        status = put(x, &tasks[i], value);
    *added += count + more;
    tgs_mem_free(value);
    return status;
}
