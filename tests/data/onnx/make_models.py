#!/usr/bin/env python3
"""Write the small models of this folder: mlp.onnx (784-128-10), lenet.onnx (after LeNet-5), and
wide.onnx (1024-6144-6144-1000, each wide layer in six blocks of columns).

Needs the Python package onnx, at development time only: the files are in the repository.
Weights are ConstantOfShape nodes, as in the "light" models: tgsched gives them initial values."""
import os
import sys

import onnx
from onnx import TensorProto, helper

HERE = os.path.dirname(os.path.abspath(__file__))


class Net:
    """A chain of nodes; each method returns the name of what it computes."""

    def __init__(self, name, shape):
        self.name, self.nodes, self.stored = name, [], []
        self.input = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)

    def weight(self, name, *dims):
        self.stored.append(helper.make_tensor(name + ".shape", TensorProto.INT64, [len(dims)], dims))
        self.node("ConstantOfShape", [name + ".shape"], name,
                  value=helper.make_tensor("value", TensorProto.FLOAT, [1], [0.0]))
        return name

    def node(self, op, inputs, output, **attrs):
        self.nodes.append(helper.make_node(op, inputs, [output], name=output, **attrs))
        return output

    def dense(self, x, name, inputs, outputs):
        return self.node("Gemm", [x, self.weight(name + ".w", inputs, outputs),
                                  self.weight(name + ".b", outputs)], name)

    def conv(self, x, name, inputs, outputs, kernel, **attrs):
        return self.node("Conv", [x, self.weight(name + ".w", outputs, inputs, kernel, kernel),
                                  self.weight(name + ".b", outputs)], name,
                         kernel_shape=[kernel, kernel], **attrs)

    def save(self, output, shape, opset=17):
        y = helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)
        graph = helper.make_graph(self.nodes, self.name, [self.input], [y], self.stored)
        model = helper.make_model(graph, producer_name="tgsched",
                                  opset_imports=[helper.make_opsetid("", opset)])
        model.ir_version = 8
        onnx.checker.check_model(model)
        onnx.save(model, os.path.join(HERE, self.name + ".onnx"))


def mlp():
    n = Net("mlp", ["batch", 784])
    h = n.node("Relu", [n.dense("x", "fc1", 784, 128)], "relu1")
    n.save(n.node("Softmax", [n.dense(h, "fc2", 128, 10)], "y", axis=1), ["batch", 10])


def lenet():
    n = Net("lenet", ["batch", 1, 28, 28])
    h = n.node("Tanh", [n.conv("x", "conv1", 1, 6, 5, pads=[2, 2, 2, 2])], "tanh1")
    h = n.node("AveragePool", [h], "pool1", kernel_shape=[2, 2], strides=[2, 2])
    h = n.node("Tanh", [n.conv(h, "conv2", 6, 16, 5)], "tanh2")
    h = n.node("MaxPool", [h], "pool2", kernel_shape=[2, 2], strides=[2, 2])
    h = n.node("Flatten", [h], "flat", axis=1)
    h = n.node("Sigmoid", [n.dense(h, "fc1", 400, 120)], "sigmoid1")
    h = n.node("Relu", [n.dense(h, "fc2", 120, 84)], "relu2")
    n.save(n.dense(h, "fc3", 84, 10), ["batch", 10])


def wide():
    n = Net("wide", ["batch", 1024])
    h, inputs = "x", 1024
    for layer in ("a", "b"):
        parts = [n.node("Relu", [n.dense(h, f"fc_{layer}{i}", inputs, 1024)], f"relu_{layer}{i}")
                 for i in range(6)]
        h, inputs = n.node("Concat", parts, f"concat_{layer}", axis=1), 6144
    n.save(n.dense(h, "fc_c", 6144, 1000), ["batch", 1000])


if __name__ == "__main__":
    mlp()
    lenet()
    wide()
    sys.exit(0)
