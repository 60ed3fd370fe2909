/* layout.c -- which of two layouts each of many nodes works in, so that as few values as possible
 * are turned from one to the other: a minimum cut.
 *
 * A value is turned once, however many of its users want it so.  For a value of node p with users
 * q: p -1-> a -inf-> q and q -inf-> b -1-> p with nodes a and b of its own.  Augmenting paths;
 * O(values turned x arcs). */
#include <string.h>
#include "core.h"

typedef struct cutting {
    int32_t *head; /* [nodes] the last arc, -1 */
    tgs_i_layout_arc *arc;
    int64_t arcs, room;
    int32_t nodes;
    int32_t *queue, *from; /* from: [nodes] the arc that reached it, -1 none */
} cutting;

static tgs_status add_arc(cutting *c, int32_t from, int32_t to, bool endless)
{
    if (tgs_mem_grow(&c->arc, &c->room, c->arcs + 2, sizeof *c->arc))
        return TGS_ENOMEM;
    c->arc[c->arcs] = (tgs_i_layout_arc){to, c->head[from], endless ? INT32_MAX : 1};
    c->head[from] = (int32_t)c->arcs++;
    c->arc[c->arcs] = (tgs_i_layout_arc){from, c->head[to], 0};
    c->head[to] = (int32_t)c->arcs++;
    return TGS_OK;
}

/* breadth first from the source; is the sink reached? */
static bool reach(cutting *c)
{
    int32_t first = 0, last = 0;

    memset(c->from, -1, (size_t)c->nodes * sizeof *c->from);
    c->queue[last++] = 0;
    while (first < last) {
        const int32_t u = c->queue[first++];

        for (int32_t a = c->head[u]; a >= 0; a = c->arc[a].next) {
            const int32_t v = c->arc[a].to;

            if (!c->arc[a].room || c->from[v] >= 0 || v == 0)
                continue;
            c->from[v] = a;
            if (v == 1)
                return true;
            c->queue[last++] = v;
        }
    }
    return false;
}

static void push(cutting *c)
{
    for (int32_t v = 1; v != 0; v = c->arc[c->from[v] ^ 1].to) {
        tgs_i_layout_arc *a = &c->arc[c->from[v]], *back = &c->arc[c->from[v] ^ 1];

        if (a->room != INT32_MAX)
            a->room--;
        if (back->room != INT32_MAX)
            back->room++;
    }
}

static tgs_status build(cutting *c, const tgs_i_layout *l)
{
    int32_t next = 2 + l->nodes;
    tgs_status status = TGS_OK;

    for (int32_t i = 0; i < l->nodes && !status; i++)
        if (l->fixed[i])
            status = l->fixed[i] == 1 ? add_arc(c, 0, 2 + i, true) : add_arc(c, 2 + i, 1, true);
    for (int64_t k = 0; k < l->uses && !status;) {
        const int32_t p = l->use[2 * k], a = next++, b = next++;

        status = add_arc(c, 2 + p, a, false);
        if (!status)
            status = add_arc(c, b, 2 + p, false);
        for (const int32_t value = l->value[k]; k < l->uses && l->value[k] == value; k++)
            if (!status && !(status = add_arc(c, a, 2 + l->use[2 * k + 1], true)))
                status = add_arc(c, 2 + l->use[2 * k + 1], b, true);
    }
    return status;
}

tgs_status tgs_i_layout_choose(tgs_i_layout *l)
{
    cutting c = {.nodes = 2 + l->nodes + 2 * (int32_t)l->uses};
    tgs_status status = TGS_ENOMEM;

    c.head = tgs_mem_alloc((size_t)c.nodes, sizeof *c.head);
    c.queue = tgs_mem_alloc((size_t)c.nodes, sizeof *c.queue);
    c.from = tgs_mem_alloc((size_t)c.nodes, sizeof *c.from);
    if (c.head && c.queue && c.from) {
        memset(c.head, -1, (size_t)c.nodes * sizeof *c.head);
        status = build(&c, l);
    }
    if (!status) {
        for (l->turned = 0; reach(&c); l->turned++)
            push(&c);
        for (int32_t i = 0; i < l->nodes; i++)
            l->second[i] = c.from[2 + i] < 0;
    }
    tgs_mem_free(c.head);
    tgs_mem_free(c.queue);
    tgs_mem_free(c.from);
    tgs_mem_free(c.arc);
    return status;
}
