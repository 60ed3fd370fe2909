/* datum.c -- the initial value of a datum. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "initparts.h"
#include "internal.h"

/* IEEE half precision, rounded to nearest even; overflow is infinity */
static uint16_t half(float x)
{
    uint32_t bits, sign, rest;
    int32_t exponent, shift;

    memcpy(&bits, &x, sizeof bits);
    sign = bits >> 16 & 0x8000;
    bits &= 0x7fffffff;
    if (bits >= 0x7f800000)
        return (uint16_t)(sign | 0x7c00 | (bits > 0x7f800000 ? 0x200 : 0));
    exponent = (int32_t)(bits >> 23) - 112; /* half's biased exponent */
    if (exponent < -10)
        return (uint16_t)sign;
    bits = (bits & 0x7fffff) | 0x800000;
    shift = exponent < 1 ? 14 - exponent : 13; /* subnormal halves lose more */
    rest = bits & ((1u << shift) - 1);
    bits >>= shift;
    if (rest > 1u << (shift - 1) || (rest == 1u << (shift - 1) && (bits & 1)))
        bits++;
    if (exponent >= 1)
        bits += (uint32_t)(exponent - 1) << 10; /* the implicit one adds the last step */
    return (uint16_t)(sign | (bits < 0x7c00 ? bits : 0x7c00));
}

static uint16_t bfloat(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* element i of an array of dtype; integers are rounded, and cut to their range */
static void store(void *to, int64_t i, tgs_dtype dtype, double x)
{
    const double whole = nearbyint(x);

    switch (dtype) {
    case TGS_F32:
        ((float *)to)[i] = (float)x;
        break;
    case TGS_F64:
        ((double *)to)[i] = x;
        break;
    case TGS_F16:
        ((uint16_t *)to)[i] = half((float)x);
        break;
    case TGS_BF16:
        ((uint16_t *)to)[i] = bfloat((float)x);
        break;
    case TGS_I8:
        ((int8_t *)to)[i] = (int8_t)fmax(INT8_MIN, fmin(INT8_MAX, whole));
        break;
    case TGS_I32:
        ((int32_t *)to)[i] = (int32_t)fmax(INT32_MIN, fmin(INT32_MAX, whole));
        break;
    case TGS_I64:
        ((int64_t *)to)[i] = (int64_t)fmax(-0x1p62, fmin(0x1p62, whole));
        break;
    case TGS_BOOL:
        ((uint8_t *)to)[i] = x != 0;
        break;
    case TGS_I16:
        ((int16_t *)to)[i] = (int16_t)fmax(INT16_MIN, fmin(INT16_MAX, whole));
        break;
    case TGS_U16:
        ((uint16_t *)to)[i] = (uint16_t)fmax(0, fmin(UINT16_MAX, whole));
        break;
    case TGS_U32:
        ((uint32_t *)to)[i] = (uint32_t)fmax(0, fmin(UINT32_MAX, whole));
        break;
    case TGS_U64:
        ((uint64_t *)to)[i] = (uint64_t)fmax(0, fmin(0x1p63, whole));
        break;
    case TGS_F8: /* E5M2: the first half of a half, cut */
        ((uint8_t *)to)[i] = (uint8_t)(half((float)x) >> 8);
        break;
    case TGS_C64:
        ((float *)to)[2 * i] = (float)x;
        ((float *)to)[2 * i + 1] = 0;
        break;
    case TGS_C128:
        ((double *)to)[2 * i] = x;
        ((double *)to)[2 * i + 1] = 0;
        break;
    case TGS_TEXT:
        ((uint64_t *)to)[i] = 0;
        break;
    case TGS_BYTES:
    case TGS_U8:
        ((uint8_t *)to)[i] = (uint8_t)fmax(0, fmin(UINT8_MAX, whole));
        break;
    }
}

static tgs_status fill_file(const char *text, size_t bytes, void *to, tgs_error *err)
{
    char *path, *end;
    const long long offset = strtoll(text, &end, 10);
    tgs_status status = TGS_OK;
    FILE *file;

    path = end + 1;
    if (end == text || *end != ':' || offset < 0)
        return tgs_fail(err, TGS_EINVAL, "file:%s is not file:OFFSET:PATH", text);
    file = fopen(path, "rb");
    if (!file)
        return tgs_fail_system(err, errno, path);
    if (fseeko(file, (off_t)offset, SEEK_SET) || fread(to, 1, bytes, file) != bytes)
        status = tgs_fail(err, TGS_EIO, "%s: has no %zu bytes at %lld", path, bytes, offset);
    fclose(file);
    return status;
}

static tgs_status fill_random(const char *text, tgs_dtype dtype, int64_t count, void *to,
                              tgs_error *err)
{
    char seed[32];
    const size_t n = strcspn(text, ":");
    char *end = NULL;
    double scale;
    tgs_rng rng;

    if (n < sizeof seed) {
        memcpy(seed, text, n);
        seed[n] = 0;
    }
    if (n < sizeof seed && n > 0 && text[n] == ':' && tgs_parse_real(text + n + 1, &scale)) {
        tgs_rng_seed(&rng, strtoull(seed, &end, 10));
        if (!*end) {
            for (int64_t i = 0; i < count; i++)
                store(to, i, dtype, scale * (2 * tgs_rng_real(&rng) - 1));
            return TGS_OK;
        }
    }
    return tgs_fail(err, TGS_EINVAL, "random:%s is not random:SEED:SCALE", text);
}

/* as many numbers as there are elements */
static tgs_status fill_values(const char *text, tgs_dtype dtype, int64_t count, void *to,
                              tgs_error *err)
{
    char *end = (char *)(uintptr_t)text;

    for (int64_t i = 0; i < count; i++) {
        store(to, i, dtype, strtod(text, &end));
        if (end == text || *end != (i + 1 < count ? ',' : 0))
            return tgs_fail(err, TGS_EINVAL, "values:... has no %lld numbers", (long long)count);
        text = end + 1;
    }
    return TGS_OK;
}

static tgs_status fill(const char *init, tgs_dtype dtype, size_t bytes, void *to, tgs_error *err);

/* the box of shape d in a whole of these dims, from `from` on, row by row */
static void take(const tgs_shape *d, const int64_t *whole, const int64_t *from, size_t size,
                 const char *all, char *to)
{
    int64_t at[TGS_I_PART_RANK] = {0}, row = d->rank ? d->dim[d->rank - 1] : 1, rows = 1;

    for (int32_t k = 0; k < d->rank - 1; k++)
        rows *= d->dim[k];
    for (int64_t r = 0; r < rows; r++) {
        int64_t offset = 0;

        for (int32_t k = 0; k < d->rank; k++)
            offset = offset * whole[k] + from[k] + at[k];
        memcpy(to + (size_t)(r * row) * size, all + (size_t)offset * size, (size_t)row * size);
        for (int32_t k = d->rank - 2; k >= 0 && ++at[k] == d->dim[k]; k--)
            at[k] = 0;
    }
}

/* "4,6:0,3:random:7:0.5" */
static tgs_status fill_part(const tgs_shape *d, const char *text, void *to, tgs_error *err)
{
    const size_t size = (size_t)tgs_dtype_size(d->dtype);
    int64_t whole[TGS_I_PART_RANK], from[TGS_I_PART_RANK];
    const char *inner = tgs_i_part_parse(text, d->rank, d->dim, whole, from);
    size_t count = 1;
    tgs_status status;
    char *all;

    if (!inner)
        return tgs_fail(err, TGS_EINVAL, "part:%s is not part:DIMS:FROM:INIT of this shape", text);
    for (int32_t k = 0; k < d->rank; k++)
        count *= (size_t)whole[k];
    all = tgs_mem_alloc(count, size);
    if (!all)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    status = fill(inner, d->dtype, count * size, all, err);
    if (!status)
        take(d, whole, from, size, all, to);
    tgs_mem_free(all);
    return status;
}

/* equal parts; what does not come out even is refused */
static tgs_status fill_parts(const char *text, tgs_dtype dtype, int64_t count, void *to,
                             tgs_error *err)
{
    const size_t size = (size_t)tgs_dtype_size(dtype);
    int64_t parts = 0;
    tgs_status status = TGS_OK;

    text = tgs_i_init_parts(text, &parts);
    if (!text || count % parts)
        return tgs_fail(err, TGS_EINVAL, "%lld elements have no %lld equal parts", (long long)count,
                        (long long)parts);
    for (int64_t i = 0; i < parts && !status; i++) {
        char *part;
        const char *wrong = tgs_i_init_part(text, &part, &text);

        if (wrong)
            status = tgs_fail(err, part ? TGS_EINVAL : TGS_ENOMEM, "join:...: %s", wrong);
        else
            status = fill(part, dtype, (size_t)(count / parts) * size,
                          (char *)to + (size_t)(i * (count / parts)) * size, err);
        tgs_mem_free(part);
    }
    return status;
}

static tgs_status fill(const char *init, tgs_dtype dtype, size_t bytes, void *to, tgs_error *err)
{
    const int64_t count = (int64_t)(bytes / (size_t)tgs_dtype_size(dtype));
    double value = 0;

    if (!strncmp(init, "file:", 5))
        return fill_file(init + 5, bytes, to, err);
    memset(to, 0, bytes); /* also what is left of the last element */
    if (!strncmp(init, "join:", 5))
        return fill_parts(init + 5, dtype, count, to, err);
    if (!strncmp(init, "random:", 7))
        return fill_random(init + 7, dtype, count, to, err);
    if (!strncmp(init, "values:", 7))
        return fill_values(init + 7, dtype, count, to, err);
    if (!strcmp(init, "zero"))
        return TGS_OK;
    if (strncmp(init, "constant:", 9) || !tgs_parse_real(init + 9, &value))
        return tgs_fail(err, TGS_EINVAL, "unknown initial value %s", init);
    for (int64_t i = 0; i < count; i++)
        store(to, i, dtype, value);
    return TGS_OK;
}

tgs_status tgs_datum_fill(const tgs_graph_view *g, int32_t datum, void *to, tgs_error *err)
{
    const tgs_datum *d = &g->datum[datum];
    const tgs_datum_extra *x = d->extra >= 0 ? &g->extra[d->extra] : NULL;
    const tgs_dtype dtype = x && x->rank >= 0 ? (tgs_dtype)x->dtype : TGS_F32;
    const char *init = x && x->init ? tgs_text(g, x->init) : "bound";
    tgs_shape shape = {.dtype = dtype};
    tgs_error why = {TGS_OK, ""};
    tgs_status status;

    for (; x && shape.rank < x->rank && shape.rank < TGS_I_PART_RANK; shape.rank++)
        shape.dim[shape.rank] = g->dim[x->dims + shape.rank];
    if (!strcmp(init, "bound"))
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "datum %s has no initial value",
                        tgs_datum_name(g, datum, TGS_ROOM));
    status = strncmp(init, "part:", 5) ? fill(init, dtype, (size_t)d->bytes, to, &why)
                                       : fill_part(&shape, init + 5, to, &why);
    return status
               ? tgs_fail(err, status, "datum %s: %s", tgs_datum_name(g, datum, TGS_ROOM), why.text)
               : TGS_OK;
}
