/* fj-ls.c -- list schedules of fork-join graphs on equal processors: the baselines that
 * FORKJOINSCHED is compared with (10.1109/IPDPS54959.2023.00087).
 *
 * Priorities, largest first: c = w, cc = w + out, ccc = in + w + out.  Rules for the next task:
 *   ls  where it starts first;
 *   lc  where the sink could start first, were it on the task's machine, the source's, or the one
 *       that is best for it so far;
 *   ln  where its start and the start of the next task in the list have the least sum;
 *   ss  the sink is fixed beside the source, then apart, the better one counts; where the task's
 *       result is at the sink first;
 *   d   of all tasks that which starts first, by priority among equals;
 *   dv  as d, by w + out as soon as no remaining input arrives later than a machine is free.
 * The sink then goes where it starts first.  Ties by the lower machine.  O(n m), d and dv O(n^2 + n
 * m). */
#include <string.h>
#include "star.h"

typedef struct baseline {
    tgs_i_fj_star s;
    int32_t m;
    int32_t *order;
    double *priority, *by_out; /* [n] */
    bool *done;                /* [n] */
    double *free;              /* [m] */
    double *last, *sent;       /* [m] largest end, and end + out, of a machine's tasks */
} baseline;

static double earliest(const baseline *x, int32_t j, int32_t machine)
{
    return machine ? fmax(x->free[machine], x->s.e.a[j]) : x->free[0];
}

static void place(baseline *x, int32_t j, int32_t machine)
{
    const double end = earliest(x, j, machine) + x->s.e.w[j];

    x->s.machine[j] = machine;
    x->s.start[j] = earliest(x, j, machine);
    x->free[machine] = end;
    x->last[machine] = fmax(x->last[machine], end);
    x->sent[machine] = fmax(x->sent[machine], end + x->s.e.b[j]);
}

/* the two largest sent, and whose the first is */
static int32_t two_largest(const baseline *x, double *most, double *second)
{
    int32_t who = 0;

    *most = *second = -1;
    for (int32_t i = 0; i < x->m; i++)
        if (x->sent[i] > *most) {
            *second = *most;
            *most = x->sent[i];
            who = i;
        } else
            *second = fmax(*second, x->sent[i]);
    return who;
}

/* the machine where the sink starts first */
static int32_t best_sink(const baseline *x, double *L)
{
    double most, second;
    const int32_t who = two_largest(x, &most, &second);
    int32_t best = 0;

    *L = INFINITY;
    for (int32_t i = 0; i < x->m; i++) {
        const double at = fmax(fmax(x->last[i], i == who ? second : most), 0);

        if (at < *L) {
            *L = at;
            best = i;
        }
    }
    return best;
}

static int32_t by_start(const baseline *x, int32_t j)
{
    int32_t best = 0;

    for (int32_t i = 1; i < x->m; i++)
        if (earliest(x, j, i) < earliest(x, j, best))
            best = i;
    return best;
}

/* the start of a sink on machine sink, once the task has ended on machine at */
static double sink_start(const baseline *x, int32_t sink, int32_t at, double end, double sent,
                         double others)
{
    return fmax(fmax(x->last[sink], others), at == sink ? end : sent);
}

static int32_t by_sink(const baseline *x, int32_t j)
{
    double most, second, L, least = INFINITY;
    const int32_t who = two_largest(x, &most, &second), sink = best_sink(x, &L);
    int32_t best = 0;

    for (int32_t i = 0; i < x->m; i++) {
        const double end = earliest(x, j, i) + x->s.e.w[j], sent = end + x->s.e.b[j];
        const int32_t candidate[] = {i, 0, sink};

        for (int32_t k = 0; k < 3; k++) {
            const int32_t c = candidate[k];
            const double at = sink_start(x, c, i, end, sent, c == who ? second : most);

            if (at < least) {
                least = at;
                best = i;
            }
        }
    }
    return best;
}

static int32_t by_next(const baseline *x, int32_t j, int32_t next)
{
    const int32_t first = next < 0 ? 0 : by_start(x, next);
    double least = INFINITY, other = INFINITY;
    int32_t best = 0;

    if (next < 0)
        return by_start(x, j);
    for (int32_t i = 0; i < x->m; i++)
        if (i != first)
            other = fmin(other, earliest(x, next, i));
    for (int32_t i = 0; i < x->m; i++) {
        const double start = earliest(x, j, i), end = start + x->s.e.w[j];
        const double here = i ? fmax(end, x->s.e.a[next]) : end; /* the next one behind it */
        const double sum = start + fmin(here, i == first ? other : earliest(x, next, first));

        if (sum < least) {
            least = sum;
            best = i;
        }
    }
    return best;
}

static int32_t by_arrival(const baseline *x, int32_t j, int32_t sink)
{
    double least = INFINITY;
    int32_t best = 0;

    for (int32_t i = 0; i < x->m; i++) {
        const double at = earliest(x, j, i) + (i == sink ? 0 : x->s.e.b[j]);

        if (at < least) {
            least = at;
            best = i;
        }
    }
    return best;
}

static void reset(baseline *x)
{
    for (int32_t i = 0; i < x->m; i++)
        x->free[i] = x->last[i] = x->sent[i] = 0;
}

static void finish(baseline *x)
{
    double L;
    const int32_t sink = best_sink(x, &L);

    tgs_i_fj_star_keep(&x->s, L, sink);
}

static void fixed_sink(baseline *x)
{
    for (int32_t sink = 0; sink < 2 && sink < x->m; sink++) {
        reset(x);
        for (int32_t i = 0; i < x->s.e.n; i++)
            place(x, x->order[i], by_arrival(x, x->order[i], sink));
        finish(x);
    }
}

static void static_list(baseline *x, const char *rule)
{
    const int32_t n = x->s.e.n;

    for (int32_t i = 0; i < n; i++) {
        const int32_t j = x->order[i];

        place(x, j,
              !strcmp(rule, "lc")   ? by_sink(x, j)
              : !strcmp(rule, "ln") ? by_next(x, j, i + 1 < n ? x->order[i + 1] : -1)
                                    : by_start(x, j));
    }
    finish(x);
}

/* other than machine 0 only the one that is free first matters */
static int32_t first_free(const baseline *x)
{
    int32_t best = 1;

    for (int32_t i = 2; i < x->m; i++)
        if (x->free[i] < x->free[best])
            best = i;
    return x->m > 1 ? best : 0;
}

static void dynamic_list(baseline *x, bool switching)
{
    const int32_t n = x->s.e.n;

    memset(x->done, 0, (size_t)n * sizeof *x->done);
    for (int32_t step = 0; step < n; step++) {
        const int32_t other = first_free(x);
        double latest = 0, least = INFINITY;
        const double *priority = x->priority;
        int32_t best = -1, where = 0;

        for (int32_t j = 0; j < n && switching; j++)
            latest = x->done[j] ? latest : fmax(latest, x->s.e.a[j]);
        if (switching && latest <= x->free[other])
            priority = x->by_out;
        for (int32_t j = 0; j < n; j++) {
            const int32_t at = earliest(x, j, other) < x->free[0] ? other : 0;
            const double start = earliest(x, j, at);

            if (!x->done[j]
                && (start < least || (start == least && priority[j] > priority[best]))) {
                least = start;
                best = j;
                where = at;
            }
        }
        x->done[best] = true;
        place(x, best, where);
    }
    finish(x);
}

static tgs_status open_baseline(baseline *x, const char *priority, tgs_error *err)
{
    const tgs_i_fj_equal *e = &x->s.e;
    const size_t n = (size_t)e->n, m = (size_t)e->m;
    double *key = tgs_mem_alloc(n, sizeof *key);
    tgs_status status = TGS_OK;

    x->m = e->m;
    x->order = tgs_mem_alloc(n, sizeof *x->order);
    x->priority = tgs_mem_alloc(n, sizeof *x->priority);
    x->by_out = tgs_mem_alloc(n, sizeof *x->by_out);
    x->done = tgs_mem_alloc(n, sizeof *x->done);
    x->free = tgs_mem_alloc(m, sizeof *x->free);
    x->last = tgs_mem_alloc(m, sizeof *x->last);
    x->sent = tgs_mem_alloc(m, sizeof *x->sent);
    if (!key || !x->order || !x->priority || !x->by_out || !x->done || !x->free || !x->last
        || !x->sent)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d inner tasks", e->n);
    for (int32_t j = 0; j < e->n && !status; j++) {
        x->by_out[j] = e->w[j] + e->b[j];
        x->priority[j] = !strcmp(priority, "c")    ? e->w[j]
                         : !strcmp(priority, "cc") ? x->by_out[j]
                                                   : e->a[j] + x->by_out[j];
        key[j] = -x->priority[j];
    }
    if (!status)
        status = tgs_i_fj_sort(key, e->n, x->order, err);
    tgs_mem_free(key);
    return status;
}

static bool one_of(const char *word, const char *const *words)
{
    while (*words && strcmp(word, *words) != 0)
        words++;
    return *words;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    static const char *const rules[] = {"ls", "lc", "ln", "ss", "d", "dv", NULL};
    static const char *const priorities[] = {"c", "cc", "ccc", NULL};
    const char *rule = tgs_arg_text(c->args, "rule"), *priority = tgs_arg_text(c->args, "priority");
    baseline x = {.m = 0};
    tgs_status status;

    if (!one_of(rule, rules))
        return tgs_fail(err, TGS_EINVAL, "rule '%s' is none of ls, lc, ln, ss, d, dv", rule);
    if (!one_of(priority, priorities))
        return tgs_fail(err, TGS_EINVAL, "priority '%s' is none of c, cc, ccc", priority);
    status = tgs_i_fj_star_open(&x.s, c, err);
    if (!status)
        status = open_baseline(&x, priority, err);
    if (status)
        goto done;
    if (!strcmp(rule, "ss"))
        fixed_sink(&x);
    else if (rule[0] == 'd')
        dynamic_list(&x, rule[1] == 'v');
    else
        static_list(&x, rule);
    tgs_i_fj_star_plan(&x.s, plan);
done:
    tgs_i_fj_star_close(&x.s);
    tgs_mem_free(x.order);
    tgs_mem_free(x.priority);
    tgs_mem_free(x.by_out);
    tgs_mem_free(x.done);
    tgs_mem_free(x.free);
    tgs_mem_free(x.last);
    tgs_mem_free(x.sent);
    return status;
}

static const tgs_param params[] = {
    {"rule", "ss", TGS_PARAM_TEXT, 0, 0, "ls, lc, ln, ss, d or dv: where the next task goes"},
    {"priority", "cc", TGS_PARAM_TEXT, 0, 0,
     "c, cc or ccc: work, with output, with input and output"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_fj_ls = {
    .base = {TGS_PLUGIN_ABI, "fj-ls", "fork-join on equal processors: the published list baselines",
             "10.1109/IPDPS54959.2023.00087", params},
    .run = run,
};
