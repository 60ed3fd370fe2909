/* scatternd.c -- a tensor with the entries at some coordinates replaced, in their order, or
 * combined with what is there: attribute reduction add, mul, max or min. */
#ifdef real
static real FN(combined)(int reduction, real old, real update)
{
    switch (reduction) {
    case ADD:
        return old + update;
    case MUL:
        return old * update;
    case MAX:
        return old > update ? old : update;
    case MIN:
        return old < update ? old : update;
    default:
        return update;
    }
}

static tgs_status FN(scatternd_run)(const tgs_call *c)
{
    const int reduction = reduction_of(c);
    const real *update = c->buffer[2].data;
    real *y = c->buffer[3].data;
    tgs_i_coordinates p;
    const tgs_status status = tgs_i_coordinates_new(&p, c, 0, 1, 2, NULL);

    if (status)
        return status;
    memcpy(y, c->buffer[0].data, (size_t)tgs_i_shape_of(&c->buffer[0]).count * sizeof *y);
    for (int64_t i = 0; i < p.count; i++, update += p.entry) {
        const int64_t at = tgs_i_coordinates_at(&p, &c->buffer[1], i);

        if (at < 0)
            return TGS_EINVAL;
        for (int64_t k = 0; k < p.entry; k++)
            y[at + k] = FN(combined)(reduction, y[at + k], update[k]);
    }
    return TGS_OK;
}
#else
#include <string.h>
#include "../shape.h"

enum { NONE, ADD, MUL, MAX, MIN, REDUCTIONS };

/* REDUCTIONS: there is none of that name */
static int reduction_of(const tgs_call *c)
{
    static const char *const names[REDUCTIONS] = {"none", "add", "mul", "max", "min"};
    char name[16] = "none";
    int at = 0;

    tgs_attr_text(c->attrs, "reduction", name, sizeof name);
    while (at < REDUCTIONS && strcmp(names[at], name) != 0)
        at++;
    return at;
}

#define BODY "scatternd.c"
#include "core.h"

static tgs_status check(const tgs_call *c, tgs_error *err)
{
    const tgs_call ends = {.buffer = (tgs_buffer[]){c->buffer[0], c->buffer[3]}, .buffers = 2};
    const tgs_status status = tgs_i_check_alike(&ends, 0, 2, err);
    tgs_i_coordinates p;

    if (!status && reduction_of(c) == REDUCTIONS)
        return tgs_fail(err, TGS_EINVAL, "reduction is none, add, mul, max or min");
    return status ? status : tgs_i_coordinates_new(&p, c, 0, 1, 2, err);
}

static const tgs_kernel kernels[] = {
    TGS_I_PLAIN("scatternd", scatternd_run),
    {0},
};

const tgs_kernels tgs_kernel_cpu_scatternd = {
    .base = {TGS_PLUGIN_ABI, "scatternd", "entries at coordinates replaced", NULL, NULL},
    .buffers = "R X, R I, R U, W Y",
    .attrs = "reduction",
    .kernel = kernels,
    .check = check,
};
#endif
