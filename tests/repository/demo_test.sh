#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
# `make demo` after its build: the trained model recognises places that the random one does not, and the pages are there.
# usage: demo_test.sh SOURCE PROGRAM
set -euo pipefail
said="$("$1/scripts/demo.sh" "$2")"
echo "$said"
folder="$(dirname "$2")/../demo"
[[ "$said" == *"report/report.html"* ]]
[[ -s "$folder/report/report.html" && -s "$folder/curve/report.html" ]]
# model,rho,reference_rho,dim,ms_per_image,end_to_end_ms,recall_1,...
recall() { awk -F, -v model="$1" -v rho="$2" '$1 == model && $2 == rho { print int($7) }' "$folder/curve/sweep.csv"; }
[[ "$(recall revisit-tiny 1)" -ge $(($(recall demo 1) + 20)) ]]
[[ "$(recall revisit-tiny 0.5)" -ge $(($(recall demo 0.5) + 10)) ]]
