// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Whitening: learning, applying, saving.
#include "revisit/whitening.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/base/fail.h"
#include "core/base/file.h"
#include "retrieval/files/derived.h"
#include "retrieval/search/pca.h"
#include "retrieval/search/products.h"
#include "retrieval/search/whitening_numbers.h"
#include "core/tensor/parallel.h"

namespace revisit {
namespace {

// Of the greatest variance: a direction in which rows hardly differ must not be amplified to pure noise.
constexpr double kRelativeEpsilon = 1e-6;
constexpr double kLeastEpsilon = 1e-12;
constexpr std::size_t kApplyRows = 1024;  // centred at a time

std::size_t whole_rows(std::span<const float> rows, int dim, const char* what) {
  const auto size = static_cast<std::size_t>(dim);
  if (rows.size() % size != 0) {
    fail(ErrorCode::kUsage, "{} values are not a whole number of {} of dim {}", rows.size(), what, dim);
  }
  return rows.size() / size;
}

void require_finite(const float* row, std::size_t dim, std::size_t number) {
  for (std::size_t c = 0; c < dim; ++c) {
    if (!std::isfinite(row[c])) fail(ErrorCode::kUsage, "descriptor {} holds {} at position {}", number, row[c], c);
  }
}

void to_unit_length(std::span<float> row) {
  double squares = 0;
  for (const float v : row) squares += static_cast<double>(v) * static_cast<double>(v);
  if (squares <= 0) return;  // the mean itself has no direction
  const double scale = 1 / std::sqrt(squares);
  for (float& v : row) v = static_cast<float>(v * scale);
}

}  // namespace

struct Whitening::Impl {
  retrieval::WhiteningNumbers numbers;
  std::uint64_t checksum = 0;

  explicit Impl(retrieval::WhiteningNumbers given) : numbers(std::move(given)) {
    const auto& p = numbers.projection;
    checksum = XXH3_64bits_withSeed(p.data(), p.size() * sizeof(float),
                                    XXH3_64bits(numbers.mean.data(), numbers.mean.size() * sizeof(float)));
  }
};

Whitening WhiteningAccess::make(retrieval::WhiteningNumbers numbers) {
  return Whitening(std::make_shared<const Whitening::Impl>(std::move(numbers)));
}

const retrieval::WhiteningNumbers& WhiteningAccess::numbers(const Whitening& whitening) { return whitening.impl_->numbers; }

Whitening Whitening::learn(std::span<const float> rows, int dim, int target_dim) {
  if (dim < 1) fail(ErrorCode::kUsage, "dim {} of the descriptors to whiten is below 1", dim);
  const std::size_t count = whole_rows(rows, dim, "descriptors");
  if (target_dim < 1 || target_dim > kMaxTargetDim) {
    fail(ErrorCode::kUsage, "cannot whiten to dim {}: the limits are 1 and {}", target_dim, int{kMaxTargetDim});
  }
  if (target_dim > dim) {
    fail(ErrorCode::kUsage, "cannot whiten descriptors of dim {} to dim {}, which is more", dim, target_dim);
  }
  if (static_cast<std::size_t>(target_dim) >= count) {
    fail_with_hint(ErrorCode::kUsage, "use a smaller dim or more reference photos",
                   "whitening to dim {} needs at least {} references, there are {}", target_dim, target_dim + 1, count);
  }
  const retrieval::Sample sample = retrieval::evenly_spaced(rows.data(), count, dim, kMaxSample);
  for (int i = 0; i < sample.count(); ++i) {
    require_finite(sample.row(i), static_cast<std::size_t>(dim), sample.picked[static_cast<std::size_t>(i)]);
  }
  retrieval::Components components = retrieval::principal_components(sample, target_dim);
  const double epsilon = std::max(kRelativeEpsilon * components.variances.front(), kLeastEpsilon);
  const auto size = static_cast<std::size_t>(dim);
  for (std::size_t i = 0; i < components.variances.size(); ++i) {
    const double scale = 1 / std::sqrt(components.variances[i] + epsilon);
    for (float& v : std::span(components.directions).subspan(i * size, size)) v = static_cast<float>(v * scale);
  }
  return WhiteningAccess::make({dim, target_dim, std::move(components.mean), std::move(components.directions)});
}

std::vector<float> Whitening::apply(std::span<const float> rows) const {
  const retrieval::WhiteningNumbers& numbers = impl_->numbers;
  const std::size_t count = whole_rows(rows, numbers.dim, "descriptors");
  const auto dim = static_cast<std::size_t>(numbers.dim);
  const auto target = static_cast<std::size_t>(numbers.target);
  std::vector<float> out(count * target);
  std::vector<float> centred;
  for (std::size_t begin = 0; begin < count; begin += kApplyRows) {
    const std::size_t some = std::min(kApplyRows, count - begin);
    centred.resize(some * dim);
    for (std::size_t i = 0; i < some; ++i) {
      const float* row = rows.data() + (begin + i) * dim;
      require_finite(row, dim, begin + i);
      for (std::size_t c = 0; c < dim; ++c) centred[i * dim + c] = row[c] - numbers.mean[c];
    }
    retrieval::add_products(centred.data(), static_cast<int>(some), numbers.projection.data(), numbers.target, numbers.dim,
                        out.data() + begin * target);
  }
  for (std::size_t i = 0; i < count; ++i) to_unit_length(std::span(out).subspan(i * target, target));
  return out;
}

int Whitening::dim() const { return impl_->numbers.dim; }
int Whitening::target_dim() const { return impl_->numbers.target; }
std::uint64_t Whitening::checksum() const { return impl_->checksum; }

void Whitening::save(const std::filesystem::path& file) const {
  const retrieval::WhiteningNumbers& numbers = impl_->numbers;
  retrieval::DerivedHeader header;
  header.kind = retrieval::DerivedKind::kWhitening;
  header.dim = numbers.dim;
  header.target = numbers.target;
  const std::array parts = {std::as_bytes(std::span(numbers.mean)), std::as_bytes(std::span(numbers.projection))};
  retrieval::write_derived(file, header, parts);
}

Whitening Whitening::load(const std::filesystem::path& file) {
  const MappedFile mapped(file);
  const retrieval::Derived derived = retrieval::parse_derived(mapped.bytes(), retrieval::DerivedKind::kWhitening, file.string());
  return WhiteningAccess::make(retrieval::parse_whitening(derived.payload, derived.header.dim, derived.header.target, file.string()));
}

}  // namespace revisit
