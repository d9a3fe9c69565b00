// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// WeiToP: a small MLP that was taught by the aggregator's weights scores patches, together with their norm.
// Symbols: x_i patch i after the pruning layer (residual stream, no norm), z_i what the student says, kappa the mixture.
//   score_i = kappa * minmax(z)_i + (1 - kappa) * |x_i|
// The paper min-maxes z and leaves the scale of the norm open. Here both are, since a raw norm of 30 or more would drown z; with
// norm_scale raw the norm stays as it is.
#include <algorithm>

#include "core/base/fail.h"
#include "engine/model/load_linear.h"
#include "engine/reduce/one_cut.h"

namespace revisit::reduce {
namespace {

class Weitop final : public OneCut {
 public:
  Weitop(const DescriptorSpec& spec, const model::Weights& weights, int width, int hidden)
      : OneCut(spec),
        kappa_(*spec.kappa),
        raw_(*spec.norm_scale == "raw"),
        first_(model::load_linear(weights, "weitop.0", width, hidden,
                                  {.after = tensor::Linear::After::kRelu, .precision = tensor::precision_of(*spec.precision)})),
        second_(model::load_linear(weights, "weitop.2", hidden, 1)) {}

  double macs(int patches) const override { return static_cast<double>(patches) * first_.out() * (first_.in() + 1); }

 private:
  void score(tensor::ConstMatrix patches, std::vector<float>& logits, std::vector<float>& scores, tensor::Arena& arena) override {
    norm_scores(patches, raw_, scores);
    const tensor::Arena::Scope scope(arena);
    const tensor::Matrix hidden = arena.matrix(patches.rows, first_.out());
    first_(patches, hidden, arena);
    logits.resize(scores.size());
    second_(hidden, {logits.data(), patches.rows, 1, 1}, arena);
    // A trace shows the logit itself, so its min-max is taken on a copy.
    const tensor::Matrix scaled = arena.matrix(1, patches.rows);
    std::ranges::copy(logits, scaled.data);
    min_max({scaled.data, scores.size()});
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scores[i] = static_cast<float>(kappa_ * scaled.data[i] + (1 - kappa_) * scores[i]);
    }
  }

  double kappa_;
  bool raw_;
  tensor::Linear first_;   // D -> hidden, ReLU
  tensor::Linear second_;  // hidden -> 1
};

}  // namespace

const ReducerFamily weitop_family{
    .make = [](const DescriptorSpec& spec, const model::LoadedModel& model) -> std::unique_ptr<TokenReducer> {
      if (!model.weights.contains("weitop.0.weight")) {
        fail_with_hint(ErrorCode::kUsage, "`prune` fastv, norm or random, which need no training",
                       "`prune` is weitop, which is trained with the model, but this model has no WeiToP");
      }
      if (const int trained = model.config.own.prune_layer.value_or(1); *spec.prune_layer != trained) {
        fail_with_hint(ErrorCode::kUsage, "leave `prune_layer` out, or `prune` norm or random, which need no training",
                       "`prune_layer` is {}, but this model's WeiToP was trained to prune at {}", *spec.prune_layer, trained);
      }
      return std::make_unique<Weitop>(spec, model.weights, model.config.backbone.width(), model.config.weitop_hidden);
    },
    .has_logits = true};

}  // namespace revisit::reduce
