// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The size of the OpenMP team and its floating-point mode.
#include "core/tensor/parallel.h"

#include <sched.h>

#include <algorithm>

#ifdef __SSE__
#include <xmmintrin.h>
#endif

namespace revisit::tensor {

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

int set_threads(int count) {
  const int wanted = count > 0 ? count : usable_cores();
#ifdef _OPENMP
  omp_set_dynamic(0);
  omp_set_num_threads(wanted);
  return wanted;
#else
  static_cast<void>(wanted);
  return 1;
#endif
}

int threads() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

#ifdef __SSE__
namespace {
constexpr unsigned kFlushToZero = 0x8000;       // results
constexpr unsigned kDenormalsAreZero = 0x0040;  // operands
}  // namespace

FlushDenormals::FlushDenormals() : saved_(_mm_getcsr()) {
#ifdef _OPENMP
#pragma omp parallel
#endif
  _mm_setcsr(_mm_getcsr() | kFlushToZero | kDenormalsAreZero);
}

FlushDenormals::~FlushDenormals() { _mm_setcsr(saved_); }
#else
FlushDenormals::FlushDenormals() = default;
FlushDenormals::~FlushDenormals() = default;
#endif

}  // namespace revisit::tensor
