/* bound.c -- lower bounds by name, and the largest that covers a problem. */
#include "internal.h"

static tgs_status evaluate(const tgs_bound_plugin *b, const tgs_args *args, const tgs_problem *pb,
                           double *out, tgs_error *err)
{
    tgs_rng rng;
    const tgs_ctx c = {.v = &pb->v, .args = args, .rng = &rng};
    double bound = 0;
    tgs_status status;

    tgs_rng_seed(&rng, 0);
    status = b->run(&c, &bound, err);
    if (!status && !(bound < INFINITY))
        status = tgs_fail(err, TGS_EINFEASIBLE,
                          "%s: a task can run nowhere or its data cannot reach it", b->base.name);
    if (!status)
        *out = bound;
    return status;
}

tgs_status tgs_bound(double *out, const tgs_problem *pb, const char *bound, tgs_error *err)
{
    const tgs_plugin *p;
    tgs_args *args = NULL;
    tgs_status status = tgs_i_resolve(&p, &args, "bound", bound, err);

    *out = NAN;
    if (!status)
        status = evaluate((const tgs_bound_plugin *)p, args, pb, out, err);
    tgs_i_args_free(args);
    return status;
}

tgs_status tgs_i_bound_best(double *out, const char **which, const tgs_problem *pb,
                            bool duplication, tgs_error *err)
{
    const char *name = NULL;
    double best = NAN;
    tgs_status status = TGS_OK;

    *out = NAN;
    if (which)
        *which = NULL;
    for (int32_t i = 0; tgs_plugin_name("bound", i) && !status; i++) {
        const tgs_plugin *p;
        const tgs_bound_plugin *b;
        tgs_args *args = NULL;
        double bound = 0;

        status = tgs_i_resolve(&p, &args, "bound", tgs_plugin_name("bound", i), err);
        if (status)
            break;
        b = (const tgs_bound_plugin *)p;
        status = duplication && !b->duplication ? TGS_ENOTAPPLICABLE
                                                : evaluate(b, args, pb, &bound, err);
        tgs_i_args_free(args);
        if (!status && !(bound <= best)) {
            best = bound;
            name = p->name;
        } else if (status == TGS_ENOTAPPLICABLE) {
            status = TGS_OK;
        }
    }
    if (status)
        return status;
    if (!name)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "no lower bound covers this problem");
    *out = best;
    if (which)
        *which = name;
    return TGS_OK;
}

tgs_status tgs_bound_best(double *out, const char **which, const tgs_problem *pb, tgs_error *err)
{
    return tgs_i_bound_best(out, which, pb, false, err);
}

tgs_status tgs_schedule_bound(double *out, const char **which, const tgs_schedule *s,
                              const tgs_problem *pb, tgs_error *err)
{
    return tgs_i_bound_best(out, which, pb, tgs_schedule_copies(s) > 0, err);
}
