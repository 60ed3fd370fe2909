/* cases.h -- calls of every codelet, and how a kernel of any architecture is compared with the
 * plain-C definition in double. */
#ifndef TESTS_CASES_H
#define TESTS_CASES_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "internal.h"

/* buffers: "MODE SHAPE, ..."; SHAPE is 2x3, or i32:2<5 (i64:, bool:) for integers in [0, 5); a +
 * asks for values in (0.1, 1) instead of +-(0.1, 1), which keeps clear of kinks at 0.  k: the
 * longest sum.
 */
typedef struct codelet_case {
    const char *codelet, *attrs, *buffers;
    double k;
} codelet_case;

static const codelet_case cases[] = {
#include "caserows.h"
};
enum { CASES = sizeof cases / sizeof *cases, CASE_BUFFERS = 8 };

typedef struct tensor {
    tgs_mode mode;
    tgs_dtype dtype; /* F64, or of integers; a call may ask for F32 instead of F64 */
    int32_t rank;
    int64_t dims[8], count;
    double *value;
} tensor;

typedef struct instance { /* a case with values */
    const codelet_case *c;
    int32_t tensors;
    tensor t[CASE_BUFFERS];
} instance;

/* one buffer of "MODE SHAPE"; the values are float32 numbers, so both precisions see the same */
static const char *case_tensor(tensor *t, const char *s, tgs_rng *rng)
{
    double range = 0;
    bool positive;

    t->mode = s[0] == 'R' ? s[1] == 'W' ? TGS_RW : TGS_R : TGS_W;
    s = strchr(s, ' ') + 1;
    t->dtype = !strncmp(s, "i32:", 4)    ? TGS_I32
               : !strncmp(s, "i64:", 4)  ? TGS_I64
               : !strncmp(s, "bool:", 5) ? TGS_BOOL
                                         : TGS_F64;
    s += t->dtype == TGS_F64 ? 0 : t->dtype == TGS_BOOL ? 5 : 4;
    for (t->count = 1;; s++) {
        t->count *= t->dims[t->rank++] = strtoll(s, (char **)&s, 10);
        if (*s != 'x')
            break;
    }
    if (*s == '<')
        range = strtod(s + 1, (char **)&s);
    positive = *s == '+';
    s += positive;
    t->value = calloc((size_t)t->count, sizeof *t->value);
    for (int64_t i = 0; i < t->count; i++) {
        const double u = tgs_rng_real(rng), sign = tgs_rng_next(rng) & 1 ? 1 : -1;

        t->value[i] =
            range > 0 ? floor(u * range) : (float)((positive ? 1 : sign) * (0.1 + 0.9 * u));
    }
    return *s ? s + 2 : s;
}

static const tgs_kernel *plain(const tgs_codelets *set, const char *codelet, tgs_dtype dtype)
{
    for (int64_t i = 0; i < set->kernels; i++) {
        const tgs_kernel *k = &set->kernel[i];

        if (!strcmp(k->codelet, codelet) && !strcmp(k->arch, "cpu") && !strcmp(k->impl, "plain")
            && (k->dtype == dtype || k->dtype == TGS_BYTES))
            return k;
    }
    return NULL;
}

/* buffers of an instance in a precision, with copies of its values; case_free_buffers */
static void case_buffers(const instance *in, tgs_dtype real, tgs_buffer *b)
{
    for (int32_t i = 0; i < in->tensors; i++) {
        const tensor *t = &in->t[i];
        const tgs_dtype type = t->dtype == TGS_F64 ? real : t->dtype;

        b[i] = (tgs_buffer){.bytes = (double)t->count * tgs_dtype_size(type),
                            .dtype = type,
                            .mode = t->mode,
                            .rank = t->rank,
                            .dims = t->dims};
        b[i].data = malloc((size_t)b[i].bytes);
        for (int64_t j = 0; j < t->count; j++)
            if (t->mode == TGS_W)
                memset(b[i].data, 0xff, (size_t)b[i].bytes); /* NaN: must be overwritten */
            else if (type == TGS_I32)
                ((int32_t *)b[i].data)[j] = (int32_t)t->value[j];
            else if (type == TGS_I64)
                ((int64_t *)b[i].data)[j] = (int64_t)t->value[j];
            else if (type == TGS_BOOL)
                ((uint8_t *)b[i].data)[j] = t->value[j] != 0;
            else if (type == TGS_F32)
                ((float *)b[i].data)[j] = (float)t->value[j];
            else
                ((double *)b[i].data)[j] = t->value[j];
    }
}

static void case_free_buffers(const instance *in, tgs_buffer *b)
{
    for (int32_t i = 0; i < in->tensors; i++)
        free(b[i].data);
}

static double element(const tgs_buffer *b, int64_t i)
{
    return b->dtype == TGS_I32   ? ((int32_t *)b->data)[i]
           : b->dtype == TGS_I64 ? (double)((int64_t *)b->data)[i]
           : b->dtype == TGS_F32 ? ((float *)b->data)[i]
                                 : ((double *)b->data)[i];
}

/* in double by the plain definition; written tensors get their new values */
static void case_define(const tgs_codelets *set, instance *in)
{
    const tgs_kernel *k = plain(set, in->c->codelet, TGS_F64);
    tgs_buffer b[CASE_BUFFERS];
    const tgs_call call = {.buffer = b, .buffers = in->tensors, .attrs = in->c->attrs};

    assert_non_null(k);
    case_buffers(in, TGS_F64, b);
    assert_int_equal(k->run(&call), TGS_OK);
    for (int32_t i = 0; i < in->tensors; i++)
        for (int64_t j = 0; j < in->t[i].count && in->t[i].mode != TGS_R; j++)
            in->t[i].value[j] = element(&b[i], j);
    case_free_buffers(in, b);
}

static void case_close(instance *in)
{
    for (int32_t i = 0; i < in->tensors; i++)
        free(in->t[i].value);
}

static void case_open(const tgs_codelets *set, instance *in, const codelet_case *c, uint64_t seed)
{
    tgs_rng rng;

    *in = (instance){.c = c};
    tgs_rng_seed(&rng, seed);
    for (const char *s = c->buffers; *s; in->tensors++)
        s = case_tensor(&in->t[in->tensors], s, &rng);
    if (!strcmp(c->codelet, "maxpool_bwd")) { /* its Y is the pool of its X */
        const codelet_case pool = {"maxpool", c->attrs, "", 1};
        instance f = {.c = &pool, .tensors = 2, .t = {in->t[0], in->t[1]}};

        f.t[1].mode = TGS_W;
        case_define(set, &f);
    }
}

/* the written buffers agree with the definition, norm-wise */
static inline void case_compare(const instance *want, const tgs_buffer *b, double k, double unit,
                                const char *impl)
{
    for (int32_t i = 0; i < want->tensors; i++) {
        double error = 0, norm = 0;

        if (want->t[i].mode == TGS_R)
            continue;
        for (int64_t j = 0; j < want->t[i].count; j++) {
            const double d = element(&b[i], j) - want->t[i].value[j];

            error += d * d;
            norm += want->t[i].value[j] * want->t[i].value[j];
        }
        if (!(sqrt(error) <= unit * (4 + 2 * sqrt(k)) * sqrt(norm)))
            fail_msg("%s %s (%s) by %s: buffer %d is off by %g of %g", want->c->codelet,
                     want->c->attrs, want->c->buffers, impl, i, sqrt(error), sqrt(norm));
    }
}
#endif
