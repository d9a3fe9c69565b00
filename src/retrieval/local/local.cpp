// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Products of codes by the kernels that multiply layers in bytes: the query's patches stand where weights would, a reference's
// are the rows. Sums are exact, so every processor finds the same pairs.
#include "retrieval/local/local.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "core/base/fail.h"
#include "core/tensor/parallel.h"
#include "retrieval/local/agreement.h"

namespace revisit::retrieval {
namespace {

using tensor::kPanel;
using tensor::kStepBytes;

constexpr int kReadableRows = 16;  // a kernel may read so many at once
constexpr int kMostRows = 32;      // and multiply so many

std::span<const std::int8_t> row_of(const LocalFeatures& features, int patch) {
  const auto dim = static_cast<std::size_t>(features.dim);
  return std::span(features.codes).subspan(static_cast<std::size_t>(patch) * dim, dim);
}

float inverse_norm(std::span<const std::int8_t> codes) {
  const int squares = std::inner_product(codes.begin(), codes.end(), codes.begin(), 0);
  return squares > 0 ? static_cast<float>(1 / std::sqrt(static_cast<double>(squares))) : 0.0F;
}

std::vector<float> inverse_norms(const LocalFeatures& features) {
  std::vector<float> out(features.patches.size());
  for (int i = 0; i < features.count(); ++i) out[static_cast<std::size_t>(i)] = inverse_norm(row_of(features, i));
  return out;
}

/// Rows as the kernel reads them: bytes with its zero added, filled up to whole steps.
BigBuffer rows_for_kernel(const LocalFeatures& features, int steps, int zero) {
  const int rows = (features.count() + kReadableRows - 1) / kReadableRows * kReadableRows;
  const auto stride = static_cast<std::size_t>(steps) * kStepBytes;
  BigBuffer out = big_buffer(static_cast<std::size_t>(rows) * stride / sizeof(float));
  auto* bytes = reinterpret_cast<std::uint8_t*>(out.get());
  std::memset(bytes, 0, static_cast<std::size_t>(rows) * stride);
  for (int r = 0; r < features.count(); ++r) {
    const auto codes = row_of(features, r);
    std::transform(codes.begin(), codes.end(), bytes + static_cast<std::size_t>(r) * stride,
                   [zero](std::int8_t q) { return static_cast<std::uint8_t>(q + zero); });
  }
  return out;
}

const LocalFeatures& checked(const LocalFeatures& query) {
  check_local(query, "the query");
  return query;
}

/// The nearest of a patch among those it has been compared with; of equal ones the first.
struct Nearest {
  std::vector<float> similarity;
  std::vector<int> at;

  explicit Nearest(std::size_t count) : similarity(count, 0.0F), at(count, -1) {}
  void see(std::size_t patch, float other_similarity, int other) {
    if (other_similarity <= similarity[patch]) return;
    similarity[patch] = other_similarity;
    at[patch] = other;
  }
};

}  // namespace

void check_local(const LocalFeatures& features, const char* whose) {
  if (features.dim < 1 || features.dim > LocalFeatures::kMostDim) {
    fail(ErrorCode::kUsage, "the local features of {} have dim {}, the limits are 1 and {}", whose, features.dim,
         int{LocalFeatures::kMostDim});
  }
  if (features.count() > LocalFeatures::kMostPatches) {
    fail(ErrorCode::kUsage, "the local features of {} are of {} patches, the limit is {}", whose, features.patches.size(),
         int{LocalFeatures::kMostPatches});
  }
  if (features.codes.size() != features.patches.size() * static_cast<std::size_t>(features.dim)) {
    fail(ErrorCode::kUsage, "the local features of {} have {} codes for {} patches of dim {}", whose, features.codes.size(),
         features.patches.size(), features.dim);
  }
  for (const std::int8_t code : features.codes) {
    if (std::abs(int{code}) <= LocalFeatures::kMostCode) continue;
    fail(ErrorCode::kUsage, "the local features of {} hold the code {}, the limit is {}", whose, int{code},
         int{LocalFeatures::kMostCode});
  }
}

PatchComparison::PatchComparison(const LocalFeatures& query, const tensor::NarrowKernel& kernel)
    : query_(&checked(query)),
      kernel_(&kernel),
      steps_((query.dim + kStepBytes - 1) / kStepBytes),
      inverse_(inverse_norms(query)) {
  const int panels = (query.count() + kPanel - 1) / kPanel;
  const auto panel_bytes = static_cast<std::size_t>(steps_) * kStepBytes * kPanel;
  panels_ = big_buffer(static_cast<std::size_t>(panels) * panel_bytes / sizeof(float));
  starts_ = big_buffer(static_cast<std::size_t>(panels) * kPanel);
  std::memset(panels_.get(), 0, static_cast<std::size_t>(panels) * panel_bytes);
  std::memset(starts_.get(), 0, static_cast<std::size_t>(panels) * kPanel * sizeof(float));
  for (int p = 0; p < query.count(); ++p) {
    const auto codes = row_of(query, p);
    auto* panel = reinterpret_cast<std::int8_t*>(panels_.get()) + static_cast<std::size_t>(p / kPanel) * panel_bytes;
    for (std::size_t k = 0; k < codes.size(); ++k)
      panel[k / 4 * 4 * kPanel + 4 * static_cast<std::size_t>(p % kPanel) + k % 4] = codes[k];
    const std::int32_t start = -kernel.zero * std::accumulate(codes.begin(), codes.end(), std::int32_t{0});
    std::memcpy(starts_.get() + p, &start, sizeof(start));
  }
}

void PatchComparison::check(const LocalFeatures& reference) const {
  check_local(reference, "a reference");
  if (reference.dim != query_->dim) {
    fail(ErrorCode::kMismatch,
         "the local features of the query have dim {}, those of a reference {}: they come from different models", query_->dim,
         reference.dim);
  }
}

SecondLook PatchComparison::with(const LocalFeatures& reference) const {
  check(reference);
  return look_at(reference);
}

SecondLook PatchComparison::look_at(const LocalFeatures& reference) const {
  const BigBuffer rows = rows_for_kernel(reference, steps_, kernel_->zero);
  const std::vector<float> inverse = inverse_norms(reference);
  const auto* bytes = reinterpret_cast<const std::byte*>(rows.get());
  const auto* panels = reinterpret_cast<const std::byte*>(panels_.get());
  const std::ptrdiff_t stride = std::ptrdiff_t{steps_} * kStepBytes;
  Nearest of_query(inverse_.size()), of_reference(inverse.size());
  alignas(64) std::int32_t sums[kMostRows * kPanel];
  if (kernel_->begin != nullptr) kernel_->begin();
  for (int first = 0; first < query_->count(); first += kPanel) {
    const int columns = std::min(kPanel, query_->count() - first);
    for (int r = 0; r < reference.count(); r += kernel_->most_rows) {
      const int count = std::min(kernel_->most_rows, reference.count() - r);
      kernel_->multiply(bytes + r * stride, stride, count, panels + first * stride, steps_, starts_.get() + first, sums);
      for (int i = 0; i < count; ++i) {
        const auto row = static_cast<std::size_t>(r + i);
        for (int c = 0; c < columns; ++c) {
          const auto column = static_cast<std::size_t>(first + c);
          const float similarity = static_cast<float>(sums[i * kPanel + c]) * inverse_[column] * inverse[row];
          of_query.see(column, similarity, r + i);
          of_reference.see(row, similarity, first + c);
        }
      }
    }
  }
  if (kernel_->end != nullptr) kernel_->end();

  std::vector<PatchPair> pairs;
  for (int q = 0; q < query_->count(); ++q) {
    const int there = of_query.at[static_cast<std::size_t>(q)];
    if (there < 0 || of_reference.at[static_cast<std::size_t>(there)] != q) continue;
    pairs.push_back({q, there, of_query.similarity[static_cast<std::size_t>(q)], {}, {}});
  }
  return agreement_of(*query_, reference, std::move(pairs));
}

std::vector<SecondLook> second_looks(const LocalFeatures& query, std::span<const LocalFeatures* const> references) {
  const PatchComparison comparison(query);
  for (const LocalFeatures* one : references) comparison.check(*one);
  std::vector<SecondLook> out(references.size());
  tensor::parallel_for_worker(static_cast<int>(references.size()), [&](int i, int /*worker*/) {
    out[static_cast<std::size_t>(i)] = comparison.look_at(*references[static_cast<std::size_t>(i)]);
  });
  return out;
}

std::vector<SecondLook> look_again(const LocalFeatures& query, std::vector<Match>& matches, int count,
                                   const std::function<const LocalFeatures*(int row)>& local_of) {
  std::vector<const LocalFeatures*> references;
  for (std::size_t i = 0; i < std::min(matches.size(), static_cast<std::size_t>(std::max(count, 0))); ++i) {
    references.push_back(local_of(matches[i].row));
  }
  std::vector<SecondLook> looks = second_looks(query, references);
  const std::vector<Match> before = matches;
  std::vector<SecondLook> out;
  std::size_t next = 0;
  for (const int i : order_after(before, looks)) {
    const auto from = static_cast<std::size_t>(i);
    matches[next++] = before[from];
    if (from < looks.size()) out.push_back(std::move(looks[from]));
  }
  return out;
}

}  // namespace revisit::retrieval
