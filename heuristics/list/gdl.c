/* gdl.c -- GDL, generalized dynamic level scheduling.
 *
 * G. C. Sih, E. A. Lee, "A compile-time scheduling heuristic for interconnection-constrained
 * heterogeneous processor architectures", IEEE TPDS 4(2), 1993.
 *
 * DLS (see dls.c) with the paper's two further terms.  Descendant consideration: d(j) is the
 * successor that receives most data,
 *
 *     DC(j, p) = E*(d) - min over q of (c(j, d, p, q) + w(d, q)),   DL2(j, p) = DL(j, p) + DC(j, p)
 *
 * which depends on the memory of p alone.  Resource scarcity: with p* the processor of the largest
 * DL2, the task of the largest global level goes there,
 *
 *     DL2(j, p*) + C(j),   C(j) = DL2(j, p*) - max over p != p* of DL2(j, p)
 *
 * so that a task with a single possible processor comes first.  Appends.  At worst O(n W p), W the
 * width of the ready list, and O(n memories^2 + n p) for DC. */
#include "core.h"

static double global_level(const tgs_i_pairs *pairs, int32_t task, const tgs_i_pick *best)
{
    const double own = pairs->level[task] - best->key;

    return pairs->second ? own + (best->next_key - best->key) : own;
}

/* the successor that receives most data, -1 none; ties by the position of its edge */
static int32_t heir(const tgs_graph_view *g, int32_t task, int32_t *datum)
{
    int32_t best = -1;
    double most = -1;

    for (int32_t k = g->succ_at[task]; k < g->succ_at[task + 1]; k++) {
        const int32_t d = g->succ_datum[k];
        const double bytes = d < 0 ? 0 : g->datum[d].bytes;

        if (bytes > most) {
            most = bytes;
            best = g->succ[k];
            *datum = d;
        }
    }
    return best;
}

/* bias[task * memories + memory] = -DC; least[memories]: scratch */
static void descend(const tgs_view *v, const double *median, double *least, double *bias)
{
    const int32_t M = v->memories;

    for (int32_t j = 0; j < v->n; j++) {
        int32_t datum = -1;
        const int32_t d = heir(v->g, j, &datum);

        if (d < 0)
            continue;
        for (int32_t a = 0; a < M; a++)
            least[a] = INFINITY;
        for (int32_t p = 0; p < v->m; p++)
            least[v->p->proc[p].memory] = fmin(least[v->p->proc[p].memory], tgs_w(v, d, p));
        for (int32_t a = 0; a < M; a++) {
            double best = INFINITY;

            for (int32_t b = 0; b < M; b++)
                best = fmin(best, tgs_c(v, datum, a, b) + least[b]);
            bias[(int64_t)j * M + a] = best < INFINITY ? best - median[d] : 0;
        }
    }
}

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const tgs_view *v = c->v;
    const size_t n = (size_t)v->n, M = (size_t)v->memories;
    double *median = tgs_mem_alloc(n, sizeof *median), *level = tgs_mem_alloc(n, sizeof *level);
    double *least = tgs_mem_alloc(M, sizeof *least), *bias = tgs_mem_alloc(n * M, sizeof *bias);
    tgs_status status = TGS_OK;

    if (!median || !level || !least || !bias)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the levels of %d tasks", v->n);
    if (!status)
        status = tgs_i_weights(v, TGS_I_MEDIAN, median, err);
    if (!status) {
        tgs_i_rank_up(v, median, false, level);
        for (int32_t j = 0; j < v->n; j++)
            level[j] += median[j]; /* SL + E* */
        if (tgs_arg_int(c->args, "descendant"))
            descend(v, median, least, bias);
        status = tgs_i_list_by_pairs(c, plan, &(tgs_i_rule){.key = TGS_I_EFT, .bias = bias},
                                     &(tgs_i_pairs){.score = global_level,
                                                    .level = level,
                                                    .second = tgs_arg_int(c->args, "scarcity")},
                                     err);
    }
    tgs_mem_free(median);
    tgs_mem_free(level);
    tgs_mem_free(least);
    tgs_mem_free(bias);
    return status;
}

static const tgs_param params[] = {
    {"descendant", "1", TGS_PARAM_INT, 0, 1, "look at the successor that receives most data"},
    {"scarcity", "1", TGS_PARAM_INT, 0, 1, "first what loses most on its second processor"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_gdl = {
    .base = {TGS_PLUGIN_ABI, "gdl", "dynamic levels with descendants and scarce resources",
             "Sih, Lee, IEEE TPDS 4(2), 1993", params},
    .run = run,
};
