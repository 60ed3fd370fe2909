/* t_golden.c -- kernels against the values of an independent script, in both precisions:
 * tests/data/kernels/golden.txt, made by oracle.py beside it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "internal.h"

enum { BUFFERS = 6, DIMS = 8 };

typedef struct record {
    char codelet[64], attrs[128];
    tgs_buffer buffer[BUFFERS];
    int64_t dim[BUFFERS][DIMS], count[BUFFERS];
    double *value[BUFFERS]; /* as the script has them */
    bool real[BUFFERS];
    int32_t buffers;
} record;

static void store(void *to, int64_t i, tgs_dtype t, double x)
{
    if (t == TGS_F32)
        ((float *)to)[i] = (float)x;
    else if (t == TGS_F64)
        ((double *)to)[i] = x;
    else if (t == TGS_I32)
        ((int32_t *)to)[i] = (int32_t)x;
    else
        ((int64_t *)to)[i] = (int64_t)x;
}

static double load(const void *from, int64_t i, tgs_dtype t)
{
    return t == TGS_F32   ? ((const float *)from)[i]
           : t == TGS_F64 ? ((const double *)from)[i]
           : t == TGS_I32 ? ((const int32_t *)from)[i]
                          : (double)((const int64_t *)from)[i];
}

/* "r real 3x4 0.5 ..." */
static void take(record *r, char *line)
{
    const int32_t b = r->buffers++;
    tgs_buffer *x = &r->buffer[b];
    char *mode = tgs_word(&line), *type = tgs_word(&line), *dims = tgs_word(&line), *word;

    assert_true(b < BUFFERS);
    x->mode = *mode == 'r' ? TGS_R : TGS_W;
    r->real[b] = !strcmp(type, "real");
    x->dtype = !strcmp(type, "i32") ? TGS_I32 : TGS_I64;
    r->count[b] = 1;
    for (x->rank = 0; (word = strsep(&dims, "x")); x->rank++)
        r->count[b] *= r->dim[b][x->rank] = atoi(word);
    x->dims = r->dim[b];
    r->value[b] = malloc((size_t)r->count[b] * sizeof(double));
    for (int64_t i = 0; i < r->count[b]; i++) {
        word = tgs_word(&line);
        assert_non_null(word);
        r->value[b][i] = strtod(word, NULL);
    }
    assert_null(tgs_word(&line));
}

static void run(record *r, const tgs_codelets *set, tgs_dtype real)
{
    const tgs_kernel *k = tgs_kernel_find(set, r->codelet, "cpu", real);
    const double bound = real == TGS_F32 ? 4e-7 : 1e-15;
    tgs_call call = {.buffer = r->buffer, .buffers = r->buffers, .attrs = r->attrs};

    if (!k)
        fail_msg("no kernel %s", r->codelet);
    for (int32_t b = 0; b < r->buffers; b++) {
        tgs_buffer *x = &r->buffer[b];

        if (r->real[b])
            x->dtype = real;
        x->bytes = (double)r->count[b] * tgs_dtype_size(x->dtype);
        x->data = calloc((size_t)r->count[b], 8);
        for (int64_t i = 0; i < r->count[b] && x->mode == TGS_R; i++)
            store(x->data, i, x->dtype, r->value[b][i]);
    }
    assert_int_equal(k->run(&call), TGS_OK);
    for (int32_t b = 0; b < r->buffers; b++) {
        for (int64_t i = 0; i < r->count[b]; i++)
            if (fabs(load(r->buffer[b].data, i, r->buffer[b].dtype) - r->value[b][i]) > bound)
                fail_msg("%s %s: buffer %d, element %d: %.17g, not %.17g", r->codelet, r->attrs,
                         (int)b, (int)i, load(r->buffer[b].data, i, r->buffer[b].dtype),
                         r->value[b][i]);
        free(r->buffer[b].data);
    }
}

static void finish(record *r, const tgs_codelets *set)
{
    if (!*r->codelet)
        return;
    run(r, set, TGS_F64);
    run(r, set, TGS_F32);
    for (int32_t b = 0; b < r->buffers; b++)
        free(r->value[b]);
    memset(r, 0, sizeof *r);
}

static void golden_values(void **state)
{
    const char *root = getenv("TGS_SRCDIR");
    static char line[100000];
    record r = {.buffers = 0};
    tgs_codelets *set;
    char path[4096];
    int32_t records = 0;
    FILE *f;

    (void)state;
    snprintf(path, sizeof path, "%s/tests/data/kernels/golden.txt", root ? root : ".");
    f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(tgs_codelets_new(&set, NULL), TGS_OK);
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "kernel ", 7)) {
            take(&r, line);
            continue;
        }
        finish(&r, set);
        assert_int_equal(sscanf(line, "kernel %63s %127[^\n]", r.codelet, r.attrs), 2);
        records++;
    }
    finish(&r, set);
    fclose(f);
    assert_int_equal(records, 17);
    tgs_codelets_free(set);
}

/* an index outside of the axis is told, and what is no number has no place in an order */
static void bad_values(void **state)
{
    const int64_t dim[] = {3}, one[] = {1};
    float x[] = {1, NAN, 2}, y[3];
    int64_t index[] = {3};
    tgs_buffer b[] = {{x, 12, TGS_F32, TGS_R, 1, dim},
                      {index, 8, TGS_I64, TGS_R, 1, one},
                      {y, 4, TGS_F32, TGS_W, 1, one}};
    const tgs_call gather = {.buffer = b, .buffers = 3, .attrs = "axis=0"};
    const tgs_call top = {.buffer = (tgs_buffer[]){b[0], {y, 12, TGS_F32, TGS_W, 1, dim}},
                          .buffers = 2,
                          .attrs = "axis=0"};
    tgs_codelets *set;

    (void)state;
    assert_int_equal(tgs_codelets_new(&set, NULL), TGS_OK);
    assert_int_equal(tgs_kernel_find(set, "gatherelements", "cpu", TGS_F32)->run(&gather),
                     TGS_EINVAL);
    index[0] = -3;
    assert_int_equal(tgs_kernel_find(set, "gatherelements", "cpu", TGS_F32)->run(&gather), TGS_OK);
    assert_true(y[0] == 1);
    assert_int_equal(tgs_kernel_find(set, "topk", "cpu", TGS_F32)->run(&top), TGS_EINVAL);
    tgs_codelets_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_values),
        cmocka_unit_test(bad_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
