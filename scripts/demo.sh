#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
# The main job on made-up photos: a town is rendered, its pictures go into an index, and others of the same places, taken in another
# season or at night, are looked for in it.
# usage: scripts/demo.sh [PROGRAM]   (default: build/release/bin/revisit)
set -euo pipefail
cd "$(dirname "$0")/.."
revisit="$(realpath "${1:-build/release/bin/revisit}")"
folder="$(realpath "$(dirname "$revisit")/..")/demo"
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"

run() {
  echo
  echo "\$ revisit $*"
  "$revisit" "$@" --quiet
}
truth=(--queries-folder town/queries --database-folder town/database --gt town/gt.csv)

echo "A town of 60 places, each seen three times, in different seasons, light and weather:"
run synth town --places 60 --views 3 --seed 11
echo
echo "Two pictures of each place become an index; the third asks: have I been here before?"
run index add town.rvs town/database
mkdir asked
find town/queries -name '*.jpg' | sort | sed -n 1,4p | xargs -I{} cp {} asked/
for rho in 1 0.5; do
  run query town.rvs asked --rho "$rho"
done
echo
echo "How often the answer is right, and the milliseconds a photo, with every patch and with half of them, beside 'demo', a model of"
echo "random weights that was never trained:"
run sweep --models revisit-tiny,demo --rho 1,0.5 "${truth[@]}" -o curve
run match town/queries town/database --gt town/gt.csv -o report > /dev/null
echo
echo "Pictures, map and curve, to be opened in a browser:"
echo "  $folder/report/report.html"
echo "  $folder/curve/report.html"
