// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Convolution and max pooling of maps whose cells are rows: a convolution is a linear layer over the cells below each window.
#pragma once

#include "core/tensor/arena.h"
#include "core/tensor/features.h"
#include "core/tensor/linear.h"

namespace revisit::tensor {

/// A square window that moves over a map.
struct Window {
  int side = 1;
  int stride = 1;
  int padding = 0;  // on every side

  /// Places along a side of so many cells; 0 when the window does not fit.
  int places(int cells) const { return cells + 2 * padding < side ? 0 : (cells + 2 * padding - side) / stride + 1; }
};

class Convolution {
 public:
  /// weight is (out, in, side, side), bias is (out) or null; neither is needed afterwards. `after` as for Linear.
  Convolution(const float* weight, const float* bias, int in, int out, const Window& window, Linear::After after,
              Precision precision = Precision::kF32);

  /// y is made_for(x) or lies in the same cells. The same sums in the same order for any number of threads; what lies below the
  /// windows is laid out for some thousand values at a time, whatever the size of the map.
  void operator()(const FeatureMap& x, const FeatureMap& y, Arena& arena) const;

  /// A map in the arena for the result.
  FeatureMap made_for(const FeatureMap& x, Arena& arena) const;

  int out() const { return product_.out(); }

 private:
  void gather(const FeatureMap& x, int columns, int cell, float* to) const;

  Window window_;
  int in_;
  bool tiles_in_parallel_;
  Linear product_;
};

/// The largest value of each channel below each window; cells outside the map do not count.
FeatureMap max_pool(const FeatureMap& x, const Window& window, Arena& arena);

/// Planes (channels, rows * columns), as images have them, to cells.
FeatureMap to_cells(const float* planes, int channels, int rows, int columns, Arena& arena);

namespace reference {
/// In plain loops with double sums; y as `after` says.
void convolution(const FeatureMap& x, const float* weight, const float* bias, const Window& window, Linear::After after,
                 const FeatureMap& y);
void max_pool(const FeatureMap& x, const Window& window, const FeatureMap& y);
}  // namespace reference

}  // namespace revisit::tensor
