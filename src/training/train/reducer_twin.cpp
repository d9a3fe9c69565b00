// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One reducer of the engine for each picture of a batch. A hook gets copies of the values; what it did stands in the books of its
// tokens (kept, mass, owner), from which a matrix (N after, N before) is made that the tokens with gradients are multiplied by.
// Who is merged with whom has no gradient, as in the methods' own code.
#include <algorithm>
#include <numeric>
#include <vector>

#include "core/base/fail.h"
#include "engine/reduce/dynamicvit.h"
#include "engine/reduce/reducer.h"
#include "training/train/pruner_twin.h"

namespace revisit::train {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

torch::Tensor on_cpu(const torch::Tensor& x) { return x.detach().to(torch::kCPU, torch::kFloat32).contiguous(); }

/// A picture's reducer and the books of its tokens.
struct Picture {
  std::unique_ptr<reduce::TokenReducer> reducer;
  std::vector<int> kept, owner;
  std::vector<float> mass;
  tensor::Tokens tokens;
};

class ReducerTwin final : public PrunerTwin {
 public:
  ReducerTwin(const DescriptorSpec& spec, const model::Config& config, std::int64_t pictures, int patches, int columns)
      : heads_(config.vit().heads), prefix_(1 + config.vit().registers), patches_(patches), pictures_(at(pictures)) {
    model_.config = config;
    for (Picture& picture : pictures_) {
      picture.reducer = reduce::make_reducer(spec, model_);
      picture.kept.resize(at(patches));
      std::iota(picture.kept.begin(), picture.kept.end(), 0);
      picture.owner = picture.kept;
      picture.mass.assign(at(patches), 1.0F);
      picture.tokens.prefix = prefix_;
      picture.tokens.columns = columns;
      picture.tokens.kept = picture.kept;
      picture.tokens.mass = picture.mass;
      picture.tokens.owner = picture.owner;
    }
    reducer().check(patches);
  }

  torch::Tensor after_blocks(int done, const torch::Tensor& tokens) override {
    return follow(tokens, reduce::Fusion::kMean,
                  [&](std::size_t i, tensor::Tokens& values) { pictures_[i].reducer->after_block(done, values, arena_); });
  }

  torch::Tensor attend(int block, const torch::Tensor& qkv) override {
    const auto needs = reducer().needs(block);
    const std::int64_t width = qkv.size(2) / 3;
    const torch::Tensor mass = reducer().weighs_by_mass(block) ? masses(qkv.device()) : torch::Tensor();
    using Needs = tensor::TokenHook::Needs;
    keys_ = needs == Needs::kKeys ? on_cpu(qkv.slice(2, width, 2 * width)) : torch::Tensor();
    cls_ = needs == Needs::kClsRow ? cls_attention(qkv, heads_, mass) : torch::Tensor();
    return train::attend(qkv, heads_, mass);
  }

  torch::Tensor after_attention(int block, const torch::Tensor& tokens) override {
    if (reducer().needs(block) == tensor::TokenHook::Needs::kNothing) return tokens;
    const torch::Tensor cls = cls_.defined() ? on_cpu(cls_) : cls_;
    return follow(tokens, reducer().fusion(block), [&](std::size_t i, tensor::Tokens& values) {
      tensor::AttentionView view;
      if (keys_.defined()) {
        const torch::Tensor keys = keys_[static_cast<std::int64_t>(i)];
        const int width = static_cast<int>(keys.size(1));
        view.keys = {keys.data_ptr<float>(), static_cast<int>(keys.size(0)), width, width};
      }
      if (cls.defined()) view.cls_row = cls[static_cast<std::int64_t>(i)].data_ptr<float>();
      pictures_[i].reducer->after_attention(block, values, view, arena_);
    });
  }

  Pruned result() const override {
    Pruned out;
    const std::int64_t left = patches_left();
    std::vector<std::int64_t> kept;
    out.shares = torch::zeros({static_cast<std::int64_t>(pictures_.size()), left, patches_});
    for (std::size_t b = 0; b < pictures_.size(); ++b) {
      const tensor::Tokens& tokens = pictures_[b].tokens;
      kept.insert(kept.end(), tokens.kept.begin(), tokens.kept.end());
      auto shares = out.shares.accessor<float, 3>()[static_cast<std::int64_t>(b)];
      for (int patch = 0; patch < patches_; ++patch) {
        const int row = row_of(tokens, tokens.owner[at(patch)]);
        if (row >= 0) shares[row][patch] = 1 / tokens.mass[at(row)];
      }
    }
    out.kept = torch::tensor(kept, torch::kInt64).reshape({-1, left});
    if (reducer().counts_patches()) out.mass = masses(torch::kCPU).slice(1, prefix_);
    return out;
  }

 private:
  const reduce::TokenReducer& reducer() const { return *pictures_.front().reducer; }
  int patches_left() const { return static_cast<int>(pictures_.front().tokens.kept.size()); }

  /// The row of the token that stands at this patch; -1 for none.
  static int row_of(const tensor::Tokens& tokens, int patch) {
    const auto found = std::ranges::lower_bound(tokens.kept, patch);
    return patch >= 0 && found != tokens.kept.end() && *found == patch ? static_cast<int>(found - tokens.kept.begin()) : -1;
  }

  /// (B, T) on the CPU's or another device: 1 for what is no patch.
  torch::Tensor masses(const torch::Device& device) const {
    const std::int64_t left = patches_left();
    torch::Tensor out = torch::ones({static_cast<std::int64_t>(pictures_.size()), prefix_ + left});
    for (std::size_t b = 0; b < pictures_.size(); ++b) {
      std::ranges::copy(pictures_[b].tokens.mass, out[static_cast<std::int64_t>(b)].data_ptr<float>() + prefix_);
    }
    return out.to(device);
  }

  /// What `run(picture, its tokens)` does to the tokens of each picture, done to these.
  template <typename Run>
  torch::Tensor follow(const torch::Tensor& tokens, reduce::Fusion fusion, const Run& run) {
    const torch::Tensor values = on_cpu(tokens).clone();  // hooks move its rows
    const int rows = static_cast<int>(values.size(1)), width = static_cast<int>(values.size(2)), before = rows - prefix_;
    std::vector<std::vector<int>> kept;  // before
    torch::Tensor before_mass = masses(torch::kCPU).slice(1, prefix_);
    for (std::size_t b = 0; b < pictures_.size(); ++b) {
      tensor::Tokens& books = pictures_[b].tokens;
      kept.emplace_back(books.kept.begin(), books.kept.end());
      books.values = {values[static_cast<std::int64_t>(b)].data_ptr<float>(), rows, width, width};
      run(b, books);
      arena_.reset();
    }
    const int after = patches_left();
    if (after == before) return tokens;
    torch::Tensor into = torch::zeros({static_cast<std::int64_t>(pictures_.size()), after, before});  // 1: goes into that row
    torch::Tensor target = torch::zeros_like(into);
    for (std::size_t b = 0; b < pictures_.size(); ++b) {
      const tensor::Tokens& books = pictures_[b].tokens;
      if (books.patches() != after)
        fail(ErrorCode::kInternal, "pictures of a batch have {} and {} tokens", after, books.patches());
      auto of_picture = into.accessor<float, 3>()[static_cast<std::int64_t>(b)];
      auto own = target.accessor<float, 3>()[static_cast<std::int64_t>(b)];
      for (int i = 0; i < before; ++i) {
        const int patch = kept[b][at(i)], row = row_of(books, books.owner[at(patch)]);
        if (row < 0) continue;
        of_picture[row][i] = 1;
        if (books.kept[at(row)] == patch) own[row][i] = 1;
      }
    }
    const auto device = tokens.device();
    const torch::Tensor patches =
        fused(tokens.slice(1, prefix_), into.to(device), target.to(device), before_mass.to(device), fusion);
    return torch::cat({tokens.slice(1, 0, prefix_), patches}, 1);
  }

  /// patches (B, N, D); into and target (B, N after, N), the latter only a row's own token; mass (B, N).
  torch::Tensor fused(const torch::Tensor& patches, const torch::Tensor& into, const torch::Tensor& target,
                      const torch::Tensor& mass, reduce::Fusion fusion) const {
    constexpr double kNoLength = 1e-12;  // of a mean without a direction
    if (fusion == reduce::Fusion::kTarget) return torch::bmm(target, patches);
    const torch::Tensor merged = into.sum(2, true) > 1;  // (B, N after, 1)
    if (fusion == reduce::Fusion::kAttention) {
      const torch::Tensor seen = cls_.slice(1, prefix_).unsqueeze(1);  // (B, 1, N)
      return torch::bmm(torch::where(merged, into * seen, into), patches);
    }
    const torch::Tensor weights = into * mass.unsqueeze(1);
    const torch::Tensor mean = torch::bmm(weights / weights.sum(2, true), patches);
    if (fusion == reduce::Fusion::kMean) return mean;
    const torch::Tensor longest = (into * patches.norm(2, -1).unsqueeze(1)).amax(2, true);
    return torch::where(merged, mean * (longest / mean.norm(2, -1, true).clamp_min(kNoLength)), mean);
  }

  model::LoadedModel model_;  // without weights: these reducers have none
  int heads_, prefix_, patches_;
  std::vector<Picture> pictures_;
  torch::Tensor keys_;  // (B, T, D) of the block that attends
  torch::Tensor cls_;   // (B, T) mean attention of CLS in it, with gradient
  tensor::Arena arena_;
};

}  // namespace

std::unique_ptr<PrunerTwin> make_pruner_twin(const DescriptorSpec& spec, const model::Config& config, const Tensors& tensors,
                                             std::int64_t pictures, int patches, int columns, bool training) {
  if (*spec.prune == "dynamicvit") return make_predictor_twin(spec, config, tensors, pictures, patches, training);
  return std::make_unique<ReducerTwin>(spec, config, pictures, patches, columns);
}

int blocks_before_pruning(const DescriptorSpec& spec, const model::Config& config) {
  if (*spec.prune != "dynamicvit") return 0;
  return reduce::Stages(spec, config.predictors, config.backbone.blocks()).blocks().front();
}

}  // namespace revisit::train
