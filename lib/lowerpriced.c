/* lowerpriced.c -- the sum of a gradient over replicas as time alone: when all have theirs, every
 * replica is busy for as long as a ring of messages takes by its formula, and nothing is sent.
 *
 *     2 (N - 1) (latency + bytes / N / bandwidth)
 *
 * or, of any collective, alpha once for all and beta * bytes in each.  A replica then may stand for
 * others that are like it, since neither depends on N.
 *
 * The tasks have no kernel: nobody sums anything when they run.  R. Thakur, R. Rabenseifner, W.
 * Gropp, "Optimization of collective communication operations in MPICH", IJHPCA 19(1), 2005. */
#include "modelimpl.h"

static int32_t add_task(tgs_lowering *l, const char *name, const char *codelet, int32_t replica,
                        int32_t stage, double seconds)
{
    const tgs_low_task t = {.name = name,
                            .codelet = codelet,
                            .attrs = "",
                            .phase = TGS_PHASE_COMMUNICATION,
                            .replica = replica,
                            .batch = -1,
                            .op = -1,
                            .stage = stage,
                            .joins = true,
                            .seconds = seconds};

    return tgs_low_add_task(l, &t);
}

/* the time of one replica; its gradient and, after it, the sum; returns the latter or a status */
static int32_t wait_for_all(tgs_lowering *l, const tgs_i_sum *x, int32_t replica, int32_t meet,
                            double seconds)
{
    tgs_low_datum d = l->datum[x->copy[replica]];
    const char *name = d.name;
    int32_t sum, task;
    tgs_status status;

    d.name = tgs_low_text(l, "%s.sum", name);
    d.reduced = false;
    d.copied = 0;
    sum = tgs_low_add_datum(l, &d);
    if (sum < 0)
        return sum;
    task = add_task(l, tgs_low_text(l, "%s.allreduce", name), TGS_I_ALLREDUCE, replica, x->stage,
                    seconds);
    status = task < 0 ? (tgs_status)task : tgs_low_add_access(l, x->copy[replica], TGS_R);
    if (!status)
        status = tgs_low_add_access(l, sum, TGS_W);
    if (!status)
        status = tgs_low_add_after(l, meet, task);
    return status ? (int32_t)status : sum;
}

tgs_status tgs_i_low_priced(tgs_lowering *l, const tgs_joining *how, const tgs_i_sum *x)
{
    const tgs_low_datum *d = &l->datum[x->copy[0]];
    const double bytes = tgs_i_low_elements(d) * tgs_dtype_size(d->dtype);
    const double ring = 2. * (x->n - 1) * (how->latency + bytes / x->n / how->bandwidth);
    const int32_t meet = add_task(l, tgs_low_text(l, "%s.meet", d->name), TGS_I_MEET, 0, x->stage,
                                  how->modelled ? how->alpha : 0);
    tgs_status status = meet < 0 ? (tgs_status)meet : TGS_OK;

    for (int32_t r = 0; r < x->n && !status; r++)
        if (x->made[x->copy[r]] >= 0)
            status = tgs_low_add_after(l, x->made[x->copy[r]], meet);
    for (int32_t r = 0; r < x->n && !status; r++) {
        x->sum[r] = wait_for_all(l, x, r, meet, how->modelled ? how->beta * bytes : ring);
        status = x->sum[r] < 0 ? (tgs_status)x->sum[r] : TGS_OK;
    }
    return status;
}
