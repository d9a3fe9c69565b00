# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
# Language level, warnings and sanitizers for every target of this project.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(REVISIT_CCACHE ccache)
if(REVISIT_CCACHE)
  # A fresh clone in another folder hits the same cache: paths below the source tree do not enter the hash.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=true
      CCACHE_DEPEND=true CCACHE_SLOPPINESS=pch_defines,time_macros ${REVISIT_CCACHE}) # without the last, nothing with a precompiled header is cached
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Werror=return-type)
add_compile_definitions(_GLIBCXX_ASSERTIONS)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  # Plain x86-64 has no multiply-add, so this keeps what plain code computes, such as resized pictures, the same there and here.
  add_compile_options(-ffp-contract=off)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  add_compile_options(-O2)
endif()
if(REVISIT_SANITIZE)
  add_compile_options(-fsanitize=${REVISIT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${REVISIT_SANITIZE})
endif()
if(REVISIT_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link) # coverage in the modules; without it libFuzzer mutates blindly
endif()
