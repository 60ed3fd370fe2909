/* est-map.c -- logical workers to unlike GPUs, exactly.
 *
 * M. Li et al., "EasyScale: Elastic Training with Consistent Accuracy and Improved Utilization on
 * GPUs", SC 2023, poses the problem: maxP equal ESTs to GPUs of speed p_i, so that the slowest GPU
 * takes least.  est-round is their rule; here each EST goes where it ends first (bottleneck.c),
 * which is the optimum.  With T = max a_i / p_i
 *
 *     speed = maxP / T,    waste = 1 - speed / sum p_i  (over the GPUs that have threads)
 *
 * O(gpus + threads log gpus). */
#include "../core.h"
#include "est.h"

static tgs_status plan(const tgs_planner_ctx *c, tgs_proposal *out, tgs_error *err)
{
    tgs_i_est x;
    double *speed = NULL, longest, sum = 0;
    tgs_status status = tgs_i_est_open(&x, c, err);

    if (status)
        return status;
    speed = tgs_mem_alloc((size_t)x.gpus, sizeof *speed);
    if (!speed) {
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d GPUs", x.gpus);
        goto done;
    }
    for (int32_t i = 0; i < x.gpus; i++)
        speed[i] = x.speed[x.type[i]];
    status = tgs_i_bottleneck(x.gpus, speed, NULL, x.threads, x.on, &longest, err);
    for (int32_t i = 0; i < x.gpus; i++)
        sum += x.on[i] > 0 ? speed[i] : 0;
    if (!status)
        status = tgs_i_est_tell(&x, (double)x.threads / longest,
                                1 - (double)x.threads / longest / sum, out);
done:
    tgs_mem_free(speed);
    tgs_i_est_close(&x);
    return status;
}

const tgs_planner tgs_planner_est_map = {
    .base = {TGS_PLUGIN_ABI, "est-map", "logical workers to unlike GPUs, exactly",
             "problem of Li et al., EasyScale, SC 2023", NULL},
    .needs = TGS_PLANS_FILE,
    .systems = "T17",
    .plan = plan,
};
