/* timeline.c -- the idle time of a processor: earliest gap in O(log gaps).
 *
 * A treap keyed by where a gap begins; priorities come from a counter, so the tree is the same on
 * every machine.  A gap takes w when its length and the sum from + w both say so, which may round
 * apart: its room is the longest w that both allow, and what the tree is searched by, so that of
 * the gaps with room only the one that a data ready time cuts can fail. */
#include <assert.h>
#include "core.h"

void tgs_i_timeline_open(tgs_i_timeline *l, double least)
{
    *l = (tgs_i_timeline){.least = least, .root = -1, .spare = -1};
}

void tgs_i_timeline_close(tgs_i_timeline *l)
{
    tgs_mem_free(l->gap);
}

static double room(const tgs_i_gap *g)
{
    double w = g->to - g->from;

    while (g->from + w > g->to)
        w = nextafter(w, 0);
    return w;
}

static double longest(const tgs_i_timeline *l, int32_t x)
{
    return x < 0 ? -1 : l->gap[x].longest;
}

static void renew(const tgs_i_timeline *l, int32_t x)
{
    tgs_i_gap *g = &l->gap[x];
    const double a = longest(l, g->left), b = longest(l, g->right), own = room(g);

    g->longest = own > a ? own : a;
    if (b > g->longest)
        g->longest = b;
}

static double start_in(const tgs_i_gap *g, double ready)
{
    return g->from > ready ? g->from : ready;
}

static int32_t first_fit(const tgs_i_timeline *l, int32_t x, double ready, double w)
{
    while (x >= 0 && l->gap[x].longest >= w) {
        const tgs_i_gap *g = &l->gap[x];

        if (g->to >= ready) {
            const int32_t left = first_fit(l, g->left, ready, w);

            if (left >= 0)
                return left;
            if (room(g) >= w && start_in(g, ready) + w <= g->to)
                return x;
        }
        x = g->right;
    }
    return -1;
}

double tgs_i_timeline_find(const tgs_i_timeline *l, double ready, double w)
{
    int32_t x;

    if (ready >= l->free)
        return ready; /* no gap ends later */
    x = first_fit(l, l->root, ready, w);
    return x < 0 ? l->free : start_in(&l->gap[x], ready);
}

/* Gaps do not overlap, but several of length 0 may lie at one point. */
static bool before(const tgs_i_timeline *l, int32_t x, int32_t y)
{
    const tgs_i_gap *a = &l->gap[x], *b = &l->gap[y];

    return a->from != b->from ? a->from < b->from : a->to != b->to ? a->to < b->to : x < y;
}

static int32_t insert(tgs_i_timeline *l, int32_t root, int32_t x)
{
    tgs_i_gap *r;
    int32_t child;

    if (root < 0)
        return x;
    r = &l->gap[root];
    if (before(l, x, root)) {
        child = r->left = insert(l, r->left, x);
        if (l->gap[child].priority > r->priority) { /* rotate right */
            r->left = l->gap[child].right;
            l->gap[child].right = root;
            renew(l, root);
            root = child;
        }
    } else {
        child = r->right = insert(l, r->right, x);
        if (l->gap[child].priority > r->priority) { /* rotate left */
            r->right = l->gap[child].left;
            l->gap[child].left = root;
            renew(l, root);
            root = child;
        }
    }
    renew(l, root);
    return root;
}

/* two trees, all of a before all of b */
static int32_t join(tgs_i_timeline *l, int32_t a, int32_t b)
{
    if (a < 0 || b < 0)
        return a < 0 ? b : a;
    if (l->gap[a].priority > l->gap[b].priority) {
        l->gap[a].right = join(l, l->gap[a].right, b);
        renew(l, a);
        return a;
    }
    l->gap[b].left = join(l, a, l->gap[b].left);
    renew(l, b);
    return b;
}

static int32_t erase(tgs_i_timeline *l, int32_t root, int32_t x)
{
    tgs_i_gap *r = &l->gap[root];

    if (root == x)
        return join(l, r->left, r->right);
    if (before(l, x, root))
        r->left = erase(l, r->left, x);
    else
        r->right = erase(l, r->right, x);
    renew(l, root);
    return root;
}

/* the room for it is there */
static void add(tgs_i_timeline *l, double from, double to)
{
    int32_t x = l->spare;
    uint32_t h;

    if (to - from < l->least)
        return;
    if (x >= 0)
        l->spare = l->gap[x].left;
    else
        x = l->used++;
    h = (uint32_t)x * 2654435761u;
    h = (h ^ h >> 15) * 2246822519u;
    l->gap[x] = (tgs_i_gap){from, to, 0, -1, -1, h ^ h >> 13};
    l->gap[x].longest = room(&l->gap[x]);
    l->root = insert(l, l->root, x);
}

/* the gap that holds [start, end] */
static int32_t holder(const tgs_i_timeline *l, double start, double end)
{
    int32_t x = l->root;

    while (x >= 0) {
        const tgs_i_gap *g = &l->gap[x];

        if (g->from <= start && end <= g->to)
            break;
        x = start < g->from ? g->left : g->right;
    }
    return x;
}

tgs_status tgs_i_timeline_book(tgs_i_timeline *l, double start, double end)
{
    const tgs_status status = tgs_mem_grow(&l->gap, &l->room, (int64_t)l->used + 2, sizeof *l->gap);

    if (status)
        return status;
    if (start >= l->free) {
        if (end > l->free) {
            add(l, l->free, start);
            l->free = end;
        }
    } else {
        const int32_t x = holder(l, start, end);
        double from, to;

        assert(x >= 0); /* start came from find */
        from = l->gap[x].from;
        to = l->gap[x].to;
        if (start == end && (start == from || start == to))
            return TGS_OK; /* takes nothing */
        l->root = erase(l, l->root, x);
        l->gap[x].left = l->spare;
        l->spare = x;
        add(l, from, start);
        add(l, end, to);
    }
    return TGS_OK;
}
