/* t_notes.c -- what the user is told of a model is told whole, or how much more there is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "nets.h"

static void a_long_remark_is_kept_whole(void **state)
{
    net n = net_new();
    char text[2001];
    tgs_model *m;

    (void)state;
    memset(text, 'a', sizeof text - 2);
    strcpy(text + sizeof text - 2, "z");
    net_input(&n, "x", DIMS(2, 3));
    net_op(&n, "Relu", "x", "y", NULL);
    assert_int_equal(tgs_model_remark(n.b, "first: %s", text), TGS_OK);
    assert_int_equal(tgs_model_remark(n.b, "first: %s", text), TGS_OK); /* once is enough */
    for (int i = 0; i < 5; i++)
        assert_int_equal(tgs_model_remark(n.b, "and %d\n", i), TGS_OK);
    m = net_model(&n, "y");
    assert_non_null(tgs_model_note(m));
    assert_memory_equal(tgs_model_note(m), "first: aaa", 10);
    assert_non_null(strstr(tgs_model_note(m), "az; and 0?; and 1?; and 3 more notes"));
    tgs_model_free(m);
}

static void operators_of_many_types_are_counted(void **state)
{
    net n = net_new();
    char in[20] = "x", out[20], type[20];
    tgs_model *m;

    (void)state;
    net_input(&n, "x", DIMS(2, 3));
    for (int i = 0; i < 21; i++) {
        snprintf(type, sizeof type, "Unknown%d", i % 19);
        snprintf(out, sizeof out, "y%d", i);
        net_tensor(&n, out, TGS_F32, DIMS(2, 3));
        net_op(&n, type, in, out, NULL);
        strcpy(in, out);
    }
    m = net_model(&n, "y20");
    assert_int_equal(m->v.opaque, 21);
    assert_non_null(strstr(tgs_model_note(m), "2 Unknown1 (the first is 'y1'), Unknown2 ('y2')"));
    assert_non_null(strstr(tgs_model_note(m), "Unknown15 ('y15') and 3 of other types"));
    tgs_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_remark_is_kept_whole),
        cmocka_unit_test(operators_of_many_types_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
