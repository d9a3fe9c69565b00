#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
"""Training does what it is for: a small network of random weights learns places it is then tested on others of, and a tree of
GSV-Cities is read as it is. usage: learn_test.py PROGRAM learns | gsv_cities"""
import json
import re
import shutil

from train_run import log_of, main, run

LEARNS = """
name = "learns"
seed = 1
threads = 2
steps = 480
[model]
width = 64
depth = 3
heads = 2
patch = 8
clusters = 8
cluster_dim = 24
token_dim = 48
hidden = 96
tiers = [3, 2, 2, 1]
trained_blocks = 3
dropout = 0
weitop_hidden = 32
[data]
size = "64x64"
places_per_batch = 16
images_per_place = 4
[[data.source]]
kind = "town"
places = 2000
[augment]
rand_augment = 0
[optimiser]
lr = 5e-4
head_lr = 5e-4
tier_lr_factor = 1
weight_decay = 0.01
warmup_steps = 20
decay_steps = 480
end_factor = 0.05
clip_norm = 1
[validation]
town_places = 60
rhos = [1.0, 0.7]
"""


def learns(root):
    file, out = root / "learns.toml", root / "out"
    file.write_text(LEARNS)
    result = run("train", file, "--out", out)
    print(result.stderr + result.stdout)
    untrained = re.search(r"validation at step 0 \(untrained\): rho 1: R@1 ([\d.]+)", result.stderr)
    assert untrained, result.stderr
    recalls = [line["validation"] for line in log_of(out) if "validation" in line]
    before, after = recalls[0][0]["recall@1"], recalls[-1][0]["recall@1"]
    assert f"{before:.1f}" == untrained[1], untrained[0]
    assert after >= before + 20, f"recall@1 went from {before} to {after}: 20 points are asked for"
    losses = [line["loss"] for line in log_of(out) if "loss" in line]
    assert sum(losses[-20:]) < 0.9 * sum(losses[:20]), "the loss has not fallen"

    # The same pictures through the program's own evaluation of the model file give the recall the trainer printed.
    run("synth", root / "town", "--places", 60, "--views", 3, "--seed", 900, "--size", "70x93")
    scored = run("eval", "--queries_folder", root / "town" / "queries", "--database_folder", root / "town" / "database", "--gt",
                 root / "town" / "gt.csv", "--model", out / "model.safetensors", "--json")
    program = json.loads(scored.stdout)["recall"]["1"]
    assert abs(program - after) <= 10, f"the trainer says {after}, the program {program}"  # those are JPEG files
    print(f"recall@1 {before} -> {after}; {program} by `revisit eval` on JPEG files")


def gsv_tree(root, places_a_city=9, views=5):
    """Dataframes/CITY.csv and Images/CITY/CITY_0000001_2019_05_090_51.5_-0.12_panoid.jpg, as the data set has them."""
    tree = root / "gsv"
    (tree / "Dataframes").mkdir(parents=True)
    for seed, (city, lat, lon) in enumerate((("London", 51.5, -0.12), ("Boston", 42.36, -71.06)), 1):
        town = root / f"town{seed}"
        run("synth", town, "--places", places_a_city, "--views", views, "--seed", seed, "--size", "90x120")
        (tree / "Images" / city).mkdir(parents=True)
        rows = ["place_id,year,month,northdeg,city_id,lat,lon,panoid"]
        for photo in sorted([*(town / "queries").iterdir(), *(town / "database").iterdir()]):
            place, view = map(int, re.search(r"place(\d+)view(\d+)", photo.name).groups())
            where, panorama = f"{lat + 0.002 * place:.4f}", f"pano{place}x{view}"
            rows.append(f"{place},{2010 + view},{1 + view},{40 * view},{city},{where},{lon},{panorama}")
            shutil.copy(photo, tree / "Images" / city /
                        f"{city}_{place:07}_{2010 + view:04}_{1 + view:02}_{40 * view:03}_{float(where)}_{lon}_{panorama}.jpg")
        (tree / "Dataframes" / f"{city}.csv").write_text("\n".join(rows) + "\n")
    return tree


def gsv_cities(root):
    gsv_tree(root)
    # A preset with its sizes made small; everything else as it comes.
    text = run("train", "--print-config", "weiad-vits14").stdout
    small = {"backbone": '""', "clusters": 8, "cluster_dim": 8, "token_dim": 16, "hidden": 32, "tiers": "[3, 3, 1, 1]",
             "trained_blocks": 1, "weitop_hidden": 16, "places_per_batch": 5, "size": '"56x56"', "path": '"gsv"',
             "infer_size": '"70x70"', "every_steps": 2}
    for key, value in small.items():
        text, count = re.subn(rf"(?m)^{key} = .*$", f"{key} = {value}", text)
        assert count == 1, f"{key} stands {count} times in the preset"
    for side in ("queries", "database"):  # the preset chooses by Pittsburgh's validation set
        shutil.copytree(root / "town1" / side, root / "Pittsburgh" / "pitts30k" / "images" / "val" / side)
    text = text.replace("[model]\n", "[model]\nwidth = 48\ndepth = 2\nheads = 2\npatch = 14\n")
    file, out = root / "gsv.toml", root / "out"
    file.write_text(text)
    result = run("train", file, "--out", out, "--steps", 6, "--threads", 1)
    assert "18 places" in result.stderr, result.stderr
    losses = [line["loss"] for line in log_of(out) if "loss" in line]
    assert len(losses) == 6 and all(loss > 0 for loss in losses), losses
    information = run("model", "inspect", out / "model.safetensors").stdout
    assert "gsv" in information and "70x70" in information, information
    assert "'pitts30k_val'" in result.stderr, result.stderr
    run("describe", next((root / "town1" / "queries").iterdir()), "--model", out / "model.safetensors", "-o", root / "d.npy")

    # A picture that cannot be read is replaced by another of its place, named and counted.
    photos = sorted((root / "gsv" / "Images" / "London").iterdir())
    broken = [photo for photo in photos if "_2010_" in photo.name or "_2011_" in photo.name]
    for photo in broken:
        photo.write_bytes(photo.read_bytes()[:200])
    result = run("train", file, "--out", root / "broken", "--steps", 6, "--threads", 1, expect=4)
    assert "unreadable: " in result.stderr and any(photo.name in result.stderr for photo in broken), result.stderr
    assert [line for line in log_of(root / "broken") if "loss" in line][-1]["unreadable"] > 0

    # A place without any picture ends the run, and what was learnt before is kept.
    for photo in photos:
        photo.write_bytes(photo.read_bytes()[:200])
    result = run("train", file, "--out", root / "broken", "--steps", 60, "--threads", 1, "--resume", expect=3)
    assert "none of the pictures of a place" in result.stderr and "the run is saved at step" in result.stderr, result.stderr


if __name__ == "__main__":
    main({"learns": learns, "gsv_cities": gsv_cities})
