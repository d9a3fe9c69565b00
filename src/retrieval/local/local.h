// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The second look: which patches of two photos show the same, and how well they agree about where they went. Knows no images and
// no files.
//   pairs     patches that are each other's nearest by the cosine s of their codes, s > 0
//   w         s times the weights of both patches
//   d         the pair's displacement in the picture
//   support   v_i = sum_j w_j k(|d_i - d_j|), k(x) = max(0, 1 - x^2 / r^2)^2, r a part of the picture: a pair is supported by all
//             that moved about as it did. One transform for all would be too much to ask of a street seen from another side.
//   score     sqrt(sum_i w_i v_i)
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/big_buffer.h"
#include "core/tensor/narrow_kernels.h"
#include "revisit/index.h"
#include "revisit/local.h"

namespace revisit::retrieval {

/// Displacements further apart than this share of the picture's sides have nothing to do with one another.
inline constexpr float kReach = 0.2F;

/// Throws Error kUsage for features that are not as LocalFeatures says; `whose` names them.
void check_local(const LocalFeatures& features, const char* whose);

/// One photo, ready to be compared with many. Several threads may use one at once.
class PatchComparison {
 public:
  /// `query` must outlive it. Any of byte_kernels() finds the same pairs; the fastest is the first.
  explicit PatchComparison(const LocalFeatures& query, const tensor::NarrowKernel& kernel = *tensor::byte_kernels().front());

  SecondLook with(const LocalFeatures& reference) const;

  /// Throws Error kMismatch when dims differ, and what check_local throws; look_at() is for those that passed.
  void check(const LocalFeatures& reference) const;
  SecondLook look_at(const LocalFeatures& reference) const;

 private:
  const LocalFeatures* query_;
  const tensor::NarrowKernel* kernel_;
  int steps_;
  BigBuffer panels_;            // [panel][4 bytes of a row][patch of the panel]
  BigBuffer starts_;            // (panels, 32) whole numbers: what the zero of the kernel's rows adds to each sum, taken off
  std::vector<float> inverse_;  // (patches) 1 / norm of the codes
};

/// One look at each, shared among the threads of the caller's team.
std::vector<SecondLook> second_looks(const LocalFeatures& query, std::span<const LocalFeatures* const> references);

/// The order of matches by what their second looks say: by falling score times the square root of the similarity, equal ones by
/// their place. `matches` begins with those that had a look.
std::vector<int> order_after(std::span<const Match> matches, std::span<const SecondLook> looks);

/// Looks again at the first `count` matches and puts them in their new order; the looks, in that order, are returned.
/// `local_of` gives the local features of a row, and may throw.
std::vector<SecondLook> look_again(const LocalFeatures& query, std::vector<Match>& matches, int count,
                                   const std::function<const LocalFeatures*(int row)>& local_of);

namespace reference {
/// The same in plain loops.
SecondLook second_look(const LocalFeatures& query, const LocalFeatures& reference);
}  // namespace reference

}  // namespace revisit::retrieval
