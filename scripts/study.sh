#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
# The study of docs/study.md, from its trainings to its tables. Whatever is done is not done again, so it may be stopped at any time.
# usage: scripts/study.sh [REVISIT [OPTION...]]: the program, build/release/bin/revisit unless named; options of its trainings,
#        as --precision bf16
set -euo pipefail
cd "$(dirname "$0")/.."
revisit=${1:-build/release/bin/revisit}
if [ $# -gt 0 ]; then shift; fi
study=runs/study
mkdir -p "$study"

# training NAME SEED OPTION...
training() {
  local name=$1 seed=$2 out=$study/$1-$2 resume=()
  shift 2
  if [ -e "$out/done" ]; then return; fi
  if [ -e "$out/checkpoint.safetensors" ]; then resume=(--resume); fi
  # 4: some pictures could not be read and were replaced.
  "$revisit" train "recipes/study-$name.toml" --seed "$seed" --out "$out" "${resume[@]}" "$@" || [ $? -eq 4 ]
  touch "$out/done"
}
for seed in 1 2 3; do
  for head in weiad salad; do training "$head" "$seed" "$@"; done
done
training weiad-town 1 "$@"

backbone=$study/dinov2.safetensors
if [ ! -e "$backbone" ]; then
  "$revisit" model import recipes/weights/dinov2_vits14.safetensors -o "$backbone" --size 224x224
fi
vocabulary() {
  if [ ! -e "$study/vlad-$1.safetensors" ]; then
    "$revisit" model fit-vlad "$backbone" --photos "recipes/data/$2" -o "$study/vlad-$1.safetensors"
  fi
}
vocabulary day_left gardens_point/day_left
vocabulary day_right gardens_point/day_right
vocabulary sped607 sped607/ref

"$revisit" compare recipes/compare-study.toml
