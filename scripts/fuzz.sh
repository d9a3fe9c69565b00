#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
# Runs every libFuzzer target of the preset "fuzz", each for some seconds. New inputs stay in build/fuzz/corpus;
# an input that breaks a target stays in build/fuzz/found and ends the run with exit code 1.
# usage: scripts/fuzz.sh [SECONDS]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${1:-60}"
mkdir -p build/fuzz/found
status=0
shopt -s nullglob
targets=(build/fuzz/bin/fuzz_*)
if [[ ${#targets[@]} -eq 0 ]]; then
  echo "fuzz.sh: no target in build/fuzz/bin; run: cmake --preset fuzz && cmake --build --preset fuzz" >&2
  exit 1
fi
for target in "${targets[@]}"; do
  name="$(basename "$target")"
  name="${name#fuzz_}"
  corpus="build/fuzz/corpus/$name"
  mkdir -p "$corpus"
  log="build/fuzz/$name.log"
  printf '%-20s %s s: ' "$name" "$seconds"
  if "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix=build/fuzz/found/"$name"- "$corpus" "fuzz/corpus/$name" >"$log" 2>&1; then
    echo "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log") runs, nothing found"
  else
    echo "FAILED, last lines of $log:"
    tail -n 25 "$log"
    status=1
  fi
done
exit "$status"
