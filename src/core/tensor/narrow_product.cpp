// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Rows become narrow once a product; then pieces of panels and rows go through the kernel and its ending.
#include "core/tensor/narrow_product.h"

#include <algorithm>
#include <cmath>
#include <cstring>

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

NarrowProduct::NarrowProduct(const NarrowKernel& kernel, const float* weight, const float* bias, int in, int out,
                             Linear::After after, const float* out_scale)
    : kernel_(&kernel),
      in_(in),
      out_(out),
      panels_((out + kPanel - 1) / kPanel),
      steps_((in * (kernel.levels > 0 ? 1 : 2) + kStepBytes - 1) / kStepBytes),
      after_(after) {
  const auto padded = static_cast<std::size_t>(panels_) * kPanel;
  bias_.assign(padded, 0.0F);
  if (bytes()) {
    scale_.assign(padded, 0.0F);
    sums_.assign(padded, 0);
  }
  for (int o = 0; bias != nullptr && o < out; ++o)
    bias_[static_cast<std::size_t>(o)] = bias[o] * (out_scale != nullptr ? out_scale[o] : 1.0F);
  weights_ = big_buffer(static_cast<std::size_t>(panels_) * panel_bytes() / sizeof(float));
  parallel_for(panels_, [&](int p) { pack(weight, out_scale, p); });
}

const std::byte* NarrowProduct::panel(int p) const {
  return reinterpret_cast<const std::byte*>(weights_.get()) + static_cast<std::size_t>(p) * panel_bytes();
}

void NarrowProduct::pack(const float* weight, const float* out_scale, int p) {
  std::byte* to = const_cast<std::byte*>(panel(p));
  std::memset(to, 0, panel_bytes());
  std::vector<std::byte> narrow(static_cast<std::size_t>(steps_) * kStepBytes);
  std::vector<float> scaled(static_cast<std::size_t>(in_));
  for (int c = 0; c < kPanel && p * kPanel + c < out_; ++c) {
    const auto o = static_cast<std::size_t>(p * kPanel + c);
    const float factor = out_scale != nullptr ? out_scale[o] : 1.0F;
    const float* row = weight + o * static_cast<std::size_t>(in_);
    for (int i = 0; i < in_; ++i) scaled[static_cast<std::size_t>(i)] = row[i] * factor;
    if (bytes()) {
      rotate_row(scaled.data(), in_, scaled.data());
      float highest = 0;
      for (const float v : scaled) highest = std::max(highest, std::abs(v));
      for (std::size_t i = 0; i + 1 < scaled.size(); i += 2) {  // rounding adds up to one to a pair
        highest = std::max(highest, std::abs(scaled[i] + scaled[i + 1]) * 127 / static_cast<float>(kernel_->most_pair - 1));
      }
      const float step = highest > 0 ? highest / 127 : 1.0F;
      for (int i = 0; i < in_; ++i) {
        const float exact = scaled[static_cast<std::size_t>(i)] / step;  // within 127, but for weights that are not finite
        const auto q = static_cast<std::int8_t>(std::isfinite(exact) ? std::nearbyint(exact) : 0.0F);
        narrow[static_cast<std::size_t>(i)] = static_cast<std::byte>(q);
        sums_[o] += q;
      }
      scale_[o] = step;
    } else {
      bfloat_row(scaled.data(), in_, narrow.data(), static_cast<std::ptrdiff_t>(narrow.size()));
    }
    for (std::size_t four = 0; four < narrow.size(); four += 4) std::memcpy(to + (four * kPanel) + 4 * c, narrow.data() + four, 4);
  }
}

void NarrowProduct::operator()(ConstMatrix x, Matrix y, Arena& arena) const {
  const Arena::Scope scope(arena);
  const std::ptrdiff_t stride = stride_of(steps_);
  const auto room = static_cast<std::size_t>(round_up(x.rows, kReadableRows)) * static_cast<std::size_t>(stride);
  auto* narrow = reinterpret_cast<std::byte*>(arena.floats(room / sizeof(float)));
  static_assert(sizeof(ByteRow) == 2 * sizeof(float));
  auto* of_rows = reinterpret_cast<ByteRow*>(arena.floats(2 * static_cast<std::size_t>(x.rows)));
  float* rotated = arena.floats(static_cast<std::size_t>(bytes() ? threads() : 0) * static_cast<std::size_t>(in_));
  constexpr int kTogether = 16;  // rows a thread takes at once
  parallel_for_worker((x.rows + kTogether - 1) / kTogether, [&](int group, int worker) {
    for (int r = group * kTogether; r < std::min(x.rows, (group + 1) * kTogether); ++r) {
      if (bytes()) {
        float* row = rotated + std::ptrdiff_t{worker} * in_;
        rotate_row(x.row(r), in_, row);
        of_rows[r] = quantise_row(row, in_, kernel_->levels, narrow + r * stride, stride);
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
      for (int r = piece.first_row; r < piece.first_row + piece.rows; r += kernel_->most_rows) {
        const int rows = std::min(kernel_->most_rows, piece.first_row + piece.rows - r);
        kernel_->multiply(narrow + r * stride, stride, rows, panel(p), steps_, sums);
        float* to = y.row(r) + column;
        if (bytes()) {
          finish_bytes(sums, rows, of_rows + r, {sums_.data() + column, scale_.data() + column, bias_.data() + column}, after_, to,
                       y.stride, columns);
        } else {
          finish_bfloats(reinterpret_cast<const float*>(sums), rows, bias_.data() + column, after_, to, y.stride, columns);
        }
      }
    }
    if (kernel_->end != nullptr) kernel_->end();
  });
}

}  // namespace revisit::tensor
