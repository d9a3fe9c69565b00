// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Chooses the kernel of a linear layer.
#include "core/tensor/linear.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/fail.h"
#include "core/tensor/byte_weights.h"
#include "core/tensor/narrow_product.h"
#include "core/tensor/packed_product.h"

namespace revisit::tensor {

namespace {

using Product = std::variant<PackedProduct, NarrowProduct>;

Product choose(const LinearWeight& weight, const float* bias, int in, int out, Linear::After after, const float* out_scale,
               Precision precision) {
  const auto* bytes = std::get_if<ByteWeights>(&weight);
  if (bytes != nullptr && (precision != Precision::kInt8 || byte_kernels().front()->most_pair < kAnyPair)) {
    const std::vector<float> floats = to_floats(*bytes, in, out);
    return choose(floats.data(), bias, in, out, after, out_scale, precision);
  }
  switch (precision) {
    case Precision::kF32:
      return Product(std::in_place_type<PackedProduct>, std::get<const float*>(weight), bias, in, out, after, out_scale);
    case Precision::kBf16:
      return Product(std::in_place_type<NarrowProduct>, *bfloat_kernels().front(), weight, bias, in, out, after, out_scale);
    case Precision::kInt8:
      return Product(std::in_place_type<NarrowProduct>, *byte_kernels().front(), weight, bias, in, out, after, out_scale);
  }
  fail(ErrorCode::kInternal, "a linear layer {} -> {} in a precision that does not exist", in, out);
}

}  // namespace

Precision precision_of(std::string_view word) {
  return word == "int8" ? Precision::kInt8 : word == "bf16" ? Precision::kBf16 : Precision::kF32;
}

bool is_fast(Precision precision) {
  switch (precision) {
    case Precision::kBf16: return bfloat_kernels().size() > 1;  // the last is the plain one
    case Precision::kInt8: return byte_kernels().size() > 1;
    default: return true;
  }
}

struct Linear::Impl {
  int in;
  int out;
  Product product;
};

Linear::Linear(const LinearWeight& weight, const float* bias, int in, int out, After after, const float* out_scale,
               Precision precision)
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
      if (after == Linear::After::kGelu) sum = 0.5 * sum * (1.0 + std::erf(sum / std::numbers::sqrt2));
      if (after == Linear::After::kAdd || after == Linear::After::kAddRelu) sum += y.row(r)[o];
      if (after == Linear::After::kRelu || after == Linear::After::kAddRelu) sum = std::max(sum, 0.0);
      y.row(r)[o] = static_cast<float>(sum);
    }
  }
}

}  // namespace reference
}  // namespace revisit::tensor
