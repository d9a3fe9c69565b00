#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
"""A student learns a teacher's tokens: it comes nearer to them, and a run that is stopped, killed or has lost its cache ends with
the same bytes as one that nobody disturbed (one thread). usage: distill_test.py PROGRAM teaches"""
import re
import signal
import time

from train_run import config, log_of, main, run, start, steps_of

STAGE = """
[distill]
seen_share = 0.5
orthogonal = true
photos = ["town/database", "town/queries"]
town_places = 20
steps = 40
batch = 4
lr = 2e-3
warmup_steps = 2
cached_crops = 24

[[distill.teacher]]
model = "teacher/last.safetensors"
size = "{size}"
block = 1

[[distill.teacher]]
model = "second/last.safetensors"
size = "{second}"
"""


def stage(root, name, size="56x56", second="56x56", steps=2):
    file = config(root / name, steps=steps, minutes=1e-6, every=0)
    file.write_text(file.read_text().replace("light = 0.5", "light = 0.5\nnight = 0.3").replace("patch = 14", 'patch = 14\nstart = "local"') + STAGE.format(size=size, second=second))
    return file


def teaches(root):
    run("synth", root / "town", "--places", 6, "--views", 3, "--size", "60x80")
    (root / "town" / "database" / "broken.jpg").write_bytes(b"no picture")
    run("train", config(root / "teacher.toml", steps=1, width=32, every=0), "--out", root / "teacher")
    run("train", config(root / "second.toml", steps=1, width=64, every=0), "--out", root / "second")

    straight = root / "straight"
    result = run("train", stage(root, "a.toml"), "--out", straight)
    assert "broken.jpg' cannot be read" in result.stderr, result.stderr
    assert (straight / "model.safetensors").exists(), "learning places comes after it"
    log = log_of(straight / "distill")
    assert [line["step"] for line in log] == list(range(1, 41)), log
    assert log[-1]["held_out_cosine"] > log[0]["cosine"] + 0.1, f"from {log[0]} to {log[-1]}"
    assert "distilled from last.safetensors and last.safetensors for 40 steps" in run("model", "inspect", straight / "distill" / "backbone.safetensors").stdout

    for number in (signal.SIGINT, signal.SIGKILL):
        out = root / f"out{int(number)}"
        child = start("train", root / "a.toml", "--out", out)
        while steps_of(out / "distill") < 12 and child.poll() is None:
            time.sleep(0.01)
        child.send_signal(number)
        errors = child.communicate()[1]
        assert number != signal.SIGINT or re.search(r"stopped after \d+ of 40 steps of the distillation", errors), errors
        next((out / "distill").glob("teacher-*.tokens")).unlink()  # can be made again
        run("train", root / "a.toml", "--out", out, "--resume")
        assert log_of(out / "distill") == log, "the logs differ"
        for name in ("distill/backbone.safetensors", "last.safetensors"):
            assert (out / name).read_bytes() == (straight / name).read_bytes(), f"{name} differs"

    further = stage(root, "further.toml")
    further.write_text(further.read_text().replace('start = "local"', 'backbone = "straight/last.safetensors"'))
    run("train", further, "--out", root / "further")
    assert log_of(root / "further" / "distill")[-1]["held_out_cosine"] > log[-1]["held_out_cosine"], "it goes on from a model"
    inspected = run("model", "inspect", root / "further" / "distill" / "backbone.safetensors").stdout
    assert re.search("trained from .*; .*: distilled from last.safetensors and last.safetensors for 40 steps", inspected), inspected

    for name in ("kept", "used"):  # the second finds what the first has asked the teachers
        shared = stage(root, f"{name}.toml")
        shared.write_text(shared.read_text().replace("cached_crops = 24", 'cached_crops = 24\ncache = "tokens"'))
        run("train", shared, "--out", root / name)
        assert log_of(root / name / "distill") == log, "the logs differ"
    other = root / "other.toml"
    other.write_text(shared.read_text().replace("cached_crops", "town_share = 0.6\ncached_crops"))
    run("train", other, "--out", root / "other", expect=0)
    assert len(list((root / "tokens").glob("teacher-*.tokens"))) == 2, "other crops are kept apart"

    result = run("train", stage(root, "b.toml", size="70x70"), "--out", root / "b", expect=2)
    assert "sees 4x4 patches, but" in result.stderr and "sees 5x5" in result.stderr, result.stderr
    result = run("train", stage(root, "b.toml", size="70x70", second="70x70"), "--out", root / "b", expect=2)
    assert 'data.size = "70x70"' in result.stderr and "the same 5x5 patches" in result.stderr, result.stderr
    result = run("train", stage(root, "c.toml", size="60x60"), "--out", root / "c", expect=2)
    assert "60x60 is not a multiple of the patch of" in result.stderr, result.stderr
    result = run("train", root / "a.toml", "--out", straight, "--seed", 8, "--resume", expect=3)
    assert "was started with seed '3', but now it is '8'" in result.stderr, result.stderr


main({"teaches": teaches})
