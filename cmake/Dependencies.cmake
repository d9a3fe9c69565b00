# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
# Every third-party library, found here and nowhere else. A missing one is reported with its Debian package.

# revisit_find(TARGET PACKAGE HEADER LIBRARY...): makes the imported target from a header and libraries.
function(revisit_find target package header)
  find_path(${target}_include ${header} PATH_SUFFIXES eigen3)
  set(libraries)
  foreach(library IN LISTS ARGN)
    find_library(${target}_${library} ${library})
    list(APPEND libraries "${${target}_${library}}")
  endforeach()
  if(NOT ${target}_include OR "${libraries}" MATCHES "NOTFOUND")
    message(FATAL_ERROR "revisit needs ${header}: apt-get install ${package} (or run scripts/install-deps.sh)")
  endif()
  add_library(revisit::${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(revisit::${target} SYSTEM INTERFACE ${${target}_include})
  target_link_libraries(revisit::${target} INTERFACE ${libraries})
endfunction()

revisit_find(fmt libfmt-dev fmt/format.h fmt)
revisit_find(json nlohmann-json3-dev nlohmann/json.hpp)
revisit_find(toml libtomlplusplus-dev toml++/toml.h)
revisit_find(xxhash libxxhash-dev xxhash.h xxhash)
revisit_find(jpeg libjpeg62-turbo-dev jpeglib.h jpeg)
revisit_find(png libpng-dev png.h png)
revisit_find(webp libwebp-dev webp/decode.h webp)
revisit_find(geographic libgeographiclib-dev GeographicLib/UTMUPS.hpp GeographicLib)
revisit_find(sqlite libsqlite3-dev sqlite3.h sqlite3)
revisit_find(zlib zlib1g-dev zlib.h z)
find_package(Threads REQUIRED)

if(REVISIT_ENGINE OR REVISIT_FUZZ) # the index, which is fuzzed without the rest of the engine
  revisit_find(hwy libhwy-dev hwy/highway.h hwy)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    # NEON, which every 64-bit Arm has, and no choice at run time: Highway 1.0.3 would choose plain loops where AES is missing
    # (Raspberry Pi 4), and compile SVE, whose vectors cannot be elements of an array.
    target_compile_definitions(revisit::hwy INTERFACE HWY_COMPILE_ONLY_STATIC)
  endif()
  revisit_find(eigen libeigen3-dev Eigen/Dense)
  revisit_find(hnswlib libhnswlib-dev hnswlib/hnswlib.h)
endif()
if(REVISIT_ENGINE)
  revisit_find(cairo libcairo2-dev cairo/cairo.h cairo)
  revisit_find(cli11 libcli11-dev CLI/CLI.hpp)
endif()
# LibTorch. Its own package configuration asks for protobuf, OpenCL and more, so the plain headers and libraries are used. Only
# revisit-train and its tests link it; nothing else of the project may (src/training/train, see ARCHITECTURE.md).
set(REVISIT_HAS_TRAIN OFF)
if(REVISIT_TRAIN STREQUAL "AUTO" AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(STATUS "`revisit train` is left out: clang takes the headers of LibTorch 1.13 for faulty C++20")
elseif(REVISIT_ENGINE AND REVISIT_TRAIN) # AUTO counts as true
  find_path(torch_include torch/csrc/api/include/torch/torch.h)
  foreach(library torch torch_cpu c10)
    find_library(torch_${library} ${library})
  endforeach()
  if(torch_include AND torch_torch AND torch_torch_cpu AND torch_c10)
    set(REVISIT_HAS_TRAIN ON)
    add_library(revisit::torch INTERFACE IMPORTED GLOBAL)
    target_include_directories(revisit::torch SYSTEM INTERFACE ${torch_include}/torch/csrc/api/include ${torch_include})
    target_link_libraries(revisit::torch INTERFACE ${torch_torch} ${torch_torch_cpu} ${torch_c10})
    find_package(OpenMP REQUIRED COMPONENTS CXX) # LibTorch's threads, which our loops take as well there
  elseif(NOT REVISIT_TRAIN STREQUAL "AUTO")
    message(FATAL_ERROR "REVISIT_TRAIN is ${REVISIT_TRAIN}, but LibTorch is not there: apt-get install libtorch-dev "
                        "libopenblas0-openmp (or run scripts/install-deps.sh train); REVISIT_TRAIN=OFF builds the rest without it")
  else()
    message(STATUS "LibTorch is not there: `revisit train` will say so (scripts/install-deps.sh train)")
  endif()
endif()
# The BLAS LibTorch runs well on: its own choice is made by Debian's alternatives, which prefer a build that fights over threads
# with LibTorch's OpenMP, or the slow reference. Put first on the library path when revisit-train or a test of it is started.
set(REVISIT_OPENBLAS_FOLDER "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp")

if(REVISIT_TESTS)
  find_package(GTest QUIET)
  if(NOT GTest_FOUND)
    message(FATAL_ERROR "revisit's tests need GoogleTest: apt-get install libgtest-dev (or run scripts/install-deps.sh test)")
  endif()
  # Debian's own interpreter first: python3-numpy belongs to it and not to whichever python3 stands first on the path.
  find_program(REVISIT_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
  find_program(REVISIT_PYTHON python3 REQUIRED)
  enable_testing()
  include(GoogleTest)
endif()
