#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
"""The shared library exports every function the public headers declare, and nothing else.
usage: exports_test.py ROOT LIBRARY"""
import pathlib
import re
import subprocess
import sys


def declared(root):
    """Names of functions declared without a body; constructors and destructors under the name of their class."""
    names = set()
    for header in sorted((root / "include" / "revisit").glob("*.h")):
        text = re.sub(r"//[^\n]*", "", header.read_text())
        parameters = r"(?:[^;{}()]|\{\}|\([^;{}()]*\))*"
        names.update(re.findall(r"(\w+)\s*\(" + parameters + r"\)\s*(?:const)?\s*(?:noexcept)?\s*;", text))
    return names


def main():
    root, library = pathlib.Path(sys.argv[1]), sys.argv[2]
    wanted = declared(root)
    out = subprocess.run(["nm", "-D", "-C", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    problems = []
    seen = set()
    for line in out.splitlines():
        symbol = line.split(" ", 2)[2]
        if symbol in ("typeinfo for revisit::Error", "typeinfo name for revisit::Error", "vtable for revisit::Error"):
            continue
        match = re.match(r"revisit::(?:(?:Model|Extractor|Dataset|Index|IndexWriter|RunReport|Whitening|AddReport)::)?~?(\w+|operator=)(?:\[abi:\w+\])?\(", symbol)
        name = match[1] if match else None
        if name == "operator=" or name in wanted:
            seen.add(name)
        else:
            problems.append(f"exported, but in no public header: {symbol}")
    problems += [f"declared in a public header, but not exported (see cmake/revisit.map): {name}" for name in sorted(wanted - seen)]
    print("\n".join(problems))
    print(f"{len(wanted)} declared, {len(seen)} exported names, {len(problems)} problems")
    return 1 if problems or len(wanted) < 10 else 0


sys.exit(main())
