// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Memory for large arrays of numbers, on huge pages where the system has them: walking through weights on 4 KB pages costs a
// matrix product 5 to 10 % of its time (see CONTRIBUTING.md for how that was measured).
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace revisit {

struct FreeBytes {
  void operator()(float* memory) const { std::free(memory); }
};
using BigBuffer = std::unique_ptr<float, FreeBytes>;

/// Uninitialised, aligned to 64 bytes (or to a huge page from that size on).
inline BigBuffer big_buffer(std::size_t floats) {
  constexpr std::size_t kHugePage = std::size_t{2} << 20U;
  const std::size_t wanted = floats * sizeof(float);
  const std::size_t align = wanted >= kHugePage ? kHugePage : 64;
  const std::size_t bytes = (wanted + align - 1) / align * align;
  auto* memory = static_cast<float*>(std::aligned_alloc(align, bytes > 0 ? bytes : align));
  if (memory == nullptr) throw std::bad_alloc();
  if (align == kHugePage) static_cast<void>(::madvise(memory, bytes, MADV_HUGEPAGE));  // advice: refusal costs speed only
  return BigBuffer(memory);
}

}  // namespace revisit
