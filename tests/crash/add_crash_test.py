#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
"""`revisit index add` is killed at random times, killed and failed at every system call that changes the index, starved of disk
space and started twice. Whatever happens: no row is lost or doubled, `index verify` is clean, and the same command finishes.
usage: add_crash_test.py PROGRAM kills COUNT | inject | full | twice"""
import csv
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = sys.argv[1]
# Leaks cannot be looked for in a program that is traced.
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("REVISIT_")}
ENVIRONMENT |= {"REVISIT_THREADS": "1", "ASAN_OPTIONS": "detect_leaks=0"}


def command(*words):
    return [PROGRAM, *map(str, words)]


def run(*words, **more):
    return subprocess.run(command(*words), capture_output=True, text=True, env=ENVIRONMENT, **more)


def rows_of(index):
    """0 while a crash came before there was an index."""
    result = run("index", "info", index, "--json")
    if result.returncode != 0:
        assert re.search("no schema|cannot open|is not an index", result.stdout + result.stderr), result.stderr
        return 0
    return json.loads(result.stdout)["rows"]


def expect_complete(index, photos, label):
    result = run("index", "add", index, photos, "--size", "14x14", "-q")
    assert result.returncode == 0, f"{label}: going on failed: {result.stderr}"
    assert run("index", "verify", index).returncode == 0, f"{label}: not sound"
    table = index.parent / "all.csv"
    assert run("index", "export", index, "--format", "csv", "-o", table).returncode == 0
    names = [row["image"] for row in csv.DictReader(open(table))]
    wanted = sorted(p.name for p in photos.iterdir())
    assert sorted(names) == wanted, f"{label}: {len(names)} rows of {len(wanted)} photos"


def make_photos(folder, count):
    """Grey PNG files of 16 x 16 pixels, each with a value of its own."""
    import struct
    import zlib
    folder.mkdir()
    for i in range(count):
        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        rng = random.Random(i)
        lines = b"".join(b"\0" + bytes(rng.randrange(256) for _ in range(16)) for _ in range(16))
        png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 16, 16, 8, 0, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")
        (folder / f"{i:05}.png").write_bytes(png)
    return folder


def kills(root, count):
    photos = make_photos(root / "photos", 3000)
    index = root / "index"
    rng = random.Random(1)
    killed, before, rounds = 0, 0, 0
    while killed < count:
        rounds += 1
        child = subprocess.Popen(command("index", "add", index, photos, "--size", "14x14", "-q"), env=ENVIRONMENT,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(rng.uniform(0.03, 0.4))
        child.send_signal(signal.SIGKILL)
        _, errors = child.communicate()
        assert child.returncode in (0, -signal.SIGKILL), errors
        killed += child.returncode != 0
        if killed % 10 == 0:
            now = rows_of(index)
            assert now >= before, f"rows were lost: {before} -> {now}"
            before = now
        if child.returncode == 0:  # all is in: start over, there must be something to be killed in
            expect_complete(index, photos, f"round {rounds}")
            shutil.rmtree(index)
            before = 0
    expect_complete(index, photos, "after the last kill")
    print(f"{killed} kills, {before} rows were in before the last run")


CALLS = ["pwrite64", "write", "fdatasync", "fsync", "ftruncate", "rename", "unlink"]


def inject(root):
    tracer = shutil.which("strace")
    if not tracer or subprocess.run([tracer, "-qq", "-o", "/dev/null", "/bin/true"]).returncode != 0:
        print("skipped: strace is missing or may not trace here")
        sys.exit(77)
    photos = make_photos(root / "photos", 6)
    prepared = root / "prepared"
    assert run("index", "add", prepared, photos / "00000.png", photos / "00001.png", "--size", "14x14", "-q").returncode == 0
    index, trace, points = root / "index", root / "trace", 0
    for fresh in (False, True):
        for call in CALLS:
            # What the program does to files of the index in a run that nobody hurts, and which of its calls those are.
            shutil.rmtree(index, ignore_errors=True)
            if not fresh:
                shutil.copytree(prepared, index)
            add = command("index", "add", index, photos, "--size", "14x14", "-q")
            subprocess.run([tracer, "-qq", "-f", "-y", "-o", trace, "-e", f"trace={call}", *add], env=ENVIRONMENT, check=True, capture_output=True)
            lines = [line for line in trace.read_text(errors="replace").splitlines() if re.search(rf"\b{call}\(", line)]
            ours = [n for n, line in enumerate(lines, 1) if str(index) in line]
            for what in ("signal=KILL", "error=EIO"):
                for n in ours:
                    label = f"{call} {what} {n}{' of a new index' if fresh else ''}"
                    shutil.rmtree(index, ignore_errors=True)
                    if not fresh:
                        shutil.copytree(prepared, index)
                    hurt = subprocess.run([tracer, "-qq", "-f", "-y", "-o", trace, "-e", f"trace={call}", "-e", f"inject={call}:{what}:when={n}", *add],
                                          env=ENVIRONMENT, capture_output=True, text=True)
                    if what != "signal=KILL" and hurt.returncode != 0:
                        assert hurt.returncode in (1, 3, 5), f"{label}: exit {hurt.returncode}: {hurt.stderr}"
                        assert str(index) in hurt.stderr, f"{label} does not name the file: {hurt.stderr}"
                    if not fresh:
                        assert rows_of(index) >= 2, f"{label}: committed rows were lost"
                    expect_complete(index, photos, label)
                    points += 1
    assert points > 60, points
    print(f"{points} points")


def full(root):
    """A disk of 1 MB (as root), else files of 1 MB at most."""
    photos = make_photos(root / "photos", 400)
    disk = root / "disk"
    disk.mkdir()
    mounted = os.geteuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True).returncode == 0
    limit = None if mounted else lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, resource.RLIM_INFINITY))
    try:
        index = disk / "index"
        result = run("index", "add", index, photos, "--size", "14x14", preexec_fn=limit)
        assert result.returncode == 5, f"exit {result.returncode}: {result.stderr}"
        assert f"to continue: revisit index add {index}" in result.stderr, result.stderr
        told = int(re.search(r"(\d+) rows are safe", result.stderr)[1])
        copy = root / "index"
        shutil.copytree(index, copy)
        kept = rows_of(copy)
        assert kept == told and 0 < kept < 400, f"{kept} rows kept, {told} told"
        expect_complete(copy, photos, "after the disk was full")
        print(f"{kept} of 400 rows were in ({'tmpfs' if mounted else 'file size limit'})")
    finally:
        if mounted:
            subprocess.run(["umount", disk], check=True)


def twice(root):
    photos = make_photos(root / "photos", 3000)
    index = root / "index"
    first = subprocess.Popen(command("index", "add", index, photos, "--size", "14x14", "-q"), env=ENVIRONMENT, stdout=subprocess.DEVNULL)
    while not (index / "catalogue.sqlite").exists():
        time.sleep(0.005)
    second = run("index", "add", index, photos, "--size", "14x14", "-q")
    if first.poll() is not None:
        print("skipped: the first writer had finished")
        first.wait()
        sys.exit(77)
    assert second.returncode == 1 and f"locked by pid {first.pid}" in second.stderr, second.stderr
    seen = [rows_of(index) for _ in range(5)]  # readers are welcome meanwhile
    assert seen == sorted(seen), seen
    assert first.wait() == 0
    expect_complete(index, photos, "after the second was refused")


def main():
    with tempfile.TemporaryDirectory(prefix="revisit_crash_") as folder:
        root = pathlib.Path(folder)
        if sys.argv[2] == "kills":
            kills(root, int(sys.argv[3]))
        else:
            {"inject": inject, "full": full, "twice": twice}[sys.argv[2]](root)


main()
