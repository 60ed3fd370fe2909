/* improve.c -- local search between machines.
 *
 * The critical machine is the one that is through last.  A job of it moves to another machine, or
 * changes places with one there, when both machines are then through before L; the first such
 * change is made.  So the number of machines that attain L, or L, falls with every change. */
#include <string.h>
#include "core.h"
#include "lists.h"
#include "onemachine.h"

enum {
    TARGETS = 6, /* machines tried in each class: those that are through first */
    FEW = 30,    /* jobs up to which Carlier is tried */
    NODES = 50   /* of it */
};

typedef struct search {
    const tgs_i_fj_form *f;
    int32_t m;
    int32_t *class_of;         /* [m] */
    int32_t *machine;          /* [n] */
    int32_t *first, *next;     /* [m], [n]: jobs of a machine; -1 the end */
    int32_t *count;            /* [m] */
    double *L, *load;          /* [m] */
    double *p, *r, *q, *start; /* [n] room to sequence one machine */
    int32_t *job;              /* [n] */
    int32_t *target;           /* [classes * TARGETS] */
    int64_t work;
    tgs_status status;
} search;

static int64_t entry(const search *s, int32_t j, int32_t machine)
{
    return (int64_t)j * s->f->classes + s->class_of[machine];
}

/* the machine's jobs without `out` and with `in` (-1: none), sequenced into start and job; INFINITY
 * when that is surely not below limit */
static double sequence(search *s, int32_t i, int32_t out, int32_t in, double limit)
{
    tgs_i_fj_jobs jobs = {0, s->p, s->r, s->q};
    double load = s->load[i], L = 0, least_r = INFINITY, least_q = INFINITY;

    load -= out >= 0 ? s->f->p[entry(s, out, i)] : 0;
    load += in >= 0 ? s->f->p[entry(s, in, i)] : 0;
    if (load * (1 - 1e-12) >= limit)
        return INFINITY;
    for (int32_t j = in >= 0 ? in : s->first[i]; j >= 0; j = j == in ? s->first[i] : s->next[j]) {
        const int64_t x = entry(s, j, i);

        if (j == out)
            continue;
        s->job[jobs.n] = j;
        s->p[jobs.n] = s->f->p[x];
        s->r[jobs.n] = s->f->r[x];
        s->q[jobs.n] = s->f->q[x];
        least_r = fmin(least_r, s->f->r[x]);
        least_q = fmin(least_q, s->f->q[x]);
        jobs.n++;
    }
    s->work -= jobs.n + 1;
    if (!jobs.n)
        return 0;
    if ((load + least_r + least_q) * (1 - 1e-12) >= limit)
        return INFINITY;
    s->status = tgs_i_fj_schrage(&jobs, s->start, &L);
    if (!s->status && L >= limit && jobs.n <= FEW && jobs.n > 2) {
        int64_t nodes = NODES;
        double lower;

        s->status = tgs_i_fj_carlier(&jobs, &nodes, limit, s->start, &L, &lower);
        s->work -= (NODES - nodes) * jobs.n / 64; /* about what they took */
    }
    return s->status ? INFINITY : L;
}

static void unlink_job(search *s, int32_t j)
{
    const int32_t i = s->machine[j];
    int32_t *at = &s->first[i];

    while (*at != j)
        at = &s->next[*at];
    *at = s->next[j];
    s->load[i] -= s->f->p[entry(s, j, i)];
    s->count[i]--;
}

static void link_job(search *s, int32_t j, int32_t i)
{
    s->machine[j] = i;
    s->next[j] = s->first[i];
    s->first[i] = j;
    s->load[i] += s->f->p[entry(s, j, i)];
    s->count[i]++;
}

/* sequenced again as below the limit, where Carlier may have bettered Schrage */
static void settle(search *s, tgs_i_fj_answer *a, int32_t i, double limit)
{
    const double L = sequence(s, i, -1, -1, limit);

    if (s->status)
        return;
    s->L[i] = L;
    for (int32_t k = 0; k < s->count[i]; k++) {
        a->machine[s->job[k]] = i;
        a->start[s->job[k]] = s->start[k];
    }
}

static void apply(search *s, tgs_i_fj_answer *a, int32_t x, int32_t y, int32_t to, double limit)
{
    const int32_t from = s->machine[x];

    unlink_job(s, x);
    if (y >= 0)
        unlink_job(s, y);
    link_job(s, x, to);
    if (y >= 0)
        link_job(s, y, from);
    settle(s, a, from, limit);
    settle(s, a, to, limit);
}

/* the machines of a class that are through first, other than i; returns how many */
static int32_t choose_targets(search *s, int32_t g, int32_t i, int32_t *target)
{
    int32_t used = 0;

    for (int32_t k = s->f->at[g]; k < s->f->at[g + 1]; k++) {
        int32_t at = used;

        if (k == i)
            continue;
        while (at > 0 && s->L[target[at - 1]] > s->L[k])
            at--;
        if (at == TARGETS)
            continue;
        used += used < TARGETS;
        memmove(target + at + 1, target + at, (size_t)(used - at - 1) * sizeof *target);
        target[at] = k;
    }
    return used;
}

/* job x of machine i to machine k, alone or for one of its jobs */
static bool exchange(search *s, tgs_i_fj_answer *a, int32_t x, int32_t k, double without)
{
    const int32_t i = s->machine[x];
    const double L = s->L[i], p = s->f->p[entry(s, x, i)];

    if (without < L && sequence(s, k, -1, x, L) < L) {
        apply(s, a, x, -1, k, L);
        return true;
    }
    for (int32_t y = s->first[k]; y >= 0 && s->work > 0 && !s->status; y = s->next[y])
        if (s->f->p[entry(s, y, i)] <= 1.2 * p && s->f->p[entry(s, y, i)] < INFINITY
            && sequence(s, i, x, y, L) < L && sequence(s, k, y, x, L) < L) {
            apply(s, a, x, y, k, L);
            return true;
        }
    return false;
}

static bool improve_machine(search *s, tgs_i_fj_answer *a, int32_t i)
{
    int32_t used[64];

    for (int32_t g = 0; g < s->f->classes; g++)
        used[g] = choose_targets(s, g, i, s->target + (int64_t)g * TARGETS);
    for (int32_t x = s->first[i]; x >= 0; x = s->next[x]) {
        const double without = sequence(s, i, x, -1, s->L[i]);

        for (int32_t t = 0; t < TARGETS; t++)
            for (int32_t g = 0; g < s->f->classes; g++) {
                if (s->work <= 0 || s->status)
                    return false;
                if (t < used[g] && s->f->p[(int64_t)x * s->f->classes + g] < INFINITY
                    && tgs_i_fj_through(s->f, x, g) < s->L[i]
                    && exchange(s, a, x, s->target[(int64_t)g * TARGETS + t], without))
                    return true;
            }
    }
    return false;
}

static int32_t critical(const search *s)
{
    int32_t most = 0;

    for (int32_t i = 1; i < s->m; i++)
        if (s->L[i] > s->L[most])
            most = i;
    return most;
}

static tgs_status open_search(search *s, const tgs_i_fj_answer *a)
{
    const size_t n = (size_t)s->f->n, m = (size_t)s->m;

    s->class_of = tgs_mem_alloc(m, sizeof *s->class_of);
    s->machine = tgs_mem_alloc(n, sizeof *s->machine);
    s->first = tgs_mem_alloc(m, sizeof *s->first);
    s->next = tgs_mem_alloc(n, sizeof *s->next);
    s->count = tgs_mem_alloc(m, sizeof *s->count);
    s->L = tgs_mem_alloc(m, sizeof *s->L);
    s->load = tgs_mem_alloc(m, sizeof *s->load);
    s->p = tgs_mem_alloc(n, sizeof *s->p);
    s->r = tgs_mem_alloc(n, sizeof *s->r);
    s->q = tgs_mem_alloc(n, sizeof *s->q);
    s->start = tgs_mem_alloc(n, sizeof *s->start);
    s->job = tgs_mem_alloc(n, sizeof *s->job);
    s->target = tgs_mem_alloc((size_t)s->f->classes * TARGETS, sizeof *s->target);
    if (!s->class_of || !s->machine || !s->first || !s->next || !s->count || !s->L || !s->load
        || !s->p || !s->r || !s->q || !s->start || !s->job || !s->target)
        return TGS_ENOMEM;
    for (int32_t g = 0; g < s->f->classes; g++)
        for (int32_t i = s->f->at[g]; i < s->f->at[g + 1]; i++) {
            s->class_of[i] = g;
            s->first[i] = -1;
        }
    for (int32_t j = s->f->n - 1; j >= 0; j--)
        link_job(s, j, a->machine[j]);
    for (int32_t j = 0; j < s->f->n; j++) {
        const int64_t x = entry(s, j, s->machine[j]);

        s->L[s->machine[j]] = fmax(s->L[s->machine[j]], a->start[j] + s->f->p[x] + s->f->q[x]);
    }
    return TGS_OK;
}

static void close_search(search *s)
{
    tgs_mem_free(s->class_of);
    tgs_mem_free(s->machine);
    tgs_mem_free(s->first);
    tgs_mem_free(s->next);
    tgs_mem_free(s->count);
    tgs_mem_free(s->L);
    tgs_mem_free(s->load);
    tgs_mem_free(s->p);
    tgs_mem_free(s->r);
    tgs_mem_free(s->q);
    tgs_mem_free(s->start);
    tgs_mem_free(s->job);
    tgs_mem_free(s->target);
}

tgs_status tgs_i_fj_improve(const tgs_i_fj_form *f, int64_t most, int64_t *work, double enough,
                            tgs_i_fj_answer *a)
{
    const int64_t begin = most < *work ? most : *work;
    search s = {.f = f, .m = f->at[f->classes], .work = begin};

    if (f->classes > 64 || !(a->L < INFINITY) || begin <= 0)
        return TGS_OK;
    s.status = open_search(&s, a);
    while (!s.status) {
        const int32_t i = critical(&s);

        a->L = s.L[i];
        if (s.work <= 0 || a->L <= enough || !improve_machine(&s, a, i))
            break;
    }
    close_search(&s);
    *work -= begin - s.work;
    return s.status;
}
