// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Rows become narrow once a product; then pieces of panels and rows go through the kernel and its ending.
#include "core/tensor/narrow_product.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <variant>

#include "core/tensor/byte_weights.h"
#include "core/tensor/narrow_rows.h"
#include "core/tensor/pieces.h"

namespace revisit::tensor {
namespace {

constexpr double kPiece = 4e7;    // multiply-adds
constexpr int kNear = 600'000;  // bytes of rows that are read again and again: they stay in the second-level cache
constexpr int kMostRows = 32;     // of a kernel
constexpr int kRowStep = 96;      // a multiple of what any kernel takes
constexpr int kReadableRows = 16;

int round_up(int value, int step) { return (value + step - 1) / step * step; }

/// Bytes from row to row. Rows that lie a multiple of 512 bytes apart would fall on few places of the nearest cache.
std::ptrdiff_t stride_of(int steps) {
  const std::ptrdiff_t bytes = static_cast<std::ptrdiff_t>(steps) * kStepBytes;
  return bytes % 512 == 0 ? bytes + kStepBytes : bytes;
}

}  // namespace

NarrowProduct::NarrowProduct(const NarrowKernel& kernel, const LinearWeight& weight, const float* bias, int in, int out,
                             Linear::After after, const float* out_scale)
    : kernel_(&kernel),
      in_(in),
      out_(out),
      panels_((out + kPanel - 1) / kPanel),
      steps_((in * (kernel.bytes ? 1 : 2) + kStepBytes - 1) / kStepBytes),
      after_(after) {
  if (bytes()) {
    bias_.assign(static_cast<std::size_t>(panels_) * kPanel, 0.0F);
    scale_ = bias_;
  }
  weights_ = big_buffer(static_cast<std::size_t>(panels_) * panel_bytes() / sizeof(float));
  parallel_for(panels_, [&](int p) { pack(weight, bias, out_scale, p); });
}

const std::byte* NarrowProduct::panel(int p) const {
  return reinterpret_cast<const std::byte*>(weights_.get()) + static_cast<std::size_t>(p) * panel_bytes();
}

void NarrowProduct::pack(const LinearWeight& weight, const float* bias, const float* out_scale, int p) {
  std::byte* start = const_cast<std::byte*>(panel(p));
  std::byte* to = start + kPanel * sizeof(float);
  std::memset(start, 0, panel_bytes());
  std::vector<std::byte> narrow(static_cast<std::size_t>(steps_) * kStepBytes);
  std::vector<float> changed(static_cast<std::size_t>(in_));
  for (int c = 0; c < kPanel && p * kPanel + c < out_; ++c) {
    const auto o = static_cast<std::size_t>(p * kPanel + c);
    const std::size_t first = o * static_cast<std::size_t>(in_);
    const float factor = out_scale != nullptr ? out_scale[o] : 1.0F;
    const float offset = bias != nullptr ? bias[o] * factor : 0.0F;
    if (bytes()) {
      auto* q = reinterpret_cast<std::int8_t*>(narrow.data());
      if (const auto* given = std::get_if<ByteWeights>(&weight)) {
        std::copy_n(given->values + first, in_, q);
        scale_[o] = given->scales[o] * factor;
      } else {
        rotate_row(std::get<const float*>(weight) + first, in_, changed.data());
        scale_[o] = quantise_weights(changed.data(), in_, kernel_->most_pair, q) * factor;
      }
      bias_[o] = offset;
      const std::int32_t sum = -kernel_->zero * std::accumulate(q, q + in_, std::int32_t{0});
      std::memcpy(start + sizeof(sum) * static_cast<std::size_t>(c), &sum, sizeof(sum));
    } else {
      const float* row = std::get<const float*>(weight) + first;
      std::transform(row, row + in_, changed.begin(), [&](float w) { return w * factor; });
      bfloat_row(changed.data(), in_, narrow.data(), static_cast<std::ptrdiff_t>(narrow.size()));
      std::memcpy(start + sizeof(offset) * static_cast<std::size_t>(c), &offset, sizeof(offset));
    }
    for (std::size_t four = 0; four < narrow.size(); four += 4) std::memcpy(to + (four * kPanel) + 4 * c, narrow.data() + four, 4);
  }
}

void NarrowProduct::operator()(ConstMatrix x, Matrix y, Arena& arena) const {
  const Arena::Scope scope(arena);
  const std::ptrdiff_t stride = stride_of(steps_);
  const auto room = static_cast<std::size_t>(round_up(x.rows, kReadableRows)) * static_cast<std::size_t>(stride);
  auto* narrow = reinterpret_cast<std::byte*>(arena.floats(room / sizeof(float)));
  float* row_scales = arena.floats(static_cast<std::size_t>(x.rows));
  float* rotated = arena.floats(static_cast<std::size_t>(bytes() ? threads() : 0) * static_cast<std::size_t>(in_));
  constexpr int kTogether = 16;  // rows a thread takes at once
  parallel_for_worker((x.rows + kTogether - 1) / kTogether, [&](int group, int worker) {
    for (int r = group * kTogether; r < std::min(x.rows, (group + 1) * kTogether); ++r) {
      if (bytes()) {
        float* row = rotated + std::ptrdiff_t{worker} * in_;
        rotate_row(x.row(r), in_, row);
        row_scales[r] = quantise_row(row, in_, kernel_->zero, narrow + r * stride, stride);
      } else {
        bfloat_row(x.row(r), in_, narrow + r * stride, stride);
      }
    }
  });
  const double cost = static_cast<double>(in_) * kPanel / kPiece;
  for_pieces(x.rows, panels_, cost, kNear / static_cast<int>(stride), kRowStep, [&](const Piece& piece) {
    alignas(64) std::int32_t sums[kMostRows * kPanel];
    if (kernel_->begin != nullptr) kernel_->begin();
    for (int p = piece.first_panel; p < piece.first_panel + piece.panels; ++p) {
      const int column = p * kPanel, columns = std::min(kPanel, out_ - column);
      const std::byte* start = panel(p);
      for (int r = piece.first_row; r < piece.first_row + piece.rows; r += kernel_->most_rows) {
        const int rows = std::min(kernel_->most_rows, piece.first_row + piece.rows - r);
        kernel_->multiply(narrow + r * stride, stride, rows, start + kPanel * sizeof(float), steps_, start, sums);
        float* to = y.row(r) + column;
        if (bytes()) {
          finish_bytes(sums, rows, row_scales + r, {scale_.data() + column, bias_.data() + column}, after_, to, y.stride, columns);
        } else {
          finish_bfloats(reinterpret_cast<const float*>(sums), rows, after_, to, y.stride, columns);
        }
      }
    }
    if (kernel_->end != nullptr) kernel_->end();
  });
}

}  // namespace revisit::tensor
