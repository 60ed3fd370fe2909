/* builddata.c -- a graph being written: its data. */
#include <stdlib.h>
#include <string.h>
#include "builder.h"
#include "initparts.h"

static const char *datum_name(const tgs_builder *b, int32_t datum)
{
    return b->arena.text + b->datum[datum].name;
}

int32_t tgs_i_builder_add_datum(tgs_builder *b, const tgs_datum *d, const tgs_datum_extra *x)
{
    if (b->first.status)
        return b->first.status;
    if (b->data == TGS_I_MAX_DATA)
        return tgs_i_builder_fail(b, TGS_EINVAL, "too many data");
    if (tgs_mem_grow(&b->datum, &b->datum_room, b->data + 1, sizeof *d)
        || tgs_mem_grow(&b->extra, &b->extra_room, b->extras + (x != NULL), sizeof *x))
        return tgs_i_builder_fail(b, TGS_ENOMEM, "out of memory");
    b->datum[b->data] = *d;
    if (x) {
        b->datum[b->data].extra = (int32_t)b->extras;
        b->extra[b->extras] = *x;
        b->extra[b->extras++].datum = (int32_t)b->data;
    }
    return (int32_t)b->data++;
}

int32_t tgs_builder_datum(tgs_builder *b, const char *name, double bytes)
{
    tgs_datum d = {.bytes = bytes, .extra = -1};

    if (b->first.status)
        return b->first.status;
    if (!(bytes >= 0) || isinf(bytes))
        return tgs_i_builder_fail(b, TGS_EINVAL, "datum '%s': %g is not a size", name ? name : "",
                                  bytes);
    d.name = tgs_i_builder_name(b, &b->datum_names, "data", name, b->data);
    return tgs_i_builder_add_datum(b, &d, NULL);
}

tgs_status tgs_builder_datum_bytes(tgs_builder *b, int32_t datum, double bytes)
{
    if (tgs_i_builder_bad_datum(b, datum))
        return b->first.status;
    if (!(bytes >= 0) || isinf(bytes))
        return tgs_i_builder_fail(b, TGS_EINVAL, "datum '%s': %g is not a size",
                                  datum_name(b, datum), bytes);
    b->datum[datum].bytes = bytes;
    return TGS_OK;
}

static tgs_datum_extra *extra(tgs_builder *b, int32_t datum)
{
    int32_t i = b->datum[datum].extra;

    if (i < 0) {
        if (tgs_mem_grow(&b->extra, &b->extra_room, b->extras + 1, sizeof *b->extra)) {
            tgs_i_builder_fail(b, TGS_ENOMEM, "out of memory");
            return NULL;
        }
        i = b->datum[datum].extra = (int32_t)b->extras++;
        b->extra[i] = (tgs_datum_extra){.datum = datum, .rank = -1};
    }
    return &b->extra[i];
}

tgs_status tgs_builder_datum_shape(tgs_builder *b, int32_t datum, tgs_dtype dtype, int32_t rank,
                                   const int64_t *dims)
{
    tgs_datum_extra *x;
    double bytes = tgs_dtype_size(dtype);

    if (tgs_i_builder_bad_datum(b, datum) || !(x = extra(b, datum)))
        return b->first.status;
    if ((unsigned)dtype > TGS_TEXT || rank < 0 || rank > 64)
        return tgs_i_builder_fail(b, TGS_EINVAL, "datum '%s': bad shape", datum_name(b, datum));
    if (tgs_mem_grow(&b->dim, &b->dim_room, b->dims + rank, sizeof *dims))
        return tgs_i_builder_fail(b, TGS_ENOMEM, "out of memory");
    for (int32_t i = 0; i < rank; i++) {
        if (dims[i] < 0 || (bytes *= (double)dims[i]) > 0x1p53)
            return tgs_i_builder_fail(b, TGS_EINVAL, "datum '%s': dimension %lld",
                                      datum_name(b, datum), (long long)dims[i]);
        b->dim[b->dims + i] = dims[i];
    }
    x->dtype = (uint8_t)dtype;
    x->rank = rank;
    x->dims = (int32_t)b->dims;
    b->dims += rank;
    b->datum[datum].bytes = bytes;
    return TGS_OK;
}

tgs_status tgs_builder_datum_class(tgs_builder *b, int32_t datum, tgs_class c)
{
    tgs_datum_extra *x;

    if (tgs_i_builder_bad_datum(b, datum) || !(x = extra(b, datum)))
        return b->first.status;
    if ((unsigned)c > TGS_CLASS_INPUT)
        return tgs_i_builder_fail(b, TGS_EINVAL, "datum '%s': no such class", datum_name(b, datum));
    x->class_ = (uint8_t)c;
    return TGS_OK;
}

/* numbers between commas */
static bool good_values(const char *text)
{
    char number[64];
    double x;

    for (;; text++) {
        const size_t n = strcspn(text, ",");

        if (n >= sizeof number)
            return false;
        memcpy(number, text, n);
        number[n] = 0;
        if (!tgs_parse_real(number, &x))
            return false;
        text += n;
        if (!*text)
            return true;
    }
}

const char *tgs_i_init_parts(const char *text, int64_t *count)
{
    char *end;

    *count = strtoll(text, &end, 10);
    return end > text && *end == ':' && *count > 0 ? end + 1 : NULL;
}

const char *tgs_i_init_part(const char *text, char **part, const char **rest)
{
    char *end;
    const long long size = strtoll(text, &end, 10);

    *part = NULL;
    *rest = NULL;
    if (end == text || *end != ':' || size < 1 || strnlen(end + 1, (size_t)size) < (size_t)size)
        return "malformed";
    *part = tgs_mem_alloc((size_t)size + 1, 1);
    if (!*part)
        return "out of memory";
    memcpy(*part, end + 1, (size_t)size);
    *rest = end + 1 + size;
    return NULL;
}

static bool good_init(const char *text, int depth);

/* "2:4:zero10:constant:1": as many texts as are said, and nothing behind them */
static bool good_parts(const char *text, int depth)
{
    int64_t count;
    bool good = true;

    text = tgs_i_init_parts(text, &count);
    for (; text && count && good; count--) {
        char *part;

        good = !tgs_i_init_part(text, &part, &text) && good_init(part, depth + 1);
        tgs_mem_free(part);
    }
    return text && good && !*text;
}

/* "4,6" as rank numbers that a character `end` follows; what comes after it, or NULL */
static const char *part_list(const char *text, int32_t rank, int64_t *out)
{
    for (int32_t k = 0; k < rank; k++) {
        const char end = k + 1 < rank ? ',' : ':';
        char number[24];
        const size_t n = strcspn(text, ",:");

        if (n >= sizeof number || text[n] != end)
            return NULL;
        memcpy(number, text, n);
        number[n] = 0;
        if (!tgs_parse_count(number, (int64_t)1 << 53, &out[k]))
            return NULL;
        text += n + 1;
    }
    return text;
}

const char *tgs_i_part_parse(const char *text, int32_t rank, const int64_t *dim, int64_t *whole,
                             int64_t *from)
{
    if (rank < 1 || rank > TGS_I_PART_RANK || !(text = part_list(text, rank, whole))
        || !(text = part_list(text, rank, from)))
        return NULL;
    for (int32_t k = 0; k < rank; k++)
        if (from[k] > whole[k] - dim[k])
            return NULL;
    return text;
}

/* of any shape: whether it is that of the datum shows when it is filled */
static bool good_part(const char *text, int depth)
{
    const int64_t none[TGS_I_PART_RANK] = {0};
    int64_t whole[TGS_I_PART_RANK], from[TGS_I_PART_RANK];
    const char *inner = strchr(text, ':');
    int32_t rank = 1;

    for (const char *c = text; inner && c < inner; c++)
        rank += *c == ',';
    inner = tgs_i_part_parse(text, rank, none, whole, from);
    return inner && strncmp(inner, "part:", 5) && strcmp(inner, "bound")
           && good_init(inner, depth + 1);
}

static bool good_init(const char *text, int depth)
{
    const char *value = strchr(text, ':');
    char number[64];
    size_t n;
    double x;
    int64_t whole;

    if (!value)
        return !strcmp(text, "zero") || !strcmp(text, "bound");
    if (!strncmp(text, "values:", 7))
        return good_values(text + 7);
    if (!strncmp(text, "part:", 5))
        return depth < TGS_I_INIT_DEPTH && good_part(text + 5, depth);
    if (!strncmp(text, "join:", 5))
        return depth < TGS_I_INIT_DEPTH && good_parts(text + 5, depth);
    value++;
    n = strcspn(value, ":");
    if (n >= sizeof number)
        return false;
    memcpy(number, value, n);
    number[n] = 0;
    if (!strncmp(text, "constant:", 9))
        return !value[n] && tgs_parse_real(number, &x);
    if (!tgs_parse_count(number, INT64_MAX, &whole) || !value[n] || !value[n + 1])
        return false;
    if (!strncmp(text, "random:", 7))
        return tgs_parse_real(value + n + 1, &x) && x >= 0;
    return !strncmp(text, "file:", 5);
}

tgs_status tgs_builder_datum_set(tgs_builder *b, int32_t datum, const char *key, const char *value)
{
    tgs_datum_extra *x;
    int32_t offset;

    if (tgs_i_builder_bad_datum(b, datum) || !(x = extra(b, datum)))
        return b->first.status;
    if (!strcmp(key, "persistent") && (!strcmp(value, "0") || !strcmp(value, "1"))) {
        x->persistent = *value == '1';
        return TGS_OK;
    }
    if ((strcmp(key, "home") || !*value) && (strcmp(key, "init") || !good_init(value, 0)))
        return tgs_i_builder_fail(b, TGS_EINVAL, "datum '%s': %s=%s is malformed",
                                  datum_name(b, datum), key, value);
    offset = tgs_i_builder_keep(b, value);
    if (offset < 0)
        return b->first.status;
    *(*key == 'h' ? &x->home : &x->init) = offset;
    return TGS_OK;
}
