#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
"""A training run that is stopped, killed, damaged or out of space goes on, and ends with the same log and the same bytes as one
that nobody disturbed (one thread).
usage: run_test.py PROGRAM resumes | talks | vocabulary | own | pruned | interrupted | damaged | mismatch | nonfinite | full | kills COUNT"""
import random
import re
import resource
import shlex
import signal
import time

from train_run import config, expect_same_run, log_of, main, run, start, steps_of


def resumes(root):
    file = config(root / "a.toml")
    run("train", file, "--out", root / "straight")
    log = log_of(root / "straight")
    assert [line["step"] for line in log if "loss" in line] == list(range(1, 13)), log
    assert [line["step"] for line in log if "validation" in line] == [0, 3, 6, 9, 12], log
    assert any(line["rho"] < 1 and line["distillation"] is None for line in log if "loss" in line), "no batch was pruned"
    assert any(line["distillation"] is not None for line in log if "loss" in line), "WeiToP has not learnt"
    assert "<svg" in (root / "straight" / "curve.svg").read_text()
    first = run("train", file, "--out", root / "halves", "--steps", 6)
    assert "(untrained)" in first.stderr and "model.safetensors" in first.stdout, first
    second = run("train", file, "--out", root / "halves", "--resume")
    assert "continuing at step 6 of 12" in second.stderr, second.stderr
    expect_same_run(root / "halves", root / "straight")
    # All is done: the same command has nothing left to do and changes nothing.
    run("train", file, "--out", root / "halves", "--resume")
    expect_same_run(root / "halves", root / "straight")
    information = run("model", "inspect", root / "halves" / "last.safetensors").stdout
    assert "config small" in information and "12 steps" in information, information


def talks(root):
    """The first line comes at once, before anything slow, and what lasts is told."""
    file = config(root / "a.toml", steps=2, every=0)
    run("train", file, "--out", root / "done")
    began = time.monotonic()
    run("train", file, "--out", root / "done", expect=2)  # refused: as long as starting takes here
    baseline = time.monotonic() - began
    slow = file.read_text().replace("town_places = 6", "town_places = 1500").replace("rhos = [1.0, 0.5]", "rhos = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5]")
    file.write_text(slow)
    began = time.monotonic()
    child = start("train", file, "--out", root / "out")
    first = child.stderr.readline()
    waited = time.monotonic() - began
    assert first.startswith("training 'small', 2 steps, into '"), first
    assert waited < 2 * baseline + 1, f"the first line came after {waited:.1f} s, starting takes {baseline:.1f} s"
    rest = child.communicate()[1]
    assert child.returncode == 0, rest
    lasting = r"^(rendering the validation town|validating at step 0: describing pictures  \d+/27000)  \d+ s$"
    assert re.search(lasting, rest, re.M), rest


def vocabulary(root):
    """A head that begins with a vocabulary: said, kept over a stop, and another run than one with a random head."""
    file = config(root / "a.toml", steps=4, every=2, start="vocabulary")
    said = run("train", file, "--out", root / "straight").stderr
    assert "the head starts with a vocabulary" in said, said
    run("train", file, "--out", root / "halves", "--steps", 2)
    again = run("train", file, "--out", root / "halves", "--resume").stderr
    assert "vocabulary" not in again, "the head began anew: " + again
    expect_same_run(root / "halves", root / "straight")
    other = config(root / "b.toml", steps=4, every=2)
    result = run("train", other, "--out", root / "halves", "--resume", expect=3)
    assert "was started with model.head_start 'vocabulary', which is not set now" in result.stderr, result.stderr
    run("train", other, "--out", root / "random")
    loss = lambda folder: next(line["loss"] for line in log_of(folder) if "loss" in line)
    assert loss(root / "random") != loss(root / "straight")


def own(root):
    """A whole model learns on and is its own teacher: also after a stop, when the model it began with must be read again."""
    run("train", config(root / "a.toml", steps=3, every=0), "--out", root / "model")
    text = config(root / "b.toml", steps=8, every=4, start="own").read_text()
    text = re.sub(r"(?s)width = .*patch = 14", f'backbone = "{root / "model" / "last.safetensors"}"', text)
    text = text.replace("random_rho_from = 0.4", "random_rho_from = 0.4\ncontext = 1\nplace = 0\nrandom_rho_share = 0.8")
    file = root / "b.toml"
    file.write_text(text)
    run("train", file, "--out", root / "straight")
    steps = [line for line in log_of(root / "straight") if "loss" in line]
    assert all(line["context"] is not None for line in steps), steps
    assert any(line["rho"] < 1 for line in steps), "no batch was pruned"
    run("train", file, "--out", root / "halves", "--steps", 4)
    kept = (root / "model" / "last.safetensors").read_bytes()
    (root / "model" / "last.safetensors").write_bytes((root / "straight" / "last.safetensors").read_bytes())
    result = run("train", file, "--out", root / "halves", "--resume", expect=3)
    assert "was started with loss.context.teacher '" in result.stderr, result.stderr
    (root / "model" / "last.safetensors").write_bytes(kept)
    run("train", file, "--out", root / "halves", "--resume")
    expect_same_run(root / "halves", root / "straight")


def pruned(root):
    """A network trained with ToMe or DynamicViT: stopped and resumed to the same bytes, and its model prunes by that method."""
    for method in ("tome", "dynamicvit"):
        folder = root / method
        folder.mkdir()
        text = config(folder / "a.toml", steps=8, every=4).read_text().replace("random_rho_from = 0.4\n", "")
        text = text.replace("weitop_hidden = 16", f'weitop = false\nprune = "{method}"\nprune_rho = 0.5')
        file = folder / "b.toml"
        file.write_text(text)
        run("train", file, "--out", folder / "straight")
        steps = [line for line in log_of(folder / "straight") if "loss" in line]
        assert all(line["rho"] == 0.5 for line in steps), steps
        assert all(("stages" in line) == (method == "dynamicvit") for line in steps), steps
        run("train", file, "--out", folder / "halves", "--steps", 4)
        run("train", file, "--out", folder / "halves", "--resume")
        expect_same_run(folder / "halves", folder / "straight")
        model = folder / "straight" / "last.safetensors"
        information = run("model", "inspect", model).stdout
        assert f"trained with {method} at rho 0.5 by revisit" in information, information
        run("synth", folder / "town", "--places", 1, "--views", 2)
        photo = next((folder / "town").rglob("*.jpg"))
        said = run("describe", photo, "--model", model, "--rho", 0.5, "--json")
        assert f"{method} " in said.stderr and "left" in said.stderr, said.stderr
        run("describe", photo, "--model", model, "--prune", method, "--rho", 0.7)
    other = folder / "c.toml"
    other.write_text(text.replace("prune_rho = 0.5", "prune_rho = 0.6"))
    result = run("train", other, "--out", folder / "straight", "--resume", expect=3)
    assert "was started with model.prune_rho '0.5', but now it is '0.6'" in result.stderr, result.stderr


def interrupted(root):
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        file, out = config(root / f"{code}.toml", steps=5000, every=0), root / f"out {code}"
        child = start("train", file, "--out", out)
        while steps_of(out) < 3 and child.poll() is None:
            time.sleep(0.01)
        child.send_signal(number)
        errors = child.communicate()[1]
        assert child.returncode == code, f"exit {child.returncode}: {errors}"
        stopped = int(re.search(r"stopped after (\d+) of 5000 steps", errors)[1])
        assert stopped >= 3 and len([line for line in log_of(out) if "loss" in line]) == stopped, errors
        again = shlex.split(re.search(r"to continue: revisit (.*)", errors)[1])
        assert again[-1] == "--resume" and str(out) in again, again
        run(*again, "--steps", stopped + 3)
        straight = root / f"straight {code}"
        run("train", file, "--out", straight, "--steps", stopped + 3)
        expect_same_run(out, straight)


def damaged(root):
    file, out = config(root / "a.toml", minutes=1e-6), root / "out"
    run("train", file, "--out", out, "--steps", 6)
    newest = out / "checkpoint.safetensors"
    content = bytearray(newest.read_bytes())
    content[len(content) // 2] ^= 1
    newest.write_bytes(content)
    result = run("train", file, "--out", out, "--resume")
    assert re.search(r"notice: .*checkpoint.safetensors' is damaged.*continuing from the previous one, at step 5", result.stderr), result.stderr
    run("train", file, "--out", root / "straight")
    expect_same_run(out, root / "straight")

    for name in ("checkpoint.safetensors", "checkpoint.previous.safetensors"):
        (out / name).write_bytes(b"not a checkpoint")
    result = run("train", file, "--out", out, "--resume", expect=3)
    assert "no checkpoint can be used" in result.stderr, result.stderr


def mismatch(root):
    file, out = config(root / "a.toml", steps=2, every=0), root / "out"
    run("train", file, "--out", out)
    before = (out / "checkpoint.safetensors").read_bytes()
    result = run("train", config(root / "b.toml", steps=4, every=0, lr=2e-3), "--out", out, "--resume", expect=3)
    assert "was started with optimiser.lr '0.001', but now it is '0.002'" in result.stderr, result.stderr
    result = run("train", file, "--out", out, "--seed", 9, "--resume", expect=3)
    assert "was started with seed '3', but now it is '9'" in result.stderr, result.stderr
    result = run("train", file, "--out", out, expect=2)
    assert "already holds a training run" in result.stderr and "--resume" in result.stderr, result.stderr
    (root / "empty").mkdir()
    result = run("train", file, "--out", root / "empty", "--resume", expect=3)
    assert "no training run" in result.stderr, result.stderr
    (root / "mine").mkdir()
    (root / "mine" / "model.safetensors").write_text("precious")
    result = run("train", file, "--out", root / "mine", expect=2)
    assert "already exists" in result.stderr and (root / "mine" / "model.safetensors").read_text() == "precious", result.stderr
    result = run("train", file, "--out", root / "cuda", "--device", "cuda", expect=2)
    assert "cuda" in result.stderr and result.stderr.count("error:") == 1, result.stderr
    assert (out / "checkpoint.safetensors").read_bytes() == before

    # Two at a time: the second is refused.
    long = config(root / "long.toml", steps=5000, every=0)
    child = start("train", long, "--out", root / "locked")
    while steps_of(root / "locked") < 1 and child.poll() is None:
        time.sleep(0.01)
    result = run("train", long, "--out", root / "locked", "--resume", expect=1)
    child.send_signal(signal.SIGTERM)
    child.communicate()
    assert "another training run" in result.stderr, result.stderr


def nonfinite(root):
    """A loss that is not finite names its pictures. No f32 can hold what this temperature makes of importance."""
    file, out = config(root / "a.toml"), root / "out"
    file.write_text(file.read_text().replace("random_rho_from = 0.4", "temperature = 1e-42"))
    result = run("train", file, "--out", out, expect=3)
    assert re.search(r"the loss is -?(inf|nan) at step 0, on the pictures town 1: place \d+", result.stderr), result.stderr
    assert len((out / "nonfinite.txt").read_text().splitlines()) == 8, "a batch has 4 x 2 pictures"
    assert not list(out.glob("checkpoint*")) and steps_of(out) == 0


def full(root):
    """Files may grow to 20 KB only: the log fits, a checkpoint does not."""
    file, out = config(root / "a.toml", minutes=1e-6, every=0), root / "out"
    run("train", file, "--out", out, "--steps", 2)
    before = (out / "checkpoint.safetensors").read_bytes()
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
    result = run("train", file, "--out", out, "--resume", expect=5, preexec_fn=limit)
    assert "checkpoint" in result.stderr, result.stderr
    assert (out / "checkpoint.safetensors").read_bytes() == before
    assert not list(out.glob("*.tmp")), list(out.iterdir())
    # Two parts with the end of the first among them: without it the log has no validation at step 2.
    run("train", file, "--out", out, "--resume")
    run("train", file, "--out", root / "straight", "--steps", 2)
    run("train", file, "--out", root / "straight", "--resume")
    expect_same_run(out, root / "straight")


def kills(root, count):
    """Kills while a checkpoint is being written, which is most of the time: it is large here, and written after every step."""
    steps = 6 * count
    file = config(root / "a.toml", steps=steps, minutes=1e-6, width=192, blocks=2, every=0)
    out, rng = root / "out", random.Random(1)
    reached = killed = during = 0
    while killed < count:
        child = start("train", file, "--out", out, *(["--resume"] if out.exists() else []))
        before = steps_of(out)
        while child.poll() is None and (steps_of(out) <= before or not list(out.glob("*.tmp"))):
            pass  # no sleep: writing takes milliseconds
        time.sleep(rng.uniform(0, 0.02))
        child.kill()
        errors = child.communicate()[1]
        assert child.returncode == -signal.SIGKILL, f"ended by itself after {killed} kills: {child.returncode} {errors}"
        killed += 1
        during += bool(list(out.glob("*.tmp")))
        assert "damaged" not in errors and "the previous one" not in errors, errors
        step = re.search(r"continuing at step (\d+)", errors)
        if step:
            assert int(step[1]) >= reached, f"work was lost: step {step[1]} after {reached}"
            reached = int(step[1])
    run("train", file, "--out", out, "--resume")
    assert during >= count // 3, f"only {during} of {count} kills hit a write"
    assert not list(out.glob("*.tmp")), "rests of killed runs are still there"
    run("train", file, "--out", root / "straight")
    expect_same_run(out, root / "straight")
    print(f"{killed} kills, {during} of them while a checkpoint was being written")


if __name__ == "__main__":
    main({"resumes": resumes, "talks": talks, "vocabulary": vocabulary, "own": own, "pruned": pruned, "interrupted": interrupted, "damaged": damaged,
          "mismatch": mismatch, "nonfinite": nonfinite, "full": full, "kills": kills})
