/* replicas.c -- data parallelism: replicas of the step on inputs of their own that share the
 * parameters; their gradients are joined before the update, in one of these ways:
 *
 *   tree          sums of a few gradients, level by level, then one update
 *   hierarchical  first within groups of replicas that follow one another, such as those of a
 *                 machine, then a tree over the groups
 *   ring          each replica has parameters of its own and makes its own update; chunks of the
 *                 gradients go round, 2 (N - 1) / N of their bytes in and out of each replica
 *   alpha-beta    so too, but instead of messages each gradient costs every replica the time that
 *                 they take by the formula: for comparison with what is published.  Nothing is
 *                 summed when it runs, and the user is told so.  With alpha= or beta= each sum
 *                 takes alpha seconds and beta more a byte, whatever the collective, and a replica
 *                 may stand for others that are like it
 *
 * With shares each replica has so many samples, which its micro-batches divide, the first ones
 * having one more where they do not come out even.  Each sample weighs the same in the loss. */
#include <string.h>
#include "core.h"

static tgs_status choose(tgs_joining *how, const tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    const char *reduce = tgs_arg_text(a, "reduce");

    *how = (tgs_joining){.fan = (int32_t)tgs_arg_int(a, "tree"),
                         .groups = (int32_t)tgs_arg_int(a, "groups"),
                         .ring = !strcmp(reduce, "ring"),
                         .priced = !strcmp(reduce, "alpha-beta"),
                         .latency = tgs_arg_real(a, "latency"),
                         .bandwidth = tgs_arg_real(a, "bandwidth"),
                         .modelled = tgs_arg_given(a, "alpha") || tgs_arg_given(a, "beta"),
                         .alpha = tgs_arg_real(a, "alpha"),
                         .beta = tgs_arg_real(a, "beta")};
    if (strcmp(reduce, "tree") && strcmp(reduce, "hierarchical") && !how->ring && !how->priced)
        return tgs_fail(err, TGS_EINVAL,
                        "replicas: no reduction '%s' (there are: tree, hierarchical, ring, "
                        "alpha-beta)",
                        reduce);
    if (how->modelled
        && (!how->priced || tgs_arg_given(a, "latency") || tgs_arg_given(a, "bandwidth")))
        return tgs_fail(err, TGS_EINVAL,
                        "replicas: alpha= and beta= go with reduce=alpha-beta, in the place of "
                        "latency= and bandwidth=");
    if ((how->groups > 0) != !strcmp(reduce, "hierarchical"))
        return tgs_fail(err, TGS_EINVAL,
                        "replicas: reduce=hierarchical and groups= go with each other");
    if ((how->ring || how->priced) && l->apart)
        return tgs_fail(err, TGS_ENOTAPPLICABLE,
                        "replicas: a ring joins the gradients of a whole step, and here every "
                        "micro-batch has an update of its own");
    return TGS_OK;
}

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    const int32_t count = (int32_t)tgs_arg_int(a, "count");
    const char *shares = tgs_arg_text(a, "shares");
    int64_t *share = NULL;
    tgs_joining how;
    tgs_status status = choose(&how, l, a, err);

    if (!status && *shares && count < 2 && !how.modelled)
        status = tgs_fail(err, TGS_EINVAL, "replicas: one replica has no share: use 'batch'");
    if (!status && *shares) {
        share = tgs_mem_alloc((size_t)count, sizeof *share);
        status = share ? tgs_i_amounts("replicas", shares, count, share, err)
                       : tgs_fail(err, TGS_ENOMEM, "replicas: out of memory");
    }
    if (!status)
        status = tgs_low_copy_joined(l, TGS_COPY_REPLICAS, count, share, &how, err);
    if (!status && how.priced && (count > 1 || how.modelled)
        && tgs_low_note(l, "sums over replicas are times alone (reduce=alpha-beta): nothing is "
                           "summed when they run"))
        status = tgs_fail(err, TGS_ENOMEM, "replicas: out of memory");
    tgs_mem_free(share);
    return status;
}

static const tgs_param params[] = {
    {"count", "1", TGS_PARAM_INT, 1, 100000, "how many"},
    {"tree", "2", TGS_PARAM_INT, 2, 1024, "children of a node of the reduction tree"},
    {"shares", "", TGS_PARAM_TEXT, 0, 0,
     "samples of each, which its micro-batches divide: 40,24; by default as the model is bound"},
    {"reduce", "tree", TGS_PARAM_TEXT, 0, 0, "tree, hierarchical, ring or alpha-beta"},
    {"groups", "0", TGS_PARAM_INT, 0, 100000, "of replicas, that reduce=hierarchical sums first"},
    {"latency", "1e-5", TGS_PARAM_REAL, 0, 1e6, "of a message, seconds, for reduce=alpha-beta"},
    {"bandwidth", "12e9", TGS_PARAM_REAL, 1e-15, 1e18, "of a message, byte/s, for the same"},
    {"alpha", "0", TGS_PARAM_REAL, 0, 1e6, "instead of them: seconds of a sum of nothing"},
    {"beta", "0", TGS_PARAM_REAL, 0, 1e6, "and more for each byte"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_replicas = {
    .base = {TGS_PLUGIN_ABI, "replicas",
             "data-parallel replicas and the reduction of their gradients",
             "Patarasuk, Yuan, Bandwidth optimal all-reduce algorithms, JPDC 2009", params},
    .stage = 50,
    .apply = apply,
};
