/* layers.c -- the fastest implementation of every layer, and the best when changes of the side
 * cost. */
#include "layers.h"

static double time_of(const tgs_i_layer_times *x, int32_t layer, int32_t choice)
{
    return x->time[(int64_t)layer * x->choices + choice];
}

double tgs_i_layers_cost(const tgs_i_layer_times *x, const int32_t *choice, double change,
                         int32_t start)
{
    int32_t side = start;
    double sum = 0;

    for (int32_t i = 0; i < x->layers; i++) {
        const int32_t next = x->side[choice[i]];

        sum += time_of(x, i, choice[i]) + (side >= 0 && next != side ? change : 0);
        side = next;
    }
    return sum + (start >= 0 && side != start ? change : 0);
}

/* the fastest of a layer on one side, or on any (-1); -1 none */
static int32_t fastest(const tgs_i_layer_times *x, int32_t layer, int32_t side)
{
    int32_t best = -1;

    for (int32_t k = 0; k < x->choices; k++)
        if ((side < 0 || x->side[k] == side)
            && (best < 0 || time_of(x, layer, k) < time_of(x, layer, best)))
            best = k;
    return best;
}

double tgs_i_layers_argmin(const tgs_i_layer_times *x, int32_t *choice)
{
    double sum = 0;

    for (int32_t i = 0; i < x->layers; i++) {
        choice[i] = fastest(x, i, -1);
        sum += time_of(x, i, choice[i]);
    }
    return sum;
}

typedef struct step { /* the best way to a layer's end on a side */
    double cost;
    int32_t choice, from; /* from: the side before; -1 the start */
} step;

static step best_step(const tgs_i_layer_times *x, int32_t layer, int32_t side, int32_t sides,
                      const step *before, double change, int32_t start)
{
    const int32_t choice = fastest(x, layer, side);
    step best = {INFINITY, choice, -1};

    if (choice < 0)
        return best;
    if (layer == 0)
        best.cost = start >= 0 && side != start ? change : 0;
    for (int32_t s = 0; s < sides && layer > 0; s++) {
        const int32_t from = (side + s) % sides; /* of equal ones, to stay */
        const double cost = before[from].cost + (from == side ? 0 : change);

        if (cost < best.cost) {
            best.cost = cost;
            best.from = from;
        }
    }
    best.cost += time_of(x, layer, choice);
    return best;
}

tgs_status tgs_i_layers_viterbi(const tgs_i_layer_times *x, double change, int32_t start,
                                int32_t *choice, double *cost)
{
    int32_t sides = start + 1, last = -1;
    step *table;

    *cost = x->layers ? INFINITY : 0;
    for (int32_t k = 0; k < x->choices; k++)
        sides = x->side[k] >= sides ? x->side[k] + 1 : sides;
    table = tgs_mem_alloc((size_t)x->layers * (size_t)sides, sizeof *table);
    if (!table)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < x->layers; i++)
        for (int32_t s = 0; s < sides; s++)
            table[(int64_t)i * sides + s] = best_step(
                x, i, s, sides, i ? &table[(int64_t)(i - 1) * sides] : NULL, change, start);
    for (int32_t s = 0; s < sides && x->layers; s++) {
        const double back = start >= 0 && s != start ? change : 0;
        const double whole = table[(int64_t)(x->layers - 1) * sides + s].cost + back;

        if (whole < *cost) {
            *cost = whole;
            last = s;
        }
    }
    for (int32_t i = x->layers - 1; i >= 0 && last >= 0; i--) {
        const step *s = &table[(int64_t)i * sides + last];

        choice[i] = s->choice;
        last = i > 0 ? s->from : 0;
    }
    tgs_mem_free(table);
    return TGS_OK;
}
