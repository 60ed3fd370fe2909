/* t_known.c -- values that are known before a step runs.  Exporters compute shapes with operators;
 * every one is given small values here, and what it makes of them must be known, as the operator's
 * definition has it.  Then three computations as exporters write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "nets.h"

enum { MOST = 12 };

typedef struct whole {
    int32_t rank, count;
    int64_t dim[3], value[MOST];
} whole;
#define ONE(...)                                                                     \
    {                                                                                \
        1, sizeof(int64_t[]){__VA_ARGS__} / 8, {sizeof(int64_t[]){__VA_ARGS__} / 8}, \
        {                                                                            \
            __VA_ARGS__                                                              \
        }                                                                            \
    }
#define TWO(rows, columns, ...)                 \
    {                                           \
        2, (rows) * (columns), {rows, columns}, \
        {                                       \
            __VA_ARGS__                         \
        }                                       \
    }

/* x, and y and z where rank > 0, become out */
static const struct row {
    const char *type, *attrs;
    whole x, y, z, out;
} rows[] = {
    {"Add", NULL, ONE(1, 2, 3), ONE(10), {0}, ONE(11, 12, 13)},
    {"Sub", NULL, TWO(2, 2, 1, 2, 3, 4), ONE(1, 10), {0}, TWO(2, 2, 0, -8, 2, -6)},
    {"Mul", NULL, ONE(2, -3), ONE(5, 7), {0}, ONE(10, -21)},
    {"Div", NULL, ONE(7, -7, 9), ONE(2, 2, -1), {0}, ONE(3, -3, -9)},
    {"Mod", NULL, ONE(7, -7, 7, -7, 6), ONE(4, 4, -4, -4, -1), {0}, ONE(3, 1, -1, -3, 0)},
    {"Pow", NULL, ONE(2, -3, 5), ONE(10, 3, 0), {0}, ONE(1024, -27, 1)},
    {"Max", NULL, ONE(1, 5), ONE(3, 3), ONE(2, 9), ONE(3, 9)},
    {"Min", NULL, ONE(1, 5), ONE(3, 3), ONE(2, 2), ONE(1, 2)},
    {"Neg", NULL, ONE(1, -5, 0), {0}, {0}, ONE(-1, 5, 0)},
    {"Abs", NULL, ONE(1, -5, 0), {0}, {0}, ONE(1, 5, 0)},
    {"Sign", NULL, ONE(9, -5, 0), {0}, {0}, ONE(1, -1, 0)},
    {"Not", NULL, ONE(1, 0), {0}, {0}, ONE(0, 1)},
    {"Equal", NULL, ONE(1, 2, 3), ONE(3, 2, 1), {0}, ONE(0, 1, 0)},
    {"And", NULL, ONE(1, 1, 0), ONE(1, 0, 0), {0}, ONE(1, 0, 0)},
    {"Or", NULL, ONE(1, 1, 0), ONE(1, 0, 0), {0}, ONE(1, 1, 0)},
    {"Xor", NULL, ONE(1, 1, 0), ONE(1, 0, 0), {0}, ONE(0, 1, 0)},
    {"Where", NULL, ONE(1, 0, 1), ONE(4, 5, 6), ONE(9), ONE(4, 9, 6)},
    {"Transpose", NULL, TWO(2, 3, 1, 2, 3, 4, 5, 6), {0}, {0}, TWO(3, 2, 1, 4, 2, 5, 3, 6)},
    {"Slice",
     "starts=-1 ends=-100 axes=0 steps=-1",
     TWO(2, 2, 1, 2, 3, 4),
     {0},
     {0},
     TWO(2, 2, 3, 4, 1, 2)},
    {"Slice",
     "starts=1 ends=3 axes=1",
     TWO(2, 3, 1, 2, 3, 4, 5, 6),
     {0},
     {0},
     TWO(2, 2, 2, 3, 5, 6)},
    {"Concat", "axis=0", TWO(1, 2, 1, 2), TWO(2, 2, 3, 4, 5, 6), {0}, TWO(3, 2, 1, 2, 3, 4, 5, 6)},
    {"Concat", "axis=1", TWO(2, 1, 1, 2), TWO(2, 2, 3, 4, 5, 6), {0}, TWO(2, 3, 1, 3, 4, 2, 5, 6)},
    {"Gather", "axis=0", ONE(5, 6, 7), ONE(-1, 0), {0}, ONE(7, 5)},
    {"Gather", "axis=1", TWO(2, 3, 1, 2, 3, 4, 5, 6), ONE(2, 0), {0}, TWO(2, 2, 3, 1, 6, 4)},
    {"Reshape", NULL, TWO(2, 2, 1, 2, 3, 4), ONE(4), {0}, ONE(1, 2, 3, 4)},
};

static void add(net *n, const char *name, const whole *w)
{
    int64_t dims[4] = {-1, -1, -1, -1};
    int32_t t;

    memcpy(dims, w->dim, (size_t)w->rank * sizeof *dims);
    t = net_tensor(n, name, TGS_I64, dims);
    tgs_model_stored(n->b, t, NULL);
    tgs_model_integers(n->b, t, w->value);
}

static void every_operator_as_it_is_defined(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        const tgs_tensor *out;
        net n = net_new();
        tgs_model *m;

        add(&n, "x", &r->x);
        if (r->y.rank)
            add(&n, "y", &r->y);
        if (r->z.rank)
            add(&n, "z", &r->z);
        net_op(&n, r->type, r->z.rank ? "x y z" : r->y.rank ? "x y" : "x", "out", r->attrs);
        m = net_model(&n, "out");
        out = tensor_of(m, "out");
        if (!out->value || out->rank != r->out.rank
            || memcmp(out->dim, r->out.dim, (size_t)out->rank * 8) != 0
            || memcmp(out->value, r->out.value, (size_t)r->out.count * 8) != 0)
            fail_msg("%s %s (row %d) is not known, or otherwise", r->type, r->attrs ? r->attrs : "",
                     (int)i);
        tgs_model_free(m);
    }
}

/* what has no value, or none of these, stays for the step */
static void what_is_undefined_is_not_known(void **state)
{
    static const struct row wrong[] = {
        {"Div", NULL, ONE(7, 1), ONE(2, 0), {0}, {0}},
        {"Mod", NULL, ONE(7, 1), ONE(2, 0), {0}, {0}},
        {"Mod", "fmod=1", ONE(7, 1), ONE(2, 2), {0}, {0}},
        {"Pow", NULL, ONE(7, 1), ONE(2, -1), {0}, {0}},
        {"Gather", "axis=0", ONE(7, 1), ONE(2), {0}, {0}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        net n = net_new();
        tgs_model *m;

        add(&n, "x", &wrong[i].x);
        add(&n, "y", &wrong[i].y);
        net_op(&n, wrong[i].type, "x y", "out", wrong[i].attrs);
        m = net_model(&n, "out");
        assert_null(tensor_of(m, "out")->value);
        tgs_model_free(m);
    }
}

/* pads as exporters write them: those of the last dimension first, filled up with zeros, in rows of
 * two, the rows turned around, and read by columns */
static void pads_of_an_exporter(void **state)
{
    net n = net_new();
    tgs_model *m;

    (void)state;
    net_input(&n, "x", DIMS(2, 5, 9));
    net_integers(&n, "two", 1, (int64_t[]){2});
    net_integers(&n, "four", 1, (int64_t[]){4});
    net_integers(&n, "none", 1, (int64_t[]){0});
    net_integers(&n, "rows", 2, (int64_t[]){-1, 2});
    net_integers(&n, "flat", 1, (int64_t[]){-1});
    net_op(&n, "Shape", "x", "shape", NULL);
    net_op(&n, "Gather", "shape two", "last", "axis=0");
    net_op(&n, "Mod", "last four", "over", NULL);
    net_op(&n, "Sub", "four over", "missing", NULL);
    net_op(&n, "Concat", "none missing", "pairs", "axis=0");
    net_op(&n, "ConstantOfShape", "four", "zeros", "value=0 dtype=i64");
    net_op(&n, "Concat", "pairs zeros", "all", "axis=0");
    net_op(&n, "Reshape", "all rows", "table", NULL);
    net_op(&n, "Slice", "table", "turned", "starts=-1 ends=-100 axes=0 steps=-1");
    net_op(&n, "Transpose", "turned", "columns", "perm=1,0");
    net_op(&n, "Reshape", "columns flat", "pads", NULL);
    net_op(&n, "Pad", "x pads", "y", NULL);
    m = net_model(&n, "y");
    assert_dims(m, "y", DIMS(2, 5, 12));
    assert_null(m->v.note);
    tgs_model_free(m);
}

/* -1 stands for the dimension there is: a comparison, a choice */
static void expansion_of_an_exporter(void **state)
{
    net n = net_new();
    tgs_model *m;

    (void)state;
    net_input(&n, "x", DIMS(1, 5, 1));
    net_integers(&n, "three", 1, (int64_t[]){3});
    net_integers(&n, "wish", 3, (int64_t[]){4, -1, 6});
    net_integers(&n, "minus", 3, (int64_t[]){-1, -1, -1});
    net_op(&n, "ConstantOfShape", "three", "ones", "value=1 dtype=i64");
    net_op(&n, "Equal", "wish minus", "open", NULL);
    net_op(&n, "Where", "open ones wish", "to", NULL);
    net_op(&n, "Expand", "x to", "y", NULL);
    m = net_model(&n, "y");
    assert_dims(m, "y", DIMS(4, 5, 6));
    assert_null(m->v.note);
    tgs_model_free(m);
}

/* a size times a real number, rounded down */
static void sizes_by_real_numbers(void **state)
{
    const double by = 1.5;
    net n = net_new();
    tgs_model *m;

    (void)state;
    net_input(&n, "x", DIMS(3, 7));
    tgs_model_stored(n.b, net_tensor(&n, "by", TGS_F32, SCALAR), NULL);
    tgs_model_reals(n.b, tgs_model_tensor(n.b, "by"), &by, true);
    net_op(&n, "Shape", "x", "shape", NULL);
    net_op(&n, "Cast", "shape", "real", "dtype=f32");
    net_op(&n, "Mul", "real by", "larger", NULL);
    net_op(&n, "Floor", "larger", "whole", NULL);
    net_op(&n, "Cast", "whole", "size", "dtype=i64");
    net_op(&n, "ConstantOfShape", "size", "y", "value=0 dtype=i64");
    m = net_model(&n, "y");
    assert_dims(m, "y", DIMS(4, 10));
    assert_null(m->v.note);
    tgs_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operator_as_it_is_defined),
        cmocka_unit_test(what_is_undefined_is_not_known),
        cmocka_unit_test(pads_of_an_exporter),
        cmocka_unit_test(expansion_of_an_exporter),
        cmocka_unit_test(sizes_by_real_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
