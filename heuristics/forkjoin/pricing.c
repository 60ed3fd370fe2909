/* pricing.c -- the set of jobs that one machine can run by T and that is worth most.
 *
 * Depth first over the jobs in the order of their price per time; a branch ends when what it has
 * and the most that could be filled into its time, in part too, is no better than the best.  Is a
 * set possible?  By Schrage's rule, else by Carlier, who begins with the preemptive optimum. */
#include "configs.h"
#include "core.h"
#include "onemachine.h"

typedef struct search {
    tgs_i_fj_pricing *x;
    int32_t count, *job;    /* by price per time, best first */
    double *p, *price;      /* of these */
    double *work, *worth;   /* [count + 1] of the first k of these */
    double room, best, cut; /* cut: bound of what was not searched */
    int64_t nodes;
    int32_t size, *set;
    double *sp, *sr, *sq, *start; /* of the set */
    tgs_status status;
} search;

/* the worth of what fills the room, from job k on, the last one in part */
static double fill(const search *s, int32_t k, double room)
{
    const double full = s->work[k] + room;
    int32_t low = k, high = s->count;

    while (low < high) {
        const int32_t mid = low + (high - low + 1) / 2;

        if (s->work[mid] <= full)
            low = mid;
        else
            high = mid - 1;
    }
    if (low < s->count && full > s->work[low])
        return s->worth[low] - s->worth[k] + s->price[low] * (full - s->work[low]) / s->p[low];
    return s->worth[low] - s->worth[k];
}

enum { FEW = 24, NODES = 100 }; /* jobs without heaps; of Carlier */

/* Schrage's rule for few jobs, without heaps: start of each, and L */
static double schrage(search *s)
{
    double now = 0, L = 0;

    for (int32_t k = 0; k < s->size; k++)
        s->start[k] = -1;
    for (int32_t done = 0; done < s->size; done++) {
        int32_t best = -1;
        double next = INFINITY;

        for (int32_t k = 0; k < s->size; k++) {
            if (s->start[k] >= 0)
                continue;
            next = fmin(next, s->sr[k]);
            if (s->sr[k] <= now && (best < 0 || s->sq[k] > s->sq[best]))
                best = k;
        }
        if (best < 0) {
            now = next;
            done--;
            continue;
        }
        s->start[best] = now;
        now += s->sp[best];
        L = fmax(L, now + s->sq[best]);
    }
    return L;
}

/* can a machine run the set?  *L: in what time, as far as is known */
static bool possible(search *s, double *L)
{
    const tgs_i_fj_jobs jobs = {s->size, s->sp, s->sr, s->sq};
    const double T = s->x->T * (1 + 1e-12);
    int64_t nodes = NODES;
    double better, lower;

    if (s->size <= FEW)
        *L = schrage(s);
    else
        s->status = tgs_i_fj_schrage(&jobs, s->start, L);
    if (s->status || *L <= T)
        return !s->status;
    s->status = tgs_i_fj_carlier(&jobs, &nodes, T, s->start, &better, &lower);
    if (s->status)
        return false;
    s->nodes -= (NODES - nodes) / 2; /* about what they took */
    *L = fmin(*L, better);
    return lower < T;
}

static void push(search *s, int32_t k)
{
    const tgs_i_fj_form *f = s->x->f;
    const int64_t i = (int64_t)s->job[k] * f->classes + s->x->class;

    s->set[s->size] = s->job[k];
    s->sp[s->size] = f->p[i];
    s->sr[s->size] = f->r[i];
    s->sq[s->size] = f->q[i];
    s->size++;
}

static void extend(search *s, int32_t k, double load, double worth)
{
    for (; k < s->count && !s->status; k++) {
        const double most = worth + fill(s, k, s->room - load);
        double L;

        if (most <= s->best + s->x->slack || s->nodes <= 0) {
            s->cut = fmax(s->cut, most);
            return;
        }
        if (load + s->p[k] > s->room)
            continue;
        s->nodes--;
        push(s, k);
        if (possible(s, &L)) {
            if (worth + s->price[k] > s->best) {
                s->best = worth + s->price[k];
                s->status = s->x->take(s->x->user, s->set, s->size, L);
            }
            extend(s, k + 1, load + s->p[k], worth + s->price[k]);
        }
        s->size--;
    }
}

static tgs_status open_search(search *s)
{
    const tgs_i_fj_form *f = s->x->f;
    const size_t n = (size_t)f->n;
    double least_r = INFINITY, least_q = INFINITY;
    double *key = tgs_mem_alloc(n, sizeof *key);
    tgs_status status;

    s->job = tgs_mem_alloc(n, sizeof *s->job);
    s->set = tgs_mem_alloc(n, sizeof *s->set);
    s->p = tgs_mem_alloc(n, sizeof *s->p);
    s->price = tgs_mem_alloc(n, sizeof *s->price);
    s->work = tgs_mem_alloc(n + 1, sizeof *s->work);
    s->worth = tgs_mem_alloc(n + 1, sizeof *s->worth);
    s->sp = tgs_mem_alloc(n, sizeof *s->sp);
    s->sr = tgs_mem_alloc(n, sizeof *s->sr);
    s->sq = tgs_mem_alloc(n, sizeof *s->sq);
    s->start = tgs_mem_alloc(n, sizeof *s->start);
    if (!key || !s->job || !s->set || !s->p || !s->price || !s->work || !s->worth || !s->sp
        || !s->sr || !s->sq || !s->start) {
        tgs_mem_free(key);
        return TGS_ENOMEM;
    }
    for (int32_t j = 0; j < f->n; j++)
        key[j] = -s->x->price[j] / f->p[(int64_t)j * f->classes + s->x->class];
    status = tgs_i_fj_sort(key, f->n, s->set, NULL);
    for (int32_t k = 0; k < f->n && !status; k++) {
        const int32_t j = s->set[k];
        const int64_t i = (int64_t)j * f->classes + s->x->class;

        if (!(s->x->price[j] > 0) || tgs_i_fj_through(f, j, s->x->class) > s->x->T * (1 + 1e-12))
            continue;
        s->job[s->count] = j;
        s->p[s->count] = f->p[i];
        s->price[s->count] = s->x->price[j];
        s->work[s->count + 1] = s->work[s->count] + s->p[s->count];
        s->worth[s->count + 1] = s->worth[s->count] + s->price[s->count];
        s->count++;
        least_r = fmin(least_r, f->r[i]);
        least_q = fmin(least_q, f->q[i]);
    }
    s->room = s->count ? s->x->T * (1 + 1e-12) - least_r - least_q : 0;
    tgs_mem_free(key);
    return status;
}

tgs_status tgs_i_fj_price(tgs_i_fj_pricing *x, double *most)
{
    search s = {.x = x, .best = x->above, .cut = x->above, .nodes = x->nodes};

    s.status = open_search(&s);
    if (!s.status)
        extend(&s, 0, 0, 0);
    *most = fmax(s.best, s.cut);
    x->nodes = s.nodes;
    tgs_mem_free(s.job);
    tgs_mem_free(s.set);
    tgs_mem_free(s.p);
    tgs_mem_free(s.price);
    tgs_mem_free(s.work);
    tgs_mem_free(s.worth);
    tgs_mem_free(s.sp);
    tgs_mem_free(s.sr);
    tgs_mem_free(s.sq);
    tgs_mem_free(s.start);
    return s.status;
}
