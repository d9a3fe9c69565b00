// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// PCA whitening learnt from reference descriptors: shorter descriptors whose values are uncorrelated and of equal weight.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace revisit {

/// y = normalise(S P (x - mean)): centred, projected onto the directions of greatest variance, each divided by its standard
/// deviation, then scaled to unit length. Cheap to copy; safe to use from many threads.
class Whitening {
 public:
  static constexpr int kMaxTargetDim = 2'048;
  static constexpr int kMaxSample = 20'000;  ///< rows used when there are more, evenly spaced

  /// rows is (n, dim), unit descriptors. The same rows give the same whitening for any number of threads.
  /// Error kUsage when target_dim is not in 1..min(n - 1, dim, kMaxTargetDim) or a value is not finite.
  static Whitening learn(std::span<const float> rows, int dim, int target_dim);

  /// (n, dim) to (n, target_dim) of unit length. A row's result does not depend on the rows beside it.
  std::vector<float> apply(std::span<const float> rows) const;

  int dim() const;
  int target_dim() const;
  std::uint64_t checksum() const;  ///< of its numbers: equal for equal whitenings

  void save(const std::filesystem::path& file) const;
  /// Error kNotFound, or kBadFile with the field and its value.
  static Whitening load(const std::filesystem::path& file);

 private:
  friend struct WhiteningAccess;  // the index stores whitenings in its own files
  struct Impl;
  explicit Whitening(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace revisit
