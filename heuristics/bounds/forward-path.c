/* forward-path.c -- the part of oct-path that holds when tasks are duplicated.
 *
 *     bound = max over j of min over a of (F(j, a) + w(j, a))
 *
 * F (paths.h) is the earliest start of any copy of j in memory a: each predecessor is taken where
 * that suits j best, whatever suits its other successors.  c is the cheapest way between memories,
 * so a replica on the way may be a source.  As oct-path.c for the time it takes. */
#include "paths.h"

static tgs_status run(const tgs_ctx *c, double *bound, tgs_error *err)
{
    const tgs_view *v = c->v;
    tgs_i_moves x;
    double *ends = NULL, *w = NULL;
    tgs_status status = tgs_i_moves_open(v, &x, err);

    if (status)
        return status;
    ends = tgs_mem_alloc((size_t)v->n * (size_t)x.rows, sizeof *ends);
    w = tgs_mem_alloc((size_t)x.rows, sizeof *w);
    if (!ends || !w)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for %d tasks in %d memories", v->n,
                          v->memories);
    if (!status) {
        tgs_i_moves_forward(v, &x, ends, w);
        *bound = 0;
    }
    for (int32_t j = 0; j < v->n && !status; j++)
        *bound = fmax(*bound, tgs_i_moves_least(&x, ends, j));
    tgs_i_moves_close(&x);
    tgs_mem_free(ends);
    tgs_mem_free(w);
    return status;
}

const tgs_bound_plugin tgs_bound_forward_path = {
    .base = {TGS_PLUGIN_ABI, "forward-path", "longest path to a task, data arriving from any copy",
             NULL, NULL},
    .model = "any graph, platform and link model, with duplication",
    .duplication = true,
    .run = run,
};
