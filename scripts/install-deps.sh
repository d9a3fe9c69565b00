#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages of one group. Nothing missing: returns at once without calling apt.
# usage: scripts/install-deps.sh [core|train|test|long|arm]   (default: core)
set -euo pipefail

core=(g++ cmake ninja-build ccache make
  libhwy-dev libjpeg62-turbo-dev libpng-dev libwebp-dev
  libcli11-dev libfmt-dev nlohmann-json3-dev libtomlplusplus-dev libxxhash-dev
  libgeographiclib-dev libsqlite3-dev zlib1g-dev libcairo2-dev libeigen3-dev libhnswlib-dev)
train=("${core[@]}" libtorch-dev libopenblas0-openmp) # `revisit train`; core builds everything else
test=("${train[@]}" libgtest-dev python3 python3-numpy binutils strace chromium)
long=("${test[@]}" clang-14 libclang-rt-14-dev clang-tidy-14 clang-format-14)
# `make test-arm`. Headers of libgeographiclib-dev serve every architecture; it cannot be installed for two of them.
arm=("${core[@]}" python3 g++-aarch64-linux-gnu qemu-user
  {libhwy-dev,libjpeg62-turbo-dev,libpng-dev,libwebp-dev,libfmt-dev,libxxhash-dev}:arm64
  {libgeographiclib23,libsqlite3-dev,zlib1g-dev,libcairo2-dev,libgtest-dev}:arm64)

group="${1:-core}"
case "$group" in
  core) packages=("${core[@]}") ;;
  train) packages=("${train[@]}") ;;
  test) packages=("${test[@]}") ;;
  long) packages=("${long[@]}") ;;
  arm) packages=("${arm[@]}") ;;
  *)
    echo "install-deps.sh: unknown group '$group'; choose core, train, test, long or arm" >&2
    exit 2
    ;;
esac

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "install-deps.sh: this is not a Debian system; have these (or their equivalents) installed: ${packages[*]}" >&2
  exit 0 # the configure step names whatever is really missing
fi

# dpkg-query fails when one name is unknown to it, but still lists the others.
own="$(dpkg --print-architecture)"
installed="$(dpkg-query -W -f='${db:Status-Status} ${Package}:${Architecture}\n' "${packages[@]}" 2>/dev/null |
  sed -nE "s/^installed //; T; p; s/:(all|$own)\$//p" || true)"
missing=()
for package in "${packages[@]}"; do
  grep -qxF "$package" <<<"$installed" || missing+=("$package")
done
if [[ ${#missing[@]} -eq 0 ]]; then
  exit 0
fi

sudo=()
if [[ "$(id -u)" -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "install-deps.sh: run as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  sudo=(sudo)
fi
echo "install-deps.sh: installing ${missing[*]}"
apt=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120)
if [[ "$group" == arm ]]; then
  "${sudo[@]}" dpkg --add-architecture arm64
  apt+=(--no-remove) # rather than trade a package of this machine for one of arm64
fi
"${apt[@]}" update
"${apt[@]}" install --yes --no-install-recommends "${missing[@]}" >/dev/null
