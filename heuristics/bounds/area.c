/* area.c -- the work that has to fit on the processors of each kind, by dual prices (rates.h).
 *
 * Communication and precedence are ignored; valid with duplication. */
#include "rates.h"

static tgs_status run(const tgs_ctx *c, double *bound, tgs_error *err)
{
    tgs_i_rates x;
    tgs_status status = tgs_i_rates_open(&x, c->v, err);

    if (status)
        return status;
    status = tgs_i_rates_bound(&x, bound, NULL, err);
    tgs_i_rates_close(&x);
    return status;
}

const tgs_bound_plugin tgs_bound_area = {
    .base = {TGS_PLUGIN_ABI, "area", "the work that must fit on the processors of each kind", NULL,
             NULL},
    .model = "any graph, platform and link model, with duplication",
    .duplication = true,
    .run = run,
};
