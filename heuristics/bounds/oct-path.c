/* oct-path.c -- the longest path in which every task may sit where it likes, but what moves between
 * memories takes its time: the optimistic cost table of PEFT in both directions.
 *
 *     F(j, b) = max over predecessors u of min over a of (F(u, a) + w(u, a) + c(u, j, a, b))
 *     O(j, a) = max over successors v of min over b of (c(j, v, a, b) + w(v, b) + O(v, b))
 *     bound   = max over j of min over a of (F(j, a) + w(j, a) + O(j, a))
 *
 * a and b are memories, w the least time there, and c the cheapest way between them, relays
 * included; F begins with release times and initial data.  The backward part charges all successors
 * to one copy of j, so it does not hold with duplication.
 *
 * O(e M^2 + n p), and O(e M) above 16 memories (paths.c). */
#include "paths.h"

static double search(const tgs_view *v, const tgs_i_moves *x, double *ends, double *rests,
                     double *w)
{
    const tgs_graph_view *g = v->g;
    const int64_t M = v->memories;
    double bound = 0;

    tgs_i_moves_forward(v, x, ends, w);
    for (int32_t i = v->n - 1; i >= 0; i--) { /* rests: O, then O + w */
        const int32_t j = g->topo[i];
        double *row = rests + j * M, through = INFINITY;

        for (int32_t e = g->succ_at[j]; e < g->succ_at[j + 1]; e++)
            tgs_i_moves_pass(v, x, rests + g->succ[e] * M, g->succ_datum[e], true, row);
        tgs_i_moves_times(v, j, w);
        for (int32_t a = 0; a < M; a++) {
            through = fmin(through, ends[j * M + a] + row[a]);
            row[a] += w[a];
        }
        bound = fmax(bound, through);
    }
    return bound;
}

static tgs_status run(const tgs_ctx *c, double *bound, tgs_error *err)
{
    const tgs_view *v = c->v;
    const size_t size = (size_t)v->n * (size_t)v->memories;
    double *ends = tgs_mem_alloc(size, sizeof *ends), *rests = tgs_mem_alloc(size, sizeof *rests);
    double *w = tgs_mem_alloc((size_t)v->memories, sizeof *w);
    tgs_i_moves x = {NULL, NULL, NULL, NULL};
    tgs_status status = TGS_OK;

    if (!ends || !rests || !w)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d tasks in %d memories", v->n,
                          v->memories);
    if (!status)
        status = tgs_i_moves_open(v, &x, err);
    if (!status)
        *bound = search(v, &x, ends, rests, w);
    tgs_mem_free(ends);
    tgs_mem_free(rests);
    tgs_mem_free(w);
    tgs_i_moves_close(&x);
    return status;
}

const tgs_bound_plugin tgs_bound_oct_path = {
    .base = {TGS_PLUGIN_ABI, "oct-path", "longest path with every task where it likes best",
             "after Arabnejad, Barbosa, IEEE TPDS 25(3), 2014", NULL},
    .model = "any graph, platform and link model, no duplication",
    .duplication = false,
    .run = run,
};
