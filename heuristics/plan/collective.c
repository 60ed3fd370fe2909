/* collective.c -- what collective operations cost among p equal ranks: messages of a start-up time
 * alpha and a time per byte beta, one at a time to and from each rank.
 *
 * bytes is what a rank ends with of an all-gather, begins with of the others (of an all-to-all: for
 * all ranks together).  Ring: p - 1 rounds of bytes / p, twice for an all-reduce.  Tree: binomial
 * reduction and broadcast; recursive doubling and halving; Bruck's exchange. */
#include "step.h"

static double rounds_of(int32_t p)
{
    double rounds = 0;

    for (int64_t reach = 1; reach < p; reach *= 2)
        rounds++;
    return rounds;
}

double tgs_i_collective(tgs_i_operation what, tgs_i_shape how, int32_t p, double bytes,
                        double alpha, double beta)
{
    const double part = bytes * (p - 1) / p, rounds = rounds_of(p);

    if (p < 2)
        return 0;
    if (how == TGS_I_RING)
        return ((p - 1) * alpha + part * beta) * (what == TGS_I_ALL_REDUCE ? 2 : 1);
    switch (what) {
    case TGS_I_ALL_REDUCE:
        return 2 * rounds * (alpha + bytes * beta);
    case TGS_I_ALL_TO_ALL:
        return rounds * (alpha + bytes / 2 * beta);
    case TGS_I_ALL_GATHER:
    case TGS_I_REDUCE_SCATTER:
        return rounds * alpha + part * beta;
    }
    return NAN;
}

/* groups of `inner` ranks: inside, across (each rank with those of its number), inside */
double tgs_i_collective_grouped(tgs_i_operation what, int32_t inner, int32_t groups, double bytes,
                                double alpha_in, double beta_in, double alpha_out, double beta_out)
{
    const double share = bytes / inner;

    switch (what) {
    case TGS_I_ALL_REDUCE:
        return tgs_i_collective(TGS_I_REDUCE_SCATTER, TGS_I_RING, inner, bytes, alpha_in, beta_in)
               + tgs_i_collective(TGS_I_ALL_REDUCE, TGS_I_RING, groups, share, alpha_out, beta_out)
               + tgs_i_collective(TGS_I_ALL_GATHER, TGS_I_RING, inner, bytes, alpha_in, beta_in);
    case TGS_I_ALL_GATHER:
    case TGS_I_REDUCE_SCATTER:
        return tgs_i_collective(what, TGS_I_RING, groups, share, alpha_out, beta_out)
               + tgs_i_collective(what, TGS_I_RING, inner, bytes, alpha_in, beta_in);
    case TGS_I_ALL_TO_ALL: /* to the rank of one's group that has the number, then across */
        return tgs_i_collective(what, TGS_I_RING, inner, bytes, alpha_in, beta_in)
               + tgs_i_collective(what, TGS_I_RING, groups, bytes, alpha_out, beta_out);
    }
    return NAN;
}
