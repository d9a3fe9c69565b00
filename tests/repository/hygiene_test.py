#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
"""Rules no compiler checks: calls that have no place in src/, unfinished work, missing licence heads, files grown too
large, paths of one machine. usage: hygiene_test.py ROOT"""
import pathlib
import re
import sys

MAX_SOURCE_BYTES = 20 * 1024
FOLDERS = ("src", "include", "tests", "fuzz", "examples", "cmake", "scripts", ".ci", "docs", "recipes")
TEXT = {".cpp", ".h", ".def", ".py", ".sh", ".cmake", ".txt", ".in", ".md", ".json", ".toml", ".cff", ".map", ""}
CODE = {".cpp", ".h"}
NEEDS_HEAD = {".cpp", ".h", ".def", ".py", ".sh", ".cmake"}

# In code with comments and strings taken out (tests of hostile files have such words in their strings).
FORBIDDEN_CALLS = {
    r"\btorch\s*::\s*(load|pickle_load)\b": "runs code from a file",
    r"\bsystem\s*\(": "starts a shell",
    r"\bpopen\s*\(": "starts a shell",
    r"\b(strcpy|strcat|sprintf|vsprintf|gets)\s*\(": "writes without a bound",
    r"(?<![\w])assert\s*\(": "aborts on data; throw revisit::Error instead",
    r"\babort\s*\(": "the library never aborts",
}
FORBIDDEN_FLAGS = {r"-ffast-math": "breaks NaN checks", r"-Ofast": "breaks NaN checks", r"-march=native": "breaks on another CPU"}
UNFINISHED = r"\b(TODO|FIXME|XXX|HACK)\b"
MACHINE_PATH = r"(?<![\w.])/(work|home|root|tmp|Users)/"


def strip_code(text):
    """Blanks comments, strings and characters, keeping line numbers."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^()\s]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
    # A digit separator (1'000) is no character literal: hide it first.
    text = re.sub(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])", "", text)
    return token.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def files_of(root):
    yield from (p for p in sorted(root.iterdir()) if p.is_file() and p.suffix in TEXT and p.name != ".git")  # a file in a worktree
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            inside = path.relative_to(root).parts
            if path.is_file() and path.suffix in TEXT and "corpus" not in inside and "__pycache__" not in inside:
                yield path


def check(root):
    problems = []
    count = 0
    for path in files_of(root):
        relative = path.relative_to(root)
        if relative == pathlib.PurePath("tests/repository/hygiene_test.py"):
            continue  # holds every forbidden word
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            problems.append(f"{relative}: not UTF-8")
            continue
        count += 1

        def report(pattern, where, why):
            for match in re.finditer(pattern, where):
                line = where.count("\n", 0, match.start()) + 1
                problems.append(f"{relative}:{line}: '{match[0]}': {why}")

        if path.suffix in CODE and relative.parts[0] in ("src", "include"):
            for pattern, why in FORBIDDEN_CALLS.items():
                report(pattern, strip_code(text), why)
        if path.suffix != ".md":
            for pattern, why in FORBIDDEN_FLAGS.items():
                report(pattern, text, why)
        report(UNFINISHED, text, "unfinished work is not committed")
        if path.suffix != ".md":
            report(MACHINE_PATH, text, "a path of one machine")
        if path.suffix in NEEDS_HEAD:
            head = [line for line in text.splitlines()[:4] if not line.startswith("#!")]
            ok = len(head) >= 3 and "SPDX-FileCopyrightText:" in head[0] and "SPDX-License-Identifier: Apache-2.0" in head[1]
            if not ok:
                problems.append(f"{relative}: does not start with the two SPDX lines")
            elif path.suffix in CODE and not path.name.endswith("_test.cpp") and not head[2].startswith("//"):
                problems.append(f"{relative}: no line under the SPDX lines says what lives here")
        if path.suffix in NEEDS_HEAD and len(text.encode()) > MAX_SOURCE_BYTES:
            problems.append(f"{relative}: {len(text.encode())} bytes, the limit is {MAX_SOURCE_BYTES}")
        if "\t" in text and path.suffix in CODE | {".py"}:
            problems.append(f"{relative}: contains a tab")
    return problems, count


def self_test():
    """Each offence must be found, and the same words in strings and comments must not."""
    import tempfile
    head = "// SPDX-FileCopyrightText: 2026 The revisit authors\n// SPDX-License-Identifier: Apache-2.0\n// A file.\n"
    unfinished = "TO" + "DO"
    bad = ["torch::load(x);", 'system("ls");', "popen(a, b);", "strcpy(a, b);", "assert(n > 0);", "std::abort();",
           f"// {unfinished}: later", 'open("/ho' + 'me/me/x");', "// " + "x" * MAX_SOURCE_BYTES]
    good = ['const char* text = "os.system(1) assert(2)";', "// system( is not called", "static_assert(sizeof(int) == 4);",
            "ASSERT_EQ(1'000, n); file_system(x);", 'R"(popen(1))";']
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "src").mkdir()
        path = root / "src" / "a.cpp"
        for text in bad:
            path.write_text(head + text + "\n")
            if not check(root)[0]:
                sys.exit(f"self-test: not noticed: {text[:60]}")
        path.write_text("int x;\n")
        if not check(root)[0]:
            sys.exit("self-test: a missing SPDX head was not noticed")
        path.write_text(head + "\n".join(good) + "\n")
        if check(root)[0]:
            sys.exit(f"self-test: false alarm: {check(root)[0]}")


if __name__ == "__main__":
    self_test()
    found, number_of_files = check(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(found))
    print(f"{number_of_files} files, {len(found)} problems")
    sys.exit(1 if found or number_of_files < 20 else 0)
