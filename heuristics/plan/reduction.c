/* reduction.c -- how the gradients of replicas are summed: message by message while they are few;
 * of many, each sum is modelled as the collective that is the fastest for the model's mean
 * gradient: a ring, a tree, or rings within nodes and among them (collective.c). */
#include <string.h>
#include "step.h"

typedef struct group { /* the same part of all replicas */
    const tgs_platform_view *p;
    const int32_t *memory; /* [n * stride] */
    int32_t n, stride;
    int32_t inner; /* of a node, when all nodes have as many, one after the other; else 1 */
} group;

static int32_t member(const group *g, int32_t i)
{
    return g->memory[(int64_t)(i % g->n) * g->stride];
}

static void find_nodes(group *g)
{
    int32_t run = 1;

    g->inner = 0;
    for (int32_t i = 1; i <= g->n; i++) {
        if (i < g->n && g->p->memory[member(g, i)].node == g->p->memory[member(g, i - 1)].node) {
            run++;
            continue;
        }
        g->inner = !g->inner || g->inner == run ? run : -1;
        if (g->inner < 0)
            break;
        run = 1;
    }
    if (g->inner < 2 || g->inner == g->n)
        g->inner = 1;
}

/* the slowest of the routes from member i to member i + step, of every `every` from `first` on */
static void slowest(const group *g, int32_t first, int32_t every, int32_t step, double *lat,
                    double *inv)
{
    *lat = *inv = 0;
    for (int32_t i = first; i < g->n; i += every) {
        const int64_t at = (int64_t)member(g, i) * g->p->memories + member(g, i + step);

        *lat = fmax(*lat, g->p->lat[at]);
        *inv = fmax(*inv, g->p->inv[at]);
    }
}

/* routes from the first node to the next that pass the link the most of them pass */
static int32_t crowd(const group *g)
{
    int32_t most = 1;

    for (int32_t i = 0; i < g->inner; i++) {
        const int64_t pair = (int64_t)member(g, i) * g->p->memories + member(g, i + g->inner);

        for (int32_t k = g->p->route_at[pair]; k < g->p->route_at[pair + 1]; k++) {
            int32_t same = 0;

            for (int32_t j = 0; j < g->inner; j++) {
                const int64_t other =
                    (int64_t)member(g, j) * g->p->memories + member(g, j + g->inner);

                for (int32_t h = g->p->route_at[other]; h < g->p->route_at[other + 1]; h++)
                    same += g->p->route[h] == g->p->route[k];
            }
            most = same > most ? same : most;
        }
    }
    return most;
}

/* seconds of a sum of nothing, and for each byte more */
static void cost(const group *g, double bytes, double *alpha, double *beta)
{
    double lat, inv, in_lat, in_inv, t[3][2];
    int best = 0, ways = 2;

    slowest(g, 0, 1, 1, &lat, &inv);
    for (int i = 0; i < 2; i++) {
        const double b = i ? bytes : 0;

        t[0][i] = tgs_i_collective(TGS_I_ALL_REDUCE, TGS_I_RING, g->n, b, lat, inv);
        t[1][i] = tgs_i_collective(TGS_I_ALL_REDUCE, TGS_I_TREE, g->n, b, lat, inv);
    }
    if (g->inner > 1) {
        slowest(g, 0, g->inner, 1, &in_lat, &in_inv);
        slowest(g, 0, 1, g->inner, &lat, &inv);
        inv *= crowd(g);
        for (int i = 0; i < 2; i++)
            t[2][i] = tgs_i_collective_grouped(TGS_I_ALL_REDUCE, g->inner, g->n / g->inner,
                                               i ? bytes : 0, in_lat, in_inv, lat, inv);
        ways = 3;
    }
    for (int i = 1; i < ways; i++)
        best = t[i][1] < t[best][1] ? i : best;
    *alpha = fmax(*alpha, t[best][0]);
    *beta = fmax(*beta, bytes > 0 ? (t[best][1] - t[best][0]) / bytes : 0);
}

void tgs_i_plan_reduction(const tgs_planner_ctx *c, const tgs_layers *l, int32_t replicas,
                          int32_t places, const int32_t *memory, char text[PLAN_REDUCTION])
{
    double bytes = 0, alpha = 0, beta = 0;
    int32_t sums = 0;

    *text = 0;
    if (replicas <= PLAN_FEW)
        return;
    for (int32_t i = 0; i < l->n; i++) {
        bytes += l->layer[i].parameters;
        sums += l->layer[i].parameters > 0;
    }
    for (int32_t i = 0; i < places; i++) {
        group g = {.p = c->p, .memory = memory + i, .n = replicas, .stride = places};

        find_nodes(&g);
        cost(&g, sums ? bytes / sums : 0, &alpha, &beta);
    }
    snprintf(text, PLAN_REDUCTION, " reduce=alpha-beta alpha=%.9g beta=%.9g", alpha, beta);
}
