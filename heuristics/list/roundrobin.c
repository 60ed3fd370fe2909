/* roundrobin.c -- the processors in turn: what costs and communication are worth, others show
 * against it.
 *
 * Tasks in canonical topological order; each goes behind the last task of the next processor, in
 * cyclic order, that may run it.  O(e memories + n p). */
#include "core.h"

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const tgs_view *v = c->v;
    tgs_i_list s;
    int32_t next = 0;
    tgs_status status = tgs_i_list_open(&s, c, plan, &(tgs_i_rule){.key = TGS_I_EFT}, err);

    if (status)
        return status;
    for (int32_t i = 0; i < v->n && !status; i++) {
        const int32_t j = v->g->topo[i];
        int32_t proc = -1;
        double start = 0;

        tgs_i_list_ready(&s, j, s.ready);
        for (int32_t k = 0; k < v->m && proc < 0; k++) {
            const int32_t p = (next + k) % v->m;
            const double ready = s.ready[v->p->proc[p].memory];

            if (!tgs_i_list_may(&s, j, p) || !(ready < INFINITY))
                continue;
            proc = p;
            start = ready > s.line[p].free ? ready : s.line[p].free;
        }
        status = tgs_i_list_place(&s, j, proc, start, err);
        next = (proc + 1) % v->m;
    }
    tgs_i_list_close(&s);
    return status;
}

const tgs_heuristic tgs_heuristic_roundrobin = {
    .base = {TGS_PLUGIN_ABI, "roundrobin", "the processors in turn", NULL, NULL},
    .run = run,
};
