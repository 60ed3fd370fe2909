/* goodput.c -- see goodput.h. */
#include "goodput.h"

#define SAMPLES 50 /* of the batch of a step */

/* x^y for x >= 0 */
static double power(double x, double y)
{
    return x > 0 ? tgs_exp(y * tgs_log(x)) : 0;
}

double tgs_i_goodput_step(const tgs_i_law *law, int32_t replicas, bool one_node, double batch,
                          double passes)
{
    const double *link = one_node ? law->local : law->remote;
    const double gradient = law->gradient[0] + law->gradient[1] * batch;
    const double more = replicas > 2 ? replicas - 2 : 0;
    const double sync = replicas > 1 ? link[0] + link[1] * more : 0;
    double last;

    if (law->gamma == 1 || sync == 0)
        last = gradient + sync;
    else
        last = power(power(gradient, law->gamma) + power(sync, law->gamma), 1 / law->gamma);
    return (passes - 1) * gradient + last;
}

static tgs_i_goodput rate(const tgs_i_law *law, int32_t replicas, bool one_node, double batch,
                          double passes)
{
    const double all = replicas * batch * passes;
    tgs_i_goodput g = {.batch = batch, .passes = passes};

    g.throughput = all / tgs_i_goodput_step(law, replicas, one_node, batch, passes);
    g.efficiency = all > law->initial ? (law->noise + law->initial) / (law->noise + all) : 1;
    g.goodput = g.throughput * g.efficiency;
    return g;
}

tgs_i_goodput tgs_i_goodput_best(const tgs_i_law *law, int32_t replicas, bool one_node)
{
    tgs_i_goodput best = {.goodput = 0};
    const double low = fmax(law->initial, replicas), high = law->limit;

    if (replicas <= 0)
        return best;
    if (law->fixed > 0)
        return rate(law, replicas, one_node, law->fixed, 1);
    for (int i = 0; i < SAMPLES && low <= high; i++) {
        const double all = low * power(high / low, (double)i / (SAMPLES - 1));
        const double passes = ceil(all / replicas / law->most);
        const double batch = floor(all / replicas / passes);
        tgs_i_goodput g;

        if (batch < 1)
            continue;
        g = rate(law, replicas, one_node, batch, passes);
        if (g.goodput > best.goodput)
            best = g;
    }
    return best;
}

double tgs_i_harmonic_mean(int32_t n, const double *x)
{
    double sum = 0;

    for (int32_t i = 0; i < n; i++) {
        if (!(x[i] > 0))
            return 0;
        sum += 1 / x[i];
    }
    return n / sum;
}
