#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
"""revisit, ONNX Runtime and PyTorch on the same weights and the same input, taking turns in one run. Outputs are compared first.
What is not installed is left out, and named with the command that installs it. README.md says how to read the tables."""
import argparse
import datetime
import importlib.util
import json
import pathlib
import platform
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from processes import LOADS, Busy, Child, Refused
from tables import cpu_facts, markdown, quantile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ARCHS = ("vits14", "vitb14", "vitl14")
F32_TOLERANCE = 1e-3  # of the largest difference
LEAST_COSINE = {"f32": 0.99999, "bf16": 0.995, "int8": 0.98}  # mean over tokens, to f32


class System:
    """One line of the table: a child and what it was seen to do."""

    def __init__(self, name, rho, precision, child):
        self.name, self.rho, self.precision, self.child = name, rho, precision, child
        self.agreement = None
        self.times = {}  # load -> milliseconds of the backbone, a round each
        self.all_times = {}  # the same of everything, where the child tells

    def turn(self, load, warm):
        for _ in range(warm):
            self.child.ask("run")
        answer = self.child.ask("run")
        self.times.setdefault(load, []).append(answer["ms"])
        if "all_ms" in answer:
            self.all_times.setdefault(load, []).append(answer["all_ms"])


def has_ort():
    return shutil.which("node") and (HERE / "node_modules/onnxruntime-node").is_dir()


def missing_parts():
    """What has to be installed before a rival can take part: name -> command."""
    missing = {}
    if not shutil.which("node"):
        missing["ONNX Runtime"] = "apt-get install nodejs npm, then npm ci --ignore-scripts in bench/rivals"
    elif not has_ort():
        missing["ONNX Runtime"] = "npm ci --ignore-scripts, in bench/rivals"
    if not importlib.util.find_spec("onnx"):
        missing["ONNX Runtime's graph"] = "apt-get install python3-onnx, and run this with Debian's own /usr/bin/python3"
    if not importlib.util.find_spec("torch"):
        missing["PyTorch"] = "apt-get install python3-torch, and run this with Debian's own /usr/bin/python3"
    return missing


def commit_of(root):
    found = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=root, capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"


class Bench:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.skipped = []
        self.systems = []
        self.peaks = {}
        self.kept = {}  # rho -> the patches revisit keeps in f32; all systems keep these
        self.model = self.model_path()
        self.input = folder / "input.f32"

    def model_path(self):
        if self.args.model not in ARCHS:
            return pathlib.Path(self.args.model).resolve()
        path = self.folder / f"{self.args.model}.safetensors"
        subprocess.run([self.args.server, f"write={self.args.model}", f"to={path}"], check=True)
        return path

    def write_input(self):
        import numpy as np
        height, width = self.size
        if self.args.input:
            pixels = np.load(self.args.input).astype(np.float32)
            if pixels.shape != (3, height, width):
                raise SystemExit(f"{self.args.input} is {pixels.shape}, not (3, {height}, {width})")
        else:  # smooth with noise on top, about as far from zero as a normalised photo
            rng = np.random.default_rng(0)
            y, x = np.mgrid[0:height, 0:width] / 40.0
            waves = np.stack([np.sin(x * (c + 1) + c) + np.cos(y * (3 - c)) for c in range(3)])
            pixels = (waves + 0.3 * rng.standard_normal(waves.shape)).astype(np.float32)
        pixels.tofile(self.input)

    @property
    def size(self):
        from model_file import size_of
        return size_of(self.args.size)

    def revisit(self, rho, precision):
        command = [self.args.server, f"model={self.model}", f"input={self.input}", f"threads={self.args.threads}",
                   f"size={self.args.size}", f"rho={rho:g}", f"precision={precision}"]
        from model_file import ModelFile
        command += ["aggregate=cls"] if ModelFile(self.model).aggregator == "none" else []
        if rho < 1:
            command += ["prune=norm", "prune_layer=1"]
        return Child(command, self.folder)

    def ort(self, rho, precision, passive):
        graph = self.folder / f"{rho:g}-{precision}.onnx"
        if not graph.exists():
            command = [sys.executable, HERE / "write_graph.py", self.model, graph, "--size", self.args.size]
            command += ["--int8"] if precision == "int8" else []
            command += ["--kept", self.kept_file(rho)] if rho < 1 else []
            subprocess.run(command, check=True)
        command = ["node", "ort_server.mjs", f"graph={graph}", f"input={self.input}", f"size={self.args.size}",
                   f"threads={self.args.threads}"]
        return Child(command + (["passive=1"] if passive else []), self.folder)

    def torch(self, rho, precision):
        command = [sys.executable, "torch_server.py", f"model={self.model}", f"input={self.input}", f"size={self.args.size}",
                   f"threads={self.args.threads}", f"precision={precision}"]
        return Child(command + ([f"kept={self.kept_file(rho)}"] if rho < 1 else []), self.folder)

    def kept_file(self, rho):
        return self.folder / f"kept-{rho:g}.json"

    def open(self):
        self.write_input()
        args, missing = self.args, missing_parts()
        with_ort = "ort" in args.rivals and not any(name.startswith("ONNX") for name in missing)
        with_torch = "torch" in args.rivals and "PyTorch" not in missing
        self.skipped += [f"{name}: not installed; {command}" for name, command in missing.items()
                         if ("torch" if name == "PyTorch" else "ort") in args.rivals]
        for rho in args.rho:
            reference = self.revisit(rho, "f32")
            self.kept[rho] = reference.ask(f"tokens {self.folder / 'kept.f32'}")["kept"]
            self.kept_file(rho).write_text(json.dumps(self.kept[rho]), encoding="utf-8")
            reference.close()
            for precision in args.precisions:
                self.add("revisit", rho, precision, lambda: self.revisit(rho, precision))
            for precision in ("f32", "int8") if with_ort else ():
                self.add("ONNX Runtime", rho, precision, lambda: self.ort(rho, precision, False))
                if args.ort_passive:
                    self.add("ONNX Runtime, passive", rho, precision, lambda: self.ort(rho, precision, True))
            for precision in ("f32", "bf16") if with_torch else ():
                self.add("PyTorch", rho, precision, lambda: self.torch(rho, precision))

    def add(self, name, rho, precision, start):
        try:
            system = System(name, rho, precision, start())
            self.compare(system)
        except Refused as why:
            self.skipped.append(f"{name} {precision}, rho {rho:g}: {why}")
            return
        self.systems.append(system)

    def compare(self, system):
        """Tokens against those of revisit f32 at the same rho, on the patches both kept."""
        import numpy as np
        from model_file import ModelFile
        width = ModelFile(self.model).width
        path = self.folder / "tokens.f32"
        kept = system.child.ask(f"tokens {path}").get("kept", self.kept[system.rho])
        tokens = np.fromfile(path, np.float32).reshape(-1, width)[-len(kept) - 1:]
        reference = self.folder / f"reference-{system.rho:g}.npy"
        if not reference.exists():  # revisit f32 comes first
            if (system.name, system.precision) != ("revisit", "f32"):
                raise SystemExit("revisit f32 did not run: there is nothing to compare with")
            np.save(reference, tokens)
        wanted = np.load(reference)
        both = sorted(set(kept) & set(self.kept[system.rho]))
        mine, theirs = tokens_of(tokens, kept, both), tokens_of(wanted, self.kept[system.rho], both)
        cosines = (mine * theirs).sum(1) / (np.linalg.norm(mine, axis=1) * np.linalg.norm(theirs, axis=1))
        worst, cosine = float(np.abs(mine - theirs).max()), float(cosines.mean())
        close = cosine >= LEAST_COSINE[system.precision] and (system.precision != "f32" or worst <= F32_TOLERANCE)
        system.agreement = {"max_abs": worst, "mean_cosine": cosine, "same_patches": len(both) / len(kept), "ok": close}

    def measure_peaks(self):
        for system in self.systems:
            if system.name == "revisit":
                for kind, rate in system.child.ask("peaks").items():
                    self.peaks[kind] = max(rate, self.peaks.get(kind, 0))
                return

    def measure(self):
        busy = {load: Busy(load) for load in self.args.load if load != "none"}
        deadline = time.monotonic() + self.args.seconds
        try:
            self.measure_peaks()
            for number in range(self.args.rounds):
                for load in self.args.load:
                    self.round(number, load, busy.get(load))
                if time.monotonic() > deadline:
                    break
            self.measure_peaks()
        finally:
            for processes in busy.values():
                processes.close()

    def round(self, number, load, processes):
        """Every system once; each round begins with another one."""
        first = number % len(self.systems)
        if processes:
            processes.start()
        for system in self.systems[first:] + self.systems[:first]:
            time.sleep(self.args.gap)  # waiting threads of the one before stop spinning
            system.turn(load, self.args.warm)
        if processes:
            processes.stop()

    def close(self):
        for system in self.systems:
            system.child.close()

    def gmac(self, rho):
        from model_file import ModelFile
        model = ModelFile(self.model)
        first = 1 + model.registers
        patches = (self.size[0] // model.patch) * (self.size[1] // model.patch)
        return model.gmac(first + patches, first + len(self.kept[rho]), 1)

    def baseline(self, system):
        """What a system is divided by: ONNX Runtime in int8 for int8 and in f32 for all else, then PyTorch f32."""
        precision = "int8" if system.precision == "int8" else "f32"
        for name in ("ONNX Runtime", "PyTorch"):
            for other in self.systems:
                if (other.name, other.rho, other.precision) == (name, system.rho, precision):
                    return other
        return None

    def row(self, system, load):
        times = system.times[load]
        median = statistics.median(times)
        row = {"system": system.name, "rho": system.rho, "precision": system.precision, "load": load, "runs": len(times),
               "median_ms": median, "p5_ms": quantile(times, 0.05), "p95_ms": quantile(times, 0.95), "min_ms": min(times),
               "all_median_ms": statistics.median(system.all_times.get(load, times)), "times_ms": times,
               "gflops": 2000 * self.gmac(system.rho) / median, "agreement": system.agreement}
        kind = {"f32": "fma", "bf16": "bf16", "int8": "vnni"}[system.precision]
        if kind in self.peaks:
            row["percent_of_peak"] = 100 * row["gflops"] / self.peaks[kind]
        other = self.baseline(system)
        if other:
            ratios = [mine / theirs for mine, theirs in zip(times, other.times[load])]
            row["ratio"] = {"to": f"{other.name} {other.precision}", "median": statistics.median(ratios),
                            "p5": quantile(ratios, 0.05), "p95": quantile(ratios, 0.95)}
        if load != "none" and "none" in system.times:
            row["load_over_quiet"] = median / statistics.median(system.times["none"])
        return row

    def results(self):
        versions = {"revisit": commit_of(ROOT), "python": platform.python_version()}
        for system in self.systems:
            if "version" in system.child.about:
                versions[system.name] = system.child.about["version"]
        rows = [self.row(system, load) for load in self.args.load for system in self.systems]
        return {"schema": 1, "date": datetime.date.today().isoformat(), **cpu_facts(),
                "command": shlex.join(["bench/rivals/run.py", *sys.argv[1:]]), "model": pathlib.Path(self.args.model).name,
                "size": self.args.size, "threads": self.args.threads, "versions": versions, "peaks_gops": self.peaks,
                "tokens": {f"{rho:g}": 1 + len(kept) for rho, kept in self.kept.items()}, "skipped": self.skipped, "rows": rows}


def tokens_of(tokens, kept, wanted):
    """CLS and the wanted patches of tokens (1 + patches, width) that stand in the order of `kept`."""
    place = {patch: 1 + i for i, patch in enumerate(kept)}
    return tokens[[0] + [place[patch] for patch in wanted]]


def listed(convert, allowed=None):
    def parse(text):
        values = [convert(word) for word in text.split(",")]
        if allowed and not set(values) <= set(allowed):
            raise argparse.ArgumentTypeError(f"'{text}': choose from {', '.join(allowed)}")
        return values
    return parse


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="vits14", help="vits14, vitb14 or vitl14 with random weights, or a model file")
    parser.add_argument("--size", default="322x322", metavar="HxW")
    parser.add_argument("--input", metavar="FILE.npy", help="a preprocessed tensor (3, H, W); default: a made-up picture")
    parser.add_argument("--rho", type=listed(float), default=[1.0, 0.5], metavar="R,R,...")
    parser.add_argument("--precisions", type=listed(str, ("f32", "bf16", "int8")), default=["f32", "bf16", "int8"],
                        metavar="P,P,...", help="of revisit; what it refuses is left out; f32 has to be the first")
    parser.add_argument("--rivals", type=listed(str, ("ort", "torch")), default=["ort", "torch"], metavar="R,R,...")
    parser.add_argument("--ort-passive", action="store_true", help="ONNX Runtime also with waiting threads that do not spin")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--load", type=listed(str, LOADS), default=["none"], metavar="L,L,...",
                        help="none; one or three spinning processes pinned to each core; work: one that multiplies matrices")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--seconds", type=float, default=600, help="begin no round after so long")
    parser.add_argument("--warm", type=int, default=1, help="untimed runs at the beginning of each turn")
    parser.add_argument("--gap", type=float, default=0.05, help="idle seconds before each turn")
    parser.add_argument("--server", type=pathlib.Path, default=ROOT / "build/release/bin/rival_server")
    parser.add_argument("--out", type=pathlib.Path, metavar="DIR", help="also write results.md and results.json there")
    args = parser.parse_args()
    args.precisions = ["f32"] + [precision for precision in args.precisions if precision != "f32"]
    args.load = ["none"] + [load for load in args.load if load != "none"]
    args.server = args.server.resolve()
    if not args.server.exists():
        parser.error(f"'{args.server}' is not there: cmake --preset release-test && "
                     "cmake --build --preset release-test --target rival_server")
    if not importlib.util.find_spec("numpy"):
        parser.error("NumPy is missing: apt-get install python3-numpy, and run this with Debian's own /usr/bin/python3")
    return args


def main():
    args = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # children are closed on the way out
    with tempfile.TemporaryDirectory(prefix="revisit-rivals-") as folder:
        bench = Bench(args, pathlib.Path(folder))
        try:
            bench.open()
            bench.measure()
            results = bench.results()
        finally:
            bench.close()
    text = markdown(results)
    print(text)
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "results.md").write_text(text, encoding="utf-8")
        (args.out / "results.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    disagreeing = [system for system in bench.systems if not system.agreement["ok"]]
    for system in disagreeing:
        print(f"run.py: {system.name} {system.precision} at rho {system.rho:g} disagrees with revisit f32: "
              f"largest difference {system.agreement['max_abs']:.1e}, mean cosine {system.agreement['mean_cosine']:.5f}",
              file=sys.stderr)
    return 1 if disagreeing else 0


if __name__ == "__main__":
    sys.exit(main())
