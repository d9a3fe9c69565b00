// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// EViT: in a few blocks, between attention and MLP, the patches stay to which CLS paid most attention in that block.
// Symbols: a_i the attention of CLS to patch i, mean over heads; n patches so far, keep the share that stays.
//   the ceil(keep n) largest a_i stay; fused: all others become one token, sum_i a_i x_i (the a_i are not normalised again)
// The fused token is a patch like any other from then on. It takes the place of the one of its patches that CLS saw most of.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/reduce/one_cut.h"
#include "engine/reduce/share.h"
#include "engine/spec/prune_options.h"

namespace revisit::reduce {
namespace {

constexpr int kEvitStages = 3;
constexpr int kKeepSteps = 10'000;  // a keep derived from rho has four digits

class Evit final : public InBlock {
 public:
  Evit(double rho, std::optional<double> keep, std::vector<int> at, bool fuse, bool by_mass)
      : rho_(rho), keep_(keep), at_(std::move(at)), fuse_(fuse), by_mass_(by_mass) {}

  Needs needs(int block) const override { return acts() && acts_in(block) ? Needs::kClsRow : Needs::kNothing; }

  void after_attention(int block, tensor::Tokens& tokens, const tensor::AttentionView& attention, tensor::Arena& arena) override {
    if (!acts() || !acts_in(block) || attention.cls_row == nullptr) return;
    const int patches = tokens.patches();
    if (block == at_.front()) keep_now_ = keep_for(patches);
    const int count = kept_count(keep_now_, patches);
    if (count >= patches) return;
    const float* share = attention.cls_row + tokens.prefix;
    scores_.assign(share, share + patches);
    choose_best(scores_, count, kept_);
    if (fuse_) {
      fuse(tokens, arena);
    } else {
      tensor::keep_patches(tokens, kept_);
    }
  }

  int patches_after(int blocks_done, int patches) const override {
    return acts() ? left(keep_for(patches), blocks_done, patches) : patches;
  }

  bool counts_patches() const override { return by_mass_; }
  Fusion fusion(int /*block*/) const override { return Fusion::kAttention; }

  std::string sentence(int patches) const override {
    if (!acts()) return {};
    const double keep = keep_for(patches);
    return fmt::format("evit keeps {:.4g} of the patches{} in {}: {}", keep, fuse_ ? " and fuses the others" : "",
                       blocks_text(at_), left_text(left(keep, at_.back() + 1, patches), patches));
  }

 private:
  bool acts() const { return keep_.value_or(rho_) < 1; }
  bool acts_in(int block) const { return std::ranges::binary_search(at_, block); }

  int left(double keep, int blocks_done, int patches) const {
    for (const int block : at_) {
      if (block >= blocks_done) break;
      const int count = kept_count(keep, patches);
      patches = count < patches ? count + (fuse_ ? 1 : 0) : patches;
    }
    return patches;
  }
  double keep_for(int patches) const {
    if (keep_) return *keep_;
    const auto with = [&](int step) { return left(1 - static_cast<double>(step) / kKeepSteps, at_.back() + 1, patches); };
    return 1 - static_cast<double>(number_for(rho_, patches, 0, kKeepSteps - 1, with)) / kKeepSteps;
  }

  /// kept_ stays, the others become one; merge_patches keeps the books and the row is written afterwards.
  void fuse(tensor::Tokens& tokens, tensor::Arena& arena) {
    const int patches = tokens.patches();
    const tensor::Arena::Scope scope(arena);
    const std::span<int> into = arena.numbers<int>(static_cast<std::size_t>(patches));
    const tensor::Matrix sum = arena.matrix(1, tokens.values.cols);
    std::fill_n(sum.data, sum.cols, 0.0F);
    const auto score = [&](int i) { return scores_[static_cast<std::size_t>(i)]; };
    int target = -1;
    auto next = kept_.begin();
    for (int i = 0; i < patches; ++i) {
      into[static_cast<std::size_t>(i)] = i;
      if (next != kept_.end() && *next == i) {
        ++next;
        continue;
      }
      if (target < 0 || score(i) > score(target)) target = i;
      const float* row = tokens.patch_values().row(i);
      for (int c = 0; c < sum.cols; ++c) sum.data[c] += score(i) * row[c];
    }
    next = kept_.begin();
    for (int i = 0; i < patches; ++i) {
      if (next != kept_.end() && *next == i) {
        ++next;
      } else {
        into[static_cast<std::size_t>(i)] = target;
      }
    }
    tensor::merge_patches(tokens, into);
    const auto before = std::ranges::lower_bound(kept_, target) - kept_.begin();  // rows in front of it
    std::copy_n(sum.data, sum.cols, tokens.patch_values().row(static_cast<int>(before)));
  }

  double rho_;
  std::optional<double> keep_;  // of each block; open: what rho asks for
  std::vector<int> at_;         // blocks, ascending
  bool fuse_;
  bool by_mass_;
  double keep_now_ = 1;  // for this picture
  // Scratch, each (patches).
  std::vector<float> scores_;
  std::vector<int> kept_;
};

}  // namespace

const ReducerFamily evit_family{
    .make = [](const DescriptorSpec& spec, const model::LoadedModel& model) -> std::unique_ptr<TokenReducer> {
      PruneOptions options(spec);
      const int depth = model.config.backbone.blocks();
      const auto keep = options.number("keep", 0, 1, true);
      auto at = options.blocks("at", depth).value_or(even_blocks(depth, kEvitStages));
      const bool fuse = options.flag("fuse").value_or(true);
      const bool by_mass = options.flag("by_mass").value_or(false);
      options.finish();
      return std::make_unique<Evit>(*spec.rho, keep, std::move(at), fuse, by_mass);
    },
    .has_options = true};

}  // namespace revisit::reduce
