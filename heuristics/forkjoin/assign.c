/* assign.c -- from the shares of a fluid to whole jobs. */
#include "fluid.h"

/* A group: its longest jobs to the classes of one machine, while their share lasts.  Single jobs:
 * by share, what was rounded is carried over to the next. */
static int32_t pick(const tgs_i_fj_fluid *x, double *share, double *carry, int32_t j)
{
    const tgs_i_fj_form *f = x->f;
    const double w = f->p[(int64_t)j * f->classes];
    const uint32_t *key = x->key + (int64_t)x->group_of[j] * f->classes;
    int32_t best = -1, lone = -1;

    for (int32_t g = 0; g < f->classes; g++) {
        if (!key[g])
            continue;
        if (x->single) {
            const bool has = share[g] > 1e-9 * w, had = best >= 0 && share[best] > 1e-9 * w;

            carry[g] += share[g];
            if (best < 0 || has > had || (has == had && carry[g] > carry[best]))
                best = g;
        } else if (best < 0 || share[g] > share[best])
            best = g;
        if (f->at[g + 1] - f->at[g] == 1 && (lone < 0 || share[g] > share[lone]))
            lone = g;
    }
    if (x->single) {
        carry[best] -= w;
        return best;
    }
    if (lone >= 0 && share[lone] >= w / 2)
        best = lone;
    share[best] -= w;
    return best;
}

void tgs_i_fj_fluid_assign(tgs_i_fj_fluid *x, double *carry, int32_t *class_of)
{
    const tgs_i_fj_form *f = x->f;

    for (int32_t g = 0; g < f->classes; g++)
        carry[g] = 0;
    for (int32_t i = 0; i < f->n; i++) {
        const int32_t j = x->by_w[i];

        class_of[j] = pick(x, x->share + (int64_t)x->group_of[j] * f->classes, carry, j);
    }
}
