/* fjs.c -- FORKJOINSCHED for fork-join graphs on equal processors.
 *
 * Dutot, Fu, Prasad, Sinnen, IPDPS 2023 (10.1109/IPDPS54959.2023.00087).
 *
 * Tasks by in + w + out, smallest first.  For every split the first ones are remote, the others
 * stay: beside source and sink (case 1), or where the source is if in >= out and else where the
 * sink is (case 2).  REMOTESCHED lists the remote ones by smallest in.  While the remote task that
 * ends last would end sooner at the source or the sink it goes there and the remote part is listed
 * again.  At most 1 + m / (m - 1) times the optimum (the copy we know prints 1 + 1 / (m - 1), which
 * an instance with three tasks refutes).  O(n^3 log m). */
#include "star.h"

enum { HERE, THERE, REMOTE }; /* with the source, with the sink, on another machine */

typedef struct fjs {
    tgs_i_fj_star s;
    int32_t *by_c, *by_a, *by_b; /* c, a: smallest first; b: largest first */
    int32_t *side;               /* [n] */
    int32_t *job;                /* [n] those that are remote */
    double f1, g2;               /* when the machines of source and sink are through */
    tgs_heap free;
} fjs;

/* both ends; L of them */
static double ends(fjs *x, bool apart)
{
    const tgs_i_fj_equal *e = &x->s.e;
    double L = 0;

    x->f1 = x->g2 = 0;
    for (int32_t i = 0; i < e->n; i++) {
        const int32_t j = x->by_b[i];

        if (x->side[j] != HERE)
            continue;
        x->s.machine[j] = 0;
        x->s.start[j] = x->f1;
        x->f1 += e->w[j];
        L = fmax(L, x->f1 + (apart ? e->b[j] : 0));
    }
    for (int32_t i = 0; i < e->n && apart; i++) {
        const int32_t j = x->by_a[i];

        if (x->side[j] != THERE)
            continue;
        x->s.machine[j] = 1;
        x->s.start[j] = fmax(x->g2, e->a[j]);
        x->g2 = x->s.start[j] + e->w[j];
    }
    return fmax(L, x->g2);
}

static double remote(fjs *x, bool apart, int32_t *last)
{
    int32_t count = 0;

    for (int32_t i = 0; i < x->s.e.n; i++)
        if (x->side[x->by_a[i]] == REMOTE)
            x->job[count++] = x->by_a[i];
    return tgs_i_fj_remotesched(&x->s.e, x->job, count, 1 + apart, &x->free, x->s.machine,
                                x->s.start, last);
}

/* where the task would end sooner; REMOTE: nowhere */
static int32_t better_side(const fjs *x, bool apart, int32_t j)
{
    const double start = x->s.start[j], b = x->s.e.b[j], a = x->s.e.a[j];

    if (x->f1 < (apart ? start : start + b))
        return HERE;
    return apart && x->g2 < start + b - a ? THERE : REMOTE;
}

static void split(fjs *x, int32_t first, bool apart)
{
    const tgs_i_fj_equal *e = &x->s.e;

    for (int32_t i = 0; i < e->n; i++) {
        const int32_t j = x->by_c[i];

        x->side[j] = i < first ? REMOTE : apart && e->a[j] < e->b[j] ? THERE : HERE;
    }
    for (;;) {
        int32_t last, side;
        const double local = ends(x, apart), L = fmax(local, remote(x, apart, &last));

        tgs_i_fj_star_keep(&x->s, L, apart);
        if (last < 0 || L == INFINITY)
            break;
        side = better_side(x, apart, last);
        if (side == REMOTE)
            break;
        x->side[last] = side;
    }
}

static tgs_status open_orders(fjs *x, tgs_error *err)
{
    const tgs_i_fj_equal *e = &x->s.e;
    const size_t n = (size_t)e->n;
    double *key = tgs_mem_alloc(n, sizeof *key);
    tgs_status status;

    x->by_c = tgs_mem_alloc(n, sizeof *x->by_c);
    x->by_a = tgs_mem_alloc(n, sizeof *x->by_a);
    x->by_b = tgs_mem_alloc(n, sizeof *x->by_b);
    x->side = tgs_mem_alloc(n, sizeof *x->side);
    x->job = tgs_mem_alloc(n, sizeof *x->job);
    x->free.item = tgs_mem_alloc((size_t)e->m, sizeof *x->free.item);
    if (key && x->by_c && x->by_a && x->by_b && x->side && x->job && x->free.item)
        status = tgs_i_fj_sort(e->a, e->n, x->by_a, err);
    else
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d inner tasks", e->n);
    for (int32_t j = 0; j < e->n && !status; j++)
        key[j] = -e->b[j];
    if (!status)
        status = tgs_i_fj_sort(key, e->n, x->by_b, err);
    for (int32_t j = 0; j < e->n && !status; j++)
        key[j] = e->a[j] + e->w[j] + e->b[j];
    if (!status)
        status = tgs_i_fj_sort(key, e->n, x->by_c, err);
    tgs_mem_free(key);
    return status;
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    fjs x = {.side = NULL};
    tgs_status status = tgs_i_fj_star_open(&x.s, c, err);

    if (!status)
        status = open_orders(&x, err);
    for (int32_t first = 0; first <= x.s.e.n && !status; first++) {
        split(&x, first, false);
        if (x.s.e.m > 1)
            split(&x, first, true);
        if (c->stop && c->stop(c->user))
            break;
    }
    if (!status)
        tgs_i_fj_star_plan(&x.s, plan);
    tgs_i_fj_star_close(&x.s);
    tgs_mem_free(x.by_c);
    tgs_mem_free(x.by_a);
    tgs_mem_free(x.by_b);
    tgs_mem_free(x.side);
    tgs_mem_free(x.job);
    tgs_mem_free(x.free.item);
    return status;
}

const tgs_heuristic tgs_heuristic_fjs = {
    .base = {TGS_PLUGIN_ABI, "fjs",
             "FORKJOINSCHED: every split into remote and local tasks; cubic, factor 1 + m/(m-1)",
             "Dutot, Fu, Prasad, Sinnen, IPDPS 2023", NULL},
    .run = run,
};
