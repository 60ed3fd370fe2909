/* t_copies.c -- micro-batches and replicas: copies of a step, and how they are joined. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "nets.h"
#include "steps.h"

static void micro_batches_accumulate_in_a_chain(void **state)
{
    tgs_model *m = mlp();
    tgs_graph *g = lowered(m, "train sgd; loss mse; micro-batches 3");

    (void)state;
    assert_int_equal(count_phase(g, TGS_PHASE_FORWARD), 3 * 4);
    assert_int_equal(count_codelet(g, "accumulate"), 2 * 4); /* three parameters and the loss */
    assert_int_equal(count_phase(g, TGS_PHASE_BACKWARD), 3 * 5 + 2 * 4);
    assert_int_equal(count_phase(g, TGS_PHASE_UPDATE), 3);
    assert_task(g, "h@m2", "gemm alpha=1 beta=1 transA=0 transB=0 | R x@m2, R w, R b, W h@m2");
    assert_task(g, "h.bwd.b@m0",
                "gemm alpha=1 beta=0 transA=1 transB=0 | R x@m0, R h.grad@m0, "
                "W w.grad");
    assert_task(g, "w.grad.accumulate@m2", "accumulate | RW w.grad, R w.grad@m2");
    assert_task(g, "w.update", "sgd lr=0.01 | RW w, R w.grad");
    assert_task(g, "loss@m1",
                "mse scale=0.083333333333333329 | R y@m1, R target@m1, W loss@m1, "
                "W y.grad@m1");
    assert_true(is_edge(g, "w.grad.accumulate@m1", "w.grad.accumulate@m2"));
    assert_true(is_edge(g, "w.grad.accumulate@m2", "w.update"));
    assert_true(task_of(g, "w.grad.accumulate@m1")->bytes == 4 * 30 * 3); /* read, written, read */
    tgs_graph_free(g);
    tgs_model_free(m);
}

static void or_in_a_tree(void **state)
{
    tgs_model *m = mlp();
    tgs_graph *g = lowered(m, "train sgd; loss mse; micro-batches 5; accumulate tree");

    (void)state;
    assert_int_equal(count_codelet(g, "accumulate"), 0);
    assert_int_equal(count_codelet(g, "sum"), 4 * 4); /* four inner nodes over five leaves */
    assert_task(g, "w.grad.1.0.reduce", "sum | R w.grad@m0, R w.grad@m1, W w.grad.1.0");
    assert_task(g, "w.grad.2.0.reduce", "sum | R w.grad.1.0, R w.grad.1.1, W w.grad.2.0");
    assert_task(g, "w.grad.reduce", "sum | R w.grad.2.0, R w.grad@m4, W w.grad");
    assert_true(is_edge(g, "w.grad.reduce", "w.update"));
    tgs_graph_free(g);
    g = lowered(m, "train sgd; loss mse; micro-batches 5; accumulate tree fan=8");
    assert_int_equal(count_codelet(g, "sum"), 4);
    assert_task(g, "b.grad.reduce",
                "sum | R b.grad@m0, R b.grad@m1, R b.grad@m2, R b.grad@m3, "
                "R b.grad@m4, W b.grad");
    tgs_graph_free(g);
    tgs_model_free(m);
}

static void replicas_fork_and_join(void **state)
{
    tgs_model *m = mlp();
    tgs_graph *g = lowered(m, "train sgd; loss mse; replicas 4 tree=2; micro-batches 2");

    (void)state;
    assert_int_equal(count_phase(g, TGS_PHASE_FORWARD), 8 * 4);
    assert_int_equal(count_codelet(g, "accumulate"), 4 * 4);
    assert_int_equal(count_phase(g, TGS_PHASE_COMMUNICATION), 3 * 4);
    assert_int_equal(count_phase(g, TGS_PHASE_UPDATE), 3);
    assert_task(g, "h@r3.m1",
                "gemm alpha=1 beta=1 transA=0 transB=0 | R x@r3.m1, R w, R b, "
                "W h@r3.m1");
    assert_task(g, "w.grad.accumulate@r3.m1", "accumulate | RW w.grad@r3, R w.grad@r3.m1");
    assert_task(g, "w.grad.1.1.reduce", "sum | R w.grad@r2, R w.grad@r3, W w.grad.1.1");
    assert_task(g, "w.grad.reduce", "sum | R w.grad.1.0, R w.grad.1.1, W w.grad");
    assert_task(g, "w.update", "sgd lr=0.01 | RW w, R w.grad");
    assert_task(g, "loss.reduce", "sum | R loss.1.0, R loss.1.1, W loss");
    assert_string_equal(tgs_text(&g->v, task_of(g, "loss@r0.m0")->attrs), "scale=0.03125");
    /* inputs are each copy's own, with values of their own */
    assert_string_not_equal(tgs_text(&g->v, extra_of(g, "x@r0.m0")->init),
                            tgs_text(&g->v, extra_of(g, "x@r1.m0")->init));
    tgs_graph_free(g);
    g = lowered(m, "train sgd; loss mse; replicas 1; micro-batches 1");
    assert_true(tgs_graph_find_task(g, "h") >= 0); /* one copy needs no suffix */
    tgs_graph_free(g);
    tgs_model_free(m);
}

/* the copies of a step do the work of one step each; joining and updating come on top */
static void copies_multiply_the_work(void **state)
{
    tgs_model *m = mlp();
    tgs_graph *one = lowered(m, "loss mse"), *many = lowered(m, "loss mse; micro-batches 6");
    tgs_graph_stats s, t;

    (void)state;
    assert_int_equal(tgs_graph_measure(one, &s, NULL), 0);
    assert_int_equal(tgs_graph_measure(many, &t, NULL), 0);
    assert_true(t.flops == 6 * s.flops + 5);
    assert_true(t.parameters == s.parameters && s.parameters == 30 + 5 + 15);
    tgs_graph_free(one);
    tgs_graph_free(many);
    tgs_model_free(m);
}

static void lowering_twice_gives_the_same_graph(void **state)
{
    tgs_model *m = mlp(), *again = mlp();
    tgs_graph *g = lowered(m, "train adam; micro-batches 2; replicas 2");
    tgs_graph *h = lowered(again, "train adam; micro-batches 2; replicas 2");

    (void)state;
    assert_true(tgs_graph_fingerprint(g) == tgs_graph_fingerprint(h));
    tgs_graph_free(g);
    tgs_graph_free(h);
    tgs_model_free(m);
    tgs_model_free(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(micro_batches_accumulate_in_a_chain),
        cmocka_unit_test(or_in_a_tree),
        cmocka_unit_test(replicas_fork_and_join),
        cmocka_unit_test(copies_multiply_the_work),
        cmocka_unit_test(lowering_twice_gives_the_same_graph),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
