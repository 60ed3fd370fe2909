/* placedpl.c -- the paper's DPL: the dynamic program along a depth-first topological order, whose
 * ideals are the n + 1 beginnings of it. */
#include "place.h"

/* What was set free last comes next.  Odd numbers are of the reverse graph, from its end; 0 and 1
 * take what stands first, the others any. */
void tgs_i_place_depth_first(const tgs_i_place_graph *g, int32_t number, int32_t *order,
                             int32_t *scratch)
{
    const bool turned = number % 2;
    const int32_t *at = turned ? g->pred_at : g->succ_at, *to = turned ? g->pred : g->succ;
    const int32_t *back = turned ? g->succ_at : g->pred_at;
    int32_t *waits = scratch, *stack = scratch + g->n, ready = 0, done = 0;
    tgs_rng draw;

    tgs_rng_seed(&draw, (uint64_t)number);
    for (int32_t c = g->n - 1; c >= 0; c--) {
        waits[c] = back[c + 1] - back[c];
        if (!waits[c])
            stack[ready++] = c;
    }
    while (ready > 0) {
        const int32_t c = stack[--ready], first = ready;

        order[turned ? g->n - 1 - done : done] = c;
        done++;
        for (int32_t k = at[c + 1] - 1; k >= at[c]; k--)
            if (--waits[to[k]] == 0)
                stack[ready++] = to[k];
        for (int32_t i = ready - 1; i > first && number > 1; i--) {
            const int32_t j = (int32_t)tgs_rng_int(&draw, first, i), kept = stack[i];

            stack[i] = stack[j];
            stack[j] = kept;
        }
    }
}

tgs_status tgs_i_place_dpl(const tgs_i_place_graph *g, const tgs_i_place_devices *d, int32_t orders,
                           tgs_i_place_answer *a, bool (*stop)(void *), void *user)
{
    int32_t *room = tgs_mem_alloc(3 * (size_t)g->n, sizeof *room);
    tgs_status status = room ? TGS_OK : TGS_ENOMEM;

    for (int32_t k = 0; k < orders && !status && !a->stopped; k++) {
        tgs_i_ideals x;

        tgs_i_place_depth_first(g, k, room + 2 * g->n, room);
        status = tgs_i_ideals_chain(&x, g->n, room + 2 * g->n);
        if (!status)
            status = tgs_i_place_dp(g, d, &x, a, stop, user);
        tgs_i_ideals_close(&x);
    }
    tgs_mem_free(room);
    return status;
}
