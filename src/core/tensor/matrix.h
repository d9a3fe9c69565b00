// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Row-major f32 views. They own nothing; the arena or a std::vector does.
#pragma once

#include <cstddef>

namespace revisit::tensor {

struct ConstMatrix {
  const float* data = nullptr;
  int rows = 0;
  int cols = 0;
  int stride = 0;  // floats from one row to the next, >= cols

  const float* row(int i) const { return data + static_cast<std::ptrdiff_t>(i) * stride; }
};

struct Matrix {
  float* data = nullptr;
  int rows = 0;
  int cols = 0;
  int stride = 0;

  float* row(int i) const { return data + static_cast<std::ptrdiff_t>(i) * stride; }
  operator ConstMatrix() const { return {data, rows, cols, stride}; }  // NOLINT: a view narrows to a const view
  Matrix rows_from(int first, int count) const { return {row(first), count, cols, stride}; }
};

}  // namespace revisit::tensor
