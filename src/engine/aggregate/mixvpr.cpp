// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// MixVPR: x of (channels, cells) goes through mixers x + W3 relu(W1 norm(x)) over cells, then a layer over channels and one over
// cells make it small.
#include <algorithm>
#include <string>
#include <vector>

#include "core/base/fail.h"
#include "core/tensor/kernels.h"
#include "core/tensor/linear.h"
#include "engine/aggregate/head_parts.h"
#include "engine/model/load_linear.h"
#include "engine/model/mixvpr_head.h"

namespace revisit::aggregate {
namespace {

constexpr float kMixerEps = 1e-5F;

void transpose(tensor::ConstMatrix x, tensor::Matrix y) {
  for (int r = 0; r < x.rows; ++r) {
    for (int c = 0; c < x.cols; ++c) y.row(c)[r] = x.row(r)[c];
  }
}

class Mixvpr final : public Aggregator {
 public:
  explicit Mixvpr(const model::LoadedModel& model)
      : head_(model.config.head.as<model::MixvprHead>()),
        channels_(model::load_linear(model.weights, "aggregator.channel_proj", head_.width, head_.channels)),
        rows_(model::load_linear(model.weights, "aggregator.row_proj", head_.cells, head_.rows)) {
    for (int i = 0; i < head_.depth; ++i) {
      const std::string root = "aggregator.mix." + std::to_string(i) + ".mix.";
      using After = tensor::Linear::After;
      mixers_.push_back({model.weights.f32_data(root + "0.weight", head_.cells),
                         model.weights.f32_data(root + "0.bias", head_.cells),
                         model::load_linear(model.weights, root + "1", head_.cells, head_.hidden, {.after = After::kRelu}),
                         model::load_linear(model.weights, root + "3", head_.hidden, head_.cells, {.after = After::kAdd})});
    }
  }

  int dim() const override { return head_.channels * head_.rows; }

  void check(Size grid) const override {
    if (std::int64_t{grid.height} * grid.width == head_.cells) return;
    fail_with_hint(ErrorCode::kUsage, "leave `size` out, or give the one it was trained with",
                   "this MixVPR works on maps of {} cells and no others, but the input gives one of {}x{}", head_.cells,
                   grid.height, grid.width);
  }

  void aggregate(const tensor::Features& features, float* descriptor, tensor::Arena& arena, HeadTrace* trace) const override {
    const tensor::Arena::Scope scope(arena);
    if (trace != nullptr) *trace = {};
    const tensor::FeatureMap& map = features.map();
    check({map.rows, map.columns});
    const tensor::Matrix x = arena.matrix(head_.width, head_.cells), norm = arena.matrix(head_.width, head_.cells);
    const tensor::Matrix hidden = arena.matrix(head_.width, head_.hidden);
    transpose(map.cells, x);
    for (const Mixer& mixer : mixers_) {
      tensor::layer_norm(x, mixer.gamma, mixer.beta, kMixerEps, norm);
      mixer.in(norm, hidden, arena);
      mixer.out(hidden, x, arena);
    }
    const tensor::Matrix cells = arena.matrix(head_.cells, head_.width), fewer = arena.matrix(head_.cells, head_.channels);
    transpose(x, cells);
    channels_(cells, fewer, arena);
    const tensor::Matrix turned = arena.matrix(head_.channels, head_.cells);
    transpose(fewer, turned);
    rows_(turned, {descriptor, head_.channels, head_.rows, head_.rows}, arena);
    l2_normalise(descriptor, static_cast<std::size_t>(dim()));
  }

 private:
  struct Mixer {
    const float* gamma;
    const float* beta;
    tensor::Linear in, out;
  };

  model::MixvprHead head_;
  std::vector<Mixer> mixers_;
  tensor::Linear channels_, rows_;
};

}  // namespace

std::unique_ptr<Aggregator> make_mixvpr(const model::LoadedModel& model) { return std::make_unique<Mixvpr>(model); }

}  // namespace revisit::aggregate
