/* scan.c -- micro-steps of unlike devices: how many, and who has how much (see core.h).
 *
 * J. Zhang et al., "Poplar: efficient scaling of distributed DNN training on heterogeneous GPU
 * clusters", AAAI 2025: the scan over the time of a micro-step. */
#include <stdlib.h>
#include "../core.h"

typedef struct stop { /* a device has one more sample from this time on */
    double time;
    int32_t device;
} stop;

static int by_time(const void *a, const void *b)
{
    const stop *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->device > y->device) - (x->device < y->device);
}

tgs_status tgs_i_scan(int32_t n, const tgs_i_curve *curve, int64_t batch, double between,
                      int64_t *b, int64_t *steps, double *seconds, tgs_error *err)
{
    int64_t values = 0, at = 0, sum = 0;
    double best_time = 0;
    stop *all;

    *steps = 0;
    *seconds = INFINITY;
    for (int32_t i = 0; i < n; i++)
        values += curve[i].cap;
    all = tgs_mem_alloc((size_t)values, sizeof *all);
    if (!all)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for the curves of %d devices", n);
    for (int32_t i = 0; i < n; i++)
        for (int64_t k = 1; k <= curve[i].cap; k++)
            all[at++] = (stop){curve[i].time[k], i};
    qsort(all, (size_t)values, sizeof *all, by_time);
    for (at = 0; at < values && all[at].time < INFINITY; at++) {
        int64_t k;

        sum++;
        if (at + 1 < values && all[at + 1].time == all[at].time)
            continue;
        k = (batch + sum - 1) / sum;
        if ((double)k * (all[at].time + between) < *seconds) {
            *seconds = (double)k * (all[at].time + between);
            *steps = k;
            best_time = all[at].time;
        }
    }
    tgs_mem_free(all);
    if (*steps == 0)
        return tgs_fail(err, TGS_EINFEASIBLE, "not one sample fits any device");
    for (int32_t i = 0; i < n; i++)
        for (b[i] = 0; b[i] < curve[i].cap && curve[i].time[b[i] + 1] <= best_time; b[i]++)
            ;
    return TGS_OK;
}

/* the curve of all micro-steps' samples: the longest of its pieces */
static void stretch(const tgs_i_curve *c, int64_t steps, int64_t cap, double *time)
{
    for (int64_t x = 0; x <= cap; x++)
        time[x] = c->time[(x + steps - 1) / steps];
}

tgs_status tgs_i_scan_shares(int32_t n, const tgs_i_curve *curve, int64_t batch, const int64_t *b,
                             int64_t steps, int64_t *share, double *longest, tgs_error *err)
{
    double *time = tgs_mem_alloc((size_t)n, (size_t)(batch + 1) * sizeof *time);
    tgs_i_curve *whole = tgs_mem_alloc((size_t)n, sizeof *whole);
    tgs_status status = TGS_OK;
    bool again = true;

    if (!time || !whole) {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the curves of %d devices", n);
        goto done;
    }
    for (int32_t i = 0; i < n; i++) {
        const int64_t cap = b[i] * steps < batch ? b[i] * steps : batch;

        whole[i] = (tgs_i_curve){time + i * (batch + 1), cap};
        stretch(&curve[i], steps, cap, time + i * (batch + 1));
    }
    while (again && !status) { /* a device that would stand idle in some micro-steps is left out */
        again = false;
        status = tgs_i_split(n, whole, batch, share, longest, err);
        for (int32_t i = 0; i < n && !again && !status; i++)
            if (share[i] > 0 && share[i] < steps) {
                whole[i].cap = 0;
                again = true;
            }
    }
done:
    tgs_mem_free(time);
    tgs_mem_free(whole);
    return status;
}
