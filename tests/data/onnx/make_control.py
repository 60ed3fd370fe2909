#!/usr/bin/env python3
"""Small models with control flow, functions and sequences, for t_control and the fuzzer's corpus.
Run by hand, in a scratch environment with the onnx package (IR 8, opset 17)."""
import sys
from pathlib import Path
import numpy
import onnx
from onnx import TensorProto, helper
from onnx.helper import make_graph, make_node, make_tensor_value_info as value

HERE = Path(__file__).parent / "control"
F, I, B = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def number(name, x, kind=I):
    return helper.make_tensor(name, kind, [], [x])


def save(name, nodes, inputs, outputs, stored=(), functions=(), opset=17):
    graph = make_graph(nodes, name, inputs, outputs, list(stored))
    imports = [helper.make_opsetid("", opset)] + [helper.make_opsetid("own", 1)] * bool(functions)
    model = helper.make_model(graph, opset_imports=imports, functions=list(functions), ir_version=8)
    onnx.save(model, HERE / (name + ".onnx"))
    return model


def branch(name, node, out="b"):
    return make_graph([node], name, [], [value(out, F, None)])


def main():
    HERE.mkdir(exist_ok=True)
    x, y = value("x", F, [2, 3]), value("y", F, None)
    yes = branch("yes", make_node("Relu", ["x"], ["b"]))
    weights = helper.make_tensor("w", F, [3, 4], numpy.arange(12, dtype=numpy.float32) / 8)
    no = make_graph([make_node("MatMul", ["x", "w"], ["b"])], "no", [], [value("b", F, None)],
                    [weights])
    both = dict(then_branch=yes, else_branch=no)
    # the condition follows from a shape: 2 == 3 is false
    save("if_known",
         [make_node("Shape", ["x"], ["s"]), make_node("Gather", ["s", "i0"], ["a"]),
          make_node("Gather", ["s", "i1"], ["c"]), make_node("Equal", ["a", "c"], ["same"]),
          make_node("If", ["same"], ["y"], name="choose", **both)],
         [x], [y], [number("i0", 0), number("i1", 1)])
    save("if_open", [make_node("If", ["flag"], ["y"], name="choose", **both)],
         [x, value("flag", B, [])], [y])
    # y = x doubled `trips` times; every turn also puts out its number times x
    body = make_graph([make_node("Add", ["state", "state"], ["next"]),
                       make_node("Cast", ["turn"], ["t"], to=F), make_node("Mul", ["t", "x"], ["row"]),
                       make_node("Identity", ["go"], ["on"])], "turn",
                      [value("turn", I, []), value("go", B, []), value("state", F, None)],
                      [value("on", B, []), value("next", F, None), value("row", F, None)])
    loop = make_node("Loop", ["trips", "", "x"], ["y", "rows"], name="again", body=body)
    outs = [y, value("rows", F, None)]
    save("loop_known", [loop], [x], outs, [number("trips", 3)])
    save("loop_many", [loop], [x], outs, [number("trips", 100000)])
    save("loop_open", [loop], [x, value("trips", I, [])], outs)
    # ends when the turn's number is 4: known, since nothing in it depends on the input
    until = make_graph([make_node("Add", ["state", "x"], ["next"]),
                        make_node("Less", ["turn", "four"], ["on"])], "turn",
                       [value("turn", I, []), value("go", B, []), value("state", F, None)],
                       [value("on", B, []), value("next", F, None)])
    save("loop_until", [make_node("Loop", ["", "true", "x"], ["y"], name="again", body=until)],
         [x], [y], [number("four", 4), helper.make_tensor("true", B, [], [True])])
    running = make_graph([make_node("Add", ["sum", "row"], ["total"]),
                          make_node("Identity", ["total"], ["out"])], "row",
                         [value("sum", F, [3]), value("row", F, [3])],
                         [value("total", F, [3]), value("out", F, [3])])
    save("scan", [make_node("Scan", ["zero", "x"], ["end", "y"], name="sums", num_scan_inputs=1,
                            body=running, scan_input_directions=[1])],
         [x], [value("end", F, [3]), y], [helper.make_tensor("zero", F, [3], [0.0] * 3)])
    twice = helper.make_function(
        "own", "Scaled", ["a"], ["r"],
        [make_node("LeakyRelu", ["a"], ["b"]), make_node("Add", ["b", "a"], ["r"])],
        [helper.make_opsetid("", 17)], ["alpha"])
    attribute = twice.node[0].attribute.add()
    attribute.name, attribute.ref_attr_name = "alpha", "alpha"
    attribute.type = onnx.AttributeProto.FLOAT
    save("function", [make_node("Scaled", ["x"], ["h"], domain="own", alpha=0.25),
                      make_node("Scaled", ["h"], ["y"], domain="own", alpha=0.5)],
         [x], [y], functions=[twice])
    save("sequence",
         [make_node("SplitToSequence", ["x", "one"], ["s"], axis=1),
          make_node("SequenceInsert", ["s", "column"], ["t"]),
          make_node("SequenceErase", ["t", "zero"], ["u"]),
          make_node("SequenceLength", ["u"], ["n"]), make_node("Sub", ["n", "one"], ["last"]),
          make_node("SequenceAt", ["u", "last"], ["z"]),
          make_node("ConcatFromSequence", ["u"], ["y"], axis=1)],
         [x], [y, value("z", F, None)],
         [number("one", 1), number("zero", 0), helper.make_tensor("column", F, [2, 1], [7.0, 8.0])])
    optional = helper.make_optional_type_proto(helper.make_tensor_type_proto(F, [2, 3]))
    full = branch("full", make_node("OptionalGetElement", ["o"], ["b"]))
    save("optional",
         [make_node("Optional", ["x"], ["o"]), make_node("OptionalHasElement", ["o"], ["has"]),
          make_node("If", ["has"], ["y"], name="choose", then_branch=full, else_branch=yes)],
         [x], [y])
    save("optional_input",
         [make_node("OptionalHasElement", ["o"], ["has"]),
          make_node("If", ["has"], ["y"], name="choose", then_branch=full, else_branch=yes)],
         [x, helper.make_value_info("o", optional)], [y], opset=18)
    each = make_graph([make_node("Tanh", ["row"], ["out"])], "each", [value("row", F, None)],
                      [value("out", F, None)])
    save("map",
         [make_node("SplitToSequence", ["x", "one"], ["s"], axis=0),
          make_node("SequenceMap", ["s"], ["t"], name="each", body=each),
          make_node("ConcatFromSequence", ["t"], ["y"], axis=0)],
         [x], [y], [number("one", 1)])
    inner = make_graph([make_node("Add", ["state", "x"], ["sum"]),
                        make_node("If", ["go"], ["next"], name="either",
                                  then_branch=branch("a", make_node("Relu", ["sum"], ["b"])),
                                  else_branch=branch("c", make_node("Neg", ["sum"], ["b"]))),
                        make_node("Identity", ["go"], ["on"])], "turn",
                       [value("turn", I, []), value("go", B, []), value("state", F, None)],
                       [value("on", B, []), value("next", F, None)])
    save("nested", [make_node("Loop", ["trips", "", "x"], ["y"], name="again", body=inner)],
         [x], [y], [number("trips", 2)])
    save("unknown", [make_node("Frob", ["x"], ["h"], domain="nobody"),
                     make_node("Softmax", ["h"], ["y"])], [x], [y])


if __name__ == "__main__":
    sys.exit(main())
