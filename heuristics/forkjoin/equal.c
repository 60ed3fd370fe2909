/* equal.c -- fork-join graphs on equal processors: one w, a, b per inner task, and two lower bounds
 * on L.  Both ignore pins, groups, release times and initial data, so they stay valid with them. */
#include "core.h"

static double work_of(const tgs_view *v, int32_t task)
{
    const tgs_proc *p = &v->p->proc[0];

    return task < 0 ? 0 : v->time[(int64_t)task * v->kinds + p->kind] / p->speed;
}

static tgs_status fill(tgs_i_fj_equal *e, const tgs_i_fj *f, tgs_error *err)
{
    const tgs_view *v = f->v;
    const tgs_graph_view *g = v->g;
    /* any two processors of different memories will do, links are uniform; one memory: no cost */
    int32_t from = v->p->proc[0].memory, to = v->p->proc[v->m - 1].memory;

    e->n = f->n;
    e->m = v->m;
    e->w = tgs_mem_alloc((size_t)f->n, sizeof *e->w);
    e->a = tgs_mem_alloc((size_t)f->n, sizeof *e->a);
    e->b = tgs_mem_alloc((size_t)f->n, sizeof *e->b);
    if (!e->w || !e->a || !e->b)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for %d inner tasks", f->n);
    e->head = work_of(v, f->source);
    e->tail = work_of(v, f->sink);
    for (int32_t i = 0; i < f->n; i++) {
        const int32_t j = f->task[i];

        e->w[i] = work_of(v, j);
        for (int32_t k = g->pred_at[j]; k < g->pred_at[j + 1]; k++)
            e->a[i] = fmax(e->a[i], tgs_c(v, g->pred_datum[k], from, to));
        for (int32_t k = g->succ_at[j]; k < g->succ_at[j + 1]; k++)
            e->b[i] = fmax(e->b[i], tgs_c(v, g->succ_datum[k], from, to));
    }
    return TGS_OK;
}

tgs_status tgs_i_fj_equal_open(tgs_i_fj_equal *e, const tgs_view *v, tgs_error *err)
{
    tgs_i_fj f;
    tgs_status status;

    *e = (tgs_i_fj_equal){.n = 0};
    if (!v->homogeneous)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "the processors or the links between them differ");
    status = tgs_i_fj_open(&f, v, err);
    if (status)
        return status;
    status = fill(e, &f, err);
    tgs_i_fj_close(&f);
    if (status)
        tgs_i_fj_equal_close(e);
    return status;
}

void tgs_i_fj_equal_close(tgs_i_fj_equal *e)
{
    tgs_mem_free(e->w);
    tgs_mem_free(e->a);
    tgs_mem_free(e->b);
    e->w = e->a = e->b = NULL;
}

/* sums[u], u = 0..n: of the u smallest */
static tgs_status smallest_sums(const double *x, int32_t n, double *sums, tgs_error *err)
{
    int32_t *order = tgs_mem_alloc((size_t)n, sizeof *order);
    tgs_status status = order ? tgs_i_fj_sort(x, n, order, err)
                              : tgs_fail(err, TGS_ENOMEM, "out of memory to sort %d tasks", n);

    sums[0] = 0;
    for (int32_t i = 0; i < n && !status; i++)
        sums[i + 1] = sums[i] + x[order[i]];
    tgs_mem_free(order);
    return status;
}

/* case 1: min over u of (W + A_u + B_u) / (u + 1) */
static double area_together(const tgs_i_fj_equal *e, double W, const double *A, const double *B)
{
    const int32_t most = e->m - 1 < e->n ? e->m - 1 : e->n;
    double least = INFINITY;

    for (int32_t u = 0; u <= most; u++)
        least = fmin(least, (W + A[u] + B[u]) / (u + 1));
    return least;
}

/* case 2: min over which of the two ends are used and u of (W + A_(u + z2) + B_(u + z1)) / (u + z1
 * + z2): the end with the source needs no input time, that with the sink no output time */
static double area_apart(const tgs_i_fj_equal *e, double W, const double *A, const double *B)
{
    double least = INFINITY;

    for (int32_t z1 = 0; z1 <= 1; z1++)
        for (int32_t z2 = 0; z2 <= 1; z2++)
            for (int32_t u = 0; u <= e->m - 2 && u + z1 + z2 <= e->n; u++)
                if (u + z1 + z2 > 0)
                    least = fmin(least, (W + A[u + z2] + B[u + z1]) / (u + z1 + z2));
    return least;
}

tgs_status tgs_i_fj_idle_area(const tgs_i_fj_equal *e, bool apart, double *bound, tgs_error *err)
{
    double *A = tgs_mem_alloc((size_t)e->n + 1, sizeof *A);
    double *B = tgs_mem_alloc((size_t)e->n + 1, sizeof *B);
    double W = 0;
    tgs_status status = TGS_OK;

    if (!A || !B)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d inner tasks", e->n);
    if (!status)
        status = smallest_sums(e->a, e->n, A, err);
    if (!status)
        status = smallest_sums(e->b, e->n, B, err);
    for (int32_t j = 0; j < e->n; j++)
        W += e->w[j];
    if (!status)
        *bound = apart ? area_apart(e, W, A, B) : area_together(e, W, A, B);
    tgs_mem_free(A);
    tgs_mem_free(B);
    return status;
}

/* Tasks by c = a + w + b, largest first.  When L is in [c of the next, c of the last) the first k
 * are forced: their work must fit, and in case 2 each of them must fit on one of the two ends.  The
 * first k, from n down, whose least such L lies in the interval gives the smallest L of all. */
tgs_status tgs_i_fj_forced_work(const tgs_i_fj_equal *e, bool apart, double *bound, tgs_error *err)
{
    const int32_t n = e->n;
    double *c = tgs_mem_alloc((size_t)n, sizeof *c),
           *need = tgs_mem_alloc((size_t)n + 1, sizeof *need);
    int32_t *order = tgs_mem_alloc((size_t)n, sizeof *order);
    double work = 0, fit = 0, L = 0;
    tgs_status status = TGS_OK;

    if (!c || !need || !order)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d inner tasks", n);
    for (int32_t j = 0; j < n && !status; j++)
        c[j] = -(e->a[j] + e->w[j] + e->b[j]);
    if (!status)
        status = tgs_i_fj_sort(c, n, order, err);
    if (status)
        goto done;
    for (int32_t k = 0; k < n; k++) {
        const int32_t j = order[k];

        work += e->w[j];
        fit = fmax(fit, e->w[j] + fmin(e->a[j], e->b[j]));
        need[k + 1] = apart ? fmax(work / 2, fit) : work;
    }
    for (int32_t k = n; k >= 0; k--) {
        L = fmax(need[k], k < n ? -c[order[k]] : 0);
        if (k == 0 || L < -c[order[k - 1]])
            break;
    }
    *bound = apart && e->m < 2 ? INFINITY : L;
done:
    tgs_mem_free(c);
    tgs_mem_free(need);
    tgs_mem_free(order);
    return status;
}

tgs_status tgs_i_fj_bound(const tgs_i_fj_equal *e, tgs_i_fj_rule rule, double *bound,
                          tgs_error *err)
{
    double together = 0, apart = 0;
    tgs_status status = rule(e, false, &together, err);

    if (!status)
        status = rule(e, true, &apart, err);
    if (!status)
        *bound = e->head + fmin(together, apart) + e->tail;
    return status;
}
