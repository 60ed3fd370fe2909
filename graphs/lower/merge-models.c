/* merge-models.c -- models of one architecture, with weights and inputs of their own, become one
 * model with one operator in the place of each M: a launch serves all. */
#include "core.h"

static tgs_status rewrite(const tgs_model_view *m, const tgs_args *a, tgs_model_builder *b,
                          tgs_error *err)
{
    tgs_i_twins w;
    tgs_status status = tgs_i_twins_find(&w, m, (int32_t)tgs_arg_int(a, "copies"), err);

    if (!status)
        status = tgs_i_merge(&w, b, err);
    tgs_i_twins_free(&w);
    return status;
}

static const tgs_param params[] = {
    {"copies", "0", TGS_PARAM_INT, 0, 4096, "of one model; 0: the models that there are"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_transform tgs_transform_merge_models = {
    .base = {TGS_PLUGIN_ABI, "merge-models",
             "several models of one architecture as one, operator by operator",
             "Jeong, Kim, Yu, Kim, Chun, Lee, NetFuse, 2021", params},
    .stage = 1,
    .rewrite = rewrite,
};
