/* merge.c -- gradients of several layers in one message (Shi, Chu, Li, MG-WFBP, INFOCOM 2019): the
 * exact choice, the published rule, and the closed forms of an iteration (Shi, Wang, Chu, 2018).
 *
 * Layers are numbered from the input; layer l's gradient is ready at ready[l], the last layer's
 * first.  A message of s bytes takes alpha + beta s on the one network. */
#include "../step.h"

double tgs_i_merge_time(int32_t n, const double *ready, const double *size, double alpha,
                        double beta, const bool *joined)
{
    double end = 0, bytes = 0;

    for (int32_t l = n - 1; l >= 0; l--) {
        bytes += size[l];
        if (l > 0 && joined[l]) /* goes with the layer before it */
            continue;
        end = fmax(end, ready[l]) + alpha + beta * bytes;
        bytes = 0;
    }
    return end;
}

/* F(k) = min over j > k of max(F(j), ready(k)) + alpha + beta * size(k .. j - 1): ends only grow,
 * so that the best beginning is the one that ends first.  O(n^2). */
tgs_status tgs_i_merge_exact(int32_t n, const double *ready, const double *size, double alpha,
                             double beta, bool *joined, double *end)
{
    double *f = tgs_mem_alloc((size_t)n + 1, sizeof *f);
    int32_t *to = tgs_mem_alloc((size_t)n + 1, sizeof *to);

    *end = INFINITY;
    for (int32_t k = n - 1; k >= 0 && f && to; k--) {
        double bytes = 0;

        f[k] = INFINITY;
        for (int32_t j = k + 1; j <= n; j++) {
            bytes += size[j - 1];
            if (fmax(f[j], ready[k]) + alpha + beta * bytes < f[k]) {
                f[k] = fmax(f[j], ready[k]) + alpha + beta * bytes;
                to[k] = j;
            }
        }
    }
    for (int32_t k = 0; k < n && f && to; k = to[k])
        for (int32_t l = k; l < to[k]; l++)
            joined[l] = l > k;
    if (f && to)
        *end = f[0];
    tgs_mem_free(f);
    tgs_mem_free(to);
    return f && to ? TGS_OK : TGS_ENOMEM;
}

/* walking from the last layer: a message waits for the next gradient when that is ready before the
 * message would have ended, and it has not begun yet or the wait costs less than a start-up */
void tgs_i_merge_greedy(int32_t n, const double *ready, const double *size, double alpha,
                        double beta, bool *joined)
{
    double free = 0, bytes = 0; /* when the network is; of the message that is gathered */

    for (int32_t l = n - 1; l >= 0; l--) {
        const double start = fmax(free, ready[l]);

        bytes += size[l];
        joined[l] = l > 0 && ready[l - 1] < start + alpha + beta * bytes
                    && (ready[l - 1] <= start || ready[l - 1] - start < alpha);
        if (!joined[l]) {
            free = start + alpha + beta * bytes;
            bytes = 0;
        }
    }
}

/* an iteration: reading, copying, forward, backward, exchange of gradients, update */
double tgs_i_ssgd(tgs_i_overlap overlap, const tgs_i_iteration *x)
{
    const double gpu = x->forward + x->backward + x->update;

    switch (overlap) {
    case TGS_I_NAIVE:
        return x->read + x->copy + gpu + x->exchange;
    case TGS_I_PREFETCH:
        return fmax(x->read + x->copy, gpu + x->exchange);
    case TGS_I_WAIT_FREE: /* what of the exchange outlasts the backward pass counts */
        return fmax(x->read + x->copy, gpu + fmax(0, x->exchanged - x->backward));
    }
    return NAN;
}
