#!/usr/bin/env python3
"""Shapes and flops of operators, one a line of rows.txt: `TYPE;ATTRIBUTES;INPUTS;OUTPUTS;FLOPS`, a tensor as
`f32:2x3` or, when its values are known, `i64:2=4,5`, `-` when it is absent.

  pip install onnx
  python3 make_rows.py >rows.txt

Shapes of standard operators are those of onnx's own shape inference; those that it does not know (other domains, and
what is marked with `says`) are computed here by hand, as are all flops: a multiply-add counts 2."""

import onnx
from onnx import TensorProto as T, helper

TYPES = {"f32": T.FLOAT, "i64": T.INT64, "i32": T.INT32, "u8": T.UINT8, "i8": T.INT8, "bool": T.BOOL}
NAMES = {number: name for name, number in TYPES.items()}
OPSETS = [helper.make_opsetid("", 23), helper.make_opsetid("ai.onnx.preview.training", 1),
          helper.make_opsetid("ai.onnx.ml", 3)]

def parse(text):
    kind, _, rest = text.partition(":")
    dims, _, values = rest.partition("=")
    return kind, [int(d) for d in dims.split("x")] if dims else [], [int(v) for v in values.split(",")] if values else None

def attribute(key, value):
    if key == "dtype":  # the reader writes types by their names
        return NAMES[value]
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)

def inferred(kind, attrs, inputs, count):
    values, stored, names = [], [], []
    for i, text in enumerate(inputs):
        names.append("" if text == "-" else f"x{i}")
        if text == "-":
            continue
        dtype, dims, data = parse(text)
        if data is None:
            values.append(helper.make_tensor_value_info(f"x{i}", TYPES[dtype], dims))
        else:
            stored.append(helper.make_tensor(f"x{i}", TYPES[dtype], dims, data))
    domain, _, name = kind.rpartition(".")
    node = helper.make_node(name, names, [f"y{i}" for i in range(count)], domain=domain, **attrs)
    graph = helper.make_graph([node], "row", values, [onnx.ValueInfoProto(name=f"y{i}") for i in range(count)], stored)
    model = onnx.shape_inference.infer_shapes(helper.make_model(graph, opset_imports=OPSETS), True, True, True)
    for y in model.graph.output:
        t = y.type.tensor_type
        assert t.HasField("shape") and all(d.HasField("dim_value") for d in t.shape.dim), (kind, y)
        yield f"{NAMES[t.elem_type]}:" + "x".join(str(d.dim_value) for d in t.shape.dim)

def row(kind, inputs, flops, attrs=None, count=1, says=None):
    outputs = says.split() if says else list(inferred(kind, attrs or {}, inputs.split(), count))
    text = " ".join(f"{k}={attribute(k, v)}" for k, v in sorted((attrs or {}).items()))
    print(kind, text, inputs, " ".join(outputs), "%.17g" % flops, sep=";")

M = "com.microsoft."
# attention.c: 2 size + 2 value size + 5 of softmax for each head, query and key; projections before
row("Attention", "f32:2x3x4x8 f32:2x3x6x8 f32:2x3x6x10", 2 * 3 * 4 * 6 * (16 + 20 + 5))
row("Attention", "f32:2x4x24 f32:2x6x8 f32:2x6x8", 2 * 3 * 4 * 6 * (16 + 16 + 5), {"q_num_heads": 3, "kv_num_heads": 1})
row(M + "Attention", "f32:2x5x8 f32:8x24 f32:24", 2 * 80 * 24 + 2 * 2 * 25 * (8 + 8 + 5), {"num_heads": 2},
    says="f32:2x5x8")
row(M + "MultiHeadAttention", "f32:2x5x8 f32:2x7x8 f32:2x7x8", 2 * 2 * 35 * (8 + 8 + 5), {"num_heads": 2},
    says="f32:2x5x8")
row(M + "GroupQueryAttention", "f32:1x4x16 f32:1x4x8 f32:1x4x8", 4 * 16 * (8 + 8 + 5),
    {"num_heads": 4, "kv_num_heads": 2}, says="f32:1x4x16")
# einsum.c
row("Einsum", "f32:2x3x4 f32:2x4x5", 2 * 2 * 3 * 4 * 5, {"equation": "bij,bjk->bik"})
row("Einsum", "f32:3x4 f32:4", 2 * 12, {"equation": "ij,j"})
row("Einsum", "f32:2x3x5x5", 2 * 3 * 5, {"equation": "...ii->...i"})
row("Einsum", "f32:3 f32:4 f32:5", 3 * 60, {"equation": "i,j,k->kji"})
# quantize.c
row("QuantizeLinear", "f32:3x4 f32: u8:", 36)
row("QuantizeLinear", "f32:3x4 f32: i8:", 36)
row("DequantizeLinear", "u8:3x4 f32: u8:", 24)
row("DynamicQuantizeLinear", "f32:3x4", 12 * 5, count=3)
row(M + "QLinearAdd", "u8:3x4 f32: u8: u8:4 f32: u8: f32: u8:", 72, says="u8:3x4")
row(M + "QLinearSigmoid", "u8:3x4 f32: u8: f32: u8:", 96, says="u8:3x4")
row(M + "QLinearGlobalAveragePool", "u8:2x3x4x5 f32: u8: f32: u8:", 120 + 4 * 6, {"channels_last": 0},
    says="u8:2x3x1x1")
# integer.c
row("ConvInteger", "u8:2x3x8x8 i8:4x3x3x3 u8: i8:", 2 * 4 * 36 * 54, {"kernel_shape": [3, 3]})
row("ConvInteger", "u8:1x4x8x8 i8:4x2x3x3 u8:", 4 * 16 * 36, {"group": 2, "strides": [2, 2], "pads": [1, 1, 1, 1]})
row("QLinearConv", "u8:1x3x6x6 f32: u8: i8:5x3x3x3 f32: i8: f32: u8:", 5 * 16 * (54 + 4))
row("MatMulInteger", "u8:2x3x4 i8:4x5", 2 * 3 * 5 * 8)
row("QLinearMatMul", "u8:3x4 f32: u8: u8:4x5 f32: u8: f32: u8:", 15 * (8 + 4))
row(M + "DynamicQuantizeMatMul", "f32:3x4 u8:4x5 f32: u8:", 15 * (8 + 5), says="f32:3x5")
row(M + "MatMulIntegerToFloat", "u8:3x4 u8:4x5 f32: f32:", 15 * (8 + 2), says="f32:3x5")
row(M + "QGemm", "u8:3x4 f32: u8: u8:5x4 f32: u8: i32:5 f32: u8:", 15 * (8 + 4), {"transB": 1}, says="u8:3x5")
# drawn.c
row("RandomNormal", "", 8 * 6, {"shape": [2, 3]})
row("RandomUniform", "", 2 * 6, {"shape": [2, 3]})
row("RandomNormalLike", "f32:2x3", 8 * 6)
row("RandomUniformLike", "i64:2x3", 2 * 6, {"dtype": 1})
row("Bernoulli", "f32:4x5", 3 * 20)
row("Multinomial", "f32:2x7", 2 * 14 + 2 * 6, {"sample_size": 3})
row("EyeLike", "f32:3x4", 0)
row("OneHot", "i64:2x3 i64:1=5 f32:2", 30, says="f32:2x3x5")
row("OneHot", "i64:2x3 i64:1=5 f32:2", 30, {"axis": 1}, says="f32:2x5x3")
row("BitwiseAnd", "i32:3x4 i32:4", 12)
row("BitShift", "u8:3x4 u8:3x1", 12, {"direction": "LEFT"})
row("NonMaxSuppression", "f32:1x10x4 f32:1x2x10 i64:1=3", 4 * 40 + 8 * 18, says="i64:6x3")  # at most
# optimizer.c: 12, 8, 5 for each parameter
row("ai.onnx.preview.training.Adam", "f32: i64: f32:3x4 f32:3x4 f32:3x4 f32:3x4", 12 * 12, count=3)
row("ai.onnx.preview.training.Adagrad", "f32: i64: f32:3x4 f32:5 f32:3x4 f32:5 f32:3x4 f32:5", 8 * 17, count=4)
row("ai.onnx.preview.training.Momentum", "f32: i64: f32:7 f32:7 f32:7", 35,
    {"alpha": 0.9, "beta": 1.0, "mode": "standard", "norm_coefficient": 0.0}, count=2)
# smooth.c
row("CumSum", "f32:3x4 i64:=0", 12)
row("LpNormalization", "f32:3x4", 48)
row("MeanVarianceNormalization", "f32:2x3x4x5", 8 * 120, says="f32:2x3x4x5")
row("Trilu", "f32:3x4", 0)
row("ReverseSequence", "f32:4x3 i64:3", 0)
row("Tile", "f32:2x3 i64:2=2,4", 0)
row("DepthToSpace", "f32:1x8x2x3", 0, {"blocksize": 2})
row("SpaceToDepth", "f32:1x2x4x6", 0, {"blocksize": 2})
row("CenterCropPad", "f32:5x6 i64:2=3,8", 0)
row("Det", "f32:2x3x3", 2 * 18)
row("LpPool", "f32:1x2x8x8", 3 * 128 + 32, {"kernel_shape": [2, 2], "strides": [2, 2]})
row("GlobalLpPool", "f32:1x2x8x8", 3 * 128 + 2)
row("Hardmax", "f32:3x4", 12)
row("Compress", "f32:3x4 bool:3", 0, {"axis": 0}, says="f32:3x4")  # at most
# fused.c
row(M + "BiasGelu", "f32:3x4 f32:4", 120, says="f32:3x4")
row(M + "FastGelu", "f32:3x4", 120, says="f32:3x4")
row(M + "SkipLayerNormalization", "f32:2x3x4 f32:2x3x4 f32:4 f32:4", 240, says="f32:2x3x4")
row("GroupNormalization", "f32:2x4x3x3 f32:4 f32:4", 8 * 72, {"num_groups": 2}, says="f32:2x4x3x3")
row("NegativeLogLikelihoodLoss", "f32:3x5 i64:3", 2 * 3, {"reduction": "none"})
row("ScatterElements", "f32:3x4 i64:2x4 f32:2x4", 0)
# spatial.c: 12, 6, 40, 4, ... for each output; 5 n log2 n of a transform
row("GridSample", "f32:1x2x4x4 f32:1x3x5x2", 12 * 30)
row("AffineGrid", "f32:1x2x3 i64:4=1,2,3,4", 6 * 24)
row("RoiAlign", "f32:1x2x8x8 f32:3x4 i64:3", 40 * 3 * 2 * 4, {"output_height": 2, "output_width": 2})
row("MaxRoiPool", "f32:1x2x8x8 f32:3x5", 4 * 3 * 2 * 6, {"pooled_shape": [2, 3]})
row("Col2Im", "f32:1x5x5 i64:2=5,5 i64:2=1,5", 25)
row("HannWindow", "i64:=10", 60)
row("BlackmanWindow", "i64:=10", 100)
row("DFT", "f32:2x8x1 - i64:=1", 5 * 3 * 32 / 2)
row("DeformConv", "f32:1x2x5x5 f32:3x2x3x3 f32:1x18x3x3", 10 * 27 * 18, {"kernel_shape": [3, 3]})
# trained.c: of each element of the largest input
row("SoftmaxCrossEntropyLoss", "f32:3x5 i64:3", 150, {"reduction": "none"}, says="f32:3 f32:3x5")
row("SoftmaxCrossEntropyLoss", "f32:3x5x2 i64:3x2", 300, {"reduction": "mean"}, says="f32:")
# learned.c
row("ai.onnx.ml.Scaler", "f32:5x3", 30, says="f32:5x3")
row("ai.onnx.ml.Normalizer", "f32:5x3", 45, says="f32:5x3")
row("ai.onnx.ml.Binarizer", "f32:5x3", 15, says="f32:5x3")
