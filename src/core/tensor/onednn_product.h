// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// y = x W^T + b on oneDNN inner_product: the engine's product where oneDNN keeps weights in its own order (AVX-512), and what the
// benchmark measures the engine against.
#pragma once

#include <memory>

#include "core/tensor/arena.h"
#include "core/tensor/linear.h"
#include "core/tensor/matrix.h"

namespace revisit::tensor {

class OnednnProduct {
 public:
  /// As Linear; weight must outlive this object.
  OnednnProduct(const float* weight, const float* bias, int in, int out, Linear::After after, const float* out_scale);
  ~OnednnProduct();
  OnednnProduct(OnednnProduct&&) noexcept;
  OnednnProduct& operator=(OnednnProduct&&) noexcept;

  /// x and y are dense and have at least one row.
  void operator()(ConstMatrix x, Matrix y, Arena& arena) const;

  int in() const;
  int out() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Whether inner_product on this machine asks for weights in an order of its own, kept from call to call.
bool onednn_keeps_packed_weights();

}  // namespace revisit::tensor
