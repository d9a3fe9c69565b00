// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Copies strided views element by element into contiguous storage.
#include "engine/model/tensor_bytes.h"

#include <cstring>
#include <utility>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "core/base/stop_scope.h"
#include "core/formats/printable.h"

namespace revisit::model {
namespace {

alignas(8) constexpr std::byte kNoBytes{};  // where empty tensors point: valid and aligned, never read

bool is_contiguous(const StridedView& view) {
  const auto wanted = contiguous_strides(view.shape);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (view.shape[i] != 1 && view.strides[i] != wanted[i]) return false;  // the stride of a single row is never used
  }
  return true;
}

// An odometer over the outer dimensions; the innermost one is copied in a plain loop. `count` elements, at least one.
std::vector<std::byte> gather(const StridedView& view, std::size_t count) {
  const std::size_t item = bytes_of(view.dtype);
  std::vector<std::byte> out(count * item);
  const std::size_t rank = view.shape.size();
  const std::size_t inner = rank == 0 ? 1 : static_cast<std::size_t>(view.shape.back());
  const std::size_t inner_step = rank == 0 ? 0 : static_cast<std::size_t>(view.strides.back()) * item;
  std::vector<std::int64_t> index(rank, 0);
  std::size_t done = 0;
  StopTicker ticker;
  while (done < out.size()) {
    ticker.step(inner);
    std::size_t from = 0;
    for (std::size_t d = 0; d + 1 < rank; ++d) from += static_cast<std::size_t>(index[d] * view.strides[d]) * item;
    if (inner_step == item) {
      std::memcpy(out.data() + done, view.bytes.data() + from, inner * item);
    } else {
      for (std::size_t i = 0; i < inner; ++i) {
        std::memcpy(out.data() + done + i * item, view.bytes.data() + from + i * inner_step, item);
      }
    }
    done += inner * item;
    for (std::size_t d = rank < 2 ? 0 : rank - 1; d-- > 0;) {
      if (++index[d] < view.shape[d]) break;
      index[d] = 0;
    }
  }
  return out;
}

}  // namespace

TensorBudget::TensorBudget(std::uint64_t file_bytes, std::string file)
    : limit_(limits::kTensorSlackBytes), file_(std::move(file)) {
  std::uint64_t grown = 0;
  if (__builtin_mul_overflow(file_bytes, limits::kMaxTensorGrowth, &grown) || __builtin_add_overflow(limit_, grown, &limit_)) {
    limit_ = UINT64_MAX;
  }
}

void TensorBudget::spend(std::uint64_t bytes, const std::string& tensor) {
  if (bytes > limit_ - spent_) {
    fail(ErrorCode::kLimit, "'{}': tensor '{}' of {} bytes would take all tensors together beyond the limit of {} bytes", file_,
         printable(tensor), bytes, limit_);
  }
  spent_ += bytes;
}

std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> out(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) {
    // The product cannot wrap: such a shape is empty or was refused when its elements were counted.
    out[i - 1] = static_cast<std::int64_t>(static_cast<std::uint64_t>(out[i]) * static_cast<std::uint64_t>(shape[i]));
  }
  return out;
}

void add_tensor(Weights& weights, const std::string& name, const StridedView& view, const std::shared_ptr<const void>& storage,
                TensorBudget& budget) {
  TensorView tensor{view.dtype, view.shape, view.bytes.data()};
  const std::size_t size = tensor.size_bytes();
  budget.spend(size, name);
  const bool aligned = reinterpret_cast<std::uintptr_t>(tensor.data) % bytes_of(view.dtype) == 0;
  if (size == 0 || (aligned && is_contiguous(view))) {
    if (size == 0) tensor.data = &kNoBytes;
    weights.add(name, std::move(tensor), storage);
    return;
  }
  auto owned = std::make_shared<const std::vector<std::byte>>(gather(view, static_cast<std::size_t>(tensor.count())));
  tensor.data = owned->data();
  weights.add(name, std::move(tensor), std::move(owned));
}

}  // namespace revisit::model
