/* hlp-ols.c -- HLP-OLS: kinds by a linear program (allocate.c), then the tasks by upward rank with
 * the times of these kinds, each where it ends first.
 *
 * M. Amaris, G. Lucarelli, C. Mommessin, D. Trystram, "Generic algorithms for scheduling
 * applications on hybrid multi-core machines", Euro-Par 2017.  The linear program, and O(e + n p
 * log n). */
#include "../list/core.h"
#include "hlp.h"

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    double *time = NULL, bound = 0;
    tgs_ctx inner = *c;
    tgs_view view;
    tgs_status status = tgs_i_hlp_allocate(c, &view, &time, &bound, err);

    inner.v = &view;
    if (!status)
        status = tgs_i_list_by_rank_up(
            &inner, plan, &(tgs_i_rule){.key = TGS_I_EFT, .insert = true}, TGS_I_MEAN, err);
    if (!status)
        tgs_i_hlp_tell(plan, c->v, bound);
    tgs_mem_free(time);
    return status;
}

const tgs_heuristic tgs_heuristic_hlp_ols = {
    .base = {TGS_PLUGIN_ABI, "hlp-ols", "kinds by a linear program, then by upward rank",
             "Amaris, Lucarelli, Mommessin, Trystram, Euro-Par 2017", tgs_i_hlp_params},
    .run = run,
};
