// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Element types and the map of named tensors. Every size product is checked: shapes may come from untrusted files.
#include "engine/model/weights.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <mutex>
#include <utility>

#include "core/base/checked.h"
#include "core/base/fail.h"
#include "core/base/stop_scope.h"

namespace revisit::model {
namespace {

float half_to_float(std::uint16_t half) {
  const bool negative = (half & 0x8000U) != 0;
  const int exponent = (half >> 10) & 0x1F;
  const int fraction = half & 0x3FF;
  if (exponent == 0x1F) {
    const std::uint32_t bits = (negative ? 0xFF800000U : 0x7F800000U) | (static_cast<std::uint32_t>(fraction) << 13);
    return std::bit_cast<float>(bits);
  }
  // value = fraction x 2^-24 below the normal range, else (1024 + fraction) x 2^(exponent - 25)
  const float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                        : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  return negative ? -magnitude : magnitude;
}

float bfloat16_to_float(std::uint16_t value) { return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16); }

constexpr std::size_t kBlock = 1U << 18U;  // elements between two stop checks

// Reads elements of type T with memcpy: the bytes need not be aligned.
template <typename T, typename Convert>
void widen(const std::byte* data, std::vector<float>& out, Convert convert) {
  for (std::size_t begin = 0; begin < out.size(); begin += kBlock) {
    check_stop();
    const std::size_t end = std::min(out.size(), begin + kBlock);
    for (std::size_t i = begin; i < end; ++i) {
      T value;
      std::memcpy(&value, data + i * sizeof(T), sizeof(T));
      out[i] = convert(value);
    }
  }
}

template <typename T>
void widen(const std::byte* data, std::vector<float>& out) {
  widen<T>(data, out, [](T value) { return static_cast<float>(value); });
}

}  // namespace

const char* name_of(DType dtype) {
  switch (dtype) {
    case DType::kF64: return "F64";
    case DType::kF32: return "F32";
    case DType::kF16: return "F16";
    case DType::kBF16: return "BF16";
    case DType::kI64: return "I64";
    case DType::kI32: return "I32";
    case DType::kI16: return "I16";
    case DType::kI8: return "I8";
    case DType::kU8: return "U8";
    case DType::kBool: return "BOOL";
  }
  return "?";
}

std::size_t bytes_of(DType dtype) {
  switch (dtype) {
    case DType::kF64:
    case DType::kI64: return 8;
    case DType::kF32:
    case DType::kI32: return 4;
    case DType::kF16:
    case DType::kBF16:
    case DType::kI16: return 2;
    case DType::kI8:
    case DType::kU8:
    case DType::kBool: return 1;
  }
  return 1;
}

bool is_floating(DType dtype) {
  return dtype == DType::kF64 || dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16;
}

std::int64_t TensorView::count() const {
  bool empty = false;
  for (const std::int64_t size : shape) {
    if (size < 0) fail(ErrorCode::kBadModel, "a tensor of shape {} has a negative size", shape_text());
    empty = empty || size == 0;
  }
  if (empty) return 0;
  std::int64_t product = 1;
  for (const std::int64_t size : shape) {
    if (__builtin_mul_overflow(product, size, &product)) {
      fail(ErrorCode::kLimit, "a tensor of shape {} has more elements than 63 bits count", shape_text());
    }
  }
  return product;
}

std::size_t TensorView::size_bytes() const {
  return checked_mul(static_cast<std::uint64_t>(count()), bytes_of(dtype), "bytes of a tensor");
}

std::string TensorView::shape_text() const { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::vector<float> to_f32(const TensorView& tensor) {
  std::vector<float> out(static_cast<std::size_t>(tensor.count()));
  switch (tensor.dtype) {
    case DType::kF64: widen<double>(tensor.data, out); break;
    case DType::kF32:
      if (!out.empty()) std::memcpy(out.data(), tensor.data, out.size() * sizeof(float));
      break;
    case DType::kF16: widen<std::uint16_t>(tensor.data, out, half_to_float); break;
    case DType::kBF16: widen<std::uint16_t>(tensor.data, out, bfloat16_to_float); break;
    case DType::kI64: widen<std::int64_t>(tensor.data, out); break;
    case DType::kI32: widen<std::int32_t>(tensor.data, out); break;
    case DType::kI16: widen<std::int16_t>(tensor.data, out); break;
    case DType::kI8: widen<std::int8_t>(tensor.data, out); break;
    case DType::kU8: widen<std::uint8_t>(tensor.data, out); break;
    case DType::kBool: widen<std::uint8_t>(tensor.data, out, [](std::uint8_t value) { return value != 0 ? 1.0F : 0.0F; }); break;
  }
  return out;
}

void Weights::add(const std::string& name, TensorView tensor, std::shared_ptr<const void> storage) {
  if (!tensors_.emplace(name, std::move(tensor)).second) fail(ErrorCode::kBadModel, "tensor '{}' occurs twice", name);
  // Tensors of one file arrive in sequence with the same storage: keep one reference, not thousands.
  if (storage != nullptr && (storage_.empty() || storage_.back() != storage)) storage_.push_back(std::move(storage));
}

void Weights::add_f32(const std::string& name, std::vector<std::int64_t> shape, std::vector<float> values) {
  TensorView tensor{.dtype = DType::kF32, .shape = std::move(shape), .data = nullptr};
  if (tensor.count() != static_cast<std::int64_t>(values.size())) {
    fail(ErrorCode::kBadModel, "tensor '{}' of shape {} was given {} values", name, tensor.shape_text(), values.size());
  }
  auto owned = std::make_shared<const std::vector<float>>(std::move(values));
  tensor.data = reinterpret_cast<const std::byte*>(owned->data());
  add(name, std::move(tensor), std::move(owned));
}

const TensorView& Weights::at(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) fail(ErrorCode::kBadModel, "tensor '{}' is missing", name);
  return found->second;
}

const TensorView& Weights::counted(const std::string& name, std::int64_t count) const {
  const TensorView& tensor = at(name);
  if (tensor.count() != count) {
    fail(ErrorCode::kBadModel, "tensor '{}' of shape {} should have {} elements", name, tensor.shape_text(), count);
  }
  return tensor;
}

const std::int8_t* Weights::i8_data(const std::string& name, std::int64_t count) const {
  const TensorView& tensor = counted(name, count);
  if (tensor.dtype != DType::kI8) fail(ErrorCode::kBadModel, "tensor '{}' is {}, not I8", name, name_of(tensor.dtype));
  return reinterpret_cast<const std::int8_t*>(tensor.data);
}

const float* Weights::f32_data(const std::string& name, std::int64_t count) const {
  const TensorView& tensor = counted(name, count);
  if (tensor.dtype == DType::kI8)
    fail(ErrorCode::kBadModel, "tensor '{}' is quantised and cannot be used without its scales", name);
  const bool aligned = reinterpret_cast<std::uintptr_t>(tensor.data) % alignof(float) == 0;
  if (tensor.dtype == DType::kF32 && aligned) return reinterpret_cast<const float*>(tensor.data);
  static std::mutex widening;  // one for all models: it is needed while networks are made
  const std::lock_guard guard(widening);
  auto found = widened_.find(name);
  if (found == widened_.end()) found = widened_.emplace(name, to_f32(tensor)).first;
  return found->second.data();
}

}  // namespace revisit::model
