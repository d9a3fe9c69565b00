# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
"""What run.py prints of its results, and what it says of the machine."""
import contextlib
import os
import pathlib
import platform


def quantile(values, share):
    ordered = sorted(values)
    at = share * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def cpu_facts():
    facts = {"cpu": platform.processor(), "flags": [], "cores": len(os.sched_getaffinity(0))}
    with contextlib.suppress(OSError):
        for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            name, _, value = (part.strip() for part in line.partition(":"))
            if name == "model name":
                facts["cpu"] = value
            if name == "flags":
                wanted = ("avx", "fma", "amx", "f16c")
                facts["flags"] = sorted(flag for flag in value.split() if flag.startswith(wanted))
                break
    return facts


def cells(row):
    ratio, agreement = row.get("ratio"), row["agreement"]
    spread = f"{ratio['median']:.2f} ({ratio['p5']:.2f} to {ratio['p95']:.2f})" if ratio else "-"
    quiet = f"{row['load_over_quiet']:.2f}" if "load_over_quiet" in row else "-"
    percent = f"{row['percent_of_peak']:.0f} %" if "percent_of_peak" in row else "-"
    everything = f"{row['all_median_ms']:.1f}" if row["system"] == "revisit" else "-"
    return [f"{row['rho']:g}", row["load"], row["system"], row["precision"], f"{row['median_ms']:.1f}",
            f"{row['p5_ms']:.1f} to {row['p95_ms']:.1f}", everything, spread, quiet, f"{row['gflops']:.0f}", percent,
            f"{agreement['max_abs']:.1e}", f"{agreement['mean_cosine']:.5f}"]


def markdown(results):
    head = ["rho", "load", "system", "precision", "backbone ms", "p5 to p95", "with head ms", "ratio", "to quiet", "GFLOP/s",
            "of peak", "largest difference", "mean cosine"]
    peaks = ", ".join(f"{kind} {rate:.0f}" for kind, rate in results["peaks_gops"].items())
    lines = [f"{results['model']}, {results['size']}, batch 1, {results['threads']} threads, {results['date']}", "",
             f"- CPU: {results['cpu']}, {results['cores']} cores; {' '.join(results['flags'])}",
             "- versions: " + ", ".join(f"{name} {version}" for name, version in results["versions"].items()),
             f"- command: `{results['command']}`",
             f"- peaks in the same run, billions of operations a second: {peaks}",
             "- tokens: " + ", ".join(f"{count} at rho {rho}" for rho, count in results["tokens"].items()), "",
             "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(cells(row)) + " |" for row in results["rows"]]
    lost = [row for row in results["rows"] if row["system"] == "revisit" and row.get("ratio", {}).get("median", 0) > 1]
    lines += ["", "Where revisit is slower: " + ("; ".join(
        f"rho {row['rho']:g} {row['precision']} load {row['load']}, {row['ratio']['median']:.2f} times {row['ratio']['to']}"
        for row in lost) or "nowhere in this table") + "."]
    lines += ["", "Left out:"] + [f"- {line}" for line in results["skipped"]] if results["skipped"] else []
    return "\n".join(lines) + "\n"
