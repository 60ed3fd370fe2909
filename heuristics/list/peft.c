/* peft.c -- PEFT, predict earliest finish time.
 *
 * H. Arabnejad, J. G. Barbosa, "List scheduling algorithm for heterogeneous systems by an
 * optimistic cost table", IEEE TPDS 25(3), 2014.
 *
 * OCT(j, p) is the shortest way from the end of j to the exit when every later task has the
 * processor it likes best.  Priority rank_oct(j) = mean over p of OCT(j, p), from a ready list,
 * since it need not be a topological order; processor of the least O_EFT = EFT + OCT, into the
 * earliest gap. O(e memories + n p log n). */
#include "core.h"

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const tgs_view *v = c->v;
    const int64_t M = v->memories;
    double *oct = tgs_mem_alloc((size_t)v->n * (size_t)M, sizeof *oct);
    double *rank_oct = tgs_mem_alloc((size_t)v->n, sizeof *rank_oct);
    tgs_status status = TGS_OK;

    if (!oct || !rank_oct)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory for the optimistic cost table");
    if (!status)
        status = tgs_i_oct(v, oct, err);
    if (!status) {
        for (int32_t j = 0; j < v->n; j++) {
            double sum = 0;

            for (int32_t p = 0; p < v->m; p++)
                sum += oct[j * M + v->p->proc[p].memory];
            rank_oct[j] = sum / v->m;
        }
        status = tgs_i_list_by_priority(
            c, plan, &(tgs_i_rule){.key = TGS_I_EFT, .insert = true, .bias = oct}, rank_oct, err);
    }
    tgs_mem_free(oct);
    tgs_mem_free(rank_oct);
    return status;
}

const tgs_heuristic tgs_heuristic_peft = {
    .base = {TGS_PLUGIN_ABI, "peft", "earliest finish plus optimistic rest, insertion",
             "Arabnejad, Barbosa, IEEE TPDS 25(3), 2014", NULL},
    .run = run,
};
