#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the backbone of a revisit model file as an ONNX graph, pixels (1, 3, H, W) -> tokens after the final norm (rows, width),
in the operators ONNX Runtime runs fastest on a CPU: LayerNormalization, com.microsoft.Gelu, com.microsoft.MultiHeadAttention,
and Gemm, or with --int8 com.microsoft.DynamicQuantizeMatMul with weights of one scale a column. With --keep or --kept tokens of
the other patches are left out after the first block. Needs Debian's python3-onnx."""
import argparse

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from model_file import ModelFile, kept_of, size_of

MICROSOFT = "com.microsoft"


class GraphWriter:
    def __init__(self, model, int8):
        self.model = model
        self.int8 = int8
        self.nodes = []
        self.constants = []

    def constant(self, name, values):
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def node(self, operator, inputs, name, outputs=None, **attributes):
        self.nodes.append(helper.make_node(operator, inputs, outputs or [name], name=name, **attributes))
        return name

    def norm(self, x, name):
        gamma, beta = self.model.norm(name)
        inputs = [x, self.constant(name + ".gamma", gamma), self.constant(name + ".beta", beta)]
        return self.node("LayerNormalization", inputs, name, axis=-1, epsilon=self.model.norm_eps)

    def linear(self, x, name, scale=None):
        weight, bias = self.model.linear(name, scale)
        bias_name = self.constant(name + ".bias", bias)
        if not self.int8:
            return self.node("Gemm", [x, self.constant(name + ".weight", weight.T), bias_name], name)
        step = np.maximum(np.abs(weight).max(axis=1), 1e-12) / 127
        rounded = np.rint(weight / step[:, None]).astype(np.int8)
        inputs = [x, self.constant(name + ".weight", rounded.T), self.constant(name + ".step", step.astype(np.float32)), "",
                  bias_name]
        return self.node("DynamicQuantizeMatMul", inputs, name, domain=MICROSOFT)

    def reshaped(self, x, name, shape):
        return self.node("Reshape", [x, self.constant(name + ".shape", np.array(shape, np.int64))], name)

    def embedding(self, size):
        """The patch embedding stays f32, as in revisit's int8."""
        weight, bias = self.model.linear("patch_embed.proj")
        side = self.model.patch
        inputs = ["pixels", self.constant("patch_embed.weight", weight.reshape(-1, 3, side, side)),
                  self.constant("patch_embed.bias", bias)]
        planes = self.node("Conv", inputs, "patch_embed", kernel_shape=[side, side], strides=[side, side])
        rows = self.reshaped(planes, "patch_rows", [self.model.width, -1])
        patches = self.node("Transpose", [rows], "patches", perm=[1, 0])
        placed = self.node("Add", [patches, self.constant("positions", self.model.positions(size[0] // side, size[1] // side))],
                           "placed")
        return self.node("Concat", [self.constant("prefix", self.model.prefix()), placed], "embedded", axis=0)

    def block(self, x, index):
        at = f"blocks.{index}."
        qkv = self.linear(self.norm(x, at + "norm1"), at + "attn.qkv")
        parts = [at + part for part in "qkv"]
        batch = self.reshaped(qkv, at + "batch", [1, -1, 3 * self.model.width])
        self.node("Split", [batch], at + "split", outputs=parts, axis=2)
        attended = self.node("MultiHeadAttention", parts, at + "attention", domain=MICROSOFT, num_heads=self.model.heads)
        rows = self.reshaped(attended, at + "rows", [-1, self.model.width])
        x = self.node("Add", [x, self.linear(rows, at + "attn.proj", at + "ls1")], at + "attended")
        up = self.linear(self.norm(x, at + "norm2"), at + "mlp.fc1")
        hidden = self.node("Gelu", [up], at + "gelu", domain=MICROSOFT)
        return self.node("Add", [x, self.linear(hidden, at + "mlp.fc2", at + "ls2")], at + "out")

    def write(self, path, size, kept):
        x = self.embedding(size)
        for index in range(self.model.depth):
            x = self.block(x, index)
            if index == 0 and kept:
                rows = list(range(1 + self.model.registers)) + [1 + self.model.registers + patch for patch in kept]
                x = self.node("Gather", [x, self.constant("kept", np.array(rows, np.int64))], "pruned", axis=0)
        tokens = self.norm(x, "norm")
        graph = helper.make_graph(
            self.nodes, "backbone", [helper.make_tensor_value_info("pixels", TensorProto.FLOAT, [1, 3, *size])],
            [helper.make_tensor_value_info(tokens, TensorProto.FLOAT, ["rows", self.model.width])], self.constants)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name="revisit bench/rivals"), path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", help="a revisit model file")
    parser.add_argument("out", help="the graph to write")
    parser.add_argument("--size", type=size_of, default=(322, 322), metavar="HxW")
    parser.add_argument("--int8", action="store_true")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--keep", type=int, metavar="N", help="so many patches, evenly spread")
    which.add_argument("--kept", type=kept_of, metavar="FILE.json", help="these patches")
    args = parser.parse_args()
    model = ModelFile(args.model)
    patches = (args.size[0] // model.patch) * (args.size[1] // model.patch)
    kept = [i * patches // args.keep for i in range(args.keep)] if args.keep else args.kept
    GraphWriter(model, args.int8).write(args.out, args.size, kept)


if __name__ == "__main__":
    main()
