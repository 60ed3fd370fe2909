/* mixed.c -- work and chains at once: the linear program of mix.c without communication.
 *
 * With all chains it is the relaxation of HLP (Kedad-Sidhoum, Monna, Trystram, IPDPSW 2015). */
#include "core.h"

static tgs_status run(const tgs_ctx *c, double *bound, tgs_error *err)
{
    return tgs_i_mix_bound(c, &(tgs_i_mix_parts){.communication = false}, bound, err);
}

static const tgs_param params[] = {
    {"size", "100000", TGS_PARAM_INT, 1, 1e9, "tasks times kinds, and dependencies, at most"},
    {"rounds", "100", TGS_PARAM_INT, 0, 1e9, "times that chains are added, at most"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_bound_plugin tgs_bound_mixed = {
    .base = {TGS_PLUGIN_ABI, "mixed", "tasks divided between kinds: work and chains at once",
             "Agullo et al., IPDPS 2016; Kedad-Sidhoum et al., IPDPSW 2015", params},
    .model = "any graph, platform and link model, with duplication",
    .duplication = true,
    .run = run,
};
