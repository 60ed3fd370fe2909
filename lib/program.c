/* program.c -- the linear program that a heuristic would solve, as a file. */
#include "tgsched/lp.h"
#include "watch.h"

tgs_status tgs_i_program_write(const tgs_lp *lp, const char *path, tgs_error *err)
{
    tgs_i_output o;
    tgs_status status = tgs_i_output_open(&o, path, err);

    if (status)
        return status;
    status = tgs_lp_write(lp, o.file, err);
    return tgs_i_output_close(&o, status, err);
}

tgs_status tgs_program_write(const tgs_problem *pb, const char *heuristic, uint64_t seed,
                             const char *path, tgs_error *err)
{
    const tgs_plugin *found = NULL;
    const tgs_heuristic *h;
    tgs_args *args = NULL;
    tgs_lp *lp = NULL;
    tgs_rng rng;
    tgs_ctx c = {.v = &pb->v, .rng = &rng, .problem = pb};
    tgs_i_guard guard;
    tgs_status status;

    if (tgs_i_external_is(heuristic))
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "%s is no heuristic of tgsched's own", heuristic);
    status = tgs_i_resolve(&found, &args, "heuristic", heuristic, err);
    if (status)
        return status;
    h = (const tgs_heuristic *)found;
    c.args = args;
    tgs_rng_seed(&rng, seed);
    tgs_i_guard_open(&guard, &c, NULL);
    if (h->program)
        status = h->program(&c, &lp, err);
    else
        status = tgs_fail(err, TGS_ENOTAPPLICABLE, "%s solves no linear program", h->base.name);
    tgs_i_guard_close(&guard);
    if (!status)
        status = tgs_i_program_write(lp, path, err);
    tgs_lp_free(lp);
    tgs_i_args_free(args);
    return status;
}
