/* tiles.c -- matrices cut into square tiles, one datum each, and tasks that update a tile. */
#include <inttypes.h>
#include <string.h>
#include "core.h"

tgs_status tgs_i_tiles_open(tgs_i_tiles *t, const tgs_args *a, tgs_rng *rng, tgs_builder *b,
                            tgs_error *err)
{
    const char *dtype = tgs_arg_text(a, "dtype");
    tgs_status status;

    memset(t, 0, sizeof *t);
    status = tgs_i_gen_open_kinds(&t->gen, a, rng, b, err);
    if (status)
        return status;
    t->n = tgs_arg_int(a, "n");
    t->rows = tgs_arg_int(a, "tile");
    t->rate = tgs_arg_real(a, "rate");
    if (strcmp(dtype, "f64") && strcmp(dtype, "f32"))
        return tgs_fail(err, TGS_EINVAL, "dtype=%s: there are f64 and f32", dtype);
    t->dtype = dtype[1] == '6' ? TGS_F64 : TGS_F32;
    return TGS_OK;
}

/* The matrix is filled with random numbers, so that a run has something to move. */
static int32_t add_tile(tgs_i_tiles *t, int64_t i, int64_t j)
{
    tgs_builder *b = t->gen.b;
    const int64_t dims[2] = {t->rows, t->rows};
    char text[64];
    int32_t datum;

    snprintf(text, sizeof text, "%c_%" PRId64 "_%" PRId64, (char)('A' + i / t->n), i % t->n, j);
    datum = tgs_builder_datum(b, text, 0);
    tgs_builder_datum_shape(b, datum, t->dtype, 2, dims);
    snprintf(text, sizeof text, "random:%" PRId64 ":1", tgs_rng_int(t->gen.rng, 0, INT32_MAX));
    tgs_builder_datum_set(b, datum, "init", text);
    return datum;
}

static tgs_status add_tiles(tgs_i_tiles *t, const tgs_i_kernel *kernel, bool lower, int64_t rows)
{
    const double h = t->gen.heterogeneity;

    t->kernel = kernel;
    t->factor = tgs_mem_alloc((size_t)(TGS_I_GEN_KERNELS * t->gen.kinds), sizeof *t->factor);
    t->datum = tgs_mem_alloc((size_t)(rows * t->n), sizeof *t->datum);
    if (!t->factor || !t->datum)
        return tgs_fail(t->gen.err, TGS_ENOMEM, "out of memory");
    for (int32_t i = 0; i < TGS_I_GEN_KERNELS * t->gen.kinds; i++)
        t->factor[i] = 1 + h / 2 * (2 * tgs_rng_real(t->gen.rng) - 1);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < t->n; j++)
            t->datum[i * t->n + j] = lower && j > i ? -1 : add_tile(t, i, j);
    return tgs_i_gen_status(&t->gen);
}

tgs_status tgs_i_tiles_matrix(tgs_i_tiles *t, const tgs_i_kernel *kernel, bool lower)
{
    return add_tiles(t, kernel, lower, t->n);
}

tgs_status tgs_i_tiles_matrices(tgs_i_tiles *t, const tgs_i_kernel *kernel, int32_t count)
{
    return add_tiles(t, kernel, false, count * t->n);
}

void tgs_i_tiles_close(tgs_i_tiles *t)
{
    tgs_mem_free(t->factor);
    tgs_mem_free(t->datum);
    tgs_i_gen_close(&t->gen);
}

tgs_status tgs_i_tiles_task(tgs_i_tiles *t, int32_t k, const int64_t number[3],
                            const int64_t read[3][2], int64_t row, int64_t column)
{
    const tgs_i_kernel *kernel = &t->kernel[k];
    tgs_builder *b = t->gen.b;
    const double seconds = t->rate > 0 ? kernel->flops / t->rate : NAN;
    char name[96], codelet[32];
    int32_t task, tiles = 1;
    int used = snprintf(name, sizeof name, "%s", kernel->name);

    for (int32_t i = 0; i < 3 && number[i] >= 0; i++)
        used += snprintf(name + used, sizeof name - (size_t)used, "_%" PRId64, number[i]);
    snprintf(codelet, sizeof codelet, "%c%s", t->dtype == TGS_F64 ? 'd' : 's', kernel->name);
    task = tgs_builder_task(b, name, codelet, seconds);
    for (int32_t i = 0; t->rate > 0 && i < t->gen.kinds; i++)
        tgs_builder_task_time(b, task, t->gen.kind[i], seconds * t->factor[k * t->gen.kinds + i]);
    tgs_builder_task_attrs(b, task, kernel->attrs);
    for (int32_t i = 0; i < 3 && read[i][0] >= 0; i++, tiles++)
        tgs_builder_access(b, task, t->datum[read[i][0] * t->n + read[i][1]], TGS_R);
    t->task = task;
    t->touched = tiles - 1;
    t->flops = kernel->flops;
    return tgs_i_tiles_touch(t, row, column, TGS_RW);
}

tgs_status tgs_i_tiles_touch(tgs_i_tiles *t, int64_t row, int64_t column, tgs_mode mode)
{
    tgs_builder *b = t->gen.b;

    tgs_builder_access(b, t->task, t->datum[row * t->n + column], mode);
    tgs_builder_task_cost(b, t->task, t->flops,
                          ++t->touched * (double)(t->rows * t->rows) * tgs_dtype_size(t->dtype));
    return tgs_builder_status(b, NULL);
}
