# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
"""The vision transformer of a revisit model file, with the constants folded that every system can fold: LayerScale into the
weights before it, position embeddings into one table for the size."""
import json
import math
import pathlib
import struct

import numpy as np


class ModelFile:
    """Metadata as attributes, tensors as f32 arrays by their name below `backbone.model.`."""

    def __init__(self, path):
        path = pathlib.Path(path)
        with path.open("rb") as file:
            header_bytes, = struct.unpack("<Q", file.read(8))
            self._tensors = json.loads(file.read(header_bytes))
        self._data = np.memmap(path, np.uint8, "r", offset=8 + header_bytes)
        meta = self._tensors.pop("__metadata__", {})
        if "revisit.format" not in meta:
            raise SystemExit(f"{path} is no revisit model file; import it first: revisit model import {path} -o OUT.safetensors")
        if meta.get("backbone", "vit") != "vit" or meta["swiglu"] == "true":
            raise SystemExit(f"{path}: only vision transformers with a GELU are written as a graph")
        self.aggregator = meta["aggregator"]
        self.width, self.depth, self.heads, self.patch, self.registers, self.hidden = (
            int(meta[key]) for key in ("width", "depth", "heads", "patch", "registers", "ffn_hidden"))
        self.norm_eps = float(meta["norm_eps"])
        self.layer_scale = meta["layer_scale"] == "true"
        self.pos_grid = tuple(int(side) for side in meta["pos_grid"].split("x"))
        self.pos_rule = meta["pos_rule"]

    def tensor(self, name):
        entry = self._tensors["backbone.model." + name]
        begin, end = entry["data_offsets"]
        kind = {"F32": np.float32, "F16": np.float16}[entry["dtype"]]
        return self._data[begin:end].view(kind).reshape(entry["shape"]).astype(np.float32)

    def norm(self, name):
        return self.tensor(name + ".weight"), self.tensor(name + ".bias")

    def linear(self, name, scale=None):
        """Weight (out, in) and bias (out), after the LayerScale that follows."""
        weight, bias = self.tensor(name + ".weight"), self.tensor(name + ".bias")
        if scale is None or not self.layer_scale:
            return weight, bias
        gamma = self.tensor(scale + ".gamma")
        return weight * gamma[:, None], bias * gamma

    def prefix(self):
        """(1 + registers, width): CLS with its position, then registers, which have none."""
        cls = self.tensor("cls_token").reshape(1, -1) + self.tensor("pos_embed").reshape(-1, self.width)[:1]
        if self.registers == 0:
            return cls
        return np.concatenate([cls, self.tensor("register_tokens").reshape(-1, self.width)])

    def positions(self, rows, cols):
        """(rows * cols, width): the table resampled by the rule the file records."""
        table = self.tensor("pos_embed").reshape(-1, self.width)[1:].reshape(*self.pos_grid, self.width)
        if (rows, cols) != self.pos_grid:
            table = np.einsum("yr,xc,rcd->yxd", resampling(rows, self.pos_grid[0], self.pos_rule),
                              resampling(cols, self.pos_grid[1], self.pos_rule), table.astype(np.float64), optimize=True)
        return table.reshape(-1, self.width).astype(np.float32)

    def gmac(self, tokens_before, tokens_after, blocks_before):
        """Multiply-adds of embedding and blocks in units of 10^9, at so many tokens before and after pruning."""
        def block(tokens):
            products = self.width * (4 * self.width + 2 * self.hidden)
            return tokens * products + 2 * tokens * tokens * self.width
        patches = tokens_before - 1 - self.registers
        embedding = patches * 3 * self.patch * self.patch * self.width
        return (embedding + blocks_before * block(tokens_before) + (self.depth - blocks_before) * block(tokens_after)) * 1e-9


def cubic(x, a):
    x = abs(x)
    if x < 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a if x < 2 else 0.0


def resampling(out_size, in_size, rule):
    """(out, in): what each place of the table gives to each place of the picture along one axis."""
    matrix = np.zeros((out_size, in_size))
    ratio = in_size / (out_size + (0.1 if rule == "hub" else 0.0))
    for out, row in enumerate(matrix):
        if rule in ("hub-antialias", "timm"):
            stretch = max(ratio, 1.0)
            centre = (out + 0.5) * ratio
            first = max(int(centre - 2 * stretch + 0.5), 0)
            last = min(int(centre + 2 * stretch + 0.5), in_size)
            for at in range(first, last):
                row[at] = cubic((at - centre + 0.5) / stretch, -0.5)
            row /= row.sum()
        else:
            source = (out + 0.5) * ratio - 0.5
            base = math.floor(source)
            for at in range(base - 1, base + 3):
                row[min(max(at, 0), in_size - 1)] += cubic(source - at, -0.75)
    return matrix


def size_of(text):
    """"322x322" -> (322, 322), height first."""
    height, width = (int(side) for side in text.split("x"))
    return height, width


def kept_of(path):
    """The patches a file names, by a JSON list of ascending indices."""
    return [int(index) for index in json.loads(pathlib.Path(path).read_text(encoding="utf-8"))]
