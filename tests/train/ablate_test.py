#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
"""Tokens of the frozen blocks that are kept on disk change nothing but the time, and a study that is stopped, killed or repeated
ends with the table of one that nobody disturbed (one thread). usage: ablate_test.py PROGRAM kept | studies"""
import csv
import re
import shutil
import signal
import time

from train_run import config, log_of, main, run, start


def fixed(root, name, steps=6):
    """Two of three blocks frozen, two fixed sets of pictures a place."""
    file = config(root / name, steps=steps, every=0)
    text = file.read_text()
    text = re.sub(r"depth = \d+", "depth = 3", text)
    text = re.sub(r"trained_blocks = \d+", "trained_blocks = 1", text)
    text = re.sub(r"random_rho_from = \S+", "random_rho_from = 1", text)
    file.write_text(re.sub(r"\[data\]\n", "[data]\nvariants = 2\n", text))
    return file


def tokens_of(folder):
    return sorted(folder.glob("frozen-*.tokens"))


def kept(root):
    file = fixed(root, "a.toml", steps=8)
    run("train", file, "--out", root / "first")
    (store,) = tokens_of(root / "first")
    # Another seed sees the same pictures, in another order: the file serves it too, and grows by nothing once all were seen.
    shared = root / "shared"
    file.write_text(file.read_text().replace("[data]\n", f'[data]\ncache = "{shared}"\n'))
    for out in ("second", "third"):
        run("train", file, "--out", root / out)
        assert log_of(root / out) == log_of(root / "first"), f"{out}: kept tokens change what is learnt"
        assert (root / out / "last.safetensors").read_bytes() == (root / "first" / "last.safetensors").read_bytes()
        assert len(tokens_of(shared)) == 1 and not tokens_of(root / out), "not in the folder that was asked for"
    assert tokens_of(shared)[0].read_bytes() == store.read_bytes(), "the same pictures give other tokens"
    # Damage is noticed and made good.
    content = bytearray(tokens_of(shared)[0].read_bytes())
    for at in range(100, len(content), 5000):
        content[at] ^= 0xFF
    tokens_of(shared)[0].write_bytes(content)
    run("train", file, "--out", root / "damaged")
    assert log_of(root / "damaged") == log_of(root / "first")
    # Nothing is frozen: there is nothing to keep.
    file.write_text(file.read_text().replace("trained_blocks = 1", "trained_blocks = 3"))
    result = run("train", file, "--out", root / "all", expect=2)
    assert "variants is 2, but all 3 blocks learn" in result.stderr, result.stderr


def studies(root):
    file, whole = fixed(root, "a.toml", steps=3), root / "whole"
    result = run("ablate", file, "--out", whole, "--seeds", 2)
    assert "| parts | dustbin + ghost + tiers | 1 | 2 |" in result.stdout, result.stdout
    assert (whole / "ablation.md").read_text().endswith(result.stdout.split("\nstudy")[0]), result.stdout
    with open(whole / "ablation.csv", newline="") as table:
        rows = list(csv.DictReader(table))
    groups = {group: len([row for row in rows if row["group"] == group]) for group in {row["group"] for row in rows}}
    assert groups == {"parts": 12, "tiers": 6, "delta": 10, "gamma": 16, "layer": 48, "kappa": 30, "cluster": 3}, groups
    recalls = {(row["group"], row["row"], row["rho"], row["seed"]): row["recall@1"] for row in rows}
    base = recalls["parts", "dustbin + ghost + tiers", "1", "3"]
    assert recalls["delta", "0.1", "1", "3"] == base and recalls["layer", "after block 1", "1", "3"] == base, recalls
    assert recalls["gamma", "0.1", "1", "4"] == recalls["layer", "after block 1, teacher gradient", "1", "4"], recalls
    assert len(list((whole / "rows").glob("*/last.safetensors"))) == 40, "a configuration that stands in two groups ran twice"
    assert not list((whole / "rows").glob("*/checkpoint*")), "rows that are done need no checkpoint"
    clusters = (whole / "clusters.csv").read_text().splitlines()
    assert len(clusters) > 2 and clusters[0].startswith("cluster,recall@1"), clusters
    assert len(tokens_of(whole / "tokens")) == 2, "two seeds' random weights"
    inputs = sorted(file.name.split("-")[0] for file in (whole / "tokens").glob("block*.tokens"))
    assert inputs == ["block0", "block0", "block1", "block1", "block2", "block2"], "WeiToP's inputs for each seed after 0, 1 and 2"

    for number in (signal.SIGINT, signal.SIGKILL):
        out = root / f"out{int(number)}"
        child = start("ablate", file, "--out", out, "--seeds", 2)
        while len(list((out / "rows").glob("*/result.json"))) < 3 and child.poll() is None:
            time.sleep(0.01)
        child.send_signal(number)
        errors = child.communicate()[1]
        assert number != signal.SIGINT or re.search(r"stopped after \d+ of \d+ rows.*to continue: revisit ablate", errors), errors
        again = run("ablate", file, "--out", out, "--seeds", 2)
        assert again.stdout.split("\nstudy")[0] == result.stdout.split("\nstudy")[0], "another table"

    file.write_text(file.read_text().replace("lr = 0.001", "lr = 0.002"))
    changed = run("ablate", file, "--out", whole, "--seeds", 2, expect=3)
    assert "settings.txt' differ from the configuration" in changed.stderr, changed.stderr
    # A row that was trained but not measured is no less bound to its settings.
    (root / "stale" / "rows" / "tiers-3-3-1-1-s3").mkdir(parents=True)
    run("ablate", file, "--out", root / "stale", "--only", "tiers", "--steps", 2)
    for result in (root / "stale" / "rows").glob("*/result.json"):
        result.unlink()
    run("ablate", file, "--out", root / "stale", "--only", "tiers", expect=3)
    # Asked for one group more, the table keeps the others.
    more = run("ablate", file, "--out", root / "stale", "--only", "cluster", "--steps", 2)
    again = run("ablate", file, "--out", root / "stale", "--only", "tiers", "--steps", 2)
    assert "| tiers | 1/1/3/3 |" in again.stdout and "| parts |" in again.stdout, again.stdout
    assert "the best alone" in more.stdout, more.stdout
    # On data sets of its own, at the size the model runs at.
    for seed in (1, 2):
        run("synth", root / f"town{seed}", "--places", 4, "--views", 3, "--seed", seed, "--size", "70x93")
    sets = "".join(f'[[ablation]]\nname = "town {seed}"\nqueries = "town{seed}/queries"\nreferences = "town{seed}/database"\n'
                   f'gt = "town{seed}/gt.csv"\n' for seed in (1, 2))
    (root / "sets.toml").write_text(file.read_text().replace("[model]", '[model]\ninfer_size = "70x84"') + sets)
    own = run("ablate", root / "sets.toml", "--out", root / "sets", "--only", "cluster,kappa", "--seeds", 1, "--steps", 2)
    assert "| kappa | 0.5 | 0.4 | 1 |" in own.stdout and "the best alone" in own.stdout, own.stdout
    assert "at 70x84; means over these" in (root / "sets" / "ablation.md").read_text()
    with open(root / "sets" / "ablation.csv", newline="") as table:
        rows = list(csv.DictReader(table))
    assert {row["dataset"] for row in rows} == {"town 1", "town 2"}, rows
    assert "70x84" in run("model", "inspect", next((root / "sets" / "rows").glob("*/last.safetensors"))).stdout
    shutil.rmtree(root / "town2")
    gone = run("ablate", root / "sets.toml", "--out", root / "gone", "--only", "cluster", "--steps", 2, expect=3)
    assert "town2" in gone.stderr and not list((root / "gone").glob("rows/*")), gone.stderr
    # What cannot be done is said before the first row is trained.
    many = file.read_text().replace("clusters = 8", "clusters = 16").replace("[3, 3, 1, 1]", "[6, 5, 4, 1]")
    unpruned = file.read_text().replace("weitop_hidden = 16", "weitop = false").replace("rhos = [1.0, 0.5]", "rhos = [1.0]")
    (root / "m.safetensors").touch()  # never read
    own = re.sub(r"(?s)width = .*patch = 14", 'backbone = "m.safetensors"', file.read_text()).replace('"random"', '"own"')
    for text, group, words in ((many, "parts", "need more than 16 patches"), (unpruned, "kappa", "which [model] turns off"),
                               (own, "parts", 'has head_start = "own"')):
        (root / "bad.toml").write_text(text)
        refused = run("ablate", root / "bad.toml", "--out", root / "bad", "--only", group, expect=2)
        assert words in refused.stderr and not (root / "bad" / "rows").exists(), refused.stderr
    unknown = run("ablate", file, "--out", root / "none", "--only", "parts,colour", expect=2)
    assert "there is no group 'colour'" in unknown.stderr, unknown.stderr


main({"kept": kept, "studies": studies})
