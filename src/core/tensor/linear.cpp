// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Chooses the kernel of a linear layer.
#include "core/tensor/linear.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <variant>

#include "core/base/fail.h"
#include "core/tensor/onednn_product.h"
#include "core/tensor/packed_product.h"

namespace revisit::tensor {

struct Linear::Impl {
  int in;
  int out;
  std::variant<PackedProduct, OnednnProduct> product;
};

namespace {

using Product = std::variant<PackedProduct, OnednnProduct>;

// Under a sanitizer our kernel checks every load and crawls; its own tests run it there all the same.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

Product choose(const float* weight, const float* bias, int in, int out, Linear::After after, const float* out_scale,
               Precision precision) {
  switch (precision) {
    case Precision::kF32:
      if (kSanitized || onednn_keeps_packed_weights())
        return Product(std::in_place_type<OnednnProduct>, weight, bias, in, out, after, out_scale);
      return Product(std::in_place_type<PackedProduct>, weight, bias, in, out, after, out_scale);
  }
  fail(ErrorCode::kInternal, "a linear layer {} -> {} in a precision that does not exist", in, out);
}

}  // namespace

Linear::Linear(const float* weight, const float* bias, int in, int out, After after, const float* out_scale, Precision precision)
    : impl_(new Impl{in, out, choose(weight, bias, in, out, after, out_scale, precision)}) {}

Linear::~Linear() = default;
Linear::Linear(Linear&&) noexcept = default;
Linear& Linear::operator=(Linear&&) noexcept = default;

int Linear::in() const { return impl_->in; }
int Linear::out() const { return impl_->out; }

void Linear::operator()(ConstMatrix x, Matrix y, Arena& arena) const {
  if (x.cols != impl_->in || y.cols != impl_->out || x.rows != y.rows || x.stride != x.cols || y.stride != y.cols) {
    fail(ErrorCode::kInternal, "a linear layer {} -> {} was given {}x{} -> {}x{}", impl_->in, impl_->out, x.rows, x.cols, y.rows,
         y.cols);
  }
  if (x.rows == 0) return;
  std::visit([&](const auto& product) { product(x, y, arena); }, impl_->product);
}

namespace reference {

void linear(ConstMatrix x, const float* weight, const float* bias, const float* out_scale, Linear::After after, Matrix y) {
  for (int r = 0; r < x.rows; ++r) {
    for (int o = 0; o < y.cols; ++o) {
      double sum = bias != nullptr ? bias[o] : 0.0;
      const float* w = weight + static_cast<std::ptrdiff_t>(o) * x.cols;
      for (int i = 0; i < x.cols; ++i) sum += static_cast<double>(w[i]) * static_cast<double>(x.row(r)[i]);
      if (out_scale != nullptr) sum *= out_scale[o];
      if (after == Linear::After::kRelu) sum = std::max(sum, 0.0);
      if (after == Linear::After::kGelu) sum = 0.5 * sum * (1.0 + std::erf(sum / std::numbers::sqrt2));
      if (after == Linear::After::kAdd) sum += y.row(r)[o];
      y.row(r)[o] = static_cast<float>(sum);
    }
  }
}

}  // namespace reference
}  // namespace revisit::tensor
