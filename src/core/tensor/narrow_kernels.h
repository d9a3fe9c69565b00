// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The innermost loops of products of narrow numbers: one panel of 32 outputs against a few rows. Bytes of rows are unsigned where the
// processor multiplies unsigned by signed ones, `zero` then stands for 0, and weights are signed. Sums of bytes are exact; bfloat16
// values are summed in f32.
#pragma once

#include <cstddef>
#include <span>

namespace revisit::tensor {

inline constexpr int kPanel = 32;      // outputs of a panel
inline constexpr int kStepBytes = 64;  // rows and panels are filled up with zeros to whole steps

/// Rows of narrow numbers. In a panel stand, for every four bytes of a row (four bytes or two bfloat16 values), the weights of each of
/// its outputs in turn: 128 bytes.
struct NarrowKernel {
  const char* name;
  bool bytes;     // or bfloat16
  int zero;       // what a byte of a row is more than the number it stands for: 128, or 0 for signed bytes
  int most_pair;  // the largest sum of two neighbouring weights: smaller than 254 where their products are summed in 16 bits
  int most_rows;  // at once
  bool (*usable)();
  /// sums (rows, 32) = start (32) + rows times panel, over `steps` steps of 64 bytes. Whole groups of 16 rows must be readable.
  /// 32-bit integers, or f32 for bfloat16. `start` lies on a multiple of 64 bytes.
  void (*multiply)(const std::byte* rows, std::ptrdiff_t stride, int count, const std::byte* panel, int steps, const void* start,
                   void* sums);
  /// Around the products a thread makes in one go; null: nothing to do.
  void (*begin)();
  void (*end)();
};

/// A start of zeros.
alignas(64) inline constexpr float kNoStart[kPanel] = {};

/// Those this processor can run, the fastest first, the plain one last.
std::span<const NarrowKernel* const> byte_kernels();
std::span<const NarrowKernel* const> bfloat_kernels();

}  // namespace revisit::tensor
