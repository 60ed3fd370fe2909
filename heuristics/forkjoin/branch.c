/* branch.c -- exact branch and bound for few jobs: on which machine does the next job run?
 *
 * Jobs by r + p + q on their quickest class, longest first.  Of the machines of a class that are
 * still empty only the first is tried, and jobs that are alike go to machines in ascending order. A
 * node is bounded by the preemptive optimum of each machine's jobs and by all work over what the
 * machines can hold; the machines of a leaf are sequenced by Carlier. */
#include <string.h>
#include "core.h"
#include "form.h"
#include "onemachine.h"

enum { N = TGS_I_FJ_EXACT };

typedef struct machine {
    int32_t class, jobs;
    int32_t job[N];
    double p[N], r[N], q[N], start[N];
    double bound, idle; /* of its jobs; least r, and least q, of any job of its class */
} machine;

typedef struct search {
    const tgs_i_fj_form *f;
    int32_t n, machines;
    machine *m;
    int32_t *number; /* [machines] in the form */
    int32_t order[N];
    double least_p[N + 1], alone[N + 1]; /* of the jobs from this place of order on: sum, most */
    int32_t at[N];                       /* machine of each job */
    int64_t nodes;
    double best, placed; /* work of the jobs placed */
    bool cut;
    tgs_i_fj_answer *a;
    tgs_status status;
} search;

static tgs_i_fj_jobs jobs_of(const machine *m)
{
    return (tgs_i_fj_jobs){m->jobs, m->p, m->r, m->q};
}

static void leaf(search *s)
{
    double L = 0;

    for (int32_t i = 0; i < s->machines && L < s->best; i++) {
        const tgs_i_fj_jobs j = jobs_of(&s->m[i]);
        int64_t nodes = 100000;
        double length, lower;

        if (!j.n)
            continue;
        s->status = tgs_i_fj_carlier(&j, &nodes, s->best, s->m[i].start, &length, &lower);
        if (s->status)
            return;
        s->cut |= lower < fmin(length, s->best);
        L = fmax(L, length);
    }
    if (!(L < s->best))
        return;
    s->best = s->a->L = L;
    for (int32_t i = 0; i < s->machines; i++)
        for (int32_t k = 0; k < s->m[i].jobs; k++) {
            s->a->machine[s->m[i].job[k]] = s->number[i];
            s->a->start[s->m[i].job[k]] = s->m[i].start[k];
        }
}

/* all work, the rest at its shortest, over what the machines can hold before best */
static bool fits(const search *s, int32_t place)
{
    double room = 0;

    for (int32_t i = 0; i < s->machines; i++)
        room += fmax(0, s->best - s->m[i].idle);
    return s->placed + s->least_p[place] < room * (1 + 1e-12);
}

static bool add(search *s, int32_t j, machine *m)
{
    const int64_t x = (int64_t)j * s->f->classes + m->class;
    const int32_t k = m->jobs++;
    tgs_i_fj_jobs jobs;

    m->job[k] = j;
    m->p[k] = s->f->p[x];
    m->r[k] = s->f->r[x];
    m->q[k] = s->f->q[x];
    s->placed += m->p[k];
    jobs = jobs_of(m);
    if (k == 0)
        m->bound = m->r[k] + m->p[k] + m->q[k];
    else
        s->status = tgs_i_fj_preemptive(&jobs, &m->bound);
    return !s->status && m->bound < s->best;
}

static bool same_job(const search *s, int32_t a, int32_t b)
{
    const tgs_i_fj_form *f = s->f;
    const int64_t x = (int64_t)a * f->classes, y = (int64_t)b * f->classes;
    const size_t row = (size_t)f->classes * sizeof(double);

    return !memcmp(f->p + x, f->p + y, row) && !memcmp(f->r + x, f->r + y, row)
           && !memcmp(f->q + x, f->q + y, row);
}

static void descend(search *s, int32_t place)
{
    int32_t first = 0, empty = -1; /* the class whose first empty machine was tried */

    if (place == s->n) {
        leaf(s);
        return;
    }
    if (place && same_job(s, s->order[place], s->order[place - 1]))
        first = s->at[place - 1];
    for (int32_t i = 0; i < first; i++)
        if (!s->m[i].jobs)
            empty = s->m[i].class;
    for (int32_t i = first; i < s->machines && !s->status && !s->cut; i++) {
        machine *m = &s->m[i];
        const double bound = m->bound, placed = s->placed;
        const int32_t j = s->order[place];

        if ((!m->jobs && m->class == empty)
            || !(s->f->p[(int64_t)j * s->f->classes + m->class] < INFINITY))
            continue;
        if (!m->jobs)
            empty = m->class;
        if (s->nodes-- <= 0) {
            s->cut = true;
            return;
        }
        s->at[place] = i;
        if (add(s, j, m) && s->alone[place] < s->best && fits(s, place + 1))
            descend(s, place + 1);
        m->jobs--;
        m->bound = bound;
        s->placed = placed;
    }
}

static double least(const double *x, const tgs_i_fj_form *f, int32_t g)
{
    double best = INFINITY;

    for (int32_t j = 0; j < f->n; j++)
        best = fmin(best, x[(int64_t)j * f->classes + g]);
    return best;
}

static tgs_status prepare(search *s)
{
    const tgs_i_fj_form *f = s->f;
    double key[N];
    tgs_status status;

    for (int32_t j = 0; j < s->n; j++)
        key[j] = -tgs_i_fj_through(f, j, tgs_i_fj_quickest(f, j));
    status = tgs_i_fj_sort(key, s->n, s->order, NULL);
    for (int32_t i = s->n - 1; i >= 0 && !status; i--) {
        const int32_t j = s->order[i];
        double p = INFINITY;

        for (int32_t g = 0; g < f->classes; g++)
            p = fmin(p, f->p[(int64_t)j * f->classes + g]);
        s->least_p[i] = s->least_p[i + 1] + p;
        s->alone[i] = fmax(s->alone[i + 1], -key[j]);
    }
    for (int32_t g = 0; g < f->classes; g++)
        for (int32_t i = f->at[g]; i < f->at[g + 1] && i < f->at[g] + s->n; i++) {
            machine *m = &s->m[s->machines];

            s->number[s->machines++] = i;
            m->class = g;
            m->idle = least(f->r, f, g) + least(f->q, f, g);
        }
    return status;
}

tgs_status tgs_i_fj_branch(const tgs_i_fj_form *f, int64_t nodes, double limit, tgs_i_fj_answer *a,
                           bool *finished)
{
    search s = {.f = f, .n = f->n, .nodes = nodes, .best = limit, .a = a};
    int32_t most = 0;

    *finished = false;
    if (f->n > N)
        return TGS_ENOTAPPLICABLE;
    for (int32_t g = 0; g < f->classes; g++)
        most += f->at[g + 1] - f->at[g] < f->n ? f->at[g + 1] - f->at[g] : f->n;
    s.m = tgs_mem_alloc((size_t)most, sizeof *s.m);
    s.number = tgs_mem_alloc((size_t)most, sizeof *s.number);
    s.status = s.m && s.number ? prepare(&s) : TGS_ENOMEM;
    if (!s.status)
        descend(&s, 0);
    if (!s.status && !s.cut) {
        *finished = true;
        a->lower = s.best;
        a->theorem = a->L < limit ? "branch and bound" : NULL;
    }
    tgs_mem_free(s.m);
    tgs_mem_free(s.number);
    return s.status;
}
