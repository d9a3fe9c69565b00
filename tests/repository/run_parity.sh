#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
# Runs the recorded cases through the program. Without the recordings: exit 77 (skipped), or 1 where CI=true.
# usage: run_parity.sh PYTHON PROGRAM SHARED_FOLDER CASE...
set -euo pipefail
python="$1" program="$2" shared="${REVISIT_SHARED:-$3}"
shift 3
for needed in "$shared/tools/parity.py" "$shared/golden"; do
  if [[ ! -e "$needed" ]]; then
    if [[ "${CI:-}" == "true" ]]; then
      echo "failed: $needed is missing, and with CI=true it must be there"
      exit 1
    fi
    echo "skipped: $needed does not exist; this test needs the recorded cases"
    exit 77
  fi
done
exec "$python" "$shared/tools/parity.py" "$program" "$shared/golden" "$@"
