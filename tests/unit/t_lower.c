/* t_lower.c -- lowering: which tasks and data a step becomes, what they cost, who waits for whom.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "nets.h"
#include "steps.h"

/* ---- one step ---- */

static void a_forward_pass_has_what_the_model_says(void **state)
{
    tgs_model *m = mlp();
    tgs_graph *g = lowered(m, NULL);

    (void)state;
    assert_int_equal(g->v.tasks, 3);
    assert_task(g, "h", "gemm alpha=1 beta=1 transA=0 transB=0 | R x, R w, R b, W h");
    assert_task(g, "y", "gemm alpha=0.5 beta=1 transA=0 transB=1 | R r, R v, W y");
    assert_true(task_of(g, "h")->flops == 2 * 4 * 6 * 5 + 4 * 5);
    assert_true(task_of(g, "h")->bytes == 4 * (4 * 6 + 6 * 5 + 5 + 4 * 5));
    assert_int_equal(task_of(g, "h")->phase, TGS_PHASE_FORWARD);
    assert_true(isnan(task_of(g, "h")->work));
    assert_int_equal(extra_of(g, "x")->class_, TGS_CLASS_INPUT);
    assert_int_equal(extra_of(g, "h")->class_, TGS_CLASS_ACTIVATION);
    assert_int_equal(extra_of(g, "w")->class_, TGS_CLASS_PARAMETER);
    assert_int_equal(extra_of(g, "w")->persistent, 1);
    assert_int_equal(extra_of(g, "x")->persistent, 0);
    assert_int_equal(extra_of(g, "w")->rank, 2);
    assert_int_equal(extra_of(g, "w")->dtype, TGS_F32);
    assert_string_equal(tgs_text(&g->v, extra_of(g, "b")->init), "zero");
    assert_memory_equal(tgs_text(&g->v, extra_of(g, "w")->init), "random:", 7);
    assert_int_equal(extra_of(g, "h")->init, 0);
    tgs_graph_free(g);
    tgs_model_free(m);
}

static void a_training_step_adds_gradients_and_updates(void **state)
{
    tgs_model *m = mlp();
    tgs_graph *g = lowered(m, "train momentum lr=0.5 mu=0.25; loss mse");

    (void)state;
    assert_task(g, "loss", "mse scale=0.25 | R y, R target, W loss, W y.grad");
    assert_task(g, "y.bwd.b", "gemm alpha=0.5 beta=0 transA=1 transB=0 | R y.grad, R r, W v.grad");
    assert_task(g, "y.bwd.a", "gemm alpha=0.5 beta=0 transA=0 transB=0 | R y.grad, R v, W r.grad");
    assert_task(g, "r.bwd", "relu_bwd | R r, R r.grad, W h.grad");
    assert_task(g, "h.bwd.b", "gemm alpha=1 beta=0 transA=1 transB=0 | R x, R h.grad, W w.grad");
    assert_task(g, "h.bwd.c", "reduce_to | R h.grad, W b.grad");
    assert_task(g, "w.update", "momentum lr=0.5 mu=0.25 | RW w, RW w.momentum, R w.grad");
    assert_int_equal(tgs_graph_find_task(g, "h.bwd.a"), TGS_ENOTFOUND); /* nobody wants dx */
    assert_int_equal(g->v.tasks, 3 + 1 + 5 + 3);
    assert_int_equal(count_phase(g, TGS_PHASE_FORWARD), 4);
    assert_int_equal(count_phase(g, TGS_PHASE_BACKWARD), 5);
    assert_int_equal(count_phase(g, TGS_PHASE_UPDATE), 3);
    assert_int_equal(extra_of(g, "w.grad")->class_, TGS_CLASS_GRADIENT);
    assert_int_equal(extra_of(g, "w.momentum")->class_, TGS_CLASS_STATE);
    assert_int_equal(extra_of(g, "w.momentum")->persistent, 1);
    assert_string_equal(tgs_text(&g->v, extra_of(g, "w.momentum")->init), "zero");
    assert_true(task_of(g, "y.bwd.b")->flops == 2 * 4 * 5 * 3);
    assert_true(is_edge(g, "h", "r"));
    assert_true(is_edge(g, "r", "r.bwd")); /* its output is kept for the backward pass */
    assert_true(is_edge(g, "w.update", "w.update") == false);
    assert_true(
        is_edge(g, "h", "w.update")); /* the update waits for the reader of the old weight */
    tgs_graph_free(g);
    tgs_model_free(m);
}

static void optimizers_have_their_state(void **state)
{
    tgs_model *m = mlp();
    tgs_graph *g = lowered(m, "train adam lr=0.001; loss sum");

    (void)state;
    assert_task(g, "v.update",
                "adam beta1=0.9 beta2=0.999 eps=1e-08 lr=0.001 | RW v, "
                "RW v.momentum, RW v.variance, RW v.steps, R v.grad");
    assert_task(g, "loss", "sum_loss scale=0.25 | R y, W loss, W y.grad");
    assert_true(tgs_graph_datum_bytes(g, tgs_graph_find_datum(g, "v.steps")) == 4);
    tgs_graph_free(g);
    g = lowered(m, "train; loss sum");
    assert_task(g, "b.update", "sgd lr=0.01 | RW b, R b.grad");
    tgs_graph_free(g);
    tgs_model_free(m);
}

/* ---- operators ---- */

static void a_convolution_counts_its_flops_both_ways(void **state)
{
    net n = net_new();
    tgs_model *m;
    tgs_graph *g;
    const double products = 2.0 * (2 * 6 * 4 * 4) * (3 * 3 * 2); /* outputs, weights of each */

    (void)state;
    net_input(&n, "x", DIMS(2, 4, 8, 8));
    net_stored(&n, "k0", DIMS(4, 4, 1, 1));
    net_stored(&n, "k", DIMS(6, 2, 3, 3));
    net_stored(&n, "b", DIMS(6));
    net_op(&n, "Conv", "x k0", "t", NULL);
    net_op(&n, "Conv", "t k b", "y", "group=2 strides=2,2 pads=1,1,1,1");
    m = net_model(&n, "y");
    g = lowered(m, "train sgd; loss sum");
    assert_task(g, "y",
                "conv dilations=1,1 group=2 kernel=3,3 pads=1,1,1,1 strides=2,2 | "
                "R t, R k, R b, W y");
    assert_true(task_of(g, "y")->flops == products + 2 * 6 * 4 * 4);
    assert_true(task_of(g, "y.bwd.data")->flops == products);
    assert_true(task_of(g, "y.bwd.weights")->flops == products);
    assert_true(task_of(g, "y.bwd.bias")->flops == 2 * 6 * 4 * 4);
    assert_task(g, "y.bwd.data",
                "conv_bwd_data dilations=1,1 group=2 kernel=3,3 pads=1,1,1,1 "
                "strides=2,2 | R y.grad, R k, W t.grad");
    assert_task(g, "y.bwd.weights",
                "conv_bwd_weights dilations=1,1 group=2 kernel=3,3 "
                "pads=1,1,1,1 strides=2,2 | R t, R y.grad, W k.grad");
    assert_task(g, "y.bwd.bias", "conv_bwd_bias | R y.grad, W b.grad");
    assert_true(task_of(g, "y.bwd.data")->bytes == 4 * (2 * 6 * 16 + 6 * 18 + 2 * 4 * 64));
    assert_int_equal(tgs_graph_find_task(g, "t.bwd.data"), TGS_ENOTFOUND);
    tgs_graph_free(g);
    tgs_model_free(m);
}

static void gradients_of_several_readers_are_summed(void **state)
{
    net n = net_new();
    tgs_model *m;
    tgs_graph *g;

    (void)state;
    net_input(&n, "x", DIMS(2, 3));
    net_stored(&n, "w", DIMS(3, 3));
    net_op(&n, "MatMul", "x w", "a", NULL);
    net_op(&n, "Relu", "a", "r", NULL);
    net_op(&n, "Add", "a r", "s", NULL);
    net_op(&n, "MatMul", "s w", "y", NULL);
    m = net_model(&n, "y");
    g = lowered(m, "train sgd; loss mse");
    /* through the addition the gradient of a is that of s: no copy; w is read twice */
    assert_task(g, "r.bwd", "relu_bwd | R r, R s.grad, W a.grad.1");
    assert_task(g, "a.grad", "sum | R s.grad, R a.grad.1, W a.grad");
    assert_task(g, "w.grad", "sum | R w.grad.0, R w.grad.1, W w.grad");
    assert_task(g, "w.update", "sgd lr=0.01 | RW w, R w.grad");
    assert_true(task_of(g, "a.grad")->flops == 6);
    tgs_graph_free(g);
    tgs_model_free(m);
}

static void broadcast_operands_get_reduced_gradients(void **state)
{
    net n = net_new();
    tgs_model *m;
    tgs_graph *g;

    (void)state;
    net_input(&n, "x", DIMS(2, 5, 4));
    net_stored(&n, "w", DIMS(4, 3));
    net_stored(&n, "b", DIMS(3));
    net_stored(&n, "c", DIMS(2, 5, 3));
    net_op(&n, "MatMul", "x w", "p", NULL);
    net_op(&n, "Add", "p b", "q", NULL);
    net_op(&n, "Add", "c q", "y", NULL);
    m = net_model(&n, "y");
    g = lowered(m, "train sgd; loss sum");
    assert_task(g, "y.bwd.0", "identity | R y.grad, W c.grad"); /* a gradient of its own */
    assert_task(g, "q.bwd.1", "reduce_to | R y.grad, W b.grad");
    assert_task(g, "p.bwd.b", "matmul transA=1 transB=0 | R x, R y.grad, W p.grad.b");
    assert_task(g, "p.bwd.b.sum", "reduce_to | R p.grad.b, W w.grad");
    assert_int_equal(extra_of(g, "p.grad.b")->rank, 3);
    tgs_graph_free(g);
    tgs_model_free(m);
}

/* ---- losses ---- */

static tgs_model *classifier(const char *axis, bool also_output)
{
    net n = net_new();

    net_input(&n, "x", DIMS(8, 5));
    net_stored(&n, "w", DIMS(5, 10));
    net_op(&n, "MatMul", "x w", "z", NULL);
    net_op(&n, "Softmax", "z", "y", axis);
    return net_model(&n, also_output ? "y z" : "y");
}

static void a_softmax_before_the_loss_is_part_of_it(void **state)
{
    tgs_model *m = classifier("axis=-1", false);
    tgs_graph *g = lowered(m, "train sgd");

    (void)state;
    assert_task(g, "loss", "softmax_xent scale=0.125 | R z, R labels, W loss, W z.grad");
    assert_int_equal(tgs_graph_find_task(g, "y"), TGS_ENOTFOUND);
    assert_int_equal(extra_of(g, "labels")->dtype, TGS_I32);
    assert_int_equal(extra_of(g, "labels")->class_, TGS_CLASS_INPUT);
    assert_int_equal(g->v.dim[extra_of(g, "labels")->dims], 8);
    tgs_graph_free(g);
    g = lowered(m, "train sgd; loss mse"); /* another loss needs it */
    assert_task(g, "y.bwd", "softmax_bwd axis=1 | R y, R y.grad, W z.grad");
    tgs_graph_free(g);
    tgs_model_free(m);
    m = classifier("axis=0", false); /* over the samples: not the softmax of the loss */
    g = lowered(m, "train sgd; loss xent");
    assert_task(g, "loss", "softmax_xent scale=0.125 | R y, R labels, W loss, W y.grad");
    tgs_graph_free(g);
    tgs_model_free(m);
}

static void classes_may_have_trailing_ones(void **state)
{
    net n = net_new();
    tgs_model *m;
    tgs_graph *g;

    (void)state;
    net_input(&n, "x", DIMS(2, 3, 4, 4));
    net_stored(&n, "w", DIMS(7, 3, 1, 1));
    net_op(&n, "Conv", "x w", "c", NULL);
    net_op(&n, "GlobalAveragePool", "c", "y", NULL);
    m = net_model(&n, "y");
    g = lowered(m, "train sgd");
    assert_task(g, "logits", "reshape | R y, W logits");
    assert_task(g, "loss", "softmax_xent scale=0.5 | R logits, R labels, W loss, W logits.grad");
    assert_task(g, "logits.bwd", "reshape | R logits.grad, W y.grad");
    tgs_graph_free(g);
    tgs_model_free(m);
}

/* ---- what is refused ---- */

static void refused(const tgs_model *m, const char *strategy, tgs_status expected, const char *what)
{
    tgs_strategy *s = NULL;
    tgs_graph *g = (tgs_graph *)&s;
    tgs_error err = {TGS_OK, ""};
    tgs_status status;

    assert_int_equal(tgs_strategy_parse(&s, strategy, &err), 0);
    status = tgs_model_lower(&g, m, s, &err);
    if (status != expected || g || !strstr(err.text, what))
        fail_msg("%d, '%s', not '%s'", (int)status, err.text, what);
    tgs_strategy_free(s);
}

static void what_cannot_be_trained_is_refused(void **state)
{
    net n = net_new();
    tgs_model *m;

    (void)state;
    net_input(&n, "x", DIMS(2, 3));
    net_op(&n, "Relu", "x", "y", NULL);
    m = net_model(&n, "y");
    refused(m, "train sgd", TGS_ENOTAPPLICABLE, "no parameter");
    refused(m, "train lion", TGS_EINVAL, "no optimizer 'lion'");
    refused(m, "loss hinge", TGS_EINVAL, "no 'hinge'");
    refused(m, "loss mse output=1", TGS_EINVAL, "1 outputs");
    refused(m, "accumulate ring", TGS_EINVAL, "no 'ring'");
    refused(m, "loss mse; micro-batches 100000; replicas 100000", TGS_EINVAL, "too many");
    tgs_model_free(m);
    n = net_new(); /* a gradient that has no rule is not taken for zero */
    net_input(&n, "i", DIMS(2, 1));
    net_input(&n, "u", DIMS(2, 3));
    net_stored(&n, "w", DIMS(3, 3));
    net_op(&n, "Relu", "w", "r", NULL);
    net_op(&n, "ScatterND", "r i u", "y", "reduction=max");
    m = net_model(&n, "y");
    refused(m, "train sgd; loss sum", TGS_ENOTAPPLICABLE,
            "node 'y' (ScatterND): reduction max has no gradient");
    tgs_model_free(m);
    n = net_new();
    net_input(&n, "x", DIMS(2, 3));
    net_stored(&n, "w", DIMS(2, 3));
    net_op(&n, "GeluGrad", "x w", "y", NULL);
    m = net_model(&n, "y");
    refused(m, "train sgd", TGS_ENOTAPPLICABLE, "holds gradients already");
    tgs_model_free(m);
}

/* a reduction along no axis at all */
static void a_reduction_of_nothing_is_of_each_element(void **state)
{
    net n = net_new();
    tgs_model *m;
    tgs_graph *g;

    (void)state;
    net_stored(&n, "w", DIMS(2, 3));
    net_op(&n, "ReduceSum", "w", "s", "noop_with_empty_axes=1");
    net_op(&n, "ReduceL2", "s", "y", "noop_with_empty_axes=1");
    m = net_model(&n, "y");
    g = lowered(m, "train sgd; loss sum");
    assert_task(g, "s", "identity | R w, W s");
    assert_task(g, "y", "abs | R s, W y");
    assert_task(g, "y.bwd", "abs_bwd | R s, R y.grad, W s.grad");
    tgs_graph_free(g);
    tgs_model_free(m);
}

/* what was replaced passes no gradient on, what replaced it takes it from there */
static void entries_by_coordinates_have_gradients(void **state)
{
    net n = net_new();
    tgs_model *m;
    tgs_graph *g;

    (void)state;
    net_input(&n, "i", DIMS(2, 1));
    net_stored(&n, "w", DIMS(3, 3));
    net_stored(&n, "u", DIMS(2, 3));
    net_op(&n, "Relu", "w", "r", NULL);
    net_op(&n, "Relu", "u", "v", NULL);
    net_op(&n, "ScatterND", "r i v", "s", NULL);
    net_op(&n, "GatherND", "s i", "y", NULL);
    m = net_model(&n, "y");
    g = lowered(m, "train sgd; loss sum");
    assert_task(g, "y.bwd", "gathernd_bwd | R y.grad, R i, W s.grad");
    assert_task(g, "s.bwd.data", "scatternd_bwd | R s.grad, R i, W r.grad");
    assert_task(g, "s.bwd.updates", "gathernd | R s.grad, R i, W v.grad");
    tgs_graph_free(g);
    tgs_model_free(m);
    n = net_new();
    net_input(&n, "i", DIMS(2, 1));
    net_stored(&n, "w", DIMS(3, 3));
    net_stored(&n, "u", DIMS(2, 3));
    net_op(&n, "Relu", "w", "r", NULL);
    net_op(&n, "Relu", "u", "v", NULL);
    net_op(&n, "ScatterND", "r i v", "y", "reduction=add"); /* the sum passes it on whole */
    m = net_model(&n, "y");
    g = lowered(m, "train sgd; loss sum");
    assert_true(tgs_graph_find_task(g, "y.bwd.data") < 0);
    assert_task(g, "y.bwd.updates", "gathernd | R y.grad, R i, W v.grad");
    assert_string_equal(tgs_text(&g->v, g->v.task[tgs_graph_find_task(g, "y")].attrs),
                        "reduction=add");
    tgs_graph_free(g);
    tgs_model_free(m);
    n = net_new();
    net_input(&n, "i", DIMS(2, 1));
    net_stored(&n, "w", DIMS(2, 3));
    net_op(&n, "Relu", "w", "r", NULL);
    net_op(&n, "GatherND", "r i", "y", "batch_dims=1");
    m = net_model(&n, "y");
    g = lowered(m, "train sgd; loss sum");
    assert_string_equal(tgs_text(&g->v, g->v.task[tgs_graph_find_task(g, "y")].attrs),
                        "batch_dims=1");
    assert_string_equal(tgs_text(&g->v, g->v.task[tgs_graph_find_task(g, "y.bwd")].attrs),
                        "batch_dims=1");
    tgs_graph_free(g);
    tgs_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_forward_pass_has_what_the_model_says),
        cmocka_unit_test(a_training_step_adds_gradients_and_updates),
        cmocka_unit_test(optimizers_have_their_state),
        cmocka_unit_test(a_convolution_counts_its_flops_both_ways),
        cmocka_unit_test(gradients_of_several_readers_are_summed),
        cmocka_unit_test(broadcast_operands_get_reduced_gradients),
        cmocka_unit_test(a_softmax_before_the_loss_is_part_of_it),
        cmocka_unit_test(classes_may_have_trailing_ones),
        cmocka_unit_test(what_cannot_be_trained_is_refused),
        cmocka_unit_test(a_reduction_of_nothing_is_of_each_element),
        cmocka_unit_test(entries_by_coordinates_have_gradients),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
