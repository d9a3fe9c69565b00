// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// ToMe, ToFu and EViT block by block against plain versions that hold the sequence as a list, in the order of the methods'
// papers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <set>

#include "engine/reduce/matching.h"
#include "engine/reduce/one_cut.h"
#include "engine/reduce/tome.h"

namespace revisit::reduce {
namespace {

constexpr int kHeads = 3, kHeadDim = 5, kWide = kHeads * kHeadDim, kDeep = 6;

struct PlainToken {
  std::vector<double> x;
  double mass = 1;
  std::set<int> patches;
  std::vector<double> key;  // of the next attention
  double seen = 0;          // by CLS in it
};
using PlainSequence = std::vector<PlainToken>;  // patches only, as a method orders them

std::vector<double> metric_of(const PlainToken& token) {
  std::vector<double> out(kHeadDim, 0.0);
  for (int h = 0; h < kHeads; ++h) {
    for (int c = 0; c < kHeadDim; ++c)
      out[static_cast<std::size_t>(c)] += token.key[static_cast<std::size_t>(h * kHeadDim + c)] / kHeads;
  }
  const double length = std::sqrt(std::inner_product(out.begin(), out.end(), out.begin(), 0.0));
  for (double& v : out) v /= length;
  return out;
}

double norm_of(const PlainToken& token) {
  return std::sqrt(std::inner_product(token.x.begin(), token.x.end(), token.x.begin(), 0.0));
}

using Blend = std::function<void(PlainToken& target, const PlainSequence& sources)>;

/// Bipartite soft matching: tokens of the sequence with CLS in front, at even places, into those at odd ones.
PlainSequence plain_match(const PlainSequence& all, int r, const Blend& blend) {
  struct Edge {
    int from, to;
    double alike;
  };
  std::vector<Edge> edges;
  for (int i = 1; i < static_cast<int>(all.size()); i += 2) {  // place i + 1
    Edge best{i, -1, -2};
    for (int j = 0; j < static_cast<int>(all.size()); j += 2) {
      const auto a = metric_of(all[static_cast<std::size_t>(i)]), b = metric_of(all[static_cast<std::size_t>(j)]);
      const double alike = std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
      if (alike > best.alike) best = {i, j, alike};
    }
    edges.push_back(best);
  }
  std::ranges::stable_sort(edges, [](const Edge& a, const Edge& b) { return a.alike > b.alike; });
  edges.resize(std::min(edges.size(), static_cast<std::size_t>(r)));
  PlainSequence out, targets;
  for (int i = 1; i < static_cast<int>(all.size()); i += 2) {
    if (std::ranges::none_of(edges, [&](const Edge& e) { return e.from == i; })) out.push_back(all[static_cast<std::size_t>(i)]);
  }
  for (int j = 0; j < static_cast<int>(all.size()); j += 2) {
    PlainToken target = all[static_cast<std::size_t>(j)];
    PlainSequence sources;
    for (const Edge& e : edges) {
      if (e.to == j) sources.push_back(all[static_cast<std::size_t>(e.from)]);
    }
    if (!sources.empty()) blend(target, sources);
    for (const PlainToken& one : sources) {
      target.mass += one.mass;
      target.patches.insert(one.patches.begin(), one.patches.end());
    }
    out.push_back(target);
  }
  return out;
}

void weighted_mean(PlainToken& target, const PlainSequence& sources) {
  double mass = target.mass;
  for (double& v : target.x) v *= target.mass;
  for (const auto& one : sources) {
    mass += one.mass;
    for (std::size_t c = 0; c < one.x.size(); ++c) target.x[c] += one.mass * one.x[c];
  }
  for (double& v : target.x) v /= mass;
}

void keep_longest(PlainToken& target, const PlainSequence& sources) {
  double longest = norm_of(target);
  for (const auto& one : sources) longest = std::max(longest, norm_of(one));
  weighted_mean(target, sources);
  const double length = norm_of(target);
  for (double& v : target.x) v *= longest / length;
}

/// A sequence as reducers get it, and the plain one beside it. Both get the same keys and CLS rows.
class BesidePlain {
 public:
  BesidePlain(const DescriptorSpec& spec, int patches, int prefix, std::uint32_t seed) : random_(seed), prefix_(prefix) {
    model_.config.vit().width = kWide;
    model_.config.vit().heads = kHeads;
    model_.config.vit().depth = kDeep;
    reducer = make_reducer(completed(spec), model_);
    values_.resize(static_cast<std::size_t>((prefix + patches) * kWide));
    for (float& v : values_) v = normal_(random_);
    kept_.resize(static_cast<std::size_t>(patches));
    std::iota(kept_.begin(), kept_.end(), 0);
    owner_ = kept_;
    mass_.assign(kept_.size(), 1.0F);
    tokens = {{values_.data(), prefix + patches, kWide, kWide}, prefix, kept_, 1, mass_, owner_};
    for (int i = 0; i < patches; ++i) {
      const float* row = tokens.patch_values().row(i);
      plain.push_back({{row, row + kWide}, 1, {i}, {}, 0});
    }
  }

  /// Keys and a CLS row that belong to what a token stands for, so that both sides get the same whatever their order.
  void block(int number) {
    const int rows = tokens.values.rows;
    std::vector<float> keys(static_cast<std::size_t>(rows * kWide)), row(static_cast<std::size_t>(rows), 0.1F);
    for (int i = 0; i < tokens.patches(); ++i) {
      float* key = keys.data() + static_cast<std::ptrdiff_t>(prefix_ + i) * kWide;
      for (int c = 0; c < kWide; ++c) key[c] = normal_(random_);
      row[static_cast<std::size_t>(prefix_ + i)] = std::abs(normal_(random_));
      PlainToken& same = standing_for(tokens.kept[static_cast<std::size_t>(i)]);
      same.key.assign(key, key + kWide);
      same.seen = static_cast<double>(row[static_cast<std::size_t>(prefix_ + i)]);
    }
    tensor::AttentionView view;
    if (reducer->needs(number) == tensor::TokenHook::Needs::kKeys) view.keys = {keys.data(), rows, kWide, kWide};
    if (reducer->needs(number) == tensor::TokenHook::Needs::kClsRow) view.cls_row = row.data();
    arena_.reset();
    reducer->after_attention(number, tokens, view, arena_);
    reducer->after_block(number + 1, tokens, arena_);
  }

  /// The plain token a patch went into.
  PlainToken& standing_for(int patch) {
    return *std::ranges::find_if(plain, [&](const PlainToken& one) { return one.patches.contains(patch); });
  }

  void expect_equal() {
    ASSERT_EQ(tokens.patches(), static_cast<int>(plain.size()));
    for (int i = 0; i < tokens.patches(); ++i) {
      const int patch = tokens.kept[static_cast<std::size_t>(i)];
      const PlainToken& same = standing_for(patch);
      EXPECT_EQ(tokens.mass[static_cast<std::size_t>(i)], static_cast<float>(same.mass));
      for (int c = 0; c < kWide; ++c) {
        EXPECT_NEAR(tokens.patch_values().row(i)[c], same.x[static_cast<std::size_t>(c)], 2e-5) << "patch " << patch;
      }
      for (const int member : same.patches) EXPECT_EQ(tokens.owner[static_cast<std::size_t>(member)], patch);
    }
    EXPECT_TRUE(std::ranges::is_sorted(tokens.kept));
  }

  std::unique_ptr<TokenReducer> reducer;
  tensor::Tokens tokens;
  PlainSequence plain;

 private:
  model::LoadedModel model_;
  std::mt19937 random_;
  std::normal_distribution<float> normal_;
  int prefix_;
  std::vector<float> values_, mass_;
  std::vector<int> kept_, owner_;
  tensor::Arena arena_;
};

TEST(ToMe, IsItsPlainVersionBlockByBlock) {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    const int patches = 20 + static_cast<int>(seed) * 7;
    BesidePlain both({.prune = "tome", .prune_options = "r=6"}, patches, seed % 2 == 0 ? 5 : 1, seed);
    for (int block = 0; block < kDeep; ++block) {
      both.block(block);
      both.plain = plain_match(both.plain, 6, weighted_mean);
      both.expect_equal();
      EXPECT_EQ(both.tokens.patches(), both.reducer->patches_after(block + 1, patches));
    }
  }
}

TEST(ToFu, DropsInEarlyBlocksAndKeepsTheLongestNormInLateOnes) {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    const int patches = 20 + static_cast<int>(seed) * 7;
    BesidePlain both({.prune = "tofu", .prune_options = "keep=0.8,until=3"}, patches, 1, seed);
    for (int block = 0; block < kDeep; ++block) {
      both.block(block);
      const int left = kept_count(std::pow(0.8, block + 1), patches);
      const int r = static_cast<int>(both.plain.size()) - left;
      both.plain = plain_match(both.plain, r, block < 3 ? [](PlainToken&, const PlainSequence&) {} : Blend(keep_longest));
      both.expect_equal();
      EXPECT_EQ(both.tokens.patches(), left);
    }
  }
}

TEST(EVit, KeepsWhatClsSeesAndFusesTheRest) {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    const bool fuse = seed % 2 == 0;
    const int patches = 20 + static_cast<int>(seed) * 7;
    BesidePlain both({.prune = "evit", .prune_options = std::string("keep=0.6,at=1|2|4,fuse=") + (fuse ? "true" : "false")},
                     patches, 1, seed);
    for (int block = 0; block < kDeep; ++block) {
      both.block(block);
      if (block == 1 || block == 2 || block == 4) {
        PlainSequence& all = both.plain;
        std::ranges::stable_sort(all, [](const PlainToken& a, const PlainToken& b) { return a.seen > b.seen; });
        const auto cut = all.begin() + static_cast<std::ptrdiff_t>(std::ceil(0.6 * static_cast<double>(all.size()) - 1e-9));
        PlainToken fused{std::vector<double>(kWide, 0.0), 0, {}, {}, 0};
        for (auto one = cut; one != all.end(); ++one) {
          for (std::size_t c = 0; c < kWide; ++c) fused.x[c] += one->seen * one->x[c];
          fused.mass += one->mass;
          fused.patches.insert(one->patches.begin(), one->patches.end());
        }
        all.erase(cut, all.end());
        if (fuse) all.push_back(fused);
      }
      both.expect_equal();
      EXPECT_EQ(both.tokens.patches(), both.reducer->patches_after(block + 1, patches));
    }
    const auto dropped = std::ranges::count(both.tokens.owner, -1);
    EXPECT_EQ(dropped == 0, fuse);
  }
}

TEST(FastV, KeepsWhatClsSawInTheBlockAndDropsAfterIt) {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    const int patches = 20 + static_cast<int>(seed) * 7;
    BesidePlain both({.rho = 0.45, .prune = "fastv"}, patches, 1 + static_cast<int>(seed % 3), seed);
    EXPECT_EQ(both.reducer->needs(0), tensor::TokenHook::Needs::kNothing);
    both.block(0);
    EXPECT_EQ(both.tokens.patches(), patches);
    both.block(1);
    std::ranges::stable_sort(both.plain, [](const PlainToken& a, const PlainToken& b) { return a.seen > b.seen; });
    both.plain.resize(static_cast<std::size_t>(kept_count(0.45, patches)));
    both.expect_equal();
    EXPECT_EQ(both.reducer->patches_in_mlp(1, patches), patches) << "the block itself sees them all";
    EXPECT_EQ(both.reducer->patches_after(2, patches), kept_count(0.45, patches));
  }
}

TEST(MergesPerBlock, FollowTheLineThatInflectAsksFor) {
  EXPECT_EQ(merges_per_block(8, 0, 4), (std::vector<int>{8, 8, 8, 8}));
  EXPECT_EQ(merges_per_block(8, -1, 12), (std::vector<int>{16, 14, 13, 11, 10, 8, 7, 5, 4, 2, 1, 0}));
  EXPECT_EQ(merges_per_block(5, 1, 4), (std::vector<int>{0, 3, 6, 10}));
  EXPECT_EQ(merges_per_block(5, -1, 1), std::vector<int>{5});
}

}  // namespace
}  // namespace revisit::reduce
