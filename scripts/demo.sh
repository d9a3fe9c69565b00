#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
# Draws two places seen twice each, describes them at several rho and shows how alike the descriptors are.
# usage: scripts/demo.sh [PROGRAM]   (default: build/release/bin/revisit)
set -euo pipefail
cd "$(dirname "$0")/.."
revisit="$(realpath "${1:-build/release/bin/revisit}")"
build="$(realpath "$(dirname "$revisit")/..")"
pictures="$build/demo"

echo "Two places, each seen twice (the second view is shifted, nearer and darker):"
"$build/examples/make_pictures" "$pictures" | sed "s|^$PWD/|  |"
cd "$pictures"
echo
echo "The demo model has RANDOM weights from a fixed seed and was never trained. It shows that everything runs, and"
echo "what rho saves; the similarities say little about places. 'revisit model import' brings in trained weights."
for rho in 1 0.7 0.5 0.4; do
  echo
  echo "\$ revisit describe place*.png --rho $rho"
  "$revisit" describe place*.png --rho "$rho" --quiet
done
echo
echo "\$ revisit bench --rho 1,0.7,0.5,0.4"
"$revisit" bench --rho 1,0.7,0.5,0.4 --quiet
