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
 * O(e M^2 + n p); above 16 memories O(e R + n P), R of them unlike and P unlike processors there
 * (paths.c). */
#include "paths.h"

static tgs_status run(const tgs_ctx *c, double *bound, tgs_error *err)
{
    const tgs_view *v = c->v;
    tgs_i_moves x;
    double *ends = NULL, *rests = NULL, *w = NULL;
    tgs_status status = tgs_i_moves_open(v, &x, err);

    if (status)
        return status;
    ends = tgs_mem_alloc((size_t)v->n * (size_t)x.rows, sizeof *ends);
    rests = tgs_mem_alloc((size_t)v->n * (size_t)x.rows, sizeof *rests);
    w = tgs_mem_alloc((size_t)x.rows, sizeof *w);
    if (!ends || !rests || !w)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d tasks in %d memories", v->n,
                          v->memories);
    if (!status) {
        tgs_i_moves_forward(v, &x, ends, w);
        tgs_i_moves_backward(v, &x, rests, w, ends);
        *bound = 0;
    }
    for (int32_t j = 0; j < v->n && !status; j++)
        *bound = fmax(*bound, tgs_i_moves_least(&x, ends, j));
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
