/* maxflow.c -- E. A. Dinic, "Algorithm for solution of a problem of maximum flow in networks with
 * power estimation", Soviet Math. Doklady 11 (1970) 1277-1280. */
#include "maxflow.h"

tgs_status tgs_i_maxflow_reset(tgs_i_maxflow *x, int32_t nodes)
{
    if (nodes > x->node_room) {
        const size_t size = sizeof *x->first;
        int32_t *grown = tgs_mem_resize(x->first, 4 * (size_t)nodes, size);

        if (!grown)
            return TGS_ENOMEM;
        x->first = grown;
        x->node_room = nodes;
    }
    x->level = x->first + x->node_room;
    x->at = x->level + x->node_room;
    x->queue = x->at + x->node_room;
    x->nodes = nodes;
    x->arcs = 0;
    for (int32_t i = 0; i < nodes; i++)
        x->first[i] = -1;
    return TGS_OK;
}

void tgs_i_maxflow_free(tgs_i_maxflow *x)
{
    tgs_mem_free(x->first);
    tgs_mem_free(x->arc);
    *x = (tgs_i_maxflow){.nodes = 0};
}

tgs_status tgs_i_maxflow_add(tgs_i_maxflow *x, int32_t from, int32_t to, double capacity)
{
    const tgs_status status = tgs_mem_grow(&x->arc, &x->arc_room, x->arcs + 2, sizeof *x->arc);

    if (status)
        return status;
    x->arc[x->arcs] = (tgs_i_maxflow_arc){to, x->first[from], capacity};
    x->first[from] = (int32_t)x->arcs++;
    x->arc[x->arcs] = (tgs_i_maxflow_arc){from, x->first[to], 0};
    x->first[to] = (int32_t)x->arcs++;
    return TGS_OK;
}

static bool label(tgs_i_maxflow *x, int32_t source, int32_t sink, double least)
{
    int32_t head = 0, tail = 0;

    for (int32_t i = 0; i < x->nodes; i++)
        x->level[i] = -1;
    x->level[source] = 0;
    x->queue[tail++] = source;
    while (head < tail && x->level[sink] < 0) {
        const int32_t node = x->queue[head++];

        for (int32_t a = x->first[node]; a >= 0; a = x->arc[a].next)
            if (x->arc[a].rest > least && x->level[x->arc[a].to] < 0) {
                x->level[x->arc[a].to] = x->level[node] + 1;
                x->queue[tail++] = x->arc[a].to;
            }
    }
    return x->level[sink] >= 0;
}

/* depth is at most the number of levels */
static double push(tgs_i_maxflow *x, int32_t node, int32_t sink, double most, double least)
{
    double sent = 0;

    if (node == sink)
        return most;
    for (; x->at[node] >= 0; x->at[node] = x->arc[x->at[node]].next) {
        tgs_i_maxflow_arc *a = &x->arc[x->at[node]];

        if (a->rest > least && x->level[a->to] == x->level[node] + 1) {
            const double part = push(x, a->to, sink, fmin(most - sent, a->rest), least);

            a->rest -= part;
            x->arc[x->at[node] ^ 1].rest += part;
            sent += part;
            if (most - sent <= least)
                break; /* this arc may have more to give */
        }
    }
    return sent;
}

double tgs_i_maxflow_run(tgs_i_maxflow *x, int32_t source, int32_t sink, double least)
{
    double sum = 0;

    while (label(x, source, sink, least)) {
        double sent;

        for (int32_t i = 0; i < x->nodes; i++)
            x->at[i] = x->first[i];
        sent = push(x, source, sink, INFINITY, least);
        if (!(sent > least))
            break;
        sum += sent;
    }
    return sum;
}
