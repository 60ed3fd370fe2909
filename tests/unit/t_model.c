/* t_model.c -- models through the builder: order, shapes, folding, roles, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "nets.h"

/* ---- order and names ---- */

static void nodes_may_come_in_any_order(void **state)
{
    net n = net_new();
    tgs_model *m;

    (void)state;
    net_input(&n, "x", DIMS(2, 3));
    net_op(&n, "Tanh", "b", "c", NULL);
    net_op(&n, "Relu", "a", "b", NULL);
    net_op(&n, "Sigmoid", "x", "a", NULL);
    m = net_model(&n, "c");
    assert_int_equal(m->v.order[0], 2);
    assert_int_equal(m->v.order[1], 1);
    assert_int_equal(m->v.order[2], 0);
    assert_dims(m, "c", DIMS(2, 3));
    assert_string_equal(m->v.op[0].name, "c");
    tgs_model_free(m);
    tgs_model_free(NULL);
}

static void names_are_made_unique(void **state)
{
    const int32_t x = 0;
    net n = net_new();
    tgs_model *m;
    int32_t y, z;

    (void)state;
    net_input(&n, "x", DIMS(1));
    y = tgs_model_tensor(n.b, "y");
    z = tgs_model_tensor(n.b, "z");
    tgs_model_operator(n.b, "same", "Relu", NULL, 1, &x, 1, &y);
    tgs_model_operator(n.b, "same", "Relu", NULL, 1, &x, 1, &z);
    m = net_model(&n, "y z");
    assert_string_equal(m->v.op[0].name, "same");
    assert_string_equal(m->v.op[1].name, "same#1");
    tgs_model_free(m);
}

/* ---- shapes: one case per rule, against values worked out by hand ---- */

static const struct shape_case {
    const char *type, *attrs;
    int64_t x[6], y[6]; /* end with -1 */
    int64_t w[6];       /* a stored second input; w[0] -1: none */
} cases[] = {
    {"Conv",
     "strides=2,2 pads=3,3,3,3",
     {1, 3, 224, 224, -1},
     {1, 64, 112, 112, -1},
     {64, 3, 7, 7, -1}},
    {"Conv", "group=4 dilations=2,2", {2, 8, 9, 9, -1}, {2, 12, 5, 5, -1}, {12, 2, 3, 3, -1}},
    {"Conv",
     "auto_pad=SAME_UPPER strides=2,2",
     {1, 1, 5, 6, -1},
     {1, 2, 3, 3, -1},
     {2, 1, 3, 3, -1}},
    {"Conv", "auto_pad=VALID", {1, 2, 7, -1}, {1, 3, 3, -1}, {3, 2, 5, -1}},
    {"ConvTranspose",
     "strides=2,2 pads=1,1,1,1 output_padding=1,1",
     {1, 4, 5, 5, -1},
     {1, 6, 10, 10, -1},
     {4, 6, 3, 3, -1}},
    {"MaxPool",
     "kernel_shape=3,3 strides=2,2 pads=0,0,1,1",
     {1, 2, 54, 54, -1},
     {1, 2, 27, 27, -1},
     {-1}},
    {"MaxPool",
     "kernel_shape=3,3 strides=2,2 ceil_mode=1",
     {1, 1, 6, 6, -1},
     {1, 1, 3, 3, -1},
     {-1}},
    {"GlobalAveragePool", NULL, {2, 5, 7, 9, -1}, {2, 5, 1, 1, -1}, {-1}},
    {"Gemm", "transA=1 transB=1", {3, 2, -1}, {2, 4, -1}, {4, 3, -1}},
    {"MatMul", NULL, {5, 1, 2, 3, -1}, {5, 4, 2, 6, -1}, {4, 3, 6, -1}},
    {"Add", NULL, {2, 1, 4, -1}, {2, 3, 4, -1}, {3, 1, -1}},
    {"Flatten", "axis=2", {2, 3, 4, 5, -1}, {6, 20, -1}, {-1}},
    {"Flatten", "axis=-4", {2, 3, 4, 5, -1}, {1, 120, -1}, {-1}},
    {"Flatten", "axis=4", {2, 3, 4, 5, -1}, {120, 1, -1}, {-1}},
    {"Squeeze", "axes=-1,0", {1, 3, 1, 1, -1}, {3, 1, -1}, {-1}},
    {"Squeeze", NULL, {1, 3, 1, -1}, {3, -1}, {-1}},
    {"Unsqueeze", "axes=0,3", {2, 3, -1}, {1, 2, 3, 1, -1}, {-1}},
    {"Transpose", NULL, {2, 3, 4, -1}, {4, 3, 2, -1}, {-1}},
    {"Transpose", "perm=0,3,1,2", {1, 5, 6, 2, -1}, {1, 2, 5, 6, -1}, {-1}},
    {"ReduceMean", "axes=-1 keepdims=0", {2, 3, 4, -1}, {2, 3, -1}, {-1}},
    {"ReduceSum", NULL, {2, 3, -1}, {1, 1, -1}, {-1}},
    {"ArgMax", "axis=1 keepdims=0", {2, 3, -1}, {2, -1}, {-1}},
    {"Slice", "starts=-3,1 ends=9223372036854775807,-1", {5, 4, -1}, {3, 2, -1}, {-1}},
    {"Slice", "starts=1 ends=0 axes=1", {5, 4, -1}, {5, 0, -1}, {-1}},
    {"Pad", "pads=1,0,2,-1", {3, 4, -1}, {6, 3, -1}, {-1}},
    {"GatherElements", "axis=-1", {3, 4, -1}, {2, 7, -1}, {2, 7, -1}},
    {"TopK", "k=2 axis=0", {5, 3, -1}, {2, 3, -1}, {-1}},
    {"tgsched.SegmentSum", "segments=4", {7, 2, -1}, {4, 2, -1}, {7, -1}},
    {"tgsched.Binarize", NULL, {2, 3, -1}, {2, 3, -1}, {-1}},
    {"tgsched.Dispatch", "experts=4 capacity=3", {6, 5, -1}, {4, 3, 5, -1}, {6, 2, -1}},
};

static void shapes_follow_the_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct shape_case *c = &cases[i];
        net n = net_new();
        tgs_model *m;

        net_input(&n, "x", c->x);
        if (c->w[0] >= 0)
            net_stored(&n, "w", c->w);
        net_op(&n, c->type, c->w[0] >= 0 ? "x w" : "x", "y", c->attrs);
        m = net_model(&n, "y");
        assert_dims(m, "y", c->y);
        tgs_model_free(m);
    }
}

static void lists_are_inputs_too(void **state)
{
    net n = net_new();
    tgs_model *m;

    (void)state;
    net_input(&n, "x", DIMS(20, 10, 5));
    net_integers(&n, "starts", 2, (const int64_t[]){9, -1});
    net_integers(&n, "ends", 2, (const int64_t[]){-100, 0});
    net_integers(&n, "axes", 2, (const int64_t[]){1, 2});
    net_integers(&n, "steps", 2, (const int64_t[]){-2, -3});
    net_op(&n, "Slice", "x starts ends axes steps", "s", NULL);
    net_integers(&n, "pieces", 3, (const int64_t[]){1, 2, 2});
    net_op(&n, "Split", "s pieces", "p q r", "axis=1");
    net_op(&n, "LSTM", "x w h", "all last cell", NULL);
    net_stored(&n, "w", DIMS(2, 12, 5));
    net_stored(&n, "h", DIMS(2, 12, 3));
    m = net_model(&n, "p q r all last cell");
    assert_dims(m, "s", DIMS(20, 5, 2));
    assert_dims(m, "p", DIMS(20, 1, 2));
    assert_dims(m, "r", DIMS(20, 2, 2));
    assert_dims(m, "all", DIMS(20, 2, 10, 3));
    assert_dims(m, "cell", DIMS(2, 10, 3));
    tgs_model_free(m);
}

/* ---- folding ---- */

static void shape_arithmetic_is_folded(void **state)
{
    net n = net_new();
    tgs_model *m;
    tgs_model_stats s;

    (void)state; /* reshape x to [batch, -1] as exporters write it */
    net_input(&n, "x", DIMS(8, 3, 4));
    net_integers(&n, "zero", 1, (const int64_t[]){0});
    net_integers(&n, "rest", 1, (const int64_t[]){-1});
    net_op(&n, "Shape", "x", "shape", NULL);
    net_op(&n, "Gather", "shape zero", "batch", NULL);
    net_op(&n, "Concat", "batch rest", "target", "axis=0");
    net_op(&n, "Reshape", "x target", "y", NULL);
    m = net_model(&n, "y");
    assert_dims(m, "y", DIMS(8, 12));
    assert_int_equal(tensor_of(m, "shape")->value[2], 4);
    assert_int_equal(tensor_of(m, "target")->role, TGS_ROLE_CONSTANT);
    assert_int_equal(tgs_model_measure(m, &s, NULL), 0);
    assert_int_equal(s.layers, 1); /* the Reshape alone is left to compute */
    tgs_model_free(m);
}

static void weights_without_values_are_stored(void **state)
{
    net n = net_new();
    tgs_model *m;
    tgs_model_stats s;

    (void)state; /* a light model: ConstantOfShape, and one more change of shape */
    net_input(&n, "x", DIMS(2, 3, 8, 8));
    net_integers(&n, "dims", 4, (const int64_t[]){4, 3, 3, 3});
    net_integers(&n, "count", 1, (const int64_t[]){4});
    net_op(&n, "ConstantOfShape", "dims", "w", "dtype=f32 value=0.02");
    net_op(&n, "ConstantOfShape", "count", "b", "dtype=f32 value=0.5");
    net_op(&n, "Unsqueeze", "b", "b3", "axes=1,2");
    net_op(&n, "Conv", "x w", "c", NULL);
    net_op(&n, "Add", "c b3", "y", NULL);
    m = net_model(&n, "y");
    assert_int_equal(tensor_of(m, "w")->role, TGS_ROLE_PARAMETER);
    assert_null(tensor_of(m, "w")->init); /* a kernel of one value gets random values instead */
    assert_int_equal(tensor_of(m, "b3")->role, TGS_ROLE_PARAMETER);
    assert_string_equal(tensor_of(m, "b3")->init, "constant:0.5");
    assert_int_equal(tgs_model_measure(m, &s, NULL), 0);
    assert_true(s.parameters == 4 * 27 + 4);
    assert_int_equal(s.layers, 2);
    assert_true(s.batch == 2);
    /* 2 flops for each of 2*4*6*6 outputs and 27 weights, and one addition each */
    assert_true(s.flops_forward == 2 * 4 * 36 * (2 * 27 + 1));
    tgs_model_free(m);
}

static void literals_stay_literals(void **state)
{
    const int64_t limit = -128;
    const double half = 0.5;
    net n = net_new();
    tgs_model *m;
    tgs_model_stats s;
    int32_t t;

    (void)state;
    net_input(&n, "x", DIMS(2, 3));
    t = net_tensor(&n, "low", TGS_I64, SCALAR);
    tgs_model_stored(n.b, t, NULL);
    tgs_model_integers(n.b, t, &limit);
    t = net_tensor(&n, "half", TGS_F32, SCALAR);
    tgs_model_stored(n.b, t, NULL);
    tgs_model_reals(n.b, t, &half, true);
    net_op(&n, "Cast", "low", "real", "dtype=f32");
    net_op(&n, "Unsqueeze", "half", "half1", "axes=0");
    net_op(&n, "Clip", "x real", "c", NULL); /* its limits must be known */
    net_op(&n, "Mul", "c half1", "y", NULL);
    m = net_model(&n, "y");
    assert_true(tensor_of(m, "real")->real[0] == -128);
    assert_int_equal(tensor_of(m, "half1")->role, TGS_ROLE_CONSTANT);
    assert_int_equal(tgs_model_measure(m, &s, NULL), 0);
    assert_true(s.parameters == 0);
    assert_int_equal(s.layers, 2);
    tgs_model_free(m);
}

/* ---- roles ---- */

static void roles_tell_parameters_from_buffers_and_literals(void **state)
{
    net n = net_new();
    const double half = 0.5;
    tgs_model *m;
    int32_t t;

    (void)state;
    net_input(&n, "x", DIMS(2, 3, 4, 4));
    net_stored(&n, "scale", DIMS(3));
    net_stored(&n, "bias", DIMS(3));
    net_stored(&n, "mean", DIMS(3));
    net_stored(&n, "var", DIMS(3));
    t = net_tensor(&n, "half", TGS_F32, SCALAR);
    tgs_model_stored(n.b, t, NULL);
    tgs_model_reals(n.b, t, &half, true);
    net_op(&n, "BatchNormalization", "x scale bias mean var", "n", NULL);
    net_op(&n, "Mul", "n half", "y", NULL);
    m = net_model(&n, "y");
    assert_int_equal(tensor_of(m, "scale")->role, TGS_ROLE_PARAMETER);
    assert_int_equal(tensor_of(m, "bias")->role, TGS_ROLE_PARAMETER);
    assert_int_equal(tensor_of(m, "mean")->role, TGS_ROLE_BUFFER);
    assert_int_equal(tensor_of(m, "var")->role, TGS_ROLE_BUFFER);
    assert_int_equal(tensor_of(m, "half")->role, TGS_ROLE_CONSTANT);
    assert_int_equal(tensor_of(m, "x")->role, TGS_ROLE_INPUT);
    assert_int_equal(tensor_of(m, "n")->role, TGS_ROLE_ACTIVATION);
    tgs_model_free(m);
}

static void a_shared_weight_is_one_parameter(void **state)
{
    net n = net_new();
    tgs_model *m;
    tgs_model_stats s;

    (void)state;
    net_input(&n, "x", DIMS(2, 3));
    net_stored(&n, "w", DIMS(3, 3));
    net_op(&n, "Transpose", "w", "wt", NULL);
    net_op(&n, "MatMul", "x w", "a", NULL);
    net_op(&n, "MatMul", "a wt", "y", NULL);
    m = net_model(&n, "y");
    assert_int_equal(tgs_model_measure(m, &s, NULL), 0);
    assert_true(s.parameters == 9);
    assert_int_equal(s.layers, 3); /* the transpose is computed, so that its gradient reaches w */
    tgs_model_free(m);
}

/* ---- what is refused ---- */

static const struct refusal {
    const char *type, *attrs, *what;
    int64_t x[6], w[6];
    tgs_status status;
} refusals[] = {
    {"Conv", NULL, "rank 2", {2, 3, -1}, {3, 3, -1}, TGS_ENOTAPPLICABLE},
    {"Conv", NULL, "3 channels", {1, 3, 5, 5, -1}, {4, 2, 3, 3, -1}, TGS_ENOTAPPLICABLE},
    {"Conv", "group=0", "groups", {1, 3, 5, 5, -1}, {4, 3, 3, 3, -1}, TGS_ENOTAPPLICABLE},
    {"Conv",
     "strides=0,1",
     "strides has the value 0",
     {1, 3, 5, 5, -1},
     {4, 3, 3, 3, -1},
     TGS_ENOTAPPLICABLE},
    {"Conv",
     "strides=1",
     "strides has 1 values",
     {1, 3, 5, 5, -1},
     {4, 3, 3, 3, -1},
     TGS_ENOTAPPLICABLE},
    {"Conv",
     "pads=-1,0,0,0",
     "pads has the value -1",
     {1, 3, 5, 5, -1},
     {4, 3, 3, 3, -1},
     TGS_ENOTAPPLICABLE},
    {"Conv", NULL, "larger than its input", {1, 3, 2, 5, -1}, {4, 3, 3, 3, -1}, TGS_ENOTAPPLICABLE},
    {"Conv",
     "dilations=2147483647,1",
     "larger than its input",
     {1, 3, 5, 5, -1},
     {4, 3, 3, 3, -1},
     TGS_ENOTAPPLICABLE},
    {"MaxPool", NULL, "kernel_shape is missing", {1, 3, 5, 5, -1}, {-1}, TGS_ENOTAPPLICABLE},
    {"Gemm", NULL, "inner dimensions", {2, 3, -1}, {2, 3, -1}, TGS_ENOTAPPLICABLE},
    {"MatMul", NULL, "inner dimensions", {2, 3, -1}, {2, 3, -1}, TGS_ENOTAPPLICABLE},
    {"MatMul", NULL, "input 1 is missing", {2, 3, -1}, {-1}, TGS_ENOTAPPLICABLE},
    {"Add", NULL, "shapes [2,3] and [2] do not fit", {2, 3, -1}, {2, -1}, TGS_ENOTAPPLICABLE},
    {"Transpose", "perm=0,0", "no permutation", {2, 3, -1}, {-1}, TGS_ENOTAPPLICABLE},
    {"Softmax", "axis=2", "axis 2 of a tensor of rank 2", {2, 3, -1}, {-1}, TGS_ENOTAPPLICABLE},
    {"Squeeze", "axes=0", "dimension 0 is 2", {2, 3, -1}, {-1}, TGS_ENOTAPPLICABLE},
    {"Unsqueeze", "axes=1,1", "given twice", {2, 3, -1}, {-1}, TGS_ENOTAPPLICABLE},
    {"BatchNormalization", "training_mode=1", "missing", {2, 3, -1}, {3, -1}, TGS_ENOTAPPLICABLE},
    {"GatherElements", NULL, "rank 1 for data of rank 2", {2, 3, -1}, {2, -1}, TGS_ENOTAPPLICABLE},
    {"GatherElements", NULL, "indices of 4 for 3", {2, 3, -1}, {2, 4, -1}, TGS_ENOTAPPLICABLE},
    {"TopK", "k=3", "3 entries of 2", {4, 2, -1}, {-1}, TGS_ENOTAPPLICABLE},
    {"tgsched.SegmentSum", "segments=4", "do not fit", {7, 2, -1}, {6, -1}, TGS_ENOTAPPLICABLE},
    {"RotaryEmbedding", NULL, "input 1 is missing", {1, 2, 3, 4, -1}, {-1}, TGS_ENOTAPPLICABLE},
};

static void what_no_rule_allows_is_refused_by_node(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *r = &refusals[i];
        net n = net_new();

        net_input(&n, "x", r->x);
        if (r->w[0] >= 0)
            net_stored(&n, "w", r->w);
        net_op(&n, r->type, r->w[0] >= 0 ? "x w" : "x", "y", r->attrs);
        net_refused(&n, "y", r->status, r->what);
    }
}

/* the file says what shape comes out: then the sizes are enough */
static void what_the_table_lacks_is_opaque_when_declared(void **state)
{
    net n = net_new();
    tgs_model_stats s;
    const char *name, *type;
    tgs_model *m;
    tgs_graph *g;

    (void)state;
    net_input(&n, "x", DIMS(2, 3));
    net_stored(&n, "w", DIMS(3, 3));
    tgs_model_input(n.b, net_tensor(&n, "shape", TGS_I64, DIMS(1)));
    net_op(&n, "MatMul", "x w", "h", NULL);
    net_tensor(&n, "f", TGS_F32, DIMS(4, 2));
    net_op(&n, "Frobnicate", "h", "f", NULL);
    net_tensor(&n, "y", TGS_F32, DIMS(8));
    net_op(&n, "Reshape", "f shape", "y", NULL); /* to what is only known when it runs */
    m = net_model(&n, "y");
    assert_dims(m, "y", DIMS(8));
    assert_int_equal(tgs_model_measure(m, &s, NULL), TGS_OK);
    assert_int_equal(s.opaque, 2);
    assert_int_equal(tgs_model_opaque(m, 0, &name, &type), TGS_OK);
    assert_string_equal(type, "Frobnicate");
    assert_int_equal(tgs_model_opaque(m, 1, &name, &type), TGS_OK);
    assert_string_equal(name, "y");
    assert_int_equal(tgs_model_opaque(m, 2, &name, &type), TGS_ENOTFOUND);
    g = lowered(m, "train sgd; loss sum"); /* its gradient is a task, too */
    assert_true(tgs_graph_find_task(g, "f.bwd") >= 0 && tgs_graph_find_task(g, "w.update") >= 0);
    tgs_graph_free(g);
    tgs_model_free(m);
}

/* nobody says what shape comes out: a guess, and what follows from it is not refused */
static void what_nobody_knows_is_a_guess_that_is_told(void **state)
{
    net n = net_new();
    tgs_model *m;

    (void)state;
    net_input(&n, "x", DIMS(2, 3));
    tgs_model_input(n.b, net_tensor(&n, "shape", TGS_I64, DIMS(1)));
    net_stored(&n, "w", DIMS(6, 4));
    net_op(&n, "Reshape", "x shape", "flat", NULL); /* taken to be [2,3], so that w does not fit */
    net_op(&n, "MatMul", "flat w", "y", NULL);
    net_op(&n, "Frobnicate", "y", "z", NULL);
    m = net_model(&n, "z");
    assert_dims(m, "flat", DIMS(2, 3));
    assert_dims(m, "z", DIMS(2, 3));
    assert_non_null(tgs_model_note(m));
    assert_non_null(strstr(tgs_model_note(m), "Reshape ('flat'), MatMul ('y'), Frobnicate ('z')"));
    assert_non_null(strstr(tgs_model_note(m), "the shape of 'flat'"));
    tgs_model_free(m);
    n = net_new();
    net_input(&n, "x", DIMS(2, 3));
    tgs_model_input(n.b, net_tensor(&n, "shape", TGS_I64, DIMS(1)));
    tgs_model_hint(n.b, tgs_model_tensor(n.b, "flat"), TGS_F32, 2, (int64_t[]){1, 6});
    net_stored(&n, "w", DIMS(6, 4));
    net_op(&n, "Reshape", "x shape", "flat", NULL);
    net_op(&n, "MatMul", "flat w", "y", NULL);
    m = net_model(&n, "y");
    assert_dims(m, "y", DIMS(1, 4));
    assert_int_equal(m->v.opaque, 1);
    tgs_model_free(m);
}

static void broken_graphs_are_refused(void **state)
{
    net n = net_new();

    (void)state;
    net_input(&n, "x", DIMS(2));
    net_op(&n, "Add", "x b", "a", NULL);
    net_op(&n, "Relu", "a", "b", NULL);
    net_refused(&n, "b", TGS_ECYCLE, "node 'a' (Add) is on a cycle");
    n = net_new();
    net_input(&n, "x", DIMS(2));
    net_op(&n, "Relu", "x", "y", NULL);
    net_op(&n, "Tanh", "x", "y", NULL);
    net_refused(&n, "y", TGS_EPARSE, "'y' has a value already");
    n = net_new();
    net_input(&n, "x", DIMS(2));
    net_op(&n, "Relu", "z", "y", NULL);
    net_refused(&n, "y", TGS_EPARSE, "nothing defines its input 'z'");
    n = net_new();
    net_input(&n, "x", DIMS(2));
    net_refused(&n, "y", TGS_EPARSE, "nothing defines the model's output 'y'");
    n = net_new();
    net_input(&n, "x", DIMS(1 << 30, 1 << 30));
    net_refused(&n, "x", TGS_EINVAL, "2^50");
    n = net_new();
    net_input(&n, "x", DIMS(1, 1, 1, 1, 1, 1, 1, 1, 1));
    net_refused(&n, "x", TGS_ENOTAPPLICABLE, "9 dimensions");
}

static void symbols_are_bound_by_name(void **state)
{
    int64_t value = 0;

    (void)state;
    assert_true(tgs_bind_find("batch=8,seq=128", "batch", &value));
    assert_int_equal(value, 8);
    assert_true(tgs_bind_find("batch=8,seq=128", "seq", &value));
    assert_int_equal(value, 128);
    assert_false(tgs_bind_find("batch=8,seq=128", "at", &value));
    assert_false(tgs_bind_find("batch=-8", "batch", &value));
    assert_false(tgs_bind_find("batch=", "batch", &value));
    assert_false(tgs_bind_find("batch", "batch", &value));
    assert_false(tgs_bind_find(NULL, "batch", &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_may_come_in_any_order),
        cmocka_unit_test(names_are_made_unique),
        cmocka_unit_test(shapes_follow_the_rules),
        cmocka_unit_test(lists_are_inputs_too),
        cmocka_unit_test(shape_arithmetic_is_folded),
        cmocka_unit_test(weights_without_values_are_stored),
        cmocka_unit_test(literals_stay_literals),
        cmocka_unit_test(roles_tell_parameters_from_buffers_and_literals),
        cmocka_unit_test(a_shared_weight_is_one_parameter),
        cmocka_unit_test(what_no_rule_allows_is_refused_by_node),
        cmocka_unit_test(what_the_table_lacks_is_opaque_when_declared),
        cmocka_unit_test(what_nobody_knows_is_a_guess_that_is_told),
        cmocka_unit_test(broken_graphs_are_refused),
        cmocka_unit_test(symbols_are_bound_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
