// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The start: settings -> config -> weights. Values of a tensor depend only on the seed and the tensor's name.
#include "training/train/initial_model.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/fail.h"
#include "engine/model/config_check.h"
#include "engine/model/containers.h"
#include "engine/model/model_file.h"
#include "engine/model/provenance.h"
#include "engine/reduce/dynamicvit.h"
#include "engine/reduce/one_cut.h"
#include "engine/spec/prune_options.h"
#include "revisit/model.h"
#include "training/train/local_start.h"
#include "training/train/random_values.h"
#include "training/train/trained_pruner.h"

namespace revisit::train {
namespace {

/// The x whose softplus is y. No x gives 0; the stand-in vanishes in f32 next to the weights it is subtracted from.
double inverse_softplus(double y) {
  constexpr double kZero = -30;  // softplus(-30) = 9e-14
  return y > 0 ? std::max(y + std::log(-std::expm1(-y)), kZero) : kZero;
}

/// Ones for norms and LayerScale (as DINOv2 was released), zero biases, everything else normal with deviation 0.02 or as
/// local_start has it.
std::vector<float> backbone_values(const std::string& name, const std::vector<std::int64_t>& shape, const TrainModel& settings,
                                   const model::Config& config, std::uint64_t seed) {
  const std::size_t count = count_of(shape);
  const bool is_norm = name.find("norm") != std::string::npos;
  if (name.ends_with(".gamma") || (is_norm && name.ends_with(".weight"))) return std::vector<float>(count, 1.0F);
  if (name.ends_with(".bias")) return std::vector<float>(count, 0.0F);
  if (settings.start == "local") return local_start(name, shape, config.vit(), seed);
  return normal_values(name, count, 0.02, seed);
}

/// A predictor of DynamicViT, as its authors begin it, but for the last layer: at the start it keeps the share it should.
std::vector<float> predictor_values(const std::string& name, std::size_t count, double keep, std::uint64_t seed) {
  if (name.ends_with("in_conv.0.weight")) return std::vector<float>(count, 1.0F);
  if (name.ends_with("out_conv.4.bias")) {
    const double share = std::min(keep, 0.999);  // of 1 there would be no logarithm
    return {static_cast<float>(std::log(share / (1 - share))), 0.0F};
  }
  if (name.ends_with(".bias")) return std::vector<float>(count, 0.0F);
  return normal_values(name, count, 0.02, seed);
}

/// As torch initialises a Linear or a convolution: weight and bias uniform within 1 / sqrt(inputs of the layer).
std::vector<float> head_values(const std::string& name, std::size_t count, std::int64_t inputs, double tier_delta,
                               std::uint64_t seed) {
  if (name == "aggregator.dust_bin") return std::vector<float>(count, 1.0F);
  if (name == "aggregator.theta0" || name == "aggregator.mean_alpha") return std::vector<float>(count, 0.0F);
  if (name == "aggregator.thetaD") return std::vector<float>(count, static_cast<float>(inverse_softplus(tier_delta)));
  const double reach = 1 / std::sqrt(static_cast<double>(inputs));
  RandomValues random(name, seed);
  std::vector<float> values(count);
  for (float& value : values) value = random.uniform(reach);
  return values;
}

bool is_backbone(const std::string& name) { return name.starts_with("backbone."); }

void check_same(const char* what, int asked, int there, const TrainModel& settings) {
  if (asked == 0 || asked == there) return;
  fail_with_hint(ErrorCode::kUsage, fmt::format("leave {} out: it is for random backbones", what),
                 "{} = {} was asked for, but '{}' has {}", what, asked, settings.backbone.string(), there);
}

model::Config random_backbone(const TrainModel& settings, Size input, std::uint64_t seed) {
  model::Config config;
  const model::Config named = model::named_config(settings.arch);
  config.backbone = named.backbone;
  auto& vit = config.vit();
  if (settings.patch > 0) vit.patch = settings.patch;
  if (settings.depth > 0) vit.depth = settings.depth;
  if (settings.width > 0) {
    vit.width = settings.width;
    vit.ffn_hidden = 4 * settings.width;
    vit.heads = std::max(1, settings.width / 64);
  }
  if (settings.heads > 0) vit.heads = settings.heads;
  if (vit.width % vit.heads != 0) {
    fail_with_hint(ErrorCode::kUsage, "choose heads so that each gets the same share of the width",
                   "{} heads do not divide a width of {}", vit.heads, vit.width);
  }
  // A random table has nothing worth keeping, so it is made for the training pictures.
  vit.pos_rows = std::max(1, input.height / vit.patch);
  vit.pos_cols = std::max(1, input.width / vit.patch);
  vit.arch = model::arch_name_of(vit);
  config.provenance = fmt::format("trained from random weights, seed {}", seed);
  return config;
}

void check_input(Size input, int patch) {
  const Size nearest = model::round_to_stride(input, patch);
  if (input == nearest) return;
  fail(ErrorCode::kUsage, "size {}x{} is not a multiple of the network's patch of {} pixels; the nearest is {}x{}", input.height,
       input.width, patch, nearest.height, nearest.width);
}

model::HeadConfig head_config(const TrainModel& settings) {
  if (settings.aggregator != model::kWeiad && settings.aggregator != model::kSalad) {
    fail(ErrorCode::kUsage, "aggregator '{}' is neither weiad nor salad", settings.aggregator);
  }
  model::TransportHead head;
  head.clusters = settings.clusters;
  head.cluster_dim = settings.cluster_dim;
  head.token_dim = settings.token_dim;
  head.hidden = settings.hidden;
  head.sinkhorn_iters = settings.sinkhorn_iters;
  if (settings.aggregator != model::kWeiad) return {settings.aggregator, head};
  head.tiers = settings.tiers;
  head.ghost_penalty = settings.ghost_penalty;
  head.dustbin = settings.dustbin;
  head.ghost = settings.ghost;
  head.norm = model::cluster_norm_from(settings.cluster_norm);
  head.frozen_ranking = settings.ranking == "frozen";
  const auto sum = std::accumulate(head.tiers.begin(), head.tiers.end(), std::int64_t{0});
  if (sum != head.clusters || std::ranges::any_of(head.tiers, [](int tier) { return tier < 1; })) {
    fail_with_hint(ErrorCode::kUsage, "give each tier at least one cluster", "tiers [{}] hold {} clusters, but there are {}",
                   fmt::join(head.tiers, ", "), sum, head.clusters);
  }
  if (!(settings.tier_delta >= 0 && settings.tier_delta <= 10)) {
    fail(ErrorCode::kUsage, "tier_delta must be between 0 and 10, not {}", settings.tier_delta);
  }
  return {settings.aggregator, head};
}

/// A new WeiToP, the pruner that the network is trained with, or none. `whole`: a model with predictors keeps them.
void set_pruner(model::Config& config, const TrainModel& settings, bool whole = false) {
  config.own = settings.weitop ? overlaid(settings.own, model::weitop_settings()) : DescriptorSpec{};
  config.weitop_hidden = settings.weitop ? settings.weitop_hidden : 0;
  const int there = whole ? config.predictors : 0;  // otherwise they are for another network
  config.predictors = 0;
  const auto pruner = trained_pruner(settings);
  if (!pruner) return;
  config.own.prune = pruner->prune;
  config.own.prune_options = without_how_much(pruner->prune_options);
  if (config.has_dynamicvit()) {
    config.predictors = there > 0 ? there : reduce::Stages::count_for(*pruner, config.backbone.blocks());
  }
}

/// The share that each predictor of a new DynamicViT should keep of a picture's patches.
double share_of_stage(const model::Config& config, const TrainModel& settings) {
  if (config.predictors == 0) return 1;
  const Size grid = config.backbone.grid(config.input.size);
  return reduce::Stages(*trained_pruner(settings), config.predictors, config.backbone.blocks())
      .keep_for(grid.height * grid.width);
}

/// For a model whose head is trained further: with its WeiToP, if it has one and it is wanted.
void keep_head(model::Config& config, const TrainModel& settings) {
  const std::string& there = config.head.kind;
  if (there != settings.aggregator) {
    fail_with_hint(ErrorCode::kUsage, "name the file's aggregator, or start with a new head: head_start = \"random\"",
                   "head_start is own and aggregator is {}, but that of '{}' is {}", settings.aggregator,
                   settings.backbone.string(), there);
  }
  if (!settings.weitop || !config.has_weitop()) set_pruner(config, settings, true);
}

/// For a model of which only WeiToP is trained: its head and, if it has one, its WeiToP.
void keep_all(model::Config& config, const TrainModel& settings, Size input) {
  if (config.head.kind != model::kWeiad) {
    fail_with_hint(ErrorCode::kUsage, "train one with aggregator = \"weiad\" first",
                   "weitop_only needs a model with WeiAD, whose weights WeiToP learns from; '{}' has none",
                   settings.backbone.string());
  }
  const Size own = config.input.size, shipped = settings.infer_size.height > 0 ? settings.infer_size : input;
  if (!(own == shipped)) {
    fail_with_hint(ErrorCode::kUsage, fmt::format("infer_size = \"{}x{}\" in [model]", own.height, own.width),
                   "weitop_only changes nothing else of '{}', whose pictures are {}x{}, but it would become {}x{}",
                   settings.backbone.string(), own.height, own.width, shipped.height, shipped.width);
  }
  if (!config.has_weitop()) set_pruner(config, settings);
}

/// The dustbin gets what the clusters do not take, so there must be more patches than clusters.
bool is_one_sided(const model::HeadConfig& head) {
  return head.kind == model::kSalad || (head.kind == model::kWeiad && head.transport().dustbin && !head.transport().ghost);
}

void check_patches(const model::Config& config, Size size) {
  const int clusters = config.head.clusters();
  const Size grid = config.backbone.grid(size);
  const std::int64_t patches = std::int64_t{grid.height} * grid.width;
  if (!is_one_sided(config.head) || patches > clusters) return;
  fail_with_hint(ErrorCode::kUsage, "larger pictures, fewer clusters, or weiad with ghost = true",
                 "{} clusters without a ghost token need more than {} patches, but pictures of {}x{} have {}", clusters, clusters,
                 size.height, size.width, patches);
}

void check_settings(const model::Config& config, const TrainModel& settings) {
  try {
    model::check_config(config, "model settings");
  } catch (const Error& error) {  // the values come from the user, not a file
    throw Error(ErrorCode::kUsage, error.what(), error.hint());
  }
  if (settings.trained_blocks < 0 || settings.trained_blocks > config.backbone.blocks()) {
    fail(ErrorCode::kUsage, "trained_blocks must be between 0 and the backbone's {} blocks, not {}", config.backbone.blocks(),
         settings.trained_blocks);
  }
  check_patches(config, config.input.size);
  if (settings.infer_size.height > 0) check_patches(config, settings.infer_size);
}

}  // namespace

void check_rhos(const TrainConfig& config, const model::Config& model) {
  const int clusters = model.head.clusters();
  const auto check = [&](Size size, double rho) {
    const Size grid = model.backbone.grid(size);
    const int patches = grid.height * grid.width;
    const int kept = rho < 1 ? reduce::kept_count(rho, patches) : patches;
    if (!is_one_sided(model.head) || kept > clusters) return;
    fail_with_hint(ErrorCode::kUsage, "ghost = true, larger pictures, fewer clusters, or a larger rho",
                   "{} clusters without a ghost token need more than {} patches, but at rho {} only {} of {} stay", clusters,
                   clusters, rho, kept, patches);
  };
  check(config.data.size, std::min(config.loss.random_rho_from, config.model.own.rho.value_or(1)));
  check(config.infer_size(), std::min(*std::ranges::min_element(config.validation.rhos), config.model.own.rho.value_or(1)));
}

std::shared_ptr<const model::LoadedModel> read_backbone(const std::filesystem::path& path, int heads, Size input) {
  if (model::read_checkpoint(path).metadata.contains("revisit.format")) return model::load_model_file(path);
  ImportOptions options;
  options.size = input;
  if (heads > 0) options.heads = heads;
  return model::import_checkpoint(path, options, nullptr);
}

TrainConfig beginning_of(TrainConfig config) {
  if (config.model.start_seed != 0) config.seed = config.model.start_seed;
  return config;
}

model::LoadedModel initial_model(const TrainModel& settings, Size input, std::uint64_t seed) {
  model::LoadedModel out;
  std::shared_ptr<const model::LoadedModel> backbone;  // null: random
  if (settings.backbone.empty()) {
    out.config = random_backbone(settings, input, seed);
  } else {
    backbone = read_backbone(settings.backbone, settings.heads, input);
    model::require_whole(backbone->config, settings.backbone.string(), "trained");
    out.config = backbone->config;
    const auto& vit = out.config.vit();
    check_same("width", settings.width, vit.width, settings);
    check_same("depth", settings.depth, vit.depth, settings);
    check_same("heads", settings.heads, vit.heads, settings);
    check_same("patch", settings.patch, vit.patch, settings);
    if (!out.config.nonfinite.empty()) {
      fail(ErrorCode::kBadModel, "'{}' holds NaN or infinity in tensor '{}', so it cannot be trained", settings.backbone.string(),
           out.config.nonfinite);
    }
    out.config.provenance = model::trained_from(out.config.provenance);
  }
  check_input(input, out.config.backbone.stride());
  if (settings.infer_size.height > 0) check_input(settings.infer_size, out.config.backbone.stride());
  const bool whole = backbone && (settings.weitop_only || settings.head_start == "own");
  if (whole && settings.weitop_only) {
    keep_all(out.config, settings, input);
  } else if (whole) {
    keep_head(out.config, settings);
  } else {
    out.config.head = head_config(settings);
    set_pruner(out.config, settings);
  }
  out.config.input.size = input;
  out.config.calibration.reset();
  check_settings(out.config, settings);

  const bool has_weitop = backbone && backbone->config.has_weitop();
  const bool has_predictors = backbone && backbone->config.predictors == out.config.predictors;
  const double keep = share_of_stage(out.config, settings);
  const auto required = model::required_tensors(out.config);
  for (const auto& [name, shape] : required) {
    const bool is_predictor = name.starts_with(model::kPredictorRoot);
    const bool begins = is_predictor ? !has_predictors : name.starts_with("weitop.") && !has_weitop;
    if (is_backbone(name) || (whole && !begins)) {
      if (backbone) {
        out.weights.add(name, backbone->weights.at(name), backbone);
      } else {
        out.weights.add_f32(name, shape, backbone_values(name, shape, settings, out.config, seed));
      }
      continue;
    }
    if (is_predictor) {
      out.weights.add_f32(name, shape, predictor_values(name, count_of(shape), keep, seed));
      continue;
    }
    // A bias is drawn by the inputs of its layer, which stand in the weight's shape.
    const std::string layer = name.substr(0, name.rfind('.'));
    const auto weight = required.find(layer + ".weight");
    const std::int64_t inputs = weight != required.end() ? weight->second.at(1) : 1;
    out.weights.add_f32(name, shape, head_values(name, count_of(shape), inputs, settings.tier_delta, seed));
  }
  out.config.fingerprint = model::fingerprint_of(out.weights);
  return out;
}

}  // namespace revisit::train
