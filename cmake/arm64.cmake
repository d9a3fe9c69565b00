# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
# Toolchain of the preset `arm64`: Debian's cross compiler, libraries of the architecture arm64, tests run by qemu-user
# (`scripts/install-deps.sh arm`).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
find_program(REVISIT_QEMU qemu-aarch64 REQUIRED)
set(CMAKE_CROSSCOMPILING_EMULATOR ${REVISIT_QEMU})

# libgeographiclib-dev cannot be installed for two architectures; the headers are the same, and this is the library they belong to.
set(geographic_GeographicLib /usr/lib/aarch64-linux-gnu/libGeographicLib.so.23 CACHE FILEPATH "")
