#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
"""Each shared library exports every function its public headers declare, and nothing else; librevisit_lab may use more of librevisit,
under a version of its own. The library a robot links pulls in no drawing.
usage: exports_test.py ROOT LIBREVISIT LIBREVISIT_LAB"""
import pathlib
import re
import subprocess
import sys


def declared(folder):
    """Names of functions declared without a body; constructors and destructors under the name of their class."""
    names = set()
    for header in sorted(folder.glob("*.h")):
        text = re.sub(r"//[^\n]*", "", header.read_text())
        parameters = r"(?:[^;{}()]|\{\}|\([^;{}()]*\))*"
        names.update(re.findall(r"(\w+)\s*\(" + parameters + r"\)\s*(?:const)?\s*(?:noexcept)?\s*;", text))
    return names


CLASSES = "Model|Extractor|Dataset|Index|IndexWriter|RunReport|Whitening|AddReport|Recognizer|BenchPeak"
EXCEPTION = ("typeinfo for revisit::Error", "typeinfo name for revisit::Error", "vtable for revisit::Error")


def check(folder, library):
    wanted = declared(folder)
    out = subprocess.run(["nm", "-D", "-C", "--with-symbol-versions", "--defined-only", library], check=True, capture_output=True,
                         text=True).stdout
    problems = []
    seen = set()
    for line in out.splitlines():
        symbol, _, version = line.split(" ", 2)[2].partition("@@")
        if version in ("REVISIT_PRIVATE", "") and re.fullmatch(r"REVISIT\w*", symbol):
            continue  # the versions themselves
        if version == "REVISIT_PRIVATE" or symbol in EXCEPTION:
            continue
        match = re.match(r"revisit::(?:(?:" + CLASSES + r")::)?~?(\w+|operator=)(?:\[abi:\w+\])?\(", symbol)
        name = match[1] if match else None
        if name == "operator=" or name in wanted:
            seen.add(name)
        else:
            problems.append(f"{library}: exported, but in no public header: {symbol} {version}")
    problems += [f"{library}: declared in a public header, but not exported (see cmake/): {name}" for name in sorted(wanted - seen)]
    print(f"{library}: {len(wanted)} declared, {len(seen)} exported names, {len(problems)} problems")
    return problems, len(wanted)


def main():
    headers = pathlib.Path(sys.argv[1]) / "include" / "revisit"
    library, lab = sys.argv[2:4]
    problems, count = check(headers, library)
    more, lab_count = check(headers / "lab", lab)
    problems += more
    needed = subprocess.run(["ldd", library], check=True, capture_output=True, text=True).stdout
    problems += [f"{library} pulls in {name}" for name in ("libcairo", "libX11", "libtorch", "libpixman", "libOpenCL", "libgomp", "libdnnl") if name in needed]
    print("\n".join(problems))
    return 1 if problems or count < 10 or lab_count < 10 else 0


sys.exit(main())
