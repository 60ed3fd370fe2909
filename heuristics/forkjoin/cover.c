/* cover.c -- machines choose among sets of jobs: a set cover by integer programming.
 *
 * Every job is in a chosen set or left over; the work left over is least.  What is left over goes
 * to the machine that is through first with it, longest jobs first; each machine is sequenced by
 * Schrage, or Carlier when it has few jobs. */
#include "configs.h"
#include "core.h"
#include "onemachine.h"
#include "tgsched/lp.h"

enum { NODES = 1000, FEW = 40 }; /* of Carlier; jobs up to which it is tried */

tgs_status tgs_i_fj_sets_add(tgs_i_fj_sets *x, int32_t class, const int32_t *job, int32_t size,
                             double L)
{
    const int32_t i = x->count;
    tgs_status status = tgs_mem_grow(&x->at, &x->at_room, i + 2, sizeof *x->at);

    if (!status)
        status = tgs_mem_grow(&x->job, &x->job_room, (i ? x->at[i] : 0) + size, sizeof *x->job);
    if (!status)
        status = tgs_mem_grow(&x->class, &x->class_room, i + 1, sizeof *x->class);
    if (!status)
        status = tgs_mem_grow(&x->L, &x->L_room, i + 1, sizeof *x->L);
    if (status)
        return status;
    x->at[0] = 0;
    for (int32_t k = 0; k < size; k++)
        x->job[x->at[i] + k] = job[k];
    x->at[i + 1] = x->at[i] + size;
    x->class[i] = class;
    x->L[i] = L;
    x->count++;
    return TGS_OK;
}

void tgs_i_fj_sets_free(tgs_i_fj_sets *x)
{
    tgs_mem_free(x->at);
    tgs_mem_free(x->job);
    tgs_mem_free(x->class);
    tgs_mem_free(x->L);
    *x = (tgs_i_fj_sets){.count = 0};
}

typedef struct cover {
    const tgs_i_fj_form *f;
    const tgs_i_fj_sets *sets;
    tgs_lp *lp;
    int32_t *column;           /* [sets] -1: L is above T */
    int32_t *entry;            /* [max (sets + 1)] of a row */
    double *ones;              /* [same] */
    double *load;              /* [machines] */
    int32_t *class_of;         /* [machines] */
    int32_t *order;            /* [n] */
    double *key;               /* [n] */
    double *p, *r, *q, *start; /* [n] of one machine */
} cover;

static tgs_status open_cover(cover *x, tgs_error *err)
{
    const size_t n = (size_t)x->f->n, m = (size_t)x->f->at[x->f->classes];
    const size_t sets = (size_t)x->sets->count;

    x->column = tgs_mem_alloc(sets + 1, sizeof *x->column);
    x->entry = tgs_mem_alloc(sets + 1, sizeof *x->entry);
    x->ones = tgs_mem_alloc(sets + 1, sizeof *x->ones);
    x->load = tgs_mem_alloc(m, sizeof *x->load);
    x->class_of = tgs_mem_alloc(m, sizeof *x->class_of);
    x->order = tgs_mem_alloc(n, sizeof *x->order);
    x->key = tgs_mem_alloc(n, sizeof *x->key);
    x->p = tgs_mem_alloc(n, sizeof *x->p);
    x->r = tgs_mem_alloc(n, sizeof *x->r);
    x->q = tgs_mem_alloc(n, sizeof *x->q);
    x->start = tgs_mem_alloc(n, sizeof *x->start);
    if (!x->column || !x->entry || !x->ones || !x->load || !x->class_of || !x->order || !x->key
        || !x->p || !x->r || !x->q || !x->start)
        return TGS_ENOMEM;
    for (size_t i = 0; i <= sets; i++)
        x->ones[i] = 1;
    return tgs_lp_new(&x->lp, err);
}

static void close_cover(cover *x)
{
    tgs_lp_free(x->lp);
    tgs_mem_free(x->column);
    tgs_mem_free(x->entry);
    tgs_mem_free(x->ones);
    tgs_mem_free(x->load);
    tgs_mem_free(x->class_of);
    tgs_mem_free(x->order);
    tgs_mem_free(x->key);
    tgs_mem_free(x->p);
    tgs_mem_free(x->r);
    tgs_mem_free(x->q);
    tgs_mem_free(x->start);
}

static bool has(const tgs_i_fj_sets *s, int32_t i, int32_t j)
{
    for (int32_t k = s->at[i]; k < s->at[i + 1]; k++)
        if (s->job[k] == j)
            return true;
    return false;
}

/* columns: what is left over of each job, then the sets with L <= T */
static void write_program(cover *x, double T)
{
    const tgs_i_fj_form *f = x->f;
    const tgs_i_fj_sets *s = x->sets;

    for (int32_t j = 0; j < f->n; j++) {
        double p = INFINITY;

        for (int32_t g = 0; g < f->classes; g++)
            p = fmin(p, f->p[(int64_t)j * f->classes + g]);
        tgs_lp_column(x->lp, NULL, 0, 1, p / T, false);
    }
    for (int32_t i = 0; i < s->count; i++)
        x->column[i] = s->L[i] <= T ? tgs_lp_column(x->lp, NULL, 0, 1, 0, true) : -1;
    for (int32_t j = 0; j < f->n; j++) {
        int32_t count = 0;

        x->entry[count++] = j;
        for (int32_t i = 0; i < s->count; i++)
            if (x->column[i] >= 0 && has(s, i, j))
                x->entry[count++] = x->column[i];
        tgs_lp_row(x->lp, NULL, 1, INFINITY, count, x->entry, x->ones);
    }
    for (int32_t g = 0; g < f->classes; g++) {
        int32_t count = 0;

        for (int32_t i = 0; i < s->count; i++)
            if (x->column[i] >= 0 && s->class[i] == g)
                x->entry[count++] = x->column[i];
        tgs_lp_row(x->lp, NULL, -INFINITY, f->at[g + 1] - f->at[g], count, x->entry, x->ones);
    }
}

/* machine -1: left over */
static void read_sets(cover *x, tgs_i_fj_answer *a)
{
    const tgs_i_fj_form *f = x->f;
    const tgs_i_fj_sets *s = x->sets;

    for (int32_t j = 0; j < f->n; j++)
        a->machine[j] = -1;
    for (int32_t g = 0; g < f->classes; g++) {
        int32_t next = f->at[g];

        for (int32_t i = f->at[g]; i < f->at[g + 1]; i++) {
            x->class_of[i] = g;
            x->load[i] = 0;
        }
        for (int32_t i = 0; i < s->count && next < f->at[g + 1]; i++) {
            if (s->class[i] != g || x->column[i] < 0 || tgs_lp_value(x->lp, x->column[i]) < 0.5)
                continue;
            for (int32_t k = s->at[i]; k < s->at[i + 1]; k++)
                if (a->machine[s->job[k]] < 0) {
                    a->machine[s->job[k]] = next;
                    x->load[next] += f->p[(int64_t)s->job[k] * f->classes + g];
                }
            next++;
        }
    }
}

static void place_rest(cover *x, tgs_i_fj_answer *a)
{
    const tgs_i_fj_form *f = x->f;

    for (int32_t k = 0; k < f->n; k++) {
        const int32_t j = x->order[k];
        double least = INFINITY;
        int32_t best = 0;

        for (int32_t i = 0; i < f->at[f->classes] && a->machine[j] < 0; i++) {
            const double L = x->load[i] + tgs_i_fj_through(f, j, x->class_of[i]);

            if (L < least) {
                least = L;
                best = i;
            }
        }
        if (a->machine[j] < 0) {
            a->machine[j] = best;
            x->load[best] += f->p[(int64_t)j * f->classes + x->class_of[best]];
        }
    }
}

static tgs_status sequence(cover *x, int32_t machine, tgs_i_fj_answer *a)
{
    const tgs_i_fj_form *f = x->f;
    tgs_i_fj_jobs jobs = {0, x->p, x->r, x->q};
    int64_t nodes = NODES;
    double L = 0, lower;
    tgs_status status;

    for (int32_t j = 0; j < f->n; j++)
        if (a->machine[j] == machine) {
            const int64_t i = (int64_t)j * f->classes + x->class_of[machine];

            x->p[jobs.n] = f->p[i];
            x->r[jobs.n] = f->r[i];
            x->q[jobs.n++] = f->q[i];
        }
    if (!jobs.n)
        return TGS_OK;
    status = jobs.n <= FEW ? tgs_i_fj_carlier(&jobs, &nodes, INFINITY, x->start, &L, &lower)
                           : tgs_i_fj_schrage(&jobs, x->start, &L);
    a->L = fmax(a->L, L);
    for (int32_t j = 0, k = 0; j < f->n && !status; j++)
        if (a->machine[j] == machine)
            a->start[j] = x->start[k++];
    return status;
}

tgs_status tgs_i_fj_cover(const tgs_i_fj_form *f, const tgs_i_fj_sets *sets, double T,
                          int64_t nodes, tgs_i_fj_answer *a, tgs_error *err)
{
    cover x = {.f = f, .sets = sets};
    const tgs_lp_limits limits = {.nodes = nodes, .gap = 1e-6};
    tgs_lp_answer answer = {TGS_LP_UNKNOWN, NAN, -INFINITY, 0};
    tgs_status status = open_cover(&x, err);

    if (status)
        goto done;
    write_program(&x, T);
    status = tgs_lp_solve(x.lp, &limits, &answer, err);
    a->L = INFINITY;
    if (status || (answer.end != TGS_LP_OPTIMAL && answer.end != TGS_LP_FEASIBLE))
        goto done;
    for (int32_t j = 0; j < f->n; j++)
        x.key[j] = -tgs_i_fj_through(f, j, tgs_i_fj_quickest(f, j));
    status = tgs_i_fj_sort(x.key, f->n, x.order, NULL);
    if (status)
        goto done;
    read_sets(&x, a);
    place_rest(&x, a);
    a->L = 0;
    for (int32_t i = 0; i < f->at[f->classes] && !status; i++)
        status = sequence(&x, i, a);
done:
    close_cover(&x);
    return status;
}
