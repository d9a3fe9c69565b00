// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// x: a token; mu its mean; u_i, w_i directions and variances of x - mu; s the usual length of a token; c_j words of x / s.
// Inner layer: y_i = +-u_i (x - mu) / sqrt(w_i). Features: f_i = y_i. Scores: beta (c_j x / s - |c_j|^2 / 2), shifted.
#include "training/train/vocabulary_start.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/fail.h"
#include "core/base/random.h"
#include "engine/aggregate/kmeans.h"
#include "engine/model/model_file.h"
#include "training/feed/batches.h"
#include "training/train/device.h"
#include "training/train/network.h"
#include "training/train/tensors.h"

namespace revisit::train {
namespace {

constexpr int kSampledPictures = 384;  // at least
constexpr int kPatchesOfAPicture = 150;
constexpr double kSharpness = 40;        // beta: the assignment is nearly that of the nearest word
constexpr double kAboveDustbin = 5;      // the best score of a typical patch minus the dustbin's
constexpr double kLeastVariance = 1e-6;  // of the largest: a direction without variance is not amplified

/// A layer of the head with its rows (out, in) and bias.
struct Layer {
  torch::Tensor weight, bias;
};

Layer layer_of(const model::LoadedModel& model, const std::string& name) {
  const auto read = [&](const std::string& tensor) {
    const model::TensorView& view = model.weights.at(tensor);
    auto values = model::to_f32(view);
    return torch::from_blob(values.data(), view.shape, torch::kFloat32).clone();
  };
  return {read(name + ".weight").flatten(1).to(torch::kFloat64), read(name + ".bias").to(torch::kFloat64)};
}

/// The tensors of `model`, those of `layers` replaced.
void put(model::LoadedModel& model, const std::vector<std::pair<std::string, Layer>>& layers) {
  model::Weights out;
  for (const auto& [name, shape] : model::required_tensors(model.config)) {
    const std::string layer = name.substr(0, name.rfind('.'));
    const auto found = std::ranges::find(layers, layer, [](const auto& one) { return one.first; });
    if (found == layers.end()) {
      out.add_f32(name, shape, model::to_f32(model.weights.at(name)));
    } else {
      add_tensor(out, name, (name.ends_with(".bias") ? found->second.bias : found->second.weight).reshape(shape));
    }
  }
  model.weights = std::move(out);
  model.config.fingerprint = model::fingerprint_of(model.weights);
}

/// The words of rows (n, D) of about unit length: (K, D).
torch::Tensor words_of(const torch::Tensor& rows, int clusters, std::uint64_t seed) {
  const torch::Tensor points = rows.to(torch::kFloat32).contiguous();
  const int width = static_cast<int>(points.size(1));
  auto words = aggregate::fit_kmeans({points.data_ptr<float>(), static_cast<int>(points.size(0)), width, width}, clusters, seed);
  return torch::from_blob(words.centres.data(), {clusters, width}, torch::kFloat32).to(torch::kFloat64).clone();
}

}  // namespace

torch::Tensor sample_patches(const model::LoadedModel& model, const TrainConfig& config,
                             const std::function<void(std::int64_t done, std::int64_t total)>& progress) {
  const torch::NoGradGuard no_grad;
  const model::InputConfig& input = model.config.input;
  feed::BatchLoader loader(config.data, config.augment, {input.mean, input.std}, config.seed, 0);
  NetworkOptions options;
  options.trained_blocks = 0;
  options.device = device_of(config);
  options.tiles = uses_tiles(config);
  const Network network(model, options);
  SplitMix random(scatter(config.seed ^ 0x776f726473ULL));
  std::vector<torch::Tensor> rows;
  for (int seen = 0; seen < kSampledPictures;) {
    const feed::Batch batch = loader.next();
    const torch::Tensor pixels = torch::from_blob(const_cast<float*>(batch.pixels.data()),
                                                  {batch.images, 3, batch.size.height, batch.size.width}, torch::kFloat32);
    for (int i = 0; i < batch.images; ++i) {
      if (progress) progress(std::min(seen + i, kSampledPictures), kSampledPictures);
      const torch::Tensor patches =
          network.tokens(pixels.slice(0, i, i + 1), -1)[0].slice(0, 1 + model.config.vit().registers).to(torch::kCPU);
      std::vector<std::int64_t> chosen;
      for (int k = 0; k < kPatchesOfAPicture; ++k)
        chosen.push_back(static_cast<std::int64_t>(random.below(static_cast<std::size_t>(patches.size(0)))));
      rows.push_back(patches.index_select(0, torch::tensor(chosen, torch::kInt64)));
    }
    seen += batch.images;
  }
  return torch::cat(rows, 0);
}

void start_from_vocabulary(model::LoadedModel& model, const torch::Tensor& patches, std::uint64_t seed) {
  const torch::NoGradGuard no_grad;
  const auto& head = model.config.head.transport();
  const torch::Tensor x = patches.to(torch::kFloat64);
  const std::int64_t directions = std::min<std::int64_t>(head.hidden / 2, x.size(1));
  if (head.cluster_dim > directions) {
    fail_with_hint(
        ErrorCode::kUsage, "a larger hidden, or a smaller cluster_dim",
        "head_start = \"vocabulary\" has {} directions with hidden = {} on tokens of {} values, fewer than cluster_dim = {}",
        directions, head.hidden, x.size(1), head.cluster_dim);
  }
  if (x.size(0) < head.clusters) {
    fail(ErrorCode::kUsage, "{} patches are too few for a vocabulary of {} words", x.size(0), head.clusters);
  }
  const torch::Tensor mean = x.mean(0);
  const torch::Tensor centred = x - mean;
  const auto [all_variances, all_directions] =
      torch::linalg_eigh(torch::matmul(centred.t(), centred) / static_cast<double>(x.size(0)));  // rising
  const torch::Tensor variances =
      all_variances.flip(0).slice(0, 0, directions).clamp_min(all_variances.max().item<double>() * kLeastVariance);
  const torch::Tensor u = all_directions.flip(1).slice(1, 0, directions).t();  // (r, D)

  const auto inner = [&](const std::string& name) {
    Layer layer = layer_of(model, name);
    const torch::Tensor rows = u / variances.sqrt().unsqueeze(1);
    const torch::Tensor both = torch::cat({rows, -rows});
    layer.weight.slice(0, 0, 2 * directions).copy_(both);
    layer.bias.slice(0, 0, 2 * directions).copy_(-torch::matmul(both, mean));
    return layer;
  };
  // rows (out, r): what becomes of y. Inner units beyond the directions are ignored at first.
  const auto outer = [&](const std::string& name, const torch::Tensor& rows, const torch::Tensor& bias) {
    Layer layer = layer_of(model, name);
    layer.weight.zero_();
    layer.weight.slice(1, 0, directions).copy_(rows);
    layer.weight.slice(1, directions, 2 * directions).copy_(-rows);
    layer.bias.copy_(bias);
    return layer;
  };

  const double length = x.norm(2, 1).mean().item<double>();
  const torch::Tensor words = words_of(x / length, head.clusters, seed);  // (K, D)
  const torch::Tensor shift = kSharpness * (torch::matmul(words, mean) / length - 0.5 * words.square().sum(1));
  const torch::Tensor score_rows = kSharpness / length * torch::matmul(words, u.t()) * variances.sqrt();  // (K, r)
  const torch::Tensor scores = torch::matmul(torch::matmul(centred, u.t()) / variances.sqrt(), score_rows.t()) + shift;
  const double usual_best = std::get<0>(scores.max(1)).mean().item<double>();
  const double dustbin = model::to_f32(model.weights.at("aggregator.dust_bin")).front();

  put(model, {{"aggregator.score.0", inner("aggregator.score.0")},
              {"aggregator.score.3", outer("aggregator.score.3", score_rows, shift - usual_best + dustbin + kAboveDustbin)},
              {"aggregator.cluster_features.0", inner("aggregator.cluster_features.0")},
              {"aggregator.cluster_features.3",
               outer("aggregator.cluster_features.3", torch::eye(head.cluster_dim, directions, torch::kFloat64),
                     torch::zeros({head.cluster_dim}, torch::kFloat64))}});
}

}  // namespace revisit::train
