// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// All pairs with all pairs: 256 at most, so 65,536 votes.
#include "retrieval/local/agreement.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "retrieval/local/local.h"

namespace revisit::retrieval {
namespace {

constexpr float kSide = 65'536;
constexpr float kHeaviest = 65'535;
constexpr float kShareOfBest = 0.5F;  // of the support of the best pair

struct Votes {
  std::vector<float> x, y;     // d, in shares of the picture over r
  std::vector<float> weight;   // w
  std::vector<float> support;  // v
};

Votes votes_of(const LocalFeatures& query, const LocalFeatures& reference, const std::vector<PatchPair>& pairs) {
  Votes out;
  for (const PatchPair& pair : pairs) {
    const LocalPatch& from = query.patches[static_cast<std::size_t>(pair.query)];
    const LocalPatch& to = reference.patches[static_cast<std::size_t>(pair.reference)];
    out.x.push_back(static_cast<float>(int{to.x} - int{from.x}) / (kSide * kReach));
    out.y.push_back(static_cast<float>(int{to.y} - int{from.y}) / (kSide * kReach));
    const float both = static_cast<float>(from.weight) / kHeaviest * (static_cast<float>(to.weight) / kHeaviest);
    out.weight.push_back(pair.similarity * both);
  }
  out.support.assign(pairs.size(), 0.0F);
  for (std::size_t j = 0; j < pairs.size(); ++j) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const float dx = out.x[i] - out.x[j], dy = out.y[i] - out.y[j];
      const float near = std::max(0.0F, 1 - dx * dx - dy * dy);
      out.support[i] += out.weight[j] * near * near;
    }
  }
  return out;
}

}  // namespace

SecondLook agreement_of(const LocalFeatures& query, const LocalFeatures& reference, std::vector<PatchPair> pairs) {
  SecondLook out;
  if (pairs.empty()) return out;
  const Votes votes = votes_of(query, reference, pairs);
  const double all = std::inner_product(votes.weight.begin(), votes.weight.end(), votes.support.begin(), 0.0);
  out.score = static_cast<float>(std::sqrt(all));
  const float enough = kShareOfBest * *std::ranges::max_element(votes.support);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (votes.support[i] < enough || votes.weight[i] <= 0) continue;
    PatchPair& pair = out.pairs.emplace_back(pairs[i]);
    pair.from = query.patches[static_cast<std::size_t>(pair.query)];
    pair.to = reference.patches[static_cast<std::size_t>(pair.reference)];
  }
  return out;
}

std::vector<int> order_after(std::span<const Match> matches, std::span<const SecondLook> looks) {
  std::vector<int> out(matches.size());
  std::iota(out.begin(), out.end(), 0);
  const auto key = [&](int i) {
    const double similarity = std::max(0.0F, matches[static_cast<std::size_t>(i)].similarity);
    return static_cast<double>(looks[static_cast<std::size_t>(i)].score) * std::sqrt(similarity);
  };
  std::stable_sort(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(looks.size()),
                   [&](int a, int b) { return key(a) > key(b); });
  return out;
}

}  // namespace revisit::retrieval
