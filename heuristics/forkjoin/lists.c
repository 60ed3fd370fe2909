/* lists.c -- list schedules of classes of machines, with one clock: when a machine is free, of the
 * released jobs that with the first priority; if none is released the clock moves on.
 *
 * By largest q this is Jackson's rule, at most (2 - 1/m) max p above the fluid optimum.  Largest p
 * among tails of one bucket adds at most the bucket; q + p and q + 2p help where p is skewed. */
#include <string.h>
#include "core.h"
#include "lists.h"
#include "onemachine.h"

tgs_status tgs_i_fj_lists_open(tgs_i_fj_lists *x, const tgs_i_fj_form *f)
{
    const size_t n = (size_t)f->n;
    tgs_status status = TGS_OK;

    *x = (tgs_i_fj_lists){.f = f};
    x->by_r = tgs_mem_alloc(n * (size_t)f->classes, sizeof *x->by_r);
    x->jobs = tgs_mem_alloc(n, sizeof *x->jobs);
    x->machine = tgs_mem_alloc(n, sizeof *x->machine);
    x->trial_machine = tgs_mem_alloc(n, sizeof *x->trial_machine);
    x->start = tgs_mem_alloc(n, sizeof *x->start);
    x->trial = tgs_mem_alloc(n, sizeof *x->trial);
    x->key = tgs_mem_alloc(n, sizeof *x->key);
    x->free.item = tgs_mem_alloc((size_t)f->at[f->classes], sizeof *x->free.item);
    x->released.item = tgs_mem_alloc(n, sizeof *x->released.item);
    if (!x->by_r || !x->jobs || !x->machine || !x->trial_machine || !x->start || !x->trial
        || !x->key || !x->free.item || !x->released.item)
        status = TGS_ENOMEM;
    for (int32_t g = 0; g < f->classes && !status; g++) {
        for (int32_t j = 0; j < f->n; j++)
            x->key[j] = f->r[(int64_t)j * f->classes + g];
        status = tgs_i_fj_sort(x->key, f->n, x->by_r + (int64_t)g * f->n, NULL);
    }
    if (status)
        tgs_i_fj_lists_close(x);
    return status;
}

void tgs_i_fj_lists_close(tgs_i_fj_lists *x)
{
    tgs_mem_free(x->by_r);
    tgs_mem_free(x->jobs);
    tgs_mem_free(x->machine);
    tgs_mem_free(x->trial_machine);
    tgs_mem_free(x->start);
    tgs_mem_free(x->trial);
    tgs_mem_free(x->key);
    tgs_mem_free(x->free.item);
    tgs_mem_free(x->released.item);
    *x = (tgs_i_fj_lists){.f = NULL};
}

/* length of jobs[count], by r, of class g with priorities key (largest first); into trial */
static double list(tgs_i_fj_lists *x, int32_t g, int32_t count)
{
    const tgs_i_fj_form *f = x->f;
    double now = 0, L = 0;
    int32_t next = 0;

    x->free.size = x->released.size = 0;
    for (int32_t i = f->at[g]; i < f->at[g + 1]; i++)
        tgs_heap_push(&x->free, 0, i);
    for (int32_t left = count; left > 0; left--) {
        const tgs_heap_item m = tgs_heap_pop(&x->free);
        int64_t i;
        int32_t j;

        now = m.key > now ? m.key : now;
        for (; next < count; next++) {
            const double r = f->r[(int64_t)x->jobs[next] * f->classes + g];

            if (r > now) {
                if (x->released.size)
                    break;
                now = r;
            }
            tgs_heap_push(&x->released, -x->key[x->jobs[next]], x->jobs[next]);
        }
        j = tgs_heap_pop(&x->released).id;
        i = (int64_t)j * f->classes + g;
        x->trial[j] = now;
        x->trial_machine[j] = m.id;
        L = fmax(L, now + f->p[i] + f->q[i]);
        tgs_heap_push(&x->free, now + f->p[i], m.id);
    }
    return L;
}

/* priority k of job j; T: the scale of the buckets.  false: there is no such priority */
static bool set_keys(tgs_i_fj_lists *x, int32_t g, int32_t count, int32_t k, double T)
{
    static const double bucket[] = {1, 4, 10, 40}, weight[] = {1, 2};
    const tgs_i_fj_form *f = x->f;

    if (k > 6 || (k && f->at[g + 1] - f->at[g] == 1))
        return false;
    for (int32_t c = 0; c < count; c++) {
        const int64_t i = (int64_t)x->jobs[c] * f->classes + g;

        if (k == 0)
            x->key[x->jobs[c]] = f->q[i];
        else if (k <= 2)
            x->key[x->jobs[c]] = f->q[i] + weight[k - 1] * f->p[i];
        else /* p is at most T, so the bucket decides */
            x->key[x->jobs[c]] = floor(f->q[i] / T * bucket[k - 3]) * 2 + f->p[i] / T;
    }
    return true;
}

static void keep(tgs_i_fj_lists *x, int32_t count)
{
    for (int32_t c = 0; c < count; c++) {
        x->start[x->jobs[c]] = x->trial[x->jobs[c]];
        x->machine[x->jobs[c]] = x->trial_machine[x->jobs[c]];
    }
}

enum { FEW = 60, NODES = 500 };

/* one machine, few jobs */
static tgs_status carlier(tgs_i_fj_lists *x, int32_t g, int32_t count, double *length)
{
    const tgs_i_fj_form *f = x->f;
    double p[FEW], r[FEW], q[FEW], start[FEW], L, lower;
    const tgs_i_fj_jobs jobs = {count, p, r, q};
    int64_t nodes = NODES;
    tgs_status status;

    for (int32_t c = 0; c < count; c++) {
        const int64_t i = (int64_t)x->jobs[c] * f->classes + g;

        p[c] = f->p[i];
        r[c] = f->r[i];
        q[c] = f->q[i];
    }
    status = tgs_i_fj_carlier(&jobs, &nodes, *length, start, &L, &lower);
    if (!status && L < *length) {
        *length = L;
        for (int32_t c = 0; c < count; c++)
            x->start[x->jobs[c]] = start[c];
    }
    return status;
}

static tgs_status run_class(tgs_i_fj_lists *x, const int32_t *class_of, int32_t g, double enough,
                            double *length)
{
    const tgs_i_fj_form *f = x->f;
    int32_t count = 0;

    for (int32_t i = 0; i < f->n; i++)
        if (class_of[x->by_r[(int64_t)g * f->n + i]] == g)
            x->jobs[count++] = x->by_r[(int64_t)g * f->n + i];
    *length = count ? INFINITY : 0;
    for (int32_t k = 0; *length > enough && set_keys(x, g, count, k, enough); k++) {
        const double L = list(x, g, count);

        if (L < *length) {
            *length = L;
            keep(x, count);
        }
    }
    if (*length > enough && f->at[g + 1] - f->at[g] == 1 && count <= FEW)
        return carlier(x, g, count, length);
    return TGS_OK;
}

tgs_status tgs_i_fj_lists_run(tgs_i_fj_lists *x, const int32_t *class_of, double enough,
                              tgs_i_fj_answer *a)
{
    const tgs_i_fj_form *f = x->f;
    double L = 0;

    for (int32_t g = 0; g < f->classes && L < a->L; g++) {
        double length;
        const tgs_status status = run_class(x, class_of, g, fmax(L, enough), &length);

        if (status)
            return status;
        L = fmax(L, length);
    }
    if (L < a->L) {
        a->L = L;
        memcpy(a->machine, x->machine, (size_t)f->n * sizeof *a->machine);
        memcpy(a->start, x->start, (size_t)f->n * sizeof *a->start);
    }
    return TGS_OK;
}
