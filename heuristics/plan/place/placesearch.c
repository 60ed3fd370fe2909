/* placesearch.c -- local search over placements that need not be contiguous: annealing from a given
 * one.
 *
 * A move takes a block of classes to another device, often one that a neighbour of the block is on,
 * or two blocks change places.  Blocks are single classes, and clusters: classes joined by the
 * dearest transfers between them, then clusters of clusters; of such a block that part moves which
 * is on one device.  What fits is kept (memory), and what costs less, or by chance a little more.
 *
 * The largest load says nothing about most moves, so the cost is the sum of load^8, whose 8th root
 * is at most the number of devices ^ 1/8 above it. */
#include <stdlib.h>
#include <string.h>
#include "place.h"

enum { REFRESH = 16384 /* evals */, CHEAPER = 64 /* to choose a block than to move it, times */ };

typedef struct clusters { /* a forest: leaves are the classes, an inner node has two children */
    int32_t nodes;
    int32_t *parent, *left, *right; /* [2 n - 1] -1 none */
} clusters;

typedef struct annealing {
    tgs_i_loads l;
    clusters tree;
    tgs_rng *rng;
    int32_t *member, members; /* [n] of the block */
    int32_t *other, others;   /* [n] of the block that it changes places with */
    int32_t *stack;           /* [2 n] */
    double unit;              /* loads are measured in it */
} annealing;

/* ---- clusters ----------------------------------------------------------------------------------
 */
typedef struct bond {
    double cost;
    int32_t a, b;
} bond;

static int by_cost(const void *pa, const void *pb)
{
    const bond *a = pa, *b = pb;

    if (a->cost != b->cost)
        return a->cost > b->cost ? -1 : 1;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return (a->b > b->b) - (a->b < b->b);
}

static double dearest(const tgs_i_place_graph *g, int32_t item)
{
    double most = 0;

    for (int32_t q = 0; q < g->groups; q++)
        most = fmax(most, g->item_cost[(int64_t)item * g->groups + q]);
    return most;
}

static int32_t root_of(const clusters *t, int32_t node)
{
    while (t->parent[node] >= 0)
        node = t->parent[node];
    return node;
}

static void join(clusters *t, int32_t a, int32_t b)
{
    a = root_of(t, a);
    b = root_of(t, b);
    if (a == b)
        return;
    t->left[t->nodes] = a;
    t->right[t->nodes] = b;
    t->parent[t->nodes] = -1;
    t->parent[a] = t->parent[b] = t->nodes++;
}

static tgs_status make_clusters(clusters *t, const tgs_i_place_graph *g)
{
    const size_t most = 2 * (size_t)g->n, uses = (size_t)g->item_at[g->items];
    bond *bonds = tgs_mem_alloc(uses, sizeof *bonds);

    t->parent = tgs_mem_alloc(most, sizeof *t->parent);
    t->left = tgs_mem_alloc(most, sizeof *t->left);
    t->right = tgs_mem_alloc(most, sizeof *t->right);
    if (!bonds || !t->parent || !t->left || !t->right) {
        tgs_mem_free(bonds);
        return TGS_ENOMEM;
    }
    t->nodes = g->n;
    for (int32_t c = 0; c < g->n; c++)
        t->parent[c] = t->left[c] = t->right[c] = -1;
    for (int32_t i = 0; i < g->items; i++)
        for (int32_t k = g->item_at[i]; k < g->item_at[i + 1]; k++)
            bonds[k] = (bond){dearest(g, i), g->item_from[i], g->item_to[k]};
    qsort(bonds, uses, sizeof *bonds, by_cost);
    for (size_t i = 0; i < uses; i++)
        join(t, bonds[i].a, bonds[i].b);
    tgs_mem_free(bonds);
    return TGS_OK;
}

/* the classes below a node that are on the device of class c, at most most */
static int32_t members_of(annealing *x, int32_t node, int32_t c, int32_t *member)
{
    int32_t count = 0, held = 0;

    x->stack[held++] = node;
    while (held > 0) {
        const int32_t k = x->stack[--held];

        if (x->tree.left[k] < 0) {
            if (x->l.device[k] == x->l.device[c])
                member[count++] = k;
            continue;
        }
        x->stack[held++] = x->tree.right[k];
        x->stack[held++] = x->tree.left[k];
    }
    return count;
}

/* a class and, half of the time, the cluster it is in some levels up */
static int32_t choose_block(annealing *x, int32_t c, int32_t *member)
{
    int32_t node = c;

    while (x->tree.parent[node] >= 0 && tgs_rng_int(x->rng, 0, 2) > 0)
        node = x->tree.parent[node];
    return members_of(x, node, c, member);
}

/* ---- moves -------------------------------------------------------------------------------------
 */
static double energy(const annealing *x)
{
    double sum = 0;

    for (int32_t k = 0; k < x->l.d->devices; k++) {
        const double load = x->l.load[k] / x->unit, square = load * load, fourth = square * square;

        sum += fourth * fourth;
    }
    return sum;
}

static bool can_be_on(const annealing *x, const int32_t *member, int32_t count, int32_t device)
{
    for (int32_t i = 0; i < count; i++)
        if (isinf(x->l.g->time[(int64_t)member[i] * x->l.g->groups + x->l.d->group[device]]))
            return false;
    return true;
}

static bool fits(const annealing *x, int32_t device)
{
    return x->l.held[device] <= x->l.d->memory[x->l.d->group[device]];
}

static void move_all(annealing *x, const int32_t *member, int32_t count, int32_t device)
{
    for (int32_t i = 0; i < count; i++)
        tgs_i_loads_move(&x->l, member[i], device);
}

/* a device that holds a neighbour of the block's first class, or any */
static int32_t choose_device(annealing *x, int32_t c)
{
    const tgs_i_place_graph *g = x->l.g;
    const int32_t uses = g->use_at[c + 1] - g->use_at[c], makes = g->make_at[c + 1] - g->make_at[c];

    if (uses + makes > 0 && tgs_rng_int(x->rng, 0, 3) > 0) {
        const int32_t k = (int32_t)tgs_rng_int(x->rng, 0, uses + makes - 1);

        if (k < uses)
            return x->l.device[g->item_from[g->use[g->use_at[c] + k]]];
        const int32_t i = g->make[g->make_at[c] + k - uses];

        return x->l.device[g->item_to[tgs_rng_int(x->rng, g->item_at[i], g->item_at[i + 1] - 1)]];
    }
    return (int32_t)tgs_rng_int(x->rng, 0, x->l.d->devices - 1);
}

/* Chooses a move: the block, where it goes, and what comes back; false: there is none. */
static bool choose(annealing *x, int32_t *from, int32_t *to)
{
    const int32_t c = (int32_t)tgs_rng_int(x->rng, 0, x->l.g->n - 1);

    x->members = choose_block(x, c, x->member);
    x->others = 0;
    *from = x->l.device[c];
    *to = choose_device(x, x->member[tgs_rng_int(x->rng, 0, x->members - 1)]);
    if (tgs_rng_int(x->rng, 0, 2) == 0) { /* a swap */
        const int32_t other = (int32_t)tgs_rng_int(x->rng, 0, x->l.g->n - 1);

        *to = x->l.device[other];
        if (*to != *from)
            x->others = choose_block(x, other, x->other);
    }
    return *to != *from && can_be_on(x, x->member, x->members, *to)
           && can_be_on(x, x->other, x->others, *from);
}

static void exchange(annealing *x, int32_t from, int32_t to)
{
    move_all(x, x->member, x->members, to);
    move_all(x, x->other, x->others, from);
}

/* ---- annealing ---------------------------------------------------------------------------------
 */
static double largest(const annealing *x)
{
    return tgs_i_place_largest(x->l.load, x->l.d->devices);
}

/* One cooling from the best placement so far; heat: the share of its energy that a move may cost.
 * A move counts for as many evals as it moves classes, so that the time does not depend on how
 * large the blocks of a graph are. */
static bool cool(annealing *x, int64_t evals, double heat, tgs_i_place_answer *a,
                 bool (*stop)(void *), void *user)
{
    double now, start;
    int64_t spent = 0, fresh = 0; /* fresh: when the loads are counted afresh */
    bool better = false;

    tgs_i_loads_set(&x->l, a->device);
    x->unit = a->value;
    start = now = energy(x);
    while (spent < evals && !a->stopped) {
        const double left = 1 - (double)spent / (double)evals;
        const double warm = heat * start * left * left;
        int32_t from, to;
        double then;
        bool good;

        if (spent >= fresh) {
            fresh = spent + REFRESH + 4 * (int64_t)x->l.g->n;
            a->stopped = stop && stop(user);
            memcpy(x->stack, x->l.device, (size_t)x->l.g->n * sizeof *x->stack);
            tgs_i_loads_set(&x->l, x->stack);
        }
        good = choose(x, &from, &to);
        spent += 1 + (x->members + x->others) / (good ? 1 : CHEAPER);
        if (!good)
            continue;
        exchange(x, from, to);
        then = energy(x);
        if (!fits(x, from) || !fits(x, to)
            || (then > now && tgs_rng_real(x->rng) >= tgs_exp((now - then) / warm))) {
            move_all(x, x->member, x->members, from);
            move_all(x, x->other, x->others, to);
            continue;
        }
        now = then;
        if (largest(x) < a->value * (1 - 1e-12)) {
            a->value = largest(x);
            memcpy(a->device, x->l.device, (size_t)x->l.g->n * sizeof *a->device);
            better = true;
        }
    }
    return better;
}

static void close_annealing(annealing *x)
{
    tgs_i_loads_close(&x->l);
    tgs_mem_free(x->tree.parent);
    tgs_mem_free(x->tree.left);
    tgs_mem_free(x->tree.right);
    tgs_mem_free(x->member);
    tgs_mem_free(x->other);
    tgs_mem_free(x->stack);
}

tgs_status tgs_i_place_anneal(const tgs_i_place_graph *g, const tgs_i_place_devices *d,
                              int64_t evals, int32_t rounds, tgs_rng *rng, tgs_i_place_answer *a,
                              bool (*stop)(void *), void *user)
{
    static const double heats[] = {0.1, 0.01, 1, 0.03};
    annealing x = {.rng = rng};
    tgs_status status = TGS_OK;

    if (!g->n || !(a->value > 0) || isinf(a->value))
        return TGS_OK;
    x.member = tgs_mem_alloc((size_t)g->n, sizeof *x.member);
    x.other = tgs_mem_alloc((size_t)g->n, sizeof *x.other);
    x.stack = tgs_mem_alloc(2 * (size_t)g->n, sizeof *x.stack);
    if (!x.member || !x.other || !x.stack)
        status = TGS_ENOMEM;
    if (!status)
        status = make_clusters(&x.tree, g);
    if (!status)
        status = tgs_i_loads_open(&x.l, g, d);
    for (int32_t k = 0; k < rounds && !status && !a->stopped; k++)
        cool(&x, evals / rounds, heats[k % 4], a, stop, user);
    close_annealing(&x);
    return status;
}
