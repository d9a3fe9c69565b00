// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Patches chosen, weighed and rounded.
#include "engine/extract/local_features.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace revisit {
namespace {

constexpr double kHeaviest = 65'535;

/// (N, D) what is compared: F of the head, else the tokens.
tensor::ConstMatrix compared(const aggregate::HeadTrace& head, const tensor::Features& features) {
  const tensor::ConstMatrix tokens = features.spatial();
  if (head.features.empty()) return tokens;
  const int dim = static_cast<int>(head.features.size()) / tokens.rows;
  return {head.features.data(), tokens.rows, dim, dim};
}

/// (N) what a patch counts in the descriptor; empty where the head does not say.
std::vector<double> shares_of(const aggregate::HeadTrace& head, int patches) {
  if (!head.importance.empty()) return {head.importance.begin(), head.importance.end()};
  std::vector<double> out;
  const auto clusters = static_cast<std::ptrdiff_t>(head.transport.size()) / patches;
  for (auto row = head.transport.begin(); clusters > 0 && row != head.transport.end(); row += clusters) {
    out.push_back(std::accumulate(row, row + clusters, 0.0));
  }
  return out;
}

/// (N) of the eighth root of each share over that of the largest; a share that is not a positive number weighs nothing.
std::vector<std::uint16_t> weights_of(const std::vector<double>& shares, int patches) {
  std::vector<std::uint16_t> out(static_cast<std::size_t>(patches), static_cast<std::uint16_t>(kHeaviest));
  if (shares.empty()) return out;
  const auto root = [](double share) { return share > 0 && std::isfinite(share) ? std::sqrt(std::sqrt(std::sqrt(share))) : 0.0; };
  double largest = 0;
  for (const double share : shares) largest = std::max(largest, root(share));
  for (std::size_t i = 0; i < out.size() && largest > 0; ++i) {
    out[i] = static_cast<std::uint16_t>(std::lround(root(shares[i]) / largest * kHeaviest));
  }
  return out;
}

/// Ascending positions of the patches that stay.
std::vector<int> chosen(const std::vector<std::uint16_t>& weights) {
  constexpr int kMost = LocalFeatures::kMostPatches;
  const int patches = static_cast<int>(weights.size());
  std::vector<int> out(weights.size());
  std::iota(out.begin(), out.end(), 0);
  if (patches <= kMost) return out;
  const auto weight = [&](int i) { return weights[static_cast<std::size_t>(i)]; };
  if (std::ranges::all_of(weights, [&](std::uint16_t w) { return w == weights.front(); })) {
    for (int i = 0; i < kMost; ++i) out[static_cast<std::size_t>(i)] = static_cast<int>(std::int64_t{i} * patches / kMost);
  } else {
    std::ranges::stable_sort(out, [&](int a, int b) { return weight(a) > weight(b); });
    std::sort(out.begin(), out.begin() + kMost);
  }
  out.resize(kMost);
  return out;
}

void append_codes(const float* row, int count, std::vector<std::int8_t>& codes) {
  const bool usable = std::all_of(row, row + count, [](float x) { return std::isfinite(x); });  // else it is like no other
  float largest = 0;
  for (int k = 0; k < count; ++k) largest = std::max(largest, std::abs(row[k]));
  const double scale = usable && largest > 0 ? LocalFeatures::kMostCode / static_cast<double>(largest) : 0.0;
  for (int k = 0; k < count; ++k) codes.push_back(static_cast<std::int8_t>(scale > 0 ? std::lround(row[k] * scale) : 0));
}

}  // namespace

LocalFeatures local_features(const tensor::Features& features, const aggregate::HeadTrace& head, Size grid) {
  const tensor::ConstMatrix rows = compared(head, features);
  const std::vector<std::uint16_t> weights = weights_of(shares_of(head, rows.rows), rows.rows);
  LocalFeatures out;
  out.dim = rows.cols;
  const auto place = [](int cell, int cells) {
    return static_cast<std::uint16_t>((std::int64_t{cell} * 2 + 1) * 32'768 / cells);
  };
  for (const int i : chosen(weights)) {
    const auto at = static_cast<std::size_t>(i);
    const int cell = features.are_tokens() ? features.tokens().kept[at] : i;
    out.patches.push_back({place(cell % grid.width, grid.width), place(cell / grid.width, grid.height), weights[at]});
    append_codes(rows.row(i), rows.cols, out.codes);
  }
  return out;
}

}  // namespace revisit
