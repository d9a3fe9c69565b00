#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
"""PyTorch as one of the child processes of run.py: the protocol of bench/rival_server.cpp. Needs Debian's python3-torch.
usage: torch_server.py model=FILE input=FILE size=HxW threads=N precision=f32|bf16 [kept=FILE.json]"""
import json
import sys
import time

import numpy as np
import torch
from torch.nn import functional as F

from model_file import ModelFile, kept_of, size_of


class Block(torch.nn.Module):
    def __init__(self, model, index):
        super().__init__()
        at = f"blocks.{index}."
        self.heads = model.heads
        self.norm1, self.norm2 = norm(model, at + "norm1"), norm(model, at + "norm2")
        self.qkv, self.proj = linear(model, at + "attn.qkv"), linear(model, at + "attn.proj", at + "ls1")
        self.up, self.down = linear(model, at + "mlp.fc1"), linear(model, at + "mlp.fc2", at + "ls2")

    def forward(self, x):
        rows, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(rows, 3, self.heads, width // self.heads).permute(1, 2, 0, 3).unbind(0)
        shares = torch.softmax((q * (width // self.heads) ** -0.5) @ k.transpose(1, 2), dim=-1)
        x = x + self.proj((shares @ v).transpose(0, 1).reshape(rows, width))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Backbone(torch.nn.Module):
    def __init__(self, model, size, kept):
        super().__init__()
        weight, bias = model.linear("patch_embed.proj")
        self.embed = torch.nn.Conv2d(3, model.width, model.patch, model.patch)
        self.embed.weight.data = torch.from_numpy(weight.reshape(-1, 3, model.patch, model.patch))
        self.embed.bias.data = torch.from_numpy(bias)
        self.prefix = constant(model.prefix())
        self.positions = constant(model.positions(size[0] // model.patch, size[1] // model.patch))
        self.blocks = torch.nn.ModuleList(Block(model, index) for index in range(model.depth))
        self.norm = norm(model, "norm")
        first = 1 + model.registers
        self.rows = torch.tensor(list(range(first)) + [first + patch for patch in kept]) if kept else None

    def forward(self, pixels):
        patches = self.embed(pixels).flatten(2).transpose(1, 2)[0]
        x = torch.cat([self.prefix, patches + self.positions])
        for index, block in enumerate(self.blocks):
            x = block(x)
            if index == 0 and self.rows is not None:
                x = x[self.rows]
        return self.norm(x)


def constant(values):
    return torch.nn.Parameter(torch.from_numpy(values), requires_grad=False)


def norm(model, name):
    layer = torch.nn.LayerNorm(model.width, eps=model.norm_eps)
    layer.weight.data, layer.bias.data = (torch.from_numpy(values) for values in model.norm(name))
    return layer


def linear(model, name, scale=None):
    weight, bias = model.linear(name, scale)
    layer = torch.nn.Linear(weight.shape[1], weight.shape[0])
    layer.weight.data, layer.bias.data = torch.from_numpy(weight), torch.from_numpy(bias)
    return layer


def say(answer):
    print(json.dumps(answer), flush=True)


def serve(option):
    torch.set_num_threads(int(option["threads"]))
    size = size_of(option["size"])
    kind = {"f32": torch.float32, "bf16": torch.bfloat16}[option["precision"]]
    kept = kept_of(option["kept"]) if "kept" in option else None
    backbone = Backbone(ModelFile(option["model"]), size, kept).eval().to(kind)
    pixels = torch.from_numpy(np.fromfile(option["input"], np.float32).reshape(1, 3, *size)).to(kind)
    say({"version": torch.__version__, "threads": torch.get_num_threads()})
    with torch.inference_mode():
        for line in sys.stdin:
            start = time.perf_counter()
            tokens = backbone(pixels)
            ms = 1000 * (time.perf_counter() - start)
            if line.startswith("tokens "):
                tokens.float().numpy().tofile(line[len("tokens "):].rstrip("\n"))
            say({"ms": ms})


if __name__ == "__main__":
    try:
        serve(dict(word.split("=", 1) for word in sys.argv[1:]))
    except Exception as error:  # the driver prints it
        say({"error": str(error)})
        sys.exit(1)
