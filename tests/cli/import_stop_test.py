#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
"""A signal ends `revisit model import` and `model average` while they read: within a second, with 128 + signal and one sentence,
and no file is left. The checkpoint is a ViT-B of zeros in a sparse file; the signal comes once the program has mapped it.
usage: import_stop_test.py REVISIT"""
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time

WIDTH, DEPTH, PATCH, GRID = 768, 12, 14, 16


def shapes():
    out = {"cls_token": [1, 1, WIDTH], "pos_embed": [1, 1 + GRID * GRID, WIDTH], "patch_embed.proj.weight": [WIDTH, 3, PATCH, PATCH],
           "patch_embed.proj.bias": [WIDTH], "norm.weight": [WIDTH], "norm.bias": [WIDTH]}
    for i in range(DEPTH):
        layers = {"norm1": (WIDTH,), "norm2": (WIDTH,), "attn.qkv": (3 * WIDTH, WIDTH), "attn.proj": (WIDTH, WIDTH),
                  "mlp.fc1": (4 * WIDTH, WIDTH), "mlp.fc2": (WIDTH, 4 * WIDTH)}
        for name, shape in layers.items():
            out[f"blocks.{i}.{name}.weight"] = list(shape)
            out[f"blocks.{i}.{name}.bias"] = [shape[0]]
        for scale in ("ls1", "ls2"):
            out[f"blocks.{i}.{scale}.gamma"] = [WIDTH]
    return out


def write_checkpoint(path):
    header, end = {}, 0
    for name, shape in shapes().items():
        begin, count = end, 1
        for side in shape:
            count *= side
        end += 4 * count
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-(len(text) + 8) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(file.tell() + end)


def has_mapped(pid, path):
    try:
        return str(path) in pathlib.Path(f"/proc/{pid}/maps").read_text()
    except OSError:
        return False


def stopped(revisit, arguments, watched, number):
    """Runs the program, sends the signal as soon as it has mapped `watched`, and returns (exit code, seconds, stderr)."""
    child = subprocess.Popen([revisit] + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 20
        while not has_mapped(child.pid, watched):
            assert child.poll() is None, f"ended before it had read anything: {child.communicate()}"
            assert time.monotonic() < deadline, "the file was never mapped"
        child.send_signal(number)
        start = time.monotonic()
        errors = child.communicate(timeout=20)[1]
        return child.returncode, time.monotonic() - start, errors
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()


def main():
    revisit = sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="revisit_stop_") as folder:
        folder = pathlib.Path(folder)
        source, out = folder / "vit.safetensors", folder / "out.safetensors"
        write_checkpoint(source)
        imported = ["model", "import", str(source), "-o", str(out)]
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            code, seconds, errors = stopped(revisit, imported, source, number)
            assert code == 128 + number, (number, code, errors)
            assert seconds <= 1, f"{seconds:.2f} s after signal {number}"
            assert errors == f"revisit: error: stopped before '{out}' was written\n", errors
            assert os.listdir(folder) == [source.name], os.listdir(folder)
        code, _, errors = stopped(revisit, imported + ["--json"], source, signal.SIGTERM)
        assert (code, errors) == (143, ""), (code, errors)

        # Left alone it works, and a mean of what it made is stopped in the same way.
        subprocess.run([revisit] + imported, check=True, capture_output=True)
        mean = folder / "mean.safetensors"
        code, seconds, errors = stopped(revisit, ["model", "average", str(out), str(out), "-o", str(mean)], out, signal.SIGINT)
        assert code == 130 and seconds <= 1, (code, seconds)
        assert errors == f"revisit: error: stopped before '{mean}' was written\n", errors
        assert sorted(os.listdir(folder)) == [out.name, source.name], os.listdir(folder)
    print("stopped within a second by each signal, nothing left behind")


main()
