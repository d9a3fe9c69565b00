# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of `revisit train` share: a small configuration, running it, and comparing two runs."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("REVISIT_")} | {"OMP_WAIT_POLICY": "passive"}

# Everything that draws random numbers is on: dropout, augmentation, random rho.
SMALL = """
name = "small"
seed = 3
threads = 1
steps = {steps}
checkpoint_minutes = {minutes}
[model]
width = {width}
depth = 2
heads = 2
patch = 14
clusters = 8
cluster_dim = 8
token_dim = 16
hidden = 32
head_start = "{start}"
tiers = [3, 3, 1, 1]
trained_blocks = {blocks}
weitop_hidden = 16
[data]
size = "56x56"
places_per_batch = 4
images_per_place = 2
[[data.source]]
kind = "town"
places = 40
[augment]
rand_augment = 2
crop = 0.5
light = 0.5
[loss]
random_rho_from = 0.4
[optimiser]
lr = {lr}
warmup_steps = 2
decay_steps = 20
[validation]
every_steps = {every}
town_places = 6
rhos = [1.0, 0.5]
"""


def config(path, steps=12, minutes=1000, width=48, blocks=1, every=3, lr=1e-3, start="random"):
    path.write_text(SMALL.format(steps=steps, minutes=minutes, width=width, blocks=blocks, every=every, lr=lr, start=start))
    return path


def command(*words):
    return [PROGRAM, *map(str, words)]


def run(*words, expect=0, **more):
    result = subprocess.run(command(*words), capture_output=True, text=True, env=ENVIRONMENT, **more)
    assert result.returncode == expect, f"{words}: exit {result.returncode}, not {expect}\n{result.stdout}\n{result.stderr}"
    return result


def start(*words):
    return subprocess.Popen(command(*words), env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


TIMES = ("images_per_s", "waiting", "seconds")


def log_of(folder):
    """The lines of a finished or stopped run, without what depends on the clock."""
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return [{key: value for key, value in line.items() if key not in TIMES} for line in lines]


def steps_of(folder):
    """Steps in the log, also while it is being written."""
    path = folder / "log.jsonl"
    text = path.read_text() if path.exists() else ""
    return sum('"loss"' in line for line in text.splitlines())


def expect_same_run(a, b):
    first, second = log_of(a), log_of(b)
    assert len(first) == len(second), f"{len(first)} lines in the log, not {len(second)}"
    for x, y in zip(first, second):
        assert x == y, f"the logs differ:\n{x}\n{y}"
    for name in ("last.safetensors", "model.safetensors"):
        assert (a / name).read_bytes() == (b / name).read_bytes(), f"{name} differs"


def main(tests):
    with tempfile.TemporaryDirectory(prefix="revisit_train_") as folder:
        tests[sys.argv[2]](pathlib.Path(folder), *map(int, sys.argv[3:]))
