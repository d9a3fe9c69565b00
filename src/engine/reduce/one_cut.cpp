// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The choice of the K best.
#include "engine/reduce/one_cut.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/fail.h"
#include "core/tensor/kernels.h"

namespace revisit::reduce {
namespace {

constexpr double kRange = 1e-6;  // added to max - min, so that equal values become 0 and not NaN
constexpr double kSumSlack = 1e-12;  // of a sum in another order
constexpr int kTileRows = 16;

void all_positions(const std::vector<float>& scores, std::vector<int>& out) {
  out.resize(scores.size());
  std::iota(out.begin(), out.end(), 0);
}

/// Score falling, position rising; what is not finite comes last.
struct Better {
  const std::vector<float>& scores;
  float key(int i) const {
    const float score = scores[static_cast<std::size_t>(i)];
    return std::isfinite(score) ? score : -std::numeric_limits<float>::infinity();
  }
  bool operator()(int a, int b) const { return key(a) != key(b) ? key(a) > key(b) : a < b; }
};

}  // namespace

void min_max(std::span<float> values) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, static_cast<double>(value));
    high = std::max(high, static_cast<double>(value));
  }
  for (float& value : values) {
    if (std::isfinite(value)) value = static_cast<float>((value - low) / (high - low + kRange));
  }
}

void check_rho(double rho) {
  if (!(rho > 0 && rho <= 1)) fail(ErrorCode::kUsage, "rho must be above 0 and at most 1, not {}", rho);
}

int kept_count(double rho, int patches) {
  const double count = std::ceil(rho * patches - 1e-9);
  return static_cast<int>(std::clamp(count, 1.0, std::max(1.0, static_cast<double>(patches))));
}

int count_of_mass(const std::vector<float>& scores, const std::vector<float>& logits, double mass, std::vector<int>& order) {
  const int count = static_cast<int>(logits.size());
  double highest = -std::numeric_limits<double>::infinity();
  for (const float logit : logits) {
    if (std::isfinite(logit)) highest = std::max(highest, static_cast<double>(logit));
  }
  if (mass >= 1 || !std::isfinite(highest)) return count;
  const auto weight = [&](std::size_t i) {
    return std::isfinite(logits[i]) ? std::exp((logits[i] - highest) / kMassTemperature) : 0;
  };
  double wanted = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) wanted += weight(i);
  wanted *= mass * (1 - kSumSlack);
  all_positions(scores, order);
  std::ranges::sort(order, Better{scores});
  double sum = 0;
  for (int k = 0; k < count; ++k) {
    sum += weight(static_cast<std::size_t>(order[static_cast<std::size_t>(k)]));
    if (sum >= wanted) return k + 1;
  }
  return count;
}

int fill_tile(int count, int prefix, int patches) {
  const int rows = (prefix + count + kTileRows - 1) / kTileRows * kTileRows;
  return std::min(rows - prefix, patches);
}

void choose_best(const std::vector<float>& scores, int count, std::vector<int>& kept) {
  all_positions(scores, kept);
  const Better better{scores};
  const auto cut = kept.begin() + std::min(count, static_cast<int>(kept.size()));
  if (cut != kept.end()) std::nth_element(kept.begin(), cut, kept.end(), better);
  kept.erase(cut, kept.end());
  std::ranges::sort(kept);
}

void spread_scores(std::vector<float>& scores, int columns, int cell, std::vector<float>& scratch) {
  const int count = static_cast<int>(scores.size());
  if (columns < 1 || count % columns != 0)
    fail(ErrorCode::kInternal, "{} patches are not a grid of {} columns", count, columns);
  const auto at = [&](int i) { return scores[static_cast<std::size_t>(i)]; };
  scratch = scores;
  min_max(scratch);
  for (int i = 0; i < count; ++i) {
    if (!std::isfinite(at(i))) continue;
    const int top = i / columns / cell * cell, left = i % columns / cell * cell;
    const int bottom = std::min(top + cell, count / columns), right = std::min(left + cell, columns);
    int beaten = 0;
    for (int y = top; y < bottom; ++y) {
      for (int j = y * columns + left; j < y * columns + right; ++j) {
        if (j != i && (!std::isfinite(at(j)) || at(i) > at(j) || (at(i) == at(j) && i < j))) ++beaten;
      }
    }
    float& out = scratch[static_cast<std::size_t>(i)];
    out = (static_cast<float>(beaten) + out) / static_cast<float>((bottom - top) * (right - left));
  }
  scores.swap(scratch);
}

OneCut::OneCut(const DescriptorSpec& spec) : OneCut(spec, *spec.rho, *spec.prune_layer) {}

OneCut::OneCut(const DescriptorSpec& spec, double rho, int layer)
    : rho_(rho), mass_(spec.keep_mass), layer_(layer), spread_(*spec.spread) {}

int OneCut::patches_after(int blocks_done, int patches) const {
  if (rho_ >= 1 || blocks_done < layer_) return patches;
  return std::clamp(last_count_, kept_count(rho_, patches), patches);
}

int OneCut::count_to_keep(int patches, int prefix) {
  const int least = kept_count(rho_, patches);
  if (!mass_) return least;
  last_count_ = fill_tile(std::max(least, count_of_mass(scores_, logits_, *mass_, kept_)), prefix, patches);
  return last_count_;
}

void OneCut::after_block(int blocks_done, tensor::Tokens& tokens, tensor::Arena& arena) {
  if (blocks_done != layer_ || !is_asked()) return;
  const int patches = tokens.patches();
  if (patches < 1) return;
  score(tokens.patch_values(), logits_, scores_, arena);
  if (spread_ > 1) spread_scores(scores_, tokens.columns, spread_, spread_scratch_);
  if (trace_ != nullptr) {
    trace_->logits = logits_;
    trace_->scores = scores_;
  }
  if (rho_ >= 1) return;
  choose_best(scores_, count_to_keep(patches, tokens.prefix), kept_);
  tensor::keep_patches(tokens, kept_);
}

void norm_scores(tensor::ConstMatrix patches, bool raw, std::vector<float>& scores) {
  scores.resize(static_cast<std::size_t>(patches.rows));
  for (int i = 0; i < patches.rows; ++i) scores[static_cast<std::size_t>(i)] = tensor::l2_norm(patches.row(i), patches.cols);
  if (!raw) min_max(scores);
}

}  // namespace revisit::reduce
