/* t_control.c -- control flow, functions, sequences and unknown operators of ONNX files: branches
 * that are known are taken, loops unrolled, and the rest is one task, which the user is told.  The
 * fixtures are those of tests/data/onnx/make_control.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "nets.h"

static tgs_model *control(const char *name, const char *bind)
{
    char path[4096];
    tgs_error err = {TGS_OK, ""};
    tgs_model *m;

    snprintf(path, sizeof path, "%s/tests/data/onnx/control/%s.onnx", getenv("TGS_SRCDIR"), name);
    if (tgs_model_read(&m, path, NULL, bind, &err))
        fail_msg("%s", err.text);
    return m;
}

static double flops(const tgs_model *m)
{
    tgs_model_stats s;

    assert_int_equal(tgs_model_measure(m, &s, NULL), 0);
    return s.flops_forward;
}

static int32_t count(const tgs_model *m, const char *type)
{
    int32_t n = 0;

    for (int32_t i = 0; i < m->v.ops; i++)
        n += !strcmp(m->v.op[i].type, type);
    return n;
}

static void told(const tgs_model *m, const char *what)
{
    const char *note = tgs_model_note(m);

    if (!note || !strstr(note, what))
        fail_msg("'%s', not '%s'", note ? note : "", what);
}

static void a_known_branch_is_taken(void **state)
{
    tgs_model *m = control("if_known", NULL);
    tgs_graph *g;

    (void)state;
    assert_int_equal(count(m, "If"), 0);
    assert_int_equal(count(m, "Relu"), 0);
    assert_dims(m, "y", DIMS(2, 4));
    assert_true(flops(m) == 2 * 2 * 3 * 4);
    assert_int_equal(tensor_of(m, "choose/else/w")->role, TGS_ROLE_PARAMETER);
    assert_memory_equal(tensor_of(m, "choose/else/w")->init, "file:", 5);
    assert_null(tgs_model_note(m));
    g = lowered(m, "train sgd; loss sum");
    assert_true(tgs_graph_find_task(g, "choose/else/w.update") >= 0);
    tgs_graph_free(g);
    tgs_model_free(m);
}

static void an_open_branch_is_the_larger_one(void **state)
{
    tgs_model *m = control("if_open", NULL);
    tgs_model_stats s;
    tgs_graph *g;

    (void)state;
    assert_int_equal(tgs_model_measure(m, &s, NULL), 0);
    assert_int_equal(s.layers, 1);
    assert_true(s.flops_forward == 2 * 2 * 3 * 4);
    assert_true(s.parameters == 12);
    assert_dims(m, "y", DIMS(2, 4));
    told(m, "which branch If 'choose' takes is not known before it runs: one task with the flops "
            "of the larger one (else)");
    g = lowered(m, "train sgd; loss sum");
    tgs_graph_free(g);
    tgs_model_free(m);
    m = control("if_open", "flag=1"); /* the user says which */
    assert_int_equal(count(m, "If"), 0);
    assert_dims(m, "y", DIMS(2, 3));
    assert_null(tgs_model_note(m));
    tgs_model_free(m);
}

static void a_loop_is_unrolled(void **state)
{
    tgs_model *m = control("loop_known", NULL), *twice = NULL;

    (void)state;
    assert_int_equal(count(m, "Loop"), 0);
    assert_int_equal(count(m, "Add"), 3);
    assert_dims(m, "y", DIMS(2, 3));
    assert_dims(m, "rows", DIMS(3, 2, 3));
    assert_true(flops(m) == 3 * (6 + 6));
    assert_null(tgs_model_note(m));
    assert_int_equal(tgs_model_rebatch(&twice, m, 4, NULL), 0);
    assert_dims(twice, "rows", DIMS(3, 4, 3));
    tgs_model_free(twice);
    tgs_model_free(m);
    m = control("loop_known", "tgsched.unroll=2");
    assert_int_equal(count(m, "Loop"), 1);
    assert_true(flops(m) == 3 * (6 + 6 + 1));
    told(m, "Loop 'again' is one task of 3 times its body: unrolled it would be too many");
    tgs_model_free(m);
}

static void a_long_or_open_loop_is_one_task(void **state)
{
    tgs_model *m = control("loop_many", NULL);

    (void)state;
    assert_int_equal(m->v.ops, 1);
    assert_dims(m, "rows", DIMS(100000, 2, 3));
    assert_true(flops(m) == 100000.0 * (6 + 6 + 1));
    told(m, "one task of 100000 times its body");
    tgs_model_free(m);
    m = control("loop_open", NULL);
    assert_dims(m, "rows", DIMS(1, 2, 3));
    told(m, "how often it runs is not known (--bind 'again.trips=N' says it)");
    tgs_model_free(m);
    m = control("loop_open", "again.trips=5");
    assert_dims(m, "rows", DIMS(5, 2, 3));
    assert_int_equal(count(m, "Add"), 5);
    assert_null(tgs_model_note(m));
    tgs_model_free(m);
    m = control("loop_open", "trips=2"); /* the input itself */
    assert_dims(m, "rows", DIMS(2, 2, 3));
    tgs_model_free(m);
    m = control("loop_open", "trips=0"); /* no row at all */
    assert_dims(m, "y", DIMS(2, 3));
    tgs_model_free(m);
}

static void a_loop_ends_when_its_condition_does(void **state)
{
    tgs_model *m = control("loop_until", NULL);

    (void)state;
    assert_int_equal(count(m, "Add"), 5); /* the turns 0 to 4 */
    assert_int_equal(count(m, "Loop"), 0);
    assert_null(tgs_model_note(m));
    tgs_model_free(m);
}

static void a_scan_is_unrolled(void **state)
{
    tgs_model *m = control("scan", NULL);

    (void)state;
    assert_int_equal(count(m, "Scan"), 0);
    assert_int_equal(count(m, "Add"), 2);
    assert_dims(m, "y", DIMS(2, 3));
    assert_dims(m, "end", DIMS(3));
    assert_true(flops(m) == 6);
    tgs_model_free(m);
    m = control("scan", "tgsched.unroll=1");
    assert_true(flops(m) == 6);
    assert_dims(m, "y", DIMS(2, 3));
    told(m, "Scan 'sums' is one task of 2 times its body");
    tgs_model_free(m);
}

static void functions_are_their_nodes(void **state)
{
    tgs_model *m = control("function", NULL);
    double alpha = 0;

    (void)state;
    assert_int_equal(m->v.ops, 4);
    for (int32_t i = 0; i < m->v.ops; i++)
        if (!strcmp(m->v.op[i].type, "LeakyRelu"))
            alpha += tgs_attr_real(m->v.op[i].attrs, "alpha", 100);
    assert_true(alpha == 0.75);
    assert_dims(m, "y", DIMS(2, 3));
    assert_null(tgs_model_note(m));
    tgs_model_free(m);
}

static void sequences_are_their_tensors(void **state)
{
    tgs_model *m = control("sequence", NULL);

    (void)state;
    assert_dims(m, "y", DIMS(2, 3));
    assert_dims(m, "z", DIMS(2, 1));
    assert_int_equal(count(m, "Slice"), 3);
    assert_int_equal(count(m, "SequenceAt"), 0);
    assert_null(tgs_model_note(m));
    tgs_graph_free(lowered(m, NULL));
    tgs_model_free(m);
}

static void unknown_operators_are_named(void **state)
{
    tgs_model *m = control("unknown", NULL);

    (void)state;
    assert_dims(m, "y", DIMS(2, 3));
    told(m, "only the bytes are known of nobody.Frob ('h')");
    told(m, "is a guess");
    tgs_model_free(m);
    m = control("unknown", "h.0=5,h.1=7"); /* the user knows */
    assert_dims(m, "y", DIMS(5, 7));
    tgs_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_branch_is_taken),
        cmocka_unit_test(an_open_branch_is_the_larger_one),
        cmocka_unit_test(a_loop_is_unrolled),
        cmocka_unit_test(a_long_or_open_loop_is_one_task),
        cmocka_unit_test(a_loop_ends_when_its_condition_does),
        cmocka_unit_test(a_scan_is_unrolled),
        cmocka_unit_test(functions_are_their_nodes),
        cmocka_unit_test(sequences_are_their_tensors),
        cmocka_unit_test(unknown_operators_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
