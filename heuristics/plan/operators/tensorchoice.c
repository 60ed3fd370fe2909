/* tensorchoice.c -- the layers whose products are split: a shortest path through the states of each
 * layer, whole and split. */
#include <string.h>
#include "tensor.h"

typedef tgs_i_tensor_planning planning;
typedef tgs_i_tensor_choice candidate;

/* ---- the machine ---- */
typedef struct link {
    double alpha, beta;
} link;

/* the slowest link among devices from, from + stride, ... */
static link slowest(const tgs_i_devices *d, int32_t from, int32_t count, int32_t stride)
{
    link s = {0, 0};

    for (int32_t a = 0; a < count; a++)
        for (int32_t b = 0; b < count; b++) {
            const int32_t at = (from + a * stride) * d->n + from + b * stride;

            s.alpha = a == b ? s.alpha : fmax(s.alpha, d->lat[at]);
            s.beta = a == b ? s.beta : fmax(s.beta, d->inv[at]);
        }
    return s;
}

/* of all groups of p devices that follow one another */
static link within(const planning *x, int32_t p, int32_t groups)
{
    link s = {0, 0};

    for (int32_t g = 0; g < groups; g++) {
        const link one = slowest(&x->d, g * p, p, 1);

        s.alpha = fmax(s.alpha, one.alpha);
        s.beta = fmax(s.beta, one.beta);
    }
    return s;
}

/* ---- the model ---- */
double tgs_i_tensor_element(const tgs_layer *l)
{
    return fmax(1, (double)(int64_t)(l->parameters / (l->inner * l->columns) + 0.5));
}

void tgs_i_tensor_find(tgs_i_tensor_planning *x)
{
    for (int32_t i = 0; i < x->l->n; i++) {
        const tgs_layer *y = &x->l->layer[i];

        x->product[i] = (tgs_i_product){y->rows, y->columns, y->inner, false};
    }
}

/* what a layer leaves: all of it, pieces, or (1d) pieces of its columns.  In 1d a product of those
 * is cut by rows, any other by columns. */
typedef enum state { WHOLE, PIECES, COLUMNS, STATES } state;

/* seconds of the transfers of product i in the state that it leaves; INFINITY: it cannot be so */
static double transfers(const planning *x, const tgs_i_grid *g, int32_t i, state to, link s)
{
    const bool hops = !strcmp(tgs_arg_text(x->c->args, "volume"), "hops");
    tgs_i_product y = x->product[i];

    y.by_rows = g->mode == TGS_I_1D && to == PIECES;
    if (to == WHOLE)
        return 0;
    if (!tgs_i_tensor_fits(g, &y) || (to == COLUMNS && g->mode != TGS_I_1D))
        return INFINITY;
    return tgs_i_tensor_messages(g) * s.alpha
           + tgs_i_tensor_volume(g, &y, hops) * tgs_i_tensor_element(&x->l->layer[i]) * s.beta;
}

/* the cheapest state before a product, where one from whole to pieces or back moves its input */
static state come_from(const double *cost, const tgs_i_grid *g, state to, double move)
{
    state best = STATES;
    double least = INFINITY;

    for (state from = WHOLE; from < STATES; from++) {
        const double c = cost[from] + ((from == WHOLE) != (to == WHOLE) ? move : 0);
        const bool by_rows = g->mode == TGS_I_1D && to == PIECES;

        if (to != WHOLE && (from == COLUMNS) != by_rows)
            continue;
        if (c < least) {
            least = c;
            best = from;
        }
    }
    return best;
}

static void cost_product(planning *x, const tgs_i_grid *g, int32_t i, link s, bool all,
                         double cost[STATES])
{
    const tgs_i_product *y = &x->product[i];
    const double before[STATES] = {cost[WHOLE], cost[PIECES], cost[COLUMNS]};
    const double move = tgs_i_collective(
        TGS_I_ALL_GATHER, TGS_I_RING, g->p,
        2 * tgs_i_tensor_element(&x->l->layer[i]) * y->rows * y->inner, 2 * s.alpha, s.beta);

    for (state to = WHOLE; to < STATES; to++) {
        const state from = come_from(before, g, to, move);

        x->from[STATES * i + to] = (uint8_t)from;
        cost[to] = from == STATES ? INFINITY
                                  : before[from] + ((from == WHOLE) != (to == WHOLE) ? move : 0)
                                        + transfers(x, g, i, to, s);
    }
    if (all && fmin(cost[PIECES], cost[COLUMNS]) < INFINITY)
        cost[WHOLE] = INFINITY;
}

/* the shortest path of one micro-batch, without updates; in[]: split */
static double choose_layers(planning *x, const candidate *k, const tgs_proc *slow, link s, bool all)
{
    const tgs_layers *l = x->l;
    double cost[STATES] = {0, 0, INFINITY}, least;
    state at = WHOLE;

    for (int32_t i = 0; i < l->n; i++) {
        const int64_t cell = (int64_t)i * l->kinds + slow->kind;
        const double t = (l->forward[cell] + l->backward[cell]) / slow->speed;

        for (state to = WHOLE; to < STATES; to++)
            x->from[STATES * i + to] = (uint8_t)to;
        if (x->product[i].rows > 0)
            cost_product(x, &k->grid, i, s, all, cost);
        for (state to = WHOLE; to < STATES; to++)
            cost[to] += to == WHOLE ? t : t / k->grid.p;
    }
    for (state to = PIECES; to < STATES; to++)
        at = cost[to] < cost[at] ? to : at;
    least = cost[at];
    for (int32_t i = l->n - 1; i >= 0 && least < INFINITY; i--) {
        x->in[i] = at != WHOLE && x->product[i].rows > 0;
        x->product[i].by_rows = k->grid.mode == TGS_I_1D && at == PIECES;
        at = (state)x->from[STATES * i + at];
    }
    return least;
}

/* bytes of the fullest shard, roughly: what is whole is all on one */
static double shard_bytes(const planning *x, int32_t p)
{
    double whole = 0, parts = 0;

    for (int32_t i = 0; i < x->l->n; i++) {
        const tgs_layer *y = &x->l->layer[i];

        *(x->in[i] ? &parts : &whole) += 2 * y->parameters + y->state;
        parts += y->saved;
    }
    return whole + parts / p;
}

double tgs_i_tensor_estimate(planning *x, candidate *k, bool all)
{
    const tgs_layers *l = x->l;
    const int32_t p = k->grid.p, used = p * k->replicas;
    const tgs_proc *slow = &x->c->p->proc[x->d.proc[used - 1]];
    const link s = within(x, p, k->replicas), r = slowest(&x->d, 0, k->replicas, p);
    const int64_t pieces = x->c->batch / (k->replicas * k->size);
    double capacity = INFINITY, update = 0, gradients = 0;
    const double piece = choose_layers(x, k, slow, s, all);

    k->split = k->products = 0;
    k->received = 0;
    for (int32_t i = 0; i < l->n; i++) {
        const int32_t parts = x->in[i] ? p : 1;

        k->split += x->in[i];
        k->products += x->product[i].rows > 0;
        update += l->update[(int64_t)i * l->kinds + slow->kind] / slow->speed / parts;
        gradients += l->layer[i].parameters / parts;
        if (x->in[i])
            k->received += tgs_i_tensor_volume(&k->grid, &x->product[i], false)
                           * tgs_i_tensor_element(&l->layer[i]);
    }
    for (int32_t i = 0; i < used; i++)
        capacity = fmin(capacity, x->d.capacity[i]);
    if (piece < INFINITY && shard_bytes(x, p) > capacity) {
        x->full = true;
        if (!x->anyhow)
            return INFINITY;
    }
    return k->split && piece < INFINITY
               ? (double)pieces * piece + update
                     + tgs_i_collective(TGS_I_ALL_REDUCE, TGS_I_RING, k->replicas, gradients,
                                        r.alpha, r.beta)
               : INFINITY;
}
