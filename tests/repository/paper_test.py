#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
"""The presets have the paper's numbers, and docs/paper.md names every other key of theirs with its value and where that is from.
usage: paper_test.py SOURCE PROGRAM"""
import pathlib
import re
import subprocess
import sys
import tomllib

SOURCE, PROGRAM = pathlib.Path(sys.argv[1]), sys.argv[2]
PAGE = SOURCE / "docs" / "paper.md"

# What the paper states (implementation details, appendix on hyperparameters), by the keys of a configuration.
STATED = {
    "aggregator": "weiad", "clusters": 64, "cluster_dim": 128, "token_dim": 256, "tiers": [24, 20, 16, 4], "ghost_penalty": 0.5,
    "dustbin": True, "ghost": True, "trained_blocks": 4, "weitop": True, "weitop_layer": 1, "kappa": 0.5, "infer_size": "322x322",
    "size": "224x224", "places_per_batch": 60, "images_per_place": 4, "kind": "gsv-cities", "ms_alpha": 1, "ms_beta": 20,
    "ms_base": 0, "temperature": 0.1, "gamma": 0.1, "lr": 6e-5, "random_rho_from": 1,
}
# Of SALAD's code, where it has its own number or no such part.
OTHER_IN_SALAD = {"aggregator": "salad", "ms_beta": 50, "weitop": False}


def preset(name):
    text = subprocess.run([PROGRAM, "train", "--print-config", name], check=True, capture_output=True, text=True).stdout
    keys = {}

    def gather(table):
        for key, value in table.items():
            if isinstance(value, dict):
                gather(value)
            elif isinstance(value, list) and value and isinstance(value[0], dict):
                for one in value:
                    gather(one)
            else:
                assert key not in keys, f"{name}: {key} stands in two tables"
                keys[key] = value

    gather(tomllib.loads(text))
    return keys


def on_the_page(heading):
    """Every `key = value` below a heading, once."""
    section = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", PAGE.read_text(), re.M | re.S)
    assert section, f"{PAGE.name} has no section '{heading}'"
    keys = {}
    for line in re.findall(r"`([a-z_]+ = [^`]+)`", section[1]):
        (key, value), = tomllib.loads(line).items()
        assert key not in keys, f"{PAGE.name} names {key} twice"
        keys[key] = value
    return keys


def differences(what, got, want):
    return [f"{what}: {key} is {got.get(key)!r}, but {want.get(key)!r} is asked for" for key in sorted(got.keys() | want.keys())
            if got.get(key) != want.get(key)]


def main():
    named = on_the_page("The presets, key by key")
    wrong = []
    for size in ("vits14", "vitb14", "vitl14"):
        weiad, salad = preset(f"weiad-{size}"), preset(f"salad-{size}")
        own = {"name": f"weiad-{size}", "backbone": f"dinov2_{size}_pretrain.pth"}
        wrong += differences(f"weiad-{size} beside the paper", {key: weiad.get(key) for key in STATED}, STATED)
        wrong += differences(f"weiad-{size} beside {PAGE.name}", weiad, named | own)
        expected = named | own | OTHER_IN_SALAD | {"name": f"salad-{size}"}
        wrong += differences(f"salad-{size} beside {PAGE.name}", salad, {key: expected.get(key) for key in salad})
    sys.exit("\n".join(wrong) or 0)


main()
