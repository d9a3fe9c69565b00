// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What a trace says of tokens that were merged, by a small reducer that merges neighbours.
#include "engine/extract/recorder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "engine/aggregate/aggregator.h"
#include "engine/backbone/backbone.h"
#include "engine/model/model_file.h"

namespace revisit {
namespace {

/// After the first block patches 0 and 1, 2 and 3, ... become one each; after the second `kept` of these stay.
class MergesNeighbours final : public reduce::TokenReducer {
 public:
  explicit MergesNeighbours(std::vector<int> kept) : kept_(std::move(kept)) {}

  Needs needs(int /*block*/) const override { return Needs::kNothing; }
  void after_attention(int /*block*/, tensor::Tokens& /*tokens*/, const tensor::AttentionView& /*attention*/,
                       tensor::Arena& /*arena*/) override {}
  void after_block(int blocks_done, tensor::Tokens& tokens, tensor::Arena& /*arena*/) override {
    if (blocks_done == 1) {
      std::vector<int> into;
      for (int i = 0; i < tokens.patches(); ++i) into.push_back(i / 2 * 2);
      tensor::merge_patches(tokens, into);
    }
    if (blocks_done == 2) tensor::keep_patches(tokens, kept_);
  }
  int patches_after(int blocks_done, int patches) const override {
    return blocks_done < 1 ? patches : blocks_done < 2 ? patches / 2 : static_cast<int>(kept_.size());
  }

 private:
  std::vector<int> kept_;
};

class RecorderTest : public ::testing::Test {
 protected:
  /// Of a picture of 2 x 3 patches, with everything up to the descriptor.
  void run(reduce::TokenReducer& reducer, Trace& trace) {
    const Size size{28, 42};
    std::vector<float> pixels(3 * 28 * 42);
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<float>(std::sin(0.37 * static_cast<double>(i)));
    const auto vit = backbone::make_backbone(*model_);
    const auto head = aggregate::make_aggregator(*model_, {});
    tensor::Arena arena;
    Recorder recorder(reducer, &trace);
    tensor::Features features = vit->embed(pixels.data(), size, arena);
    vit->run_blocks(features, 0, vit->blocks(), &recorder, arena);
    vit->normalise(features);
    aggregate::HeadTrace head_trace;
    std::vector<float> descriptor(static_cast<std::size_t>(head->dim()));
    head->aggregate(features, descriptor.data(), arena, &head_trace);
    for (const float value : descriptor) ASSERT_TRUE(std::isfinite(value));
    recorder.finish(features.tokens(), head_trace);
  }

  std::shared_ptr<const model::LoadedModel> model_ = model::make_random(model::named_config("demo"), 1);
};

using Indices = std::vector<std::int64_t>;

TEST_F(RecorderTest, TellsWhatMergedTokensStandFor) {
  MergesNeighbours reducer({0, 2});
  Trace trace;
  run(reducer, trace);
  EXPECT_EQ(trace.kept, (Indices{0, 4}));
  EXPECT_EQ(trace.mass.shape, Indices{2});
  EXPECT_EQ(trace.mass.values, (std::vector<float>{2, 2}));
  EXPECT_EQ(trace.owner, (Indices{0, 0, -1, -1, 4, 4}));
  EXPECT_EQ(trace.patches.shape[0], 2);
  EXPECT_EQ(trace.transport.shape[0], 2) << "a merged token is one row of the plan";
  EXPECT_EQ(trace.importance.shape, Indices{2});
}

TEST_F(RecorderTest, LeavesMassAndOwnerEmptyWhenNothingIsMerged) {
  MergesNeighbours merges({0, 1, 2});
  const auto keeps = reduce::make_reducer(completed({}), *model_);
  Trace trace;
  run(merges, trace);
  EXPECT_FALSE(trace.mass.values.empty() || trace.owner.empty());
  run(*keeps, trace);  // a trace that is used again
  EXPECT_EQ(trace.kept, (Indices{0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(trace.mass.values.empty() && trace.mass.shape.empty());
  EXPECT_TRUE(trace.owner.empty());
}

}  // namespace
}  // namespace revisit
