#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
# The examples run: pictures are the same on every run, a picture is itself (similarity 1), another one is not,
# a loop is closed where a picture comes again, and a missing file gives one sentence and exit code 3. usage: examples_test.sh FOLDER_OF_EXAMPLES
set -euo pipefail
examples="$1"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
"$examples/make_pictures" "$work/a" >/dev/null
"$examples/make_pictures" "$work/b" >/dev/null
diff -r "$work/a" "$work/b"
[[ "$(find "$work/a" -name '*.png' | wc -l)" -eq 4 ]]

same="$("$examples/01_describe" "$work/a/place1_view1.png" "$work/b/place1_view1.png")"
other="$("$examples/01_describe" "$work/a/place1_view1.png" "$work/a/place2_view1.png")"
echo "same picture: $same, other place: $other"
[[ "$same" == "similarity 1.0000" && "$other" == similarity\ * && "$other" != "$same" ]]

drive=("$work/a/place1_view1.png" "$work/a/place1_view2.png" "$work/a/place2_view1.png" "$work/a/place2_view2.png")
"$examples/02_loop_closure" "$work/drive.rvs" 2 "${drive[@]}" "${drive[0]}" | tee "$work/loop"
[[ "$(grep -c 'nothing is left to compare with$' "$work/loop")" -eq 2 ]] # before the first there is nothing at all
grep -q 'place1_view1.png: no match: the collection is empty$' "$work/loop"
tail -n 1 "$work/loop" | grep -q 'been here, 0 .*place1_view1.png 1.00$'
[[ -f "$work/drive.rvs/catalogue.sqlite" ]]

status=0
"$examples/01_describe" "$work/none.png" "$work/a/place1_view1.png" 2>"$work/error" || status=$?
cat "$work/error"
[[ "$status" -eq 3 ]]
grep -q none.png "$work/error"
