/* sizes.c -- how a step's samples may be cut into equal micro-batches. */
#include "step.h"

static bool fits(const tgs_planner_ctx *c, int64_t size, tgs_status *status, tgs_error *err)
{
    const tgs_layers *l;

    *status = tgs_planner_layers(c, 0, size, &l, err);
    if (*status == TGS_ENOTAPPLICABLE) {
        *status = TGS_OK;
        return false;
    }
    return !*status;
}

int32_t tgs_i_plan_sizes(const tgs_planner_ctx *c, int64_t given, int64_t *size, tgs_error *err)
{
    int32_t count = 0;
    tgs_status status = TGS_OK;

    if (given) {
        const tgs_layers *l;

        if (given > c->batch || c->batch % given)
            return tgs_fail(err, TGS_EINVAL,
                            "a step of %lld samples has no equal micro-batches of %lld",
                            (long long)c->batch, (long long)given);
        *size = given;
        status = tgs_planner_layers(c, 0, given, &l, err);
        return status ? (int32_t)status : 1;
    }
    for (int64_t b = 1; b <= c->batch && count < PLAN_SIZES && !status; b++)
        if (c->batch % b == 0 && fits(c, b, &status, err))
            size[count++] = b;
    if (!status && !count)
        status = tgs_fail(err, TGS_ENOTAPPLICABLE,
                          "a step of %lld samples is no multiple of the model's batch of %lld",
                          (long long)c->batch, (long long)c->bound);
    return status ? (int32_t)status : count;
}

tgs_status tgs_i_plan_put_batches(const tgs_planner_ctx *c, int64_t size, char *text, size_t room)
{
    const long long pieces = c->batch / size;
    const int n =
        snprintf(text, room, "micro-batches %lld%s", pieces, size == c->bound ? "" : "; batch ");

    if (size != c->bound)
        snprintf(text + n, room - (size_t)n, "%lld", (long long)size);
    return TGS_OK;
}
