// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// ToMe: in every block, between attention and MLP, the r pairs of patches that are most alike become one each, the mean weighted
// by how many patches they stand for. With prop_attn a merged key counts in attention as often as its patches: log m is added to
// its scores.
#include "engine/reduce/tome.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "core/base/fail.h"
#include "engine/reduce/matching.h"
#include "engine/reduce/share.h"
#include "engine/spec/prune_options.h"

namespace revisit::reduce {

std::vector<int> merges_per_block(int r, double inflect, int depth) {
  std::vector<int> out(static_cast<std::size_t>(depth), r);
  const int first = static_cast<int>(r * (1 - inflect)), last = 2 * r - first;
  if (depth < 2) return out;
  const double step = static_cast<double>(last - first) / (depth - 1);
  for (int i = 0; i < depth; ++i) out[static_cast<std::size_t>(i)] = static_cast<int>(first + step * i);
  return out;
}

namespace {

class Tome final : public InBlock {
 public:
  struct Settings {
    double rho;
    std::vector<int> r;  // as given: none, one number, or one for each of the first blocks
    double inflect;      // of one number: -1 falls from 2 r to 0, 0 is constant, 1 rises
    bool prop_attn;      // in attention
    bool by_mass;        // in the descriptor
  };

  Tome(Settings settings, const model::VitConfig& vit)
      : settings_(std::move(settings)), depth_(vit.depth), head_dim_(vit.width / vit.heads), matching_(vit.heads) {}

  Needs needs(int /*block*/) const override { return acts() ? Needs::kKeys : Needs::kNothing; }
  bool weighs_by_mass(int /*block*/) const override { return acts() && settings_.prop_attn; }

  void after_attention(int block, tensor::Tokens& tokens, const tensor::AttentionView& attention, tensor::Arena& arena) override {
    if (!acts()) return;
    if (block == 0) {
      matching_.restart(tokens.patches());
      plan_ = plan(tokens.patches());
    }
    const int r = plan_[static_cast<std::size_t>(block)];
    if (std::min(r, most_merged(tokens.patches())) < 1) return;
    tensor::merge_patches(tokens, matching_.match(tokens, attention.keys, r, arena));
  }

  int patches_after(int blocks_done, int patches) const override {
    return acts() ? left(plan(patches), blocks_done, patches) : patches;
  }

  double macs(int patches) const override {
    if (!acts()) return 0;
    const auto r = plan(patches);
    double sum = 0;
    for (int block = 0; block < depth_; ++block) {
      if (r[static_cast<std::size_t>(block)] > 0) sum += matching_macs(left(r, block, patches), head_dim_);
    }
    return sum;
  }

  void check(int patches) const override {
    for (const int r : settings_.r.empty() ? std::vector<int>{} : plan(patches)) {
      if (r <= most_merged(patches)) continue;
      fail_with_hint(ErrorCode::kUsage, "a smaller r, or `rho` instead",
                     "tome cannot merge r = {} of {} patches in a block: at most {}", r, patches, most_merged(patches));
    }
  }

  bool counts_patches() const override { return settings_.by_mass; }

  std::string sentence(int patches) const override {
    if (!acts()) return {};
    const auto r = plan(patches);
    const bool constant = std::ranges::all_of(r, [&](int one) { return one == r.front(); });
    return fmt::format("tome merges r = {} patches in {}: {}",
                       constant ? std::to_string(r.front()) : fmt::format("{}", fmt::join(r, "|")),
                       constant ? "each block" : "the blocks", left_text(left(r, depth_, patches), patches));
  }

 private:
  bool acts() const { return settings_.rho < 1 || !settings_.r.empty(); }

  static int left(const std::vector<int>& r, int blocks_done, int patches) {
    for (int block = 0; block < blocks_done; ++block)
      patches -= std::min(r[static_cast<std::size_t>(block)], most_merged(patches));
    return patches;
  }

  /// r of each block.
  std::vector<int> plan(int patches) const {
    if (settings_.r.size() > 1) {
      std::vector<int> out = settings_.r;
      out.resize(static_cast<std::size_t>(depth_));
      return out;
    }
    const auto with = [&](int r) { return left(merges_per_block(r, settings_.inflect, depth_), depth_, patches); };
    const int r = settings_.r.empty() ? number_for(settings_.rho, patches, 0, most_merged(patches), with) : settings_.r.front();
    return merges_per_block(r, settings_.inflect, depth_);
  }

  Settings settings_;
  int depth_;
  int head_dim_;
  Matching matching_;
  std::vector<int> plan_;  // for this picture
};

}  // namespace

const ReducerFamily tome_family{
    .make = [](const DescriptorSpec& spec, const model::LoadedModel& model) -> std::unique_ptr<TokenReducer> {
      PruneOptions options(spec);
      const model::VitConfig& vit = model.config.vit();
      Tome::Settings settings{.rho = *spec.rho,
                              .r = options.whole_numbers("r", 0, 1'000'000).value_or(std::vector<int>{}),
                              .inflect = options.number("inflect", -1, 1).value_or(0),
                              .prop_attn = options.flag("prop_attn").value_or(true),
                              .by_mass = options.flag("by_mass").value_or(false)};
      options.finish();
      if (settings.r.size() > static_cast<std::size_t>(vit.depth)) {
        fail(ErrorCode::kUsage, "r of `prune` tome has {} numbers, but the model has {} blocks", settings.r.size(), vit.depth);
      }
      return std::make_unique<Tome>(std::move(settings), vit);
    },
    .has_options = true};

}  // namespace revisit::reduce
