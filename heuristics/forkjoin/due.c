/* due.c -- independent tasks with release times and deadlines.
 *
 * For a length T the tail of a task with deadline d is max(0, T - d): then L <= T exactly when all
 * end by T and by their deadlines.  So each T is a question to the scheme of fj-eptas: L <= T is a
 * schedule, and a lower bound above T proves that there is none (P|r_j,d_j|, of which the abstract
 * of H. Wang, O. Sinnen, "Scheduling fork-join task graphs to heterogeneous processors", 2023, says
 * that fork-join results carry over).  First with a T that no schedule needs to exceed: what the
 * lower bound exceeds it by, some deadline is exceeded by.  Then T is bisected. */
#include <string.h>
#include "chain.h"
#include "scheme.h"

enum { STEPS = 8 };

typedef struct question {
    const tgs_i_block *x;
    tgs_i_fj_form form;
    double *q;   /* [n * classes] */
    double *due; /* [n] */
    int64_t work;
    tgs_i_fj_answer a;
} question;

static tgs_status ask(question *k, double T, tgs_error *err)
{
    const tgs_i_block *x = k->x;
    const tgs_i_fj_effort effort = {
        .eps = 0.001, .nodes = k->work / 10, .work = k->work, .err = err};

    for (int32_t i = 0; i < x->n; i++)
        for (int32_t g = 0; g < k->form.classes; g++) {
            const int64_t c = (int64_t)i * k->form.classes + g;

            k->q[c] = fmax(x->q[c], k->due[i] < INFINITY ? T - k->due[i] : 0);
        }
    k->a.L = INFINITY;
    k->a.lower = 0;
    k->a.theorem = NULL;
    return tgs_i_fj_scheme(&k->form, &effort, INFINITY, &k->a);
}

/* the end of the last task of the answer */
static double keep(const question *k, int32_t *proc, double *key)
{
    const tgs_i_block *x = k->x;
    double end = 0;

    for (int32_t i = 0; i < x->n; i++) {
        proc[i] = x->proc[k->a.machine[i]];
        key[i] = k->a.start[i];
        end = fmax(end, key[i] + tgs_w(x->c->v, x->c->v->g->topo[x->first + i], proc[i]));
    }
    return end;
}

/* all tasks one after the other take no longer; nor is the last deadline earlier */
static double longest(const question *k)
{
    const tgs_i_block *x = k->x;
    double release = 0, work = 0, due = 0;

    for (int32_t i = 0; i < x->n; i++) {
        const int32_t g = tgs_i_fj_quickest(&k->form, i);
        const int64_t c = (int64_t)i * k->form.classes + g;

        release = fmax(release, x->r[c]);
        work += x->p[c];
        if (k->due[i] < INFINITY)
            due = fmax(due, k->due[i]);
    }
    return fmax(due, release + work);
}

static tgs_status search(question *k, int32_t *proc, double *key, bool *met, double *late,
                         tgs_error *err)
{
    const double T = longest(k);
    double low, high;
    tgs_status status = ask(k, T, err);

    if (status)
        return status;
    *late = fmax(0, k->a.lower - T * (1 + 1e-9));
    *met = k->a.L <= T;
    if (!*met)
        return TGS_OK;
    high = keep(k, proc, key);
    status = ask(k, 0, err); /* without deadlines: less is not possible */
    low = k->a.lower;
    for (int32_t i = 0; i < STEPS && !status && high > low * (1 + 1e-3); i++) {
        const double mid = low + (high - low) / 2;

        status = ask(k, mid, err);
        if (!status && k->a.L <= mid)
            high = keep(k, proc, key);
        else
            low = mid;
    }
    return status;
}

tgs_status tgs_i_due(const tgs_i_block *x, int64_t work, int32_t *proc, double *key, bool *met,
                     double *late, tgs_error *err)
{
    const tgs_graph_view *g = x->c->v->g;
    question k = {.x = x, .form = x->form, .work = work};
    tgs_status status = tgs_i_fj_answer_new(&k.a, x->n);

    *met = false;
    *late = 0;
    k.q = tgs_mem_alloc((size_t)x->n * (size_t)x->form.classes, sizeof *k.q);
    k.due = tgs_mem_alloc((size_t)x->n, sizeof *k.due);
    if (!status && k.q && k.due) {
        k.form.q = k.q;
        for (int32_t i = 0; i < x->n; i++) {
            const int32_t c = g->task[g->topo[x->first + i]].constraint;

            k.due[i] = c < 0 ? INFINITY : g->constraint[c].deadline;
        }
        status = search(&k, proc, key, met, late, err);
    } else {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d independent tasks", x->n);
    }
    tgs_i_fj_answer_free(&k.a);
    tgs_mem_free(k.q);
    tgs_mem_free(k.due);
    return status;
}
