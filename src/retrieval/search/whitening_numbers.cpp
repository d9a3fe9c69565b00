// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Reading a whitening's numbers.
#include "retrieval/search/whitening_numbers.h"

#include <cmath>
#include <cstring>

#include "core/base/byte_reader.h"
#include "core/base/checked.h"
#include "core/base/fail.h"

namespace revisit::retrieval {
namespace {

std::vector<float> finite_floats(ByteReader& reader, std::uint64_t count, const char* what) {
  const auto bytes = reader.take(checked_mul(count, sizeof(float), what), what);
  std::vector<float> out(count);
  std::memcpy(out.data(), bytes.data(), bytes.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!std::isfinite(out[i])) fail(ErrorCode::kBadFile, "'{}': {} holds {} at position {}", reader.file(), what, out[i], i);
  }
  return out;
}

}  // namespace

std::uint64_t whitening_bytes(int dim, int target) {
  const auto columns = static_cast<std::uint64_t>(dim);  // at most 2^16, as is target: cannot overflow
  return (columns + columns * static_cast<std::uint64_t>(target)) * sizeof(float);
}

WhiteningNumbers parse_whitening(std::span<const std::byte> payload, int dim, int target, const std::string& name) {
  if (target > dim || target > Whitening::kMaxTargetDim) {
    fail(ErrorCode::kBadFile, "'{}' whitens dim {} to {}, the limits are its dim and {}", name, dim, target,
         int{Whitening::kMaxTargetDim});
  }
  const std::uint64_t needed = whitening_bytes(dim, target);
  if (payload.size() != needed) {
    fail(ErrorCode::kBadFile, "'{}' has {} bytes of whitening, dim {} to {} needs {}", name, payload.size(), dim, target, needed);
  }
  ByteReader reader(payload, name, ErrorCode::kBadFile);
  WhiteningNumbers out{dim, target, {}, {}};
  out.mean = finite_floats(reader, static_cast<std::uint64_t>(dim), "mean");
  out.projection = finite_floats(reader, static_cast<std::uint64_t>(dim) * static_cast<std::uint64_t>(target), "projection");
  return out;
}

}  // namespace revisit::retrieval
