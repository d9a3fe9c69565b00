// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// ToFu: ToMe's matching in every block, but early blocks, whose maps are far from linear, let the target alone, and late ones
// keep the length that a mean would lose. Symbols: x_t the target, x_s what goes into it, m how many patches each stands for.
//   early (pruned merging)  x_t stays as it is, x_s is gone
//   late (MLERP)            the direction of the mean weighted by m, the largest of the norms
// Either way the target stands for the patches of all. After b blocks ceil(keep^b N) patches are left, keep the share of one
// block.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/tensor/kernels.h"
#include "engine/reduce/matching.h"
#include "engine/reduce/one_cut.h"
#include "engine/reduce/share.h"
#include "engine/spec/prune_options.h"

namespace revisit::reduce {
namespace {

constexpr float kNoLength = 1e-12F;  // of a mean without a direction

class Tofu final : public InBlock {
 public:
  struct Settings {
    double keep;     // of each block
    int until;       // the first block that merges
    bool prop_attn;  // in attention
    bool by_mass;    // in the descriptor
  };

  Tofu(Settings settings, const model::VitConfig& vit)
      : settings_(settings), depth_(vit.depth), head_dim_(vit.width / vit.heads), matching_(vit.heads) {}

  Needs needs(int /*block*/) const override { return acts() ? Needs::kKeys : Needs::kNothing; }
  bool weighs_by_mass(int /*block*/) const override { return acts() && settings_.prop_attn; }

  void after_attention(int block, tensor::Tokens& tokens, const tensor::AttentionView& attention, tensor::Arena& arena) override {
    if (!acts()) return;
    if (block == 0) {
      all_ = tokens.patches();
      matching_.restart(all_);
    }
    const int r = tokens.patches() - left(block + 1, all_);
    if (r > 0) fuse(tokens, matching_.match(tokens, attention.keys, r, arena), fusion(block) == Fusion::kTarget, arena);
  }

  int patches_after(int blocks_done, int patches) const override { return acts() ? left(blocks_done, patches) : patches; }

  double macs(int patches) const override {
    double sum = 0;
    for (int block = 0; acts() && block < depth_; ++block) sum += matching_macs(left(block, patches), head_dim_);
    return sum;
  }

  bool counts_patches() const override { return settings_.by_mass; }
  Fusion fusion(int block) const override { return block < settings_.until ? Fusion::kTarget : Fusion::kLongest; }

  std::string sentence(int patches) const override {
    if (!acts()) return {};
    return fmt::format("tofu keeps {:.4g} in each block, dropping before block {} and merging from there: {}", settings_.keep,
                       settings_.until, left_text(left(depth_, patches), patches));
  }

 private:
  bool acts() const { return settings_.keep < 1; }

  int left(int blocks_done, int patches) const {
    int out = patches;
    for (int block = 1; block <= blocks_done; ++block) {
      const int wanted = kept_count(std::pow(settings_.keep, block), patches);
      out = std::max(std::min(out, wanted), out - most_merged(out));
    }
    return out;
  }

  /// merge_patches keeps the books and makes the means; the rows of targets are put right around it.
  static void fuse(tensor::Tokens& tokens, std::span<const int> into, bool drops, tensor::Arena& arena) {
    const int patches = tokens.patches(), width = tokens.values.cols;
    const tensor::Arena::Scope scope(arena);
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    const std::span<int> place = arena.numbers<int>(at(patches));     // of a target afterwards, -1 for the others
    const std::span<float> norm = arena.numbers<float>(at(patches));  // the largest that goes into a target
    std::ranges::fill(place, -1);
    int targets = 0;
    for (int i = 0; i < patches; ++i) {
      const int to = into[at(i)];
      if (to == i) continue;
      const tensor::Matrix rows = tokens.patch_values();
      if (place[at(to)] < 0) {
        place[at(to)] = targets++;
        norm[at(to)] = drops ? 0 : tensor::l2_norm(rows.row(to), width);
      }
      if (!drops) norm[at(to)] = std::max(norm[at(to)], tensor::l2_norm(rows.row(i), width));
    }
    const tensor::Matrix before = arena.matrix(drops ? targets : 0, width);
    for (int i = 0; i < patches && drops; ++i) {
      if (place[at(i)] >= 0) std::copy_n(tokens.patch_values().row(i), width, before.row(place[at(i)]));
    }
    tensor::merge_patches(tokens, into);
    for (int i = 0, next = 0; i < patches; ++i) {
      if (into[at(i)] != i) continue;
      float* row = tokens.patch_values().row(next++);
      if (place[at(i)] < 0) continue;
      if (drops) {
        std::copy_n(before.row(place[at(i)]), width, row);
      } else if (const float length = tensor::l2_norm(row, width); length > kNoLength) {
        for (int c = 0; c < width; ++c) row[c] *= norm[at(i)] / length;
      }
    }
  }

  Settings settings_;
  int depth_;
  int head_dim_;
  Matching matching_;
  int all_ = 0;  // patches of this picture
};

}  // namespace

const ReducerFamily tofu_family{
    .make = [](const DescriptorSpec& spec, const model::LoadedModel& model) -> std::unique_ptr<TokenReducer> {
      PruneOptions options(spec);
      const model::VitConfig& vit = model.config.vit();
      const Tofu::Settings settings{.keep = options.number("keep", 0, 1, true).value_or(std::pow(*spec.rho, 1.0 / vit.depth)),
                                    .until = options.whole_number("until", 0, vit.depth).value_or(vit.depth / 2),
                                    .prop_attn = options.flag("prop_attn").value_or(true),
                                    .by_mass = options.flag("by_mass").value_or(false)};
      options.finish();
      return std::make_unique<Tofu>(settings, vit);
    },
    .has_options = true};

}  // namespace revisit::reduce
