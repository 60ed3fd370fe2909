/* make.c -- run a heuristic on a problem and let nothing out that breaks a constraint. */
#include "internal.h"

static bool never(void *user)
{
    (void)user;
    return false;
}

static void silent(void *user, double done)
{
    (void)user;
    (void)done;
}

/* what the checker says of a heuristic's schedule: infeasible, or the heuristic is wrong */
static tgs_status verdict(const tgs_schedule *s, const tgs_problem *pb, const char *heuristic,
                          tgs_error *err)
{
    tgs_error why = {0};
    bool feasibility = false;
    const tgs_status status = tgs_i_check(s, pb, &feasibility, &why);

    if (status != TGS_ECHECK)
        return status ? tgs_fail(err, status, "%s", why.text) : TGS_OK;
    if (feasibility)
        return tgs_fail(err, TGS_EINFEASIBLE, "%s found no feasible schedule: %s", heuristic,
                        why.text);
    return tgs_fail(err, TGS_ECHECK, "%s made an invalid schedule: %s", heuristic, why.text);
}

tgs_status tgs_schedule_make(tgs_schedule **out, const tgs_problem *pb, const char *heuristic,
                             uint64_t seed, tgs_error *err)
{
    const tgs_heuristic *h = NULL;
    const tgs_plugin *found = NULL;
    const tgs_args *args = NULL;
    tgs_args *own = NULL; /* of a heuristic of the tree */
    tgs_i_external *external = NULL;
    tgs_schedule *s = NULL;
    tgs_plan plan = {0};
    tgs_rng rng;
    tgs_status status;

    *out = NULL;
    if (tgs_i_external_is(heuristic)) {
        status = tgs_i_external_open(&external, &h, &args, heuristic, err);
    } else {
        status = tgs_i_resolve(&found, &own, "heuristic", heuristic, err);
        h = (const tgs_heuristic *)found;
        args = own;
    }
    if (status)
        goto done;
    tgs_rng_seed(&rng, seed);
    status = tgs_i_plan_new(&plan, pb->v.n);
    if (status) {
        tgs_fail(err, status, "out of memory");
        goto done;
    }
    status = h->run(
        &(tgs_ctx){.v = &pb->v, .args = args, .rng = &rng, .stop = never, .progress = silent},
        &plan, err);
    if (!status)
        status = tgs_i_schedule_build(&s, pb, &plan, heuristic, err);
    if (!status)
        status = verdict(s, pb, heuristic, err);
done:
    tgs_i_plan_free(&plan);
    tgs_i_args_free(own);
    tgs_i_external_close(external);
    if (status)
        tgs_schedule_free(s);
    else
        *out = s;
    return status;
}
