/* landtree.c -- the best of what has landed (landed.c) where the score is the key (Max-Min).
 *
 * Runs of equal tasks are points, their times on the types of processors the coordinates.  A tree
 * halves them along each coordinate in turn; a node knows the largest time of what is there on each
 * type, so that no score below it is above
 *
 *     min over t of (F(t) + largest w(t)),
 *
 * F when the first processor of a type is free.  Sums and minima are monotonic also when they are
 * rounded, so the search finds exactly the task that a look at all would find.  O(types log n) to
 * add or to remove a task; a search looks at few nodes where times differ, at worst at all. */
#include <stdlib.h>
#include "core.h"

enum { LEAF = 8 }; /* runs of a leaf */

typedef struct point {
    double w;
    int32_t run;
} point;

static double w(const tgs_i_landed *x, int32_t task, int32_t type)
{
    return tgs_w(x->s->v, task, x->first[type]);
}

/* the task of a run that goes first, -1: none is there */
static int32_t front(const tgs_i_landed *x, int32_t run)
{
    const int32_t n = x->s->v->n, at = x->tree.run[run];
    const int32_t end = run + 1 < x->tree.runs ? x->tree.run[run + 1] : n;
    const int32_t place = tgs_i_set_next(&x->set[0], at);

    return place >= 0 && place < end ? x->order[place] : -1;
}

static int by_w(const void *a_, const void *b_)
{
    const point *a = a_, *b = b_;

    if (a->w != b->w)
        return a->w < b->w ? -1 : 1;
    return (a->run > b->run) - (a->run < b->run);
}

/* leaves are numbered from the left, node i has children 2 i + 1 and 2 i + 2 */
static void halve(tgs_i_landed *x, point *item, int32_t node, int32_t first, int32_t last,
                  int32_t type)
{
    tgs_i_land_tree *tree = &x->tree;

    if (last - first <= tree->width) {
        for (int32_t i = first; i < last; i++)
            tree->leaf[item[i].run] = node;
        tree->from[node] = first;
        tree->to[node] = last;
        for (int32_t i = first; i < last; i++)
            tree->item[i] = item[i].run;
        return;
    }
    for (int32_t i = first; i < last; i++)
        item[i].w = w(x, x->order[tree->run[item[i].run]], type);
    qsort(item + first, (size_t)(last - first), sizeof *item, by_w);
    halve(x, item, 2 * node + 1, first, first + (last - first) / 2, (type + 1) % x->types);
    halve(x, item, 2 * node + 2, first + (last - first) / 2, last, (type + 1) % x->types);
}

static tgs_status allocate(tgs_i_landed *x, point **item)
{
    tgs_i_land_tree *tree = &x->tree;
    const size_t runs = (size_t)tree->runs;
    size_t nodes;

    tree->depth = 0;
    while (tree->runs >> tree->depth > LEAF)
        tree->depth++;
    tree->width = (tree->runs >> tree->depth) + 1;
    tree->inner = (1 << tree->depth) - 1;
    nodes = 2 * (size_t)tree->inner + 1;
    tree->leaf = tgs_mem_alloc(runs, sizeof *tree->leaf);
    tree->item = tgs_mem_alloc(runs, sizeof *tree->item);
    tree->from = tgs_mem_alloc(nodes, sizeof *tree->from);
    tree->to = tgs_mem_alloc(nodes, sizeof *tree->to);
    tree->count = tgs_mem_alloc(nodes, sizeof *tree->count);
    tree->most = tgs_mem_alloc(nodes * (size_t)x->types, sizeof *tree->most);
    *item = tgs_mem_alloc(runs, sizeof **item);
    return tree->leaf && tree->item && tree->from && tree->to && tree->count && tree->most && *item
               ? TGS_OK
               : TGS_ENOMEM;
}

tgs_status tgs_i_land_tree_open(tgs_i_landed *x)
{
    const int32_t n = x->s->v->n;
    tgs_i_land_tree *tree = &x->tree;
    point *item = NULL;
    tgs_status status;

    tree->run = tgs_mem_alloc((size_t)n + 1, sizeof *tree->run);
    tree->of = tgs_mem_alloc((size_t)n, sizeof *tree->of);
    if (!tree->run || !tree->of)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < n; i = x->run[i]) {
        for (int32_t k = i; k < x->run[i]; k++)
            tree->of[x->order[k]] = tree->runs;
        tree->run[tree->runs++] = i;
    }
    status = allocate(x, &item);
    if (!status) {
        for (int32_t i = 0; i < tree->runs; i++)
            item[i].run = i;
        halve(x, item, 0, 0, tree->runs, 0);
    }
    tgs_mem_free(item);
    return status;
}

void tgs_i_land_tree_close(tgs_i_land_tree *tree)
{
    tgs_mem_free(tree->run);
    tgs_mem_free(tree->of);
    tgs_mem_free(tree->leaf);
    tgs_mem_free(tree->item);
    tgs_mem_free(tree->from);
    tgs_mem_free(tree->to);
    tgs_mem_free(tree->count);
    tgs_mem_free(tree->most);
}

/* ---- what is there -----------------------------------------------------------------------------
 */
static void widen(tgs_i_landed *x, int32_t node, int32_t type, double most)
{
    double *here = &x->tree.most[(int64_t)node * x->types + type];

    *here = fmax(*here, most);
}

static void fill_leaf(tgs_i_landed *x, int32_t node)
{
    for (int32_t i = x->tree.from[node]; i < x->tree.to[node]; i++) {
        const int32_t task = front(x, x->tree.item[i]);

        for (int32_t t = 0; t < x->types && task >= 0; t++)
            widen(x, node, t, w(x, task, t));
    }
}

static void join_children(tgs_i_landed *x, int32_t node)
{
    for (int32_t child = 2 * node + 1; child <= 2 * node + 2; child++)
        for (int32_t t = 0; t < x->types && x->tree.count[child]; t++)
            widen(x, node, t, x->tree.most[(int64_t)child * x->types + t]);
}

void tgs_i_land_tree_change(tgs_i_landed *x, int32_t task, int32_t by)
{
    tgs_i_land_tree *tree = &x->tree;

    for (int32_t node = tree->leaf[tree->of[task]];; node = (node - 1) / 2) {
        tree->count[node] += by;
        for (int32_t t = 0; t < x->types; t++)
            tree->most[(int64_t)node * x->types + t] = 0;
        (node >= tree->inner ? fill_leaf : join_children)(x, node);
        if (!node)
            return;
    }
}

/* ---- the best ----------------------------------------------------------------------------------
 */
static double key_of(const tgs_i_landed *x, const double *w)
{
    double key = INFINITY;

    for (int32_t t = 0; t < x->types; t++)
        key = fmin(key, x->free[t] + w[t]);
    return key;
}

static double bound(const tgs_i_landed *x, int32_t node)
{
    return key_of(x, x->tree.most + (int64_t)node * x->types);
}

static void look_at_leaf(const tgs_i_landed *x, int32_t node, double *own, int32_t *best,
                         double *most)
{
    for (int32_t i = x->tree.from[node]; i < x->tree.to[node]; i++) {
        const int32_t task = front(x, x->tree.item[i]);

        if (task < 0)
            continue;
        for (int32_t t = 0; t < x->types; t++)
            own[t] = w(x, task, t);
        tgs_i_landed_consider(x, task, key_of(x, own), best, most);
    }
}

static void look(const tgs_i_landed *x, int32_t node, double *own, int32_t *best, double *most)
{
    const tgs_i_land_tree *tree = &x->tree;
    int32_t left = 2 * node + 1, right = left + 1;

    if (node >= tree->inner) {
        look_at_leaf(x, node, own, best, most);
        return;
    }
    if (!tree->count[left] || (tree->count[right] && bound(x, left) < bound(x, right))) {
        left = right;
        right = 2 * node + 1;
    }
    if (tree->count[left] && (*best < 0 || bound(x, left) >= *most))
        look(x, left, own, best, most);
    if (tree->count[right] && (*best < 0 || bound(x, right) >= *most))
        look(x, right, own, best, most);
}

void tgs_i_land_tree_best(const tgs_i_landed *x, int32_t *best, double *most)
{
    double own[TGS_I_LAND_TYPES];

    if (x->tree.count[0])
        look(x, 0, own, best, most);
}
