/* mix.c -- the linear program
 *
 *     minimise T
 *     sum over t of x(j,t) = 1                         each task is divided between the kinds
 *     sum over j of p(j,t) x(j,t) <= T speed(t)        the work of each kind fits
 *     the rows of mixchain.c                           no chain is longer
 *
 * without a row for each dependency: only chains that were too long for a solution get one, and
 * then it is solved again from where it was; and T is at least what every chain takes where each
 * task is shortest, so that few chains are too long.  What one kind gets of a task is what the
 * others leave, so that there are few rows.
 *
 * S. Kedad-Sidhoum, F. Monna, D. Trystram, "Scheduling tasks with precedence constraints on hybrid
 * multi-core machines", IPDPSW 2015 (HLP: all chains); E. Agullo et al., "Are static schedules so
 * bad? A case study on Cholesky factorization", IPDPS 2016 (the mixed bound: some chains).  With
 * times on the fastest processor that is allowed, the work of all processors of a kind, and chains
 * from the earliest copy of each task on, the bound holds with duplication, too; not so with
 * communication, which charges all successors to one copy.  O(n + e) for each round, and the
 * simplex method. */
#include <float.h>
#include "core.h"

/* ---- numbers -----------------------------------------------------------------------------------
 */
static bool allocate(tgs_i_mix *x)
{
    const size_t n = (size_t)x->v->n, k = (size_t)x->v->kinds, nk = n * k;
    const size_t M = (size_t)x->v->memories, edges = (size_t)x->v->g->edges;

    x->work = tgs_mem_alloc(nk, sizeof *x->work);
    x->shortest = tgs_mem_alloc(nk, sizeof *x->shortest);
    x->speed = tgs_mem_alloc(k, sizeof *x->speed);
    x->column = tgs_mem_alloc(nk, sizeof *x->column);
    x->base = tgs_mem_alloc(n, sizeof *x->base);
    x->real_kind = tgs_mem_alloc(k, sizeof *x->real_kind);
    x->cluster = tgs_mem_alloc(k, sizeof *x->cluster);
    x->memory_cluster = tgs_mem_alloc(M, sizeof *x->memory_cluster);
    x->way = tgs_mem_alloc(M * M + 1, sizeof *x->way);
    x->crossing = tgs_mem_alloc(edges, sizeof *x->crossing);
    x->share = tgs_mem_alloc(nk, sizeof *x->share);
    x->time = tgs_mem_alloc(n, sizeof *x->time);
    x->begin = tgs_mem_alloc(n, sizeof *x->begin);
    x->head = tgs_mem_alloc(n, sizeof *x->head);
    x->tail = tgs_mem_alloc(n, sizeof *x->tail);
    x->came = tgs_mem_alloc(n, sizeof *x->came);
    x->goes = tgs_mem_alloc(n, sizeof *x->goes);
    x->entry = tgs_mem_alloc(nk + n + 2 * k + 2, sizeof *x->entry);
    x->coefficient = tgs_mem_alloc(nk + n + 2 * k + 2, sizeof *x->coefficient);
    for (size_t i = 0; i < edges && x->crossing; i++)
        x->crossing[i] = -1;
    return x->work && x->shortest && x->speed && x->column && x->base && x->real_kind && x->cluster
           && x->memory_cluster && x->way && x->crossing && x->share && x->time && x->begin
           && x->head && x->tail && x->came && x->goes && x->entry && x->coefficient;
}

static tgs_status find_times(tgs_i_mix *x)
{
    const tgs_view *v = x->v;
    int32_t *compact = tgs_mem_alloc((size_t)v->kinds, sizeof *compact);

    if (!compact)
        return TGS_ENOMEM;
    for (int32_t t = 0; t < v->kinds; t++) {
        compact[t] = -1;
        for (int32_t p = 0; p < v->m && compact[t] < 0; p++)
            if (v->p->proc[p].kind == t) {
                x->real_kind[x->kinds] = t;
                compact[t] = x->kinds++;
            }
    }
    for (int32_t p = 0; p < v->m; p++)
        x->speed[compact[v->p->proc[p].kind]] += v->p->proc[p].speed;
    for (int64_t i = 0; i < (int64_t)v->n * x->kinds; i++)
        x->work[i] = x->shortest[i] = INFINITY;
    for (int32_t j = 0; j < v->n; j++)
        for (int32_t p = 0; p < v->m; p++) {
            const int64_t at = (int64_t)j * x->kinds + compact[v->p->proc[p].kind];

            if (!tgs_allowed(v, j, p))
                continue;
            x->work[at] = v->time[(int64_t)j * v->kinds + v->p->proc[p].kind];
            x->shortest[at] = fmin(x->shortest[at], tgs_w(v, j, p));
        }
    tgs_mem_free(compact);
    return TGS_OK;
}

/* kinds that share a memory are one cluster, and so on; clusters are numbered from 0 */
static void find_clusters(tgs_i_mix *x, bool communication)
{
    const tgs_view *v = x->v;
    bool changed = true;

    for (int32_t t = 0; t < x->kinds; t++)
        x->cluster[t] = communication ? t : 0;
    for (int32_t a = 0; a < v->memories; a++)
        x->memory_cluster[a] = -1;
    while (
        changed) { /* a memory gets the least cluster of its kinds, a kind that of its memories */
        changed = false;
        for (int32_t p = 0; p < v->m; p++) {
            int32_t *of_memory = &x->memory_cluster[v->p->proc[p].memory];

            for (int32_t t = 0; t < x->kinds; t++) {
                if (x->real_kind[t] != v->p->proc[p].kind || *of_memory == x->cluster[t])
                    continue;
                changed = true;
                if (*of_memory < 0 || x->cluster[t] < *of_memory)
                    *of_memory = x->cluster[t];
                else
                    x->cluster[t] = *of_memory;
            }
        }
    }
    x->clusters = 0;
    for (int32_t a = 0; a < x->kinds; a++) {
        bool used = false;

        for (int32_t t = 0; t < x->kinds; t++)
            used |= x->cluster[t] == a;
        if (!used)
            continue;
        for (int32_t t = 0; t < x->kinds; t++)
            x->cluster[t] = x->cluster[t] == a ? x->clusters : x->cluster[t];
        for (int32_t b = 0; b < v->memories; b++)
            x->memory_cluster[b] = x->memory_cluster[b] == a ? x->clusters : x->memory_cluster[b];
        x->clusters++;
    }
}

/* the ways between memories of different clusters, each pair of numbers once; when there are many,
 * one that is better than all */
static void find_ways(tgs_i_mix *x)
{
    const tgs_view *v = x->v;
    const int32_t M = v->memories, most = 16;
    double lat = INFINITY, inv = INFINITY;

    for (int32_t a = 0; a < M; a++)
        for (int32_t b = 0; b < M; b++) {
            const int32_t k = a * M + b;
            int32_t i = 0;

            if (x->memory_cluster[a] < 0 || x->memory_cluster[b] < 0
                || x->memory_cluster[a] == x->memory_cluster[b] || !(v->relay_lat[k] < INFINITY))
                continue;
            lat = fmin(lat, v->relay_lat[k]);
            inv = fmin(inv, v->relay_inv[k]);
            while (i < x->ways
                   && (x->way[i][0] != v->relay_lat[k] || x->way[i][1] != v->relay_inv[k]))
                i++;
            if (i < x->ways || x->ways > most)
                continue;
            x->way[x->ways][0] = v->relay_lat[k];
            x->way[x->ways++][1] = v->relay_inv[k];
        }
    if (x->ways > most) {
        x->ways = 1;
        x->way[0][0] = lat;
        x->way[0][1] = inv;
    }
}

/* ---- the program -------------------------------------------------------------------------------
 */
/* every task on the kind where it is shortest: no chain is shorter otherwise.  Returns how long the
 * work and the chains take then; *least: the chains, without communication, rounded down */
static double first_guess(tgs_i_mix *x, double *least)
{
    const int32_t clusters = x->clusters;
    double longest = 0;

    for (int32_t j = 0; j < x->v->n; j++) {
        const double *w = x->shortest + (int64_t)j * x->kinds;

        x->base[j] = 0;
        for (int32_t t = 1; t < x->kinds; t++)
            if (w[t] < w[x->base[j]])
                x->base[j] = t;
        for (int32_t t = 0; t < x->kinds; t++)
            x->share[(int64_t)j * x->kinds + t] = t == x->base[j];
    }
    for (int32_t t = 0; t < x->kinds; t++) {
        double load = 0;

        for (int32_t j = 0; j < x->v->n; j++)
            load += x->base[j] == t ? x->work[(int64_t)j * x->kinds + t] : 0;
        longest = fmax(longest, load / x->speed[t]);
    }
    x->clusters = 1;
    *least = tgs_i_mix_longest(x) * (1 - DBL_EPSILON * (x->v->n + 2));
    x->clusters = clusters;
    return fmax(longest, tgs_i_mix_longest(x));
}

static void scale(tgs_i_mix *x, double longest)
{
    const int64_t nk = (int64_t)x->v->n * x->kinds;

    while (x->unit < longest / 128) /* a power of two, so that the numbers stay what they are */
        x->unit *= 2;
    while (longest > 0 && x->unit / 2 >= longest / 128)
        x->unit /= 2;
    for (int64_t i = 0; i < nk; i++) {
        x->work[i] /= x->unit;
        x->shortest[i] /= x->unit;
    }
}

static void put_tasks(tgs_i_mix *x)
{
    x->makespan = tgs_lp_column(x->lp, "T", x->low, x->high, 1, false);
    for (int32_t j = 0; j < x->v->n; j++) {
        x->entries = 0;
        for (int32_t t = 0; t < x->kinds; t++) {
            const int64_t at = (int64_t)j * x->kinds + t;
            const bool divides = t != x->base[j] && x->work[at] < INFINITY;

            x->column[at] = divides ? tgs_lp_column(x->lp, NULL, 0, 1, 0, false) : -1;
            if (divides) {
                x->coefficient[x->entries] = 1;
                x->entry[x->entries++] = x->column[at];
            }
        }
        if (x->entries > 1)
            tgs_lp_row(x->lp, NULL, -INFINITY, 1, x->entries, x->entry, x->coefficient);
    }
}

/* speed(t) T - sum over j of p(j,t) x(j,t) >= 0 */
static void put_work(tgs_i_mix *x)
{
    for (int32_t t = 0; t < x->kinds; t++) {
        double whole = 0;

        x->entries = 1;
        x->entry[0] = x->makespan;
        x->coefficient[0] = x->speed[t];
        for (int32_t j = 0; j < x->v->n; j++) {
            const int64_t row = (int64_t)j * x->kinds;
            const double p = x->work[row + t];

            whole += x->base[j] == t ? p : 0;
            for (int32_t s = 0; s < x->kinds; s++) /* each share takes itself from the base's */
                if (x->column[row + s] >= 0 && (s == t || x->base[j] == t)) {
                    x->entry[x->entries] = x->column[row + s];
                    x->coefficient[x->entries++] = s == t ? -p : p;
                }
        }
        tgs_lp_row(x->lp, NULL, whole, INFINITY, x->entries, x->entry, x->coefficient);
    }
    x->entries = 0;
}

tgs_status tgs_i_mix_open(tgs_i_mix *x, const tgs_view *v, bool communication, tgs_error *err)
{
    tgs_status status;

    *x = (tgs_i_mix){.v = v, .unit = 1};
    if (!tgs_lp_available())
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "this tgsched was built without CBC");
    status = tgs_lp_new(&x->lp, err);
    if (!status && (!allocate(x) || find_times(x)))
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d tasks", v->n);
    if (status)
        goto done;
    find_clusters(x, communication);
    find_ways(x);
    scale(x, first_guess(x, &x->low));
    x->high = first_guess(x, &x->low);
    if (!(x->high < INFINITY)) {
        status = tgs_fail(err, TGS_EINFEASIBLE, "a task can run nowhere");
        goto done;
    }
    put_tasks(x);
    put_work(x);
    status = tgs_lp_status(x->lp, err);
done:
    if (status)
        tgs_i_mix_close(x);
    return status;
}

void tgs_i_mix_close(tgs_i_mix *x)
{
    tgs_lp_free(x->lp);
    tgs_mem_free(x->work);
    tgs_mem_free(x->shortest);
    tgs_mem_free(x->speed);
    tgs_mem_free(x->column);
    tgs_mem_free(x->base);
    tgs_mem_free(x->real_kind);
    tgs_mem_free(x->cluster);
    tgs_mem_free(x->memory_cluster);
    tgs_mem_free(x->way);
    tgs_mem_free(x->crossing);
    tgs_mem_free(x->share);
    tgs_mem_free(x->time);
    tgs_mem_free(x->begin);
    tgs_mem_free(x->head);
    tgs_mem_free(x->tail);
    tgs_mem_free(x->came);
    tgs_mem_free(x->goes);
    tgs_mem_free(x->entry);
    tgs_mem_free(x->coefficient);
    *x = (tgs_i_mix){.v = NULL};
}
