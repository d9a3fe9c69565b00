// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Matrices in 16 bits: half the file for a change of a descriptor in its fourth digit. Vectors (norms, biases) stay as they are:
// they take no room, and their values are added, not averaged away.
#include <algorithm>
#include <cmath>

#include "engine/model/model_file.h"
#include "engine/model/values.h"

namespace revisit::model {
namespace {

constexpr float kLargestHalf = 65'504;

/// To the nearest value, ties to even. |value| <= kLargestHalf.
std::uint16_t to_half(float value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000U : 0U);
  const float magnitude = std::abs(value);
  if (magnitude == 0) return sign;
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude < 2^exponent
  // Units of the last place: 2^-24 below the normal range, else eleven digits.
  const int unit = std::max(exponent - 11, -24);
  const auto digits = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -unit)));  // 0..2048
  // Normal numbers: digits - 1024 in the fraction, and 2048 carries into the exponent by itself.
  const std::uint32_t bits = unit == -24 ? digits : (static_cast<std::uint32_t>(unit + 24) << 10U) + digits;
  return static_cast<std::uint16_t>(sign | bits);
}

bool is_matrix(const TensorView& tensor) {
  int sides = 0;
  for (const auto size : tensor.shape) sides += size > 1 ? 1 : 0;
  return sides >= 2;
}

/// Empty when a value is too large, or not finite.
std::shared_ptr<std::vector<std::uint16_t>> halved(const TensorView& tensor) {
  auto out = std::make_shared<std::vector<std::uint16_t>>();
  out->reserve(static_cast<std::size_t>(tensor.count()));
  bool fits = true;
  for_each_chunk(tensor, [&](std::span<const float> values) {
    for (const float value : values) {
      fits = fits && std::abs(value) <= kLargestHalf;
      if (fits) out->push_back(to_half(value));
    }
  });
  return fits ? out : nullptr;
}

}  // namespace

LoadedModel with_half_matrices(const LoadedModel& model) {
  LoadedModel out;
  out.config = model.config;
  for (const auto& [name, tensor] : model.weights.all()) {
    const auto half = is_matrix(tensor) && tensor.dtype == DType::kF32 ? halved(tensor) : nullptr;
    if (half == nullptr) {
      const auto bytes = std::make_shared<std::vector<std::byte>>(tensor.data, tensor.data + tensor.size_bytes());
      out.weights.add(name, {tensor.dtype, tensor.shape, bytes->data()}, bytes);
    } else {
      out.weights.add(name, {DType::kF16, tensor.shape, reinterpret_cast<const std::byte*>(half->data())}, half);
    }
  }
  out.config.fingerprint = fingerprint_of(out.weights);
  return out;
}

}  // namespace revisit::model
