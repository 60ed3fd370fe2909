/* ensemble.c -- networks of one shape on the same input, whose outputs are averaged. */
#include <string.h>
#include "core.h"

static tgs_status build(const tgs_zoo_call *c, int32_t *output, tgs_error *err)
{
    enum { MOST = 64 };
    const int64_t members = tgs_arg_int(c->args, "members");
    const char *of = tgs_arg_text(c->args, "of");
    int32_t member[MOST], sum = -1;
    char spec[160], prefix[TGS_I_NET_NAME];
    tgs_status status = TGS_OK;
    tgs_i_net n;
    tgs_i_val y;

    if (!strcmp(of, "ensemble"))
        return tgs_fail(err, TGS_EINVAL, "ensemble: of=ensemble is no network to average");
    snprintf(spec, sizeof spec, "%.100s:batch=%lld", of, (long long)tgs_arg_int(c->args, "batch"));
    for (int64_t i = 0; i < members && !status; i++) {
        snprintf(prefix, sizeof prefix, "%.100smember%lld.", c->prefix, (long long)i);
        status = tgs_zoo_build(c->b, spec, prefix, c->again || i, &member[i], err);
    }
    if (status)
        return status;
    tgs_i_net_open(&n, c);
    tgs_i_net_ops(&n, "sum", "Sum", NULL, (int32_t)members, member, 1, &sum);
    y = (tgs_i_val){tgs_i_net_op(&n, "mean", "Div", NULL, 2, sum,
                                 tgs_i_net_real(&n, "members", (double)members)),
                    0};
    return tgs_i_net_close(&n, y, output, err);
}

static const tgs_param params[] = {
    TGS_I_NET_BATCH(32),
    {"of", "mlp", TGS_PARAM_TEXT, 0, 0, "the network of each member, with its own defaults"},
    {"members", "4", TGS_PARAM_INT, 1, 64, "members"},
    TGS_I_NET_END,
};

const tgs_zoo tgs_zoo_ensemble = {
    .base = {TGS_PLUGIN_ABI, "ensemble", "networks of one shape whose outputs are averaged",
             "Lakshminarayanan, Pritzel, Blundell, Deep ensembles, NIPS 2017", params},
    .names = "ensemble",
    .build = build,
};
