/* classes.c -- what may not be separated becomes one class: the nodes of a colour, both halves of
 * training; colours that come before and after one another; and a node that costs nothing goes with
 * its only neighbour.  O(edges log edges). */
#include "place.h"

typedef struct merging { /* colours, each a forward half and a backward half */
    const tgs_i_place *x;
    int32_t n;       /* colours */
    int32_t *parent; /* [n] union-find */
    bool *forward;   /* [n] some node of it, before any union, is forward */
    bool *tied;      /* [n] its forward half has an edge with a backward one */
    bool *free_;     /* [n] it takes no time anywhere */
    int32_t edges;
    tgs_i_pair *edge; /* between forward halves of different colours, without repetition */
} merging;

static int32_t find(merging *m, int32_t c)
{
    while (m->parent[c] != c) {
        m->parent[c] = m->parent[m->parent[c]];
        c = m->parent[c];
    }
    return c;
}

/* the smaller number stays */
static void unite(merging *m, int32_t a, int32_t b)
{
    a = find(m, a);
    b = find(m, b);
    m->parent[a > b ? a : b] = a > b ? b : a;
}

static void close_merging(merging *m)
{
    tgs_mem_free(m->parent);
    tgs_mem_free(m->forward);
    tgs_mem_free(m->tied);
    tgs_mem_free(m->free_);
    tgs_mem_free(m->edge);
}

static bool takes_nothing(const tgs_i_place_graph *g, int32_t node)
{
    for (int32_t k = 0; k < g->groups; k++)
        if (g->time[(int64_t)node * g->groups + k] > 0)
            return false;
    return true;
}

/* A colour without a forward half gets an empty one, whose edges mirror those of the backward one:
 * if b(u) comes before b(v), then f(v) before f(u). */
static void take_edges(merging *m)
{
    const tgs_i_place *x = m->x;

    m->edges = 0;
    for (int32_t u = 0; u < x->node.n; u++)
        for (int32_t k = x->node.succ_at[u]; k < x->node.succ_at[u + 1]; k++) {
            const int32_t v = x->node.succ[k], a = find(m, x->color[u]), b = find(m, x->color[v]);

            if (x->backward[u] != x->backward[v])
                m->tied[a] = true;
            else if (a != b && !x->backward[u])
                m->edge[m->edges++] = (tgs_i_pair){a, b};
            else if (a != b && !(m->forward[x->color[u]] && m->forward[x->color[v]]))
                m->edge[m->edges++] = (tgs_i_pair){b, a};
        }
    m->edges = tgs_i_pairs_unique(m->edge, m->edges);
}

static tgs_status open_merging(merging *m, const tgs_i_place *x)
{
    const size_t n = (size_t)x->colors;

    *m = (merging){.x = x, .n = x->colors};
    m->parent = tgs_mem_alloc(n, sizeof *m->parent);
    m->forward = tgs_mem_alloc(n, sizeof *m->forward);
    m->tied = tgs_mem_alloc(n, sizeof *m->tied);
    m->free_ = tgs_mem_alloc(n, sizeof *m->free_);
    m->edge = tgs_mem_alloc((size_t)x->node.succ_at[x->node.n], sizeof *m->edge);
    if (!m->parent || !m->forward || !m->tied || !m->free_ || !m->edge)
        return TGS_ENOMEM;
    for (int32_t c = 0; c < m->n; c++) {
        m->parent[c] = c;
        m->free_[c] = true;
    }
    for (int32_t i = 0; i < x->node.n; i++) {
        m->forward[x->color[i]] |= !x->backward[i];
        m->free_[x->color[i]] &= takes_nothing(&x->node, i);
    }
    take_edges(m);
    return TGS_OK;
}

/* ---- colours on a cycle (Tarjan, without recursion) --------------------------------------------
 */
typedef struct tarjan {
    int32_t *index, *low, *at, *stack, *path; /* [n] */
    int32_t clock, held, depth;
} tarjan;

static void enter(tarjan *t, int32_t v, const int32_t *succ_at)
{
    t->index[v] = t->low[v] = ++t->clock;
    t->at[v] = succ_at[v];
    t->stack[t->held++] = t->path[t->depth++] = v;
}

static void leave(tarjan *t, merging *m, int32_t v)
{
    if (--t->depth > 0 && t->low[v] < t->low[t->path[t->depth - 1]])
        t->low[t->path[t->depth - 1]] = t->low[v];
    if (t->low[v] < t->index[v])
        return;
    for (int32_t w = -1; w != v;) {
        w = t->stack[--t->held];
        t->index[w] = INT32_MAX; /* it is in no component to come */
        unite(m, v, w);
    }
}

static void components(tarjan *t, merging *m, const int32_t *succ_at, const int32_t *succ)
{
    for (int32_t root = 0; root < m->n; root++) {
        if (!t->index[root])
            enter(t, root, succ_at);
        while (t->depth > 0) {
            const int32_t v = t->path[t->depth - 1];

            if (t->at[v] == succ_at[v + 1]) {
                leave(t, m, v);
                continue;
            }
            const int32_t w = succ[t->at[v]++];

            if (!t->index[w])
                enter(t, w, succ_at);
            else if (t->index[w] < t->low[v])
                t->low[v] = t->index[w];
        }
    }
}

static tgs_status merge_cycles(merging *m)
{
    const size_t n = (size_t)m->n;
    int32_t *room = tgs_mem_alloc(5 * n, sizeof *room), *succ_at = NULL, *succ = NULL;
    tgs_status status =
        room ? tgs_i_pairs_rows(m->edge, m->edges, m->n, false, &succ_at, &succ) : TGS_ENOMEM;

    if (!status) {
        tarjan t = {room, room + n, room + 2 * n, room + 3 * n, room + 4 * n, 0, 0, 0};

        components(&t, m, succ_at, succ);
    }
    tgs_mem_free(room);
    tgs_mem_free(succ_at);
    tgs_mem_free(succ);
    return status;
}

/* what was known of the colours, of their unions */
static void settle(merging *m)
{
    for (int32_t c = 0; c < m->n; c++) {
        const int32_t r = find(m, c);

        m->free_[r] &= m->free_[c];
    }
    take_edges(m);
}

/* ---- leaves that cost nothing ------------------------------------------------------------------
 */
static tgs_status neighbours(const merging *m, int32_t **at, int32_t **to, int32_t **degree)
{
    tgs_i_pair *both = tgs_mem_alloc(2 * (size_t)m->edges, sizeof *both);
    tgs_status status = both ? TGS_OK : TGS_ENOMEM;

    for (int32_t i = 0; i < m->edges && !status; i++) {
        both[2 * i] = m->edge[i];
        both[2 * i + 1] = (tgs_i_pair){m->edge[i].to, m->edge[i].from};
    }
    if (!status)
        status = tgs_i_pairs_rows(both, 2 * m->edges, m->n, false, at, to);
    *degree = tgs_mem_alloc((size_t)m->n, sizeof **degree);
    if (!*degree)
        status = TGS_ENOMEM;
    for (int32_t c = 0; c < m->n && !status; c++)
        (*degree)[c] = (*at)[c + 1] - (*at)[c];
    tgs_mem_free(both);
    return status;
}

/* A leaf leaves its neighbour as it is, less one neighbour: which may make that a leaf. */
static tgs_status fold_leaves(merging *m)
{
    int32_t *at = NULL, *to = NULL, *degree = NULL, *leaf = NULL, leaves = 0;
    tgs_status status = neighbours(m, &at, &to, &degree);

    leaf = tgs_mem_alloc((size_t)m->n, sizeof *leaf);
    if (!leaf)
        status = TGS_ENOMEM;
    for (int32_t c = 0; c < m->n && !status; c++)
        if (degree[c] == 1 && m->free_[c] && !m->tied[c])
            leaf[leaves++] = c;
    for (int32_t i = 0; i < leaves; i++) {
        const int32_t c = leaf[i];
        int32_t k = at[c];

        if (degree[c] != 1) /* the other one of two was folded into this one */
            continue;
        while (degree[to[k]] <= 0)
            k++;
        degree[c] = 0;
        unite(m, c, to[k]);
        if (--degree[to[k]] == 1 && m->free_[to[k]] && !m->tied[to[k]])
            leaf[leaves++] = to[k];
    }
    tgs_mem_free(at);
    tgs_mem_free(to);
    tgs_mem_free(degree);
    tgs_mem_free(leaf);
    return status;
}

/* ---- the classes -------------------------------------------------------------------------------
 */
/* numbered by their first nodes */
static tgs_status number(tgs_i_place *x, merging *m)
{
    int32_t *class_ = tgs_mem_alloc((size_t)m->n, sizeof *class_);

    if (!class_)
        return TGS_ENOMEM;
    for (int32_t c = 0; c < m->n; c++)
        class_[c] = -1;
    for (int32_t i = 0; i < x->node.n; i++) {
        const int32_t c = find(m, x->color[i]);

        if (class_[c] < 0)
            class_[c] = x->class_.n++;
        x->class_of[i] = class_[c];
    }
    for (int32_t i = 0; i < m->edges; i++)
        m->edge[i] = (tgs_i_pair){class_[m->edge[i].from], class_[m->edge[i].to]};
    m->edges = tgs_i_pairs_unique(m->edge, m->edges);
    tgs_mem_free(class_);
    return TGS_OK;
}

static tgs_status add_up(tgs_i_place *x)
{
    tgs_i_place_graph *c = &x->class_;
    const int32_t groups = c->groups = x->node.groups;

    c->time = tgs_mem_alloc((size_t)c->n * (size_t)groups, sizeof *c->time);
    c->size = tgs_mem_alloc((size_t)c->n, sizeof *c->size);
    if (!c->time || !c->size)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < x->node.n; i++) {
        const int32_t k = x->class_of[i];

        c->size[k] += x->node.size[i];
        for (int32_t q = 0; q < groups; q++)
            c->time[(int64_t)k * groups + q] += x->node.time[(int64_t)i * groups + q];
    }
    return TGS_OK;
}

/* the classes that read an item, without its maker's, by number and once each */
static int32_t readers(const tgs_i_place *x, int32_t item, tgs_i_pair *pair)
{
    int32_t count = 0;

    for (int32_t k = x->node.item_at[item]; k < x->node.item_at[item + 1]; k++)
        if (x->class_of[x->node.item_to[k]] != x->class_of[x->node.item_from[item]])
            pair[count++] = (tgs_i_pair){0, x->class_of[x->node.item_to[k]]};
    return tgs_i_pairs_unique(pair, count);
}

static bool costs(const tgs_i_place_graph *g, int32_t item)
{
    for (int32_t q = 0; q < g->groups; q++)
        if (g->item_cost[(int64_t)item * g->groups + q] > 0)
            return true;
    return false;
}

/* items that may cost something */
static tgs_status take_items(tgs_i_place *x)
{
    const tgs_i_place_graph *f = &x->node;
    tgs_i_place_graph *c = &x->class_;
    const size_t items = (size_t)f->items, uses = (size_t)f->item_at[f->items];
    tgs_i_pair *pair = tgs_mem_alloc(uses, sizeof *pair);
    int32_t total = 0;

    c->item_from = tgs_mem_alloc(items, sizeof *c->item_from);
    c->item_at = tgs_mem_alloc(items + 1, sizeof *c->item_at);
    c->item_to = tgs_mem_alloc(uses, sizeof *c->item_to);
    c->item_cost = tgs_mem_alloc(items * (size_t)c->groups, sizeof *c->item_cost);
    if (!pair || !c->item_from || !c->item_at || !c->item_to || !c->item_cost) {
        tgs_mem_free(pair);
        return TGS_ENOMEM;
    }
    for (int32_t i = 0; i < f->items; i++) {
        const int32_t count = costs(f, i) ? readers(x, i, pair) : 0;

        if (!count)
            continue;
        for (int32_t k = 0; k < count; k++)
            c->item_to[total++] = pair[k].to;
        c->item_from[c->items] = x->class_of[f->item_from[i]];
        for (int32_t q = 0; q < c->groups; q++)
            c->item_cost[(int64_t)c->items * c->groups + q] =
                f->item_cost[(int64_t)i * c->groups + q];
        c->item_at[++c->items] = total;
    }
    tgs_mem_free(pair);
    return tgs_i_place_index(c);
}

tgs_status tgs_i_place_classes(tgs_i_place *x, bool fold)
{
    merging m;
    tgs_status status = open_merging(&m, x);

    if (!status)
        status = merge_cycles(&m);
    if (!status) {
        settle(&m);
        status = fold ? fold_leaves(&m) : TGS_OK;
    }
    if (!status) {
        settle(&m);
        status = number(x, &m);
    }
    if (!status)
        status = add_up(x);
    if (!status)
        status = take_items(x);
    if (!status)
        status = tgs_i_place_order(&x->class_, m.edge, m.edges);
    close_merging(&m);
    return status;
}
