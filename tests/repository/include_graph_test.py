#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
"""The include graph is the architecture: a house uses only houses before it, a room only rooms before it in its own house, public
headers need nothing but the standard library, and each third-party library has its home.
usage: include_graph_test.py ROOT"""
import pathlib
import re
import sys

# House -> its rooms, both in order: what stands first knows nothing of what follows. A room is the folder it is named after.
HOUSES = {
    "core": ["base", "formats", "image", "geo", "tensor"],
    "engine": ["spec", "model", "embedded", "backbone", "reduce", "aggregate", "extract", "budget"],
    "retrieval": ["files", "search", "store", "local"],
    "recognise": ["photos", "ingest", "sequence", "recognizer"],
    "lab": ["dataset", "town", "bench", "eval", "study", "report"],
    "training": ["recipe", "fit", "augment", "feed", "train"],
    "cli": [],
}
# Rooms of one house that stand side by side: none of a group includes another.
APART = [{"formats", "image", "geo", "tensor"}, {"embedded", "backbone", "reduce", "aggregate"}, {"dataset", "town", "bench"}, {"recipe", "fit", "augment"}]
# The room that implements a public header: code before it may not include it.
PUBLIC = {
    "error": "core/base", "image": "core/image", "geo": "core/geo",
    "spec": "engine/spec", "local": "engine/spec", "model": "engine/model", "known": "engine/model", "embedded": "engine/embedded", "extractor": "engine/extract", "budget": "engine/budget", "lab/bench": "lab/bench", "lab/vlad": "training/fit",
    "index": "retrieval/files", "whitening": "retrieval/search",
    "photos": "recognise/photos", "ingest": "recognise/ingest", "sequence": "recognise/sequence", "recognizer": "recognise/recognizer", "decision": "recognise/recognizer",
    "lab/dataset": "lab/dataset", "lab/synth": "lab/town", "lab/evaluate": "lab/eval", "lab/run": "lab/study", "lab/sweep": "lab/study", "lab/compare": "lab/study", "lab/report": "lab/report", "export": "recognise/ingest",
    "lab/train": "training/recipe",
}
# First part of an include -> rooms that may use it; None: every room.
THIRD_PARTY = {
    "CLI": {"cli"}, "hwy": {"core/tensor", "engine/aggregate", "retrieval/search"}, "omp.h": {"training/train"},
    "jpeglib.h": {"core/image"}, "jerror.h": {"core/image"}, "png.h": {"core/image"}, "webp": {"core/image"},
    "nlohmann": {"core/formats", "engine/spec", "engine/model", "engine/budget", "recognise/photos", "recognise/ingest", "lab/study", "lab/report", "training/train", "cli"},
    "xxhash.h": {"engine/model", "retrieval/files", "retrieval/store", "retrieval/search", "recognise/ingest", "training/train"},
    "sqlite3.h": {"retrieval/files"}, "Eigen": {"retrieval/search"}, "hnswlib": {"retrieval/search"},
    "GeographicLib": {"core/geo"}, "cairo": {"lab/report"}, "zlib.h": {"lab/dataset"}, "toml++": {"core/formats"},
    "torch": {"training/train"}, "ATen": {"training/train"}, "fmt": None, "gtest": None,
}
LINKED_BY_ONE = {"torch", "ATen"}  # LibTorch: not even a test of another room may need it
ONE_FILE = {"CLI", "hnswlib", "toml++"}  # slow to compile
PRINTS_VERSIONS = pathlib.PurePath("src/cli/doctor.cpp")  # may include any library, for its version only
STANDARD = set("""algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes
climits clocale cmath compare complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef cstdint cstdio
cstdlib cstring ctime cuchar cwchar cwctype deque exception execution filesystem forward_list fstream functional future
initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map memory memory_resource mutex
new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator semaphore set shared_mutex
source_location span sstream stack stdexcept stop_token streambuf string string_view strstream syncstream system_error
thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant vector version""".split())
# The C library and the operating system, by header; vector instructions that have no portable form, and what tells whether there are any.
SYSTEM = set("""fcntl.h unistd.h malloc.h signal.h errno.h sched.h dirent.h time.h pthread.h setjmp.h stdio.h stdlib.h poll.h termios.h
glob.h immintrin.h xmmintrin.h pmmintrin.h cpuid.h endian.h arm_neon.h asm/hwcap.h sys/auxv.h link.h""".split())


def place_of(parts):
    """(house, room) of a path's parts below src/; the room is empty for a house without rooms. None: not on the map."""
    house = parts[0]
    if house not in HOUSES:
        return None
    if not HOUSES[house]:
        return house, ""
    return (house, parts[1]) if len(parts) > 2 and parts[1] in HOUSES[house] else None


def name_of(place):
    return place[0] + ("/" + place[1] if place[1] else "")


def may_use(user, used):
    if user == used:
        return True
    houses = list(HOUSES)
    if user[0] != used[0]:
        return houses.index(used[0]) < houses.index(user[0])
    rooms = HOUSES[user[0]]
    side_by_side = any(user[1] in group and used[1] in group for group in APART)
    return rooms.index(used[1]) < rooms.index(user[1]) and not side_by_side


def is_test(path):
    return path.name.endswith("_test.cpp") or path.name.startswith("test_")


def includes_of(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if match:
            yield number, match[1], match[2]


def check_map(root):
    """What the tables above name must exist."""
    problems = []
    for house, rooms in HOUSES.items():
        for room in rooms or [""]:
            if not (root / "src" / house / room).is_dir():
                problems.append(f"include_graph_test.py names src/{house}/{room}, which does not exist")
    for header in PUBLIC:
        if not (root / "include" / "revisit" / (header + ".h")).exists():
            problems.append(f"include_graph_test.py names revisit/{header}.h, which does not exist")
    known = {name_of((house, room)) for house, rooms in HOUSES.items() for room in rooms or [""]}
    for owner in list(PUBLIC.values()) + [home for homes in THIRD_PARTY.values() for home in homes or ()]:
        if owner not in known:
            problems.append(f"include_graph_test.py names {owner}, which is not a room")
    return problems


def check(root, on_the_map=True):
    problems = check_map(root) if on_the_map else []
    files_with = {}
    users_of = {}
    count = 0
    sources = sorted(p for p in (root / "src").rglob("*") if p.suffix in (".cpp", ".h"))
    for path in sources:
        user = place_of(path.relative_to(root / "src").parts)
        if user is None:
            problems.append(f"{path.relative_to(root)}: stands in no room of include_graph_test.py")
            continue
        for number, bracket, name in includes_of(path):
            count += 1
            where = f"{path.relative_to(root)}:{number}"
            parts = name.split("/")
            first = parts[0]
            if bracket == '"' and first == "revisit":
                owner = PUBLIC.get(name[len("revisit/"):-len(".h")])
                if owner is None:
                    problems.append(f"{where}: public header {name} has no owner in include_graph_test.py")
                    continue
                used = tuple(owner.split("/"))
                # Headers of one house are its vocabulary: a room may speak of what its neighbours make.
                if used[0] != user[0] and not may_use(user, used):
                    problems.append(f"{where}: {name_of(user)} includes {name} of {owner}, which comes later")
            elif bracket == '"' and first in HOUSES:
                used = place_of(parts)
                if used is None:
                    problems.append(f"{where}: {name} stands in no room")
                elif not may_use(user, used):
                    problems.append(f"{where}: {name_of(user)} may not use {name_of(used)}")
                elif user[0] == "cli" and used[0] != "cli" and used not in (("core", "base"), ("core", "formats")):
                    problems.append(f"{where}: cli includes {name}; verbs use only the public headers, cli, core/base and core/formats")
            elif bracket == '"' and is_test(path) and (root / "tests" / name).exists():
                pass
            elif bracket == '"':
                problems.append(f'{where}: "{name}" is not written as "house/room/file.h"')
            elif first in THIRD_PARTY:
                homes = THIRD_PARTY[first]
                users_of.setdefault(first, set()).add(name_of(user))
                allowed = (is_test(path) and first not in LINKED_BY_ONE) or path.relative_to(root) == PRINTS_VERSIONS
                if homes is not None and name_of(user) not in homes and not allowed:
                    problems.append(f"{where}: <{name}> belongs to {', '.join(sorted(homes))}, not to {name_of(user)}")
                if first == "gtest" and not is_test(path):
                    problems.append(f"{where}: <{name}> outside a *_test.cpp")
                files_with.setdefault(first, set()).add(path.relative_to(root))
            elif name not in STANDARD and name not in SYSTEM and first != "sys":
                problems.append(f"{where}: <{name}> is a library include_graph_test.py does not know")
    for name in sorted(ONE_FILE):
        users = sorted(map(str, files_with.get(name, ())))
        if len(users) > 1:
            problems.append(f"<{name}/...> is included by {len(users)} files, one is the limit: {', '.join(users)}")
    for name, homes in THIRD_PARTY.items():
        unused = (homes or set()) - users_of.get(name, set())
        if on_the_map and unused:
            problems.append(f"include_graph_test.py lets {', '.join(sorted(unused))} use <{name}>, which it does not")

    for folder in ("include/revisit", "examples", "tests/consumer"):
        for path in sorted(p for p in (root / folder).rglob("*") if p.suffix in (".cpp", ".h")):
            for number, bracket, name in includes_of(path):
                count += 1
                known = name in STANDARD or (name.startswith("revisit/") and (root / "include" / name).exists())
                if not known:
                    problems.append(f"{path.relative_to(root)}:{number}: {name} is neither standard nor a public header")
                if folder == "include/revisit" and path.parent == root / folder and name.startswith("revisit/lab/"):
                    problems.append(f"{path.relative_to(root)}:{number}: a header for programs needs {name} of the laboratory")
    return problems, count


def self_test():
    """The checker must see each kind of offence; a checker that finds nothing would pass on anything."""
    import tempfile
    offences = {
        "src/core/tensor/a.h": '#include "engine/backbone/vit/block.h"\n',    # a later house
        "src/engine/reduce/b.h": '#include "engine/backbone/vit/block.h"\n',  # a room side by side
        "src/engine/model/c.cpp": "#include <jpeglib.h>\n",                   # somebody else's library
        "src/core/base/d.h": '#include "revisit/extractor.h"\n',              # public header of a later house
        "src/training/feed/i_test.cpp": "#include <torch/torch.h>\n",        # LibTorch outside train, even in a test
        "src/cli/e.cpp": '#include "engine/backbone/vit/block.h"\n',          # a verb past the public API
        "src/oops/f.cpp": "#include <vector>\n",                              # a folder that is no house
        "include/revisit/g.h": "#include <fmt/core.h>\n",                     # third-party type in a public header
        "src/core/base/h.cpp": "#include <gtest/gtest.h>\n",                  # test library in product code
        "src/retrieval/files/j.h": '#include "retrieval/store/catalogue.h"\n',  # a later room of the house
    }
    for name, text in offences.items():
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True)
            path.write_text(text)
            if not check(pathlib.Path(folder), on_the_map=False)[0]:
                sys.exit(f"self-test: the offence in {name} was not noticed")


if __name__ == "__main__":
    self_test()
    found, number_of_includes = check(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(found))
    print(f"{number_of_includes} includes, {len(found)} problems")
    sys.exit(1 if found or number_of_includes < 20 else 0)
