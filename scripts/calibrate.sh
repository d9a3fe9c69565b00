#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
# What a model of models/ says "no match" by, stored in it: rates of wrong answers, and with PRECISION a similarity that serves where no
# rate does. For the rates each photo of a source asks about other places of it: two towns, one of them with streets that look alike, and
# the photos the model learnt from. For the similarity the collection is the first half of two routes; every query of that half has been
# there before, every query of the other half has not. Which frame is the right one does not count: no similarity tells the next frame from
# the right one, but a similarity can tell a place that is not in the collection.
# usage: scripts/calibrate.sh NAME METRES [PRECISION]: from METRES on two photos show two places; needs build/release/bin/revisit and recipes/data.
#        revisit-tiny was calibrated with 100 and 0.9; revisit-small, which knows large buildings again from afar, with 200.
set -euo pipefail
cd "$(dirname "$0")/.."
name=$1
metres=$2
precision=${3:-}
revisit=build/release/bin/revisit
model=models/$name.safetensors
gap=50 # queries this near to the border may see across it
work=runs/calibrate-$name
rm -rf "$work"
mkdir -p "$work/queries" "$work/references"
# route NAME AT QUERIES REFERENCES: a half is a point far from any other
route() {
  local name=$1 at=$2 file photos border i=0
  mapfile -t photos < <(find -L "recipes/data/$4" -type f | LC_ALL=C sort)
  for file in "${photos[@]::${#photos[@]}/2}"; do
    ln -s "$(realpath "$file")" "$work/references/$name-$(basename "$file")"
    echo "references/$name-$(basename "$file"),$at,0" >>"$work/positions.csv"
  done
  mapfile -t photos < <(find -L "recipes/data/$3" -type f | LC_ALL=C sort)
  border=$((${#photos[@]} / 2))
  for file in "${photos[@]}"; do
    i=$((i + 1))
    if ((i > border - gap && i <= border + gap)); then continue; fi
    ln -s "$(realpath "$file")" "$work/queries/$name-$(basename "$file")"
    echo "queries/$name-$(basename "$file"),$((i <= border ? at : at + 1000)),0" >>"$work/positions.csv"
  done
}
if [ -n "$precision" ]; then
  echo "image,east,north" >"$work/positions.csv"
  route nordland 0 nordland1622/winter nordland1622/summer
  route stlucia 10000 stlucia/query_1410 stlucia/ref_0845
  "$revisit" eval --queries-folder "$work/queries" --database-folder "$work/references" --positions "$work/positions.csv" \
    --model "$model" --calibrate "$precision" --calibrated-model "$work/calibrated.safetensors"
else
  cp "$model" "$work/calibrated.safetensors"
fi

# source NAME SOURCE...: an index of its own
source_of() {
  "$revisit" index add "$work/$1.rvs" "${@:2}" --model "$model" --quiet
}
"$revisit" synth "$work/alike" --places 400 --views 4 --seed 101 --alike 4 --size 224x299
"$revisit" synth "$work/town" --places 400 --views 4 --seed 202 --size 224x299
source_of alike "$work/alike/queries" "$work/alike/database"
source_of town "$work/town/queries" "$work/town/database"
source_of summer recipes/data/nordland1622/summer
source_of winter recipes/data/nordland1622/winter
source_of stlucia recipes/data/stlucia/ref_0845
source_of tmbud recipes/data/tmbud --positions recipes/data/tmbud/positions.csv
"$revisit" calibrate "$work"/{alike,town,summer,winter,stlucia,tmbud}.rvs --photos 50 --metres "$metres" --model "$work/calibrated.safetensors" -o "$work/rates.safetensors"
mv "$work/rates.safetensors" "$model"
"$revisit" model inspect "$model"
