/* goodput.h -- Pollux's law: how many useful samples a second a job processes.
 *
 * A. Qiao et al., "Pollux: co-adaptive cluster scheduling for goodput-optimized deep learning",
 * OSDI 2021.  With K replicas of m samples, accumulated s + 1 times:
 *
 *     T_grad = alpha_c + beta_c m
 *     T_sync = 0 (K = 1), else alpha + beta max(K - 2, 0), of one node or across nodes
 *     T_iter = s T_grad + (T_grad^gamma + T_sync^gamma)^(1/gamma)
 *     throughput = K m (s + 1) / T_iter,    M = K m (s + 1)
 *     efficiency(M) = (phi + M_0) / (phi + M)     (phi: gradient noise scale; 1 below M_0) */
#ifndef TGS_PLAN_GOODPUT_H
#define TGS_PLAN_GOODPUT_H
#include "tgsched/plugin.h"

typedef struct tgs_i_law {
    double gradient[2], local[2], remote[2]; /* alpha, beta */
    double gamma, noise, initial;            /* noise: phi, in samples; initial: M_0 */
    double most;                             /* samples that fit a GPU */
    double limit;                            /* samples of a step, M */
    double fixed; /* samples per GPU and pass that are not to be chosen; 0: they are */
} tgs_i_law;

typedef struct tgs_i_goodput {
    double batch;      /* m */
    double passes;     /* s + 1 */
    double throughput; /* samples a second */
    double efficiency;
    double goodput; /* their product */
} tgs_i_goodput;

double tgs_i_goodput_step(const tgs_i_law *law, int32_t replicas, bool one_node, double batch,
                          double passes); /* T_iter, seconds */
/* the best of 50 geometric samples of M from M_0 to the limit, with the fewest passes that fit;
 * goodput 0 when no batch does */
tgs_i_goodput tgs_i_goodput_best(const tgs_i_law *law, int32_t replicas, bool one_node);
/* (sum x^p / n)^(1/p) for p = -1: the harmonic mean; 0 when one is 0 */
double tgs_i_harmonic_mean(int32_t n, const double *x);
#endif
