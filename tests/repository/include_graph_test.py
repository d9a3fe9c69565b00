#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
"""The include graph is the architecture: layers only point down, modules of one layer do not know each other,
public headers need nothing but the standard library, and each third-party library has its home.
usage: include_graph_test.py ROOT"""
import pathlib
import re
import sys

LAYERS = {
    "base": 0, "tensor": 1, "image": 1, "geo": 1, "model": 2, "augment": 2, "recipe": 2, "embedded": 3, "vit": 3, "cnn": 3, "prune": 3, "aggregate": 3,
    "extract": 4, "index": 4, "dataset": 4, "synth": 4, "ingest": 5, "eval": 5, "feed": 5, "report": 6, "train": 6, "server": 7, "cli": 7,
}
# The module that implements a public header: code below its layer may not include it.
PUBLIC = {
    "error": "base", "image": "image", "embedded": "embedded", "geo": "geo", "model": "model", "extractor": "extract", "bench": "extract", "vlad": "extract",
    "index": "index", "whitening": "index", "dataset": "dataset", "synth": "synth", "ingest": "ingest", "evaluate": "eval", "compare": "eval", "report": "report",
    "export": "report", "train": "recipe",
}
# First part of an include -> modules that may use it; None: every module.
THIRD_PARTY = {
    "CLI": {"cli"}, "oneapi": {"tensor"}, "dnnl.hpp": {"tensor"}, "hwy": {"tensor", "aggregate", "prune", "index"}, "omp.h": {"tensor"},
    "jpeglib.h": {"image"}, "jerror.h": {"image"}, "png.h": {"image"}, "webp": {"image"},
    "nlohmann": {"model", "dataset", "report", "train", "cli"}, "xxhash.h": {"base", "model", "index", "ingest", "train"}, "sqlite3.h": {"index"}, "Eigen": {"index"}, "hnswlib": {"index"},
    "GeographicLib": {"geo"}, "cairo": {"report"}, "zlib.h": {"dataset"}, "toml++": {"recipe"}, "torch": {"train"}, "ATen": {"train"}, "c10": {"train"},
    "fmt": None, "gtest": None, "gmock": None,
}
LINKED_BY_ONE = {"torch", "ATen", "c10"}  # LibTorch: not even a test of another module may need it
ONE_FILE = {"CLI", "hnswlib", "toml++"}  # slow to compile
PRINTS_VERSIONS = pathlib.PurePath("src/cli/doctor.cpp")  # may include any library, for its version only
STANDARD = set("""algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes
climits clocale cmath compare complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef cstdint cstdio
cstdlib cstring ctime cuchar cwchar cwctype deque exception execution filesystem forward_list fstream functional future
initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map memory memory_resource mutex
new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator semaphore set shared_mutex
source_location span sstream stack stdexcept stop_token streambuf string string_view strstream syncstream system_error
thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant vector version""".split())
# The C library and the operating system, by header; immintrin and cpuid for reading and setting processor state.
SYSTEM = set("""fcntl.h unistd.h malloc.h signal.h errno.h sched.h dirent.h time.h pthread.h setjmp.h stdio.h stdlib.h poll.h termios.h
glob.h immintrin.h xmmintrin.h pmmintrin.h cpuid.h endian.h""".split())


def is_test(path):
    return path.name.endswith("_test.cpp") or path.name.startswith("test_")


def includes_of(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if match:
            yield number, match[1], match[2]


def check(root):
    problems = []
    files_with = {}
    count = 0
    sources = sorted(p for p in (root / "src").rglob("*") if p.suffix in (".cpp", ".h"))
    for path in sources:
        module = path.relative_to(root / "src").parts[0]
        if module not in LAYERS:
            problems.append(f"{path.relative_to(root)}: module '{module}' has no layer in include_graph_test.py")
            continue
        for number, bracket, name in includes_of(path):
            count += 1
            where = f"{path.relative_to(root)}:{number}"
            first = name.split("/")[0]
            if bracket == '"' and first == "revisit":
                owner = PUBLIC.get(pathlib.PurePath(name).stem)
                if owner is None:
                    problems.append(f"{where}: public header {name} has no owner in include_graph_test.py")
                elif LAYERS[owner] > LAYERS[module]:
                    problems.append(f"{where}: {module} (layer {LAYERS[module]}) includes {name} of {owner} (layer {LAYERS[owner]})")
            elif bracket == '"' and first in LAYERS:
                if first != module and LAYERS[first] >= LAYERS[module]:
                    problems.append(f"{where}: {module} (layer {LAYERS[module]}) includes {name} of {first} (layer {LAYERS[first]})")
                elif module == "cli" and first not in ("cli", "base"):
                    problems.append(f"{where}: cli includes {name}; verbs use only the public headers, cli and base")
            elif bracket == '"' and is_test(path) and (root / "tests" / name).exists():
                pass
            elif bracket == '"':
                problems.append(f'{where}: "{name}" is not written as "module/file.h"')
            elif first in THIRD_PARTY:
                homes = THIRD_PARTY[first]
                allowed = (is_test(path) and first not in LINKED_BY_ONE) or path.relative_to(root) == PRINTS_VERSIONS
                if homes is not None and module not in homes and not allowed:
                    problems.append(f"{where}: <{name}> belongs to {', '.join(sorted(homes))}, not to {module}")
                if first in ("gtest", "gmock") and not is_test(path):
                    problems.append(f"{where}: <{name}> outside a *_test.cpp")
                files_with.setdefault(first, set()).add(path.relative_to(root))
            elif name not in STANDARD and name not in SYSTEM and first != "sys":
                problems.append(f"{where}: <{name}> is a library include_graph_test.py does not know")
    for name in sorted(ONE_FILE):
        users = sorted(map(str, files_with.get(name, ())))
        if len(users) > 1:
            problems.append(f"<{name}/...> is included by {len(users)} files, one is the limit: {', '.join(users)}")

    for folder in ("include/revisit", "examples", "tests/consumer"):
        for path in sorted(p for p in (root / folder).rglob("*") if p.suffix in (".cpp", ".h")):
            for number, bracket, name in includes_of(path):
                count += 1
                known = name in STANDARD or (name.startswith("revisit/") and (root / "include" / name).exists())
                if not known:
                    problems.append(f"{path.relative_to(root)}:{number}: {name} is neither standard nor a public header")
    return problems, count


def self_test():
    """The checker must see each kind of offence; a checker that finds nothing would pass on anything."""
    import tempfile
    offences = {
        "src/tensor/a.h": '#include "vit/block.h"\n',           # upwards
        "src/vit/b.h": '#include "prune/weitop.h"\n',           # sideways
        "src/model/c.cpp": "#include <jpeglib.h>\n",            # somebody else's library
        "src/base/d.h": '#include "revisit/extractor.h"\n',     # public header of a higher layer
        "src/feed/i_test.cpp": "#include <torch/torch.h>\n",   # LibTorch outside train, even in a test
        "src/cli/e.cpp": '#include "vit/block.h"\n',            # a verb past the public API
        "src/oops/f.cpp": "#include <vector>\n",                # module without a layer
        "include/revisit/g.h": "#include <fmt/core.h>\n",       # third-party type in a public header
        "src/base/h.cpp": "#include <gtest/gtest.h>\n",         # test library in product code
    }
    for name, text in offences.items():
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True)
            path.write_text(text)
            if not check(pathlib.Path(folder))[0]:
                sys.exit(f"self-test: the offence in {name} was not noticed")


if __name__ == "__main__":
    self_test()
    found, number_of_includes = check(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(found))
    print(f"{number_of_includes} includes, {len(found)} problems")
    sys.exit(1 if found or number_of_includes < 20 else 0)
