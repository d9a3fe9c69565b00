#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
# The "no match" similarity of models/revisit-tiny.safetensors, stored in it. The collection is the first half of two routes; every
# query of that half has been there before, every query of the other half has not. Which frame is the right one does not count: no
# similarity tells the next frame from the right one, but a similarity can tell a place that is not in the collection.
# usage: scripts/calibrate-tiny.sh [REVISIT]: the program, build/release/bin/revisit unless named; needs recipes/data
set -euo pipefail
cd "$(dirname "$0")/.."
revisit=${1:-build/release/bin/revisit}
model=models/revisit-tiny.safetensors
precision=0.9
gap=50 # queries this near to the border may see across it
work=runs/calibrate-tiny
rm -rf "$work"
mkdir -p "$work/queries" "$work/references"
echo "image,east,north" >"$work/positions.csv"

# route NAME METRES QUERIES REFERENCES: a half is a point far from any other
route() {
  local name=$1 metres=$2 file photos border i=0
  mapfile -t photos < <(find -L "recipes/data/$4" -type f | LC_ALL=C sort)
  for file in "${photos[@]::${#photos[@]}/2}"; do
    ln -s "$(realpath "$file")" "$work/references/$name-$(basename "$file")"
    echo "references/$name-$(basename "$file"),$metres,0" >>"$work/positions.csv"
  done
  mapfile -t photos < <(find -L "recipes/data/$3" -type f | LC_ALL=C sort)
  border=$((${#photos[@]} / 2))
  for file in "${photos[@]}"; do
    i=$((i + 1))
    if ((i > border - gap && i <= border + gap)); then continue; fi
    ln -s "$(realpath "$file")" "$work/queries/$name-$(basename "$file")"
    echo "queries/$name-$(basename "$file"),$((i <= border ? metres : metres + 1000)),0" >>"$work/positions.csv"
  done
}
route nordland 0 nordland1622/winter nordland1622/summer
route stlucia 10000 stlucia/query_1410 stlucia/ref_0845

"$revisit" eval --queries-folder "$work/queries" --database-folder "$work/references" --positions "$work/positions.csv" \
  --model "$model" --calibrate "$precision" --calibrated-model "$work/calibrated.safetensors"
mv "$work/calibrated.safetensors" "$model"
"$revisit" model inspect "$model"
