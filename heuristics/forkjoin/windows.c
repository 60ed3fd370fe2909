/* windows.c -- jobs of one length in windows on identical machines, P|r_j,d_j,p_j=p|, by difference
 * constraints.
 *
 * Some schedule starts jobs only at the points r_i + k p.  With x_v the number of starts before
 * point v, a schedule exists iff there are integers x with
 *   x_v <= x_v'                          for points v < v'
 *   x_(v + p) - x_v <= m                 no more than m run at once
 *   x_(after d - p) - x_r >= #{r_k >= r, d_k <= d}    for each release r and due date d
 *   x_end - x_first = n:
 * shortest paths in a graph without a negative cycle.  Jobs are matched to starts by due date, and
 * the k-th start is on machine k mod m. */
#include <stdlib.h>
#include "core.h"
#include "even.h"
#include "tgsched/heap.h"

typedef struct net {
    const tgs_i_fj_jobs *j;
    double p, L, slop; /* slop: times closer than that are equal */
    int32_t m, points, releases, dues;
    double *point, *release, *due;
    int32_t *x;             /* [points + 1] */
    int32_t *past;          /* [points] the first point at or after v + p */
    int32_t *first, *after; /* [releases] point of r; [dues] the first point after d - p */
    int32_t *need;          /* [releases * dues] */
    int32_t *order;         /* [n] by r */
    double *end;            /* [m] */
    tgs_heap waiting;
} net;

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* ascending, one of those that are equal; returns how many are left */
static int32_t distinct(double *x, int32_t n, double slop)
{
    int32_t used = 0;

    qsort(x, (size_t)n, sizeof *x, by_value);
    for (int32_t i = 0; i < n; i++)
        if (!used || x[i] > x[used - 1] + slop)
            x[used++] = x[i];
    return used;
}

/* the first point at or after t */
static int32_t point_from(const net *x, double t)
{
    int32_t low = 0, high = x->points;

    while (low < high) {
        const int32_t mid = low + (high - low) / 2;

        if (x->point[mid] < t - x->slop)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static tgs_status place_points(net *x)
{
    const tgs_i_fj_jobs *j = x->j;
    const double last = x->due[x->dues - 1] - x->p + x->slop;
    int64_t room = 0, most = 0;

    for (int32_t i = 0; i < x->releases; i++) {
        const double k = floor((last - x->release[i]) / x->p) + 1;

        most += k < 0 ? 0 : k > j->n ? j->n : (int64_t)k;
    }
    if (tgs_mem_grow(&x->point, &room, most + 1, sizeof *x->point))
        return TGS_ENOMEM;
    most = 0;
    for (int32_t i = 0; i < x->releases; i++)
        for (int32_t k = 0; k < j->n && x->release[i] + k * x->p <= last; k++)
            x->point[most++] = x->release[i] + k * x->p;
    x->points = distinct(x->point, (int32_t)most, x->slop);
    return TGS_OK;
}

/* need: of jobs released at the earliest at r and due at the latest at d */
static void count_jobs(net *x)
{
    const tgs_i_fj_jobs *j = x->j;

    for (int32_t i = 0; i < j->n; i++) {
        int32_t r = 0, d = 0;

        while (r + 1 < x->releases && x->release[r + 1] <= j->r[i] + x->slop)
            r++;
        while (d + 1 < x->dues && x->due[d] < x->L - j->q[i] - x->slop)
            d++;
        x->need[(int64_t)r * x->dues + d]++;
    }
    for (int32_t r = x->releases - 1; r >= 0; r--)
        for (int32_t d = 0, sum = 0; d < x->dues; d++) {
            int32_t *need = x->need + (int64_t)r * x->dues + d;

            sum += *need;
            *need = sum + (r + 1 < x->releases ? need[x->dues] : 0);
        }
}

static tgs_status open_net(net *x)
{
    const size_t n = (size_t)x->j->n;
    tgs_status status;

    x->release = tgs_mem_alloc(n, sizeof *x->release);
    x->due = tgs_mem_alloc(n, sizeof *x->due);
    x->order = tgs_mem_alloc(n, sizeof *x->order);
    x->end = tgs_mem_alloc((size_t)x->m, sizeof *x->end);
    x->waiting.item = tgs_mem_alloc(n, sizeof *x->waiting.item);
    if (!x->release || !x->due || !x->order || !x->end || !x->waiting.item)
        return TGS_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        x->release[i] = x->j->r[i];
        x->due[i] = x->L - x->j->q[i];
    }
    x->releases = distinct(x->release, x->j->n, x->slop);
    x->dues = distinct(x->due, x->j->n, x->slop);
    status = place_points(x);
    if (!status)
        status = tgs_i_fj_sort(x->j->r, x->j->n, x->order, NULL);
    if (status)
        return status;
    x->x = tgs_mem_alloc((size_t)x->points + 1, sizeof *x->x);
    x->past = tgs_mem_alloc((size_t)x->points + 1, sizeof *x->past);
    x->first = tgs_mem_alloc((size_t)x->releases, sizeof *x->first);
    x->after = tgs_mem_alloc((size_t)x->dues, sizeof *x->after);
    x->need = tgs_mem_alloc((size_t)x->releases * (size_t)x->dues, sizeof *x->need);
    if (!x->x || !x->past || !x->first || !x->after || !x->need)
        return TGS_ENOMEM;
    for (int32_t v = 0, to = 0; v < x->points; v++) {
        while (to < x->points && x->point[to] < x->point[v] + x->p - x->slop)
            to++;
        x->past[v] = to;
    }
    for (int32_t r = 0; r < x->releases; r++)
        x->first[r] = point_from(x, x->release[r]);
    for (int32_t d = 0; d < x->dues; d++)
        x->after[d] = point_from(x, x->due[d] - x->p + 3 * x->slop);
    count_jobs(x);
    return TGS_OK;
}

static void close_net(net *x)
{
    tgs_mem_free(x->point);
    tgs_mem_free(x->release);
    tgs_mem_free(x->due);
    tgs_mem_free(x->x);
    tgs_mem_free(x->past);
    tgs_mem_free(x->first);
    tgs_mem_free(x->after);
    tgs_mem_free(x->need);
    tgs_mem_free(x->order);
    tgs_mem_free(x->end);
    tgs_mem_free(x->waiting.item);
}

static bool lessen(int32_t *x, int32_t value)
{
    if (*x <= value)
        return false;
    *x = value;
    return true;
}

/* every constraint once; did any x change? */
static bool relax(net *x)
{
    bool changed = lessen(&x->x[x->points], x->x[0] + x->j->n);

    for (int32_t v = 0; v < x->points; v++)
        changed |= lessen(&x->x[x->past[v]], x->x[v] + x->m);
    for (int32_t r = 0; r < x->releases; r++)
        for (int32_t d = 0; d < x->dues; d++) {
            const int32_t need = x->need[(int64_t)r * x->dues + d];

            if (need)
                changed |= lessen(&x->x[x->first[r]], x->x[x->after[d]] - need);
        }
    for (int32_t v = x->points - 1; v >= 0; v--)
        changed |= lessen(&x->x[v], x->x[v + 1]);
    return changed | lessen(&x->x[0], x->x[x->points] - x->j->n);
}

/* jobs to the starts, of the released ones that with the least due date */
static bool match(net *x, int32_t *machine, double *start)
{
    const tgs_i_fj_jobs *j = x->j;
    int32_t next = 0, k = 0;

    for (int32_t v = 0; v < x->points; v++)
        for (int32_t i = x->x[v]; i < x->x[v + 1]; i++, k++) {
            int32_t job;

            for (; next < j->n && j->r[x->order[next]] <= x->point[v] + x->slop; next++)
                tgs_heap_push(&x->waiting, -j->q[x->order[next]], x->order[next]);
            if (!x->waiting.size)
                return false;
            job = tgs_heap_pop(&x->waiting).id;
            machine[job] = k % x->m;
            start[job] = fmax(j->r[job], x->end[k % x->m]);
            x->end[k % x->m] = start[job] + x->p;
        }
    return k == j->n;
}

tgs_status tgs_i_fj_windows(const tgs_i_fj_jobs *j, int32_t m, double L, int32_t *machine,
                            double *start, bool *feasible)
{
    net x = {.j = j, .m = m, .L = L, .slop = L * 1e-12};
    tgs_status status;

    *feasible = j->n == 0;
    if (j->n == 0)
        return TGS_OK;
    x.p = j->p[0];
    for (int32_t i = 0; i < j->n; i++)
        if (j->r[i] + x.p + j->q[i] > L + x.slop)
            return TGS_OK;
    status = open_net(&x);
    /* of a solution no x is below -n, since x_end - x_first is n; without one some x falls on */
    while (!status && x.x[0] >= -j->n && relax(&x))
        ;
    if (!status && x.x[0] >= -j->n)
        *feasible = match(&x, machine, start);
    close_net(&x);
    return status;
}
