/* t_oprows.c -- shapes and flops of operators: tests/data/onnx/rows.txt, where a script wrote what
 * onnx's own shape inference says of them, and figures computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "nets.h"

enum { MOST = 16 };

typedef struct described {
    tgs_dtype dtype;
    int32_t rank, values;
    int64_t dim[TGS_MODEL_RANK], value[MOST];
} described;

/* "f32:2x3", "i64:2=4,5" */
static described describe(char *text)
{
    static const char *const names[] = {"f32", "i64", "i32", "u8", "i8", "bool"};
    static const tgs_dtype types[] = {TGS_F32, TGS_I64, TGS_I32, TGS_U8, TGS_I8, TGS_BOOL};
    char *dims = strchr(text, ':') + 1, *values = strchr(dims, '='), *word;
    described d = {.dtype = TGS_TEXT};

    dims[-1] = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], text))
            d.dtype = types[i];
    assert_true(d.dtype != TGS_TEXT);
    if (values)
        *values++ = 0;
    while (*dims && (word = strsep(&dims, "x"))) {
        d.dim[d.rank++] = atoi(word);
        if (!dims)
            break;
    }
    while (values && (word = strsep(&values, ",")))
        d.value[d.values++] = atoi(word);
    return d;
}

static void set_input(net *n, int32_t tensor, const described *d)
{
    tgs_model_shape(n->b, tensor, d->dtype, d->rank, d->dim);
    if (d->values) {
        tgs_model_stored(n->b, tensor, NULL);
        tgs_model_integers(n->b, tensor, d->value);
    } else
        tgs_model_input(n->b, tensor);
}

static void check_outputs(const tgs_model *m, const char *type, int32_t count, char **outputs)
{
    for (int32_t i = 0; i < count; i++) {
        char name[16];
        const tgs_tensor *t;
        described d;

        snprintf(name, sizeof name, "y%d", (int)i);
        t = tensor_of(m, name);
        d = describe(outputs[i]);
        if (t->dtype != d.dtype || t->rank != d.rank)
            fail_msg("%s: output %d is %s of rank %d", type, (int)i, tgs_dtype_name(t->dtype),
                     (int)t->rank);
        for (int32_t k = 0; k < d.rank; k++)
            if (t->dim[k] != d.dim[k])
                fail_msg("%s: output %d has %lld in dimension %d, not %lld", type, (int)i,
                         (long long)t->dim[k], (int)k, (long long)d.dim[k]);
    }
}

/* blank-separated words, cut in place */
static int32_t cut(char *text, char **word)
{
    int32_t n = 0;

    while ((word[n] = tgs_word(&text)))
        assert_true(++n < MOST);
    return n;
}

static void check_row(char *line)
{
    char *type = strsep(&line, ";"), *attrs = strsep(&line, ";"), *in = strsep(&line, ";");
    char *out = strsep(&line, ";"), *word[MOST], name[8];
    int32_t input[MOST], output[MOST], inputs, outputs;
    const double flops = atof(line);
    net n = net_new();
    double sum = 0;
    tgs_model *m;
    tgs_graph *g;
    tgs_error err = {TGS_OK, ""};

    inputs = cut(in, word);
    for (int32_t i = 0; i < inputs; i++) {
        described d;

        snprintf(name, sizeof name, "x%d", (int)i);
        input[i] = strcmp(word[i], "-") ? tgs_model_tensor(n.b, name) : -1;
        if (input[i] < 0)
            continue;
        d = describe(word[i]);
        set_input(&n, input[i], &d);
    }
    outputs = cut(out, word);
    for (int32_t i = 0; i < outputs; i++) {
        snprintf(name, sizeof name, "y%d", (int)i);
        output[i] = tgs_model_tensor(n.b, name);
        tgs_model_output(n.b, output[i]);
    }
    tgs_model_operator(n.b, "op", type, attrs, inputs, input, outputs, output);
    if (tgs_model_finish(&m, n.b, &err))
        fail_msg("%s: %s", type, err.text);
    if (m->v.op[0].opaque)
        fail_msg("%s %s is opaque: %s", type, attrs, m->v.note ? m->v.note : "");
    check_outputs(m, type, outputs, word);
    g = lowered(m, NULL);
    for (int32_t t = 0; t < g->v.tasks; t++)
        sum += g->v.task[t].flops;
    if (!(fabs(sum - flops) <= 1e-9 * flops))
        fail_msg("%s %s: %.17g flops, not %.17g", type, attrs, sum, flops);
    tgs_graph_free(g);
    tgs_model_free(m);
}

static void shapes_and_flops(void **state)
{
    const char *root = getenv("TGS_SRCDIR");
    char path[4096], line[400];
    int32_t rows = 0;
    FILE *f;

    (void)state;
    snprintf(path, sizeof path, "%s/tests/data/onnx/rows.txt", root ? root : ".");
    f = fopen(path, "r");
    assert_non_null(f);
    for (; fgets(line, sizeof line, f); rows++) {
        line[strcspn(line, "\n")] = 0;
        check_row(line);
    }
    fclose(f);
    assert_true(rows > 70);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes_and_flops)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
