/* balanced-estimate.c -- kinds by the least estimate: the larger of the mean loads and the longest
 * task.
 *
 * After L.-C. Canon, L. Marchal, F. Vivien, "Low-cost approximation algorithms for scheduling
 * independent tasks on hybrid platforms", Euro-Par 2017, whose estimate this is; the search for its
 * least value is ours.
 *
 * When no task may take longer than a cap, those that do on one side are on the other; the rest is
 * cut in the order of a / b where the mean loads are equal, through one task.  The larger the cap
 * the smaller the load, so the cap where both meet is found by bisection over the times.  An
 * optimal schedule has a longest task, and loads no smaller than the cut for it: its length is at
 * least the larger of the two, L.  The task that was cut goes where the estimate is smaller, and is
 * placed last: every task begins by the mean load of the others and takes at most the cap, so
 * independent tasks on two kinds, without communication, are within twice the optimum.
 *
 * O(n log n).  Other graphs, more kinds: as in dual-approx. */
#include <stdlib.h>
#include "core.h"

typedef struct cut {
    double load; /* mean load on both sides */
    int32_t at;  /* place in the order of the task that is cut; n: none is */
} cut;

/* the load is INFINITY where a task fits on neither side */
static cut balance(const tgs_i_split *s, double cap)
{
    double near = 0, far = 0;
    cut c = {INFINITY, s->n};

    for (int32_t i = 0; i < s->n; i++) {
        if (s->a[i] > cap && s->b[i] > cap)
            return c;
        if (s->a[i] > cap)
            far += s->b[i];
        else
            near += s->a[i]; /* for now */
    }
    if (far / s->k >= near / s->m) {
        c.load = far / s->k;
        c.at = -1;
        return c;
    }
    for (int32_t o = 0; o < s->n; o++) {
        const int32_t i = s->order[o];

        if (s->a[i] > cap || s->b[i] > cap)
            continue;
        if ((far + s->b[i]) / s->k >= (near - s->a[i]) / s->m) { /* x of it on the far side */
            const double gap = near / s->m - far / s->k;
            const double x = gap / (s->b[i] / s->k + s->a[i] / s->m);

            c.load = (far + x * s->b[i]) / s->k;
            c.at = o;
            return c;
        }
        far += s->b[i];
        near -= s->a[i];
    }
    c.load = near / s->m; /* even with all that may be on the far side */
    return c;
}

static double larger(double x, double y)
{
    return x > y ? x : y;
}

/* the task that was cut goes where the estimate is smaller */
static void apply(tgs_i_split *s, double cap, const cut *c)
{
    double near = 0, far = 0;

    for (int32_t o = 0; o < s->n; o++) {
        const int32_t i = s->order[o];

        s->right[i] = s->a[i] > cap || (s->b[i] <= cap && o < c->at);
        if (o == c->at)
            continue;
        near += s->right[i] ? 0 : s->a[i];
        far += s->right[i] ? s->b[i] : 0;
    }
    if (c->at >= 0 && c->at < s->n) {
        const int32_t i = s->order[c->at];

        s->last = i;
        s->right[i] =
            larger((far + s->b[i]) / s->k, s->b[i]) < larger((near + s->a[i]) / s->m, s->a[i]);
    }
}

static int ascending(const void *p, const void *q)
{
    const double x = *(const double *)p, y = *(const double *)q;

    return (x > y) - (x < y);
}

/* the caps worth a look are the times: high is the first whose load is no larger than itself */
static void split(tgs_i_split *s)
{
    double *time = s->scratch;
    int32_t low = 0, high, times = 0;
    cut at;

    for (int32_t i = 0; i < s->n; i++) {
        if (s->a[i] < INFINITY)
            time[times++] = s->a[i];
        if (s->b[i] < INFINITY)
            time[times++] = s->b[i];
    }
    if (!times)
        return;
    qsort(time, (size_t)times, sizeof *time, ascending);
    high = times - 1;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;

        if (balance(s, time[middle]).load <= time[middle])
            high = middle;
        else
            low = middle + 1;
    }
    at = balance(s, time[high]);
    s->bound = larger(at.load, time[high]);
    if (high > 0) { /* a smaller cap with a load not much above this one */
        const cut before = balance(s, time[high - 1]);

        if (larger(before.load, time[high - 1]) < s->bound) {
            s->bound = larger(before.load, time[high - 1]);
            at = before;
            high--;
        }
    }
    apply(s, time[high], &at);
    s->bound *= 1 - 1e-9; /* sums are rounded */
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    return tgs_i_types_run(c, plan, split, err);
}

const tgs_heuristic tgs_heuristic_balanced_estimate = {
    .base = {TGS_PLUGIN_ABI, "balanced-estimate",
             "kinds by the least of mean loads and longest task: as dual-approx within twice",
             "Canon, Marchal, Vivien, Euro-Par 2017", NULL},
    .run = run,
};
