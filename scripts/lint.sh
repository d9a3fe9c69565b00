#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
# clang-tidy over every source of src/ but tests, with the flags of a configured build folder; exit code 1 on a finding.
# Not over src/training/train: clang 14 takes LibTorch's headers for faulty C++20.
# usage: scripts/lint.sh BUILD_FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
build="${1:-build/dev}"
find src -name '*.cpp' ! -name '*_test.cpp' ! -path 'src/training/train/*' -print0 |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy-14 --quiet --warnings-as-errors='*' -p "$build" \
  2> >(grep -v ' warnings\? generated\.$' >&2 || true)
